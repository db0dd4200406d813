//! Sites are what patterns are matched against: a sample's locations, or its frames if it has none.

use crate::profile::{FrameId, LocationId, MappingId, Profile, StrId};
use regex::bytes::Regex;
use std::collections::HashMap;

/// A location of a proto, or a frame of a dump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Site {
    Location(LocationId),
    Frame(FrameId),
}

/// The frames of each location's lines, innermost first (none for a location without lines), and its
/// mapping.
#[derive(Debug)]
pub(super) struct Sites {
    locations: Vec<Vec<FrameId>>,
    mappings: Vec<Option<MappingId>>,
    frame_count: usize,
}

impl Sites {
    pub(super) fn new(profile: &Profile) -> Sites {
        let (mut locations, mut mappings) = (Vec::new(), Vec::new());
        for (id, location) in profile.locations() {
            locations.push(profile.lines(id).iter().map(|line| line.frame).collect());
            mappings.push(location.mapping);
        }
        Sites { locations, mappings, frame_count: profile.frames().len() }
    }

    /// Every site: the locations first, then the frames.
    pub(super) fn all(&self) -> impl Iterator<Item = Site> + use<> {
        let locations = (0..self.locations.len() as u32).map(|at| Site::Location(LocationId(at)));
        locations.chain((0..self.frame_count as u32).map(|at| Site::Frame(FrameId(at))))
    }

    /// How many sites there are.
    pub(super) fn len(&self) -> usize {
        self.locations.len() + self.frame_count
    }

    /// The position of a site in [`Sites::all`].
    pub(super) fn index(&self, site: Site) -> usize {
        match site {
            Site::Location(location) => location.index(),
            Site::Frame(frame) => self.locations.len() + frame.index(),
        }
    }

    /// The lines of a site, innermost first.
    pub(super) fn lines<'a>(&'a self, site: &'a Site) -> &'a [FrameId] {
        match site {
            Site::Location(location) => &self.locations[location.index()],
            Site::Frame(frame) => std::slice::from_ref(frame),
        }
    }

    pub(super) fn mapping(&self, site: Site) -> Option<MappingId> {
        match site {
            Site::Location(location) => self.mappings[location.index()],
            Site::Frame(_) => None,
        }
    }
}

/// A pattern that caches whether it matches each function, file and mapping.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    regex: Regex,
    matches: HashMap<StrId, bool>,
    simplified_matches: HashMap<StrId, bool>,
}

impl Pattern {
    pub(super) fn new(regex: Regex) -> Pattern {
        Pattern { regex, matches: HashMap::new(), simplified_matches: HashMap::new() }
    }

    fn is_match(&mut self, profile: &Profile, text: StrId) -> bool {
        let Pattern { regex, matches, .. } = self;
        *matches.entry(text).or_insert_with(|| regex.is_match(profile.str(text)))
    }

    /// Whether its function or its file matches.
    pub(super) fn matches_frame(&mut self, profile: &Profile, frame: FrameId) -> bool {
        let frame = profile.frame(frame);
        self.is_match(profile, frame.func) || self.is_match(profile, frame.file)
    }

    /// Whether the mapped file matches.
    pub(super) fn matches_mapping(
        &mut self,
        profile: &Profile,
        mapping: Option<MappingId>,
    ) -> bool {
        mapping.is_some_and(|mapping| self.is_match(profile, profile.mapping(mapping).file))
    }

    /// Whether the function's name matches without arguments and receivers, which is all that pprof's
    /// `prune_from` and `drop_frames` look at.
    pub(super) fn matches_simplified(&mut self, profile: &Profile, frame: FrameId) -> bool {
        let func = profile.frame(frame).func;
        let Pattern { regex, simplified_matches, .. } = self;
        *simplified_matches.entry(func).or_insert_with(|| {
            let name = profile.str(func);
            !name.is_empty() && regex.is_match(simplify(name))
        })
    }
}

/// A name up to its first parenthesis and without a leading dot, as pprof does it for C++: Go's
/// `net.(*conn).Read` becomes `net.`.
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
