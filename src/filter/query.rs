//! The search grammar of the browser tool, for people who have queries for it.
//!
//! At most one word of text, and `wait:` terms at any place: `wait:>5`, `wait:<10`, `wait:5+`,
//! `wait:4-9`, `wait:7`. Waits are whole minutes: `>5` means 6 or more, `<10` at most 9. Queries that
//! the tool refuses are refused here in its words.

use super::wait::{self, Interval, as_stored};
use crate::error::{Error, Result};

/// A parsed query.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Query {
    /// The text to search for; empty if there is none.
    pub(super) text: String,
    /// The shortest wait.
    pub(super) min: Option<f64>,
    /// The longest wait.
    pub(super) max: Option<f64>,
}

impl Query {
    /// The waits that it selects, if it has `wait:` terms.
    pub(super) fn waits(&self) -> Option<Interval> {
        let low = self.min.map_or(f64::NEG_INFINITY, as_stored);
        let high = self.max.map_or(f64::INFINITY, as_stored);
        (self.min.is_some() || self.max.is_some()).then(|| Interval::between(low, high))
    }
}

const EXACT_AND_MORE: &str = "Exact wait time cannot be combined with other wait constraints";

/// Reads a query; errors point at the term.
pub(super) fn parse(query: &str) -> Result<Query> {
    let refuse = |column: usize, what: &str| {
        Error::usage("--query", query, column, what)
            .advise("write at most one word and waits like wait:5+, wait:>5, wait:<10 or wait:4-9")
    };
    let mut found = Query::default();
    let mut exact = false;
    let mut last_wait = 1;
    for (column, term) in terms(query) {
        let Some(spec) = term.strip_prefix("wait:") else {
            if !found.text.is_empty() {
                return Err(refuse(column, "Only one search term allowed (plus wait: filters)"));
            }
            found.text = term.to_owned();
            continue;
        };
        last_wait = column;
        let number = |text: &str| {
            parse_number(text)
                .ok_or_else(|| refuse(column, &format!("Invalid wait filter: {term}")))
        };
        let again = |end: &str, example: &str| {
            refuse(
                column,
                &format!("Multiple {end} wait constraints not allowed (e.g., {example})"),
            )
        };
        if spec.starts_with('>') || (spec.ends_with('+') && !spec.starts_with('<')) {
            if found.min.is_some() && !exact {
                let first = if spec.starts_with('>') { "wait:>5" } else { "wait:5+" };
                return Err(again("minimum", &format!("{first} wait:>10")));
            }
            if exact {
                return Err(refuse(column, EXACT_AND_MORE));
            }
            found.min = Some(match spec.strip_prefix('>') {
                Some(number_text) => number(number_text)? + 1.0,
                None => number(spec.strip_suffix('+').unwrap_or(spec))?,
            });
        } else if let Some(number_text) = spec.strip_prefix('<') {
            if found.max.is_some() && !exact {
                return Err(again("maximum", "wait:<5 wait:<10"));
            }
            if exact {
                return Err(refuse(column, EXACT_AND_MORE));
            }
            found.max = Some(number(number_text)? - 1.0);
        } else if let Some((low, high)) = spec.split_once('-') {
            if exact {
                return Err(refuse(column, EXACT_AND_MORE));
            }
            if found.waits().is_some() {
                return Err(refuse(
                    column,
                    "Range wait constraint cannot be combined with other wait constraints",
                ));
            }
            if high.contains('-') {
                let what = format!("Invalid range format: {term} (use wait:min-max)");
                return Err(refuse(column, &what));
            }
            let (min, max) = (number(low)?, number(high)?);
            if min > max {
                let what = format!(
                    "Invalid range: minimum ({min}) cannot be greater than maximum ({max})"
                );
                return Err(refuse(column, &what));
            }
            (found.min, found.max) = (Some(min), Some(max));
        } else {
            if exact {
                return Err(again("exact", "wait:5 wait:10"));
            }
            if found.waits().is_some() {
                return Err(refuse(column, EXACT_AND_MORE));
            }
            let minutes = number(spec)?;
            (found.min, found.max) = (Some(minutes), Some(minutes));
            exact = true;
        }
    }
    if found.max.is_some_and(|max| max < 0.0) {
        return Err(refuse(last_wait, "Maximum wait time cannot be negative"));
    }
    if found.min.zip(found.max).is_some_and(|(min, max)| min > max) {
        return Err(refuse(last_wait, "Minimum wait time cannot be greater than maximum"));
    }
    Ok(found)
}

