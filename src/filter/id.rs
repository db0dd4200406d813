//! `--id`: goroutine ids, alone (`17`) or with the name of their input (`n1.17`).

use crate::error::{Error, Result};
use std::collections::{HashMap, HashSet};

/// A set of goroutine ids.
#[derive(Clone, Debug, Default)]
pub(super) struct IdSet {
    of_any_input: HashSet<u64>,
    of_input: HashMap<String, HashSet<u64>>,
}

impl IdSet {
    /// Adds an id as typed; `column` is the position of `text` in `value`.
    pub(super) fn insert(
        &mut self,
        option: &str,
        value: &str,
        text: &str,
        column: usize,
    ) -> Result<()> {
        // Names of inputs can contain dots themselves.
        let (input, digits) = match text.rsplit_once('.') {
            Some((input, digits)) => (Some(input), digits),
            None => (None, text),
        };
        let at = column + text.chars().count() - digits.chars().count();
        if !super::wait::all_digits(digits) {
            return Err(Error::usage(option, value, at, "not a goroutine id")
                .advise("write a number, with the name of its input in front if need be: n1.17"));
        }
        let id: u64 = digits.parse().map_err(|_| {
            Error::usage(option, value, at, "no goroutine id has more than 64 bits")
        })?;
        match input {
            Some(input) => self.of_input.entry(input.to_owned()).or_default().insert(id),
            None => self.of_any_input.insert(id),
        };
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of_any_input.is_empty() && self.of_input.is_empty()
    }

    /// Whether it can contain ids of this input.
    pub(super) fn concerns(&self, input: &str) -> bool {
        !self.of_any_input.is_empty() || self.of_input.contains_key(input)
    }

    pub(super) fn contains(&self, input: &str, id: u64) -> bool {
        self.of_any_input.contains(&id)
            || self.of_input.get(input).is_some_and(|ids| ids.contains(&id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn set(ids: &[&str]) -> IdSet {
        let mut set = IdSet::default();
        for id in ids {
            set.insert("--id", id, id, 1).unwrap();
        }
        set
    }

    #[test]
    fn an_id_alone_is_one_of_any_input() {
        let set = set(&["17", "node1.txt.18"]);
        assert!(set.contains("a", 17) && set.contains("b", 17));
        assert!(set.contains("node1.txt", 18));
        assert!(!set.contains("a", 18) && !set.contains("node1", 18));
    }

    #[test]
    fn all_64_bits_count() {
        assert!(set(&["18446744073709551615"]).contains("a", u64::MAX));
        assert!(!set(&["9007199254740993"]).contains("a", 9_007_199_254_740_992));
    }

    #[test]
    fn what_is_no_id_is_pointed_at() {
        for (id, column) in
            [("x", 1), ("n1.x", 4), ("n1.", 4), ("", 1), ("18446744073709551616", 1), ("-1", 1)]
        {
            let error = IdSet::default().insert("--id", id, id, 1).expect_err(id);
            assert_eq!(error.place, Some(Place::Column(column)), "{id}");
        }
    }
}
