//! What threads remember from one input to the next.

use crate::format::ReaderCache;
use crate::profile::{Delta, Input, Keep, ProfileBuilder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Tables of a builder that are remembered; 3,000 stacks take 1 MB.
const KEPT: usize = 8 << 20;

/// What is kept from inputs, for those that follow.
#[derive(Debug)]
pub(super) struct Memory {
    number: usize,
    pub(super) builder: ProfileBuilder,
    pub(super) cache: ReaderCache,
    /// The unit that was read last.
    pub(super) unit: usize,
}

impl Memory {
    /// Forgets what was read and not taken out; what is known stays for other inputs.
    pub(super) fn drop_read(&mut self, keep: Keep) {
        self.builder.drop_delta();
        if self.builder.table_bytes() > KEPT {
            self.builder = ProfileBuilder::new(keep);
        }
    }
}

/// What was read with a memory.
#[derive(Debug)]
pub(super) enum Read {
    /// The first of all takes the builder with it, so that reading one input costs no copy.
    Whole(Box<ProfileBuilder>),
    /// Others are parts of what the memory of this number reads.
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

/// All of it, one memory for each input that is read at the same time.
#[derive(Debug)]
pub(super) struct Memories {
    keep: Keep,
    idle: Mutex<Vec<Memory>>,
    count: AtomicUsize,
    /// Whether anything was taken out of any.
    used: AtomicBool,
}

impl Memories {
    pub(super) fn new(keep: Keep) -> Memories {
        Memories {
            keep,
            idle: Mutex::default(),
            count: AtomicUsize::new(0),
            used: AtomicBool::new(false),
        }
    }

    /// A memory to read a unit with. It has read no unit behind that one: parts are put together in
    /// the order of the units, and what a part takes for known has to be there before it.
    pub(super) fn take(&self, unit: usize) -> Memory {
        let idle = self.idle.lock().ok().and_then(|mut idle| {
            let at = idle.iter().position(|memory| memory.unit <= unit)?;
            Some(idle.swap_remove(at))
        });
        match idle {
            Some(memory) => Memory { unit, ..memory },
            None => self.take_new(unit),
        }
    }

    /// A memory that knows nothing, to read a unit with.
    pub(super) fn take_new(&self, unit: usize) -> Memory {
        Memory {
            number: self.count.fetch_add(1, Ordering::Relaxed),
            builder: ProfileBuilder::with_room(self.keep),
            cache: ReaderCache::default(),
            unit,
        }
    }

    /// Takes out what was read.
    pub(super) fn take_read(&self, memory: &mut Memory) -> Read {
        if self.used.swap(true, Ordering::Relaxed) {
            Read::Delta(Box::new(memory.builder.take_delta()), memory.number)
        } else {
            let next = ProfileBuilder::new(self.keep);
            Read::Whole(Box::new(std::mem::replace(&mut memory.builder, next)))
        }
    }

    /// Keeps a memory for other units.
    pub(super) fn keep(&self, memory: Memory) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_is_used_again_but_never_for_a_unit_before() {
        let memories = Memories::new(Keep::default());
        let (first, second) = (memories.take(0), memories.take(1));
        assert_eq!((first.number, second.number), (0, 1));
        memories.keep(second);
        assert_eq!(memories.take(0).number, 2);
        assert_eq!(memories.take(1).number, 1);
        memories.keep(first);
        assert_eq!(memories.take(5).number, 0);
    }

    #[test]
    fn tables_that_are_too_large_are_not_kept() {
        let mut memory = Memories::new(Keep::default()).take(0);
        memory.builder.string(&vec![b'x'; KEPT]);
        memory.builder.take_delta();
        memory.drop_read(Keep::default());
        assert_eq!(memory.number, 0);
        assert!(memory.builder.table_bytes() < 100);
    }
}
