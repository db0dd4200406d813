//! The part of a dump that the lines of a stream belong to.

use crate::format::bruise;
use crate::format::debug1::{ProfileReader, Used};
use crate::format::traceback::crash::CrashBlock;
use crate::profile::ProfileBuilder;
use crate::simd::{self, Kernel, Task};

/// The part that a stream is in.
#[derive(Debug, Default)]
pub(super) enum Mode {
    /// Between dumps.
    #[default]
    Outside,
    /// In the stream's goroutine.
    Goroutine,
    /// In the message of a crash.
    Crash(Box<CrashBlock>),
    /// In a race report, up to its closing line.
    Race,
    /// In frames of the runtime that belong to no goroutine.
    RuntimeStack,
    /// In a profile.
    Profile(Box<ProfileReader>),
}

impl Mode {
    /// The fast way through a profile: takes lines as long as they belong to it. Returns how many
    /// lines and bytes it took, if any; `number` is that of the first line.
    pub(super) fn lines(
        &mut self,
        text: &[u8],
        number: u64,
        builder: &mut ProfileBuilder,
    ) -> Option<(u64, usize)> {
        let Mode::Profile(reader) = self else { return None };
        let of_profile = OfProfile { reader, text, number, builder };
        let (lines, bytes) = simd::on_this_machine(of_profile);
        (lines > 0).then_some((lines, bytes))
    }
}

/// The arguments of [`Mode::lines`] in a profile: a task, because finding and comparing lines by
/// `memchr` and `memcmp` took 13 % of the time of a debug=1 text.
struct OfProfile<'m, 't, 'b> {
    reader: &'m mut ProfileReader,
    text: &'t [u8],
    number: u64,
    builder: &'b mut ProfileBuilder,
}

impl Task for OfProfile<'_, '_, '_> {
    type Output = (u64, usize);

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> (u64, usize) {
        let OfProfile { reader, text, number, builder } = self;
        let (mut lines, mut bytes) = (0_u64, 0_usize);
        while let Some(rest) = text.get(bytes..)
            && let Some(first) = rest.first()
        {
            if *first == b'#' {
                let (known, length) = reader.known_frames(rest, kernel);
                lines = lines.saturating_add(known);
                bytes = bytes.saturating_add(length);
                if known > 0 {
                    continue;
                }
            }
            let (line, length) = line_up_to(kernel.find(b'\n', rest), rest);
            // A line that isn't taken here is handled when it is read on its own.
            if *first == b'#' && bruise::may_be_damaged(line) {
                break;
            }
            if reader.line(line, number.saturating_add(lines), builder) != Used::Took {
                break;
            }
            lines = lines.saturating_add(1);
            bytes = bytes.saturating_add(length);
        }
        (lines, bytes)
    }
}

/// The first line without its end, and its length including the end.
pub(super) fn first_line(text: &[u8]) -> (&[u8], usize) {
    line_up_to(memchr::memchr(b'\n', text), text)
}

/// The same, if it is known where the line ends.
fn line_up_to(end: Option<usize>, text: &[u8]) -> (&[u8], usize) {
    let end = end.unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    (line.strip_suffix(b"\r").unwrap_or(line), end.saturating_add(1))
}
