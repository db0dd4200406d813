//! The stacks of a proto: every frame, and those that Go's debug=1 printer shows.

use super::check::Index;
use super::message::{Location, Message};
use crate::profile::{FrameId, ProfileBuilder, StackId};
use std::borrow::Cow;

/// Makes stacks from location ids; each location is looked at once.
#[derive(Debug)]
pub(super) struct Stacks {
    /// By position in the location table: which of `frames` it stands for, once it is known.
    locations: Vec<Option<(u32, u32)>>,
    frames: Vec<StackFrame>,
    as_shown: bool,
    full: Vec<FrameId>,
    shown: Vec<FrameId>,
}

/// A frame as the proto has it, and as Go's text has it.
#[derive(Clone, Copy, Debug)]
struct StackFrame {
    full: FrameId,
    shown: FrameId,
    class: Class,
}

/// What the printer makes of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// Shown, and so are all that follow.
    Plain,
    /// Of the runtime: hidden as long as all before it are.
    Runtime,
    /// `runtime.goexit`: never shown.
    Goexit,
}

/// A stack in both forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BothStacks {
    pub(super) full: StackId,
    pub(super) shown: StackId,
}

impl Stacks {
    /// Stacks of a checked message; with `as_shown` nothing is hidden and names are kept.
    pub(super) fn new(message: &Message<'_>, as_shown: bool) -> Stacks {
        Stacks {
            locations: vec![None; message.locations.len()],
            frames: Vec::new(),
            as_shown,
            full: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// The stack of these locations, leaf first.
    pub(super) fn make(
        &mut self,
        ids: &[u64],
        message: &Message<'_>,
        index: &Index,
        builder: &mut ProfileBuilder,
    ) -> BothStacks {
        self.full.clear();
        self.shown.clear();
        for &id in ids {
            let Some(at) = index.locations.find(id) else { continue };
            let (start, end) = match self.locations.get(at).copied().flatten() {
                Some(known) => known,
                None => self.add_location(at, message, index, builder),
            };
            for frame in self.frames.get(start as usize..end as usize).unwrap_or_default() {
                self.full.push(frame.full);
                let shows = match frame.class {
                    Class::Plain => true,
                    Class::Runtime => !self.shown.is_empty(),
                    Class::Goexit => false,
                };
                if shows {
                    self.shown.push(frame.shown);
                }
            }
        }
        if self.shown.is_empty() {
            self.show_runtime(ids, index);
        }
        BothStacks { full: builder.stack(&self.full), shown: builder.stack(&self.shown) }
    }

    /// Shows frames of the runtime, there being no others.
    fn show_runtime(&mut self, ids: &[u64], index: &Index) {
        for &id in ids {
            let range = index.locations.find(id).and_then(|at| self.locations.get(at).copied());
            let Some((start, end)) = range.flatten() else { continue };
            let frames = self.frames.get(start as usize..end as usize).unwrap_or_default();
            let shown = frames.iter().filter(|frame| frame.class != Class::Goexit);
            self.shown.extend(shown.map(|frame| frame.shown));
        }
    }

    fn add_location(
        &mut self,
        at: usize,
        message: &Message<'_>,
        index: &Index,
        builder: &mut ProfileBuilder,
    ) -> (u32, u32) {
        let start = self.frames.len();
        if let Some(location) = message.locations.get(at) {
            self.add_frames(location, message, index, builder);
        }
        // There are no more frames than lines, and a line takes two bytes of a buffer in memory.
        let position = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let range = (position(start), position(self.frames.len()));
        if let Some(known) = self.locations.get_mut(at) {
            *known = Some(range);
        }
        range
    }

    fn add_frames(
        &mut self,
        location: &Location,
        message: &Message<'_>,
        index: &Index,
        builder: &mut ProfileBuilder,
    ) {
        let lines = message.lines.get(location.lines.clone()).unwrap_or_default();
        let nameless = format!("{:#x}", location.address);
        let as_shown = self.as_shown;
        let mut add = |name: &[u8], file: &[u8], line: i64| {
            let full = builder.frame(name, file, line);
            let (shown, class) = if as_shown {
                (full, Class::Plain)
            } else {
                (builder.frame(&name_as_printed(name), file, line), class(name))
            };
            self.frames.push(StackFrame { full, shown, class });
        };
        if lines.is_empty() {
            add(nameless.as_bytes(), b"", 0);
        }
        for line in lines {
            let function = index.functions.find(line.function);
            let Some(function) = function.and_then(|at| message.functions.get(at)) else {
                continue;
            };
            match message.string(function.name) {
                b"" if !as_shown => add(nameless.as_bytes(), b"", 0),
                name => add(name, message.string(function.file), line.line),
            }
        }
    }
}

fn class(name: &[u8]) -> Class {
    if name == b"runtime.goexit" {
        Class::Goexit
    } else if name.starts_with(b"runtime.") || name.starts_with(b"internal/runtime/") {
        Class::Runtime
    } else {
        Class::Plain
    }
}

/// A function name as Go's text has it: type arguments are `[...]`.
///
/// Two lists are told apart (a generic method of a generic type, Go 1.27); what stands between the
/// second `[` and the last `]` is one. Names whose brackets don't match are kept whole.
fn name_as_printed(name: &[u8]) -> Cow<'_, [u8]> {
    printed(name).map_or(Cow::Borrowed(name), Cow::Owned)
}

fn printed(name: &[u8]) -> Option<Vec<u8>> {
    const ARGUMENTS: &[u8] = b"[...]";
    let (start, rest) = name.split_at_checked(memchr::memchr(b'[', name)?)?;
    let (list, tail) = rest.split_at_checked(memchr::memrchr(b']', rest)?.checked_add(1)?)?;
    let (_, between) = list.split_at_checked(matching_bracket(list)?)?;
    Some(match memchr::memchr(b'[', between) {
        None => [start, ARGUMENTS, tail].concat(),
        Some(second) => {
            let (between, _) = between.split_at_checked(second)?;
            [start, ARGUMENTS, between, ARGUMENTS, tail].concat()
        }
    })
}

/// The length of the list that `text` starts with, its brackets included.
fn matching_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth = depth.checked_add(1)?,
            b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return at.checked_add(1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_printed(name: &str) -> String {
        String::from_utf8(name_as_printed(name.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn type_arguments_are_left_out() {
        assert_eq!(as_printed("main.f"), "main.f");
        assert_eq!(as_printed("gen.(*Queue[go.shape.string]).Pop"), "gen.(*Queue[...]).Pop");
        assert_eq!(
            as_printed("gen.Pair[go.shape.string,go.shape.[]int].Send"),
            "gen.Pair[...].Send"
        );
        assert_eq!(as_printed("gen.F[go.shape.struct { X [2]int }].func1"), "gen.F[...].func1");
        assert_eq!(as_printed("gen.F[...]"), "gen.F[...]");
    }

    #[test]
    fn a_generic_method_of_a_generic_type_has_two_lists() {
        assert_eq!(
            as_printed("gen.T[go.shape.[]int].M[go.shape.[]int].func1"),
            "gen.T[...].M[...].func1"
        );
        assert_eq!(as_printed("gen.T[...].M[...]"), "gen.T[...].M[...]");
    }

    #[test]
    fn names_with_odd_brackets_are_kept() {
        for name in ["main.f[", "main.f]", "main.f[[x]", "]["] {
            assert_eq!(as_printed(name), name);
        }
    }
}
