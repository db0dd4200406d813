//! The model: one [`Profile`] for every input, whatever its format was.
//!
//! A dump of goroutines is a profile whose samples count goroutines. A sample stands for all
//! goroutines of one input that share stack, state, flags, labels and creator; ids and waits of
//! single goroutines are in a separate column, [`Profile::goroutines`], if a command needs them.
//!
//! Profiles of another kind (CPU, heap, ...) only differ in their sample types.
//! [`Profile::sample_types`] holds the types of all inputs, equal ones (name and unit) once; every
//! input lists its own in [`Header::sample_types`]. [`Sample::count`] is the value of the selected
//! type ([`Profile::value_type`]), 0 if the input doesn't have it, so code that only needs one
//! value can ignore the others; [`Profile::value`] returns them.
//!
//! Samples of protos also have locations ([`Profile::sample_locations`]): addresses, mappings and
//! inlined calls, which stacks of frames don't have. Such samples aren't joined with others of the
//! same key, so that a profile can be written as it was read.
//!
//! Everything is a table with `u32` ids: strings, frames, stacks, label sets, flag sets, samples.
//! Ids are only valid in the profile that made them. [`ProfileBuilder`] is the only way to make one.

mod address;
mod arguments;
mod builder;
mod captured;
mod change;
mod crash;
mod detail;
mod flags;
mod format;
pub mod function;
mod goroutine;
mod header;
mod index;
mod input;
mod kind;
mod labels;
mod lists;
mod location;
pub mod modules;
pub mod quote;
mod sample;
mod sample_type;
mod slices;
mod spill;
mod stack;
mod state;
mod strings;
pub mod unit;
mod unread;
mod values;

pub use address::{Address, Addressed, Addresses};
pub use arguments::Arguments;
pub use builder::{
    Delta, Generation, Keep, NewAddresses, NewCall, NewGoroutine, NewSample, ProfileBuilder,
    SampleSpec, Translation,
};
pub use captured::{CaptureCounts, Captured, CapturedGoroutine, Certainty};
pub use change::Call;
pub use crash::{Crash, CrashKind, Others};
pub use flags::{Flag, FlagsId, flag};
pub use format::InputFormat;
pub use goroutine::{Ancestor, Goroutine};
pub use header::{Header, MemStats};
pub use input::{Input, Seen, Warning, WarningKind};
pub use kind::{KINDS, Kind};
pub use labels::{Label, LabelValue, LabelsId};
pub use lists::Lists;
pub use location::{
    Function, FunctionId, Line, Location, LocationId, Mapping, MappingId, Symbols, UNKNOWN,
    is_address, is_unsymbolized, place_of_address, unsymbolized,
};
pub use sample::{InputId, LONG_WAIT_MINUTES, Sample, SampleId, SampleKey, Wait, WaitRange};
pub use sample_type::{SampleType, TypeId, too_many_types};
pub use spill::Spill;
pub use stack::{Elision, Frame, FrameId, StackId};
pub(crate) use stack::{TEXT_PER_FRAME, frame_weight};
pub use state::{kind_of, state_of_frames};
pub use strings::{StrId, Strings, lossy};
pub use unread::Unread;

use detail::Detail;
use modules::Modules;

use std::collections::BTreeMap;
use std::sync::Arc;

/// Samples of one or more inputs, with the tables they refer to.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Function names, file names, labels, states, flags.
    pub strings: Strings,
    frames: Vec<Frame>,
    stacks: Lists<FrameId>,
    labels: Lists<Label>,
    flags: Lists<Flag>,
    /// Where the samples came from, in the order in which they were opened.
    pub inputs: Vec<Input>,
    /// The modules of their programs, if binaries list them.
    pub modules: Modules,
    /// The parts of the arguments that could not be read.
    pub unread: Unread,
    /// The samples, grouped by input, in the order of the input.
    pub samples: Vec<Sample>,
    /// Each goroutine, in the order of the input; empty unless [`Keep::goroutines`] was set.
    pub goroutines: Vec<Goroutine>,
    /// Addresses in arguments, of locks and of goroutines that may hold them; empty unless
    /// [`Keep::addresses`] was set.
    pub addresses: Addresses,
    /// The arguments of each goroutine's calls; empty unless [`Keep::arguments`] was set.
    pub arguments: Arguments,
    /// Goroutines and addresses that come before those above, on disk; `None` if the command
    /// doesn't allow it.
    pub spill: Option<Arc<Spill>>,
    /// Ancestors of goroutines, nearest first, by position among all goroutines.
    pub ancestors: BTreeMap<usize, Vec<Ancestor>>,
    sample_types: Vec<SampleType>,
    value_type: Option<TypeId>,
    /// Whether its values are no numbers of goroutines.
    counts_others: bool,
    /// By sample; shorter than `samples` if the last ones have no detail.
    details: Vec<Detail>,
    values: Vec<i64>,
    mappings: Vec<Mapping>,
    functions: Vec<Function>,
    locations: Vec<Location>,
    lines: Vec<Line>,
    location_lists: Lists<LocationId>,
}

