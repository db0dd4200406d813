//! Goroutines that wait for a lock that they took themselves.
//!
//! A method that calls another method of the same object, which locks, is ordinary code: whether the
//! outer one locks can't be seen. So a goroutine is only named if nobody else is left who may hold it:
//!
//! - the whole process is at hand, with its goroutine `main` and without losses;
//! - nobody else was given the lock or the struct that it is in, or is in a method of that type
//!   without showing of which struct;
//! - somebody has waited for a minute, or nobody else can go on: a lock that others take in functions
//!   without its type may be handed on at once;
//! - of those that wait for the lock only this one is in that outer function. Only one can have come
//!   past the call that takes the lock, so a function that several are in doesn't take it.

use super::holder::{Candidates, Grade};
use super::is_lock;
use super::owner::thing;
use super::pile::Piles;
use crate::profile::{Address, Frame, FrameId, InputId, Kind, Profile, SampleId, SampleKey, StrId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// A goroutine that waits for a lock that it probably holds itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Twice {
    /// The input.
    pub input: InputId,
    /// Its id.
    pub id: u64,
    /// The sample that it is counted in.
    pub sample: SampleId,
    /// The address of the lock, or of its owner.
    pub lock: u64,
    /// Where it waits.
    pub place: FrameId,
    /// The call further out that was given the same lock or owner.
    pub outer: FrameId,
    /// Whether it wants to read, and a writer waits in between.
    pub behind_writer: bool,
}

/// What a function belongs to, see [`thing`]: numbered, as goroutines are compared by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Thing {
    number: usize,
    /// Whether it is a type, and the function a method of it.
    is_type: bool,
}

/// A goroutine that waits in a call inside of others that were given the lock or its owner.
struct Suspect {
    id: u64,
    /// These calls, the innermost first.
    outer: Vec<FrameId>,
}

/// Those of one pile; of goroutines with the same stack the first.
type Suspects = BTreeMap<SampleId, Suspect>;

/// The goroutines that wait for a lock which probably nobody but they can hold.
pub(super) fn twice(
    profile: &Profile,
    piles: &Piles,
    candidates: &Candidates,
    frames: &FrameFinder<'_>,
) -> Vec<Twice> {
    let outer = profile.samples().map(|(_, sample)| outer(&sample.key, profile, frames)).collect();
    let search = Search { profile, piles, candidates, frames, outer, things: OnceCell::new() };
    let mut suspects = search.suspects();
    if suspects.is_empty() {
        return Vec::new();
    }
    let whole = search.whole_inputs();
    let busy = search.busy_inputs();
    suspects.retain(|&pile, _| {
        let it = &piles.list[pile];
        let is_old = it.longest.is_some_and(|minutes| minutes >= 1.0);
        whole.contains(&it.input) && (is_old || !busy.contains(&it.input))
    });
    if suspects.is_empty() {
        return Vec::new();
    }
    let things = suspects.iter().map(|(&pile, of)| (pile, search.things(pile, of))).collect();
    let crowded = search.others_may_hold(&things);
    suspects.retain(|pile, _| !crowded.contains(pile));
    suspects.iter().filter_map(|(&pile, of)| search.only(pile, of, &things[&pile])).collect()
}

struct Search<'p> {
    profile: &'p Profile,
    piles: &'p Piles,
    candidates: &'p Candidates,
    frames: &'p FrameFinder<'p>,
    /// By sample: see [`outer`].
    outer: Vec<Outer<'p>>,
    /// By frame, once they are needed.
    things: OnceCell<Vec<Thing>>,
}

/// Calls of a stack, and the position of the first.
type Outer<'p> = (usize, &'p [FrameId]);

/// The calls in which a goroutine may have taken another lock than the one it waits for.
fn outer<'p>(key: &SampleKey, profile: &'p Profile, frames: &FrameFinder<'_>) -> Outer<'p> {
    let stack = profile.stack(key.stack);
    let place = frames.blocking(key.stack).filter(|_| is_lock(key.kind));
    let waits_at = place.and_then(|place| stack.iter().position(|&frame| frame == place));
    let first = waits_at.map_or(0, |at| at + 1);
    (first, &stack[first..])
}

