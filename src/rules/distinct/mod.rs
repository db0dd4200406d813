//! Making equal names distinct: a setting of the default rules, `name.distinct`.
//!
//! Stacks of one category with the same name get a further frame in front (`Store.Send →
//! Replica.lock → mutex`), or the place of a frame after it (`Replica.lock → mutex (replica.go:12)`).
//!
//! In a dump of mostly distinct stacks most names are shared: to distinguish all of them takes twice as
//! long as everything else about names, and most tables show few of them. So the names of a group are
//! made distinct when one of them is needed. Candidates are compared as interned texts, and a name is
//! only put together once it is known to be unique.

mod candidate;
#[cfg(test)]
mod tests;

use super::Names;
pub(super) use candidate::Candidates;

use crate::limits::LIMITS;
use crate::profile::{Profile, StackId, StrId};
use candidate::{Duplicate, ROUNDS, is_in_front};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::cell::{OnceCell, RefCell};

/// Distinct names for stacks whose rules gave them the same name as others of their category.
#[derive(Debug)]
pub(super) struct DistinctNames {
    /// By name from rules and category: the first stack with these.
    holders: HashMap<(StrId, StrId), StackId, FixedState>,
    groups: Vec<Namesakes>,
    /// By stack: its group and its position in that; `None` if no other has its name.
    places: Vec<Option<(u32, u32)>>,
    /// By stack: the outermost frame that is part of its name.
    outermost: Vec<u32>,
    candidates: RefCell<Candidates>,
}

/// Stacks of one category with the same name from rules, in the order of the profile.
#[derive(Debug, Default)]
struct Namesakes {
    stacks: Vec<StackId>,
    /// Their distinct names, once one was needed; `None` for a stack that can't be distinguished.
    names: OnceCell<Vec<Option<Box<[u8]>>>>,
}

impl DistinctNames {
    /// Finds the stacks of samples that share a name; `outermost` is the last frame that is part of
    /// the name of each stack.
    pub(super) fn new(
        names: &Names,
        profile: &Profile,
        outermost: Vec<u32>,
        candidates: Candidates,
    ) -> DistinctNames {
        let mut is_shown = vec![false; profile.stack_count()];
        for sample in &profile.samples {
            is_shown[sample.key.stack.index()] = true;
        }
        let mut holders: HashMap<_, StackId, _> =
            HashMap::with_capacity_and_hasher(profile.stack_count(), FixedState::default());
        let mut groups: Vec<Namesakes> = Vec::new();
        let mut places = vec![None; is_shown.len()];
        for (stack, _) in profile.stacks().zip(is_shown).filter(|(_, is_shown)| *is_shown) {
            let first = match holders.entry(names.stacks[stack.index()]) {
                Entry::Vacant(entry) => {
                    entry.insert(stack);
                    continue;
                }
                Entry::Occupied(entry) => *entry.get(),
            };
            // There are fewer than stacks, whose numbers have 32 bits.
            let new = groups.len() as u32;
            let (group, _) = *places[first.index()].get_or_insert((new, 0));
            if group == new {
                groups.push(Namesakes { stacks: vec![first], ..Namesakes::default() });
            }
            let stacks = &mut groups[group as usize].stacks;
            places[stack.index()] = Some((group, stacks.len() as u32));
            stacks.push(stack);
        }
        DistinctNames { holders, groups, places, outermost, candidates: RefCell::new(candidates) }
    }

    /// The distinct name of a stack; `None` if the one from rules is distinct already.
    pub(super) fn name(&self, names: &Names, profile: &Profile, stack: StackId) -> Option<&[u8]> {
        let (group, at) = self.places[stack.index()]?;
        let group = &self.groups[group as usize];
        let names = group.names.get_or_init(|| self.tell_apart(names, profile, &group.stacks));
        names[at as usize].as_deref()
    }

    /// Names for the stacks of a group, as distinct as their frames allow.
    ///
    /// They don't depend on other groups, so it doesn't matter which names are needed.
    fn tell_apart(
        &self,
        names: &Names,
        profile: &Profile,
        stacks: &[StackId],
    ) -> Vec<Option<Box<[u8]>>> {
        let candidates = &mut *self.candidates.borrow_mut();
        let (name, category) = names.stacks[stacks[0].index()];
        let mut duplicates: Vec<Duplicate> = (0..stacks.len())
            .map(|at| Duplicate::new(at, stacks[at], self.outermost[stacks[at].index()] as usize))
            .collect();
        let is_taken = |text: &[u8]| {
            let text = names.texts.find(text);
            text.is_some_and(|text| self.holders.contains_key(&(text, category)))
        };
        let mut found: HashMap<Box<[u8]>, usize, FixedState> = HashMap::default();
        let is_long = |text: &[u8]| text.len() > LIMITS.name;
        // What stacks share is held once, but each of these names has it again: 60,000 of 4 KiB took 500 MB.
        let mut room = stacks.len().saturating_mul(LIMITS.names_average);
        for round in 0..ROUNDS {
            if duplicates.len() < 2 || is_long(names.text(name)) {
                break;
            }
            candidates.propose(round, names, profile, name, &mut duplicates);
            duplicates.retain(|duplicate| {
                let candidate = duplicate.candidate.filter(|text| candidates.is_unique(*text));
                let Some(candidate) = candidate else { return true };
                let text = candidates.extend(names, name, candidate, is_in_front(round));
                let is_free = !is_long(text)
                    && text.len() <= room
                    && !is_taken(text)
                    && !found.contains_key(text);
                if is_free {
                    room -= text.len();
                    found.insert(text.into(), duplicate.at);
                }
                !is_free
            });
        }
        let mut distinct = vec![None; stacks.len()];
        for (text, at) in found {
            distinct[at] = Some(text);
        }
        distinct
    }
}
