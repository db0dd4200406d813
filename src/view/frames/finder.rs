//! Finds the frames of stacks that say more than those of the runtime.

use super::function::{is_collector, is_standard, is_waiting_room, package};
use crate::profile::modules::Modules;
use crate::profile::{FrameId, Profile, StackId};
use std::cell::Cell;

/// What a function's name says about it.
#[derive(Clone, Copy)]
struct Traits {
    waiting_room: bool,
    poller: bool,
    /// Outside the standard library.
    outside: bool,
    own: bool,
    /// Like `outside`, except functions that only wait for others.
    user: bool,
    collector: bool,
    start: bool,
}

impl Traits {
    fn of(function: &[u8], modules: &Modules) -> Traits {
        let package = package(function);
        let outside = !package.is_empty() && !is_standard(package);
        Traits {
            waiting_room: is_waiting_room(function),
            poller: package == b"internal/poll",
            outside,
            own: modules.is_own(function).unwrap_or(outside),
            user: outside && !package.starts_with(b"golang.org/x/sync/"),
            collector: is_collector(function),
            start: function == b"runtime.goexit",
        }
    }
}

/// Finds frames of stacks by what the names of their functions say. Each name is parsed once: a million
/// stacks have a few thousand names.
pub struct FrameFinder<'a> {
    profile: &'a Profile,
    /// By index of the function's name.
    known: Vec<Cell<Option<Traits>>>,
}

impl<'a> FrameFinder<'a> {
    /// A finder that has looked at no name yet.
    pub fn new(profile: &'a Profile) -> FrameFinder<'a> {
        FrameFinder { profile, known: vec![Cell::new(None); profile.strings.len()] }
    }

    /// The frame that a goroutine is blocked in: the first one outside the runtime and `sync`.
    pub fn blocking(&self, stack: StackId) -> Option<FrameId> {
        let first = self.profile.stack(stack).first().copied();
        self.find(stack, |traits| !traits.waiting_room).or(first)
    }

    /// The frame that a goroutine is blocked in, outside the network poller too.
    pub fn blocking_outside_poller(&self, stack: StackId) -> Option<FrameId> {
        let first = self.profile.stack(stack).first().copied();
        self.find(stack, |traits| !traits.waiting_room && !traits.poller).or(first)
    }

    /// The innermost frame of own code: in the main module if that is known and in the stack, else outside
    /// the standard library.
    pub fn own(&self, stack: StackId) -> Option<FrameId> {
        self.find(stack, |traits| traits.own).or_else(|| self.find(stack, |traits| traits.outside))
    }

    /// The blocking user function: the innermost frame outside the standard library, except functions
    /// that only wait for others; if there is none, the function that the goroutine was started with.
    pub fn user(&self, stack: StackId) -> Option<FrameId> {
        let frames = self.profile.stack(stack);
        let started = || frames.iter().rev().copied().find(|&frame| !self.traits(frame).start);
        self.find(stack, |traits| traits.user).or_else(started).or(frames.last().copied())
    }

    /// Whether a frame is own code: in the main module if that is known, else outside the standard
    /// library.
    pub(in crate::view) fn is_own(&self, frame: FrameId) -> bool {
        self.traits(frame).own
    }

    /// The frame of [`FrameFinder::own`], or else of [`FrameFinder::blocking`].
    pub fn own_or_blocking(&self, stack: StackId) -> Option<FrameId> {
        self.own(stack).or_else(|| self.blocking(stack))
    }

    /// Whether a stack works for the garbage collector.
    pub fn is_collecting(&self, stack: StackId) -> bool {
        self.find(stack, |traits| traits.collector).is_some()
    }

    fn find(&self, stack: StackId, is_it: impl Fn(Traits) -> bool) -> Option<FrameId> {
        self.profile.stack(stack).iter().copied().find(|&frame| is_it(self.traits(frame)))
    }

    fn traits(&self, frame: FrameId) -> Traits {
        let name = self.profile.frame(frame).func;
        let known = &self.known[name.index()];
        known.get().unwrap_or_else(|| {
            let traits = Traits::of(self.profile.str(name), &self.profile.modules);
            known.set(Some(traits));
            traits
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    fn user(frames: &[&str]) -> String {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 7, state: "select", frames, ..G::default() });
        let profile = fixture.done().0;
        let frame = FrameFinder::new(&profile).user(profile.samples[0].key.stack).unwrap();
        crate::profile::lossy(profile.func(frame))
    }

    #[test]
    fn the_user_function_is_outside_the_standard_library() {
        assert_eq!(
            user(&["net/http.(*persistConn).roundTrip", "net/http.Get", "kv.Fetch", "kv.main"]),
            "kv.Fetch"
        );
        assert_eq!(
            user(&["sync.(*WaitGroup).Wait", "golang.org/x/sync/errgroup.(*Group).Wait", "kv.Run"]),
            "kv.Run"
        );
    }

    #[test]
    fn goroutines_of_the_standard_library_are_called_by_what_they_were_started_with() {
        assert_eq!(
            user(&["internal/poll.(*FD).Read", "net.(*conn).Read", "net/http.(*conn).serve"]),
            "net/http.(*conn).serve"
        );
        assert_eq!(user(&["runtime.gopark", "runtime.goexit"]), "runtime.gopark");
    }
}
