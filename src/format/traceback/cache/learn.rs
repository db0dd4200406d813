//! Looks up paths step by step if they weren't guessed, and learns new ones.

use super::follow::FoundPath;
use super::parsed_step::ParsedStep;
use super::path::Number;
use super::templates::{Seen, Sort, Template, TemplateId};
use super::{Meaning, Records, SourceLine};
use crate::format::traceback::addresses::Role;
use crate::format::traceback::frame_addresses::Pcs;
use crate::format::traceback::header::Header;
use crate::format::traceback::{lines, names};
use crate::format::{bruise, log};

/// Longer texts aren't kept.
const LONGEST: usize = u16::MAX as usize;

/// A path found step by step, and the extent of its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    pub(super) found: FoundPath,
    /// The number of lines, including the blank one if there is one.
    pub(super) lines: u64,
    /// Where the line after them starts.
    pub(super) end: usize,
}

impl Records {
    /// The path of the goroutine at the start of a text, whose first line after the header starts
    /// at `at`; `None` if it isn't regular or isn't complete.
    #[inline(never)]
    pub(super) fn walk(&mut self, text: &[u8], mut at: usize) -> Option<Walk> {
        self.templates_of_path.clear();
        let (mut creator, mut elided) = (None, false);
        let mut lines: u64 = 1;
        let (mut before, mut root, mut is_closed) = (None, None, true);
        let mut pcs = Pcs::default();
        loop {
            let is_created = matches!(before, Some(Sort::Creator | Sort::OldCreator));
            if let Some(length) = blank(text.get(at..)?) {
                let is_open = || !is_closed || !is_created && !elided && root.is_none();
                if length == 0 && is_open() {
                    // The end of its last line or its creator may be lost.
                    return None;
                }
                let found = FoundPath { path: self.path()?, creator, elided };
                let lines = lines.saturating_add(u64::from(length > 0));
                return Some(Walk { found, lines, end: at.checked_add(length)? });
            }
            if is_created {
                // Nothing regular comes after a creator.
                return None;
            }
            let step = ParsedStep::read(at, text)?;
            if before.is_none() && matches!(step.sort, Sort::Creator | Sort::OldCreator) {
                // The frames above it are lost.
                return None;
            }
            let func = text.get(step.func.clone()).unwrap_or_default();
            let is_call = step.sort == Sort::Call;
            if is_call {
                pcs.note(step.addresses);
            }
            if pcs.are_lost() || !is_call && step.addresses.has_fp {
                return None;
            }
            if root.is_some_and(|root| is_joined(root, step.sort, func)) {
                return None;
            }
            if step.sort != Sort::Gap {
                root = names::is_root(func).then_some(func);
            }
            let template = self.template(text, at, &step)?;
            self.templates_of_path.push(template);
            (creator, is_closed) = (step.creator, step.is_closed);
            elided |= step.sort == Sort::Gap;
            lines = lines.saturating_add(if step.sort == Sort::Gap { 1 } else { 2 });
            at = step.end;
            before = Some(step.sort);
        }
    }

    /// The number of the current path.
    fn path(&mut self) -> Option<u32> {
        match self.paths.number_of(&self.templates_of_path)? {
            Number::Known(path) => Some(path),
            Number::New(path) => {
                self.path_samples.push(None);
                self.stacks.push(None);
                self.paths.set_addresses(path, self.addresses_of_path());
                Some(path)
            }
        }
    }

    /// The template of a step of the text.
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

    /// The meaning of a new template; `None` if its lines can be something else, which the careful
    /// reader decides.
    fn meaning(&self, text: &[u8], at: usize, step: &ParsedStep) -> Option<Meaning> {
        if step.sort == Sort::Gap {
            return Some(Meaning::Gap(lines::elided(text.get(step.prefix.clone())?)?));
        }
        let place = text.get(step.place.clone())?;
        let (file, line) = lines::file_and_line(place)?;
        let lines = text.get(at..step.end)?;
        let func = text.get(step.func.clone()).filter(|func| !func.is_empty())?;
        let is_bruised = |line: &[u8]| {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            bruise::mend(line, &mut Vec::new()).is_some()
        };
        let is_odd = place.first()?.is_ascii_whitespace()
            || lines::holds_lines(file)
            || names::has_lost_a_part(func, file)
            || lines.trim_ascii_end().split(|&byte| byte == b'\n').any(is_bruised)
            || log::names_goroutine(lines)
                && lines.split(|&byte| byte == b'\n').any(log::wraps_dump);
        if is_odd {
            return None;
        }
        // The suffix is kept right after the prefix.
        let start = self.templates.next_start()?;
        let range_in_texts = |before: usize, length: usize| {
            Some((start.checked_add(u32::try_from(before).ok()?)?, u32::try_from(length).ok()?))
        };
        let before_file = step.place.start.checked_sub(step.suffix.start)?;
        let place = SourceLine {
            func: range_in_texts(step.func.start.checked_sub(at)?, func.len())?,
            file: range_in_texts(step.prefix.len().checked_add(before_file)?, file.len())?,
            line,
        };
        if step.sort != Sort::Call {
            return Some(Meaning::Creator(place));
        }
        // Without a blank it isn't a message of the runtime or of a crash, nor a line of a log.
        let is_name = memchr::memchr2(b' ', b'\t', func).is_none()
            && !func.starts_with(b"0x")
            && !lines::is_end_of_call(func);
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

/// Whether the step after the first function of a goroutine can be one of another goroutine, which
/// the careful reader decides.
fn is_joined(root: &[u8], sort: Sort, func: &[u8]) -> bool {
    match sort {
        Sort::Call => !names::may_be_below_a_root(func),
        Sort::Creator | Sort::OldCreator => root != b"runtime.goexit",
        Sort::Header | Sort::Gap => false,
    }
}

/// The length of the blank line at the start of a text, which ends a goroutine; 0 if another
/// goroutine follows without one, because some tools drop blank lines.
fn blank(text: &[u8]) -> Option<usize> {
    match text {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        [b'g', ..] if starts_with_header(text) => Some(0),
        _ => None,
    }
}

/// Whether a text starts with a header, which ends the goroutine before it.
fn starts_with_header(text: &[u8]) -> bool {
    let line = memchr::memchr(b'\n', text).and_then(|end| text.get(..end));
    line.and_then(Header::cut).is_some()
}
