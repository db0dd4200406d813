//! Groups whose goroutines have outlived their creators.

use super::MANY;
use crate::leak::context::{Context, Group, Member};
use crate::profile::InputId;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// At least this share of a group, in percent, has lost its creators: requests that are being handled
/// still have theirs.
const ORPHANS: usize = 90;

/// Why the inputs don't show this; `None` if they do.
pub(super) fn needs(context: &Context<'_>) -> Option<&'static str> {
    let ids = context.profile.goroutines.iter().any(|goroutine| goroutine.creator().is_some());
    (!ids).then_some("the inputs don't tell which goroutine created which")
}

/// The groups of the last point that fit, have many goroutines in one process, and were created by
/// several goroutines that have ended: each left some of them running. A group of one creator may be a
/// pool that waits for work. Returns positions of groups, with the number of creators.
pub(super) fn orphans(
    context: &Context<'_>,
    fits: impl Fn(&Group, &[&Member]) -> bool,
) -> Vec<(usize, usize)> {
    let profile = context.profile;
    let here = |member: &Member| context.is_open_at_last(member);
    let mut groups: Vec<Orphans> = Vec::new();
    // By sample: the position of its group in `groups`, from 1; 0 is none.
    let mut group_of = vec![0_u32; profile.samples.len()];
    for (at, group) in context.groups.iter().enumerate() {
        let members: Vec<&Member> = group.members.iter().filter(|one| here(one)).collect();
        if group.most(here) < MANY || !fits(group, &members) {
            continue;
        }
        groups.push(Orphans { group: at, goroutines: 0, creators: HashMap::default() });
        let number = u32::try_from(groups.len()).unwrap_or(u32::MAX);
        members.iter().for_each(|one| group_of[one.sample.index()] = number);
    }
    if groups.is_empty() {
        return Vec::new();
    }
    for goroutine in &profile.goroutines {
        let number = group_of[goroutine.sample.index()] as usize;
        let Some(group) = number.checked_sub(1).map(|at| &mut groups[at]) else { continue };
        group.goroutines += 1;
        if let Some(creator) = goroutine.creator() {
            let input = profile.sample(goroutine.sample).key.input;
            *group.creators.entry((input, creator)).or_default() += 1;
        }
    }
    groups.retain(|group| group.creators.len() > 1);
    if groups.is_empty() {
        return Vec::new();
    }
    let sought = Sought::of(groups.iter().flat_map(|group| group.creators.keys().copied()));
    let mut alive: HashSet<(InputId, u64), FixedState> = HashSet::default();
    for goroutine in profile.goroutines.iter().filter(|one| sought.may_be(one.id)) {
        let id = (profile.sample(goroutine.sample).key.input, goroutine.id);
        if sought.ids.contains(&id) {
            alive.insert(id);
        }
    }
    let orphaned = |group: &Orphans| {
        let gone = || group.creators.iter().filter(|(creator, _)| !alive.contains(*creator));
        let count: usize = gone().map(|(_, count)| count).sum();
        let creators = gone().count();
        (creators > 1 && is_most(count, group.goroutines)).then_some((group.group, creators))
    };
    groups.iter().filter_map(orphaned).collect()
}

/// A group whose creators are looked for.
struct Orphans {
    group: usize,
    goroutines: usize,
    /// How many each creator created, as far as creators are known.
    creators: HashMap<(InputId, u64), usize, FixedState>,
}

/// The goroutines to find among all goroutines of the profile.
struct Sought {
    ids: HashSet<(InputId, u64), FixedState>,
    /// A bit for the lowest digits of each id. Most goroutines aren't among `ids`, and looking up each of
    /// them took a hundredth of the time of a run.
    bits: Vec<u64>,
}

impl Sought {
    const BITS: u64 = 1 << 20;

    fn of(ids: impl Iterator<Item = (InputId, u64)>) -> Sought {
        let ids: HashSet<(InputId, u64), FixedState> = ids.collect();
        let mut bits = vec![0; (Self::BITS / 64) as usize];
        for (_, id) in &ids {
            bits[(id % Self::BITS / 64) as usize] |= 1 << (id % 64);
        }
        Sought { ids, bits }
    }

    fn may_be(&self, id: u64) -> bool {
        self.bits[(id % Self::BITS / 64) as usize] >> (id % 64) & 1 == 1
    }
}

fn is_most(part: usize, all: usize) -> bool {
    part.saturating_mul(100) >= all.saturating_mul(ORPHANS)
}
