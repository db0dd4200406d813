//! The groups that match, for people: what a stack is doing, its frames, who is in it.

use super::numbers::{counted, thousands, wait_range};
use super::quantity::all_values;
use super::table::{cut, cut_start};
use super::terminal::{Paint, Screen};
use crate::group::Group;
use crate::profile::{FrameId, Profile};
use crate::rules::Names;
use crate::view::export::{Category, Export, Stack};
use crate::view::quantity::Quantity;
use crate::view::summary::Order;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Ids named of a group; more are counted.
const IDS_SHOWN: usize = 3;
/// Inputs named in the heading of a stack; more are counted.
const INPUTS_SHOWN: usize = 3;
/// How far the names of stacks push what stands to their right.
const WIDEST_NAME: usize = 68;
/// How far functions push the places to their right.
const WIDEST_FUNCTION: usize = 100;

/// What the name of a stack is never cut to less than on a terminal.
const NARROWEST: usize = 20;

/// How frames are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frames {
    /// Function and place under each other.
    Both,
    /// Function and place side by side.
    Columns,
    /// Functions only.
    Functions,
    /// Places only.
    Places,
    /// No frames.
    None,
}

/// How the groups are listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing {
    /// How frames are shown.
    pub frames: Frames,
    /// Order of stacks.
    pub order: Order,
    /// At most so many stacks.
    pub limit: Option<usize>,
}

/// Writes a paragraph for each stack, then how much that was of all.
pub fn write(
    export: &Export<'_>,
    listing: &Listing,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut stacks: Vec<(&Category<'_>, &Stack<'_>)> = export
        .categories
        .iter()
        .flat_map(|category| category.stacks.iter().map(move |stack| (category, stack)))
        .collect();
    let quantity = Quantity::of(export.profile);
    // Some only count something of other types, and of a difference nothing may be left.
    stacks.retain(|(_, stack)| stack.facts.total != 0);
    // Stable: equal ones stay sorted by category, name and id.
    match listing.order {
        Order::Name => {}
        Order::Count | Order::Cum => {
            stacks.sort_by_key(|(_, stack)| Reverse(stack.facts.total.unsigned_abs()));
        }
        Order::Wait => stacks.sort_by(|(_, a), (_, b)| {
            let longest =
                |stack: &Stack<'_>| stack.facts.waits.range().map_or(-1.0, |(_, max)| max);
            longest(b).total_cmp(&longest(a))
        }),
    }
    let limit = listing.limit.unwrap_or(stacks.len());
    let paragraph = Paragraph { export, quantity: &quantity, screen };
    for (category, stack) in stacks.iter().take(limit) {
        paragraph.heading(category, stack, out)?;
        paragraph.frames(stack, listing.frames, out)?;
        paragraph.groups(stack, listing.frames, out)?;
        writeln!(out)?;
    }
    if stacks.is_empty() {
        return Ok(());
    }
    let left_out = stacks.len().saturating_sub(limit);
    let more = match left_out {
        0 => String::new(),
        left_out => format!("... and {}; ", counted(left_out as i128, "more stack")),
    };
    let selected = &export.selected;
    let text = format!(
        "{more}{} of {} in {} of {}",
        quantity.text(selected.goroutines),
        quantity.told(selected.of),
        thousands(selected.stacks as i128),
        counted(selected.of_stacks as i128, "stack"),
    );
    writeln!(out, "{}", screen.paint(Paint::Faint, text))
}

struct Paragraph<'a> {
    export: &'a Export<'a>,
    quantity: &'a Quantity,
    screen: &'a Screen,
}

