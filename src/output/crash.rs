//! Crashes, for people and programs: every output that has crashes starts with them.

use super::command::CommandLine;
use super::line::{Line, code, line};
use super::numbers::{counted, first_of, thousands};
use super::table::cut;
use super::terminal::{Paint, Screen};
use crate::profile::{Crash, CrashKind, Others};
use crate::verdict::{CrashFact, CrashFrame};
use crate::view::rows::{Count, Id};
use hashbrown::HashMap;
use serde_json::{Value, json};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Columns of a panic's value that are shown; panics can print whole structures.
const RAISED_SHOWN: usize = 240;
/// Crashes that are shown, only the first with its stack; more are counted.
const CRASHES_SHOWN: usize = 4;
/// Running tests that are named.
const TESTS_SHOWN: usize = 3;
/// Frames that are shown of the crashed stack.
const FRAMES_SHOWN: usize = 6;
/// The widest functions that places are aligned after.
const WIDEST_FUNCTION: usize = 60;
/// States of the other goroutines that are named.
const STATES_SHOWN: usize = 4;

/// The lines about crashes; equal ones are shown once.
pub fn lines(crashes: &[CrashFact], inputs: usize, command_line: &CommandLine) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut distinct: Vec<(&CrashFact, usize)> = Vec::new();
    let mut places = HashMap::new();
    for crash in crashes {
        let at = *places.entry(crash.likeness()).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some((_, times)) => *times += 1,
            None => distinct.push((crash, 1)),
        }
    }
    for (at, (crash, times)) in distinct.iter().take(CRASHES_SHOWN).enumerate() {
        add_crash(&mut lines, crash, *times, inputs);
        if at == 0 {
            add_stack(&mut lines, crash, inputs, command_line);
        }
    }
    if let more @ 1.. = distinct.len().saturating_sub(CRASHES_SHOWN) {
        let text = format!("and {} of other sorts", counted(more as i128, "more crash"));
        lines.push(line("", Paint::Alarm, text));
    }
    lines.extend(hint(crashes, inputs));
    lines
}

/// Advice if crashes show one goroutine, or none, and Go can print the others.
fn hint(crashes: &[CrashFact], inputs: usize) -> Option<Line> {
    let is_alone = |crash: &&CrashFact| crash.alone && crash.prints_others == Others::OnRequest;
    let alone = crashes.iter().filter(is_alone);
    let alone: Vec<&str> = alone.map(|crash| crash.input.as_str()).collect();
    let of = match (alone.as_slice(), inputs) {
        ([], _) => return None,
        (_, 1) => String::new(),
        ([only], _) => format!(" of {only}"),
        ([first, more @ ..], _) => format!(" of {first} and {} more", more.len()),
    };
    let text = format!("the other goroutines{of} weren't printed; GOTRACEBACK=all prints them");
    Some(line("hint", Paint::Plain, text))
}

fn add_crash(lines: &mut Vec<Line>, crash: &CrashFact, times: usize, inputs: usize) {
    let mut text = String::new();
    if inputs > 1 {
        text += &format!("{}: ", crash.input);
    }
    let raised = Crash::raised(&crash.text);
    // The texts of deadlocks, timeouts and signals say what they are.
    match crash.kind {
        CrashKind::Panic if raised.starts_with("panic") => {}
        CrashKind::Panic => text += "panic: ",
        CrashKind::Recovered if !raised.to_ascii_lowercase().contains("panic") => {
            text += "panic, ";
            if !raised.to_ascii_lowercase().contains("recover") {
                text += "recovered: ";
            }
        }
        CrashKind::Fatal if !raised.starts_with("fatal error") => text += "fatal error: ",
        _ => {}
    }
    text += &cut(raised, RAISED_SHOWN);
    if times > 1 {
        text += &format!(" ({times} times)");
    }
    lines.push(line("crash", Paint::Alarm, text));
    if !crash.running_tests.is_empty() {
        let text = first_of(crash.running_tests.iter().cloned(), TESTS_SHOWN);
        lines.push(line("tests", Paint::Alarm, format!("running: {text}")));
    }
    let goroutine = crash.stack_of.map(|id| format!("goroutine {id}"));
    let place = crash.own().map(|frame| match location(frame) {
        place if place.is_empty() => frame.func.clone(),
        place => format!("{}, {place}", frame.func),
    });
    let parts: Vec<String> = goroutine.into_iter().chain(place).collect();
    if !parts.is_empty() {
        lines.push(line("", Paint::Strong, format!("in {}", parts.join(", "))));
    }
}

