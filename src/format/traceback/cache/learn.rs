//! Paths that are new, or whose text wasn't guessed: looked up step by step, learnt.

use super::follow::FoundPath;
use super::parsed_step::ParsedStep;
use super::path::Number;
use super::templates::{Seen, Sort, Template, TemplateId};
use super::{Meaning, Records, SourceLine};
use crate::format::traceback::addresses::Role;
use crate::format::traceback::header::Header;
use crate::format::traceback::lines;
use crate::format::{bruise, log};

/// Longer texts aren't kept.
const LONGEST: usize = u16::MAX as usize;

/// A path found step by step, and what its text step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) found: FoundPath,
    /// Lines up to and with the blank one, if there is one.
    pub(super) lines: u64,
    /// Where the line behind them starts.
    pub(super) end: usize,
}

impl Records {
    /// The path of the goroutine that a text starts with, whose first line starts at `at`; `None`
    /// when it isn't regular or isn't whole.
    #[inline(never)]
    pub(super) fn walk(&mut self, text: &[u8], mut at: usize) -> Option<Walk> {
        self.templates_of_path.clear();
        let (mut creator, mut elided) = (None, false);
        let mut lines: u64 = 1;
        let (mut before, mut root) = (None, None);
        loop {
            if let Some(length) = blank(text.get(at..)?) {
                let found = FoundPath { path: self.path()?, creator, elided };
                let lines = lines.saturating_add(u64::from(length > 0));
                return Some(Walk { found, lines, end: at.checked_add(length)? });
            }
            if matches!(before, Some(Sort::Creator | Sort::OldCreator)) {
                // Nothing regular stands behind a creator.
                return None;
            }
            let step = ParsedStep::read(at, text)?;
            let func = text.get(step.func.clone()).unwrap_or_default();
            if root.is_some_and(|root| is_joined(root, step.sort, func)) {
                return None;
            }
            if step.sort != Sort::Gap {
                root = lines::is_root(func).then_some(func);
            }
            let template = self.template(text, at, &step)?;
            self.templates_of_path.push(template);
            creator = step.creator;
            elided |= step.sort == Sort::Gap;
            lines = lines.saturating_add(if step.sort == Sort::Gap { 1 } else { 2 });
            at = step.end;
            before = Some(step.sort);
        }
    }

    /// The path at hand.
    fn path(&mut self) -> Option<u32> {
        match self.paths.number(&self.templates_of_path)? {
            Number::Before(path) => Some(path),
            Number::New(path) => {
                self.path_samples.push(None);
                self.stacks.push(None);
                self.paths.set_tells(path, self.tells());
                Some(path)
            }
        }
    }

    /// The template of the step that the text at `at` tells.
    fn template(&mut self, text: &[u8], at: usize, step: &ParsedStep) -> Option<TemplateId> {
        if step.prefix.len().max(step.suffix.len()) > LONGEST {
            return None;
        }
        let template = Template::new(step.sort, text, step.prefix.clone(), step.suffix.clone())?;
        match self.templates.find(&template) {
            Seen::Before(id) => Some(id),
            Seen::Crowd => None,
            Seen::Never => {
                let meaning = self.meaning(text, at, step)?;
                self.learn(&template, meaning)
            }
        }
    }

    /// What a new template means; `None` when its lines may be something else, which is for others to tell.
    fn meaning(&self, text: &[u8], at: usize, step: &ParsedStep) -> Option<Meaning> {
        if step.sort == Sort::Gap {
            return Some(Meaning::Gap(lines::elided(text.get(step.prefix.clone())?)?));
        }
        let place = text.get(step.place.clone())?;
        let (file, line) = lines::file_and_line(place)?;
        let lines = text.get(at..step.end)?;
        let is_bruised = |line: &[u8]| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            bruise::mend(line, &mut Vec::new()).is_some()
        };
        let is_odd = place.first()?.is_ascii_whitespace()
            || lines.trim_ascii_end().split(|&byte| byte == b'\n').any(is_bruised)
            || log::names_goroutine(lines)
                && lines.split(|&byte| byte == b'\n').any(log::wraps_goroutine);
        let func = text.get(step.func.clone()).filter(|func| !func.is_empty())?;
        if is_odd {
            return None;
        }
        // The second text is kept right behind the first.
        let start = self.templates.next_start()?;
        let kept = |before: usize, length: usize| {
            Some((start.checked_add(u32::try_from(before).ok()?)?, u32::try_from(length).ok()?))
        };
        let before_file = step.place.start.checked_sub(step.suffix.start)?;
        let place = SourceLine {
            func: kept(step.func.start.checked_sub(at)?, func.len())?,
            file: kept(step.prefix.len().checked_add(before_file)?, file.len())?,
            line,
        };
        if step.sort != Sort::Call {
            return Some(Meaning::Creator(place));
        }
        // Without a blank it is no message of the runtime or of a crash, nor a line of a log.
        let is_name = memchr::memchr2(b' ', b'\t', func).is_none() && !func.starts_with(b"0x");
        is_name.then(|| Meaning::Call(place, Role::of(func)))
    }

    pub(super) fn learn(
        &mut self,
        template: &Template<'_>,
        meaning: Meaning,
    ) -> Option<TemplateId> {
        let id = self.templates.insert(template)?;
        self.meanings.push(meaning);
        self.bound.push(None);
        Some(id)
    }
}

/// Whether the step behind the first function of a goroutine may be one of another goroutine, which
/// is for others to tell.
fn is_joined(root: &[u8], sort: Sort, func: &[u8]) -> bool {
    match sort {
        Sort::Call => !lines::may_be_below_a_root(func),
        Sort::Creator | Sort::OldCreator => root != b"runtime.goexit",
        Sort::Header | Sort::Gap => false,
    }
}

/// How long the blank line is that a text starts with, as a goroutine's last one does; 0 where
/// another goroutine follows without one, because some drop them.
fn blank(text: &[u8]) -> Option<usize> {
    match text {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        [b'g', ..] if starts_with_header(text) => Some(0),
        _ => None,
    }
}

/// Whether a text starts with a line that ends the goroutine before it, as that of another one does.
fn starts_with_header(text: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end));
    line.and_then(Header::cut).is_some()
}
