//! Labels as `tagfocus` and related options see them.

use super::pattern;
use crate::error::{Error, Result};
use crate::profile::unit::{self, LabelUnits, scale};
use crate::profile::{Label, LabelValue, Profile, SampleId, StrId};
use regex::bytes::Regex;

/// The values of a label as texts, with numbers in the unit that suits them best.
pub(super) fn texts(profile: &Profile, sample: SampleId, key: StrId) -> Vec<Vec<u8>> {
    let of_key = || labels(profile, sample).filter(|label| label.key == key);
    let mut texts = Vec::new();
    let mut has_unit = false;
    for label in of_key() {
        match label.value {
            LabelValue::Text(text) => texts.push(profile.str(text).to_vec()),
            LabelValue::Number(_, unit) => has_unit |= !profile.str(unit).is_empty(),
        }
    }
    for label in of_key() {
        if let LabelValue::Number(number, unit) = label.value {
            let from = String::from_utf8_lossy(profile.str(unit));
            let to = if has_unit { unit::MINIMUM } else { "" };
            texts.push(unit::label(number.into(), &from, to).into_bytes());
        }
    }
    texts
}

/// The labels of a sample, and those of its input's path whose keys the sample doesn't have.
///
/// For pprof a label without a value doesn't exist, as it can't distinguish the two.
fn labels(profile: &Profile, sample: SampleId) -> impl Iterator<Item = &Label> {
    let own = profile.all_labels(sample);
    let is_empty = |label: &&Label| match label.value {
        LabelValue::Text(text) => profile.str(text).is_empty(),
        LabelValue::Number(number, unit) => number == 0 && profile.str(unit).is_empty(),
    };
    let of_path = profile.labels(profile.input(profile.sample(sample).key.input).labels);
    let is_new = |label: &&Label| own.iter().all(|own| own.key != label.key);
    own.iter().chain(of_path.iter().filter(is_new)).filter(move |label| !is_empty(label))
}

/// A condition on labels: `[KEY=]RANGE` or `[KEY=]REGEX,...`.
#[derive(Clone, Debug)]
pub(super) struct TagFilter {
    key: Option<String>,
    test: Test,
}

#[derive(Clone, Debug)]
enum Test {
    Range(Range),
    Patterns(Vec<Regex>),
}

/// Numbers from one to another, both included, in one unit.
#[derive(Clone, PartialEq, Debug)]
struct Range {
    from: f64,
    to: f64,
    unit: String,
}

impl TagFilter {
    pub(super) fn compile(option: &str, text: Option<&str>) -> Result<Option<TagFilter>> {
        let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (Some(key.to_owned()).filter(|key| !key.is_empty()), value),
            None => (None, text),
        };
        let test = match Range::parse(value) {
            Ok(Some(range)) => Test::Range(range),
            Ok(None) => {
                let patterns = value.split(',').map(|text| pattern(option, text));
                Test::Patterns(patterns.collect::<Result<_>>()?)
            }
            Err(number) => {
                let column = text.find(&number).map_or(1, |at| text[..at].chars().count() + 1);
                let error = Error::usage(option, text, column, "the number is too large");
                return Err(error.advise("write a larger unit, as in 4gb"));
            }
        };
        Ok(Some(TagFilter { key, test }))
    }

    /// Whether a sample has a label that matches.
    ///
    /// Without a key each pattern must match some `KEY:VALUE`; with a key, any one pattern has to match.
    pub(super) fn holds(&self, profile: &Profile, units: &LabelUnits, sample: SampleId) -> bool {
        let of_key = |label: &&Label| {
            self.key.as_ref().is_none_or(|key| profile.str(label.key) == key.as_bytes())
        };
        let mut of_key = labels(profile, sample).filter(of_key);
        match &self.test {
            Test::Range(range) => of_key.any(|label| match label.value {
                LabelValue::Number(number, _) => range.holds(number, units.of(label.key)),
                LabelValue::Text(_) => false,
            }),
            Test::Patterns(patterns) => {
                let texts: Vec<Vec<u8>> = of_key
                    .filter_map(|label| match (label.value, &self.key) {
                        (LabelValue::Text(text), Some(_)) => Some(profile.str(text).to_vec()),
                        (LabelValue::Text(text), None) => {
                            Some([profile.str(label.key), b":", profile.str(text)].concat())
                        }
                        (LabelValue::Number(..), _) => None,
                    })
                    .collect();
                let found = |pattern: &Regex| texts.iter().any(|text| pattern.is_match(text));
                match self.key {
                    Some(_) => patterns.iter().any(found),
                    None => patterns.iter().all(found),
                }
            }
        }
    }
}

