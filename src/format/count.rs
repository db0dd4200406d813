//! debug=1 text of count profiles: goroutines with one stack and one set of labels are one record.
//!
//! ```text
//! goroutine profile: total 305
//! 11 @ 0x487b4a 0x48b985 0x698af6 0x48e8e1
//! # labels: {"tenant":"acme"}
//! #	0x48b984	time.Sleep+0x164		/usr/local/go/src/runtime/time.go:368
//! #	0x698af5	main.(*Replica).Sleeper+0x15	/home/dev/store.go:107
//!
//! ```
//! Columns are aligned with tabs. Go hides leading runtime frames, but their PCs stand in the
//! first line of the record. Other tools write `11 goroutines in stack:` instead of it.

use super::quoted::unquote;
use crate::profile::{
    Flag, FlagsId, FrameId, InputFormat, InputId, Label, LabelValue, LabelsId, ProfileBuilder,
    SampleSpec, StrId, Strings, WarningKind, flag,
};

/// The first line of a count profile, `NAME profile: total N`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CountHeader<'a> {
    /// What is counted: `goroutine`, `goroutineleak`, `threadcreate`, a program's own profile.
    pub(crate) name: &'a [u8],
    /// How many, by the profile's own word.
    pub(crate) total: i64,
}

impl CountHeader<'_> {
    /// The format, where goroutines are counted; others are known but can't be read.
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
    const MIDDLE: &[u8] = b" profile: total ";
    let at = memchr::memmem::find(line, MIDDLE)?;
    let (name, rest) = line.split_at_checked(at)?;
    let total = number(rest.strip_prefix(MIDDLE)?.trim_ascii_end())?;
    let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
    is_name.then_some(CountHeader { name, total })
}

/// Names a legacy text profile that doesn't count goroutines by its first line: `heap`, `mutex`, ...
pub(crate) fn other_profile(line: &[u8]) -> Option<&str> {
    let known = |name: &[u8]| match name {
        b"contention" => Some("block"),
        b"mutex" => Some("mutex"),
        b"heap" | b"heapz_v2" | b"growthz" => Some("heap"),
        b"threadz" => Some("thread"),
        _ => None,
    };
    if let Some(name) = line.strip_prefix(b"--- ") {
        return known(name.strip_suffix(b":")?);
    }
    if line.starts_with(b"heap profile: ") {
        return Some("heap");
    }
    match header(line) {
        Some(header) if header.format().is_none() => std::str::from_utf8(header.name).ok(),
        _ => None,
    }
}

/// What a reader made of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Used {
    /// It belongs to the profile.
    Took,
    /// It stands outside records and isn't known here.
    NotMine,
    /// It stands inside a record and belongs to no profile.
    Foreign,
}

/// Reads a count profile line by line, after its header.
#[derive(Debug)]
pub(crate) struct CountReader {
    input: InputId,
    flags: FlagsId,
    announced: i64,
    sum: i64,
    record: Option<Record>,
    /// Frame lines seen so far, with the frame of each: the same line comes back many times.
    lines: Strings,
    frames: Vec<FrameId>,
    /// Whether any frame has a name: profiles of stripped programs have addresses only.
    symbolized: bool,
    /// Label lines seen so far, the same way.
    label_lines: Strings,
    labels: Vec<LabelsId>,
    /// Frames and first line of the record at hand, here to be reused.
    stack: Vec<FrameId>,
    first_line: Vec<u8>,
}

