//! The column `details` of an input, as JSON: facts about it that queries don't need.

use crate::profile::{CrashKind, MemStats, Seen, Warning};
use serde::{Deserialize, Serialize};

/// The document.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// Counts of the reader.
    pub seen: Seen,
    /// The warnings.
    pub warnings: Vec<Warning>,
    /// The crash.
    pub crash: Option<CrashRow>,
    /// Later crashes.
    pub later_crashes: Vec<CrashRow>,
    /// What the profile says about all its samples together.
    pub header: HeaderRow,
}

/// See [`Crash`](crate::profile::Crash).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CrashRow {
    /// How it ended.
    pub kind: CrashKind,
    /// As printed.
    pub text: String,
    /// The goroutine that it happened in.
    pub goroutine: Option<u64>,
    /// The group of this goroutine, if that was selected.
    pub group: Option<u64>,
    /// Tests that were running.
    pub running_tests: Vec<String>,
}

/// See [`Ancestor`](crate::profile::Ancestor); a goroutine has a list of them, nearest first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AncestorRow {
    /// Its goroutine id.
    pub id: u64,
    /// The id of its stack.
    pub stack: String,
    /// Function, file and line of its creator.
    pub creator: Option<(String, String, i64)>,
}

/// See [`Header`](crate::profile::Header).
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeaderRow {
    /// Name and unit of its sample types; empty for texts of goroutines.
    pub sample_types: Vec<(String, String)>,
    /// The position of the type that tools show by default.
    pub default_type: Option<usize>,
    /// The name of the default type, if the input has one.
    pub default_name: String,
    /// Name and unit of the period type.
    pub period_type: Option<(String, String)>,
    /// The period.
    pub period: i64,
    /// When it was taken, in nanoseconds since 1970.
    pub time_nanos: i64,
    /// How long that took, in nanoseconds.
    pub duration_nanos: i64,
    /// Comments.
    pub comments: Vec<String>,
    /// The address of its documentation.
    pub doc_url: String,
    /// A regular expression of frames to drop.
    pub drop_frames: String,
    /// A regular expression of frames that are kept nevertheless.
    pub keep_frames: String,
    /// `runtime.MemStats`
    pub memory: Option<MemStats>,
}
