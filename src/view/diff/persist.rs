//! Goroutines that stay where they are: same process, same id, same stack at every point.

use super::timeline::Timeline;
use crate::filter::Selection;
use crate::profile::{InputFormat, Profile, StackId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Whether every input prints ids, so that goroutines can be followed.
pub(super) fn can_follow(profile: &Profile) -> bool {
    let all = profile.inputs.iter().all(|input| input.format == InputFormat::Debug2);
    all && !profile.goroutines.is_empty()
}

/// Positions in [`Profile::goroutines`] of the selected goroutines of the last point that had the same
/// stack at every point before. Go never uses an id twice while a process runs.
pub(super) fn persisting(
    profile: &Profile,
    points: &Timeline,
    selection: &Selection,
) -> Vec<usize> {
    let mut at_point: Vec<Vec<usize>> = vec![Vec::new(); points.len()];
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        let input = profile.sample(goroutine.sample).key.input;
        if selection.has_goroutine(profile, at) {
            at_point[profile.input(input).point].push(at);
        }
    }
    let key = |at: usize| -> ((usize, u64), StackId) {
        let goroutine = &profile.goroutines[at];
        let key = &profile.sample(goroutine.sample).key;
        ((points.process(key.input), goroutine.id), key.stack)
    };
    let Some((first, later)) = at_point.split_first() else { return Vec::new() };
    // The stack, and the last point where it was the same.
    let mut seen: HashMap<(usize, u64), (StackId, usize), FixedState> = HashMap::default();
    for (who, stack) in first.iter().map(|&at| key(at)) {
        seen.entry(who).or_insert((stack, 0));
    }
    let mut persisting = Vec::new();
    for (before, point) in later.iter().enumerate() {
        for &at in point {
            let (who, stack) = key(at);
            let Some((place, last)) = seen.get_mut(&who) else { continue };
            // An id that a crash text repeats counts once.
            if *place != stack || *last != before {
                continue;
            }
            *last = before + 1;
            if before + 1 == later.len() {
                persisting.push(at);
            }
        }
    }
    persisting
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::diff::timeline::Layout;
    use crate::view::fixture::{Fixture, G, all, only};

    const WORK: &[&str] = &["main.work main.go:1"];
    const REST: &[&str] = &["main.rest main.go:9"];

    /// The id and the frames of a goroutine.
    type Goroutine = (u64, &'static [&'static str]);

    /// Inputs as (point, member, goroutines).
    fn fixture(inputs: &[(usize, &str, &[Goroutine])]) -> Profile {
        let mut fixture = Fixture::new("first");
        for (at, (point, member, goroutines)) in inputs.iter().enumerate() {
            let input = if at == 0 { fixture.first() } else { fixture.input(&format!("n{at}")) };
            input.point = *point;
            input.member = (*member).to_owned();
            for &(id, frames) in *goroutines {
                fixture.add(G { id, frames, ..G::default() });
            }
        }
        fixture.done().0
    }

    fn ids(mut profile: Profile, points: usize, selected: &[u64]) -> Vec<u64> {
        let names: Vec<String> = (0..points).map(|at| at.to_string()).collect();
        let points = Timeline::arrange(&mut profile, Layout::Arguments, &names);
        assert!(can_follow(&profile));
        let selection = if selected.is_empty() { all(&profile) } else { only(&profile, selected) };
        let found = persisting(&profile, &points, &selection);
        found.into_iter().map(|at| profile.goroutines[at].id).collect()
    }

    #[test]
    fn id_and_stack_have_to_be_the_same() {
        let old: &[_] = &[(1, WORK), (2, WORK), (3, REST)];
        let new: &[_] = &[(1, WORK), (2, REST), (4, REST)];
        assert_eq!(ids(fixture(&[(0, "", old), (1, "", new)]), 2, &[]), [1]);
    }

    #[test]
    fn ids_of_other_processes_mean_nothing() {
        let profile = fixture(&[
            (0, "a", &[(1, WORK)]),
            (0, "b", &[(2, WORK)]),
            (1, "a", &[(2, WORK)]),
            (1, "b", &[(2, WORK)]),
        ]);
        assert_eq!(ids(profile, 2, &[]), [2]);
    }

    #[test]
    fn whoever_is_away_at_one_point_did_not_stay() {
        let profile = fixture(&[
            (0, "", &[(1, WORK), (2, WORK)]),
            (1, "", &[(1, WORK)]),
            (2, "", &[(1, WORK), (2, WORK)]),
        ]);
        assert_eq!(ids(profile, 3, &[]), [1]);
    }

    #[test]
    fn only_what_is_selected_counts_and_a_repeated_id_counts_once() {
        let old: &[_] = &[(1, WORK), (2, WORK)];
        let new: &[_] = &[(1, WORK), (2, WORK), (2, WORK)];
        assert_eq!(ids(fixture(&[(0, "", old), (1, "", new)]), 2, &[2]), [2]);
    }
}
