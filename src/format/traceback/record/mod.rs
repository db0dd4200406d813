//! The fast way through regular goroutines: lines that can be nothing else than they seem.
//!
//! Stacks are paths of a tree, each step a call with its place. Where a path went last it mostly
//! goes again, so a step is first guessed and the text compared with what the guess says; where
//! that fails, the step is looked up by its text. What is new is read once. Where anything is odd,
//! the goroutine is read line by line through [`super::goroutine::OpenGoroutine`]; both ways give
//! the same samples.

mod head;
mod sample;
mod step;

use super::pairs::{PairId, Pairs};
use super::status::Status;
use super::window::{self, Search, Task};
use crate::profile::{Epoch, InputId, NewGoroutine, ProfileBuilder, Receiver, SampleId, Wait};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use sample::{Bound, End, Of, PathStack};
use step::{GUESSES, Guess, NONE, ROOT, Special, Step};

/// Steps that are kept for other inputs, 12 MB of them. Nodes of one cluster share theirs; 3,000
/// stacks have 22,000.
const KEPT: usize = 1 << 18;

/// Bytes of texts that are kept for other inputs; 3,000 stacks have 200 KB.
const KEPT_TEXT: usize = 16 << 20;

/// What was read of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RecordsRead {
    /// How many goroutines.
    pub(crate) count: u64,
    /// The id of the first of them.
    pub(crate) first: u64,
    /// How many of them Go elided frames of.
    pub(crate) elided: u64,
    /// Bytes of their text, the blank lines behind them included.
    pub(crate) bytes: usize,
    /// Lines of it, the blank ones included.
    pub(crate) lines: u64,
}

/// What a pair of texts means, for any builder.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The wait where the text tells no minutes.
    Header(Wait),
    Call(Place),
    Creator(Place),
    Gap(Option<u64>),
}

/// Function and file in the texts of all pairs, and the line.
#[derive(Clone, Copy, Debug)]
struct Place {
    func: (u32, u32),
    file: (u32, u32),
    line: i64,
}

/// A goroutine as it stands in the text.
#[derive(Clone, Copy, Debug)]
struct Record {
    id: u64,
    created_by: Option<u64>,
    wait: Wait,
    elided: bool,
    bytes: usize,
    lines: u64,
    status: u32,
    /// The last step of its path.
    last: u32,
}

/// Samples by the text of their goroutines. What was learnt of texts goes for every builder; what
/// became of them for one.
#[derive(Debug)]
pub(crate) struct Records {
    /// What is read into: for how long what texts became in it holds.
    epoch: Epoch,
    pairs: Pairs,
    /// What each of them means.
    meanings: Vec<Meaning>,
    /// What became of each.
    bound: Vec<Option<Of<Bound>>>,
    headers: usize,
    statuses: Vec<Status>,
    status_numbers: HashMap<Status, u32, FixedState>,
    steps: Vec<Step>,
    /// The step before each.
    parents: Vec<u32>,
    /// Steps by the one before them and their pair, where that has several behind it.
    children: HashMap<(u32, PairId), u32, FixedState>,
    /// Steps by a hash of the step before them and the end of their text; whatever stands there is
    /// no more than a guess.
    guesses: Vec<Guess>,
    /// How many of them hold a step.
    guessed: usize,
    /// For each step, where a path has ended there.
    ends: Vec<Option<Of<End>>>,
    samples: HashMap<(u32, u32, InputId), SampleId, FixedState>,
    /// The stacks of paths, by their last steps.
    stacks: HashMap<u32, PathStack, FixedState>,
}

impl Default for Records {
    fn default() -> Records {
        let root =
            Step { start: 0, one_length: 0, two_length: 0, pair: PairId::default(), next: NONE };
        Records {
            epoch: Epoch::NEVER,
            pairs: Pairs::default(),
            meanings: Vec::new(),
            bound: Vec::new(),
            headers: 0,
            statuses: Vec::new(),
            status_numbers: HashMap::default(),
            steps: vec![root],
            parents: vec![NONE],
            children: HashMap::default(),
            guesses: vec![Guess::NONE; GUESSES],
            guessed: 0,
            ends: vec![None],
            samples: HashMap::default(),
            stacks: HashMap::default(),
        }
    }
}

