//! The verdict on profiles that don't count goroutines.

use crate::output::line::{Line, line};
use crate::output::measure::measured;
use crate::output::numbers::{counted, first_parts, percent, thousands};
use crate::output::terminal::Paint;
use crate::profile::MemStats;
use crate::view::table::profile_verdict::{InputMemory, ProfileVerdict, Sort, Total};
use crate::view::table::summary::Summary;

/// Functions that a line names.
const FUNCTIONS_SHOWN: usize = 3;

/// At most this many sample types are named.
const TYPES_SHOWN: usize = 5;

/// Inputs that a line names; more are counted.
const INPUTS_SHOWN: usize = 3;

/// The headline: the total of the selected type.
pub(super) fn headline(of: &ProfileVerdict, summary: &Summary) -> String {
    let total = measured(summary.total, &of.unit);
    let selected = match &summary.selected {
        Some(selected) => format!(" of {} selected", measured(selected.of, &of.unit)),
        None => String::new(),
    };
    let stacks = counted(summary.stacks as i128, "stack");
    format!("{total}{selected} of {} in {stacks}", of.kind)
}

/// Adds the lines that are worth knowing first.
pub(super) fn add_lines(
    lines: &mut Vec<Line>,
    of: &ProfileVerdict,
    summary: &Summary,
    inputs: usize,
) {
    let mut add = |label, text: String| {
        if !text.is_empty() {
            let paint = if lines.is_empty() { Paint::Strong } else { Paint::Plain };
            lines.push(line(label, paint, text));
        }
    };
    let total = match summary.value_options.is_difference {
        true => summary.whole(),
        false => summary.total,
    };
    match of.sort {
        Sort::Cpu => add("time", cpu(of)),
        Sort::Blocked | Sort::Held => add("waits", contentions(of)),
        Sort::Memory | Sort::Other => add("total", totals(of)),
    }
    if total != 0 {
        let (leaves, own) = match of.sort {
            Sort::Cpu => ("hottest", "own code"),
            Sort::Memory if of.kind.starts_with("alloc") => ("made by", "own code"),
            Sort::Memory => ("held by", "own code"),
            Sort::Blocked => ("in", "who"),
            Sort::Held => ("in", "held by"),
            Sort::Other => ("in", "own code"),
        };
        if !of.waits.is_empty() && of.sort == Sort::Blocked {
            let waits = of.waits.iter().map(|(what, value)| (*what, *value));
            add("for", shares(waits, total));
        } else {
            add(leaves, shares(named(&of.leaves), total));
        }
        if own_differs(of) {
            add(own, shares(named(&of.own), total));
        }
        if of.collector != 0 && matches!(of.sort, Sort::Cpu) {
            let share = percent(of.collector, total);
            add("gc", format!("{share} is the garbage collector's"));
        }
    }
    for InputMemory { input, memory } in of.memory.iter().take(INPUTS_SHOWN) {
        let name = if inputs > 1 { format!("{input}: ") } else { String::new() };
        let (held, collected) = memory_texts(memory);
        add("memory", if held.is_empty() { held } else { format!("{name}{held}") });
        add("gc", if collected.is_empty() { collected } else { format!("{name}{collected}") });
    }
}

fn own_differs(of: &ProfileVerdict) -> bool {
    of.sort == Sort::Blocked || of.own.first() != of.leaves.first()
}

fn named(list: &[(String, i128)]) -> impl Iterator<Item = (&str, i128)> {
    list.iter().map(|(name, value)| (name.as_str(), *value))
}

/// `kv.Put 66% · kv.Get 20%`
fn shares<'a>(list: impl Iterator<Item = (&'a str, i128)>, total: i128) -> String {
    let shown: Vec<String> = list
        .take(FUNCTIONS_SHOWN)
        .map(|(name, value)| format!("{name} {}", percent(value, total)))
        .collect();
    shown.join(" · ")
}

fn cpu(of: &ProfileVerdict) -> String {
    let total = of.total(&of.kind).unwrap_or(0);
    let mut text = totals(of);
    if of.duration_nanos > 0 && of.unit == "nanoseconds" {
        let cores = total as f64 / of.duration_nanos as f64;
        let took = measured(of.duration_nanos, "nanoseconds");
        text += &format!(" in {took}: {cores:.2} cores busy");
    }
    text
}

fn contentions(of: &ProfileVerdict) -> String {
    let text = totals(of);
    match (of.total("contentions"), of.total("delay")) {
        (Some(count), Some(delay)) if count > 0 => {
            format!("{text}, {} each", measured(delay / count, "nanoseconds"))
        }
        _ => text,
    }
}

/// The totals of the types, the selected one first.
fn totals(of: &ProfileVerdict) -> String {
    let mut totals: Vec<&Total> = of.totals.iter().collect();
    totals.sort_by_key(|total| total.kind != of.kind);
    let text = |total: &Total| format!("{} {}", measured(total.total, &total.unit), total.kind);
    first_parts(totals.into_iter().map(text), TYPES_SHOWN)
}

/// The memory that the runtime has, and the work of its garbage collector.
fn memory_texts(memory: &MemStats) -> (String, String) {
    let bytes = |number: u64| measured(number.into(), "bytes");
    let mut held = Vec::new();
    if let Some(inuse) = memory.heap_inuse {
        let of = memory.heap_sys.map_or(String::new(), |sys| format!(" of {}", bytes(sys)));
        held.push(format!("heap {} in use{of}", bytes(inuse)));
    }
    if let Some(stacks) = memory.stack_inuse {
        held.push(format!("stacks {}", bytes(stacks)));
    }
    if let Some(sys) = memory.sys {
        held.push(format!("{} from the system", bytes(sys)));
    }
    if let Some(rss) = memory.max_rss.filter(|&rss| rss > 0) {
        held.push(format!("at most {} resident", bytes(rss)));
    }
    let mut collected = Vec::new();
    if let Some(runs) = memory.num_gc {
        let forced = memory.num_forced_gc.filter(|&forced| forced > 0);
        let forced = forced.map_or(String::new(), |forced| format!(" ({forced} forced)"));
        collected.push(format!("{}{forced}", counted(runs.into(), "run")));
    }
    if let Some(share) = memory.gc_cpu_fraction {
        collected.push(format!("{:.1}% of CPU", share * 100.0));
    }
    if let Some(next) = memory.next_gc {
        collected.push(format!("next at {}", bytes(next)));
    }
    (held.join(" · "), collected.join(" · "))
}

/// Inputs that count something else than the selected type.
pub(super) fn others(summary: &Summary) -> Option<Line> {
    let first = summary.others.first()?;
    let mut kinds: Vec<&str> =
        summary.others.iter().flat_map(|other| &other.types).map(String::as_str).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let inputs = match summary.others.len() {
        1 => format!("{} measures", first.input),
        more => format!("{} inputs measure", thousands(more as i128)),
    };
    let text = format!("{inputs} something else; --value shows {}", kinds.join(", "));
    Some(line("others", Paint::Plain, text))
}
