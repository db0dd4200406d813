//! Simple expressions, read in one pass.

use super::set::{Seek, Set};
use super::{Simple, Step};

/// Groups within groups within groups.
const DEEPEST: usize = 8;
/// Steps of an expression; as many as there are bits in [`Seen`].
const MOST_STEPS: usize = 128;
/// How often something may stand there, written as `{n,m}`.
const MOST_COPIES: usize = 8;

/// The steps that were looked at.
type Seen = u128;

impl Simple {
    /// Reads an expression in the syntax of the `regex` crate; `None` where it isn't simple.
    pub(in crate::rules) fn read(pattern: &str) -> Option<Simple> {
        let mut reader = Reader { rest: pattern.as_bytes(), depth: 0, simple: Simple::empty() };
        let whole = reader.alternatives()?;
        // A bracket that closes no group is left.
        let mut simple = reader.rest.is_empty().then_some(reader.simple)?;
        for at in 0..simple.steps.len() {
            let Step::Many { set, stop, .. } = simple.steps[at] else { continue };
            let follows = simple.first(at + 1, true, &mut 0);
            let may_be_fewer = follows.is_none_or(|follows| follows & set != Set::NONE);
            let behind = follows.map(Seek::new);
            simple.steps[at] = Step::Many { set, stop, may_be_fewer, behind };
        }
        simple.first = simple.first(0, true, &mut 0);
        simple.later = simple.first(0, false, &mut 0).map(Seek::new);
        if !matches!(simple.later, Some(Seek::Nothing)) {
            simple.second = simple.second(0, &mut 0);
        }
        simple.needs = whole.needs;
        Some(simple)
    }

    fn empty() -> Simple {
        Simple {
            steps: Vec::new(),
            texts: Vec::new(),
            groups: 0,
            first: None,
            later: None,
            second: None,
            needs: Set::NONE,
        }
    }

    /// What comes next where this step is done, at the start of a text or behind it; `None` where
    /// nothing has to come.
    fn first(&self, step: usize, at_start: bool, seen: &mut Seen) -> Option<Set> {
        self.whatever(step, at_start, seen, |at| {
            Some(match self.steps[at] {
                Step::Text { start, .. } => Set::only(self.texts[usize::from(start)]),
                Step::One(set) | Step::Many { set, .. } => set,
                _ => Set::NONE,
            })
        })
    }

    /// What comes behind what comes next.
    fn second(&self, step: usize, seen: &mut Seen) -> Option<Set> {
        self.whatever(step, true, seen, |at| match self.steps[at] {
            Step::Text { start, end } if end - start > 1 => {
                Some(Set::only(self.texts[usize::from(start) + 1]))
            }
            Step::Many { set, .. } => Some(set | self.first(at + 1, false, &mut 0)?),
            _ => self.first(at + 1, false, &mut 0),
        })
    }

    /// What all steps that may be the next to take a byte say together.
    fn whatever(
        &self,
        mut step: usize,
        at_start: bool,
        seen: &mut Seen,
        says: impl Fn(usize) -> Option<Set> + Copy,
    ) -> Option<Set> {
        let mut set = Set::NONE;
        while *seen >> step & 1 == 0 {
            let mark: Seen = 1 << step;
            *seen |= mark;
            match *self.steps.get(step)? {
                Step::Text { .. } | Step::One(_) => return Some(set | says(step)?),
                Step::Many { .. } => {
                    set = set | says(step)?;
                    step += 1;
                }
                Step::Fork { first, second } => {
                    let first = super::further(step, first);
                    set = set | self.whatever(first, at_start, seen, says)?;
                    step = super::further(step, second);
                }
                Step::Jump(by) => step = super::further(step, by),
                Step::Start if !at_start => break,
                Step::Group(_) | Step::Start => step += 1,
                Step::End => return None,
            }
        }
        Some(set)
    }
}

struct Reader<'p> {
    rest: &'p [u8],
    depth: usize,
    simple: Simple,
}

/// What was read.
#[derive(Clone, Copy)]
struct Part {
    /// Whether it may match nothing at all.
    may_be_empty: bool,
    /// Bytes that whatever it matches has.
    needs: Set,
}

