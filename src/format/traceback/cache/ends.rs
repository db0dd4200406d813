//! Finds where the lines of a goroutine end.

use super::guess::hash_of_places;
use crate::simd::{AT_ONCE, Kernel, Task, WIDTH, positions};

/// Goroutines with more lines are read step by step: Go prints at most 100 frames.
const LINES: usize = 256;

/// Goroutines with more bytes are read step by step, so 16 bits suffice for the position of a line
/// end.
const BYTES: usize = 32 << 10;

/// Where the lines of one goroutine end: its header, its frames, the blank line after them.
#[derive(Debug)]
pub(super) struct LineEnds {
    /// Positions from the start of the goroutine, with room for those of one more window.
    ends: Box<[u16; LINES + AT_ONCE]>,
    count: usize,
}

impl Default for LineEnds {
    fn default() -> LineEnds {
        LineEnds { ends: Box::new([0; LINES + AT_ONCE]), count: 0 }
    }
}

/// What was found of a goroutine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    /// Whether its blank line was found, and so all of its line ends.
    pub(super) is_whole: bool,
    /// A hash of its places; see [`hash_of_places`].
    pub(super) hash: Option<u32>,
}

impl Outline {
    /// Nothing was found.
    pub(super) const NOT_WHOLE: Outline = Outline { is_whole: false, hash: None };
}

/// Finds line ends. A task of its own: in one function with everything else the compiler keeps the
/// hash in memory instead of a register, so each line end waits for the one before it.
struct Finding<'a> {
    ends: &'a mut LineEnds,
    text: &'a [u8],
}

impl Task for Finding<'_> {
    type Output = Outline;

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> Outline {
        let Finding { ends, text } = self;
        match ends.up_to_blank(text, kernel) {
            true => Outline { is_whole: true, hash: hash_of_places(text, ends.get()) },
            false => Outline::NOT_WHOLE,
        }
    }
}

impl LineEnds {
    /// Finds the line ends of the goroutine at the start of a text.
    #[inline(always)]
    pub(super) fn find(&mut self, text: &[u8], kernel: impl Kernel) -> Outline {
        kernel.run(Finding { ends: self, text })
    }

    /// Finds line ends up to that of the blank line; `false` if there is none.
    #[inline(always)]
    fn up_to_blank(&mut self, text: &[u8], kernel: impl Kernel) -> bool {
        let windows = text.get(..BYTES).unwrap_or(text).as_chunks::<WIDTH>().0;
        let all = self.ends.as_mut();
        let mut count: usize = 0;
        let mut before = 0;
        let mut at: u16 = 0;
        for window in windows {
            let ends = kernel.compare(window, &[b'\n'; WIDTH]);
            let blank = ends & (ends << 1 | before);
            before = ends >> (WIDTH - 1);
            let free = all.get_mut(count..).and_then(|free| free.first_chunk_mut());
            let number = ends.count_ones() as usize;
            match free {
                Some(free) if number <= AT_ONCE => positions(ends, at, free),
                _ => return false,
            }
            if blank != 0 {
                let up_to_it = ends & (blank ^ blank.wrapping_sub(1));
                self.count = count.wrapping_add(up_to_it.count_ones() as usize);
                return true;
            }
            count = count.wrapping_add(number);
            at = at.wrapping_add(WIDTH as u16);
        }
        false
    }

    /// Whether the search reaches to the end of a goroutine with this many bytes and lines.
    pub(super) fn reach(text: &[u8], bytes: usize, lines: u64) -> bool {
        // Only whole windows are searched.
        bytes.saturating_add(WIDTH) <= text.len().min(BYTES) && lines < LINES as u64
    }

    /// The line ends found.
    #[inline(always)]
    pub(super) fn get(&self) -> &[u16] {
        self.ends.get(..self.count).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_long_goroutine_and_none_at_the_end_says_that_blank_lines_are_missing() {
        let text = vec![b'a'; 2 * BYTES];
        assert!(LineEnds::reach(&text, 1000, 20));
        assert!(!LineEnds::reach(&text, BYTES, 20), "longer than what is looked through");
        assert!(!LineEnds::reach(&text, 1000, LINES as u64), "of more lines");
        assert!(!LineEnds::reach(&text[..1010], 1000, 20), "its end is in no whole window");
    }
}
