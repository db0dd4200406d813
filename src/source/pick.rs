//! Picks the members of a directory or archive that are read.

use super::wellknown::{archives, best_of_each_folder, unread};
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::{RegexSet, RegexSetBuilder};
use std::cmp::Ordering;

/// Which members of a container are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// Those that were picked, else those with a well-known name, else all in a known format.
    Anything,
    /// Only those that were picked: the user picks members, and none of the containers around was
    /// picked.
    Picked,
}

/// How the members of one container were chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chosen {
    /// By `--member`, by pattern or by a well-known name: they have to be in a known format.
    Picked,
    /// There was nothing to choose by, so all are looked at.
    Sniffed,
    /// `--member` matched none of them, so only members of containers among them can count.
    Containers,
}

/// The members of one container that are read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) chosen: Chosen,
    /// Their positions, in natural order of paths.
    pub(super) picked: Vec<usize>,
    /// The positions of those that would have been chosen by name, were they not compressed in a way
    /// that isn't read.
    pub(super) unread: Vec<usize>,
    /// The positions of archives that aren't opened, as others were chosen by name.
    pub(super) closed: Vec<usize>,
}

/// The compiled globs and patterns.
#[derive(Debug)]
pub(super) struct Picker {
    globs: Option<GlobSet>,
    patterns: Option<RegexSet>,
}

impl Picker {
    /// Compiles `--member` globs and the patterns of settings.
    pub(super) fn compile(globs: &[String], patterns: &[String]) -> Result<Picker> {
        let globs = match globs {
            [] => None,
            globs => Some(compile_globs(globs)?),
        };
        let patterns = match patterns {
            [] => None,
            patterns => Some(compile_patterns(patterns)?),
        };
        Ok(Picker { globs, patterns })
    }

    /// Chooses members of a container by their paths.
    pub(super) fn choose<'p>(
        &self,
        count: usize,
        path: impl Fn(usize) -> &'p str,
        wanted: Wanted,
    ) -> Choice {
        let all = || (0..count).collect();
        let matching = |matches: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..count).filter(|&at| matches(path(at))).collect()
        };
        let mut picked = match (&self.globs, &self.patterns) {
            (Some(globs), _) => matching(&|path| globs.is_match(path.trim_start_matches('/'))),
            (None, Some(patterns)) => matching(&|path| patterns.is_match(path)),
            (None, None) => Vec::new(),
        };
        let mut chosen = Chosen::Picked;
        let (mut compressed, mut closed) = (Vec::new(), Vec::new());
        if picked.is_empty() && wanted == Wanted::Picked {
            (chosen, picked) = (Chosen::Containers, all());
        } else if picked.is_empty() {
            picked = best_of_each_folder(count, &path);
            if picked.is_empty() {
                (chosen, picked) = (Chosen::Sniffed, all());
            } else {
                compressed = unread(count, &path, &picked);
                closed = archives(count, &path);
            }
        }
        picked.sort_unstable_by(|&a, &b| natural(path(a), path(b)).then(a.cmp(&b)));
        Choice { chosen, picked, unread: compressed, closed }
    }

    /// Which members are wanted if an argument is a container.
    pub(super) fn wanted(&self) -> Wanted {
        if self.globs.is_some() { Wanted::Picked } else { Wanted::Anything }
    }
}

fn compile_globs(globs: &[String]) -> Result<GlobSet> {
    let mut set = GlobSetBuilder::new();
    let wrong = |text: &str, error: &globset::Error| {
        Error::usage("--member", text, 1, error.kind().to_string())
            .advise("write `*` for any part of a name, `**` for any folders")
    };
    for text in globs {
        LIMITS.check_braces(text).map_err(|what| Error::usage("--member", text, 1, what))?;
        // A name without a folder matches at any depth, as in .gitignore.
        let anywhere = if text.contains('/') { text.clone() } else { format!("**/{text}") };
        let glob = GlobBuilder::new(anywhere.trim_start_matches('/'))
            .literal_separator(true)
            .build()
            .map_err(|error| wrong(text, &error))?;
        set.add(glob);
    }
    set.build().map_err(|error| wrong(&globs.join(" "), &error))
}

