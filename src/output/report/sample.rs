//! A small report with one of everything, for the tests of reports.

use super::{CheckAbout, Report, Verdict, Workspace};
use crate::leak::{Fact, Finding, Level, Place, Suppression, Tier};
use crate::output::fixture::Maker;
use crate::profile::{InputFormat, Profile};
use std::collections::BTreeMap;

/// Owns what a [`Report`] borrows.
pub(super) struct Sample {
    pub(super) profile: Profile,
    pub(super) checks: Vec<CheckAbout<'static>>,
    pub(super) findings: Vec<Finding>,
    points: Vec<String>,
    workspace: Workspace,
}

fn place(func: &str, file: &str, line: i64) -> Place {
    Place { func: func.into(), file: file.into(), line }
}

fn finding(check: &'static str, level: Level, tier: Tier, text: &str) -> Finding {
    Finding {
        check,
        level,
        tier,
        score: 12.5,
        category: "shop".into(),
        name: "queue.Push → send".into(),
        shape: "9d0c2f4be1a75a6633d0c5f1".into(),
        function: Some(place("example.com/shop/queue.Push", "example.com/shop/queue/queue.go", 9)),
        created_by: Some(place("main.main.func1", "example.com/shop/main.go", 31)),
        kind: Some("chan_send".into()),
        counts: vec![3, 9],
        inputs: vec!["before".into(), "after".into()],
        frames: vec![
            place("runtime.gopark", "runtime/proc.go", 424),
            place("example.com/shop/queue.Push", "example.com/shop/queue/queue.go", 9),
        ],
        facts: BTreeMap::from([
            ("added".to_owned(), Fact::Number(6)),
            ("share".to_owned(), Fact::Real(0.5)),
            ("states".to_owned(), Fact::Text("chan send".into())),
        ]),
        text: text.into(),
        suppressed: None,
    }
}

impl Sample {
    pub(super) fn new() -> Sample {
        let mut maker = Maker::new();
        for name in ["before", "after"] {
            let input = maker.input(name, InputFormat::Debug2);
            let stack = maker.stack(&[(b"main.main", b"main.go", 1)]);
            let spec = maker.spec(input, stack, "chan send");
            maker.count(&spec, 1);
        }
        let mut profile = maker.builder.finish();
        for input in &mut profile.inputs {
            input.path = format!("dumps/{}.txt", input.name);
        }
        let mut library = finding(
            "lock-pile",
            Level::Warning,
            Tier::Shape,
            "9 goroutines wait for a lock:\n50% of all, see <help> & `docs`",
        );
        library.function = Some(place("gopkg.in/db.Lock", "gopkg.in/db@v1.2.3/db.go", 7));
        library.shape = "330e809de0b736e87973f9a3".into();
        library.frames = vec![
            place("sync.runtime_SemacquireMutex", "runtime/sema.go", 95),
            place("gopkg.in/db.Lock", "gopkg.in/db@v1.2.3/db.go", 7),
            place("example.com/shop/store.(*Store).Save", "example.com/shop/store/store.go", 40),
        ];
        let mut covered = finding("growth", Level::Error, Tier::Growth, "it grows, as it should");
        covered.suppressed =
            Some(Suppression { source: "leaks.toml".into(), reason: "warms up".into() });
        covered.shape = "0".repeat(24);
        Sample {
            profile,
            checks: vec![
                CheckAbout {
                    name: "growth",
                    summary: "more goroutines at every point",
                    explanation: "A group that grows at every point never stops.\n\nLook for it.",
                    level: Level::Error,
                    not_run: None,
                },
                CheckAbout {
                    name: "lock-pile",
                    summary: "many wait for one lock",
                    explanation: "Somebody holds it.",
                    level: Level::Note,
                    not_run: None,
                },
                CheckAbout {
                    name: "persistence",
                    summary: "the same goroutines at every point",
                    explanation: "They never moved.",
                    level: Level::Warning,
                    not_run: Some("it needs goroutine ids".into()),
                },
            ],
            findings: vec![
                finding("growth", Level::Error, Tier::Growth, "9 goroutines, 3 at first"),
                library,
                covered,
            ],
            points: vec!["before".into(), "after".into()],
            workspace: Workspace::new(
                "/home/ci/shop",
                vec![("example.com/shop".into(), String::new())],
            ),
        }
    }

    pub(super) fn report(&self) -> Report<'_> {
        Report {
            profile: &self.profile,
            checks: &self.checks,
            findings: &self.findings,
            verdict: Verdict::Fail,
            fail_on: Level::Error,
            points: &self.points,
            totals: &[10, 20],
            problems: &[],
            notes: &[],
            baseline: None,
            workspace: &self.workspace,
        }
    }
}
