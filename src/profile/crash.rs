//! Crashes: what ended a process or a test, or a panic that was recovered.

use super::function::{package, raises_panic};
use super::{FrameId, InputId, Kind, Profile, Sample, SampleId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// The text of a panic of which the input only has the stack, starting where it was raised: Go up to
/// 1.10 prints it so.
const PANIC: &str = "panic (its message is missing: it comes before the stack)";

/// The text of a panic of which the input only has the stack of the code that recovered it.
const RECOVERED: &str = "panic (recovered and logged; its message is no part of the stack)";

/// The text of an error of the runtime of which the input only has the stack.
const FATAL: &str = "fatal error (its message is missing: it comes before the stack)";

/// The text of a test timeout of which the input only has the stack.
const TIMEOUT: &str = "test timeout (its message is missing: it comes before the stack)";

/// The end of a process or of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// How it ended.
    pub kind: CrashKind,
    /// The panic value, the fatal error or the signal, as printed, without the tabs of continuation
    /// lines.
    pub text: String,
    /// The goroutine that it happened in: the first one printed after the message.
    pub goroutine: Option<u64>,
    /// The sample of this goroutine; unlike the id it is unique if an input has dumps of several
    /// processes or handlers.
    pub sample: Option<SampleId>,
    /// Tests that were running at a test timeout, with their times: `TestX (3s)`.
    pub running_tests: Vec<String>,
}

impl Crash {
    /// The first line of the panic that ended the process: if it was raised during another one that was
    /// recovered, the last one.
    ///
    /// ```
    /// use stackgazer::profile::Crash;
    /// assert_eq!(Crash::raised("first [recovered]\npanic: second"), "second");
    /// ```
    pub fn raised(text: &str) -> &str {
        let first = text.lines().next().unwrap_or_default();
        // `first [recovered]`, `panic: second [recovered]`, `panic: third`.
        let last = text.lines().rev().find_map(|line| line.strip_prefix("panic: "));
        last.filter(|_| first.ends_with(" [recovered]")).unwrap_or(first)
    }

    /// When Go prints the goroutines beside the one that crashed.
    pub fn others(&self) -> Others {
        // Errors of programs, `fatal` in the runtime, are unlike its own, `throw`, since Go 1.26.
        const OF_PROGRAMS: [&str; 3] = ["concurrent map ", "sync: ", "go of nil func value"];
        let is_of_program = OF_PROGRAMS.iter().any(|start| self.text.starts_with(start))
            || self.text.contains("synctest");
        match self.kind {
            CrashKind::Recovered => Others::Never,
            CrashKind::Panic => Others::OnRequest,
            CrashKind::Fatal if is_of_program => Others::OnRequest,
            // A panic that ends a synctest bubble.
            CrashKind::Deadlock if self.text.starts_with("deadlock: ") => Others::OnRequest,
            CrashKind::Fatal | CrashKind::Deadlock | CrashKind::Signal | CrashKind::Timeout => {
                Others::Always
            }
        }
    }
}

/// When Go prints the goroutines beside the one that crashed: `gotraceback` in its runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    /// Whatever is set.
    Always,
    /// If `GOTRACEBACK=all` is set.
    OnRequest,
    /// Code that recovers a panic prints its own goroutine.
    Never,
}

/// Kinds of crashes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrashKind {
    /// `panic: ...`
    Panic,
    /// A panic that the program recovered from and logged with its stack.
    Recovered,
    /// `fatal error: ...`
    Fatal,
    /// `SIGQUIT: quit`, `[signal SIGSEGV ...]` without a panic.
    Signal,
    /// `panic: test timed out after 10m0s`
    Timeout,
    /// `fatal error: all goroutines are asleep - deadlock!`, a deadlocked synctest bubble.
    Deadlock,
}

impl CrashKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CrashKind::Panic => "panic",
            CrashKind::Recovered => "recovered",
            CrashKind::Fatal => "fatal",
            CrashKind::Signal => "signal",
            CrashKind::Timeout => "timeout",
            CrashKind::Deadlock => "deadlock",
        }
    }
}

