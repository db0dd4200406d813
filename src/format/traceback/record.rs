//! The fast way through regular goroutines: lines that can be nothing else than they seem.
//!
//! Stacks are paths of a tree, each step a call with its place. Where a path went last it mostly
//! goes again, so a step is first guessed and the text compared with what the guess says; where
//! that fails, the step is looked up by its text. What is new is read once. Where anything is odd,
//! the goroutine is read line by line through [`super::goroutine::OpenGoroutine`]; both ways give
//! the same samples.

use super::header::Attributes;
use super::lines::{self, CREATED_BY};
use super::number::short_number;
use super::pairs::{Pair, PairId, Pairs, Seen, Sort, fold, starts_alike};
use super::status::Status;
use super::window::{self, Search, Task, WIDTH};
use crate::format::log;
use crate::profile::{
    Elision, FrameId, InputId, NewGoroutine, ProfileBuilder, Receiver, SampleId, SampleSpec, Wait,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Header texts that are remembered; labels can make each one different.
const HEADERS: usize = 1 << 14;

/// Digits of minutes that are read here: numbers up to 2^24 are the same in 32-bit floats.
const DIGITS: usize = 6;

/// What stands between the creator's function and its goroutine.
const IN_GOROUTINE: &[u8] = b" in goroutine ";

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

/// What a pair of texts means.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// The number of a [`Status`], and the wait where the text tells no minutes.
    Header(u32, Wait),
    Call(FrameId),
    Creator(FrameId),
    Gap(Option<u64>),
}

/// A step of a path: a call, the creator or a gap.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Where its texts start in those of all pairs, and how long they are.
    start: u32,
    one_length: u16,
    two_length: u16,
    pair: PairId,
    /// The step that was first taken from here; [`NONE`] when there was none.
    next: u32,
    /// Whether others were taken, too.
    branches: bool,
}

/// No step.
const NONE: u32 = u32::MAX;

/// How many guesses there are at first.
const GUESSES: usize = 1 << 10;

/// Where all paths start.
const ROOT: u32 = 0;

/// The sample of a path that ended here last, and what else made it.
#[derive(Clone, Copy, Debug)]
struct End {
    status: u32,
    input: InputId,
    sample: SampleId,
}

/// A step found in the text, and where the line behind it starts.
#[derive(Clone, Copy, Debug)]
struct Found {
    step: u32,
    end: usize,
    special: Special,
}

/// What a step says of its goroutine alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Special {
    None,
    Creator(Option<u64>),
    Gap,
}

