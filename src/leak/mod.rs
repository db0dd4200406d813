//! Leak checks: what each input or series of inputs tells of goroutines that shouldn't be there.

mod finding;

pub use finding::{Fact, Finding, Level, Place, Suppression, Tier};
