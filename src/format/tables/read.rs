//! Reads tables back into samples.

use super::file::{Row, SharedFile, TableFile};
use super::{
    ADDRESSES, AncestorRow, CrashRow, Details, FRAMES, GOROUTINES, GROUPS, HeaderRow, INPUTS,
    STACKS, Table, VALUES, labels_from_json,
};
use crate::error::{Error, ErrorKind};
use crate::format::kept;
use crate::limits::LIMITS;
use crate::profile::{
    Address, Ancestor, Crash, Elision, FlagsId, FrameId, Header, Input, InputFormat, InputId, Kind,
    LabelsId, NewAddresses, NewGoroutine, NewSample, ProfileBuilder, SampleId, SampleSpec,
    SampleType, StackId, Wait, WaitRange, WarningKind, too_many_types,
};
use std::cell::Cell;
use std::collections::HashMap;

/// Opens the table with this name.
pub(super) type Open<'a> = dyn Fn(&str) -> Result<SharedFile, String> + 'a;

/// Is called with the number of bytes of a table before they are unpacked, and can refuse.
pub(super) type Unpack<'a> = dyn Fn(u64) -> Result<(), Error> + 'a;

/// Reads a folder of tables; its inputs are copies of `like`, with the data of the tables.
///
/// # Errors
///
/// If a table is missing, damaged, or contradicts the others, or if `unpack` refuses.
pub fn read(
    open: &Open<'_>,
    unpack: &Unpack<'_>,
    like: &Input,
    builder: &mut ProfileBuilder,
) -> Result<(), Error> {
    let mut reader = Reader {
        open,
        unpack,
        like,
        builder,
        inputs: HashMap::new(),
        stacks: HashMap::new(),
        labels: HashMap::new(),
        groups: Vec::new(),
        counts: Vec::new(),
        totals: HashMap::new(),
        kept: 0,
        crashes: Vec::new(),
        has_cut: false,
    };
    reader.read()
}

struct Reader<'a> {
    open: &'a Open<'a>,
    unpack: &'a Unpack<'a>,
    like: &'a Input,
    builder: &'a mut ProfileBuilder,
    inputs: HashMap<String, InputId>,
    stacks: HashMap<String, StackId>,
    /// Few sets are used by many goroutines.
    labels: HashMap<String, LabelsId>,
    groups: Vec<SampleId>,
    /// The goroutines that each group has, and those of them that are listed.
    counts: Vec<(i64, i64)>,
    /// The goroutines that each input has by its own row, and those of its groups.
    totals: HashMap<InputId, (i64, i64)>,
    /// About how many bytes the maps above take.
    kept: u64,
    /// Inputs with crashes, and the groups that these happened in.
    crashes: Vec<(InputId, Vec<Option<u64>>)>,
    /// Whether a text was longer than what is kept of it.
    has_cut: bool,
}

/// After this many rows, or bytes of their texts, it is checked that there is room for more.
const LOOK: (u64, u64) = (1 << 16, 16 << 20);
/// Bytes of memory for an entry of this reader's maps, besides the text.
const ENTRY: u64 = 100;

