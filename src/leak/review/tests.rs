use super::*;
use crate::leak::Limit;
use crate::leak::fixture::{Stage, allow};
use crate::profile::WarningKind;
use crate::view::fixture::G;

#[test]
fn the_worst_comes_first_and_what_is_covered_last() {
    let mut stage = Stage::new(1);
    stage.options.at_end = true;
    stage.at(0).count(30, G { frames: &["kv.many"], ..G::default() });
    stage.at(0).count(2, G { frames: &["kv.few"], ..G::default() });
    stage.at(0).count(1, G { frames: &["kv.proof"], flags: &["leaked"], ..G::default() });
    stage.at(0).count(99, G { frames: &["kv.fine"], ..G::default() });
    let text = "[[allow]]\nfunction = 'kv.fine'\n";
    stage.options.allow = vec![allow(text)];
    let review = stage.review();
    let order: Vec<(&str, &str)> = review
        .findings
        .iter()
        .map(|one| (one.check, one.function.as_ref().map_or("", |place| &place.func)))
        .collect();
    assert_eq!(order[0], ("leftover", "kv.many"));
    assert_eq!(order[1], ("leaked", "kv.proof"));
    assert_eq!(order.last(), Some(&("leftover", "kv.fine")));
    assert!(!review.passes());
    assert_eq!(review.totals, [132]);
    let counted = review.checks.iter().filter(|one| one.findings > 0);
    let counted: Vec<_> = counted.map(|one| (one.check, one.findings)).collect();
    assert_eq!(counted, [("leaked", 1), ("leftover", 3)], "what is covered isn't counted");
}

#[test]
fn of_equal_findings_those_of_the_stronger_check_come_first() {
    let mut stage = Stage::new(1);
    stage.at(0).add(G { id: 5, state: "select (no cases)", frames: &["kv.a"], ..G::default() });
    stage.at(0).add(G { id: 6, state: "chan send (nil chan)", frames: &["kv.b"], ..G::default() });
    let findings = stage.review().findings;
    let rows: Vec<_> = findings.iter().map(|one| (one.check, one.score)).collect();
    assert_eq!(rows, [("nil-channel", 16.0), ("empty-select", 16.0)]);
}

