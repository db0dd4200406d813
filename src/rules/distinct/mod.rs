//! Telling equal names apart: a setting of the default rules, `name.distinct`.
//!
//! Stacks of one category that got the same name get a further frame in front (`Store.Send →
//! Replica.lock → mutex`), or the place of a frame behind (`Replica.lock → mutex (replica.go:12)`).
//!
//! In a dump of mostly distinct stacks most names are shared. So what would be added to a name is
//! compared as an interned text, and a name is only put together once it is known to be unique.

mod candidate;
#[cfg(test)]
mod tests;

use super::Names;
use super::namer::Namer;
use crate::profile::{Profile, StackId, StrId};
use candidate::{Duplicate, ROUNDS, Scratch, is_in_front};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::ops::Range;

/// Stacks that have their names from the same rules but don't have them for themselves yet.
#[derive(Debug, Default)]
pub(super) struct DuplicateNames {
    /// Who has each name in each category.
    holders: HashMap<(StrId, StrId), Holder, FixedState>,
    /// Stacks of one category that got the same name, in the order of the profile; empty once they
    /// are told apart.
    groups: Vec<Vec<StackId>>,
    /// The outermost frame that the name of each stack tells of.
    outermost: Vec<u32>,
    scratch: Scratch,
}

#[derive(Clone, Copy, Debug)]
enum Holder {
    Stack(StackId),
    /// The number of a group.
    Group(u32),
}

impl DuplicateNames {
    /// Finds the stacks of samples that share a name; `outermost` is the last frame that the name
    /// of each stack tells of.
    pub(super) fn new(names: &mut Names, profile: &Profile, outermost: Vec<u32>) -> DuplicateNames {
        let mut is_shown = vec![false; profile.stack_count()];
        for sample in &profile.samples {
            is_shown[sample.key.stack.index()] = true;
        }
        let mut holders: HashMap<_, Holder, _> =
            HashMap::with_capacity_and_hasher(profile.stack_count(), FixedState::default());
        let mut groups: Vec<Vec<StackId>> = Vec::new();
        for stack in (0..is_shown.len()).filter(|&at| is_shown[at]).map(|at| StackId(at as u32)) {
            match holders.entry(names.stacks[stack.index()]) {
                Entry::Vacant(entry) => drop(entry.insert(Holder::Stack(stack))),
                Entry::Occupied(mut entry) => match *entry.get() {
                    Holder::Group(group) => groups[group as usize].push(stack),
                    Holder::Stack(first) => {
                        // Fewer than stacks, whose numbers have 32 bits.
                        entry.insert(Holder::Group(groups.len() as u32));
                        groups.push(vec![first, stack]);
                    }
                },
            }
        }
        names.distinct = names.stacks.iter().map(|(name, _)| Some(*name)).collect();
        for stack in groups.iter().flatten() {
            names.distinct[stack.index()] = None;
        }
        DuplicateNames { holders, groups, outermost, scratch: Scratch::default() }
    }

    /// The numbers of groups.
    pub(super) fn groups(&self) -> Range<usize> {
        0..self.groups.len()
    }

    /// The group of a stack, if it has one.
    pub(super) fn group(&self, names: &Names, stack: StackId) -> Option<usize> {
        match self.holders.get(&names.stacks[stack.index()])? {
            Holder::Group(group) => Some(*group as usize),
            Holder::Stack(_) => None,
        }
    }

    /// Changes names so that the stacks of a group differ in theirs, as far as anything that is shown
    /// of them differs.
    ///
    /// What a group becomes doesn't depend on other groups, so that any of them can be left out.
    pub(super) fn disambiguate(&mut self, namer: &mut Namer, profile: &Profile, group: usize) {
        let DuplicateNames { holders, groups, outermost, scratch } = self;
        let group = std::mem::take(&mut groups[group]);
        let Some(first) = group.first() else { return };
        let (name, category) = namer.names.stacks[first.index()];
        scratch.used.clear();
        let duplicate = |&stack: &StackId| Duplicate::new(stack, outermost[stack.index()] as usize);
        let mut duplicates: Vec<Duplicate> = group.iter().map(duplicate).collect();
        let is_taken = |text| holders.contains_key(&(text, category));
        for round in 0..ROUNDS {
            if duplicates.len() < 2 {
                break;
            }
            scratch.propose(round, namer, profile, name, &mut duplicates);
            duplicates.retain(|duplicate| {
                let Some(candidate) = duplicate.candidate.filter(|text| scratch.is_unique(*text))
                else {
                    return true;
                };
                let text = scratch.extend(namer, name, candidate, is_in_front(round));
                let is_free = !is_taken(text) && scratch.used.insert(text);
                if is_free {
                    namer.names.distinct[duplicate.stack.index()] = Some(text);
                }
                !is_free
            });
        }
        for duplicate in duplicates {
            namer.names.distinct[duplicate.stack.index()] = Some(name);
        }
    }
}
