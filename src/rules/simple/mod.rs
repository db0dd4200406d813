//! Expressions that are simple enough to be matched here.
//!
//! The `regex` crate needs some 280,000 instructions to make one of the built-in expressions ready,
//! which pays when it searches long texts. Rules look at a few hundred functions of some 60 bytes:
//! for the 14 that any small dump needs that took half the time of naming its stacks. What rules are
//! made of is read here in one pass and matched by trying one way after the other. Where that can't
//! be done within narrow limits, [`GaveUp`] leaves it to the `regex` crate, of which a property test
//! knows that it gives the same answers.

mod read;
mod set;
mod subject;

use set::{Seek, Set};
use std::ops::Range;
pub(super) use subject::{Contents, Subject};

/// Longer texts are left to the `regex` crate.
const LONGEST: usize = 4096;
/// Other ways to go on that are kept in mind.
const BRANCHES: usize = 32;
/// Steps for each byte of a text; an expression that needs more tries many ways in vain.
const STEPS: usize = 64;

/// What stands for a group that took no part in a match.
pub(super) const NOWHERE: usize = usize::MAX;

/// An expression, made ready.
#[derive(Clone, Debug)]
pub(super) struct Simple {
    steps: Vec<Step>,
    /// The bytes of [`Step::Text`].
    texts: Vec<u8>,
    groups: usize,
    /// What a match starts with at the start of a text; `None` where it may be empty.
    first: Option<Set>,
    /// What one starts with that isn't at the start of a text.
    later: Option<Seek>,
    /// What comes behind the first byte of a match; `None` where nothing has to.
    second: Option<Set>,
    /// Bytes that every match has.
    needs: Set,
}

/// What has to be done one after the other; behind the last one the expression has matched.
#[derive(Clone, Debug)]
enum Step {
    /// These bytes of [`Simple::texts`] come next.
    Text { start: u16, end: u16 },
    /// A byte of the set comes next.
    One(Set),
    /// Bytes of the set come next, as many as there are. Fewer are tried, unless what comes behind
    /// can't start with one of them; nor where it can't start.
    Many { set: Set, stop: Seek, may_be_fewer: bool, behind: Option<Seek> },
    /// Goes on at one of two steps, so far from here: the first unless that leads nowhere.
    Fork { first: i16, second: i16 },
    /// Goes on so many steps further.
    Jump(i16),
    /// A group starts (even) or ends (odd) here.
    Group(u8),
    /// Here is the start of the text.
    Start,
    /// Here is its end.
    End,
}

/// A way to go on when the one that was taken leads nowhere.
#[derive(Clone, Copy)]
enum Branch {
    /// Goes on at a step.
    Step { step: u8, at: u16 },
    /// Behind a [`Step::Many`] that began at `low`, any place before `at`, the last one first.
    Fewer { step: u8, at: u16, low: u16 },
    /// Nothing yet: a group starts or ends again one place before this one.
    Group { slot: u8, behind: u16 },
}

/// It takes too long, or can't be told here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GaveUp;

/// A search in one text.
struct Search<'s> {
    simple: &'s Simple,
    text: &'s [u8],
    /// Where groups start and end; there may be fewer slots than groups.
    slots: &'s mut [usize],
    branches: [Branch; BRANCHES],
    open: usize,
    steps_left: usize,
}

impl Simple {
    /// How many groups it has.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// The first match at this place of a text or behind it. Where its groups start and end goes to
    /// the slots, two for each from the first one on; without slots nobody cares.
    pub(super) fn find(
        &self,
        Subject { text, contents }: Subject<'_>,
        from: usize,
        slots: &mut [usize],
    ) -> Result<Option<Range<usize>>, GaveUp> {
        if self.needs & !contents.bytes != Set::NONE {
            return Ok(None);
        }
        if let (Some(set), Some(Seek::Nothing)) = (self.first, self.later)
            && text.first().is_none_or(|byte| byte.is_ascii() && !set.has(*byte))
        {
            return Ok(None);
        }
        // Bytes and characters are the same in ASCII only.
        if text.len() > LONGEST || !contents.is_ascii {
            return Err(GaveUp);
        }
        let Some(mut start) = self.start(text, from) else { return Ok(None) };
        let mut search = Search {
            simple: self,
            text,
            slots,
            branches: [Branch::Step { step: 0, at: 0 }; BRANCHES],
            open: 0,
            steps_left: STEPS * (text.len() + 8),
        };
        loop {
            if let Some(end) = search.at(start)? {
                return Ok(Some(start..end));
            }
            match self.start(text, start + 1) {
                Some(next) => start = next,
                None => return Ok(None),
            }
        }
    }

