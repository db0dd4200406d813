//! What unwinding and printing need to know about a return address. 100,000 goroutines have fewer than a
//! hundred distinct ones, so each is looked up once.

use super::annotate::StackFrameCall;
use crate::binary::{Argument, Binary, CallSite, Function, Locals, Slide};
use crate::error::escaped;
use crate::profile::function::printed;
use bstr::ByteSlice;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;

/// The code at an address.
#[derive(Debug)]
pub(super) struct Code {
    /// Whether stacks start in this function.
    pub(super) is_top: bool,
    /// Whether its caller can't be found, except if it is known where a system call was made from.
    pub(super) is_last: bool,
    /// The size of its frame, without the return address that the call pushed.
    pub(super) frame: Option<u64>,
    /// Whether the runtime injected the call, which is possible at any instruction.
    pub(super) is_injected: bool,
    /// The calls at this address, innermost first: all but the last were inlined.
    pub(super) calls: Vec<Call>,
    /// What is printed between the parentheses of the last call.
    pub(super) arguments: Vec<Argument>,
}

impl Code {
    /// The bytes of the texts of its calls.
    pub(super) fn bytes(&self) -> usize {
        let calls = self.calls.iter();
        calls.map(|it| it.name.len().saturating_add(it.place.len())).fold(0, usize::saturating_add)
    }
}

/// A call as it is printed.
#[derive(Debug)]
pub(super) struct Call {
    /// Whether it is a wrapper that the compiler made.
    pub(super) is_wrapper: bool,
    /// Whether wrappers that call it are shown (`elideWrapperCalling`).
    pub(super) is_panic: bool,
    /// When it is printed.
    pub(super) shown: Shown,
    /// Its name as printed.
    pub(super) name: Vec<u8>,
    /// The second line of its frame: file, line and offset.
    pub(super) place: Vec<u8>,
}

/// When a call is printed (`showfuncinfo` in `runtime/traceback.go`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// Always.
    Yes,
    /// Of the runtime: only if the stack has no other calls.
    No,
    /// Unless it is the innermost one.
    NotFirst,
}

/// Looks up code, each address once.
pub(super) struct Codes<'a> {
    binary: &'a Binary,
    slide: Slide,
    minor: u32,
    /// By address and `is_trap`: whether that is an interrupted instruction, not a return address.
    pub(super) known: Known<(u64, bool), Option<Rc<Code>>>,
    creators: Known<u64, Option<Rc<Creator>>>,
    started: Known<u64, Started>,
}

/// What was looked up, unless there is too much: hostile memory has no end of addresses, and hostile programs none of
/// names.
pub(super) struct Known<K, V> {
    found: HashMap<K, V>,
    /// How many more bytes may be kept.
    left: usize,
}

impl<K: Hash + Eq, V: Clone> Known<K, V> {
    fn new() -> Known<K, V> {
        Known { found: HashMap::new(), left: MOST_KNOWN }
    }

    /// Keeps a value whose texts have so many bytes.
    pub(super) fn remember(&mut self, key: K, value: V, bytes: usize) -> V {
        if let Some(left) = self.left.checked_sub(bytes.saturating_add(ENTRY)) {
            self.left = left;
            self.found.insert(key, value.clone());
        }
        value
    }
}

/// How a goroutine's creator is printed: in front of the creator's number, and behind it.
struct Creator {
    name: Vec<u8>,
    place: Vec<u8>,
}

/// Which goroutines that started with a function are printed (`isSystemGoroutine`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Started {
    /// All.
    Shown,
    /// The runtime's own: none.
    Hidden,
    /// That of finalizers or cleanups: while it runs one.
    ShownWithUserCode,
}

impl<'a> Codes<'a> {
    pub(super) fn new(binary: &'a Binary, slide: Slide, minor: u32) -> Codes<'a> {
        let (known, creators, started) = (Known::new(), Known::new(), Known::new());
        Codes { binary, slide, minor, known, creators, started }
    }

    /// The code at a return address or, if it is a trap, at an interrupted instruction.
    pub(super) fn at(&mut self, pc: u64, is_trap: bool) -> Option<Rc<Code>> {
        if let Some(known) = self.known.found.get(&(pc, is_trap)) {
            return known.clone();
        }
        let code = self.read(self.slide.to_binary(pc), is_trap).map(Rc::new);
        let bytes = code.as_ref().map_or(0, |code| code.bytes());
        self.known.remember((pc, is_trap), code, bytes)
    }

    /// The size of a function's frame at an instruction.
    pub(super) fn stack_size(&self, function: &Function, pc: u64) -> Option<i32> {
        function.stack_size_at(self.slide.to_binary(pc))
    }

    /// The function at an address.
    pub(super) fn function(&self, pc: u64) -> Option<Function<'a>> {
        self.binary.function(self.slide.to_binary(pc))
    }

