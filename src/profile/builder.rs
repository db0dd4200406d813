//! Builds a profile: the only code that fills its tables.

mod calls;
mod captured;
mod delta;
mod generation;
mod listed;
mod located;
mod room;
mod spec;

pub use calls::NewCall;
pub use delta::{Delta, Translation};
pub use generation::Generation;
pub use located::NewSample;
pub use spec::SampleSpec;

use super::index::Index;
use super::state::shows_no_state;
use super::values::position;
use super::{
    Address, Ancestor, Detail, Flag, FlagsId, Frame, FrameId, Input, InputId, Kind, Label,
    LabelValue, LabelsId, Profile, Sample, SampleId, SampleKey, SampleType, Spill, StackId, StrId,
    TypeId, Wait, WaitRange, WarningKind, kind_of, state_of_frames,
};
use crate::limits::LIMITS;
use calls::Calls;
use delta::Lengths;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::hash::BuildHasher;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Which columns to keep; samples are always kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keep {
    /// Ids, creators and waits of single goroutines.
    pub goroutines: bool,
    /// Ids and creators alone, to show who created whom; repeated ids aren't looked for.
    pub creators: bool,
    /// The addresses that goroutines wait for, and the receivers of methods on their stacks.
    pub addresses: bool,
    /// The arguments of all calls, as written; needs `goroutines`.
    pub arguments: bool,
    /// Addresses of calls that texts print, as locations: needed if there is a binary.
    pub calls: bool,
}

/// A single goroutine as a reader found it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NewGoroutine {
    /// Its id.
    pub id: u64,
    /// The id of its creator.
    pub created_by: Option<u64>,
    /// How long it has been blocked.
    pub wait: Wait,
}

/// The addresses of a goroutine as a reader found them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NewAddresses<'a> {
    /// See [`Addressed::waits`](crate::profile::Addressed::waits).
    pub waits: bool,
    /// See [`Addressed::lock`](crate::profile::Addressed::lock).
    pub lock: Address,
    /// See [`Addresses::iter`](super::Addresses::iter).
    pub words: &'a [Address],
}

/// Fills the tables of a [`Profile`].
///
/// ```
/// use stackgazer::profile::*;
/// let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
/// let input = builder.input(Input::new("n1", "n1.txt", InputFormat::Debug2));
/// let frame = builder.frame(b"main.work", b"main.go", 9);
/// let stack = builder.stack(&[frame]);
/// let state = Some(builder.string(b"select"));
/// let spec = SampleSpec { state, ..SampleSpec::new(input, stack) };
/// let sample = builder.sample(&spec);
/// builder.goroutine(sample, &NewGoroutine { id: 7, created_by: Some(1),
///                   wait: Wait::minutes(5.0) });
/// let profile = builder.finish();
/// assert_eq!(profile.samples[0].count, 1);
/// assert_eq!(profile.samples[0].key.kind, Kind::Select);
/// ```
// A copy would give ids of the same generation for other things.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub struct ProfileBuilder {
    profile: Profile,
    keep: Keep,
    generation: Generation,
    /// How long the tables were when the last delta was taken.
    taken: Lengths,
    frame_index: Index,
    sample_index: Index,
    /// By stack: the state and kind that its frames show, once computed. Records with the same
    /// stack can differ in their labels.
    state_by_stack: Vec<Option<(Option<StrId>, Kind)>>,
    /// By function: whether it shows no state as a leaf, once computed.
    leaf_shows_no_state: Vec<Option<bool>>,
    type_index: HashMap<SampleType, TypeId, FixedState>,
    calls: Calls,
    hasher: FixedState,
}

impl ProfileBuilder {
    /// An empty builder that will keep these columns.
    pub fn new(keep: Keep) -> ProfileBuilder {
        ProfileBuilder {
            profile: Profile::default(),
            keep,
            generation: Generation::new(),
            taken: Lengths::default(),
            frame_index: Index::default(),
            sample_index: Index::default(),
            state_by_stack: Vec::new(),
            leaf_shows_no_state: Vec::new(),
            type_index: HashMap::default(),
            calls: Calls::default(),
            hasher: FixedState::default(),
        }
    }

