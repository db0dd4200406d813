//! What an input says of all its samples together.

use super::{SampleType, StrId, TypeId};
use serde::{Deserialize, Serialize};

/// The head of a profile: types of its values, when and how it was taken.
///
/// Text dumps of goroutines have one that is empty but for the type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// What its samples measure, in the order of the input.
    pub sample_types: Vec<TypeId>,
    /// The type that tools show unless told otherwise; the last one where the input names none.
    pub default_type: Option<TypeId>,
    /// The name of the default type, where the input gives one (it may be unknown).
    pub default_name: StrId,
    /// What is counted between two samples.
    pub period_type: Option<SampleType>,
    /// How much of it.
    pub period: i64,
    /// When it was taken, nanoseconds since 1970; 0 when not told.
    pub time_nanos: i64,
    /// How long that took; 0 when not told.
    pub duration_nanos: i64,
    /// Remarks of whoever wrote it.
    pub comments: Vec<StrId>,
    /// Where it is explained.
    pub doc_url: StrId,
    /// Frames that match this regular expression, and what they call, are of no interest ...
    pub drop_frames: StrId,
    /// ... unless they match this one.
    pub keep_frames: StrId,
    /// Whether the samples are written as they were read when the profile is exported.
    pub exact: bool,
    /// `runtime.MemStats`, behind debug=1 text of heap profiles.
    pub memory: Option<Box<MemStats>>,
}

/// What the Go runtime says of its memory, in bytes: the lines behind a heap profile's text.
///
/// Each is `None` when the text doesn't hold it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MemStats {
    /// Bytes of live and not yet freed objects.
    pub heap_alloc: Option<u64>,
    /// Bytes of memory got from the system for the heap.
    pub heap_sys: Option<u64>,
    /// Bytes in spans without objects.
    pub heap_idle: Option<u64>,
    /// Bytes in spans with objects.
    pub heap_inuse: Option<u64>,
    /// Bytes given back to the system.
    pub heap_released: Option<u64>,
    /// Objects.
    pub heap_objects: Option<u64>,
    /// Bytes allocated since the start.
    pub total_alloc: Option<u64>,
    /// Bytes got from the system for everything.
    pub sys: Option<u64>,
    /// Bytes of stacks.
    pub stack_inuse: Option<u64>,
    /// Bytes got from the system for stacks.
    pub stack_sys: Option<u64>,
    /// Heap size at which the next collection starts.
    pub next_gc: Option<u64>,
    /// Collections so far.
    pub num_gc: Option<u64>,
    /// Collections that the program asked for.
    pub num_forced_gc: Option<u64>,
    /// Share of the processor time that collections took.
    pub gc_cpu_fraction: Option<f64>,
    /// Sum of the pauses that are listed (at most the last 256), in nanoseconds.
    pub pause_nanos: Option<u64>,
    /// Largest resident set, in bytes.
    pub max_rss: Option<u64>,
}