impl Records {
    /// Forgets what texts became where that doesn't hold any more.
    pub(crate) fn rebind(&mut self, epoch: Epoch) {
        if self.steps.len() > KEPT || self.pairs.text_length() > KEPT_TEXT {
            *self = Records::default();
        }
        // Most of it is told by the epoch noted beside it, so that many small inputs don't pay for
        // a large one before.
        if epoch.tables != self.epoch.tables {
            self.statuses.clear();
            self.status_numbers.clear();
            self.stacks.clear();
        }
        if epoch.rows != self.epoch.rows {
            self.samples.clear();
        }
        self.epoch = epoch;
    }

    /// Reads all goroutines that follow each other from `from` on, up to one that isn't regular or
    /// isn't whole.
    pub(crate) fn read(
        &mut self,
        text: &[u8],
        from: usize,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> RecordsRead {
        window::on_this_machine(Reading { records: self, text, from, input, builder })
    }
}

/// The arguments of [`Records::read`].
struct Reading<'a> {
    records: &'a mut Records,
    text: &'a [u8],
    from: usize,
    input: InputId,
    builder: &'a mut ProfileBuilder,
}

impl Task for Reading<'_> {
    type Output = RecordsRead;

    #[inline(always)]
    fn run(self, search: impl Search) -> RecordsRead {
        let Reading { records, text, from, input, builder } = self;
        let mut read = RecordsRead::default();
        let mut at = from;
        while let Some(record) = records.record(text, at, builder, search) {
            let sample = records.sample(&record, input, builder);
            let new = NewGoroutine {
                id: record.id,
                created_by: record.created_by,
                wait: record.wait,
                receiver: Receiver::NONE,
            };
            builder.goroutine(sample, &new);
            if read.count == 0 {
                read.first = record.id;
            }
            read.count = read.count.saturating_add(1);
            read.elided = read.elided.saturating_add(u64::from(record.elided));
            read.lines = read.lines.saturating_add(record.lines);
            at = at.saturating_add(record.bytes);
        }
        read.bytes = at.saturating_sub(from);
        read
    }
}

impl Records {
    /// The goroutine that starts at `from`.
    #[inline(always)]
    fn record(
        &mut self,
        text: &[u8],
        from: usize,
        builder: &mut ProfileBuilder,
        search: impl Search,
    ) -> Option<Record> {
        let header = self.header(text, from, builder, search)?;
        let mut at = header.end;
        let mut step = ROOT;
        let mut lines: u64 = 2;
        let (mut created_by, mut elided) = (None, false);
        let end = loop {
            match text.get(at)? {
                b'\n' => break at.wrapping_add(1),
                b'\r' if text.get(at.wrapping_add(1)) == Some(&b'\n') => break at.wrapping_add(2),
                _ => {}
            }
            let known = self.steps.get(step as usize)?;
            let slot = if known.has_several() { self.slot(text, at, step, search) } else { None };
            let guess = match slot {
                Some(slot) => self.guess(slot, step),
                None => known.next,
            };
            let found = match self.follow(text, at, guess, search) {
                Some(found) => found,
                None => self.look_up(text, at, step, slot)?,
            };
            match found.special {
                Special::None => {}
                Special::Creator(id) => created_by = id,
                Special::Gap => elided = true,
            }
            lines = lines.wrapping_add(1).wrapping_add(u64::from(found.special != Special::Gap));
            (step, at) = (found.step, found.end);
        };
        Some(Record {
            id: header.id,
            created_by,
            wait: header.wait,
            elided,
            bytes: end.checked_sub(from)?,
            lines,
            status: header.status,
            last: step,
        })
    }
}
