//! Telling equal names apart: a setting of the default rules, `name.distinct`.
//!
//! Stacks of one category that got the same name get a further frame in front (`Store.Send →
//! Replica.lock → mutex`), or the place of a frame behind (`Replica.lock → mutex (replica.go:12)`).
//!
//! In a dump of mostly distinct stacks most names are shared. So what would be added to a name is
//! compared as an interned text, and a name is only put together once it is known to be unique.

use super::front::Front;
use super::namer::Namer;
use crate::profile::{FrameId, Profile, StackId, StrId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use std::io::Write;

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
    /// The frame from which on a further one is looked for.
    next: usize,
    /// What is tried now: a part to stand in front of the name, or a text to stand behind it.
    candidate: Option<StrId>,
}

/// Changes names so that stacks of one category differ in theirs, as far as anything that is shown
/// of them differs. `told` is the outermost frame that the name of each stack tells of.
pub(super) fn tell_apart(namer: &mut Namer<'_>, profile: &Profile, told: &[u32]) {
    let mut is_shown = vec![false; profile.stack_count()];
    for sample in &profile.samples {
        is_shown[sample.key.stack.index()] = true;
    }
    // Where each name with its category came first, and the group of those that came again.
    let mut used: HashMap<(StrId, StrId), (StackId, usize), FixedState> =
        HashMap::with_capacity_and_hasher(profile.stack_count(), FixedState::default());
    let mut groups: Vec<Vec<StackId>> = Vec::new();
    for stack in (0..is_shown.len()).filter(|&at| is_shown[at]).map(|at| StackId(at as u32)) {
        match used.entry(namer.names.stacks[stack.index()]) {
            Entry::Vacant(entry) => drop(entry.insert((stack, usize::MAX))),
            Entry::Occupied(mut entry) => {
                let (first, group) = entry.get_mut();
                if *group == usize::MAX {
                    *group = groups.len();
                    groups.push(vec![*first]);
                }
                groups[*group].push(stack);
            }
        }
    }
    // In the order of the stacks: which name is free may depend on which came before.
    groups.sort_unstable_by_key(|group| group[0]);
    let mut scratch = Scratch::default();
    for group in groups {
        let twin = |&stack: &StackId| {
            let taken = told[stack.index()] as usize;
            Twin { stack, taken, next: taken + 1, candidate: None }
        };
        let mut twins: Vec<Twin> = group.iter().map(twin).collect();
        let (name, category) = namer.names.stacks[group[0].index()];
        for round in 0..FURTHER + PLACES + PARTINGS {
            if twins.len() < 2 {
                break;
            }
            let is_in_front = round < FURTHER;
            match round {
                frame if frame < FURTHER => {
                    for twin in &mut twins {
                        twin.candidate = further_frame(namer, profile, twin, name);
                    }
                }
                place if place < FURTHER + PLACES => {
                    // Where one line holds several closures, its name tells more than the line.
                    let by_func = place - FURTHER == 1;
                    own_frames(namer, profile, &mut twins, &mut scratch, by_func);
                }
                _ => partings(namer, profile, &mut twins, &mut scratch),
            }
            scratch.count(&twins);
            twins.retain(|twin| {
                let Some(candidate) = twin.candidate else { return true };
                if !scratch.is_unique(candidate) {
                    return true;
                }
                let text = scratch.extend(namer, name, candidate, is_in_front);
                match used.entry((text, category)) {
                    Entry::Occupied(_) => true,
                    Entry::Vacant(entry) => {
                        entry.insert((twin.stack, usize::MAX));
                        namer.names.stacks[twin.stack.index()].0 = text;
                        false
                    }
                }
            });
        }
    }
}

/// What is used again for each group of stacks and each round.
#[derive(Default)]
struct Scratch {
    /// How often each text is a candidate in the round of that number.
    counts: Vec<(u32, u32)>,
    round: u32,
    /// The last stack that had a frame, by the number that it got here, and whether others had it.
    owners: Vec<(u32, bool)>,
    stacks: u32,
    /// The place or the function of each frame as text.
    places: [HashMap<FrameId, StrId, FixedState>; 2],
    front: Front,
    text: Vec<u8>,
}

impl Scratch {
    fn count(&mut self, twins: &[Twin]) {
        self.round += 1;
        for candidate in twins.iter().filter_map(|twin| twin.candidate) {
            if self.counts.len() <= candidate.index() {
                self.counts.resize(candidate.index() + 1, (0, 0));
            }
            let (round, count) = &mut self.counts[candidate.index()];
            *count = if *round == self.round { *count + 1 } else { 1 };
            *round = self.round;
        }
    }

    fn is_unique(&self, candidate: StrId) -> bool {
        self.counts[candidate.index()] == (self.round, 1)
    }

