use super::*;
use crate::profile::{Crash, CrashKind, WarningKind};
use crate::view::diff::timeline::Layout;
use crate::view::fixture::{Fixture, G, all, only};

fn verdict(fixture: Fixture) -> Verdict {
    let (profile, names) = fixture.done();
    verdict_of(profile, &names)
}

fn verdict_of(mut profile: Profile, names: &Names) -> Verdict {
    let points = Timeline::arrange(&mut profile, Layout::Fleet, &[]);
    Verdict::new(&profile, names, &all(&profile), Some(&points))
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
    let mut fixture = Fixture::new("n1");
    fixture.add(G { id: 1, state: "sync.Mutex.Lock", frames: LOCK, ..G::default() });
    fixture.input("n3");
    for id in [1, 2, 3] {
        fixture.add(G { id, state: "sync.Mutex.Lock", frames: LOCK, ..G::default() });
    }
    fixture.add(G { id: 9, state: "sync.RWMutex.RLock", ..G::default() });
    let activity = verdict(fixture).activity;
    assert_eq!((activity.mutexes, activity.rw_mutexes), (4, 1));
    let pile = activity.lock_crowd.unwrap();
    assert_eq!((pile.function.as_str(), pile.count), ("kv.(*Replica).lock", 3));
    assert_eq!(pile.input.as_deref(), Some("n3"));
}

#[test]
fn the_longest_wait_is_the_first_of_equals() {
    let mut fixture = Fixture::new("n1");
    fixture.add(G { id: 8, minutes: 9.0, ..G::default() });
    fixture.add(G { id: 5, minutes: 9.0, ..G::default() });
    fixture.input("n2");
    fixture.add(G { id: 1, minutes: 9.0, ..G::default() });
    fixture.add(G { id: 2, minutes: 4.0, ..G::default() });
    let activity = verdict(fixture).activity;
    let longest = activity.longest.unwrap();
    assert_eq!((longest.input.as_str(), longest.goroutine), ("n1", 5));
    assert_eq!((activity.long_waits, activity.known_waits), (3, 4));
}

#[test]
fn only_what_is_selected_waits() {
    let mut fixture = Fixture::new("n1");
    for (id, minutes) in [(1, 3.0), (2, 8.0), (3, 20.0)] {
        fixture.add(G { id, minutes, ..G::default() });
    }
    let (profile, names) = fixture.done();
    let verdict = Verdict::new(&profile, &names, &only(&profile, &[1, 2]), None);
    assert_eq!(verdict.activity.longest.unwrap().goroutine, 2);
}

#[test]
fn those_that_are_stuck_in_one_line_are_told_with_it_and_others_without() {
    let line_of = |other: &str| {
        let mut fixture = Fixture::new("n1");
        for id in 1..=200 {
            let own = if id > 120 { other } else { "kv.work kv.go:7" };
            let frames = &[&LOCK[..3], &[own]].concat();
            fixture.add(G { id, state: "sync.Mutex.Lock", minutes: 30.0, frames, ..G::default() });
        }
        let stuck = verdict(fixture).stuck;
        (stuck[0].line, stuck[0].count)
    };
    assert_eq!(line_of("kv.work kv.go:7"), (Some(7), 200));
    assert_eq!(line_of("kv.work kv.go:9"), (None, 200));
}

#[test]
fn what_is_stuck_for_ever_is_counted() {
    let mut fixture = Fixture::new("n1");
    fixture.add(G { id: 1, state: "chan receive (nil chan)", ..G::default() });
    fixture.add(G { id: 2, state: "select (no cases)", ..G::default() });
    fixture.add(G { id: 3, state: "chan send", flags: &["leaked"], ..G::default() });
    let activity = verdict(fixture).activity;
    assert_eq!((activity.nil_channels, activity.empty_selects, activity.leaked), (1, 1, 1));
    assert_eq!(activity.leak_crowd.unwrap().function, "main.work");
}

#[test]
fn a_crash_names_the_own_function_of_its_goroutine_and_whether_it_is_alone() {
    let mut fixture = Fixture::new("n1");
    let frames: &[&str] = &["panic", "runtime.panicmem", "kv.Get", "main.main"];
    fixture.add(G { id: 7, state: "running", frames, ..G::default() });
    let crash = Crash {
        kind: CrashKind::Panic,
        text: "boom".to_owned(),
        goroutine: Some(7),
        sample: None,
        running_tests: Vec::new(),
    };
    let mut with_another = fixture.clone();
    with_another.add(G { id: 8, ..G::default() });
    for (fixture, alone) in [(fixture, true), (with_another, false)] {
        let (mut profile, names) = fixture.done();
        let sample = profile.samples().next().map(|(id, _)| id);
        profile.inputs[0].crash = Some(Crash { sample, ..crash.clone() });
        let verdict = verdict_of(profile, &names);
        let fact = &verdict.crashes[0];
        let own = fact.own().map(|frame| frame.func.as_str());
        assert_eq!((own, fact.alone), (Some("kv.Get"), alone));
        assert_eq!((fact.raising, fact.frames.len()), (2, 4));
    }
}

#[test]
fn a_crowd_needs_a_third_and_more_than_a_handful() {
    let fixture = |count: u64| {
        let mut fixture = Fixture::new("n1");
        for id in 0..count {
            fixture.add(G { id, frames: &["net.Read", "kv.serve"], ..G::default() });
        }
        fixture.add(G { id: 999, ..G::default() });
        fixture
    };
    let crowd = verdict(fixture(10)).activity.crowd.unwrap();
    assert_eq!((crowd.function.as_str(), crowd.count), ("kv.serve", 10));
    assert_eq!(verdict(fixture(9)).activity.crowd, None);
}

#[test]
fn losses_make_it_incomplete_and_notes_do_not() {
    let mut fixture = Fixture::new("n1");
    fixture.input("n2").warn(WarningKind::RepeatedId, None, "goroutine 7 stands twice");
    assert!(verdict(fixture).complete());
    let mut fixture = Fixture::new("n1");
    fixture.input("n2").warn(WarningKind::Partial, Some(3), "goroutine 7 was cut");
    let verdict = verdict(fixture);
    assert!(!verdict.complete());
    assert_eq!(verdict.losses[0].input, "n2");
}
