//! `stackgazer capture --annotate`

use super::capture::CaptureArgs;
use super::destination::Destination;
use super::emit::emit_format;
use crate::error::Result;
use crate::live::{Capture, StackWords};
use crate::output::Output;
use crate::output::annotate::{OFFERED, write};
use crate::output::escape::Style;

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
    let style = if format == Output::Json { Style::Json } else { Style::Text };
    let head = capture.text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let head = String::from_utf8_lossy(head.strip_suffix(b":").unwrap_or(head));
    let captured = &capture.captured;
    let mut warnings = [captured.losses.as_slice(), &captured.notes].concat();
    if let Some(note) = words.lacks_names {
        super::say(format_args!("note: {note}"));
        warnings.push(note.to_owned());
    }
    emit_format(to, format, style, &mut |out| write(format, &head, words, &warnings, out))
}
