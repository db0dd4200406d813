//! What happens when there is no more memory.

/// Makes running out of memory end with the exit code of every other trouble. Rust says `memory
/// allocation of N bytes failed` then and aborts; what else could be said would need memory, and a
/// hook for it isn't stable yet.
#[cfg(unix)]
pub(super) fn end_as_trouble() {
    use super::exit::Exit;
    use signal_hook::consts::SIGABRT;
    use signal_hook::flag::register_conditional_shutdown;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let always = Arc::new(AtomicBool::new(true));
    // Where it can't be had, the process aborts as others do.
    let _ = register_conditional_shutdown(SIGABRT, Exit::Trouble as i32, always);
}

/// There is nothing like it elsewhere: the process aborts.
#[cfg(not(unix))]
pub(super) fn end_as_trouble() {}
