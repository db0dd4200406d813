//! Several guessed prefixes in one log: the pods of `stern`, the branches of a pipeline.

use super::guess::{Guess, Stripped};
use super::json::More;
use super::keys::{Keys, StreamKey};
use super::{GAP, Unwrapped, is_guessed};
use crate::format::start::announces_crash;

/// At most this many prefixes are read separately.
const STREAMS: usize = 64;
/// After this many other lines, an undecided prefix is given up.
const PATIENCE: usize = 16;

#[derive(Debug)]
pub(super) struct Prefixed {
    guesses: Vec<(Guess, StreamKey)>,
    /// The prefix of the last line.
    last: usize,
    /// Lines without a known prefix since the last new one.
    foreign: usize,
}

impl Prefixed {
    /// A decoder for lines from this one on, if its prefix can be guessed.
    pub(super) fn of(line: &[u8]) -> Option<Prefixed> {
        let guess = Guess::of(line)?;
        Some(Prefixed { guesses: vec![(guess, StreamKey::ENCLOSING)], last: 0, foreign: 0 })
    }

    /// Whether the next line decides; then it must be complete.
    pub(super) fn undecided(&self) -> bool {
        self.guesses.iter().any(|(guess, _)| guess.undecided())
    }

    /// Whether the line shows that only the last one has a prefix.
    pub(super) fn awaits(&self, line: &[u8]) -> bool {
        self.guesses.get(self.last).is_some_and(|(guess, _)| guess.awaits(line))
    }

    /// The text behind the prefix of the last line, which this one is.
    pub(super) fn text_of<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        self.guesses.get(self.last)?.0.text_of(line)
    }

    /// Takes the lines directly above the first one that have the same prefix; returns how many.
    pub(super) fn hold_above(&mut self, lines: &[&[u8]]) -> usize {
        self.guesses.first_mut().map_or(0, |(guess, _)| guess.hold_above(lines))
    }

    /// Takes a line or, once everything is decided, the beginning of one. Lines that a stream held
    /// are appended to `out`, to come before this one; those that aren't part of a dump are added
    /// to `more`.
    pub(super) fn strip<'a>(
        &mut self,
        line: &'a [u8],
        keys: &mut Keys,
        out: &mut Vec<u8>,
        more: &mut More,
    ) -> (StreamKey, Stripped<'a>) {
        let known = std::iter::once(self.last).chain(0..self.guesses.len());
        let is_of =
            |at: &usize| self.guesses.get(*at).is_some_and(|(guess, _)| guess.has_prefix(line));
        if let Some(at) = known.into_iter().find(is_of) {
            self.last = at;
            return self.strip_as(at, line, keys, out, more);
        }
        if let Some((guess, key)) = self.guesses.get(self.last)
            && guess.is_prefixed()
            && !guess.undecided()
        {
            if line == GAP {
                return (*key, Ok(line));
            }
            if self.guesses.len() == 1 && line.trim_ascii().is_empty() {
                // There is no other stream that it could belong to.
                return (*key, Ok(b""));
            }
        }
        if let [(guess, _)] = &*self.guesses
            && !guess.is_prefixed()
        {
            return self.strip_as(0, line, keys, out, more);
        }
        if self.foreign > 0
            && announces_crash(line)
            && self.guesses.iter().all(|(guess, _)| guess.undecided())
        {
            // The line with a prefix was prose above a crash without one.
            self.finish(out);
            return (StreamKey::ENCLOSING, Err(Unwrapped::Over));
        }
        if let Some((guess, _)) = self.guesses.get(self.last)
            && guess.undecided()
            && guess.is_decided_by(line)
        {
            return self.strip_alone(line, keys, out, more);
        }
        if self.guesses.len() < STREAMS
            && is_guessed(line)
            && let Some(guess) = Guess::of(line)
            && guess.is_prefixed()
            && (!guess.is_reversed || !self.is_forward())
        {
            self.last = self.guesses.len();
            self.foreign = 0;
            self.guesses.push((guess, StreamKey::ENCLOSING));
            return self.strip_as(self.last, line, keys, out, more);
        }
        self.foreign = self.foreign.saturating_add(1);
        if self.foreign > PATIENCE {
            let mut held = Vec::new();
            self.guesses.retain_mut(|(guess, _)| {
                let keep = !guess.undecided();
                if !keep {
                    guess.finish(&mut held);
                }
                keep
            });
            self.last = 0;
            if self.guesses.is_empty() {
                out.append(&mut held);
                return (StreamKey::ENCLOSING, Err(Unwrapped::Over));
            }
            give_back(held, more);
        }
        (StreamKey::ENCLOSING, Err(Unwrapped::Foreign))
    }

    /// Whether the first line certainly comes first: what looks like a place is no start of a goroutine then.
    fn is_forward(&self) -> bool {
        let is_reversed = |(guess, _): &(Guess, StreamKey)| guess.is_reversed;
        let is_decided = |(guess, _): &(Guess, StreamKey)| !guess.undecided();
        self.guesses.iter().any(is_decided) && !self.guesses.iter().any(is_reversed)
    }

    /// Takes a line that shows that only the first line of the last stream had a prefix: then it
    /// isn't one of several streams.
    fn strip_alone<'a>(
        &mut self,
        line: &'a [u8],
        keys: &mut Keys,
        out: &mut Vec<u8>,
        more: &mut More,
    ) -> (StreamKey, Stripped<'a>) {
        let alone = self.guesses.remove(self.last);
        let mut held = Vec::new();
        self.finish(&mut held);
        self.guesses = vec![alone];
        self.last = 0;
        let (key, stripped) = self.strip_as(0, line, keys, out, more);
        match stripped {
            Err(Unwrapped::Held) => give_back(held, more),
            _ => drop(out.splice(..0, held)),
        }
        (key, stripped)
    }

    /// Takes a line with one of the prefixes.
    fn strip_as<'a>(
        &mut self,
        at: usize,
        line: &'a [u8],
        keys: &mut Keys,
        out: &mut Vec<u8>,
        more: &mut More,
    ) -> (StreamKey, Stripped<'a>) {
        let only = self.guesses.len() == 1;
        let Some((guess, key)) = self.guesses.get_mut(at) else {
            return (StreamKey::ENCLOSING, Err(Unwrapped::Over));
        };
        let undecided = guess.undecided();
        let stripped = guess.strip(line, out);
        if undecided && !guess.undecided() && guess.is_prefixed() {
            *key = keys.key(&guess.stream());
        }
        let key = *key;
        if matches!(stripped, Err(Unwrapped::Over)) && !only {
            self.guesses.remove(at);
            self.last = 0;
            give_back(std::mem::take(out), more);
            return (StreamKey::ENCLOSING, Err(Unwrapped::Foreign));
        }
        (key, stripped)
    }

    /// Appends the held lines when no more come.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        for (guess, _) in &mut self.guesses {
            if guess.undecided() {
                guess.finish(out);
            }
        }
    }
}

