//! The pprof proto (debug=0): reads protos of Go and of other tools, and writes profiles.
//!
//! ```text
//! sniff       whether bytes are a proto
//! wire        bytes -> fields         no recursion, nothing reserved from declared sizes
//! message     fields -> flat tables   every kind of profile
//! check       references between tables, with the verdicts of `go tool pprof`
//! kind        what a proto measures
//! read        tables -> builder       with ...
//!   stacks      ... the frames of a stack that Go's own text would show
//!   label       ... the facts about a goroutine in its labels
//!
//! goroutines     profile -> samples   goroutines, so that `read` finds them again
//! write_samples  profile -> samples   as they were read
//! incomplete     whether what was written was read whole
//! write          samples -> bytes     any samples, encoded by prost (`proto`)
//! ```

mod check;
mod field;
mod goroutines;
mod incomplete;
mod kind;
mod label;
mod message;
mod proto;
mod read;
mod sniff;
mod stacks;
#[cfg(test)]
mod tests;
mod wire;
mod write;
mod write_samples;

pub use goroutines::write_goroutines;
pub(crate) use read::read;
pub(crate) use sniff::{Sniff, sniff};
pub use write::{LabelText, LocationId, ProtoWriter};
pub use write_samples::write_samples;

/// Labels that describe a goroutine, and those that only `export -o pprof` writes.
///
/// Those with `go::` are the labels of CockroachDB's Go and of golang/go #74964.
pub mod key {
    /// The id (number).
    pub const GOROUTINE: &[u8] = b"go::goroutine";
    /// The id of the creator (number).
    pub const CREATED_BY_ID: &[u8] = b"go::goroutine_created_by";
    /// State, with or without its decorations.
    pub const STATE: &[u8] = b"go::goroutine_state";
    /// How long it has been blocked: whole minutes as a number, other waits as text.
    pub const WAIT: &[u8] = b"go::goroutine_wait_minutes";
    /// The function with the `go` statement.
    pub const CREATED_BY: &[u8] = b"stackgazer::created_by";
    /// The place of the `go` statement: `FILE:LINE`.
    pub const CREATED_AT: &[u8] = b"stackgazer::created_at";
    /// One flag; a label for each.
    pub const FLAG: &[u8] = b"stackgazer::flags";
    /// Frames left out by Go: `AFTER/COUNT`, or `AFTER/` if Go prints no number.
    pub const ELIDED: &[u8] = b"stackgazer::elided";
    /// The name of the input, if there are several.
    pub const INPUT: &[u8] = b"stackgazer::input";
}

/// The comment of protos whose stacks are shown unchanged, without hiding leading runtime frames.
pub const AS_SHOWN: &[u8] = b"stackgazer: frames as shown";
