//! The words of one goroutine's stack, and what each of them is: as calls are laid out on amd64
//! (`unwinder.resolveInternal` and `getStackMap` of the runtime, Go 1.21 to 1.27).
//!
//! From low to high addresses, the part of a call has arguments for the calls that it makes, its
//! variables, its caller's frame pointer, and its return address. Its own arguments follow, in its caller's
//! part.

mod names;

use super::Certainty;
use super::code::{Code, Codes};
use super::layout::Goroutine;
use super::stack::{End, Frame, StackCopy, Start, unwind};
use crate::binary::{Arch, Argument, Local, Locals, PointerMaps, StackObject};
use crate::limits::LIMITS;
use names::NamesRoom;
use std::collections::HashMap;
use std::rc::Rc;

/// A goroutine's stack in use, word by word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackWords {
    /// The goroutine's number.
    pub goroutine: u64,
    /// How well the stack is known.
    pub certainty: Certainty,
    /// The lowest address of the stack's memory.
    pub low: u64,
    /// The end of the stack's memory.
    pub high: u64,
    /// Its calls, innermost first.
    pub frames: Vec<StackFrame>,
    /// The words in use, by ascending address from the innermost call on.
    pub words: Vec<StackWord>,
    /// The number of words in use that `words` leaves out.
    pub left_out: u64,
    /// Why some or all names of variables are missing.
    pub lacks_names: Option<&'static str>,
}

/// A call that takes stack, with every call that was inlined into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackFrame {
    /// The address at which it continues.
    pub pc: u64,
    /// The start of its part of the stack.
    pub sp: u64,
    /// The end of its part of the stack, where its caller's starts.
    pub end: u64,
    /// The inlined calls, innermost first; last the call of the function that takes the stack.
    pub calls: Rc<[StackFrameCall]>,
}

/// A call in a [`StackFrame`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackFrameCall {
    /// The name of the function, as in dumps.
    pub function: String,
    /// The source file.
    pub file: Option<String>,
    /// The line in the source file; 0 if it isn't known.
    pub line: u32,
}

/// Eight bytes of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackWord {
    /// The address of these bytes.
    pub address: u64,
    /// The bytes as a number.
    pub value: u64,
    /// The frame in whose part of the stack they are.
    pub frame: Option<usize>,
    /// What they are used for.
    pub what: What,
    /// The target of `value`, if that is an address.
    pub target: Option<Target>,
    /// The arguments and variables that overlap these bytes.
    pub variables: Vec<Variable>,
}

/// An argument or variable that overlaps a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The frame of its call.
    pub frame: usize,
    /// Its description in DWARF.
    pub local: Rc<Local>,
    /// How many of its bytes are before this word.
    pub offset: u64,
}

/// What a word of a stack is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The return address of its call: where the next frame continues, if there is one.
    ReturnAddress,
    /// The frame pointer of the next frame's call, saved by this one.
    FramePointer,
    /// An argument or a result of a call.
    Argument {
        /// The frame of that call.
        frame: usize,
        /// The position, from 1, of the value that starts here among those that dumps print between
        /// parentheses; `None` for results and values that dumps don't print.
        number: Option<u32>,
        /// Whether its value is here: an argument passed in a register has a place on the stack that may
        /// not have been written to.
        is_saved: bool,
        /// Whether the garbage collector follows it.
        is_live: bool,
    },
    /// A pointer that the garbage collector follows, in a variable or in a saved register.
    LivePointer,
    /// A part of a variable with pointers, which the garbage collector only follows if something points to
    /// the variable.
    Object {
        /// The size of the whole variable.
        bytes: u32,
    },
    /// Nothing that the garbage collector follows: no pointer, or one that isn't used any more.
    NoPointer,
    /// Memory past the goroutine's first call.
    Start,
    /// Unknown: the code doesn't describe its stack, or was interrupted between two calls.
    Unknown,
}

