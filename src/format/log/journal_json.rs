//! `journalctl -o json`: `{"MESSAGE":"text","_SYSTEMD_UNIT":"u","_PID":"1",...}`; a message with
//! control characters (a tab is one) comes as a list of bytes.

use super::json::{Value, fields};
use super::keys::{Keys, StreamKey};
use super::unescape::unescape;
use super::{Finder, finder};

/// Most lines are told apart by this alone.
static KEY: Finder = finder(|| memchr::memmem::Finder::new(br#""MESSAGE""#));

/// Whether a line is surely one of these.
pub(super) fn is(line: &[u8]) -> bool {
    let Some(fields) = KEY.find(line).and_then(|_| fields(line)) else { return false };
    let (mut message, mut journal) = (false, false);
    for (key, _) in fields {
        match key {
            b"MESSAGE" => message = true,
            b"__CURSOR"
            | b"__REALTIME_TIMESTAMP"
            | b"_BOOT_ID"
            | b"_PID"
            | b"SYSLOG_IDENTIFIER" => {
                journal = true;
            }
            _ => {}
        }
    }
    message && journal
}

pub(super) fn decode(line: &[u8], keys: &mut Keys, out: &mut Vec<u8>) -> Option<StreamKey> {
    let mut name = [&b""[..]; 4];
    let [host, unit, process, stream] = &mut name;
    let (mut message, mut partial) = (None, false);
    for (key, value) in fields(line)? {
        match (key, value) {
            (b"MESSAGE", value) => message = Some(value),
            (b"_HOSTNAME", Value::Text(text)) => *host = text,
            // The unit goes before the identifier, in whatever order they are written.
            (b"_SYSTEMD_UNIT", Value::Text(text)) => *unit = text,
            (b"SYSLOG_IDENTIFIER", Value::Text(text)) if unit.is_empty() => *unit = text,
            (b"_PID", Value::Text(text)) => *process = text,
            (b"_STREAM_ID", Value::Text(text)) => *stream = text,
            // The journal cuts lines of more than 48 KiB and says so.
            (b"_LINE_BREAK", Value::Text(text)) => partial = text == b"line-max",
            _ => {}
        }
    }
    match message? {
        Value::Text(text) => unescape(text, out),
        Value::Other(list) => bytes(list, out),
    }
    if !partial {
        out.push(b'\n');
    }
    Some(keys.joined(&name))
}

/// Appends the bytes of `[103,111,...]`; anything else is a message that was too long to be told.
fn bytes(list: &[u8], out: &mut Vec<u8>) {
    let Some(list) = list.strip_prefix(b"[") else { return };
    let mut number = None::<u32>;
    for &byte in list {
        match byte {
            b'0'..=b'9' => {
                let digit = u32::from(byte & 0x0f);
                number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
            }
            b',' | b']' => out.extend(number.take().and_then(|number| u8::try_from(number).ok())),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_texts_or_lists_of_bytes() {
        let (mut keys, mut out) = (Keys::default(), Vec::new());
        let mut streams = Vec::new();
        for line in [
            r#"{"MESSAGE":"goroutine 1 [running]:","_PID":"7","_SYSTEMD_UNIT":"a.service"}"#,
            r#"{"_SYSTEMD_UNIT":"a.service","_PID":"8","MESSAGE":"other"}"#,
            r#"{"MESSAGE":[9, 47,255],"_SYSTEMD_UNIT":"a.service","SYSLOG_IDENTIFIER":"a","_PID":"7"}"#,
            r#"{"MESSAGE":"cut","_LINE_BREAK":"line-max","_SYSTEMD_UNIT":"a.service","_PID":"7"}"#,
            r#"{"MESSAGE":null,"_SYSTEMD_UNIT":"a.service","_PID":"7"}"#,
        ] {
            assert!(is(line.as_bytes()), "{line}");
            streams.push(decode(line.as_bytes(), &mut keys, &mut out).unwrap().0);
        }
        assert_eq!(out, b"goroutine 1 [running]:\nother\n\t/\xff\ncut\n");
        assert_eq!(streams, [1, 2, 1, 1, 1]);
    }

    #[test]
    fn other_objects_are_not_of_the_journal() {
        assert!(!is(br#"{"MESSAGE":"x"}"#));
        assert!(!is(br#"{"message":"x","_PID":"7"}"#));
        assert!(!is(b"MESSAGE=x"));
    }
}
