//! The lines of the verdict, for the table and for Markdown.

use super::measured;
use crate::output::numbers::{counted, percent, thousands, wait};
use crate::output::table::cut;
use crate::output::terminal::Paint;
use crate::profile::{CrashKind, LONG_WAIT_MINUTES};
use crate::verdict::{Activity, CrashFact, Pile, Verdict, WaitFact};
use crate::view::summary::Summary;

/// Columns of what was raised that are shown; panics can print whole structures.
const RAISED_SHOWN: usize = 240;
/// States that the verdict names; more are counted.
const STATES_SHOWN: usize = 5;
/// Crashes that the verdict tells whole; more are counted.
const CRASHES_SHOWN: usize = 3;
/// Losses that the verdict names; all of them are in the warnings.
const LOSSES_SHOWN: usize = 3;
/// Inputs that differ from the others which the verdict names.
const OUTLIERS_SHOWN: usize = 3;
/// Running tests that the verdict names.
const TESTS_SHOWN: usize = 3;

/// A line of the verdict.
pub(super) struct Line {
    pub(super) label: &'static str,
    pub(super) paint: Paint,
    pub(super) text: String,
}

pub(super) fn line(label: &'static str, paint: Paint, text: impl Into<String>) -> Line {
    Line { label, paint, text: text.into() }
}

/// The lines of the verdict: what crashed comes first.
pub(super) fn lines(summary: &Summary, verdict: &Verdict, inputs: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for crash in verdict.crashes.iter().take(CRASHES_SHOWN) {
        add_crash(&mut lines, crash, inputs);
    }
    if let more @ 1.. = verdict.crashes.len().saturating_sub(CRASHES_SHOWN) {
        lines.push(line("", Paint::Alarm, format!("and {more} more inputs with a crash")));
    }
    lines.extend(hint(verdict, inputs));
    let deadlocks = verdict.waits.deadlocks.iter().take(CRASHES_SHOWN);
    lines.extend(deadlocks.map(|text| line("deadlock", Paint::Alarm, text)));
    if let Some(of) = &summary.measured {
        measured::add_lines(&mut lines, of, summary, inputs);
    } else if summary.total != 0 {
        lines.push(line("mostly", Paint::Strong, states(&verdict.activity)));
        lines.push(waits(&verdict.activity, inputs));
        lines.push(locks(&verdict.activity, inputs));
        lines.extend(chains(verdict, inputs));
        lines.push(leaks(&verdict.activity));
        if let Some(crowd) = &verdict.activity.crowd {
            let share = percent(crowd.count, summary.total);
            let text = format!(
                "{} of {} ({share}) are in {}",
                thousands(crowd.count),
                thousands(summary.total),
                crowd.function
            );
            lines.push(line("crowd", Paint::Plain, text));
        }
        add_outliers(&mut lines, verdict);
    }
    if verdict.races > 0 {
        let text = format!("{} of the race detector", counted(verdict.races.into(), "report"));
        lines.push(line("races", Paint::Notice, text));
    }
    lines.extend(measured::others(summary));
    lines.push(reading(verdict, inputs));
    lines
}

/// Inputs that differ from the others, and what shows them all.
fn add_outliers(lines: &mut Vec<Line>, verdict: &Verdict) {
    for (at, outlier) in verdict.outliers.iter().take(OUTLIERS_SHOWN).enumerate() {
        let label = if at == 0 { "outlier" } else { "" };
        let place = outlier.name.as_ref().map_or(String::new(), |name| format!(" in {name}"));
        let goroutines = counted(outlier.count, "goroutine");
        let (least, _, most) = outlier.others;
        let others = match least == most {
            true => thousands(least),
            false => format!("{} to {}", thousands(least), thousands(most)),
        };
        let more = match outlier.more {
            0 => String::new(),
            more => format!("; it differs in {}, too", counted(more as i128, "other name")),
        };
        let peers = outlier.peers;
        let text =
            format!("{} has {goroutines}{place}, the {peers} others {others}{more}", outlier.input);
        lines.push(line(label, Paint::Notice, text));
    }
    match verdict.outliers.len() {
        0 => {}
        many @ 1..=OUTLIERS_SHOWN => {
            let them = if many == 1 { "it" } else { "them" };
            lines.push(line("", Paint::Plain, format!("--pivot input --by name shows {them}")));
        }
        many => {
            let more = counted((many - OUTLIERS_SHOWN) as i128, "more input");
            let text = format!("and {more}; --pivot input --by name shows all");
            lines.push(line("", Paint::Plain, text));
        }
    }
}

