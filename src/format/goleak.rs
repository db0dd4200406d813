//! The lists that go.uber.org/goleak prints of goroutines that a test leaked.
//!
//! ```text
//! [Goroutine 19 in state chan receive, with main.leak on top of the stack:
//! main.leak(...)
//!     /src/x_test.go:3
//!  Goroutine 20 in state select (no cases), with main.f on top of the stack:
//! ...
//! ]
//! ```
//!
//! It is a Go slice printed with `%s`: a bracket before the first entry, a blank before each other
//! one, a bracket after the last. Up to v1.2.1 the goroutine's own header follows on the next line.

use super::start::without_cr;
use super::traceback::header::leading_number;

const IN_STATE: &[u8] = b" in state ";
const WITH: &[u8] = b", with ";

/// The end of the first line of an entry.
pub(crate) const ON_TOP: &[u8] = b" on top of the stack:";

/// The first line of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry<'a> {
    /// The goroutine's id.
    pub(crate) id: u64,
    /// Whether it is the first one of a list, which ends with a bracket.
    pub(crate) opens_list: bool,
    /// The text between the brackets of its header; in Go 1.27 labels follow after a closing
    /// bracket, as goleak only cuts the ends off `[select] {k: v}`.
    state: &'a [u8],
    /// The function on top of the stack.
    func: &'a [u8],
}

/// At most this many bytes come before an entry: a bracket and a blank, twice if a list is in a
/// list. More blanks are the indentation of the text around the list.
const BEFORE: usize = 3;

/// Whether a line is the first one of an entry, possibly indented by blanks, as `t.Error` does; Go puts tabs before the lines of
/// a panic's value.
pub(crate) fn starts_entry(line: &[u8]) -> bool {
    let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
    line.get(blanks..).is_some_and(|text| Entry::cut(text).is_some())
}

impl<'a> Entry<'a> {
    /// Parses the first line of an entry, without its line end.
    pub(crate) fn cut(line: &'a [u8]) -> Option<Entry<'a>> {
        let start = line.iter().take(BEFORE).take_while(|byte| b" [".contains(byte)).count();
        let (before, rest) = line.split_at_checked(start)?;
        if before.starts_with(b"  ") {
            return None;
        }
        let (id, rest) = leading_number(rest.strip_prefix(b"Goroutine ")?)?;
        let rest = rest.strip_prefix(IN_STATE)?;
        let rest = without_cr(rest).strip_suffix(ON_TOP)?;
        // Function names have no blanks; states and labels can contain anything.
        let end = memchr::memmem::rfind(rest, WITH)?;
        let (state, func) = rest.split_at_checked(end)?;
        let func = func.strip_prefix(WITH)?;
        Some(Entry { id, opens_list: before.contains(&b'['), state, func })
    }

    /// How many other first lines of entries a hole has joined with this one.
    pub(crate) fn joined(&self, line: &[u8]) -> u64 {
        let states = memchr::memmem::find_iter(line, IN_STATE.trim_ascii_start()).count() as u64;
        // Labels can contain anything.
        let has_function =
            || !self.state.contains(&b'{') && memchr::memmem::find(self.state, WITH).is_some();
        let is_joined = self.func.contains(&b' ') || has_function();
        states.saturating_sub(1).max(is_joined.into())
    }

    /// The attributes as Go writes them in a header, from the opening bracket to the colon.
    pub(crate) fn attributes(&self) -> Vec<u8> {
        let labelled = memchr::memmem::find(self.state, b"] {").is_some();
        let close: &[u8] = if labelled { b":" } else { b"]:" };
        [b"[", self.state, close].concat()
    }
}

/// Whether a text begins as the first line of an entry: a hole has joined it with what follows.
pub(crate) fn is_start(text: &[u8]) -> bool {
    let start = text.iter().take_while(|byte| b" [".contains(byte)).count();
    let name = text.get(start..).and_then(|text| text.strip_prefix(b"Goroutine "));
    name.and_then(leading_number).is_some_and(|(_, rest)| rest.starts_with(b" i"))
}

/// Whether a line is the bracket behind the last entry, as a value of a log perhaps with a quote.
pub(crate) fn closes_list(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    text.len() <= 3 && text.starts_with(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_all_releases_are_entries() {
        for (line, id, attributes) in [
            ("[Goroutine 19 in state select, with x.f on top of the stack:", 19, "[select]:"),
            (" Goroutine 20 in state IO wait, with x.f on top of the stack:", 20, "[IO wait]:"),
            ("Goroutine 20 in state IO wait, with x.f on top of the stack:\r", 20, "[IO wait]:"),
            ("[ [Goroutine 8 in state x, with x.f on top of the stack:", 8, "[x]:"),
            (
                " Goroutine 3 in state chan receive (nil chan), 7 minutes, locked to thread, with x.T[...].f on top of the stack:",
                3,
                "[chan receive (nil chan), 7 minutes, locked to thread]:",
            ),
            (
                " Goroutine 4 in state select] {\"a, with b\": c}, with x.f on top of the stack:",
                4,
                "[select] {\"a, with b\": c}:",
            ),
            ("[Goroutine 5 in state select, with  on top of the stack:", 5, "[select]:"),
        ] {
            let entry = Entry::cut(line.as_bytes()).expect(line);
            assert_eq!(entry.id, id, "{line}");
            assert_eq!(String::from_utf8_lossy(&entry.attributes()), attributes, "{line}");
        }
    }

    #[test]
    fn entries_that_a_hole_joined_are_counted() {
        for (line, joined) in [
            ("Goroutine 7 in state select, with main.f on top of the stack:", 0),
            ("[Goroutine 5 in state select, with  on top of the stack:", 0),
            (
                "Goroutine 7 in state chan send, with n state select, with main.f on top of the stack:",
                1,
            ),
            ("Goroutine 7 in state select] {k: a, with b}, with main.f on top of the stack:", 0),
            ("Goroutine 7 in state chan rein state select, with main.f on top of the stack:", 1),
            (
                "Goroutine 7 in state select, with main.f on top of the stain state select, with main.g on top of the stack:",
                1,
            ),
            (
                "Goroutine 7 in state x, with main.f on top of the staith main.g on top of the stack:",
                1,
            ),
        ] {
            let entry = Entry::cut(line.as_bytes()).expect(line);
            assert_eq!(entry.joined(line.as_bytes()), joined, "{line}");
        }
    }

    #[test]
    fn other_lines_are_no_entries() {
        for line in [
            "",
            "]",
            "[Goroutine 8 is fine",
            "Goroutine 7 (running) created at:",
            "     [Goroutine 9 in state select, with main.f on top of the stack:",
            "  Goroutine 9 in state select, with main.f on top of the stack:",
            "Goroutine x in state select, with main.f on top of the stack:",
            "Goroutine 9 in state select, with main.f on top of the heap:",
            "[[[[Goroutine 9 in state select, with main.f on top of the stack:",
        ] {
            assert_eq!(Entry::cut(line.as_bytes()), None, "{line}");
        }
    }
}
