//! Holders by the shape of stacks, where no address tells of one.

use super::holder::{Candidates, Evidence, Holder};
use super::is_lock;
use super::owner::{Type, Types};
use super::pile::Piles;
use super::standing::is_idle;
use crate::profile::{FrameId, InputId, Kind, Profile, SampleId, StrId};
use crate::view::frames::finder::FrameFinder;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// Where more goroutines than this stand in methods of a type, they tell nothing of one lock.
const FEW: i64 = 8;

/// What was found, by pile.
pub(super) struct Shapes {
    /// Those that stand in the function that waits, behind the line of the call.
    past: HashMap<usize, Vec<Holder>, FixedState>,
    /// Those that stand in another method of the same type, and how many goroutines these are.
    of_type: HashMap<usize, (Vec<Holder>, i64), FixedState>,
}

/// Piles by place and by type: the largest at each, since an address would have to tell the locks of
/// several apart.
struct Wanted {
    places: HashMap<(InputId, StrId), usize, FixedState>,
    types: HashMap<(InputId, Type), usize, FixedState>,
    /// Samples that tell what their methods of a type were called on: if that were what the lock is
    /// in, they would have been found by it.
    told: HashSet<(SampleId, Type), FixedState>,
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
            told: HashSet::default(),
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
                    wanted.told.insert((row.sample, of));
                }
            }
        }
        let mut pile_of: HashMap<SampleId, usize, FixedState> = HashMap::default();
        for (at, pile) in piles.list.iter().enumerate() {
            pile_of.extend(pile.samples.iter().map(|(sample, _)| (*sample, at)));
        }
        for (id, sample) in profile.samples() {
            let key = &sample.key;
            // Who waits for a sync.Cond has given its lock back.
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
            // Readers don't keep readers out, and who waits for work hardly holds a lock.
            let is_free = match is_past {
                true => piles.list[pile].is_read_only(profile),
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

    /// The holders of a pile.
    pub(super) fn take(&mut self, pile: usize) -> Vec<Holder> {
        self.past.remove(&pile).unwrap_or_else(|| match self.of_type.remove(&pile) {
            Some((holders, count)) if count <= FEW => holders,
            _ => Vec::new(),
        })
    }
}

impl Wanted {
    /// The pile whose lock a stack may hold, and whether it is past the call that takes it. One that
    /// waits itself may hold what calls further out took.
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
            let of = types.of(at).filter(|&of| !self.told.contains(&(sample, of)))?;
            let pile = self.types.get(&(input, of)).copied().filter(other)?;
            let waits = profile.frame(piles.list[pile].place).func;
            // Those that stand in the function that waits haven't come to the lock, or are past it.
            let is_there = outer.iter().any(|&other| profile.frame(other).func == waits);
            (!is_there).then_some(pile)
        });
        of_type.map(|pile| (pile, false))
    }
}
