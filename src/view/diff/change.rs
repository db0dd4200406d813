//! How a row changed between the first point and the last, and which changes count.

use crate::error::{Error, Result};
use crate::profile::unit;
use crate::view::values::quantity::Quantity;

/// How a row changed between the first point and the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// Nothing at the first point.
    New,
    /// Nothing at the last point.
    Gone,
    /// More than at the first point.
    Grown,
    /// Less than at the first point.
    Shrunk,
    /// As much as at the first point.
    Same,
}

/// Every status with its name.
pub const STATUSES: [(Status, &str); 5] = [
    (Status::New, "new"),
    (Status::Gone, "gone"),
    (Status::Grown, "grown"),
    (Status::Shrunk, "shrunk"),
    (Status::Same, "same"),
];

/// The word for all statuses but [`Status::Same`] in `--fail-on`.
const CHANGED: &str = "changed";

impl Status {
    /// The name in JSON and on the command line.
    pub fn name(self) -> &'static str {
        STATUSES.iter().find(|(status, _)| *status == self).map_or("", |(_, name)| name)
    }

    /// The status for the counts at the first and the last point, and the change after scaling.
    pub(super) fn of(first: i128, last: i128, change: f64) -> Status {
        match (first, last) {
            (0, 0) => Status::Same,
            (0, _) => Status::New,
            (_, 0) => Status::Gone,
            // Scaling leaves fractions; less than half a goroutine is no change.
            _ if change >= 0.5 => Status::Grown,
            _ if change <= -0.5 => Status::Shrunk,
            _ => Status::Same,
        }
    }

    /// The statuses in a list with commas, for `--fail-on`.
    ///
    /// # Errors
    /// If one of them isn't known; points at it.
    pub fn list(text: &str) -> Result<Vec<Status>> {
        let mut list = Vec::new();
        let mut column = 1;
        for word in text.split(',') {
            let name = word.trim();
            match STATUSES.iter().find(|(status, known)| *known == name && *status != Status::Same)
            {
                Some((status, _)) => list.push(*status),
                None if name == CHANGED => {
                    list.extend([Status::New, Status::Gone, Status::Grown, Status::Shrunk]);
                }
                None => {
                    let column = column + word.chars().take_while(|c| c.is_whitespace()).count();
                    return Err(unknown(text, column, name));
                }
            }
            column += word.chars().count() + 1;
        }
        Ok(list)
    }
}

fn unknown(text: &str, column: usize, name: &str) -> Error {
    let known = ["new", "gone", "grown", "shrunk", CHANGED];
    let error = Error::usage("--fail-on", text, column, format!("unknown change {name:?}"));
    error.advise_one_of(name, known)
}

/// How much a row has to change to count.
#[derive(Clone, PartialEq, Debug)]
pub enum MinChange {
    /// This many goroutines, or this value in the unit of the profile.
    Amount(f64),
    /// A value in another unit: `1.5 MB`.
    Value {
        /// The number.
        number: f64,
        /// The unit.
        unit: String,
    },
    /// This percentage of the first count; from nothing to something is always enough.
    Percent(f64),
}

