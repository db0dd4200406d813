//! Paths that are new, or whose text wasn't guessed: looked up step by step, learnt.

use super::path::Found;
use super::sample::Path;
use super::step::{NONE, Node, ROOT, SEVERAL, Step};
use super::told::{Feeds, Told};
use super::{Meaning, Place, Records};
use crate::format::log;
use crate::format::traceback::lines;
use crate::format::traceback::pairs::{Kept, Pair, Seen, Sort};

/// Longer texts aren't kept.
const LONGEST: usize = u16::MAX as usize;

/// A path found step by step, and what its text told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) found: Found,
    /// Lines up to and with the blank one.
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
        let mut found = Found { path: NONE, creator: None, elided: false };
        let mut last = ROOT;
        let mut lines: u64 = 1;
        loop {
            let blank = match text.get(at..)? {
                [b'\n', ..] => Some(1),
                [b'\r', b'\n', ..] => Some(2),
                _ => None,
            };
            if let Some(length) = blank {
                found.path = self.path_to(last)?;
                return Some(Walk { found, lines, end: at.checked_add(length)? });
            }
            let told = Told::read(at, feeds)?;
            last = self.step(text, at, &told, last)?;
            found.creator = told.creator;
            found.elided |= told.sort == Sort::Gap;
            lines = lines.saturating_add(if told.sort == Sort::Gap { 1 } else { 2 });
            at = told.end;
        }
    }

    /// The path that ends with a step.
    fn path_to(&mut self, last: u32) -> Option<u32> {
        let node = self.nodes.get_mut(last as usize)?;
        if node.path == NONE {
            node.path = u32::try_from(self.paths.len()).ok()?;
            self.paths.push(Path::to(last));
            self.stacks.push(None);
        }
        Some(node.path)
    }

    /// The step that the text at `at` tells behind another one.
    fn step(&mut self, text: &[u8], at: usize, told: &Told, from: u32) -> Option<u32> {
        if matches!(self.steps.get(from as usize)?.sort, Sort::Creator | Sort::OldCreator) {
            // Nothing regular stands behind a creator.
            return None;
        }
        if told.one.len().max(told.two.len()) > LONGEST {
            return None;
        }
        let pair = Pair::new(told.sort, text, told.one.clone(), told.two.clone())?;
        let kept = match self.pairs.find(&pair) {
            Seen::Before(kept) => kept,
            Seen::Crowd => return None,
            Seen::Never => {
                let meaning = self.meaning(text, at, told)?;
                self.learn(&pair, meaning)?
            }
        };
        let lead = u8::try_from(told.feed.checked_sub(told.two.start)?).ok()?;
        self.step_behind(from, &pair, kept, lead)
    }

    /// The step with this pair behind another one. Most steps have only one behind them, for which
    /// nothing needs to be looked up.
    fn step_behind(&mut self, from: u32, pair: &Pair<'_>, kept: Kept, lead: u8) -> Option<u32> {
        let only = self.nodes.get(from as usize)?.next;
        if only == SEVERAL {
            return match self.children.get(&(from, kept.id)) {
                Some(&step) => Some(step),
                None => {
                    let step = self.new_step(from, pair, kept, lead)?;
                    self.children.insert((from, kept.id), step);
                    Some(step)
                }
            };
        }
        let known = self.nodes.get(only as usize).map(|node| node.pair);
        if known == Some(kept.id) {
            return Some(only);
        }
        let step = self.new_step(from, pair, kept, lead)?;
        if let Some(known) = known {
            self.children.insert((from, known), only);
            self.children.insert((from, kept.id), step);
        }
        self.nodes.get_mut(from as usize)?.next = if known.is_some() { SEVERAL } else { step };
        Some(step)
    }

    fn new_step(&mut self, from: u32, pair: &Pair<'_>, kept: Kept, lead: u8) -> Option<u32> {
        let number = u32::try_from(self.steps.len()).ok().filter(|&number| number < SEVERAL)?;
        self.steps.push(Step {
            start: kept.start,
            parent: from,
            one: u16::try_from(pair.one().len()).ok()?,
            two: u16::try_from(pair.two().len()).ok()?,
            lead,
            sort: pair.sort(),
            whole: pair.two().ends_with(b"\n"),
        });
        self.nodes.push(Node { pair: kept.id, next: NONE, path: NONE });
        Some(number)
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

    pub(super) fn learn(&mut self, pair: &Pair<'_>, meaning: Meaning) -> Option<Kept> {
        let kept = self.pairs.insert(pair)?;
        self.meanings.push(meaning);
        self.bound.push(None);
        Some(kept)
    }
}
