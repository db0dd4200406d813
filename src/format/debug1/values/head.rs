//! The first lines of profiles.

use crate::format::debug1::count;
use crate::format::traceback::misspelt;
use crate::profile::InputFormat;

/// The quantity that the records of a profile measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// Objects and bytes, in use and, unless the numbers are the same, ever allocated.
    Heap {
        /// Bytes between two samples; up to 1 everything was counted.
        rate: i64,
        allocated: bool,
    },
    /// How often and how long goroutines waited.
    Contention,
    /// A count, under this name.
    Count(Vec<u8>),
}

/// The first line of a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(super) measure: Measure,
    /// Objects and bytes in use and ever allocated, or the count; zeros for contentions, which announce nothing.
    announced: [i64; 4],
    /// How many of [`ATTRIBUTES`] certainly stand above the records: Go writes the first one for contentions, and two for
    /// mutexes.
    pub(super) attributes: usize,
}

/// What lines between the first one of a profile of contentions and its records start with.
pub(super) const ATTRIBUTES: [&[u8]; 4] =
    [b"cycles/second", b"sampling period", b"ms since reset", b"discarded samples"];

/// Recognises the first line of a profile that doesn't count goroutines.
pub(crate) fn head(line: &[u8]) -> Option<Head> {
    match line.first()? {
        // `--- contentionz 1 ---` is written by C++ programs.
        b'-' => {
            let attributes = match line.trim_ascii_end() {
                b"--- contention:" => 1,
                b"--- mutex:" => 2,
                other if other.starts_with(b"--- contentionz ") => 0,
                _ => return None,
            };
            Some(Head { measure: Measure::Contention, announced: [0; 4], attributes })
        }
        b'h' if line.starts_with(b"heap profile: ") => heap(line),
        _ => {
            let header = count::header(line)?;
            if header.format().is_some() || misspelt::is_nearly_goroutine(header.name) {
                return None;
            }
            let measure = Measure::Count(header.name.to_vec());
            Some(Head { measure, announced: [header.total, 0, 0, 0], attributes: 0 })
        }
    }
}

/// `heap profile: 94: 675088 [206: 5854608] @ heap/32768`
fn heap(line: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(line).ok()?.strip_prefix("heap profile: ")?;
    let (numbers, sampling) = text.split_once('@')?;
    let announced = super::record::four(numbers)?;
    let [objects, bytes, all_objects, all_bytes] = announced;
    let (name, rate) = match sampling.trim().split_once('/') {
        Some((name, rate)) => (name, rate.parse().ok()?),
        None => (sampling.trim(), 0),
    };
    let rate: i64 = match name {
        // Go writes twice the rate, because an early C++ profiler did.
        "heap" => rate / 2,
        "heap_v2" | "heapz_v2" => rate,
        // Every allocation; growthz of C++ programs counts memory that the heap got from the
        // system.
        "heapprofile" | "growthz" => 0,
        _ => return None,
    };
    // As in pprof: columns that are the same or empty count as one.
    let allocated =
        all_objects != objects && all_objects != 0 || all_bytes != bytes && all_bytes != 0;
    Some(Head { measure: Measure::Heap { rate, allocated }, announced, attributes: 0 })
}

impl Head {
    /// Whether Go certainly wrote it: then each record has frame lines, too.
    pub(super) fn is_of_go(&self) -> bool {
        self.attributes > 0
    }

    /// The format of the input.
    pub(super) fn format(&self) -> InputFormat {
        match &self.measure {
            Measure::Heap { .. } => InputFormat::HeapDebug1,
            Measure::Contention => InputFormat::ContentionDebug1,
            Measure::Count(name) if name == b"threadcreate" => InputFormat::ThreadDebug1,
            Measure::Count(_) => InputFormat::ProfileDebug1,
        }
    }

    /// The announced count of objects or entries.
    pub(super) fn announced(&self) -> i64 {
        self.announced[0]
    }

    /// Sample types and their units; the last one is the default.
    pub(super) fn types(&self) -> Vec<(Vec<u8>, &'static str)> {
        let names = |names: &[(&str, &'static str)]| {
            names.iter().map(|&(name, unit)| (name.as_bytes().to_vec(), unit)).collect()
        };
        match &self.measure {
            Measure::Heap { allocated: true, .. } => names(&[
                ("alloc_objects", "count"),
                ("alloc_space", "bytes"),
                ("inuse_objects", "count"),
                ("inuse_space", "bytes"),
            ]),
            Measure::Heap { .. } => names(&[("objects", "count"), ("space", "bytes")]),
            Measure::Contention => names(&[("contentions", "count"), ("delay", "nanoseconds")]),
            Measure::Count(name) => vec![(name.clone(), "count")],
        }
    }

    /// The type and unit of the period, and its value.
    pub(super) fn period(&self) -> (Vec<u8>, &'static str, i64) {
        match &self.measure {
            Measure::Heap { rate, .. } => (b"space".to_vec(), "bytes", *rate),
            Measure::Contention => (b"contentions".to_vec(), "count", 1),
            Measure::Count(name) => (name.clone(), "count", 1),
        }
    }

    /// Announced numbers that differ from the sums: name, announced number, sum.
    pub(super) fn check(&self, sum: [i128; 4]) -> Vec<(&'static str, i64, i128)> {
        let names: &[&str] = match &self.measure {
            Measure::Heap { allocated: true, .. } => {
                &["objects", "bytes", "allocated objects", "allocated bytes"]
            }
            Measure::Heap { .. } => &["objects", "bytes"],
            Measure::Contention => &[],
            Measure::Count(_) => &["entries"],
        };
        // Go keeps the two numbers of bytes apart: `pprof` would read equal ones as a profile of one pair of columns.
        let [_, used, _, allocated] = self.announced;
        let is_apart = allocated.checked_sub(1) == Some(used) && sum.get(3) == sum.get(1);
        let all = names.iter().zip(self.announced).zip(sum);
        let all = all.map(|((name, announced), found)| (*name, announced, found));
        let differs = |&(name, announced, found): &(&str, i64, i128)| {
            let set_apart = is_apart && name == "allocated bytes";
            i128::from(announced) != found.saturating_add(set_apart.into())
        };
        all.filter(differs).collect()
    }
}
