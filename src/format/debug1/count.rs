//! debug=1 text of count profiles: goroutines with the same stack and labels are one record.
//!
//! ```text
//! goroutine profile: total 305
//! 11 @ 0x487b4a 0x48b985 0x698af6 0x48e8e1
//! # labels: {"tenant":"acme"}
//! #    0x48b984    time.Sleep+0x164    /usr/local/go/src/runtime/time.go:368
//! #    0x698af5    main.(*Replica).Sleeper+0x15    /home/dev/store.go:107
//!
//! ```
//! Columns are aligned with tabs. Go hides leading runtime frames, but their PCs are in the first
//! line of the record. Other tools write `11 goroutines in stack:` instead of that line.

#[cfg(test)]
mod tests;

use super::Used;
use super::line::{ParsedFrame, has_whole_addresses, hex, number, parse_frame, pcs, record_start};
use super::record::{NEGATIVE, Records};
use crate::format::quoted::unquote;
use crate::profile::{
    Flag, FlagsId, FrameId, InputFormat, InputId, NewCall, ProfileBuilder, SampleSpec, StrId,
    UNKNOWN, WarningKind, flag, place_of_address,
};
use crate::simd::Kernel;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// The first line of a count profile, `NAME profile: total N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CountHeader<'a> {
    /// The name of what is counted: `goroutine`, `goroutineleak`, `threadcreate`, a program's own
    /// profile.
    pub(crate) name: &'a [u8],
    /// The count that the profile announces.
    pub(crate) total: i64,
}

impl CountHeader<'_> {
    /// The format, if goroutines are counted.
    pub(crate) fn format(&self) -> Option<InputFormat> {
        match self.name {
            b"goroutine" => Some(InputFormat::Debug1),
            b"goroutineleak" => Some(InputFormat::LeakDebug1),
            _ => None,
        }
    }
}