    /// The address in the binary for an address in the process.
    pub(super) fn in_binary(&self, address: u64) -> u64 {
        self.slide.to_binary(address)
    }

    /// Whether an address is that of a variable or constant of the program.
    pub(super) fn has_data(&self, address: u64) -> bool {
        self.binary.has_data(self.in_binary(address))
    }

    /// The name of a function as in dumps.
    pub(super) fn name(&self, function: &Function) -> String {
        String::from_utf8_lossy(&printed(&function.name())).into_owned()
    }

    /// The call that continues at `pc`; `cfa` is the end of its part of the stack.
    pub(super) fn call_site(&self, pc: u64, is_trap: bool, cfa: u64) -> CallSite {
        CallSite { pc: self.call(pc, is_trap), cfa }
    }

    /// The arguments and variables of calls.
    pub(super) fn locals(&self, calls: &[CallSite]) -> Locals {
        self.binary.locals(calls)
    }

    /// The address in the binary of the call instruction before `pc`; `pc` itself if nothing was called.
    fn call(&self, pc: u64, is_trap: bool) -> u64 {
        let pc = self.in_binary(pc);
        let starts = self.binary.function(pc).is_some_and(|function| function.entry() == pc);
        if is_trap || starts { pc } else { pc.wrapping_sub(1) }
    }

    /// The calls at an address, innermost first, with their source lines.
    pub(super) fn calls(&self, pc: u64, is_trap: bool) -> Vec<StackFrameCall> {
        let at = self.call(pc, is_trap);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let frames = self.binary.frames(at).into_iter();
        let calls = frames.map(|frame| StackFrameCall {
            function: text(&printed(&frame.function)),
            file: frame.file.as_deref().map(text),
            line: frame.line,
        });
        calls.collect()
    }

    fn read(&self, pc: u64, is_trap: bool) -> Option<Code> {
        let function = self.binary.function(pc)?;
        let into = pc.checked_sub(function.entry())?;
        // The call instruction ends at the byte before its return address.
        let symbol_pc = if !is_trap && into > 0 { pc.checked_sub(1)? } else { pc };
        let name = function.name();
        let frames = self.binary.frames(symbol_pc);
        let last = frames.len().saturating_sub(1);
        let calls = frames.into_iter().enumerate().map(|(at, frame)| {
            let mut place = place(frame.file.as_deref(), frame.line);
            if at == last && into > 0 {
                place.extend_from_slice(format!(" +{into:#x}").as_bytes());
            }
            place.push(b'\n');
            Call {
                is_wrapper: self.binary.is_wrapper(frame.id),
                is_panic: PANICS.contains(&&*frame.function),
                shown: shown(&frame.function, self.minor),
                name: shown_name(&frame.function),
                place,
            }
        });
        // This one switches stacks in a way that can be unwound at every instruction.
        let switches = *name == *b"runtime.cgocallback";
        Some(Code {
            is_top: function.is_top(),
            is_last: function.writes_stack_pointer() && !switches,
            frame: function.stack_size_at(pc).and_then(|size| size.try_into().ok()),
            is_injected: INJECTED.contains(&&*name),
            calls: calls.collect(),
            arguments: function.arguments(symbol_pc).unwrap_or_default(),
        })
    }

    /// The `created by` lines of a goroutine that was created at `pc`; `None` if Go doesn't print them
    /// either.
    pub(super) fn creator(&mut self, pc: u64, by: u64) -> Option<Vec<u8>> {
        let creator = match self.creators.found.get(&pc) {
            Some(known) => known.clone(),
            None => {
                let creator = self.read_creator(self.slide.to_binary(pc)).map(Rc::new);
                let bytes =
                    creator.as_ref().map_or(0, |it| it.name.len().saturating_add(it.place.len()));
                self.creators.remember(pc, creator, bytes)
            }
        }?;
        let mut text = creator.name.clone();
        if by != 0 {
            text.extend_from_slice(format!(" in goroutine {by}").as_bytes());
        }
        text.extend_from_slice(&creator.place);
        Some(text)
    }

