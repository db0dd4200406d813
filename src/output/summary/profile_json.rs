//! What `stackgazer.summary/1` says of profiles that don't count goroutines.

use crate::output::json::Count;
use crate::profile::MemStats;
use crate::view::profile_verdict::{ProfileVerdict, Sort};
use crate::view::sample_types::Other;
use serde::Serialize;

/// `verdict.measured`
#[derive(Serialize)]
pub(super) struct ProfileObject<'a> {
    sort: &'static str,
    totals: Vec<TotalObject<'a>>,
    duration_nanos: Count,
    functions: Vec<ShareObject<'a>>,
    own_functions: Vec<ShareObject<'a>>,
    garbage_collector: Count,
    waits: Vec<WaitObject<'a>>,
    memory: Vec<MemoryObject<'a>>,
}

#[derive(Serialize)]
struct TotalObject<'a> {
    r#type: &'a str,
    unit: &'a str,
    total: Count,
}

#[derive(Serialize)]
struct ShareObject<'a> {
    function: &'a str,
    value: Count,
}

#[derive(Serialize)]
struct WaitObject<'a> {
    r#for: &'a str,
    value: Count,
}

/// Fields are named as in `runtime.MemStats`, in the way of this document.
#[derive(Serialize)]
struct MemoryObject<'a> {
    input: &'a str,
    heap_alloc: Option<u64>,
    heap_sys: Option<u64>,
    heap_idle: Option<u64>,
    heap_inuse: Option<u64>,
    heap_released: Option<u64>,
    heap_objects: Option<u64>,
    total_alloc: Option<u64>,
    sys: Option<u64>,
    stack_inuse: Option<u64>,
    stack_sys: Option<u64>,
    next_gc: Option<u64>,
    num_gc: Option<u64>,
    num_forced_gc: Option<u64>,
    gc_cpu_fraction: Option<f64>,
    pause_nanos: Option<u64>,
    max_rss: Option<u64>,
}

/// An input that counts something else.
#[derive(Serialize)]
pub(super) struct OtherObject<'a> {
    input: &'a str,
    sample_types: &'a [String],
}

impl<'a> ProfileObject<'a> {
    pub(super) fn of(measured: &'a ProfileVerdict) -> ProfileObject<'a> {
        let shares = |list: &'a [(String, i128)]| {
            list.iter()
                .map(|(function, value)| ShareObject { function, value: Count(*value) })
                .collect()
        };
        ProfileObject {
            sort: match measured.sort {
                Sort::Cpu => "cpu",
                Sort::Memory => "memory",
                Sort::Blocked => "blocked",
                Sort::Held => "held",
                Sort::Other => "other",
            },
            totals: measured
                .totals
                .iter()
                .map(|total| TotalObject {
                    r#type: &total.kind,
                    unit: &total.unit,
                    total: Count(total.total),
                })
                .collect(),
            duration_nanos: Count(measured.duration_nanos),
            functions: shares(&measured.leaves),
            own_functions: shares(&measured.own),
            garbage_collector: Count(measured.collector),
            waits: measured
                .waits
                .iter()
                .map(|&(what, value)| WaitObject { r#for: what, value: Count(value) })
                .collect(),
            memory: measured
                .memory
                .iter()
                .map(|(input, memory)| MemoryObject::of(input, memory))
                .collect(),
        }
    }
}

impl<'a> MemoryObject<'a> {
    fn of(input: &'a str, memory: &MemStats) -> MemoryObject<'a> {
        MemoryObject {
            input,
            heap_alloc: memory.heap_alloc,
            heap_sys: memory.heap_sys,
            heap_idle: memory.heap_idle,
            heap_inuse: memory.heap_inuse,
            heap_released: memory.heap_released,
            heap_objects: memory.heap_objects,
            total_alloc: memory.total_alloc,
            sys: memory.sys,
            stack_inuse: memory.stack_inuse,
            stack_sys: memory.stack_sys,
            next_gc: memory.next_gc,
            num_gc: memory.num_gc,
            num_forced_gc: memory.num_forced_gc,
            gc_cpu_fraction: memory.gc_cpu_fraction,
            pause_nanos: memory.pause_nanos,
            max_rss: memory.max_rss,
        }
    }
}

impl<'a> OtherObject<'a> {
    pub(super) fn of(other: &'a Other) -> OtherObject<'a> {
        OtherObject { input: &other.input, sample_types: &other.types }
    }
}
