//! Numbers that look random and are the same in every run.

/// Sebastiano Vigna's SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which isn't 0.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Whether something happens that happens in `percent` of all cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of a list that isn't empty.
    pub(crate) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u64) as usize]
    }

    /// The position of a stack: each of the first `len` goroutines has one of its own, the others
    /// crowd at the front as they do in real dumps, where few stacks have most goroutines.
    pub(crate) fn stack(&mut self, goroutine: u64, len: usize) -> usize {
        let len = len as u64;
        if goroutine < len {
            return goroutine as usize;
        }
        let mut at = self.below(len);
        for _ in 0..2 {
            at = at * (self.below(len) + 1) / len;
        }
        at as usize
    }
}
