//! What the lines of a stream belong to.

use crate::format::bruise;
use crate::format::debug1::Used;
use crate::format::debug1::count::CountReader;
use crate::format::debug1::values::ValueReader;
use crate::format::traceback::crash::CrashBlock;
use crate::profile::ProfileBuilder;
use crate::simd::{self, Kernel, Task};

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
    /// The fast way through a profile: takes in lines for as long as they are of it. Says how many
    /// lines and bytes those are, if any; `number` is the first one's.
    pub(super) fn lines(
        &mut self,
        text: &[u8],
        number: u64,
        builder: &mut ProfileBuilder,
    ) -> Option<(u64, usize)> {
        if !matches!(self, Mode::Count(_) | Mode::Values(_)) {
            return None;
        }
        let of_profile = OfProfile { mode: self, text, number, builder };
        let (lines, bytes) = simd::on_this_machine(of_profile);
        (lines > 0).then_some((lines, bytes))
    }

    /// Takes in frames of a profile that were seen before.
    #[inline(always)]
    fn known_frames(&mut self, text: &[u8], kernel: impl Kernel) -> (u64, usize) {
        match self {
            Mode::Count(reader) => reader.known_frames(text, kernel),
            Mode::Values(reader) => reader.known_frames(text, kernel),
            _ => (0, 0),
        }
    }

    /// Takes in a line of a profile, if there is one.
    pub(super) fn line(
        &mut self,
        line: &[u8],
        number: u64,
        builder: &mut ProfileBuilder,
    ) -> Option<Used> {
        match self {
            Mode::Count(reader) => Some(reader.line(line, number, builder)),
            Mode::Values(reader) => Some(reader.line(line, number, builder)),
            _ => None,
        }
    }
}

/// The arguments of [`Mode::lines`] in a profile: a task, because finding and comparing lines by
/// `memchr` and `memcmp` took 13 % of the time of a debug=1 text.
struct OfProfile<'m, 't, 'b> {
    mode: &'m mut Mode,
    text: &'t [u8],
    number: u64,
    builder: &'b mut ProfileBuilder,
}

impl Task for OfProfile<'_, '_, '_> {
    type Output = (u64, usize);

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> (u64, usize) {
        let OfProfile { mode, text, number, builder } = self;
        let (mut lines, mut bytes) = (0_u64, 0_usize);
        while let Some(rest) = text.get(bytes..)
            && let Some(first) = rest.first()
        {
            if *first == b'#' {
                let (known, length) = mode.known_frames(rest, kernel);
                lines = lines.saturating_add(known);
                bytes = bytes.saturating_add(length);
                if known > 0 {
                    continue;
                }
            }
            let (line, length) = line_up_to(kernel.find(b'\n', rest), rest);
            // What a line that isn't taken means is found out when it is read alone.
            if *first == b'#' && bruise::shows(line) {
                break;
            }
            if mode.line(line, number.saturating_add(lines), builder) != Some(Used::Took) {
                break;
            }
            lines = lines.saturating_add(1);
            bytes = bytes.saturating_add(length);
        }
        (lines, bytes)
    }
}

/// The first line without its end, and how long it is with it.
pub(super) fn first_line(text: &[u8]) -> (&[u8], usize) {
    line_up_to(memchr::memchr(b'\n', text), text)
}

/// The line, where it is known where it ends.
fn line_up_to(end: Option<usize>, text: &[u8]) -> (&[u8], usize) {
    let end = end.unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    (line.strip_suffix(b"\r").unwrap_or(line), end.saturating_add(1))
}
