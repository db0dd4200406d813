//! Data about goroutines that comes from the memory of their process, not from their text.

use super::{Goroutine, Profile};

/// What a capture knows about an input.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Captured {
    /// Its goroutines, by ascending id.
    pub goroutines: Vec<CapturedGoroutine>,
    /// How many of them are known how well.
    pub counts: CaptureCounts,
    /// Whether it is known how long they have been blocked.
    pub has_waits: bool,
    /// What could not be read, in sentences.
    pub losses: Vec<String>,
    /// Notes on how it was read.
    pub notes: Vec<String>,
}

/// How many goroutines have each certainty, and how many couldn't be read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CaptureCounts {
    /// Read as they were when the capture started.
    pub exact: u64,
    /// Read as they were shortly after.
    pub drifted: u64,
    /// Read in part: their stacks lead to addresses that aren't code of the program.
    pub broken: u64,
    /// Running whenever they were looked at, so without a stack.
    pub unstable: u64,
    /// Not readable, or with contents that can't be right.
    pub unread: u64,
    /// With labels that couldn't be read, or were too many.
    pub unlabelled: u64,
}

/// How well a goroutine is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// As it was when the capture started.
    Exact,
    /// As it was a moment later.
    Drifted,
    /// In part: its stack leads to addresses that aren't code of the program.
    Broken,
    /// It ran whenever it was looked at, or its stack can't be read.
    Unstable,
}

impl Certainty {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Exact => "exact",
            Certainty::Drifted => "drifted",
            Certainty::Broken => "broken",
            Certainty::Unstable => "unstable",
        }
    }
}

/// What the runtime knows of a goroutine and doesn't print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapturedGoroutine {
    /// Its id.
    pub id: u64,
    /// How well its stack is known.
    pub certainty: Certainty,
    /// Bytes allocated for its stack.
    pub allocated: u64,
    /// Bytes of its stack that are in use; `None` while it runs.
    pub used: Option<u64>,
    /// The thread that runs it, or that is in a system call for it.
    pub thread: Option<u64>,
    /// Nanoseconds since the first garbage collection that found it blocked.
    pub blocked: Option<u64>,
    /// The addresses of what it waits for: a channel, each channel of a `select`, or a lock, a
    /// WaitGroup or a Cond; empty if unknown.
    pub waits_on: Vec<u64>,
}

impl Captured {
    /// The captured data of a goroutine.
    pub fn goroutine(&self, id: u64) -> Option<&CapturedGoroutine> {
        let at = self.goroutines.binary_search_by_key(&id, |it| it.id).ok()?;
        self.goroutines.get(at)
    }
}

impl Profile {
    /// The captured data of a goroutine, if its input was captured.
    pub fn captured(&self, goroutine: &Goroutine) -> Option<&CapturedGoroutine> {
        let input = self.input(self.sample(goroutine.sample).key.input);
        input.captured.as_ref()?.goroutine(goroutine.id)
    }
}
