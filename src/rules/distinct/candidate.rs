//! Candidates: what can be added to a name to distinguish it from equal ones.

use crate::profile::{FrameId, Profile, StackId, StrId, Strings};
use crate::rules::category::CategoryMemo;
use crate::rules::memo::Memo;
use crate::rules::name::NameMemo;
use crate::rules::name_builder::NameBuilder;
use crate::rules::{Compiled, Names};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::io::Write;
use std::sync::Arc;

/// The longest candidate in bytes, as no file has a longer name: each frame can have one of its own.
const LONGEST: usize = 255;
/// How many further frames are tried in front of a name.
const FURTHER: usize = 6;
/// How often frames of their own are looked for among the remaining stacks.
const PLACES: usize = 3;
/// How often the remaining stacks are distinguished by where they part from each other.
const PARTINGS: usize = 4;
/// How many rounds there are in all.
pub(super) const ROUNDS: usize = FURTHER + PLACES + PARTINGS;

/// Whether a candidate of this round is put in front of the name.
pub(super) fn is_in_front(round: usize) -> bool {
    round < FURTHER
}

/// A stack that shares its name.
pub(super) struct Duplicate {
    /// Its position in the group.
    pub(super) at: usize,
    stack: StackId,
    /// The last frame that is part of the name.
    taken: usize,
    /// The frame from which on a further one is looked for.
    next: usize,
    /// The current candidate: a part to put in front of the name, or a text to put after it.
    pub(super) candidate: Option<StrId>,
}

impl Duplicate {
    pub(super) fn new(at: usize, stack: StackId, taken: usize) -> Duplicate {
        Duplicate { at, stack, taken, next: taken + 1, candidate: None }
    }
}

/// Finds candidates, and caches facts about frames and functions for the next group.
#[derive(Debug)]
pub(in crate::rules) struct Candidates {
    rules: Arc<Compiled>,
    name_memo: NameMemo,
    category_memo: CategoryMemo,
    /// Texts in addition to those of [`Names`]; their numbers come after those.
    texts: Strings,
    /// By text: the last round in which it was a candidate, and how often in that round.
    counts: Vec<(u32, u32)>,
    round: u32,
    /// By frame: the last stack that had it, by its number here, and whether others have it too.
    owners: Vec<(u32, bool)>,
    stacks: u32,
    /// The results of [`Candidates::further`].
    further: Memo<Option<StrId>>,
    /// The place or the function of each frame as text.
    places: [HashMap<FrameId, StrId, FixedState>; 2],
    builder: NameBuilder,
    buffer: Vec<u8>,
}

impl Candidates {
    /// Candidates by these rules, with the caches of the rules' results.
    pub(in crate::rules) fn new(
        rules: Arc<Compiled>,
        name_memo: NameMemo,
        category_memo: CategoryMemo,
    ) -> Candidates {
        Candidates {
            rules,
            name_memo,
            category_memo,
            texts: Strings::default(),
            counts: Vec::new(),
            round: 0,
            owners: Vec::new(),
            stacks: 0,
            further: Memo::default(),
            places: Default::default(),
            builder: NameBuilder::default(),
            buffer: Vec::new(),
        }
    }

    fn intern(&mut self, names: &Names, text: &[u8]) -> StrId {
        let known = names.texts.find(text);
        known.unwrap_or_else(|| StrId((names.texts.len() + self.texts.intern(text).index()) as u32))
    }

    fn text<'t>(&'t self, names: &'t Names, id: StrId) -> &'t [u8] {
        match id.index().checked_sub(names.texts.len()) {
            Some(at) => self.texts.get(StrId(at as u32)),
            None => names.text(id),
        }
    }