impl MinChange {
    /// Reads `50`, `10%`, `1.5MB` or `20ms`.
    ///
    /// # Errors
    /// If it isn't a number, or its unit isn't known.
    pub fn parse(text: &str) -> Result<MinChange> {
        let text = text.trim();
        let end = text.find(|char: char| !char.is_ascii_digit() && char != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let (number, unit) = (number.parse::<f64>().ok(), unit.trim());
        match number.filter(|number| number.is_finite()) {
            Some(number) if unit == "%" => Ok(MinChange::Percent(number)),
            Some(number) if unit.is_empty() && number.fract() == 0.0 => {
                Ok(MinChange::Amount(number))
            }
            Some(number) if unit::is_known(unit) => {
                Ok(MinChange::Value { number, unit: unit.to_owned() })
            }
            _ => Err(Error::usage("--min-change", text, 1, "isn't an amount").advise(
                "write 50 for fifty goroutines, 1.5MB or 20ms for values, 10% for a tenth of what \
                 there was",
            )),
        }
    }

    /// Converts it into the unit of the counts.
    ///
    /// # Errors
    /// If these measure something else.
    pub fn of(self, quantity: &Quantity) -> Result<MinChange> {
        let MinChange::Value { number, unit } = &self else { return Ok(self) };
        let factor = match quantity {
            Quantity::Goroutines => None,
            Quantity::Values { unit: to, .. } => unit::factor(unit, to),
        };
        factor.map(|factor| MinChange::Amount(number * factor)).ok_or_else(|| {
            let what = format!("{} aren't measured in {unit}", quantity.noun());
            Error::usage("--min-change", format!("{number}{unit}"), 1, what)
        })
    }

    /// Whether a change from `base` is enough.
    pub(super) fn reached(&self, base: f64, change: f64) -> bool {
        match self {
            MinChange::Amount(least) | MinChange::Value { number: least, .. } => {
                change.abs() >= *least
            }
            MinChange::Percent(_) if base == 0.0 => change != 0.0,
            MinChange::Percent(least) => change.abs() * 100.0 >= least * base.abs(),
        }
    }
}

/// A change in percent of the base; `None` if that is 0.
pub fn percent(base: f64, change: f64) -> Option<f64> {
    (base != 0.0).then(|| change / base.abs() * 100.0).filter(|percent| percent.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    #[test]
    fn a_status_is_what_became_of_the_count() {
        for (first, last, status) in [
            (0, 3, Status::New),
            (3, 0, Status::Gone),
            (3, 4, Status::Grown),
            (4, 3, Status::Shrunk),
            (3, 3, Status::Same),
            (0, 0, Status::Same),
        ] {
            assert_eq!(Status::of(first, last, (last - first) as f64), status, "{first} {last}");
        }
        // A hundred of two hundred, scaled to half as many, is no change.
        assert_eq!(Status::of(50, 100, 0.2), Status::Same);
        for (change, status) in [(0.49, Status::Same), (0.5, Status::Grown), (-0.5, Status::Shrunk)]
        {
            assert_eq!(Status::of(50, 100, change), status, "{change}");
        }
        assert_eq!(Status::of(3, 0, -0.1), Status::Gone);
    }

    #[test]
    fn changed_stands_for_every_change() {
        assert_eq!(Status::list("new, grown").unwrap(), [Status::New, Status::Grown]);
        assert_eq!(Status::list("changed").unwrap().len(), 4);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let error = Status::list("new,grwon").unwrap_err();
        assert_eq!(error.place, Some(Place::Column(5)));
        assert_eq!(error.advice.as_deref(), Some("did you mean grown?"));
        let error = Status::list("new,  grwon").unwrap_err();
        assert_eq!(error.place, Some(Place::Column(7)), "behind the blanks");
        assert!(Status::list("").is_err());
        assert!(Status::list("same").is_err(), "nothing has changed then");
        for wrong in ["", "x", "-5", "5.5", "%", "nan", "inf%", "1e3"] {
            assert!(MinChange::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn small_changes_are_told_from_large_ones() {
        let goroutines = MinChange::parse("5").unwrap();
        assert!(goroutines.reached(100.0, -5.0) && !goroutines.reached(0.0, 4.0));
        let share = MinChange::parse("2.5%").unwrap();
        assert!(share.reached(200.0, 5.0) && !share.reached(200.0, 4.0));
        assert!(share.reached(0.0, 1.0), "from nothing");
        assert!(!share.reached(0.0, 0.0));
    }

    #[test]
    fn amounts_are_turned_into_the_unit_of_what_is_counted() {
        let heap = Quantity::Values { kind: "inuse_space".into(), unit: "bytes".into() };
        let of = |text: &str, quantity: &Quantity| MinChange::parse(text).unwrap().of(quantity);
        assert_eq!(of("1.5kB", &heap).unwrap(), MinChange::Amount(1536.0));
        assert_eq!(of("50", &heap).unwrap(), MinChange::Amount(50.0));
        assert_eq!(of("50", &Quantity::Goroutines).unwrap(), MinChange::Amount(50.0));
        let error = of("20ms", &heap).unwrap_err();
        assert_eq!(error.what, "inuse_space aren't measured in ms");
        assert!(of("20ms", &Quantity::Goroutines).is_err());
    }

    #[test]
    fn nothing_has_no_percent() {
        assert_eq!(percent(0.0, 5.0), None);
        assert_eq!(percent(50.0, -5.0), Some(-10.0));
    }
}