    /// The next place from this one on where a match may start.
    fn start(&self, text: &[u8], from: usize) -> Option<usize> {
        if from == 0 && self.first.is_none_or(|set| is_next(set, text, 0)) {
            return Some(0);
        }
        let mut from = from.max(1);
        loop {
            let rest = text.get(from..)?;
            from += self.later.map_or(Some(0), |later| later.first(rest))?;
            if self.second.is_none_or(|set| is_next(set, text, from + 1)) {
                return Some(from);
            }
            from += 1;
        }
    }
}

/// Whether a byte of the set stands there.
fn is_next(set: Set, text: &[u8], at: usize) -> bool {
    text.get(at).is_some_and(|byte| set.has(*byte))
}

impl Search<'_> {
    /// Where the match ends that starts here.
    fn at(&mut self, start: usize) -> Result<Option<usize>, GaveUp> {
        let (mut step, mut at) = (0, start);
        while let Some(next) = self.simple.steps.get(step) {
            self.spend(1)?;
            let mut goes_on = true;
            let mut forward = 1;
            match *next {
                Step::Text { start, end } => {
                    let text = &self.simple.texts[usize::from(start)..usize::from(end)];
                    goes_on = self.text[at..].starts_with(text);
                    at += text.len();
                }
                Step::One(set) => {
                    goes_on = is_next(set, self.text, at);
                    at += 1;
                }
                Step::Many { stop, may_be_fewer, .. } => {
                    let rest = &self.text[at..];
                    let many = stop.first(rest).unwrap_or(rest.len());
                    self.spend(many)?;
                    if may_be_fewer {
                        let (low, above) = (at as u16, (at + many + 1) as u16);
                        self.keep(Branch::Fewer { step: step as u8, at: above, low })?;
                        goes_on = false;
                    } else {
                        at += many;
                    }
                }
                Step::Fork { first, second } => {
                    let step = further(step, second) as u8;
                    self.keep(Branch::Step { step, at: at as u16 })?;
                    forward = first;
                }
                Step::Jump(steps) => forward = steps,
                Step::Group(slot) => {
                    if let Some(place) = self.slots.get_mut(usize::from(slot)) {
                        let before = std::mem::replace(place, at);
                        let behind = before.wrapping_add(1) as u16;
                        self.keep(Branch::Group { slot, behind })?;
                    }
                }
                Step::Start => goes_on = at == 0,
                Step::End => goes_on = at == self.text.len(),
            }
            if goes_on {
                step = further(step, forward);
            } else if let Some(other) = self.back()? {
                (step, at) = other;
            } else {
                return Ok(None);
            }
        }
        Ok(Some(at))
    }

    fn spend(&mut self, steps: usize) -> Result<(), GaveUp> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(GaveUp)?;
        Ok(())
    }

    fn keep(&mut self, branch: Branch) -> Result<(), GaveUp> {
        *self.branches.get_mut(self.open).ok_or(GaveUp)? = branch;
        self.open += 1;
        Ok(())
    }

    /// The step and the place where another way goes on.
    fn back(&mut self) -> Result<Option<(usize, usize)>, GaveUp> {
        while let Some(last) = self.open.checked_sub(1) {
            self.open = last;
            match self.branches[last] {
                Branch::Step { step, at } => return Ok(Some((step.into(), at.into()))),
                Branch::Fewer { step, at, low } => {
                    let above = usize::from(at);
                    let found = self.last_before(step.into(), low.into(), above);
                    self.spend(above - found.unwrap_or(low.into()))?;
                    let Some(found) = found else { continue };
                    if found > low.into() {
                        self.keep(Branch::Fewer { step, at: found as u16, low })?;
                    }
                    return Ok(Some((usize::from(step) + 1, found)));
                }
                Branch::Group { slot, behind } => {
                    self.slots[usize::from(slot)] = usize::from(behind).wrapping_sub(1);
                }
            }
        }
        Ok(None)
    }

    /// The last place before another where what comes behind a [`Step::Many`] may start.
    fn last_before(&self, step: usize, low: usize, above: usize) -> Option<usize> {
        match self.simple.steps[step] {
            Step::Many { behind: Some(seek), .. } => {
                let found = seek.last(&self.text[low..above.min(self.text.len())])?;
                Some(low + found)
            }
            _ => (low..above).next_back(),
        }
    }
}

fn further(step: usize, by: i16) -> usize {
    step.wrapping_add_signed(by.into())
}

#[cfg(test)]
mod tests;
