//! Telling equal names apart: a setting of the default rules, `name.distinct`.
//!
//! Stacks of one category that got the same name get a further frame in front (`Store.Send →
//! Replica.lock → mutex`), or the place of a frame behind (`Replica.lock → mutex (replica.go:12)`).

use super::name::{Step, put_in_front};
use super::namer::Namer;
use crate::profile::{FrameId, Profile, StackId, StrId};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// How many further frames are tried in front of a name.
const FURTHER: usize = 6;
/// How often a frame of its own is looked for among the stacks that are left.
const PLACES: usize = 3;
/// How often the stacks that are left are told apart by where they part from each other.
const PARTINGS: usize = 4;

/// A stack that shares its name.
struct Twin {
    stack: StackId,
    /// The last frame that the name tells of.
    taken: usize,
}

/// Changes names so that stacks of one category differ in theirs, as far as anything that is shown
/// of them differs.
pub(super) fn tell_apart(namer: &mut Namer<'_>, profile: &Profile, stacks: &[StackId]) {
    let mut used: HashSet<(StrId, StrId), FixedState> = HashSet::default();
    let mut groups: HashMap<(StrId, StrId), Vec<StackId>, FixedState> = HashMap::default();
    for stack in stacks {
        let name = namer.names.stacks[stack.index()];
        used.insert(name);
        groups.entry(name).or_default().push(*stack);
    }
    // In the order of the stacks: which name is free may depend on which came before.
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
    groups.sort_by_key(|(_, group)| group.iter().map(|stack| stack.index()).min());
    for ((name, category), group) in groups {
        let twin = |stack| Twin { stack, taken: last_told(namer, profile, stack) };
        let mut twins: Vec<Twin> = group.into_iter().map(twin).collect();
        for round in 0..FURTHER + PLACES + PARTINGS {
            if twins.len() < 2 {
                break;
            }
            let candidates: Vec<Option<StrId>> = match round {
                frame if frame < FURTHER => {
                    let further = |twin| further_frame(namer, profile, twin, name, frame);
                    twins.iter().map(further).collect()
                }
                place if place < FURTHER + PLACES => {
                    // Where one line holds several closures, its name tells more than the line.
                    let by_func = place - FURTHER == 1;
                    own_frames(namer, profile, &twins, name, by_func)
                }
                _ => partings(namer, profile, &twins, name),
            };
            let mut counts: HashMap<StrId, usize, FixedState> = HashMap::default();
            for candidate in candidates.iter().flatten() {
                *counts.entry(*candidate).or_default() += 1;
            }
            let mut candidates = candidates.into_iter();
            twins.retain(|twin| match candidates.next().flatten() {
                Some(text) if counts[&text] == 1 && used.insert((text, category)) => {
                    namer.names.stacks[twin.stack.index()].0 = text;
                    false
                }
                _ => true,
            });
        }
    }
}

/// The outermost frame that the name of a stack tells of.
fn last_told(namer: &mut Namer<'_>, profile: &Profile, stack: StackId) -> usize {
    let mut last = 0;
    namer.name_with(profile, stack, |at, step| {
        if !matches!(step, Step::Skip(_)) {
            last = at;
        }
    });
    last
}

/// The name with the nth frame further out in front of it. Frames that tell nothing don't count.
fn further_frame(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twin: &Twin,
    name: StrId,
    nth: usize,
) -> Option<StrId> {
    let frames = profile.stack(twin.stack).get(twin.taken + 1..)?;
    let mut seen = 0;
    for frame in frames {
        let func = namer.names.frames[frame.index()].0;
        let Some(text) = namer.further(func) else { continue };
        let (old, part) = (namer.names.texts.get(name), namer.names.texts.get(text));
        if old.starts_with(part) {
            continue;
        }
        if seen == nth {
            let mut longer = old.to_vec();
            put_in_front(&mut longer, part);
            return Some(namer.names.texts.intern(&longer));
        }
        seen += 1;
    }
    None
}

/// For each stack the name with a frame behind it that no other of them has, as place or function:
/// the nearest to what the name tells of, outwards first.
fn own_frames(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twins: &[Twin],
    name: StrId,
    by_func: bool,
) -> Vec<Option<StrId>> {
    let mut counts: HashMap<FrameId, usize, FixedState> = HashMap::default();
    for twin in twins {
        let mut frames = profile.stack(twin.stack).to_vec();
        frames.sort_unstable();
        frames.dedup();
        for frame in frames {
            *counts.entry(frame).or_default() += 1;
        }
    }
    let mut place = |twin: &Twin| {
        let frames = profile.stack(twin.stack);
        let (inner, outer) = frames.split_at(twin.taken.min(frames.len()));
        let mut nearest = outer.iter().chain(inner.iter().rev());
        let own = nearest.find(|frame| counts[*frame] == 1)?;
        let mut longer = namer.names.texts.get(name).to_vec();
        longer.extend_from_slice(b" (");
        match by_func {
            true => longer.extend_from_slice(base(profile.str(profile.frame(*own).func))),
            false => push_place(&mut longer, profile, *own),
        }
        longer.push(b')');
        Some(namer.names.texts.intern(&longer))
    };
    twins.iter().map(&mut place).collect()
}

