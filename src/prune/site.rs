//! Sites: what a pattern is asked about, locations where there are any, else frames.

use crate::profile::{FrameId, LocationId, MappingId, Profile, StrId};
use regex::bytes::Regex;
use std::collections::HashMap;

/// A location of a proto, or a frame of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    Location(LocationId),
    Frame(FrameId),
}

/// The frames of every location, which a location without lines has too.
#[derive(Debug)]
pub(super) struct Sites {
    locations: Vec<Vec<FrameId>>,
    mappings: Vec<Option<MappingId>>,
    frames: usize,
}

impl Sites {
    pub(super) fn new(profile: &Profile) -> Sites {
        let (mut locations, mut mappings) = (Vec::new(), Vec::new());
        for (id, location) in profile.locations() {
            locations.push(profile.lines(id).iter().map(|line| line.frame).collect());
            mappings.push(location.mapping);
        }
        Sites { locations, mappings, frames: profile.frames().len() }
    }

    /// Every place: the locations first, then the frames.
    pub(super) fn all(&self) -> impl Iterator<Item = Site> + use<> {
        let locations = (0..self.locations.len() as u32).map(|at| Site::Location(LocationId(at)));
        locations.chain((0..self.frames as u32).map(|at| Site::Frame(FrameId(at))))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.locations.len() + self.frames
    }

    /// The position of a place in [`Sites::all`].
    pub(super) fn index(&self, place: Site) -> usize {
        match place {
            Site::Location(location) => location.index(),
            Site::Frame(frame) => self.locations.len() + frame.index(),
        }
    }

    /// The lines of a place, innermost first.
    pub(super) fn lines<'a>(&'a self, place: &'a Site) -> &'a [FrameId] {
        match place {
            Site::Location(location) => &self.locations[location.index()],
            Site::Frame(frame) => std::slice::from_ref(frame),
        }
    }

    pub(super) fn mapping(&self, place: Site) -> Option<MappingId> {
        match place {
            Site::Location(location) => self.mappings[location.index()],
            Site::Frame(_) => None,
        }
    }
}

/// A pattern that remembers what it said of each function, file and mapping.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
    known: HashMap<StrId, bool>,
    simplified: HashMap<StrId, bool>,
}

impl Pattern {
    pub(super) fn new(regex: Regex) -> Pattern {
        Pattern { regex, known: HashMap::new(), simplified: HashMap::new() }
    }

    fn is_match(&mut self, profile: &Profile, text: StrId) -> bool {
        let Pattern { regex, known, .. } = self;
        *known.entry(text).or_insert_with(|| regex.is_match(profile.str(text)))
    }

    /// Whether function or file match.
    pub(super) fn has_frame(&mut self, profile: &Profile, frame: FrameId) -> bool {
        let frame = profile.frame(frame);
        self.is_match(profile, frame.func) || self.is_match(profile, frame.file)
    }

    /// Whether the mapped file matches.
    pub(super) fn has_mapping(&mut self, profile: &Profile, mapping: Option<MappingId>) -> bool {
        mapping.is_some_and(|mapping| self.is_match(profile, profile.mapping(mapping).file))
    }

    /// Whether the function's name matches without arguments and receivers, which is all that
    /// pprof's `prune_from` looks at.
    pub(super) fn has_simplified(&mut self, profile: &Profile, frame: FrameId) -> bool {
        let func = profile.frame(frame).func;
        let Pattern { regex, simplified, .. } = self;
        *simplified.entry(func).or_insert_with(|| {
            let name = profile.str(func);
            !name.is_empty() && regex.is_match(simplify(name))
        })
    }
}

/// A name up to its first bracket, as it was meant for C++: of Go's `net.(*conn).Read` it leaves
/// `net.`.
fn simplify(name: &[u8]) -> &[u8] {
    const RESERVED: [&[u8]; 2] = [b"(anonymous namespace)", b"operator()"];
    let name = name.strip_prefix(b".").unwrap_or(name);
    let mut at = 0;
    while at < name.len() {
        if let Some(reserved) = RESERVED.iter().find(|text| name[at..].starts_with(text)) {
            at += reserved.len();
        } else if name[at] == b'(' {
            return &name[..at];
        } else {
            at += 1;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_simplified_like_those_of_cpp() {
        for (name, expected) in [
            ("main.work", "main.work"),
            ("net.(*conn).Read", "net."),
            (".main", "main"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("a::operator()(int)", "a::operator()"),
        ] {
            assert_eq!(simplify(name.as_bytes()), expected.as_bytes(), "{name}");
        }
    }
}
