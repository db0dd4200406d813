//! Addresses of goroutines whose paths are known. A path shows which of its calls have addresses,
//! so no other arguments are looked at, and no other goroutines.

use super::{Meaning, Record, Records};
use crate::format::traceback::addresses::Role;
use crate::profile::{NewGoroutine, ProfileBuilder, SampleId};

/// The addresses in the arguments of a path's calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum PathAddresses {
    #[default]
    Nothing,
    /// Receivers of methods.
    Objects,
    /// Receivers of methods, and the addresses that goroutines wait for.
    Waits,
}

impl Records {
    /// The addresses of the current path.
    pub(super) fn addresses_of_path(&self) -> PathAddresses {
        let roles = self.templates_of_path.iter().filter_map(|template| {
            match self.meanings.get(template.index())? {
                Meaning::Call(_, role) => Some(*role),
                _ => None,
            }
        });
        let mut leads = true;
        let mut found = PathAddresses::Nothing;
        for role in roles {
            leads &= !matches!(role, Role::Method | Role::Function);
            match role {
                Role::Waits | Role::Semaphore(_) if leads => return PathAddresses::Waits,
                Role::Method => found = PathAddresses::Objects,
                // Below calls of a program these are receivers of methods of `sync`.
                Role::Waits | Role::Runtime if !leads => found = PathAddresses::Objects,
                _ => {}
            }
        }
        found
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
                // A gap has one line; after a creator nothing follows.
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
            builder.addresses(sample, new, position, &addresses.as_new_addresses());
        }
        self.addresses = addresses;
    }
}

/// The lines of a goroutine.
struct LineStarts<'a> {
    text: &'a [u8],
    /// Their ends, if they were found before.
    ends: &'a [u16],
    /// Where the next line starts, and its number in the goroutine.
    at: usize,
    line: usize,
}

impl LineStarts<'_> {
    /// Skips a line; returns its end.
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
