//! Entries of the journal with a line for each field, `journalctl -o export` and `-o verbose`:
//!
//! ```text
//! __CURSOR=s=9a;i=1                      Sat 2026-01-02 10:31:41.000000 UTC [s=9a;i=1;b=3f;m=1;t=2;x=3]
//! _PID=882                                   _PID=882
//! MESSAGE=panic: boom                        MESSAGE=panic: boom
//!                                            PRIORITY=6
//! ```
//!
//! An entry ends with a blank line, or where the next one starts: the field that names its process can be behind the
//! message. Where a value has line ends or escapes, `export` writes its name alone, and in the next line its length, as 64
//! bits with the lowest first, and its bytes (<https://systemd.io/JOURNAL_EXPORT_FORMATS/>).

use super::json::Records;
use super::row::Use;
use super::shape::common;
use crate::format::hole::is_of_journal_name;
use crate::format::start::{starts_dump, without_cr};
use crate::format::traceback::rest::is_stray;

/// The maximal number of bytes of an entry: the journal cuts messages after 48 KiB.
const ENTRY: usize = 1 << 20;

const MESSAGE: &str = "MESSAGE";

/// Stand in front of each field of `-o verbose`.
const INDENT: &[u8] = b"    ";

/// How many bytes of a line with a time are kept: up to its cursor, which differs.
const HEAD: usize = 32;

#[derive(Debug)]
pub(super) struct Entries {
    /// Whether fields are indented, below a line with the time.
    is_verbose: bool,
    /// The fields of the open entry.
    fields: Vec<(String, Vec<u8>)>,
    /// A value with its length in front, as far as it was read.
    sized: Option<(String, Vec<u8>)>,
    /// The bytes of its lines.
    bytes: usize,
    /// The start of the last line with a time.
    head: Vec<u8>,
    /// Whether the last whole entry ended with its message.
    ends_with_message: bool,
}

impl Entries {
    /// A reader for lines from this one on, if an entry starts with it, or it is a message that starts a dump.
    pub(super) fn of(line: &[u8]) -> Option<Entries> {
        let line = without_cr(line);
        let message = |line: &[u8]| line.strip_prefix(b"MESSAGE=").is_some_and(starts_dump);
        let is_export = line.starts_with(b"__CURSOR=s=") || message(line);
        let is_verbose = is_head(line) || line.strip_prefix(INDENT).is_some_and(message);
        (is_export || is_verbose).then(|| Entries {
            is_verbose,
            fields: Vec::new(),
            sized: None,
            bytes: 0,
            head: Vec::new(),
            ends_with_message: false,
        })
    }

    pub(super) fn line(&mut self, line: &[u8]) -> Use {
        self.bytes = self.bytes.saturating_add(line.len());
        if self.bytes > ENTRY {
            return Use::Over(self.take_held());
        }
        if let Some((name, mut value)) = self.sized.take() {
            let before = value.len();
            value.extend_from_slice(line);
            value.push(b'\n');
            return self.sized_value(name, value, before);
        }
        let line = without_cr(line);
        if self.is_verbose && is_head(line) {
            self.head = line.get(..HEAD).unwrap_or(line).to_vec();
            return Use::Record(self.end());
        }
        if !self.is_verbose && line.is_empty() {
            return Use::Record(self.end());
        }
        if self.field(line) { Use::Held } else { Use::Foreign }
    }

    /// Whether a line that is no field is what is left of one.
    pub(super) fn is_damaged(&self, line: &[u8]) -> bool {
        let compared = line.len().min(self.head.len());
        let starts_entry = || !line.is_empty() && common(line.iter(), self.head.iter()) == compared;
        let starts_field = || {
            let name = line.strip_prefix(INDENT).unwrap_or_default();
            !name.is_empty() && name.iter().all(is_of_journal_name)
        };
        let is_of_verbose = || self.is_verbose && (starts_entry() || starts_field());
        line.contains(&b'=') || is_stray(line) || is_of_verbose()
    }

