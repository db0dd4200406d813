//! Applying a filter: what can be decided for a stack is decided once for it, what can be decided
//! for a group once for that, and only what is left is asked of each goroutine.

use super::Selection;
use super::frame::{At, Part};
use super::pattern::Pattern;
use super::test::Test;
use super::text::{InIds, StackTexts};
use super::truth::{Condition, Truth};
use crate::profile::{FrameId, Goroutine, Profile, Sample, StackId};
use crate::rules::Names;

/// Which goroutines satisfy the condition.
pub(super) fn select(
    tests: &[Test],
    condition: &Condition,
    profile: &Profile,
    names: &Names,
) -> Selection {
    let mut asker = Asker::new(tests, profile, names);
    let mut selection =
        Selection { counts: vec![0; profile.samples.len()], goroutines: None, unknown_wait: 0 };
    // How many goroutines of each group stand in the column; the others are only counted.
    let mut listed = vec![0_u32; profile.samples.len()];
    if asker.needs_goroutines {
        for goroutine in &profile.goroutines {
            listed[goroutine.sample.index()] += 1;
        }
    }
    let mut open = OpenGroups::new(profile.samples.len());
    let mut answers = vec![None; tests.len()];
    for (at, sample) in profile.samples.iter().enumerate() {
        answers.fill(None);
        let listed = i64::from(listed[at]);
        let truth = condition.eval(&mut |test| asker.group(test, sample, listed, &mut answers));
        match truth {
            Truth::Yes => selection.counts[at] = sample.count,
            Truth::No => {}
            Truth::Unknown => selection.drop_unknown(sample.count),
            Truth::Open => {
                open.add(at, &answers);
                let counted = sample.count.saturating_sub(listed);
                let truth =
                    condition.eval(
                        &mut |test| match asker.group(test, sample, listed, &mut answers) {
                            Truth::Open => without_row(&tests[test]),
                            decided => decided,
                        },
                    );
                match truth {
                    Truth::Yes => selection.counts[at] = counted,
                    Truth::Unknown => selection.drop_unknown(counted),
                    _ => {}
                }
            }
        }
    }
    if !open.is_empty() {
        let whole: Vec<bool> = selection.counts.iter().map(|&count| count != 0).collect();
        let mut selected = Vec::with_capacity(profile.goroutines.len());
        for goroutine in &profile.goroutines {
            let at = goroutine.sample.index();
            let Some(answers) = open.answers(at, tests.len()) else {
                selected.push(whole[at]);
                continue;
            };
            let sample = &profile.samples[at];
            let listed = i64::from(listed[at]);
            let truth =
                condition.eval(&mut |test| match asker.group(test, sample, listed, answers) {
                    Truth::Open => asker.goroutine(test, sample, goroutine),
                    decided => decided,
                });
            if truth == Truth::Unknown {
                selection.drop_unknown(1);
            }
            selected.push(truth == Truth::Yes);
            selection.counts[at] += i64::from(truth == Truth::Yes);
        }
        selection.goroutines = Some(selected);
    }
    selection
}

impl Selection {
    fn drop_unknown(&mut self, count: i64) {
        self.unknown_wait = self.unknown_wait.saturating_add(count);
    }
}

/// What a test says of goroutines that are only counted.
fn without_row(test: &Test) -> Truth {
    match test {
        Test::Wait(_) => Truth::Unknown,
        _ => Truth::No,
    }
}

/// What each test said of the groups of which each goroutine must be asked.
#[derive(Debug)]
struct OpenGroups {
    /// By group: where its answers start.
    starts: Vec<Option<usize>>,
    answers: Vec<Option<Truth>>,
}

impl OpenGroups {
    fn new(groups: usize) -> OpenGroups {
        OpenGroups { starts: vec![None; groups], answers: Vec::new() }
    }

    fn add(&mut self, group: usize, answers: &[Option<Truth>]) {
        self.starts[group] = Some(self.answers.len());
        self.answers.extend_from_slice(answers);
    }

    fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn answers(&mut self, group: usize, tests: usize) -> Option<&mut [Option<Truth>]> {
        self.starts[group].map(|start| &mut self.answers[start..start + tests])
    }
}

/// Asks tests, and remembers what they said of each stack and frame.
struct Asker<'a> {
    tests: &'a [Test],
    profile: &'a Profile,
    names: &'a Names,
    needs_goroutines: bool,
    memories: Vec<Memory>,
    stack_texts: StackTexts,
    buffer: Vec<u8>,
}

/// What one test said; empty lists where it never asks about such a thing.
#[derive(Debug, Default)]
struct Memory {
    stacks: Vec<Option<bool>>,
    frames: Vec<Option<bool>>,
    inputs: Vec<InIds>,
}

impl<'a> Asker<'a> {
    fn new(tests: &'a [Test], profile: &'a Profile, names: &'a Names) -> Asker<'a> {
        let memory = |test: &Test| {
            let mut memory = Memory::default();
            match test {
                Test::Frame(..) => {
                    memory.frames = vec![None; profile.frames().len()];
                    memory.stacks = vec![None; profile.stack_count()];
                }
                Test::StackText(_) | Test::Name(_) | Test::Category(_) => {
                    memory.stacks = vec![None; profile.stack_count()];
                }
                Test::IdText(needle) => {
                    let several = profile.inputs.len() > 1;
                    memory.inputs = profile
                        .inputs
                        .iter()
                        .map(|input| match several {
                            true => needle.in_ids(&format!("{}.", input.name)),
                            false => needle.in_ids(""),
                        })
                        .collect();
                }
                _ => {}
            }
            memory
        };
        Asker {
            tests,
            profile,
            names,
            needs_goroutines: tests.iter().any(Test::needs_goroutines),
            memories: tests.iter().map(memory).collect(),
            stack_texts: StackTexts::default(),
            buffer: Vec::new(),
        }
    }

    /// What a test says of a whole group, asked at most once for each group.
    fn group(
        &mut self,
        test: usize,
        sample: &Sample,
        listed: i64,
        answers: &mut [Option<Truth>],
    ) -> Truth {
        if let Some(truth) = answers[test] {
            return truth;
        }
        let truth = self.ask_group(test, sample, listed);
        answers[test] = Some(truth);
        truth
    }

    fn ask_group(&mut self, test: usize, sample: &Sample, listed: i64) -> Truth {
        let (profile, key) = (self.profile, &sample.key);
        let of_listed = |truth: Truth| match truth {
            _ if listed == 0 => Truth::No,
            Truth::Yes if listed != sample.count => Truth::Open,
            truth => truth,
        };
        match &self.tests[test] {
            Test::Frame(At::Creator, part, pattern) => {
                Truth::of(key.creator.is_some_and(|frame| self.frame(test, frame, *part, pattern)))
            }
            Test::Frame(..) | Test::StackText(_) | Test::Name(_) | Test::Category(_) => {
                Truth::of(self.stack(test, key.stack))
            }
            Test::Depth(depths) => {
                Truth::of(depths.contains(profile.stack(key.stack).len() as i128))
            }
            Test::LabelText(needle) => {
                Truth::of(needle.is_in_labels(profile, key, &mut self.buffer))
            }
            Test::State(pattern) => {
                let state = key.state.map_or(&b"unknown"[..], |state| profile.str(state));
                Truth::of(pattern.is_match(state))
            }
            Test::Kind(pattern) => Truth::of(pattern.is_match(key.kind.name().as_bytes())),
            Test::Input(pattern) => {
                Truth::of(pattern.is_match(profile.input(key.input).name.as_bytes()))
            }
            Test::Label(label) => Truth::of(label.holds(profile, key)),
            Test::Flag(pattern) => Truth::of(
                profile.flags(key.flags).iter().any(|&flag| pattern.is_match(profile.str(flag))),
            ),
            Test::Count(counts) => Truth::of(counts.contains(sample.count)),
            Test::IdText(_) => of_listed(match self.memories[test].inputs[key.input.index()] {
                InIds::None => Truth::No,
                InIds::All => Truth::Yes,
                InIds::Containing(_) | InIds::StartingWith(_) => Truth::Open,
            }),
            Test::Id(ids) => of_listed(match ids.concerns(&profile.input(key.input).name) {
                true => Truth::Open,
                false => Truth::No,
            }),
            Test::IdNumber(_) | Test::CreatorId(_) => of_listed(Truth::Open),
            Test::Wait(minutes) => match sample.waits.range() {
                None => Truth::Unknown,
                Some((min, max)) if all_known(sample) => {
                    let (min, max) = (f64::from(min), f64::from(max));
                    match minutes.contains(min) && minutes.contains(max) {
                        true => Truth::Yes,
                        false if minutes.misses(min, max) => Truth::No,
                        false => Truth::Open,
                    }
                }
                Some(_) => Truth::Open,
            },
            Test::WaitKnown => match sample.waits.known {
                0 => Truth::No,
                _ if all_known(sample) => Truth::Yes,
                _ => Truth::Open,
            },
        }
    }

    /// What a test says of one goroutine when it can't tell for the whole group.
    fn goroutine(&self, test: usize, sample: &Sample, goroutine: &Goroutine) -> Truth {
        let input = sample.key.input;
        match &self.tests[test] {
            Test::IdText(_) => {
                Truth::of(self.memories[test].inputs[input.index()].holds(goroutine.id))
            }
            Test::Id(ids) => Truth::of(ids.contains(&self.profile.input(input).name, goroutine.id)),
            Test::IdNumber(ids) => Truth::of(ids.contains(goroutine.id)),
            Test::CreatorId(ids) => {
                Truth::of(goroutine.creator().is_some_and(|creator| ids.contains(creator)))
            }
            Test::Wait(minutes) => match goroutine.wait.known() {
                Some(wait) => Truth::of(minutes.contains(f64::from(wait))),
                None => Truth::Unknown,
            },
            Test::WaitKnown => Truth::of(goroutine.wait.known().is_some()),
            // The others always answer for the whole group.
            _ => Truth::No,
        }
    }

    fn stack(&mut self, test: usize, stack: StackId) -> bool {
        if let Some(known) = self.memories[test].stacks[stack.index()] {
            return known;
        }
        let frames = self.profile.stack(stack);
        let holds = match &self.tests[test] {
            Test::Frame(At::Leaf, part, pattern) => {
                frames.first().is_some_and(|&frame| self.frame(test, frame, *part, pattern))
            }
            Test::Frame(At::Root, part, pattern) => {
                frames.last().is_some_and(|&frame| self.frame(test, frame, *part, pattern))
            }
            Test::Frame(_, part, pattern) => {
                frames.iter().any(|&frame| self.frame(test, frame, *part, pattern))
            }
            Test::StackText(needle) => {
                self.stack_texts.contains(needle, self.profile, self.names, stack)
            }
            Test::Name(pattern) => pattern.is_match(self.names.name(stack)),
            Test::Category(pattern) => pattern.is_match(self.names.category(stack)),
            _ => false,
        };
        self.memories[test].stacks[stack.index()] = Some(holds);
        holds
    }

    fn frame(&mut self, test: usize, frame: FrameId, part: Part, pattern: &Pattern) -> bool {
        let (profile, names, buffer) = (self.profile, self.names, &mut self.buffer);
        *self.memories[test].frames[frame.index()]
            .get_or_insert_with(|| pattern.is_match(part.text(profile, names, frame, buffer)))
    }
}

fn all_known(sample: &Sample) -> bool {
    u64::try_from(sample.count).is_ok_and(|count| count == sample.waits.known)
}
