//! Goroutines that look stuck: how many, in which state, where, since when, and how to see them.
//!
//! The evidence is that of the checks of single dumps; this file decides which of it is worth the few
//! lines of a verdict. In a busy program somebody always waits, so goroutines are only worth a line if
//! they are a large part of all, or have waited for long.

use crate::filter::Selection;
use crate::leak::{Suspect, suspects};
use crate::profile::{
    FrameId, InputId, KINDS, Kind, LONG_WAIT_MINUTES, Profile, Sample, SampleId, StrId, WaitRange,
    lossy,
};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::frames::finder::FrameFinder;
use crate::view::table::part::{self, Part, Parts};
use crate::waits::Waits;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// At least this many goroutines at one place are worth a line, even if nobody knows for how long.
const MANY: i128 = 10;
/// Fewer than one in this many goroutines of an input are no jam, unless they have waited for long.
const ONE_OF: i128 = 100;
/// At least this many requests have waited long for an answer: fewer may be long polls.
const REQUESTS: i128 = 5;

/// Goroutines at one place that look stuck.
#[derive(Clone, PartialEq, Debug)]
pub struct StuckFact {
    /// The topic of the fact.
    pub topic: Topic,
    /// The kind of their wait.
    pub kind: Kind,
    /// How many they are: those that [`StuckFact::selecting`] selects.
    pub count: i128,
    /// How many goroutines are selected in all.
    pub of: i128,
    /// The function of own code that they are in, trimmed.
    pub function: String,
    /// Its file, trimmed.
    pub file: String,
    /// The line, if all of them are in the same.
    pub line: Option<i64>,
    /// Their waits, as far as they are known.
    pub waits: WaitRange,
    /// The input with most of them, and how many it has.
    pub most: Option<(String, i128)>,
    /// The checks that noticed them.
    pub checks: Vec<&'static str>,
    /// Options and their values that select exactly these goroutines.
    pub selecting: Vec<String>,
    /// The samples that they are counted in, in order.
    pub samples: Vec<SampleId>,
    /// Who holds the lock that they wait for: `held by goroutine 20 in cache.fetch, which waits 3
    /// min for IO`.
    pub held: Option<String>,
    /// Whether all of them wait for goroutines of a deadlock, which has a line of its own.
    pub in_deadlock: bool,
}

/// The topics of facts, the most important first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Topic {
    /// Nobody receives topic they send, or unlocks the lock that they wait for.
    Stuck,
    /// All connections of a sql.DB are in use.
    Database,
    /// They have waited long for an answer.
    Answer,
    /// They wait for something that probably nobody does any more: their creators are gone.
    Left,
    /// A large part of all goroutines is in one place.
    Crowd,
    /// Each keeps a thread of the system to itself.
    Threads,
}

impl Topic {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Topic::Stuck => "stuck",
            Topic::Database => "database",
            Topic::Answer => "answer",
            Topic::Left => "left",
            Topic::Crowd => "crowd",
            Topic::Threads => "threads",
        }
    }

    /// The topic of a check's evidence; `None` if other lines of the verdict say it, or if healthy
    /// programs do the same: wait for a group to end, receive for an hour.
    fn of(check: &str, kind: Kind) -> Option<Topic> {
        match check {
            // Goroutines at the same place that are running again.
            _ if matches!(kind, Kind::Running | Kind::Runnable) => None,
            "stranded-sender" | "lock-pile-up" | "age" | "concentration" if is_held_up(kind) => {
                Some(Topic::Stuck)
            }
            "sql-pool" => Some(Topic::Database),
            "http-no-timeout" => Some(Topic::Answer),
            "unclosed-range" | "abandoned-select" => Some(Topic::Left),
            "concentration" | "timer-storm" => Some(Topic::Crowd),
            "thread-pile" => Some(Topic::Threads),
            _ => None,
        }
    }

    /// Whether the evidence of a check can be worth a line.
    fn is_shown(check: &str) -> bool {
        KINDS.iter().any(|(kind, _)| Topic::of(check, *kind).is_some())
    }
}

/// Whether goroutines of this kind want to continue and can't: nobody waits to send or to lock by
/// design.
fn is_held_up(kind: Kind) -> bool {
    matches!(kind, Kind::ChanSend | Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW)
}

