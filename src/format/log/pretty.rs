//! JSON that is spread over lines, as `jq`, `gcloud logging read` and `aws logs` print it.
//!
//! Lines are held until a record is complete: an object, or an item of the outermost list. Then it
//! is read as if it had been one line. Ansible writes a result behind the line's text, with `-v`, or of a task that
//! failed: `fatal: [web1]: FAILED! => {`.

use super::escaped::Escaped;
use super::unescape::Style;
use super::{keyword, names_goroutine, reversed};
use crate::limits::LIMITS;

/// The maximal number of bytes of a line that opens a document: `{`, `[`, `"events": [`.
const OPENING: usize = 200;
/// What the line before a result of Ansible ends with.
const RESULT: &[u8] = b" => {";
/// The maximal depth of brackets, as in serde_json.
const DEPTH: usize = 127;

#[derive(Debug, Default)]
pub(super) struct Pretty {
    /// The lines of the open record.
    held: Vec<u8>,
    /// The open brackets.
    open: Vec<u8>,
    /// Whether the outermost bracket is that of a list, each item of which is a record.
    list: bool,
    closed: bool,
    /// Whether a record so far held a dump: then later records can hold lines of it.
    holds: bool,
    /// Whether the open record is too long to be held.
    long: bool,
}

/// The result for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Use {
    Held,
    /// This record is complete.
    Record(Vec<u8>),
    /// These lines are JSON without a dump.
    Plain(Vec<u8>),
    /// The line isn't JSON, or the document has ended before it; these are the held lines.
    Over(Vec<u8>),
    /// A part of a record that is too long to be held, and whether the record ends with it: its
    /// texts are searched for without parsing it.
    Part(Vec<u8>, bool),
}

impl Pretty {
    /// A decoder for lines from this one on, if it can start a document.
    pub(super) fn of(line: &[u8]) -> Option<Pretty> {
        let text = line.get(..OPENING.min(line.len()))?.trim_ascii();
        // Prefixes in brackets stand in front of lines that end so, too: `[web-1] server {`.
        let inside = text.get(1..).unwrap_or_default().trim_ascii_start();
        let is_json = inside.first().is_some_and(|byte| b"{[\"".contains(byte));
        let opens = matches!(text, [b'{' | b'['])
            || text.ends_with(RESULT) && keyword(text).is_none()
            || is_json && matches!(text, [b'{' | b'[', .., b'{' | b'[']);
        // A record that is cut in its message can end so, too.
        let is_whole = || Pretty::default().count(line);
        (opens && line.len() <= OPENING && is_whole()).then(Pretty::default)
    }

    /// The lines of the open record, when no more come.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Whether a document with dumps isn't closed.
    pub(super) fn is_open(&self) -> bool {
        self.holds && !self.open.is_empty()
    }

    /// Notes the start of a line that is read by parts, as it is too long to be held: it is a whole field.
    pub(super) fn pass_over(&mut self, start: &[u8]) {
        self.holds |= keyword(start).is_some();
    }

    pub(super) fn line(&mut self, line: &[u8]) -> Use {
        if self.closed && Pretty::of(line).is_some() {
            // The next document.
            self.closed = false;
        }
        let first = self.open.is_empty() && self.held.is_empty();
        if self.closed || !first && !is_json(line) || !self.count(line) {
            self.closed = true;
            return Use::Over(std::mem::take(&mut self.held));
        }
        if first {
            self.list = line.trim_ascii_start().first() == Some(&b'[');
        }
        self.held.extend_from_slice(line);
        self.held.push(b'\n');
        self.closed = self.open.is_empty();
        let whole = self.closed || self.list && self.open.len() == 1;
        self.long |= self.held.len() > LIMITS.json_document;
        if self.long {
            self.long = !whole;
            return Use::Part(std::mem::take(&mut self.held), whole);
        }
        if !whole || self.held.trim_ascii() == b"[" {
            return Use::Held;
        }
        let held = std::mem::take(&mut self.held);
        // The journal's lists of bytes show no keyword.
        self.holds |= keyword(&held).is_some()
            || memchr::memmem::find(&held, b"\"MESSAGE\"").is_some()
            || reversed::may_quote_place(&held);
        match held.trim_ascii() {
            b"]" if self.holds => Use::Plain(Vec::new()),
            _ if self.holds => Use::Record(held),
            _ => Use::Plain(held),
        }
    }

    /// Counts brackets outside of strings; `false` if they don't match.
    fn count(&mut self, line: &[u8]) -> bool {
        let mut rest = line;
        while let Some(at) = rest.iter().position(|byte| b"\"{}[]".contains(byte)) {
            let (byte, after) =
                (rest.get(at), rest.get(at.saturating_add(1)..).unwrap_or_default());
            rest = after;
            match byte {
                Some(b'"') => match super::unescape::closing_quote(rest) {
                    Some(end) => rest = rest.get(end.saturating_add(1)..).unwrap_or_default(),
                    None => return false,
                },
                Some(&byte @ (b'{' | b'[')) if self.open.len() < DEPTH => self.open.push(byte),
                Some(b'}') if self.open.last() == Some(&b'{') => drop(self.open.pop()),
                Some(b']') if self.open.last() == Some(&b'[') => drop(self.open.pop()),
                _ => return false,
            }
        }
        true
    }
}

/// Appends the texts in the lines of a record that has no end, if it holds a dump, or else the lines. Returns whether a
/// dump is cut there. `long` reads the record if it is too long to be held.
pub(super) fn open_record(
    lines: &[u8],
    long: &mut Option<Box<Escaped>>,
    out: &mut Vec<u8>,
) -> bool {
    if long.is_none() && !(names_goroutine(lines) && lines.contains(&b'"')) {
        out.extend_from_slice(lines);
        return false;
    }
    let mut texts = long.take().unwrap_or_else(|| Box::new(Escaped::new(Style::Quoted)));
    texts.feed(lines, out);
    texts.end(out);
    true
}

