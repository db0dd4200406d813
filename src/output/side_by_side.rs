//! Functions with their places next to them, or below them if there is no room.

use super::fit;
use super::terminal::{Paint, Screen};
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// The widest functions that places are aligned after, if lines may have any length.
const WIDEST_FUNCTION: usize = 100;

/// How wide functions are, so their places are aligned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alignment<'a> {
    functions: usize,
    screen: &'a Screen,
}

/// A line with a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionLine<'a> {
    /// The text before the function.
    pub(super) before: &'a str,
    pub(super) function: &'a str,
    /// The source position; empty if it isn't known.
    pub(super) place: &'a str,
    /// The text after the place.
    pub(super) times: &'a str,
    pub(super) paint: Paint,
}

impl<'a> Alignment<'a> {
    /// The alignment of these lines: each has the width of the text before a function, the function and its
    /// place. Functions aren't cut if there is room for all file names; otherwise import paths are left
    /// out.
    pub(super) fn new<'t>(
        screen: &'a Screen,
        lines: impl Iterator<Item = (usize, Cow<'t, str>, Cow<'t, str>)>,
    ) -> Alignment<'a> {
        let (mut whole, mut short, mut file, mut most_before) = (0, 0, 0, 0);
        for (before, function, place) in lines {
            whole = whole.max(before + function.width());
            short = short.max(before + fit::base(&function).width());
            file = file.max(fit::least_path(&place));
            most_before = most_before.max(before);
        }
        let Some(width) = screen.width else {
            return Alignment { functions: whole.min(WIDEST_FUNCTION), screen };
        };
        // Two blanks come before functions and two before places.
        let room = width.saturating_sub(4 + file);
        let functions = if whole <= room { whole } else { short.min(room) };
        Alignment { functions: functions.max(most_before), screen }
    }

    /// Writes one line, or two if the place doesn't fit.
    pub(super) fn write(&self, line: &FunctionLine<'_>, out: &mut dyn Write) -> io::Result<()> {
        let FunctionLine { before, times, paint, .. } = *line;
        let screen = self.screen;
        let function = match screen.width {
            Some(_) => fit::function(line.function, self.functions - before.width()),
            None => line.function.into(),
        };
        let used = before.width() + function.width();
        let (mut gap, mut place) = (self.functions.saturating_sub(used) + 2, Cow::from(line.place));
        if let Some(width) = screen.width {
            let room = width.saturating_sub(2 + used + gap + times.width());
            place = fit::path(line.place, room);
            if place.width() > room {
                // The place on a line of its own.
                let function = screen.paint(paint, function);
                writeln!(out, "  {}{function}{times}", screen.paint(Paint::Faint, before))?;
                let place = fit::path(line.place, width.saturating_sub(6));
                return writeln!(out, "      {}", screen.paint(Paint::Faint, place));
            }
        }
        if place.is_empty() && times.is_empty() {
            gap = 0;
        }
        writeln!(
            out,
            "  {}{}{:gap$}{}{times}",
            screen.paint(Paint::Faint, before),
            screen.paint(paint, function),
            "",
            screen.paint(Paint::Faint, place),
        )
    }
}
