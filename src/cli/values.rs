//! The values of options that take more than paths and numbers, for completions.

use super::short_help::formats;
use crate::leak::CHECKS;
use crate::output::report::REPORTS;
use crate::profile::{InputFormat, KINDS};
use crate::view::table::key::KEYS;
use clap::Command;

/// The most frequent states of goroutines; others are accepted as well, as the set is open.
const STATES: [&str; 21] = [
    "running",
    "runnable",
    "syscall",
    "select",
    "select (no cases)",
    "chan receive",
    "chan receive (nil chan)",
    "chan send",
    "chan send (nil chan)",
    "IO wait",
    "sleep",
    "semacquire",
    "sync.Mutex.Lock",
    "sync.RWMutex.Lock",
    "sync.RWMutex.RLock",
    "sync.Cond.Wait",
    "sync.WaitGroup.Wait",
    "GC worker (idle)",
    "finalizer wait",
    "synctest.Run",
    "unknown",
];

/// The sample types of the profiles that Go itself writes.
const TYPES: [&str; 9] = [
    "inuse_space",
    "inuse_objects",
    "alloc_space",
    "alloc_objects",
    "cpu",
    "samples",
    "delay",
    "contentions",
    "goroutine",
];

/// The values that an option can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Values {
    /// Whether it can have several, with commas in between.
    pub(super) list: bool,
    /// The values.
    pub(super) all: Vec<String>,
}

impl Values {
    /// The values of an option of a command; `None` if clap or nobody knows them.
    pub(super) fn of(command: &Command, option: &str) -> Option<Values> {
        let (list, all): (bool, Vec<&str>) = match (command.get_name(), option) {
            (_, "by") => (true, KEYS.iter().map(|row| row.1).collect()),
            (_, "state") => (true, STATES.to_vec()),
            (_, "kind") => (true, KINDS.iter().map(|row| row.1).collect()),
            (_, "value") => (false, TYPES.to_vec()),
            (_, "report") => (false, REPORTS.iter().map(|row| row.1).collect()),
            (_, "explain") if command.get_name() == "check" => {
                (false, CHECKS.iter().map(|check| check.name).collect())
            }
            (_, "input-format") => {
                (false, InputFormat::ALL.iter().map(|format| format.name()).collect())
            }
            ("diff", "fail-on") => (true, vec!["new", "gone", "grown", "shrunk", "changed"]),
            ("check", "fail-on") => (false, vec!["error", "warning", "note"]),
            (_, "output") => {
                let formats = formats(command)?;
                let all = formats.split(", ").map(str::to_owned).collect();
                return Some(Values { list: false, all });
            }
            _ => return None,
        };
        Some(Values { list, all: all.into_iter().map(str::to_owned).collect() })
    }
}
