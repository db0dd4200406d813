//! What reading the memory of a process tells of its goroutines beside their text.

use super::{Goroutine, Profile};

/// What a capture tells of an input.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Captured {
    /// Its goroutines, by ascending id.
    pub goroutines: Vec<CapturedGoroutine>,
    /// How well they are known.
    pub counts: CaptureCounts,
    /// Whether it is known how long they have been blocked.
    pub has_waits: bool,
    /// What could not be read, in sentences.
    pub losses: Vec<String>,
    /// What else is to be said of how it was read.
    pub notes: Vec<String>,
}

/// How many goroutines are known how well.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CaptureCounts {
    /// As they were when the capture started.
    pub exact: u64,
    /// As they were shortly after.
    pub drifted: u64,
    /// In part: their stacks lead to what isn't code of the program.
    pub broken: u64,
    /// Those that ran whenever they were looked at: without a stack.
    pub unstable: u64,
    /// Those of which nothing could be read, or nothing that can be true.
    pub unread: u64,
    /// Those of which the labels could not be read, or are too many.
    pub unlabelled: u64,
}

/// How well a goroutine is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// As it was when the capture started.
    Exact,
    /// As it was a moment later.
    Drifted,
    /// In part: its stack leads to what isn't code of the program.
    Broken,
    /// It ran whenever it was looked at, or its stack can't be read.
    Unstable,
}

impl Certainty {
    /// As documents call it.
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
    /// Bytes of its stack that are allocated.
    pub allocated: u64,
    /// Bytes of it that are in use; `None` while it runs.
    pub used: Option<u64>,
    /// The thread that runs it or waits for the system in its place.
    pub thread: Option<u64>,
    /// Nanoseconds since the first garbage collection that found it blocked.
    pub blocked: Option<u64>,
    /// The addresses of what it waits for: of a channel, of each one in a `select`, or of a lock, a
    /// WaitGroup or a Cond; none where that isn't known.
    pub waits_on: Vec<u64>,
}

impl Captured {
    /// What is told of a goroutine.
    pub fn goroutine(&self, id: u64) -> Option<&CapturedGoroutine> {
        let at = self.goroutines.binary_search_by_key(&id, |it| it.id).ok()?;
        self.goroutines.get(at)
    }
}

impl Profile {
    /// What is told of a goroutine beside what the text of its input says.
    pub fn captured(&self, of: &Goroutine) -> Option<&CapturedGoroutine> {
        let input = self.input(self.sample(of.sample).key.input);
        input.captured.as_ref()?.goroutine(of.id)
    }
}
