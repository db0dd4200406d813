//! A small report with one of everything, for tests of reports.

use super::{Report, Workspace};
use crate::leak::{
    Counts, Date, Fact, Finding, Level, Options, Review, SourceLocation, Suppression, Tier,
};
use crate::profile::{FrameId, Profile, StackId};
use crate::view::diff::timeline::{Layout, Timeline};
use crate::view::fixture::{Fixture, G, all};
use std::collections::BTreeMap;

/// Owns the data that a [`Report`] borrows.
pub(super) struct Sample {
    pub(super) profile: Profile,
    pub(super) review: Review,
    workspace: Workspace,
}

fn place(func: &str, file: &str, line: i64) -> SourceLocation {
    SourceLocation { func: func.into(), file: file.into(), line, ..SourceLocation::default() }
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
        counts: Counts::sum(2, [(0, 3), (1, 9)]),
        found: 9,
        processes: vec![("after".to_owned(), 9)],
        inputs: vec!["before".into(), "after".into()],
        input: None,
        facts: BTreeMap::from([
            ("added".to_owned(), Fact::Number(6)),
            ("share".to_owned(), Fact::Real(0.5)),
            ("states".to_owned(), Fact::Text("chan send".into())),
        ]),
        text: text.into(),
        suppressed: None,
        stack: None,
    }
}

/// The stack of the finding in the reader's repository.
const PUSH: &[&str] = &[
    "runtime.gopark runtime/proc.go:424",
    "example.com/shop/queue.Push example.com/shop/queue/queue.go:9",
];

/// That of the finding in a library.
const SAVE: &[&str] = &[
    "sync.runtime_SemacquireMutex runtime/sema.go:95",
    "gopkg.in/db.Lock gopkg.in/db@v1.2.3/db.go:7",
    "example.com/shop/store.(*Store).Save example.com/shop/store/store.go:40",
];

/// A stack without places.
const NOWHERE: &[&str] = &["_cgo_wait", "runtime.cgocall"];

impl Sample {
    pub(super) fn new() -> Sample {
        let mut fixture = Fixture::new("before");
        fixture.first().path = "dumps/before.txt".into();
        fixture.add(G::default());
        let after = fixture.input("after");
        after.path = "dumps/after.txt".into();
        after.point = 1;
        fixture.add(G { frames: PUSH, ..G::default() });
        fixture.add(G { frames: SAVE, ..G::default() });
        fixture.add(G { frames: NOWHERE, ..G::default() });
        let (mut profile, names) = fixture.done();
        let arguments = ["before".to_owned(), "after".to_owned()];
        let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
        let today = Date::read("2026-11-21").unwrap();
        let options = Options::new(today);
        let mut review = Review::new(&profile, &names, &all(&profile), &points, &options);
        review.totals = vec![10, 20];
        review.blind.clear();
        review.unproven.clear();
        let mut library = finding(
            "lock-pile-up",
            Level::Warning,
            Tier::Shape,
            "9 goroutines wait for a lock:\n50% of all, see <help> & `docs`",
        );
        library.function = Some(place("gopkg.in/db.Lock", "gopkg.in/db@v1.2.3/db.go", 7));
        library.shape = "330e809de0b736e87973f9a3".into();
        let mut covered = finding("growth", Level::Error, Tier::Growth, "it grows, as it should");
        covered.suppressed = Some(Suppression {
            source: "leaks.toml".into(),
            reason: "warms up".into(),
            baseline: true,
        });
        covered.shape = "0".repeat(24);
        review.findings = vec![
            finding("growth", Level::Error, Tier::Growth, "9 goroutines, 3 at first"),
            library,
            covered,
        ];
        let modules = vec![("example.com/shop".into(), String::new())];
        let mut sample =
            Sample { profile, review, workspace: Workspace::new("/home/ci/shop", modules) };
        for (at, leaf) in ["runtime.gopark", "sync.runtime_SemacquireMutex", "runtime.gopark"]
            .into_iter()
            .enumerate()
        {
            sample.review.findings[at].stack = sample.stack(leaf);
        }
        sample
    }

    /// The stack with this leaf: `_cgo_wait` is that of one without places.
    pub(super) fn stack(&self, leaf: &str) -> Option<StackId> {
        let is_leaf = |frame: &FrameId| self.profile.func(*frame) == leaf.as_bytes();
        self.profile.stacks().find(|&id| self.profile.stack(id).first().is_some_and(is_leaf))
    }

    pub(super) fn report(&self) -> Report<'_> {
        let Sample { profile, review, workspace } = self;
        Report { profile, review, workspace, page: &|out| out.write_all(b"a page") }
    }
}
