//! Goroutines that wait for each other.

use super::holder::{Candidate, Candidates, Grade};
use super::is_lock;
use super::pile::{Pile, Piles};
use crate::profile::{Address, Addressed, FrameId, InputId, Kind, Profile, SampleId, StrId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// A cycle of goroutines: each waits for a lock that the next one holds, and the last for one that the
/// first holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// The input.
    pub input: InputId,
    /// The goroutines, the one with the lowest id first.
    pub members: Vec<Member>,
    /// Whether all of them wait for locks whose own addresses are known, not only those of their owners.
    pub is_certain: bool,
}

/// A goroutine of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its id.
    pub id: u64,
    /// The sample that it is counted in.
    pub sample: SampleId,
    /// The pile that it waits in, as a position among the piles.
    pub pile: usize,
    /// The address of the lock, or of its owner.
    pub lock: u64,
    /// Where it waits.
    pub place: FrameId,
    /// The call whose argument shows which lock it holds.
    pub holds_in: FrameId,
}

impl Cycle {
    pub(super) fn moved(mut self, moved: &impl Fn(usize) -> usize) -> Cycle {
        self.members.iter_mut().for_each(|member| member.pile = moved(member.pile));
        self
    }
}

/// The cycles among goroutines that can't continue: they wait for a lock, a channel or a WaitGroup, and
/// so does everybody who may hold it or act on it. If somebody who may hold a lock doesn't wait, it
/// will be unlocked some time.
pub(super) fn cycles(
    profile: &Profile,
    piles: &Piles,
    candidates: &Candidates,
    frames: &FrameFinder<'_>,
) -> Vec<Cycle> {
    let stuck = stuck(piles, candidates);
    let rows: Vec<(&Addressed, &[Address])> = profile.addresses.iter().collect();
    // Each pile points to the one that its first candidate waits in: following these leads to a cycle.
    let next = |pile: usize| -> Option<(usize, Candidate)> {
        let holder = *candidates.of[pile].iter().find(|one| holds(one))?;
        Some((piles.of_row[holder.row]?, holder)).filter(|_| stuck[pile])
    };
    let others = LazyCell::new(|| Others::of(profile));
    let mut seen_from = vec![usize::MAX; piles.list.len()];
    let mut cycles = Vec::new();
    for start in 0..piles.list.len() {
        let mut at = start;
        while seen_from[at] == usize::MAX {
            seen_from[at] = start;
            match next(at) {
                Some((behind, _)) => at = behind,
                None => break,
            }
        }
        if seen_from[at] != start || next(at).is_none() {
            continue;
        }
        let mut members = Vec::new();
        let first = at;
        // The goroutine at `at` waits for a lock that `holder` holds, which waits in the next pile.
        while let Some((behind, holder)) = next(at) {
            let (row, _) = rows[holder.row];
            let key = &profile.sample(row.sample).key;
            let stack = profile.stack(key.stack);
            let Some(place) = frames.blocking(key.stack) else { break };
            let holds_in = stack.get(holder.address.frame()).copied().unwrap_or(place);
            let lock = piles.list[behind].address();
            members.push(Member {
                id: row.id,
                sample: row.sample,
                pile: behind,
                lock,
                place,
                holds_in,
            });
            at = behind;
            if at == first {
                break;
            }
        }
        // Now each waits for a lock that the next one holds.
        members.reverse();
        let least = (0..members.len()).min_by_key(|&at| members[at].id).unwrap_or(0);
        members.rotate_left(least);
        let input = piles.list[first].input;
        // Others may send to a channel or call Done on a group without showing it.
        let is_sure = |pile: &Pile| pile.lock.is_some() && is_lock(pile.kind);
        let is_certain = members.iter().all(|one| is_sure(&piles.list[one.pile]));
        let of_locks = members.iter().all(|one| is_lock(piles.list[one.pile].kind));
        if !others.may_hold(profile, input, &members, of_locks) {
            cycles.push(Cycle { input, members, is_certain });
        }
    }
    cycles.sort_by_key(|cycle| (cycle.input, cycle.members.first().map(|one| one.id)));
    cycles
}

