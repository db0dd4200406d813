//! Whether stdout was closed when the program started (`>&-`).
//!
//! Rust's runtime opens /dev/null in place of a closed descriptor before it calls `main`, so output would be lost and
//! the run count as a success. Afterwards nothing tells it from the /dev/null that others hand on: Python and Node open
//! theirs for reading and writing, too. So it is looked at before: the C library calls what stands in `.init_array`.

#![allow(unsafe_code)]

use std::io;

/// Fails if stdout was closed when the program started; on other systems than Linux this isn't known.
///
/// # Errors
/// What writing to a closed descriptor is answered with.
pub(super) fn check_stdout() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if linux::WAS_CLOSED.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(rustix::io::Errno::BADF.into());
    }
    Ok(())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicBool, Ordering};

    pub(super) static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

    // SAFETY: the section holds pointers to functions of C. This one runs before Rust's runtime is set up, and needs
    // nothing of it: it makes a system call and sets a flag.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static BEFORE_MAIN: extern "C" fn() = look;

    extern "C" fn look() {
        let is_closed = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err();
        WAS_CLOSED.store(is_closed, Ordering::Relaxed);
    }
}
