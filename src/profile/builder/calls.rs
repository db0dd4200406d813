//! Calls as text tells them: with the offsets and registers that stand beside their places.

use super::ProfileBuilder;
use crate::profile::{FrameId, Function, FunctionId, Line, LocationId, SampleId, SampleKey, StrId};
use hashbrown::HashMap;

/// A call that a text tells of, with what was inlined into its function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct NewCall {
    /// Its frames, innermost first; none where only its address is told.
    pub frames: Vec<FrameId>,
    /// See [`Location::address`](crate::profile::Location::address).
    pub address: u64,
    /// See [`Location::offset`](crate::profile::Location::offset).
    pub offset: u32,
    /// See [`Location::bytes`](crate::profile::Location::bytes).
    pub bytes: u32,
}

/// The calls of a part.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    locations: HashMap<NewCall, LocationId>,
    functions: HashMap<(StrId, StrId), FunctionId>,
    /// Samples by what makes them one, and the list of their locations.
    pub(super) samples: HashMap<(SampleKey, u32), SampleId>,
}

impl ProfileBuilder {
    /// The location of a call, one for all that are told alike.
    pub fn call(&mut self, call: NewCall) -> LocationId {
        if let Some(&known) = self.calls.locations.get(&call) {
            return known;
        }
        let lines: Vec<Line> = call.frames.iter().map(|&frame| self.line_of(frame)).collect();
        let location = self.location(None, call.address, false, &lines);
        let told = &mut self.profile.locations[location.index()];
        (told.offset, told.bytes) = (call.offset, call.bytes);
        self.calls.locations.insert(call, location);
        location
    }

    fn line_of(&mut self, frame: FrameId) -> Line {
        let told = self.profile.frame(frame);
        let function = match self.calls.functions.get(&(told.func, told.file)) {
            Some(&known) => known,
            None => {
                let (name, file) = (told.func, told.file);
                let function = Function { name, system_name: name, file, start_line: 0 };
                let function = self.function(function);
                self.calls.functions.insert((name, file), function);
                function
            }
        };
        Line { function, frame, line: told.line, column: 0 }
    }
}
