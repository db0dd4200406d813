//! The goroutines that checks look at, and which of them the built-in catalogue explains.

use super::catalogue::Catalogue;
use super::entry::Entry;
use super::options::Options;
use super::pattern::Functions;
use crate::filter::Selection;
use crate::profile::{InputId, Profile, SampleId, WaitRange, flag};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::table::part;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;

/// The selected goroutines of one sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) sample: SampleId,
    pub(super) count: i64,
    pub(super) waits: WaitRange,
    pub(super) point: usize,
    pub(super) process: usize,
    /// The entry of the catalogue that explains them, if there are no more than it allows.
    pub(super) entry: Option<&'static Entry>,
    /// Whether a catalogue entry explains them, so that checks leave them alone.
    pub(super) excused: bool,
    /// Whether the runtime proved them leaked.
    pub(super) leaked: bool,
    /// Whether they come from a goroutineleak profile, which repeats goroutines of the dump next to it.
    pub(super) repeated: bool,
}

/// The highest count of a sample: no process has as many goroutines, and the sum of millions of such
/// samples doesn't overflow.
const MOST: i128 = 1 << 40;

impl Member {
    /// Whether they are part of a dump and nothing explains them.
    pub(super) fn is_unexplained(&self) -> bool {
        !self.repeated && !self.excused
    }

    /// Like [`Member::is_unexplained`], for one check: some entries of the catalogue only explain
    /// goroutines to certain checks.
    pub(super) fn is_unexplained_for(&self, check: &str) -> bool {
        let excused = self.excused && self.entry.is_some_and(|entry| entry.is_for(check));
        !self.repeated && !excused
    }
}

/// The points that hold more than goroutineleak profiles.
pub(super) fn dump_points(profile: &Profile) -> Vec<usize> {
    let dumps = profile.inputs.iter().filter(|input| !input.format.is_leak_profile());
    let points: BTreeSet<usize> = dumps.map(|input| input.point).collect();
    points.into_iter().collect()
}

pub(super) fn members(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    points: &Timeline,
    options: &Options,
    functions: &Functions<'_>,
) -> Vec<Member> {
    let mut members: Vec<Member> = part::selected(profile, selection)
        .iter()
        // Profiles of something else count no goroutines, whatever their samples count.
        .filter(|part| profile.input(profile.sample(part.sample).key.input).goroutines != 0)
        .map(|part| {
            let key = &profile.sample(part.sample).key;
            let input = profile.input(key.input);
            let repeated = input.format.is_leak_profile();
            Member {
                sample: part.sample,
                count: part.count.clamp(-MOST, MOST) as i64,
                waits: part.waits,
                point: input.point,
                process: points.process(key.input),
                entry: None,
                excused: false,
                leaked: repeated || profile.has_flag(key.flags, flag::LEAKED),
                repeated,
            }
        })
        .collect();
    if options.catalogue {
        excuse(profile, names, functions, &mut members);
    }
    // Members of equal counts are in one order, whatever the order of the inputs.
    members.sort_by_key(|member| (member.point, member.process, member.sample));
    members
}

/// Marks the members that the catalogue explains, in each input up to the number that an entry allows.
fn excuse(profile: &Profile, names: &Names, functions: &Functions<'_>, members: &mut [Member]) {
    let catalogue = Catalogue::new(profile, names, functions);
    // Entries don't look at labels, which is what most samples differ in where goroutines carry them.
    let mut known: HashMap<_, Option<usize>, FixedState> = HashMap::default();
    let covering: Vec<Option<usize>> = members
        .iter()
        .map(|member| {
            let key = &profile.sample(member.sample).key;
            *known
                .entry((key.stack, key.kind, key.state, key.creator))
                .or_insert_with(|| catalogue.explains(key))
        })
        .collect();
    let mut sums: HashMap<(InputId, usize), i64, FixedState> = HashMap::default();
    let input = |member: &Member| profile.sample(member.sample).key.input;
    for (member, entry) in members.iter().zip(&covering) {
        if let Some(entry) = entry {
            *sums.entry((input(member), *entry)).or_default() += member.count;
        }
    }
    for (member, entry) in members.iter_mut().zip(&covering) {
        if let Some(entry) = entry {
            let entry_of = catalogue.entries[*entry];
            let within = entry_of.max.is_none_or(|max| sums[&(input(member), *entry)] <= max);
            member.excused = within;
            member.entry = within.then_some(entry_of);
        }
    }
}
