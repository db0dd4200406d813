//! The fast way through regular goroutines: those whose lines can't be anything else.
//!
//! ```text
//! goroutine 7 [select, 5 minutes]:      header    template: prefix `[select, `, suffix ` minutes]:`
//! main.f(0xc000010200, 0x1)             call      template: prefix `main.f(`,
//!         /src/a.go:12 +0x1d                        suffix `)` to the end of its place
//! created by main.g in goroutine 1      creator   template: prefix up to the number, suffix the rest
//!         /src/a.go:20 +0x40
//!                                       blank line: the goroutine is whole
//!
//! ends    where the lines of a goroutine end, and a hash of the ends of its places
//! guess   hash -> path, the list of its templates; prefetched, as is its sample
//! follow  everything but numbers and arguments is compared with the path
//! learn   where that fails: each step is looked up (parsed_step, templates, path) and kept if new
//! head    headers, by template
//! sample  path and header -> sample of a builder, for as long as its generation lasts
//! ```
//! If anything is odd, the goroutine is read line by line by [`super::goroutine::OpenGoroutine`],
//! the careful reader; both ways give the same samples.

mod addresses;
mod ends;
mod follow;
mod guess;
mod head;
mod learn;
mod parsed_step;
mod path;
mod sample;
mod templates;

use super::addresses::{CallAddresses, Role};
use super::status::Status;
use crate::profile::{FrameId, Generation, InputId, NewGoroutine, ProfileBuilder, SampleId, Wait};
use crate::simd::{self, Kernel, Task, WIDTH};
use addresses::PathAddresses;
use ends::{LineEnds, Outline};
use foldhash::fast::FixedState;
use guess::Guesses;
use hashbrown::HashMap;
use head::{LAST, LastHead};
use path::Paths;
use sample::{Bound, ForGeneration, PathSample, PathStack, prefetch_counts};
use templates::{ROOM, Sort, TemplateId, Templates};

/// Up to this many steps of paths are kept for other inputs, which take 1 MB. Nodes of one cluster
/// share theirs; 3,000 stacks have 27,000.
const MAX_KEPT_STEPS: usize = 1 << 18;

/// Up to this many bytes of texts are kept for other inputs; the data about them takes twice as
/// many. 3,000 stacks have 200 KB.
const MAX_KEPT_TEXT: usize = 8 << 20;

/// For how many goroutines line ends aren't searched after a search failed: each takes 32 KB.
const NOT_WHOLE: u32 = 64;

/// This many bytes at the end of a text are copied, with zeros after them to be compared: otherwise
/// its last goroutine would be looked up step by step, which takes as long as following 15 others.
const TAIL: usize = 4 << 10;

/// The result of reading goroutines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RecordsRead {
    /// How many goroutines were read.
    pub(crate) count: u64,
    /// How many of them have frames that Go elided.
    pub(crate) elided: u64,
    /// Bytes of their text, including the blank lines after them.
    pub(crate) bytes: usize,
    /// Lines of their text, including the blank ones.
    pub(crate) lines: u64,
}

/// The meaning of a template, for any builder.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The wait if the header prints no minutes.
    Header(Wait),
    Call(SourceLine, Role),
    Creator(SourceLine),
    Gap(Option<u64>),
}

/// Ranges of function and file in the texts of all templates, and the line.
#[derive(Clone, Copy, Debug)]
struct SourceLine {
    func: (u32, u32),
    file: (u32, u32),
    line: i64,
}

/// A goroutine as read from the text.
#[derive(Clone, Copy, Debug)]
struct Record {
    id: u64,
    created_by: Option<u64>,
    wait: Wait,
    elided: bool,
    bytes: usize,
    lines: u64,
    status: u32,
    /// The number of its path.
    path: u32,
    /// Its sample, if known.
    sample: Option<SampleId>,
    /// Where its first call starts.
    header_end: usize,
    /// Whether the ends of its lines are known.
    ends_known: bool,
}

