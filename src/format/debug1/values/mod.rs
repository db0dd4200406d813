//! debug=1 text of profiles that don't count goroutines: heap and allocs, block and mutex,
//! threadcreate, and profiles that programs make with `pprof.NewProfile`.
//!
//! ```text
//! heap profile: 94: 675088 [206: 5854608] @ heap/32768
//! 1: 512 [3: 1536] @ 0x485696 0x48537b 0x69d2b8 0x48e8e1
//! #    0x69d2b7    main.save+0x1b7     /home/dev/main.go:348
//!
//! # runtime.MemStats
//! # Alloc = 4197632
//! ```
//! They differ in the first line (`head`), the numbers of a record (`record`) and their conversion
//! to values.

mod head;
mod memory;
mod record;
#[cfg(test)]
mod tests;

pub(crate) use head::{Head, head};

use self::head::{ATTRIBUTES, Measure};
use self::memory::memory_line;
use self::record::{Numbers, numbers};
use super::Used;
use super::line::{self, hex};
use super::record::{NEGATIVE, Records};
use crate::format::notice::before_mark;
use crate::format::traceback::foreign;
use crate::profile::{
    FrameId, InputId, Label, LabelValue, LabelsId, LocationId, NewCall, NewSample, ProfileBuilder,
    SampleSpec, SampleType, StackId, StrId, UNKNOWN, WarningKind, place_of_address,
};
use crate::simd::Kernel;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// Of the numbers in the head only the clock rate is long enough to be broken, and has at most ten digits.
const CLOCK_RATE: usize = "cycles/second=2299998016".len();

/// Reads a profile line by line, after its first line.
#[derive(Debug)]
pub(crate) struct ValueReader {
    input: InputId,
    head: Head,
    /// From further lines of the head: the clock rate and the sampling period.
    cycles_per_second: i64,
    period: i64,
    /// Which of [`ATTRIBUTES`] were found.
    found: [bool; ATTRIBUTES.len()],
    /// The last of these lines: a narrow terminal can break its number in two.
    attribute: Vec<u8>,
    records: Records<(LocationId, FrameId)>,
    /// The numbers of the current record.
    numbers: Numbers,
    /// Records whose delays aren't in nanoseconds yet.
    waiting: Vec<Waiting>,
    /// Whether all counts of contentions are multiples of the period.
    multiples: bool,
    /// Sums of the numbers that the first line announces.
    sum: [i128; 4],
    /// Locations and frames of the current record; the buffers are reused.
    list: Vec<LocationId>,
    stack: Vec<FrameId>,
    /// Whether the current line is after `# runtime.MemStats`.
    in_memory: bool,
    /// Whether nothing but blank lines stands behind numbers that may be the start of a record.
    ends_in_numbers: bool,
}

/// A record of contentions.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    stack: StackId,
    locations: u32,
    labels: LabelsId,
    cycles: i64,
    count: i64,
}

impl ValueReader {
    /// Starts a profile.
    pub(crate) fn new(head: Head, input: InputId, builder: &mut ProfileBuilder) -> ValueReader {
        let types: Vec<_> = head
            .types()
            .into_iter()
            .map(|(kind, unit)| builder.sample_type(&kind, unit.as_bytes()))
            .collect();
        let (kind, unit, period) = head.period();
        let period_type =
            SampleType { kind: builder.string(&kind), unit: builder.string(unit.as_bytes()) };
        let found = builder.input_mut(input);
        found.format = head.format();
        found.announced = Some(head.announced());
        found.header.default_type = types.last().copied();
        found.header.sample_types = types;
        found.header.period_type = Some(period_type);
        found.header.period = period;
        found.header.exact = true;
        ValueReader {
            input,
            head,
            cycles_per_second: 0,
            period: 0,
            found: [false; ATTRIBUTES.len()],
            attribute: Vec::new(),
            records: Records::new(input),
            numbers: Numbers::Count(0),
            waiting: Vec::new(),
            multiples: true,
            sum: [0; 4],
            list: Vec::new(),
            stack: Vec::new(),
            in_memory: false,
            ends_in_numbers: false,
        }
    }

    /// The fast way: see [`Records::known_frames`].
    #[inline(always)]
    pub(in crate::format) fn known_frames(
        &mut self,
        text: &[u8],
        kernel: impl Kernel,
    ) -> (u64, usize) {
        match self.in_memory {
            true => (0, 0),
            false => self.records.known_frames(text, kernel),
        }
    }

