//! `-o parquet`: a folder of tables, for engines that read the tables of many nodes at once, and for
//! stackgazer itself. [`tables`](crate::format::tables) describes the columns.
//!
//! The text of stacks, names and labels is made once; a goroutine costs six cells.

mod table;
mod texts;

use crate::filter::Selection;
use crate::format::tables::{
    ADDRESSES, AncestorRow, CrashRow, Details, FRAMES, GOROUTINES, GROUPS, HeaderRow, INPUTS,
    STACKS, TABLES, Table, VALUES, labels_to_json,
};
use crate::group::ids::{self, Shapes, StackHash};
use crate::profile::function::package;
use crate::profile::{
    Ancestor, Crash, FrameId, Goroutine, InputId, LabelsId, Profile, Sample, SampleId, SampleType,
    StackId, WaitRange, WarningKind,
};
use crate::rules::Names;
use parquet::data_type::ByteArray;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::{self, Write};
use table::{TableWriter, text};
use texts::Texts;

/// The names of the files; a folder with the first one is a folder of tables.
pub fn files() -> impl Iterator<Item = String> {
    TABLES.iter().map(|table| file_of(table))
}

fn file_of(table: &Table) -> String {
    format!("{}.parquet", table.name)
}

/// The tables of a selection.
#[derive(Debug)]
pub struct Tables<'a> {
    profile: &'a Profile,
    names: &'a Names,
    selection: &'a Selection,
    /// The ids of selected stacks, as text.
    ids: Vec<Option<ByteArray>>,
    /// The selected stacks, by id.
    stacks: BTreeMap<StackHash, StackId>,
    inputs: Vec<ByteArray>,
    /// By sample, the number of its group.
    groups: Vec<Option<u64>>,
}

impl<'a> Tables<'a> {
    /// The tables of what is selected.
    pub fn new(profile: &'a Profile, names: &'a Names, selection: &'a Selection) -> Tables<'a> {
        let mut ids = vec![None; profile.stack_count()];
        let mut stacks = BTreeMap::new();
        let mut next = 0;
        let mut know = |stack: StackId| {
            ids[stack.index()].get_or_insert_with(|| {
                let hash = ids::id(profile, stack);
                stacks.entry(hash).or_insert(stack);
                text(&hash.hex())
            });
        };
        let groups = profile.samples().map(|(id, sample)| {
            selection.has(id).then(|| {
                [sample.key.stack, sample.key.full].into_iter().for_each(&mut know);
                next += 1;
                next - 1
            })
        });
        let groups = groups.collect();
        for (&at, ancestors) in &profile.ancestors {
            let goroutine = profile.held_goroutine(at);
            let is_selected = goroutine.is_some_and(|it| selection.has_this(at, it));
            ancestors.iter().filter(|_| is_selected).for_each(|ancestor| know(ancestor.stack));
        }
        let inputs = profile.inputs.iter().map(|input| text(input.name.as_bytes())).collect();
        Tables { profile, names, selection, ids, stacks, inputs, groups }
    }

    /// Writes one of [`files`].
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, file: &str, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let named = |table: &&&Table| file_of(table) == file;
        let Some(&table) = TABLES.iter().find(named) else {
            return Err(io::Error::other("isn't one of the tables"));
        };
        let mut to = TableWriter::new(table, out)?;
        match table.name {
            name if name == INPUTS.name => self.inputs(&mut to)?,
            name if name == STACKS.name => self.stacks(&mut to)?,
            name if name == FRAMES.name => self.frames(&mut to)?,
            name if name == GROUPS.name => self.groups(&mut to)?,
            name if name == GOROUTINES.name => self.goroutines(&mut to)?,
            name if name == VALUES.name => self.values(&mut to)?,
            name if name == ADDRESSES.name => self.addresses(&mut to)?,
            _ => {}
        }
        to.finish()
    }

