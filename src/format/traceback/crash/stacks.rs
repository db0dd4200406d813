//! Lines in the message of a crash that look like those of goroutines.
//!
//! They are a part of the message if a panic's value holds a stack, and otherwise of goroutines that weren't read.

use super::is_indented_header;
use crate::format::debug1::line;
use crate::format::traceback::cut_header::goes_on_in_state;
use crate::format::traceback::{lines, lookalike, names};

/// Lines of one kind in a message.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lookalikes {
    pub(crate) count: u64,
    /// The number of the first one.
    pub(crate) first: u64,
}

impl Lookalikes {
    fn add(&mut self, count: u64, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count = self.count.saturating_add(count);
    }
}

/// What a message has of such lines. Go indents those of a panic's value by a tab since 1.23; tools turn it into several
/// blanks.
#[derive(Debug, Default)]
pub(crate) struct MessageStacks {
    /// Headers of goroutines and first lines of profiles.
    pub(crate) headers: Lookalikes,
    /// The line of the first place, whose goroutine has lost its header.
    pub(crate) first_frame: Option<u64>,
    pub(crate) indented_headers: Lookalikes,
    /// The line of the first place below an indented call that blanks stand before.
    pub(crate) first_indented_frame: Option<u64>,
    /// Whether a tab stands before the first indented header, as Go writes it.
    pub(crate) has_tab: bool,
    /// Whether the last line was a call.
    after_call: AfterCall,
}

/// What the line before one in a message was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum AfterCall {
    #[default]
    No,
    Yes,
    /// An indented call.
    Indented,
}

impl MessageStacks {
    /// Of the first line of a message, which can contain a whole dump whose line ends were escaped.
    pub(super) fn of_first_line(line: &[u8], number: u64) -> MessageStacks {
        let mut stacks = MessageStacks::default();
        stacks.headers.add(lookalike::count(line), number);
        // A hole took the goroutine that crashed, up to its last place.
        stacks.first_frame = (lookalike::places(line) > 0).then_some(number);
        stacks
    }

    /// Takes a further line of the message.
    pub(super) fn push(&mut self, line: &[u8], number: u64) {
        // A single blank stands before the lines of a database's table.
        let is_indented = line.starts_with(b"\t") || line.starts_with(b"  ");
        if is_indented && is_indented_header(line) {
            self.has_tab |= self.indented_headers.count == 0 && line.starts_with(b"\t");
            self.indented_headers.add(1, number);
        } else {
            let is_start = lookalike::starts_profile(line) || goes_on_in_state(line);
            let count = lookalike::count(line).max(is_start.into());
            self.headers.add(count, number);
        }
        if let Some(place) = lines::indented_place(line) {
            let (is_frame, is_indented_frame) = match self.after_call {
                AfterCall::Yes => (true, false),
                AfterCall::No => (place.offset && place.file.ends_with(b".go"), false),
                // A value that holds a stack, as those of golang.org/x/sync/singleflight do.
                AfterCall::Indented => (false, place.offset && line.starts_with(b"  ")),
            };
            self.first_frame = self.first_frame.or(is_frame.then_some(number));
            let frame = is_indented_frame.then_some(number);
            self.first_indented_frame = self.first_indented_frame.or(frame);
        }
        // Records of a debug=1 text, and places in a text that is escaped, which nobody reads here.
        let holds_others = || {
            lookalike::may_hold_pieces(line)
                && lines::indented_place(line).is_none()
                && (lookalike::places(line) > 0 || lookalike::records(line) > 0)
        };
        if line::is_of_record(line) || holds_others() {
            self.first_frame = self.first_frame.or(Some(number));
        }
        let is_call = |text: &[u8]| {
            lines::call(text).is_some_and(names::is_certain)
                || matches!(lines::created_by(text), Some((_, Some(_))))
        };
        self.after_call = match is_indented && is_call(line.trim_ascii_start()) {
            true => AfterCall::Indented,
            false if lines::call(line).is_some_and(names::is_certain) => AfterCall::Yes,
            false => AfterCall::No,
        };
    }
}
