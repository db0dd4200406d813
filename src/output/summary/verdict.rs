//! The lines of the verdict, for the table and for Markdown.

use super::short::Short;
use super::{Shown, profile_text, stuck};
use crate::output::crash;
use crate::output::line::{Line, code, line};
use crate::output::numbers::{counted, percent, thousands, wait};
use crate::output::terminal::Paint;
use crate::profile::{Kind, LONG_WAIT_MINUTES};
use crate::verdict::{Activity, Crowd, Deadlock, StuckFact, Verdict, WaitFact};

/// States that the verdict names; more are counted.
const STATES_SHOWN: usize = 5;
/// Lines about goroutines that look stuck, so the table stays in sight; further facts are counted.
const STUCK_LINES: usize = 6;
/// Losses that the verdict names; all of them are in the warnings.
const LOSSES_SHOWN: usize = 3;
/// Inputs that differ from the others and are named.
const OUTLIERS_SHOWN: usize = 3;
/// Deadlocks that are named.
const DEADLOCKS_SHOWN: usize = 3;

/// The lines of the verdict; crashes come first.
pub(super) fn lines(shown: &Shown<'_>) -> Vec<Line> {
    let Shown { profile, summary, verdict, .. } = *shown;
    let inputs = profile.inputs.len();
    let mut lines = crash::lines(&verdict.crashes, inputs, shown.command_line);
    let short = Short::new(profile);
    add_deadlocks(&mut lines, shown, &short);
    if let Some(of) = &summary.profile_verdict {
        profile_text::add_lines(&mut lines, of, summary, inputs);
    } else if summary.total != 0 {
        add_stuck(&mut lines, shown, &short);
        lines.extend(chains(verdict, &short, inputs));
        // The lines of the crash show what the only goroutine does.
        let is_shown = !verdict.crashes.is_empty() && summary.total == 1;
        if !is_shown {
            lines.push(line("mostly", Paint::Strong, states(&verdict.activity)));
            lines.push(waits(&verdict.activity, inputs));
        }
        // A line about locks would repeat or contradict the lines above.
        let is_shown = is_shown || verdict.stuck.iter().any(|fact| is_of_locks(fact.kind));
        let waiting = verdict.activity.mutexes + verdict.activity.rw_mutexes;
        let in_deadlocks: i128 = verdict.waits.deadlocks.iter().map(|one| one.waiting).sum();
        if !is_shown && (waiting == 0 || waiting > in_deadlocks) {
            lines.push(locks(&verdict.activity, inputs));
        }
        let asked = profile.inputs.iter().any(|input| input.format.is_leak_profile());
        lines.extend(leaks(&verdict.activity, asked));
        let is_shown =
            |crowd: &&Crowd| verdict.stuck.iter().any(|one| one.function == crowd.function);
        if let Some(crowd) = verdict.activity.crowd.as_ref().filter(|crowd| !is_shown(crowd)) {
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
    lines.extend(profile_text::others(summary));
    lines.push(reading(verdict, inputs));
    lines
}

/// Adds deadlocks, each with the goroutines that wait behind it and the command that shows it.
fn add_deadlocks(lines: &mut Vec<Line>, shown: &Shown<'_>, short: &Short) {
    let deadlocks = &shown.verdict.waits.deadlocks;
    for deadlock in deadlocks.iter().take(DEADLOCKS_SHOWN) {
        let paint = if deadlock.is_certain { Paint::Alarm } else { Paint::Notice };
        let text = deadlock_text(deadlock, short, shown.profile.inputs.len());
        lines.push(line("deadlock", paint, text));
        let behind = deadlock.behind.iter();
        lines.extend(behind.map(|behind| line("", Paint::Plain, short.sentence(behind))));
        lines.extend(command_of(shown, deadlock).map(code));
    }
    if let more @ 1.. = deadlocks.len().saturating_sub(DEADLOCKS_SHOWN) {
        let command = shown.command_line.command("tree", &["--waits".to_owned()]);
        let command = command.map_or_else(String::new, |command| format!(": {command}"));
        let more = counted(more as i128, "more deadlock");
        lines.push(line("", Paint::Alarm, format!("and {more}{command}")));
    }
}

/// A deadlock, with its input if there are several.
pub(super) fn deadlock_text(deadlock: &Deadlock, short: &Short, inputs: usize) -> String {
    let text = short.sentence(&deadlock.text);
    match inputs {
        1 => text,
        _ => format!("{}: {text}", deadlock.input),
    }
}

/// The command that shows the goroutines of a deadlock.
pub(super) fn command_of(shown: &Shown<'_>, deadlock: &Deadlock) -> Option<String> {
    match deadlock.selecting.as_slice() {
        [] => None,
        selecting => shown.command_line.command("filter", selecting),
    }
}

/// Adds facts about stuck goroutines, each with the holders of what they wait for and the command that
/// shows them.
fn add_stuck(lines: &mut Vec<Line>, shown: &Shown<'_>, short: &Short) {
    let facts = shown.verdict.stuck.iter().filter(|fact| !fact.in_deadlock);
    let facts: Vec<&StuckFact> = facts.collect();
    let mut left = STUCK_LINES;
    let mut written = 0;
    for fact in &facts {
        let command = shown.command_line.command("filter", &fact.selecting);
        let takes = 1 + usize::from(fact.held.is_some()) + usize::from(command.is_some());
        if written > 0 && takes > left {
            break;
        }
        left = left.saturating_sub(takes);
        written += 1;
        let text = short.sentence(&stuck::sentence(fact, shown.profile.inputs.len()));
        lines.push(line(stuck::label(fact), Paint::Alarm, text));
        lines.extend(fact.held.iter().map(|held| line("", Paint::Plain, short.sentence(held))));
        lines.extend(command.map(code));
    }
    if let more @ 1.. = facts.len() - written {
        let command = shown.command_line.command("check", &[]);
        let command = command.map_or_else(String::new, |command| format!(": {command}"));
        let more = counted(more as i128, "more place");
        lines.push(line("", Paint::Plain, format!("and {more}{command}")));
    }
}

/// Adds inputs that differ from the others, and the command that shows them all.
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

fn is_of_locks(kind: Kind) -> bool {
    matches!(kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW)
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
        return line(
            "waiting",
            Paint::Plain,
            "no times printed: under a minute, or no garbage collection yet",
        );
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
    if let Some(pile) = &activity.lock_crowd {
        text += &crowd_text(pile, mutexes + rw_mutexes, inputs);
    }
    line("locks", Paint::Notice, text)
}

/// The holders of locks that many wait for.
fn chains(verdict: &Verdict, short: &Short, inputs: usize) -> Vec<Line> {
    let text = |fact: &WaitFact| match inputs {
        1 => short.sentence(&fact.text),
        _ => format!("{}: {}", fact.input, short.sentence(&fact.text)),
    };
    let chains = verdict.waits.chains.iter();
    let mut lines: Vec<Line> =
        chains.map(|fact| line("chain", Paint::Notice, text(fact))).collect();
    if verdict.waits.more > 0 {
        let more = counted(verdict.waits.more as i128, "more chain");
        let text = format!("and {more}: stackgazer tree --waits");
        lines.push(line("", Paint::Plain, text));
    }
    lines
}

/// The largest group of `all`: `, 9 of them in F on n3`.
fn crowd_text(crowd: &Crowd, all: i128, inputs: usize) -> String {
    let share = match crowd.count {
        count if count == all && all == 1 => String::new(),
        count if count == all => "all ".to_owned(),
        count => format!("{} of them ", thousands(count)),
    };
    let input = crowd.input.as_ref().filter(|_| inputs > 1);
    let on = input.map_or(String::new(), |input| format!(" on {input}"));
    format!(", {share}in {}{on}", crowd.function)
}

/// A line about goroutines that are stuck forever. That there are none is only said if the runtime looked
/// for them: dumps don't show most leaks.
fn leaks(activity: &Activity, was_asked: bool) -> Option<Line> {
    let mut stuck = Vec::new();
    if activity.leaked > 0 {
        let mut text = format!("{} leaked", thousands(activity.leaked));
        if let Some(pile) = &activity.leak_crowd {
            text += &crowd_text(pile, activity.leaked, 1);
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
        return was_asked.then(|| line("leaks", Paint::Plain, "none found by the runtime"));
    }
    Some(line("leaks", Paint::Notice, stuck.join("; ")))
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
    let failed = verdict.unread.failed.count();
    let mut lost = Vec::new();
    if failed > 0 {
        lost.push(format!("{} could not be read whole", counted(failed as i128, "input")));
    }
    let archives = &verdict.unread.archives;
    lost.extend(
        archives
            .iter()
            .take(LOSSES_SHOWN)
            .map(|odd| format!("{}: {}", odd.error.input, odd.error.what)),
    );
    if let more @ 1.. = archives.count().saturating_sub(LOSSES_SHOWN as u64) {
        lost.push(format!("and {more} more of archives"));
    }
    let losses = verdict.losses.iter().map(|loss| match inputs {
        0 | 1 => loss.text.clone(),
        _ => format!("{}: {}", loss.input, loss.text),
    });
    // An input tells the same of several goroutines.
    let mut shown: Vec<(String, usize)> = Vec::new();
    let mut more = 0_usize;
    for text in losses {
        match shown.iter().position(|(known, _)| *known == text) {
            Some(at) => shown[at].1 += 1,
            None if shown.len() < LOSSES_SHOWN => shown.push((text, 1)),
            None => more += 1,
        }
    }
    lost.extend(shown.into_iter().map(|(text, count)| match count {
        1 => text,
        _ => format!("{text} ({count} times)"),
    }));
    if more > 0 {
        lost.push(format!("and {more} more"));
    }
    line("reading", Paint::Alarm, format!("not complete: {}{skipped}", lost.join("; ")))
}