/// A record of which more lines may come.
#[derive(Debug)]
struct Record {
    line: u64,
    count: i64,
    labels: LabelsId,
    /// State and flags where the text tells them; only `-o debug2` writes them.
    state: Option<StrId>,
    flags: Vec<Flag>,
    /// A blank line followed it.
    closed: bool,
    /// The address of its last frame, and whether that has a name.
    last_address: u64,
    last_named: bool,
    /// Where a frame line breaks off.
    cut: Option<u64>,
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
        let mut reader = CountReader {
            input,
            flags,
            announced: header.total,
            sum: 0,
            record: None,
            lines: Strings::default(),
            frames: Vec::new(),
            symbolized: false,
            label_lines: Strings::default(),
            labels: Vec::new(),
            stack: Vec::new(),
            first_line: Vec::new(),
        };
        // The tables hold the empty string from the start.
        reader.frames.push(builder.frame(b"", b"", 0));
        reader.labels.push(LabelsId::NONE);
        reader
    }

    /// Takes in a line without its line end.
    pub(crate) fn line(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        match line.first() {
            Some(b'#') => self.detail(line, number, builder),
            Some(b'-' | b'0'..=b'9') => match record_start(line) {
                Some(count) => {
                    self.end_record(false, builder);
                    self.first_line.clear();
                    self.first_line.extend_from_slice(line);
                    self.record = Some(Record {
                        line: number,
                        count,
                        labels: LabelsId::NONE,
                        state: None,
                        flags: Vec::new(),
                        closed: false,
                        last_address: 0,
                        last_named: false,
                        cut: None,
                    });
                    Used::Took
                }
                None => self.unknown(),
            },
            _ if line.trim_ascii().is_empty() => {
                if let Some(record) = &mut self.record {
                    record.closed = true;
                }
                Used::Took
            }
            _ => self.unknown(),
        }
    }

    fn unknown(&self) -> Used {
        match &self.record {
            Some(record) if !record.closed => Used::Foreign,
            _ => Used::NotMine,
        }
    }

    /// A line that starts with `#`: a frame, labels, or nothing.
    fn detail(&mut self, line: &[u8], number: u64, builder: &mut ProfileBuilder) -> Used {
        let Some(record) = &mut self.record else { return Used::NotMine };
        if let Some(labels) = line.strip_prefix(b"# labels:") {
            let known = self.label_lines.intern(labels);
            if known.index() == self.labels.len() {
                let set = parse_labels(labels, builder);
                if let Err(text) = set.1 {
                    builder.input_mut(self.input).warn(WarningKind::Labels, Some(number), text);
                }
                self.labels.push(set.0);
            }
            record.labels = self.labels.get(known.index()).copied().unwrap_or(LabelsId::NONE);
            return Used::Took;
        }
        if let Some((state, _)) = line.strip_prefix(b"# state: ").and_then(unquote) {
            record.state = Some(builder.string(&state));
            return Used::Took;
        }
        if let Some((flag, _)) = line.strip_prefix(b"# flag: ").and_then(unquote) {
            record.flags.push(builder.string(&flag));
            return Used::Took;
        }
        let known = self.lines.find(line).and_then(|known| self.frames.get(known.index()));
        if let Some(&frame) = known {
            self.stack.push(frame);
            (record.last_address, record.last_named) = address_and_named(line);
            return Used::Took;
        }
        match parse_frame(line) {
            Some(parsed) => {
                let frame = builder.frame(parsed.func, parsed.file, parsed.line);
                self.lines.intern(line);
                self.frames.push(frame);
                self.stack.push(frame);
                (record.last_address, record.last_named) = address_and_named(line);
                self.symbolized |= record.last_named;
                Used::Took
            }
            None if line.trim_ascii() == b"#" => Used::Took,
            None if address_and_named(line).0 != 0 => {
                record.cut = Some(number);
                Used::Took
            }
            None => self.unknown(),
        }
    }

    /// Counts the record at hand.
    fn end_record(&mut self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        let Some(mut record) = self.record.take() else { return };
        let cut =
            record.cut.is_some() || (at_end_of_input && !record.closed && self.breaks_off(&record));
        if self.stack.is_empty() && record.cut.is_none() {
            // Without symbols the addresses are all there is.
            for pc in pcs(&self.first_line) {
                self.stack.push(builder.frame(pc, b"", 0));
            }
        }
        let mut flags = self.flags;
        if !record.flags.is_empty() {
            record.flags.extend_from_slice(builder.flag_set(self.flags));
            flags = builder.flags(&mut record.flags);
        }
        let input = builder.input_mut(self.input);
        input.seen.headers = input.seen.headers.saturating_add(1);
        if cut {
            input.seen.partial = input.seen.partial.saturating_add(record.count.unsigned_abs());
            let text = "the stack of this record is cut";
            input.warn(WarningKind::Partial, Some(record.cut.unwrap_or(record.line)), text);
            flags = builder.with_flag(flags, flag::TRUNCATED);
        }
        let stack = builder.stack(&self.stack);
        self.stack.clear();
        let sample = builder.sample(&SampleSpec {
            input: self.input,
            stack,
            full: stack,
            state: record.state,
            flags,
            labels: record.labels,
            creator: None,
            elided: None,
        });
        builder.count(sample, record.count);
        self.sum = self.sum.saturating_add(record.count);
    }

    /// Whether a record that isn't followed by a blank line lacks frames: its root must be the
    /// last PC, or the one before it where that is the hidden `runtime.goexit`. Addresses are
    /// those of calls, PCs those of returns.
    fn breaks_off(&self, record: &Record) -> bool {
        if self.stack.is_empty() || !record.last_named {
            return self.symbolized;
        }
        let mut last = pcs(&self.first_line).rev().take(2).filter_map(hex).peekable();
        last.peek().is_some() && !last.any(|pc| pc.abs_diff(record.last_address) <= 1)
    }

    /// Ends the profile: its last record is counted and the sum compared with what was announced.
    pub(crate) fn finish(mut self, at_end_of_input: bool, builder: &mut ProfileBuilder) {
        self.end_record(at_end_of_input, builder);
        if self.sum != self.announced {
            let (announced, sum) = (self.announced, self.sum);
            let text = format!("{announced} goroutines are announced and {sum} were found");
            builder.input_mut(self.input).warn(WarningKind::Total, None, text);
        }
    }
}

