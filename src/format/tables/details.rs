//! What `details` of an input holds: all that is known of it and that no query asks for, as JSON.

use crate::profile::{CrashKind, MemStats, Seen, Warning};
use serde::{Deserialize, Serialize};

/// The document.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// What the reader saw on the way.
    pub seen: Seen,
    /// What was wrong.
    pub warnings: Vec<Warning>,
    /// What crashed.
    pub crash: Option<CrashRow>,
    /// What crashed after that.
    pub later_crashes: Vec<CrashRow>,
    /// What the profile says of all its samples together.
    pub header: HeaderRow,
}

/// See [`Crash`](crate::profile::Crash).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CrashRow {
    /// What sort of end.
    pub kind: CrashKind,
    /// As printed.
    pub text: String,
    /// Where it happened.
    pub goroutine: Option<u64>,
    /// The group that this goroutine is in, if that was selected.
    pub group: Option<u64>,
    /// Tests that were running.
    pub running_tests: Vec<String>,
}

/// See [`Ancestor`](crate::profile::Ancestor); a goroutine has a list of them, nearest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AncestorRow {
    /// Its goroutine id.
    pub id: u64,
    /// Where it was.
    pub stack: String,
    /// Function, file and line of what created it.
    pub creator: Option<(String, String, i64)>,
}

/// See [`Header`](crate::profile::Header).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeaderRow {
    /// Name and unit of what its samples measure; empty for texts of goroutines.
    pub sample_types: Vec<(String, String)>,
    /// Which of them tools show.
    pub default_type: Option<usize>,
    /// Its name, where the input gives one.
    pub default_name: String,
    /// Name and unit of what is counted between two samples.
    pub period_type: Option<(String, String)>,
    /// How much of it.
    pub period: i64,
    /// Nanoseconds since 1970.
    pub time_nanos: i64,
    /// How long it took.
    pub duration_nanos: i64,
    /// Remarks.
    pub comments: Vec<String>,
    /// Where it is explained.
    pub doc_url: String,
    /// Frames of no interest ...
    pub drop_frames: String,
    /// ... unless they match this.
    pub keep_frames: String,
    /// `runtime.MemStats`
    pub memory: Option<MemStats>,
}
