//! Leak checks: what each input or series of inputs says about goroutines that shouldn't be there.
//!
//! [`Review::new`] sorts goroutines into groups by creator, blocking user function and kind, takes out
//! those that the built-in catalogue explains, and runs every check of [`CHECKS`] that the inputs
//! allow. Findings that allow-lists and the baseline cover are marked. A check is a file here and a row
//! of the table.

mod age;
mod allow;
mod blocking;
mod catalogue;
mod check;
mod checks;
mod concentration;
mod context;
mod counts;
mod coverage;
mod crash;
mod date;
mod deadlock;
mod draft;
mod empty_select;
mod entry;
mod exceeded;
mod finding;
#[cfg(test)]
mod fixture;
mod growth;
mod label;
mod leaked;
mod leftover;
mod limit;
mod member;
mod nil_channel;
mod options;
mod own;
mod pattern;
mod persistence;
mod race;
mod review;
mod shape;
mod suspect;
#[cfg(test)]
mod tests;
mod unmatched;

pub use allow::{AllowList, compared};
pub use check::Check;
pub use checks::CHECKS;
pub use counts::Counts;
pub use date::Date;
pub use finding::{Fact, Finding, Level, SourceLocation, Suppression, Tier};
pub use limit::{LIMIT_KINDS, Limit};
pub use options::Options;
pub use own::Own;
pub use review::{Done, Review};
pub use suspect::{Suspect, suspects};
