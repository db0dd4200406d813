//! A goroutine's stack word by word, in every format that `capture --annotate` offers.

use super::Output;
use super::document::{self, without_null};
use super::numbers::{counted, thousands};
use super::table::{Column, Content, Table};
use super::terminal::Screen;
use crate::live::{
    Certainty, StackFrame, StackFrameCall, StackWord, StackWords, Target, Variable, What,
};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The formats of words; the first one is the default.
pub const OFFERED: [Output; 2] = [Output::Table, Output::Json];

const SCHEMA: &str = "stackgazer.annotate/1";

/// Writes the words of a stack, after the goroutine's header line (`head`).
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    output: Output,
    head: &str,
    view: &StackWords,
    warnings: &[String],
    out: &mut dyn Write,
) -> io::Result<()> {
    match output {
        Output::Json => json(head, view, warnings, out),
        _ => table(head, view, out),
    }
}

fn table(head: &str, view: &StackWords, out: &mut dyn Write) -> io::Result<()> {
    let screen = Screen::PIPE;
    writeln!(out, "{}", screen.text(head))?;
    let used = view.words.len() as u64 + view.left_out;
    let used = thousands((used * 8).into());
    let all = thousands(view.high.saturating_sub(view.low).into());
    let known = match view.certainty {
        Certainty::Exact | Certainty::Unstable => "",
        Certainty::Drifted => ", a moment after the capture started",
        Certainty::Broken => "; it leads to what isn't code of the program",
    };
    writeln!(
        out,
        "stack {:#x} to {:#x}, {used} of {all} bytes in use{known}\n",
        view.low, view.high
    )?;
    let mut columns = vec![
        Column::new(Content::Number, "ADDRESS"),
        Column::new(Content::Number, "VALUE"),
        Column::new(Content::Number, "FRAME"),
        Column::new(Content::Name, "FUNCTION"),
        Column::new(Content::Text, "WHAT"),
    ];
    let has_variables = view.words.iter().any(|word| !word.variables.is_empty());
    if has_variables {
        columns.insert(4, Column::new(Content::Name, "VARIABLE"));
    }
    let mut table = Table::new(columns);
    for word in &view.words {
        let frame = word.frame.and_then(|at| view.frames.get(at));
        let number = word.frame.filter(|_| frame.is_some()).map(|at| format!("#{at}"));
        let mut row = vec![
            format!("{:#x}", word.address),
            format!("{:#x}", word.value),
            number.unwrap_or_default(),
            function(frame).to_owned(),
            use_text(view, word),
        ];
        if has_variables {
            let named: Vec<String> =
                word.variables.iter().map(|it| variable_text(view, word, it)).collect();
            row.insert(4, named.join(", "));
        }
        table.row(row);
    }
    table.write(&screen, out)?;
    match view.left_out {
        0 => Ok(()),
        more => writeln!(out, "... {} not shown", counted(more.into(), "more word")),
    }
}

/// The function that takes the stack of a frame.
fn function(frame: Option<&StackFrame>) -> &str {
    frame.and_then(|frame| frame.calls.last()).map_or("", |call| &call.function)
}

/// A variable in a word, for people: its name, the offset in it, its type, and its function if that isn't
/// the word's own.
fn variable_text(view: &StackWords, word: &StackWord, it: &Variable) -> String {
    let mut text = it.local.name.to_string();
    if it.offset > 0 {
        write!(text, "+{}", it.offset).ok();
    }
    if !it.local.type_name.is_empty() {
        write!(text, " {}", it.local.type_name).ok();
    }
    let own = function(word.frame.and_then(|at| view.frames.get(at)));
    let whose = function_of(view, it);
    if whose != own {
        write!(text, " of {whose}").ok();
    }
    text
}

/// The function that a variable belongs to.
fn function_of<'a>(view: &'a StackWords, variable: &'a Variable) -> &'a str {
    variable.local.inlined.as_deref().unwrap_or(function(view.frames.get(variable.frame)))
}

