//! `stackgazer capture --annotate`

use super::capture::CaptureArgs;
use super::destination::Destination;
use super::emit::{emit_for_people, emit_to};
use crate::error::Result;
use crate::live::{Capture, StackWords};
use crate::output::Output;
use crate::output::annotate::{self, OFFERED};
use crate::output::escape::Style;
use std::io::Write;

/// The format that is selected.
pub(super) fn format(args: &CaptureArgs) -> Result<Output> {
    Output::pick(args.format.as_deref(), &OFFERED)
}

/// Shows the words of a stack.
pub(super) fn show(
    args: &CaptureArgs,
    capture: &Capture,
    words: &StackWords,
    to: &Destination,
) -> Result<()> {
    let format = format(args)?;
    let head = capture.text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let head = String::from_utf8_lossy(head.strip_suffix(b":").unwrap_or(head));
    let captured = &capture.captured;
    let mut warnings = [captured.losses.as_slice(), &captured.notes].concat();
    if let Some(note) = words.lacks_names {
        super::say(format_args!("note: {note}"));
        warnings.push(note.to_owned());
    }
    let write = &mut |out: &mut dyn Write| annotate::write(format, &head, words, &warnings, out);
    match format {
        Output::Json => emit_to(to, Style::Json, write),
        _ => emit_for_people(to, Style::Text, write),
    }
}
