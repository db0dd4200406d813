//! What may tell a name apart from those that are equal to it.

use super::super::name_builder::NameBuilder;
use super::super::namer::Namer;
use crate::profile::{FrameId, Profile, StackId, StrId};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::io::Write;

/// How many further frames are tried in front of a name.
const FURTHER: usize = 6;
/// How often a frame of its own is looked for among the stacks that are left.
const PLACES: usize = 3;
/// How often the stacks that are left are told apart by where they part from each other.
const PARTINGS: usize = 4;
/// How often anything is tried.
pub(super) const ROUNDS: usize = FURTHER + PLACES + PARTINGS;

/// Whether a candidate of this round stands in front of the name.
pub(super) fn is_in_front(round: usize) -> bool {
    round < FURTHER
}

/// A stack that shares its name.
pub(super) struct Duplicate {
    pub(super) stack: StackId,
    /// The last frame that the name tells of.
    taken: usize,
    /// The frame from which on a further one is looked for.
    next: usize,
    /// What is tried now: a part to stand in front of the name, or a text to stand behind it.
    pub(super) candidate: Option<StrId>,
}

impl Duplicate {
    pub(super) fn new(stack: StackId, taken: usize) -> Duplicate {
        Duplicate { stack, taken, next: taken + 1, candidate: None }
    }
}

/// What is used again for each group of stacks and each round.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The names that the stacks of the group at hand got.
    pub(super) used: HashSet<StrId, FixedState>,
    /// How often each text is a candidate in the round of that number.
    counts: Vec<(u32, u32)>,
    round: u32,
    /// The last stack that had a frame, by the number that it got here, and whether others had it.
    owners: Vec<(u32, bool)>,
    stacks: u32,
    /// The place or the function of each frame as text.
    places: [HashMap<FrameId, StrId, FixedState>; 2],
    builder: NameBuilder,
    text: Vec<u8>,
}

impl Scratch {
    /// Gives each duplicate a candidate, if there is one in this round.
    pub(super) fn propose(
        &mut self,
        round: usize,
        namer: &mut Namer,
        profile: &Profile,
        name: StrId,
        duplicates: &mut [Duplicate],
    ) {
        if is_in_front(round) {
            for duplicate in &mut *duplicates {
                duplicate.candidate = further_frame(namer, profile, duplicate, name);
            }
        } else if round < FURTHER + PLACES {
            // Where one line holds several closures, its name tells more than the line.
            let by_func = round == FURTHER + 1;
            own_frames(namer, profile, duplicates, self, by_func);
        } else {
            partings(namer, profile, duplicates, self);
        }
        self.count(duplicates);
    }

    fn count(&mut self, duplicates: &[Duplicate]) {
        self.round += 1;
        for candidate in duplicates.iter().filter_map(|duplicate| duplicate.candidate) {
            if self.counts.len() <= candidate.index() {
                self.counts.resize(candidate.index() + 1, (0, 0));
            }
            let (round, count) = &mut self.counts[candidate.index()];
            *count = if *round == self.round { *count + 1 } else { 1 };
            *round = self.round;
        }
    }

    pub(super) fn is_unique(&self, candidate: StrId) -> bool {
        self.counts[candidate.index()] == (self.round, 1)
    }

    /// A name with a candidate in front of it, or in brackets behind it.
    pub(super) fn extend(
        &mut self,
        namer: &mut Namer,
        name: StrId,
        candidate: StrId,
        is_in_front: bool,
    ) -> StrId {
        let texts = &mut namer.names.texts;
        let (name, candidate) = (texts.get(name), texts.get(candidate));
        if is_in_front {
            self.builder.clear();
            self.builder.prepend(name);
            self.builder.prepend(candidate);
            return texts.intern(self.builder.text());
        }
        self.text.clear();
        for part in [name, b" (", candidate, b")"] {
            self.text.extend_from_slice(part);
        }
        texts.intern(&self.text)
    }

