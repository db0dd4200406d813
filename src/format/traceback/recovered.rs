//! Panics that a program recovers from and logs: the panic's value is in the log line above the
//! stack.

use crate::format::quoted::unquote;
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Parts of words in a message about a panic, without their first letter, which can be of either
/// case: `Observed a panic: boom`, `[Recovery] panic recovered`, `recovered: boom`, `http2: panic
/// serving 127.0.0.1:1: boom`.
///
/// Built once, as are the others here: building a searcher costs more than searching a line.
static WORDS: [LazyLock<Finder<'static>>; 2] =
    [LazyLock::new(|| Finder::new(b"anic")), LazyLock::new(|| Finder::new(b"ecover"))];

/// How many bytes of a message are kept.
const MESSAGE: usize = 1 << 10;

/// At most this many words before a message are skipped: time stamps, a level, a process.
const BEFORE: usize = 8;

/// Names of fields with the value of a panic.
pub(crate) const VALUES: [&str; 6] = ["panic", "error", "err", "recovered", "reason", "value"];

/// The message about a panic in a line of a log, without time stamps and the like before it.
pub(crate) fn message(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !WORDS.iter().any(|word| word.find(line).is_some()) {
        return None;
    }
    let mut text = line.trim_ascii();
    // `E0102 10:31:41.123456       1 runtime.go:79] `
    let head = text.get(..text.len().min(128)).unwrap_or_default();
    if let Some(end) = memchr::memmem::find(head, b"] ")
        && let Some(before) = head.get(..end)
        && memchr::memmem::find(before, b".go:").is_some()
    {
        text = text.get(end.saturating_add(2)..).unwrap_or_default();
    }
    if let Some(mut message) = of_fields(text) {
        message.truncate(MESSAGE);
        return Some(message.into());
    }
    for _ in 0..BEFORE {
        let word = text.split(|byte| b" \t".contains(byte)).next().unwrap_or_default();
        let is_number = word.iter().any(u8::is_ascii_digit);
        let is_mark = word.iter().all(u8::is_ascii_punctuation);
        if !(is_number || is_mark) || word.iter().any(u8::is_ascii_lowercase) {
            break;
        }
        text = text.get(word.len()..).unwrap_or_default().trim_ascii_start();
    }
    text.get(..text.len().min(MESSAGE)).filter(|text| !text.is_empty()).map(Cow::Borrowed)
}

/// The message and the value of a panic in a line of fields: `level=error msg="recovered" err=boom`,
/// klog's `"Observed a panic" panic="boom"`.
fn of_fields(text: &[u8]) -> Option<Vec<u8>> {
    let message = unquote(text).map(|(message, _)| message);
    let mut message = message.or_else(|| field(text, "msg"))?.into_owned();
    let value = VALUES.iter().find_map(|name| field(text, name));
    if let Some(value) = value.filter(|value| memchr::memmem::find(&message, value).is_none()) {
        message.extend([b": ", &*value].concat());
    }
    Some(message)
}

/// The value of `name=value` or `name="value"`.
fn field<'t>(text: &'t [u8], name: &str) -> Option<Cow<'t, [u8]>> {
    let start = [name.as_bytes(), b"="].concat();
    let mut found = memchr::memmem::find_iter(text, &start);
    let is_separate = |at: &usize| at.checked_sub(1).is_none_or(|at| text.get(at) == Some(&b' '));
    let value = text.get(found.find(is_separate)?.saturating_add(start.len())..)?;
    let quoted = unquote(value).map(|(value, _)| value);
    // The line may be cut inside the quotes.
    let cut = || value.strip_prefix(b"\"").map(Cow::Borrowed);
    let word = || value.split(u8::is_ascii_whitespace).next().map(Cow::Borrowed);
    quoted.or_else(cut).or_else(word).filter(|value| !value.is_empty())
}

/// A line that a logger writes when it ends the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fatal<'l> {
    pub(crate) text: &'l [u8],
    /// Where the logger was called: `main.go:7`.
    pub(crate) place: &'l [u8],
}

