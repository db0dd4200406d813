//! What an input says of all its samples together.

use super::{SampleType, StrId, TypeId};
use serde::{Deserialize, Serialize};

/// The head of a profile: types of its values, when and how it was taken.
///
/// That of goroutine dumps in text only has the type.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Header {
    /// What its samples measure, in the order of the input.
    pub sample_types: Vec<TypeId>,
    /// The type that tools show by default; the last one if the input names none.
    pub default_type: Option<TypeId>,
    /// The name of the default type, if the input has one (there may be no such type).
    pub default_name: StrId,
    /// The unit of the sampling period: what is counted between two samples.
    pub period_type: Option<SampleType>,
    /// The sampling period in that unit.
    pub period: i64,
    /// When it was taken, in nanoseconds since 1970; 0 if unknown.
    pub time_nanos: i64,
    /// How long that took, in nanoseconds; 0 if unknown.
    pub duration_nanos: i64,
    /// Comments of whoever wrote it.
    pub comments: Vec<StrId>,
    /// The address of its documentation.
    pub doc_url: StrId,
    /// A regular expression of frames to drop, with everything that they call.
    pub drop_frames: StrId,
    /// A regular expression of frames that are kept nevertheless.
    pub keep_frames: StrId,
    /// Whether an export writes the samples as they were read.
    pub exact: bool,
    /// `runtime.MemStats`, at the end of debug=1 texts of heap profiles.
    pub memory: Option<Box<MemStats>>,
}

/// The Go runtime's own memory statistics, from the lines at the end of a heap profile's text.
///
/// Each is `None` if the text doesn't have it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MemStats {
    /// Bytes of objects that are live, or dead and not yet freed.
    pub heap_alloc: Option<u64>,
    /// Bytes obtained from the system for the heap.
    pub heap_sys: Option<u64>,
    /// Bytes in spans without objects.
    pub heap_idle: Option<u64>,
    /// Bytes in spans with objects.
    pub heap_inuse: Option<u64>,
    /// Bytes returned to the system.
    pub heap_released: Option<u64>,
    /// Allocated objects.
    pub heap_objects: Option<u64>,
    /// Bytes allocated since the start.
    pub total_alloc: Option<u64>,
    /// Bytes obtained from the system for everything.
    pub sys: Option<u64>,
    /// Bytes of stacks.
    pub stack_inuse: Option<u64>,
    /// Bytes obtained from the system for stacks.
    pub stack_sys: Option<u64>,
    /// Heap size at which the next collection starts.
    pub next_gc: Option<u64>,
    /// Collections so far.
    pub num_gc: Option<u64>,
    /// Collections that the program requested.
    pub num_forced_gc: Option<u64>,
    /// Share of the processor time that collections took.
    pub gc_cpu_fraction: Option<f64>,
    /// Sum of the pauses that are listed (at most the last 256), in nanoseconds.
    pub pause_nanos: Option<u64>,
    /// Largest resident set, in bytes.
    pub max_rss: Option<u64>,
}
