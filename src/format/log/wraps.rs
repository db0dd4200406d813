//! Lines that hold the start of a dump in a container, inside a goroutine or below damage.

use super::words::{header_word, keyword, names_values};
use super::{LAYERS, detect, kind};
use crate::format::bruise;
use crate::format::start::without_cr;
use crate::format::traceback::lookalike;

/// Whether a line inside a goroutine holds the header of another one, or the first line of a profile,
/// inside a container.
///
/// Checked before the open goroutine takes the line for a log line that came between.
pub(crate) fn wraps_dump(line: &[u8]) -> bool {
    let word = header_word();
    // `created by main.f in goroutine 7` has no bracket after the number.
    let header = word.find_iter(line).find(|&at| {
        let rest = line.get(at.saturating_add(word.needle().len())..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = rest.get(digits..).unwrap_or_default();
        digits > 0 && (rest.starts_with(b" [") || rest.starts_with(b" gp="))
    });
    let starts =
        || lookalike::starts_profile(line) || lookalike::starts_count(line) || names_values(line);
    (header.is_some_and(|at| at > 0) || starts()) && detect(line).is_some()
}

/// Whether a line that can follow the last one of a goroutine announces a crash inside a container.
pub(crate) fn wraps_crash(line: &[u8]) -> bool {
    keyword(line).is_some_and(|at| at > 0) && detect(line).is_some()
}

/// Whether a line is wrapped in a container that is only visible without colours, quotes and the
/// like.
pub(super) fn wraps_bruised(line: &[u8]) -> bool {
    let mut mended = Vec::new();
    let Some(mended) = bruise::mend(line, &mut mended).filter(|mended| *mended != without_cr(line))
    else {
        return false;
    };
    mended.split(|&byte| byte == b'\n').any(|line| kind(line, LAYERS).is_some())
}
