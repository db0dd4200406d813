//! Signals that end the process: they remove temporary files, and a series of captures ends with the
//! captures it has.

#[cfg(not(unix))]
pub(super) use elsewhere::*;
#[cfg(unix)]
pub(super) use unix::*;

/// Waits for signals in a thread of its own.
#[cfg(unix)]
mod unix {
    use crate::live::ignored_signals;
    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::flag::register;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Condvar, Mutex, Once, PoisonError};
    use std::time::Instant;
    use tempfile::NamedTempFile;

    /// What others send to end a process, and what they send by mistake. Faults aren't among them: what
    /// caused one would be repeated for ever.
    const ENDS: [i32; 13] = [
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU,
    ];

    /// Others that end a process on Linux: SIGSTKFLT, SIGIO, SIGPWR, and the signals of real time, of which
    /// the C library keeps the first two (glibc) or three (musl) for itself.
    fn ends_on_linux() -> impl Iterator<Item = i32> {
        let has_them =
            cfg!(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")));
        let first = if cfg!(target_env = "gnu") { 34 } else { 35 };
        [16, 29, 30].into_iter().chain(first..=64).filter(move |_| has_them)
    }

    static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    static END: Mutex<End> = Mutex::new(End::OfProcess);
    static CAME: Condvar = Condvar::new();

    /// What Ctrl-C and `kill` end.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum End {
        /// The process, at once.
        OfProcess,
        /// A series, which continues with what it has.
        OfSeries,
        /// A signal has ended the series. Another one ends the process.
        Came,
    }

    /// From now on, a file that becomes larger than `ulimit -f` allows is an error of its write: with a handler
    /// the signal doesn't end the process.
    pub(in crate::cli) fn survive_file_limit() {
        let _ = register(SIGXFSZ, Arc::default());
    }

    /// From now on, files that were added are removed before a signal ends the process.
    pub(in crate::cli) fn clean_up() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let is_ignored = ignored_signals();
            let wanted = ENDS.into_iter().chain(ends_on_linux()).filter(|&one| !is_ignored(one));
            // Without this the signals have their usual effect.
            let Ok(mut signals) = Signals::new(wanted) else { return };
            // Where no other thread is allowed, files of a process that a signal ends stay.
            let _ = std::thread::Builder::new().spawn(move || {
                for signal in signals.forever() {
                    if matches!(signal, SIGINT | SIGTERM) && ends_series() {
                        continue;
                    }
                    // Locked until the process ends, or another thread could create one more.
                    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
                    for file in files.drain(..) {
                        let _ = std::fs::remove_file(file);
                    }
                    // The others' effect isn't known there.
                    let known = if ENDS.contains(&signal) { signal } else { SIGTERM };
                    let _ = emulate_default_handler(known);
                }
            });
        });
    }

    fn ends_series() -> bool {
        let mut end = END.lock().unwrap_or_else(PoisonError::into_inner);
        let ends = *end == End::OfSeries;
        if ends {
            *end = End::Came;
            CAME.notify_all();
        }
        ends
    }

    /// While one of these exists, the first SIGINT or SIGTERM only ends a series.
    #[derive(Debug)]
    pub(in crate::cli) struct SeriesEnd(());

    impl SeriesEnd {
        pub(in crate::cli) fn awaited() -> SeriesEnd {
            *END.lock().unwrap_or_else(PoisonError::into_inner) = End::OfSeries;
            clean_up();
            SeriesEnd(())
        }

        /// Sleeps until this time, or until the signal comes; returns whether it came.
        pub(in crate::cli) fn comes_before(&self, time: Instant) -> bool {
            let mut end = END.lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let left = time.saturating_duration_since(Instant::now());
                if *end == End::Came || left.is_zero() {
                    return *end == End::Came;
                }
                end = CAME.wait_timeout(end, left).unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    impl Drop for SeriesEnd {
        fn drop(&mut self) {
            *END.lock().unwrap_or_else(PoisonError::into_inner) = End::OfProcess;
        }
    }

    /// Creates a file that a signal removes, at any moment from its creation on.
    pub(in crate::cli) fn create(
        create: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<NamedTempFile> {
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let file = create()?;
        files.push(file.path().to_owned());
        Ok(file)
    }

    /// A file that another thread is creating at this moment is left over.
    pub(in crate::cli) fn remove_all() {
        if let Ok(mut files) = FILES.try_lock() {
            for file in files.drain(..) {
                let _ = std::fs::remove_file(&file);
                // Memory must not be freed here either.
                std::mem::forget(file);
            }
        }
    }

    pub(in crate::cli) fn remove(file: &Path) {
        FILES.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != file);
    }
}

/// On other systems signals aren't handled.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::path::Path;
    use std::time::Instant;
    use tempfile::NamedTempFile;

    /// Signals end the process.
    #[derive(Debug)]
    pub(in crate::cli) struct SeriesEnd;

    impl SeriesEnd {
        pub(in crate::cli) fn awaited() -> SeriesEnd {
            SeriesEnd
        }

        /// Sleeps until this time.
        pub(in crate::cli) fn comes_before(&self, time: Instant) -> bool {
            std::thread::sleep(time.saturating_duration_since(Instant::now()));
            false
        }
    }

    pub(in crate::cli) fn survive_file_limit() {}
    pub(in crate::cli) fn clean_up() {}
    pub(in crate::cli) fn create(
        create: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<NamedTempFile> {
        create()
    }
    pub(in crate::cli) fn remove(_: &Path) {}
    pub(in crate::cli) fn remove_all() {}
}
