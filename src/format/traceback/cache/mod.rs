//! The fast way through regular goroutines: lines that can be nothing else than they seem.
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
//! Where anything is odd, the goroutine is read line by line through
//! [`super::goroutine::OpenGoroutine`]; both ways give the same samples.

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
use addresses::Tells;
use ends::{LineEnds, Outline};
use foldhash::fast::FixedState;
use guess::Guesses;
use hashbrown::HashMap;
use head::{LAST, LastHead};
use path::Paths;
use sample::{Bound, Of, PathSample, PathStack, prefetch_counts};
use templates::{ROOM, Sort, TemplateId, Templates};

/// Steps of paths that are kept for other inputs, 1 MB of them. Nodes of one cluster share theirs;
/// 3,000 stacks have 27,000.
const KEPT: usize = 1 << 18;

/// Bytes of texts that are kept for other inputs; what is known of them takes twice as many. 3,000
/// stacks have 200 KB.
const KEPT_TEXT: usize = 8 << 20;

/// For how many goroutines line ends aren't looked for when that was in vain: each time 32 KB.
const NOT_WHOLE: u32 = 64;

/// Bytes at the end of a text of which a copy is read, with something behind it to be compared:
/// without that its last goroutine was walked, which takes as long as to follow 15 others.
const TAIL: usize = 4 << 10;

/// What was read of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RecordsRead {
    /// How many goroutines.
    pub(crate) count: u64,
    /// How many of them Go elided frames of.
    pub(crate) elided: u64,
    /// Bytes of their text, the blank lines behind them included.
    pub(crate) bytes: usize,
    /// Lines of it, the blank ones included.
    pub(crate) lines: u64,
}

/// What a template of texts means, for any builder.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The wait where the text tells no minutes.
    Header(Wait),
    Call(SourceLine, Role),
    Creator(SourceLine),
    Gap(Option<u64>),
}

/// Function and file in the texts of all templates, and the line.
#[derive(Clone, Copy, Debug)]
struct SourceLine {
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
    /// The number of its path.
    path: u32,
    /// Its sample, if that is known.
    sample: Option<SampleId>,
    /// Where its first call starts.
    header_end: usize,
    /// Whether the ends of its lines are known.
    ends_known: bool,
}

/// Samples by the text of their goroutines. What was learnt of texts goes for every builder; what
/// became of them for one.
#[derive(Debug)]
pub(crate) struct Records {
    /// What is read into: for how long what texts became in it holds.
    generation: Generation,
    templates: Templates,
    /// What each of them means.
    meanings: Vec<Meaning>,
    /// What became of each.
    bound: Vec<Option<Of<Bound>>>,
    headers: usize,
    /// Headers by a hash of their texts; whatever stands there is no more than a guess.
    heads: Vec<Option<Of<LastHead>>>,
    statuses: Vec<Status>,
    status_numbers: HashMap<Status, u32, FixedState>,
    guesses: Guesses,
    paths: Paths,
    /// A sample of each.
    path_samples: Vec<Option<Of<PathSample>>>,
    /// What became of each.
    stacks: Vec<Option<Of<PathStack>>>,
    samples: HashMap<(u32, u32, InputId), SampleId, FixedState>,
    /// The templates and the frames of the path at hand.
    templates_of_path: Vec<TemplateId>,
    frames_of_path: Vec<FrameId>,
    /// The addresses of the goroutine at hand.
    addresses: CallAddresses,
    /// The line ends of the goroutine at hand.
    ends: LineEnds,
    /// The end of the text at hand.
    tail: Vec<u8>,
    /// For how many goroutines more they aren't looked for, because one had no blank line behind it,
    /// or a carriage return in it.
    not_whole: u32,
}

impl RecordsRead {
    /// Adds what was read behind it.
    fn add(&mut self, behind: &RecordsRead) {
        self.count = self.count.saturating_add(behind.count);
        self.elided = self.elided.saturating_add(behind.elided);
        self.bytes = self.bytes.saturating_add(behind.bytes);
        self.lines = self.lines.saturating_add(behind.lines);
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
    /// Forgets what texts became where that doesn't hold any more.
    pub(crate) fn rebind(&mut self, generation: Generation) {
        if self.paths.length() > KEPT || self.templates.bytes().len() > KEPT_TEXT {
            *self = Records::default();
        }
        // Most of it is told by the generation noted beside it, so that many small inputs don't pay for
        // a large one before.
        if generation.tables != self.generation.tables {
            self.statuses.clear();
            self.status_numbers.clear();
        }
        if generation.rows != self.generation.rows {
            self.samples.clear();
        }
        self.generation = generation;
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
    /// Goroutines that start here or behind it aren't read.
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
            let tells = records.paths.tells(record.path);
            if tells != Tells::Nothing && builder.keeps_addresses(sample, tells == Tells::Waits) {
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
    /// Whether more of a goroutine may stand behind the blank line: some tools add one after each line.
    #[cold]
    fn may_go_on(&self, record: &Record) -> bool {
        let last = self.paths.templates(record.path).and_then(<[TemplateId]>::last);
        let sort =
            last.and_then(|&template| self.templates.texts(template)).map(|texts| texts.sort);
        !matches!(sort, Some(Sort::Creator | Sort::OldCreator))
    }

    /// The goroutine that starts at `from`.
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
        // What belongs to one of thousands of stacks has left the cache by the time that its next
        // goroutine comes: to wait for the counts alone took 7 % of the time of a large dump.
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
                    // Of a goroutine without frames a part is missing, which reading line by line says.
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
