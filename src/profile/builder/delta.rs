//! Deltas: what a builder read of one input after another, for another builder to merge.
//!
//! Processes of one cluster have mostly the same stacks. A builder that reads several inputs finds
//! most stacks among those of earlier inputs, and a delta only holds the new rows of its tables.
//! Merging its deltas in turn gives the same profile as reading each input with a builder of its
//! own.

use super::calls::Calls;
use super::{Generation, Keep, ProfileBuilder};
use crate::limits::LIMITS;
use crate::profile::slices::Slices;
use crate::profile::values::position;
use crate::profile::{
    Addressed, Ancestor, Detail, Flag, FlagsId, Frame, FrameId, Goroutine, Input, InputId, Label,
    LabelValue, LabelsId, Profile, SampleId, SampleKey, StackId, StrId,
};
use std::hash::BuildHasher;

/// Everything that a builder has read since its last delta.
#[derive(Debug)]
pub struct Delta {
    /// How long the tables of the builder were at the last delta.
    starts: Lengths,
    strings: Slices<u8>,
    frames: Vec<Frame>,
    stacks: Slices<FrameId>,
    labels: Slices<Label>,
    flags: Slices<Flag>,
    /// Everything else; the tables in it are empty.
    rows: Profile,
}

impl Delta {
    /// All of a profile as one delta, to be merged with a new translation.
    pub fn whole(profile: Profile) -> Delta {
        ProfileBuilder { profile, ..ProfileBuilder::new(Keep::default()) }.take_delta()
    }

    /// The inputs that it holds.
    pub fn inputs(&self) -> &[Input] {
        &self.rows.inputs
    }
}

/// How long the tables of a builder are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lengths {
    strings: usize,
    frames: usize,
    stacks: usize,
    labels: usize,
    flags: usize,
}

impl Default for Lengths {
    /// Those of an empty builder, which has the empty string and the empty lists.
    fn default() -> Lengths {
        Lengths { strings: 1, frames: 0, stacks: 1, labels: 1, flags: 1 }
    }
}

/// The ids that a builder, when it merges the deltas of another one, has for those of the other.
#[derive(Debug)]
pub struct Translation {
    strings: Vec<StrId>,
    frames: Vec<FrameId>,
    stacks: Vec<StackId>,
    labels: Vec<LabelsId>,
    flags: Vec<FlagsId>,
}

impl Default for Translation {
    /// Before anything is merged.
    fn default() -> Translation {
        Translation {
            strings: vec![StrId::EMPTY],
            frames: Vec::new(),
            stacks: vec![StackId::EMPTY],
            labels: vec![LabelsId::NONE],
            flags: vec![FlagsId::NONE],
        }
    }
}

impl Translation {
    fn lengths(&self) -> Lengths {
        Lengths {
            strings: self.strings.len(),
            frames: self.frames.len(),
            stacks: self.stacks.len(),
            labels: self.labels.len(),
            flags: self.flags.len(),
        }
    }

    pub(super) fn string(&self, text: StrId) -> StrId {
        self.strings[text.index()]
    }

    pub(super) fn frame(&self, frame: FrameId) -> FrameId {
        self.frames[frame.index()]
    }

    fn labels(&self, labels: LabelsId) -> LabelsId {
        self.labels[labels.0 as usize]
    }

    fn label(&self, label: Label) -> Label {
        let value = match label.value {
            LabelValue::Text(text) => LabelValue::Text(self.string(text)),
            LabelValue::Number(number, unit) => LabelValue::Number(number, self.string(unit)),
        };
        Label { key: self.string(label.key), value }
    }

    fn key(&self, key: &SampleKey, input: InputId) -> SampleKey {
        SampleKey {
            input,
            stack: self.stacks[key.stack.index()],
            full: self.stacks[key.full.index()],
            state: key.state.map(|state| self.string(state)),
            kind: key.kind,
            flags: self.flags[key.flags.0 as usize],
            labels: self.labels(key.labels),
            creator: key.creator.map(|frame| self.frame(frame)),
            elided: key.elided,
        }
    }
}

impl ProfileBuilder {
    fn lengths(&self) -> Lengths {
        Lengths {
            strings: self.profile.strings.len(),
            frames: self.profile.frames.len(),
            stacks: self.profile.stacks.len(),
            labels: self.profile.labels.len(),
            flags: self.profile.flags.len(),
        }
    }

