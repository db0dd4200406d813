//! Waits: ranges of minutes.

use crate::error::{Error, Result};

/// A range of numbers, mostly minutes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Interval {
    low: f64,
    low_included: bool,
    high: f64,
    high_included: bool,
}

impl Interval {
    pub(super) fn between(low: f64, high: f64) -> Interval {
        Interval { low, low_included: true, high, high_included: true }
    }

    pub(super) fn exactly(number: f64) -> Interval {
        Interval::between(number, number)
    }

    pub(super) fn at_least(low: f64) -> Interval {
        Interval::between(low, f64::INFINITY)
    }

    pub(super) fn at_most(high: f64) -> Interval {
        Interval::between(f64::NEG_INFINITY, high)
    }

    pub(super) fn more_than(low: f64) -> Interval {
        Interval { low_included: false, ..Interval::at_least(low) }
    }

    pub(super) fn less_than(high: f64) -> Interval {
        Interval { high_included: false, ..Interval::at_most(high) }
    }

    pub(super) fn contains(self, number: f64) -> bool {
        !self.misses(number, number)
    }

    /// Whether no number from `least` to `most` is in it.
    pub(super) fn misses(self, least: f64, most: f64) -> bool {
        let below = most < self.low || (most == self.low && !self.low_included);
        let above = least > self.high || (least == self.high && !self.high_included);
        below || above
    }
}

/// Reads `5`, `5+`, `>5`, `>=5`, `<3`, `<=3` or `2-10`; each number can have a unit. `column` is the
/// position of `text` in `value`.
pub(super) fn parse_range(value: &str, text: &str, column: usize) -> Result<Interval> {
    let minutes = |part: &str, at: usize| {
        parse_minutes(part).ok_or_else(|| {
            let what = match part {
                "" => "a number is missing".to_owned(),
                _ => format!("`{part}` is not a number of minutes"),
            };
            Error::usage("--wait", value, column + at, what)
                .advise("write 5, 5+, >5, <3 or 2-10 (minutes), or use units: 30s, 90m, 1h, 2d")
        })
    };
    for (sign, make) in [
        (">=", Interval::at_least as fn(f64) -> Interval),
        ("<=", Interval::at_most),
        (">", Interval::more_than),
        ("<", Interval::less_than),
    ] {
        if let Some(part) = text.strip_prefix(sign) {
            return Ok(make(minutes(part, sign.len())?));
        }
    }
    if let Some(part) = text.strip_suffix('+') {
        return Ok(Interval::at_least(minutes(part, 0)?));
    }
    if let Some((low, high)) = text.split_once('-') {
        let from = minutes(low, 0)?;
        let to = minutes(high, low.chars().count() + 1)?;
        if from > to {
            return Err(Error::usage("--wait", value, column, "the range ends before it starts")
                .advise(format!("write {high}-{low}")));
        }
        return Ok(Interval::between(from, to));
    }
    Ok(Interval::exactly(minutes(text, 0)?))
}

/// Reads a number of minutes, or of other units: `90`, `2.5`, `30s`, `1h`, `1h30m`, `2d`.
///
/// Rounded as [`crate::profile::Wait`] stores it, so that `0.1` equals a wait of 0.1.
pub(crate) fn parse_minutes(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut minutes = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let unit_end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(unit_end);
        let minutes_per_unit = match unit {
            "" | "m" | "min" => 1.0,
            "s" => 1.0 / 60.0,
            "h" => 60.0,
            "d" => 24.0 * 60.0,
            _ => return None,
        };
        minutes += parse_number(number)? * minutes_per_unit;
        rest = tail;
    }
    Some(as_stored(minutes))
}

/// Minutes with the precision of [`crate::profile::Wait`].
pub(super) fn as_stored(minutes: f64) -> f64 {
    f64::from(minutes as f32)
}

/// Reads digits, with a point and more digits or without: no signs, exponents or `inf`.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    let plain = match text.split_once('.') {
        None => all_digits(text),
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
    };
    if plain { text.parse().ok() } else { None }
}

/// Whether it consists of one or more digits.
pub(super) fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Interval {
        parse_range(text, text, 1).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_form_of_range() {
        for (text, inside, outside) in [
            ("5", &[5.0][..], &[4.0, 5.5, 6.0][..]),
            ("0", &[0.0], &[1.0]),
            ("5+", &[5.0, 5.5, 100.0], &[4.9]),
            (">=5", &[5.0], &[4.9]),
            (">5", &[5.1, 6.0], &[5.0]),
            ("<3", &[0.0, 2.9], &[3.0]),
            ("<=3", &[3.0], &[3.1]),
            ("2-10", &[2.0, 10.0], &[1.9, 10.1]),
            ("1h", &[60.0], &[59.0, 61.0]),
            (">90m", &[91.0], &[90.0]),
            ("1h-2d", &[60.0, 2880.0], &[59.0, 2881.0]),
            ("1h30m+", &[90.0], &[89.0]),
            (">=30s", &[0.5, 1.0], &[0.0]),
            ("0.1", &[0.1], &[0.2]),
        ] {
            let range = range(text);
            for &minutes in inside {
                let minutes = as_stored(minutes);
                assert!(range.contains(minutes), "{text} {minutes}");
                assert!(!range.misses(minutes, minutes), "{text} {minutes}");
            }
            for &minutes in outside {
                let minutes = as_stored(minutes);
                assert!(!range.contains(minutes), "{text} {minutes}");
                assert!(range.misses(minutes, minutes), "{text} {minutes}");
            }
        }
    }

    #[test]
    fn a_range_misses_only_what_lies_wholly_outside() {
        assert!(!range("5-6").misses(0.0, 10.0));
        assert!(!range("5-6").misses(0.0, 5.0));
        assert!(range(">5").misses(0.0, 5.0));
        assert!(range("<5").misses(5.0, 9.0));
    }

    #[test]
    fn what_is_no_range_is_pointed_at() {
        for (text, column) in [
            ("", 1),
            ("five", 1),
            ("5x", 1),
            (">", 2),
            (">=5z", 3),
            ("5-", 3),
            ("-5", 1),
            ("10-2", 1),
            ("1e3", 1),
            ("inf", 1),
            ("5.", 1),
            ("5 ", 1),
        ] {
            let error = parse_range(text, text, 1).expect_err(text);
            assert_eq!(error.place, Some(crate::error::Place::Column(column)), "{text}: {error}");
        }
    }
}
