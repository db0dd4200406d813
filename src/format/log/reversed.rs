//! Logs with the last line first: those of `journalctl -r`, and of log stores.
//!
//! The header of a goroutine is below its frames. Lines are held until the log ends, and returned
//! in the order in which they were written.

use super::{Finder, StreamKey, Unwrapped, detect, finder, names_goroutine};
use crate::format::quoted::unquote_line;
use crate::format::start::{follows_header, is_header, without_cr};
use crate::format::traceback::lines;
use crate::limits::LIMITS;
use memchr::memmem;

/// The maximal number of lines until the first header: Go prints at most 100 frames, of two lines
/// each.
const UNDECIDED: usize = 256;

#[derive(Debug)]
pub(super) struct Reversed {
    /// The lines so far, each with a newline.
    held: Vec<u8>,
    pub(super) lines: usize,
    /// Whether a header was found at its place in a reversed log.
    decided: bool,
    /// Whether the last line was a call.
    after_call: bool,
    /// Whether the last line was a header.
    after_header: bool,
}

impl Reversed {
    /// A decoder for lines from this one on, if it is a place, with no goroutine above it.
    pub(super) fn of(line: &[u8]) -> Option<Reversed> {
        // A label of a header can hold a place.
        (is_place(line) && !names_goroutine(line)).then(|| Reversed {
            held: Vec::new(),
            lines: 0,
            decided: false,
            after_call: false,
            after_header: false,
        })
    }

    /// Takes the lines above the first one; returns how many.
    pub(super) fn hold_above(&mut self, lines: &[&[u8]]) -> usize {
        for line in lines {
            self.held.extend_from_slice(line);
            self.held.push(b'\n');
        }
        self.lines = lines.len();
        lines.len()
    }

    /// Takes a line. Where the log isn't reversed, or has ended, lines held are given back.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Unwrapped {
        let header = is_header(line);
        if !self.decided {
            if header && self.after_call {
                self.decided = true;
            } else if header || self.lines >= UNDECIDED || self.lines > 0 && !is_of_goroutine(line)
            {
                out.append(&mut self.held);
                return Unwrapped::Over;
            }
        }
        // The second line of a crash, which the journal has directly below the header.
        let is_signal = || line.starts_with(b"[signal ");
        let wrapped =
            || !header && !is_of_goroutine(line) && !is_signal() && detect(line).is_some();
        if self.decided && (self.after_header && follows_header(line) || wrapped()) {
            // Another log follows; it starts with this line, or with the header before it.
            let mut header = Vec::new();
            if self.after_header {
                let held = self.held.strip_suffix(b"\n").unwrap_or(&self.held);
                let last = memchr::memrchr(b'\n', held).map_or(0, |at| at.saturating_add(1));
                header = self.held.split_off(last);
            }
            self.finish(out);
            out.append(&mut header);
            return Unwrapped::Over;
        }
        let mut given = Unwrapped::Held;
        if self.held.len() > LIMITS.reversed && self.after_header {
            self.finish(out);
            given = Unwrapped::Text(StreamKey::ENCLOSING);
        }
        self.after_call = follows_header(line);
        self.after_header = header;
        self.lines = self.lines.saturating_add(1);
        self.held.extend_from_slice(line);
        self.held.push(b'\n');
        given
    }

    /// Appends the held lines in the order in which they were written.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        if !self.decided || held.is_empty() {
            out.extend_from_slice(&held);
            return;
        }
        for line in held.strip_suffix(b"\n").unwrap_or(&held).rsplit(|&byte| byte == b'\n') {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
}

