//! What the lines of a stream belong to.

use crate::format::count::CountReader;
use crate::format::traceback::crash::CrashBlock;
use crate::format::values::ValueReader;

/// What a stream is in.
#[derive(Debug, Default)]
pub(super) enum Mode {
    /// Between dumps.
    #[default]
    Outside,
    /// In the stream's goroutine.
    Goroutine,
    /// In the message of a crash.
    Crash(CrashBlock),
    /// In a race report, up to its closing line.
    Race,
    /// In frames of the runtime that belong to no goroutine.
    RuntimeStack,
    /// In a count profile.
    Count(Box<CountReader>),
    /// In another profile.
    Values(Box<ValueReader>),
}

impl Mode {
    /// The fast way: takes in frames of a profile that were seen before. Says how many lines and
    /// bytes they are, if any.
    pub(super) fn known_frames(&mut self, text: &[u8]) -> Option<(u64, usize)> {
        let (lines, bytes) = match self {
            Mode::Count(reader) => reader.known_frames(text),
            Mode::Values(reader) => reader.known_frames(text),
            _ => return None,
        };
        (lines > 0).then_some((lines, bytes))
    }
}