/// Recognises the first line of a count profile.
pub(crate) fn header(line: &[u8]) -> Option<CountHeader<'_>> {
    // A cheap test first, as many lines are checked.
    let line = line.trim_ascii_end();
    if !line.last()?.is_ascii_digit() {
        return None;
    }
    let (name, rest) = line.split_at_checked(MIDDLE.find(line)?)?;
    let total = number(rest.get(MIDDLE.needle().len()..)?)?;
    // Quotes and brackets are those of a container that isn't known.
    let is_foreign = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`<>{}=".contains(byte);
    let is_name = !name.is_empty() && !name.iter().any(is_foreign) && !is_behind_prefix(name);
    is_name.then_some(CountHeader { name, total })
}

/// Whether a name starts as `grep` prints lines: `12:goroutine`, `node.log:12:goroutine`, `node.log:goroutine`.
fn is_behind_prefix(name: &[u8]) -> bool {
    const OF_GO: [&[u8]; 3] = [b":goroutine", b":goroutineleak", b":threadcreate"];
    let mut files = OF_GO.iter().filter_map(|known| name.strip_suffix(*known));
    if files.any(|file| file.iter().any(|byte| b"./".contains(byte))) {
        return true;
    }
    let mut fields = name.split(|&byte| byte == b':');
    let is_number = |field: &[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let is_file = |field: &[u8]| field.contains(&b'.');
    match (fields.next(), fields.next(), fields.next()) {
        (Some(first), Some(_), None) => is_number(first),
        (Some(first), Some(second), Some(_)) => is_file(first) && is_number(second),
        _ => false,
    }
}

static MIDDLE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" profile: total "));

/// Whether a line starts a record of goroutines, even if the first line of the profile is missing.
pub(crate) fn starts_record(line: &[u8]) -> bool {
    record_start(line).is_some() && has_whole_addresses(line) && pcs(line).nth(1).is_some()
}

/// The name of a C++ program's text profile, recognised by its first line.
pub(crate) fn other_profile(line: &[u8]) -> Option<&str> {
    if line.starts_with(b"--- threadz") {
        return Some("thread");
    }
    line.starts_with(b"heap profile: ").then_some("heap")
}

/// Reads a count profile line by line, after its header.
#[derive(Debug)]
pub(crate) struct CountReader {
    input: InputId,
    flags: FlagsId,
    announced: Option<i64>,
    sum: i64,
    records: Records<FrameId>,
    /// The count of the current record.
    count: i64,
    /// State and flags, if the text has them; only `-o debug2` writes them.
    state: Option<StrId>,
    own_flags: Vec<Flag>,
    /// Whether addresses are kept, and the calls of frames with names by their addresses.
    keeps_calls: bool,
    named: Vec<(u64, NewCall)>,
}

impl CountReader {
    /// Starts a profile; `header` must be one of goroutines.
    pub(crate) fn new(
        header: &CountHeader<'_>,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> CountReader {
        let mut flags = FlagsId::NONE;
        if let Some(format) = header.format() {
            builder.input_mut(input).format = format;
            if format == InputFormat::LeakDebug1 {
                flags = builder.with_flag(flags, flag::LEAKED);
            }
        }
        builder.input_mut(input).announced = Some(header.total);
        CountReader {
            flags,
            announced: Some(header.total),
            ..CountReader::headless(input, builder)
        }
    }

    /// Starts with the first record that is left of a profile.
    pub(crate) fn headless(input: InputId, builder: &ProfileBuilder) -> CountReader {
        CountReader {
            input,
            flags: FlagsId::NONE,
            announced: None,
            sum: 0,
            records: Records::new(input),
            count: 0,
            state: None,
            own_flags: Vec::new(),
            keeps_calls: builder.keep().calls,
            named: Vec::new(),
        }
    }

    /// The fast way: see [`Records::known_frames`].
    #[inline(always)]
    pub(in crate::format) fn known_frames(
        &mut self,
        text: &[u8],
        kernel: impl Kernel,
    ) -> (u64, usize) {
        self.records.known_frames(text, kernel)
    }

    /// Takes a line without its line end.
    pub(crate) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        match line.first() {
            Some(b'#') => self.detail(line, number, builder),
            Some(b'-' | b'0'..=b'9') => match record_start(line) {
                Some(count) => {
                    self.end_record(builder);
                    self.records.start(line, number);
                    self.count = count;
                    self.state = None;
                    self.own_flags.clear();
                    self.named.clear();
                    Used::Took
                }
                None => match self.records.without_sign(line) {
                    Some(frame) => self.detail(&frame, number, builder),
                    None => self.records.unknown(line),
                },
            },
            // A record that was pasted ends with its Markdown fence.
            _ if line.trim_ascii().is_empty() || line == b"```" => self.records.blank(),
            _ => self.records.unknown(line),
        }
    }

    /// Takes a line that starts with `#`.
    fn detail(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        if self.records.is_open() {
            if let Some((state, _)) = line.strip_prefix(b"# state: ").and_then(unquote) {
                self.state = Some(builder.string(&state));
                return Used::Took;
            }
            if let Some((flag, _)) = line.strip_prefix(b"# flag: ").and_then(unquote) {
                self.own_flags.push(builder.string(&flag));
                return Used::Took;
            }
        }
        if self.keeps_calls
            && let Some(parsed) = parse_frame(line)
            && parsed.named
        {
            let call = call_of(&parsed, builder);
            self.named.push((parsed.address, call));
        }
        self.records.detail(line, number, builder, |parsed, builder| parsed.frame(builder))
    }

    /// Counts the current record.
    fn end_record(&mut self, builder: &mut ProfileBuilder) {
        let Some(record) = self.records.take() else { return };
        if self.count < 0 {
            let input = builder.input_mut(self.input);
            input.seen.headers = input.seen.headers.saturating_add(1);
            input.seen.partial = input.seen.partial.saturating_add(1);
            return input.warn(WarningKind::Partial, Some(record.line), NEGATIVE);
        }
        let cut = record.cut.is_some()
            || self.records.lacks_frames(false)
            || (!record.closed && self.records.breaks_off());
        if self.records.frames.is_empty() && record.cut.is_none() {
            // Without symbols, addresses are all that is known.
            if !cut {
                self.records.lacks_all_frames(&record, self.count.unsigned_abs());
            }
            let pcs = self.records.pcs().filter_map(hex);
            let frames = pcs.map(|pc| builder.frame(UNKNOWN, &place_of_address(pc), 0)).collect();
            self.records.frames = frames;
        }
        let mut flags = self.flags;
        if !self.own_flags.is_empty() {
            self.own_flags.extend_from_slice(builder.profile().flags(self.flags));
            flags = builder.flags(&mut self.own_flags);
        }
        self.records.count(&record, cut.then_some(self.count.unsigned_abs()), builder);
        if cut {
            flags = builder.with_flag(flags, flag::TRUNCATED);
        }
        let stack = builder.stack(&self.records.frames);
        let locations = self.locations(builder);
        let (state, labels) = (self.state, record.labels);
        let spec = SampleSpec { state, flags, labels, ..SampleSpec::new(self.input, stack) };
        let sample = builder.sample_at(&spec, locations);
        builder.count(sample, self.count);
        self.sum = self.sum.saturating_add(self.count);
    }

    /// The list of locations of the current record: one for each address, with the frame that a
    /// line names for it.
    fn locations(&mut self, builder: &mut ProfileBuilder) -> u32 {
        if !self.keeps_calls {
            return 0;
        }
        let mut list = Vec::new();
        let mut named = std::mem::take(&mut self.named).into_iter().peekable();
        for pc in self.records.pcs().filter_map(hex) {
            // `threadcreate` has 0 and -1 if no stack is known.
            let address = pc.saturating_sub(1);
            if address == 0 || pc == u64::MAX {
                continue;
            }
            let name = named.next_if(|&(at, _)| at == address || at == pc);
            let call = name.map(|(_, call)| call).unwrap_or_default();
            list.push(builder.call(NewCall { address, ..call }));
        }
        builder.locations(&list)
    }

    /// Ends the profile: counts its last record and compares the sum with the announced one.
    pub(crate) fn finish(mut self, builder: &mut ProfileBuilder) {
        self.end_record(builder);
        self.records.warn_of_frameless(self.announced.is_some(), builder);
        if let Some(announced) = self.announced
            && self.sum != announced
        {
            let sum = self.sum;
            let text = format!("{announced} goroutines are announced and {sum} were found");
            builder.input_mut(self.input).warn(WarningKind::Total, None, text);
        }
    }
}

/// The call in a line.
fn call_of(parsed: &ParsedFrame<'_>, builder: &mut ProfileBuilder) -> NewCall {
    NewCall {
        frames: vec![parsed.frame(builder)],
        offset: u32::try_from(parsed.offset).unwrap_or(0),
        ..NewCall::default()
    }
}
