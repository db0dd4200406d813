//! The headline of a diff, and the lines that a person should read before any row.

use super::cells::{change, count_at, percent, slope};
use crate::output::line::{Line, line};
use crate::output::measure::measured;
use crate::output::numbers::{counted, first_of, first_parts, thousands, wait};
use crate::output::terminal::Paint;
use crate::view::diff::{Diff, Grown, Own, Point, Process, STATUSES, Status};
use crate::view::table::key::Key;
use crate::view::table::profile_verdict::Total;
use std::collections::{BTreeMap, HashMap};

/// At most this many sample types, states and processes are named; the others are only counted.
const SHOWN: usize = 5;
/// With more points than this, the headline only has the first and the last total.
const TOTALS_SHOWN: usize = 6;
/// The last point, for [`count_at`].
const LAST: usize = usize::MAX;

/// The totals of the points, and how many rows have each status.
pub(super) fn headline(diff: &Diff) -> String {
    let (names, totals): (Vec<&str>, Vec<String>) = match diff.points.as_slice() {
        points if points.len() > TOTALS_SHOWN => {
            let ends = [&points[0], &points[points.len() - 1]];
            let total = |point: &&Point| diff.quantity.text(point.total);
            let mut totals: Vec<String> = ends.iter().map(total).collect();
            totals.insert(1, "...".to_owned());
            (vec![&ends[0].name, "...", &ends[1].name], totals)
        }
        points => {
            let text = |point: &Point| diff.quantity.text(point.total);
            points.iter().map(|point| (point.name.as_str(), text(point))).unzip()
        }
    };
    let over = match diff.points.len() {
        0..=2 => String::new(),
        points => format!(" over {points} points"),
    };
    let mut by = change(diff, diff.change);
    if let Some(percent) = percent(diff.percent()) {
        by += &format!(", {percent}");
    }
    if let Some(trend) = &diff.trend {
        by += &format!(", {} a point", slope(diff, trend.slope));
    }
    let scaled = match diff.normalized {
        true => format!(", each point scaled to {}", diff.quantity.text(diff.points[0].whole)),
        false => String::new(),
    };
    format!(
        "{}: {} {}{over} ({by}{scaled}): {}",
        names.join(" → "),
        totals.join(" → "),
        diff.quantity.noun(),
        tally(diff)
    )
}

/// How many rows have each status, and how much they changed; the changes add up to that of the total.
fn tally(diff: &Diff) -> String {
    let of_frames = diff.of_frames();
    let sum = |rows: usize, by: f64| match (of_frames, rows) {
        // A goroutine counts in the row of each of its frames, so sums would mean nothing.
        (true, _) | (_, 0) => String::new(),
        _ => format!(" ({})", change(diff, by)),
    };
    let mut parts = Vec::new();
    for (status, word) in STATUSES {
        let tally = diff.tally.get(&status).copied().unwrap_or_default();
        parts.push(match status {
            Status::New if tally.rows == 0 => format!("no new {}", plural(noun(diff))),
            Status::New => {
                let rows = counted(tally.rows as i128, noun(diff));
                // `3 stacks` becomes `3 new stacks`.
                let (number, noun) = rows.split_once(' ').unwrap_or((&rows, ""));
                format!("{number} new {noun}{}", sum(tally.rows, tally.change))
            }
            _ if tally.rows == 0 => continue,
            Status::Same if !diff.normalized => {
                format!("{} the same", thousands(tally.rows as i128))
            }
            _ => {
                let word = if status == Status::Same { "the same" } else { word };
                format!("{} {word}{}", thousands(tally.rows as i128), sum(tally.rows, tally.change))
            }
        });
    }
    if diff.below.rows > 0 {
        let rows = thousands(diff.below.rows as i128);
        parts.push(format!(
            "{rows} with smaller changes{}",
            sum(diff.below.rows, diff.below.change)
        ));
    }
    parts.join(", ")
}

fn plural(noun: &str) -> String {
    counted(0, noun).split_off("0 ".len())
}

/// The noun that rows are counted with.
pub(super) fn noun(diff: &Diff) -> &'static str {
    match diff.by.as_slice() {
        [Key::Shape | Key::Stack | Key::Id] => "stack",
        [Key::Category] => "category",
        [Key::Name] => "name",
        [Key::State] => "state",
        [Key::Function] => "function",
        [Key::Package] => "package",
        [Key::Input] => "input",
        _ => "row",
    }
}

/// The lines below the headline.
pub(super) fn lines(diff: &Diff) -> Vec<Line> {
    let mut lines = Vec::new();
    let [old, .., new] = diff.points.as_slice() else { return lines };
    if diff.quantity.is_of_goroutines() && (old.total != 0 || new.total != 0) {
        lines.push(line("mostly", Paint::Plain, states(old, new)));
    }
    if !diff.quantity.is_of_goroutines() && old.totals.len().max(new.totals.len()) > 1 {
        lines.push(line("total", Paint::Plain, totals(diff, old, new)));
    }
    if let Some(text) = diff.own.as_ref().and_then(|own| own_code(diff, own)) {
        lines.push(line("own code", Paint::Strong, text));
    }
    lines.extend(waits(old, new).map(|text| line("waiting", Paint::Plain, text)));
    if let Some(persist) = diff.persist {
        let text = match persist {
            0 => "no goroutine has the same id and stack as before".to_owned(),
            // Ids start over in every process, so after a restart some match by chance.
            many => format!(
                "{} of {} with the same id and stack, unless the process was restarted",
                thousands(many),
                thousands(old.total)
            ),
        };
        lines.push(line("staying", Paint::Plain, text));
    }
    if let Some(rises) = rising(diff) {
        lines.push(line("rising", Paint::Notice, rises));
    }
    if diff.processes.len() > 1 {
        lines.push(line("inputs", Paint::Plain, processes(diff)));
        lines.extend(unpaired(diff).map(|text| line("", Paint::Notice, text)));
    }
    if diff.selecting {
        let whole = |point: &Point| diff.quantity.text(point.whole);
        let all: Vec<String> = diff.points.iter().map(whole).collect();
        let text = format!("{} {} in all", all.join(" → "), diff.quantity.noun());
        // The headline counts what is selected: of how many.
        lines.push(line("of", Paint::Plain, text));
    }
    lines.extend(diff.notes.iter().map(|note| line("note", Paint::Notice, note.as_str())));
    lines
}

