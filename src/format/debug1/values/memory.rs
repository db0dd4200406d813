//! `# runtime.MemStats`, after the records of heap profiles.

use crate::profile::MemStats;

/// Takes lines such as `# Sys = 17398024`; lines with other names aren't needed.
pub(super) fn memory_line(line: &[u8], memory: &mut MemStats) {
    let text = std::str::from_utf8(line).unwrap_or_default();
    let Some((name, value)) = text.trim_start_matches('#').split_once('=') else { return };
    let value = value.trim();
    let (first, second) = value.split_once('/').unwrap_or((value, ""));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let slot = match name.trim() {
        "HeapAlloc" => &mut memory.heap_alloc,
        "HeapSys" => &mut memory.heap_sys,
        "HeapIdle" => &mut memory.heap_idle,
        "HeapInuse" => &mut memory.heap_inuse,
        "HeapReleased" => &mut memory.heap_released,
        "HeapObjects" => &mut memory.heap_objects,
        "TotalAlloc" => &mut memory.total_alloc,
        "Sys" => &mut memory.sys,
        "Stack" => {
            memory.stack_sys = number(second);
            &mut memory.stack_inuse
        }
        "NextGC" => &mut memory.next_gc,
        "NumGC" => &mut memory.num_gc,
        "NumForcedGC" => &mut memory.num_forced_gc,
        "MaxRSS" => &mut memory.max_rss,
        "GCCPUFraction" => {
            memory.gc_cpu_fraction = value.parse().ok().filter(|share: &f64| share.is_finite());
            return;
        }
        "PauseNs" => {
            let pauses = value.trim_matches(['[', ']']).split(' ').filter_map(number);
            memory.pause_nanos = Some(pauses.fold(0, u64::saturating_add));
            return;
        }
        _ => return,
    };
    *slot = number(first);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_is_shown_is_understood() {
        let mut memory = MemStats::default();
        for line in [
            "# Alloc = 4197632",
            "# Sys = 17398024",
            "# HeapInuse = 4980736",
            "# Stack = 1802240 / 1802241",
            "# NextGC = 4788592",
            "# PauseNs = [11497 13731 0 0]",
            "# NumGC = 6",
            "# GCCPUFraction = 0.003034923964661693",
            "# DebugGC = false",
            "# HeapAlloc = 1",
            "# HeapSys = 2",
            "# HeapIdle = 3",
            "# HeapReleased = 4",
            "# HeapObjects = 5",
            "# TotalAlloc = 6",
            "# NumForcedGC = x",
            "# MaxRSS = 7",
        ] {
            memory_line(line.as_bytes(), &mut memory);
        }
        let expected = MemStats {
            sys: Some(17398024),
            heap_inuse: Some(4980736),
            stack_inuse: Some(1802240),
            stack_sys: Some(1802241),
            next_gc: Some(4788592),
            pause_nanos: Some(25228),
            num_gc: Some(6),
            gc_cpu_fraction: Some(0.003034923964661693),
            heap_alloc: Some(1),
            heap_sys: Some(2),
            heap_idle: Some(3),
            heap_released: Some(4),
            heap_objects: Some(5),
            total_alloc: Some(6),
            num_forced_gc: None,
            max_rss: Some(7),
        };
        assert_eq!(memory, expected);
    }
}
