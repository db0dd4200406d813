//! What was asked of the checks.

use super::allow::AllowList;
use super::date::Date;
use super::finding::Level;
use super::limit::Limit;
use super::own::Own;

/// What was asked of the checks.
#[derive(Clone, Debug)]
pub struct Options {
    /// The last point was taken when all work was over.
    pub at_end: bool,
    /// Labels that should be gone at the last point: key, and value where only that one is meant.
    pub leak_labels: Vec<(String, Option<String>)>,
    /// Which code is one's own.
    pub own: Own,
    /// Whether the built-in catalogue explains goroutines.
    pub catalogue: bool,
    /// Allow-lists and baselines.
    pub allow: Vec<AllowList>,
    /// What must not be exceeded.
    pub limits: Vec<Limit>,
    /// Every point must have a goroutineleak profile.
    pub require_leak_profile: bool,
    /// Findings of this level and above count.
    pub fail_on: Level,
    /// Points at the beginning that aren't part of a trend: the process was still warming up.
    pub skip_first: usize,
    /// The day on which entries expire or not.
    pub today: Date,
}

impl Options {
    /// Nothing but the checks, on a day.
    pub fn new(today: Date) -> Options {
        Options {
            at_end: false,
            leak_labels: Vec::new(),
            own: Own::default(),
            catalogue: true,
            allow: Vec::new(),
            limits: Vec::new(),
            require_leak_profile: false,
            fail_on: Level::Error,
            skip_first: 0,
            today,
        }
    }
}
