//! What a person should know first about profiles that don't count goroutines: where CPU time goes,
//! what holds the memory, who waits for whom and how long.

use super::part::{Part, Parts};
use crate::filter::Selection;
use crate::group::order::inputs as order;
use crate::profile::{FrameId, InputFormat, InputId, MemStats, Profile, StrId, lossy};
use crate::rules::Names;
use crate::view::frames::finder::FrameFinder;
use crate::view::rows::as_count;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// What these profiles measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// CPU time.
    Cpu,
    /// Memory.
    Memory,
    /// Time spent waiting, at the place where it was spent: the block profile.
    Blocked,
    /// Time spent waiting, at the place where the others were released: the mutex profile.
    Held,
    /// Something else: threads, or what a program counts itself.
    Other,
}

/// Facts about the selected values.
#[derive(Clone, PartialEq, Debug)]
pub struct ProfileVerdict {
    /// What is measured.
    pub sort: Sort,
    /// The sample type whose values are shown.
    pub kind: String,
    /// Its unit.
    pub unit: String,
    /// The sums of all types of the inputs that have it.
    pub totals: Vec<Total>,
    /// How long the profiles took, one after the other; 0 if that isn't known.
    pub duration_nanos: i128,
    /// Functions by their own value, the largest first.
    pub leaves: Vec<(String, i128)>,
    /// Functions of own code by their cumulative value, each stack counted for the innermost of them.
    pub own: Vec<(String, i128)>,
    /// The value of the garbage collector.
    pub collector: i128,
    /// What was waited for, the largest value first.
    pub waits: Vec<(&'static str, i128)>,
    /// What the runtimes report about their memory, by input.
    pub memory: Vec<InputMemory>,
}

/// What the runtime of an input reports about its memory.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct InputMemory {
    /// The input's name.
    pub input: String,
    /// The report.
    #[serde(flatten)]
    pub memory: MemStats,
}

/// The sum of one sample type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Total {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its unit.
    pub unit: String,
    /// The sum.
    #[serde(serialize_with = "as_count")]
    pub total: i128,
}

/// What a function at the top of a stack waits for.
const WAITS: [(&str, &str); 13] = [
    ("runtime.selectgo", "select"),
    ("runtime.chanrecv", "channels"),
    ("runtime.chansend", "channels"),
    ("sync.(*Mutex).", "mutexes"),
    ("internal/sync.(*Mutex).", "mutexes"),
    ("sync.(*RWMutex).", "rwmutexes"),
    ("sync.(*WaitGroup).", "waitgroups"),
    ("sync.(*Cond).", "conds"),
    ("sync.(*Once).", "onces"),
    ("runtime.unlock", "locks of the runtime"),
    ("runtime._LostContendedRuntimeLock", "locks of the runtime"),
    ("runtime.semrelease", "locks of the runtime"),
    ("runtime.", "the runtime"),
];

impl ProfileVerdict {
    /// The facts about these parts; `None` if goroutines are counted.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        parts: &Parts<'_>,
        selection: &Selection,
    ) -> Option<ProfileVerdict> {
        if profile.counts_goroutines() {
            return None;
        }
        let value_type = profile.value_type()?;
        let (kind, unit) = profile.value_name();
        let mut measured = ProfileVerdict {
            sort: Sort::Other,
            kind: lossy(kind),
            unit: lossy(unit),
            totals: totals(profile, selection, &|_| true),
            duration_nanos: 0,
            leaves: Vec::new(),
            own: Vec::new(),
            collector: 0,
            waits: Vec::new(),
            memory: Vec::new(),
        };
        for id in order(profile) {
            let input = profile.input(id);
            if let Some(memory) = &input.header.memory {
                let (input, memory) = (input.name.clone(), **memory);
                measured.memory.push(InputMemory { input, memory });
            }
            if profile.has_type(id, value_type) {
                measured.duration_nanos += i128::from(input.header.duration_nanos);
                measured.sort = sort(input.format);
            }
        }
        measured.count(profile, names, parts);
        Some(measured)
    }

    fn count(&mut self, profile: &Profile, names: &Names, parts: &Parts<'_>) {
        let (mut leaves, mut own) = (Tally::default(), Tally::default());
        let mut waits: HashMap<&'static str, i128, FixedState> = HashMap::default();
        let (mut held, mut all) = (0, 0);
        let finder = FrameFinder::new(profile);
        for Part { sample, count, .. } in parts.iter() {
            let key = &profile.sample(sample).key;
            let frames = profile.stack(key.full);
            leaves.add(frames.first().map(|&frame| names.func_id(frame)), count);
            if let Some(frame) = finder.own(key.stack) {
                own.add(Some(names.func_id(frame)), count);
            }
            if finder.is_collecting(key.full) {
                self.collector += count;
            }
            if self.sort == Sort::Blocked {
                let mut waited =
                    frames.iter().take(3).filter_map(|&frame| waits_for(profile.func(frame)));
                *waits.entry(waited.next().unwrap_or("something else")).or_default() += count;
                all += count;
                let unlocks = |&frame: &FrameId| profile.func(frame).ends_with(b"nlock");
                held += if frames.iter().take(2).any(unlocks) { count } else { 0 };
            }
        }
        if all != 0 && held * 2 > all {
            self.sort = Sort::Held;
        }
        self.leaves = leaves.most(names);
        self.own = own.most(names);
        self.waits = waits.into_iter().collect();
        self.waits.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    }

    /// The sum of one of the types.
    pub fn total(&self, kind: &str) -> Option<i128> {
        self.totals.iter().find(|total| total.kind == kind).map(|total| total.total)
    }
}