/// What to do about crashes that show one goroutine, or none.
fn hint(verdict: &Verdict, inputs: usize) -> Option<Line> {
    let alone: Vec<&str> = verdict
        .crashes
        .iter()
        .filter(|crash| crash.alone)
        .map(|crash| crash.input.as_str())
        .collect();
    let of = match (alone.as_slice(), inputs) {
        ([], _) => return None,
        (_, 1) => String::new(),
        ([only], _) => format!(" of {only}"),
        ([first, more @ ..], _) => format!(" of {first} and {} more", more.len()),
    };
    let text = format!("the other goroutines{of} weren't printed; GOTRACEBACK=all prints them");
    Some(line("hint", Paint::Plain, text))
}

/// What ended the process: of panics that were raised while another was on its way, the last one.
fn raised(text: &str) -> &str {
    let first = text.lines().next().unwrap_or_default();
    // `first [recovered]`, `panic: second [recovered]`, `panic: third`.
    let last = text.lines().rev().find_map(|line| line.strip_prefix("panic: "));
    last.filter(|_| first.ends_with(" [recovered]")).unwrap_or(first)
}

fn add_crash(lines: &mut Vec<Line>, crash: &CrashFact, inputs: usize) {
    let mut text = String::new();
    if inputs > 1 {
        text += &format!("{}: ", crash.input);
    }
    let raised = raised(&crash.text);
    // Deadlocks, timeouts and signals say themselves what they are.
    match crash.kind {
        CrashKind::Panic if !raised.starts_with("panic") => text += "panic: ",
        CrashKind::Fatal if !raised.starts_with("fatal error") => text += "fatal error: ",
        _ => {}
    }
    text += &cut(raised, RAISED_SHOWN);
    lines.push(line("crash", Paint::Alarm, text));
    let place = match (crash.goroutine, &crash.function) {
        (Some(id), Some(function)) => format!("in goroutine {id}, {function}"),
        (Some(id), None) => format!("in goroutine {id}"),
        (None, Some(function)) => format!("in {function}"),
        (None, None) => String::new(),
    };
    // The goroutine of a timeout is the alarm's, which tells nothing.
    if !place.is_empty() && crash.kind != CrashKind::Timeout {
        lines.push(line("", Paint::Plain, place));
    }
    if !crash.running_tests.is_empty() {
        let mut text = crash.running_tests[..crash.running_tests.len().min(TESTS_SHOWN)].join(", ");
        if let more @ 1.. = crash.running_tests.len().saturating_sub(TESTS_SHOWN) {
            text += &format!(", and {more} more");
        }
        lines.push(line("tests", Paint::Alarm, format!("running: {text}")));
    }
}

fn states(activity: &Activity) -> String {
    let shown = activity.states.iter().take(STATES_SHOWN).map(|(state, count)| {
        format!("{} {}", thousands(*count), state.as_deref().unwrap_or("unknown"))
    });
    let mut text = shown.collect::<Vec<_>>().join(" · ");
    let rest = activity.states.get(STATES_SHOWN..).unwrap_or_default();
    if !rest.is_empty() {
        let sum: i128 = rest.iter().map(|(_, count)| count).sum();
        text += &format!(" · {} in {}", thousands(sum), counted(rest.len() as i128, "other state"));
    }
    text
}

fn waits(activity: &Activity, inputs: usize) -> Line {
    let Some(longest) = &activity.longest else {
        return line("waiting", Paint::Plain, "not told by what was read");
    };
    if longest.minutes < 1.0 {
        return line("waiting", Paint::Plain, "all under a minute");
    }
    let input = if inputs > 1 { format!("{} ", longest.input) } else { String::new() };
    let mut text =
        format!("longest {} ({input}goroutine {})", wait(longest.minutes), longest.goroutine);
    if activity.long_waits > 0 {
        let long = thousands(activity.long_waits.into());
        text += &format!("; {long} for {LONG_WAIT_MINUTES} min or more");
    }
    line("waiting", Paint::Plain, text)
}

