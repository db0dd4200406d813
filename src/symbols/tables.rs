//! Look-up of frames and functions of a profile, so equal ones are added once.

use crate::binary;
use crate::profile::function::shortened;
use crate::profile::{Frame, FrameId, Function, FunctionId, Line, LocationId, Profile};
use std::collections::{HashMap, HashSet};

/// The frames and functions of a profile.
#[derive(Debug)]
pub(super) struct Tables {
    /// The locations that have their names from binaries. Texts of one file share them.
    pub(super) named: HashSet<LocationId>,
    frames: HashMap<Frame, FrameId>,
    functions: HashMap<Function, FunctionId>,
}

impl Tables {
    pub(super) fn new(profile: &Profile) -> Tables {
        let frames = profile.frame_ids().map(|id| (profile.frame(id), id));
        Tables { named: HashSet::new(), frames: frames.collect(), functions: HashMap::new() }
    }

    /// The frame with this function and place.
    pub(super) fn frame(
        &mut self,
        profile: &mut Profile,
        func: &[u8],
        file: &[u8],
        line: i64,
    ) -> FrameId {
        let (func, file) = (profile.strings.intern(func), profile.strings.intern(file));
        let frame = Frame { func, file, line };
        *self.frames.entry(frame).or_insert_with(|| profile.push_frame(frame))
    }

    /// The line of a call in a binary.
    pub(super) fn line(&mut self, profile: &mut Profile, call: &binary::Frame<'_>) -> Line {
        let file = call.file.as_deref().unwrap_or_default();
        let line = i64::from(call.line);
        let frame = self.frame(profile, &call.function, file, line);
        let Frame { func, file, .. } = profile.frame(frame);
        let start_line = call.start_line.into();
        let function = Function { name: func, system_name: func, file, start_line };
        let function =
            *self.functions.entry(function).or_insert_with(|| profile.push_function(function));
        Line { function, frame, line, column: 0 }
    }

    /// The frame as Go's text prints it: without type arguments.
    pub(super) fn shown(&mut self, profile: &mut Profile, frame: FrameId) -> FrameId {
        let Frame { func, file, line } = profile.frame(frame);
        let Some(short) = shortened(profile.str(func)) else { return frame };
        let file = profile.str(file).to_vec();
        self.frame(profile, &short, &file, line)
    }
}