impl<'p> Search<'p> {
    /// By pile that nobody is known to hold.
    fn suspects(&self) -> BTreeMap<usize, Suspects> {
        let mut found: BTreeMap<usize, Suspects> = BTreeMap::new();
        let rows = self.profile.addresses.iter().zip(&self.piles.of_row);
        for ((row, words), pile) in rows {
            let Some(pile) = pile.filter(|&pile| self.is_lonely(pile)) else { continue };
            let lock = self.piles.list[pile].address();
            let owner = self.candidates.owners[pile];
            let is_it = |word: &Address| word.word() == lock || owner == Some(word.word());
            let (first, outer) = self.outer[row.sample.index()];
            // The first field of a struct has the address of the struct: a method of another type called a
            // method of that field, maybe the one that locks.
            let fits = |frame: &FrameId| {
                let of = self.thing(*frame);
                !of.is_type || of == self.thing(self.piles.list[pile].place)
            };
            let given = words.iter().filter(|word| word.is_sure() && is_it(word));
            let calls = given.filter_map(|word| outer.get(word.frame().checked_sub(first)?));
            let calls = calls.filter(|frame| fits(frame));
            let outer: Vec<FrameId> = calls.copied().collect();
            if !outer.is_empty() {
                let suspect = Suspect { id: row.id, outer };
                found.entry(pile).or_default().entry(row.sample).or_insert(suspect);
            }
        }
        found
    }

    fn is_lonely(&self, pile: usize) -> bool {
        let Candidates { of, crowded, .. } = self.candidates;
        let it = &self.piles.list[pile];
        is_lock(it.kind)
            && (it.lock.is_some() || it.owner.is_some())
            && it.holders.is_empty()
            && !crowded[pile]
            && of[pile].iter().all(|one| one.grade == Grade::Shared)
    }

    fn thing(&self, frame: FrameId) -> Thing {
        let all = || {
            let mut numbers = HashMap::<(&[u8], &[u8]), usize, FixedState>::default();
            let of_frame = |frame: &Frame| {
                let (package, of) = thing(self.profile.str(frame.func));
                let next = numbers.len();
                let number = *numbers.entry((package, of)).or_insert(next);
                Thing { number, is_type: !of.is_empty() }
            };
            self.profile.frames().iter().map(of_frame).collect()
        };
        self.things.get_or_init(all)[frame.index()]
    }

    /// What the functions belong to that take the lock, or may have.
    fn things(&self, pile: usize, suspects: &Suspects) -> BTreeSet<Thing> {
        let outer = suspects.values().flat_map(|suspect| &suspect.outer);
        let place = self.piles.list[pile].place;
        outer.chain([&place]).map(|&frame| self.thing(frame)).collect()
    }

    /// The inputs that have all goroutines of their process. Texts often have the few that somebody
    /// copied; `main` is rarely one of them.
    fn whole_inputs(&self) -> HashSet<InputId, FixedState> {
        const MAIN: [&[u8]; 2] = [b"main.main", b"runtime.main"];
        let is_main = |frame: &FrameId| MAIN.contains(&self.profile.func(*frame));
        let mut with_main: HashSet<InputId, FixedState> = HashSet::default();
        for (_, sample) in self.profile.samples() {
            // Behind it Go prints at most `runtime.main` and `runtime.goexit`.
            let outermost = self.profile.stack(sample.key.stack).iter().rev().take(3);
            if outermost.into_iter().any(is_main) {
                with_main.insert(sample.key.input);
            }
        }
        let has_stacks = |input: &InputId| {
            let input = self.profile.input(*input);
            input.complete() && (input.seen.unavailable, input.seen.elided) == (0, 0)
        };
        with_main.into_iter().filter(has_stacks).collect()
    }

    /// The inputs with goroutines that go on, beside the one that writes the dump.
    fn busy_inputs(&self) -> HashSet<InputId, FixedState> {
        let mut active: HashMap<InputId, i64, FixedState> = HashMap::default();
        for (_, sample) in self.profile.samples() {
            if matches!(sample.key.kind, Kind::Running | Kind::Runnable) {
                let sum = active.entry(sample.key.input).or_default();
                *sum = sum.saturating_add(sample.count);
            }
        }
        active.into_iter().filter(|(_, count)| *count > 1).map(|(input, _)| input).collect()
    }