/// What a header says, and where the line behind it starts.
#[derive(Clone, Copy, Debug)]
struct Head {
    id: u64,
    wait: Wait,
    status: u32,
    end: usize,
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

/// Samples by the text of their goroutines, for one builder.
#[derive(Debug)]
pub(crate) struct Records {
    pairs: Pairs,
    /// What each of them means.
    meanings: Vec<Meaning>,
    headers: usize,
    statuses: Vec<Status>,
    status_numbers: HashMap<Status, u32, FixedState>,
    steps: Vec<Step>,
    /// The step before each.
    parents: Vec<u32>,
    /// By the step before them and their pair.
    children: HashMap<(u32, PairId), u32, FixedState>,
    /// Steps by a hash of the step before them and the end of their text; whatever stands there is
    /// no more than a guess.
    guesses: Vec<u32>,
    /// For each step, where a path has ended there.
    ends: Vec<Option<End>>,
    samples: HashMap<(u32, u32, InputId), SampleId, FixedState>,
}

impl Default for Records {
    fn default() -> Records {
        let root = Step {
            start: 0,
            one_length: 0,
            two_length: 0,
            pair: PairId::default(),
            next: NONE,
            branches: false,
        };
        Records {
            pairs: Pairs::default(),
            meanings: Vec::new(),
            headers: 0,
            statuses: Vec::new(),
            status_numbers: HashMap::default(),
            steps: vec![root],
            parents: vec![NONE],
            children: HashMap::default(),
            guesses: vec![NONE; GUESSES],
            ends: vec![None],
            samples: HashMap::default(),
        }
    }
}

impl Records {
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
            let slot = if known.branches { self.slot(text, at, step, search) } else { None };
            let guess = match slot {
                Some(slot) => self.guess(slot, step),
                None => known.next,
            };
            let found = match self.follow(text, at, guess, search) {
                Some(found) => found,
                None => self.look_up(text, at, step, slot, builder)?,
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

    /// Where the guess for a step stands: by the end of its second line, which has the number of the
    /// line of code and the offset of the call.
    #[inline(always)]
    fn slot(&self, text: &[u8], at: usize, from: u32, search: impl Search) -> Option<usize> {
        let end = line_end(text, at, b'\n', search)?;
        let end = line_end(text, end.wrapping_add(1), b'\n', search)?;
        let tail = u128::from_le_bytes(*text.get(..end)?.last_chunk()?);
        let hash = fold(
            tail as u64 ^ u64::from(from).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            (tail >> 64) as u64 ^ 0xd6e8_feb8_6659_fd93,
        );
        Some((hash >> 32) as usize & self.guesses.len().wrapping_sub(1))
    }

    /// The step that was last seen for a slot, if it is one behind this step.
    #[inline(always)]
    fn guess(&self, slot: usize, from: u32) -> u32 {
        let guess = self.guesses.get(slot).copied().unwrap_or(NONE);
        if self.parents.get(guess as usize) == Some(&from) { guess } else { NONE }
    }

    /// The step guessed, if the text at hand is that.
    #[inline(always)]
    fn follow(&self, text: &[u8], at: usize, guess: u32, search: impl Search) -> Option<Found> {
        let step = self.steps.get(guess as usize)?;
        let (one_length, two_length) = (step.one_length as usize, step.two_length as usize);
        let one = self.pairs.texts(step.start)?;
        if !starts_alike(one, text.get(at..)?, one_length) {
            return None;
        }
        let behind = at.wrapping_add(one_length);
        let mut special = Special::None;
        let place = match step.pair.sort() {
            Sort::Call => {
                if text.get(behind) != Some(&b'(') {
                    return None;
                }
                let end = line_end(text, behind.wrapping_add(1), b'(', search)?;
                if text.get(end.wrapping_sub(1)) != Some(&b')') {
                    return None;
                }
                end.wrapping_add(1)
            }
            Sort::Creator => {
                let (end, id) = creator_end(text, behind)?;
                special = Special::Creator(id);
                end.wrapping_add(1)
            }
            Sort::Gap => {
                let end = behind.wrapping_add(1);
                let found = Found { step: guess, end, special: Special::Gap };
                return (text.get(behind) == Some(&b'\n')).then_some(found);
            }
            Sort::Header => return None,
        };
        let start = place.wrapping_add(1);
        if text.get(place) != Some(&b'\t')
            || !starts_alike(one.get(one_length..)?, text.get(start..)?, two_length)
        {
            return None;
        }
        let behind = start.wrapping_add(two_length);
        let next = text.get(behind..)?.first_chunk()?;
        let end = if u32::from_le_bytes(*next) == u32::from_le_bytes(*b" +0x") {
            line_end(text, behind.wrapping_add(1), b' ', search)?
        } else if next.first() == Some(&b'\n') {
            behind
        } else {
            return None;
        };
        Some(Found { step: guess, end: end.wrapping_add(1), special })
    }

    /// The step that the text at hand is, and where the line behind it starts; `None` when it isn't
    /// regular.
    #[inline(never)]
    fn look_up(
        &mut self,
        text: &[u8],
        at: usize,
        from: u32,
        slot: Option<usize>,
        builder: &mut ProfileBuilder,
    ) -> Option<Found> {
        if matches!(self.steps.get(from as usize)?.pair.sort(), Sort::Creator) {
            // Nothing regular stands behind a creator.
            return None;
        }
        let (line, place_at) = line(text, at)?;
        let mut end = place_at;
        let mut special = Special::None;
        let mut place = || {
            let (line, next) = self::line(text, place_at)?;
            let (place, _) = lines::without_offset(line.strip_prefix(b"\t")?);
            end = next;
            let start = place_at.checked_add(1)?;
            Some(start..start.checked_add(place.len())?)
        };
        let (sort, length, two) = match line.first()? {
            b'\t' | b' ' | b'[' => return None,
            b'.' => {
                special = Special::Gap;
                (Sort::Gap, line.len(), 0..0)
            }
            _ => match lines::created_by(line) {
                Some((func, id)) => {
                    special = Special::Creator(id);
                    (Sort::Creator, CREATED_BY.len().checked_add(func.len())?, place()?)
                }
                None => (Sort::Call, lines::call(line)?.len(), place()?),
            },
        };
        let pair = Pair::new(sort, text, at..at.checked_add(length)?, two)?;
        let id = match self.pairs.find(&pair) {
            Seen::Before(id) => id,
            Seen::Crowd => return None,
            Seen::Never => {
                let meaning = meaning(sort, &pair, text.get(at..end)?, builder)?;
                self.learn(&pair, meaning)?
            }
        };
        let step = match self.children.get(&(from, id)) {
            Some(&step) => step,
            None => self.new_step(from, &pair, id)?,
        };
        let from = self.steps.get_mut(from as usize)?;
        if from.next == NONE {
            from.next = step;
        } else if from.next != step {
            from.branches = true;
        }
        if let Some(slot) = slot
            && let Some(guess) = self.guesses.get_mut(slot)
        {
            *guess = step;
        }
        Some(Found { step, end, special })
    }

    fn new_step(&mut self, from: u32, pair: &Pair<'_>, id: PairId) -> Option<u32> {
        let number = u32::try_from(self.steps.len()).ok().filter(|&number| number != NONE)?;
        self.steps.push(Step {
            start: self.pairs.start(pair)?,
            one_length: u16::try_from(pair.one().len()).ok()?,
            two_length: u16::try_from(pair.two().len()).ok()?,
            pair: id,
            next: NONE,
            branches: false,
        });
        if self.steps.len() > self.guesses.len() {
            // Too many for it; they come back when they are next looked up.
            self.guesses = vec![NONE; self.guesses.len().checked_mul(4)?];
        }
        self.parents.push(from);
        self.ends.push(None);
        self.children.insert((from, id), number);
        Some(number)
    }

    fn learn(&mut self, pair: &Pair<'_>, meaning: Meaning) -> Option<PairId> {
        let id = self.pairs.insert(pair)?;
        self.meanings.push(meaning);
        Some(id)
    }

    /// Reads the header at `from`.
    #[inline(always)]
    fn header(
        &mut self,
        text: &[u8],
        from: usize,
        builder: &mut ProfileBuilder,
        search: impl Search,
    ) -> Option<Head> {
        let (id, rest) = short_number(text.get(from..)?.strip_prefix(b"goroutine ")?)?;
        // What isn't as in most headers goes the slow way. So does 0: its flags don't follow from
        // its header alone.
        if id == 0 || !rest.starts_with(b" [") {
            return None;
        }
        let start = text.len().checked_sub(rest.len())?.checked_add(1)?;
        let feed = line_end(text, start, b'\n', search)?;
        let end = match text.get(feed.checked_sub(1)?) {
            Some(b'\r') => feed.saturating_sub(1),
            _ => feed,
        };
        let minutes = minutes(text, start, end, search);
        let (one, two) = match &minutes {
            Some(minutes) => (start..minutes.before, minutes.behind..end),
            None => (start..end, start..start),
        };
        let pair = Pair::new(Sort::Header, text, one, two)?;
        let told = minutes.map(|minutes| Wait::minutes(minutes.value));
        let (status, wait) = match self.pairs.find(&pair) {
            Seen::Before(id) => match self.meanings.get(id.index()) {
                Some(&Meaning::Header(status, wait)) => (status, told.unwrap_or(wait)),
                _ => return None,
            },
            seen => self.new_header(&pair, text.get(start..end)?, told, seen, builder)?,
        };
        Some(Head { id, wait, status, end: feed.wrapping_add(1) })
    }

    #[inline(never)]
    fn new_header(
        &mut self,
        pair: &Pair<'_>,
        attributes: &[u8],
        told: Option<Wait>,
        seen: Seen,
        builder: &mut ProfileBuilder,
    ) -> Option<(u32, Wait)> {
        let parsed = Attributes::parse(attributes)?;
        if !parsed.closed || !attributes.ends_with(b":") {
            return None;
        }
        let status = Status::new(&parsed, builder);
        let next = u32::try_from(self.statuses.len()).ok()?;
        let number = *self.status_numbers.entry(status).or_insert(next);
        if number == next {
            self.statuses.push(status);
        }
        // Where something else than the minutes decides about the wait, it isn't to be cut out.
        let is_told = told.is_none_or(|wait| wait == parsed.wait);
        if seen == Seen::Never && self.headers < HEADERS && is_told {
            self.headers = self.headers.saturating_add(1);
            self.learn(pair, Meaning::Header(number, parsed.wait));
        }
        Some((number, parsed.wait))
    }

    /// The sample of a record.
    #[inline(always)]
    fn sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        match self.ends.get(record.last as usize) {
            Some(Some(end)) if end.status == record.status && end.input == input => end.sample,
            _ => self.other_sample(record, input, builder),
        }
    }

