//! The stacks of a proto: all frames, and those that Go's debug=1 printer shows.

use super::check::Index;
use super::message::Message;
use super::proto::{self, Location};
use crate::limits::LIMITS;
use crate::profile::function::{Class, Hides, class, shortened};
use crate::profile::{
    FrameId, Function, FunctionId, InputFormat, Line, LocationId, Mapping, MappingId,
    ProfileBuilder, StackId, StrId, Symbols, TEXT_PER_FRAME, frame_weight, place_of_address,
    unsymbolized,
};
use std::ops::Range;

/// Makes stacks from location ids; each location, and each list of them, is converted once.
#[derive(Debug)]
pub(super) struct Stacks {
    /// By position in the location table.
    locations: Vec<Frames>,
    frames: Vec<StackFrame>,
    hides: Hides,
    /// Names are kept as they are: `export -o pprof` wrote them.
    as_shown: bool,
    /// By list of locations: its stacks, once they are known.
    known: Vec<Option<BothStacks>>,
    list: Vec<LocationId>,
    /// Frames that distinct stacks can still have.
    of_stacks: Allowance,
    /// What the texts of distinct locations can still count as.
    of_locations: Allowance,
    /// What the texts of distinct sets of labels can still count as.
    of_labels: Allowance,
    /// Frames that samples can still have, as they are gone through sample by sample.
    of_samples: Allowance,
}

/// The subject of the error if samples share stacks.
const OF_SAMPLES: &str = "the stacks and labels of its samples have";

/// A number of frames that is used up.
#[derive(Debug)]
struct Allowance {
    most: usize,
    left: usize,
}

impl Allowance {
    fn new(most: usize) -> Allowance {
        Allowance { most, left: most }
    }

    /// Takes frames of something, by what they count as; the error says that it has too many.
    fn take(&mut self, frames: usize, of: &str) -> Result<(), String> {
        let limit = if self.most == LIMITS.proto_frames {
            "proto_frames"
        } else if self.most == LIMITS.proto_frames_from {
            "proto_frames_from"
        } else {
            "proto_frames_ratio"
        };
        let too_many = || format!("{of} more than {} frames in all ({limit})", self.most);
        self.left = self.left.checked_sub(frames).ok_or_else(too_many)?;
        Ok(())
    }
}

/// A frame as the proto has it, and as Go's text shows it.
#[derive(Clone, Copy, Debug)]
struct StackFrame {
    full: FrameId,
    shown: FrameId,
    class: Class,
}

/// A stack in both forms, and as a list of locations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BothStacks {
    pub(super) full: StackId,
    pub(super) shown: StackId,
    pub(super) locations: u32,
    /// What the frames of the full stack count as.
    weight: usize,
}

/// The frames of a location.
#[derive(Clone, Debug)]
struct Frames {
    id: LocationId,
    range: Range<usize>,
    /// What they count as, see [`frame_weight`].
    weight: usize,
    /// Bytes of their names and files, until a stack has the location.
    uncounted: usize,
}

/// Bytes of the text of a location, or of a set of labels beyond [`FREE_TEXT`], that count as one frame. Tables have a
/// row for each, and several copies of its text: with 128, protos of 500 and 900 KB took 4 and 6 GB.
const TEXT_OF_ROW: usize = 16;

/// Bytes that every set of labels may have: those of a goroutine in an export have as many.
const FREE_TEXT: usize = 256;

