//! Crashes: the message, where in own code, and what the other goroutines were doing.

use crate::profile::function::{is_logger, raises_panic};
use crate::profile::{
    Crash, CrashKind, FrameId, InputId, Others, Profile, SampleId, StackId, flag, lossy,
};
use crate::rules::Names;
use crate::view::frames::finder::FrameFinder;
use crate::view::frames::function::{is_standard, package};
use crate::view::rows::Origin;
use bstr::ByteSlice;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;

/// A crash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CrashFact {
    /// The input's name.
    pub input: String,
    /// How the process or goroutine ended.
    pub kind: CrashKind,
    /// The message.
    pub text: String,
    /// The goroutine that it happened in.
    pub goroutine: Option<u64>,
    /// The goroutine of `frames`: the one that crashed, or at a test timeout that of a running test.
    pub stack_of: Option<u64>,
    /// Its state.
    pub state: Option<String>,
    /// Its stack, leaf first.
    pub frames: Vec<CrashFrame>,
    /// How many of them, from the top, are those of raising a panic, which don't show its cause.
    pub raising: usize,
    /// The position of the frame of own code that is to blame; if there is none, of the blocking frame
    /// below those that raise a panic.
    pub place: Option<usize>,
    /// Tests that were running.
    pub running_tests: Vec<String>,
    /// The states of all other goroutines of the input and how many are in each, most first.
    pub others: Vec<(Option<String>, i128)>,
    /// Whether no other goroutine was printed.
    pub alone: bool,
    /// When Go prints the others.
    pub prints_others: Others,
}

/// A frame of a stack, trimmed.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct CrashFrame {
    /// Function.
    pub func: String,
    /// File.
    pub file: String,
    /// Line; 0 if it isn't known.
    pub line: i64,
    /// Where the function's code comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

impl CrashFact {
    /// The facts about a crash of an input.
    pub(super) fn of(
        profile: &Profile,
        names: &Names,
        frames: &FrameFinder<'_>,
        inputs: &Crashed,
        input: InputId,
        crash: &Crash,
    ) -> CrashFact {
        let samples = inputs.samples(input);
        let at = match crash.kind {
            // The goroutine of a timeout only runs the alarm.
            CrashKind::Timeout => running_test(profile, samples, &crash.running_tests),
            _ => crash.sample,
        };
        CrashFact::at(profile, names, frames, samples, input, crash, at)
    }

    fn at(
        profile: &Profile,
        names: &Names,
        frames: &FrameFinder<'_>,
        samples: &[SampleId],
        input: InputId,
        crash: &Crash,
        at: Option<SampleId>,
    ) -> CrashFact {
        let stack = at.map_or(&[][..], |sample| profile.stack(profile.sample(sample).key.stack));
        let raising = raising(profile, stack);
        let shown = |&frame: &FrameId| CrashFrame {
            func: lossy(names.func(frame)),
            file: lossy(names.file(frame)),
            line: profile.frame(frame).line,
            origin: Origin::of(profile, frame),
        };
        let sample = at.map(|sample| profile.sample(sample));
        CrashFact {
            input: profile.input(input).name.clone(),
            kind: crash.kind,
            text: crash.text.clone(),
            goroutine: crash.goroutine,
            stack_of: match crash.kind {
                CrashKind::Timeout => sample.filter(|it| it.count == 1).map(|it| it.waits.longest),
                _ => crash.goroutine,
            },
            state: sample.and_then(|it| it.key.state).map(|state| lossy(profile.str(state))),
            place: sample.and_then(|it| place(profile, frames, it.key.stack, raising)),
            frames: stack.iter().map(shown).collect(),
            raising,
            running_tests: crash.running_tests.clone(),
            others: others(profile, samples, at),
            alone: profile.input(input).goroutines <= 1,
            prints_others: crash.others(),
        }
    }

    /// The frame of own code that is to blame.
    pub fn own(&self) -> Option<&CrashFrame> {
        self.place.and_then(|at| self.frames.get(at))
    }

    /// A key that is equal for crashes that only differ in addresses, ids and numbers.
    pub fn likeness(&self) -> (CrashKind, Option<&CrashFrame>, String) {
        (self.kind, self.own(), without_numbers(Crash::raised(&self.text)))
    }
}

/// The text with every number as `0`, hexadecimal ones too.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_number = false;
    for c in text.chars() {
        let is_digit = c.is_ascii_digit() || (in_number && (c == 'x' || c.is_ascii_hexdigit()));
        if !(is_digit && in_number) {
            plain.push(if is_digit { '0' } else { c });
        }
        in_number = is_digit;
    }
    plain
}

/// The samples of the inputs with a crash.
#[derive(Debug)]
pub(super) struct Crashed {
    samples: HashMap<InputId, Vec<SampleId>, FixedState>,
    unreported: HashMap<InputId, Vec<Crash>, FixedState>,
}

impl Crashed {
    pub(super) fn find(profile: &Profile) -> Crashed {
        let unreported = profile.unreported_crashes();
        let crashed = profile.inputs().filter(|(_, input)| input.crash.is_some());
        let crashed = crashed.map(|(id, _)| id).chain(unreported.keys().copied());
        let mut samples: HashMap<InputId, Vec<SampleId>, FixedState> =
            crashed.map(|id| (id, Vec::new())).collect();
        if !samples.is_empty() {
            for (id, sample) in profile.samples() {
                if let Some(list) = samples.get_mut(&sample.key.input) {
                    list.push(id);
                }
            }
        }
        Crashed { samples, unreported }
    }

