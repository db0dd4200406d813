//! Calls: the selected stacks from the root to the leaf, by function.
//!
//! Flame graphs, call graphs and the like are made from these. All frames of the input count, with
//! trimmed names.

pub mod callers;
pub mod costs;
pub mod flame;
pub mod graph;
pub mod tree;
pub mod trimmed;

use crate::profile::{FrameId, InputId, Profile, SampleId, StackId};
use crate::rules::Names;
use crate::view::frames::function;
use crate::view::values::sums::Sums;
use std::collections::BTreeMap;
use std::ops::Range;

/// The only frame of a stack that has none.
pub const NO_FRAMES: &[u8] = b"<no frames>";

/// A function of [`Calls`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function<'a> {
    /// Its name after trimming.
    pub name: &'a [u8],
    /// Its file after trimming; if it has several, that of the frame that was read first.
    pub file: &'a [u8],
    /// Its file as the input prints it, so that tools find it.
    pub source: &'a [u8],
    /// Its package as the input prints it; empty for functions that aren't Go's.
    pub package: &'a [u8],
}

impl<'a> Function<'a> {
    fn new(
        profile: &'a Profile,
        names: &'a Names,
        name: &'a [u8],
        frame: Option<FrameId>,
    ) -> Function<'a> {
        let written = frame.map(|frame| profile.frame(frame));
        Function {
            name,
            file: frame.map_or(b"", |frame| names.file(frame)),
            source: written.map_or(b"", |frame| profile.str(frame.file)),
            package: written.map_or(b"", |frame| function::package(profile.str(frame.func))),
        }
    }
}

/// A stack as graphs and trees count it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stack<'a> {
    /// What its samples add up to.
    pub sums: Sums,
    /// The numbers of its functions, root first.
    pub path: &'a [u32],
    /// The line of each; empty if lines don't matter.
    pub lines: &'a [i64],
    /// Whether each was inlined into the one before it; empty if that doesn't matter.
    pub inlined: &'a [bool],
}

/// The selected stacks by function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Calls<'a> {
    /// By name; numbers are positions here.
    pub functions: Vec<Function<'a>>,
    stacks: Vec<(Sums, Range<usize>, StackId)>,
    paths: Vec<u32>,
    /// Parallel to `paths`; empty if lines don't matter.
    lines: Vec<i64>,
}

impl<'a> Calls<'a> {
    /// The samples, with the values of `value`; those of inputs for which `is_base` holds are the base.
    pub fn of(
        profile: &'a Profile,
        names: &'a Names,
        is_base: impl Fn(InputId) -> bool,
        value: impl Fn(SampleId) -> i64,
    ) -> Calls<'a> {
        let used = sums(profile, is_base, value);
        let (functions, used_frames) = functions(profile, names, &used);
        let number = |name: &[u8]| {
            functions.binary_search_by(|function| function.name.cmp(name)).unwrap_or(0) as u32
        };
        let of_frame: Vec<u32> = profile
            .frame_ids()
            .map(|frame| if used_frames[frame.index()] { number(names.func(frame)) } else { 0 })
            .collect();
        let frames = used.iter().map(|(stack, _)| profile.stack(*stack).len().max(1)).sum();
        let (mut paths, mut stacks) = (Vec::with_capacity(frames), Vec::new());
        for (stack, sums) in used {
            let start = paths.len();
            let frames = profile.stack(stack).iter().rev();
            paths.extend(frames.map(|frame| of_frame[frame.index()]));
            if paths.len() == start {
                paths.push(number(NO_FRAMES));
            }
            stacks.push((sums, start..paths.len(), stack));
        }
        stacks.sort_by(|(_, a, _), (_, b, _)| paths[a.clone()].cmp(&paths[b.clone()]));
        Calls { functions, stacks, paths, lines: Vec::new() }
    }

    /// The functions of [`Calls::of`] without a base, in a fraction of the time.
    pub fn functions_of(
        profile: &'a Profile,
        names: &'a Names,
        value: impl Fn(SampleId) -> i64,
    ) -> Vec<Function<'a>> {
        functions(profile, names, &sums(profile, |_| false, value)).0
    }

    /// The same with the lines of all functions, which have 8 bytes each: twice as many as the paths.
    #[must_use]
    pub fn with_lines(mut self, profile: &Profile) -> Calls<'a> {
        self.lines = vec![0; self.paths.len()];
        for (_, range, stack) in &self.stacks {
            let frames = profile.stack(*stack).iter().rev();
            for (line, &frame) in self.lines[range.clone()].iter_mut().zip(frames) {
                *line = profile.frame(frame).line;
            }
        }
        self
    }

    /// The stacks in the order of their paths; those that differ only in places are next to each other.
    pub fn stacks(&self) -> impl Iterator<Item = Stack<'_>> {
        self.stacks.iter().map(|(sums, range, _)| Stack {
            sums: *sums,
            path: &self.paths[range.clone()],
            lines: self.lines.get(range.clone()).unwrap_or_default(),
            inlined: &[],
        })
    }

    /// A function of a path.
    pub fn function(&self, at: u32) -> &Function<'a> {
        &self.functions[at as usize]
    }

    /// The sum of all values.
    pub fn total(&self) -> i128 {
        self.stacks.iter().map(|(sums, ..)| sums.value).sum()
    }
}

