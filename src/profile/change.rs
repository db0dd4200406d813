//! Changing what a profile holds: the stacks, locations and labels of samples.

use super::values::position;
use super::{
    Detail, Elision, Frame, FrameId, Function, FunctionId, Label, LabelValue, LabelsId, Line,
    Location, LocationId, MappingId, Profile, SampleId, StackId, StrId, Symbols, kind_of,
    state_of_frames,
};

/// A call of a sample's full stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The frame as the input has it.
    pub frame: FrameId,
    /// The frame as Go's own text shows it; `None` if Go hides it.
    pub shown: Option<FrameId>,
}

impl Profile {
    /// The calls of a sample, leaf first.
    pub fn calls(&self, sample: SampleId) -> Vec<Call> {
        let key = &self.sample(sample).key;
        let mut shown = self.stack(key.stack).iter().rev().copied().peekable();
        // The innermost frames and `runtime.goexit` are hidden; type arguments are shown as
        // `[...]`.
        let is_same = |a: Frame, b: Frame| (a.file, a.line) == (b.file, b.line);
        let pair = |&frame: &FrameId| Call {
            frame,
            shown: shown.next_if(|&shown| is_same(self.frame(shown), self.frame(frame))),
        };
        let mut calls: Vec<Call> = self.stack(key.full).iter().rev().map(pair).collect();
        calls.reverse();
        calls
    }

    /// Replaces the calls of a sample, leaf first, and its locations if it has any.
    pub fn set_calls(&mut self, sample: SampleId, calls: &[Call], locations: &[LocationId]) {
        let full: Vec<FrameId> = calls.iter().map(|call| call.frame).collect();
        let mut shown: Vec<FrameId> = calls.iter().filter_map(|call| call.shown).collect();
        if shown.is_empty() {
            // If there are only frames of the runtime, they are shown.
            shown.clone_from(&full);
        }
        let key = &self.sample(sample).key;
        let elided = key.elided.and_then(|gap| self.moved_gap(gap, key.stack, &shown));
        let (full, stack) = (self.stacks.intern(&full), self.stacks.intern(&shown));
        // The arguments no longer belong to the frames at their positions.
        self.arguments.forget(sample);
        let key = &mut self.samples[sample.index()].key;
        (key.full, key.stack, key.elided) = (StackId(full), StackId(stack), elided);
        if self.detail(sample).locations != 0 {
            let list = self.location_lists.intern(locations);
            self.detail_mut(sample).locations = list;
        }
    }

    /// The new place of frames that Go left out; `None` if the frames around the gap are gone.
    fn moved_gap(&self, gap: Elision, stack: StackId, shown: &[FrameId]) -> Option<Elision> {
        let (before, after) = self.stack(stack).split_at_checked(gap.after as usize)?;
        let next = after.first()?;
        let at = shown.iter().rposition(|frame| frame == next)?;
        let is_kept = at > 0 && before.contains(&shown[at - 1]);
        is_kept.then_some(Elision { after: position(at), ..gap })
    }

    /// A new frame of this function and file, even if there is an equal one.
    pub fn add_frame(&mut self, func: &[u8], file: &[u8]) -> FrameId {
        let (func, file) = (self.strings.intern(func), self.strings.intern(file));
        self.push_frame(Frame { func, file, line: 0 })
    }

    /// Adds a location for a frame, without line and address.
    pub fn add_location(&mut self, frame: FrameId) -> LocationId {
        let Frame { func, file, line } = self.frame(frame);
        let system_name = StrId::EMPTY;
        let function =
            self.push_function(Function { name: func, system_name, file, start_line: 0 });
        self.push_location(None, 0, false, &[Line { function, frame, line, column: 0 }])
    }

    /// A new location with these lines.
    pub(super) fn push_location(
        &mut self,
        mapping: Option<MappingId>,
        address: u64,
        folded: bool,
        lines: &[Line],
    ) -> LocationId {
        let (start, count) = (position(self.lines.len()), position(lines.len()));
        self.lines.extend_from_slice(lines);
        let (offset, bytes) = (0, 0);
        self.locations.push(Location {
            mapping,
            address,
            offset,
            bytes,
            folded,
            lines: start,
            count,
        });
        LocationId(position(self.locations.len() - 1))
    }