impl Stacks {
    /// Prepares stacks of a checked message, adding its tables to the profile.
    pub(super) fn new(
        message: &Message<'_>,
        index: &Index,
        format: InputFormat,
        as_shown: bool,
        builder: &mut ProfileBuilder,
    ) -> Stacks {
        let by_length = (message.end() as usize).saturating_mul(LIMITS.proto_frames_ratio);
        let of_samples = by_length.max(LIMITS.proto_frames_from);
        let mut stacks = Stacks {
            locations: Vec::new(),
            frames: Vec::new(),
            hides: if as_shown { Hides::Nothing } else { Hides::of(format) },
            as_shown,
            known: Vec::new(),
            list: Vec::new(),
            of_stacks: Allowance::new(of_samples.min(LIMITS.proto_frames)),
            of_locations: Allowance::new(LIMITS.proto_frames),
            of_labels: Allowance::new(LIMITS.proto_frames),
            of_samples: Allowance::new(of_samples),
        };
        let mappings: Vec<MappingId> = message
            .profile
            .mapping
            .iter()
            .map(|mapping| add_mapping(mapping, message, builder))
            .collect();
        let functions: Vec<(FunctionId, Function)> = message
            .profile
            .function
            .iter()
            .map(|function| {
                let function = Function {
                    name: builder.string(message.string(function.name)),
                    system_name: builder.string(message.string(function.system_name)),
                    file: builder.string(message.string(function.file)),
                    start_line: function.start_line,
                };
                (builder.function(function), function)
            })
            .collect();
        let mut lines = Vec::new();
        for location in &message.profile.location {
            let start = stacks.frames.len();
            lines.clear();
            for line in &location.line {
                let function = index.functions.find(line.function);
                let Some(&(id, mut function)) = function.and_then(|at| functions.get(at)) else {
                    continue;
                };
                if function.name == StrId::EMPTY && !as_shown {
                    function.name = builder.string(&unsymbolized_at(location, message, index));
                }
                let frame = stacks.add_frame(&function, line.line, builder);
                lines.push(Line { function: id, frame, line: line.line, column: line.column });
            }
            if lines.is_empty() {
                let name = unsymbolized_at(location, message, index);
                let full = builder.frame(&name, &unsymbolized_place(location, message, index), 0);
                stacks.frames.push(StackFrame { full, shown: full, class: Class::Plain });
            }
            let mapping =
                index.mappings.find(location.mapping).and_then(|at| mappings.get(at)).copied();
            let id = builder.location(mapping, location.address, location.folded, &lines);
            let range = start..stacks.frames.len();
            let frames = stacks.frames.get(range.clone()).unwrap_or_default();
            let text_of = |frame: &StackFrame| {
                let frame = builder.profile().frame(frame.full);
                [frame.func, frame.file].map(|text| builder.str(text).len()).iter().sum::<usize>()
            };
            let texts = frames.iter().map(text_of);
            let weight = texts.clone().map(frame_weight).fold(0, usize::saturating_add);
            let uncounted = texts.fold(0, usize::saturating_add);
            stacks.locations.push(Frames { id, range, weight, uncounted });
        }
        stacks
    }

    /// The stack of these locations, leaf first.
    ///
    /// A location takes a few bytes in a sample and can stand for thousands of inlined frames. So
    /// neither the size of the stacks nor the time to go through those of all samples is bounded by
    /// the size of the proto.
    pub(super) fn make(
        &mut self,
        ids: &[u64],
        index: &Index,
        builder: &mut ProfileBuilder,
    ) -> Result<BothStacks, String> {
        let found = ids.iter().filter_map(|&id| self.locations.get(index.locations.find(id)?));
        self.list.clear();
        self.list.extend(found.clone().map(|frames| frames.id));
        let locations = builder.locations(&self.list);
        let list = locations as usize;
        self.known.resize(self.known.len().max(list.saturating_add(1)), None);
        if let Some(&Some(known)) = self.known.get(list) {
            self.of_samples.take(known.weight, OF_SAMPLES)?;
            return Ok(known);
        }
        for id in ids {
            let at = index.locations.find(*id);
            if let Some(frames) = at.and_then(|at| self.locations.get_mut(at)) {
                let text = std::mem::take(&mut frames.uncounted);
                self.of_locations.take(text / TEXT_OF_ROW, "the texts of its places count as")?;
            }
        }
        let found = ids.iter().filter_map(|&id| self.locations.get(index.locations.find(id)?));
        let weight = found.clone().map(|frames| frames.weight).fold(0, usize::saturating_add);
        self.of_stacks.take(weight, "its stacks have")?;
        self.of_samples.take(weight, OF_SAMPLES)?;
        let of_list =
            found.flat_map(|frames| self.frames.get(frames.range.clone()).unwrap_or_default());
        let full: Vec<FrameId> = of_list.clone().map(|frame| frame.full).collect();
        let shown = self.hides.shown(of_list.map(|frame| (frame.class, frame.shown)));
        let full_stack = builder.stack(&full);
        let shown = if full == shown { full_stack } else { builder.stack(&shown) };
        let stacks = BothStacks { full: full_stack, shown, locations, weight };
        if let Some(known) = self.known.get_mut(list) {
            *known = Some(stacks);
        }
        Ok(stacks)
    }

