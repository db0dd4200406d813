//! Lines of other programs inside a record: a write of more than 4 KiB to a pipe can be interrupted.

use crate::format::traceback::cut_header::START;
use crate::format::traceback::foreign::is_time_of_day;
use crate::format::traceback::header::{Attributes, Header};
use crate::format::traceback::{lines, names};
use crate::profile::{Kind, kind_of};

/// A longer line isn't judged again with each line that goes on with it.
const JUDGED: usize = 512;

/// A name can have brackets: `main.(*T).f(0x1`.
const RECEIVERS: usize = 4;

/// Whether a line of another program broke a record of `width` bytes, whose rest follows. `last` is the last line of its
/// text. What a terminal broke has lines of one width, and mail programs break between words.
pub(super) fn is_interrupted(last: &[u8], rest: &[u8], width: usize) -> bool {
    // A backslash starts what was `\t`.
    let starts = [&b"\t"[..], b"\\", START, lines::CREATED_BY];
    let calls = memchr::memchr_iter(b'(', last).filter_map(|at| last.get(..at));
    let is_of_dump = || {
        last.len() <= JUDGED
            && (starts.iter().any(|start| last.starts_with(start))
                || calls.take(RECEIVERS).any(names::is_certain))
    };
    let holds_time = || last.windows(8).any(is_time_of_day);
    let has_unknown_state = || {
        let state = rest.get(..memchr::memchr(b'\\', rest).unwrap_or(rest.len()));
        let header = [last, state.unwrap_or_default()].concat();
        Header::cut(&header)
            .and_then(|header| Attributes::parse(header.attributes))
            .is_some_and(|it| kind_of(it.state, std::iter::empty()) == Kind::Unknown)
    };
    rest.len() > width.saturating_mul(2) || is_of_dump() && (holds_time() || has_unknown_state())
}
