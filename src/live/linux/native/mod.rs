//! Native stacks: copied while the threads are stopped, unwound while they run again.

mod elf;
mod go;
mod lines;
mod modules;
mod symbols;
mod tables;
#[cfg(test)]
mod tests;
mod unwind;

use super::memory::ProcessMemory;
use super::stop::{Registers, Seized, Times, thread_state, threads, trace};
use crate::binary::Binary;
use crate::error::Result;
use crate::limits::LIMITS;
use crate::live::error::Refusal;
use crate::live::memory::{Memory, Piece};
use crate::live::native::{
    NativeCopy, NativeFrame, NativeOptions, NativeStacks, NativeStats, NativeThread, StackEnd,
};
use crate::live::stack::StackCopy;
use go::Go;
use modules::{Maps, Modules};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use symbols::Symbols;
use unwind::{Unwinder, Unwound};

/// Reads the native stacks of a process' threads.
///
/// # Errors
/// If there is no such process or thread, or it may not be stopped or read.
pub fn native_stacks(pid: u32, options: &NativeOptions, input: &str) -> Result<NativeStacks> {
    read(pid, options).map_err(|refusal| refusal.error(input))
}

/// The calls on a copied stack, and whether they are all; none if they are too many
/// ([`native_calls`](crate::limits::Limits::native_calls)).
pub fn native_calls<M: Memory>(copy: NativeCopy<'_, M>) -> (Vec<NativeFrame>, StackEnd) {
    let mut modules = Modules::of_file(copy.start, copy.file);
    let go = copy.program.map(|(binary, slide)| Go::new(binary, slide));
    let [pc, sp, fp, lr] = copy.registers;
    let registers = Registers { pc, sp, fp, lr };
    let copied = Copied { thread: 0, registers, bytes: copy.stack, is_cut: false };
    let (stacks, symbols) =
        unwind(&[copied], &mut modules, go.as_ref(), copy.memory, LIMITS.live_stack);
    let calls = stacks.iter().flat_map(|(unwound, _)| &unwound.pcs);
    let end = stacks.first().map_or(StackEnd::Lost, |(unwound, _)| unwound.end);
    if symbols.lacks_room() || symbols.count(calls.clone()) > LIMITS.native_calls {
        return (Vec::new(), StackEnd::Lost);
    }
    (calls.flat_map(|pc| symbols.frames(*pc)).collect(), end)
}

/// A thread before it was stopped.
struct Before {
    name: String,
    state: char,
}

impl Before {
    fn of(pid: u32, thread: u32) -> Option<Before> {
        let name = std::fs::read(format!("/proc/{pid}/task/{thread}/comm")).ok()?;
        let name = String::from_utf8_lossy(name.trim_ascii_end()).into_owned();
        Some(Before { name, state: thread_state(pid, thread)? })
    }
}

/// The copy of a thread.
struct Copied {
    thread: u32,
    registers: Registers,
    bytes: Vec<u8>,
    /// Whether the stack is longer than the copy.
    is_cut: bool,
}

fn read(pid: u32, options: &NativeOptions) -> std::result::Result<NativeStacks, Refusal> {
    let mut wanted = wanted(pid, options)?;
    let mut modules = Modules::of(pid, options.ignore_deleted)?;
    let number = i32::try_from(pid).map_err(|_| Refusal::Gone)?;
    let known = modules.maps().address().ok_or(Refusal::NoProgram)?;
    let memory = ProcessMemory::open(Pid::from_raw(number), known, options.reader)?;
    let (copies, mut stats) = copy(pid, &wanted, options, modules.maps(), &memory)?;
    modules.read_vdso(&memory);
    // A program that can't be read isn't a Go program, or is of an unknown version.
    let binary = Binary::open(Path::new(&format!("/proc/{pid}/exe"))).ok();
    let go = binary.and_then(|binary| {
        let slide = modules.slide_of(&binary)?;
        Some(Go::new(binary, slide))
    });
    let bytes = copies.iter().map(|copied| copied.bytes.len() as u64);
    stats.bytes = bytes.fold(0, u64::saturating_add);
    let (stacks, symbols) = unwind(&copies, &mut modules, go.as_ref(), &memory, options.max_stack);
    let calls = stacks.iter().flat_map(|(unwound, _)| &unwound.pcs);
    if symbols.lacks_room() || symbols.count(calls) > LIMITS.native_calls {
        return Err(Refusal::TooManyCalls);
    }
    let threads = copies.iter().zip(stacks).filter_map(|(copied, (unwound, goroutine))| {
        // Threads that have started since weren't seen before.
        let started = || Before::of(pid, copied.thread);
        let before = wanted.remove(&copied.thread).or_else(started)?;
        Some(NativeThread {
            number: copied.thread,
            name: before.name,
            state: before.state,
            sp: copied.registers.sp,
            goroutine,
            frames: unwound.pcs.iter().flat_map(|pc| symbols.frames(*pc)).collect(),
            end: unwound.end,
        })
    });
    Ok(NativeStacks { threads: threads.collect(), stats, notes: modules.into_notes() })
}