fn locks(activity: &Activity, inputs: usize) -> Line {
    let (mutexes, rw_mutexes) = (activity.mutexes, activity.rw_mutexes);
    let verb = |count: i128| if count == 1 { "waits" } else { "wait" };
    let mut text = match (mutexes, rw_mutexes) {
        (0, 0) => return line("locks", Paint::Plain, "none waited for"),
        (count, 0) => format!("{} {} for a mutex", thousands(count), verb(count)),
        (0, count) => format!("{} {} for an rwmutex", thousands(count), verb(count)),
        (count, rw) => {
            format!(
                "{} {} for a mutex, {} for an rwmutex",
                thousands(count),
                verb(count),
                thousands(rw)
            )
        }
    };
    if let Some(pile) = &activity.lock_pile {
        text += &most(pile, mutexes + rw_mutexes, inputs);
    }
    line("locks", Paint::Notice, text)
}

/// Who holds what many wait for.
fn chains(verdict: &Verdict, inputs: usize) -> Vec<Line> {
    let text = |fact: &WaitFact| match inputs {
        1 => fact.text.clone(),
        _ => format!("{}: {}", fact.input, fact.text),
    };
    let chains = verdict.waits.chains.iter();
    let mut lines: Vec<Line> =
        chains.map(|fact| line("chain", Paint::Notice, text(fact))).collect();
    if verdict.waits.more > 0 {
        let text = format!("and {} more: stackgazer tree --waits", verdict.waits.more);
        lines.push(line("", Paint::Plain, text));
    }
    lines
}

/// Where most of `all` stand: `, 9 of them in F on n3`.
fn most(pile: &Pile, all: i128, inputs: usize) -> String {
    let share = match pile.count {
        count if count == all && all == 1 => String::new(),
        count if count == all => "all ".to_owned(),
        count => format!("{} of them ", thousands(count)),
    };
    let input = pile.input.as_ref().filter(|_| inputs > 1);
    let on = input.map_or(String::new(), |input| format!(" on {input}"));
    format!(", {share}in {}{on}", pile.function)
}

fn leaks(activity: &Activity) -> Line {
    let mut stuck = Vec::new();
    if activity.leaked > 0 {
        let mut text = format!("{} leaked", thousands(activity.leaked));
        if let Some(pile) = &activity.leak_pile {
            text += &most(pile, activity.leaked, 1);
        }
        stuck.push(text);
    }
    if activity.nil_channels > 0 {
        stuck.push(format!("{} on a nil channel", thousands(activity.nil_channels)));
    }
    if activity.empty_selects > 0 {
        stuck.push(format!("{} in an empty select", thousands(activity.empty_selects)));
    }
    if stuck.is_empty() {
        let text = "none marked by the runtime; nothing on a nil channel";
        return line("leaks", Paint::Plain, text);
    }
    line("leaks", Paint::Notice, stuck.join("; "))
}

fn reading(verdict: &Verdict, inputs: usize) -> Line {
    let skipped = match verdict.unread.skipped {
        0 => String::new(),
        1 => "; 1 member of unknown content skipped".to_owned(),
        skipped => format!("; {} members of unknown content skipped", thousands(skipped.into())),
    };
    if verdict.complete() {
        return line("reading", Paint::Plain, format!("complete{skipped}"));
    }
    let failed = verdict.unread.failed.len();
    let mut lost = Vec::new();
    if failed > 0 {
        lost.push(format!("{} could not be read whole", counted(failed as i128, "input")));
    }
    let archives = &verdict.unread.archives;
    lost.extend(
        archives.iter().take(LOSSES_SHOWN).map(|odd| format!("{}: {}", odd.input, odd.what)),
    );
    if let more @ 1.. = archives.len().saturating_sub(LOSSES_SHOWN) {
        lost.push(format!("and {more} more of archives"));
    }
    lost.extend(verdict.losses.iter().take(LOSSES_SHOWN).map(|loss| match inputs {
        0 | 1 => loss.text.clone(),
        _ => format!("{}: {}", loss.input, loss.text),
    }));
    if let more @ 1.. = verdict.losses.len().saturating_sub(LOSSES_SHOWN) {
        lost.push(format!("and {more} more"));
    }
    line("reading", Paint::Alarm, format!("not complete: {}{skipped}", lost.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panic_that_ended_the_process_is_shown() {
        assert_eq!(raised("first [recovered]\npanic: second [recovered]\npanic: third"), "third");
        assert_eq!(raised("first [recovered]\npanic: first"), "first");
        assert_eq!(raised("first [recovered, repanicked]"), "first [recovered, repanicked]");
        assert_eq!(raised("a value\npanic: of two lines"), "a value");
    }
}
