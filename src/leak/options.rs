//! Options of the checks.

use super::allow::AllowList;
use super::date::Date;
use super::finding::Level;
use super::limit::Limit;
use super::own::Own;

/// Options of the checks.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the last point was taken after all work was over.
    pub at_end: bool,
    /// Labels that should be gone at the last point: a key, and a value unless every value is meant.
    pub leak_labels: Vec<(String, Option<String>)>,
    /// Which code is own code.
    pub own: Own,
    /// Whether the built-in catalogue explains goroutines.
    pub catalogue: bool,
    /// Allow-lists and baselines.
    pub allow: Vec<AllowList>,
    /// Numbers and ages that must not be exceeded.
    pub limits: Vec<Limit>,
    /// Whether every point must have a goroutineleak profile.
    pub require_leak_profile: bool,
    /// Findings of this level and above count.
    pub fail_on: Level,
    /// How many points at the start aren't part of a trend, because the process was still warming up.
    pub skip_first: usize,
    /// The day that `expires` of entries is compared with.
    pub today: Date,
}

impl Options {
    /// All checks as they are by default, on a day.
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