fn compile_patterns(patterns: &[String]) -> Result<RegexSet> {
    for pattern in patterns {
        // One by one first, because a set doesn't report which pattern is wrong.
        regex::RegexBuilder::new(pattern)
            .size_limit(LIMITS.regex_bytes)
            .build()
            .map_err(|error| Error::usage("member pattern", pattern, 1, error.to_string()))?;
    }
    RegexSetBuilder::new(patterns)
        .size_limit(LIMITS.regex_bytes_total)
        .build()
        .map_err(|error| Error::usage("member patterns", patterns.join(" "), 1, error.to_string()))
}

/// Compares texts so that `n2` comes before `n10`: runs of digits by value, everything else by
/// bytes.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    loop {
        let (Some(&x), Some(&y)) = (left.first(), right.first()) else {
            // Texts that are equal by value, such as 7 and 007, can still differ.
            return left.len().cmp(&right.len()).then_with(|| a.cmp(b));
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (number_x, rest_x) = split_digits(left);
            let (number_y, rest_y) = split_digits(right);
            let order = number_x.len().cmp(&number_y.len()).then_with(|| number_x.cmp(number_y));
            if order.is_ne() {
                return order;
            }
            (left, right) = (rest_x, rest_y);
        } else if x != y {
            return x.cmp(&y);
        } else {
            left = left.get(1..).unwrap_or_default();
            right = right.get(1..).unwrap_or_default();
        }
    }
}

/// The digits at the start, without leading zeros, and the rest of the text.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(end).unwrap_or((text, b""));
    let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picker(globs: &[&str], patterns: &[&str]) -> Picker {
        let own = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Picker::compile(&own(globs), &own(patterns)).unwrap()
    }

    fn choose(picker: &Picker, paths: &[&str], wanted: Wanted) -> (Chosen, Vec<usize>) {
        let choice = picker.choose(paths.len(), |at| paths[at], wanted);
        (choice.chosen, choice.picked)
    }

    #[test]
    fn a_glob_without_a_folder_matches_at_any_depth() {
        let paths = ["stacks.txt", "a/stacks.txt", "a/b/stacks.txt", "stacks.txt/other"];
        let choose = |glob: &str| choose(&picker(&[glob], &[]), &paths, Wanted::Picked);
        assert_eq!(choose("stacks.txt"), (Chosen::Picked, vec![2, 1, 0]));
        assert_eq!(choose("a/*"), (Chosen::Picked, vec![1]));
        assert_eq!(choose("a/**"), (Chosen::Picked, vec![2, 1]));
        assert_eq!(choose("b/*").0, Chosen::Containers);
    }

    #[test]
    fn patterns_are_not_anchored_and_yield_to_globs() {
        let paths = ["debug/README", "debug/nodes/1/other.txt", "debug/nodes/1/stacks.txt"];
        let patterns = [r"other\.txt$", "(^|/)READ"];
        let (chosen, members) = choose(&picker(&[], &patterns), &paths, Wanted::Anything);
        assert_eq!((chosen, members), (Chosen::Picked, vec![0, 1]));
        let (_, members) = choose(&picker(&["stacks.txt"], &patterns), &paths, Wanted::Picked);
        assert_eq!(members, [2]);
        let (_, members) = choose(&picker(&[], &["nothing"]), &paths, Wanted::Anything);
        assert_eq!(members, [2]);
    }

    #[test]
    fn without_a_known_name_everything_is_looked_at() {
        let paths = ["b.txt", "a10.txt", "a9.txt"];
        let (chosen, members) = choose(&picker(&[], &[]), &paths, Wanted::Anything);
        assert_eq!((chosen, members), (Chosen::Sniffed, vec![2, 1, 0]));
    }

    #[test]
    fn a_wrong_glob_or_pattern_is_the_users_mistake() {
        let error = Picker::compile(&["a[".to_owned()], &[]).unwrap_err();
        assert_eq!(error.kind, crate::error::ErrorKind::Usage);
        assert!(Picker::compile(&[], &["(".to_owned()]).is_err());
    }

    #[test]
    fn numbers_in_names_sort_by_value() {
        let mut names = vec!["n10", "n2", "n1", "n02", "n", "m3", "n2/b", "n2/a"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["m3", "n", "n1", "n02", "n2", "n2/a", "n2/b", "n10"]);
    }
}
