//! A small profile with one of everything, for tests of outputs.

use crate::filter::Selection;
use crate::profile::{
    Ancestor, Crash, CrashKind, Elision, FlagsId, FrameId, Input, InputFormat, InputId, Keep,
    Label, LabelValue, LabelsId, NewGoroutine, Profile, ProfileBuilder, SampleSpec, StackId, StrId,
    Wait, WarningKind,
};
use crate::rules::{Names, RuleSet};

/// Builds profiles with short calls.
pub(crate) struct Maker {
    pub(crate) builder: ProfileBuilder,
}

impl Maker {
    pub(crate) fn new() -> Maker {
        Maker { builder: ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() }) }
    }

    pub(crate) fn input(&mut self, name: &str, format: InputFormat) -> InputId {
        self.builder.input(Input::new(name, &format!("/dumps/{name}.txt"), format))
    }

    /// A stack with frames of function, file and line.
    pub(crate) fn stack(&mut self, frames: &[(&[u8], &[u8], i64)]) -> StackId {
        let frames: Vec<FrameId> =
            frames.iter().map(|(func, file, line)| self.builder.frame(func, file, *line)).collect();
        self.builder.stack(&frames)
    }

    pub(crate) fn labels(&mut self, labels: &[(&[u8], &[u8])]) -> LabelsId {
        let mut labels: Vec<Label> = labels
            .iter()
            .map(|(key, value)| Label {
                key: self.builder.string(key),
                value: LabelValue::Text(self.builder.string(value)),
            })
            .collect();
        self.builder.labels(&mut labels)
    }

    pub(crate) fn flags(&mut self, flags: &[&[u8]]) -> FlagsId {
        let mut flags: Vec<StrId> = flags.iter().map(|flag| self.builder.string(flag)).collect();
        self.builder.flags(&mut flags)
    }

    pub(crate) fn spec(&mut self, input: InputId, stack: StackId, state: &str) -> SampleSpec {
        let state = (!state.is_empty()).then(|| self.builder.string(state.as_bytes()));
        SampleSpec { state, ..SampleSpec::new(input, stack) }
    }

    /// Adds a goroutine; returns its position in the column.
    pub(crate) fn goroutine(
        &mut self,
        spec: &SampleSpec,
        id: u64,
        wait: Wait,
        created_by: Option<u64>,
    ) -> usize {
        let sample = self.builder.sample(spec);
        let new = NewGoroutine { id, created_by, wait };
        self.builder.goroutine(sample, &new).unwrap()
    }

    pub(crate) fn count(&mut self, spec: &SampleSpec, count: i64) {
        let sample = self.builder.sample(spec);
        self.builder.count(sample, count);
    }
}

/// A profile with its names, and everything selected.
pub(crate) struct Fixture {
    pub(crate) profile: Profile,
    pub(crate) names: Names,
    pub(crate) selection: Selection,
}

impl Fixture {
    pub(crate) fn new(maker: Maker) -> Fixture {
        let profile = maker.builder.finish();
        let names = RuleSet::default().apply(&profile).unwrap();
        let selection = Selection {
            counts: profile.samples.iter().map(|sample| sample.count).collect(),
            goroutines: None,
            unknown_wait: 0,
            samples: None,
        };
        Fixture { profile, names, selection }
    }

    /// Three inputs: a dump with everything that a header can have, a count profile, a crash.
    pub(crate) fn everything() -> Fixture {
        let mut maker = Maker::new();
        let n2 = maker.input("n2", InputFormat::Debug2);
        let n10 = maker.input("n10", InputFormat::Debug1);
        let crash = maker.input("crash", InputFormat::Debug2);
        let work = maker.stack(&[
            (b"sync.(*Cond).Wait", b"/go/src/sync/cond.go", 71),
            (b"main.(*Server).work", b"/src/main.go", 42),
        ]);
        let odd = maker.stack(&[(b"main.na\xffme", b"C:/Program Files/app/main.go", 7)]);
        let start = maker.builder.frame(b"main.start", b"/src/main.go", 9);

        let mut waiting = maker.spec(n2, work, "sync.Cond.Wait");
        waiting.creator = Some(start);
        waiting.labels = maker.labels(&[(b"tenant", b"acme"), (b"a b", b"=x, \"]:\n\xc3\xbc")]);
        maker.goroutine(&waiting, 17, Wait::minutes(9.0), Some(1));
        let with_ancestor = maker.goroutine(&waiting, 4, Wait::minutes(2.5), Some(1));
        let ancestor = Ancestor { id: 1, stack: odd, creator: Some(start) };
        maker.builder.ancestor(with_ancestor, ancestor);

        let mut flagged = maker.spec(n2, odd, "chan receive (nil chan)");
        flagged.flags = maker.flags(&[b"leaked", b"locked to thread", b"synctest bubble 7"]);
        flagged.elided = Some(Elision { after: 1, count: Some(23) });
        maker.goroutine(&flagged, 9_007_199_254_740_993, Wait::UNKNOWN, None);
        flagged.elided = Some(Elision { after: 0, count: None });
        maker.goroutine(&flagged, 8, Wait::UNKNOWN, None);

        let mut counted = maker.spec(n10, work, "");
        counted.labels = maker.labels(&[(b"k", b"1"), (b"k", b"2"), (b"empty", b"")]);
        maker.count(&counted, 12);

        let unavailable = maker.spec(crash, StackId::EMPTY, "running");
        let flags = maker.flags(&[b"unavailable", b"system"]);
        let unavailable = SampleSpec { flags, ..unavailable };
        maker.goroutine(&unavailable, 0, Wait::ZERO, None);

        let node = maker.labels(&[(b"node", b"2"), (b"tenant", b"other")]);
        maker.builder.input_mut(n2).labels = node;
        let n10 = maker.builder.input_mut(n10);
        n10.announced = Some(13);
        n10.warn(WarningKind::Total, None, "13 goroutines are announced and 12 were found");
        let crash = maker.builder.input_mut(crash);
        crash.warn(WarningKind::ForeignLine, Some(3), "a line was skipped");
        crash.crash = Some(Crash {
            kind: CrashKind::Timeout,
            text: "test timed out after 10m0s".to_owned(),
            goroutine: Some(0),
            sample: None,
            running_tests: vec!["TestSlow (3s)".to_owned()],
        });
        Fixture::new(maker)
    }
}