/// The message of a line that a logger writes when it ends the process: `F0102 10:31:41.123456 1
/// main.go:7] boom` of glog and klog, and CockroachDB's `F260102 10:31:41.123456 12
/// server/node.go:7 ⋮ [n1] 249  boom`. The stacks of all goroutines follow. What `journalctl` and the
/// like put before the line may not be cut off yet.
pub(crate) fn fatal(line: &[u8]) -> Option<Fatal<'_>> {
    let head = line.get(..line.len().min(128)).unwrap_or_default();
    let starts_word = |at: &usize| {
        head.get(..*at).and_then(<[u8]>::last).is_none_or(|byte| b" \t".contains(byte))
    };
    let mut marks = memchr::memchr_iter(b'F', head).filter(starts_word);
    marks.find_map(|at| fatal_record(line.get(at..)?))
}

/// The text in quotes that klog or glog wrote, in a line of a log in JSON whose fields aren't known yet: its
/// first line doesn't show that a dump follows.
pub(crate) fn quoted_record(line: &[u8]) -> Option<Cow<'_, [u8]>> {
    let head = line.get(..line.len().min(MESSAGE)).unwrap_or_default();
    let starts_record = |text: &[u8]| {
        let (level, rest) = text.split_at_checked(1).unwrap_or_default();
        let date = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        matches!(level, b"E" | b"F") && matches!(date, 4 | 6) && rest.get(date) == Some(&b' ')
    };
    let mut quotes = memchr::memchr_iter(b'"', head);
    let quoted = quotes.find_map(|at| {
        let text = line.get(at.saturating_add(1)..)?;
        if starts_record(text) { line.get(at..) } else { None }
    })?;
    unquote(quoted).map(|(text, _)| text)
}

/// Whether a line has a message of its own about a panic, as controllers of Kubernetes write it.
pub(crate) fn is_observed(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"Observed a panic").is_some()
}

/// Whether the value in a message about a panic goes on in the next line: it has more brackets that are
/// opened than closed.
pub(crate) fn goes_on(message: &[u8]) -> bool {
    let count = |brackets: &[u8]| message.iter().filter(|byte| brackets.contains(byte)).count();
    count(b"({") > count(b")}")
}

/// The same for a line without a prefix.
fn fatal_record(line: &[u8]) -> Option<Fatal<'_>> {
    let (date, rest) = split_at_blank(line.strip_prefix(b"F")?)?;
    let is_date = matches!(date.len(), 4 | 6) && date.iter().all(u8::is_ascii_digit);
    let head = rest.get(..rest.len().min(128)).unwrap_or_default();
    let file = memchr::memmem::find(head, b".go:").filter(|_| is_date)?;
    let start = head.get(..file)?.iter().rposition(|&byte| byte == b' ');
    let start = start.map_or(0, |at| at.saturating_add(1));
    let (place, mut text) = split_at_blank(rest.get(start..)?)?;
    let place = place.strip_suffix(b"]").unwrap_or(place);
    text = text.strip_prefix("⋮ ".as_bytes()).unwrap_or(text).trim_ascii();
    // `[n1,client=10.0.0.1:5] 249  boom`: tags, and a counter.
    if date.len() == 6
        && text.starts_with(b"[")
        && let Some(end) = memchr::memmem::find(text, b"] ")
        && let Some((count, after)) = text.get(end.saturating_add(2)..).and_then(split_at_blank)
        && count.iter().all(u8::is_ascii_digit)
    {
        text = after.trim_ascii_start();
    }
    let text = text.get(..text.len().min(MESSAGE)).filter(|text| !text.is_empty())?;
    Some(Fatal { text, place })
}

fn split_at_blank(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b' ', text)?;
    Some((text.get(..at)?, text.get(at.saturating_add(1)..)?))
}