/// The terms with their columns; only blanks separate them.
fn terms(query: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut column = 1;
    query.split(' ').filter_map(move |part| {
        let start = column + part.chars().take_while(|c| c.is_whitespace()).count();
        column += part.chars().count() + 1;
        let term = part.trim();
        (!term.is_empty()).then_some((start, term))
    })
}

/// `5`, `2.5`, `.5`; not `5.`, no signs, no exponents.
fn parse_number(text: &str) -> Option<f64> {
    match text.starts_with('.') {
        true => wait::parse_number(&format!("0{text}")),
        false => wait::parse_number(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    #[test]
    fn text_and_waits_in_any_order() {
        for (query, text, min, max) in [
            ("", "", None, None),
            ("  abc  ", "abc", None, None),
            ("flush wait:>5", "flush", Some(6.0), None),
            ("wait:>1 disk wait:<30", "disk", Some(2.0), Some(29.0)),
            ("wait:5+", "", Some(5.0), None),
            ("wait:4-9", "", Some(4.0), Some(9.0)),
            ("wait:7", "", Some(7.0), Some(7.0)),
            ("wait:<1", "", None, Some(0.0)),
            ("wait:>2.5", "", Some(3.5), None),
            ("wait:.5", "", Some(0.5), Some(0.5)),
            ("Wait:5", "Wait:5", None, None),
            ("state:select", "state:select", None, None),
        ] {
            let expected = Query { text: text.into(), min, max };
            assert_eq!(parse(query).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn what_the_browser_tool_refuses_is_pointed_at() {
        for (query, column, what) in [
            ("flush disk", 7, "Only one search term allowed (plus wait: filters)"),
            ("wait:", 1, "Invalid wait filter: wait:"),
            ("  wait:5.", 3, "Invalid wait filter: wait:5."),
            ("x wait:-5", 3, "Invalid wait filter: wait:-5"),
            ("wait:1-2-3", 1, "Invalid range format: wait:1-2-3 (use wait:min-max)"),
            ("wait:5-3", 1, "Invalid range: minimum (5) cannot be greater than maximum (3)"),
            (
                "wait:>1 wait:>2",
                9,
                "Multiple minimum wait constraints not allowed (e.g., wait:>5 wait:>10)",
            ),
            (
                "wait:5+ wait:7+",
                9,
                "Multiple minimum wait constraints not allowed (e.g., wait:5+ wait:>10)",
            ),
            (
                "wait:<9 wait:<7",
                9,
                "Multiple maximum wait constraints not allowed (e.g., wait:<5 wait:<10)",
            ),
            (
                "wait:5 wait:5",
                8,
                "Multiple exact wait constraints not allowed (e.g., wait:5 wait:10)",
            ),
            ("wait:5 wait:<9", 8, EXACT_AND_MORE),
            ("wait:1-9 wait:5", 10, EXACT_AND_MORE),
            (
                "wait:>5 wait:4-9",
                9,
                "Range wait constraint cannot be combined with other wait constraints",
            ),
            ("wait:<0", 1, "Maximum wait time cannot be negative"),
            ("wait:>5 wait:<5", 9, "Minimum wait time cannot be greater than maximum"),
        ] {
            let error = parse(query).expect_err(query);
            assert_eq!(error.what, what, "{query}");
            assert_eq!(error.place, Some(Place::Column(column)), "{query}");
        }
    }

    /// Every fact of the browser tool's grammar, where the table is at hand.
    #[test]
    #[ignore = "needs STACKGAZER_CORPUS"]
    fn agrees_with_the_browser_tool() {
        let folder = std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS");
        let path = std::path::Path::new(&folder).join("oracle/facts.json");
        let facts: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let facts = facts["filter_query"].as_array().unwrap();
        assert!(facts.len() >= 32);
        for fact in facts {
            let input = fact["input"].as_str().unwrap();
            match (parse(input), fact["error"].as_str()) {
                (Err(error), Some(expected)) => assert_eq!(error.what, expected, "{input}"),
                (Ok(query), None) => {
                    let found = (query.text.as_str(), query.min, query.max);
                    let number = |key: &str| fact[key].as_f64();
                    let text = fact["text"].as_str().unwrap();
                    assert_eq!(found, (text, number("min_wait"), number("max_wait")), "{input}");
                }
                (result, expected) => panic!("{input}: {result:?} instead of {expected:?}"),
            }
        }
    }
}
