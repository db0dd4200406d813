//! Where a goroutine stands: the frame that it is blocked in, and the one of its own code.

use super::function::{is_standard, is_waiting_room, package};
use crate::profile::{FrameId, Profile, StackId, StrId};

/// Finds the places of stacks. What functions are is found out once: a dump may hold 300,000
/// distinct stacks, but only a few thousand distinct functions.
pub(super) struct Places<'a> {
    profile: &'a Profile,
    functions: Vec<Option<Function>>,
}

#[derive(Clone, Copy)]
struct Function {
    is_waiting_room: bool,
    /// Whether it is outside the standard library.
    is_own: bool,
}

impl Places<'_> {
    pub(super) fn new(profile: &Profile) -> Places<'_> {
        Places { profile, functions: Vec::new() }
    }

    /// The frame that a goroutine is blocked in: the first one that isn't of the runtime or of
    /// `sync`.
    pub(super) fn blocking_frame(&mut self, stack: StackId) -> Option<FrameId> {
        let frames = self.profile.stack(stack);
        let found = frames.iter().copied().find(|&frame| !self.function(frame).is_waiting_room);
        found.or(frames.first().copied())
    }

    /// The first frame outside the standard library, else what [`Places::blocking_frame`] says.
    pub(super) fn own_frame(&mut self, stack: StackId) -> Option<FrameId> {
        let frames = self.profile.stack(stack);
        let own = frames.iter().copied().find(|&frame| self.function(frame).is_own);
        own.or_else(|| self.blocking_frame(stack))
    }

    fn function(&mut self, frame: FrameId) -> Function {
        let function = self.profile.frame(frame).func;
        let at = function.index();
        if let Some(Some(known)) = self.functions.get(at) {
            return *known;
        }
        if self.functions.len() <= at {
            self.functions.resize(at + 1, None);
        }
        let found = Function::of(self.profile, function);
        self.functions[at] = Some(found);
        found
    }
}

impl Function {
    fn of(profile: &Profile, function: StrId) -> Function {
        let function = profile.str(function);
        let package = package(function);
        Function {
            is_waiting_room: is_waiting_room(function),
            is_own: !package.is_empty() && !is_standard(package),
        }
    }
}