/// The use of a word, for people.
fn use_text(view: &StackWords, word: &StackWord) -> String {
    let leads = || match &word.target {
        Some(Target::Stack) => "to this stack".to_owned(),
        Some(Target::Code(function, 0)) => format!("to {function}"),
        Some(Target::Code(function, into)) => format!("to {function}+{into:#x}"),
        Some(Target::Data) => "to data of the program".to_owned(),
        Some(Target::Elsewhere) => "to the heap or elsewhere".to_owned(),
        None => "nil".to_owned(),
    };
    match word.what {
        What::ReturnAddress => {
            let frame = word.frame.and_then(|at| view.frames.get(at + 1));
            let call = frame.and_then(|frame| frame.calls.first());
            let place = call.and_then(|call| Some((call.file.as_deref()?, call.line)));
            let place = place.map(|(file, line)| format!(" {file}:{line}"));
            match frame {
                Some(_) => format!("return to {}{}", function(frame), place.unwrap_or_default()),
                None => format!("return {}", leads()),
            }
        }
        What::FramePointer => "saved frame pointer".to_owned(),
        What::Argument { frame, number, is_saved, is_live } => {
            let name = function(view.frames.get(frame));
            let which = match number {
                Some(number) => format!("argument {number} of {name}"),
                None => format!("arguments or results of {name}"),
            };
            match (is_saved, is_live) {
                (_, true) => format!("{which}, live pointer {}", leads()),
                (true, false) => which,
                (false, false) => format!("{which}, perhaps not saved"),
            }
        }
        What::LivePointer => format!("live pointer {}", leads()),
        What::Object { bytes } => {
            let bytes = counted(bytes.into(), "byte");
            format!("in a variable of {bytes} whose address is taken")
        }
        What::NoPointer => "no live pointer".to_owned(),
        What::Start => "start of the stack".to_owned(),
        What::Unknown if word.target.is_some() => format!("unknown, perhaps {}", leads()),
        What::Unknown => "unknown".to_owned(),
    }
}

/// Writes the document `stackgazer.annotate/1`.
fn json(head: &str, view: &StackWords, warnings: &[String], out: &mut dyn Write) -> io::Result<()> {
    let hex = |number: u64| format!("{number:#x}");
    let call = |call: &StackFrameCall| json!({"func": call.function, "file": call.file, "line": call.line});
    let frame = |frame: &StackFrame| {
        json!({
            "pc": hex(frame.pc),
            "sp": hex(frame.sp),
            "end": hex(frame.end),
            "calls": frame.calls.iter().map(call).collect::<Vec<_>>(),
        })
    };
    let document = json!({
        "schema": SCHEMA,
        "goroutine": view.goroutine,
        "header": head,
        "known": view.certainty.name(),
        "low": hex(view.low),
        "high": hex(view.high),
        "frames": view.frames.iter().map(frame).collect::<Vec<_>>(),
        "words": view.words.iter().map(|word| row(view, word)).collect::<Vec<_>>(),
        "words_left_out": view.left_out,
        "warnings": warnings,
    });
    document::write(&document, out)
}

/// A word as JSON.
fn row(view: &StackWords, word: &StackWord) -> Value {
    let variable = |it: &Variable| {
        json!({
            "name": &*it.local.name,
            "type": &*it.local.type_name,
            "of": it.frame,
            "func": function_of(view, it),
            "offset": it.offset,
        })
    };
    let variables: Vec<Value> = word.variables.iter().map(variable).collect();
    let (what, is_live) = match word.what {
        What::ReturnAddress => ("return_address", false),
        What::FramePointer => ("frame_pointer", false),
        What::Argument { is_live, .. } => ("argument", is_live),
        What::LivePointer => ("pointer", true),
        What::Object { .. } => ("object", false),
        What::NoPointer => ("no_pointer", false),
        What::Start => ("start", false),
        What::Unknown => ("unknown", false),
    };
    let (argument, bytes) = match word.what {
        What::Argument { frame, number, is_saved, .. } => (Some((frame, number, is_saved)), None),
        What::Object { bytes } => (None, Some(bytes)),
        _ => (None, None),
    };
    let (target, code) = match &word.target {
        Some(Target::Stack) => (Some("stack"), None),
        Some(Target::Code(function, into)) => (Some("code"), Some((function, into))),
        Some(Target::Data) => (Some("data"), None),
        Some(Target::Elsewhere) => (Some("elsewhere"), None),
        None => (None, None),
    };
    let row = json!({
        "address": format!("{:#x}", word.address),
        "value": format!("{:#x}", word.value),
        "frame": word.frame,
        "what": what,
        "of": argument.map(|(frame, ..)| frame),
        "number": argument.and_then(|(_, number, _)| number),
        "saved": argument.map(|(.., is_saved)| is_saved),
        "bytes": bytes,
        "live": is_live,
        "target": target,
        "func": code.map(|(function, _)| function),
        "offset": code.map(|(_, into)| into),
        "variables": Some(variables).filter(|list| !list.is_empty()),
    });
    without_null(row, &["of", "number", "saved", "bytes", "func", "offset", "variables"])
}
