//! Native stacks, in the formats that only they have.

use super::Output;
use super::debug2::one_line;
use crate::live::native::{NativeFrame, NativeStacks, NativeThread, StackEnd};
use serde_json::json;
use std::io::{self, Write};

/// The formats of native stacks; the first one is the default.
pub const OFFERED: [Output; 4] = [Output::Text, Output::Json, Output::Folded, Output::Flamegraph];

const SCHEMA: &str = "stackgazer.native/1";

/// What is shown of threads in addition to their names.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shown {
    /// The state before they were stopped.
    pub state: bool,
    /// The stack pointer.
    pub sp: bool,
}

/// Writes a block for each thread, as debuggers do.
///
/// # Errors
/// The error of writing to `out`.
pub fn text(stacks: &NativeStacks, shown: Shown, out: &mut dyn Write) -> io::Result<()> {
    for (at, thread) in stacks.threads.iter().enumerate() {
        if at > 0 {
            out.write_all(b"\n")?;
        }
        write!(out, "thread {} \"", thread.number)?;
        out.write_all(&one_line(thread.name.as_bytes()))?;
        out.write_all(b"\"")?;
        if let Some(goroutine) = thread.goroutine {
            write!(out, " goroutine {goroutine}")?;
        }
        if shown.state {
            write!(out, " state {}", thread.state)?;
        }
        if shown.sp {
            write!(out, " sp {:#x}", thread.sp)?;
        }
        out.write_all(b"\n")?;
        for (number, frame) in thread.frames.iter().enumerate() {
            let number = format!("#{number}");
            write!(out, "{number:<4}{:#018x} in ", frame.pc)?;
            write_frame(frame, out)?;
        }
        if let Some(note) = note(thread.end) {
            writeln!(out, "    ({note})")?;
        }
    }
    Ok(())
}

fn write_frame(frame: &NativeFrame, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&one_line(frame.function.as_deref().unwrap_or("??").as_bytes()))?;
    match frame.offset {
        Some(offset) => write!(out, "+{offset:#x}")?,
        None if frame.is_inlined => out.write_all(b" inlined")?,
        None => {}
    }
    if let Some(file) = &frame.file {
        out.write_all(b" (")?;
        out.write_all(&one_line(file.as_bytes()))?;
        match frame.line {
            0 => out.write_all(b")")?,
            line => write!(out, ":{line})")?,
        }
    }
    if let Some(module) = &frame.module {
        out.write_all(b" [")?;
        out.write_all(&one_line(module.as_bytes()))?;
        out.write_all(b"]")?;
    }
    out.write_all(b"\n")
}

fn note(end: StackEnd) -> Option<&'static str> {
    match end {
        StackEnd::Whole => None,
        StackEnd::Switched => Some("its callers are on a stack of Go"),
        StackEnd::CutOff => Some("more of its stack was not copied: see --max-stack"),
        StackEnd::Lost => Some("what called it can't be told"),
    }
}

/// Writes the document `stackgazer.native/1`.
///
/// # Errors
/// The error of writing to `out`.
pub fn json(pid: u32, stacks: &NativeStacks, out: &mut dyn Write) -> io::Result<()> {
    let frame = |frame: &NativeFrame| {
        json!({
            "pc": format!("{:#x}", frame.pc),
            "func": frame.function,
            "offset": frame.offset,
            "file": frame.file,
            "line": frame.line,
            "module": frame.module,
            "inlined": frame.is_inlined,
        })
    };
    let thread = |thread: &NativeThread| {
        json!({
            "tid": thread.number,
            "name": thread.name,
            "state": thread.state,
            "sp": format!("{:#x}", thread.sp),
            "goroutine": thread.goroutine,
            "end": match thread.end {
                StackEnd::Whole => "whole",
                StackEnd::Switched => "switched",
                StackEnd::CutOff => "cut_off",
                StackEnd::Lost => "lost",
            },
            "frames": thread.frames.iter().map(frame).collect::<Vec<_>>(),
        })
    };
    let document = json!({
        "schema": SCHEMA,
        "pid": pid,
        "stopped_us": u64::try_from(stacks.stats.total.as_micros()).unwrap_or(u64::MAX),
        "threads": stacks.threads.iter().map(thread).collect::<Vec<_>>(),
        "warnings": stacks.notes,
    });
    super::document::write(&document, out)
}
