//! From registers and a copied stack to the addresses of all calls: with the tables that compilers make for
//! exceptions (`.eh_frame`), with frame pointers where there are none, and in Go code with Go's own table.

use super::elf::Elf;
use super::go::Go;
use super::modules::Modules;
use super::tables::Costs;
use crate::limits::LIMITS;
use crate::live::linux::stop::Registers;
use crate::live::native::StackEnd;
use crate::live::stack::StackCopy;
use framehop::{
    CacheNative, Error, ExplicitModuleSectionInfo, FrameAddress, MayAllocateDuringUnwind, Module,
    UnwindRegsNative, Unwinder as _, UnwinderNative,
};
use std::collections::HashMap;

/// The address of a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Pc {
    pub(super) address: u64,
    /// Whether it is a return address: the call instruction is right before it.
    pub(super) is_return: bool,
}

impl Pc {
    /// An address within the instruction.
    pub(super) fn within(self) -> u64 {
        self.address.saturating_sub(self.is_return.into())
    }
}

/// Unwinds the stacks of a process.
pub(super) struct Unwinder<'a> {
    modules: &'a mut Modules,
    go: Option<&'a Go>,
    native: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    cache: CacheNative<MayAllocateDuringUnwind>,
    /// The modules whose tables are known: how far they were moved, and what steps with them take.
    known: HashMap<usize, (u64, Costs)>,
    /// How many instructions may yet be run.
    pub(super) left: usize,
    /// Whether there were more.
    is_cut_short: bool,
}

/// The result of one step up the stack.
enum Step {
    /// Its caller, with these registers.
    Caller(Registers),
    End(StackEnd),
}

/// The calls on a stack.
#[derive(Debug)]
pub(super) struct Unwound {
    /// Innermost first.
    pub(super) pcs: Vec<Pc>,
    pub(super) end: StackEnd,
    /// The stack pointer in the last call.
    pub(super) sp: u64,
}

impl<'a> Unwinder<'a> {
    pub(super) fn new(modules: &'a mut Modules, go: Option<&'a Go>) -> Unwinder<'a> {
        let (native, cache, known) = Default::default();
        Unwinder {
            modules,
            go,
            native,
            cache,
            known,
            left: LIMITS.unwind_steps,
            is_cut_short: false,
        }
    }

    /// An unwinder with these tables.
    #[cfg(test)]
    pub(super) fn with(
        modules: &'a mut Modules,
        native: UnwinderNative<Vec<u8>, MayAllocateDuringUnwind>,
    ) -> Unwinder<'a> {
        Unwinder { native, ..Unwinder::new(modules, None) }
    }

    /// The calls on a stack; `is_return` if the innermost `pc` is a return address.
    pub(super) fn unwind(
        &mut self,
        mut registers: Registers,
        is_return: bool,
        stack: StackCopy,
        is_cut: bool,
    ) -> Unwound {
        let mut pcs = Vec::new();
        let mut end = StackEnd::Lost;
        while pcs.len() < LIMITS.native_frames {
            let pc = Pc { address: registers.pc, is_return: is_return || !pcs.is_empty() };
            pcs.push(pc);
            let step = self.go_step(pc, registers, stack);
            match step.unwrap_or_else(|| self.native_step(pc, registers, stack)) {
                Step::Caller(caller) => registers = caller,
                Step::End(StackEnd::CutOff) if !is_cut => break,
                Step::End(reason) => {
                    end = reason;
                    break;
                }
            }
        }
        Unwound { pcs, end, sp: registers.sp }
    }

    /// The caller of a Go function; `None` if `pc` isn't in one.
    fn go_step(&self, pc: Pc, registers: Registers, stack: StackCopy) -> Option<Step> {
        let Go { binary, slide, .. } = self.go?;
        let within = slide.to_binary(pc.within());
        let function = binary.function(within)?;
        if function.is_top() {
            return Some(Step::End(StackEnd::Whole));
        }
        if function.writes_stack_pointer() {
            match &*function.name() {
                // This one switches stacks in a way that can be unwound.
                b"runtime.cgocallback" => {}
                // These leave the goroutine for good.
                b"runtime.mcall" | b"runtime.morestack" | b"runtime.gogo" => {
                    return Some(Step::End(StackEnd::Whole));
                }
                _ => return Some(Step::End(StackEnd::Switched)),
            }
        }
        let size = function.stack_size_at(within)?;
        let has_link = cfg!(target_arch = "aarch64");
        let size = u64::try_from(size).ok()?;
        let up = if has_link { size } else { size.checked_add(8)? };
        let sp = registers.sp.checked_add(up)?;
        let word = |address: Option<u64>| stack.word(address?);
        let caller = match has_link {
            true if size == 0 && !pc.is_return => Some(registers.lr),
            true if size == 0 => return Some(Step::End(StackEnd::Lost)),
            true => word(Some(registers.sp)),
            false => word(sp.checked_sub(8)),
        };
        // The caller's frame pointer is next to the return address.
        let saved = match has_link {
            true => word(registers.sp.checked_sub(8)),
            false => word(sp.checked_sub(16)),
        };
        let fp = saved.filter(|_| size > 0).unwrap_or(registers.fp);
        Some(match caller {
            Some(0) => Step::End(StackEnd::Whole),
            Some(pc) => Step::Caller(Registers { pc, sp, fp, lr: 0 }),
            None => Step::End(StackEnd::CutOff),
        })
    }

    fn native_step(&mut self, pc: Pc, registers: Registers, stack: StackCopy) -> Step {
        let module = self.modules.find(pc.within());
        let cost = module.map_or(1, |module| self.cost(module, pc.within()));
        match self.left.checked_sub(cost) {
            Some(left) => self.left = left,
            None if self.is_cut_short => return Step::End(StackEnd::Lost),
            None => {
                self.is_cut_short = true;
                let most = LIMITS.unwind_steps;
                self.modules.note(format!(
                    "unwinding takes more than {most} steps (unwind_steps): not all stacks are whole"
                ));
                return Step::End(StackEnd::Lost);
            }
        }
        let address = match pc.is_return {
            true => FrameAddress::from_return_address(pc.address),
            false => Some(FrameAddress::from_instruction_pointer(pc.address)),
        };
        let Some(address) = address else { return Step::End(StackEnd::Whole) };
        let mut native = to_native(registers);
        let mut word = |address: u64| stack.word(address).ok_or(());
        match self.native.unwind_frame(address, &mut native, &mut self.cache, &mut word) {
            Ok(None | Some(0)) => Step::End(StackEnd::Whole),
            Ok(Some(pc)) => match from_native(pc, &native) {
                // Each call takes some stack, except the innermost one on some processors.
                caller if caller.sp > registers.sp || !address.is_return_address() => {
                    Step::Caller(caller)
                }
                _ => Step::End(StackEnd::Lost),
            },
            Err(Error::CouldNotReadStack(at)) if at >= stack.start => Step::End(StackEnd::CutOff),
            Err(_) => Step::End(StackEnd::Lost),
        }
    }

    /// What a step from an address of a module takes.
    fn cost(&mut self, module: usize, address: u64) -> usize {
        if !self.known.contains_key(&module) {
            let costs = self.learn(module).unwrap_or_default();
            self.known.insert(module, costs);
        }
        let costs = self.known.get(&module);
        costs.map_or(1, |(bias, costs)| costs.at(address.wrapping_sub(*bias)))
    }

    /// Adds a module's tables when the first call in its code is met.
    fn learn(&mut self, at: usize) -> Option<(u64, Costs)> {
        let (module, elf) = self.modules.open(at)?;
        let bias = module.bias(elf)?;
        let mut sections = sections(elf);
        let range = module.start..module.end;
        let costs = Costs::of(&sections).unwrap_or_else(|why| {
            // Frame pointers are followed instead.
            sections.eh_frame = None;
            let name = self.modules.name(at).unwrap_or_default();
            self.modules.note(format!("{name}: {}", why.text()));
            Costs::default()
        });
        self.native.add_module(Module::new(String::new(), range, bias, sections));
        Some((bias, costs))
    }
}

