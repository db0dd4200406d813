//! Steps of paths: guessed, followed, looked up, learnt.

use super::{Meaning, Place, Records};
use crate::format::log;
use crate::format::traceback::lines::{self, CREATED_BY};
use crate::format::traceback::number::short_number;
use crate::format::traceback::pairs::{Kept, Pair, PairId, Seen, Sort, fold, starts_alike};
use crate::format::traceback::window::{Search, WIDTH};

/// What stands between the creator's function and its goroutine.
const IN_GOROUTINE: &[u8] = b" in goroutine ";

/// A step of a path: a call, the creator or a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Where its texts start in those of all pairs, and how long they are.
    pub(super) start: u32,
    pub(super) one_length: u16,
    pub(super) two_length: u16,
    pub(super) pair: PairId,
    /// The only step that was ever taken from here; [`NONE`] or [`SEVERAL`].
    pub(super) next: u32,
}

/// Longer texts aren't kept.
const LONGEST: usize = u16::MAX as usize;

/// No step.
pub(super) const NONE: u32 = u32::MAX;

/// More steps than one, to be guessed by their text.
const SEVERAL: u32 = u32::MAX - 1;

/// How many guesses there are at first.
pub(super) const GUESSES: usize = 1 << 10;

/// How many there are at most: 32 MB.
const MOST_GUESSES: usize = 1 << 22;

/// The step that followed another one when a text of this hash was last seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    from: u32,
    step: u32,
}

impl Guess {
    pub(super) const NONE: Guess = Guess { from: NONE, step: NONE };
}

/// Where all paths start.
pub(super) const ROOT: u32 = 0;

/// A step found in the text, and where the line behind it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) step: u32,
    pub(super) end: usize,
    pub(super) special: Special,
}

/// What a step says of its goroutine alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Special {
    None,
    Creator(Option<u64>),
    Gap,
}

impl Step {
    #[inline(always)]
    pub(super) fn has_several(&self) -> bool {
        self.next == SEVERAL
    }
}

impl Records {
    /// Where the guess for a step stands: by the end of its second line, which has the number of the
    /// line of code and the offset of the call.
    #[inline(always)]
    pub(super) fn slot(
        &self,
        text: &[u8],
        at: usize,
        from: u32,
        search: impl Search,
    ) -> Option<usize> {
        let end = line_end(text, at, b'\n', search)?;
        let end = line_end(text, end.wrapping_add(1), b'\n', search)?;
        let tail = u128::from_le_bytes(*text.get(..end)?.last_chunk()?);
        let hash = fold(
            tail as u64 ^ u64::from(from).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            (tail >> 64) as u64 ^ 0xd6e8_feb8_6659_fd93,
        );
        Some((hash >> 32) as usize & self.guesses.len().wrapping_sub(1))
    }

    /// The step that was last seen for a slot, if it is one behind this step.
    #[inline(always)]
    pub(super) fn guess(&self, slot: usize, from: u32) -> u32 {
        match self.guesses.get(slot) {
            Some(guess) if guess.from == from => guess.step,
            _ => NONE,
        }
    }

