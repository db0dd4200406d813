//! Ctrl-Z while another process is traced: this one is suspended when that one runs on again.
//!
//! A tracer that is suspended leaves the threads that it has stopped as they are, until somebody types `fg`.
//! `SIGSTOP` can't be put off.

use crate::live::ignored_signals;
use signal_hook::consts::{SIGTSTP, SIGTTIN, SIGTTOU};
use signal_hook::flag::{register, register_conditional_default};
use signal_hook::low_level::emulate_default_handler;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// How many processes are traced.
static TRACED: Mutex<usize> = Mutex::new(0);
/// Whether none is, so that signals suspend this process at once.
static AT_ONCE: AtomicBool = AtomicBool::new(true);
/// Whether a signal came meanwhile.
static CAME: AtomicBool = AtomicBool::new(false);

/// While one of these exists, Ctrl-Z is put off.
pub(super) struct PutOff(());

impl PutOff {
    pub(super) fn new() -> PutOff {
        static ONCE: Once = Once::new();
        ONCE.call_once(handle);
        let mut traced = TRACED.lock().unwrap_or_else(PoisonError::into_inner);
        if *traced == 0 {
            CAME.store(false, Ordering::SeqCst);
            AT_ONCE.store(false, Ordering::SeqCst);
        }
        *traced = traced.saturating_add(1);
        PutOff(())
    }
}

impl Drop for PutOff {
    fn drop(&mut self) {
        // Held while this process is suspended: nothing is traced from here to there.
        let mut traced = TRACED.lock().unwrap_or_else(PoisonError::into_inner);
        *traced = traced.saturating_sub(1);
        if *traced == 0 {
            AT_ONCE.store(true, Ordering::SeqCst);
            if CAME.load(Ordering::SeqCst) {
                let _ = emulate_default_handler(SIGTSTP);
            }
        }
    }
}

/// Without handlers the signals have their usual effect.
fn handle() {
    if !is_continued_by_a_shell() {
        return;
    }
    let is_ignored = ignored_signals();
    for signal in [SIGTSTP, SIGTTIN, SIGTTOU].into_iter().filter(|&signal| !is_ignored(signal)) {
        // In this order: what runs behind a suspension may run when the next process is traced already.
        let _ = register(signal, &CAME);
        let _ = register_conditional_default(signal, &AT_ONCE);
    }
}

/// Whether a shell of the same session started this process or its group. If there is none that could
/// continue it (`ssh -t HOST stackgazer ...`), the kernel doesn't suspend it at Ctrl-Z, but a handler would.
fn is_continued_by_a_shell() -> bool {
    let Some(own) = Family::of("self") else { return false };
    let parents = [Some(own.parent), Family::of(&own.group).map(|leader| leader.parent)];
    let is_shell = |parent: String| {
        Family::of(&parent).is_some_and(|it| it.session == own.session && it.group != own.group)
    };
    parents.into_iter().flatten().any(is_shell)
}

/// Numbers of the processes that a process belongs to.
struct Family {
    parent: String,
    group: String,
    session: String,
}

impl Family {
    /// Read from `/proc/PID/stat`, as `getsid` of rustix can't return 0, the session of process 1 or of one
    /// outside this namespace.
    fn of(process: &str) -> Option<Family> {
        let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
        // `PID (NAME) STATE PARENT GROUP SESSION ...`, where a name can have parentheses.
        let stat = String::from_utf8_lossy(&stat);
        let (_, rest) = stat.rsplit_once(')')?;
        let mut numbers = rest.split_ascii_whitespace().skip(1).map(str::to_owned);
        Some(Family { parent: numbers.next()?, group: numbers.next()?, session: numbers.next()? })
    }
}
