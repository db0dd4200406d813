//! Values with their units, for people: not in pprof's units, which [`crate::profile::unit`] writes.

use super::numbers::thousands;
use super::terminal::escape;
use crate::profile::Profile;
use crate::profile::unit::{self, Dimension};
use crate::view::values::options::ValueOptions;

/// The units of a dimension: name, the size from which the unit is used, and its own size.
type Units = [(&'static str, f64, f64)];

const MEMORY: &Units = &[
    ("EiB", EXA, EXA),
    ("TiB", EXA / 1048576.0, EXA / 1048576.0),
    ("GiB", 1073741824.0, 1073741824.0),
    ("MiB", 1048576.0, 1048576.0),
    ("KiB", 1024.0, 1024.0),
    ("B", 1.0, 1.0),
];
const EXA: f64 = (1_u64 << 60) as f64;

const TIME: &Units = &[
    // 119 s says more than 1.98 min.
    ("d", 2.0 * 86_400e9, 86_400e9),
    ("h", 2.0 * 3_600e9, 3_600e9),
    ("min", 2.0 * 60e9, 60e9),
    ("s", 1e9, 1e9),
    ("ms", 1e6, 1e6),
    ("µs", 1e3, 1e3),
    ("ns", 1.0, 1.0),
];

/// A value of a sample type: `1.50 MiB`, `3.2 s`, `1,404`.
///
/// ```
/// use stackgazer::output::measure::measured;
/// assert_eq!(measured(1_572_864, "bytes"), "1.50 MiB");
/// assert_eq!(measured(-3_210_000_000, "nanoseconds"), "-3.21 s");
/// assert_eq!(measured(1404, "count"), "1,404");
/// ```
pub fn measured(value: i128, unit: &str) -> String {
    if value == 0 {
        return "0".to_owned();
    }
    match (unit::in_base_unit(value, unit), unit) {
        (Some((bytes, Dimension::Memory)), _) => scaled(bytes, MEMORY),
        (Some((nanoseconds, Dimension::Time)), _) => scaled(nanoseconds, TIME),
        (_, "" | "count") => thousands(value),
        _ => format!("{} {}", thousands(value), escape(unit)),
    }
}

/// Formats values for people: in the requested unit, or each in the unit that suits it best.
#[derive(Clone, Debug)]
pub(super) struct Values<'a> {
    options: &'a ValueOptions,
    from: String,
    to: Option<String>,
}

impl<'a> Values<'a> {
    /// For rows with these flat and cumulative values.
    pub(super) fn new(
        profile: &Profile,
        options: &'a ValueOptions,
        rows: impl Iterator<Item = (i128, i128)>,
    ) -> Values<'a> {
        let from = String::from_utf8_lossy(profile.value_name().1).into_owned();
        let to = options.unit_of_rows(&from, rows);
        Values { options, from, to }
    }

    pub(super) fn text(&self, value: i128) -> String {
        let value = self.options.divided(value);
        match &self.to {
            Some(to) => unit::label(value, &self.from, to),
            None => measured(value, &self.from),
        }
    }
}

fn scaled(value: f64, units: &Units) -> String {
    let fits = |(_, from, _): &&(&str, f64, f64)| value.abs() >= *from;
    let Some(&(name, _, one)) = units.iter().find(fits).or(units.last()) else {
        return value.to_string();
    };
    let number = value / one;
    // Three significant digits; the smallest units have no fractions.
    let number = match number.abs() {
        _ if one == 1.0 => format!("{number:.0}"),
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    };
    format!("{number} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_three_digits_and_the_unit_that_fits() {
        for (value, unit, text) in [
            (0, "bytes", "0"),
            (512, "bytes", "512 B"),
            (1023, "bytes", "1023 B"),
            (1024, "bytes", "1.00 KiB"),
            (675_088, "bytes", "659 KiB"),
            (10, "kilobytes", "10.0 KiB"),
            (10, "kB", "10.0 KiB"),
            (3, "hours", "3.00 h"),
            (999, "nanoseconds", "999 ns"),
            (3_475, "nanoseconds", "3.48 µs"),
            (10_000_000, "nanoseconds", "10.0 ms"),
            (90_000_000_000, "nanoseconds", "90.0 s"),
            (150_000_000_000, "nanoseconds", "2.50 min"),
            (5, "milliseconds", "5.00 ms"),
            (2_680, "count", "2,680"),
            (12, "apples", "12 apples"),
            (i128::from(i64::MAX) * 4, "bytes", "32.0 EiB"),
        ] {
            assert_eq!(measured(value, unit), text);
        }
    }
}
