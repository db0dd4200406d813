//! Units of values, and values as text: `160ms`, `1.50MB`, as `go tool pprof` writes them.

mod labels;

pub use labels::LabelUnits;

/// A unit: how it is printed, the names that it is read by, and how many bytes, nanoseconds or GCUs
/// it is.
struct Unit {
    printed: &'static str,
    names: &'static [&'static str],
    size: f64,
}

const fn unit(printed: &'static str, names: &'static [&'static str], size: f64) -> Unit {
    Unit { printed, names, size }
}

/// What a unit measures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dimension {
    /// Memory, in bytes.
    Memory,
    /// Time, in nanoseconds.
    Time,
    /// Normalised processor time in GCUs, as in Google's own profiles.
    Processor,
}

/// Units that can be converted into each other. `default` (its name and size) is used for values
/// below one of every unit, and if the requested unit isn't of the family.
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
            unit("B", &["b", "byte"], 1.0),
            unit("kB", &["kb", "kbyte", "kilobyte"], (1_u64 << 10) as f64),
            unit("MB", &["mb", "mbyte", "megabyte"], (1_u64 << 20) as f64),
            unit("GB", &["gb", "gbyte", "gigabyte"], (1_u64 << 30) as f64),
            unit("TB", &["tb", "tbyte", "terabyte"], (1_u64 << 40) as f64),
            unit("PB", &["pb", "pbyte", "petabyte"], (1_u64 << 50) as f64),
        ],
        default: ("B", 1.0),
    },
    Family {
        dimension: Dimension::Time,
        units: &[
            unit("ns", &["ns", "nanosecond"], 1.0),
            unit("us", &["μs", "us", "microsecond"], 1e3),
            unit("ms", &["ms", "millisecond"], 1e6),
            unit("s", &["s", "sec", "second"], NANOSECONDS),
            unit("hrs", &["hour", "hr"], 3600.0 * NANOSECONDS),
        ],
        default: ("s", NANOSECONDS),
    },
    Family {
        dimension: Dimension::Processor,
        units: &[
            unit("n*GCU", &["nanogcu"], 1e-9),
            unit("u*GCU", &["microgcu"], 1e-6),
            unit("m*GCU", &["milligcu"], 1e-3),
            unit("GCU", &["gcu"], 1.0),
            unit("k*GCU", &["kilogcu"], 1e3),
            unit("M*GCU", &["megagcu"], 1e6),
            unit("G*GCU", &["gigagcu"], 1e9),
            unit("T*GCU", &["teragcu"], 1e12),
            unit("P*GCU", &["petagcu"], 1e15),
        ],
        default: ("GCU", 1.0),
    },
];

/// Each value in the unit that suits it best.
pub const AUTO: &str = "auto";
/// All values in the unit that suits the smallest of them.
pub const MINIMUM: &str = "minimum";

/// A value in bytes, nanoseconds or GCUs, and what it measures; `None` for units that can't be
/// converted.
///
/// ```
/// use stackgazer::profile::unit::{Dimension, in_base_unit};
/// assert_eq!(in_base_unit(2, "kilobytes"), Some((2048.0, Dimension::Memory)));
/// assert_eq!(in_base_unit(2, "count"), None);
/// ```
pub fn in_base_unit(value: i128, unit: &str) -> Option<(f64, Dimension)> {
    FAMILIES.iter().find_map(|family| {
        let unit = family.find(unit)?;
        Some((value as f64 * unit.size, family.dimension))
    })
}

/// A value in another unit, and the name of that unit, which is empty for in_base_unit counts.
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
        let in_base = value as f64 * from.size;
        let (name, factor) = match to {
            AUTO | MINIMUM => family.best(in_base),
            to => family.find(to).map_or(family.default, |to| (to.printed, to.size)),
        };
        return (in_base / factor, name.to_owned());
    }
    let unit = match to {
        "count" | "sample" | "unit" | AUTO | MINIMUM => "",
        to => to,
    };
    (value as f64, unit.to_owned())
}

/// A value with its unit, as text for people.
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

/// How many `to` make one `from`; `None` if they measure different things.
///
/// ```
/// use stackgazer::profile::unit::factor;
/// assert_eq!(factor("kB", "bytes"), Some(1024.0));
/// assert_eq!(factor("ms", "bytes"), None);
/// ```
pub fn factor(from: &str, to: &str) -> Option<f64> {
    let ratio = |family: &Family| Some(family.find(from)?.size / family.find(to)?.size);
    FAMILIES.iter().find_map(ratio)
}

/// Whether a unit can be converted into others.
pub fn is_known(name: &str) -> bool {
    factor(name, name).is_some()
}

/// The unit that suits values of which these are the smallest other than 0 and the largest, so that
/// they can be compared at a glance: that of the smallest, unless it makes the largest too long.
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
        // A plural in full; `ms`, `us` and `ns` aren't.
        let single = name.strip_suffix('s').filter(|_| name.len() > 2).unwrap_or(&name);
        self.units.iter().find(|unit| unit.names.contains(&single))
    }

    /// The largest unit in which the value is at least 1; the default if there is none.
    fn best(&self, in_base: f64) -> (&'static str, f64) {
        let fits = |unit: &&Unit| in_base / unit.size >= 1.0;
        self.units.iter().rev().find(fits).map_or(self.default, |unit| (unit.printed, unit.size))
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