fn give_back(held: Vec<u8>, more: &mut More) {
    if !held.is_empty() {
        more.push_back((StreamKey::ENCLOSING, held));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of all streams by key, and the lines of no stream.
    fn run(log: &str) -> (Vec<String>, String) {
        let mut prefixed = Prefixed::of(log.lines().next().unwrap().as_bytes()).unwrap();
        let (mut keys, mut texts, mut foreign) =
            (Keys::default(), vec![String::new(); 4], String::new());
        let mut more = More::new();
        for line in log.lines() {
            let mut out = Vec::new();
            let (key, stripped) = prefixed.strip(line.as_bytes(), &mut keys, &mut out, &mut more);
            match stripped {
                Ok(text) => out.extend_from_slice(&[text, b"\n"].concat()),
                Err(Unwrapped::Held) => assert!(out.is_empty(), "{line}"),
                Err(_) => foreign += &format!("{line}\n"),
            }
            texts[key.0 as usize] += std::str::from_utf8(&out).unwrap();
        }
        let mut out = Vec::new();
        prefixed.finish(&mut out);
        for (key, text) in more.into_iter().chain([(StreamKey::ENCLOSING, out)]) {
            texts[key.0 as usize] += std::str::from_utf8(&text).unwrap();
        }
        (texts, foreign)
    }

    #[test]
    fn prefixes_that_come_in_turns_are_streams() {
        let (texts, foreign) = run("web-1 app goroutine 1 [running]:
db-1 app ready
web-2 app goroutine 9 [select]:
web-2 app main.g()
web-1 app main.f()
db-1 app done
web-2 app \t/g.go:2
web-1 app \t/f.go:1
");
        assert_eq!(texts[1], "goroutine 9 [select]:\nmain.g()\n\t/g.go:2\n");
        assert_eq!(texts[2], "goroutine 1 [running]:\nmain.f()\n\t/f.go:1\n");
        assert_eq!(foreign, "db-1 app ready\ndb-1 app done\n");
    }

    #[test]
    fn what_turns_out_to_be_no_dump_is_given_back() {
        let log = format!(
            "a: goroutine 1 [running]:\nb: goroutine 2 [running]:\nb: main.f()\n{}",
            "x\n".repeat(20)
        );
        let (texts, foreign) = run(&log);
        assert_eq!(texts[0], "a: goroutine 1 [running]:\n");
        assert_eq!(texts[1], "goroutine 2 [running]:\nmain.f()\n");
        assert_eq!(foreign, "x\n".repeat(20));
        let (texts, foreign) = run("a: goroutine 1 [running]:
b: panic: boom
[signal SIGSEGV: x]
goroutine 7 [running]:
");
        let all = "panic: boom\n[signal SIGSEGV: x]\na: goroutine 1 [running]:\n";
        assert_eq!((&*texts[0], &*foreign), (all, "goroutine 7 [running]:\n"));
    }

    #[test]
    fn what_a_known_container_wraps_is_no_further_prefix() {
        let of_kubectl = "2026-01-02T10:31:41Z goroutine 7 [select]:\n";
        let (texts, foreign) =
            run(&format!("a: goroutine 1 [running]:\na: main.f()\n{of_kubectl}"));
        assert_eq!(texts[1], "goroutine 1 [running]:\nmain.f()\n");
        assert_eq!(foreign, of_kubectl);
    }
}