/// Whether a function belongs to the runtime, as those above `panic` in Go's stacks do.
pub(crate) fn is_of_runtime(func: &[u8]) -> bool {
    func.strip_prefix(b"runtime.").is_some_and(|rest| !rest.contains(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_behind_time_stamps() {
        for (line, text) in [
            ("2026/01/02 15:04:05 recovered: boom", "recovered: boom"),
            (
                "E0102 10:31:41.123456       1 runtime.go:79] Observed a panic: \"boom\" (boom)",
                "Observed a panic: \"boom\" (boom)",
            ),
            (
                "2026/01/02 15:04:05 http2: panic serving 127.0.0.1:1: boom",
                "http2: panic serving 127.0.0.1:1: boom",
            ),
            (
                "2026-01-02T15:04:05Z ERROR [Recovery] panic recovered: boom",
                "ERROR [Recovery] panic recovered: boom",
            ),
            ("[GIN] 2026/01/02 - 15:04:05 | Panic: x", "[GIN] 2026/01/02 - 15:04:05 | Panic: x"),
        ] {
            assert_eq!(message(line.as_bytes()).as_deref(), Some(text.as_bytes()), "{line}");
        }
        assert_eq!(message(b"2026/01/02 15:04:05 hello"), None);
    }

    #[test]
    fn messages_are_found_among_fields() {
        for (line, text) in [
            (
                r#"E0102 10:31:41.123456  1 runtime.go:142] "Observed a panic" pod="x" panic="a \"b\"" panicGoValue="c""#,
                r#"Observed a panic: a "b""#,
            ),
            (
                r#"time="2026-01-02T15:04:05Z" level=error msg="Recovered from panic in [1 - /x]: boom" route=x"#,
                "Recovered from panic in [1 - /x]: boom",
            ),
            ("level=error msg=recovered err=boom", "recovered: boom"),
            ("level=error msg=recovered panic= err=boom", "recovered: boom"),
            (r#"level=error msg="panic: boom" err=boom"#, "panic: boom"),
            ("recovered by xmsg=y", "recovered by xmsg=y"),
            (r#"level=error msg="a panic that was cu"#, "a panic that was cu"),
        ] {
            let found = message(line.as_bytes()).map(|text| String::from_utf8_lossy(&text).into());
            assert_eq!(found, Some(text.to_owned()), "{line}");
        }
        let long = format!("level=error msg=\"panic: {}\"", "x".repeat(2 * MESSAGE));
        assert_eq!(message(long.as_bytes()).map(|message| message.len()), Some(MESSAGE));
    }

    #[test]
    fn records_of_klog_are_found_in_the_quotes_of_another_logger() {
        let text = "F0102 10:31:41.123456       1 main.go:7] no \"such\" port";
        let json = serde_json::json!({"ts": "2026-01-02T10:31:41Z", "payload": text, "x": 1});
        let quoted = quoted_record(json.to_string().as_bytes()).map(Cow::into_owned);
        assert_eq!(quoted.as_deref(), Some(text.as_bytes()));
        for line in [text, r#"{"a":"F16 is a jet","b":"E0102"}"#, r#"{"a":"F0102 10:31:41"#] {
            assert_eq!(quoted_record(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn messages_of_loggers_that_end_the_process_are_found() {
        for (line, text) in [
            ("F0102 10:31:41.123456       1 main.go:7] no such port: 99999", "no such port: 99999"),
            ("F0102 10:31:41.123456 12345 main.go:7] [a] 7  b", "[a] 7  b"),
            ("Feb 02 10:31:41 n1 kubelet[7]: F0202 10:31:41.123456 7 main.go:7] boom", "boom"),
            ("F160102 20:26:27.555255 storage/disk.go:22  disk=4 full", "disk=4 full"),
            (
                "F260102 10:31:41.123456 12 server/node.go:7 ⋮ [n1,client=10.0.0.1:5] 249  boom: x",
                "boom: x",
            ),
            ("F260102 10:31:41.123456 12 server/node.go:7  [-] 23  boom", "boom"),
            ("F260102 10:31:41.123456 12 server/node.go:7 ⋮ [n1] 249 +more", "+more"),
            ("F260102 10:31:41.123456 12 server/node.go:7 ⋮ [n1] not  here", "[n1] not  here"),
            ("F260102 10:31:41.123456 12 server/node.go:7  n1] 249  boom", "n1] 249  boom"),
        ] {
            let found = fatal(line.as_bytes()).expect(line);
            assert_eq!(String::from_utf8_lossy(found.text), text, "{line}");
            let place = String::from_utf8_lossy(found.place);
            assert!(["main.go:7", "storage/disk.go:22", "server/node.go:7"].contains(&&*place));
        }
        for line in [
            "E0102 10:31:41.123456       1 main.go:7] boom",
            "F0102 10:31:41.123456       1 main.rs:7] boom",
            "F0102 10:31:41.123456       1 main.go:7]",
            "F0102 10:31:41.123456       1 main.go:7] ",
            "F01021 10:31:41.123456       1 main.go:7] boom",
            "Fatal in main.go:7 here",
        ] {
            assert_eq!(fatal(line.as_bytes()), None, "{line}");
        }
    }
}