fn sort(format: InputFormat) -> Sort {
    match format {
        InputFormat::CpuDebug0 => Sort::Cpu,
        InputFormat::HeapDebug0 | InputFormat::HeapDebug1 => Sort::Memory,
        InputFormat::ContentionDebug0 | InputFormat::ContentionDebug1 => Sort::Blocked,
        _ => Sort::Other,
    }
}

/// Sums of all types of those inputs that have the selected one.
pub(in crate::view) fn totals(
    profile: &Profile,
    selection: &Selection,
    wanted: &dyn Fn(InputId) -> bool,
) -> Vec<Total> {
    let mut sums = vec![0_i128; profile.sample_types().len()];
    let mut has_type = vec![false; sums.len()];
    let in_force = profile.value_type();
    for (id, sample) in profile.samples() {
        let input = sample.key.input;
        let types = profile.types_of(input);
        if in_force.is_some_and(|of| types.contains(&of)) && wanted(input) && selection.has(id) {
            for (&kind, &value) in types.iter().zip(profile.values(id)) {
                sums[kind.index()] += i128::from(value);
                has_type[kind.index()] = true;
            }
        }
    }
    let lossy = |text| lossy(profile.str(text));
    let types = profile.sample_types().iter().zip(sums).zip(has_type);
    types
        .filter(|(_, has_type)| *has_type)
        .map(|((kind, total), _)| Total { kind: lossy(kind.kind), unit: lossy(kind.unit), total })
        .collect()
}

fn waits_for(function: &[u8]) -> Option<&'static str> {
    WAITS.iter().find(|(name, _)| function.starts_with(name.as_bytes())).map(|(_, what)| *what)
}

/// How many functions the view keeps.
const MOST: usize = 5;

/// Values by function; `None` is a stack without frames.
#[derive(Default)]
struct Tally(HashMap<Option<StrId>, i128, FixedState>);

impl Tally {
    fn add(&mut self, leaf: Option<StrId>, count: i128) {
        *self.0.entry(leaf).or_default() += count;
    }

