//! What stands directly beside goroutines.

use crate::format::bruise;
use crate::format::notice::{LONGEST_NOTICE, is_end, is_notice};
use crate::format::traceback::closing::before_quote;

/// The last line that isn't blank.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Before {
    /// There was none.
    #[default]
    Start,
    /// A line of a goroutine.
    Dump,
    /// Text, with this number.
    Text(u64),
}

/// Finds lines beside goroutines that say that text was left out.
#[derive(Debug, Default)]
pub(super) struct Beside {
    before: Before,
    /// The last line, if it is text and can say so.
    text: Vec<u8>,
}

impl Beside {
    /// Takes a line of a goroutine; answers the number of the line before it if that says so.
    pub(super) fn dump(&mut self) -> Option<u64> {
        match std::mem::replace(&mut self.before, Before::Dump) {
            Before::Text(number) if !self.text.is_empty() => {
                is_notice(bare(&self.text, &mut Vec::new())).then_some(number)
            }
            _ => None,
        }
    }

    /// Takes a line of text; answers whether it follows a goroutine and says so.
    pub(super) fn text(&mut self, line: &[u8], number: u64) -> bool {
        if line.is_empty() {
            return false;
        }
        let says = || {
            let mut mended = Vec::new();
            let text = bare(line, &mut mended);
            [text, before_quote(text)].iter().any(|line| is_notice(line) || is_end(line))
        };
        let says = self.is_after_dump() && says();
        self.before = Before::Text(number);
        self.text.clear();
        // One that says so is told once.
        if !says && line.len() <= LONGEST_NOTICE {
            self.text.extend_from_slice(line);
        }
        says
    }

    /// Whether the last line is one of a goroutine.
    pub(super) fn is_after_dump(&self) -> bool {
        self.before == Before::Dump
    }
}

/// A line without what stands around a cut one: escapes of a terminal, as the logs of Buildkite have them, the marks
/// of a quote, a quote that isn't closed, and the `\r` of Windows.
pub(super) fn bare<'l>(line: &'l [u8], mended: &'l mut Vec<u8>) -> &'l [u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let mended = if has_marks(line) { bruise::mend(line, mended) } else { None };
    let line = mended.and_then(|lines| lines.split(|&byte| byte == b'\n').next()).unwrap_or(line);
    // A row whose quoted text was cut.
    let open = line.strip_prefix(b"\"").filter(|text| memchr::memchr(b'"', text).is_none());
    open.unwrap_or(line)
}

/// Whether a line has such marks.
pub(super) fn has_marks(line: &[u8]) -> bool {
    line.starts_with(b">") || memchr::memchr(0x1b, line).is_some()
}
