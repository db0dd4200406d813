//! Functions with their places beside them, or below them where there is no room.

use super::fit;
use super::terminal::{Paint, Screen};
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// How far functions push the places to their right where lines may be of any length.
const WIDEST_FUNCTION: usize = 100;

/// How wide the functions of a stack are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'a> {
    functions: usize,
    screen: &'a Screen,
}

/// A function on a line of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// What stands in front of it.
    pub(super) before: &'a str,
    pub(super) function: &'a str,
    /// Empty where it isn't known.
    pub(super) place: &'a str,
    /// What stands behind it.
    pub(super) times: &'a str,
    pub(super) paint: Paint,
}

impl<'a> Columns<'a> {
    /// For lines with so much in front of a function, the function and its place: functions are
    /// whole if there is room for all file names, else without import paths.
    pub(super) fn new<'t>(
        screen: &'a Screen,
        lines: impl Iterator<Item = (usize, Cow<'t, str>, Cow<'t, str>)>,
    ) -> Columns<'a> {
        let (mut whole, mut short, mut file, mut most_before) = (0, 0, 0, 0);
        for (before, function, place) in lines {
            whole = whole.max(before + function.width());
            short = short.max(before + fit::base(&function).width());
            file = file.max(fit::least_path(&place));
            most_before = most_before.max(before);
        }
        let Some(width) = screen.width else {
            return Columns { functions: whole.min(WIDEST_FUNCTION), screen };
        };
        // Two blanks stand in front of functions and two in front of places.
        let room = width.saturating_sub(4 + file);
        let functions = if whole <= room { whole } else { short.min(room) };
        Columns { functions: functions.max(most_before), screen }
    }

    /// Writes a line, or two.
    pub(super) fn write(&self, line: &Line<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Line { before, times, paint, .. } = *line;
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
                // Below it.
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