    #[inline(never)]
    fn other_sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let key = (record.last, record.status, input);
        let sample = match self.samples.get(&key) {
            Some(&sample) => sample,
            None => {
                let sample = self.new_sample(record, input, builder);
                self.samples.insert(key, sample);
                sample
            }
        };
        if let Some(end @ None) = self.ends.get_mut(record.last as usize) {
            *end = Some(End { status: record.status, input, sample });
        }
        sample
    }

    fn new_sample(
        &self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let mut path = Vec::new();
        let mut step = record.last;
        while step != ROOT
            && let Some(known) = self.steps.get(step as usize)
            && let Some(&parent) = self.parents.get(step as usize)
        {
            path.push(known.pair);
            step = parent;
        }
        let mut frames = Vec::with_capacity(path.len());
        let (mut creator, mut elided) = (None, None);
        for pair in path.iter().rev() {
            match self.meanings.get(pair.index()) {
                Some(&Meaning::Call(frame)) => frames.push(frame),
                Some(&Meaning::Creator(frame)) => creator = Some(frame),
                Some(&Meaning::Gap(count)) => {
                    let after = u32::try_from(frames.len()).unwrap_or(u32::MAX);
                    elided = Some(Elision { after, count });
                }
                Some(Meaning::Header(..)) | None => {}
            }
        }
        let status = self.statuses.get(record.status as usize).copied().unwrap_or_default();
        let stack = builder.stack(&frames);
        builder.sample(&SampleSpec {
            input,
            stack,
            full: stack,
            state: status.state,
            flags: status.flags,
            labels: status.labels,
            creator,
            elided,
        })
    }
}

