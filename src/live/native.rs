//! The native stacks of all threads of a process, of whatever language it is written in.

use crate::binary::{Binary, Slide};
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
)))]
pub use elsewhere::{native_calls, native_stacks};
use std::time::Duration;

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeOptions {
    /// Only these threads, by their numbers; all if there are none.
    pub threads: Vec<u32>,
    /// Only threads in one of these states before they are stopped, as `ps` shows them; all if there are none.
    pub states: String,
    /// Whether libraries that were deleted are taken from where they were, whatever is there now.
    pub ignore_deleted: bool,
    /// Bytes of a thread's stack that are copied, from the innermost call on.
    pub max_stack: usize,
    /// How long threads may take to stop.
    pub stop_timeout: Duration,
    /// How memory is read.
    pub reader: Reader,
}

/// How memory is read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reader {
    /// By the call for it, and where that isn't allowed from the file.
    #[default]
    Auto,
    /// By `process_vm_readv`.
    Vm,
    /// From `/proc/PID/mem`.
    ProcMem,
}

/// What was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeStacks {
    /// By number.
    pub threads: Vec<NativeThread>,
    /// What it took.
    pub stats: NativeStats,
    /// What could not be had: libraries that can't be read.
    pub notes: Vec<String>,
}

/// A stack that was copied somewhere, of code in one program or library.
#[derive(Debug)]
pub struct NativeCopy<'a, M> {
    /// What the file of that has in it ...
    pub file: Vec<u8>,
    /// ... and where it is mapped, as a whole.
    pub start: u64,
    /// A program of Go beside it, and how far it was moved.
    pub program: Option<(Binary, Slide)>,
    /// Where goroutines are that went over to C.
    pub memory: &'a M,
    /// The registers for the instruction, the stack, its frames and the return address.
    pub registers: [u64; 4],
    /// What is on the stack, from the register for it on.
    pub stack: Vec<u8>,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeThread {
    /// Its number.
    pub number: u32,
    /// Its name, which is that of the program unless it was given another.
    pub name: String,
    /// What it did before it was stopped, as `ps` shows it.
    pub state: char,
    /// Its stack pointer.
    pub sp: u64,
    /// The goroutine that called C on it, whose calls follow those of C.
    pub goroutine: Option<u64>,
    /// Its calls, innermost first.
    pub frames: Vec<NativeFrame>,
    /// Whether these are all.
    pub end: StackEnd,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeFrame {
    /// The address of the instruction, of callers the one that the call returns to.
    pub pc: u64,
    /// The function, if it is known.
    pub function: Option<String>,
    /// How far behind the function's start the instruction is; nothing of one that was inlined.
    pub offset: Option<u64>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it; 0 if it isn't known.
    pub line: u32,
    /// The program or library.
    pub module: Option<String>,
    /// Whether it was inlined into the next one.
    pub is_inlined: bool,
}

/// How a stack ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackEnd {
    /// Where the thread started.
    Whole,
    /// Where code of Go goes over to another stack: its callers are on that.
    Switched,
    /// At the end of what was copied.
    CutOff,
    /// Where nothing is known of the code, or the stack doesn't fit it.
    Lost,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NativeStats {
    /// From when the first thread was asked to stop until the last one stood still.
    pub stopping: Duration,
    /// Reading registers and stacks.
    pub copying: Duration,
    /// Letting all run on.
    pub resuming: Duration,
    /// No thread stood still for longer.
    pub total: Duration,
    /// Bytes of stacks that were copied.
    pub bytes: u64,
}

/// Where native stacks can't be read.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
)))]
mod elsewhere {
    use super::{NativeCopy, NativeFrame, NativeOptions, NativeStacks, StackEnd};
    use crate::error::{Error, ErrorKind, Result};

    /// Nothing.
    pub fn native_calls<M>(_: NativeCopy<'_, M>) -> (Vec<NativeFrame>, StackEnd) {
        (Vec::new(), StackEnd::Lost)
    }

    /// Says that it can't be done.
    ///
    /// # Errors
    /// Always.
    pub fn native_stacks(_: u32, _: &NativeOptions, input: &str) -> Result<NativeStacks> {
        Err(Error::new(ErrorKind::Usage, input, "this build can't read native stacks")
            .advise("build it for Linux on x86-64 or ARM64, with --features native"))
    }
}