    /// The piles whose lock may be held by a goroutine that doesn't wait for it: one in a function of
    /// the same things that doesn't show which lock or struct it was given.
    fn others_may_hold(&self, things: &BTreeMap<usize, BTreeSet<Thing>>) -> BTreeSet<usize> {
        let input = |pile: usize| self.piles.list[pile].input;
        let wanted: HashSet<(InputId, Thing), FixedState> = things
            .iter()
            .flat_map(|(&pile, of)| of.iter().map(move |&thing| (input(pile), thing)))
            .collect();
        // Few stacks are in functions of these things.
        let mut concerned: HashMap<SampleId, BTreeSet<Thing>, FixedState> = HashMap::default();
        for (id, sample) in self.profile.samples() {
            let of = self.outer[id.index()].1.iter().map(|&frame| self.thing(frame));
            let of: BTreeSet<_> =
                of.filter(|&thing| wanted.contains(&(sample.key.input, thing))).collect();
            if !of.is_empty() {
                concerned.insert(id, of);
            }
        }
        let mut shown: HashMap<(SampleId, Thing), i64, FixedState> = HashMap::default();
        let mut inside: HashMap<(usize, Thing), i64, FixedState> = HashMap::default();
        let rows = self.profile.addresses.iter().zip(&self.piles.of_row);
        for ((row, words), pile) in rows {
            for &thing in concerned.get(&row.sample).into_iter().flatten() {
                if self.shows(words, row.sample, thing) {
                    *shown.entry((row.sample, thing)).or_default() += 1;
                } else if let Some(pile) = pile {
                    *inside.entry((*pile, thing)).or_default() += 1;
                }
            }
        }
        let mut hidden: HashMap<(InputId, Thing), i64, FixedState> = HashMap::default();
        for (&id, things) in &concerned {
            let sample = self.profile.sample(id);
            for &thing in things {
                let shown = shown.get(&(id, thing)).copied().unwrap_or_default();
                let sum = hidden.entry((sample.key.input, thing)).or_default();
                *sum = sum.saturating_add(sample.count.saturating_sub(shown));
            }
        }
        let is_crowded = |(pile, of): (&usize, &BTreeSet<Thing>)| {
            let others = |thing: &Thing| {
                let all = hidden.get(&(input(*pile), *thing)).copied().unwrap_or_default();
                all > inside.get(&(*pile, *thing)).copied().unwrap_or_default()
            };
            of.iter().any(others).then_some(*pile)
        };
        things.iter().filter_map(is_crowded).collect()
    }

    /// Whether all calls of a goroutine in functions of a thing show what they were given.
    fn shows(&self, words: &[Address], sample: SampleId, thing: Thing) -> bool {
        let (first, outer) = self.outer[sample.index()];
        let calls = (first..).zip(outer).filter(|(_, frame)| self.thing(**frame) == thing);
        calls.map(|(at, _)| at).all(|at| {
            let mut given = words.iter().filter(|word| word.frame() == at).peekable();
            given.peek().is_some() && given.all(|word| word.is_sure())
        })
    }

    /// The goroutine of a pile that must have taken the lock if any of them has; `None` if it may be
    /// one of several.
    fn only(&self, pile: usize, suspects: &Suspects, things: &BTreeSet<Thing>) -> Option<Twice> {
        let it = &self.piles.list[pile];
        let reads = |id: &SampleId| self.profile.sample(*id).key.kind == Kind::RwMutexR;
        let mut inside: HashMap<StrId, i128, FixedState> = HashMap::default();
        for &(id, count) in &it.samples {
            for function in self.functions(id, things) {
                *inside.entry(function).or_default() += count;
            }
        }
        // Several may read at once.
        let may_take_it = |id: &SampleId, function: &StrId| reads(id) || inside[function] == 1;
        let ids = it.samples.iter().map(|(id, _)| *id);
        let may_have_it = |id: &SampleId| {
            self.functions(*id, things).iter().any(|function| may_take_it(id, function))
        };
        let ids: Vec<SampleId> = ids.filter(may_have_it).collect();
        let id = *ids.iter().find(|id| suspects.contains_key(*id))?;
        let behind_writer = reads(&id);
        let is_clear = match behind_writer {
            // Readers don't block readers.
            true => ids.iter().all(reads) && !it.samples.iter().all(|(id, _)| reads(id)),
            false => ids.len() == 1,
        };
        let suspect = suspects.get(&id).filter(|_| is_clear)?;
        let function = |frame: &FrameId| self.profile.frame(*frame).func;
        let outer = suspect.outer.iter().find(|frame| may_take_it(&id, &function(frame)));
        let place = self.frames.blocking(self.profile.sample(id).key.stack)?;
        Some(Twice {
            input: it.input,
            id: suspect.id,
            sample: id,
            lock: it.address(),
            place,
            outer: *outer?,
            behind_writer,
        })
    }

    /// The functions of these things that a goroutine is in, beside the one that waits.
    fn functions(&self, id: SampleId, things: &BTreeSet<Thing>) -> BTreeSet<StrId> {
        let (_, outer) = self.outer[id.index()];
        let inside = outer.iter().filter(|&&frame| things.contains(&self.thing(frame)));
        inside.map(|&frame| self.profile.frame(frame).func).collect()
    }
}
