//! Which goroutine may hold what others wait for.

use super::is_lock;
use super::likelihood::Likelihood;
use super::owner::{NEAR, Owners, Types};
use super::pile::{Pile, Piles};
use super::shape::Shapes;
use crate::profile::{Address, FrameId, InputId, Kind, Profile, SampleId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// How sure a statement about a holder is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Evidence {
    /// It follows from addresses that Go was sure of.
    Address,
    /// It is probable, judging by the stacks.
    Shape,
}

impl Evidence {
    /// Its name in texts and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Evidence::Address => "by address",
            Evidence::Shape => "by shape",
        }
    }
}

/// A goroutine that may hold what others wait for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Holder {
    /// Its id, if that is known.
    pub id: Option<u64>,
    /// The sample that it is counted in.
    pub sample: SampleId,
    /// Where it is: the innermost frame of own code, or else where it is blocked.
    pub frame: FrameId,
    /// How long it has been there in minutes, as far as it is known.
    pub wait: Option<f32>,
    /// How it was found.
    pub evidence: Evidence,
    /// The pile that it waits in itself.
    pub pile: Option<usize>,
}

/// How many goroutines of a pile are compared to find the arguments that they share.
const COMPARED: usize = 16;

/// How many addresses are looked for to find the holders of one pile.
const ADDRESSES: usize = 8;

/// How many piles one address is looked for, and how many goroutines may hold one lock. With more,
/// nothing follows from an address, and hostile input would cost the square of their number.
const MATCHES: usize = 64;

/// How many holders are named.
const NAMED: usize = 5;

/// What an address is, the most conclusive first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Grade {
    /// The address of the lock.
    Lock,
    /// The address of the struct that the lock is a field of.
    Owner,
    /// An argument that all waiting goroutines have in common.
    Shared,
}

/// A goroutine with an address on its stack which shows that it may hold a lock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) row: usize,
    pub(super) grade: Grade,
    /// The address, and the call that it is an argument of.
    pub(super) address: Address,
    /// How likely it is the holder, judging by the rest of its stack.
    pub(super) likelihood: Likelihood,
}

impl Candidate {
    fn rank(&self) -> (Likelihood, Grade, bool, usize) {
        (self.likelihood, self.grade, !self.address.is_sure(), self.row)
    }
}

/// The goroutines that may hold what each pile waits for.
pub(super) struct Candidates {
    /// By pile; the most likely first.
    pub(super) of: Vec<Vec<Candidate>>,
    /// By pile: whether it has too many candidates to say anything.
    pub(super) crowded: Vec<bool>,
    /// By pile: the struct that the lock is in, if it is known.
    pub(super) owners: Vec<Option<u64>>,
}

impl Candidates {
    pub(super) fn find(profile: &Profile, piles: &Piles, frames: &FrameFinder<'_>) -> Candidates {
        let count = piles.list.len();
        let mut found = Candidates {
            of: vec![Vec::new(); count],
            crowded: vec![false; count],
            owners: owners(profile, piles),
        };
        let wanted = found.wanted(profile, piles);
        if wanted.is_empty() {
            return found;
        }
        for (row, (addressed, words)) in profile.addresses.iter().enumerate() {
            let input = profile.sample(addressed.sample).key.input;
            for &address in words {
                for &(pile, grade) in wanted.get(&(input, address.word())).into_iter().flatten() {
                    if piles.of_row[row] != Some(pile) {
                        let likelihood = Likelihood::Elsewhere;
                        found.add(pile, Candidate { row, grade, address, likelihood });
                    }
                }
            }
        }
        let rows: Vec<_> = profile.addresses.iter().map(|(row, _)| row).collect();
        for (list, pile) in found.of.iter_mut().zip(&piles.list) {
            let only_readers_wait = pile.only_readers_wait(profile);
            for one in list {
                let sample = rows[one.row].sample;
                let likelihood = Likelihood::of(profile, frames, pile, only_readers_wait, sample);
                one.likelihood = match likelihood {
                    Likelihood::Elsewhere if one.grade == Grade::Shared => Likelihood::Idle,
                    likelihood => likelihood,
                };
            }
        }
        found.of.iter_mut().for_each(|list| list.sort_by_key(Candidate::rank));
        found
    }

    fn add(&mut self, pile: usize, new: Candidate) {
        let list = &mut self.of[pile];
        let length = list.len();
        match list.last_mut().filter(|last| last.row == new.row) {
            Some(last) if new.rank() < last.rank() => *last = new,
            Some(_) => {}
            None if length >= MATCHES => self.crowded[pile] = true,
            None => list.push(new),
        }
    }

    /// The addresses to look for: of locks, of their owners, and of arguments that all waiting ones share.
    fn wanted(&mut self, profile: &Profile, piles: &Piles) -> Wanted {
        // Looking rows up in any order would be slow: find the words of all that are needed first.
        let mut words_of: HashMap<usize, &[Address], FixedState> = HashMap::default();
        let compared = piles.rows.iter().flat_map(|rows| rows.iter().take(COMPARED));
        let mut compared: Vec<usize> = compared.copied().collect();
        compared.sort_unstable();
        let mut compared = compared.into_iter().peekable();
        for (row, (_, words)) in profile.addresses.iter().enumerate() {
            if compared.next_if_eq(&row).is_some() {
                words_of.insert(row, words);
            }
        }
        let mut wanted: Wanted = HashMap::default();
        for (at, (pile, rows)) in piles.list.iter().zip(&piles.rows).enumerate() {
            let compared: Vec<&[Address]> =
                rows.iter().take(COMPARED).filter_map(|row| words_of.get(row).copied()).collect();
            let owner = self.owners[at].map(|owner| (owner, Grade::Owner));
            let lock = pile.lock.map(|lock| (lock, Grade::Lock));
            let mut wanted_words: Vec<(u64, Grade)> = lock.into_iter().chain(owner).collect();
            if let Some(lock) = pile.lock.or(pile.owner).filter(|_| is_lock(pile.kind)) {
                wanted_words.extend(shared(lock, &compared));
            }
            wanted_words.truncate(ADDRESSES);
            for (word, grade) in wanted_words {
                let piles = wanted.entry((pile.input, word)).or_default();
                match piles.len() < MATCHES {
                    true => piles.push((at, grade)),
                    false => self.crowded[at] = true,
                }
            }
        }
        wanted
    }