impl Range {
    /// `32kb`, `:64kb`, `4mb:`, `12kb:64mb`; `None` for anything else, which is a pattern then. The
    /// error is a number that doesn't fit.
    fn parse(text: &str) -> std::result::Result<Option<Range>, String> {
        let (first, rest) = match text.strip_prefix(':') {
            Some(text) => match number(text)? {
                Some((to, "")) => return Ok(Some(to.range(f64::NEG_INFINITY, to.0))),
                _ => return Ok(None),
            },
            None => match number(text)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        match rest {
            "" => Ok(Some(first.range(first.0, first.0))),
            ":" => Ok(Some(first.range(first.0, f64::INFINITY))),
            rest => {
                let Some(rest) = rest.strip_prefix(':') else { return Ok(None) };
                let Some((second, "")) = number_in(rest, &first.1)? else { return Ok(None) };
                let same_unit = first.1 == second.1;
                Ok(same_unit.then(|| first.range(first.0, second.0)))
            }
        }
    }

    fn holds(&self, value: i64, unit: &str) -> bool {
        let (value, unit) = scale(value.into(), unit, &self.unit);
        unit == self.unit && self.from <= value && value <= self.to
    }
}

/// A number, and the short name of its unit.
struct Scaled(f64, String);

impl Scaled {
    fn range(&self, from: f64, to: f64) -> Range {
        Range { from, to, unit: self.1.clone() }
    }
}

/// The number with a unit at the start of the text, and the rest of the text.
fn number(text: &str) -> std::result::Result<Option<(Scaled, &str)>, String> {
    read_number(text, None)
}

/// Reads a number with a unit and converts it to another unit.
fn number_in<'a>(
    text: &'a str,
    unit: &str,
) -> std::result::Result<Option<(Scaled, &'a str)>, String> {
    read_number(text, Some(unit))
}

fn read_number<'a>(
    text: &'a str,
    to: Option<&str>,
) -> std::result::Result<Option<(Scaled, &'a str)>, String> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Ok(None);
    }
    let (digits, rest) = text.split_at(sign + digits);
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, rest) = rest.split_at(letters);
    let value = digits.parse::<i64>().map_err(|_| digits.to_owned())?;
    let (value, unit) = scale(value.into(), unit, to.unwrap_or(unit));
    Ok(Some((Scaled(value, unit), rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str) -> Option<Range> {
        Range::parse(text).unwrap()
    }

    #[test]
    fn ranges_have_units_and_may_be_open() {
        assert!(range("32kb").unwrap().holds(32768, "bytes"));
        assert!(!range("32kb").unwrap().holds(32769, "bytes"));
        assert!(range("4mb:").unwrap().holds(i64::MAX, "bytes"));
        assert!(!range("4mb:").unwrap().holds(4095, "kb"));
        assert!(range(":64kb").unwrap().holds(-1, "bytes"));
        assert!(range("12kb:64mb").unwrap().holds(1 << 20, "bytes"));
        assert!(!range("12kb:64mb").unwrap().holds(100, "bytes"));
        assert!(range("5").unwrap().holds(5, ""));
        assert!(!range("5kb").unwrap().holds(5120, "nanoseconds"));
    }

    #[test]
    fn what_is_no_range_is_a_pattern() {
        for text in ["foo", "tenant1", "1kb:foo", "1kb-2kb", "1kb:2ms", ":", "", "1kb:2kb:3kb"] {
            assert_eq!(range(text), None, "{text}");
        }
        assert_eq!(Range::parse("99999999999999999999b"), Err("99999999999999999999".to_owned()));
    }

    #[test]
    fn wrong_patterns_and_numbers_are_pointed_at() {
        let error = TagFilter::compile("--tagfocus", Some("k=99999999999999999999")).unwrap_err();
        assert_eq!(error.place, Some(crate::error::Place::Column(3)));
        assert!(TagFilter::compile("--tagfocus", Some("k=a(")).is_err());
        assert!(TagFilter::compile("--tagfocus", Some("")).unwrap().is_none());
    }
}