/// The end of a file's name in a place.
static FILE: Finder = finder(|| memmem::Finder::new(b".go:"));
/// A tab as the first character of a text in JSON.
static QUOTED_TAB: Finder = finder(|| memmem::Finder::new(br#""\t"#));

/// Whether a line ends with a place, after any prefix: if the last line comes first, that is the
/// first line of a goroutine.
pub(super) fn ends_in_place(line: &[u8]) -> bool {
    let Some(before) = before_file(line) else { return false };
    // File names can have single blanks.
    let blanks = || memmem::rfind(before, b"  ").and_then(|at| line.get(at..));
    place_after_prefix(line).is_some() || blanks().is_some_and(is_place)
}

/// Where the text of a line begins that is a place after a prefix: at its tab, or at its quote.
pub(super) fn place_after_prefix(line: &[u8]) -> Option<usize> {
    let line = without_cr(line);
    let before = before_file(line)?;
    if let Some(open) = line.strip_suffix(b"\"") {
        let quote = memchr::memrchr(b'"', open)?;
        let text = unquote_line(line.get(quote..)?)?;
        return is_place(&text).then_some(quote);
    }
    if let Some(tab) = memchr::memrchr(b'\t', before) {
        return is_place(line.get(tab..)?).then_some(tab);
    }
    // `journalctl` prints eight blanks instead of the tab; other programs align what they print.
    let blanks = memmem::rfind(before, b"        ")?;
    let place = lines::indented_place(line.get(blanks..)?)?;
    place.offset.then_some(blanks)
}

/// What comes before the end of the last name of a Go file in a line, unless what follows it shows
/// that no place ends there, as in each line of klog.
fn before_file(line: &[u8]) -> Option<&[u8]> {
    let at = FILE.find_iter(line).last()?;
    let (before, after) = line.split_at_checked(at)?;
    let mut after = after.strip_prefix(FILE.needle())?.iter();
    let end = after.find(|byte| !byte.is_ascii_digit());
    end.is_none_or(|byte| b" \r\"".contains(byte)).then_some(before)
}

/// Whether a line may be the first one of a goroutine where the last line comes first.
pub(crate) fn may_start_reversed(line: &[u8]) -> bool {
    is_place(line) || ends_in_place(line) || may_quote_place(line)
}

/// Whether a place may be the text of a field in a line of JSON.
pub(super) fn may_quote_place(json: &[u8]) -> bool {
    QUOTED_TAB.find(json).is_some() && FILE.find(json).is_some()
}

/// `\t/src/a.go:40 +0x1d`; `journalctl` prints eight blanks instead of the tab.
pub(super) fn is_place(line: &[u8]) -> bool {
    let blank = line.first().is_some_and(|byte| b" \t".contains(byte));
    let place = || lines::place(without_cr(line).trim_ascii_start());
    blank && FILE.find(line).is_some() && place().is_some_and(|place| place.file.ends_with(b".go"))
}

/// Whether a line can be one of a goroutine, below its header: a blank one, too.
pub(crate) fn is_of_goroutine(line: &[u8]) -> bool {
    // `runtime.goexit` is in assembly.
    let is_blank = line.first().is_some_and(|byte| b" \t".contains(byte));
    let is_with_offset =
        || is_blank && lines::indented_place(line).is_some_and(|place| place.offset);
    without_cr(line).is_empty() || is_place(line) || follows_header(line) || is_with_offset()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(lines: &[&str]) -> (String, Option<usize>) {
        let Some(mut reversed) = Reversed::of(lines[0].as_bytes()) else {
            return (String::new(), Some(0));
        };
        let mut out = Vec::new();
        let over = lines
            .iter()
            .position(|line| reversed.line(line.as_bytes(), &mut out) == Unwrapped::Over);
        reversed.finish(&mut out);
        (String::from_utf8(out).unwrap(), over)
    }

    #[test]
    fn lines_come_out_in_the_order_in_which_they_were_written() {
        let written = "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n\ngoroutine 7 [select]:\nmain.f(0x1)\n\t/a.go:3 +0x1\nruntime.goexit()\n\t/a.s:9 +0x1\ncreated by main.main in goroutine 1\n\t/a.go:2 +0x5\n";
        let lines: Vec<&str> = written.lines().rev().collect();
        assert_eq!(run(&lines), (written.to_owned(), None));
    }

    #[test]
    fn a_place_is_known_by_its_blanks() {
        for line in ["\t/a.go:1 +0x1", "        /a b/c.go:12", "\tC:/a.go:3 +0x1 fp=0x1 sp=0x2\r"] {
            assert!(is_place(line.as_bytes()) && ends_in_place(line.as_bytes()), "{line}");
        }
        let prefixed = ["Jan 02 10:31:41 host app[7]:         /a.go:1 +0x1", "x \t/a.go:1"];
        assert!(prefixed.iter().all(|line| ends_in_place(line.as_bytes())));
        let quoted = "\"2026-01-02\",\"\t/a.go:1 +0x1\"";
        assert_eq!(place_after_prefix(quoted.as_bytes()), Some(13));
        for line in
            ["\tx_test.go:7: SIGTRAP: trap", "    a.go:1: x", "/a.go:1", "\t/a.rs:1", "  a.go:"]
        {
            assert!(!is_place(line.as_bytes()) && !ends_in_place(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_log_in_order_behind_it_is_another_one() {
        let lines = ["\t/a.go:1 +0x1", "main.f()", "goroutine 1 [running]:"];
        let turned = "goroutine 1 [running]:\nmain.f()\n\t/a.go:1 +0x1\n";
        let (text, over) = run(&[&lines[..], &["goroutine 7 [select]:", "main.g()"]].concat());
        assert_eq!((text, over), (format!("{turned}goroutine 7 [select]:\n"), Some(4)));
        let kubectl = "2026-01-02T10:31:41Z goroutine 7 [select]:";
        let (text, over) = run(&[&lines[..], &["hello", kubectl]].concat());
        assert_eq!((text, over), (format!("hello\n{turned}"), Some(4)));
    }

    #[test]
    fn the_rest_of_a_goroutine_whose_header_was_cut_off_is_not_reversed() {
        for rest in [
            &["\t/a.go:1 +0x1", "main.main()", "\t/a.go:3 +0x1", "", "goroutine 7 [select]:"][..],
            &["\t/a.go:1 +0x1", "created by main.main", "\t/a.go:3 +0x1", "goroutine 7 [select]:"],
            &["\t/a.go:1 +0x1", "hello"],
        ] {
            let (text, over) = run(rest);
            assert_eq!(over, Some(rest.len() - 1));
            assert_eq!(text, rest[..rest.len() - 1].join("\n") + "\n");
        }
        let header = "\tgoroutine 7 [select] {\"at\": \"/a.go:1\"}:";
        for line in ["main.main()", header] {
            assert_eq!(run(&[line]), (String::new(), Some(0)));
        }
    }

    #[test]
    fn frames_without_a_header_are_given_back() {
        let frames = ["\t/a.go:1 +0x1", "main.f(0x1)"].repeat(UNDECIDED / 2);
        let (text, over) = run(&[&frames[..], &["\t/a.go:1 +0x1"]].concat());
        assert_eq!((text, over), (frames.join("\n") + "\n", Some(UNDECIDED)));
    }

    #[test]
    fn what_is_held_is_bounded() {
        let frame = "\t/a.go:1 +0x1\nmain.f(0x1)\ngoroutine 1 [select]:\n\n".repeat(1 << 20);
        let mut reversed = Reversed::of(b"\t/a.go:1 +0x1").unwrap();
        let (mut out, mut most, mut total) = (Vec::new(), 0, 0);
        for line in frame.lines() {
            reversed.line(line.as_bytes(), &mut out);
            most = most.max(reversed.held.len());
            total += out.len();
            out.clear();
        }
        reversed.finish(&mut out);
        assert!(most <= LIMITS.reversed + 4096, "{most}");
        assert_eq!(total + out.len(), frame.len());
    }
}
