//! Lines that terminals and mail programs broke: of calls, of creators, and of places, whose addresses go on in the next
//! line where GOTRACEBACK=system prints them:
//!
//! ```text
//!     runtime/proc.go:3278 +0x73 fp=0x7fffb5b98150 sp=0x7fffb5b980f8 pc=0x4546
//! b3
//! ```

use super::{OpenGoroutine, PendingState};
use crate::format::traceback::calls::CallDetails;
use crate::format::traceback::frame_addresses::{Addresses, Pcs};
use crate::format::traceback::lines;

/// A call of more bytes isn't joined from several lines.
const LONGEST_CALL: usize = 16 << 10;

/// The place of a frame that the last line was.
#[derive(Debug, Default)]
pub(super) struct OpenPlace {
    /// The text after it; empty if the last line was none.
    after: Vec<u8>,
    /// Whether the addresses there are damaged, unless the next line goes on with them.
    pub(super) is_damaged: bool,
    /// What the places before it have.
    pcs: Pcs,
}

impl OpenPlace {
    /// Notes the text after a place.
    pub(super) fn start(&mut self, after: &[u8], is_damaged: bool, pcs: Pcs) {
        self.after.clear();
        self.after.extend_from_slice(after);
        (self.is_damaged, self.pcs) = (is_damaged, pcs);
    }
}

impl OpenGoroutine {
    /// Whether a line goes on with the arguments of the call that the line before it starts: terminals
    /// and mail programs break lines.
    pub(super) fn continues_call(&self, line: &[u8]) -> bool {
        self.pending.state == PendingState::Open
            && self.pending.func.len() < LONGEST_CALL
            && lines::goes_on_with_arguments(line)
    }

    /// The creator and its goroutine if a line is the rest of the creator's, which a terminal broke.
    pub(super) fn rest_of_creator(&self, line: &[u8]) -> Option<(Vec<u8>, u64)> {
        let func = self.creator_func.as_ref()?;
        if self.created_by.is_some() || !line.last().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        // The blank at the end of the first line may be lost.
        [&b""[..], b" "].iter().find_map(|blank| {
            let whole = [lines::CREATED_BY, func.as_slice(), blank, line].concat();
            let (func, goroutine) = lines::created_by(&whole)?;
            Some((func.to_vec(), goroutine?))
        })
    }

    /// Takes a line that is the rest of the addresses behind the last place; any other line ends that.
    pub(super) fn take_rest_of_place(&mut self, line: &[u8]) -> bool {
        let OpenPlace { after, is_damaged, pcs } = std::mem::take(&mut self.open_place);
        let Some(whole) = whole_addresses(&after, line) else {
            self.cut |=
                is_damaged || is_of_addresses(line) && line.contains(&b'=') && line.contains(&b'x');
            return false;
        };
        self.pcs = pcs;
        self.pcs.note(Addresses::read(&whole));
        if let Some(details) = self.calls.last_mut() {
            *details = CallDetails::read(&whole, false);
        }
        true
    }
}

/// The addresses whose start and rest these are.
fn whole_addresses(start: &[u8], rest: &[u8]) -> Option<Vec<u8>> {
    if start.is_empty() || rest.is_empty() || !is_of_addresses(rest) {
        return None;
    }
    // The blank at the end of the first line may be lost.
    let wholes = [&b""[..], b" "].map(|blank| [start, blank, rest].concat());
    wholes.into_iter().find(|whole| Addresses::read(whole).are_whole())
}

/// Whether a text has nothing but bytes of addresses: `003eda0 pc=0x486baa`.
fn is_of_addresses(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_hexdigit() || b"fspcx= ".contains(byte))
}