/// For each stack the name with the frame behind it where it parts from all others, or the number
/// of its frames where it ends before that: for stacks that consist of the same frames.
fn partings(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twins: &[Twin],
    name: StrId,
) -> Vec<Option<StrId>> {
    let outer = |at: usize| -> &[FrameId] {
        let twin: &Twin = &twins[at];
        profile.stack(twin.stack).get(twin.taken..).unwrap_or_default()
    };
    let mut sorted: Vec<usize> = (0..twins.len()).collect();
    sorted.sort_by(|a, b| outer(*a).cmp(outer(*b)));
    let mut shared = vec![0; twins.len()];
    for pair in sorted.windows(2) {
        let same = outer(pair[0]).iter().zip(outer(pair[1])).take_while(|(a, b)| a == b).count();
        for at in pair {
            shared[*at] = shared[*at].max(same);
        }
    }
    let text = |at: usize| {
        let mut longer = namer.names.texts.get(name).to_vec();
        match outer(at).get(shared[at]) {
            None => longer.extend_from_slice(format!(" ({} frames)", outer(at).len()).as_bytes()),
            Some(frame) => {
                longer.extend_from_slice(b" (");
                push_place(&mut longer, profile, *frame);
                longer.extend_from_slice(
                    match shared[at] {
                        0 => b")".to_vec(),
                        far => format!(", {far} frames out)").into_bytes(),
                    }
                    .as_slice(),
                );
            }
        }
        Some(namer.names.texts.intern(&longer))
    };
    (0..twins.len()).map(text).collect()
}

/// `file.go:12`
fn push_place(out: &mut Vec<u8>, profile: &Profile, frame: FrameId) {
    let frame = profile.frame(frame);
    out.extend_from_slice(base(profile.str(frame.file)));
    out.extend_from_slice(format!(":{}", frame.line).as_bytes());
}

/// What stands behind the last slash.
fn base(path: &[u8]) -> &[u8] {
    path.rsplit(|b| matches!(b, b'/' | b'\\')).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::profile::*;
    use crate::rules::{List, Rule, RuleLists, RuleSet, Spec};

    /// The names of stacks of `(func, line)`, told apart.
    fn names(stacks: &[&[(&str, i64)]]) -> Vec<String> {
        let mut builder = ProfileBuilder::new(Keep::default());
        let input = builder.input(Input::new("t", "t", InputFormat::Debug2));
        let ids: Vec<StackId> = stacks
            .iter()
            .map(|frames| {
                let frames: Vec<FrameId> = frames
                    .iter()
                    .map(|(func, line)| builder.frame(func.as_bytes(), b"src/f.go", *line))
                    .collect();
                let stack = builder.stack(&frames);
                let sample = builder.sample(&SampleSpec {
                    input,
                    stack,
                    full: stack,
                    state: None,
                    flags: FlagsId::NONE,
                    labels: LabelsId::NONE,
                    creator: None,
                    elided: None,
                });
                builder.count(sample, 1);
                stack
            })
            .collect();
        let mut lists = RuleLists::default();
        lists.distinct = true;
        let one = Rule::new(List::CategoryMatch, Spec::Text("^.".into()), "test").unwrap();
        lists.list_mut(List::CategoryMatch).push(one);
        let names = RuleSet::compile(&lists).unwrap().apply(&builder.finish());
        ids.iter().map(|id| String::from_utf8(names.name(*id).to_vec()).unwrap()).collect()
    }

    #[test]
    fn equal_names_get_a_further_frame() {
        let stacks: [&[(&str, i64)]; 3] = [
            &[("a.lock", 1), ("a.get", 2), ("a.main", 3)],
            &[("a.lock", 1), ("a.put", 2), ("a.main", 3)],
            &[("a.other", 1), ("a.main", 3)],
        ];
        assert_eq!(names(&stacks), ["a.get → a.lock", "a.put → a.lock", "a.other"]);
    }

    #[test]
    fn or_a_line_or_the_depth() {
        let stacks: [&[(&str, i64)]; 2] =
            [&[("a.lock", 1), ("a.main", 3)], &[("a.lock", 7), ("a.main", 3)]];
        assert_eq!(names(&stacks), ["a.lock (f.go:1)", "a.lock (f.go:7)"]);
        let walk = ("a.walk", 1);
        let stacks: [&[(&str, i64)]; 2] = [&[walk, walk], &[walk, walk, walk]];
        assert_eq!(names(&stacks), ["a.walk (2 frames)", "a.walk (f.go:1, 2 frames out)"]);
    }
}
