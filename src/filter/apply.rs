//! Applies a filter: predicates about stacks are decided once for each stack, those about groups once
//! for each group, and only the rest for each goroutine.

use super::frame::{At, FramePart};
use super::pattern::Pattern;
use super::predicate::Predicate;
use super::selection::Selection;
use super::text::{InIds, StackTexts};
use super::truth::{Condition, Truth};
use crate::profile::{FrameId, Goroutine, Profile, Sample, StackId};
use crate::rules::Names;

/// Selects the goroutines that satisfy the condition.
pub(super) fn select(
    predicates: &[Predicate],
    condition: &Condition,
    profile: &Profile,
    names: &Names,
) -> Selection {
    let mut asker = Asker::new(predicates, profile, names);
    let groups = groups(profile, predicates);
    let mut selection = Selection { counts: vec![0; groups.len()], ..Selection::default() };
    let mut samples: Vec<bool> = vec![false; groups.len()];
    let mut open = OpenGroups::new(groups.len());
    let mut answers = vec![None; predicates.len()];
    for (at, group) in groups.iter().enumerate() {
        answers.fill(None);
        match asker.of_group(condition, group, &mut answers) {
            Truth::Yes => {
                selection.counts[at] = group.sample.count;
                samples[at] = true;
            }
            Truth::No => {}
            Truth::Unknown => selection.drop_unknown(group.sample.count),
            Truth::Undecided => {
                open.add(at, &answers);
                match asker.of_counted(condition, group, &mut answers) {
                    Truth::Yes => selection.counts[at] = group.counted(),
                    Truth::Unknown => selection.drop_unknown(group.counted()),
                    Truth::No | Truth::Undecided => {}
                }
            }
        }
    }
    if open.is_empty() {
        selection.samples = Some(samples);
        return selection;
    }
    let selected = profile.goroutines.iter().map(|goroutine| {
        let at = goroutine.sample.index();
        let Some(answers) = open.answers(at, predicates.len()) else { return samples[at] };
        let truth = asker.of_goroutine(condition, &groups[at], goroutine, answers);
        match truth {
            Truth::Yes => selection.counts[at] += 1,
            Truth::Unknown => selection.drop_unknown(1),
            Truth::No | Truth::Undecided => {}
        }
        truth == Truth::Yes
    });
    selection.goroutines = Some(selected.collect());
    for (selected, &count) in samples.iter_mut().zip(&selection.counts) {
        *selected |= count != 0;
    }
    selection.samples = Some(samples);
    selection
}

/// A sample, and how many of its goroutines are in the goroutine column; the others are only counted.
struct Group<'a> {
    sample: &'a Sample,
    listed: i64,
}

impl Group<'_> {
    fn counted(&self) -> i64 {
        self.sample.count.saturating_sub(self.listed)
    }

    /// Whether every goroutine's wait is known.
    fn all_waits_known(&self) -> bool {
        u64::try_from(self.sample.count).is_ok_and(|count| count == self.sample.waits.known)
    }
}

fn groups<'a>(profile: &'a Profile, predicates: &[Predicate]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'_>> =
        profile.samples.iter().map(|sample| Group { sample, listed: 0 }).collect();
    if predicates.iter().any(Predicate::needs_goroutines) {
        for goroutine in &profile.goroutines {
            groups[goroutine.sample.index()].listed += 1;
        }
    }
    groups
}

impl Selection {
    fn drop_unknown(&mut self, count: i64) {
        self.unknown_wait = self.unknown_wait.saturating_add(count);
    }
}

/// The answers of predicates for groups whose goroutines have to be tested one by one.
#[derive(Debug)]
struct OpenGroups {
    /// By group: the position of its first answer.
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

    fn answers(&mut self, group: usize, predicates: usize) -> Option<&mut [Option<Truth>]> {
        self.starts[group].map(|start| &mut self.answers[start..start + predicates])
    }
}

/// Evaluates predicates, and caches their answers for each stack and frame.
struct Asker<'a> {
    predicates: &'a [Predicate],
    profile: &'a Profile,
    names: &'a Names,
    memories: Vec<Memory>,
    stack_texts: StackTexts,
    buffer: Vec<u8>,
}

