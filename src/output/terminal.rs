//! Where output goes: on a terminal it has colours, fits the width, and names are escaped; in a pipe every
//! byte is written as it is.

use crate::error::escaped;
pub(super) use crate::error::is_unsafe_to_print;
use anstyle::{AnsiColor, Style};
use std::borrow::Cow;

/// What text for people is written to, and which changes that needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Whether colours are written. The text is the same without them.
    pub color: bool,
    /// Whether control and bidi characters from inputs are escaped.
    pub escape: bool,
    /// Columns to fit in; `None` if lines can have any length.
    pub width: Option<usize>,
    /// Lines to fit in; `None` if there can be any number.
    pub height: Option<usize>,
}

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    /// No colour.
    Plain,
    /// The sentence or column that the eye should find first.
    Strong,
    /// Text that only leads to the rest: headings, tree lines, places.
    Faint,
    /// The name of a thing.
    Name,
    /// Something that deserves a look.
    Notice,
    /// Something that went wrong.
    Alarm,
}

impl Paint {
    fn style(self) -> Style {
        match self {
            Paint::Plain => Style::new(),
            Paint::Strong => Style::new().bold(),
            Paint::Faint => Style::new().dimmed(),
            Paint::Name => AnsiColor::Cyan.on_default(),
            Paint::Notice => AnsiColor::Yellow.on_default(),
            Paint::Alarm => AnsiColor::Red.on_default().bold(),
        }
    }
}

impl Screen {
    /// A pipe or a file: no colours, nothing escaped, lines of any length and number.
    pub const PIPE: Screen = Screen { color: false, escape: false, width: None, height: None };

    /// The text in the colour of its role.
    pub fn paint<'a>(&self, paint: Paint, text: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
        let text = text.into();
        if !self.color || paint == Paint::Plain || text.is_empty() {
            return text;
        }
        let style = paint.style();
        format!("{style}{text}{style:#}").into()
    }

    /// Text from inputs, escaped if necessary. In a pipe, too, it can't start a line.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.escape {
            true => escape(text),
            false if text.contains(['\n', '\r']) => {
                text.replace('\n', "\\n").replace('\r', "\\r").into()
            }
            false => text.into(),
        }
    }
}

/// The text with every character escaped that could control a terminal or change the order of what it
/// shows: control characters (C0, DEL, C1), line separators, and the marks that change the direction of
/// text.
///
/// ```
/// use stackgazer::output::terminal::escape;
/// assert_eq!(escape("main.\u{1b}[31mred"), r"main.\x1b[31mred");
/// assert_eq!(escape("main.\u{202e}kaerb"), r"main.\u{202e}kaerb");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    escaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_leaves_ordinary_text_alone() {
        for text in ["main.work", "größe → 数", "a\u{200d}b", r"C:\src\main.go"] {
            assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn escape_writes_out_whatever_steers_a_terminal() {
        assert_eq!(escape("a\u{1b}]0;title\u{7}b"), r"a\x1b]0;title\x07b");
        assert_eq!(escape("a\nb\tc\rd\u{7f}"), r"a\nb\tc\rd\x7f");
        assert_eq!(escape("\u{9b}31m"), r"\u{9b}31m");
        assert_eq!(escape("\u{2066}x\u{2069}\u{200f}"), r"\u{2066}x\u{2069}\u{200f}");
    }

    #[test]
    fn a_pipe_gets_everything_as_it_is() {
        assert_eq!(Screen::PIPE.text("\u{1b}[31m"), "\u{1b}[31m");
        assert_eq!(Screen::PIPE.text("a\nb\r"), r"a\nb\r", "but no name starts a line");
        assert_eq!(Screen::PIPE.paint(Paint::Alarm, "boom"), "boom");
    }

    #[test]
    fn colours_surround_the_text_and_change_none_of_it() {
        let screen = Screen { color: true, ..Screen::PIPE };
        let painted = screen.paint(Paint::Alarm, "boom");
        assert!(painted.starts_with('\u{1b}') && painted.ends_with('m'));
        assert!(painted.contains("boom"));
        assert_eq!(screen.paint(Paint::Alarm, ""), "");
    }
}