    fn inputs<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        let mut selected = vec![0_i64; self.profile.inputs.len()];
        for (id, sample) in self.profile.samples() {
            let input = sample.key.input;
            if self.profile.input(input).format.counts_goroutines() {
                let sum = &mut selected[input.index()];
                *sum = sum.saturating_add(self.selection.count(id));
            }
        }
        for (id, input) in self.profile.inputs() {
            let crash = input.crash.as_ref().map(|crash| crash.kind.name());
            let details = serde_json::to_string(&self.details(id))?;
            to.put(self.input(id))
                .put(&*input.path)
                .put(input.format.name())
                .put(&*labels_to_json(self.profile, input.labels))
                .put(selected[id.index()])
                .put(input.announced)
                .put(input.complete())
                .put(input.warnings.iter().map(|warning| 1 + warning.more).sum::<u64>())
                .put(crash)
                .put(&*details)
                .end()?;
        }
        Ok(())
    }

    fn details(&self, input: InputId) -> Details {
        let input = self.profile.input(input);
        let crash = |crash: &Crash| CrashRow {
            kind: crash.kind,
            text: crash.text.clone(),
            goroutine: crash.goroutine,
            group: crash.sample.and_then(|sample| self.group(sample)),
            running_tests: crash.running_tests.clone(),
        };
        let text = |id| String::from_utf8_lossy(self.profile.str(id)).into_owned();
        let pair = |of: SampleType| (text(of.kind), text(of.unit));
        let header = &input.header;
        Details {
            seen: input.seen,
            // Reading the goroutines finds repeated ids again.
            warnings: input
                .warnings
                .iter()
                .filter(|warning| warning.kind != WarningKind::RepeatedId)
                .cloned()
                .collect(),
            crash: input.crash.as_ref().map(crash),
            later_crashes: input.later_crashes.iter().map(crash).collect(),
            header: HeaderRow {
                sample_types: header
                    .sample_types
                    .iter()
                    .map(|&of| pair(self.profile.sample_type(of)))
                    .collect(),
                default_type: header
                    .default_type
                    .and_then(|of| header.sample_types.iter().position(|&other| other == of)),
                default_name: text(header.default_name),
                period_type: header.period_type.map(pair),
                period: header.period,
                time_nanos: header.time_nanos,
                duration_nanos: header.duration_nanos,
                comments: header.comments.iter().map(|&comment| text(comment)).collect(),
                doc_url: text(header.doc_url),
                drop_frames: text(header.drop_frames),
                keep_frames: text(header.keep_frames),
                memory: header.memory.as_deref().copied(),
            },
        }
    }

    fn stacks<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        let mut shapes = Shapes::new(self.profile);
        for &stack in self.stacks.values() {
            to.put(self.id(stack))
                .put(&text(&shapes.of(stack).hex()))
                .put(&text(self.names.category(stack)))
                .put(&text(self.names.shared_name(stack)))
                .put(self.profile.stack(stack).len())
                .end()?;
        }
        Ok(())
    }

    fn frames<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        let mut known = Texts::<FrameId, 4>::default();
        for &stack in self.stacks.values() {
            for (at, &id) in self.profile.stack(stack).iter().enumerate() {
                let frame = self.profile.frame(id);
                let [func, file, package, module] = known.get(id, || {
                    let func = self.profile.str(frame.func);
                    [func, self.profile.str(frame.file), package(func), &self.profile.module(id)]
                        .map(text)
                });
                to.put(self.id(stack)).put(at).put(func).put(file).put(frame.line);
                to.put(package).put(module).end()?;
            }
        }
        Ok(())
    }

    fn groups<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        let waits = self.waits_of_parts()?;
        let mut labels = Texts::<LabelsId, 1>::default();
        for (id, sample) in self.profile.samples() {
            let Some(group) = self.group(id) else { continue };
            let Sample { key, waits: all, .. } = sample;
            let waits = waits.get(&id).unwrap_or(all);
            let state = key.state.map(|state| text(self.profile.str(state)));
            let flags: Vec<&[u8]> =
                self.profile.flags(key.flags).iter().map(|&flag| self.profile.str(flag)).collect();
            let [labels] = labels.get(key.labels, || {
                [ByteArray::from(labels_to_json(self.profile, key.labels).into_bytes())]
            });
            let creator = key.creator.map(|frame| self.profile.frame(frame));
            let (func, file) = creator.map_or((None, None), |frame| {
                let [func, file] = [frame.func, frame.file].map(|id| text(self.profile.str(id)));
                (Some(func), Some(file))
            });
            let range = waits.range();
            to.put(group)
                .put(self.input(key.input))
                .put(self.id(key.stack))
                .put(self.id(key.full))
                .put(state.as_ref())
                .put(key.kind.name())
                .put(&text(&flags.join(&b", "[..])))
                .put(labels)
                .put(func.as_ref())
                .put(file.as_ref())
                .put(creator.map(|frame| frame.line))
                .put(key.elided.map(|gap| i64::from(gap.after)))
                .put(key.elided.and_then(|gap| gap.count))
                .put(self.selection.count(id))
                .put(waits.known)
                .put(range.map(|(min, _)| min))
                .put(range.map(|(_, max)| max))
                .put(range.map(|_| waits.longest))
                .put(waits.long)
                .end()?;
        }
        Ok(())
    }

    /// The waits of samples whose goroutines are only partly selected.
    fn waits_of_parts(&self) -> io::Result<HashMap<SampleId, WaitRange>> {
        let is_part = |id: SampleId| self.selection.count(id) != self.profile.sample(id).count;
        let parts = self.profile.samples().filter(|&(id, _)| is_part(id));
        let mut waits: HashMap<SampleId, WaitRange> =
            parts.map(|(id, _)| (id, WaitRange::default())).collect();
        if !waits.is_empty() {
            for goroutine in self.profile.all_goroutines() {
                let (at, goroutine) = goroutine?;
                if let Some(waits) = waits.get_mut(&goroutine.sample)
                    && self.selection.has_this(at, &goroutine)
                {
                    waits.add(goroutine.wait, goroutine.id);
                }
            }
        }
        Ok(waits)
    }

    fn goroutines<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        for goroutine in self.profile.all_goroutines() {
            let (at, goroutine) = goroutine?;
            if !self.selection.has_this(at, &goroutine) {
                continue;
            }
            let ancestors = self.profile.ancestors.get(&at).map(|list| self.ancestors(list));
            let ancestors = ancestors.transpose()?;
            let Goroutine { id, sample, wait, .. } = goroutine;
            let key = &self.profile.sample(sample).key;
            to.put(self.input(key.input))
                .put(self.group(sample).unwrap_or_default())
                .put(id)
                .put(self.id(key.stack))
                .put(wait.known())
                .put(goroutine.creator())
                .put(ancestors.as_deref())
                .end()?;
        }
        Ok(())
    }

    fn ancestors(&self, list: &[Ancestor]) -> io::Result<String> {
        let text = |id| String::from_utf8_lossy(self.profile.str(id)).into_owned();
        let row = |ancestor: &Ancestor| AncestorRow {
            id: ancestor.id,
            stack: ids::id(self.profile, ancestor.stack).to_string(),
            creator: ancestor.creator.map(|frame| {
                let frame = self.profile.frame(frame);
                (text(frame.func), text(frame.file), frame.line)
            }),
        };
        let rows: Vec<AncestorRow> = list.iter().map(row).collect();
        Ok(serde_json::to_string(&rows)?)
    }

    fn values<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        for (id, sample) in self.profile.samples() {
            let (Some(group), key) = (self.group(id), &sample.key) else { continue };
            if self.profile.input(key.input).format.counts_goroutines() {
                continue;
            }
            let types = self.profile.types_of(key.input);
            for &of in types {
                let SampleType { kind, unit } = self.profile.sample_type(of);
                to.put(self.input(key.input))
                    .put(group)
                    .put(self.id(key.stack))
                    .put(&text(self.profile.str(kind)))
                    .put(&text(self.profile.str(unit)))
                    .put(self.profile.value(id, of))
                    .end()?;
            }
        }
        Ok(())
    }

    fn addresses<W: Write + Send>(&self, to: &mut TableWriter<W>) -> io::Result<()> {
        let mut rows = Rows::default();
        for goroutine in self.profile.all_goroutines() {
            let (at, goroutine) = goroutine?;
            rows.push(at, self.selection.has_this(at, &goroutine));
        }
        self.profile.each_address(|addressed, words| {
            let row = addressed.position().and_then(|at| rows.row(at));
            let (Some(group), Some(row)) = (self.group(addressed.sample), row) else {
                return Ok(());
            };
            // A million rows have ten million words, so no text is made for a single word.
            let mut text = format!("{:x}", addressed.lock.bits());
            for word in words {
                write!(text, " {:x}", word.bits()).map_err(io::Error::other)?;
            }
            to.put(self.input(self.profile.sample(addressed.sample).key.input))
                .put(group)
                .put(row)
                .put(i64::from(addressed.ordinal))
                .put(addressed.id)
                .put(addressed.wait.known())
                .put(addressed.waits)
                .put(addressed.lock.is_some().then(|| addressed.lock.word()))
                .put(&ByteArray::from(text.into_bytes()))
                .end()
        })
    }

    fn group(&self, sample: SampleId) -> Option<u64> {
        self.groups.get(sample.index()).copied().flatten()
    }

    fn input(&self, input: InputId) -> &ByteArray {
        &self.inputs[input.index()]
    }

    fn id(&self, stack: StackId) -> Option<&ByteArray> {
        self.ids[stack.index()].as_ref()
    }
}

