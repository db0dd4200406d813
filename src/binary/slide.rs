//! How far a process was moved from where its binary was linked to be.

use super::container::Format;
use super::evidence::Observed;
use super::{Binary, PrintedCall};

/// The distance of a process' addresses from those of its binary. Only binaries that may be moved
/// (PIE, shared libraries) have another than 0, a new one for each process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Slide(u64);

/// Systems move programs by multiples of pages of at least this many bytes.
const PAGE: u64 = 4096;
/// Frames that are taken for the first one that has a name, in case that its name is ambiguous.
const FIRST: usize = 4;
/// Frames that each distance is tried on.
const TRIED: usize = 64;

impl Slide {
    /// The address in the binary of an address of the process.
    pub fn to_binary(self, pc: u64) -> u64 {
        pc.wrapping_sub(self.0)
    }

    /// The distance in bytes, modulo 2^64.
    pub fn bytes(self) -> u64 {
        self.0
    }
}

impl Binary {
    /// The distance from a mapping of a profile: that of the binary's code, from `start` to `limit` in
    /// memory and from `offset` in the file on. `None` if it can't be one of this binary.
    pub fn slide_of_mapping(&self, start: u64, limit: u64, offset: u64) -> Option<Slide> {
        if start >= limit {
            return None;
        }
        let linked = if self.container.format == Format::Elf {
            // Mappings start at pages, segments where their bytes do.
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

    /// The distance by where a process started running.
    pub fn slide_of_entry(&self, entry: u64) -> Slide {
        Slide(entry.wrapping_sub(self.container.entry))
    }

    /// The distance that the most of these frames agree with, found from the first ones that have a name
    /// and an offset; 0 if none does.
    pub fn slide_of_frames(&self, frames: &[Observed]) -> Slide {
        let named: Vec<&Observed> = frames.iter().filter(|frame| frame.offset.is_some()).collect();
        let distances = named.iter().take(FIRST).flat_map(|frame| {
            // The offset is counted from the physical function, which the name of an inlined one isn't.
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

    /// The distance of the first of these calls that can be only one, by the address that it returns to;
    /// 0 if none is.
    pub fn slide_of_calls(&self, calls: &[(PrintedCall, u64)]) -> Slide {
        let told = calls.iter().filter(|(_, returns_to)| *returns_to != 0);
        let mut slides = told.take(TRIED).filter_map(|(call, returns_to)| {
            let [only] = self.addresses(call)[..] else { return None };
            let slide = returns_to.wrapping_sub(only);
            slide.is_multiple_of(PAGE).then_some(Slide(slide))
        });
        slides.next().unwrap_or_default()
    }
}
