//! The stacks of a proto: every frame, and those that Go's debug=1 printer shows.

use super::check::Index;
use super::message::Message;
use super::proto::{self, Location};
use crate::limits::LIMITS;
use crate::profile::function::{Class, class, shortened};
use crate::profile::{
    FrameId, Function, FunctionId, Line, LocationId, Mapping, MappingId, ProfileBuilder, StackId,
    StrId, Symbols, place_of_address, unsymbolized,
};
use std::ops::Range;

/// Which frames the debug=1 text of a profile leaves out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hidden {
    /// `runtime.goexit` and what stands in front of the first frame outside the runtime.
    Runtime,
    /// `runtime.goexit` only.
    Goexit,
    /// None: there is no such text.
    Nothing,
    /// None, and names are kept as they are: what `export -o pprof` wrote.
    AsShown,
}

/// Makes stacks from location ids; each location is looked at once, and so is each list of them.
#[derive(Debug)]
pub(super) struct Stacks {
    /// By position in the location table: its id and its frames.
    locations: Vec<(LocationId, Range<u32>)>,
    frames: Vec<StackFrame>,
    hidden: Hidden,
    /// By list of locations: what came of it, once it is known.
    known: Vec<Option<BothStacks>>,
    list: Vec<LocationId>,
    positions: Vec<usize>,
    full: Vec<FrameId>,
    shown: Vec<FrameId>,
    /// Frames that different stacks may have together.
    of_stacks: Room,
    /// Frames that samples may have together, which are gone through sample by sample.
    of_samples: Room,
}

/// What is said to have too many frames where samples share stacks.
const OF_SAMPLES: &str = "the stacks of its samples have";

/// So many frames and no more.
#[derive(Debug)]
struct Room {
    most: usize,
    left: usize,
}

impl Room {
    fn new(most: usize) -> Room {
        Room { most, left: most }
    }

    fn take(&mut self, frames: usize, what: &'static str) -> Result<(), TooManyFrames> {
        self.left = self.left.checked_sub(frames).ok_or(TooManyFrames { what, most: self.most })?;
        Ok(())
    }
}

/// All stacks, or those of all samples, have more frames than [`LIMITS`] allow for a proto of its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TooManyFrames {
    /// What has them.
    pub(super) what: &'static str,
    /// How many are allowed.
    pub(super) most: usize,
}

/// A frame as the proto has it, and as Go's text has it.
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
    /// How many frames the full one has.
    frames: usize,
}

