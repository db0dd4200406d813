//! Whole paths: guessed by the ends of their places, then compared.

use super::Records;
use super::sample::Path;
use super::step::{NONE, ROOT, Step};
use crate::format::traceback::number::short_number;
use crate::format::traceback::pairs::Sort;
use crate::format::traceback::window::{Compare, WIDTH, starts_alike};

/// How many places there are for guesses at first.
pub(super) const GUESSES: usize = 1 << 8;

/// How many guesses stand in one place, so that few push each other out.
pub(super) const WAYS: usize = 4;

/// How many places there are at most: 24 MB.
const MOST_GUESSES: usize = 1 << 19;

/// The path that a goroutine with places of this hash had last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    hash: u32,
    path: u32,
    /// Its last step, which stands here too so that one look-up less has to wait for another.
    last: u32,
}

impl Guess {
    pub(super) const NONE: Guess = Guess { hash: 0, path: NONE, last: NONE };
}

/// A path that a goroutine may have, and its last step. These are asked for early, because they are
/// rarely at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guessed {
    path: u32,
    last: u32,
    step: Step,
}

/// A path found in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) path: u32,
    /// The goroutine of its creator.
    pub(super) creator: Option<u64>,
    /// Whether Go elided frames.
    pub(super) elided: bool,
}

/// A hash of the places of a goroutine: of their ends, which have the number of the line of code and
/// the offset of the call.
#[inline(always)]
pub(super) fn hash_of_places(text: &[u8], ends: &[u32]) -> Option<u32> {
    let mut hash: u64 = 0;
    let mut at = 0;
    // Behind the last line stands the blank one.
    let last = ends.len().checked_sub(2)?;
    while at < last {
        let first = (*ends.get(at)? as usize).wrapping_add(1);
        let is_gap = text.get(first) == Some(&b'.');
        at = at.wrapping_add(if is_gap { 1 } else { 2 });
        let end = *ends.get(at)? as usize;
        let tail = u128::from_le_bytes(*text.get(..end)?.last_chunk()?);
        // Turned before the next is added, so that none waits for the product before it.
        hash = hash.rotate_left(21)
            ^ fold(
                tail as u64 ^ 0x9e37_79b9_7f4a_7c15,
                (tail >> 64) as u64 ^ 0xd6e8_feb8_6659_fd93,
            );
    }
    Some((hash >> 32) as u32)
}

impl Records {
    #[inline(always)]
    fn slot(&self, hash: u32) -> usize {
        hash as usize & self.guesses.len().wrapping_sub(1)
    }

    /// The path that was last seen for a hash.
    #[inline(always)]
    pub(super) fn guess(&self, hash: u32) -> Option<Guessed> {
        // All bits are set in those that don't match, and in none: asking each costs wrong guesses.
        let ways = self.guesses.get(self.slot(hash))?.iter();
        let (path, last) = ways.fold((NONE, NONE), |(path, last), guess| {
            let other = u32::from(guess.hash != hash).wrapping_neg();
            (path & (guess.path | other), last & (guess.last | other))
        });
        Some(Guessed { path, last, step: *self.steps.get(last as usize)? })
    }

    /// The path that a text has, if it is the one that was guessed.
    #[inline(always)]
    pub(super) fn follow(
        &self,
        text: &[u8],
        guessed: Guessed,
        compare: impl Compare,
    ) -> Option<Found> {
        let ends = self.ends.get();
        let mut at = ends.len().checked_sub(2)?;
        let mut found = Found { path: guessed.path, creator: None, elided: false };
        let (mut number, mut step) = (guessed.last, guessed.step);
        while number != ROOT {
            let before = at.wrapping_sub(if step.sort == Sort::Gap { 1 } else { 2 });
            let start = (*ends.get(before)? as usize).wrapping_add(1);
            let feed = *ends.get(before.wrapping_add(1))? as usize;
            let one = usize::from(step.one);
            let kept = self.pairs.texts(step.start)?;
            if !starts_alike(kept, text.get(start..)?, one, compare) {
                return None;
            }
            let behind = start.wrapping_add(one);
            let from = feed.wrapping_sub(usize::from(step.lead));
            let between = text.get(behind..from)?;
            match step.sort {
                Sort::Call => {
                    if has_parenthesis(text, behind, between, compare) {
                        return None;
                    }
                }
                Sort::Creator => match short_number(text.get(behind..)?)? {
                    (id, rest) if text.len().wrapping_sub(rest.len()) == from => {
                        found.creator = Some(id);
                    }
                    _ => return None,
                },
                _ if between.is_empty() => found.elided |= step.sort == Sort::Gap,
                _ => return None,
            }
            let two = usize::from(step.two);
            if !step.whole || !starts_alike(kept.get(one..)?, text.get(from..)?, two, compare) {
                return None;
            }
            (number, at) = (step.parent, before);
            step = *self.steps.get(number as usize)?;
        }
        (at == 0).then_some(found)
    }

    /// Keeps a path to be guessed.
    pub(super) fn keep_guess(&mut self, hash: u32, path: u32) {
        if self.guessed >= self.guesses.len().saturating_mul(WAYS / 2)
            && self.guesses.len() < MOST_GUESSES
        {
            let more = vec![[Guess::NONE; WAYS]; self.guesses.len().saturating_mul(4)];
            let before = std::mem::replace(&mut self.guesses, more);
            self.guessed = 0;
            for guess in before.into_iter().flatten().filter(|guess| guess.path != NONE) {
                self.put_guess(guess);
            }
        }
        let Some(&Path { last, .. }) = self.paths.get(path as usize) else { return };
        self.put_guess(Guess { hash, path, last });
    }

    fn put_guess(&mut self, guess: Guess) {
        let slot = self.slot(guess.hash);
        let Some(ways) = self.guesses.get_mut(slot) else { return };
        // In place of the one of this hash, of none, or of the oldest, which is the last.
        let gives_way = |way: &Guess| way.hash == guess.hash || way.path == NONE;
        let way = ways.iter().position(gives_way).unwrap_or(WAYS - 1);
        let Some(newer) = ways.get_mut(..=way) else { return };
        newer.rotate_right(1);
        if let Some(first) = newer.first_mut() {
            self.guessed = self.guessed.saturating_add(usize::from(first.path == NONE));
            *first = guess;
        }
    }
}

/// Whether there is a parenthesis in a part of a text, which starts at `start`.
#[inline(always)]
fn has_parenthesis(text: &[u8], start: usize, part: &[u8], compare: impl Compare) -> bool {
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(window) if part.len() < WIDTH => {
            compare(window, &[b'('; WIDTH]) & !(u64::MAX << part.len()) != 0
        }
        _ => memchr::memchr(b'(', part).is_some(),
    }
}

/// Multiplies two numbers and puts both halves of the product together.
#[inline(always)]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one).wrapping_mul(u128::from(other));
    product as u64 ^ (product >> 64) as u64
}
