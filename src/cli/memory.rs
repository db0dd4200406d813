//! Prints one sentence and exits with code 2 when there is no more memory; Rust would print a backtrace
//! and abort. Rust's own hook for that isn't stable yet.

#![allow(unsafe_code)]

use super::exit::Exit;
use super::unfinished;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// The system's allocator, which ends the process when there is no more memory.
///
/// For the program only: users of the library keep their own.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

// SAFETY: `System` does everything; its result is only inspected and returned.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` requires; likewise below.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        had(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        unsafe { System.dealloc(old, layout) }
    }
}

fn had(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        end(size);
    }
    memory
}

/// Prints the sentence and ends the process, without allocating.
#[cold]
fn end(size: usize) -> ! {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::Relaxed) {
        let mut text = [0; 256];
        let mut rest = &mut text[..];
        let _ = writeln!(
            rest,
            "stackgazer: out of memory: {size} more bytes can't be had (memory); give it fewer inputs at a \
             time, or allow it more (ulimit -v, the limit of the container)"
        );
        let unused = rest.len();
        let _ = std::io::stderr().write_all(&text[..text.len() - unused]);
        unfinished::remove_all();
    }
    #[cfg(unix)]
    signal_hook::low_level::exit(Exit::Trouble as i32);
    #[cfg(not(unix))]
    std::process::exit(Exit::Trouble as i32);
}
