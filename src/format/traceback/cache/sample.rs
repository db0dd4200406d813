//! Samples of a builder for paths and headers.

use super::templates::TemplateId;
use super::{Meaning, Record, Records, SourceLine};
use crate::profile::{Elision, FrameId, InputId, ProfileBuilder, SampleId, SampleSpec, StackId};
use crate::simd::prefetch;

/// The id of a template in a builder: a frame, or the number of a status.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Frame(FrameId),
    Status(u32),
}

/// A value that is valid for one [`Generation`](crate::profile::Generation) of a builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForGeneration<T> {
    /// The generation of the tables; for samples, that of the rows.
    pub(super) generation: u32,
    pub(super) value: T,
}

/// A sample of a path, with the status and the input that it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathSample {
    status: u32,
    input: InputId,
    sample: SampleId,
}

/// The stack of a path in the tables of a builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStack {
    stack: StackId,
    creator: Option<FrameId>,
    elided: Option<Elision>,
}

/// Prefetches the counts of a sample.
#[inline(always)]
pub(super) fn prefetch_counts(sample: SampleId, builder: &ProfileBuilder) {
    if let Some(sample) = builder.profile().samples.get(sample.index()) {
        // Between them it stands in one or two lines.
        prefetch(&sample.count);
        prefetch(&sample.waits.max);
    }
}

impl Records {
    /// The sample of a path with a status, if there is one.
    #[inline(always)]
    pub(super) fn known_sample(&self, path: u32, status: u32, input: InputId) -> Option<SampleId> {
        match self.path_samples.get(path as usize) {
            Some(Some(ForGeneration { generation, value }))
                if *generation == self.generation.rows
                    && value.status == status
                    && value.input == input =>
            {
                Some(value.sample)
            }
            _ => self.other_sample(path, status, input),
        }
    }

    #[inline(never)]
    fn other_sample(&self, path: u32, status: u32, input: InputId) -> Option<SampleId> {
        self.samples.get(&(path, status, input)).copied()
    }

    /// Prefetches what [`Records::known_sample`] looks at first.
    #[inline(always)]
    pub(super) fn prefetch_sample_of(&self, path: u32) {
        if let Some(sample) = self.path_samples.get(path as usize) {
            prefetch(sample);
        }
    }

    /// The sample of a record, added if it is new.
    #[inline(never)]
    pub(super) fn sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let key = (record.path, record.status, input);
        let sample = match self.samples.get(&key) {
            Some(&sample) => sample,
            None => {
                let sample = self.new_sample(record, input, builder);
                self.samples.insert(key, sample);
                sample
            }
        };
        if let Some(last) = self.path_samples.get_mut(record.path as usize)
            && last.is_none_or(|last| last.generation != self.generation.rows)
        {
            let value = PathSample { status: record.status, input, sample };
            *last = Some(ForGeneration { generation: self.generation.rows, value });
        }
        sample
    }

    fn new_sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let PathStack { stack, creator, elided } = match self.stacks.get(record.path as usize) {
            Some(&Some(ForGeneration { generation, value }))
                if generation == self.generation.tables =>
            {
                value
            }
            _ => {
                let value = self.new_stack(record.path, builder);
                if let Some(stack) = self.stacks.get_mut(record.path as usize) {
                    *stack = Some(ForGeneration { generation: self.generation.tables, value });
                }
                value
            }
        };
        let status = self.statuses.get(record.status as usize).copied().unwrap_or_default();
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

    fn new_stack(&mut self, path: u32, builder: &mut ProfileBuilder) -> PathStack {
        let mut templates = std::mem::take(&mut self.templates_of_path);
        let mut frames = std::mem::take(&mut self.frames_of_path);
        templates.clear();
        templates.extend_from_slice(self.paths.templates(path).unwrap_or_default());
        frames.clear();
        let (mut creator, mut elided) = (None, None);
        for &template in &templates {
            match self.meanings.get(template.index()) {
                Some(&Meaning::Call(place, _)) => {
                    frames.extend(self.frame(template, place, builder))
                }
                Some(&Meaning::Creator(place)) => creator = self.frame(template, place, builder),
                Some(&Meaning::Gap(count)) => {
                    let after = u32::try_from(frames.len()).unwrap_or(u32::MAX);
                    elided = Some(Elision { after, count });
                }
                Some(Meaning::Header(_)) | None => {}
            }
        }
        let stack = builder.stack(&frames);
        (self.templates_of_path, self.frames_of_path) = (templates, frames);
        PathStack { stack, creator, elided }
    }

    /// The frame of a call or a creator.
    fn frame(
        &mut self,
        template: TemplateId,
        place: SourceLine,
        builder: &mut ProfileBuilder,
    ) -> Option<FrameId> {
        let bound = self.bound.get_mut(template.index())?;
        if let &mut Some(ForGeneration { generation, value: Bound::Frame(frame) }) = bound
            && generation == self.generation.tables
        {
            return Some(frame);
        }
        let texts = self.templates.bytes();
        let text =
            |(start, length): (u32, u32)| texts.get(start as usize..)?.get(..length as usize);
        let frame = builder.frame(text(place.func)?, text(place.file)?, place.line);
        *bound =
            Some(ForGeneration { generation: self.generation.tables, value: Bound::Frame(frame) });
        Some(frame)
    }
}
