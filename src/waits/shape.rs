//! Holders by the shape of stacks, for piles without a known address of a holder.

use super::holder::{Candidates, Evidence, Holder};
use super::is_lock;
use super::likelihood::is_idle;
use super::owner::{Type, Types};
use super::pile::Piles;
use crate::profile::{FrameId, InputId, Kind, Profile, SampleId, StrId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// If more goroutines than this are in methods of a type, nothing follows for one lock.
const FEW: i64 = 8;

/// The holders that were found, by pile.
pub(super) struct Shapes {
    /// Goroutines in the function that the pile waits in, on a line after the call.
    past: HashMap<usize, Vec<Holder>, FixedState>,
    /// Goroutines in another method of the same type, and how many they are.
    of_type: HashMap<usize, (Vec<Holder>, i64), FixedState>,
}

/// Piles by place and by type: only the largest of each, since the locks of several could only be
/// distinguished by address.
struct Wanted {
    places: HashMap<(InputId, StrId), usize, FixedState>,
    types: HashMap<(InputId, Type), usize, FixedState>,
    /// Samples that show the receivers of their methods of a type: if one of those were the owner of the
    /// lock, the address would have found it.
    with_receiver: HashSet<(SampleId, Type), FixedState>,
}

impl Shapes {
    pub(super) fn find(
        profile: &Profile,
        piles: &Piles,
        candidates: &Candidates,
        frames: &FrameFinder<'_>,
    ) -> Shapes {
        let mut shapes = Shapes { past: HashMap::default(), of_type: HashMap::default() };
        let mut types = Types::new(profile);
        let open = |pile: usize| candidates.of[pile].is_empty() && is_lock(piles.list[pile].kind);
        let mut wanted = Wanted {
            places: HashMap::default(),
            types: HashMap::default(),
            with_receiver: HashSet::default(),
        };
        for (&place, &pile) in piles.at_place.iter().filter(|(_, pile)| open(**pile)) {
            wanted.places.insert(place, pile);
            if let Some(of) = types.of(piles.list[pile].place) {
                let largest = wanted.types.entry((place.0, of)).or_insert(pile);
                let rank = |at: usize| (piles.list[at].total(), std::cmp::Reverse(at));
                if rank(pile) > rank(*largest) {
                    *largest = pile;
                }
            }
        }
        if wanted.places.is_empty() {
            return shapes;
        }
        for (row, words) in profile.addresses.iter().filter(|_| !wanted.types.is_empty()) {
            let key = &profile.sample(row.sample).key;
            let stack = profile.stack(key.stack);
            for word in words.iter().filter(|word| word.is_sure()) {
                if let Some(of) = stack.get(word.frame()).and_then(|&frame| types.of(frame))
                    && wanted.types.contains_key(&(key.input, of))
                {
                    wanted.with_receiver.insert((row.sample, of));
                }
            }
        }
        let mut pile_of: HashMap<SampleId, usize, FixedState> = HashMap::default();
        for (at, pile) in piles.list.iter().enumerate() {
            pile_of.extend(pile.samples.iter().map(|(sample, _)| (*sample, at)));
        }
        for (id, sample) in profile.samples() {
            let key = &sample.key;
            // A goroutine that waits for a sync.Cond has given its lock back.
            if matches!(key.kind, Kind::Unknown | Kind::Cond) || sample.count <= 0 {
                continue;
            }
            let own = pile_of.get(&id).copied();
            let Some((pile, is_past)) = wanted.of(profile, piles, &mut types, id, own) else {
                continue;
            };
            let is_one = sample.count == 1 && sample.waits.known == 1;
            let holder = Holder {
                id: is_one.then_some(sample.waits.longest),
                sample: id,
                frame: frames.own_or_blocking(key.stack).unwrap_or(piles.list[pile].place),
                wait: sample.waits.range().map(|(_, longest)| longest),
                evidence: Evidence::Shape,
                pile: own,
            };
            // Readers don't block readers, and a goroutine that waits for work hardly holds a lock.
            let is_free = match is_past {
                true => piles.list[pile].only_readers_wait(profile),
                false => is_idle(profile, frames, id),
            };
            if is_free {
                continue;
            }
            match is_past {
                true => shapes.past.entry(pile).or_default().push(holder),
                false => {
                    let (holders, count) = shapes.of_type.entry(pile).or_default();
                    *count += sample.count;
                    holders.push(holder);
                }
            }
        }
        shapes
    }

    /// Takes the holders of a pile.
    pub(super) fn take(&mut self, pile: usize) -> Vec<Holder> {
        self.past.remove(&pile).unwrap_or_else(|| match self.of_type.remove(&pile) {
            Some((holders, count)) if count <= FEW => holders,
            _ => Vec::new(),
        })
    }
}

impl Wanted {
    /// The pile whose lock a goroutine may hold, and whether its stack is past the call that takes the
    /// lock. A goroutine that waits itself may hold what calls further out took.
    fn of(
        &self,
        profile: &Profile,
        piles: &Piles,
        types: &mut Types<'_>,
        sample: SampleId,
        own: Option<usize>,
    ) -> Option<(usize, bool)> {
        let key = &profile.sample(sample).key;
        let (input, frames) = (key.input, profile.stack(key.stack));
        let waits_at = own.map(|pile| piles.list[pile].place);
        let outer = match waits_at {
            Some(place) => {
                let function = |frame: FrameId| profile.frame(frame).func;
                let at = frames.iter().position(|&it| function(it) == function(place))?;
                &frames[at + 1..]
            }
            None => frames,
        };
        let other = |&pile: &usize| Some(pile) != own;
        let past = outer.iter().find_map(|&at| {
            let frame = profile.frame(at);
            let pile = self.places.get(&(input, frame.func)).copied().filter(other)?;
            let waits = profile.frame(piles.list[pile].place);
            (frame.file == waits.file && frame.line > waits.line).then_some(pile)
        });
        if let Some(pile) = past {
            return Some((pile, true));
        }
        let of_type = outer.iter().find_map(|&at| {
            let of = types.of(at).filter(|&of| !self.with_receiver.contains(&(sample, of)))?;
            let pile = self.types.get(&(input, of)).copied().filter(other)?;
            let waits = profile.frame(piles.list[pile].place).func;
            // Goroutines in the waiting function itself either haven't come to the lock, or are past it.
            let is_there = outer.iter().any(|&other| profile.frame(other).func == waits);
            (!is_there).then_some(pile)
        });
        of_type.map(|pile| (pile, false))
    }
}