/// Unwinds each stack, with the number of the goroutine that called C there; also returns the symbols of
/// all calls.
fn unwind(
    copies: &[Copied],
    modules: &mut Modules,
    go: Option<&Go>,
    memory: &impl Memory,
    max_stack: usize,
) -> (Vec<(Unwound, Option<u64>)>, Symbols) {
    let mut unwinder = Unwinder::new(modules, go);
    let mut stacks = Vec::new();
    for copied in copies {
        let stack = StackCopy { start: copied.registers.sp, bytes: &copied.bytes };
        let mut unwound = unwinder.unwind(copied.registers, false, stack, copied.is_cut);
        let mut goroutine = None;
        if let (StackEnd::Switched, Some(go)) = (unwound.end, go)
            && let Some(caller) = go.caller(stack, unwound.sp, memory)
            && let Some(more) = go.calls(&caller, max_stack, memory, &mut unwinder)
        {
            goroutine = Some(caller.id);
            unwound.pcs.extend(more.pcs);
            unwound.end = more.end;
        }
        stacks.push((unwound, goroutine));
    }
    let pcs = stacks.iter().flat_map(|(unwound, _)| &unwound.pcs).copied();
    let symbols = Symbols::find(pcs, modules, go);
    (stacks, symbols)
}

/// The selected threads.
fn wanted(
    pid: u32,
    options: &NativeOptions,
) -> std::result::Result<BTreeMap<u32, Before>, Refusal> {
    let all = threads(pid)?;
    if let Some(missing) = options.threads.iter().find(|wanted| !all.contains(wanted)) {
        return Err(Refusal::NoThread(*missing));
    }
    let is_asked = |thread: &u32| options.threads.is_empty() || options.threads.contains(thread);
    let found = all.into_iter().filter(is_asked).filter_map(|thread| {
        let before = Before::of(pid, thread)?;
        let is_asked = options.states.is_empty() || options.states.contains(before.state);
        is_asked.then_some((thread, before))
    });
    let found: BTreeMap<u32, Before> = found.collect();
    match found.is_empty() && !options.states.is_empty() {
        true => Err(Refusal::NoSuchState(options.states.clone())),
        false => Ok(found),
    }
}

/// Copies registers and stacks of these threads while they are stopped.
fn copy(
    pid: u32,
    wanted: &BTreeMap<u32, Before>,
    options: &NativeOptions,
    maps: &Maps,
    memory: &ProcessMemory,
) -> std::result::Result<(Vec<Copied>, NativeStats), Refusal> {
    let count = wanted.len().saturating_add(STARTED);
    let mut room = options.max_stack.saturating_mul(count).min(LIMITS.native_copied);
    let mut buffer = vec![0; room];
    // Writing assigns the pages, which takes longer than copying a stack.
    buffer.iter_mut().take(TOUCHED).step_by(PAGE).for_each(|byte| *byte = 1);
    let act = |seized: Seized| {
        let stopped = seized.stop(options.stop_timeout)?;
        let copying = Instant::now();
        let plan = stopped.registers(|_| true).into_iter().map(|(thread, registers)| {
            let end = maps.end(registers.sp);
            let whole = end.saturating_sub(registers.sp);
            let len = usize::try_from(whole).unwrap_or(usize::MAX).min(options.max_stack).min(room);
            room = room.saturating_sub(len);
            let piece = Piece { address: registers.sp, len };
            (thread, registers, piece, (len as u64) < whole)
        });
        let plan: Vec<(u32, Registers, Piece, bool)> = plan.collect();
        let (mut at, mut from) = (0_usize, 0_usize);
        let mut read = vec![false; plan.len()];
        while at < plan.len() {
            let rest = plan.get(at..).unwrap_or_default();
            let pieces: Vec<Piece> = rest.iter().map(|(_, _, piece, _)| *piece).collect();
            let whole = memory.read_pieces(&pieces, buffer.get_mut(from..).unwrap_or_default());
            // A piece that can't be read is skipped.
            let passed = whole.saturating_add(1).min(rest.len());
            for (index, piece) in pieces.iter().enumerate().take(passed) {
                from = from.saturating_add(piece.len);
                if let Some(read) = read.get_mut(at.saturating_add(index)) {
                    *read = index < whole;
                }
            }
            at = at.saturating_add(passed);
        }
        Ok((plan, read, copying.elapsed(), stopped.resume()))
    };
    let all = options.threads.is_empty() && options.states.is_empty();
    let (plan, read, copying, times) =
        trace(pid, |thread| all || wanted.contains_key(&thread), act)?;
    let mut from = 0_usize;
    let copies = plan.into_iter().zip(read).map(|((thread, registers, piece, is_cut), read)| {
        let start = from;
        from = from.saturating_add(piece.len);
        let bytes = buffer.get(start..from).filter(|_| read).unwrap_or_default();
        Copied { thread, registers, bytes: bytes.to_vec(), is_cut: is_cut || !read }
    });
    let copies = copies.collect();
    let Times { stopping, resuming, total } = times;
    Ok((copies, NativeStats { stopping, copying, resuming, total, bytes: 0 }))
}

/// Threads that may start after they were listed: there is room for their stacks.
const STARTED: usize = 16;
/// Bytes for stacks that are written to before threads are stopped.
const TOUCHED: usize = 256 << 20;
const PAGE: usize = 4096;