    /// Ends the open entry: its fields.
    pub(super) fn end(&mut self) -> Records<'static> {
        self.bytes = 0;
        if let Some((name, _)) = self.fields.last() {
            self.ends_with_message = name == MESSAGE;
        }
        let mut records = Records::of_one();
        for (name, value) in self.fields.drain(..) {
            records.add(&name, 0, value.into());
        }
        records
    }

    /// Whether the input ends inside an entry, above the end of its message or in a value.
    pub(super) fn is_open(&self) -> bool {
        let has_message = self.fields.iter().any(|(name, _)| name == MESSAGE);
        let ends = |(name, value): &(String, Vec<u8>)| {
            has_message && !value.is_empty() && (name != MESSAGE || self.ends_with_message)
        };
        let has_none = || !self.head.is_empty() && self.fields.is_empty();
        self.sized.is_some() || has_none() || self.fields.last().is_some_and(|last| !ends(last))
    }

    /// The values of the open entry.
    pub(super) fn values(&self) -> impl Iterator<Item = &[u8]> {
        self.fields.iter().chain(&self.sized).map(|(_, value)| value.as_slice())
    }

    /// The bytes of a value whose end is missing, in whole lines: its length may be damaged.
    pub(super) fn take_held(&mut self) -> Vec<u8> {
        let value = self.sized.take().map(|(_, value)| value).unwrap_or_default();
        value.get(size_of::<u64>()..).unwrap_or_default().to_vec()
    }

    /// Ends the last entry of the input, which may be cut behind the name of a field: that one isn't empty.
    pub(super) fn end_input(&mut self) -> Records<'static> {
        let _ = self.fields.pop_if(|(_, value)| value.is_empty());
        self.end()
    }

    /// Takes a value with its length in front, if it is whole; `before` bytes of it were there before this line.
    fn sized_value(&mut self, name: String, value: Vec<u8>, before: usize) -> Use {
        let Some((length, rest)) = value.split_first_chunk() else {
            self.sized = Some((name, value));
            return Use::Held;
        };
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        match rest.split_at_checked(length) {
            Some((value, b"\n")) => self.fields.push((name, value.to_vec())),
            None | Some((_, [])) if length < ENTRY => self.sized = Some((name, value)),
            _ => {
                // A length that is damaged takes other entries into the value.
                let lines = value.get(size_of::<u64>()..before).unwrap_or_default();
                return Use::Over(lines.to_vec());
            }
        }
        Use::Held
    }

    /// Takes a field or a further line of one; `false` for any other line.
    fn field(&mut self, line: &[u8]) -> bool {
        let Some(text) = line.strip_prefix(if self.is_verbose { INDENT } else { b"" }) else {
            return false;
        };
        let name = text.iter().take_while(|byte| is_of_journal_name(byte)).count();
        let Some((name, value)) = text.split_at_checked(name) else { return false };
        match (value.strip_prefix(b"="), self.fields.last_mut()) {
            (Some(value), _) if !name.is_empty() => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.fields.push((name, value.to_vec()));
                true
            }
            (None, _) if !self.is_verbose && value.is_empty() && !name.is_empty() => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.sized = Some((name, Vec::new()));
                true
            }
            // Further lines of a value stand below its first.
            (_, Some((last, value))) if self.is_verbose => {
                let width = last.len().saturating_add(1);
                let Some((blanks, rest)) = text.split_at_checked(width) else { return false };
                let is_further = blanks.iter().all(|&byte| byte == b' ');
                if is_further {
                    value.push(b'\n');
                    value.extend_from_slice(rest);
                }
                is_further
            }
            _ => false,
        }
    }
}