    fn read_creator(&self, pc: u64) -> Option<Creator> {
        let function = self.binary.function(pc)?;
        let name = function.name();
        if shown(&name, self.minor) == Shown::No {
            return None;
        }
        let into = pc.checked_sub(function.entry())?;
        let found = self.binary.place(if into > 0 { pc.checked_sub(1)? } else { pc })?;
        let mut place = b"\n".to_vec();
        place.extend(self::place(found.file.as_deref(), found.line));
        if into > 0 {
            place.extend_from_slice(format!(" +{into:#x}").as_bytes());
        }
        place.push(b'\n');
        Some(Creator { name: [b"created by ".as_slice(), &shown_name(&name)].concat(), place })
    }

    /// Which goroutines that started at an address are printed.
    pub(super) fn started(&mut self, pc: u64) -> Started {
        if let Some(known) = self.started.found.get(&pc) {
            return *known;
        }
        let function = self.function(pc);
        let started = function.map_or(Started::Shown, |function| match &*function.name() {
            b"runtime.main" | b"runtime.corostart" | b"runtime.handleAsyncEvent" => Started::Shown,
            b"runtime.runfinq" | b"runtime.runFinalizers" | b"runtime.runCleanups" => {
                Started::ShownWithUserCode
            }
            name if name.starts_with(b"runtime.") => Started::Hidden,
            _ => Started::Shown,
        });
        self.started.remember(pc, started, 0)
    }
}

/// The bytes that are kept of each kind: twice what all 100,000 return addresses of the go command need.
const MOST_KNOWN: usize = 64 << 20;
/// What an entry needs beside its texts.
const ENTRY: usize = 192;
/// `elideWrapperCalling`.
const PANICS: [&[u8]; 3] = [b"runtime.gopanic", b"runtime.sigpanic", b"runtime.panicwrap"];
/// `isInjectedCall`.
const INJECTED: [&[u8]; 3] = [b"runtime.sigpanic", b"runtime.asyncPreempt", b"runtime.debugCallV2"];
/// Printed from Go 1.25 on although they are in the runtime.
const CLEANING: [&[u8]; 2] = [b"runtime.runFinalizers", b"runtime.runCleanups"];

/// The name of a function as its line in the text starts.
fn shown_name(name: &[u8]) -> Vec<u8> {
    // `printFuncName`.
    if name == b"runtime.gopanic" { b"panic".to_vec() } else { in_line(&printed(name)) }
}

/// The start of the second line of a frame.
fn place(file: Option<&[u8]>, line: u32) -> Vec<u8> {
    let file = file.map_or(b"?".to_vec(), in_line);
    [b"\t", file.as_slice(), format!(":{line}").as_bytes()].concat()
}

/// A name as a part of a line. The text is read back as a dump, and a name is whatever the program's file
/// says: it must start no other line, and no goroutine, which may have anything in front in a log.
fn in_line(name: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(name.len());
    for chunk in name.utf8_chunks() {
        line.extend_from_slice(escaped(chunk.valid()).as_bytes());
        line.extend_from_slice(chunk.invalid());
    }
    line.replace("oroutine ", "oroutine_")
}

fn shown(name: &[u8], minor: u32) -> Shown {
    if minor >= 25 && CLEANING.contains(&name) {
        return Shown::Yes;
    }
    if name == b"runtime.gopanic" {
        return Shown::NotFirst;
    }
    let has_dot = name.contains(&b'.');
    match name.strip_prefix(b"runtime.") {
        Some(rest) if !is_exported(rest, minor) => Shown::No,
        _ if !has_dot => Shown::No,
        _ => Shown::Yes,
    }
}

/// Whether what follows `runtime.` is exported (`isExportedRuntime`); of methods, since Go 1.23, their type
/// too.
fn is_exported(name: &[u8], minor: u32) -> bool {
    let is_upper = |name: &[u8]| name.first().is_some_and(u8::is_ascii_uppercase);
    if minor < 23 {
        return is_upper(name);
    }
    let Some(dot) = memchr::memrchr(b'.', name) else { return is_upper(name) };
    let (receiver, method) = name.split_at_checked(dot).unwrap_or_default();
    let bare = receiver.strip_prefix(b"(*").and_then(|rest| rest.strip_suffix(b")"));
    let receiver = bare.unwrap_or(receiver);
    is_upper(method.get(1..).unwrap_or_default()) && (receiver.is_empty() || is_upper(receiver))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_up_is_kept_up_to_so_many_bytes_and_answered_all_the_same() {
        let (mut known, bytes) = (Known::new(), 1 << 20);
        for key in 0..100 {
            assert_eq!(known.remember(key, key + 1, bytes), key + 1);
        }
        assert_eq!(known.found.len(), MOST_KNOWN / (bytes + ENTRY));
    }
}
