//! Many similar errors: the first ones are kept, the others only counted.

use super::{Error, ErrorKind};
use crate::limits::LIMITS;
use hashbrown::hash_map::EntryRef;
use hashbrown::{Equivalent, HashMap};

/// Errors in the order in which they came; of similar ones only the first
/// [`problems_alike`](crate::limits::Limits::problems_alike), as a million damaged members of an archive
/// would take 400 MB.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    counts: ErrorCounts,
}

/// One error, or the last one that was kept of many similar ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// What is wrong.
    pub error: Error,
    /// How many more like it were left out of the list after this one.
    pub more: u64,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.more {
            0 => self.error.fmt(out),
            more => write!(out, "{}; {more} more like it", self.error),
        }
    }
}

impl Problems {
    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many errors there are, including those that are only counted.
    pub fn count(&self) -> u64 {
        self.list.iter().map(|problem| 1 + problem.more).sum()
    }

    /// The errors that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.list.iter()
    }

    /// Adds an error, or counts it.
    pub fn push(&mut self, error: Error) {
        let count = self.counts.count(&error);
        if count.more == 0 {
            count.last = self.list.len();
            self.list.push(Problem { error, more: 0 });
        } else {
            self.list[count.last].more += 1;
        }
    }

    /// Adds the numbers of errors that were only counted elsewhere; the errors kept there have been added.
    pub fn add_counted(&mut self, counted: ErrorCounts) {
        for (likeness, Count { more, .. }) in counted.seen {
            if more == 0 {
                continue;
            }
            let rest = Likeness::from(&LikenessRef::of_kind(likeness.kind));
            let likeness = if self.counts.seen.contains_key(&likeness) { likeness } else { rest };
            if let Some(count) = self.counts.seen.get_mut(&likeness) {
                count.more += more;
                self.list[count.last].more += more;
            }
        }
    }

    /// Adds other errors after these.
    pub fn append(&mut self, others: Problems) {
        self.extend(others.list.into_iter().map(|problem| problem.error));
        self.add_counted(others.counts);
    }
}

impl Extend<Error> for Problems {
    fn extend<I: IntoIterator<Item = Error>>(&mut self, errors: I) {
        for error in errors {
            self.push(error);
        }
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What similar errors have in common: the archive, and what is wrong with its member. With too many
/// different ones, the rest of a kind count as similar, and all fields but `kind` are empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Likeness {
    kind: ErrorKind,
    archive: String,
    what: String,
    advice: Option<String>,
}

/// A [`Likeness`] that borrows from an error, of which there may be a million.
#[derive(Hash)]
struct LikenessRef<'e> {
    kind: ErrorKind,
    archive: &'e str,
    what: &'e str,
    advice: Option<&'e str>,
}

impl<'e> LikenessRef<'e> {
    fn of(error: &'e Error) -> LikenessRef<'e> {
        let archive = error.input.split_once('!').map_or("", |(archive, _)| archive);
        LikenessRef {
            kind: error.kind,
            archive,
            what: &error.what,
            advice: error.advice.as_deref(),
        }
    }

    fn of_kind(kind: ErrorKind) -> LikenessRef<'static> {
        LikenessRef { kind, archive: "", what: "", advice: None }
    }
}

impl From<&LikenessRef<'_>> for Likeness {
    fn from(alike: &LikenessRef<'_>) -> Likeness {
        let &LikenessRef { kind, archive, what, advice } = alike;
        let advice = advice.map(str::to_owned);
        Likeness { kind, archive: archive.to_owned(), what: what.to_owned(), advice }
    }
}

impl Equivalent<Likeness> for LikenessRef<'_> {
    fn equivalent(&self, likeness: &Likeness) -> bool {
        self.kind == likeness.kind
            && self.archive == likeness.archive
            && self.what == likeness.what
            && self.advice == likeness.advice.as_deref()
    }
}

fn entry<'m, V: Default>(
    counts: &'m mut HashMap<Likeness, V>,
    alike: &LikenessRef<'_>,
) -> &'m mut V {
    match counts.entry_ref(alike) {
        EntryRef::Occupied(known) => known.into_mut(),
        EntryRef::Vacant(new) => new.insert_with_key(alike.into(), V::default()),
    }
}

/// How many errors there were, by likeness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ErrorCounts {
    seen: HashMap<Likeness, Count>,
    /// How many errors were kept in all.
    kept: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Count {
    kept: usize,
    /// How many were only counted.
    more: u64,
    /// The position of the last one that was kept.
    last: usize,
}

impl ErrorCounts {
    /// Counts an error; returns whether to keep it.
    pub fn add(&mut self, error: &Error) -> bool {
        self.count(error).more == 0
    }

    fn count(&mut self, error: &Error) -> &mut Count {
        let mut likeness = LikenessRef::of(error);
        // Hostile errors may all differ.
        if self.seen.len() >= LIMITS.problem_kinds && !self.seen.contains_key(&likeness) {
            likeness = LikenessRef::of_kind(likeness.kind);
        }
        let count = entry(&mut self.seen, &likeness);
        let room = count.kept < LIMITS.problems_alike && self.kept < LIMITS.problems;
        if count.kept == 0 || room && count.more == 0 {
            count.kept += 1;
            self.kept += 1;
        } else {
            count.more += 1;
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(member: usize, what: &str) -> Error {
        Error::new(ErrorKind::Damaged, format!("a.zip!{member}"), what)
    }

    #[test]
    fn very_many_alike_are_counted_and_none_is_forgotten() {
        let mut problems = Problems::default();
        let all = LIMITS.problems_alike + 500;
        problems.extend((0..all).map(|member| error(member, "is damaged")));
        problems.push(error(all, "is something else"));
        assert_eq!(problems.count(), all as u64 + 1);
        assert_eq!(problems.iter().count(), LIMITS.problems_alike + 1);
        assert_eq!(problems.iter().map(|problem| problem.more).max(), Some(500));
    }

    #[test]
    fn errors_that_all_differ_take_bounded_memory_too() {
        let mut problems = Problems::default();
        let all = 3 * LIMITS.problems;
        problems.extend((0..all).map(|member| error(member, &format!("byte {member} is wrong"))));
        assert_eq!(problems.count(), all as u64);
        assert!(problems.iter().count() <= LIMITS.problem_kinds + LIMITS.problems_alike);
    }

    #[test]
    fn what_was_counted_in_parts_is_what_is_counted_at_once() {
        let errors: Vec<Error> = (0..5000)
            .map(|at| error(at, if at % 3 == 0 { "is damaged" } else { "is empty" }))
            .collect();
        let mut once = Problems::default();
        once.extend(errors.iter().cloned());
        let mut parts = Problems::default();
        let mut counted = Problems::default();
        for part in errors.chunks(1700) {
            let mut problems = Problems::default();
            problems.extend(part.iter().cloned());
            parts.append(problems);
            let mut kinds = ErrorCounts::default();
            counted.extend(part.iter().filter(|error| kinds.add(error)).cloned());
            counted.add_counted(kinds);
        }
        let of_each = |problems: &Problems| {
            ["is damaged", "is empty"].map(|what| {
                let of_it = problems.iter().filter(|problem| problem.error.what == what);
                of_it.map(|problem| 1 + problem.more).sum::<u64>()
            })
        };
        for problems in [parts, counted] {
            assert_eq!(of_each(&problems), of_each(&once));
            assert_eq!(problems.iter().count(), once.iter().count());
        }
    }
}