    /// Whether a line is the rest of the last one, which a narrow terminal broke.
    fn goes_on(&self, line: &[u8]) -> bool {
        let is_in_head = !self.attribute.is_empty() && !self.records.is_open();
        is_in_head && !line.is_empty() && line.iter().all(u8::is_ascii_digit)
    }

    /// Whether a line is one of the first ones, or the rest of one.
    pub(in crate::format) fn awaits(&self, line: &[u8]) -> bool {
        let is_attribute = || ATTRIBUTES.iter().any(|name| line.starts_with(name));
        self.goes_on(line) || !self.records.is_open() && is_attribute()
    }

    /// Whether the last line of the input, which has no line end, breaks off. A frame with its place counts as whole, as
    /// editors take the last line end away; a first line or the numbers of a record may have gone on.
    pub(in crate::format) fn breaks_off(&self, last: &[u8]) -> bool {
        let is_contention = self.head.measure == Measure::Contention;
        let is_of_head = |name: &&[u8]| last.starts_with(name) || name.starts_with(last);
        match last.trim_ascii_start().first() {
            _ if self.in_memory => false,
            Some(b'#') => {
                // `threadcreate` has 0 where no stack is known.
                let is_whole = |frame: line::ParsedFrame<'_>| frame.named || frame.address == 0;
                self.records.is_unfinished() && !line::parse_frame(last).is_some_and(is_whole)
            }
            Some(b'-' | b'0'..=b'9') => true,
            Some(_) => {
                is_contention && !self.records.is_open() && ATTRIBUTES.iter().any(is_of_head)
            }
            None => false,
        }
    }

    /// Whether the text so far ends in what may be the start of a record, with a line end that a log has put there.
    pub(in crate::format) fn ends_in_numbers(&self) -> bool {
        self.ends_in_numbers
    }