/// The functions of these stacks by name, and by frame whether one of the stacks has it.
fn functions<'a>(
    profile: &'a Profile,
    names: &'a Names,
    used: &[(StackId, Sums)],
) -> (Vec<Function<'a>>, Vec<bool>) {
    let mut used_frames = vec![false; profile.frames().len()];
    for (stack, _) in used {
        profile.stack(*stack).iter().for_each(|frame| used_frames[frame.index()] = true);
    }
    let mut known: BTreeMap<&'a [u8], Option<FrameId>> = BTreeMap::new();
    for frame in profile.frame_ids().filter(|frame| used_frames[frame.index()]) {
        known.entry(names.func(frame)).or_insert(Some(frame));
    }
    if used.iter().any(|(stack, _)| profile.stack(*stack).is_empty()) {
        known.entry(NO_FRAMES).or_insert(None);
    }
    let function = |(name, frame)| Function::new(profile, names, name, frame);
    (known.into_iter().map(function).collect(), used_frames)
}

/// The sums of each stack; stacks without any are left out.
fn sums(
    profile: &Profile,
    is_base: impl Fn(InputId) -> bool,
    value: impl Fn(SampleId) -> i64,
) -> Vec<(StackId, Sums)> {
    let mut sums = vec![Sums::default(); profile.stack_count()];
    for (id, sample) in profile.samples() {
        let of = &mut sums[sample.key.full.index()];
        let sum = if is_base(sample.key.input) { &mut of.base } else { &mut of.value };
        *sum += i128::from(value(id));
    }
    profile.stacks().zip(sums).filter(|(_, sums)| *sums != Sums::default()).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    /// Stacks as `root;...;leaf` with their values, in a new profile and in its base.
    pub(crate) fn fixture(new: &[(&str, i64)], base: &[(&str, i64)]) -> (Profile, Names) {
        let mut fixture = Fixture::new("new");
        for (input, stacks) in [("", new), ("base", base)] {
            if !input.is_empty() {
                fixture.input(input);
            }
            for (at, (stack, count)) in stacks.iter().enumerate() {
                // No two have the same lines.
                let place = |function| format!("{function} {function}.go:{at}");
                let frames: Vec<String> =
                    stack.split(';').filter(|f| !f.is_empty()).rev().map(place).collect();
                let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
                fixture.count(*count, G { frames: &frames, ..G::default() });
            }
        }
        fixture.done()
    }

    /// All calls of a fixture.
    pub(crate) fn calls<'a>((profile, names): &'a (Profile, Names)) -> Calls<'a> {
        let is_base = |input: InputId| input.index() == 1;
        Calls::of(profile, names, is_base, |sample| profile.sample(sample).count)
    }

    #[test]
    fn stacks_that_differ_only_in_places_are_next_to_each_other() {
        let fixture = fixture(
            &[("a;b", 3), ("a;b", 4), ("a", 1), ("", 2), ("a;unused", 0)],
            &[("a;b", 5), ("gone", 6)],
        );
        let calls = calls(&fixture);
        let names: Vec<&[u8]> = calls.functions.iter().map(|function| function.name).collect();
        assert_eq!(names, [NO_FRAMES, b"a", b"b", b"gone"]);
        let rows: Vec<(&[u32], i128, i128)> =
            calls.stacks().map(|one| (one.path, one.sums.value, one.sums.base)).collect();
        let ab = &[1, 2][..];
        let expected = [(&[0][..], 2, 0), (&[1], 1, 0), (ab, 3, 5), (ab, 4, 0), (&[3], 0, 6)];
        assert_eq!(rows, expected);
        assert_eq!(calls.total(), 10);
    }

    #[test]
    fn a_function_has_the_file_of_its_first_frame_and_its_package() {
        let fixture = fixture(&[("net/http.(*conn).serve", 1)], &[]);
        let calls = calls(&fixture);
        let function = calls.function(0);
        assert_eq!(function.file, b"net/http.(*conn).serve.go");
        assert_eq!(function.package, b"net/http");
    }
}
