//! The words of one goroutine's stack, and what each of them is: as calls are laid out on amd64
//! (`unwinder.resolveInternal` and `getStackMap` of the runtime, Go 1.21 to 1.27).
//!
//! Up the stack, a call's part has what it passes to others, its variables, the frame pointer of its caller, and
//! the address that it returns to. What was passed to it stands behind that, in its caller's part.

use super::Certainty;
use super::code::{Code, Codes};
use super::layout::Goroutine;
use super::stack::{End, Frame, StackCopy, Start, unwind};
use crate::binary::{Arch, Argument, Local, Locals, PointerMaps, StackObject};
use crate::limits::LIMITS;
use std::collections::HashMap;
use std::rc::Rc;

/// A goroutine's stack in use, word by word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackWords {
    /// The number of the goroutine.
    pub goroutine: u64,
    /// How well it is known.
    pub known: Certainty,
    /// Where the memory of its stack starts, and where it ends.
    pub low: u64,
    /// See `low`.
    pub high: u64,
    /// Its calls, innermost first.
    pub frames: Vec<StackFrame>,
    /// From the innermost call on, by ascending address.
    pub words: Vec<StackWord>,
    /// How many more there are that aren't told.
    pub left_out: u64,
    /// Why names of variables aren't known, or not all of them.
    pub lacks_names: Option<&'static str>,
}

/// A call that takes stack, with everything that was inlined into it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackFrame {
    /// The instruction that it goes on with.
    pub pc: u64,
    /// Where its part of the stack starts.
    pub sp: u64,
    /// Where that of its caller does.
    pub end: u64,
    /// The calls that it stands for, innermost first; the last one is of the function that takes the stack.
    pub calls: Rc<[StackFrameCall]>,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackFrameCall {
    /// The function, as dumps have its name.
    pub function: String,
    /// Its file.
    pub file: Option<String>,
    /// The line in it; 0 if it isn't known.
    pub line: u32,
}

/// Eight bytes of a stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StackWord {
    /// Where they are.
    pub address: u64,
    /// What they hold, as a number.
    pub value: u64,
    /// In which call's part of the stack they are.
    pub frame: Option<usize>,
    /// What they are.
    pub what: What,
    /// Where the value is the address of something.
    pub target: Option<Target>,
    /// The arguments and variables that are here, in whole or in part.
    pub variables: Vec<Variable>,
}

/// An argument or variable of which a word has at least a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The frame of its call.
    pub of: usize,
    /// What DWARF tells of it.
    pub local: Rc<Local>,
    /// How many of its bytes are in front of those here.
    pub offset: u64,
}

/// What a word of a stack is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// Where its call returns to: in the next frame, if that is told.
    ReturnAddress,
    /// What the register for frame pointers held in the call of the next frame.
    FramePointer,
    /// An argument or a result of a call.
    Argument {
        /// The frame of that call.
        of: usize,
        /// Which of the values that dumps show between parentheses, from 1 on, it starts with; none for results,
        /// and for what they don't show.
        number: Option<u32>,
        /// Whether it is there: one that came in a register has a place that may not have been written to.
        is_saved: bool,
        /// Whether the garbage collector follows it.
        is_live: bool,
    },
    /// A variable, or what was saved of a register, that the garbage collector follows.
    LivePointer,
    /// A part of a variable with pointers that the garbage collector follows only if it comes by its address.
    Object {
        /// The bytes of all of it.
        bytes: u32,
    },
    /// Nothing that the garbage collector follows: it has no pointer, or one that isn't used any more.
    NoPointer,
    /// In front of the goroutine's first call.
    Start,
    /// Anything: of code that tells nothing of its stack, or where it was interrupted between two calls.
    Unknown,
}

/// What an address is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// The stack itself.
    Stack,
    /// Code, of this function and so far into it.
    Code(String, u64),
    /// A variable or constant of the program.
    Data,
    /// None of these, of what the garbage collector follows: the heap, another stack, or memory that isn't Go's.
    Elsewhere,
}

