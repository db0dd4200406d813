//! What a person should know in ten seconds: what crashed, what most are doing, since when, and
//! what looks stuck.

use super::part::{Part, Parts};
use super::place::Places;
use crate::group::order::inputs as order;
use crate::profile::{
    CrashKind, Input, InputId, Kind, Profile, Sample, SampleKey, StrId, Unread, flag,
};
use crate::rules::Names;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::Hash;

/// A place that holds this share of all goroutines, as a fraction, is worth a line ...
const CROWD_SHARE: f64 = 1.0 / 3.0;
/// ... once there are so many there: of a handful a third is nothing.
const CROWD_LEAST: i128 = 10;

/// What is worth knowing first. Crashes and reading are about the inputs, the rest about what is
/// selected of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verdict {
    /// What crashed, in the order of the inputs.
    pub crashes: Vec<CrashFact>,
    /// States and how many are in each, most first; `None` is a state that isn't known.
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
    /// Where most of those that wait for a lock stand.
    pub lock_pile: Option<Pile>,
    /// Goroutines that the runtime proved leaked.
    pub leaked: i128,
    /// Where most leaked goroutines stand.
    pub leak_pile: Option<Pile>,
    /// Goroutines blocked for ever on a nil channel.
    pub nil_channels: i128,
    /// Goroutines blocked for ever in `select {}`.
    pub empty_selects: i128,
    /// A place of one's own code that holds a large share of all.
    pub crowd: Option<Pile>,
    /// Reports of the race detector.
    pub races: u64,
    /// What reading lost.
    pub losses: Vec<Loss>,
    /// What was not read at all.
    pub unread: Unread,
}

/// A crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrashFact {
    /// The input's name.
    pub input: String,
    /// What sort of end.
    pub kind: CrashKind,
    /// What was raised.
    pub text: String,
    /// The goroutine that it happened in.
    pub goroutine: Option<u64>,
    /// The function of one's own code that this goroutine was in.
    pub function: Option<String>,
    /// Tests that were running.
    pub running_tests: Vec<String>,
    /// Whether no other goroutine was printed.
    pub alone: bool,
}

/// The longest wait.
#[derive(Clone, PartialEq, Debug)]
pub struct LongestWait {
    /// How long.
    pub minutes: f32,
    /// The lowest id of the goroutines that waited so long.
    pub goroutine: u64,
    /// The input that it is in.
    pub input: String,
}

/// Goroutines at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pile {
    /// The function, trimmed.
    pub function: String,
    /// The input, where only those of one input were counted together.
    pub input: Option<String>,
    /// How many.
    pub count: i128,
}

/// What reading an input lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// The input's name.
    pub input: String,
    /// What was lost, in a few words.
    pub text: String,
}

impl Verdict {
    /// The verdict on these parts of a profile.
    pub(super) fn of(profile: &Profile, names: &Names, parts: &Parts<'_>) -> Verdict {
        let mut verdict = Verdict { unread: profile.unread.clone(), ..Verdict::default() };
        let mut states = Tally::default();
        let (mut locks, mut leaks) = (Tally::default(), Tally::default());
        let mut of_stacks: Vec<i128> = vec![0; profile.stack_count()];
        let mut frames = Places::new(profile);
        let mut total: i128 = 0;
        // Values aren't goroutines that could wait for anything.
        let goroutines = profile.counts_goroutines().then(|| parts.iter());
        for part in goroutines.into_iter().flatten() {
            let key = &profile.sample(part.sample).key;
            total += part.count;
            states.add(key.state, part.count);
            verdict.add_waits(profile, key, &part);
            let lock = match key.kind {
                Kind::Mutex => Some(&mut verdict.mutexes),
                Kind::RwMutexR | Kind::RwMutexW => Some(&mut verdict.rw_mutexes),
                Kind::NilChan => {
                    verdict.nil_channels += part.count;
                    None
                }
                Kind::EmptySelect => {
                    verdict.empty_selects += part.count;
                    None
                }
                _ => None,
            };
            let is_leaked = profile.has_flag(key.flags, flag::LEAKED)
                || is_leak_profile(profile.input(key.input));
            if lock.is_some() || is_leaked {
                let place = frames.blocking_frame(key.stack).map(|frame| names.func_id(frame));
                if let Some(lock) = lock {
                    *lock += part.count;
                    locks.add((place, Some(key.input)), part.count);
                }
                if is_leaked {
                    verdict.leaked += part.count;
                    leaks.add((place, None), part.count);
                }
            }
            of_stacks[key.stack.index()] += part.count;
        }
        let mut places = Tally::default();
        for (stack, &count) in profile.stacks().zip(&of_stacks).filter(|(_, count)| **count != 0) {
            let own = frames.own_or_blocking_frame(stack);
            places.add((own.map(|frame| names.func_id(frame)), None), count);
        }
        let lossy = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        verdict.states = states
            .sorted(|state| state.map(|state| profile.str(state)))
            .into_iter()
            .map(|(state, count)| (state.map(|state| lossy(profile.str(state))), count))
            .collect();
        verdict.lock_pile = pile(profile, names, locks);
        verdict.leak_pile = pile(profile, names, leaks);
        verdict.crowd = pile(profile, names, places).filter(|pile| {
            pile.count >= CROWD_LEAST && pile.count as f64 >= CROWD_SHARE * total as f64
        });
        for input in order(profile) {
            verdict.crashes.extend(crash(profile, names, &mut frames, input));
            let input = profile.input(input);
            verdict.races += input.seen.race_reports;
            verdict.losses.extend(
                losses(input).into_iter().map(|text| Loss { input: input.name.clone(), text }),
            );
        }
        verdict
    }