impl Part {
    const NOTHING: Part = Part { may_be_empty: true, needs: Set::NONE };
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn next_if(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    fn push(&mut self, step: Step) -> Option<()> {
        self.simple.steps.push(step);
        (self.simple.steps.len() < MOST_STEPS).then_some(())
    }

    /// Up to the end or the bracket that closes a group.
    fn alternatives(&mut self) -> Option<Part> {
        let mut ends = Vec::new();
        let mut whole: Option<Part> = None;
        loop {
            let start = self.simple.steps.len();
            let part = self.sequence()?;
            whole = Some(whole.map_or(part, |before| Part {
                may_be_empty: before.may_be_empty || part.may_be_empty,
                needs: before.needs & part.needs,
            }));
            if !self.next_if(b'|') {
                break;
            }
            let length = (self.simple.steps.len() - start) as i16;
            self.simple.steps.insert(start, Step::Fork { first: 1, second: length + 2 });
            ends.push(self.simple.steps.len());
            self.push(Step::Jump(0))?;
        }
        for at in ends {
            self.simple.steps[at] = Step::Jump((self.simple.steps.len() - at) as i16);
        }
        whole
    }

    fn sequence(&mut self) -> Option<Part> {
        let mut whole = Part::NOTHING;
        while let Some(next) = self.peek().filter(|next| !matches!(next, b'|' | b')')) {
            let start = self.simple.steps.len();
            let part = match next {
                b'(' => self.group()?,
                b'^' | b'$' => {
                    self.next();
                    self.push(if next == b'^' { Step::Start } else { Step::End })?;
                    Part::NOTHING
                }
                _ => {
                    self.bytes()?;
                    Part { may_be_empty: false, needs: self.needs_of_last() }
                }
            };
            let part = self.repeated(start, part)?;
            whole.may_be_empty &= part.may_be_empty;
            whole.needs = whole.needs | part.needs;
        }
        Some(whole)
    }

    fn group(&mut self) -> Option<Part> {
        self.next();
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let part = if self.next_if(b'?') {
            // Anything else are flags and names.
            self.next_if(b':').then(|| self.alternatives())??
        } else {
            let slot = u8::try_from(self.simple.groups * 2).ok()?;
            self.simple.groups += 1;
            self.push(Step::Group(slot))?;
            let part = self.alternatives()?;
            self.push(Step::Group(slot + 1))?;
            part
        };
        self.depth -= 1;
        self.next_if(b')').then_some(part)
    }

    /// The bytes without which the last step leads nowhere.
    fn needs_of_last(&self) -> Set {
        match self.simple.steps.last() {
            Some(Step::One(set)) if matches!(Seek::new(*set), Seek::One(_)) => *set,
            Some(Step::Text { start, end }) => {
                let bytes = &self.simple.texts[usize::from(*start)..usize::from(*end)];
                bytes.iter().fold(Set::NONE, |set, byte| set | Set::only(*byte))
            }
            _ => Set::NONE,
        }
    }

    /// A class, or characters that stand for themselves.
    fn bytes(&mut self) -> Option<()> {
        let set = match *self.rest {
            [b'[', ..] => self.class()?,
            [b'.', ref rest @ ..] => {
                self.rest = rest;
                Set::ANY
            }
            [b'\\', letter, ref rest @ ..] if letter.is_ascii_alphabetic() => {
                self.rest = rest;
                named(letter)?
            }
            _ => return self.text(),
        };
        self.push(Step::One(set))
    }

    /// Characters up to one that means something or is repeated.
    fn text(&mut self) -> Option<()> {
        let start = self.simple.texts.len();
        while let Some((byte, length)) = plain(self.rest) {
            let rest = self.rest.get(length..)?;
            let is_repeated = matches!(rest.first(), Some(b'?' | b'*' | b'+' | b'{'));
            let is_first = self.simple.texts.len() == start;
            if is_repeated && !is_first {
                break;
            }
            self.rest = rest;
            if is_repeated {
                return self.push(Step::One(Set::only(byte)));
            }
            self.simple.texts.push(byte);
        }
        let end = self.simple.texts.len();
        if end == start {
            return None;
        }
        let place = |at: usize| u16::try_from(at).ok();
        self.push(Step::Text { start: place(start)?, end: place(end)? })
    }

    fn class(&mut self) -> Option<Set> {
        self.next();
        let is_negated = self.next_if(b'^');
        let mut set = Set::NONE;
        loop {
            if self.next_if(b']') {
                break;
            }
            let from = match *self.rest {
                [b'\\', letter, ref rest @ ..] if letter.is_ascii_alphabetic() => {
                    self.rest = rest;
                    set = set | named(letter)?;
                    continue;
                }
                _ => self.member()?,
            };
            let to = if self.next_if(b'-') { self.member()? } else { from };
            if from > to {
                return None;
            }
            set = set | Set::range(from, to);
        }
        // A bracket that comes first is a member.
        let set = Some(set).filter(|set| *set != Set::NONE)?;
        Some(if is_negated { !set } else { set })
    }

    /// A character of a class that can't mean anything else.
    fn member(&mut self) -> Option<u8> {
        match self.next()? {
            b'\\' => self.next().filter(|byte| regex_syntax::is_meta_character((*byte).into())),
            b'[' | b']' | b'-' | b'^' | b'&' | b'~' => None,
            byte => byte.is_ascii().then_some(byte),
        }
    }

    /// What was read since this step, with the sign behind it that says how often it stands there.
    fn repeated(&mut self, start: usize, part: Part) -> Option<Part> {
        let (least, most) = match self.peek() {
            Some(b'?') => (0, Some(1)),
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'{') => self.count()?,
            _ => return Some(part),
        };
        self.next();
        let is_lazy = self.next_if(b'?');
        let most_often = least.max(most.unwrap_or(1));
        // How often nothing stands there is a question for others, as are groups that can't be.
        if !(1..=MOST_COPIES).contains(&most_often)
            || part.may_be_empty
            || matches!(self.peek(), Some(b'?' | b'*' | b'+' | b'{'))
        {
            return None;
        }
        let once = self.simple.steps.split_off(start);
        let behind = once.len() as i16 + 1;
        let fork = |other: i16| match is_lazy {
            true => Step::Fork { first: other, second: 1 },
            false => Step::Fork { first: 1, second: other },
        };
        for _ in 0..least {
            self.append(&once)?;
        }
        match (most, &once[..]) {
            (None, [Step::One(set)]) if !is_lazy => {
                self.push(Step::Many {
                    set: *set,
                    stop: Seek::new(!*set),
                    may_be_fewer: true,
                    behind: None,
                })?;
            }
            (None, _) => {
                self.push(fork(behind + 1))?;
                self.append(&once)?;
                self.push(Step::Jump(-behind))?;
            }
            (Some(most), _) => {
                for left in (1..=most.checked_sub(least)?).rev() {
                    self.push(fork(behind * left as i16))?;
                    self.append(&once)?;
                }
            }
        }
        Some(if least == 0 { Part::NOTHING } else { part })
    }

