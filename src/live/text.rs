//! Goroutines as the runtime prints them (`goroutineheader`, `traceback1` and `printArgs` in
//! `runtime/traceback.go`): the text of debug=2.

use super::code::{Codes, Shown};
use super::layout::{Goroutine, Status};
use super::stack::{End, Frame, StackCopy, Start, unwind};
use crate::binary::{Arch, Argument};
use std::collections::VecDeque;
use std::fmt::Write;

/// Frames that are printed at each end of a stack (`tracebackInnerFrames`, `tracebackOuterFrames`).
const ENDS: usize = 50;

/// What headers need besides the goroutine itself.
#[derive(Debug)]
pub(super) struct Header<'a> {
    pub(super) minor: u32,
    pub(super) wait_reasons: &'a [String],
    /// The time of the capture by the clock of the process, in nanoseconds.
    pub(super) now: i64,
}

/// Wait reasons that count as durable in a bubble although their text doesn't say so (`isIdleInSynctest`).
const DURABLE: [&str; 8] = [
    "chan receive (nil chan)",
    "chan send (nil chan)",
    "select (no cases)",
    "sleep",
    "sync.Cond.Wait",
    "coroutine",
    "synctest.Run",
    "synctest.Wait",
];

const MINUTE: i64 = 60_000_000_000;

impl Header<'_> {
    /// The first line of a goroutine, given its bubble's number and its labels as printed.
    pub(super) fn line(&self, goroutine: &Goroutine, bubble: Option<u64>, labels: &str) -> String {
        let reason = self.wait_reasons.get(usize::from(goroutine.wait_reason)).map(String::as_str);
        let reason = reason.filter(|reason| !reason.is_empty());
        let waits = matches!(goroutine.status, Status::Waiting | Status::Leaked);
        let state = reason.filter(|_| waits).unwrap_or(goroutine.status.name());
        let mut line = format!("goroutine {} [{state}", goroutine.id);
        if goroutine.status == Status::Leaked {
            line.push_str(" (leaked)");
        }
        // Go 1.25 also looks at the last reason of a goroutine that doesn't wait any more.
        let counts = self.minor >= 25 && (self.minor == 25 || goroutine.status == Status::Waiting);
        if bubble.is_some()
            && counts
            && reason.is_some_and(|it| DURABLE.contains(&it) || it.ends_with("(durable)"))
            && !state.ends_with("(durable)")
        {
            line.push_str(" (durable)");
        }
        let has_since = matches!(goroutine.status, Status::Waiting | Status::Syscall)
            && goroutine.wait_since != 0;
        let minutes = self.now.saturating_sub(goroutine.wait_since) / MINUTE;
        // Writing to a String can't fail.
        if has_since && minutes >= 1 {
            let _ = write!(line, ", {minutes} minutes");
        }
        if goroutine.locked {
            line.push_str(", locked to thread");
        }
        if let Some(bubble) = bubble {
            let word = if self.minor == 24 { "group" } else { "bubble" };
            let _ = write!(line, ", synctest {word} {bubble}");
        }
        let (inside, after) = if self.minor == 26 { (labels, "") } else { ("", labels) };
        let _ = writeln!(line, "{inside}]{after}:");
        line
    }
}

/// A call that is printed: its frame, and its position in the frame's calls.
type ShownCall = (Frame, usize);

/// The calls of a stack that are printed, those at its ends; and the number of all.
#[derive(Debug, Default)]
struct ShownCalls {
    first: Vec<ShownCall>,
    last: VecDeque<ShownCall>,
    count: usize,
}

impl ShownCalls {
    fn add(&mut self, frame: &Frame, call: usize) {
        self.count = self.count.saturating_add(1);
        if self.first.len() < ENDS {
            return self.first.push((frame.clone(), call));
        }
        if self.last.len() == ENDS {
            self.last.pop_front();
        }
        self.last.push_back((frame.clone(), call));
    }
}

/// How printing a stack ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Printed {
    pub(super) end: End,
    /// Whether it has a call that isn't the runtime's.
    pub(super) has_user_code: bool,
}

/// Appends the lines of a stack.
pub(super) fn print_stack(
    codes: &mut Codes,
    arch: Arch,
    stack: StackCopy,
    start: Start,
    text: &mut Vec<u8>,
) -> Printed {
    let mut shown = ShownCalls::default();
    let mut has_user_code = false;
    let mut callee_panics = false;
    let end = unwind(codes, arch, stack, start, |frame| {
        for (at, call) in frame.code.calls.iter().enumerate() {
            let elided = call.is_wrapper && !callee_panics;
            callee_panics = call.is_panic;
            let hidden = match call.shown {
                Shown::Yes => false,
                Shown::No => true,
                Shown::NotFirst => shown.count == 0,
            };
            has_user_code |= !call.name.starts_with(b"runtime.") && call.name != b"panic";
            if !elided && !hidden {
                shown.add(frame, at);
            }
        }
    });
    if shown.count == 0 {
        // A stack with only calls of the runtime is printed in full.
        unwind(codes, arch, stack, start, |frame| {
            (0..frame.code.calls.len()).for_each(|at| shown.add(frame, at));
        });
    }
    for (frame, call) in &shown.first {
        print_call((frame, *call), stack, text);
    }
    let printed = shown.first.len().saturating_add(shown.last.len());
    let elided = shown.count.saturating_sub(printed);
    if elided > 0 {
        text.extend_from_slice(format!("...{elided} frames elided...\n").as_bytes());
    }
    for (frame, call) in &shown.last {
        print_call((frame, *call), stack, text);
    }
    if end == End::Broken {
        // As Go 1.20 and older printed it: how many follow isn't known.
        text.extend_from_slice(b"...additional frames elided...\n");
    }
    Printed { end, has_user_code }
}

fn print_call((frame, at): (&Frame, usize), stack: StackCopy, text: &mut Vec<u8>) {
    let code = &frame.code;
    let Some(call) = code.calls.get(at) else { return };
    text.extend_from_slice(&call.name);
    text.push(b'(');
    if at.saturating_add(1) < code.calls.len() {
        text.extend_from_slice(b"...");
    } else {
        print_arguments(&code.arguments, frame.arguments, stack, text);
    }
    text.extend_from_slice(b")\n");
    text.extend_from_slice(&call.place);
}

fn print_arguments(arguments: &[Argument], from: u64, stack: StackCopy, text: &mut Vec<u8>) {
    let mut is_first = true;
    for argument in arguments {
        if *argument != Argument::Close && !std::mem::take(&mut is_first) {
            text.extend_from_slice(b", ");
        }
        match *argument {
            Argument::Open => {
                text.push(b'{');
                is_first = true;
            }
            Argument::Close => {
                text.push(b'}');
                is_first = false;
            }
            Argument::More => text.extend_from_slice(b"..."),
            Argument::TooFar => text.push(b'_'),
            Argument::Value { offset, size, live } => {
                let unused = 64_u32.saturating_sub(u32::from(size).saturating_mul(8));
                let word = stack.word(from.saturating_add(offset.into()));
                let value = word.and_then(|word| word.checked_shl(unused)?.checked_shr(unused));
                let shown = value.map_or_else(|| "_".to_owned(), |value| format!("{value:#x}"));
                text.extend_from_slice(shown.as_bytes());
                if !live {
                    text.push(b'?');
                }
            }
        }
    }
}