    fn add_waits(&mut self, profile: &Profile, key: &SampleKey, part: &Part) {
        self.long_waits += part.waits.long;
        self.known_waits += part.waits.known;
        let Some((_, minutes)) = part.waits.range() else { return };
        // Samples come in the order of the inputs, so that of equal waits the first one stays.
        if self.longest.as_ref().is_none_or(|longest| minutes > longest.minutes) {
            self.longest = Some(LongestWait {
                minutes,
                goroutine: part.waits.longest,
                input: profile.input(key.input).name.clone(),
            });
        }
    }

    /// Whether everything that the inputs hold was understood.
    pub fn complete(&self) -> bool {
        self.losses.is_empty() && self.unread.complete()
    }
}

fn is_leak_profile(input: &Input) -> bool {
    input.format.is_leak_profile()
}

/// Counts by key.
struct Tally<K>(HashMap<K, i128, FixedState>);

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Tally(HashMap::default())
    }
}

impl<K: Copy + Eq + Hash> Tally<K> {
    fn add(&mut self, key: K, count: i128) {
        let sum = self.0.entry(key).or_default();
        *sum += count;
    }

    /// The keys and their counts, most first, equal counts in the order of what `rank` gives.
    fn sorted<R: Ord>(self, rank: impl Fn(K) -> R) -> Vec<(K, i128)> {
        let mut list: Vec<(K, i128)> = self.0.into_iter().collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| rank(a.0).cmp(&rank(b.0))));
        list
    }

    /// The first of [`Tally::sorted`].
    fn most<R: Ord>(self, rank: impl Fn(K) -> R) -> Option<(K, i128)> {
        let order =
            |a: &(K, i128), b: &(K, i128)| b.1.cmp(&a.1).then_with(|| rank(a.0).cmp(&rank(b.0)));
        self.0.into_iter().min_by(order)
    }
}

/// Where most of them are.
fn pile(
    profile: &Profile,
    names: &Names,
    places: Tally<(Option<StrId>, Option<InputId>)>,
) -> Option<Pile> {
    let text = |function: Option<StrId>| function.map(|function| names.text(function));
    let by_text = |(function, input)| (text(function), input);
    let ((function, input), count) = places.most(by_text)?;
    Some(Pile {
        function: String::from_utf8_lossy(text(function)?).into_owned(),
        input: input.map(|input| profile.input(input).name.clone()),
        count,
    })
}

fn crash(
    profile: &Profile,
    names: &Names,
    frames: &mut Places<'_>,
    input: InputId,
) -> Option<CrashFact> {
    let crash = profile.input(input).crash.as_ref()?;
    // A sample of one goroutine gives its id away, so that the columns aren't needed.
    let is_it = |sample: &&Sample| {
        sample.key.input == input
            && sample.count == 1
            && sample.waits.known == 1
            && Some(sample.waits.longest) == crash.goroutine
    };
    let stack = profile.samples.iter().find(is_it).map(|sample| sample.key.stack);
    let frame = stack.and_then(|stack| frames.own_or_blocking_frame(stack));
    Some(CrashFact {
        input: profile.input(input).name.clone(),
        kind: crash.kind,
        text: crash.text.clone(),
        goroutine: crash.goroutine,
        function: frame.map(|frame| String::from_utf8_lossy(names.func(frame)).into_owned()),
        running_tests: crash.running_tests.clone(),
        alone: profile.input(input).goroutines <= 1,
    })
}

