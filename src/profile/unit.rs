//! Units of values, and texts for people: `160ms`, `1.50MB`, as `go tool pprof` writes them.

mod labels;

pub use labels::LabelUnits;

/// A unit, the names that it goes by, and how much of the smallest it is.
struct Unit(&'static str, &'static [&'static str], f64);

/// What units measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// Memory; the smallest unit is a byte.
    Memory,
    /// Time; the smallest unit is a nanosecond.
    Time,
    /// Processor time, normalised, as Google's own profiles count it.
    Processor,
}

/// Units that can be turned into each other; what is less than any of them is told in `default`.
struct Family {
    dimension: Dimension,
    units: &'static [Unit],
    default: (&'static str, f64),
}

const NANOSECONDS: f64 = 1e9;

const FAMILIES: [Family; 3] = [
    Family {
        dimension: Dimension::Memory,
        units: &[
            Unit("B", &["b", "byte"], 1.0),
            Unit("kB", &["kb", "kbyte", "kilobyte"], (1_u64 << 10) as f64),
            Unit("MB", &["mb", "mbyte", "megabyte"], (1_u64 << 20) as f64),
            Unit("GB", &["gb", "gbyte", "gigabyte"], (1_u64 << 30) as f64),
            Unit("TB", &["tb", "tbyte", "terabyte"], (1_u64 << 40) as f64),
            Unit("PB", &["pb", "pbyte", "petabyte"], (1_u64 << 50) as f64),
        ],
        default: ("B", 1.0),
    },
    Family {
        dimension: Dimension::Time,
        units: &[
            Unit("ns", &["ns", "nanosecond"], 1.0),
            Unit("us", &["μs", "us", "microsecond"], 1e3),
            Unit("ms", &["ms", "millisecond"], 1e6),
            Unit("s", &["s", "sec", "second"], NANOSECONDS),
            Unit("hrs", &["hour", "hr"], 3600.0 * NANOSECONDS),
        ],
        default: ("s", NANOSECONDS),
    },
    Family {
        dimension: Dimension::Processor,
        units: &[
            Unit("n*GCU", &["nanogcu"], 1e-9),
            Unit("u*GCU", &["microgcu"], 1e-6),
            Unit("m*GCU", &["milligcu"], 1e-3),
            Unit("GCU", &["gcu"], 1.0),
            Unit("k*GCU", &["kilogcu"], 1e3),
            Unit("M*GCU", &["megagcu"], 1e6),
            Unit("G*GCU", &["gigagcu"], 1e9),
            Unit("T*GCU", &["teragcu"], 1e12),
            Unit("P*GCU", &["petagcu"], 1e15),
        ],
        default: ("GCU", 1.0),
    },
];

/// Each value in the unit that suits it best.
pub const AUTO: &str = "auto";
/// All values in the unit that suits the smallest of them.
pub const MINIMUM: &str = "minimum";

/// A value in bytes, nanoseconds or GCUs, and which of them; `None` for units that are nothing else.
///
/// ```
/// use stackgazer::profile::unit::{Dimension, plain};
/// assert_eq!(plain(2, "kilobytes"), Some((2048.0, Dimension::Memory)));
/// assert_eq!(plain(2, "count"), None);
/// ```
pub fn plain(value: i128, unit: &str) -> Option<(f64, Dimension)> {
    FAMILIES.iter().find_map(|family| {
        let unit = family.find(unit)?;
        Some((value as f64 * unit.2, family.dimension))
    })
}

/// A value in another unit, and the name of that unit; empty for mere counts.
///
/// ```
/// use stackgazer::profile::unit::scale;
/// assert_eq!(scale(160_000_000, "nanoseconds", "auto"), (160.0, "ms".to_owned()));
/// assert_eq!(scale(32, "kb", "bytes"), (32768.0, "B".to_owned()));
/// assert_eq!(scale(7, "count", "auto"), (7.0, String::new()));
/// ```
pub fn scale(value: i128, from: &str, to: &str) -> (f64, String) {
    if value < 0 {
        let (scaled, unit) = scale(value.saturating_neg(), from, to);
        return (-scaled, unit);
    }
    for family in &FAMILIES {
        let Some(from) = family.find(from) else { continue };
        let smallest = value as f64 * from.2;
        let (name, factor) = match to {
            AUTO | MINIMUM => family.best(smallest),
            to => family.find(to).map_or(family.default, |to| (to.0, to.2)),
        };
        return (smallest / factor, name.to_owned());
    }
    let unit = match to {
        "count" | "sample" | "unit" | AUTO | MINIMUM => "",
        to => to,
    };
    (value as f64, unit.to_owned())
}

/// A value as people read it.
///
/// ```
/// use stackgazer::profile::unit::label;
/// assert_eq!(label(1536, "bytes", "auto"), "1.50kB");
/// assert_eq!(label(310_000_000, "nanoseconds", "s"), "0.31s");
/// assert_eq!(label(0, "bytes", "auto"), "0");
/// ```
pub fn label(value: i128, from: &str, to: &str) -> String {
    let (scaled, unit) = scale(value, from, to);
    let text = format!("{scaled:.2}");
    match text.strip_suffix(".00").unwrap_or(&text) {
        "0" | "-0" => "0".to_owned(),
        text => format!("{text}{unit}"),
    }
}

/// How much of the unit `to` one of the unit `from` is; `None` where they aren't of one sort.
///
/// ```
/// use stackgazer::profile::unit::factor;
/// assert_eq!(factor("kB", "bytes"), Some(1024.0));
/// assert_eq!(factor("ms", "bytes"), None);
/// ```
pub fn factor(from: &str, to: &str) -> Option<f64> {
    let of = |family: &Family| Some(family.find(from)?.2 / family.find(to)?.2);
    FAMILIES.iter().find_map(of)
}

/// Whether a unit can be turned into others.
pub fn is_known(name: &str) -> bool {
    factor(name, name).is_some()
}

/// The unit that suits values whose smallest (but 0) and largest are these, so that they can be
/// compared at a glance: that of the smallest, unless that would make the largest too long.
pub fn common(smallest: i128, largest: i128, from: &str) -> String {
    let unit = |value| scale(value, from, MINIMUM).1;
    let smallest = if smallest == 0 { largest } else { smallest };
    let chosen = match (unit(smallest), unit(largest)) {
        (small, large) if small == large => small,
        (small, _) if smallest.saturating_mul(100) >= largest => small,
        _ => unit(smallest.saturating_mul(100)),
    };
    if chosen.is_empty() { from.to_owned() } else { chosen }
}

impl Family {
    fn find(&self, name: &str) -> Option<&Unit> {
        let name = name.to_lowercase();
        let single = name.strip_suffix('s').filter(|_| name.len() > 2).unwrap_or(&name);
        self.units.iter().find(|unit| unit.1.contains(&single))
    }

    /// The largest unit of which it is at least one.
    fn best(&self, smallest: f64) -> (&'static str, f64) {
        let fits = |unit: &&Unit| smallest / unit.2 >= 1.0;
        self.units.iter().rev().find(fits).map_or(self.default, |unit| (unit.0, unit.2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_go_by_many_names() {
        for (from, to, expected) in [
            ("kilobytes", "B", (1024.0, "B")),
            ("KB", "mb", (1.0 / 1024.0, "MB")),
            ("s", "milliseconds", (1000.0, "ms")),
            ("hours", "s", (3600.0, "s")),
            ("us", "nonsense", (1e-6, "s")),
            ("requests", "requests", (1.0, "requests")),
            ("requests", "auto", (1.0, "")),
        ] {
            assert_eq!(scale(1, from, to), (expected.0, expected.1.to_owned()), "{from} {to}");
        }
    }

    #[test]
    fn labels_have_two_digits_behind_the_point_or_none() {
        for (value, from, to, expected) in [
            (966_945, "bytes", "auto", "944.28kB"),
            (1 << 30, "bytes", "auto", "1GB"),
            (-1536, "bytes", "auto", "-1.50kB"),
            (1, "bytes", "mb", "0"),
            (0, "nanoseconds", "auto", "0"),
            (12, "count", "count", "12"),
            (3, "goroutines", "minimum", "3"),
        ] {
            assert_eq!(label(value, from, to), expected);
        }
    }

    #[test]
    fn one_unit_suits_all_values_of_a_table() {
        assert_eq!(common(10_000_000, 900_000_000, "nanoseconds"), "ms");
        assert_eq!(common(10_000_000, 310_000_000_000, "nanoseconds"), "s");
        assert_eq!(common(1, 1 << 20, "bytes"), "B");
        assert_eq!(common(16, 1 << 20, "bytes"), "kB");
        assert_eq!(common(0, 5000, "bytes"), "kB");
        assert_eq!(common(1, 5, "count"), "count");
    }
}