    /// A name with a candidate in front of it, or in brackets behind it.
    fn extend(
        &mut self,
        namer: &mut Namer<'_>,
        name: StrId,
        candidate: StrId,
        is_in_front: bool,
    ) -> StrId {
        let texts = &mut namer.names.texts;
        let (name, candidate) = (texts.get(name), texts.get(candidate));
        if is_in_front {
            self.front.clear();
            self.front.put(name);
            self.front.put(candidate);
            return texts.intern(self.front.text());
        }
        self.text.clear();
        for part in [name, b" (", candidate, b")"] {
            self.text.extend_from_slice(part);
        }
        texts.intern(&self.text)
    }

    /// The place of a frame, `file.go:12`, or its function without the path.
    fn place(
        &mut self,
        namer: &mut Namer<'_>,
        profile: &Profile,
        frame: FrameId,
        by_func: bool,
    ) -> StrId {
        let places = &mut self.places[usize::from(by_func)];
        *places.entry(frame).or_insert_with(|| {
            let frame = profile.frame(frame);
            let texts = &mut namer.names.texts;
            if by_func {
                return texts.intern(base(profile.str(frame.func)));
            }
            self.text.clear();
            self.text.extend_from_slice(base(profile.str(frame.file)));
            // Memory takes all that is written to it.
            let _ = write!(self.text, ":{}", frame.line);
            texts.intern(&self.text)
        })
    }
}

/// The next frame further out that tells anything and isn't what the name starts with.
fn further_frame(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twin: &mut Twin,
    name: StrId,
) -> Option<StrId> {
    let frames = profile.stack(twin.stack);
    while let Some(frame) = frames.get(twin.next) {
        twin.next += 1;
        let func = namer.names.frames[frame.index()].0;
        let Some(part) = namer.further(func) else { continue };
        if !namer.names.texts.get(name).starts_with(namer.names.texts.get(part)) {
            return Some(part);
        }
    }
    None
}

/// For each stack a frame that no other of them has, as place or function: the nearest to what the
/// name tells of, outwards first.
fn own_frames(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twins: &mut [Twin],
    scratch: &mut Scratch,
    by_func: bool,
) {
    scratch.owners.resize(profile.frames().len(), (0, false));
    let first = scratch.stacks + 1;
    for (twin, number) in twins.iter().zip(first..) {
        for frame in profile.stack(twin.stack) {
            let (owner, is_shared) = &mut scratch.owners[frame.index()];
            // Numbers below the first are of earlier rounds.
            *is_shared = *owner >= first && (*is_shared || *owner != number);
            *owner = number;
        }
        scratch.stacks = number;
    }
    for twin in twins {
        let frames = profile.stack(twin.stack);
        let (inner, outer) = frames.split_at(twin.taken.min(frames.len()));
        let mut nearest = outer.iter().chain(inner.iter().rev());
        let own = nearest.find(|frame| !scratch.owners[frame.index()].1);
        twin.candidate = own.map(|&own| scratch.place(namer, profile, own, by_func));
    }
}

/// For each stack the frame where it parts from all others, or the number of its frames where it
/// ends before that: for stacks that consist of the same frames.
fn partings(namer: &mut Namer<'_>, profile: &Profile, twins: &mut [Twin], scratch: &mut Scratch) {
    let outer = |twin: &Twin| profile.stack(twin.stack).get(twin.taken..).unwrap_or_default();
    let mut sorted: Vec<(&[FrameId], usize)> =
        twins.iter().map(outer).zip(0..twins.len()).collect();
    sorted.sort_by(|a, b| a.0.cmp(b.0));
    let mut shared = vec![0; twins.len()];
    for pair in sorted.windows(2) {
        let same = pair[0].0.iter().zip(pair[1].0).take_while(|(a, b)| a == b).count();
        for (_, at) in pair {
            shared[*at] = shared[*at].max(same);
        }
    }
    for (twin, far) in twins.iter_mut().zip(shared) {
        let outer = outer(twin);
        let frame = outer.get(far).map(|&frame| scratch.place(namer, profile, frame, false));
        twin.candidate = Some(match frame {
            Some(place) if far == 0 => place,
            Some(place) => {
                let mut text = namer.names.texts.get(place).to_vec();
                text.extend_from_slice(format!(", {far} frames out").as_bytes());
                namer.names.texts.intern(&text)
            }
            None => namer.names.texts.intern(format!("{} frames", outer.len()).as_bytes()),
        });
    }
}

/// What stands behind the last slash.
fn base(path: &[u8]) -> &[u8] {
    memchr::memrchr2(b'/', b'\\', path).map_or(path, |slash| &path[slash + 1..])
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
                let sample = builder.sample(&SampleSpec::new(input, stack));
                builder.count(sample, 1);
                stack
            })
            .collect();
        let mut lists = RuleLists::default();
        lists.distinct = true;
        let one = Rule::new(List::CategoryMatch, Spec::Text("^.".into()), "test").unwrap();
        lists.list_mut(List::CategoryMatch).push(one);
        let names = RuleSet::compile(lists).unwrap().apply(&builder.finish());
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