    /// The largest values, by size, then by name.
    fn most(self, names: &Names) -> Vec<(String, i128)> {
        let name = |leaf: &Option<StrId>| leaf.map(|function| names.text(function));
        let mut list: Vec<_> = self.0.iter().filter(|(_, count)| **count != 0).collect();
        list.sort_by(|a, b| {
            let size = b.1.abs().cmp(&a.1.abs());
            size.then_with(|| name(a.0).cmp(&name(b.0)))
        });
        let text = |function: Option<&[u8]>| match function {
            Some(function) => lossy(function),
            None => "no frames".to_owned(),
        };
        let list = list.into_iter().take(MOST);
        list.map(|(leaf, count)| (text(name(leaf)), *count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Input, Keep, LabelsId, NewSample, ProfileBuilder, SampleSpec};
    use crate::rules::RuleSet;
    use crate::view::table::part;

    /// Samples of one input: functions leaf first, values.
    fn measured(
        format: InputFormat,
        types: &[(&str, &str)],
        samples: &[(&[&str], &[i64])],
    ) -> ProfileVerdict {
        let mut builder = ProfileBuilder::new(Keep::default());
        let mut input = Input::new("p", "p", format);
        for (kind, unit) in types {
            input.header.sample_types.push(builder.sample_type(kind.as_bytes(), unit.as_bytes()));
        }
        input.header.default_type = input.header.sample_types.last().copied();
        let input = builder.input(input);
        for (functions, values) in samples {
            let frames: Vec<FrameId> =
                functions.iter().map(|name| builder.frame(name.as_bytes(), b"a.go", 1)).collect();
            let stack = builder.stack(&frames);
            builder.add_sample(&NewSample {
                spec: SampleSpec::new(input, stack),
                values,
                locations: 0,
                labels: LabelsId::NONE,
            });
        }
        let profile = builder.finish();
        let names = RuleSet::default().apply(&profile).unwrap();
        let all = crate::filter::Filter::default().select(&profile, &names);
        ProfileVerdict::of(&profile, &names, &part::selected(&profile, &all), &all).unwrap()
    }

    #[test]
    fn cpu_time_is_told_by_leaf_by_own_code_and_by_the_collector() {
        let measured = measured(
            InputFormat::CpuDebug0,
            &[("samples", "count"), ("cpu", "nanoseconds")],
            &[
                (&["runtime.memmove", "kv.Put", "main.main"], &[2, 20]),
                (&["kv.Put", "main.main"], &[1, 10]),
                (&["runtime.gcDrain", "runtime.gcBgMarkWorker"], &[1, 7]),
            ],
        );
        assert_eq!(measured.sort, Sort::Cpu);
        assert_eq!((measured.kind.as_str(), measured.unit.as_str()), ("cpu", "nanoseconds"));
        assert_eq!(measured.leaves[0], ("runtime.memmove".to_owned(), 20));
        assert_eq!(measured.own[0], ("kv.Put".to_owned(), 30));
        assert_eq!(measured.collector, 7);
        assert_eq!(measured.total("samples"), Some(4));
    }

    #[test]
    fn sums_count_samples_whose_shown_value_is_0() {
        let measured = measured(
            InputFormat::HeapDebug0,
            &[("alloc_space", "bytes"), ("inuse_space", "bytes")],
            &[(&["main.f"], &[i64::MAX, 0]), (&["main.g"], &[i64::MAX, 5])],
        );
        assert_eq!(measured.sort, Sort::Memory);
        assert_eq!(measured.total("alloc_space"), Some(2 * i128::from(i64::MAX)));
        assert_eq!(measured.leaves, [("main.g".to_owned(), 5)]);
    }

    #[test]
    fn block_and_mutex_profiles_are_told_apart_by_their_frames() {
        let types = [("contentions", "count"), ("delay", "nanoseconds")];
        let format = InputFormat::ContentionDebug0;
        let blocked: &[(&[&str], &[i64])] = &[
            (&["runtime.selectgo", "kv.loop"], &[1, 10]),
            (&["sync.(*Mutex).Lock", "kv.Get"], &[1, 30]),
        ];
        let blocked = measured(format, &types, blocked);
        assert_eq!(blocked.sort, Sort::Blocked);
        assert_eq!(blocked.waits, [("mutexes", 30), ("select", 10)]);
        let held: &[(&[&str], &[i64])] = &[(&["sync.(*Mutex).Unlock", "kv.Get"], &[1, 30])];
        let held = measured(format, &types, held);
        assert_eq!(held.sort, Sort::Held);
        assert_eq!(held.own, [("kv.Get".to_owned(), 30)]);
        // Most of the time decides.
        for (of_unlock, sort) in [(50, Sort::Blocked), (51, Sort::Held)] {
            let both: &[(&[&str], &[i64])] = &[
                (&["sync.(*Mutex).Unlock", "kv.Get"], &[1, of_unlock]),
                (&["runtime.selectgo", "kv.loop"], &[1, 100 - of_unlock]),
            ];
            assert_eq!(measured(format, &types, both).sort, sort, "{of_unlock}");
        }
    }
}