impl Paragraph<'_> {
    fn profile(&self) -> &Profile {
        self.export.profile
    }

    fn names(&self) -> &Names {
        self.export.names
    }

    fn text(&self, bytes: &[u8]) -> String {
        self.screen.text(&String::from_utf8_lossy(bytes)).into_owned()
    }

    fn several_inputs(&self) -> bool {
        self.profile().inputs.len() > 1
    }

    /// Category, name, how many, in which inputs, waiting how long.
    fn heading(
        &self,
        category: &Category<'_>,
        stack: &Stack<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (mut category, mut name) = (self.text(category.name), self.text(stack.name));
        let mut rest = self.quantity.told(stack.facts.total);
        if self.several_inputs() {
            let names = stack.inputs.iter().take(INPUTS_SHOWN);
            let names: Vec<String> = names
                .map(|input| self.text(self.profile().input(input.input).name.as_bytes()))
                .collect();
            rest += &format!("  {}", names.join(", "));
            if let more @ 1.. = stack.inputs.len().saturating_sub(INPUTS_SHOWN) {
                rest += &format!(", and {more} more");
            }
        }
        let waits = wait_range(stack.facts.waits.range());
        if !waits.is_empty() {
            rest += &format!("  {waits}");
        }
        let room = match self.screen.width {
            Some(width) => width.saturating_sub(rest.width() + 2).min(WIDEST_NAME),
            None => WIDEST_NAME,
        };
        if self.screen.width.is_some() {
            name = cut(&name, room.saturating_sub(category.width() + 2).max(NARROWEST));
            category = cut(&category, room.saturating_sub(name.width() + 2).max(NARROWEST / 4));
        }
        let used = category.width() + 2 + name.width();
        let gap = " ".repeat(room.saturating_sub(used) + 2);
        let category = match category.is_empty() {
            true => Cow::Borrowed(""),
            false => self.screen.paint(Paint::Name, format!("{category}  ")),
        };
        writeln!(out, "{category}{}{gap}{rest}", self.screen.paint(Paint::Strong, name))
    }

    fn frames(&self, stack: &Stack<'_>, style: Frames, out: &mut dyn Write) -> io::Result<()> {
        if style == Frames::None {
            return Ok(());
        }
        let frames = self.profile().stack(stack.stack);
        let after = stack.elided.map(|elision| elision.after as usize);
        let gap = |out: &mut dyn Write| {
            let Some(elision) = stack.elided else { return Ok(()) };
            let text = match elision.count {
                Some(count) => format!("  ... {} left out by Go", counted(count.into(), "frame")),
                None => "  ... frames left out by Go".to_owned(),
            };
            writeln!(out, "{}", self.screen.paint(Paint::Faint, text))
        };
        let functions: Vec<String> =
            frames.iter().map(|&frame| self.text(self.names().func(frame))).collect();
        let column = self.column(stack);
        for (at, (&frame, function)) in frames.iter().zip(&functions).enumerate() {
            if after == Some(at) {
                gap(out)?;
            }
            let place = self.place(frame);
            let faint = |text: &str| self.screen.paint(Paint::Faint, text.to_owned()).into_owned();
            match style {
                Frames::Functions => writeln!(out, "  {}", self.start(function, 2))?,
                Frames::Places => writeln!(out, "  {}", self.end(&place, 2))?,
                Frames::Both => {
                    let (function, place) = (self.start(function, 2), self.end(&place, 6));
                    writeln!(out, "  {function}\n      {}", faint(&place))?;
                }
                Frames::Columns | Frames::None => {
                    let (function, place) = self.both(function, &place, column);
                    let line = beside("  ", &function, &faint(&place), column);
                    writeln!(out, "{}", line.trim_end())?;
                }
            }
        }
        if after.is_some_and(|after| after >= frames.len()) {
            gap(out)?;
        }
        Ok(())
    }

    /// How wide the functions of a stack and of what created it are.
    fn column(&self, stack: &Stack<'_>) -> usize {
        let width = |frame: FrameId| self.text(self.names().func(frame)).width();
        let frames = self.profile().stack(stack.stack).iter().map(|&frame| width(frame));
        let groups = stack.inputs.iter().flat_map(|input| self.export.groups(input));
        let creators = groups.filter_map(|group| group.creator);
        let creators = creators.map(|frame| "created by ".len() + width(frame));
        let widest = match self.screen.width {
            Some(width) => (width * 2 / 3).min(WIDEST_FUNCTION),
            None => WIDEST_FUNCTION,
        };
        frames.chain(creators).max().unwrap_or(0).min(widest)
    }

    /// The text behind so many columns, cut where the screen ends.
    fn start(&self, text: &str, before: usize) -> String {
        match self.screen.width {
            Some(width) => cut(text, width.saturating_sub(before).max(NARROWEST)),
            None => text.to_owned(),
        }
    }

    /// The same, but the end is kept: of a place that is the line.
    fn end(&self, text: &str, before: usize) -> String {
        match self.screen.width {
            Some(width) => cut_start(text, width.saturating_sub(before).max(NARROWEST)),
            None => text.to_owned(),
        }
    }

    /// A function and a place that stand side by side behind two blanks.
    fn both(&self, function: &str, place: &str, column: usize) -> (String, String) {
        match self.screen.width {
            Some(_) => (cut(function, column), self.end(place, column + 4)),
            None => (function.to_owned(), place.to_owned()),
        }
    }

    /// `file:line`; empty for frames without a place.
    fn place(&self, frame: FrameId) -> String {
        let file = self.names().file(frame);
        match file.is_empty() {
            true => String::new(),
            false => format!("{}:{}", self.text(file), self.profile().frame(frame).line),
        }
    }

    /// Who is in the stack: groups below what created them.
    fn groups(&self, stack: &Stack<'_>, style: Frames, out: &mut dyn Write) -> io::Result<()> {
        let groups: Vec<&Group> =
            stack.inputs.iter().flat_map(|input| self.export.groups(input)).collect();
        let mut shown: Option<FrameId> = None;
        for group in groups {
            if let Some(creator) = group.creator
                && shown != Some(creator)
            {
                let text = format!("created by {}", self.text(self.names().func(creator)));
                let text = match style {
                    Frames::Functions | Frames::None => self.start(&text, 2),
                    _ => {
                        let column = self.column(stack);
                        let (text, place) = self.both(&text, &self.place(creator), column);
                        beside("", &text, &place, column)
                    }
                };
                writeln!(out, "  {}", self.screen.paint(Paint::Faint, text.trim_end()))?;
                shown = Some(creator);
            }
            let text = self.group(group);
            let text = match self.screen.width {
                Some(width) => cut(&text, width.saturating_sub(2).max(40)),
                None => text,
            };
            writeln!(out, "  {text}")?;
        }
        Ok(())
    }

    /// `n3  sync.Mutex.Lock, 8-9m: 5101, 5102, 5109, and 6 more  tenant=4`
    fn group(&self, group: &Group) -> String {
        let profile = self.profile();
        let mut text = String::new();
        if self.several_inputs() {
            text += &self.text(profile.input(group.input).name.as_bytes());
            text += "  ";
        }
        text += &match self.quantity {
            Quantity::Goroutines => self.goroutines(group),
            Quantity::Values { .. } => self.screen.text(&all_values(profile, &group.values)).into(),
        };
        for label in profile.labels(group.labels) {
            let value = profile.label_text(label.value);
            text += &format!("  {}={}", self.text(profile.str(label.key)), self.text(&value));
        }
        text
    }

    /// `sync.Mutex.Lock, 8-9m, locked to thread: 5101, 5102, 5109, and 6 more`
    fn goroutines(&self, group: &Group) -> String {
        let profile = self.profile();
        let mut text = match group.state {
            Some(state) => self.text(profile.str(state)),
            None => "unknown state".to_owned(),
        };
        let waits = wait_range(group.waits.range());
        if !waits.is_empty() {
            text += &format!(", {waits}");
        }
        for &flag in profile.flags(group.flags) {
            text += &format!(", {}", self.text(profile.str(flag)));
        }
        text += ": ";
        text += &self.ids(group);
        text
    }

    fn ids(&self, group: &Group) -> String {
        let goroutines = self.export.goroutines(group);
        let shown = goroutines.iter().take(IDS_SHOWN);
        let mut ids: Vec<String> =
            shown.map(|&at| self.export.goroutine(at).id.to_string()).collect();
        match group.count - ids.len() as i128 {
            0 => {}
            all if ids.is_empty() => ids.push(counted(all, "goroutine")),
            more => ids.push(format!("and {} more", thousands(more))),
        }
        ids.join(", ")
    }
}

/// A function and its place side by side, the places of a stack below each other.
fn beside(indent: &str, function: &str, place: &str, column: usize) -> String {
    let pad = " ".repeat(column.saturating_sub(function.width()) + 2);
    format!("{indent}{function}{pad}{place}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::Fixture;

    #[test]
    fn nothing_is_wider_than_the_screen() {
        let fixture = Fixture::everything();
        let export = Export::new(&fixture.profile, &fixture.names, &fixture.selection);
        let styles =
            [Frames::Both, Frames::Columns, Frames::Functions, Frames::Places, Frames::None];
        for frames in styles {
            for width in [60, 80] {
                let listing = Listing { frames, order: Order::Count, limit: None };
                let screen = Screen { width: Some(width), ..Screen::PIPE };
                let mut out = Vec::new();
                write(&export, &listing, &screen, &mut out).unwrap();
                for line in String::from_utf8(out).unwrap().lines() {
                    assert!(line.width() <= width, "{frames:?} {width}: {line}");
                }
            }
        }
    }
}