/// Goroutines at one place, while they are counted.
#[derive(Debug, Default)]
struct Candidate {
    checks: Vec<&'static str>,
    samples: Vec<SampleId>,
}

/// Numbers of one input that its evidence is compared with.
#[derive(Clone, Copy, Debug, Default)]
struct InputFacts {
    goroutines: i128,
    /// Whether any goroutine has a wait of a minute or more: if none has, there has been no garbage
    /// collection, or the process is young.
    has_waits: bool,
}

/// The places where goroutines look stuck, the most important first.
pub(super) fn facts(
    profile: &Profile,
    names: &Names,
    frames: &FrameFinder<'_>,
    selection: &Selection,
    points: &Timeline,
    waits: &Waits,
) -> Vec<StuckFact> {
    if !profile.counts_goroutines() {
        return Vec::new();
    }
    let parts = part::selected(profile, selection);
    let inputs = input_facts(profile, &parts);
    let mut candidates: BTreeMap<(Topic, StrId, Kind), Candidate> = BTreeMap::new();
    for suspect in suspects(profile, names, frames, selection, points, waits, Topic::is_shown) {
        let Suspect { check, frame: Some(frame), samples } = suspect else { continue };
        for sample in samples {
            let kind = profile.sample(sample).key.kind;
            let Some(topic) = Topic::of(check, kind) else { continue };
            let candidate = candidates.entry((topic, names.func_id(frame), kind)).or_default();
            candidate.samples.push(sample);
            if !candidate.checks.contains(&check) {
                candidate.checks.push(check);
            }
        }
    }
    candidates.retain(|(topic, ..), candidate| {
        candidate.samples.sort_unstable();
        candidate.samples.dedup();
        is_worth_it(profile, selection, *topic, &candidate.samples, &inputs)
    });
    let functions = candidates.keys().map(|(_, function, _)| *function).collect();
    let parts_by_function = parts_by_function(profile, names, &parts, functions);
    let all = parts.iter().map(|part| part.count).sum();
    let mut facts: Vec<StuckFact> = candidates
        .into_iter()
        .map(|((topic, function, kind), candidate)| {
            let place = WaitSite { profile, names, function, kind };
            let here = parts_by_function.get(&function).map_or(&[][..], Vec::as_slice);
            StuckFact { of: all, ..place.fact(topic, candidate, here) }
        })
        .collect();
    facts.sort_by(|a, b| {
        (a.topic.cmp(&b.topic))
            .then(b.count.cmp(&a.count))
            .then_with(|| a.function.cmp(&b.function))
    });
    // Goroutines only get the most important line about them.
    let mut has_line = HashSet::new();
    facts.retain(|fact| has_line.insert((fact.function.clone(), fact.kind)));
    facts
}

/// By function: the parts that have it on their stacks, in one pass: hostile dumps have as many places
/// that are worth a line as stacks.
fn parts_by_function(
    profile: &Profile,
    names: &Names,
    parts: &Parts<'_>,
    functions: HashSet<StrId, FixedState>,
) -> HashMap<StrId, Vec<Part>, FixedState> {
    let mut found: HashMap<StrId, Vec<Part>, FixedState> = HashMap::default();
    for part in parts.iter().filter(|_| !functions.is_empty()) {
        for &frame in profile.stack(profile.sample(part.sample).key.stack) {
            let function = names.func_id(frame);
            if functions.contains(&function) {
                let here = found.entry(function).or_default();
                if here.last().is_none_or(|last| last.sample != part.sample) {
                    here.push(part);
                }
            }
        }
    }
    found
}

fn input_facts(profile: &Profile, parts: &Parts<'_>) -> Vec<InputFacts> {
    let mut inputs = vec![InputFacts::default(); profile.inputs.len()];
    for part in parts.iter() {
        let of = &mut inputs[profile.sample(part.sample).key.input.index()];
        of.goroutines += part.count;
        of.has_waits |= part.waits.range().is_some_and(|(_, longest)| longest >= 1.0);
    }
    inputs
}

