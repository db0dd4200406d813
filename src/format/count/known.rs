//! Frame lines seen before.

use crate::profile::{StrId, Strings};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// What is hashed of a line to guess which one it is: the address behind `#` and tab, which has up
/// to 14 bytes in Go, and maybe the beginning of a function.
const START: std::ops::RangeFrom<usize> = 2..;
/// Inlined calls share an address. Of lines that start alike so many are guessed, so that looking
/// for one never takes long.
const ALIKE: usize = 8;

/// Frame lines, each with what was made of it: the same line comes back many times.
#[derive(Debug)]
pub(super) struct KnownLines<F> {
    texts: Strings,
    /// By line, without the empty one that every table starts with.
    made: Vec<F>,
    /// Lines by their starts.
    starts: HashTable<StrId>,
    hasher: FixedState,
}

impl<F> Default for KnownLines<F> {
    fn default() -> KnownLines<F> {
        KnownLines {
            texts: Strings::default(),
            made: Vec::new(),
            starts: HashTable::new(),
            hasher: FixedState::default(),
        }
    }
}

impl<F: Copy> KnownLines<F> {
    /// A line without its line end.
    pub(super) fn get(&self, line: &[u8]) -> Option<(StrId, F)> {
        let known = self.texts.find(line)?;
        Some((known, self.made(known)?))
    }

    /// The known line that a text starts with, how long it is with its line end, and what was made
    /// of it. The hash only guesses, every byte is compared.
    pub(super) fn first_of(&self, text: &[u8]) -> Option<(StrId, usize, F)> {
        text.strip_prefix(b"#")?;
        let hash = self.hash(text)?;
        let is_first = |&known: &StrId| {
            let rest = text.strip_prefix(self.texts.get(known));
            rest.is_some_and(|rest| rest.first() == Some(&b'\n'))
        };
        let known = *self.starts.find(hash, is_first)?;
        Some((known, self.texts.get(known).len().saturating_add(1), self.made(known)?))
    }

    /// Adds a line that isn't known.
    pub(super) fn insert(&mut self, line: &[u8], made: F) -> StrId {
        let known = self.texts.intern(line);
        self.made.push(made);
        if let Some(hash) = self.hash(line)
            && self.starts.iter_hash(hash).take(ALIKE).count() < ALIKE
        {
            let KnownLines { texts, starts, hasher, .. } = self;
            let rehash = |&known: &StrId| start_hash(hasher, texts.get(known)).unwrap_or(0);
            starts.insert_unique(hash, known, rehash);
        }
        known
    }

    /// The bytes of a line.
    pub(super) fn text(&self, line: StrId) -> &[u8] {
        self.texts.get(line)
    }

    fn made(&self, line: StrId) -> Option<F> {
        self.made.get(line.index().checked_sub(1)?).copied()
    }

    fn hash(&self, text: &[u8]) -> Option<u64> {
        start_hash(&self.hasher, text)
    }
}

fn start_hash(hasher: &FixedState, text: &[u8]) -> Option<u64> {
    let start: [u8; 16] = *text.get(START)?.first_chunk()?;
    Some(hasher.hash_one(u128::from_le_bytes(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lines: &[&str]) -> KnownLines<usize> {
        let mut known = KnownLines::default();
        for (number, line) in lines.iter().enumerate() {
            known.insert(line.as_bytes(), number);
        }
        known
    }

    fn first(known: &KnownLines<usize>, text: &str) -> Option<(usize, usize)> {
        known.first_of(text.as_bytes()).map(|(_, length, made)| (length, made))
    }

    #[test]
    fn a_line_is_only_known_as_a_whole() {
        let known = known(&["#\t0x48b984\ttime.Sleep+0x164\t/a.go:36"]);
        let found = |text| first(&known, text);
        assert_eq!(found("#\t0x48b984\ttime.Sleep+0x164\t/a.go:36\n# labels"), Some((37, 0)));
        assert_eq!(found("#\t0x48b984\ttime.Sleep+0x164\t/a.go:368\n"), None);
        assert_eq!(found("#\t0x48b984\ttime.Sleep+0x164\t/a.go:3\n"), None);
        assert_eq!(found("#\t0x48b984\ttime.Sleep+0x164\t/a.go:36"), None);
        assert_eq!(found("#\t0x48b984\ttime.Sleep+0x164\t/a.go:36\r\n"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn inlined_calls_share_an_address_and_stay_apart() {
        let lines =
            ["#\t0x48b984\tmain.inner+0x1\t/a.go:1", "#\t0x48b984\tmain.outer+0x1\t/a.go:9"];
        let known = known(&lines);
        assert_eq!(first(&known, &format!("{}\n", lines[0])).unwrap().1, 0);
        assert_eq!(first(&known, &format!("{}\n", lines[1])).unwrap().1, 1);
    }

    #[test]
    fn of_many_lines_that_start_alike_few_are_guessed_and_all_are_known() {
        let lines: Vec<String> =
            (0..1000).map(|at| format!("#\t0x48b984\tmain.function{at}+0x1\t/a.go:1")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let known = known(&lines);
        let guessed = lines.iter().filter(|line| first(&known, &format!("{line}\n")).is_some());
        assert_eq!(guessed.count(), 8);
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(known.get(line.as_bytes()).unwrap().1, number);
        }
    }
}
