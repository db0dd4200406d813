//! The table of checks.

use super::check::Check;
use super::{
    age, allow, concentration, crash, deadlock, empty_select, growth, label, leaked, leftover,
    limit, nil_channel, persistence, race, shape,
};

/// Every check, the strongest evidence first.
pub const CHECKS: [Check; 26] = [
    leaked::CHECK,
    nil_channel::CHECK,
    empty_select::CHECK,
    deadlock::CHECK,
    race::CHECK,
    limit::CHECK,
    leftover::CHECK,
    label::CHECK,
    growth::CHECK,
    persistence::CHECK,
    concentration::CHECK,
    age::CHECK,
    shape::sender::CHECK,
    shape::range::CHECK,
    shape::select::CHECK,
    shape::locks::CHECK,
    shape::sql::CHECK,
    shape::http::CHECK,
    shape::wait_group::CHECK,
    shape::recursion::CHECK,
    shape::threads::CHECK,
    shape::timers::CHECK,
    shape::gc::CHECK,
    crash::CHECK,
    allow::EXPIRED,
    allow::UNUSED,
];

impl Check {
    /// The check of this name.
    pub fn named(name: &str) -> Option<&'static Check> {
        CHECKS.iter().find(|check| check.name == name)
    }
}