    /// The place of a frame, `file.go:12`, or its function without the path.
    fn place(
        &mut self,
        namer: &mut Namer,
        profile: &Profile,
        frame: FrameId,
        by_func: bool,
    ) -> StrId {
        let places = &mut self.places[usize::from(by_func)];
        *places.entry(frame).or_insert_with(|| {
            let frame = profile.frame(frame);
            let texts = &mut namer.names.texts;
            if by_func {
                return texts.intern(base(profile.str(frame.func)));
            }
            self.text.clear();
            self.text.extend_from_slice(base(profile.str(frame.file)));
            // Memory takes all that is written to it.
            let _ = write!(self.text, ":{}", frame.line);
            texts.intern(&self.text)
        })
    }
}

/// The next frame further out that tells anything and isn't what the name starts with.
fn further_frame(
    namer: &mut Namer,
    profile: &Profile,
    duplicate: &mut Duplicate,
    name: StrId,
) -> Option<StrId> {
    let frames = profile.stack(duplicate.stack);
    while let Some(frame) = frames.get(duplicate.next) {
        duplicate.next += 1;
        let func = namer.names.frames[frame.index()].0;
        let Some(part) = namer.further(func) else { continue };
        if !namer.names.texts.get(name).starts_with(namer.names.texts.get(part)) {
            return Some(part);
        }
    }
    None
}

/// For each stack a frame that no other of them has, as place or function: the nearest to what the
/// name tells of, outwards first.
fn own_frames(
    namer: &mut Namer,
    profile: &Profile,
    duplicates: &mut [Duplicate],
    scratch: &mut Scratch,
    by_func: bool,
) {
    scratch.owners.resize(profile.frames().len(), (0, false));
    let first = scratch.stacks + 1;
    for (duplicate, number) in duplicates.iter().zip(first..) {
        for frame in profile.stack(duplicate.stack) {
            let (owner, is_shared) = &mut scratch.owners[frame.index()];
            // Numbers below the first are of earlier rounds.
            *is_shared = *owner >= first && (*is_shared || *owner != number);
            *owner = number;
        }
        scratch.stacks = number;
    }
    for duplicate in duplicates {
        let frames = profile.stack(duplicate.stack);
        let (inner, outer) = frames.split_at(duplicate.taken.min(frames.len()));
        let mut nearest = outer.iter().chain(inner.iter().rev());
        let own = nearest.find(|frame| !scratch.owners[frame.index()].1);
        duplicate.candidate = own.map(|&own| scratch.place(namer, profile, own, by_func));
    }
}

/// For each stack the frame where it parts from all others, or the number of its frames where it
/// ends before that: for stacks that consist of the same frames.
fn partings(
    namer: &mut Namer,
    profile: &Profile,
    duplicates: &mut [Duplicate],
    scratch: &mut Scratch,
) {
    let outer = |duplicate: &Duplicate| {
        profile.stack(duplicate.stack).get(duplicate.taken..).unwrap_or_default()
    };
    let mut sorted: Vec<(&[FrameId], usize)> =
        duplicates.iter().map(outer).zip(0..duplicates.len()).collect();
    sorted.sort_by(|a, b| a.0.cmp(b.0));
    let mut shared = vec![0; duplicates.len()];
    for pair in sorted.windows(2) {
        let same = pair[0].0.iter().zip(pair[1].0).take_while(|(a, b)| a == b).count();
        for (_, at) in pair {
            shared[*at] = shared[*at].max(same);
        }
    }
    for (duplicate, far) in duplicates.iter_mut().zip(shared) {
        let outer = outer(duplicate);
        let frame = outer.get(far).map(|&frame| scratch.place(namer, profile, frame, false));
        duplicate.candidate = Some(match frame {
            Some(place) if far == 0 => place,
            Some(place) => {
                let mut text = namer.names.texts.get(place).to_vec();
                text.extend_from_slice(format!(", {far} frames out").as_bytes());
                namer.names.texts.intern(&text)
            }
            None => namer.names.texts.intern(format!("{} frames", outer.len()).as_bytes()),
        });
    }
}

/// What stands behind the last slash.
fn base(path: &[u8]) -> &[u8] {
    memchr::memrchr2(b'/', b'\\', path).map_or(path, |slash| &path[slash + 1..])
}