/// What an address points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The stack itself.
    Stack,
    /// Code: the function, and the offset in it.
    Code(String, u64),
    /// A variable or constant of the program.
    Data,
    /// Something else that the garbage collector follows: the heap, another stack, or memory that isn't
    /// Go's.
    Elsewhere,
}

/// Describes the words of a stack; `None` on processors whose stack layout isn't known.
pub(super) fn annotate(
    codes: &mut Codes,
    arch: Arch,
    goroutine: &Goroutine,
    (start, stack): (Start, StackCopy),
    certainty: Certainty,
) -> Option<StackWords> {
    if arch != Arch::Amd64 {
        return None;
    }
    let all = goroutine.high.saturating_sub(start.sp) / 8;
    let count = all.min(LIMITS.live_words as u64);
    let addresses = (0..count).map_while(|at| start.sp.checked_add(at.checked_mul(8)?));
    let words = addresses.map_while(|address| {
        let value = stack.word(address)?;
        Some(StackWord {
            address,
            value,
            frame: None,
            what: What::Unknown,
            target: None,
            variables: Vec::new(),
        })
    });
    let mut words = Words { start: start.sp, words: words.collect() };
    let mut frames: Vec<Frame> = Vec::new();
    let (mut room, mut fits) = (NamesRoom::new(), true);
    let words_end = words.end();
    let end = unwind(codes, arch, stack, start, |frame| {
        fits = fits && (frame.sp >= words_end || room.takes_frame(&frame.code));
        if fits && frame.sp < words_end {
            frames.push(frame.clone());
        }
    });
    if !fits {
        words.cut(frames.last().map_or(start.sp, |frame| frame.end));
    }
    // In deep recursion each address is looked up once.
    let mut by_pc: HashMap<(u64, bool), Rc<Facts>> = HashMap::new();
    let facts = frames.iter().map(|frame| {
        let facts = by_pc.entry((frame.pc, frame.is_trap));
        facts.or_insert_with(|| Rc::new(Facts::of(codes, frame, words.end()))).clone()
    });
    let facts: Vec<Rc<Facts>> = facts.collect();
    for (at, (frame, facts)) in frames.iter().zip(&facts).enumerate() {
        words.mark_frame(codes, facts, at, frame, frames.get(at.saturating_add(1)));
    }
    for (at, (pair, facts)) in frames.windows(2).zip(&facts).enumerate() {
        if let [frame, caller] = pair {
            words.mark_arguments(facts, at, frame, caller);
        }
    }
    if let Some(first) = frames.last().filter(|frame| frame.code.is_top) {
        words.range(first.sp, goroutine.high).iter_mut().for_each(|word| word.what = What::Start);
    }
    let lacks_names = words.add_variables(codes, &frames);
    let frames = frames.iter().zip(&facts).map(|(frame, facts)| StackFrame {
        pc: frame.pc,
        sp: frame.sp,
        end: frame.end,
        calls: facts.calls.clone(),
    });
    let mut frames: Vec<StackFrame> = frames.collect();
    let too_much = words.words.iter_mut().position(|word| {
        word.target = target(codes, goroutine, word);
        !room.takes_word(word, &frames)
    });
    if let Some(at) = too_much {
        words.words.truncate(at);
        frames.retain(|frame| frame.sp < words.end());
    }
    let certainty = if end == End::Broken { Certainty::Broken } else { certainty };
    Some(StackWords {
        goroutine: goroutine.id,
        certainty,
        low: goroutine.low,
        high: goroutine.high,
        frames,
        left_out: all.saturating_sub(words.words.len() as u64),
        words: words.words,
        lacks_names,
    })
}

/// Returns what the value of a word points to.
fn target(codes: &Codes, goroutine: &Goroutine, word: &StackWord) -> Option<Target> {
    let is_live = match word.what {
        What::Argument { is_live, .. } => is_live,
        What::LivePointer => true,
        _ => false,
    };
    let value = word.value;
    if (goroutine.low..goroutine.high).contains(&value) {
        return Some(Target::Stack);
    }
    if let Some(function) = codes.function(value) {
        let into = codes.in_binary(value).saturating_sub(function.entry());
        return Some(Target::Code(codes.name(&function), into));
    }
    match codes.has_data(value) {
        true => Some(Target::Data),
        false => (is_live && value != 0).then_some(Target::Elsewhere),
    }
}