    /// An empty builder with room for a dump of 1 MB, so its tables aren't reallocated again and
    /// again.
    pub fn with_room(keep: Keep) -> ProfileBuilder {
        /// Frames; there are about as many samples and strings, and half as many stacks.
        const ROOM: usize = 1 << 10;
        let mut builder = ProfileBuilder::new(keep);
        // Memory that isn't written to costs nothing, and from 128 KB on tables grow without being
        // copied.
        builder.profile.strings.reserve(ROOM, 256 * ROOM);
        builder.profile.frames.reserve(4 * ROOM);
        builder.profile.stacks.reserve(ROOM / 2, 32 * ROOM);
        builder.profile.samples.reserve(4 * ROOM);
        builder.frame_index.reserve(ROOM);
        builder.sample_index.reserve(ROOM);
        builder
    }

    /// How long the ids that this builder returns are valid.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Which columns are kept.
    pub fn keep(&self) -> Keep {
        self.keep
    }

    /// Adds an input.
    pub fn input(&mut self, input: Input) -> InputId {
        self.profile.inputs.push(input);
        InputId(position(self.profile.inputs.len() - 1))
    }

    /// An input of this builder, to note what was seen.
    pub fn input_mut(&mut self, input: InputId) -> &mut Input {
        &mut self.profile.inputs[input.index()]
    }

    /// The inputs so far.
    pub fn inputs(&self) -> &[Input] {
        &self.profile.inputs
    }

    /// The inputs so far, to note what was seen.
    pub fn inputs_mut(&mut self) -> &mut [Input] {
        &mut self.profile.inputs
    }

    /// The id of a string.
    pub fn string(&mut self, text: &[u8]) -> StrId {
        self.profile.strings.intern(text)
    }

    /// About how many bytes the strings take.
    pub fn string_bytes(&self) -> usize {
        self.profile.strings.bytes()
    }

    /// The bytes of a string.
    pub fn str(&self, string: StrId) -> &[u8] {
        self.profile.str(string)
    }

    /// What was added so far.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The id of a frame.
    pub fn frame(&mut self, func: &[u8], file: &[u8], line: i64) -> FrameId {
        let frame = Frame { func: self.string(func), file: self.string(file), line };
        self.frame_of(frame)
    }

    /// The id of a frame whose strings are interned already.
    pub fn frame_of_strings(&mut self, func: StrId, file: StrId, line: i64) -> FrameId {
        self.frame_of(Frame { func, file, line })
    }

    fn frame_of(&mut self, frame: Frame) -> FrameId {
        let hash = self.hasher.hash_one(frame);
        let frames = &mut self.profile.frames;
        if let Some(at) = self.frame_index.find(hash, |at| frames[at as usize] == frame) {
            return FrameId(at);
        }
        let at = position(frames.len());
        frames.push(frame);
        self.frame_index.insert(hash, at);
        FrameId(at)
    }

    /// The id of a stack, leaf first.
    pub fn stack(&mut self, frames: &[FrameId]) -> StackId {
        StackId(self.profile.stacks.intern(frames))
    }

    /// Whether any of the last thousand kinds of goroutines is of this input and has its creator printed.
    pub fn knows_creators(&self, input: InputId) -> bool {
        // Texts in which none has one can ask for each goroutine.
        const ASKED: usize = 1000;
        let mut keys = self.profile.samples.iter().rev().take(ASKED).map(|sample| &sample.key);
        keys.any(|key| key.input == input && key.creator.is_some())
    }

    /// The id of a set of labels; they need not be sorted.
    pub fn labels(&mut self, labels: &mut [Label]) -> LabelsId {
        let strings = &self.profile.strings;
        labels.sort_by(|a, b| strings.get(a.key).cmp(strings.get(b.key)));
        LabelsId(self.profile.labels.intern(labels))
    }

    /// The id of a set of labels whose values are texts.
    pub fn text_labels(
        &mut self,
        labels: impl IntoIterator<Item = (impl AsRef<[u8]>, impl AsRef<[u8]>)>,
    ) -> LabelsId {
        let labels = labels.into_iter().map(|(key, value)| Label {
            key: self.string(key.as_ref()),
            value: LabelValue::Text(self.string(value.as_ref())),
        });
        let mut labels: Vec<Label> = labels.collect();
        self.labels(&mut labels)
    }

