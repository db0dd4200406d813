//! Calls as texts print them, with the offsets and registers next to their places.

use super::ProfileBuilder;
use crate::profile::{
    Frame, FrameId, Function, FunctionId, Line, LocationId, SampleId, SampleKey, StrId,
};
use hashbrown::HashMap;

/// A call that a text prints, with the calls that were inlined into its function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct NewCall {
    /// Its frames, innermost first; empty if only its address is known.
    pub frames: Vec<FrameId>,
    /// See [`Location::address`](crate::profile::Location::address).
    pub address: u64,
    /// See [`Location::offset`](crate::profile::Location::offset).
    pub offset: u32,
    /// See [`Location::bytes`](crate::profile::Location::bytes).
    pub bytes: u32,
}

/// The calls since the last delta.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    locations: HashMap<NewCall, LocationId>,
    functions: HashMap<(StrId, StrId), FunctionId>,
    /// Samples by key and list of locations.
    pub(super) samples: HashMap<(SampleKey, u32), SampleId>,
}

impl ProfileBuilder {
    /// The location of a call; equal calls have the same one.
    pub fn call(&mut self, call: NewCall) -> LocationId {
        if let Some(&known) = self.calls.locations.get(&call) {
            return known;
        }
        let lines: Vec<Line> = call.frames.iter().map(|&frame| self.line_of(frame)).collect();
        let location = self.location(None, call.address, false, &lines);
        let added = &mut self.profile.locations[location.index()];
        (added.offset, added.bytes) = (call.offset, call.bytes);
        self.calls.locations.insert(call, location);
        location
    }

    fn line_of(&mut self, frame: FrameId) -> Line {
        let Frame { func, file, line } = self.profile.frame(frame);
        let function = match self.calls.functions.get(&(func, file)) {
            Some(&known) => known,
            None => {
                let function = Function { name: func, system_name: func, file, start_line: 0 };
                let function = self.function(function);
                self.calls.functions.insert((func, file), function);
                function
            }
        };
        Line { function, frame, line, column: 0 }
    }
}
