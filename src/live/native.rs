//! The native stacks of all threads of a process, whatever language it is written in.

use crate::binary::{Binary, Slide};
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
)))]
pub use elsewhere::{native_calls, native_stacks};
use std::time::Duration;

/// Which native stacks are read, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeOptions {
    /// Only threads with these IDs; all if empty.
    pub threads: Vec<u32>,
    /// Only threads in one of these states (letters of `ps`) before they are stopped; all if empty.
    pub states: String,
    /// Whether to use the file at the path of a deleted library, whatever it is now.
    pub ignore_deleted: bool,
    /// The most bytes that are copied of a thread's stack, from the innermost call on.
    pub max_stack: usize,
    /// How long threads may take to stop.
    pub stop_timeout: Duration,
    /// How memory is read.
    pub reader: Reader,
}

/// How memory is read.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Reader {
    /// With `process_vm_readv`; if that isn't allowed, from `/proc/PID/mem`.
    #[default]
    Auto,
    /// With `process_vm_readv`.
    Vm,
    /// From `/proc/PID/mem`.
    ProcMem,
}

/// The native stacks of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeStacks {
    /// By ascending thread ID.
    pub threads: Vec<NativeThread>,
    /// How long it took.
    pub stats: NativeStats,
    /// Problems: libraries that can't be read.
    pub notes: Vec<String>,
}

/// A stack that was copied elsewhere, of code in one program or library.
#[derive(Debug)]
pub struct NativeCopy<'a, M> {
    /// The file of that program or library.
    pub file: Vec<u8>,
    /// The address at which the whole file is mapped.
    pub start: u64,
    /// A Go program in the same process, and how far it was moved.
    pub program: Option<(Binary, Slide)>,
    /// The memory in which goroutines that called C are looked up.
    pub memory: &'a M,
    /// The registers pc, sp, fp and lr.
    pub registers: [u64; 4],
    /// The bytes of the stack from `sp` on.
    pub stack: Vec<u8>,
}

/// A thread and its stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NativeThread {
    /// Its ID.
    pub number: u32,
    /// Its name, which is the program's unless the thread was given another.
    pub name: String,
    /// Its state before it was stopped, as `ps` shows it.
    pub state: char,
    /// Its stack pointer.
    pub sp: u64,
    /// The goroutine that called C on this thread; its calls follow those of C.
    pub goroutine: Option<u64>,
    /// Its calls, innermost first.
    pub frames: Vec<NativeFrame>,
    /// Whether these are all calls, and if not, why.
    pub end: StackEnd,
}

/// A call on a native stack.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NativeFrame {
    /// The address of the instruction; for callers, the return address.
    pub pc: u64,
    /// The function, if it is known.
    pub function: Option<String>,
    /// The offset of the instruction in the function; `None` for an inlined call.
    pub offset: Option<u64>,
    /// The source file.
    pub file: Option<String>,
    /// The line in the source file; 0 if it isn't known.
    pub line: u32,
    /// The program or library.
    pub module: Option<String>,
    /// Whether it was inlined into the next one.
    pub is_inlined: bool,
}

/// How a stack ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackEnd {
    /// At the thread's first call.
    Whole,
    /// Where Go code switches to another stack, which has the callers.
    Switched,
    /// At the end of the copy.
    CutOff,
    /// In unknown code, or because the stack doesn't fit the code.
    Lost,
}

/// How long reading native stacks took.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NativeStats {
    /// From the first request to stop until the last thread had stopped.
    pub stopping: Duration,
    /// Reading registers and stacks.
    pub copying: Duration,
    /// Releasing all threads.
    pub resuming: Duration,
    /// The longest that any thread can have been stopped.
    pub total: Duration,
    /// The size of all copied stacks.
    pub bytes: u64,
}

/// Builds that can't read native stacks.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    feature = "native"
)))]
mod elsewhere {
    use super::{NativeCopy, NativeFrame, NativeOptions, NativeStacks, StackEnd};
    use crate::error::{Error, Result};

    /// Returns no calls.
    pub fn native_calls<M>(_: NativeCopy<'_, M>) -> (Vec<NativeFrame>, StackEnd) {
        (Vec::new(), StackEnd::Lost)
    }

    /// Always fails: this build can't do it.
    ///
    /// # Errors
    /// Always.
    pub fn native_stacks(_: u32, _: &NativeOptions, input: &str) -> Result<NativeStacks> {
        Err(Error::misuse(input, "this build can't read native stacks")
            .advise("build it for Linux on x86-64 or ARM64, with --features native"))
    }
}