/// The words by their addresses.
struct Words {
    start: u64,
    words: Vec<StackWord>,
}

impl Words {
    fn end(&self) -> u64 {
        self.start.saturating_add((self.words.len() as u64).saturating_mul(8))
    }

    /// Leaves out the words from an address on.
    fn cut(&mut self, end: u64) {
        let kept = end.saturating_sub(self.start) / 8;
        self.words.truncate(usize::try_from(kept).unwrap_or(usize::MAX));
    }

    /// The words in a range of addresses, as far as there are any.
    fn range(&mut self, from: u64, to: u64) -> &mut [StackWord] {
        let at = |address: u64| {
            let at = usize::try_from(address.saturating_sub(self.start) / 8);
            at.unwrap_or(usize::MAX).min(self.words.len())
        };
        let (from, to) = (at(from), at(to));
        self.words.get_mut(from..to).unwrap_or_default()
    }

    fn at(&mut self, address: u64) -> Option<&mut StackWord> {
        self.range(address, address.saturating_add(8)).first_mut()
    }

    /// Describes the words in a call's own part of the stack.
    fn mark_frame(
        &mut self,
        codes: &Codes,
        facts: &Facts,
        number: usize,
        frame: &Frame,
        caller: Option<&Frame>,
    ) {
        for word in self.range(frame.sp, frame.end) {
            word.frame = Some(number);
        }
        let return_address = frame.end.saturating_sub(8);
        let Code { is_top, is_last, .. } = *frame.code;
        if let Some(word) = self.at(return_address) {
            // Without a frame for the caller, it isn't Go code.
            let returns = match caller {
                Some(caller) => caller.pc == word.value,
                None => !is_top && !is_last && codes.function(word.value).is_some(),
            };
            if returns {
                word.what = What::ReturnAddress;
            }
        }
        if return_address <= frame.sp {
            return;
        }
        let saved = return_address.saturating_sub(8);
        // A goroutine starts with a frame pointer of 0. Code called from C has C's frame pointer.
        let end = self.end();
        if let Some(word) = self.at(saved)
            && (word.value == 0 || (frame.end..end).contains(&word.value))
        {
            word.what = What::FramePointer;
        }
        let Some(map) = &facts.maps.locals else { return };
        let from = saved.saturating_sub(map.words().saturating_mul(8));
        if map.words() == 0 && is_assembly(&frame.code) || from < frame.sp {
            return;
        }
        for word in self.range(frame.sp, saved) {
            let bit = word.address.checked_sub(from).map(|into| into / 8);
            let is_live = bit.is_some_and(|bit| map.has(bit));
            word.what = if is_live { What::LivePointer } else { What::NoPointer };
        }
        self.mark_objects(&facts.objects, frame.sp, saved);
    }

    /// Marks the words of variables whose address is taken.
    fn mark_objects(&mut self, objects: &[StackObject], sp: u64, variables: u64) {
        // Objects don't overlap, so their sizes add up to the part at most.
        let mut room = usize::try_from(variables.saturating_sub(sp)).unwrap_or(usize::MAX);
        for object in objects {
            let Some(from) = variables.checked_add_signed(object.offset.into()) else { continue };
            let to = from.saturating_add(object.size.into());
            let size = usize::try_from(object.size).unwrap_or(usize::MAX);
            let Some(left) = room.checked_sub(size) else { return };
            room = left;
            if object.offset >= 0 || from < sp || to > variables {
                continue;
            }
            for word in self.range(from, to.saturating_add(7)) {
                if word.what == What::NoPointer {
                    word.what = What::Object { bytes: object.size };
                }
            }
        }
    }