/// `pay.go:17`
fn location(frame: &CrashFrame) -> String {
    let name = frame.file.rsplit(['/', '\\']).next().unwrap_or_default();
    match (name, frame.line) {
        ("", _) => String::new(),
        (name, 0) => name.to_owned(),
        (name, line) => format!("{name}:{line}"),
    }
}

/// Adds the stack of a crash, and what the other goroutines were doing.
fn add_stack(lines: &mut Vec<Line>, crash: &CrashFact, inputs: usize, command_line: &CommandLine) {
    let shown = crash.frames.get(crash.raising..).unwrap_or_default();
    let first = &shown[..shown.len().min(FRAMES_SHOWN)];
    let widest = first.iter().map(|frame| frame.func.width()).max().unwrap_or(0);
    for frame in first {
        let room = widest.min(WIDEST_FUNCTION).saturating_sub(frame.func.width());
        let place = match (frame.file.is_empty(), frame.line) {
            (true, _) => String::new(),
            (false, 0) => frame.file.clone(),
            (false, line) => format!("{}:{line}", frame.file),
        };
        let text = format!("  {}{:room$}  {place}", frame.func, "");
        lines.push(code(text.trim_end()));
    }
    if let more @ 1.. = shown.len().saturating_sub(first.len()) {
        let all = crash
            .stack_of
            .filter(|_| inputs == 1)
            .and_then(|id| command_line.command("filter", &["--id".to_owned(), id.to_string()]));
        let all = all.map_or_else(String::new, |command| format!(": {command}"));
        lines.push(code(format!("  and {}{all}", counted(more as i128, "more frame"))));
    }
    let total: i128 = crash.others.iter().map(|(_, count)| count).sum();
    if total > 0 {
        let states = crash.others.iter().take(STATES_SHOWN).map(|(state, count)| {
            format!("{} {}", thousands(*count), state.as_deref().unwrap_or("unknown"))
        });
        let mut text = states.collect::<Vec<_>>().join(", ");
        if let more @ 1.. = crash.others.len().saturating_sub(STATES_SHOWN) {
            text += &format!(", and {}", counted(more as i128, "more state"));
        }
        let others = match crash.stack_of {
            Some(_) => counted(total, "other"),
            None => counted(total, "goroutine"),
        };
        lines.push(line("", Paint::Plain, format!("{others}: {text}")));
    }
}

/// Writes the lines, and a blank line if there are any.
///
/// # Errors
/// The error of writing to `out`.
pub fn write_above(lines: &[Line], screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    super::line::write(lines, screen, out)?;
    writeln!(out)
}

/// Writes the lines as comments of a text, each after `# `.
///
/// # Errors
/// The error of writing to `out`.
pub fn write_as_comment(lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        let text = Screen::PIPE.text(&line.text);
        match line.label {
            "" => writeln!(out, "#   {text}")?,
            label => writeln!(out, "# {label}: {text}")?,
        }
    }
    if lines.is_empty() { Ok(()) } else { writeln!(out) }
}

/// A crash in JSON.
pub(super) fn object(crash: &CrashFact) -> Value {
    let own = crash.own();
    let other = |(state, count): &(_, i128)| json!({"state": state, "goroutines": Count(*count)});
    json!({
        "input": crash.input,
        "kind": crash.kind.name(),
        "text": crash.text,
        "goroutine": crash.goroutine.map(Id),
        "function": own.map(|frame| &frame.func),
        "file": own.map(|frame| &frame.file).filter(|file| !file.is_empty()),
        "line": own.map(|frame| frame.line).filter(|&line| line > 0),
        // The goroutine that `frames` belongs to.
        "stack_of": crash.stack_of.map(Id),
        "state": crash.state,
        "frames": crash.frames,
        "others": crash.others.iter().map(other).collect::<Vec<_>>(),
        "running_tests": crash.running_tests,
        "only_goroutine": crash.alone,
    })
}