/// The answers of one predicate; lists that it doesn't need are empty.
#[derive(Debug, Default)]
struct Memory {
    stacks: Vec<Option<bool>>,
    frames: Vec<Option<bool>>,
    inputs: Vec<InIds>,
}

impl<'a> Asker<'a> {
    fn new(predicates: &'a [Predicate], profile: &'a Profile, names: &'a Names) -> Asker<'a> {
        let memory = |predicate: &Predicate| {
            let mut memory = Memory::default();
            match predicate {
                Predicate::Frame(..) | Predicate::StackText(_) => {
                    memory.frames = vec![None; profile.frames().len()];
                    memory.stacks = vec![None; profile.stack_count()];
                }
                Predicate::Name(_) | Predicate::Category(_) => {
                    memory.stacks = vec![None; profile.stack_count()];
                }
                Predicate::IdText(needle) => {
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
            predicates,
            profile,
            names,
            memories: predicates.iter().map(memory).collect(),
            stack_texts: StackTexts::default(),
            buffer: Vec::new(),
        }
    }

    /// The condition for a whole group.
    fn of_group(
        &mut self,
        condition: &Condition,
        group: &Group<'_>,
        answers: &mut [Option<Truth>],
    ) -> Truth {
        condition.eval(&mut |predicate| self.ask(predicate, group, answers))
    }

    /// The condition for those goroutines of a group that are only counted.
    fn of_counted(
        &mut self,
        condition: &Condition,
        group: &Group<'_>,
        answers: &mut [Option<Truth>],
    ) -> Truth {
        condition.eval(&mut |predicate| match self.ask(predicate, group, answers) {
            Truth::Undecided => match &self.predicates[predicate] {
                Predicate::Wait(_) => Truth::Unknown,
                _ => Truth::No,
            },
            decided => decided,
        })
    }

    /// The condition for one goroutine of a group.
    fn of_goroutine(
        &mut self,
        condition: &Condition,
        group: &Group<'_>,
        goroutine: &Goroutine,
        answers: &mut [Option<Truth>],
    ) -> Truth {
        condition.eval(&mut |predicate| match self.ask(predicate, group, answers) {
            Truth::Undecided => self.ask_goroutine(predicate, group.sample, goroutine),
            decided => decided,
        })
    }

    /// A predicate for a whole group, evaluated at most once for each group.
    fn ask(&mut self, predicate: usize, group: &Group<'_>, answers: &mut [Option<Truth>]) -> Truth {
        if let Some(truth) = answers[predicate] {
            return truth;
        }
        let truth = self.ask_group(predicate, group);
        answers[predicate] = Some(truth);
        truth
    }

    fn ask_group(&mut self, predicate: usize, group: &Group<'_>) -> Truth {
        let (profile, sample, key) = (self.profile, group.sample, &group.sample.key);
        // Only goroutines in the column have ids.
        let of_listed = |truth: Truth| if group.listed == 0 { Truth::No } else { truth };
        match &self.predicates[predicate] {
            Predicate::Frame(At::Creator, part, pattern) => Truth::of(
                key.creator.is_some_and(|frame| self.frame(predicate, frame, *part, pattern)),
            ),
            Predicate::Frame(..)
            | Predicate::StackText(_)
            | Predicate::Name(_)
            | Predicate::Category(_) => Truth::of(self.stack(predicate, key.stack)),
            Predicate::Depth(depths) => {
                Truth::of(depths.contains(profile.stack(key.stack).len() as i128))
            }
            Predicate::LabelText(needle) => {
                Truth::of(needle.is_in_labels(profile, key, &mut self.buffer))
            }
            Predicate::State(pattern) => {
                let state = key.state.map_or(&b"unknown"[..], |state| profile.str(state));
                Truth::of(pattern.is_match(state))
            }
            Predicate::Kind(pattern) => Truth::of(pattern.is_match(key.kind.name().as_bytes())),
            Predicate::Input(pattern) => {
                Truth::of(pattern.is_match(profile.input(key.input).name.as_bytes()))
            }
            Predicate::Label(label) => Truth::of(label.holds(profile, key)),
            Predicate::Flag(pattern) => Truth::of(
                profile.flags(key.flags).iter().any(|&flag| pattern.is_match(profile.str(flag))),
            ),
            Predicate::Count(counts) => Truth::of(counts.contains(sample.count)),
            Predicate::IdText(_) => {
                of_listed(match self.memories[predicate].inputs[key.input.index()] {
                    InIds::None => Truth::No,
                    InIds::All | InIds::Containing(_) | InIds::StartingWith(_) => Truth::Undecided,
                })
            }
            Predicate::Id(ids) => of_listed(match ids.concerns(&profile.input(key.input).name) {
                true => Truth::Undecided,
                false => Truth::No,
            }),
            Predicate::IdNumber(_) | Predicate::CreatorId(_) => of_listed(Truth::Undecided),
            Predicate::Wait(minutes) => match sample.waits.range() {
                None => Truth::Unknown,
                Some((min, max)) if group.all_waits_known() => {
                    let (min, max) = (f64::from(min), f64::from(max));
                    match minutes.contains(min) && minutes.contains(max) {
                        true => Truth::Yes,
                        false if minutes.misses(min, max) => Truth::No,
                        false => Truth::Undecided,
                    }
                }
                Some(_) => Truth::Undecided,
            },
            Predicate::WaitKnown => match sample.waits.known {
                0 => Truth::No,
                _ => Truth::Undecided,
            },
        }
    }

    /// A predicate for one goroutine, if it isn't decided for the whole group.
    fn ask_goroutine(&self, predicate: usize, sample: &Sample, goroutine: &Goroutine) -> Truth {
        let input = sample.key.input;
        match &self.predicates[predicate] {
            Predicate::IdText(_) => {
                Truth::of(self.memories[predicate].inputs[input.index()].holds(goroutine.id))
            }
            Predicate::Id(ids) => {
                Truth::of(ids.contains(&self.profile.input(input).name, goroutine.id))
            }
            Predicate::IdNumber(ids) => Truth::of(ids.contains(goroutine.id)),
            Predicate::CreatorId(ids) => {
                Truth::of(goroutine.creator().is_some_and(|creator| ids.contains(creator)))
            }
            Predicate::Wait(minutes) => match goroutine.wait.known() {
                Some(wait) => Truth::of(minutes.contains(f64::from(wait))),
                None => Truth::Unknown,
            },
            Predicate::WaitKnown => Truth::of(goroutine.wait.known().is_some()),
            // The other predicates are always decided for the whole group.
            _ => Truth::No,
        }
    }

    fn stack(&mut self, predicate: usize, stack: StackId) -> bool {
        if let Some(known) = self.memories[predicate].stacks[stack.index()] {
            return known;
        }
        let frames = self.profile.stack(stack);
        let holds = match &self.predicates[predicate] {
            Predicate::Frame(At::Leaf, part, pattern) => {
                frames.first().is_some_and(|&frame| self.frame(predicate, frame, *part, pattern))
            }
            Predicate::Frame(At::Root, part, pattern) => {
                frames.last().is_some_and(|&frame| self.frame(predicate, frame, *part, pattern))
            }
            Predicate::Frame(_, part, pattern) => {
                frames.iter().any(|&frame| self.frame(predicate, frame, *part, pattern))
            }
            Predicate::StackText(needle) if needle.may_span_frames() => {
                self.stack_texts.stack_contains(needle, self.profile, self.names, stack)
            }
            // Most texts hold no blank: then each frame is searched once, not each stack.
            Predicate::StackText(needle) => {
                let (texts, profile, names) = (&mut self.stack_texts, self.profile, self.names);
                let known = &mut self.memories[predicate].frames;
                frames.iter().any(|&frame| {
                    *known[frame.index()]
                        .get_or_insert_with(|| texts.frame_contains(needle, profile, names, frame))
                })
            }
            Predicate::Name(pattern) => pattern.is_match(self.names.name(self.profile, stack)),
            Predicate::Category(pattern) => pattern.is_match(self.names.category(stack)),
            _ => false,
        };
        self.memories[predicate].stacks[stack.index()] = Some(holds);
        holds
    }

    fn frame(
        &mut self,
        predicate: usize,
        frame: FrameId,
        part: FramePart,
        pattern: &Pattern,
    ) -> bool {
        let (profile, names, buffer) = (self.profile, self.names, &mut self.buffer);
        *self.memories[predicate].frames[frame.index()]
            .get_or_insert_with(|| pattern.is_match(part.text(profile, names, frame, buffer)))
    }
}
