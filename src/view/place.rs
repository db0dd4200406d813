//! Where stacks stand: the frames that say more than those of the runtime.

use super::function::{is_collector, is_standard, is_waiting_room, package};
use crate::profile::{FrameId, Profile, StackId};

/// What the name of a function tells.
#[derive(Clone, Copy)]
struct Traits {
    waiting_room: bool,
    own: bool,
    collector: bool,
}

impl Traits {
    fn of(function: &[u8]) -> Traits {
        let package = package(function);
        Traits {
            waiting_room: is_waiting_room(function),
            own: !package.is_empty() && !is_standard(package),
            collector: is_collector(function),
        }
    }
}

/// Finds such frames. The name of each function is looked at once: there are a few thousand of
/// them in a million stacks.
pub struct Places<'a> {
    profile: &'a Profile,
    /// By the string that is the name.
    known: Vec<Option<Traits>>,
}

impl<'a> Places<'a> {
    /// Nothing looked at yet.
    pub fn new(profile: &'a Profile) -> Places<'a> {
        Places { profile, known: vec![None; profile.strings.len()] }
    }

    /// The frame that a goroutine is blocked in: the first one that isn't of the runtime or of
    /// `sync`.
    pub fn blocking_frame(&mut self, stack: StackId) -> Option<FrameId> {
        let other = |traits: Traits| !traits.waiting_room;
        self.find(stack, other).or(self.profile.stack(stack).first().copied())
    }

    /// The innermost frame outside the standard library.
    pub fn own_frame(&mut self, stack: StackId) -> Option<FrameId> {
        self.find(stack, |traits| traits.own)
    }

    /// Whether a frame is outside the standard library.
    pub(super) fn is_own(&mut self, frame: FrameId) -> bool {
        self.traits(frame).own
    }

    /// The first of these frames that there is.
    pub fn own_or_blocking_frame(&mut self, stack: StackId) -> Option<FrameId> {
        self.own_frame(stack).or_else(|| self.blocking_frame(stack))
    }

    /// Whether a stack is at work for the garbage collector.
    pub fn is_collecting(&mut self, stack: StackId) -> bool {
        self.find(stack, |traits| traits.collector).is_some()
    }

    fn find(&mut self, stack: StackId, is_it: impl Fn(Traits) -> bool) -> Option<FrameId> {
        let profile = self.profile;
        profile.stack(stack).iter().copied().find(|&frame| is_it(self.traits(frame)))
    }

    fn traits(&mut self, frame: FrameId) -> Traits {
        let Places { profile, known } = self;
        let name = profile.frame(frame).func;
        *known[name.index()].get_or_insert_with(|| Traits::of(profile.str(name)))
    }
}