/// Whether goroutines that a check noticed deserve a line of the verdict.
fn is_worth_it(
    profile: &Profile,
    selection: &Selection,
    topic: Topic,
    samples: &[SampleId],
    inputs: &[InputFacts],
) -> bool {
    let mut of_inputs: BTreeMap<InputId, (i128, f32)> = BTreeMap::new();
    for &sample in samples {
        let Sample { key, waits, .. } = profile.sample(sample);
        let (count, longest) = of_inputs.entry(key.input).or_default();
        *count += i128::from(selection.count(sample));
        *longest = waits.range().map_or(*longest, |(_, one)| longest.max(one));
    }
    of_inputs.into_iter().any(|(input, (count, longest))| {
        let InputFacts { goroutines, has_waits } = inputs[input.index()];
        let lasts = longest >= LONG_WAIT_MINUTES;
        // If others have waits, goroutines without one have just come and may be gone in a moment.
        let may_last = longest >= 1.0 || !has_waits;
        let many = count >= MANY && count.saturating_mul(ONE_OF) >= goroutines;
        match topic {
            Topic::Stuck => lasts || (many && (may_last || count * 2 >= goroutines)),
            Topic::Database | Topic::Threads => true,
            Topic::Answer => count >= REQUESTS,
            // If others have waits, these have received something a moment ago.
            Topic::Left => lasts || (many && !has_waits),
            Topic::Crowd => many,
        }
    })
}

/// A place that goroutines wait in.
struct WaitSite<'a> {
    profile: &'a Profile,
    names: &'a Names,
    function: StrId,
    kind: Kind,
}

impl WaitSite<'_> {
    /// The fact about a candidate; `parts` are those with its function on their stacks.
    fn fact(&self, topic: Topic, candidate: Candidate, parts: &[Part]) -> StuckFact {
        let frame = self.most_frequent(&candidate.samples, parts);
        let line =
            frame.filter(|(_, alone)| *alone).map(|(frame, _)| self.profile.frame(frame).line);
        let function = lossy(self.names.text(self.function));
        let mut fact = StuckFact {
            topic,
            kind: self.kind,
            count: 0,
            of: 0,
            file: frame.map_or_else(String::new, |(frame, _)| lossy(self.names.file(frame))),
            line: line.filter(|&line| line > 0),
            waits: WaitRange::default(),
            most: None,
            checks: candidate.checks,
            selecting: Vec::new(),
            samples: Vec::new(),
            held: None,
            in_deadlock: false,
            function,
        };
        let mut of_inputs: BTreeMap<InputId, i128> = BTreeMap::new();
        for part in parts.iter() {
            let key = &self.profile.sample(part.sample).key;
            let is_here = |&frame: &FrameId| self.is_at(frame, fact.line);
            if key.kind == self.kind && self.profile.stack(key.stack).iter().any(is_here) {
                fact.count += part.count;
                fact.samples.push(part.sample);
                fact.waits.merge(&part.waits);
                *of_inputs.entry(key.input).or_default() += part.count;
            }
        }
        fact.samples.sort_unstable();
        let most = of_inputs.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
        fact.most = most.map(|(input, count)| (self.profile.input(input).name.clone(), count));
        let place = match fact.line {
            Some(line) => format!("^{} .*:{line}$", regex::escape(&fact.function)),
            None => format!("^{}( |$)", regex::escape(&fact.function)),
        };
        fact.selecting =
            vec!["--kind".to_owned(), self.kind.name().to_owned(), "--frame".to_owned(), place];
        fact
    }

    fn is_at(&self, frame: FrameId, line: Option<i64>) -> bool {
        self.names.func_id(frame) == self.function
            && line.is_none_or(|line| self.profile.frame(frame).line == line)
    }

    /// The frame of this function that is on most of their stacks, and whether it is on all.
    fn most_frequent(&self, samples: &[SampleId], parts: &[Part]) -> Option<(FrameId, bool)> {
        let mut frames: BTreeMap<i64, (i128, FrameId)> = BTreeMap::new();
        for part in parts.iter().filter(|part| samples.binary_search(&part.sample).is_ok()) {
            let stack = self.profile.sample(part.sample).key.stack;
            let mut own = self.profile.stack(stack).iter().copied();
            if let Some(frame) = own.find(|&frame| self.is_at(frame, None)) {
                frames.entry(self.profile.frame(frame).line).or_insert((0, frame)).0 += part.count;
            }
        }
        let alone = frames.len() == 1;
        let most = frames.into_values().max_by_key(|(count, _)| *count);
        most.map(|(_, frame)| (frame, alone))
    }
}
