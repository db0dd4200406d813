//! How long ids are valid.

use std::sync::atomic::{AtomicU32, Ordering};

/// As long as a builder's generation stays the same, its ids stay valid. No two builders have the
/// same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generation {
    /// For ids of strings, frames, stacks, sets of labels and sets of flags.
    pub tables: u32,
    /// For ids of inputs, samples and everything else, which are valid for one delta.
    pub rows: u32,
}

impl Generation {
    /// No generation of any builder.
    pub const NEVER: Generation = Generation { tables: 0, rows: 0 };

    pub(super) fn new() -> Generation {
        Generation { tables: next(), rows: next() }
    }

    /// The generation after a delta: the tables stay, the rows are new.
    pub(super) fn next_delta(self) -> Generation {
        Generation { rows: next(), ..self }
    }
}

fn next() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}
