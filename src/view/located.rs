//! Places: what locations tell of frames beside what frames do.

use super::equal;
use super::key::Key;
use super::keyed::Value;
use crate::profile::{Line, Location, LocationId, Profile, SampleId, StrId, Strings};

/// Where a frame of a sample is: one of the lines of a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    location: LocationId,
    line: Option<Line>,
}

/// How addresses are told.
#[derive(Debug)]
pub(super) struct Addresses {
    /// By mapping, how much higher they are where an equal mapping was first; `None` where no
    /// addresses were asked for.
    shifts: Option<Vec<u64>>,
}

impl Addresses {
    pub(super) fn new(profile: &Profile, by: &[Key]) -> Addresses {
        Addresses { shifts: by.contains(&Key::Address).then(|| equal::shifts(profile)) }
    }

    /// Whether they were asked for.
    pub(super) fn are_shown(&self) -> bool {
        self.shifts.is_some()
    }

    fn of(&self, location: &Location) -> u64 {
        let shift = location.mapping.and_then(|mapping| self.shifts.as_ref()?.get(mapping.index()));
        location.address.wrapping_add(shift.copied().unwrap_or(0))
    }
}

/// The place of each frame of a sample, where it has locations.
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
    /// Whether its function has a name.
    pub(super) fn has_name(self, profile: &Profile) -> bool {
        self.line.is_some_and(|line| profile.function(line.function).name != StrId::EMPTY)
    }

    /// What it has for a key.
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
        let file = profile.str(function.file);
        match by {
            Key::Function if self.has_name(profile) => {
                Some(texts.intern(profile.str(function.name)))
            }
            Key::File if !file.is_empty() => Some(texts.intern(file)),
            // Calls from several columns of a line have addresses of their own.
            Key::Line if addresses.are_shown() => text(texts, file, line.line, line.column),
            Key::Line => text(texts, file, line.line, 0),
            _ => None,
        }
    }

    /// Calls it after the mapped file, as pprof does, where neither function nor file are known:
    /// `[libc.so.6]`.
    pub(super) fn name_after_object(
        self,
        profile: &Profile,
        texts: &mut Strings,
        by: &[Key],
        values: &mut [Value],
    ) {
        let known =
            || by.iter().zip(values.iter()).any(|(key, value)| key.is_name() && value.is_some());
        let Some(at) = by.iter().position(Key::is_name).filter(|_| !known()) else { return };
        if let Some(object) = self.object(profile) {
            values[at] = Some(texts.intern(&object));
        }
    }

    /// The mapped file that it is in: `[libc.so.6]`.
    pub(super) fn object(self, profile: &Profile) -> Option<Vec<u8>> {
        let mapping = profile.location(self.location).mapping?;
        let file = profile.str(profile.mapping(mapping).file);
        let base = file.rsplit(|&byte| byte == b'/').next().unwrap_or(file);
        (!base.is_empty()).then(|| [b"[", base, b"]"].concat())
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
