//! What paths and headers become in a builder: samples.

use super::step::ROOT;
use super::{Meaning, Place, Record, Records};
use crate::format::traceback::pairs::PairId;
use crate::profile::{Elision, FrameId, InputId, ProfileBuilder, SampleId, SampleSpec, StackId};

/// What a pair became in a builder: a frame, or the number of a status.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Frame(FrameId),
    Status(u32),
}

/// Something that holds for one [`Epoch`](crate::profile::Epoch) of a builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Of<T> {
    /// Which one: that of the tables, for samples that of the rows.
    pub(super) epoch: u32,
    pub(super) what: T,
}

/// What a path became in the tables of a builder.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStack {
    stack: StackId,
    creator: Option<FrameId>,
    elided: Option<Elision>,
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
        match self.ends.get(record.last as usize) {
            Some(Some(Of { epoch, what: end }))
                if *epoch == self.epoch.rows
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
        if let Some(end) = self.ends.get_mut(record.last as usize)
            && end.is_none_or(|end| end.epoch != self.epoch.rows)
        {
            let what = End { status: record.status, input, sample };
            *end = Some(Of { epoch: self.epoch.rows, what });
        }
        sample
    }

    fn new_sample(
        &mut self,
        record: &Record,
        input: InputId,
        builder: &mut ProfileBuilder,
    ) -> SampleId {
        let PathStack { stack, creator, elided } = match self.stacks.get(&record.last) {
            Some(known) => *known,
            None => {
                let new = self.new_stack(record.last, builder);
                self.stacks.insert(record.last, new);
                new
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

    fn new_stack(&mut self, last: u32, builder: &mut ProfileBuilder) -> PathStack {
        let mut path = Vec::new();
        let mut step = last;
        while step != ROOT
            && let Some(known) = self.steps.get(step as usize)
            && let Some(&parent) = self.parents.get(step as usize)
        {
            path.push(known.pair);
            step = parent;
        }
        let mut frames = Vec::with_capacity(path.len());
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
        PathStack { stack: builder.stack(&frames), creator, elided }
    }

    /// The frame of a call or a creator.
    fn frame(
        &mut self,
        pair: PairId,
        place: Place,
        builder: &mut ProfileBuilder,
    ) -> Option<FrameId> {
        let bound = self.bound.get_mut(pair.index())?;
        if let &mut Some(Of { epoch, what: Bound::Frame(frame) }) = bound
            && epoch == self.epoch.tables
        {
            return Some(frame);
        }
        let text = |(start, length): (u32, u32)| self.pairs.texts(start)?.get(..length as usize);
        let frame = builder.frame(text(place.func)?, text(place.file)?, place.line);
        *bound = Some(Of { epoch: self.epoch.tables, what: Bound::Frame(frame) });
        Some(frame)
    }
}