/// The record without the punctuation around an item of a list, or the text before a result.
pub(super) fn item(record: &[u8]) -> &[u8] {
    let text = record.trim_ascii();
    let first = text.get(..memchr::memchr(b'\n', text).unwrap_or(0)).unwrap_or_default();
    if first.trim_ascii_end().ends_with(RESULT) {
        let brace = memchr::memrchr(b'{', first).unwrap_or(0);
        return text.get(brace..).unwrap_or_default();
    }
    let text = text.strip_suffix(b",").unwrap_or(text);
    // The first item comes with the bracket of the list.
    match text.strip_prefix(b"[") {
        Some(item) if !text.ends_with(b"]") => item.trim_ascii(),
        _ => text,
    }
}

/// Whether a line can be part of JSON that is spread over lines.
fn is_json(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    text.is_empty()
        || text.first().is_some_and(|byte| b"\"{}[]-0123456789tfn".contains(byte))
            && text.last().is_some_and(|byte| {
                b",{}[]\"".contains(byte)
                    || byte.is_ascii_digit()
                    || text.ends_with(b"e")
                    || text.ends_with(b"l")
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str) -> Vec<Use> {
        let mut pretty = Pretty::of(text.lines().next().unwrap().as_bytes()).unwrap();
        let uses: Vec<Use> = text.lines().map(|line| pretty.line(line.as_bytes())).collect();
        uses.into_iter().filter(|used| *used != Use::Held).collect()
    }

    #[test]
    fn a_record_is_given_when_its_last_bracket_closes() {
        let record = "{\n  \"a\": {\n    \"b\": \"}\\\"panic: x\"\n  }\n}\n";
        assert_eq!(run(record), [Use::Record(record.into())]);
        assert_eq!(run("{\n  \"a\": 1\n}\n"), [Use::Plain("{\n  \"a\": 1\n}\n".into())]);
        let plain = ["[\n  {\n    \"a\": 1\n  }\n", "]\n"];
        assert_eq!(run(&plain.concat()), plain.map(|text| Use::Plain(text.into())));
        assert_eq!(item(b"  [\"17\", \"x\"],\n"), b"[\"17\", \"x\"]");
        let result = "fatal: [web1]: FAILED! => {\n    \"msg\": \"panic: x\"\n}\n";
        assert_eq!(run(result), [Use::Record(result.into())]);
        assert_eq!(item(result.as_bytes()), b"{\n    \"msg\": \"panic: x\"\n}");
        assert!(Pretty::of(b"panic: rule => {").is_none());
        let list = "[\n  {\n    \"a\": \"panic: x\"\n  },\n  {\n    \"a\": \"panic: y\"\n  }\n]\n";
        let items: Vec<Vec<u8>> = run(list)
            .into_iter()
            .filter_map(|used| match used {
                Use::Record(record) => Some(item(&record).to_vec()),
                _ => None,
            })
            .collect();
        assert_eq!(
            items,
            [&b"{\n    \"a\": \"panic: x\"\n  }"[..], b"{\n    \"a\": \"panic: y\"\n  }"]
        );
    }

    #[test]
    fn what_is_no_json_is_given_back() {
        assert_eq!(run("{\nhello world\n"), [Use::Over("{\n".into())]);
        for line in ["  \"a\": ]", "not so", "  (x)]"] {
            assert_eq!(run(&format!("{{\n{line}\n")), [Use::Over("{\n".into())], "{line}");
        }
        assert_eq!(run("{\n\"a\": [\n}\n"), [Use::Over("{\n\"a\": [\n".into())]);
        assert_eq!(run("{\n}\nx\n"), [Use::Plain("{\n}\n".into()), Use::Over(Vec::new())]);
        assert!(Pretty::of(b"goroutine 1 [running]:").is_none());
        assert!(Pretty::of(b"").is_none());
    }

    #[test]
    fn a_record_has_as_many_brackets_as_the_reader_of_json_takes() {
        let nested = |depth: usize| {
            format!("{{\n\"a\": {}\n\"panic: x\"\n{}\n}}\n", "[".repeat(depth), "]".repeat(depth))
        };
        let whole = nested(DEPTH - 1);
        assert!(serde_json::from_str::<serde_json::Value>(&whole).is_ok());
        assert_eq!(run(&whole), [Use::Record(whole.into())]);
        let deeper = nested(DEPTH);
        assert!(serde_json::from_str::<serde_json::Value>(&deeper).is_err());
        assert_eq!(run(&deeper)[0], Use::Over("{\n".into()));
    }

    #[test]
    fn a_record_that_is_too_long_comes_in_parts() {
        let field = format!("\"a\": \"{}\",\n", "x".repeat(50_000));
        let fields = LIMITS.json_document / field.len() + 3;
        let record = "{\n\"a\": \"panic: x\"\n}\n";
        let uses = run(&format!("{{\n{}\"b\": 1\n}}\n{record}", field.repeat(fields)));
        let held = 2 + (fields - 2) * field.len();
        let parts: Vec<(usize, bool)> = uses
            .iter()
            .map_while(|used| match used {
                Use::Part(text, ends) => Some((text.len(), *ends)),
                _ => None,
            })
            .collect();
        let wanted =
            [(held, false), (field.len(), false), (field.len(), false), (7, false), (2, true)];
        assert_eq!(parts, wanted);
        assert_eq!(uses[parts.len()..], [Use::Record(record.into())]);
    }
}