/// Whether an address shows that a goroutine holds a lock, not only that it knows the lock.
fn holds(candidate: &Candidate) -> bool {
    candidate.grade != Grade::Shared && candidate.address.is_sure()
}

/// The piles that can't be left: everybody who may hold what they wait for, or send, is in such a pile.
fn stuck(piles: &Piles, candidates: &Candidates) -> Vec<bool> {
    let mut stuck = vec![false; piles.list.len()];
    let mut waited_by: Vec<Vec<usize>> = vec![Vec::new(); piles.list.len()];
    for (at, pile) in piles.list.iter().enumerate() {
        let mut conclusive = candidates.of[at].iter().filter(|one| one.grade != Grade::Shared);
        let all_wait = conclusive.clone().all(|one| piles.of_row[one.row].is_some());
        let is_known = match pile.kind {
            kind if is_lock(kind) => pile.lock.is_some() || pile.owner.is_some(),
            // Any goroutine that was given it may be the one to send, to receive or to call Done.
            Kind::ChanRecv | Kind::ChanSend | Kind::WaitGroup => pile.lock.is_some(),
            _ => false,
        };
        let can_be = is_known && !candidates.crowded[at];
        stuck[at] = can_be && conclusive.clone().any(holds) && all_wait;
        for candidate in conclusive.by_ref() {
            if let Some(behind) = piles.of_row[candidate.row] {
                waited_by[behind].push(at);
            }
        }
    }
    let mut freed: Vec<usize> = (0..stuck.len()).filter(|&at| !stuck[at]).collect();
    while let Some(free) = freed.pop() {
        for &at in &waited_by[free] {
            if std::mem::take(&mut stuck[at]) {
                freed.push(at);
            }
        }
    }
    stuck
}

/// The goroutines that don't wait for a lock: by the functions on their stacks, with their arguments.
struct Others<'p> {
    of_function: HashMap<StrId, Vec<SampleId>, FixedState>,
    given: HashMap<SampleId, Vec<&'p [Address]>, FixedState>,
}

impl<'p> Others<'p> {
    fn of(profile: &'p Profile) -> Others<'p> {
        let mut others = Others { of_function: HashMap::default(), given: HashMap::default() };
        let waits = |sample: SampleId| is_lock(profile.sample(sample).key.kind);
        for (id, sample) in profile.samples().filter(|(id, _)| !waits(*id)) {
            for &frame in profile.stack(sample.key.stack) {
                let samples = others.of_function.entry(profile.frame(frame).func).or_default();
                if samples.last() != Some(&id) {
                    samples.push(id);
                }
            }
        }
        for (row, words) in profile.addresses.iter().filter(|(row, _)| !waits(row.sample)) {
            others.given.entry(row.sample).or_default().push(words);
        }
        others
    }

    /// Whether another goroutine is in a function in which one of the cycle was given the lock it holds,
    /// and doesn't show which lock it was given. Only for locks are arguments of others known.
    fn may_hold(
        &self,
        profile: &Profile,
        input: InputId,
        members: &[Member],
        of_locks: bool,
    ) -> bool {
        let functions: BTreeSet<StrId> =
            members.iter().map(|member| profile.frame(member.holds_in).func).collect();
        let standing = functions.iter().filter_map(|func| self.of_function.get(func)).flatten();
        let standing: BTreeSet<SampleId> = standing.copied().collect();
        standing.into_iter().any(|id| {
            let sample = profile.sample(id);
            let stack = profile.stack(sample.key.stack);
            // Goroutines that show it are among the candidates, or hold another lock.
            let shows_it = |words: &&&[Address]| {
                words.iter().any(|word| {
                    let frame = stack.get(word.frame()).map(|&frame| profile.frame(frame).func);
                    frame.is_some_and(|func| functions.contains(&func))
                })
            };
            let known = match of_locks {
                true => {
                    self.given.get(&id).map_or(0, |given| given.iter().filter(shows_it).count())
                }
                false => members.iter().filter(|member| member.sample == id).count(),
            };
            sample.key.input == input && sample.count > i64::try_from(known).unwrap_or(i64::MAX)
        })
    }
}