/// Samples by the text of their goroutines. What was learnt about texts is valid for every builder;
/// ids are only valid for one.
#[derive(Debug)]
pub(crate) struct Records {
    /// The generation of the builder that is filled, for which ids are valid.
    generation: Generation,
    templates: Templates,
    /// The meaning of each template.
    meanings: Vec<Meaning>,
    /// The id of each template in the builder.
    bound: Vec<Option<ForGeneration<Bound>>>,
    headers: usize,
    /// Headers by a hash of their texts; each is only a guess.
    heads: Vec<Option<ForGeneration<LastHead>>>,
    statuses: Vec<Status>,
    status_numbers: HashMap<Status, u32, FixedState>,
    guesses: Guesses,
    paths: Paths,
    /// A sample of each path.
    path_samples: Vec<Option<ForGeneration<PathSample>>>,
    /// The stack of each path in the builder.
    stacks: Vec<Option<ForGeneration<PathStack>>>,
    samples: HashMap<(u32, u32, InputId), SampleId, FixedState>,
    /// The templates and the frames of the current path.
    templates_of_path: Vec<TemplateId>,
    frames_of_path: Vec<FrameId>,
    /// The addresses of the current goroutine.
    addresses: CallAddresses,
    /// The line ends of the current goroutine.
    ends: LineEnds,
    /// The end of the current text.
    tail: Vec<u8>,
    /// For how many more goroutines line ends aren't searched, because one had no blank line after
    /// it, or a carriage return in it.
    not_whole: u32,
}

impl RecordsRead {
    /// Adds the result of what was read next.
    fn add(&mut self, next: &RecordsRead) {
        self.count = self.count.saturating_add(next.count);
        self.elided = self.elided.saturating_add(next.elided);
        self.bytes = self.bytes.saturating_add(next.bytes);
        self.lines = self.lines.saturating_add(next.lines);
    }
}

impl Default for Records {
    fn default() -> Records {
        Records {
            generation: Generation::NEVER,
            templates: Templates::default(),
            meanings: Vec::with_capacity(ROOM),
            bound: Vec::with_capacity(ROOM),
            headers: 0,
            heads: vec![None; LAST],
            statuses: Vec::new(),
            status_numbers: HashMap::default(),
            guesses: Guesses::default(),
            paths: Paths::default(),
            path_samples: Vec::with_capacity(ROOM / 2),
            stacks: Vec::with_capacity(ROOM / 2),
            samples: HashMap::with_capacity_and_hasher(ROOM / 2, FixedState::default()),
            templates_of_path: Vec::new(),
            frames_of_path: Vec::new(),
            addresses: CallAddresses::default(),
            ends: LineEnds::default(),
            tail: Vec::new(),
            not_whole: 0,
        }
    }
}

impl Records {
    /// Forgets ids that aren't valid any more.
    pub(crate) fn rebind(&mut self, generation: Generation) {
        if self.paths.length() > MAX_KEPT_STEPS || self.templates.bytes().len() > MAX_KEPT_TEXT {
            *self = Records::default();
        }
        // Most ids have their generation noted next to them and needn't be cleared, so that many
        // small inputs don't pay for a large one before.
        if generation.tables != self.generation.tables {
            self.statuses.clear();
            self.status_numbers.clear();
        }
        if generation.rows != self.generation.rows {
            self.samples.clear();
        }
        self.generation = generation;
    }

    /// Reads successive goroutines starting at `from`, up to one that isn't regular or isn't
    /// complete.
    pub(crate) fn read(
        &mut self,
        text: &[u8],
        from: usize,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> RecordsRead {
        let until = text.len().saturating_sub(TAIL);
        let mut read = RecordsRead::default();
        if from < until {
            let reading = Reading { records: self, text, from, until, input, builder };
            read = simd::on_this_machine(reading);
        }
        let at = from.saturating_add(read.bytes);
        if at < until {
            return read;
        }
        let mut tail = std::mem::take(&mut self.tail);
        tail.clear();
        tail.extend_from_slice(text.get(at..).unwrap_or_default());
        let until = tail.len();
        tail.extend_from_slice(&[0; WIDTH]);
        let reading = Reading { records: self, text: &tail, from: 0, until, input, builder };
        read.add(&simd::on_this_machine(reading));
        self.tail = tail;
        read
    }
}

/// The arguments of [`Records::read`].
struct Reading<'a> {
    records: &'a mut Records,
    text: &'a [u8],
    from: usize,
    /// Goroutines that start here or later aren't read.
    until: usize,
    input: InputId,
    builder: &'a mut ProfileBuilder,
}