impl Reader<'_> {
    fn read(&mut self) -> Result<(), Error> {
        self.table(&INPUTS, Reader::input)?;
        let mut frames = Frames::default();
        // Stacks without frames are in no row of the other table.
        self.table(&STACKS, |reader, row| {
            let stack = row.str(0)?;
            reader.count_memory(stack);
            reader.stacks.insert(stack.to_owned(), StackId::EMPTY);
            Ok(())
        })?;
        self.table(&FRAMES, |reader, row| frames.row(reader, row))?;
        frames.end(self);
        let mut values = HashMap::<i64, Vec<i64>>::new();
        self.table(&VALUES, |_, row| {
            let group = row.int(1).unwrap_or_default();
            values.entry(group).or_default().push(row.int(5).unwrap_or_default());
            Ok(())
        })?;
        self.table(&GROUPS, |reader, row| reader.group(row, &values))?;
        self.check_totals()?;
        drop(values);
        let mut positions = Vec::new();
        if self.builder.keep().goroutines || self.builder.keep().creators {
            self.table(&GOROUTINES, |reader, row| {
                let sample = reader.sample(row.int(1))?;
                reader.count_listed(row.int(1));
                let goroutine = NewGoroutine {
                    id: row.int(2).unwrap_or_default().cast_unsigned(),
                    created_by: row.int(5).map(i64::cast_unsigned),
                    wait: wait(row.float(4)),
                };
                let position = reader.builder.list_goroutine(sample, &goroutine);
                if let (Some(at), Some(_)) = (position, row.text(6)) {
                    reader.ancestors(at, row.str(6)?)?;
                }
                positions.push(position);
                Ok(())
            })?;
            self.check_listed()?;
        }
        if self.builder.keep().addresses {
            self.table(&ADDRESSES, |reader, row| reader.addresses(row, &positions))?;
        }
        for (input, groups) in std::mem::take(&mut self.crashes) {
            let samples: Vec<Option<SampleId>> = groups
                .into_iter()
                .map(|group| self.groups.get(usize::try_from(group?).ok()?).copied())
                .collect();
            let input = self.builder.input_mut(input);
            let crashes = input.crash.iter_mut().chain(&mut input.later_crashes);
            for (crash, sample) in crashes.zip(samples) {
                crash.sample = sample;
            }
        }
        if self.has_cut {
            let most = LIMITS.text;
            let text = format!("names or labels are longer than {most} bytes and were cut (text)");
            for &input in self.inputs.values() {
                self.builder.input_mut(input).warn(WarningKind::LongLine, None, text.as_str());
            }
        }
        Ok(())
    }

    /// Calls `take` with every row of a table.
    fn table(
        &mut self,
        table: &'static Table,
        mut take: impl FnMut(&mut Self, &Row<'_>) -> Result<(), String>,
    ) -> Result<(), Error> {
        let path = format!("{}/{}.parquet", self.like.path, table.name);
        let fail = |what: String| Error::new(ErrorKind::Damaged, &path, what);
        let file = (self.open)(table.name).and_then(|file| TableFile::open(file, table));
        let file = file.map_err(fail)?;
        let (mut rows, mut bytes) = (0_u64, 0_u64);
        // An error of this reader, if that ends the table and not the contents of the table.
        let full = Cell::new(None);
        let end = |error| {
            full.set(Some(error));
            String::new()
        };
        let unpack = self.unpack;
        let read = file.each(&|bytes| unpack(bytes).map_err(end), &mut |row| {
            take(self, row)?;
            rows = rows.saturating_add(1);
            bytes = bytes.saturating_add(row.text_bytes());
            if rows < LOOK.0 && bytes < LOOK.1 {
                return Ok(());
            }
            (rows, bytes) = (0, 0);
            self.builder.out_of_room_with(&path, self.kept).map_or(Ok(()), |error| Err(end(error)))
        });
        match full.take() {
            Some(error) => Err(error),
            None => read.map_err(fail),
        }
    }

    /// What is kept of a text; notes if that isn't all.
    fn kept<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let kept = kept(text);
        self.has_cut |= kept.len() < text.len();
        kept
    }

    /// Counts the memory of an entry with this text.
    fn count_memory(&mut self, text: &str) {
        self.kept = self.kept.saturating_add(ENTRY).saturating_add(text.len() as u64);
    }

    fn input(&mut self, row: &Row<'_>) -> Result<(), String> {
        let name = row.str(0)?;
        let format = row.str(2)?;
        let format = InputFormat::from_name(format)
            .ok_or_else(|| format!("has an input of the unknown format {format:?}"))?;
        let details: Details = serde_json::from_str(row.str(9)?)
            .map_err(|error| format!("has details that can't be read: {error}"))?;
        let labels = row.str(3)?;
        let builder = &mut *self.builder;
        let labels = labels_from_json(builder, labels, &mut self.has_cut);
        let labels = labels.ok_or("has labels that aren't any")?;
        let mut all = builder.profile().labels(labels).to_vec();
        all.extend_from_slice(builder.profile().labels(self.like.labels));
        let labels = builder.labels(&mut all);
        let Details { seen, warnings, crash, later_crashes, header } = details;
        let groups = crash.iter().chain(&later_crashes).map(|crash| crash.group).collect();
        let header = header_of(builder, header)?;
        let member = match self.like.member.as_str() {
            "" => name.to_owned(),
            folder => format!("{folder}/{name}"),
        };
        let id = builder.input(Input {
            is_from_tables: true,
            path: format!("{}!{name}", self.like.path),
            member,
            labels,
            announced: row.int(5),
            seen,
            header,
            crash: crash.map(crash_of),
            later_crashes: later_crashes.into_iter().map(crash_of).collect(),
            warnings,
            ..Input::new(name, &self.like.path, format)
        });
        let input = builder.input_mut(id);
        input.point = self.like.point;
        if input.complete() && !row.truth(6) {
            let text = "what this was exported from was not read whole";
            input.warn(WarningKind::Truncated, None, text);
        }
        if format.counts_goroutines() {
            self.totals.insert(id, (row.int(4).unwrap_or_default(), 0));
        }
        self.crashes.push((id, groups));
        self.count_memory(name);
        match self.inputs.insert(name.to_owned(), id) {
            None => Ok(()),
            Some(_) => Err(format!("has the input {name:?} twice")),
        }
    }

    fn group(&mut self, row: &Row<'_>, values: &HashMap<i64, Vec<i64>>) -> Result<(), String> {
        let number = row.int(0).unwrap_or_default();
        if usize::try_from(number).ok() != Some(self.groups.len()) {
            return Err("has groups that aren't numbered one by one".to_owned());
        }
        let name = row.str(1)?;
        let input = self.inputs.get(name).copied();
        let input = input.ok_or_else(|| format!("has a group of the unknown input {name:?}"))?;
        let (stack, full) = (self.stack(row.str(2)?)?, self.stack(row.str(3)?)?);
        let kind = row.str(5)?;
        let kind = Kind::from_name(kind).ok_or_else(|| format!("has the kind {kind:?}"))?;
        let flags = self.flags(row.text(6).unwrap_or_default());
        let labels = self.label_set(row.str(7)?)?;
        let state = row.text(4).map(|state| self.kept(state));
        let creator =
            row.text(8).map(|func| [func, row.text(9).unwrap_or_default()].map(|it| self.kept(it)));
        let builder = &mut *self.builder;
        let state = state.map(|state| builder.string(state));
        let creator =
            creator.map(|[func, file]| builder.frame(func, file, row.int(10).unwrap_or_default()));
        let elided = row.int(11).map(|after| Elision {
            after: u32::try_from(after).unwrap_or(u32::MAX),
            count: row.int(12).map(i64::cast_unsigned),
        });
        let known = row.int(14).unwrap_or_default().cast_unsigned();
        let waits = WaitRange {
            known,
            min: row.float(15).unwrap_or_default() as f32,
            max: row.float(16).unwrap_or_default() as f32,
            longest: row.int(17).unwrap_or_default().cast_unsigned(),
            long: row.int(18).unwrap_or_default().cast_unsigned(),
        };
        let spec = SampleSpec { input, stack, full, state, flags, labels, creator, elided };
        let count = row.int(13).unwrap_or_default();
        let none = Vec::new();
        let values = values.get(&number).unwrap_or(&none);
        let types = builder.inputs().get(input.index()).map_or(0, |input| {
            if input.format.counts_goroutines() { 0 } else { input.header.sample_types.len() }
        });
        let sample = match types {
            0 => builder.whole_sample(&spec, kind, count, waits),
            types if types == values.len() => {
                builder.add_sample(&NewSample { spec, values, locations: 0, labels })
            }
            types => return Err(format!("has a group without its {types} values")),
        };
        if let Some((_, sum)) = self.totals.get_mut(&input) {
            *sum = sum.saturating_add(count);
        }
        self.groups.push(sample);
        self.counts.push((count, 0));
        Ok(())
    }

    fn count_listed(&mut self, group: Option<i64>) {
        let at = group.and_then(|group| usize::try_from(group).ok());
        if let Some((_, listed)) = at.and_then(|at| self.counts.get_mut(at)) {
            *listed = listed.saturating_add(1);
        }
    }

    /// Checks that each input has as many goroutines as its groups; the pages of a table have no checksums.
    fn check_totals(&self) -> Result<(), Error> {
        let odd = self.totals.iter().filter(|(_, (total, sum))| total != sum);
        let first = odd.min_by_key(|(input, _)| input.index());
        let Some((_, (total, sum))) = first else { return Ok(()) };
        let path = format!("{}/{}.parquet", self.like.path, GROUPS.name);
        let what = format!(
            "has {sum} goroutines of an input of {total}: one of the two tables is damaged"
        );
        Err(Error::new(ErrorKind::Damaged, path, what))
    }

    /// Checks that no group has more goroutines in the list than it counts; fewer have an id.
    fn check_listed(&self) -> Result<(), Error> {
        // What was subtracted counts less than none.
        let is_odd = |&&(count, listed): &&(i64, i64)| listed > count.max(0);
        let Some((count, listed)) = self.counts.iter().find(is_odd) else { return Ok(()) };
        let path = format!("{}/{}.parquet", self.like.path, GOROUTINES.name);
        let what = format!(
            "has {listed} goroutines of a group of {count}: it isn't of the same export as the others"
        );
        Err(Error::new(ErrorKind::Damaged, path, what))
    }

    fn ancestors(&mut self, goroutine: usize, text: &str) -> Result<(), String> {
        let rows: Vec<AncestorRow> = serde_json::from_str(text)
            .map_err(|error| format!("has ancestors that can't be read: {error}"))?;
        for AncestorRow { id, stack, creator } in rows {
            let stack = self.stack(&stack)?;
            let builder = &mut *self.builder;
            let creator = creator
                .map(|(func, file, line)| builder.frame(func.as_bytes(), file.as_bytes(), line));
            builder.ancestor(goroutine, Ancestor { id, stack, creator });
        }
        Ok(())
    }

    fn addresses(&mut self, row: &Row<'_>, positions: &[Option<usize>]) -> Result<(), String> {
        let sample = self.sample(row.int(1))?;
        let position = row.int(2).and_then(|row| usize::try_from(row).ok());
        let goroutine = NewGoroutine {
            id: row.int(4).unwrap_or_default().cast_unsigned(),
            created_by: None,
            wait: wait(row.float(5)),
        };
        let mut words = row.str(8)?.split(' ').map(|word| {
            let word = u64::from_str_radix(word, 16).ok()?;
            Some(Address::from_bits(word))
        });
        let lock = words.next().flatten().ok_or("has addresses that aren't any")?;
        let words: Option<Vec<Address>> = words.collect();
        let words = words.ok_or("has addresses that aren't any")?;
        let addresses = NewAddresses { waits: row.truth(6), lock, words: &words };
        let position = position.and_then(|at| positions.get(at).copied()).flatten();
        let ordinal =
            row.int(3).and_then(|ordinal| u32::try_from(ordinal).ok()).unwrap_or(u32::MAX);
        self.builder.list_addresses(sample, &goroutine, position, ordinal, &addresses);
        Ok(())
    }

    fn sample(&self, group: Option<i64>) -> Result<SampleId, String> {
        let known = group.and_then(|group| self.groups.get(usize::try_from(group).ok()?).copied());
        known.ok_or_else(|| "has a goroutine of an unknown group".to_owned())
    }

    fn stack(&self, id: &str) -> Result<StackId, String> {
        let known = self.stacks.get(id).copied();
        known.ok_or_else(|| format!("has a group of the unknown stack {id:?}"))
    }

    fn flags(&mut self, text: &[u8]) -> FlagsId {
        if text.is_empty() {
            return FlagsId::NONE;
        }
        let text = String::from_utf8_lossy(text);
        let flags = text.split(", ").map(|flag| self.builder.string(flag.as_bytes()));
        let mut flags = flags.collect();
        self.builder.flags(&mut flags)
    }

    fn label_set(&mut self, text: &str) -> Result<LabelsId, String> {
        if let Some(&known) = self.labels.get(text) {
            return Ok(known);
        }
        let labels = labels_from_json(self.builder, text, &mut self.has_cut);
        let labels = labels.ok_or("has labels that aren't any")?;
        // A page of some KB can hold thousands of long ones.
        if text.len() <= LIMITS.text {
            self.count_memory(text);
            self.labels.insert(text.to_owned(), labels);
        }
        Ok(labels)
    }
}

