//! Paths that are new, or whose text wasn't guessed: looked up step by step, learnt.

use super::follow::Found;
use super::path::Number;
use super::told::{Feeds, Told};
use super::{Meaning, Place, Records};
use crate::format::log;
use crate::format::traceback::header::Header;
use crate::format::traceback::lines;
use crate::format::traceback::pairs::{Pair, PairId, Seen, Sort};

/// Longer texts aren't kept.
const LONGEST: usize = u16::MAX as usize;

/// A path found step by step, and what its text told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) found: Found,
    /// Lines up to and with the blank one, if there is one.
    pub(super) lines: u64,
    /// Where the line behind them starts.
    pub(super) end: usize,
}

impl Records {
    /// The path of the goroutine that a text starts with, whose first line starts at `at`; `None`
    /// when it isn't regular or isn't whole. Where it `is_whole`, its line ends have been found.
    #[inline(never)]
    pub(super) fn walk(&mut self, text: &[u8], at: usize, is_whole: bool) -> Option<Walk> {
        let mut known = std::mem::take(&mut self.known_ends);
        known.clear();
        if is_whole {
            // Behind that of the header.
            known.extend_from_slice(self.ends.get().get(1..)?);
        }
        let walk = self.walk_lines(at, &mut Feeds { text, known: &known });
        self.known_ends = known;
        walk
    }

    fn walk_lines(&mut self, mut at: usize, feeds: &mut Feeds<'_>) -> Option<Walk> {
        let text = feeds.text;
        self.pairs_of_path.clear();
        let (mut creator, mut elided) = (None, false);
        let mut lines: u64 = 1;
        let mut before = None;
        loop {
            let rest = text.get(at..)?;
            let blank = match rest {
                [b'\n', ..] => Some(1),
                [b'\r', b'\n', ..] => Some(2),
                // Some drop blank lines.
                [b'g', ..] if starts_with_header(rest) => Some(0),
                _ => None,
            };
            if let Some(length) = blank {
                let found = Found { path: self.path()?, creator, elided };
                let lines = lines.saturating_add(u64::from(length > 0));
                return Some(Walk { found, lines, end: at.checked_add(length)? });
            }
            if matches!(before, Some(Sort::Creator | Sort::OldCreator)) {
                // Nothing regular stands behind a creator.
                return None;
            }
            let told = Told::read(at, feeds)?;
            let pair = self.pair(text, at, &told)?;
            self.pairs_of_path.push(pair);
            creator = told.creator;
            elided |= told.sort == Sort::Gap;
            lines = lines.saturating_add(if told.sort == Sort::Gap { 1 } else { 2 });
            at = told.end;
            before = Some(told.sort);
        }
    }

    /// The path at hand.
    fn path(&mut self) -> Option<u32> {
        match self.paths.number(&self.pairs_of_path)? {
            Number::Before(path) => Some(path),
            Number::New(path) => {
                self.path_samples.push(None);
                self.stacks.push(None);
                Some(path)
            }
        }
    }

    /// The pair of the step that the text at `at` tells.
    fn pair(&mut self, text: &[u8], at: usize, told: &Told) -> Option<PairId> {
        if told.one.len().max(told.two.len()) > LONGEST {
            return None;
        }
        let pair = Pair::new(told.sort, text, told.one.clone(), told.two.clone())?;
        match self.pairs.find(&pair) {
            Seen::Before(id) => Some(id),
            Seen::Crowd => None,
            Seen::Never => {
                let meaning = self.meaning(text, at, told)?;
                self.learn(&pair, meaning)
            }
        }
    }

    /// What a new pair means; `None` when its lines may be something else, which is for others to tell.
    fn meaning(&self, text: &[u8], at: usize, told: &Told) -> Option<Meaning> {
        if told.sort == Sort::Gap {
            return Some(Meaning::Gap(lines::elided(text.get(told.one.clone())?)?));
        }
        let place = text.get(told.place.clone())?;
        let (file, line) = lines::file_and_line(place)?;
        let lines = text.get(at..told.end)?;
        let is_odd = place.first()?.is_ascii_whitespace()
            || log::names_goroutine(lines)
                && lines.split(|&byte| byte == b'\n').any(log::wraps_goroutine);
        let func = text.get(told.func.clone()).filter(|func| !func.is_empty())?;
        if is_odd {
            return None;
        }
        // The second text is kept right behind the first.
        let start = self.pairs.next_start()?;
        let kept = |before: usize, length: usize| {
            Some((start.checked_add(u32::try_from(before).ok()?)?, u32::try_from(length).ok()?))
        };
        let before_file = told.place.start.checked_sub(told.two.start)?;
        let place = Place {
            func: kept(told.func.start.checked_sub(at)?, func.len())?,
            file: kept(told.one.len().checked_add(before_file)?, file.len())?,
            line,
        };
        if told.sort != Sort::Call {
            return Some(Meaning::Creator(place));
        }
        // Without a blank it is no message of the runtime or of a crash, nor a line of a log.
        let is_name = memchr::memchr2(b' ', b'\t', func).is_none() && !func.starts_with(b"0x");
        is_name.then_some(Meaning::Call(place))
    }

    pub(super) fn learn(&mut self, pair: &Pair<'_>, meaning: Meaning) -> Option<PairId> {
        let id = self.pairs.insert(pair)?;
        self.meanings.push(meaning);
        self.bound.push(None);
        Some(id)
    }
}

/// Whether a text starts with a line that ends the goroutine before it, as that of another one does.
fn starts_with_header(text: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end));
    line.and_then(Header::cut).is_some()
}