/// Tells what the words of a stack are; `None` on processors of which the layout isn't known.
pub(super) fn annotate(
    codes: &mut Codes,
    arch: Arch,
    it: &Goroutine,
    (start, stack): (Start, StackCopy),
    certainty: Certainty,
) -> Option<StackWords> {
    if arch != Arch::Amd64 {
        return None;
    }
    let all = it.high.saturating_sub(start.sp) / 8;
    let told = all.min(LIMITS.live_words as u64);
    let addresses = (0..told).map_while(|at| start.sp.checked_add(at.checked_mul(8)?));
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
    let most = words.words.len();
    let end = unwind(codes, arch, stack, start, |frame| {
        if frames.len() < most {
            frames.push(frame.clone());
        }
    });
    frames.retain(|frame| frame.sp < words.end());
    // Of deep recursion each address is looked up once.
    let mut known: HashMap<(u64, bool), Rc<Facts>> = HashMap::new();
    let facts = frames.iter().map(|frame| {
        let facts = known.entry((frame.pc, frame.is_trap));
        facts.or_insert_with(|| Rc::new(Facts::of(codes, frame, words.end()))).clone()
    });
    let facts: Vec<Rc<Facts>> = facts.collect();
    for (at, (frame, facts)) in frames.iter().zip(&facts).enumerate() {
        words.of_frame(codes, facts, at, frame, frames.get(at.saturating_add(1)));
    }
    for (at, (pair, facts)) in frames.windows(2).zip(&facts).enumerate() {
        if let [frame, caller] = pair {
            words.of_arguments(facts, at, frame, caller);
        }
    }
    if let Some(first) = frames.last().filter(|frame| frame.code.is_top) {
        words.range(first.sp, it.high).iter_mut().for_each(|word| word.what = What::Start);
    }
    let lacks_names = words.of_variables(codes, &frames);
    for word in &mut words.words {
        word.target = target(codes, it, word);
    }
    let frames = frames.iter().zip(&facts).map(|(frame, facts)| StackFrame {
        pc: frame.pc,
        sp: frame.sp,
        end: frame.end,
        calls: facts.calls.clone(),
    });
    let known = if end == End::Broken { Certainty::Broken } else { certainty };
    Some(StackWords {
        goroutine: it.id,
        known,
        low: it.low,
        high: it.high,
        frames: frames.collect(),
        left_out: all.saturating_sub(words.words.len() as u64),
        words: words.words,
        lacks_names,
    })
}

/// What the value of a word is the address of.
fn target(codes: &Codes, it: &Goroutine, word: &StackWord) -> Option<Target> {
    let is_live = match word.what {
        What::Argument { is_live, .. } => is_live,
        What::LivePointer => true,
        _ => false,
    };
    let value = word.value;
    if (it.low..it.high).contains(&value) {
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

    /// The words from one address up to another, as far as they are there.
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

    /// Tells what is in a call's own part.
    fn of_frame(
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
            // Of code that isn't Go's no frame is told.
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
        // Zero where a goroutine starts. What came from C has another's.
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
        self.of_objects(&facts.objects, frame.sp, saved);
    }

    /// Tells which words are parts of variables that have an address.
    fn of_objects(&mut self, objects: &[StackObject], sp: u64, variables: u64) {
        // They don't overlap.
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

    /// Names the variables that are in words; tells why that isn't known of all.
    fn of_variables(&mut self, codes: &Codes, frames: &[Frame]) -> Option<&'static str> {
        let sites = frames.iter().map(|it| codes.call_site(it.pc, it.is_trap, it.end));
        let Locals { of_calls, lacks } = codes.locals(&sites.collect::<Vec<_>>());
        let mut room = NAMED;
        for (of, local) in
            (0..).zip(of_calls).flat_map(|(of, all)| all.into_iter().map(move |it| (of, it)))
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
                word.variables.push(Variable { of, local: local.clone(), offset });
            }
        }
        lacks
    }

    /// Tells which words of its caller's part are arguments of a call.
    fn of_arguments(&mut self, facts: &Facts, of: usize, frame: &Frame, caller: &Frame) {
        let from = frame.arguments;
        let Some(bytes) = facts.argument_bytes else { return };
        let to = from.saturating_add(bytes.into()).min(caller.end.saturating_sub(8));
        let map = &facts.maps.arguments;
        for word in self.range(from, to) {
            let bit = word.address.saturating_sub(from) / 8;
            let is_live = map.as_ref().is_some_and(|map| map.has(bit));
            if !matches!(word.what, What::ReturnAddress | What::FramePointer) {
                word.what = What::Argument { of, number: None, is_saved: true, is_live };
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

/// Variables that words are told to have a part of, of all of them: two for each.
const NAMED: usize = 2 * LIMITS.live_words;

/// What is known of the calls that go on at one address.
struct Facts {
    calls: Rc<[StackFrameCall]>,
    maps: PointerMaps,
    objects: Vec<StackObject>,
    argument_bytes: Option<u32>,
}

/// Words of arguments of which pointers are told: 64 KiB of them are more than anybody passes.
const ARGUMENTS: u64 = 1 << 13;

impl Facts {
    /// Those of a frame, of which the words up to an address are told.
    fn of(codes: &Codes, frame: &Frame, end: u64) -> Facts {
        // Between two calls registers have what maps don't know.
        let function = codes.function(frame.pc);
        let mapped = function.filter(|_| !frame.is_trap);
        let bytes = frame.end.min(end).saturating_sub(frame.sp);
        let most = [bytes / 8, ARGUMENTS];
        let maps = mapped.map(|it| it.pointer_maps(codes.in_binary(frame.pc), most));
        // They don't overlap, so that there aren't more of them than bytes.
        let objects = usize::try_from(bytes).ok().zip(mapped);
        Facts {
            calls: codes.calls(frame.pc, frame.is_trap).into(),
            maps: maps.unwrap_or_default(),
            objects: objects.map_or(Vec::new(), |(most, it)| it.stack_objects(most)),
            argument_bytes: function.and_then(|it| it.argument_bytes()),
        }
    }
}

/// Whether it tells nothing of its variables but that the collector need not look at them.
fn is_assembly(code: &Code) -> bool {
    let file = code.calls.last().map(|call| call.place.as_slice()).unwrap_or_default();
    file.windows(3).any(|part| part == b".s:")
}