    fn append(&mut self, steps: &[Step]) -> Option<()> {
        steps.iter().try_for_each(|step| self.push(step.clone()))
    }

    /// The numbers of `{n}`, `{n,}` or `{n,m}`, up to its last bracket.
    fn count(&mut self) -> Option<(usize, Option<usize>)> {
        let end = self.rest.iter().position(|byte| *byte == b'}')?;
        let (inside, rest) = (&self.rest[1..end], &self.rest[end..]);
        let text = std::str::from_utf8(inside).ok()?;
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| Some(text).filter(digits)?.parse().ok();
        self.rest = rest;
        match text.split_once(',') {
            None => number(text).map(|number| (number, Some(number))),
            Some((least, "")) => Some((number(least)?, None)),
            Some((least, most)) => Some((number(least)?, Some(number(most)?))),
        }
    }
}

/// A character that stands for itself, and in how many bytes it is written.
fn plain(text: &[u8]) -> Option<(u8, usize)> {
    match *text {
        [b'\\', byte, ..] => regex_syntax::is_meta_character(byte.into()).then_some((byte, 2)),
        [b'.' | b'^' | b'$' | b'|' | b'?' | b'*' | b'+', ..] => None,
        [b'(' | b')' | b'[' | b']' | b'{' | b'}', ..] => None,
        [byte, ..] => byte.is_ascii().then_some((byte, 1)),
        [] => None,
    }
}

/// The set that a letter behind a backslash stands for.
fn named(letter: u8) -> Option<Set> {
    let digits = Set::range(b'0', b'9');
    let words = || digits | Set::range(b'a', b'z') | Set::range(b'A', b'Z') | Set::only(b'_');
    match letter {
        b'd' => Some(digits),
        b'D' => Some(!digits),
        b'w' => Some(words()),
        b'W' => Some(!words()),
        _ => None,
    }
}
