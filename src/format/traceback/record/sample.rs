//! What paths and headers become in a builder: samples.

use super::step::ROOT;
use super::{Meaning, Place, Record, Records};
use crate::format::traceback::pairs::PairId;
use crate::profile::{Elision, FrameId, InputId, ProfileBuilder, SampleId, SampleSpec};

/// What a pair became in a builder: a frame, or the number of a status.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Frame(FrameId),
    Status(u32),
}

/// Something that holds for one builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<T> {
    /// Which one: they are counted by [`Records::rebind`].
    pub(super) builder: u32,
    pub(super) what: T,
}

/// The sample of a path that ended here last, and what else made it.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) status: u32,
    pub(super) input: InputId,
    pub(super) sample: SampleId,
}

impl Records {
    /// The sample of a record.
    #[inline(always)]
    pub(super) fn sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        match self.samples_of.get(record.last as usize) {
            Some(Some(Of { builder, what: end }))
                if *builder == self.builder
                    && end.status == record.status
                    && end.input == input =>
            {
                end.sample
            }
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
        if let Some(end) = self.samples_of.get_mut(record.last as usize)
            && end.is_none_or(|end| end.builder != self.builder)
        {
            let what = End { status: record.status, input, sample };
            *end = Some(Of { builder: self.builder, what });
        }
        sample
    }

    fn new_sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let mut path = std::mem::take(&mut self.path);
        let mut frames = std::mem::take(&mut self.frames);
        path.clear();
        frames.clear();
        let mut step = record.last;
        while step != ROOT
            && let Some(known) = self.steps.get(step as usize)
            && let Some(node) = self.nodes.get(step as usize)
        {
            path.push(node.pair);
            step = known.parent;
        }
        let (mut creator, mut elided) = (None, None);
        for &pair in path.iter().rev() {
            match self.meanings.get(pair.index()) {
                Some(&Meaning::Call(place)) => frames.extend(self.frame(pair, place, builder)),
                Some(&Meaning::Creator(place)) => creator = self.frame(pair, place, builder),
                Some(&Meaning::Gap(count)) => {
                    let after = u32::try_from(frames.len()).unwrap_or(u32::MAX);
                    elided = Some(Elision { after, count });
                }
                Some(Meaning::Header(_)) | None => {}
            }
        }
        let status = self.statuses.get(record.status as usize).copied().unwrap_or_default();
        let stack = builder.stack(&frames);
        (self.path, self.frames) = (path, frames);
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

    /// The frame of a call or a creator.
    fn frame(
        &mut self,
        pair: PairId,
        place: Place,
        builder: &mut ProfileBuilder,
    ) -> Option<FrameId> {
        let bound = self.bound.get_mut(pair.index())?;
        if let &mut Some(Of { builder, what: Bound::Frame(frame) }) = bound
            && builder == self.builder
        {
            return Some(frame);
        }
        let text = |(start, length): (u32, u32)| self.pairs.texts(start)?.get(..length as usize);
        let frame = builder.frame(text(place.func)?, text(place.file)?, place.line);
        *bound = Some(Of { builder: self.builder, what: Bound::Frame(frame) });
        Some(frame)
    }
}