/// The count of `N @ 0x1 0x2`, `N goroutine in stack:` and `N goroutines in stack:`.
fn record_start(line: &[u8]) -> Option<i64> {
    let blank = memchr::memchr(b' ', line)?;
    let (count, rest) = line.split_at_checked(blank)?;
    let is_start = rest == b" @"
        || rest.starts_with(b" @ ")
        || matches!(rest.trim_ascii_end(), b" goroutine in stack:" | b" goroutines in stack:");
    if is_start { number(count) } else { None }
}

/// The addresses of the first line of a record, leaf first.
fn pcs(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(|&byte| byte == b' ').filter(|word| word.starts_with(b"0x"))
}

fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn hex(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.strip_prefix(b"0x")?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b'\t' | b' ')
}

/// The address of a frame line, 0 where there is none, and whether a name follows it.
fn address_and_named(line: &[u8]) -> (u64, bool) {
    let text = line.strip_prefix(b"#").unwrap_or(line).trim_ascii();
    let end = text.iter().position(is_blank).unwrap_or(text.len());
    (text.get(..end).and_then(hex).unwrap_or(0), end < text.len())
}

#[derive(PartialEq, Eq, Debug)]
struct ParsedFrame<'a> {
    func: &'a [u8],
    file: &'a [u8],
    line: i64,
}

/// `#`, tab, `0xADDR`, tab, `FUNC+0xOFF`, tabs, `FILE:LINE`; only `0xADDR` where there is no symbol.
fn parse_frame(line: &[u8]) -> Option<ParsedFrame<'_>> {
    let text = line.strip_prefix(b"#")?.trim_ascii();
    let (start, rest) =
        text.split_at_checked(text.iter().position(is_blank).unwrap_or(text.len()))?;
    hex(start)?;
    let rest = rest.trim_ascii_start();
    if rest.is_empty() {
        return Some(ParsedFrame { func: start, file: b"", line: 0 });
    }
    let (func, place) = split_func(rest)?;
    let colon = memchr::memrchr(b':', place)?;
    let (file, line) = place.split_at_checked(colon)?;
    let line = number(line.strip_prefix(b":")?)?;
    Some(ParsedFrame { func, file, line })
}

/// Splits `FUNC+0xOFF FILE:LINE` at tabs; where they became blanks, after the last offset.
fn split_func(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(tab) = memchr::memchr(b'\t', text) {
        let (func, place) = text.split_at_checked(tab)?;
        return Some((without_offset(func).unwrap_or(func), place.trim_ascii_start()));
    }
    memchr::memrchr_iter(b' ', text).find_map(|blank| {
        let (func, place) = text.split_at_checked(blank)?;
        Some((without_offset(func)?, place.trim_ascii_start()))
    })
}

/// `FUNC` of `FUNC+0xOFF`.
fn without_offset(func: &[u8]) -> Option<&[u8]> {
    let (name, offset) = func.split_at_checked(memchr::memrchr(b'+', func)?)?;
    hex(offset.strip_prefix(b"+")?).map(|_| name)
}