    /// The step guessed, if the text at hand is that.
    #[inline(always)]
    pub(super) fn follow(
        &self,
        text: &[u8],
        at: usize,
        guess: u32,
        search: impl Search,
    ) -> Option<Found> {
        let step = self.steps.get(guess as usize)?;
        let (one_length, two_length) = (step.one_length as usize, step.two_length as usize);
        let one = self.pairs.texts(step.start)?;
        if !starts_alike(one, text.get(at..)?, one_length) {
            return None;
        }
        let behind = at.wrapping_add(one_length);
        let mut special = Special::None;
        let place = match step.pair.sort() {
            Sort::Call => {
                if text.get(behind) != Some(&b'(') {
                    return None;
                }
                let end = line_end(text, behind.wrapping_add(1), b'(', search)?;
                if text.get(end.wrapping_sub(1)) != Some(&b')') {
                    return None;
                }
                end.wrapping_add(1)
            }
            Sort::Creator => {
                let (end, id) = creator_end(text, behind)?;
                special = Special::Creator(id);
                end.wrapping_add(1)
            }
            Sort::Gap => {
                let end = behind.wrapping_add(1);
                let found = Found { step: guess, end, special: Special::Gap };
                return (text.get(behind) == Some(&b'\n')).then_some(found);
            }
            Sort::Header => return None,
        };
        let start = place.wrapping_add(1);
        if text.get(place) != Some(&b'\t')
            || !starts_alike(one.get(one_length..)?, text.get(start..)?, two_length)
        {
            return None;
        }
        let behind = start.wrapping_add(two_length);
        let next = text.get(behind..)?.first_chunk()?;
        let end = if u32::from_le_bytes(*next) == u32::from_le_bytes(*b" +0x") {
            match line_end(text, behind.wrapping_add(1), b' ', search) {
                Some(end) => end,
                // GOTRACEBACK=system tells addresses behind the offset.
                None => {
                    let end = line_end(text, behind, b'\n', search)?;
                    let (place, _) = lines::without_offset(text.get(start..end)?);
                    (place.len() == two_length).then_some(end)?
                }
            }
        } else if next.first() == Some(&b'\n') {
            behind
        } else {
            return None;
        };
        Some(Found { step: guess, end: end.wrapping_add(1), special })
    }

    /// The step that the text at hand is, and where the line behind it starts; `None` when it isn't
    /// regular.
    #[inline(never)]
    pub(super) fn look_up(
        &mut self,
        text: &[u8],
        at: usize,
        from: u32,
        slot: Option<usize>,
    ) -> Option<Found> {
        if matches!(self.steps.get(from as usize)?.pair.sort(), Sort::Creator) {
            // Nothing regular stands behind a creator.
            return None;
        }
        let (line, place_at) = line(text, at)?;
        let mut end = place_at;
        let mut special = Special::None;
        let mut place = || {
            let (line, next) = self::line(text, place_at)?;
            let (place, _) = lines::without_offset(line.strip_prefix(b"\t")?);
            end = next;
            let start = place_at.checked_add(1)?;
            Some(start..start.checked_add(place.len())?)
        };
        let (sort, length, two) = match line.first()? {
            b'\t' | b' ' | b'[' => return None,
            b'.' => {
                special = Special::Gap;
                (Sort::Gap, line.len(), 0..0)
            }
            _ => match lines::created_by(line) {
                Some((func, id)) => {
                    special = Special::Creator(id);
                    (Sort::Creator, CREATED_BY.len().checked_add(func.len())?, place()?)
                }
                None => (Sort::Call, lines::call(line)?.len(), place()?),
            },
        };
        if length.max(two.len()) > LONGEST {
            return None;
        }
        let pair = Pair::new(sort, text, at..at.checked_add(length)?, two)?;
        let kept = match self.pairs.find(&pair) {
            Seen::Before(kept) => kept,
            Seen::Crowd => return None,
            Seen::Never => {
                let meaning = self.meaning(sort, &pair, text.get(at..end)?)?;
                self.learn(&pair, meaning)?
            }
        };
        let step = self.step_behind(from, &pair, kept)?;
        if let Some(slot) = slot {
            self.keep_guess(slot, Guess { from, step });
        }
        Some(Found { step, end, special })
    }

    fn keep_guess(&mut self, slot: usize, guess: Guess) {
        let Some(kept) = self.guesses.get_mut(slot) else { return };
        let is_new = kept.step == NONE;
        *kept = guess;
        self.guessed = self.guessed.saturating_add(usize::from(is_new));
        if self.guessed > self.guesses.len() / 2 && self.guesses.len() < MOST_GUESSES {
            // They come back when they are next looked up.
            self.guesses = vec![Guess::NONE; self.guesses.len().saturating_mul(4)];
            self.guessed = 0;
        }
    }

