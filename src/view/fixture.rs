//! Small profiles for the tests of views, built as from a dump.

use crate::filter::Selection;
use crate::profile::{
    Elision, FlagsId, Input, InputFormat, InputId, Keep, Label, LabelValue, LabelsId, NewGoroutine,
    Profile, ProfileBuilder, SampleSpec, Wait,
};
use crate::rules::{Names, RuleSet};

#[derive(Clone)]
pub(crate) struct Fixture {
    builder: ProfileBuilder,
    input: InputId,
}

/// A sketch of a goroutine; frames leaf first, `function` or `function file:line`.
pub(crate) struct G<'a> {
    pub(crate) id: u64,
    pub(crate) by: Option<u64>,
    pub(crate) creator: &'a str,
    pub(crate) state: &'a str,
    pub(crate) minutes: f32,
    pub(crate) flags: &'a [&'a str],
    pub(crate) labels: &'a [(&'a str, &'a str)],
    pub(crate) frames: &'a [&'a str],
}

impl Default for G<'_> {
    fn default() -> Self {
        G {
            id: 1,
            by: None,
            creator: "",
            state: "select",
            minutes: 0.0,
            flags: &[],
            labels: &[],
            frames: &["main.work main.go:1"],
        }
    }
}

impl Fixture {
    pub(crate) fn new(input: &str) -> Fixture {
        let keep = Keep { goroutines: true, ..Keep::default() };
        let mut fixture = Fixture { builder: ProfileBuilder::new(keep), input: InputId(0) };
        fixture.input(input);
        fixture
    }

    /// The first input.
    pub(crate) fn first(&mut self) -> &mut Input {
        self.builder.input_mut(InputId(0))
    }

    /// Starts another input.
    pub(crate) fn input(&mut self, name: &str) -> &mut Input {
        self.input = self.builder.input(Input::new(name, name, InputFormat::Debug2));
        self.builder.input_mut(self.input)
    }

    /// The input that goroutines are added to.
    pub(crate) fn current(&mut self) -> &mut Input {
        self.builder.input_mut(self.input)
    }

    pub(crate) fn current_id(&self) -> InputId {
        self.input
    }

    /// Adds to an input that was started before.
    pub(crate) fn back_to(&mut self, input: InputId) {
        self.input = input;
    }

    /// Adds a goroutine with frames left out of its stack by Go.
    pub(crate) fn add_elided(&mut self, new: G<'_>, elided: Option<Elision>) {
        let spec = SampleSpec { elided, ..self.spec(&new) };
        let sample = self.builder.sample(&spec);
        self.builder.count(sample, 1);
    }

    pub(crate) fn add(&mut self, new: G<'_>) -> &mut Fixture {
        let spec = self.spec(&new);
        let sample = self.builder.sample(&spec);
        let wait = if new.minutes < 0.0 { Wait::UNKNOWN } else { Wait::minutes(new.minutes) };
        self.builder.goroutine(sample, &NewGoroutine { id: new.id, created_by: new.by, wait });
        self
    }

    /// Adds goroutines without ids.
    pub(crate) fn count(&mut self, count: i64, new: G<'_>) -> &mut Fixture {
        let spec = self.spec(&new);
        let sample = self.builder.sample(&spec);
        self.builder.count(sample, count);
        self
    }

    fn spec(&mut self, new: &G<'_>) -> SampleSpec {
        let builder = &mut self.builder;
        let mut frame = |text: &str| {
            let (function, place) = text.split_once(' ').unwrap_or((text, ":0"));
            let (file, line) = place.rsplit_once(':').unwrap();
            builder.frame(function.as_bytes(), file.as_bytes(), line.parse().unwrap())
        };
        let frames: Vec<_> = new.frames.iter().map(|text| frame(text)).collect();
        let creator = (!new.creator.is_empty()).then(|| frame(new.creator));
        let stack = builder.stack(&frames);
        let mut flags: Vec<_> =
            new.flags.iter().map(|flag| builder.string(flag.as_bytes())).collect();
        let flags = if flags.is_empty() { FlagsId::NONE } else { builder.flags(&mut flags) };
        let mut labels: Vec<Label> = new
            .labels
            .iter()
            .map(|(key, value)| Label {
                key: builder.string(key.as_bytes()),
                value: LabelValue::Text(builder.string(value.as_bytes())),
            })
            .collect();
        let labels = if labels.is_empty() { LabelsId::NONE } else { builder.labels(&mut labels) };
        let state = Some(builder.string(new.state.as_bytes()));
        SampleSpec {
            input: self.input,
            stack,
            full: stack,
            state,
            flags,
            labels,
            creator,
            elided: None,
        }
    }

    /// The profile, named without any rules.
    pub(crate) fn done(self) -> (Profile, Names) {
        let profile = self.builder.finish();
        let names = RuleSet::default().apply(&profile).unwrap();
        (profile, names)
    }
}

/// A selection of everything.
pub(crate) fn all(profile: &Profile) -> Selection {
    Selection {
        counts: profile.samples.iter().map(|sample| sample.count).collect(),
        goroutines: None,
        unknown_wait: 0,
        samples: None,
    }
}

/// A selection of the goroutines with these ids.
pub(crate) fn only(profile: &Profile, ids: &[u64]) -> Selection {
    let goroutines: Vec<bool> = profile.goroutines.iter().map(|g| ids.contains(&g.id)).collect();
    let mut counts = vec![0; profile.samples.len()];
    for (goroutine, _) in profile.goroutines.iter().zip(&goroutines).filter(|(_, is)| **is) {
        counts[goroutine.sample.index()] += 1;
    }
    Selection { counts, goroutines: Some(goroutines), unknown_wait: 0, samples: None }
}