/// The unwind tables of a program or library.
pub(super) fn sections(elf: &Elf) -> ExplicitModuleSectionInfo<Vec<u8>> {
    // They are read by the system, so they are never packed.
    let most = LIMITS.debug_section.min(elf.len());
    let bytes = |name: &str| elf.section(name, most).map(|bytes| bytes.into_owned());
    ExplicitModuleSectionInfo {
        base_svma: 0,
        text_svma: elf.address_range(".text"),
        eh_frame_svma: elf.address_range(".eh_frame"),
        eh_frame: bytes(".eh_frame"),
        // Only its address, which others count from. Its table would save the sorting of `.eh_frame`, but may
        // point in front of that, which its reader subtracts unchecked.
        eh_frame_hdr_svma: elf.address_range(".eh_frame_hdr"),
        got_svma: elf.address_range(".got"),
        ..ExplicitModuleSectionInfo::default()
    }
}

#[cfg(target_arch = "x86_64")]
fn to_native(registers: Registers) -> UnwindRegsNative {
    UnwindRegsNative::new(registers.pc, registers.sp, registers.fp)
}

#[cfg(target_arch = "x86_64")]
fn from_native(pc: u64, native: &UnwindRegsNative) -> Registers {
    Registers { pc, sp: native.sp(), fp: native.bp(), lr: 0 }
}

#[cfg(target_arch = "aarch64")]
fn to_native(registers: Registers) -> UnwindRegsNative {
    // The upper bits of return addresses may be a signature; addresses of user space have 48 bits.
    let mask = framehop::aarch64::PtrAuthMask(u64::MAX >> 16);
    let Registers { sp, fp, lr, .. } = registers;
    UnwindRegsNative::new_with_ptr_auth_mask(mask, lr, sp, fp)
}

#[cfg(target_arch = "aarch64")]
fn from_native(pc: u64, native: &UnwindRegsNative) -> Registers {
    Registers { pc, sp: native.sp(), fp: native.fp(), lr: native.lr() }
}
