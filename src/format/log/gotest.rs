//! `go test -json`: `{"Action":"output","Package":"p","Test":"T","Output":"text\n"}`. Tests that
//! run at the same time interleave; test2json cuts lines of more than 4096 bytes.

use super::json::{Value, fields};
use super::keys::{Keys, StreamKey};
use super::unescape::unescape;
use super::{Finder, finder};

/// Most lines are told apart by this alone.
static KEY: Finder = finder(|| memchr::memmem::Finder::new(br#""Action""#));

const ACTIONS: [&[u8]; 14] = [
    b"start",
    b"run",
    b"pause",
    b"cont",
    b"pass",
    b"bench",
    b"fail",
    b"output",
    b"skip",
    b"attr",
    b"artifacts",
    b"build-output",
    b"build-fail",
    b"build-pass",
];

/// Whether a line is surely one of these.
pub(super) fn is(line: &[u8]) -> bool {
    let Some(fields) = KEY.find(line).and_then(|_| fields(line)) else { return false };
    let (mut action, mut other) = (false, false);
    for (key, value) in fields {
        match (key, value) {
            (b"Action", Value::Text(name)) => action = ACTIONS.contains(&name),
            (b"Package" | b"Test" | b"Output" | b"ImportPath", Value::Text(_)) => other = true,
            _ => {}
        }
    }
    action && other
}

pub(super) fn decode(line: &[u8], keys: &mut Keys, out: &mut Vec<u8>) -> Option<StreamKey> {
    let (mut action, mut package, mut test, mut output) = (false, &b""[..], &b""[..], None);
    for (key, value) in fields(line)? {
        match (key, value) {
            (b"Action", Value::Text(name)) => action = ACTIONS.contains(&name),
            (b"Package" | b"ImportPath", Value::Text(name)) => package = name,
            (b"Test", Value::Text(name)) => test = name,
            (b"Output", Value::Text(text)) => output = Some(text),
            _ => {}
        }
    }
    if !action {
        return None;
    }
    unescape(output.unwrap_or_default(), out);
    Some(keys.joined(&[package, test]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_streams_and_only_output_is_text() {
        let (mut keys, mut out) = (Keys::default(), Vec::new());
        let mut streams = Vec::new();
        for line in [
            r#"{"Time":"t","Action":"start","Package":"p"}"#,
            r#"{"Time":"t","Action":"output","Package":"p","Test":"A","Output":"\tx \u003cnil\u003e"}"#,
            r#"{"Action":"output","Package":"p","Test":"B","Output":"y\n","OutputType":"frame"}"#,
            r#"{"Action":"output","Package":"p","Test":"A","Output":" z\n"}"#,
        ] {
            assert!(is(line.as_bytes()), "{line}");
            streams.push(decode(line.as_bytes(), &mut keys, &mut out).unwrap().0);
        }
        assert_eq!(out, b"\tx <nil>y\n z\n");
        assert_eq!(streams, [1, 2, 3, 2]);
    }

    #[test]
    fn other_objects_are_not_test_events() {
        for line in [
            "",
            r#"{"Action":"output"}"#,
            r#"{"Action":"eat","Package":"p"}"#,
            r#"{"action":"output","Package":"p"}"#,
            r#"{"Output":"x","Package":"p"}"#,
        ] {
            assert!(!is(line.as_bytes()), "{line}");
        }
    }
}