    /// Crashes of an input that has no message of one.
    pub(super) fn unreported(&self, input: InputId) -> &[Crash] {
        self.unreported.get(&input).map_or(&[], Vec::as_slice)
    }

    fn samples(&self, input: InputId) -> &[SampleId] {
        self.samples.get(&input).map_or(&[], Vec::as_slice)
    }
}

/// The sample of the goroutine that runs the first of these tests that can be found: `TestPay (2s)`.
fn running_test(profile: &Profile, samples: &[SampleId], tests: &[String]) -> Option<SampleId> {
    tests.iter().find_map(|test| {
        let name = test.split([' ', '/']).next().unwrap_or_default();
        let mut found = samples.iter().copied().filter(|&sample| {
            let stack = profile.stack(profile.sample(sample).key.stack);
            // Goroutines that wait for a subtest are in testing.(*T).Run.
            let waits = |&frame: &FrameId| profile.func(frame) == b"testing.(*T).Run";
            let is_test = |&frame: &FrameId| is_function_of_test(profile.func(frame), name);
            stack.iter().any(is_test) && !stack.iter().any(waits)
        });
        found.next()
    })
}

/// Whether a function is a test or a closure in it: `shop.TestPay`, `shop.TestPay.func1`.
fn is_function_of_test(function: &[u8], test: &str) -> bool {
    let package = package(function);
    let rest = function.get(package.len() + 1..).unwrap_or_default();
    !test.is_empty()
        && rest
            .strip_prefix(test.as_bytes())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."))
}

/// How many frames at the top of a stack only raise a panic, or log why the process ends. If a deferred
/// function panicked again, the first panic counts: the later ones aren't the cause.
fn raising(profile: &Profile, stack: &[FrameId]) -> usize {
    let is_logger = |frame: &&FrameId| is_logger(profile.func(**frame));
    if let logging @ 1.. = stack.iter().take_while(is_logger).count() {
        return logging;
    }
    let behind = stack
        .iter()
        .rposition(|&frame| raises_panic(profile.func(frame)))
        .map_or(0, |last| last + 1);
    let is_runtime = |frame: &&FrameId| package(profile.func(**frame)) == b"runtime";
    behind + stack[behind..].iter().take_while(is_runtime).count()
}

/// The position of the frame that is to blame.
fn place(
    profile: &Profile,
    frames: &FrameFinder<'_>,
    stack: StackId,
    raising: usize,
) -> Option<usize> {
    let list = profile.stack(stack);
    let roots = list.iter().find_map(|&frame| root_of_go(profile, frame));
    let is_own = |&frame: &FrameId| {
        let package = package(profile.func(frame));
        let file = profile.str(profile.frame(frame).file);
        let is_command = package == b"main"
            && (file.starts_with(b"cmd/")
                || roots.is_some_and(|root| {
                    file.strip_prefix(root).is_some_and(|rest| rest.starts_with(b"/src/cmd/"))
                }));
        // Written by cgo around a call of C, in a file that nobody has.
        let is_generated = file.starts_with(b"_cgo_");
        !package.is_empty() && !is_standard(package) && !is_command && !is_generated
    };
    let is_main = |frame: &FrameId| profile.modules.is_own(profile.func(*frame)) == Some(true);
    let below = list.get(raising..)?;
    let own = below.iter().position(is_main).or_else(|| below.iter().position(is_own));
    let own = own.map(|at| at + raising);
    own.or_else(|| {
        let blocking = frames.blocking(stack)?;
        let blocked = list.iter().position(|&frame| frame == blocking)?;
        Some(raising.max(blocked)).filter(|&at| at < list.len())
    })
}

/// The root of the Go installation, from the file of a function of the standard library.
fn root_of_go(profile: &Profile, frame: FrameId) -> Option<&[u8]> {
    let package = package(profile.func(frame));
    if !is_standard(package) {
        return None;
    }
    let file = profile.str(profile.frame(frame).file);
    let inside = [b"/src/", package, b"/"].concat();
    file.find(&inside).map(|at| &file[..at])
}

/// The states of the other goroutines of an input.
fn others(
    profile: &Profile,
    samples: &[SampleId],
    crashed: Option<SampleId>,
) -> Vec<(Option<String>, i128)> {
    let mut states: HashMap<_, i128, FixedState> = HashMap::default();
    for (id, sample) in samples.iter().map(|&id| (id, profile.sample(id))) {
        let system = profile.has_flag(sample.key.flags, flag::SYSTEM);
        let count = i128::from(sample.count) - i128::from(crashed == Some(id));
        if count > 0 && !system {
            *states.entry(sample.key.state).or_default() += count;
        }
    }
    let text = |state: Option<_>| state.map(|state| lossy(profile.str(state)));
    let mut states: Vec<_> = states.into_iter().map(|(id, count)| (text(id), count)).collect();
    states.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_dont_tell_crashes_apart() {
        assert_eq!(without_numbers("index 5 of 0xc000abc1"), "index 0 of 0");
        assert_eq!(without_numbers("bad face"), "bad face");
    }

    #[test]
    fn functions_of_tests_are_known_by_their_first_name() {
        assert!(is_function_of_test(b"ex.org/shop.TestPay", "TestPay"));
        assert!(is_function_of_test(b"ex.org/shop.TestPay.func1", "TestPay"));
        assert!(!is_function_of_test(b"ex.org/shop.TestPayLater", "TestPay"));
        assert!(!is_function_of_test(b"ex.org/shop.help", ""));
    }
}