    /// About how many bytes the tables hold that stay when a delta is taken.
    pub fn table_bytes(&self) -> usize {
        let Profile { strings, frames, stacks, labels, flags, .. } = &self.profile;
        strings.0.bytes()
            + size_of_val(frames.as_slice())
            + stacks.bytes()
            + labels.bytes()
            + flags.bytes()
    }

    /// Takes what was read since the last delta. The builder keeps its tables and nothing else.
    pub fn take_delta(&mut self) -> Delta {
        let starts = self.taken;
        self.taken = self.lengths();
        let Profile { strings, frames, stacks, labels, flags, .. } = &self.profile;
        Delta {
            starts,
            strings: strings.0.tail(starts.strings),
            frames: frames[starts.frames..].to_vec(),
            stacks: stacks.tail(starts.stacks),
            labels: labels.tail(starts.labels),
            flags: flags.tail(starts.flags),
            rows: self.take_rows(),
        }
    }

    /// Drops what was read since the last delta.
    pub fn drop_delta(&mut self) {
        // An input that isn't a known dump leaves the labels of its path and no rows: making the
        // tables anew would take a third of the time that such an input takes.
        if self.has_rows() {
            self.take_rows();
        }
        let Lengths { strings, frames, stacks, labels, flags } = self.taken;
        if self.lengths() == self.taken {
            return;
        }
        for (at, frame) in self.profile.frames.iter().enumerate().skip(frames) {
            let hash = self.hasher.hash_one(frame);
            self.frame_index.remove(hash, position(at));
        }
        self.state_by_stack.clear();
        self.leaf_shows_no_state.clear();
        self.profile.frames.truncate(frames);
        self.profile.strings.0.truncate(strings);
        self.profile.stacks.truncate(stacks);
        self.profile.labels.truncate(labels);
        self.profile.flags.truncate(flags);
        self.generation = Generation::new();
    }

    /// Whether the builder holds anything besides the tables that stay.
    fn has_rows(&self) -> bool {
        let Profile { inputs, samples, mappings, functions, locations, .. } = &self.profile;
        !inputs.is_empty()
            || !samples.is_empty()
            || !mappings.is_empty()
            || !functions.is_empty()
            || !locations.is_empty()
            || !self.type_index.is_empty()
    }

    fn take_rows(&mut self) -> Profile {
        self.generation = self.generation.next_delta();
        self.sample_index.clear();
        self.type_index.clear();
        self.calls = Calls::default();
        let mut rows = std::mem::take(&mut self.profile);
        let kept = &mut self.profile;
        std::mem::swap(&mut kept.strings, &mut rows.strings);
        std::mem::swap(&mut kept.frames, &mut rows.frames);
        std::mem::swap(&mut kept.stacks, &mut rows.stacks);
        std::mem::swap(&mut kept.labels, &mut rows.labels);
        std::mem::swap(&mut kept.flags, &mut rows.flags);
        // The next process has about as many.
        kept.samples.reserve(rows.samples.len());
        rows
    }

    /// Merges a delta, after everything that was merged before.
    ///
    /// The deltas of a builder have to be merged in the order in which they were taken, none left
    /// out, with one translation. Merging deltas in the order of their inputs gives the same
    /// profile whichever threads made them.
    pub fn merge(&mut self, delta: &Delta, translation: &mut Translation) {
        self.merge_tables(delta, translation);
        let first_input = self.profile.inputs.len();
        let first_sample = self.profile.samples.len();
        let sample_of = |sample: SampleId| SampleId(position(first_sample + sample.index()));
        let rows = self.merge_located(&delta.rows, translation);
        for input in delta.inputs() {
            let mut input = input.clone();
            input.labels = translation.labels(input.labels);
            for crash in input.crash.iter_mut().chain(&mut input.later_crashes) {
                crash.sample = crash.sample.map(sample_of);
            }
            rows.header(&mut input.header, translation);
            self.profile.inputs.push(input);
        }
        self.complete_types(first_input);
        // These inputs have no other samples, so no sample can exist already.
        self.profile.samples.reserve(delta.rows.samples.len());
        for (in_delta, sample) in delta.rows.samples() {
            let input = InputId(position(first_input + sample.key.input.index()));
            let detail = match delta.rows.detail(in_delta) {
                Detail::NONE => Detail::NONE,
                detail => rows.detail(detail, translation.labels(detail.labels)),
            };
            let new = self.push_sample(&translation.key(&sample.key, input), detail);
            let into = &mut self.profile.samples[new.index()];
            (into.count, into.waits) = (sample.count, sample.waits);
        }
        self.merge_goroutines(&delta.rows, translation, |sample| (sample_of(sample), 0));
    }