impl Profile {
    /// The bytes of a string.
    pub fn str(&self, id: StrId) -> &[u8] {
        self.strings.get(id)
    }

    /// The name of a frame's function, as the input writes it.
    pub fn func(&self, frame: FrameId) -> &[u8] {
        self.str(self.frame(frame).func)
    }

    /// A frame.
    pub fn frame(&self, id: FrameId) -> Frame {
        self.frames[id.index()]
    }

    /// Every frame, by id.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The ids of all frames.
    pub fn frame_ids(&self) -> impl Iterator<Item = FrameId> + use<> {
        (0..self.frames.len()).map(|at| FrameId(at as u32))
    }

    /// The frames of a stack, leaf first.
    pub fn stack(&self, id: StackId) -> &[FrameId] {
        self.stacks.get(id.0)
    }

    /// Every stack, the empty one included.
    pub fn stacks(&self) -> impl Iterator<Item = StackId> + use<> {
        (0..self.stacks.len()).map(|at| StackId(at as u32))
    }

    /// How many stacks the stack table holds, the empty one included; ids are below it.
    pub fn stack_count(&self) -> usize {
        self.stacks.len()
    }

    /// A set of labels, sorted by key.
    pub fn labels(&self, id: LabelsId) -> &[Label] {
        self.labels.get(id.0)
    }

    /// How many label sets there are, the empty one included.
    pub fn labels_count(&self) -> usize {
        self.labels.len()
    }

    /// A set of flags, sorted by bytes.
    pub fn flags(&self, id: FlagsId) -> &[Flag] {
        self.flags.get(id.0)
    }

    /// Whether a set of flags holds this one.
    pub fn has_flag(&self, id: FlagsId, flag: &[u8]) -> bool {
        self.flags(id).iter().any(|&f| self.str(f) == flag)
    }

    /// An input.
    pub fn input(&self, id: InputId) -> &Input {
        &self.inputs[id.index()]
    }

    /// A sample.
    pub fn sample(&self, id: SampleId) -> &Sample {
        &self.samples[id.index()]
    }

    /// The samples with their ids.
    pub fn samples(&self) -> impl DoubleEndedIterator<Item = (SampleId, &Sample)> {
        self.samples.iter().enumerate().map(|(at, sample)| (SampleId(at as u32), sample))
    }

    /// The inputs with their ids.
    pub fn inputs(&self) -> impl Iterator<Item = (InputId, &Input)> {
        self.inputs.iter().enumerate().map(|(at, input)| (InputId(at as u32), input))
    }

    /// The number of the list of arguments of a goroutine's calls, by its position in
    /// [`Profile::goroutines`]; see [`Arguments::texts`].
    pub fn argument_list(&self, at: usize) -> u32 {
        self.goroutines.get(at).map_or(0, |goroutine| self.arguments.list(at, goroutine))
    }

    /// The arguments of a goroutine's calls, leaf first, by its position in
    /// [`Profile::goroutines`]; empty if they weren't kept.
    pub fn arguments_of(&self, at: usize) -> &[StrId] {
        self.arguments.texts(self.argument_list(at))
    }

    /// The text of a label's value; a number is followed by its unit.
    pub fn label_text(&self, value: LabelValue) -> std::borrow::Cow<'_, [u8]> {
        match value {
            LabelValue::Text(text) => self.str(text).into(),
            LabelValue::Number(number, unit) => {
                let mut text = number.to_string().into_bytes();
                text.extend_from_slice(self.str(unit));
                text.into()
            }
        }
    }
}