    /// The step with this pair behind another one. Most steps have only one behind them, for which
    /// nothing needs to be looked up.
    fn step_behind(&mut self, from: u32, pair: &Pair<'_>, kept: Kept) -> Option<u32> {
        let only = self.steps.get(from as usize)?.next;
        if only == SEVERAL {
            return match self.children.get(&(from, kept.id)) {
                Some(&step) => Some(step),
                None => {
                    let step = self.new_step(from, pair, kept)?;
                    self.children.insert((from, kept.id), step);
                    Some(step)
                }
            };
        }
        let known = self.steps.get(only as usize).map(|step| step.pair);
        if known == Some(kept.id) {
            return Some(only);
        }
        let step = self.new_step(from, pair, kept)?;
        if let Some(known) = known {
            self.children.insert((from, known), only);
            self.children.insert((from, kept.id), step);
        }
        self.steps.get_mut(from as usize)?.next = if known.is_some() { SEVERAL } else { step };
        Some(step)
    }

    fn new_step(&mut self, from: u32, pair: &Pair<'_>, kept: Kept) -> Option<u32> {
        let number = u32::try_from(self.steps.len()).ok().filter(|&number| number < SEVERAL)?;
        self.steps.push(Step {
            start: kept.start,
            one_length: u16::try_from(pair.one().len()).ok()?,
            two_length: u16::try_from(pair.two().len()).ok()?,
            pair: kept.id,
            next: NONE,
        });
        self.parents.push(from);
        self.ends.push(None);
        Some(number)
    }

    /// What a new pair means; `None` when its lines may be something else, which is for others to tell.
    fn meaning(&self, sort: Sort, pair: &Pair<'_>, text: &[u8]) -> Option<Meaning> {
        let (one, place) = (pair.one(), pair.two());
        if sort == Sort::Gap {
            return Some(Meaning::Gap(lines::elided(one)?));
        }
        let (file, line) = lines::file_and_line(place)?;
        let is_odd = place.first()?.is_ascii_whitespace()
            || text.split(|&byte| byte == b'\n').any(log::wraps_goroutine);
        if is_odd {
            return None;
        }
        let start = self.pairs.next_start()?;
        let before_func = if sort == Sort::Creator { CREATED_BY.len() } else { 0 };
        let func = one.get(before_func..).filter(|func| !func.is_empty())?;
        let text = |before: usize, text: &[u8]| {
            let before = u32::try_from(before).ok()?;
            Some((start.checked_add(before)?, u32::try_from(text.len()).ok()?))
        };
        let place = Place { func: text(before_func, func)?, file: text(one.len(), file)?, line };
        if sort == Sort::Creator {
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

/// A line without its end, and where the next one starts.
fn line(text: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let rest = text.get(at..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest)?)?;
    let next = at.checked_add(line.len())?.checked_add(1)?;
    Some((line.strip_suffix(b"\r").unwrap_or(line), next))
}

/// The line end at or behind `from`, if no byte before it is `refused`.
#[inline(always)]
pub(super) fn line_end(
    text: &[u8],
    from: usize,
    refused: u8,
    search: impl Search,
) -> Option<usize> {
    let mut at = from;
    while let Some(window) = text.get(at..)?.first_chunk::<WIDTH>() {
        let ends = search(window, b'\n');
        if refused != b'\n' && search(window, refused) & ends.wrapping_sub(1) & !ends != 0 {
            return None;
        }
        if ends != 0 {
            return Some(at.wrapping_add(ends.trailing_zeros() as usize));
        }
        at = at.wrapping_add(WIDTH);
    }
    let rest = text.get(at..)?;
    let end = rest.iter().position(|&byte| byte == b'\n' || byte == refused)?;
    (rest.get(end) == Some(&b'\n')).then_some(at.wrapping_add(end))
}

/// The line end behind a creator's function, and the goroutine: as [`lines::created_by`].
#[inline(always)]
fn creator_end(text: &[u8], behind: usize) -> Option<(usize, Option<u64>)> {
    let rest = text.get(behind..)?;
    if rest.first() == Some(&b'\n') {
        return Some((behind, None));
    }
    let (id, rest) = short_number(rest.strip_prefix(IN_GOROUTINE)?)?;
    let end = text.len().checked_sub(rest.len())?;
    (rest.first() == Some(&b'\n')).then_some((end, Some(id)))
}