    /// Gives each duplicate a candidate, if there is one in this round.
    pub(super) fn propose(
        &mut self,
        round: usize,
        names: &Names,
        profile: &Profile,
        name: StrId,
        duplicates: &mut [Duplicate],
    ) {
        if is_in_front(round) {
            for duplicate in &mut *duplicates {
                duplicate.candidate = self.further_frame(names, profile, duplicate, name);
            }
        } else if round < FURTHER + PLACES {
            // If one line has several closures, their names say more than the line.
            let by_func = round == FURTHER + 1;
            self.own_frames(names, profile, duplicates, by_func);
        } else {
            self.partings(names, profile, duplicates);
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

    /// A name with a candidate in front of it, or in parentheses after it.
    pub(super) fn extend(
        &mut self,
        names: &Names,
        name: StrId,
        candidate: StrId,
        is_in_front: bool,
    ) -> &[u8] {
        let mut builder = std::mem::take(&mut self.builder);
        let mut buffer = std::mem::take(&mut self.buffer);
        let (name, candidate) = (names.text(name), self.text(names, candidate));
        if is_in_front {
            builder.clear();
            builder.prepend(name);
            builder.prepend(candidate);
        } else {
            buffer.clear();
            for part in [name, b" (", candidate, b")"] {
                buffer.extend_from_slice(part);
            }
        }
        (self.builder, self.buffer) = (builder, buffer);
        if is_in_front { self.builder.text() } else { &self.buffer }
    }

    /// A function as it appears in names; `None` if a rule of `name.skip` or `category.skip` skips it.
    fn further(&mut self, names: &Names, func: StrId) -> Option<StrId> {
        if let Some(known) = self.further.get(func) {
            return known;
        }
        let Compiled { name, category, .. } = &*self.rules;
        let is_kept = name.skip(func, &names.texts, &mut self.name_memo).is_none()
            && category.skip(func, &names.texts, &mut self.category_memo).is_none();
        let part = is_kept.then(|| name.trim(names.text(func), |_| {}));
        let part = part.filter(|part| part.len() <= LONGEST);
        let part = part.map(|part| self.intern(names, &part));
        self.further.set(func, part)
    }

    /// The next frame further out that isn't skipped and isn't what the name starts with.
    fn further_frame(
        &mut self,
        names: &Names,
        profile: &Profile,
        duplicate: &mut Duplicate,
        name: StrId,
    ) -> Option<StrId> {
        let frames = profile.stack(duplicate.stack);
        while let Some(&frame) = frames.get(duplicate.next) {
            duplicate.next += 1;
            let Some(part) = self.further(names, names.func_id(frame)) else { continue };
            if !names.text(name).starts_with(self.text(names, part)) {
                return Some(part);
            }
        }
        None
    }

    /// The place of a frame, `file.go:12`, or its function without the path.
    fn place(&mut self, names: &Names, profile: &Profile, id: FrameId, by_func: bool) -> StrId {
        if let Some(&known) = self.places[usize::from(by_func)].get(&id) {
            return known;
        }
        let frame = profile.frame(id);
        let mut text = std::mem::take(&mut self.buffer);
        text.clear();
        let source = if by_func { frame.func } else { frame.file };
        let base = base(profile.str(source));
        // The end of a long one has to do.
        let start = base.len().saturating_sub(LONGEST);
        text.extend_from_slice(base.get(start..).unwrap_or_default());
        if !by_func {
            // Writing to memory can't fail.
            let _ = write!(text, ":{}", frame.line);
        }
        let place = self.intern(names, &text);
        self.buffer = text;
        self.places[usize::from(by_func)].insert(id, place);
        place
    }

    /// For each stack a frame that no other of them has, as place or function: the nearest to the
    /// frames of the name, outwards first.
    fn own_frames(
        &mut self,
        names: &Names,
        profile: &Profile,
        duplicates: &mut [Duplicate],
        by_func: bool,
    ) {
        self.owners.resize(profile.frames().len(), (0, false));
        let first = self.stacks + 1;
        for (duplicate, number) in duplicates.iter().zip(first..) {
            for frame in profile.stack(duplicate.stack) {
                let (owner, is_shared) = &mut self.owners[frame.index()];
                // Numbers below the first are from earlier rounds.
                *is_shared = *owner >= first && (*is_shared || *owner != number);
                *owner = number;
            }
            self.stacks = number;
        }
        for duplicate in duplicates {
            let frames = profile.stack(duplicate.stack);
            let (inner, outer) = frames.split_at(duplicate.taken.min(frames.len()));
            let mut nearest = outer.iter().chain(inner.iter().rev());
            let own = nearest.find(|frame| !self.owners[frame.index()].1);
            duplicate.candidate = own.map(|&own| self.place(names, profile, own, by_func));
        }
    }

    /// For stacks that consist of the same frames: the frame where each parts from all others, or the
    /// number of its frames if it ends before that.
    fn partings(&mut self, names: &Names, profile: &Profile, duplicates: &mut [Duplicate]) {
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
            let place = outer.get(far).map(|&frame| self.place(names, profile, frame, false));
            duplicate.candidate = Some(match place {
                Some(place) if far == 0 => place,
                Some(place) => {
                    let mut text = self.text(names, place).to_vec();
                    text.extend_from_slice(format!(", {far} frames out").as_bytes());
                    self.intern(names, &text)
                }
                None => self.intern(names, format!("{} frames", outer.len()).as_bytes()),
            });
        }
    }
}

/// The text after the last slash.
fn base(path: &[u8]) -> &[u8] {
    memchr::memrchr2(b'/', b'\\', path).map_or(path, |slash| &path[slash + 1..])
}
