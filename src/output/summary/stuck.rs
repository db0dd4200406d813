//! What looks stuck, in sentences.

use crate::output::numbers::{percent, thousands, wait, wait_range};
use crate::profile::Kind;
use crate::verdict::{StuckFact, What};

/// From this share of all goroutines on it is told, in percent.
const SHARE_TOLD: i128 = 10;

/// What a line about this is labelled.
pub(super) fn label(fact: &StuckFact) -> &'static str {
    match fact.what {
        What::Crowd => "crowd",
        What::Threads => "threads",
        What::Stuck | What::Database | What::Answer | What::Left => "stuck",
    }
}

/// `1,031 wait to send to a channel in pricing.Quote, pricing.go:15 (82% of all), for 3-54m`
pub(super) fn sentence(fact: &StuckFact, inputs: usize) -> String {
    let one = fact.count == 1;
    let mut text = format!("{} {} in {}", thousands(fact.count), doing(fact, one), fact.function);
    if !fact.file.is_empty() {
        let name = fact.file.rsplit(['/', '\\']).next().unwrap_or_default();
        text += &match fact.line {
            Some(line) => format!(", {name}:{line}"),
            None => format!(", {name}"),
        };
    }
    if fact.count * 100 >= fact.of * SHARE_TOLD && fact.of > fact.count {
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
    match fact.what {
        What::Database => text += ": all are in use",
        What::Left => text += "; what created them is gone",
        _ => {}
    }
    text
}

fn doing(fact: &StuckFact, one: bool) -> &'static str {
    match (fact.what, fact.kind) {
        (What::Database, _) if one => "waits for a database connection",
        (What::Database, _) => "wait for a database connection",
        (What::Answer, _) if one => "waits for an HTTP answer",
        (What::Answer, _) => "wait for an HTTP answer",
        (What::Threads, _) if one => "holds a thread of the system",
        (What::Threads, _) => "each hold a thread of the system",
        (What::Stuck, Kind::ChanSend) if one => "waits to send to a channel",
        (What::Stuck, Kind::ChanSend) => "wait to send to a channel",
        (What::Stuck, Kind::Mutex) if one => "waits for a mutex",
        (What::Stuck, Kind::Mutex) => "wait for a mutex",
        (What::Stuck, _) if one => "waits for an RWMutex",
        (What::Stuck, _) => "wait for an RWMutex",
        (What::Crowd | What::Left, Kind::ChanRecv) => "wait to receive from a channel",
        (What::Crowd | What::Left, Kind::Select) => "wait in a select",
        (What::Crowd, Kind::Cond) => "wait for a sync.Cond",
        (What::Crowd, Kind::WaitGroup) => "wait for a WaitGroup",
        (What::Crowd, Kind::Sema) => "wait for a semaphore",
        (What::Crowd, Kind::Sleep) => "sleep",
        (What::Crowd | What::Left, _) => "stand",
    }
}