impl Stacks {
    /// Stacks of a checked message, whose tables become those of the profile.
    pub(super) fn new(
        message: &Message<'_>,
        index: &Index,
        hidden: Hidden,
        builder: &mut ProfileBuilder,
    ) -> Stacks {
        let by_length = (message.end() as usize).saturating_mul(LIMITS.proto_frames_ratio);
        let of_samples = by_length.max(LIMITS.proto_frames_from);
        let mut stacks = Stacks {
            locations: Vec::new(),
            frames: Vec::new(),
            hidden,
            known: Vec::new(),
            list: Vec::new(),
            positions: Vec::new(),
            full: Vec::new(),
            shown: Vec::new(),
            of_stacks: Room::new(of_samples.min(LIMITS.proto_frames)),
            of_samples: Room::new(of_samples),
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
            let start = position(stacks.frames.len());
            lines.clear();
            for line in &location.line {
                let function = index.functions.find(line.function);
                let Some(&(id, mut function)) = function.and_then(|at| functions.get(at)) else {
                    continue;
                };
                if function.name == StrId::EMPTY && hidden != Hidden::AsShown {
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
            let end = position(stacks.frames.len());
            stacks.locations.push((id, start..end));
        }
        stacks
    }

    /// The stack of these locations, leaf first.
    ///
    /// A location of a few bytes in a sample may stand for thousands of inlined frames, so what stacks
    /// take, and going through those of all samples, isn't bounded by the size of the proto.
    pub(super) fn make(
        &mut self,
        ids: &[u64],
        index: &Index,
        builder: &mut ProfileBuilder,
    ) -> Result<BothStacks, TooManyFrames> {
        let positions = ids.iter().filter_map(|&id| index.locations.find(id));
        let location = |at: usize| self.locations.get(at).map(|(location, _)| *location);
        self.list.clear();
        self.list.extend(positions.clone().filter_map(location));
        let locations = builder.locations(&self.list);
        let list = locations as usize;
        if self.known.len() <= list {
            self.known.resize(list.saturating_add(1), None);
        }
        if let Some(&Some(known)) = self.known.get(list) {
            self.of_samples.take(known.frames, OF_SAMPLES)?;
            return Ok(known);
        }
        self.positions.clear();
        self.positions.extend(positions);
        let frames = |&at: &usize| frames_at(&self.locations, &self.frames, at).len();
        let frames = self.positions.iter().map(frames).fold(0, usize::saturating_add);
        self.of_stacks.take(frames, "its stacks have")?;
        self.of_samples.take(frames, OF_SAMPLES)?;
        let stacks = self.frames_of_list(locations, builder);
        if let Some(known) = self.known.get_mut(list) {
            *known = Some(stacks);
        }
        Ok(stacks)
    }

    fn frames_of_list(&mut self, locations: u32, builder: &mut ProfileBuilder) -> BothStacks {
        self.full.clear();
        self.shown.clear();
        for &at in &self.positions {
            for frame in frames_at(&self.locations, &self.frames, at) {
                self.full.push(frame.full);
                let shows = match (self.hidden, frame.class) {
                    (Hidden::Nothing | Hidden::AsShown, _) => true,
                    (_, Class::Goexit) => false,
                    (Hidden::Runtime, Class::Runtime) => !self.shown.is_empty(),
                    _ => true,
                };
                if shows {
                    self.shown.push(frame.shown);
                }
            }
        }
        if self.shown.is_empty() {
            // Frames of the runtime are shown, there being no others.
            for &at in &self.positions {
                let frames = frames_at(&self.locations, &self.frames, at).iter();
                let shown = frames.filter(|frame| frame.class != Class::Goexit);
                self.shown.extend(shown.map(|frame| frame.shown));
            }
        }
        let full = builder.stack(&self.full);
        let shown = if self.full == self.shown { full } else { builder.stack(&self.shown) };
        BothStacks { full, shown, locations, frames: self.full.len() }
    }

    fn add_frame(
        &mut self,
        function: &Function,
        line: i64,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let Function { name, file, .. } = *function;
        let full = builder.frame_of_strings(name, file, line);
        let (shown, class) = if self.hidden == Hidden::AsShown {
            (full, Class::Plain)
        } else {
            let class = class(builder.str(name));
            match shortened(builder.str(name)) {
                None => (full, class),
                Some(printed) => {
                    let name = builder.string(&printed);
                    (builder.frame_of_strings(name, file, line), class)
                }
            }
        };
        self.frames.push(StackFrame { full, shown, class });
        full
    }
}

/// What stands for the name of a function at this location.
fn unsymbolized_at(location: &Location, message: &Message<'_>, index: &Index) -> Vec<u8> {
    let mapping =
        index.mappings.find(location.mapping).and_then(|at| message.profile.mapping.get(at));
    unsymbolized(mapping.map_or(b"", |mapping| message.string(mapping.file)))
}

/// Where a function without a name is. Processes map files to different addresses, but what is in them
/// stays where it is.
fn unsymbolized_place(location: &Location, message: &Message<'_>, index: &Index) -> Vec<u8> {
    let mapping =
        index.mappings.find(location.mapping).and_then(|at| message.profile.mapping.get(at));
    let mapped = mapping.filter(|mapping| !message.string(mapping.file).is_empty());
    let address = location.address;
    match mapped.and_then(|of| address.checked_sub(of.start)?.checked_add(of.offset)) {
        // The start of a file is a place too.
        Some(offset) => format!("{offset:#x}").into_bytes(),
        None => place_of_address(address),
    }
}

fn frames_at<'a>(
    locations: &[(LocationId, Range<u32>)],
    frames: &'a [StackFrame],
    at: usize,
) -> &'a [StackFrame] {
    let range = locations.get(at).map(|(_, range)| range.start as usize..range.end as usize);
    range.and_then(|range| frames.get(range)).unwrap_or_default()
}

/// There are no more frames than lines and locations, and each takes two bytes of a buffer in memory.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
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
