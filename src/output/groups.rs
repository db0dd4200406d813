//! The groups that match, for people: the name of each stack, its frames, its goroutines.

use super::fit;
use super::numbers::{counted, first_of, thousands, wait_range};
use super::quantity::all_values;
use super::repeats::{Run, runs};
use super::side_by_side::{Alignment, FunctionLine};
use super::table::cut;
use super::terminal::{Paint, Screen};
use crate::group::Group;
use crate::profile::{FrameId, Profile};
use crate::rules::Names;
use crate::view::goroutines::export::{Category, Export, Stack};
use crate::view::table::Order;
use crate::view::values::quantity::Quantity;
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Ids of a group that are named; more are counted.
const IDS_SHOWN: usize = 3;
/// Inputs in the heading of a stack that are named; more are counted.
const INPUTS_SHOWN: usize = 3;
/// The widest names that the rest of a heading is aligned after.
const WIDEST_NAME: usize = 68;
/// The widest category that room is kept for next to a name.
const WIDEST_CATEGORY: usize = 20;
/// A category isn't cut to less than this.
const NARROWEST_CATEGORY: usize = 5;

/// How frames are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frames {
    /// Function and place on a line each.
    Both,
    /// Function and place next to each other.
    Columns,
    /// Functions only.
    Functions,
    /// Places only.
    Places,
    /// No frames.
    None,
}

/// How groups are listed.
#[derive(Clone, Copy, Debug)]
pub struct Listing<'a> {
    /// How frames are shown.
    pub frames: Frames,
    /// The order of stacks.
    pub order: Order,
    /// At most this many stacks.
    pub limit: Option<usize>,
    /// For each frame of the profile, whether it is own code, which is highlighted. May be empty.
    pub own: &'a [bool],
}

/// Writes a paragraph for each stack, then how many of all are selected.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    export: &Export<'_>,
    listing: &Listing<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut stacks = export.stacks(listing.order);
    let quantity = Quantity::of(export.profile);
    // Some stacks only have values of other types, and in a difference a stack may cancel out.
    stacks.retain(|(_, stack)| stack.facts.total != 0);
    let limit = listing.limit.unwrap_or(stacks.len());
    let paragraph = Paragraph { export, quantity: &quantity, own: listing.own, screen };
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
        quantity.with_noun(selected.of),
        thousands(selected.stacks as i128),
        counted(selected.of_stacks as i128, "stack"),
    );
    writeln!(out, "{}", screen.paint(Paint::Faint, text))
}

/// The text before the creator of goroutines.
const CREATED_BY: &str = "created by ";