/// Frames, which come grouped by stack.
#[derive(Default)]
struct Frames {
    stack: String,
    frames: Vec<FrameId>,
}

impl Frames {
    fn row(&mut self, reader: &mut Reader<'_>, row: &Row<'_>) -> Result<(), String> {
        let stack = row.str(0)?;
        if stack != self.stack {
            self.end(reader);
            stack.clone_into(&mut self.stack);
            match reader.stacks.get(stack) {
                Some(&StackId::EMPTY) => {}
                Some(_) => return Err(format!("has the frames of stack {stack:?} twice")),
                None => return Err(format!("has frames of the unknown stack {stack:?}")),
            }
        }
        if row.int(1) != i64::try_from(self.frames.len()).ok() {
            return Err(format!("has frames of stack {stack:?} that aren't numbered one by one"));
        }
        let [func, file] = [2, 3].map(|column| reader.kept(row.text(column).unwrap_or_default()));
        let frame = reader.builder.frame(func, file, row.int(4).unwrap_or_default());
        self.frames.push(frame);
        Ok(())
    }

    fn end(&mut self, reader: &mut Reader<'_>) {
        if !self.frames.is_empty() {
            let stack = reader.builder.stack(&self.frames);
            reader.stacks.insert(std::mem::take(&mut self.stack), stack);
            self.frames.clear();
        }
    }
}

