//! What goroutines are doing, and for how long.

use super::crowd::{Crowd, Tally, largest_crowd};
use crate::profile::{Kind, Profile, SampleKey, flag, lossy};
use crate::rules::Names;
use crate::view::frames::finder::FrameFinder;
use crate::view::table::part::{Part, Parts};

/// A place is worth a line if it has at least this share of all goroutines, as a fraction.
const CROWD_SHARE: f64 = 1.0 / 3.0;
/// A place with fewer goroutines isn't worth a line: a third of a handful is nothing.
const CROWD_LEAST: i128 = 10;

/// What goroutines are doing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Activity {
    /// States and how many are in each, most first; `None` is an unknown state.
    pub states: Vec<(Option<String>, i128)>,
    /// The longest wait.
    pub longest: Option<LongestWait>,
    /// Goroutines that waited [`crate::profile::LONG_WAIT_MINUTES`] or more.
    pub long_waits: u64,
    /// Goroutines whose wait is known.
    pub known_waits: u64,
    /// Goroutines that wait for a `sync.Mutex`.
    pub mutexes: i128,
    /// Goroutines that wait for a `sync.RWMutex`, to read or to write.
    pub rw_mutexes: i128,
    /// The place where most of the goroutines that wait for a lock are.
    pub lock_crowd: Option<Crowd>,
    /// Goroutines that the runtime proved leaked.
    pub leaked: i128,
    /// The place where most leaked goroutines are.
    pub leak_crowd: Option<Crowd>,
    /// Goroutines blocked for ever on a nil channel.
    pub nil_channels: i128,
    /// Goroutines blocked for ever in `select {}`.
    pub empty_selects: i128,
    /// A place in own code with a large share of all goroutines.
    pub crowd: Option<Crowd>,
}

/// The longest wait.
#[derive(Clone, PartialEq, Debug)]
pub struct LongestWait {
    /// How long.
    pub minutes: f32,
    /// The lowest id of the goroutines that waited this long.
    pub goroutine: u64,
    /// The name of that goroutine's input.
    pub input: String,
}

impl Activity {
    /// The activity of these parts of a profile.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        parts: &Parts<'_>,
        frames: &FrameFinder<'_>,
    ) -> Activity {
        let mut activity = Activity::default();
        let mut states = Tally::default();
        let (mut locks, mut leaks) = (Tally::default(), Tally::default());
        let mut of_stacks: Vec<i128> = vec![0; profile.stack_count()];
        let mut total: i128 = 0;
        // The values of other profiles aren't goroutines that could wait for anything.
        let goroutines = profile.counts_goroutines().then(|| parts.iter());
        for part in goroutines.into_iter().flatten() {
            let key = &profile.sample(part.sample).key;
            total += part.count;
            states.add(key.state, part.count);
            activity.add_waits(profile, key, &part);
            let lock = match key.kind {
                Kind::Mutex => Some(&mut activity.mutexes),
                Kind::RwMutexR | Kind::RwMutexW => Some(&mut activity.rw_mutexes),
                Kind::NilChan => {
                    activity.nil_channels += part.count;
                    None
                }
                Kind::EmptySelect => {
                    activity.empty_selects += part.count;
                    None
                }
                _ => None,
            };
            let is_leaked = profile.has_flag(key.flags, flag::LEAKED)
                || profile.input(key.input).format.is_leak_profile();
            if lock.is_some() || is_leaked {
                let place = frames.blocking(key.stack).map(|frame| names.func_id(frame));
                if let Some(lock) = lock {
                    *lock += part.count;
                    locks.add((place, Some(key.input)), part.count);
                }
                if is_leaked {
                    activity.leaked += part.count;
                    leaks.add((place, None), part.count);
                }
            }
            of_stacks[key.stack.index()] += part.count;
        }
        let mut places = Tally::default();
        for (stack, &count) in profile.stacks().zip(&of_stacks).filter(|(_, count)| **count != 0) {
            let own = frames.own_or_blocking(stack);
            places.add((own.map(|frame| names.func_id(frame)), None), count);
        }
        activity.states = states
            .sorted(|state| state.map(|state| profile.str(state)))
            .into_iter()
            .map(|(state, count)| (state.map(|state| lossy(profile.str(state))), count))
            .collect();
        activity.lock_crowd = largest_crowd(profile, names, locks);
        activity.leak_crowd = largest_crowd(profile, names, leaks);
        activity.crowd = largest_crowd(profile, names, places).filter(|pile| {
            pile.count >= CROWD_LEAST && pile.count as f64 >= CROWD_SHARE * total as f64
        });
        activity
    }

    fn add_waits(&mut self, profile: &Profile, key: &SampleKey, part: &Part) {
        self.long_waits += part.waits.long;
        self.known_waits += part.waits.known;
        let Some((_, minutes)) = part.waits.range() else { return };
        // Samples come in the order of the inputs, so of equal waits the first one stays.
        if self.longest.as_ref().is_none_or(|longest| minutes > longest.minutes) {
            self.longest = Some(LongestWait {
                minutes,
                goroutine: part.waits.longest,
                input: profile.input(key.input).name.clone(),
            });
        }
    }
}