    /// Names the holders of each pile.
    pub(super) fn name(&self, profile: &Profile, piles: &mut Piles, frames: &FrameFinder<'_>) {
        let rows: Vec<_> = profile.addresses.iter().map(|(row, _)| row).collect();
        let mut by_shape = Shapes::find(profile, piles, self, frames);
        for at in 0..piles.list.len() {
            let best = self.of[at].first().map(|first| first.likelihood);
            let named = self.of[at].iter().filter(|one| Some(one.likelihood) == best);
            let named: Vec<&Candidate> = match best {
                Some(Likelihood::PastTheLock | Likelihood::Elsewhere) => named.collect(),
                Some(Likelihood::Idle) if named.clone().count() == 1 => named.collect(),
                _ => Vec::new(),
            };
            // Only one can hold it, and nothing shows which of several.
            let is_alone = named.len() == 1 && best != Some(Likelihood::Idle);
            let holders: Vec<Holder> = named
                .into_iter()
                .map(|one| {
                    let row = rows[one.row];
                    let stack = profile.sample(row.sample).key.stack;
                    let is_known = one.address.is_sure() && one.grade != Grade::Shared;
                    let is_known = is_known && is_alone && piles.list[at].lock.is_some();
                    Holder {
                        id: Some(row.id),
                        sample: row.sample,
                        frame: frames.own_or_blocking(stack).unwrap_or(piles.list[at].place),
                        wait: row.wait.known(),
                        evidence: if is_known { Evidence::Address } else { Evidence::Shape },
                        pile: piles.of_row[one.row],
                    }
                })
                .collect();
            let holders = if holders.is_empty() { by_shape.take(at) } else { holders };
            let pile = &mut piles.list[at];
            pile.more_holders = holders.len().saturating_sub(NAMED);
            pile.holders = holders;
            pile.holders.truncate(NAMED);
        }
    }
}

/// By pile: the struct that the lock is in, if other methods of the waiting method's type show it.
fn owners(profile: &Profile, piles: &Piles) -> Vec<Option<u64>> {
    let mut types = Types::new(profile);
    let wanted: Vec<_> = piles.list.iter().map(|pile| types.of(pile.place)).collect();
    let sought: HashSet<_, FixedState> = wanted.iter().flatten().copied().collect();
    let locks = piles.list.iter().zip(&wanted);
    let mut receivers =
        Owners::of(locks.filter_map(|(pile, of)| Some((pile.input, (*of)?, pile.lock?))));
    for (row, words) in profile.addresses.iter().filter(|_| !sought.is_empty()) {
        let key = &profile.sample(row.sample).key;
        let stack = profile.stack(key.stack);
        let mut last = None;
        for word in words {
            // The receiver comes first.
            let is_first = last.replace(word.frame()) != Some(word.frame());
            let frame = stack.get(word.frame()).filter(|_| is_first && word.is_sure());
            if let Some(of) = frame.and_then(|&frame| types.of(frame))
                && sought.contains(&of)
            {
                receivers.add(key.input, of, word.word());
            }
        }
    }
    receivers.sort();
    let near = |(pile, of): (&Pile, Option<_>)| {
        let found = || receivers.nearest(pile.input, of?, pile.lock?);
        pile.owner.or_else(found)
    };
    piles.list.iter().zip(wanted).map(near).collect()
}

/// Piles by the addresses that belong to them.
type Wanted = HashMap<(InputId, u64), Vec<(usize, Grade)>, FixedState>;

/// What goroutines that wait for a lock have in common, nearest to their leaf first: the owner of the
/// lock, which at least half of them were given, and other arguments that all of them were given.
fn shared(lock: u64, compared: &[&[Address]]) -> Vec<(u64, Grade)> {
    let Some((first, rest)) = compared.split_first() else { return Vec::new() };
    let has = |words: &&&[Address], word: u64| words.iter().any(|one| one.word() == word);
    let of_first = |grade: Grade| {
        first.iter().filter(|one| one.is_sure() && one.word() != lock).filter_map(move |one| {
            let word = one.word();
            let others = rest.iter().filter(|words| has(words, word)).count();
            let is_near = word < lock && lock - word < NEAR;
            let fits = match grade {
                Grade::Owner => is_near && others >= rest.len() / 2,
                _ => !is_near && others == rest.len() && !rest.is_empty(),
            };
            fits.then_some((word, grade))
        })
    };
    let mut wanted_words: Vec<(u64, Grade)> =
        of_first(Grade::Owner).chain(of_first(Grade::Shared)).collect();
    let mut known = Vec::new();
    wanted_words.retain(|(word, _)| {
        let is_new = !known.contains(word);
        known.push(*word);
        is_new
    });
    wanted_words
}

impl Pile {
    /// Whether all waiting goroutines want to read.
    pub(super) fn only_readers_wait(&self, profile: &Profile) -> bool {
        let kind = |sample| profile.sample(sample).key.kind;
        self.samples.iter().all(|(sample, _)| kind(*sample) == Kind::RwMutexR)
    }

    /// The most likely holder.
    pub fn holder(&self) -> Option<&Holder> {
        self.holders.first()
    }
}