    /// The id of a set of flags; they need not be sorted or distinct.
    pub fn flags(&mut self, flags: &mut Vec<Flag>) -> FlagsId {
        let strings = &self.profile.strings;
        flags.sort_by(|a, b| strings.get(*a).cmp(strings.get(*b)));
        flags.dedup();
        FlagsId(self.profile.flags.intern(flags))
    }

    /// A set of flags with one more in it.
    pub fn with_flag(&mut self, flags: FlagsId, flag: &[u8]) -> FlagsId {
        let mut set = self.profile.flags(flags).to_vec();
        set.push(self.string(flag));
        self.flags(&mut set)
    }

    /// The sample of these goroutines, which is added if it is new; its count isn't changed.
    ///
    /// If `spec.state` is `None`, state and kind come from the innermost frames of `spec.full`;
    /// otherwise the frames only refine the kind (`semacquire` in `sync.(*Mutex).Lock`).
    pub fn sample(&mut self, spec: &SampleSpec) -> SampleId {
        self.sample_at(spec, Detail::NONE.locations)
    }

    /// Like [`ProfileBuilder::sample`], for goroutines whose calls are at these locations, a list
    /// from [`ProfileBuilder::locations`].
    pub fn sample_at(&mut self, spec: &SampleSpec, locations: u32) -> SampleId {
        let (state, kind) = self.state_and_kind(spec);
        let key = spec.key(state, kind);
        if locations == Detail::NONE.locations {
            return self.sample_of(&key);
        }
        match self.calls.samples.get(&(key, locations)) {
            Some(&known) => known,
            None => {
                let detail = Detail { locations, ..Detail::NONE };
                let sample = self.push_sample(&key, detail);
                self.calls.samples.insert((key, locations), sample);
                sample
            }
        }
    }

    fn state_and_kind(&mut self, spec: &SampleSpec) -> (Option<StrId>, Kind) {
        let profile = &self.profile;
        let frames = profile.stack(spec.full).iter().map(|&f| profile.str(profile.frame(f).func));
        if let Some(state) = spec.state {
            return (Some(state), kind_of(profile.str(state), frames));
        }
        let Some(&leaf) = profile.stack(spec.full).first() else { return (None, Kind::Unknown) };
        let leaf = profile.frame(leaf).func;
        if self.leaf_shows_no_state.len() <= leaf.index() {
            self.leaf_shows_no_state.resize(leaf.index() + 1, None);
        }
        if *self.leaf_shows_no_state[leaf.index()]
            .get_or_insert_with(|| shows_no_state(profile.str(leaf)))
        {
            return (None, Kind::Unknown);
        }
        let at = spec.full.index();
        if let Some(&Some(known)) = self.state_by_stack.get(at) {
            return known;
        }
        let state_and_kind = match state_of_frames(frames.clone()) {
            Some(state) => {
                let kind = kind_of(state, frames);
                (Some(self.profile.strings.intern(state)), kind)
            }
            None => (None, Kind::Unknown),
        };
        if self.state_by_stack.len() <= at {
            self.state_by_stack.resize(at + 1, None);
        }
        self.state_by_stack[at] = Some(state_and_kind);
        state_and_kind
    }

    fn sample_of(&mut self, key: &SampleKey) -> SampleId {
        let hash = self.hasher.hash_one(key);
        let samples = &mut self.profile.samples;
        if let Some(at) = self.sample_index.find(hash, |at| samples[at as usize].key == *key) {
            return SampleId(at);
        }
        let at = position(samples.len());
        samples.push(Sample { key: *key, count: 0, waits: WaitRange::default() });
        self.sample_index.insert(hash, at);
        SampleId(at)
    }

    /// Adds to the count of a sample whose goroutines have no ids.
    pub fn count(&mut self, sample: SampleId, count: i64) {
        let sample = &mut self.profile.samples[sample.index()];
        sample.count = sample.count.saturating_add(count);
        let input = sample.key.input;
        self.count_in_input(input, count);
    }

    /// Adds to the goroutines of an input.
    pub(crate) fn count_in_input(&mut self, input: InputId, count: i64) {
        let input = self.input_mut(input);
        input.goroutines = input.goroutines.saturating_add(count);
    }

    /// Adds one goroutine to a sample; returns its position in the column if that is kept.
    pub fn goroutine(&mut self, sample: SampleId, new: &NewGoroutine) -> Option<usize> {
        self.count_in_input(self.profile.sample(sample).key.input, 1);
        self.goroutine_in_sample(sample, new)
    }

