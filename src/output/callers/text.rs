//! Callers and callees for people.

use super::{Calls, Report, values};
use crate::output::fit;
use crate::output::measure::Values;
use crate::output::numbers::{counted, share, thousands};
use crate::output::side_by_side::{Alignment, FunctionLine};
use crate::output::table::cut;
use crate::output::terminal::{Paint, Screen};
use crate::profile::Profile;
use crate::view::calls::callers::tags::Tag;
use crate::view::calls::callers::traces::Trace;
use crate::view::calls::callers::{Branch, Edge, Function, Listing};
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Width of values.
const VALUE: usize = 10;
/// Width of shares.
const SHARE: usize = 7;

pub(super) fn write(
    profile: &Profile,
    report: &Report,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (values, limit) = (values(profile, report), report.limit());
    let all = match &report.calls {
        Calls::Functions(all) => {
            let write = |function: &Function, out: &mut dyn Write| {
                write_peek(function, &values, report.whole(), screen, out)
            };
            spaced(all.iter().take(limit), write, out)?;
            all.len()
        }
        Calls::Tree(all) => {
            let head = format!("{:>VALUE$} {:>SHARE$} {:>VALUE$}  FUNCTION", "CUM", "CUM%", "FLAT");
            writeln!(out, "{}", screen.paint(Paint::Faint, head))?;
            let indentation = indentation(all.branches(), screen);
            for branch in all.branches().take(limit) {
                write_branch(&branch, indentation, &values, report.whole(), screen, out)?;
            }
            all.len()
        }
        Calls::Traces(all) => {
            let write = |trace: &Trace, out: &mut dyn Write| {
                write_trace(profile, trace, report, &values, screen, out)
            };
            spaced(all.iter().take(limit), write, out)?;
            all.len()
        }
        Calls::Tags(all) => {
            let write =
                |tag: &Tag, out: &mut dyn Write| write_tag(tag, &values, report, screen, out);
            spaced(all.iter(), write, out)?;
            // All labels are shown, each with so many values.
            0
        }
        Calls::List(all) => {
            writeln!(out, "Total: {}", values.text(report.whole()))?;
            for listing in all.iter().take(limit) {
                write_listing(listing, &values, report.whole(), screen, out)?;
            }
            all.len()
        }
    };
    let left_out = report.left_out + all.saturating_sub(limit);
    if left_out > 0 {
        let text = format!("... and {}", counted(left_out as i128, "more row"));
        writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
    }
    Ok(())
}

/// Writes all of them with blank lines between.
fn spaced<'a, T: 'a>(
    all: impl Iterator<Item = &'a T>,
    mut write: impl FnMut(&T, &mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (at, one) in all.enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write(one, out)?;
    }
    Ok(())
}

/// Callers above, the function in the middle and further left, callees below.
fn write_peek(
    function: &Function,
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let edge = |edge: &Edge| {
        let inline = if edge.inline { " (inline)" } else { "" };
        let value = values.text(edge.value);
        let value = format!("    {value:>VALUE$} {:>SHARE$}", share(edge.value, function.cum));
        let taken = value.width() + 2 + inline.len();
        format!("{value}  {}{inline}", fitted(&edge.name, taken, screen))
    };
    for caller in &function.callers {
        writeln!(out, "{}", edge(caller))?;
    }
    let value =
        format!("{:>VALUE$} {:>SHARE$}", values.text(function.cum), share(function.cum, whole));
    let flat =
        format!("(of its own {}, {})", values.text(function.flat), share(function.flat, whole));
    let whole = format!("{value}  {}  {flat}", screen.text(&function.name));
    let own = match screen.width {
        Some(width) if whole.width() > width => {
            let name = fitted(&function.name, value.width() + flat.width() + 4, screen);
            let one_line = format!("{value}  {name}  {flat}");
            match one_line.width() <= width {
                true => one_line,
                false => format!("{value}  {name}\n{:1$}{flat}", "", value.width() + 2),
            }
        }
        _ => whole,
    };
    for line in own.lines() {
        writeln!(out, "{}", screen.paint(Paint::Strong, line))?;
    }
    for callee in &function.callees {
        writeln!(out, "{}", edge(callee))?;
    }
    Ok(())
}

/// Columns before the functions of a tree.
const TREE: usize = VALUE + 1 + SHARE + 1 + VALUE + 2;

/// The indentation of each level of a tree in columns, and the deepest level that is indented further.
fn indentation(branches: impl Iterator<Item = Branch>, screen: &Screen) -> (usize, usize) {
    /// Columns that are left for functions, if the screen is wide enough.
    const FUNCTION: usize = 30;
    const WIDEST: usize = 120;
    let room = screen.width.map_or(WIDEST, |width| width.saturating_sub(TREE + FUNCTION));
    let room = room.clamp(10, WIDEST);
    let deepest = branches.map(|branch| branch.indent).max().unwrap_or(0);
    let step = if 2 * deepest <= room { 2 } else { 1 };
    (step, room / step)
}