impl Task for Reading<'_> {
    type Output = RecordsRead;

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> RecordsRead {
        let Reading { records, text, from, until, input, builder } = self;
        let mut read = RecordsRead::default();
        let mut at = from;
        while at < until
            && let Some(record) = records.record(text, at, input, builder, kernel)
        {
            if !text.get(at.saturating_add(record.bytes)..).is_some_and(starts_goroutine)
                && records.may_go_on(&record)
            {
                break;
            }
            let sample = match record.sample {
                Some(sample) => sample,
                None => records.sample(&record, input, builder),
            };
            let new =
                NewGoroutine { id: record.id, created_by: record.created_by, wait: record.wait };
            let position = builder.goroutine_in_sample(sample, &new);
            let addresses = records.paths.addresses(record.path);
            if addresses != PathAddresses::Nothing
                && builder.keeps_addresses(sample, addresses == PathAddresses::Waits)
            {
                let goroutine = text.get(at..).unwrap_or_default();
                records.keep_addresses(goroutine, &record, sample, &new, position, builder);
            }
            read.count = read.count.saturating_add(1);
            read.elided = read.elided.saturating_add(u64::from(record.elided));
            read.lines = read.lines.saturating_add(record.lines);
            at = at.saturating_add(record.bytes);
        }
        read.bytes = at.saturating_sub(from);
        builder.count_in_input(input, i64::try_from(read.count).unwrap_or(i64::MAX));
        read
    }
}

/// Whether a text starts like the header of a goroutine.
#[inline(always)]
fn starts_goroutine(text: &[u8]) -> bool {
    text.starts_with(b"goroutine ")
}

impl Records {
    /// Whether more of a goroutine can follow the blank line: some tools add one after each line.
    #[cold]
    fn may_go_on(&self, record: &Record) -> bool {
        let last = self.paths.templates(record.path).and_then(<[TemplateId]>::last);
        let sort =
            last.and_then(|&template| self.templates.texts(template)).map(|texts| texts.sort);
        !matches!(sort, Some(Sort::Creator | Sort::OldCreator))
    }

    /// Reads the goroutine that starts at `from`.
    #[inline(always)]
    fn record(
        &mut self,
        text: &[u8],
        from: usize,
        input: InputId,
        builder: &mut ProfileBuilder,
        kernel: impl Kernel,
    ) -> Option<Record> {
        let goroutine = text.get(from..)?;
        let Outline { is_whole, hash } = match self.not_whole.checked_sub(1) {
            Some(left) => {
                self.not_whole = left;
                Outline::NOT_WHOLE
            }
            None => self.ends.find(goroutine, kernel),
        };
        let guess = match hash {
            Some(hash) => self.guesses.get(hash),
            None => None,
        };
        // With thousands of stacks, the data of one has left the cache when its next goroutine
        // comes: waiting for the counts alone took 7 % of the time of a large dump.
        if let Some(path) = guess {
            self.paths.prefetch(path);
            self.prefetch_sample_of(path);
        }
        let newline = if is_whole { self.ends.get().first().copied() } else { None };
        let header = self.header(goroutine, newline, builder, kernel)?;
        let sample = match guess {
            Some(path) => self.known_sample(path, header.status, input),
            None => None,
        };
        if let Some(sample) = sample {
            prefetch_counts(sample, builder);
        }
        let found = match guess {
            Some(path) => self.follow(goroutine, path, kernel),
            None => None,
        };
        let (found, sample, lines, bytes) = match found {
            Some(found) => {
                let ends = self.ends.get();
                (found, sample, ends.len() as u64, (*ends.last()? as usize).wrapping_add(1))
            }
            None => {
                let walk = self.walk(goroutine, header.end)?;
                if self.paths.templates(walk.found.path).is_none_or(<[TemplateId]>::is_empty) {
                    // A goroutine without frames lacks a part, which the careful reader reports.
                    return None;
                }
                match hash {
                    Some(hash) => self.guesses.keep(hash, walk.found.path),
                    None if !is_whole && LineEnds::reach(goroutine, walk.end, walk.lines) => {
                        self.not_whole = NOT_WHOLE;
                    }
                    None => {}
                }
                (walk.found, None, walk.lines, walk.end)
            }
        };
        Some(Record {
            id: header.id,
            created_by: found.creator,
            wait: header.wait,
            elided: found.elided,
            bytes,
            lines,
            status: header.status,
            path: found.path,
            sample,
            header_end: header.end,
            ends_known: is_whole,
        })
    }
}
