//! Samples, goroutines and addresses as tables list them: one by one, and already counted.

use super::{Detail, NewAddresses, NewGoroutine, ProfileBuilder, SampleSpec};
use crate::profile::values;
use crate::profile::{Addressed, Goroutine, Kind, SampleId, WaitRange};

impl ProfileBuilder {
    /// Adds a sample with its kind, count and waits.
    pub fn whole_sample(
        &mut self,
        spec: &SampleSpec,
        kind: Kind,
        count: i64,
        waits: WaitRange,
    ) -> SampleId {
        let sample = self.push_sample(&spec.key(spec.state, kind), Detail::NONE);
        let counted = &mut self.profile.samples[sample.index()];
        (counted.count, counted.waits) = (count, waits);
        self.count_in_input(spec.input, count);
        sample
    }

    /// Lists a goroutine that its sample has already counted; returns its position in the column.
    pub fn list_goroutine(&mut self, sample: SampleId, new: &NewGoroutine) -> Option<usize> {
        if !(self.keep.goroutines || self.keep.creators) {
            return None;
        }
        self.profile.goroutines.push(Goroutine {
            id: new.id,
            created_by: new.created_by.unwrap_or(Goroutine::NO_CREATOR),
            sample,
            wait: new.wait,
        });
        Some(self.profile.goroutines.len() - 1)
    }

    /// Lists the addresses of the goroutine that is number `ordinal` of its sample.
    pub fn list_addresses(
        &mut self,
        sample: SampleId,
        new: &NewGoroutine,
        position: Option<usize>,
        ordinal: u32,
        found: &NewAddresses<'_>,
    ) {
        let row = Addressed {
            id: new.id,
            sample,
            ordinal,
            wait: new.wait,
            position: position.map_or(Addressed::NO_POSITION, values::position),
            waits: found.waits,
            lock: found.lock,
        };
        self.profile.addresses.push(row, found.words);
    }
}
