use super::*;
use crate::leak::fixture::Stage;
use crate::profile::InputFormat;
use crate::view::fixture::G;

fn texts(stage: &mut Stage, flag: &str, text: &str) -> Vec<String> {
    stage.options.limits = vec![Limit::read(flag, &format!("--{flag}"), text).unwrap()];
    stage.findings(CHECK.name).into_iter().map(|finding| finding.text).collect()
}

fn fleet() -> Stage {
    let mut stage = Stage::new(0);
    for (name, count) in [("n1", 3), ("n2", 5)] {
        let fixture = stage.process(0, name);
        fixture.count(count, G { labels: &[("k", "v")], ..G::default() });
        fixture.add(G { id: 1, frames: &["main.main"], ..G::default() });
        fixture.add(G { id: 0, flags: &["system"], ..G::default() });
    }
    stage
}

#[test]
fn the_process_with_the_most_is_named_and_the_system_not_counted() {
    let mut stage = fleet();
    assert!(texts(&mut stage, "max-goroutines", "6").is_empty());
    assert_eq!(texts(&mut stage, "max-goroutines", "5"), ["n2 has 6 goroutines, 5 are allowed"]);
    assert_eq!(stage.findings(CHECK.name)[0].function, None, "no function is to blame");
}

#[test]
fn limits_hold_for_a_part() {
    let mut stage = fleet();
    assert_eq!(
        texts(&mut stage, "max-goroutines", "label:k=v*:4"),
        ["n2 has 5 goroutines, 4 are allowed of label:k=v*"]
    );
    assert!(texts(&mut stage, "max-goroutines", "label:k=x:0").is_empty());
    assert_eq!(texts(&mut stage, "max-goroutines", "name=main.main:0").len(), 1);
    assert!(texts(&mut stage, "max-goroutines", "category=nothing:0").is_empty());
}

#[test]
fn growth_is_from_the_first_to_the_last_point() {
    let mut stage = Stage::new(2);
    stage.at(0).count(10, G::default());
    stage.at(1).count(15, G::default());
    assert_eq!(texts(&mut stage, "max-growth", "4"), ["n1 has 5 more goroutines, 4 are allowed"]);
    assert!(texts(&mut stage, "max-growth", "5").is_empty());
    assert_eq!(texts(&mut stage, "max-growth", "49%").len(), 1);
    assert!(texts(&mut stage, "max-growth", "50%").is_empty());
    assert_eq!(texts(&mut stage, "max-growth", "0%").len(), 1);
}

#[test]
fn ages_leave_main_and_the_catalogue_out() {
    let mut stage = Stage::new(1);
    stage.at(0).add(G { id: 1, minutes: 99.0, frames: &["main.main"], ..G::default() });
    let idle = &["net/http.(*persistConn).readLoop"];
    stage.at(0).add(G { id: 2, minutes: 99.0, frames: idle, ..G::default() });
    stage.at(0).add(G { id: 3, minutes: 61.0, ..G::default() });
    assert_eq!(texts(&mut stage, "max-age", "1h").len(), 1);
    assert_eq!(stage.findings(CHECK.name)[0].function.as_ref().unwrap().func, "main.work");
    assert!(texts(&mut stage, "max-age", "61").is_empty());
}

#[test]
fn leaks_within_the_limit_are_warnings() {
    let mut stage = Stage::new(1);
    stage.at(0).count(3, G { flags: &["leaked"], ..G::default() });
    assert!(texts(&mut stage, "max-leaked", "3").is_empty());
    assert_eq!(stage.findings("leaked")[0].level, Level::Warning);
    assert_eq!(texts(&mut stage, "max-leaked", "2").len(), 1);
    assert_eq!(stage.findings("leaked")[0].level, Level::Error);
}

