//! How far a process was moved from the addresses that its binary was linked for (the load bias).

use super::container::Format;
use super::evidence::Observed;
use super::{Binary, PrintedCall};

/// The distance of a process' addresses from those of its binary. It is 0 unless the binary may be moved
/// (PIE, shared libraries); then it differs for each process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slide(u64);

/// Programs are moved by multiples of at least this many bytes.
const PAGE: u64 = 4096;
/// How many named frames distances are derived from: a name can be ambiguous.
const FIRST: usize = 4;
/// How many frames each distance is checked with, and how many distances are.
const TRIED: usize = 64;

impl Slide {
    /// Converts an address of the process to one of the binary.
    pub fn to_binary(self, pc: u64) -> u64 {
        pc.wrapping_sub(self.0)
    }

    /// The distance in bytes, modulo 2^64.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl Binary {
    /// The distance, from a mapping of the binary's code in a profile: at `start` to `limit` in memory,
    /// from `offset` in the file. `None` if it can't be a mapping of this binary.
    pub fn slide_of_mapping(&self, start: u64, limit: u64, offset: u64) -> Option<Slide> {
        if start >= limit {
            return None;
        }
        let linked = if self.container.format == Format::Elf {
            // Mappings start at a page, segments at their first byte.
            let code = self.container.segments.iter().filter(|segment| segment.executable);
            let mut code = code.filter(|segment| {
                let first = segment.offset & !PAGE.wrapping_sub(1);
                first <= offset && offset < segment.offset.saturating_add(segment.size)
            });
            let segment = code.next()?;
            segment.address.wrapping_sub(segment.offset).wrapping_add(offset)
        } else {
            self.container.base
        };
        let slide = start.wrapping_sub(linked);
        slide.is_multiple_of(PAGE).then_some(Slide(slide))
    }

    /// The distance, from the address at which a process started.
    pub fn slide_of_entry(&self, entry: u64) -> Slide {
        Slide(entry.wrapping_sub(self.container.entry))
    }

    /// The distance that most of these frames agree with, derived from the first ones with a name and an
    /// offset; 0 if none does.
    pub fn slide_of_frames(&self, frames: &[Observed]) -> Slide {
        let named: Vec<&Observed> = frames.iter().filter(|frame| frame.offset.is_some()).collect();
        let distances = named.iter().take(FIRST).flat_map(|frame| {
            // The offset is relative to the function that has the code: for an inlined function's name it
            // isn't usable.
            let entries = self.functions_named(frame.function).map(|function| function.entry());
            entries.filter_map(|entry| {
                let linked = entry.checked_add(frame.offset?)?;
                let slide = frame.pc.wrapping_sub(linked);
                slide.is_multiple_of(PAGE).then_some(Slide(slide))
            })
        });
        let agreeing = |slide: Slide| {
            named.iter().take(TRIED).filter(|frame| self.agrees(frame, slide)).count()
        };
        let distances = std::iter::once(Slide::default()).chain(distances);
        let mut best = (0, Slide::default());
        for slide in distances.take(TRIED) {
            let count = agreeing(slide);
            if count > best.0 {
                best = (count, slide);
            }
            if count == named.len().min(TRIED) {
                break;
            }
        }
        best.1
    }

    /// The distance, from the first of these calls that has a single possible return address; 0 if there is
    /// none.
    pub fn slide_of_calls(&self, calls: &[(PrintedCall, u64)]) -> Slide {
        let printed = calls.iter().filter(|(_, returns_to)| *returns_to != 0);
        let mut slides = printed.take(TRIED).filter_map(|(call, returns_to)| {
            let [only] = self.addresses(call)[..] else { return None };
            let slide = returns_to.wrapping_sub(only);
            slide.is_multiple_of(PAGE).then_some(Slide(slide))
        });
        slides.next().unwrap_or_default()
    }
}