    /// Adds the variables to the words that they are in; returns why some are missing.
    fn add_variables(&mut self, codes: &Codes, frames: &[Frame]) -> Option<&'static str> {
        let sites = frames.iter().map(|it| codes.call_site(it.pc, it.is_trap, it.end));
        let Locals { of_calls, lacks } = codes.locals(&sites.collect::<Vec<_>>());
        let mut room = MAX_VARIABLES;
        for (frame, local) in
            (0..).zip(of_calls).flat_map(|(frame, all)| all.into_iter().map(move |it| (frame, it)))
        {
            let local = Rc::new(local);
            let to = local.address.saturating_add(local.bytes);
            let first = local.address & !7;
            for word in self.range(first.max(self.start), to.saturating_add(7)) {
                let Some(left) = room.checked_sub(1) else {
                    return lacks.or(Some("names of variables are missing: there are too many"));
                };
                room = left;
                let into = word.address.saturating_sub(local.address);
                let offset = local.offset.saturating_add(into);
                word.variables.push(Variable { frame, local: local.clone(), offset });
            }
        }
        lacks
    }

    /// Marks the words in its caller's part that are arguments of a call.
    fn mark_arguments(&mut self, facts: &Facts, number: usize, frame: &Frame, caller: &Frame) {
        let from = frame.arguments;
        let Some(bytes) = facts.argument_bytes else { return };
        let to = from.saturating_add(bytes.into()).min(caller.end.saturating_sub(8));
        let map = &facts.maps.arguments;
        for word in self.range(from, to) {
            let bit = word.address.saturating_sub(from) / 8;
            let is_live = map.as_ref().is_some_and(|map| map.has(bit));
            if !matches!(word.what, What::ReturnAddress | What::FramePointer) {
                word.what = What::Argument { frame: number, number: None, is_saved: true, is_live };
            }
        }
        let values = frame.code.arguments.iter().filter(|argument| {
            matches!(argument, Argument::Value { .. } | Argument::TooFar | Argument::More)
        });
        for (place, argument) in (1..).zip(values) {
            let Argument::Value { offset, live, .. } = *argument else { continue };
            let address = from.saturating_add(offset.into());
            let Some(word) = self.at(address).filter(|word| word.address < to) else { continue };
            if let What::Argument { number, is_saved, .. } = &mut word.what
                && number.is_none()
            {
                (*number, *is_saved) = (Some(place), live);
            }
        }
    }
}

/// The largest number of variables in all words together: two for each.
const MAX_VARIABLES: usize = 2 * LIMITS.live_words;

/// The calls at one address, and what the binary says about their stack.
struct Facts {
    calls: Rc<[StackFrameCall]>,
    maps: PointerMaps,
    objects: Vec<StackObject>,
    argument_bytes: Option<u32>,
}

/// Words of arguments for which pointers are looked up: 64 KiB, more than any function has.
const MAX_ARGUMENT_WORDS: u64 = 1 << 13;

impl Facts {
    /// Returns the facts about a frame; `end` is the end of the words that are described.
    fn of(codes: &Codes, frame: &Frame, end: u64) -> Facts {
        // Pointer maps are only valid at calls, not at an interrupted instruction.
        let function = codes.function(frame.pc);
        let mapped = function.filter(|_| !frame.is_trap);
        let bytes = frame.end.min(end).saturating_sub(frame.sp);
        let most = [bytes / 8, MAX_ARGUMENT_WORDS];
        let maps = mapped.map(|it| it.pointer_maps(codes.in_binary(frame.pc), most));
        // Objects don't overlap, so there are at most as many as bytes.
        let objects = usize::try_from(bytes).ok().zip(mapped);
        Facts {
            calls: codes.calls(frame.pc, frame.is_trap).into(),
            maps: maps.unwrap_or_default(),
            objects: objects.map_or(Vec::new(), |(most, it)| it.stack_objects(most)),
            argument_bytes: function.and_then(|it| it.argument_bytes()),
        }
    }
}

/// Whether it is assembly, whose maps only say that the collector needn't look at its variables.
fn is_assembly(code: &Code) -> bool {
    let file = code.calls.last().map(|call| call.place.as_slice()).unwrap_or_default();
    file.windows(3).any(|part| part == b".s:")
}
