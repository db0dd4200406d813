//! The state that threads keep from one input to the next.

use crate::format::ReaderCache;
use crate::profile::{Delta, Input, Keep, ProfileBuilder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes of a builder's tables up to which it is used for the next input; 3,000 stacks take 1 MB.
const MAX_TABLE_BYTES: usize = 8 << 20;

/// The builder and the cache of a reader, kept from one input to the next.
#[derive(Debug)]
pub(super) struct ReaderState {
    number: usize,
    pub(super) builder: ProfileBuilder,
    pub(super) cache: ReaderCache,
    /// The unit that is read, or was read last.
    pub(super) unit: usize,
}

impl ReaderState {
    /// Drops what was read and not taken; the tables stay for other inputs, unless they are too
    /// large.
    pub(super) fn drop_read(&mut self, keep: Keep) {
        self.builder.drop_delta();
        if self.builder.table_bytes() > MAX_TABLE_BYTES {
            self.builder = ProfileBuilder::new(keep);
        }
    }
}

/// The result of reading a stream.
#[derive(Debug)]
pub(super) enum Read {
    /// The first result of all takes the builder with it, so reading a single input costs no copy.
    Whole(Box<ProfileBuilder>),
    /// Later results are deltas of the builder of the state with this number.
    Delta(Box<Delta>, usize),
}

impl Read {
    /// The inputs that it holds.
    pub(super) fn inputs(&self) -> &[Input] {
        match self {
            Read::Whole(builder) => builder.inputs(),
            Read::Delta(part, _) => part.inputs(),
        }
    }
}

/// All states: one for each input that is read at the same time.
#[derive(Debug)]
pub(super) struct ReaderStates {
    keep: Keep,
    idle: Mutex<Vec<ReaderState>>,
    count: AtomicUsize,
    /// Whether any result was taken.
    used: AtomicBool,
}

impl ReaderStates {
    pub(super) fn new(keep: Keep) -> ReaderStates {
        ReaderStates {
            keep,
            idle: Mutex::default(),
            count: AtomicUsize::new(0),
            used: AtomicBool::new(false),
        }
    }

    /// A state to read a unit with, which has read no later unit: results are merged in the order
    /// of the units, and what a delta refers to has to be merged before it.
    pub(super) fn take(&self, unit: usize) -> ReaderState {
        let idle = self.idle.lock().ok().and_then(|mut idle| {
            let at = idle.iter().position(|state| state.unit <= unit)?;
            Some(idle.swap_remove(at))
        });
        match idle {
            Some(state) => ReaderState { unit, ..state },
            None => self.take_new(unit),
        }
    }

    /// A new state to read a unit with.
    pub(super) fn take_new(&self, unit: usize) -> ReaderState {
        ReaderState {
            number: self.count.fetch_add(1, Ordering::Relaxed),
            builder: ProfileBuilder::with_room(self.keep),
            cache: ReaderCache::default(),
            unit,
        }
    }

    /// Takes the result of what was read.
    pub(super) fn take_read(&self, state: &mut ReaderState) -> Read {
        if self.used.swap(true, Ordering::Relaxed) {
            Read::Delta(Box::new(state.builder.take_delta()), state.number)
        } else {
            let next = ProfileBuilder::new(self.keep);
            Read::Whole(Box::new(std::mem::replace(&mut state.builder, next)))
        }
    }

    /// Keeps a state for other units.
    pub(super) fn keep(&self, state: ReaderState) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_used_again_but_never_for_a_unit_before() {
        let states = ReaderStates::new(Keep::default());
        let (first, second) = (states.take(0), states.take(1));
        assert_eq!((first.number, second.number), (0, 1));
        states.keep(second);
        assert_eq!(states.take(0).number, 2);
        assert_eq!(states.take(1).number, 1);
        states.keep(first);
        assert_eq!(states.take(5).number, 0);
    }

    #[test]
    fn tables_that_are_too_large_are_not_kept() {
        let mut state = ReaderStates::new(Keep::default()).take(0);
        state.builder.string(&vec![b'x'; MAX_TABLE_BYTES]);
        state.builder.take_delta();
        state.drop_read(Keep::default());
        assert_eq!(state.number, 0);
        assert!(state.builder.table_bytes() < 100);
    }
}
