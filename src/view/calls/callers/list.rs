//! Lines of source with their values: the `-list` of `go tool pprof`.

use super::Subject;
use crate::profile::{FrameId, Profile, lossy};
use crate::view::values::sums::Sums;
use regex::Regex;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;
use std::rc::Rc;

/// How many lines are shown before the first and after the last line with a value, as in pprof.
const MARGIN: i64 = 5;
/// How many lines are shown behind one with a value and before the next, if there are more between
/// them. Few functions are so long, and a profile of 9 KB can name a file of a megabyte for each of its
/// functions.
const AROUND: i64 = 100;

/// A function, or the part of it that is in this file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// The function.
    pub function: String,
    /// The file as the input prints it; empty if it doesn't.
    pub file: String,
    /// The sum of its lines.
    pub flat: i128,
    /// The sum of the values that pass its lines; as in pprof, recursion counts in each line it passes.
    pub cum: i128,
    /// By line: the value that ends in it, and the value that passes through it.
    pub lines: BTreeMap<i64, (i128, i128)>,
    /// Its first line, if the input has it.
    pub start: Option<i64>,
    /// Its source.
    pub source: Option<Rc<Source>>,
}

/// A file of source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// Where it was found.
    pub path: String,
    text: String,
    /// Where each line ends, with its line end: a `String` for each took 24 times the bytes of empty lines.
    ends: Vec<u32>,
}

impl Source {
    /// A file of less than 4 GiB.
    pub fn new(path: String, text: String) -> Source {
        let mut end = 0_u32;
        let lines = text.split_inclusive('\n').map(|line| {
            end = end.saturating_add(u32::try_from(line.len()).unwrap_or(u32::MAX));
            end
        });
        let ends = lines.collect();
        Source { path, text, ends }
    }

    /// How many lines it has.
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.text.len().saturating_add(self.ends.len().saturating_mul(size_of::<u32>()))
    }

    /// A line without its end; the first is 0.
    fn line(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        self.text.get(start.unwrap_or(0) as usize..end as usize)?.lines().next()
    }
}

impl Listing {
    /// The lines that are shown; with the source, also those around lines with values.
    pub fn shown(&self) -> Vec<i64> {
        let Some(source) = &self.source else { return self.lines.keys().copied().collect() };
        let range = self.range();
        let end = (*range.end()).min(source.lines() as i64);
        let mut shown: Vec<i64> = Vec::new();
        let mut before = *range.start();
        for line in self.lines.keys().copied().chain([end]) {
            let next = shown.last().map_or(before, |last| last + 1);
            let line = line.min(end);
            match line.saturating_sub(before) > 2 * AROUND {
                true => shown.extend((next..=before + AROUND).chain(line - AROUND..=line)),
                false => shown.extend(next..=line),
            }
            before = line.max(before);
        }
        shown
    }

    /// The text of a line.
    pub fn text(&self, line: i64) -> Option<&str> {
        let at = usize::try_from(line.checked_sub(1)?).ok()?;
        self.source.as_ref()?.line(at)
    }

    fn range(&self) -> RangeInclusive<i64> {
        let first = self.lines.keys().next().copied().unwrap_or(0);
        let last = self.lines.keys().next_back().copied().unwrap_or(0);
        let start = self.start.unwrap_or(first.saturating_sub(MARGIN)).min(first);
        start.max(1)..=last.saturating_add(MARGIN)
    }
}

/// The functions whose names match, by name and file.
pub fn list(subject: &Subject<'_>, wanted: &Regex) -> Vec<Listing> {
    let Subject { profile, names, .. } = *subject;
    let mut numbers: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    let mut listings: Vec<Listing> = Vec::new();
    let mut matches: HashMap<&[u8], bool> = HashMap::new();
    // By frame: the listing that it belongs to.
    let of_frame: Vec<Option<usize>> = profile
        .frame_ids()
        .map(|frame| {
            let function = names.func(frame);
            let is_match = || wanted.is_match(&String::from_utf8_lossy(function));
            if !*matches.entry(function).or_insert_with(is_match) {
                return None;
            }
            let file = profile.str(profile.frame(frame).file);
            Some(*numbers.entry((function, file)).or_insert_with(|| {
                let (function, file) = (lossy(function), lossy(file));
                listings.push(Listing { function, file, ..Listing::default() });
                listings.len() - 1
            }))
        })
        .collect();
    // By listing and line: the sums of what ends there, and of what passes.
    let mut sums: BTreeMap<(usize, i64), [Sums; 2]> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (sample, of_sample) in subject.samples() {
        seen.clear();
        let stack = profile.stack(profile.sample(sample).key.full);
        for (depth, frame) in stack.iter().enumerate() {
            let Some(at) = of_frame[frame.index()] else { continue };
            let line = (at, profile.frame(*frame).line);
            let is_first = seen.insert(line);
            let [flat, cum] = sums.entry(line).or_default();
            for (sum, counts) in [(flat, depth == 0), (cum, is_first)] {
                if counts {
                    *sum += of_sample;
                }
            }
        }
    }
    for ((at, line), sums) in sums {
        let [flat, cum] = sums.map(|sum| sum.mean());
        let listing = &mut listings[at];
        listing.flat += flat;
        listing.cum += cum;
        listing.lines.insert(line, (flat, cum));
    }
    for (frame, start) in starts(profile) {
        if let Some(at) = of_frame.get(frame.index()).copied().flatten() {
            let known = listings[at].start.get_or_insert(start);
            *known = start.min(*known);
        }
    }
    // Frames of samples that aren't selected, or that are equal in the base.
    listings.retain(|listing| listing.lines.values().any(|value| *value != (0, 0)));
    listings.sort_by(|a, b| (&a.function, &a.file).cmp(&(&b.function, &b.file)));
    listings
}

