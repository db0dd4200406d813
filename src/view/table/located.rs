//! What locations say about frames, in addition to the frames themselves.

use super::key::Key;
use crate::profile::{
    Line, Location, LocationId, Profile, SampleId, StrId, Strings, is_unsymbolized,
};
use crate::view::values::equal;

/// The value of a row for a key.
pub(super) type Value = Option<StrId>;

/// The location of a frame in a sample: one of the lines of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    location: LocationId,
    line: Option<Line>,
}

/// How addresses are shown.
#[derive(Debug)]
pub(super) struct Addresses {
    /// By mapping, how much higher they are in the first equal mapping; `None` if addresses aren't
    /// shown.
    shifts: Option<Vec<u64>>,
}

impl Addresses {
    pub(super) fn new(profile: &Profile, by: &[Key]) -> Addresses {
        Addresses { shifts: by.contains(&Key::Address).then(|| equal::shifts(profile)) }
    }

    /// Whether addresses are shown.
    pub(super) fn are_shown(&self) -> bool {
        self.shifts.is_some()
    }

    fn of(&self, location: &Location) -> u64 {
        let shift = location.mapping.and_then(|mapping| self.shifts.as_ref()?.get(mapping.index()));
        location.address.wrapping_add(shift.copied().unwrap_or(0))
    }
}

/// The location of each frame of a sample; empty if it has no locations.
pub(super) fn of_frames(profile: &Profile, sample: SampleId) -> Vec<Located> {
    let mut places = Vec::new();
    for &location in profile.sample_locations(sample) {
        match profile.lines(location) {
            [] => places.push(Located { location, line: None }),
            lines => {
                places.extend(lines.iter().map(|&line| Located { location, line: Some(line) }));
            }
        }
    }
    places
}

impl Located {
    /// Its value for a key.
    pub(super) fn value(
        self,
        profile: &Profile,
        texts: &mut Strings,
        by: &Key,
        addresses: &Addresses,
    ) -> Value {
        if *by == Key::Address {
            let address = addresses.of(profile.location(self.location));
            return (address != 0).then(|| texts.intern(format!("{address:016x}").as_bytes()));
        }
        let line = self.line?;
        let function = profile.function(line.function);
        let (name, file) = (profile.str(function.name), profile.str(function.file));
        match by {
            Key::Function if !name.is_empty() && !is_unsymbolized(name) => Some(texts.intern(name)),
            Key::File if !file.is_empty() => Some(texts.intern(file)),
            // Calls in several columns of a line have addresses of their own.
            Key::Line => text(texts, file, line.line, line.column),
            _ => None,
        }
    }
}

/// `file:line:column`, as far as they are known.
pub(super) fn text(texts: &mut Strings, file: &[u8], line: i64, column: i64) -> Value {
    let mut place = file.to_vec();
    if line != 0 {
        place.extend_from_slice(format!(":{line}").as_bytes());
        if column != 0 {
            place.extend_from_slice(format!(":{column}").as_bytes());
        }
    }
    (!place.is_empty()).then(|| texts.intern(&place))
}
