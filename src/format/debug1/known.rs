//! Frame lines that were seen before.

use crate::simd::Kernel;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Inlined calls share an address. At most this many lines with the same start are candidates, so a
/// look-up is never slow.
const MAX_CANDIDATES: usize = 8;

/// For how many lines there is room at first, of 128 bytes each: otherwise those of a profile of 5
/// MB were moved and hashed again and again.
const ROOM: usize = 1 << 11;

/// Frame lines, each with its frame: the same line occurs many times.
#[derive(Debug)]
pub(super) struct KnownLines<F> {
    /// All lines with their line ends, one after the other.
    text: Vec<u8>,
    /// Lines by a hash of their starts.
    guessed: HashTable<KnownLine<F>>,
    /// Lines by a hash of all bytes: those too short to have a start, and those whose start too
    /// many others have.
    others: HashTable<KnownLine<F>>,
    hasher: FixedState,
}

/// A line and its frame, in one place: 50,000 lines of a profile of 5 MB are looked up among 2,600.
#[derive(Clone, Copy, Debug)]
struct KnownLine<F> {
    line: LineAt,
    frame: F,
}

/// The position of a line, including its line end, in the text of all; an empty range by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineAt {
    start: usize,
    end: usize,
}

impl<F> Default for KnownLines<F> {
    fn default() -> KnownLines<F> {
        KnownLines {
            text: Vec::with_capacity(128 * ROOM),
            guessed: HashTable::with_capacity(ROOM),
            others: HashTable::new(),
            hasher: FixedState::default(),
        }
    }
}

impl<F: Copy> KnownLines<F> {
    /// Looks up a line without its line end.
    pub(super) fn get(&self, line: &[u8]) -> Option<(LineAt, F)> {
        let is_line = |known: &KnownLine<F>| self.text(known.line) == line;
        let guessed = start_hash(&self.hasher, line);
        let known = match guessed.and_then(|hash| self.guessed.find(hash, is_line)) {
            Some(known) => known,
            None => self.others.find(self.hasher.hash_one(line), is_line)?,
        };
        Some((known.line, known.frame))
    }

    /// Known lines without their line ends that may start like this one: with the same address and function.
    pub(super) fn alike<'l>(&'l self, line: &[u8]) -> impl Iterator<Item = &'l [u8]> {
        let hash = start_hash(&self.hasher, line);
        let known = hash.into_iter().flat_map(|hash| self.guessed.iter_hash(hash));
        known.map(|known| self.text(known.line))
    }

    /// The known line at the start of a text, its frame, and the text after its line end. The hash
    /// only guesses; every byte is compared.
    ///
    /// The line end is searched in the text. A known line has its length too, but only once it is
    /// loaded, and all work on the next line would wait for that.
    #[inline(always)]
    pub(super) fn first_of<'t>(
        &self,
        text: &'t [u8],
        kernel: impl Kernel,
    ) -> Option<(LineAt, F, &'t [u8])> {
        let hash = start_hash(&self.hasher, text)?;
        let length = kernel.find(b'\n', text)?.saturating_add(1);
        // Not in a closure: closures are compiled for any machine.
        for &KnownLine { line, frame } in self.guessed.iter_hash(hash) {
            let (own, after) = text.split_at_checked(length)?;
            if line.bytes_in(&self.text) == own {
                return Some((line, frame, after));
            }
        }
        None
    }

    /// Adds a line that isn't known.
    pub(super) fn insert(&mut self, line: &[u8], frame: F) -> LineAt {
        let start = self.text.len();
        self.text.extend_from_slice(line);
        self.text.push(b'\n');
        let known = KnownLine { line: LineAt { start, end: self.text.len() }, frame };
        let KnownLines { text, guessed, others, hasher } = self;
        match start_hash(hasher, line) {
            Some(hash) if guessed.iter_hash(hash).take(MAX_CANDIDATES).count() < MAX_CANDIDATES => {
                let rehash = |known: &KnownLine<F>| start_hash(hasher, known.line.bytes_in(text));
                guessed.insert_unique(hash, known, |known| rehash(known).unwrap_or(0));
            }
            _ => {
                let rehash =
                    |known: &KnownLine<F>| hasher.hash_one(without_end(known.line.bytes_in(text)));
                others.insert_unique(hasher.hash_one(line), known, rehash);
            }
        }
        known.line
    }

    /// The bytes of a line without its line end.
    pub(super) fn text(&self, line: LineAt) -> &[u8] {
        without_end(line.bytes_in(&self.text))
    }
}

impl LineAt {
    fn bytes_in(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// The hash of a frame line's start, to guess the line: it covers the address after `#` and tab,
/// which has up to 14 bytes in Go, and possibly the beginning of a function.
fn start_hash(hasher: &FixedState, text: &[u8]) -> Option<u64> {
    let ([b'#', _], rest) = text.split_first_chunk()? else { return None };
    Some(hasher.hash_one(u128::from_le_bytes(*rest.first_chunk()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Task, on_this_machine};

    fn known(lines: &[&str]) -> KnownLines<usize> {
        let mut known = KnownLines::default();
        for (number, line) in lines.iter().enumerate() {
            known.insert(line.as_bytes(), number);
        }
        known
    }

    /// The known line at the start of a text.
    struct First<'a>(&'a KnownLines<usize>, &'a str);

    impl Task for First<'_> {
        type Output = Option<(usize, usize)>;

        #[inline(always)]
        fn run(self, kernel: impl Kernel) -> Option<(usize, usize)> {
            let First(known, text) = self;
            let (_, frame, rest) = known.first_of(text.as_bytes(), kernel)?;
            Some((text.len() - rest.len(), frame))
        }
    }

    fn first(known: &KnownLines<usize>, text: &str) -> Option<(usize, usize)> {
        on_this_machine(First(known, text))
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
    fn lines_too_short_to_be_guessed_are_known() {
        let lines = ["#\t0x48b984", "#\t0x698af5", "#\t0x48b9840123456"];
        let known = known(&lines);
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(first(&known, &format!("{line}\n# labels: {{}}\n")), None, "{line}");
            assert_eq!(known.get(line.as_bytes()).unwrap().1, number);
        }
        assert!(known.get(b"#\t0x48b98").is_none());
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
