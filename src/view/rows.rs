//! The parts of rows in all documents: numbers, ids, waits and texts as programs read them.

use crate::error::{Error, ErrorKind};
use crate::limits::LIMITS;
use crate::profile::{Frame, FrameId, Profile, WaitRange};
use crate::rules::Names;
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A sum as 64 bits, as documents and files can hold it.
pub fn saturated(sum: i128) -> i64 {
    sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// A sum; beyond 64 bits it is the largest number that readers of JSON can be expected to take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count(pub i128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_i64(saturated(self.0))
    }
}

/// Serializes a field with a sum, as [`Count`].
pub(crate) fn as_count<S: Serializer>(sum: &i128, out: S) -> Result<S::Ok, S::Error> {
    Count(*sum).serialize(out)
}

/// Serializes a field with sums.
pub(crate) fn as_counts<S: Serializer>(sums: &[i128], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(sums.iter().copied().map(Count))
}

/// A number that is written without a fraction if it is whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // Beyond 2^53 every number is whole.
        match self.0.fract() == 0.0 && self.0.abs() < 9_007_199_254_740_992.0 {
            true => out.serialize_i64(self.0 as i64),
            false => out.serialize_f64(self.0),
        }
    }
}

/// Serializes a field with a number, as [`Number`].
pub(crate) fn as_number<S: Serializer>(number: &f64, out: S) -> Result<S::Ok, S::Error> {
    Number(*number).serialize(out)
}

/// An id, serialized as a string: ids have 64 bits, numbers in JavaScript 53.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Id(pub u64);

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&self.0)
    }
}

/// Minutes as people write them: `9`, `2.5`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Minutes(f32);

impl Minutes {
    /// `None` for infinite waits, which JSON can't have as numbers.
    pub fn of(minutes: f32) -> Option<Minutes> {
        minutes.is_finite().then_some(Minutes(minutes))
    }
}

impl fmt::Display for Minutes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Serialize for Minutes {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // As 64 bits, 2.3 of 32 bits would be another number.
        Number(self.0.to_string().parse().unwrap_or_default()).serialize(out)
    }
}

/// The shortest and the longest of some waits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Range {
    min: Minutes,
    max: Minutes,
}

impl Range {
    /// `None` if no wait is known.
    pub fn of(waits: &WaitRange) -> Option<Range> {
        let (min, max) = waits.range()?;
        Some(Range { min: Minutes::of(min)?, max: Minutes::of(max)? })
    }
}

/// Text of the input for JSON: bytes that aren't UTF-8 become U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&String::from_utf8_lossy(self.0))
    }
}

/// Where the code of a frame comes from, if that is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct Origin {
    /// Its module, with the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The address where its source can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

impl Origin {
    /// The origin of a frame.
    pub fn of(profile: &Profile, frame: FrameId) -> Origin {
        let Frame { func, file, line } = profile.frame(frame);
        let (func, file) = (profile.str(func), profile.str(file));
        Origin {
            module: profile.modules.module_of(func, file),
            source: profile.modules.source(func, file, line),
        }
    }
}

/// A frame after trimming.
#[derive(Clone, Debug, Serialize)]
pub struct FrameRow<'a> {
    func: Text<'a>,
    file: Text<'a>,
    line: i64,
    #[serde(flatten)]
    origin: Origin,
}

impl<'a> FrameRow<'a> {
    /// A frame of a profile under these names.
    pub fn new(profile: &Profile, names: &'a Names, frame: FrameId) -> FrameRow<'a> {
        FrameRow {
            func: Text(names.func(frame)),
            file: Text(names.file(frame)),
            line: profile.frame(frame).line,
            origin: Origin::of(profile, frame),
        }
    }
}

/// Goroutines by state; those of unknown state are `unknown`.
pub fn states(list: &[(Option<String>, i128)]) -> BTreeMap<&str, Count> {
    let mut states = BTreeMap::new();
    for (state, count) in list {
        states.entry(state.as_deref().unwrap_or("unknown")).or_insert(Count(0)).0 += count;
    }
    states
}

/// The object without those of the fields `optional` that are empty.
pub fn without_null(mut object: Value, optional: &[&str]) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|name, value| !value.is_null() || !optional.contains(&name.as_str()));
    }
    object
}

/// Checks that a table with a column for each input or point isn't too large: it is filled, and mostly written,
/// cell by cell.
///
/// # Errors
/// If it has more cells than [`cells`](crate::limits::Limits::cells).
pub(super) fn check_cells(option: &str, rows: usize, columns: usize) -> crate::error::Result<()> {
    let (cells, most) = (rows.saturating_mul(columns), LIMITS.cells);
    if cells <= most {
        return Ok(());
    }
    let what = format!("{rows} rows with {columns} columns are more than {most} cells (cells)");
    let advice = "name fewer inputs, select less, or count by a key with fewer values (--by)";
    Err(Error::new(ErrorKind::Limit, option, what).advise(advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_that_are_called_alike_are_one() {
        let state = |name: &str, count| (Some(name.to_owned()), count);
        let list = [state("select", 3), (None, 2), state("unknown", 1), state("select", 4)];
        let expected = [("select", Count(7)), ("unknown", Count(3))];
        assert_eq!(states(&list), BTreeMap::from(expected));
    }
}
