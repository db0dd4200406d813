//! Goroutines that look stuck, in sentences.

use crate::output::numbers::{percent, thousands, wait, wait_range};
use crate::profile::Kind;
use crate::verdict::{StuckFact, Topic};

/// A share of all goroutines is only printed from this percentage on.
const SMALLEST_SHARE: i128 = 10;

/// The label of a line about this fact.
pub(super) fn label(fact: &StuckFact) -> &'static str {
    match fact.topic {
        Topic::Crowd => "crowd",
        Topic::Threads => "threads",
        Topic::Stuck | Topic::Database | Topic::Answer | Topic::Left => "stuck",
    }
}

/// `1,031 wait to send to a channel in pricing.Quote, pricing.go:15 (82% of all), for 3-54m`
pub(super) fn sentence(fact: &StuckFact, inputs: usize) -> String {
    let one = fact.count == 1;
    let mut text =
        format!("{} {} in {}", thousands(fact.count), activity(fact, one), fact.function);
    if !fact.file.is_empty() {
        let name = fact.file.rsplit(['/', '\\']).next().unwrap_or_default();
        text += &match fact.line {
            Some(line) => format!(", {name}:{line}"),
            None => format!(", {name}"),
        };
    }
    if fact.count * 100 >= fact.of * SMALLEST_SHARE && fact.of > fact.count {
        text += &format!(" ({} of all)", percent(fact.count, fact.of));
    }
    match fact.waits.range() {
        Some((_, longest)) if longest < 1.0 => {}
        Some((least, longest)) if one || least == longest => {
            text += &format!(", for {}", wait(longest));
        }
        Some((least, longest)) if least < 1.0 => {
            text += &format!(", for up to {}", wait(longest));
        }
        range @ Some(_) => text += &format!(", for {}", wait_range(range)),
        None => {}
    }
    if let Some((input, count)) = fact.most.as_ref().filter(|_| inputs > 1) {
        text += &match *count == fact.count {
            true => format!(", on {input}"),
            false => format!(", {} of them on {input}", thousands(*count)),
        };
    }
    match fact.topic {
        Topic::Database => text += ": all are in use",
        Topic::Left => text += "; what created them is gone",
        _ => {}
    }
    text
}

fn activity(fact: &StuckFact, one: bool) -> &'static str {
    match (fact.topic, fact.kind) {
        (Topic::Database, _) if one => "waits for a database connection",
        (Topic::Database, _) => "wait for a database connection",
        (Topic::Answer, _) if one => "waits for an HTTP answer",
        (Topic::Answer, _) => "wait for an HTTP answer",
        (Topic::Threads, _) if one => "holds a thread of the system",
        (Topic::Threads, _) => "each hold a thread of the system",
        (Topic::Stuck, Kind::ChanSend) if one => "waits to send to a channel",
        (Topic::Stuck, Kind::ChanSend) => "wait to send to a channel",
        (Topic::Stuck, Kind::Mutex) if one => "waits for a mutex",
        (Topic::Stuck, Kind::Mutex) => "wait for a mutex",
        (Topic::Stuck, _) if one => "waits for an RWMutex",
        (Topic::Stuck, _) => "wait for an RWMutex",
        (Topic::Crowd | Topic::Left, Kind::ChanRecv) => "wait to receive from a channel",
        (Topic::Crowd | Topic::Left, Kind::Select) => "wait in a select",
        (Topic::Crowd, Kind::Cond) => "wait for a sync.Cond",
        (Topic::Crowd, Kind::WaitGroup) => "wait for a WaitGroup",
        (Topic::Crowd, Kind::Sema) => "wait for a semaphore",
        (Topic::Crowd, Kind::Sleep) => "sleep",
        (Topic::Crowd | Topic::Left, _) => "stand",
    }
}
