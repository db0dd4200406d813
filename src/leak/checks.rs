//! The table of checks.

use super::check::Check;
use super::{
    age, concentration, coverage, crash, deadlock, empty_select, exceeded, growth, label, leaked,
    leftover, nil_channel, persistence, race, shape,
};

/// Every check, the strongest evidence first.
pub const CHECKS: [Check; 26] = [
    leaked::CHECK,
    nil_channel::CHECK,
    empty_select::CHECK,
    deadlock::CHECK,
    race::CHECK,
    exceeded::CHECK,
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
    coverage::EXPIRED,
    coverage::UNUSED,
];

impl Check {
    /// The check of this name.
    pub fn named(name: &str) -> Option<&'static Check> {
        CHECKS.iter().find(|check| check.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own_and_explains_itself() {
        let mut names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
        for check in CHECKS {
            assert!(!check.about.is_empty() && !check.about.ends_with('.'), "{check:?}");
            assert!(check.explanation.len() > 120, "{check:?} explains itself in full");
            assert_eq!(Check::named(check.name).map(|found| found.tier), Some(check.tier));
        }
    }
}