    /// Takes a line without its line end.
    pub(crate) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        self.ends_in_numbers &= line.trim_ascii().is_empty();
        // C++ programs pad the numbers to columns.
        match line.trim_ascii_start().first() {
            Some(b'#') => self.detail(line, number, builder),
            _ if self.goes_on(line) => {
                let whole = [&self.attribute, line].concat();
                let is_rate = whole.starts_with(b"cycles") && whole.len() <= CLOCK_RATE;
                if !is_rate || !self.attribute(&whole) {
                    let input = builder.input_mut(self.input);
                    input.seen.partial = input.seen.partial.saturating_add(1);
                    let text = "a number stands above the records, as is left of a line";
                    input.warn(WarningKind::Partial, Some(number), text);
                }
                Used::Took
            }
            Some(b'-' | b'0'..=b'9') => match numbers(&self.head.measure, line) {
                Some(numbers) => {
                    self.end_record(builder);
                    self.records.start(line, number);
                    self.numbers = numbers;
                    Used::Took
                }
                None if self.is_cut_record(line) => self.cut_record(number, builder),
                None => match self.records.without_sign(line) {
                    Some(frame) => self.detail(&frame, number, builder),
                    None if self.is_left_of_record(line) => self.cut_record(number, builder),
                    None if self.may_be_numbers(line) => {
                        self.ends_in_numbers = true;
                        Used::Took
                    }
                    None => self.records.unknown(line),
                },
            },
            // A record that was pasted ends with its Markdown fence.
            _ if line.trim_ascii().is_empty() || line == b"```" => self.records.blank(),
            _ if self.attribute(line) => Used::Took,
            _ if self.is_left_of_record(line) => self.cut_record(number, builder),
            _ => self.records.unknown(line),
        }
    }

    /// Counts a record whose first line is damaged.
    fn cut_record(&mut self, number: u64, builder: &mut ProfileBuilder) -> Used {
        self.end_record(builder);
        let input = builder.input_mut(self.input);
        input.seen.partial = input.seen.partial.saturating_add(1);
        let text = "the first line of a record is cut";
        input.warn(WarningKind::Partial, Some(number), text);
        Used::Took
    }

    /// Whether a line is the numbers of a record and what was written over the rest of it: `658138104 79Killed`,
    /// `587[truncated]`. Contentions have no totals that would show the loss.
    fn is_cut_record(&self, line: &[u8]) -> bool {
        let marked = before_mark(line);
        let text = marked.unwrap_or(line);
        let is_of_numbers = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
        let count = text.iter().take_while(|byte| is_of_numbers(byte)).count();
        let (numbers, after) = text.split_at_checked(count).unwrap_or_default();
        // `12...` can be anything.
        let is_marked = marked.is_some()
            && after.is_empty()
            && (numbers.contains(&b' ') || line.ends_with(b"]") || line.ends_with(b")"));
        let is_glued = numbers.contains(&b' ')
            && foreign::starts_message(after)
            && (!numbers.ends_with(b" ") || after.starts_with(b"^"));
        self.head.measure == Measure::Contention
            && !self.records.is_unfinished()
            && numbers.first().is_some_and(u8::is_ascii_digit)
            && (is_marked || is_glued)
    }

    /// Whether a line below a whole contention may be the start of the next one, which isn't longer. It is told where the
    /// text ends in it; above other text it can be anything.
    fn may_be_numbers(&self, line: &[u8]) -> bool {
        let Numbers::Contention { cycles: longest, .. } = self.numbers else { return false };
        self.records.is_open()
            && !self.records.is_unfinished()
            && record::is_start_of_numbers(line, longest)
    }

    /// Whether a line is what is left of the first line of a record and of what stands behind it. Contentions have no
    /// totals that would show the loss.
    fn is_left_of_record(&self, line: &[u8]) -> bool {
        let is_first = self.waiting.is_empty() && !self.records.is_open();
        self.head.measure == Measure::Contention && record::is_left_of_contention(line, is_first)
    }

    /// Takes `cycles/second=2596095855` and similar lines, between the first line and the records.
    fn attribute(&mut self, line: &[u8]) -> bool {
        if self.head.measure != Measure::Contention || self.records.is_open() {
            return false;
        }
        let Some(equal) = memchr::memchr(b'=', line) else { return false };
        let Some((name, value)) = line.split_at_checked(equal) else { return false };
        let name = name.trim_ascii();
        let value = value.strip_prefix(b"=").and_then(|value| line::number(value.trim_ascii()));
        let known = ATTRIBUTES.iter().zip(&mut self.found).find(|(known, _)| **known == name);
        let (Some((_, found)), Some(value @ 0..)) = (known, value) else { return false };
        // Only a line that goes on with the last one, which a terminal broke, can be a second one.
        if std::mem::replace(found, true) && !line.starts_with(&self.attribute) {
            return false;
        }
        match name {
            b"cycles/second" => self.cycles_per_second = value,
            b"sampling period" => self.period = value,
            _ => {}
        }
        self.attribute.clear();
        self.attribute.extend_from_slice(line);
        true
    }

    /// Takes a line that starts with `#`: a part of a record, or memory statistics.
    fn detail(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        if line == b"# runtime.MemStats" {
            self.end_record(builder);
            self.in_memory = true;
            return Used::Took;
        }
        if self.in_memory {
            let header = &mut builder.input_mut(self.input).header;
            memory_line(line, header.memory.get_or_insert_default());
            return Used::Took;
        }
        self.records.detail(line, number, builder, |parsed, builder| {
            let frame = parsed.frame(builder);
            let call = NewCall {
                frames: if parsed.named { vec![frame] } else { Vec::new() },
                address: parsed.address,
                offset: u32::try_from(parsed.offset).unwrap_or(0),
                ..NewCall::default()
            };
            (builder.call(call), frame)
        })
    }

    /// Counts the current record.
    fn end_record(&mut self, builder: &mut ProfileBuilder) {
        let Some(record) = self.records.take() else { return };
        if self.numbers.are_negative() {
            let input = builder.input_mut(self.input);
            input.seen.headers = input.seen.headers.saturating_add(1);
            input.seen.partial = input.seen.partial.saturating_add(1);
            return input.warn(WarningKind::Partial, Some(record.line), NEGATIVE);
        }
        let is_cut = record.cut.is_some()
            || self.records.lacks_frames(self.head.measure == Measure::Contention)
            || (!record.closed && self.records.breaks_off());
        if self.records.frames.is_empty() {
            // Without symbols, addresses are all that is known; each is that of the return.
            if !is_cut {
                self.records.lacks_all_frames(&record, 1);
            }
            let calls = self.records.pcs().filter_map(hex).map(|pc| pc.wrapping_sub(1));
            let frames = calls.map(|address| {
                let frame = builder.frame(UNKNOWN, &place_of_address(address), 0);
                (builder.call(NewCall { address, ..NewCall::default() }), frame)
            });
            self.records.frames = frames.collect();
        }
        self.records.count(&record, is_cut.then_some(1), builder);
        self.stack.clear();
        self.list.clear();
        for &(location, frame) in &self.records.frames {
            self.list.push(location);
            self.stack.push(frame);
        }
        let stack = builder.stack(&self.stack);
        let locations = builder.locations(&self.list);
        for (sum, announced) in self.sum.iter_mut().zip(self.numbers.announced()) {
            *sum = sum.saturating_add(announced.into());
        }
        if let Numbers::Contention { cycles, count } = self.numbers {
            let labels = record.labels;
            self.multiples &= count.checked_rem(self.period) == Some(0);
            self.waiting.push(Waiting { stack, locations, labels, cycles, count });
            return;
        }
        let (values, size) = self.numbers.values(&self.head.measure);
        let labels = match size {
            Some(size) => {
                let mut set = builder.profile().labels(record.labels).to_vec();
                let key = builder.string(b"bytes");
                set.push(Label { key, value: LabelValue::Number(size, StrId::EMPTY) });
                builder.labels(&mut set)
            }
            None => record.labels,
        };
        self.add(stack, locations, labels, &values, builder);
    }

    fn add(
        &self,
        stack: StackId,
        locations: u32,
        labels: LabelsId,
        values: &[i64],
        builder: &mut ProfileBuilder,
    ) {
        builder.add_sample(&NewSample {
            spec: SampleSpec { labels, ..SampleSpec::new(self.input, stack) },
            values,
            locations,
            labels,
        });
    }

    /// Converts cycles to time, and scales sampled events to all events.
    ///
    /// Go up to 1.22 writes the sampled numbers, later versions scale them themselves: then every
    /// count is a multiple of the period.
    fn end_contention(&mut self, builder: &mut ProfileBuilder) {
        let waiting = std::mem::take(&mut self.waiting);
        let sampling = self.period.max(1);
        let period = if self.multiples { 1 } else { sampling };
        builder.input_mut(self.input).header.period = sampling;
        let giga = self.cycles_per_second as f64 / 1e9;
        let is_lost = self.head.is_of_go() && !self.found.starts_with(&[true]);
        if !waiting.is_empty() && self.cycles_per_second <= 0 && !is_lost {
            let text = "no line tells how long a cycle is; delays are cycles";
            builder.input_mut(self.input).warn(WarningKind::Note, None, text);
        }
        self.warn_of_repeated(&waiting, builder);
        for Waiting { stack, locations, labels, cycles, count } in waiting {
            let delay = match self.cycles_per_second {
                // Computed as in pprof: floats are truncated, and saturate at the ends of 64 bits.
                1.. => (cycles as f64 * period as f64 / giga) as i64,
                _ => cycles.saturating_mul(period),
            };
            let values = [count.saturating_mul(period), delay];
            self.add(stack, locations, labels, &values, builder);
        }
    }

    /// Warns of contentions that stand twice: Go writes one record for each stack. What sends a log again, or copies a part
    /// of a text again, repeats them, and no total shows it.
    fn warn_of_repeated(&self, waiting: &[Waiting], builder: &mut ProfileBuilder) {
        let mut known: HashSet<_, FixedState> = HashSet::default();
        let is_known = |one: &&Waiting| !known.insert((one.locations, one.cycles, one.count));
        let repeated = waiting.iter().filter(is_known).count() as u64;
        if repeated > 0 && self.head.is_of_go() {
            let input = builder.input_mut(self.input);
            input.seen.partial = input.seen.partial.saturating_add(repeated);
            let text = "records stand twice, as where a part of the text is repeated: their numbers are too large";
            input.warn(WarningKind::Partial, None, text);
        }
    }

    /// Warns of lines that Go writes above the records and that weren't found.
    fn warn_of_attributes(&self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        let found = self.found.iter().take(self.head.attributes);
        let Some(lost) = found.zip(ATTRIBUTES).find_map(|(found, name)| (!found).then_some(name))
        else {
            return;
        };
        let input = builder.input_mut(self.input);
        if at_end_of_input && self.waiting.is_empty() && !self.records.is_open() {
            let text = "the input ends above the records of its profile";
            return input.warn(WarningKind::Truncated, None, text);
        }
        let text = match lost {
            b"cycles/second" => "the line `cycles/second` is missing; delays are cycles",
            _ => "the line `sampling period` is missing; numbers may be too small",
        };
        input.seen.partial = input.seen.partial.saturating_add(1);
        input.warn(WarningKind::Partial, None, text);
    }

    /// Ends the profile: counts its last record and compares the sum with the announced one.
    pub(crate) fn finish(mut self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        self.warn_of_attributes(at_end_of_input, builder);
        self.end_record(builder);
        self.records.warn_of_frameless(self.head.is_of_go(), builder);
        if self.head.measure == Measure::Contention {
            self.end_contention(builder);
        }
        for (what, announced, sum) in self.head.check(self.sum) {
            let text = format!("{announced} {what} are announced and {sum} were found");
            builder.input_mut(self.input).warn(WarningKind::Total, None, text);
        }
    }
}
