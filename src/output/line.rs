//! Lines with a label, which verdicts consist of.

use super::fit;
use super::table::wrap;
use super::terminal::{Paint, Screen};
use std::io::{self, Write};

/// Width of labels.
const LABEL: usize = 9;

/// A line of a verdict.
#[derive(Clone, Debug)]
pub struct Line {
    /// The subject; empty if the line continues the one above.
    pub label: &'static str,
    /// How it is painted.
    pub paint: Paint,
    /// The text.
    pub text: String,
    /// Whether it is a command or a frame: those are copied, not read, so they aren't wrapped.
    pub is_code: bool,
}

/// A line of prose.
pub fn line(label: &'static str, paint: Paint, text: impl Into<String>) -> Line {
    Line { label, paint, text: text.into(), is_code: false }
}

/// A command or a frame below a line of prose.
pub fn code(text: impl Into<String>) -> Line {
    Line { is_code: true, ..line("", Paint::Faint, text) }
}

/// Writes lines for people; prose is wrapped.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(lines: &[Line], screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        let text = screen.text(&line.text);
        let lines = match screen.width {
            Some(width) if !line.is_code => {
                let room = width.saturating_sub(LABEL + 2).max(40);
                wrap(&fit::sentence(&text, room), room)
            }
            _ => vec![text.into_owned()],
        };
        for (at, text) in lines.into_iter().enumerate() {
            let label = if at == 0 { line.label } else { "" };
            let label = screen.paint(Paint::Faint, format!("{label:<LABEL$}"));
            writeln!(out, "  {label}{}", screen.paint(line.paint, text))?;
        }
    }
    Ok(())
}
