//! Equal names are made distinct.

use crate::profile::StackId;
use crate::rules::fixture::{distinct_rules, profile};
use proptest::prelude::*;

type Frames = Vec<(&'static str, &'static str, i64)>;

/// The distinct names of stacks.
fn names(stacks: &[Frames]) -> Vec<String> {
    let (profile, ids) = profile(stacks);
    let names = distinct_rules().apply(&profile).unwrap();
    ids.iter().map(|id| String::from_utf8(names.name(&profile, *id).to_vec()).unwrap()).collect()
}

/// Stacks of `(func, line)` in one file.
fn in_one_file(stacks: &[&[(&'static str, i64)]]) -> Vec<Frames> {
    let frames = |stack: &&[(&'static str, i64)]| {
        stack.iter().map(|&(func, line)| (func, "src/f.go", line)).collect()
    };
    stacks.iter().map(frames).collect()
}

#[test]
fn equal_names_get_a_further_frame() {
    let stacks = in_one_file(&[
        &[("a.lock", 1), ("a.get", 2), ("a.main", 3)],
        &[("a.lock", 1), ("a.put", 2), ("a.main", 3)],
        &[("a.other", 1), ("a.main", 3)],
    ]);
    assert_eq!(names(&stacks), ["a.get → a.lock", "a.put → a.lock", "a.other"]);
}

#[test]
fn or_a_line_or_the_depth() {
    let stacks = in_one_file(&[&[("a.lock", 1), ("a.main", 3)], &[("a.lock", 7), ("a.main", 3)]]);
    assert_eq!(names(&stacks), ["a.lock (f.go:1)", "a.lock (f.go:7)"]);
    let walk = ("a.walk", 1);
    let stacks = in_one_file(&[&[walk, walk], &[walk, walk, walk]]);
    assert_eq!(names(&stacks), ["a.walk (2 frames)", "a.walk (f.go:1, 2 frames out)"]);
}

/// Each stack would have a copy of the name.
#[test]
fn very_long_names_stay_equal() {
    let long = |length: usize| -> &'static str { "f".repeat(length).leak() };
    for (func, file, is_distinct) in [
        (long(400), "f.go", true),
        (long(1100), "f.go", false),
        (long(5000), "f.go", false),
        // The end of the file's name is enough.
        ("f", long(5000), true),
    ] {
        let names = names(&[vec![(func, file, 1)], vec![(func, file, 2)]]);
        assert_eq!(names[0] != names[1], is_distinct, "{} {}", func.len(), file.len());
        assert!(names[0].len() < 512 || !is_distinct, "{}", names[0]);
    }
    // Also where a further frame has one.
    let stacks = in_one_file(&[&[("a.f", 1), (long(400), 2)], &[("a.f", 1), ("a.g", 3)]]);
    assert!(names(&stacks).iter().all(|name| name.len() < 300), "{:?}", names(&stacks));
}

const FRAMES: [(&str, &str, i64); 7] = [
    ("a.f", "x/a.go", 1),
    ("a.f", "y/a.go", 1),
    ("a.f", "x/a.go", 2),
    ("a.g", "x/a.go", 1),
    ("b.f", "b.go", 1),
    ("b.f → a.f", "b.go", 1),
    ("b.f (a.go:1)", "b.go", 1),
];

fn any_stacks() -> impl Strategy<Value = Vec<Frames>> {
    let stack = prop::collection::vec(prop::sample::select(&FRAMES[..]), 0..6);
    prop::collection::vec(stack, 1..12)
}

proptest! {
    #[test]
    fn a_name_that_was_changed_is_that_of_no_other_stack(stacks in any_stacks()) {
        let (profile, ids) = profile(&stacks);
        let names = distinct_rules().apply(&profile).unwrap();
        for &one in &ids {
            for &other in ids.iter().filter(|other| **other != one) {
                if names.category(one) == names.category(other)
                    && names.name(&profile, one) == names.name(&profile, other)
                {
                    prop_assert_eq!(names.name(&profile, one), names.shared_name(one));
                }
            }
        }
    }

    #[test]
    fn a_name_is_the_same_whichever_was_asked_for_first(
        stacks in any_stacks(),
        picked in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let (profile, ids) = profile(&stacks);
        let all = distinct_rules().apply(&profile).unwrap();
        let other = distinct_rules().apply(&profile).unwrap();
        for &id in &ids {
            all.name(&profile, id);
        }
        let picked: Vec<StackId> = picked.iter().map(|at| ids[at.index(ids.len())]).collect();
        for id in picked.into_iter().chain(ids.iter().rev().copied()) {
            prop_assert_eq!(other.name(&profile, id), all.name(&profile, id));
        }
    }
}