fn wait(minutes: Option<f64>) -> Wait {
    minutes.map_or(Wait::UNKNOWN, |minutes| Wait::minutes(minutes as f32))
}

fn crash_of(row: CrashRow) -> Crash {
    let CrashRow { kind, text, goroutine, group: _, running_tests } = row;
    Crash { kind, text, goroutine, sample: None, running_tests }
}

fn header_of(builder: &mut ProfileBuilder, row: HeaderRow) -> Result<Header, String> {
    if let Some(what) = too_many_types(row.sample_types.len()) {
        return Err(format!("has an input with {what}"));
    }
    let mut sample_types = Vec::new();
    for (kind, unit) in &row.sample_types {
        sample_types.push(builder.sample_type(kind.as_bytes(), unit.as_bytes()));
    }
    let default_type = match row.default_type {
        None => None,
        Some(at) => Some(*sample_types.get(at).ok_or("has an unknown default type")?),
    };
    let mut string = |text: &str| builder.string(text.as_bytes());
    Ok(Header {
        default_name: string(&row.default_name),
        period_type: row
            .period_type
            .map(|(kind, unit)| SampleType { kind: string(&kind), unit: string(&unit) }),
        comments: row.comments.iter().map(|comment| string(comment)).collect(),
        doc_url: string(&row.doc_url),
        drop_frames: string(&row.drop_frames),
        keep_frames: string(&row.keep_frames),
        sample_types,
        default_type,
        period: row.period,
        time_nanos: row.time_nanos,
        duration_nanos: row.duration_nanos,
        exact: false,
        memory: row.memory.map(Box::new),
    })
}
