//! Ctrl-Z while another process is traced: this one is suspended when that one runs on again.
//!
//! A tracer that is suspended leaves the threads that it has stopped as they are, until somebody types `fg`.
//! `SIGSTOP` can't be put off.

use crate::live::is_ignored;
use rustix::process::{Pid, getpgid, getpgrp, getppid, getsid};
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
    for signal in [SIGTSTP, SIGTTIN, SIGTTOU].into_iter().filter(|&signal| !is_ignored(signal)) {
        let _ = register_conditional_default(signal, &AT_ONCE);
        let _ = register(signal, &CAME);
    }
}

/// Whether a shell of the same session started this process or its group. If there is none that could
/// continue it (`ssh -t HOST stackgazer ...`), the kernel doesn't suspend it at Ctrl-Z, but a handler would.
fn is_continued_by_a_shell() -> bool {
    let group = getpgrp();
    let parents = [getppid(), parent(group)].into_iter().flatten();
    let is_shell = |parent: Pid| {
        let session = getsid(Some(parent)).ok();
        session.is_some() && session == getsid(None).ok() && getpgid(Some(parent)) != Ok(group)
    };
    parents.into_iter().any(is_shell)
}

fn parent(of: Pid) -> Option<Pid> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", of.as_raw_nonzero())).ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    Pid::from_raw(parent.trim().parse().ok()?)
}