struct Paragraph<'a> {
    export: &'a Export<'a>,
    quantity: &'a Quantity,
    own: &'a [bool],
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

    /// Writes category, name, count, inputs and waits.
    fn heading(
        &self,
        category: &Category<'_>,
        stack: &Stack<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (mut category, mut name) = (self.text(category.name), self.text(stack.name));
        let mut rest = self.quantity.with_noun(stack.facts.total);
        if self.several_inputs() {
            let names = stack.inputs.iter();
            let names = names.map(|of| self.screen.text(&self.profile().input(of.input).name));
            rest += &format!("  {}", first_of(names.map(Cow::into_owned), INPUTS_SHOWN));
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
            let for_category = fit::least_path(&category).min(WIDEST_CATEGORY) + 2;
            let for_name = room.saturating_sub(for_category);
            name = fit::name(&name, for_name);
            let left = room.saturating_sub(name.width() + 2);
            // A category without a path is cut at its end.
            category = cut(&fit::path(&category, left), left.max(NARROWEST_CATEGORY));
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
        let after = stack.elided.map(|elision| (elision.after as usize).min(frames.len()));
        let columns = self.columns(stack);
        for Run { at, len, times } in runs(frames, after) {
            if after == Some(at) {
                self.gap(stack, out)?;
            }
            // A frame that repeats says so on its own line, a block of frames on a line below it.
            let alone = if len == 1 && times > 1 { times } else { 1 };
            for &frame in &frames[at..at + len] {
                self.frame(frame, alone, style, &columns, out)?;
            }
            if len > 1 && times > 1 {
                let text = format!("  ({len} frames x {})", thousands(times as i128));
                writeln!(out, "{}", self.screen.paint(Paint::Faint, text))?;
            }
        }
        if after == Some(frames.len()) {
            self.gap(stack, out)?;
        }
        Ok(())
    }

    /// Writes where Go left out frames.
    fn gap(&self, stack: &Stack<'_>, out: &mut dyn Write) -> io::Result<()> {
        let Some(elision) = stack.elided else { return Ok(()) };
        let text = match elision.count {
            Some(count) => format!("  ... {} left out by Go", counted(count.into(), "frame")),
            None => "  ... frames left out by Go".to_owned(),
        };
        writeln!(out, "{}", self.screen.paint(Paint::Faint, text))
    }

    /// A frame, and how many times in a row it occurs.
    fn frame(
        &self,
        frame: FrameId,
        times: usize,
        style: Frames,
        columns: &Alignment<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (function, place) = (self.text(self.names().func(frame)), self.place(frame));
        let times = match times {
            1 => String::new(),
            times => format!("  x {}", thousands(times as i128)),
        };
        let is_own = self.own.get(frame.index()).is_some_and(|own| *own);
        let paint = if is_own { Paint::Strong } else { Paint::Plain };
        let function_alone =
            || self.screen.paint(paint, self.function(&function, 2 + times.width()));
        match style {
            Frames::Functions => writeln!(out, "  {}{times}", function_alone()),
            Frames::Places => writeln!(out, "  {}{times}", self.path(&place, 2 + times.width())),
            Frames::Both => {
                let place = self.screen.paint(Paint::Faint, self.path(&place, 6));
                writeln!(out, "  {}{times}\n      {place}", function_alone())
            }
            Frames::Columns | Frames::None => {
                let line = FunctionLine {
                    function: &function,
                    place: &place,
                    times: &times,
                    paint,
                    before: "",
                };
                columns.write(&line, out)
            }
        }
    }

    /// The columns of a stack's functions and of their creators, if places are next to them.
    fn columns(&self, stack: &Stack<'_>) -> Alignment<'_> {
        let frames = self.profile().stack(stack.stack).iter().map(|&frame| ("", frame));
        let groups = stack.inputs.iter().flat_map(|input| self.export.groups(input));
        let creators = groups.filter_map(|group| group.creator);
        let rows = frames.chain(creators.map(|frame| (CREATED_BY, frame)));
        Alignment::new(
            self.screen,
            rows.map(|(before, frame)| {
                let function = self.text(self.names().func(frame));
                (before.width(), function.into(), self.place(frame).into())
            }),
        )
    }

    /// A function after `before` columns.
    fn function<'t>(&self, text: &'t str, before: usize) -> Cow<'t, str> {
        match self.screen.width {
            Some(width) => fit::function(text, width.saturating_sub(before)),
            None => text.into(),
        }
    }

    /// A place after `before` columns.
    fn path<'t>(&self, text: &'t str, before: usize) -> Cow<'t, str> {
        match self.screen.width {
            Some(width) => fit::path(text, width.saturating_sub(before)),
            None => text.into(),
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

    /// The goroutines of the stack: groups, each below its creator.
    fn groups(&self, stack: &Stack<'_>, style: Frames, out: &mut dyn Write) -> io::Result<()> {
        let groups: Vec<&Group> =
            stack.inputs.iter().flat_map(|input| self.export.groups(input)).collect();
        // Made once: a stack may have as many creators as goroutines.
        let columns = self.columns(stack);
        let mut shown: Option<FrameId> = None;
        for group in groups {
            if let Some(creator) = group.creator
                && shown != Some(creator)
            {
                self.created_by(&columns, creator, style, out)?;
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

    /// `created by main.start  main.go:83`
    fn created_by(
        &self,
        columns: &Alignment<'_>,
        creator: FrameId,
        style: Frames,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let function = self.text(self.names().func(creator));
        if let Frames::Functions | Frames::None = style {
            let text = format!("{CREATED_BY}{}", self.function(&function, 2 + CREATED_BY.len()));
            return writeln!(out, "  {}", self.screen.paint(Paint::Faint, text));
        }
        let place = self.place(creator);
        let line = FunctionLine {
            before: CREATED_BY,
            function: &function,
            place: &place,
            times: "",
            paint: Paint::Faint,
        };
        columns.write(&line, out)
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
                let listing = Listing { frames, order: Order::Count, limit: None, own: &[] };
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