    /// Counts texts that samples share: a few bytes of a sample can repeat one of 8 KiB. Returns how many bytes they
    /// have.
    pub(super) fn take_texts(
        &mut self,
        lengths: impl Iterator<Item = usize>,
    ) -> Result<usize, String> {
        let bytes = lengths.fold(0, usize::saturating_add);
        self.of_samples.take(bytes / TEXT_PER_FRAME, OF_SAMPLES)?;
        Ok(bytes)
    }

    /// The same for the labels of one sample.
    pub(super) fn take_labels(
        &mut self,
        lengths: impl Iterator<Item = usize>,
    ) -> Result<usize, String> {
        let bytes = self.take_texts(lengths)?;
        if bytes > LIMITS.proto_entry {
            let most = LIMITS.proto_entry >> 10;
            return Err(format!("a sample has labels of more than {most} KiB (proto_entry)"));
        }
        Ok(bytes)
    }

    /// Counts the texts of a set of labels that no sample had before.
    pub(super) fn take_new_labels(&mut self, bytes: usize) -> Result<(), String> {
        let weight = bytes.saturating_sub(FREE_TEXT) / TEXT_OF_ROW;
        self.of_labels.take(weight, "the labels of its samples count as")
    }

    fn add_frame(
        &mut self,
        function: &Function,
        line: i64,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let Function { name, file, .. } = *function;
        let full = builder.frame_of_strings(name, file, line);
        let (mut shown, mut class_of) = (full, Class::Plain);
        if !self.as_shown {
            class_of = class(builder.str(name));
            if let Some(printed) = shortened(builder.str(name)) {
                let name = builder.string(&printed);
                shown = builder.frame_of_strings(name, file, line);
            }
        }
        self.frames.push(StackFrame { full, shown, class: class_of });
        full
    }
}

/// The name for a function without one at this location.
fn unsymbolized_at(location: &Location, message: &Message<'_>, index: &Index) -> Vec<u8> {
    let mapping =
        index.mappings.find(location.mapping).and_then(|at| message.profile.mapping.get(at));
    unsymbolized(mapping.map_or(b"", |mapping| message.string(mapping.file)))
}

/// The place of a function without a name: its offset in the mapped file, as processes map files to
/// different addresses.
fn unsymbolized_place(location: &Location, message: &Message<'_>, index: &Index) -> Vec<u8> {
    let mapping =
        index.mappings.find(location.mapping).and_then(|at| message.profile.mapping.get(at));
    let mapped = mapping.filter(|mapping| !message.string(mapping.file).is_empty());
    let address = location.address;
    match mapped.and_then(|mapping| address.checked_sub(mapping.start)?.checked_add(mapping.offset))
    {
        // The start of a file is a place too.
        Some(offset) => format!("{offset:#x}").into_bytes(),
        None => place_of_address(address),
    }
}

fn add_mapping(
    mapping: &proto::Mapping,
    message: &Message<'_>,
    builder: &mut ProfileBuilder,
) -> MappingId {
    let mapping = Mapping {
        start: mapping.start,
        limit: mapping.limit,
        offset: mapping.offset,
        file: builder.string(message.string(mapping.file)),
        build_id: builder.string(message.string(mapping.build_id)),
        has: Symbols {
            functions: mapping.has_functions,
            filenames: mapping.has_filenames,
            line_numbers: mapping.has_line_numbers,
            inline_frames: mapping.has_inline_frames,
        },
    };
    builder.mapping(mapping)
}