/// The functions of own code that grew most:
/// `main.piece +3.00 MiB, 9.00 MiB → 12.0 MiB; with what it calls ...`
fn own_code(diff: &Diff, own: &Own) -> Option<String> {
    let text = |grown: &Grown| {
        let at = |count: Option<&i128>| diff.quantity.text(count.copied().unwrap_or(0));
        let (old, new) = (at(grown.counts.first()), at(grown.counts.last()));
        format!("{} {} ({old} → {new})", grown.function, change(diff, grown.change))
    };
    let cum = own.cum.as_ref().map(|grown| format!("with what it calls {}", text(grown)));
    match (&own.flat, cum) {
        (None, None) => None,
        (Some(flat), cum) => {
            let same = own.cum.as_ref() == Some(flat);
            let cum = cum.filter(|_| !same).map_or(String::new(), |cum| format!("; {cum}"));
            Some(format!("grew most: {}{cum}", text(flat)))
        }
        (None, Some(cum)) => Some(format!("grew most: {cum}")),
    }
}

/// The totals of the sample types at the first and the last point, the selected type first.
fn totals(diff: &Diff, old: &Point, new: &Point) -> String {
    let mut known: Vec<((&str, &str), [i128; 2])> = Vec::new();
    // Protos may have very many types.
    let mut places = HashMap::new();
    for (point, side) in [(old, 0), (new, 1)] {
        for Total { kind, unit, total } in &point.totals {
            let name = (kind.as_str(), unit.as_str());
            let at = *places.entry(name).or_insert(known.len());
            if at == known.len() {
                known.push((name, [0; 2]));
            }
            known[at].1[side] = *total;
        }
    }
    known.sort_by_key(|((kind, _), _)| *kind != diff.quantity.noun());
    let texts = known.into_iter().map(|((kind, unit), [old, new])| {
        format!("{} {kind}", from_to(measured(old, unit), measured(new, unit)))
    });
    first_parts(texts, SHOWN)
}

fn states(old: &Point, new: &Point) -> String {
    let mut counts = BTreeMap::<&str, (i128, i128)>::new();
    for (state, count) in &old.states {
        counts.entry(state.as_deref().unwrap_or("unknown")).or_default().0 += count;
    }
    for (state, count) in &new.states {
        counts.entry(state.as_deref().unwrap_or("unknown")).or_default().1 += count;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|&(_, (old, new))| std::cmp::Reverse(old.max(new)));
    let text = |(state, (old, new))| format!("{state} {}", from_to(thousands(old), thousands(new)));
    first_parts(counts.into_iter().map(text), SHOWN)
}

/// `a → b`, or `a` if both are equal.
pub(super) fn from_to(old: String, new: String) -> String {
    if old == new { old } else { format!("{old} → {new}") }
}

/// The longest wait and how many are long, at the first and the last point.
fn waits(old: &Point, new: &Point) -> Option<String> {
    let ((_, before), (_, now)) = (old.waits.range()?, new.waits.range()?);
    let longest = match (before, now) {
        (0.0, 0.0) => return Some("none for a minute or more".to_owned()),
        (before, now) => from_to(wait(before), wait(now)),
    };
    let long = from_to(thousands(old.waits.long.into()), thousands(new.waits.long.into()));
    Some(format!("longest {longest}; {long} for 5 min or more"))
}

fn rising(diff: &Diff) -> Option<String> {
    let rising = diff.rows.iter().filter(|row| row.trend.is_some_and(|trend| trend.rises));
    let rows = rising.count();
    (rows > 0).then(|| {
        let verb = if rows == 1 { "rises" } else { "rise" };
        format!("{} {verb} at every step", counted(rows as i128, noun(diff)))
    })
}

fn processes(diff: &Diff) -> String {
    let mut changed: Vec<_> = diff
        .processes
        .iter()
        .filter_map(|process| Some((process, count_at(process, 0)?, count_at(process, LAST)?)))
        .collect();
    // The sort is stable: processes that changed equally stay in the order of their names.
    changed.sort_by_key(|(_, old, new)| std::cmp::Reverse((new - old).abs()));
    if changed.is_empty() {
        return "no input of one point is at the same path in another".to_owned();
    }
    let text = |count| diff.quantity.text(count);
    let texts = changed
        .into_iter()
        .map(|(process, old, new)| format!("{} {}", process.name, from_to(text(old), text(new))));
    first_parts(texts, SHOWN)
}

/// Processes that are only at the first point, or only at the last.
fn unpaired(diff: &Diff) -> Option<String> {
    let only = |here: usize, there: usize, point: &Point| {
        let is_only = |of: &&Process| count_at(of, here).is_some() && count_at(of, there).is_none();
        let names = diff.processes.iter().filter(is_only).map(|process| process.name.clone());
        let names: Vec<String> = names.collect();
        let names = Some(names.into_iter()).filter(|names| names.len() > 0)?;
        Some(format!("only at {}: {}", point.name, first_of(names, SHOWN)))
    };
    let (old, new) = (diff.points.first()?, diff.points.last()?);
    let texts = [only(0, LAST, old), only(LAST, 0, new)];
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}