/// What reading an input lost, in a few words each.
fn losses(input: &Input) -> Vec<String> {
    let mut losses = Vec::new();
    for warning in input.warnings.iter().filter(|warning| warning.kind.means_loss()) {
        match warning.more {
            0 => losses.push(warning.text.clone()),
            more => losses.push(format!("{}, and {more} more like it", warning.text)),
        }
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Crash, WarningKind};
    use crate::view::part;
    use crate::view::sketch::{G, Sketch, all};

    fn verdict(sketch: Sketch) -> Verdict {
        let (profile, names) = sketch.done();
        Verdict::of(&profile, &names, &part::selected(&profile, &all(&profile)))
    }

    const LOCK: &[&str] = &[
        "sync.runtime_SemacquireMutex",
        "internal/sync.(*Mutex).lockSlow",
        "sync.(*Mutex).Lock",
        "kv.(*Replica).lock",
        "kv.work",
    ];

    #[test]
    fn locks_name_the_function_below_sync_where_most_wait() {
        let mut sketch = Sketch::new("n1");
        sketch.add(G { id: 1, state: "sync.Mutex.Lock", frames: LOCK, ..G::default() });
        sketch.input("n3");
        for id in [1, 2, 3] {
            sketch.add(G { id, state: "sync.Mutex.Lock", frames: LOCK, ..G::default() });
        }
        sketch.add(G { id: 9, state: "sync.RWMutex.RLock", ..G::default() });
        let verdict = verdict(sketch);
        assert_eq!((verdict.mutexes, verdict.rw_mutexes), (4, 1));
        let pile = verdict.lock_pile.unwrap();
        assert_eq!((pile.function.as_str(), pile.count), ("kv.(*Replica).lock", 3));
        assert_eq!(pile.input.as_deref(), Some("n3"));
    }

    #[test]
    fn the_longest_wait_is_the_first_of_equals() {
        let mut sketch = Sketch::new("n1");
        sketch.add(G { id: 8, minutes: 9.0, ..G::default() });
        sketch.add(G { id: 5, minutes: 9.0, ..G::default() });
        sketch.input("n2");
        sketch.add(G { id: 1, minutes: 9.0, ..G::default() });
        sketch.add(G { id: 2, minutes: 4.0, ..G::default() });
        let verdict = verdict(sketch);
        let longest = verdict.longest.unwrap();
        assert_eq!((longest.input.as_str(), longest.goroutine), ("n1", 5));
        assert_eq!((verdict.long_waits, verdict.known_waits), (3, 4));
    }

    #[test]
    fn what_is_stuck_for_ever_is_counted() {
        let mut sketch = Sketch::new("n1");
        sketch.add(G { id: 1, state: "chan receive (nil chan)", ..G::default() });
        sketch.add(G { id: 2, state: "select (no cases)", ..G::default() });
        sketch.add(G { id: 3, state: "chan send", flags: &["leaked"], ..G::default() });
        let verdict = verdict(sketch);
        assert_eq!((verdict.nil_channels, verdict.empty_selects, verdict.leaked), (1, 1, 1));
        assert_eq!(verdict.leak_pile.unwrap().function, "main.work");
    }

    #[test]
    fn a_crash_names_the_own_function_of_its_goroutine_and_whether_it_is_alone() {
        let mut sketch = Sketch::new("n1");
        let frames: &[&str] = &["panic", "runtime.panicmem", "kv.Get", "main.main"];
        sketch.add(G { id: 7, state: "running", frames, ..G::default() });
        let crash = Crash {
            kind: CrashKind::Panic,
            text: "boom".to_owned(),
            goroutine: Some(7),
            running_tests: Vec::new(),
        };
        let (mut profile, names) = sketch.done();
        profile.inputs[0].crash = Some(crash);
        let verdict = Verdict::of(&profile, &names, &part::selected(&profile, &all(&profile)));
        let fact = &verdict.crashes[0];
        assert_eq!((fact.function.as_deref(), fact.alone), (Some("kv.Get"), true));
    }

    #[test]
    fn a_crowd_needs_a_third_and_more_than_a_handful() {
        let sketch = |count: u64| {
            let mut sketch = Sketch::new("n1");
            for id in 0..count {
                sketch.add(G { id, frames: &["net.Read", "kv.serve"], ..G::default() });
            }
            sketch.add(G { id: 999, ..G::default() });
            sketch
        };
        let crowd = verdict(sketch(10)).crowd.unwrap();
        assert_eq!((crowd.function.as_str(), crowd.count), ("kv.serve", 10));
        assert_eq!(verdict(sketch(9)).crowd, None);
    }

    #[test]
    fn losses_make_it_incomplete_and_notes_do_not() {
        let mut sketch = Sketch::new("n1");
        sketch.input("n2").warn(WarningKind::RepeatedId, None, "goroutine 7 stands twice");
        assert!(verdict(sketch).complete());
        let mut sketch = Sketch::new("n1");
        sketch.input("n2").warn(WarningKind::Partial, Some(3), "goroutine 7 was cut");
        let verdict = verdict(sketch);
        assert!(!verdict.complete());
        assert_eq!(verdict.losses[0].input, "n2");
    }
}
