//! Goroutines whose lines can be nothing else than they seem: calls, places, a creator at the end.
//!
//! Nine of ten new stacks are of this sort, and take a quarter of the time that their lines take
//! one by one in [`super::goroutine::OpenGoroutine`], which has to ask of each what else it may be.

use super::lines::{self, CREATED_BY};
use crate::profile::{Elision, FrameId, ProfileBuilder};
use memchr::memmem::Finder;
use std::sync::LazyLock;

static GOROUTINE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("goroutine "));

/// A call or the creator, with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Call {
    func: (usize, usize),
    file: (usize, usize),
    line: i64,
}

/// What the lines of a plain goroutine say; the texts are positions in that of all goroutines.
#[derive(Debug, Default)]
pub(crate) struct PlainLines {
    calls: Vec<Call>,
    creator: Option<Call>,
    /// The last gap.
    pub(super) elided: Option<Elision>,
}

impl PlainLines {
    /// Reads the parts of a goroutine: functions and places in turn, gaps, the creator. `None` when
    /// one of its lines may mean something else, which is for others to tell.
    pub(crate) fn read(
        &mut self,
        parts: &[(usize, usize)],
        text: &[u8],
        record: std::ops::Range<usize>,
    ) -> Option<()> {
        self.calls.clear();
        (self.creator, self.elided) = (None, None);
        let body = text.get(record.start.checked_add(1)?..record.end)?;
        if GOROUTINE.find_iter(body).any(|at| starts_goroutine(body, at)) {
            return None;
        }
        let mut parts = parts.iter();
        while let Some(&(start, end)) = parts.next() {
            if self.creator.is_some() {
                return None;
            }
            let part = text.get(start..end)?;
            if part.first() == Some(&b'.') {
                let after = u32::try_from(self.calls.len()).ok()?;
                self.elided = Some(Elision { after, count: lines::elided(part)? });
                continue;
            }
            let &(place, place_end) = parts.next()?;
            let place_text = text.get(place..place_end)?;
            let (file, line) = lines::file_and_line(place_text)?;
            if place_text.first()?.is_ascii_whitespace() {
                return None;
            }
            let file = (place, place.checked_add(file.len())?);
            if part.starts_with(CREATED_BY) {
                let start = start.checked_add(CREATED_BY.len())?;
                (start < end).then_some(())?;
                self.creator = Some(Call { func: (start, end), file, line });
                continue;
            }
            // Without a blank it is no message of the runtime or of a crash, nor a line of a log.
            if memchr::memchr2(b' ', b'\t', part).is_some() || part.starts_with(b"0x") {
                return None;
            }
            self.calls.push(Call { func: (start, end), file, line });
        }
        Some(())
    }

    /// Adds what was read of this text to the tables; answers the creator.
    pub(super) fn frames(
        &self,
        text: &[u8],
        frames: &mut Vec<FrameId>,
        builder: &mut ProfileBuilder,
    ) -> Option<FrameId> {
        let get = |(start, end): (usize, usize)| text.get(start..end).unwrap_or_default();
        let mut frame = |call: &Call| builder.frame(get(call.func), get(call.file), call.line);
        frames.extend(self.calls.iter().map(&mut frame));
        self.creator.as_ref().map(frame)
    }
}

/// Whether the word `goroutine ` found here goes on like a header.
fn starts_goroutine(text: &[u8], at: usize) -> bool {
    let rest = text.get(at.saturating_add(GOROUTINE.needle().len())..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    !matches!(rest.get(digits), None | Some(b'\n' | b'\r'))
}