/// Whether a line is the first one of an entry of `-o verbose`.
fn is_head(line: &[u8]) -> bool {
    line.ends_with(b"]")
        && !line.starts_with(b" ")
        && memchr::memmem::find(line, b" [s=")
            .and_then(|at| line.get(at..))
            .is_some_and(|cursor| memchr::memmem::find(cursor, b";i=").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(records: Records<'_>) -> String {
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        let fields = records.leaves.iter();
        let fields: Vec<String> =
            fields.map(|leaf| format!("{}={}", records.path(leaf), text(&leaf.text))).collect();
        fields.join("|")
    }

    /// The fields of the entries, and what isn't one, for all lines.
    fn read(text: &str) -> Vec<String> {
        let mut lines = text.lines();
        let mut entries = Entries::of(lines.next().unwrap().as_bytes()).unwrap();
        let mut read = Vec::new();
        for line in text.lines() {
            match entries.line(line.as_bytes()) {
                Use::Held => {}
                Use::Record(records) => read.push(described(records)),
                Use::Over(lines) => read.push(format!("over {}", String::from_utf8_lossy(&lines))),
                Use::Cut(..) => unreachable!("an entry's end isn't known"),
                Use::Foreign => read.push("foreign".to_owned()),
            }
        }
        read.push(described(entries.end()));
        read
    }

    #[test]
    fn entries_of_export_end_with_a_blank_line() {
        let text = "__CURSOR=s=9;i=1\nMESSAGE=\tx=y \r\n_PID=7\n\nMESSAGE=\n_PID=7\n\n\nMESSAGE=ma";
        let expected =
            ["__CURSOR=s=9;i=1|MESSAGE=\tx=y |_PID=7", "MESSAGE=|_PID=7", "", "MESSAGE=ma"];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn values_with_their_length_in_front_have_any_bytes() {
        let text = "__CURSOR=s=9\nMESSAGE\n\u{6}\0\0\0\0\0\0\0a\n\n\r\nb\n_PID=7\nX\n\u{1}\0\0\0\0\0\0\0ab\n\n";
        let mut entries = Entries::of(b"__CURSOR=s=9").unwrap();
        let mut read = Vec::new();
        for line in text.strip_suffix('\n').unwrap().split('\n') {
            read.push(match entries.line(line.as_bytes()) {
                Use::Held => "held".to_owned(),
                Use::Record(records) => described(records),
                Use::Foreign | Use::Cut(..) => "foreign".to_owned(),
                Use::Over(_) => "over".to_owned(),
            });
        }
        let all = "__CURSOR=s=9|MESSAGE=a\n\n\r\nb|_PID=7";
        assert_eq!(read[..7], ["held"; 7]);
        assert_eq!(read[7..], ["held", "over", all]);
    }

    #[test]
    fn entries_of_verbose_end_where_the_next_starts() {
        let head = "Sat 2026-01-02 10:31:41 UTC [s=9a;i=1;b=3f]";
        let text =
            format!("{head}\n    _PID=7\n    MESSAGE=a\n            \tb\n{head}\n    _PID=8");
        assert_eq!(read(&text), ["", "_PID=7|MESSAGE=a\n\tb", "_PID=8"]);
    }

    /// A reader that has taken these lines.
    fn after(text: &str) -> Entries {
        let mut entries = Entries::of(text.lines().next().unwrap().as_bytes()).unwrap();
        for line in text.lines() {
            entries.line(line.as_bytes());
        }
        entries
    }

    #[test]
    fn an_entry_is_open_up_to_the_end_of_its_message() {
        let head = "Sat 2026-11-28 10:31:41 UTC [s=9a;i=1;b=3f]\n";
        for (text, is_open) in [
            ("__CURSOR=s=9", true),
            ("__CURSOR=s=9\nMESSAGE=a", true),
            ("__CURSOR=s=9\nMESSAGE=a\n_PID=", true),
            ("__CURSOR=s=9\nMESSAGE=a\n_PID=7", false),
            ("__CURSOR=s=9\nMESSAGE=a\n_PID=7\nCODE", true),
            ("__CURSOR=s=9\nMESSAGE=a\n\n__CURSOR=s=9\nMESSAGE=b", false),
            ("__CURSOR=s=9\nMESSAGE=a\n_PID=7\n\n__CURSOR=s=9\nMESSAGE=b", true),
            ("__CURSOR=s=9\nMESSAGE=a\n_PID=7\n\n", false),
            (head, true),
            (&format!("{head}    MESSAGE=a\n    _PID=7\n"), false),
        ] {
            assert_eq!(after(text).is_open(), is_open, "{text}");
        }
        assert_eq!(
            described(after("__CURSOR=s=9\nMESSAGE=a\n_PID=").end_input()),
            "__CURSOR=s=9|MESSAGE=a"
        );
    }

    #[test]
    fn what_is_left_of_a_field_is_damage() {
        let export = after("__CURSOR=s=9\nMESSAGE=a");
        let verbose = after("Sat 2026-11-28 10:31:41 UTC [s=9a;i=1;b=3f]\n    MESSAGE=a\n");
        for (line, of_export, of_verbose) in [
            ("SAGE=x y", true, true),
            ("\t/src/a.go:3 +0x1d", true, true),
            ("main.f()", true, true),
            ("Sat 2026-11-28 10:3", false, true),
            ("    MESS", false, true),
            ("-- Boot 4f --", false, false),
            ("    Loaded: loaded", false, false),
            ("", false, false),
        ] {
            let damaged = [&export, &verbose].map(|of| of.is_damaged(line.as_bytes()));
            assert_eq!(damaged, [of_export, of_verbose], "{line}");
        }
    }

    #[test]
    fn what_an_entry_takes_is_bounded() {
        let mut entries = Entries::of(b"__CURSOR=s=9").unwrap();
        let mut held = |line: &[u8]| matches!(entries.line(line), Use::Held | Use::Record(_));
        let long = [b"MESSAGE=", &vec![b'x'; 1 << 16][..]].concat();
        // All entries together can be longer.
        for _ in 0..40 {
            assert!(held(&long) && held(b""));
        }
        let lines = (0..40).take_while(|_| held(&long)).count();
        assert_eq!(lines, ENTRY / long.len());
    }

    #[test]
    fn other_lines_are_no_fields() {
        let text = "__CURSOR=s=9;i=1\n_PID=7\n-- No entries --\n_PID=8\nDONE\nand more";
        assert_eq!(read(text), ["foreign", "over ", "__CURSOR=s=9;i=1|_PID=7|_PID=8"]);
        for line in [
            "",
            "MESSAGE=x",
            "_PID=7",
            "x [s=1]",
            "x [a;i=1]",
            " x [s=9;i=1]",
            "    MESSAGE=started",
        ] {
            assert!(Entries::of(line.as_bytes()).is_none(), "{line}");
        }
        for line in ["MESSAGE=panic: boom", "    MESSAGE=goroutine 1 [running]:"] {
            assert!(Entries::of(line.as_bytes()).is_some(), "{line}");
        }
    }
}