/// The first lines of functions, as protos have them.
fn starts(profile: &Profile) -> impl Iterator<Item = (FrameId, i64)> {
    let lines = profile.locations().flat_map(|(location, _)| profile.lines(location));
    let starts = lines.map(|line| (line.frame, profile.function(line.function).start_line));
    starts.filter(|(_, start)| *start > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::table::Order;
    use crate::view::values::options::ValueOptions;

    #[test]
    fn lines_count_a_stack_once_and_a_leaf_as_its_own() {
        let mut fixture = Fixture::new("n1");
        let recursive: &[&str] = &["main.work a.go:9", "main.work a.go:7", "main.work a.go:7"];
        fixture.add(G { id: 1, frames: recursive, ..G::default() });
        fixture.add(G { id: 2, frames: &["f.x x.go:1", "main.work a.go:9"], ..G::default() });
        let (profile, names) = fixture.done();
        let (profile, names, selection) = (&profile, &names, &all(&profile));
        let (by, order, value_options) = (&[][..], Order::Count, &ValueOptions::default());
        let subject = Subject { profile, names, selection, by, value_options, order };
        let listings = list(&subject, &Regex::new("^main").unwrap());
        let [work] = listings.as_slice() else { panic!("{listings:?}") };
        assert_eq!((&*work.function, &*work.file), ("main.work", "a.go"));
        assert_eq!(work.lines, BTreeMap::from([(7, (0, 1)), (9, (1, 2))]));
        assert_eq!((work.flat, work.cum), (1, 3));
        assert_eq!(work.shown(), [7, 9], "without its source");
        let text: String = (1..=12).map(|line| format!("line {line}\n")).collect();
        let source = Some(Rc::new(Source::new("a.go".to_owned(), text)));
        let work = Listing { source, ..work.clone() };
        assert_eq!(work.shown(), (2..=12).collect::<Vec<_>>());
        assert_eq!((work.text(12), work.text(13)), (Some("line 12"), None));
        let work = Listing { start: Some(6), ..work };
        assert_eq!(work.shown()[0], 6);
        assert!(list(&subject, &Regex::new("^nobody").unwrap()).is_empty());
    }

    #[test]
    fn lines_of_a_source_have_no_ends() {
        let source = |text: &str| {
            let source = Source::new("a.go".to_owned(), text.to_owned());
            (0..source.lines()).map(|at| source.line(at).unwrap().to_owned()).collect::<Vec<_>>()
        };
        for text in ["", "\n", "a", "a\r\n\nb\n", "a\n\r\n b", "\u{e4}\n\n"] {
            assert_eq!(source(text), text.lines().collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn of_many_lines_without_a_value_those_near_one_are_shown() {
        let source = Some(Rc::new(Source::new("a.c".to_owned(), "x\n".repeat(200_000))));
        let shown = |start: i64, lines: &[i64]| {
            let lines = lines.iter().map(|&line| (line, (1, 1))).collect();
            let source = source.clone();
            Listing { start: Some(start), lines, source, ..Listing::default() }.shown()
        };
        let far: Vec<i64> = (1..=101).chain(199_899..=200_000).collect();
        assert_eq!(shown(1, &[199_999]), far);
        assert_eq!(shown(1, &[201]), (1..=206).collect::<Vec<_>>());
        let gap: Vec<i64> = (1..=103).chain(203..=308).collect();
        assert_eq!(shown(1, &[3, 303]), gap);
        assert_eq!(shown(0, &[300_000]).last(), Some(&200_000), "there are no more");
        assert_eq!(shown(1, &[-5, i64::MAX]).len(), 202, "a proto can have any line");
    }
}
