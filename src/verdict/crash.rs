//! What crashed.

use crate::profile::{CrashKind, InputId, Profile, Sample};
use crate::rules::Names;
use crate::view::place::Places;

/// A crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrashFact {
    /// The input's name.
    pub input: String,
    /// What sort of end.
    pub kind: CrashKind,
    /// What was raised.
    pub text: String,
    /// The goroutine that it happened in.
    pub goroutine: Option<u64>,
    /// The function of one's own code that this goroutine was in.
    pub function: Option<String>,
    /// Tests that were running.
    pub running_tests: Vec<String>,
    /// Whether no other goroutine was printed.
    pub alone: bool,
}

impl CrashFact {
    /// What crashed in an input, if anything did.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        frames: &mut Places<'_>,
        input: InputId,
    ) -> Option<CrashFact> {
        let crash = profile.input(input).crash.as_ref()?;
        // A sample of one goroutine gives its id away, so that the columns aren't needed.
        let is_it = |sample: &&Sample| {
            sample.key.input == input
                && sample.count == 1
                && sample.waits.known == 1
                && Some(sample.waits.longest) == crash.goroutine
        };
        let stack = profile.samples.iter().find(is_it).map(|sample| sample.key.stack);
        let frame = stack.and_then(|stack| frames.own_or_blocking_frame(stack));
        Some(CrashFact {
            input: profile.input(input).name.clone(),
            kind: crash.kind,
            text: crash.text.clone(),
            goroutine: crash.goroutine,
            function: frame.map(|frame| String::from_utf8_lossy(names.func(frame)).into_owned()),
            running_tests: crash.running_tests.clone(),
            alone: profile.input(input).goroutines <= 1,
        })
    }
}