    /// Adds a frame.
    pub fn push_frame(&mut self, frame: Frame) -> FrameId {
        self.frames.push(frame);
        FrameId(position(self.frames.len() - 1))
    }

    /// Adds a function.
    pub fn push_function(&mut self, function: Function) -> FunctionId {
        self.functions.push(function);
        FunctionId(position(self.functions.len() - 1))
    }

    /// Notes that the symbols of a mapping were looked up.
    pub fn mark_symbolized(&mut self, mapping: MappingId) {
        self.mappings[mapping.index()].has =
            Symbols { functions: true, filenames: true, line_numbers: true, inline_frames: true };
    }

    /// Sets the address of a location.
    pub fn set_address(&mut self, location: LocationId, address: u64) {
        self.locations[location.index()].address = address;
    }

    /// The stack of these frames, leaf first.
    pub fn add_stack(&mut self, frames: &[FrameId]) -> StackId {
        StackId(self.stacks.intern(frames))
    }

    /// Sets the stack of a sample that follows from its locations, and the one that Go's text
    /// shows. For goroutines whose state isn't known, the frames show it.
    pub fn set_stacks(
        &mut self,
        sample: SampleId,
        full: StackId,
        shown: StackId,
        goroutines: bool,
    ) {
        let mut key = self.sample(sample).key;
        (key.stack, key.full) = (shown, full);
        if goroutines && key.state.is_none() {
            let names = self.stack(full).iter().map(|&frame| self.str(self.frame(frame).func));
            if let Some(state) = state_of_frames(names.clone()) {
                key.kind = kind_of(state, names);
                key.state = Some(self.strings.intern(state));
            }
        }
        self.samples[sample.index()].key = key;
    }

    /// Replaces the lines of a location.
    pub fn set_lines(&mut self, location: LocationId, lines: &[Line]) {
        let start = position(self.lines.len());
        self.lines.extend_from_slice(lines);
        let at = &mut self.locations[location.index()];
        (at.lines, at.count) = (start, position(lines.len()));
    }

    /// All labels of a sample: those of its proto, or those printed in its text.
    pub fn all_labels(&self, sample: SampleId) -> &[Label] {
        match self.written_labels(sample) {
            LabelsId::NONE => self.labels(self.sample(sample).key.labels),
            written => self.labels(written),
        }
    }

    /// Removes labels of a sample whose keys aren't wanted.
    pub fn retain_labels(&mut self, sample: SampleId, wanted: &dyn Fn(&[u8]) -> bool) {
        let kept = |profile: &Profile, id: LabelsId| -> Vec<Label> {
            let labels = profile.labels(id).iter();
            labels.filter(|label| wanted(profile.str(label.key))).copied().collect()
        };
        let own = kept(self, self.sample(sample).key.labels);
        let own = LabelsId(self.labels.intern(&own));
        self.samples[sample.index()].key.labels = own;
        if self.written_labels(sample) != LabelsId::NONE {
            let written = kept(self, self.written_labels(sample));
            let written = LabelsId(self.labels.intern(&written));
            self.detail_mut(sample).labels = written;
        }
    }

    /// Sets a label of a sample, in place of all that it has with this key.
    pub fn set_label(&mut self, sample: SampleId, key: &[u8], value: &[u8]) {
        self.retain_labels(sample, &|known| known != key);
        let value = LabelValue::Text(self.strings.intern(value));
        let label = [Label { key: self.strings.intern(key), value }];
        let own = [self.labels(self.sample(sample).key.labels), &label].concat();
        let written = [self.all_labels(sample), &label].concat();
        self.samples[sample.index()].key.labels = LabelsId(self.labels.intern(&own));
        self.detail_mut(sample).labels = LabelsId(self.labels.intern(&written));
    }

    fn detail_mut(&mut self, sample: SampleId) -> &mut Detail {
        if self.details.len() <= sample.index() {
            self.details.resize(sample.index() + 1, Detail::NONE);
        }
        &mut self.details[sample.index()]
    }
}
