//! How long ids hold.

use std::sync::atomic::{AtomicU32, Ordering};

/// While this stays the same, so do the ids of a builder. No two builders have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generation {
    /// Of the ids of strings, frames, stacks, sets of labels and sets of flags.
    pub tables: u32,
    /// Of the ids of inputs, samples and everything else, which hold for one part.
    pub rows: u32,
}

impl Generation {
    /// Before the first one.
    pub const NEVER: Generation = Generation { tables: 0, rows: 0 };

    pub(super) fn new() -> Generation {
        Generation { tables: next(), rows: next() }
    }

    /// The tables stay, the rows are others.
    pub(super) fn next_delta(self) -> Generation {
        Generation { rows: next(), ..self }
    }
}

fn next() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}