/// A line without its end, and where the next one starts.
fn line(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest)?)?;
    let next = at.checked_add(line.len())?.checked_add(1)?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), next))
}

/// The line end at or behind `from`, if no byte before it is `refused`.
#[inline(always)]
fn line_end(text: &[u8], from: usize, refused: u8, search: impl Search) -> Option<usize> {
    let mut at = from;
    while let Some(window) = text.get(at..)?.first_chunk::<WIDTH>() {
        let ends = search(window, b'\n');
        if refused != b'\n' && search(window, refused) & ends.wrapping_sub(1) & !ends != 0 {
            return None;
        }
        if ends != 0 {
            return Some(at.wrapping_add(ends.trailing_zeros() as usize));
        }
        at = at.wrapping_add(WIDTH);
    }
    let rest = text.get(at..)?;
    let end = rest.iter().position(|&byte| byte == b'\n' || byte == refused)?;
    (rest.get(end) == Some(&b'\n')).then_some(at.wrapping_add(end))
}

/// The line end behind a creator's function, and the goroutine: as [`lines::created_by`].
#[inline(always)]
fn creator_end(text: &[u8], behind: usize) -> Option<(usize, Option<u64>)> {
    let rest = text.get(behind..)?;
    if rest.first() == Some(&b'\n') {
        return Some((behind, None));
    }
    let (id, rest) = short_number(rest.strip_prefix(IN_GOROUTINE)?)?;
    let end = text.len().checked_sub(rest.len())?;
    (rest.first() == Some(&b'\n')).then_some((end, Some(id)))
}

/// What a new pair means; `None` when its lines may be something else, which is for others to tell.
fn meaning(
    sort: Sort,
    pair: &Pair<'_>,
    text: &[u8],
    builder: &mut ProfileBuilder,
) -> Option<Meaning> {
    if sort == Sort::Gap {
        return Some(Meaning::Gap(lines::elided(pair.one())?));
    }
    let place = pair.two();
    let (file, line) = lines::file_and_line(place)?;
    let is_odd = place.first()?.is_ascii_whitespace()
        || text.split(|&byte| byte == b'\n').any(log::wraps_goroutine);
    if is_odd {
        return None;
    }
    if sort == Sort::Creator {
        let func = pair.one().strip_prefix(CREATED_BY).filter(|func| !func.is_empty())?;
        return Some(Meaning::Creator(builder.frame(func, file, line)));
    }
    let func = pair.one();
    // Without a blank it is no message of the runtime or of a crash, nor a line of a log.
    let is_name = memchr::memchr2(b' ', b'\t', func).is_none() && !func.starts_with(b"0x");
    is_name.then(|| Meaning::Call(builder.frame(func, file, line)))
}

/// The minutes of a header: `5` in `[select, 5 minutes]:`.
#[derive(Clone, Copy, Debug)]
struct Minutes {
    value: f32,
    before: usize,
    behind: usize,
}

/// The minutes of a header whose attributes are these.
///
/// Only where they stand behind the first comma and nothing is quoted before it, so that another
/// number there changes nothing else.
#[inline(always)]
fn minutes(text: &[u8], start: usize, end: usize, search: impl Search) -> Option<Minutes> {
    let ends_word = |byte: &u8| matches!(byte, b',' | b']' | b'"');
    let comma = match text.get(start..)?.first_chunk::<WIDTH>() {
        Some(window) => {
            let ends = search(window, b',') | search(window, b']') | search(window, b'"');
            ends.trailing_zeros() as usize
        }
        None => text.get(start..end)?.iter().position(ends_word)?,
    };
    let before = start.checked_add(comma)?.checked_add(2)?;
    let rest = text.get(before..end)?;
    if !text.get(start..before)?.ends_with(b", ") {
        return None;
    }
    let (value, behind) = short_number(rest)?;
    let digits = rest.len().checked_sub(behind.len())?;
    if digits > DIGITS || !behind.starts_with(b" minutes") {
        return None;
    }
    Some(Minutes { value: value as f32, before, behind: end.checked_sub(behind.len())? })
}