/// The rows of goroutines: 16 bytes for 64 of them.
#[derive(Default)]
struct Rows(Vec<Selected>);

/// 64 goroutines: which are selected, and how many selected ones come before them.
#[derive(Clone, Copy, Default)]
struct Selected {
    bits: u64,
    before: u64,
}

impl Rows {
    /// Adds the next goroutine.
    fn push(&mut self, at: usize, is_selected: bool) {
        if at.is_multiple_of(64) {
            let last = self.0.last().copied().unwrap_or_default();
            let before = last.before + u64::from(last.bits.count_ones());
            self.0.push(Selected { bits: 0, before });
        }
        if let Some(last) = self.0.last_mut() {
            last.bits |= u64::from(is_selected) << (at % 64);
        }
    }

    /// The row of the goroutine at this position, if it has one.
    fn row(&self, at: usize) -> Option<u64> {
        let Selected { bits, before } = *self.0.get(at / 64)?;
        let bit = 1 << (at % 64);
        (bits & bit != 0).then(|| before + u64::from((bits & (bit - 1)).count_ones()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_over_those_that_are_selected() {
        let is_selected = |at: usize| at % 3 != 1 && !(64..130).contains(&at);
        let mut rows = Rows::default();
        (0..200).for_each(|at| rows.push(at, is_selected(at)));
        let mut next = 0;
        for at in 0..200 {
            let row = is_selected(at).then_some(next);
            next += u64::from(is_selected(at));
            assert_eq!(rows.row(at), row, "{at}");
        }
        assert_eq!(rows.row(200), None);
    }
}
