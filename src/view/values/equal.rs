//! Samples that are equal in everything but their values, whichever inputs they are from: those that
//! `go tool pprof` adds up when it merges profiles.

use crate::profile::{FunctionId, Label, LocationId, Mapping, Profile, SampleId, StrId};
use std::collections::HashMap;

/// The identity of a location: the pages, offset and name of its mapping, its address in that, and its
/// lines.
type LocationKey = (Option<(u64, u64, StrId)>, u64, Vec<(StrId, StrId, StrId, i64, i64, i64)>);
type Key<'a> = (Vec<usize>, u32, &'a [Label]);

/// Numbers samples by stack and labels.
#[derive(Debug, Default)]
pub(in crate::view) struct EqualSamples<'a> {
    places: HashMap<LocationKey, usize>,
    by_location: HashMap<LocationId, usize>,
    samples: HashMap<Key<'a>, usize>,
}

impl<'a> EqualSamples<'a> {
    /// The number of a sample, the same for equal ones; counted from 0 as they come.
    pub(in crate::view) fn number(&mut self, profile: &'a Profile, sample: SampleId) -> usize {
        let locations = profile.sample_locations(sample);
        let places = locations.iter().map(|&at| self.place(profile, at)).collect();
        let stack = match locations {
            [] => profile.sample(sample).key.full.0,
            _ => 0,
        };
        let new = self.samples.len();
        *self.samples.entry((places, stack, profile.all_labels(sample))).or_insert(new)
    }

    fn place(&mut self, profile: &Profile, id: LocationId) -> usize {
        if let Some(&known) = self.by_location.get(&id) {
            return known;
        }
        let location = profile.location(id);
        let mapping = location.mapping.map(|mapping| profile.mapping(mapping));
        let start = mapping.map_or(0, |mapping| mapping.start);
        let file = mapping.map(Mapping::identity);
        let function = |id: FunctionId| profile.function(id);
        let lines = profile.lines(id).iter().map(|line| {
            let of = function(line.function);
            (of.name, of.system_name, of.file, of.start_line, line.line, line.column)
        });
        let place = (file, location.address.wrapping_sub(start), lines.collect());
        let new = self.places.len();
        let number = *self.places.entry(place).or_insert(new);
        self.by_location.insert(id, number);
        number
    }
}

/// By mapping: how much higher addresses are in the first mapping that equals it.
pub(in crate::view) fn shifts(profile: &Profile) -> Vec<u64> {
    let mut starts: HashMap<(u64, u64, StrId), u64> = HashMap::new();
    let shift = |mapping: &Mapping| {
        let first = *starts.entry(mapping.identity()).or_insert(mapping.start);
        first.wrapping_sub(mapping.start)
    };
    profile.mappings().iter().map(shift).collect()
}