/// The labels of `{"k":"v", "k":"v"}`, those before a fault too.
fn parse_labels(text: &[u8], builder: &mut ProfileBuilder) -> (LabelsId, Result<(), &'static str>) {
    let mut set = Vec::new();
    let mut scan = || -> Option<()> {
        let mut text = text.trim_ascii().strip_prefix(b"{")?.strip_suffix(b"}")?.trim_ascii();
        while !text.is_empty() {
            let (key, rest) = unquote(text)?;
            let (value, rest) =
                unquote(rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())?;
            let key = builder.string(&key);
            let value = LabelValue::Text(builder.string(&value));
            set.push(Label { key, value });
            let rest = rest.trim_ascii_start();
            text = match rest.strip_prefix(b",") {
                Some(rest) => rest.trim_ascii_start(),
                None if rest.is_empty() => rest,
                None => return None,
            };
        }
        Some(())
    };
    let result = scan().ok_or("labels that aren't written as Go writes them");
    (builder.labels(&mut set), result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Input, Keep, Profile, Sample};

    /// Reads a profile whose lines may be anything; says what became of each line.
    fn read_lines(text: &str) -> (Profile, Vec<Used>) {
        let mut builder = ProfileBuilder::new(Keep::default());
        let input = builder.input(Input::new("c", "c.txt", InputFormat::Debug2));
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let header = header(first.as_bytes()).unwrap();
        let mut reader = CountReader::new(&header, input, &mut builder);
        let used = rest
            .lines()
            .zip(2..)
            .map(|(line, number)| reader.line(line.as_bytes(), number, &mut builder))
            .collect();
        reader.finish(true, &mut builder);
        (builder.finish(), used)
    }

    /// Reads the records of a goroutine profile, all of whose lines must belong to it.
    fn read(body: &str) -> Profile {
        let total: i64 = body.lines().filter_map(|line| record_start(line.as_bytes())).sum();
        let (profile, used) = read_lines(&format!("goroutine profile: total {total}\n{body}"));
        assert!(used.iter().all(|&used| used == Used::Took), "{used:?}");
        profile
    }

    fn frames(profile: &Profile, sample: &Sample) -> Vec<String> {
        let stack = profile.stack(sample.key.stack).iter();
        let frame = |&frame| {
            let frame = profile.frame(frame);
            let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
            format!("{}|{}|{}", text(frame.func), text(frame.file), frame.line)
        };
        stack.map(frame).collect()
    }

    /// Count and frames of every sample.
    fn records(body: &str) -> Vec<(i64, Vec<String>)> {
        let profile = read(body);
        profile.samples.iter().map(|sample| (sample.count, frames(&profile, sample))).collect()
    }

    fn record(count: i64, frames: &[&str]) -> (i64, Vec<String>) {
        (count, frames.iter().map(|&frame| frame.to_owned()).collect())
    }

    fn labels(line: &str) -> (Vec<String>, usize) {
        let profile = read(&format!("1 @ 0x1\n# labels: {line}\n#\t0x1\tmain.f+0x1\t/a.go:3\n\n"));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let set = profile.labels(profile.samples[0].key.labels).iter().map(|label| {
            let value = text(&profile.label_text(label.value));
            format!("{}={value}", text(profile.str(label.key)))
        });
        (set.collect(), profile.inputs[0].warnings.len())
    }

    fn kinds(profile: &Profile) -> Vec<WarningKind> {
        profile.inputs[0].warnings.iter().map(|warning| warning.kind).collect()
    }

    #[test]
    fn headers_are_told_from_text() {
        let name = |line: &str| header(line.as_bytes()).map(|h| (h.name.to_vec(), h.total));
        assert_eq!(name("goroutine profile: total 305"), Some((b"goroutine".to_vec(), 305)));
        assert_eq!(name("goroutine profile: total -2"), Some((b"goroutine".to_vec(), -2)));
        assert_eq!(name("my/own.profile profile: total 1"), Some((b"my/own.profile".to_vec(), 1)));
        for text in [
            "a goroutine profile: total 305",
            "goroutine profile: total",
            "goroutine profile: total x",
            " profile: total 3",
            "goroutine profile: 3",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
        let format = |line: &str| header(line.as_bytes()).and_then(|header| header.format());
        assert_eq!(format("goroutine profile: total 1"), Some(InputFormat::Debug1));
        assert_eq!(format("goroutineleak profile: total 1"), Some(InputFormat::LeakDebug1));
        assert_eq!(format("threadcreate profile: total 1"), None);
    }

    #[test]
    fn other_profiles_are_named() {
        let name = |line: &str| other_profile(line.as_bytes()).map(str::to_owned);
        assert_eq!(name("threadcreate profile: total 12").as_deref(), Some("threadcreate"));
        assert_eq!(name("heap profile: 3: 4 [5: 6] @ heap/2048").as_deref(), Some("heap"));
        assert_eq!(name("--- contention:").as_deref(), Some("block"));
        assert_eq!(name("--- mutex:").as_deref(), Some("mutex"));
        assert_eq!(name("goroutine profile: total 1"), None);
        assert_eq!(name("--- FAIL: TestX (0.00s)"), None);
    }

    #[test]
    fn records_have_a_count_and_frames() {
        let body =
            "3 @ 0x1 0x2\n#\t0x1\tmain.f+0x10\t\t/a.go:3\n#\t0x2\tmain.main+0xAb\t/a.go:9\n\n";
        assert_eq!(records(body), [record(3, &["main.f|/a.go|3", "main.main|/a.go|9"])]);
        for start in ["3 goroutines in stack:", "1 goroutine in stack:"] {
            let count = number(start.get(..1).unwrap().as_bytes()).unwrap();
            let body = format!("{start}\n#\t0x1\tmain.f+0x1\t/a.go:3\n");
            assert_eq!(records(&body), [record(count, &["main.f|/a.go|3"])]);
        }
    }

    #[test]
    fn records_need_no_blank_line_between_them() {
        let body = "1 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n1 @ 0x2\n#\t0x2\tmain.g+0x1\t/a.go:4\n";
        assert_eq!(records(body), [record(1, &["main.f|/a.go|3"]), record(1, &["main.g|/a.go|4"])]);
    }

    #[test]
    fn equal_records_are_one_sample() {
        let body =
            "2 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n\n3 @ 0x2\n#\t0x2\tmain.f+0x9\t/a.go:3\n\n";
        assert_eq!(records(body), [record(5, &["main.f|/a.go|3"])]);
    }

    #[test]
    fn frames_without_symbol_keep_their_address() {
        let body = "1 @ 0x1\n#\t0x1F\n#\t0x2\tmain.g+0x1\t/a.go:4\n\n";
        assert_eq!(records(body), [record(1, &["0x1F||0", "main.g|/a.go|4"])]);
        assert_eq!(
            records("2 @ 0x1 0x2\n\n1 @\n"),
            [record(2, &["0x1||0", "0x2||0"]), record(1, &[])]
        );
    }

    #[test]
    fn names_and_files_may_hold_blanks_and_digits() {
        let body = "1 @ 0x1\n\
            #\t0x1\tmain.F[go.shape.struct { X int }]+0x1\t/a.go:4\n\
            #\t0x1\tmain.f+0x1\t\t\tC:/Program Files/x.go:3\n\
            #\t0x1\tmain.a+b+0x1\t/a:80/b.go:7\n\
            #\n\n";
        let frames = [
            "main.F[go.shape.struct { X int }]|/a.go|4",
            "main.f|C:/Program Files/x.go|3",
            "main.a+b|/a:80/b.go|7",
        ];
        assert_eq!(records(body), [record(1, &frames)]);
    }

    #[test]
    fn tabs_may_have_become_blanks() {
        let body = "1 @ 0x1\n#    0x1    main.(*T).f+0x1c      C:/Program Files/x.go:3\n\n";
        assert_eq!(records(body), [record(1, &["main.(*T).f|C:/Program Files/x.go|3"])]);
    }

    #[test]
    fn labels_are_in_go_quoting() {
        assert_eq!(labels(r#"{"k":"v", "a":"b=c"}"#), (vec!["a=b=c".into(), "k=v".into()], 0));
        assert_eq!(
            labels(r#"{"k":"t\tn\u00e9", "x":""}"#),
            (vec!["k=t\tné".into(), "x=".into()], 0)
        );
        assert_eq!(labels(r#"{"k":"a\x00b"}"#), (vec!["k=a\0b".into()], 0));
        assert_eq!(labels(r#"{"k":"}, \"x\""}"#), (vec![r#"k=}, "x""#.into()], 0));
        assert_eq!(labels("{}"), (vec![], 0));
        // A user's label, not the state of the goroutine.
        assert_eq!(labels(r#"{"state":"x"}"#), (vec!["state=x".into()], 0));
    }

    #[test]
    fn bad_labels_are_a_warning_and_what_is_understood_is_kept() {
        assert_eq!(labels(r#"{"k":"v", a:b}"#), (vec!["k=v".into()], 1));
        assert_eq!(labels(r#"{"k":"v""#), (vec![], 1));
        assert_eq!(labels("none"), (vec![], 1));
    }

    #[test]
    fn states_come_from_the_frames() {
        let body = "1 @ 0x1\n# labels: {\"state\":\"x\"}\n#\t0x1\ttime.Sleep+0x1\t/a.go:3\n\n";
        let profile = read(body);
        assert_eq!(
            profile.samples[0].key.state.map(|state| profile.str(state)),
            Some(b"sleep".as_slice())
        );
    }

    #[test]
    fn a_leak_profile_holds_leaked_goroutines() {
        let (profile, _) = read_lines("goroutineleak profile: total 1\n1 @ 0x1\n\n");
        assert_eq!(profile.inputs[0].format, InputFormat::LeakDebug1);
        assert!(profile.has_flag(profile.samples[0].key.flags, flag::LEAKED));
    }

    #[test]
    fn totals_are_compared() {
        let (profile, _) = read_lines("goroutine profile: total 5\n3 @ 0x1\n\n-1 @ 0x2\n\n");
        assert_eq!(profile.inputs[0].announced, Some(5));
        assert_eq!(profile.inputs[0].goroutines, 2);
        assert_eq!(profile.inputs[0].seen.headers, 2);
        assert_eq!(kinds(&profile), [WarningKind::Total]);
        assert_eq!(
            profile.inputs[0].warnings[0].text,
            "5 goroutines are announced and 2 were found"
        );
    }

    #[test]
    fn other_lines_are_foreign_inside_a_record_and_nobodys_outside() {
        let (profile, used) = read_lines(
            "goroutine profile: total 1\n1 @ 0x1\n12:00:01 log\n#\t0x1\tmain.f+0x1\t/a.go:3\n\nsome text\n7 days\n",
        );
        use Used::{Foreign, NotMine, Took};
        assert_eq!(used, [Took, Foreign, Took, Took, NotMine, NotMine]);
        assert_eq!(frames(&profile, &profile.samples[0]), ["main.f|/a.go|3"]);
    }

    const WHOLE: &str = "goroutine profile: total 7\n\
        2 @ 0x487b4a 0x462957 0x69818e 0x48e8e1\n\
        #\t0x69818d\tmain.(*Node).Run+0x10d\t/home/dev/raft.go:33\n\n\
        5 @ 0x487b4a 0x489313 0x492bf3 0x6986a8 0x48e8e1\n\
        # labels: {\"k\":\"v\"}\n\
        #\t0x489312\tsync.runtime_notifyListWait+0x192\t/go/src/runtime/sema.go:617\n\
        #\t0x492bf2\tsync.(*Cond).Wait+0x72\t\t\t/go/src/sync/cond.go:71\n\
        #\t0x6986a7\tmain.(*Replica).WaitCond+0x47\t\t/home/dev/store.go:69\n\n";

    #[test]
    fn a_whole_profile_has_no_warnings_even_without_its_last_line_ends() {
        for text in [WHOLE, WHOLE.trim_end()] {
            let (profile, _) = read_lines(text);
            assert_eq!(profile.inputs[0].warnings, []);
            assert_eq!(profile.inputs[0].goroutines, 7);
        }
    }

    #[test]
    fn a_record_that_breaks_off_is_flagged() {
        for cut in
            ["main.(*Replica).WaitCond", "\t\t/home/dev/store.go:69", "#\t0x6986a7", "#\t0x489312"]
        {
            let (text, _) = WHOLE.split_once(cut).unwrap();
            let (profile, _) = read_lines(text);
            assert_eq!(kinds(&profile), [WarningKind::Partial], "{cut}");
            let last = profile.samples.last().unwrap();
            assert!(profile.has_flag(last.key.flags, flag::TRUNCATED), "{cut}");
            assert_eq!(profile.inputs[0].seen.partial, 5, "{cut}");
        }
    }

    #[test]
    fn every_cut_is_noticed_or_loses_nothing_but_digits_of_the_last_line() {
        let first_line = WHOLE.find('\n').unwrap();
        for end in first_line..WHOLE.len() {
            let text = &WHOLE[..end];
            let (profile, used) = read_lines(text);
            let lost = used.iter().any(|&used| used != Used::Took);
            let digits_only = WHOLE[end..].trim_end().len() < 2;
            assert!(lost || digits_only || !profile.inputs[0].complete(), "{text}");
        }
    }
}
