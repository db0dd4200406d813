//! Addresses of goroutines whose paths are known: a path tells at which of its calls they stand, so
//! that no other arguments are looked at, and those of no other goroutines.

use super::{Meaning, Record, Records};
use crate::format::traceback::addresses::Role;
use crate::profile::{NewGoroutine, ProfileBuilder, SampleId};

/// What the arguments of a path's calls can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Tells {
    #[default]
    Nothing,
    /// What methods were called on.
    Objects,
    /// What methods were called on, and what a goroutine waits for.
    Waits,
}

impl Records {
    /// What the path at hand tells.
    pub(super) fn tells(&self) -> Tells {
        let roles = self.templates_of_path.iter().filter_map(|template| {
            match self.meanings.get(template.index())? {
                Meaning::Call(_, role) => Some(*role),
                _ => None,
            }
        });
        let mut leads = true;
        let mut tells = Tells::Nothing;
        for role in roles {
            leads &= !matches!(role, Role::Method | Role::Function);
            match role {
                Role::Waits | Role::Semaphore(_) if leads => return Tells::Waits,
                Role::Method => tells = Tells::Objects,
                // Below calls of a program they are what methods of `sync` were called on.
                Role::Waits | Role::Runtime if !leads => tells = Tells::Objects,
                _ => {}
            }
        }
        tells
    }

    /// Keeps the addresses of a goroutine that was just added to a sample.
    #[inline(never)]
    pub(super) fn keep_addresses(
        &mut self,
        text: &[u8],
        record: &Record,
        sample: SampleId,
        new: &NewGoroutine,
        position: Option<usize>,
        builder: &mut ProfileBuilder,
    ) {
        let mut addresses = std::mem::take(&mut self.addresses);
        addresses.clear();
        let ends = if record.ends_known { self.ends.get() } else { &[] };
        let mut lines = LineStarts { text, ends, at: record.header_end, line: 1 };
        let mut frame: usize = 0;
        for &template in self.paths.templates(record.path).unwrap_or_default() {
            let Some(&Meaning::Call(_, role)) = self.meanings.get(template.index()) else {
                // A gap has one line; behind a creator nothing follows.
                lines.next();
                continue;
            };
            let start = lines.at;
            let (Some(end), Some(_)) = (lines.next(), lines.next()) else { break };
            let before =
                self.templates.texts(template).map_or(0, |texts| usize::from(texts.prefix));
            if let Some(arguments) = text.get(start.saturating_add(before)..end) {
                addresses.call(role, frame, arguments);
            }
            frame = frame.saturating_add(1);
        }
        if !addresses.is_empty() {
            builder.addresses(sample, new, position, &addresses.told());
        }
        self.addresses = addresses;
    }
}

/// The lines of a goroutine.
struct LineStarts<'a> {
    text: &'a [u8],
    /// Their ends, if they were found before.
    ends: &'a [u16],
    /// Where the next one starts, and which one that is.
    at: usize,
    line: usize,
}

impl LineStarts<'_> {
    /// Goes over a line; gives its end.
    fn next(&mut self) -> Option<usize> {
        let end = match self.ends.get(self.line) {
            Some(&end) => end as usize,
            None => self.at.checked_add(memchr::memchr(b'\n', self.text.get(self.at..)?)?)?,
        };
        self.line = self.line.saturating_add(1);
        self.at = end.saturating_add(1);
        Some(end)
    }
}
