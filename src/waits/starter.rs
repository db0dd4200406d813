//! Goroutines that wait for the goroutines that they started, and keep these from continuing.

use super::pile::Pile;
use super::{Evidence, is_lock};
use crate::profile::{FrameId, InputId, Kind, Profile, SampleId};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// A goroutine that waits for a WaitGroup or a channel, while all goroutines that it started wait for a
/// lock that only it can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Starter {
    /// The input.
    pub input: InputId,
    /// Its id.
    pub id: u64,
    /// The sample that it is counted in.
    pub sample: SampleId,
    /// Where it is.
    pub frame: FrameId,
    /// The kind of its wait.
    pub kind: Kind,
    /// The pile of the lock, as a position among the piles.
    pub pile: usize,
    /// How many of the goroutines that it started still exist.
    pub started: usize,
}

/// A possible starter while the goroutines that it started are counted.
struct Counted {
    starter: Starter,
    /// How many of these wait for its lock.
    waiting: usize,
    samples: HashSet<SampleId, FixedState>,
}

/// The starters among the holders of the piles, if the inputs show which goroutine started which.
pub(super) fn starters(profile: &Profile, piles: &[Pile]) -> Vec<Starter> {
    let mut of: HashMap<(InputId, u64), Counted, FixedState> = HashMap::default();
    for (pile, at) in piles.iter().zip(0..).filter(|(pile, _)| is_lock(pile.kind)) {
        let [holder] = pile.holders.as_slice() else { continue };
        let kind = profile.sample(holder.sample).key.kind;
        let waits = matches!(kind, Kind::WaitGroup | Kind::ChanRecv);
        let is_known = holder.evidence == Evidence::Address && pile.more_holders == 0;
        if let (true, Some(id)) = (waits && is_known, holder.id) {
            let (input, sample, frame) = (pile.input, holder.sample, holder.frame);
            let starter = Starter { input, id, sample, frame, kind, pile: at, started: 0 };
            let samples = pile.samples.iter().map(|(sample, _)| *sample).collect();
            of.entry((input, id)).or_insert(Counted { starter, waiting: 0, samples });
        }
    }
    if of.is_empty() {
        return Vec::new();
    }
    for goroutine in &profile.goroutines {
        let Some(creator) = goroutine.creator() else { continue };
        let input = profile.sample(goroutine.sample).key.input;
        if let Some(counted) = of.get_mut(&(input, creator)) {
            counted.starter.started += 1;
            counted.waiting += usize::from(counted.samples.contains(&goroutine.sample));
        }
    }
    let all_wait = |one: &Counted| one.waiting > 0 && one.waiting == one.starter.started;
    let mut starters: Vec<Starter> =
        of.into_values().filter(all_wait).map(|one| one.starter).collect();
    starters.sort_by_key(|one| one.pile);
    starters
}