#[test]
fn leaks_of_a_part_are_counted_by_process() {
    let mut stage = Stage::new(0);
    for (name, count) in [("n1", 3), ("n2", 2)] {
        let leaked = G { flags: &["leaked"], labels: &[("k", "v")], ..G::default() };
        stage.process(0, name).count(count, leaked);
        stage.process(0, name).count(9, G { labels: &[("k", "v")], ..G::default() });
    }
    assert_eq!(
        texts(&mut stage, "max-leaked", "label:k:2"),
        ["n1 has 3 leaked goroutines, 2 are allowed of label:k"]
    );
    assert!(texts(&mut stage, "max-leaked", "label:k:3").is_empty());
    assert!(texts(&mut stage, "max-leaked", "label:other:0").is_empty());
}

#[test]
fn the_process_that_grew_most_is_named_if_it_was_there_from_the_first_to_the_last_point() {
    let mut stage = Stage::new(0);
    for (point, name, count) in [
        (0, "n1", 10),
        (0, "n2", 10),
        (0, "n3", 10),
        (0, "gone", 10),
        (1, "n1", 12),
        (1, "n2", 30),
        (1, "n3", 20),
        (1, "new", 99),
    ] {
        stage.process(point, name).count(count, G::default());
    }
    assert_eq!(texts(&mut stage, "max-growth", "1"), ["n2 has 20 more goroutines, 1 are allowed"]);
    stage.process(1, "n1").count(18, G::default());
    let first = ["n1 has 20 more goroutines, 1 are allowed"];
    assert_eq!(texts(&mut stage, "max-growth", "1"), first, "of those that grew alike the first");
}

#[test]
fn leaks_of_a_profile_beside_marked_dumps_are_not_those_of_one_more_process() {
    let mut stage = Stage::new(0);
    for (name, count) in [("n1", 3), ("n2", 4), ("leaks", 5)] {
        stage.process(0, name).count(count, G { flags: &["leaked"], ..G::default() });
    }
    stage.process(0, "leaks").current().format = InputFormat::LeakDebug1;
    assert_eq!(texts(&mut stage, "max-leaked", "3"), ["n2 has 4 leaked goroutines, 3 are allowed"]);
    assert!(texts(&mut stage, "max-leaked", "4").is_empty());
}

#[test]
fn a_limit_of_goroutines_needs_a_dump() {
    let mut stage = Stage::new(1);
    stage.at(0).count(3, G::default());
    stage.options.limits = vec![Limit::read("max-goroutines", "--max-goroutines", "1").unwrap()];
    assert!(stage.review().blind.is_empty());
    stage.at(0).current().format = InputFormat::LeakDebug1;
    let blind = stage.review().blind;
    assert!(blind[0].starts_with("--max-goroutines 1 needs a dump"), "{blind:?}");
}

#[test]
fn a_limit_of_leaks_needs_a_go_that_can_prove_them() {
    let blind = |version: &str| {
        let mut stage = Stage::new(1);
        let read = format!("internal/poll.(*FD).Read /usr/go{version}.3/src/internal/poll/fd.go:1");
        stage.at(0).add(G { frames: &[&read], ..G::default() });
        let limit = Limit::read("max-leaked", "--max-leaked", "0").unwrap();
        stage.options.limits = vec![limit];
        stage.review().blind
    };
    assert!(blind("1.25")[0].starts_with("--max-leaked 0 needs a goroutineleak profile"));
    assert!(blind("1.26").is_empty());
}

#[test]
fn what_is_no_limit_points_at_its_column() {
    for (flag, text, says) in [
        ("max-goroutines", "many", "(column 1)"),
        ("max-goroutines", "category=rpc:x", "(column 14)"),
        ("max-goroutines", "categry=rpc:5", "names no goroutines"),
        ("max-goroutines", "-1", "isn't a number"),
        ("max-growth", "x%", "write 100 or 20%"),
        ("max-growth", "-1%", "write 100 or 20%"),
        ("max-growth", "inf%", "write 100 or 20%"),
        ("max-age", "soon", "write 30m"),
    ] {
        let error = Limit::read(flag, "--it", text).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