fn write_branch(
    branch: &Branch,
    (step, deepest): (usize, usize),
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let indent = step * branch.indent.min(deepest);
    let flat = match branch.flat {
        0 => String::new(),
        flat => values.text(flat),
    };
    let value = values.text(branch.cum);
    let value = format!("{value:>VALUE$} {:>SHARE$} {flat:>VALUE$}", share(branch.cum, whole));
    let taken = value.width() + 2 + indent;
    writeln!(out, "{value}  {:indent$}{}", "", fitted(&branch.name, taken, screen))
}

/// A function and its place, if it has one, after `taken` columns: the place is on the next line if there
/// is no room for both.
fn fitted(name: &str, taken: usize, screen: &Screen) -> String {
    let name = screen.text(name);
    let Some(width) = screen.width else { return name.into_owned() };
    let room = width.saturating_sub(taken);
    let fitted = fit::located(&name, room);
    match fitted.rsplit_once(' ') {
        Some((function, place)) if fitted.width() > room && fit::is_place(place) => {
            format!("{function}\n{:1$}{place}", "", taken + 2)
        }
        _ => fitted,
    }
}

fn write_trace(
    profile: &Profile,
    trace: &Trace,
    report: &Report,
    values: &Values<'_>,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let labels = trace.labels.iter().map(|label| format!("{}={}", label.key, label.text));
    let labels = labels.collect::<Vec<_>>().join(" ");
    let mut labels = screen.text(&labels);
    let head = format!("{} {}", values.text(trace.value), share(trace.value, report.whole()));
    if let Some(width) = screen.width {
        labels = cut(&labels, width.saturating_sub(head.width() + 2)).into();
    }
    let head = screen.paint(Paint::Strong, head);
    writeln!(out, "{}", [&*head, &*labels].join("  ").trim_end())?;
    let frames = || trace.frames.iter().map(|frame| &**frame);
    let lines = frames().map(|(func, place)| (screen.text(func), screen.text(place)));
    let columns = Alignment::new(screen, lines.clone().map(|(func, place)| (0, func, place)));
    for ((func, place), (function, file)) in lines.zip(frames()) {
        let paint = match report.is_own(&profile.modules, function, file) {
            true => Paint::Strong,
            false => Paint::Plain,
        };
        let line = FunctionLine { before: "", function: &func, place: &place, times: "", paint };
        columns.write(&line, out)?;
    }
    Ok(())
}

/// In the form of `go tool pprof -list`.
fn write_listing(
    listing: &Listing,
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = match (&*listing.file, &listing.source) {
        ("", _) => "an unknown file".to_owned(),
        (file, None) => format!("{file} (no source here)"),
        (file, Some(source)) if source.path == file => file.to_owned(),
        (file, Some(source)) => format!("{file} (here {})", source.path),
    };
    let head = format!("ROUTINE ======================== {} in {place}", listing.function);
    writeln!(out, "{}", screen.paint(Paint::Strong, screen.text(&head)))?;
    let (flat, cum) = (values.text(listing.flat), values.text(listing.cum));
    let share = share(listing.cum, whole);
    writeln!(out, "{flat:>VALUE$} {cum:>VALUE$} (flat, cum) {share:>6} of Total")?;
    let or_dot = |value: i128| if value == 0 { ".".to_owned() } else { values.text(value) };
    let mut before: Option<i64> = None;
    for line in listing.shown() {
        let left_out = before.map_or(0, |before| line.saturating_sub(before) - 1);
        if left_out > 0 && listing.source.is_some() {
            let text = format!("... {} more lines", thousands(left_out.into()));
            writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
        }
        before = Some(line);
        let known = listing.lines.get(&line);
        let (flat, cum) = known.copied().unwrap_or_default();
        let text = screen.text(listing.text(line).unwrap_or_default());
        let text = format!("{:>VALUE$} {:>VALUE$} {line:>6}:{text}", or_dot(flat), or_dot(cum));
        let paint = if known.is_some() { Paint::Strong } else { Paint::Plain };
        writeln!(out, "{}", screen.paint(paint, text.trim_end()))?;
    }
    Ok(())
}

fn write_tag(
    tag: &Tag,
    values: &Values<'_>,
    report: &Report,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = report.whole();
    let head = format!(
        "{}: {} of {} ({})",
        screen.text(&tag.key),
        values.text(tag.total),
        values.text(whole),
        share(tag.total, whole)
    );
    writeln!(out, "{}", screen.paint(Paint::Strong, head))?;
    for (text, value) in tag.values.iter().take(report.limit()) {
        let (value, share) = (values.text(*value), share(*value, whole));
        let value = format!("{value:>VALUE$} {share:>SHARE$}  ");
        let text = screen.text(text);
        let text = match screen.width {
            Some(width) => Cow::from(cut(&text, width.saturating_sub(value.width()))),
            None => text,
        };
        writeln!(out, "{value}{text}")?;
    }
    let rest = tag.values.len() - tag.values.len().min(report.limit());
    if rest > 0 {
        let text = format!("... and {}", counted(rest as i128, "more value"));
        writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
    }
    Ok(())
}
