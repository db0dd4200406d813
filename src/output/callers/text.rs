//! The same for people.

use super::{Calls, Report, Values};
use crate::output::numbers::{counted, share};
use crate::output::terminal::{Paint, Screen};
use crate::profile::Profile;
use crate::view::callers::tags::Tag;
use crate::view::callers::traces::Trace;
use crate::view::callers::{Branch, Edge, Function};
use std::io::{self, Write};

/// Columns of values.
const VALUE: usize = 10;
/// Columns of shares.
const SHARE: usize = 7;

pub(super) fn write(
    profile: &Profile,
    report: &Report,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values = Values::new(profile, report);
    let shown = |len: usize| len.min(report.limit());
    let all = match &report.calls {
        Calls::Peek(functions) | Calls::Graph(functions, _) => {
            for (at, function) in functions.iter().take(report.limit()).enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                peek(function, &values, report.whole(), screen, out)?;
            }
            let left_out = match &report.calls {
                Calls::Graph(_, left_out) => *left_out,
                _ => 0,
            };
            left_out + functions.len() - shown(functions.len())
        }
        Calls::Tree(branches, left_out) => {
            let head = format!("{:>VALUE$} {:>SHARE$} {:>VALUE$}  FUNCTION", "CUM", "CUM%", "FLAT");
            writeln!(out, "{}", screen.paint(Paint::Faint, head))?;
            for branch in branches.iter().take(report.limit()) {
                tree(branch, &values, report.whole(), screen, out)?;
            }
            left_out + branches.len() - shown(branches.len())
        }
        Calls::Traces(traces) => {
            for (at, trace) in traces.iter().take(report.limit()).enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                traced(trace, &values, report.whole(), screen, out)?;
            }
            traces.len() - shown(traces.len())
        }
        Calls::Tags(tags) => {
            for (at, tag) in tags.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                tagged(tag, &values, report, screen, out)?;
            }
            0
        }
    };
    if all > 0 {
        let text = format!("... and {}", counted(all as i128, "more row"));
        writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
    }
    Ok(())
}

/// Callers above, the function in the middle and further left, callees below.
fn peek(
    function: &Function,
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let edge = |edge: &Edge| {
        let inline = if edge.inline { " (inline)" } else { "" };
        format!(
            "    {:>VALUE$} {:>SHARE$}  {}{inline}",
            values.text(edge.value),
            share(edge.value, function.cum),
            screen.text(&edge.name),
        )
    };
    for caller in &function.callers {
        writeln!(out, "{}", edge(caller))?;
    }
    let own = format!(
        "{:>VALUE$} {:>SHARE$}  {}  (of its own {}, {})",
        values.text(function.cum),
        share(function.cum, whole),
        screen.text(&function.name),
        values.text(function.flat),
        share(function.flat, whole),
    );
    writeln!(out, "{}", screen.paint(Paint::Strong, own))?;
    for callee in &function.callees {
        writeln!(out, "{}", edge(callee))?;
    }
    Ok(())
}

fn tree(
    branch: &Branch,
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    /// Deeper ones start where these do.
    const DEEPEST: usize = 60;
    writeln!(
        out,
        "{:>VALUE$} {:>SHARE$} {:>VALUE$}  {:indent$}{}",
        values.text(branch.cum),
        share(branch.cum, whole),
        match branch.flat {
            0 => String::new(),
            flat => values.text(flat),
        },
        "",
        screen.text(&branch.name),
        indent = 2 * branch.indent.min(DEEPEST),
    )
}

fn traced(
    trace: &Trace,
    values: &Values<'_>,
    whole: i128,
    screen: &Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let labels: Vec<String> = trace
        .labels
        .iter()
        .map(|label| screen.text(&format!("{}={}", label.key, label.text)).into_owned())
        .collect();
    let head = format!("{} {}", values.text(trace.value), share(trace.value, whole));
    let head = screen.paint(Paint::Strong, head);
    writeln!(out, "{}", [head.to_string(), labels.join(" ")].join("  ").trim_end())?;
    let widest = trace.frames.iter().map(|(func, _)| func.chars().count()).max().unwrap_or(0);
    for (func, place) in &trace.frames {
        let line = format!("  {:widest$}  {}", screen.text(func), screen.text(place));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn tagged(
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
        writeln!(out, "{value:>VALUE$} {share:>SHARE$}  {}", screen.text(text))?;
    }
    let rest = tag.values.len() - tag.values.len().min(report.limit());
    if rest > 0 {
        let text = format!("... and {}", counted(rest as i128, "more value"));
        writeln!(out, "{}", screen.paint(Paint::Faint, text))?;
    }
    Ok(())
}