    /// Merges everything of another builder, after everything that was merged before: like one
    /// delta, but nothing is copied if this builder is still empty.
    pub fn merge_builder(&mut self, mut other: ProfileBuilder) {
        if self.profile.inputs.is_empty() && self.lengths() == Lengths::default() {
            *self = other;
            self.complete_types(0);
        } else {
            other.taken = Lengths::default();
            self.merge(&other.take_delta(), &mut Translation::default());
        }
    }

    /// Merges the delta of a part of an input: the contents of its one input are added to the input
    /// here.
    pub fn merge_into(&mut self, input: InputId, delta: &Delta) {
        let translation = &mut Translation::default();
        self.merge_tables(delta, translation);
        for of_delta in delta.inputs() {
            let whole = self.input_mut(input);
            whole.seen.add(&of_delta.seen);
            whole.goroutines = whole.goroutines.saturating_add(of_delta.goroutines);
        }
        let samples: Vec<(SampleId, i64)> = delta
            .rows
            .samples
            .iter()
            .map(|sample| {
                let new = self.sample_of(&translation.key(&sample.key, input));
                let into = &mut self.profile.samples[new.index()];
                let before = into.count;
                into.count = into.count.saturating_add(sample.count);
                into.waits.merge(&sample.waits);
                (new, before)
            })
            .collect();
        self.merge_goroutines(&delta.rows, translation, |sample| samples[sample.index()]);
    }

    /// Interns the new strings, frames and so on, and notes their ids in the translation.
    fn merge_tables(&mut self, delta: &Delta, translation: &mut Translation) {
        if delta.starts == Lengths::default() {
            *translation = Translation::default();
        }
        debug_assert_eq!(delta.starts, translation.lengths(), "deltas in order, none left out");
        translation.strings.extend(delta.strings.iter().map(|text| self.string(text)));
        for frame in &delta.frames {
            let (func, file) = (translation.string(frame.func), translation.string(frame.file));
            translation.frames.push(self.frame_of(Frame { func, file, ..*frame }));
        }
        let mut stack = Vec::new();
        for frames in delta.stacks.iter() {
            stack.clear();
            stack.extend(frames.iter().map(|&frame| translation.frame(frame)));
            translation.stacks.push(self.stack(&stack));
        }
        for labels in delta.labels.iter() {
            let mut set: Vec<Label> =
                labels.iter().map(|&label| translation.label(label)).collect();
            translation.labels.push(self.labels(&mut set));
        }
        for flags in delta.flags.iter() {
            let mut set: Vec<Flag> = flags.iter().map(|&flag| translation.string(flag)).collect();
            translation.flags.push(self.flags(&mut set));
        }
    }

    /// `sample_of` returns the sample here for one of the delta, and how many goroutines it had
    /// before.
    fn merge_goroutines(
        &mut self,
        delta: &Profile,
        translation: &Translation,
        sample_of: impl Fn(SampleId) -> (SampleId, i64),
    ) {
        let first = self.profile.spilled() + self.profile.goroutines.len();
        self.profile.goroutines.extend(
            delta
                .goroutines
                .iter()
                .map(|goroutine| Goroutine { sample: sample_of(goroutine.sample).0, ..*goroutine }),
        );
        for (row, words) in delta.addresses.iter() {
            let (sample, before) = sample_of(row.sample);
            let ordinal = i64::from(row.ordinal).saturating_add(before);
            let most = if row.waits { LIMITS.addressed_waiters } else { LIMITS.addressed_others };
            if ordinal < i64::from(most) {
                let ordinal = u32::try_from(ordinal).unwrap_or(u32::MAX);
                let position = match row.position() {
                    Some(at) => position(first + at),
                    None => Addressed::NO_POSITION,
                };
                let row = Addressed { sample, ordinal, position, ..*row };
                self.profile.addresses.push(row, words);
            }
        }
        let mut texts = Vec::new();
        for at in 0..delta.arguments.len() {
            texts.clear();
            texts.extend(
                delta
                    .arguments
                    .texts(delta.arguments.noted(at))
                    .iter()
                    .map(|&text| translation.string(text)),
            );
            self.arguments(first + at, &texts);
        }
        for (at, ancestors) in &delta.ancestors {
            let ancestors = ancestors.iter().map(|ancestor| Ancestor {
                stack: translation.stacks[ancestor.stack.index()],
                creator: ancestor.creator.map(|frame| translation.frame(frame)),
                ..*ancestor
            });
            self.profile.ancestors.insert(first + at, ancestors.collect());
        }
    }
}

#[cfg(test)]
mod tests;