    /// Like [`ProfileBuilder::goroutine`], without counting it in its input: readers of many do
    /// that once for all.
    pub(crate) fn goroutine_in_sample(
        &mut self,
        sample: SampleId,
        new: &NewGoroutine,
    ) -> Option<usize> {
        let counted = &mut self.profile.samples[sample.index()];
        counted.count = counted.count.saturating_add(1);
        counted.waits.add(new.wait, new.id);
        self.list_goroutine(sample, new)
    }

    /// Whether the addresses of the last goroutine of a sample are kept; `waits` says whether it is
    /// in a function that waits.
    #[inline(always)]
    pub(crate) fn keeps_addresses(&self, sample: SampleId, waits: bool) -> bool {
        let most = if waits { LIMITS.addressed_waiters } else { LIMITS.addressed_others };
        let counted = self.profile.samples.get(sample.index());
        self.keep.addresses && counted.is_some_and(|counted| counted.count <= i64::from(most))
    }

    /// Keeps the addresses of the last goroutine of a sample, with its position in the column if
    /// that is kept.
    pub fn addresses(
        &mut self,
        sample: SampleId,
        new: &NewGoroutine,
        position: Option<usize>,
        found: &NewAddresses<'_>,
    ) {
        let before = self.profile.samples[sample.index()].count.saturating_sub(1);
        let ordinal = u32::try_from(before).unwrap_or(u32::MAX);
        self.list_addresses(sample, new, position, ordinal, found);
    }

    /// Keeps the arguments of a goroutine's calls, leaf first.
    pub fn arguments(&mut self, goroutine: usize, texts: &[StrId]) {
        self.profile.arguments.note(goroutine, texts);
    }

    /// Adds an ancestor of a goroutine; the nearest comes first.
    pub fn ancestor(&mut self, goroutine: usize, ancestor: Ancestor) {
        self.profile.ancestors.entry(goroutine).or_default().push(ancestor);
    }

    /// Moves the rows of single goroutines to disk, into this folder, if there are many.
    ///
    /// # Errors
    /// If they can't be written there.
    pub fn spill(&mut self, folder: &Path) -> io::Result<()> {
        if !Spill::is_due(&self.profile) {
            return Ok(());
        }
        self.warn_of_repeated_ids();
        let mut spill = match self.profile.spill.take() {
            None => Spill::new(folder)?,
            Some(spill) => Arc::into_inner(spill).ok_or_else(|| io::Error::other("is in use"))?,
        };
        spill.take(&mut self.profile)?;
        self.profile.spill = Some(Arc::new(spill));
        Ok(())
    }

    /// The profile as it would be if nothing else came.
    pub fn so_far(&self) -> Profile {
        let (profile, type_index) = (self.profile.clone(), self.type_index.clone());
        ProfileBuilder { profile, type_index, ..ProfileBuilder::new(self.keep) }.finish()
    }

    /// Returns the profile.
    pub fn finish(mut self) -> Profile {
        if self.keep.goroutines {
            self.warn_of_repeated_ids();
        }
        self.complete_types(0);
        self.choose_type();
        self.profile
    }

    /// Ids are unique in a process, so a repeated one means that a dump was joined from several, or
    /// printed by several threads; every header counts all the same.
    fn warn_of_repeated_ids(&mut self) {
        let samples = &self.profile.samples;
        let input_of = |sample: SampleId| samples[sample.index()].key.input;
        let mut ids: Vec<(InputId, u64)> =
            self.profile.goroutines.iter().map(|g| (input_of(g.sample), g.id)).collect();
        ids.sort_unstable();
        let repeated = ids.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
        let repeated: Vec<(InputId, u64)> = repeated.map(|same| same[0]).collect();
        for of_input in repeated.chunk_by(|a, b| a.0 == b.0) {
            let (input, first) = of_input[0];
            let text = match of_input.len() {
                1 => format!("goroutine {first} stands more than once; each is counted"),
                more => format!(
                    "goroutine {first} and {} other ids stand more than once; each is counted",
                    more - 1
                ),
            };
            self.profile.inputs[input.index()].warn(WarningKind::RepeatedId, None, text);
        }
    }
}