#[test]
fn the_shape_of_a_known_mistake_adds_a_quarter_to_the_score() {
    let mut stage = Stage::new(1);
    stage.options.at_end = true;
    stage.at(0).count(15, G { state: "IO wait", frames: &["kv.read"], ..G::default() });
    stage.at(0).count(15, G { state: "chan send", frames: &["kv.send"], ..G::default() });
    let findings = stage.review().findings;
    let rows: Vec<_> = findings
        .iter()
        .map(|one| (one.check, one.function.as_ref().unwrap().func.as_str(), one.score))
        .collect();
    let expected = [
        ("leftover", "kv.send", 40.0),
        ("leftover", "kv.read", 32.0),
        ("stranded-sender", "kv.send", 4.0),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_check_that_the_inputs_do_not_allow_says_what_they_lack() {
    let profile = |stage: &mut Stage| stage.at(0).current().format = InputFormat::LeakDebug1;
    let counts = |stage: &mut Stage| {
        for point in 0..3 {
            stage.at(point).count(3, G::default());
        }
    };
    let unaged = |stage: &mut Stage| {
        stage.at(0).add(G { minutes: -1.0, ..G::default() });
    };
    let ids = |stage: &mut Stage| {
        for point in 0..3 {
            stage.at(point).add(G { by: Some(7), creator: "kv.serve", ..G::default() });
        }
    };
    let no_dump = "there is no dump, only goroutineleak profiles";
    for (fill, check, lacks) in [
        (&profile as &dyn Fn(&mut Stage), "concentration", Some(no_dump)),
        (&profile, "age", Some(no_dump)),
        (&profile, "leaked", None),
        (&unaged, "age", Some("the inputs print no waits")),
        (&ids, "age", None),
        (&ids, "growth", None),
        (&unaged, "growth", Some("a trend needs three points or more")),
        (&unaged, "persistence", Some("a trend needs three points or more")),
        (&counts, "persistence", Some("the inputs print no ids of goroutines")),
        (&ids, "persistence", None),
        (&unaged, "unclosed-range", Some("the inputs don't tell which goroutine created which")),
        (&ids, "unclosed-range", None),
        (&ids, "leak-label", Some("no --leak-label names one that should be gone")),
    ] {
        let mut stage = Stage::new(1);
        fill(&mut stage);
        let checks = stage.review().checks;
        let done = checks.iter().find(|one| one.check == check).unwrap();
        assert_eq!(done.skipped, lacks, "{check}");
    }
}

#[test]
fn sentences_agree_with_the_number_of_goroutines() {
    let answer = "net/http.(*persistConn).roundTrip";
    let wait = "sync.(*WaitGroup).Wait";
    for (check, state, frames, one, two) in [
        ("empty-select", "select (no cases)", &["kv.run"][..], " is in select", " are in select"),
        ("leak-label", "select", &["kv.run"], " still carries the label", " still carry the label"),
        ("leaked", "chan send", &["kv.run"], "what it waits for", "what they wait for"),
        (
            "http-no-timeout",
            "select",
            &[answer, "kv.run"],
            " waits for an HTTP",
            " wait for an HTTP",
        ),
        (
            "stuck-group",
            "sync.WaitGroup.Wait",
            &[wait, "kv.run"],
            " waits for all",
            " wait for all",
        ),
    ] {
        let mut stage = Stage::new(1);
        stage.options.leak_labels = vec![("test".to_owned(), None)];
        for (id, says) in [(5, ["1 goroutine ", one]), (6, ["2 goroutines ", two])] {
            let flags: &[&str] = if check == "leaked" { &["leaked"] } else { &[] };
            let labels = &[("test", "TestX")];
            stage.at(0).add(G { id, state, frames, flags, labels, minutes: 5.0, ..G::default() });
            let text = stage.findings(check).remove(0).text;
            assert!(says.iter().all(|part| text.contains(part)), "{text}");
        }
    }
}

#[test]
fn a_baseline_that_was_just_written_covers_what_an_entry_can_name() {
    let mut stage = Stage::new(1);
    stage.options.at_end = true;
    stage.options.limits = vec![Limit::read("max-goroutines", "--max-goroutines", "1").unwrap()];
    stage.at(0).add(G { id: 5, frames: &["kv.new"], ..G::default() });
    stage.at(0).add(G { id: 6, frames: &["kv.fine"], ..G::default() });
    let text = "[[allow]]\nfunction = 'kv.fine'\n";
    stage.options.allow = vec![allow(text)];
    let mut review = stage.review();
    review.accept("b.toml");
    let rows = review.findings.iter().map(|one| {
        let function = one.function.as_ref().map_or("", |place| place.func.as_str());
        (one.check, function, one.suppressed.as_ref().map_or("", |by| by.source.as_str()))
    });
    let mut rows: Vec<_> = rows.collect();
    rows.sort_unstable();
    let expected =
        [("leftover", "kv.fine", "a.toml:1"), ("leftover", "kv.new", "b.toml"), ("limit", "", "")];
    assert_eq!(rows, expected, "a limit has neither function nor kind");
    assert!(review.has_baseline && !review.passes());
}

#[test]
fn the_totals_are_those_of_dumps_where_there_are_any() {
    let mut stage = Stage::new(1);
    stage.at(0).count(3, G::default());
    for point in [0, 1] {
        stage.process(point, "leaks").count(2, G::default());
        stage.process(point, "leaks").current().format = InputFormat::LeakDebug1;
    }
    assert_eq!(stage.review().totals, [3, 2]);
}

#[test]
fn what_the_inputs_can_not_prove_is_told() {
    let unproven = |minutes: &[f32]| -> Vec<String> {
        let mut stage = Stage::new(minutes.len());
        for (point, &minutes) in minutes.iter().enumerate() {
            stage.at(point).add(G { minutes, ..G::default() });
        }
        let notes = stage.review().unproven.into_iter();
        notes.map(|note| note.split(':').next().unwrap().to_owned()).collect()
    };
    for (minutes, notes) in [
        (&[1.0][..], &[][..]),
        (&[0.0], &["no wait is printed"]),
        (&[-1.0], &["ages aren't known"]),
        (&[1.0, 2.0], &["two points are no trend"]),
        (&[1.0, 2.0, 3.0], &[]),
    ] {
        assert_eq!(unproven(minutes), notes, "{minutes:?}");
    }
}

#[test]
fn a_gate_that_sees_nothing_says_so() {
    let mut stage = Stage::new(1);
    assert!(stage.review().blind[0].contains("holds no goroutine"), "{:?}", stage.review().blind);
    stage.at(0).add(G::default());
    stage.at(0).count(0, G { frames: &["kv.none"], ..G::default() });
    assert!(stage.review().blind.is_empty());
    stage.at(0).count(-1, G { frames: &["kv.gone"], ..G::default() });
    stage.at(0).count(2, G::default());
    assert!(stage.review().blind[0].contains("negative"), "{:?}", stage.review().blind);
    let mut stage = Stage::new(1);
    stage.at(0).add(G::default());
    stage.at(0).current().warn(WarningKind::Truncated, None, "cut");
    assert!(stage.review().blind[0].contains("was not read whole"));
}

#[test]
fn very_many_inputs_of_one_argument_with_one_reason_are_one_line() {
    let input = |argument: &str, member: &str| {
        let mut input = Input::new(member, &format!("{argument}{member}"), InputFormat::Debug2);
        input.member = member.to_owned();
        input
    };
    let files = [input("d/a.txt", ""), input("d/b.txt", "")];
    let members: Vec<Input> = (0..1001).map(|at| input("a.zip!", &format!("n/{at}"))).collect();
    let in_folder = ["1", "2/1", "2/2", "3"].map(|member| input("d/", member));
    let mut reasons = vec![(&files[0], "is cut"); 4];
    reasons.extend([(&files[1], "is cut"), (&files[1], "is cut"), (&files[0], "is odd")]);
    reasons.extend(members.iter().chain(&in_folder).map(|input| (input, "was not read whole")));
    assert_eq!(
        folded(&reasons),
        [
            "d/a.txt: is cut; 3 more like it",
            "d/b.txt: is cut",
            "d/b.txt: is cut",
            "d/a.txt: is odd",
            "a.zip!n/0: was not read whole; 1000 more like it",
            "d/1: was not read whole; 3 more like it",
        ]
    );
}

#[test]
fn a_leak_profile_that_is_required_must_be_there_at_every_point() {
    let mut stage = Stage::new(2);
    stage.options.require_leak_profile = true;
    stage.at(0).add(G::default());
    stage.at(1).add(G::default());
    stage.process(0, "leaks").current().format = InputFormat::LeakDebug0;
    assert_eq!(stage.review().blind, ["t1: has no goroutineleak profile, which is required"]);
    stage.at(1).add(G { id: 9, flags: &["leaked"], ..G::default() });
    assert!(stage.review().blind.is_empty());
}

#[test]
fn an_empty_leak_profile_is_what_a_healthy_program_gives() {
    let mut stage = Stage::new(1);
    stage.at(0).current().format = InputFormat::LeakDebug1;
    let review = stage.review();
    assert!(review.blind.is_empty() && review.passes(), "{:?}", review.blind);
}