impl Profile {
    /// The crashes of inputs without the message of one: goroutines that printed their stack while they
    /// raised a panic or an error, or recovered a panic. Code that does so logs the message in its own
    /// words, and texts that are copied from a header on lack it.
    pub fn unreported_crashes(&self) -> HashMap<InputId, Vec<Crash>, FixedState> {
        let mut shown = self.shown_crashes();
        shown.retain(|&id, _| self.input(id).crash.is_none());
        shown
    }

    /// The goroutines of each input that printed their stack while they raised a panic or an error, or
    /// recovered a panic, whether the input has the message of a crash or not.
    pub fn shown_crashes(&self) -> HashMap<InputId, Vec<Crash>, FixedState> {
        let mut found: HashMap<InputId, Vec<Crash>, FixedState> = HashMap::default();
        let running = self.samples().filter(|(_, one)| one.key.kind == Kind::Running);
        for (id, Sample { key, count, waits }) in running.filter(|_| self.counts_goroutines()) {
            if let Some((kind, text)) = self.shown_crash(self.stack(key.stack)) {
                let is_one = *count == 1 && waits.known == 1;
                found.entry(key.input).or_default().push(Crash {
                    kind,
                    text: text.to_owned(),
                    goroutine: is_one.then_some(waits.longest),
                    sample: Some(id),
                    running_tests: Vec::new(),
                });
            }
        }
        found
    }

    /// What the stack of a running goroutine shows.
    fn shown_crash(&self, stack: &[FrameId]) -> Option<(CrashKind, &'static str)> {
        let functions = || stack.iter().map(|&frame| self.func(frame));
        if functions().any(|function| ALARMS.contains(&function)) {
            return Some((CrashKind::Timeout, TIMEOUT));
        }
        let mut innermost = functions().take_while(|function| is_of_runtime(function));
        if innermost.any(raises_error) {
            return Some((CrashKind::Fatal, FATAL));
        }
        let is_panic = |function| raises_panic(function) || is_panicking_logger(function);
        // Go leaves its own call of `panic` out; a logger's is then the innermost.
        let first = functions().find(|function| !is_of_runtime(function))?;
        if is_panic(first) {
            return Some((CrashKind::Panic, PANIC));
        }
        functions().any(raises_panic).then_some((CrashKind::Recovered, RECOVERED))
    }
}

/// The functions that a test timeout runs: of Go from 1.10 on, and up to 1.9.
const ALARMS: [&[u8]; 2] = [b"testing.(*M).startAlarm.func1", b"testing.startAlarm.func1"];

/// Whether a function raises an error that can't be recovered; `sync` and the maps have names of their
/// own for it.
fn raises_error(function: &[u8]) -> bool {
    let name = function.get(package(function).len()..).unwrap_or_default();
    matches!(name, b".throw" | b".fatal" | b".fatalthrow")
}

/// Whether a function of the package `log` raises a panic when it has written its message.
fn is_panicking_logger(function: &[u8]) -> bool {
    let method = function.strip_prefix(b"log.").unwrap_or_default();
    let method = method.strip_prefix(b"(*Logger).").unwrap_or(method);
    matches!(method, b"Panic" | b"Panicf" | b"Panicln")
}

/// Whether a function is in the runtime, or in a package that raises errors like it.
fn is_of_runtime(function: &[u8]) -> bool {
    let package = package(function);
    matches!(package, b"runtime" | b"sync" | b"internal/sync")
        || package.starts_with(b"internal/runtime/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panic_that_ended_the_process_is_the_last_one() {
        let raised = Crash::raised;
        assert_eq!(raised("first [recovered]\npanic: second [recovered]\npanic: third"), "third");
        assert_eq!(raised("first [recovered]\npanic: first"), "first");
        assert_eq!(raised("first [recovered, repanicked]"), "first [recovered, repanicked]");
        assert_eq!(raised("a value\npanic: of two lines"), "a value");
    }

    #[test]
    fn errors_are_raised_by_the_runtime_and_by_those_that_it_lends_a_function() {
        for function in ["runtime.throw", "runtime.fatalthrow", "internal/runtime/maps.fatal"] {
            let function = function.as_bytes();
            assert!(is_of_runtime(function) && raises_error(function));
        }
        for function in
            ["main.throw", "runtime.throwInit", "runtime/debug.fatal", "runtime.(*a).fatal"]
        {
            let function = function.as_bytes();
            assert!(!(is_of_runtime(function) && raises_error(function)));
        }
    }
}
