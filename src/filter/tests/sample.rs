//! Two small inputs.

use crate::profile::{
    FlagsId, Input, InputFormat, Keep, Label, LabelValue, NewGoroutine, Profile, ProfileBuilder,
    SampleSpec, Wait,
};
use crate::rules::{Names, RuleSet};

/// A group of the sample profile.
struct Group {
    input: usize,
    stack: &'static [(&'static str, &'static str, i64)],
    state: Option<&'static str>,
    flags: &'static [&'static str],
    labels: &'static [(&'static str, &'static str)],
    creator: Option<(&'static str, &'static str, i64)>,
    /// Id, creator, wait; negative where it isn't known.
    goroutines: &'static [(u64, u64, f32)],
    /// How many more are only counted.
    counted: i64,
}

const SERVE: &[(&str, &str, i64)] =
    &[("main.Work", "main.go", 9), ("net/http.(*conn).serve", "net/http/server.go", 2092)];
const PUT: &[(&str, &str, i64)] = &[
    ("sync.(*Mutex).Lock", "sync/mutex.go", 90),
    ("example.org/kv.(*Store).Put", "kv/store.go", 45),
];

const GROUPS: [Group; 5] = [
    Group {
        input: 0,
        stack: SERVE,
        state: Some("select"),
        flags: &[],
        labels: &[("tenant", "acme/eu"), ("shard", "12")],
        creator: Some(("net/http.(*Server).Serve", "net/http/server.go", 3285)),
        goroutines: &[(17, 1, 9.0), (170, 1, 0.0), (18, 17, 5.0)],
        counted: 0,
    },
    Group {
        input: 0,
        stack: PUT,
        state: Some("sync.Mutex.Lock"),
        flags: &["locked to thread"],
        labels: &[("node", "own")],
        creator: None,
        goroutines: &[(21, 18, 5.0)],
        counted: 0,
    },
    Group {
        input: 0,
        stack: SERVE,
        state: Some("chan receive"),
        flags: &["leaked"],
        labels: &[],
        creator: None,
        goroutines: &[(30, 17, -1.0)],
        counted: 0,
    },
    Group {
        input: 1,
        stack: SERVE,
        state: Some("select"),
        flags: &[],
        labels: &[("tenant", "zen")],
        creator: None,
        goroutines: &[(17, 2, 60.0)],
        counted: 0,
    },
    Group {
        input: 1,
        stack: &[("main.idle", "", 0)],
        state: None,
        flags: &[],
        labels: &[],
        creator: None,
        goroutines: &[],
        counted: 7,
    },
];

/// `n1` with the path label `node=1`, and `Beta.txt`.
pub(super) fn profile() -> (Profile, Names) {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let label = |builder: &mut ProfileBuilder, (key, value): (&str, &str)| Label {
        key: builder.string(key.as_bytes()),
        value: LabelValue::Text(builder.string(value.as_bytes())),
    };
    let mut first = Input::new("n1", "nodes/1/stacks.txt", InputFormat::Debug2);
    let node = label(&mut builder, ("node", "1"));
    first.labels = builder.labels(&mut [node]);
    let second = Input::new("Beta.txt", "Beta.txt", InputFormat::Debug2);
    let inputs = [builder.input(first), builder.input(second)];
    for group in &GROUPS {
        let frames: Vec<_> = group
            .stack
            .iter()
            .map(|(func, file, line)| builder.frame(func.as_bytes(), file.as_bytes(), *line))
            .collect();
        let stack = builder.stack(&frames);
        let mut labels: Vec<_> = group.labels.iter().map(|&l| label(&mut builder, l)).collect();
        let flags = group
            .flags
            .iter()
            .fold(FlagsId::NONE, |flags, flag| builder.with_flag(flags, flag.as_bytes()));
        let spec = SampleSpec {
            input: inputs[group.input],
            stack,
            full: stack,
            state: group.state.map(|state| builder.string(state.as_bytes())),
            flags,
            labels: builder.labels(&mut labels),
            creator: group
                .creator
                .map(|(func, file, line)| builder.frame(func.as_bytes(), file.as_bytes(), line)),
            elided: None,
        };
        let sample = builder.sample(&spec);
        for &(id, creator, wait) in group.goroutines {
            let wait = if wait < 0.0 { Wait::UNKNOWN } else { Wait::minutes(wait) };
            let new = NewGoroutine { id, created_by: Some(creator), wait };
            builder.goroutine(sample, &new);
        }
        if group.counted > 0 {
            builder.count(sample, group.counted);
        }
    }
    let profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    (profile, names)
}
