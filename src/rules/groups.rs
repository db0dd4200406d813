//! Where an expression matched, and where its groups did.

use super::simple::NOWHERE;
use regex::bytes::{CaptureLocations, Regex};
use std::ops::Range;

/// The places of a match and its groups in a text; used again for one text after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    whole: Range<usize>,
    /// The start and the end of each, from the first one on.
    slots: Vec<usize>,
}

impl Groups {
    /// The whole match.
    pub(super) fn whole(&self) -> Range<usize> {
        self.whole.clone()
    }

    /// What a group matched, if it took part; group 0 is the whole match.
    pub(super) fn get<'t>(&self, group: usize, text: &'t [u8]) -> Option<&'t [u8]> {
        let Some(at) = group.checked_sub(1) else { return text.get(self.whole()) };
        match self.slots.get(at * 2..at * 2 + 2) {
            Some(&[start, end]) if end != NOWHERE => text.get(start..end),
            _ => None,
        }
    }

    /// Room for the places of so many groups, none of which has any yet.
    pub(super) fn slots(&mut self, groups: usize) -> &mut [usize] {
        self.slots.clear();
        self.slots.resize(groups * 2, NOWHERE);
        &mut self.slots
    }

    /// Takes in where a match is.
    pub(super) fn found(&mut self, whole: Range<usize>) {
        self.whole = whole;
    }

    /// Takes in what the `regex` crate found.
    pub(super) fn read(&mut self, regex: &Regex, found: &CaptureLocations) {
        let places = (0..regex.captures_len()).map(|group| found.get(group));
        self.slots.clear();
        for (start, end) in places.skip(1).map(|place| place.unwrap_or((NOWHERE, NOWHERE))) {
            self.slots.extend([start, end]);
        }
        self.whole = found.get(0).map_or(0..0, |(start, end)| start..end);
    }
}
