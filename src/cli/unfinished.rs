//! Files that are being written: they get their names when they are whole, and are gone when the
//! process ends before.

use super::destination::folder_of;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use tempfile::NamedTempFile;

/// A temporary file.
pub(super) struct Unfinished {
    file: NamedTempFile,
    beside: bool,
}

impl Unfinished {
    /// In the folder of the file that it shall become, so that renaming it is all that is left.
    pub(super) fn beside(path: &Path) -> io::Result<Unfinished> {
        signals::clean_up();
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes to set"))]
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file: all that the umask allows.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = signals::create(|| builder.tempfile_in(folder_of(path))).map_err(plainly)?;
        Ok(Unfinished { file, beside: true })
    }

    /// In the system's folder for such files.
    pub(super) fn anywhere() -> io::Result<Unfinished> {
        signals::clean_up();
        let file = signals::create(NamedTempFile::new).map_err(plainly)?;
        Ok(Unfinished { file, beside: false })
    }

    /// Whether it is in the folder of what it shall become.
    pub(super) fn is_beside(&self) -> bool {
        self.beside
    }

    /// What to write to.
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Takes the place of this file.
    pub(super) fn become_file(self, path: &Path) -> io::Result<()> {
        let temporary = self.file.path().to_owned();
        let became = self.file.persist(path).map(drop).map_err(|error| error.error);
        signals::remove(&temporary);
        became
    }

    /// Copies what was written.
    pub(super) fn copy_to(mut self, to: &mut File) -> io::Result<()> {
        self.file().rewind()?;
        let copied = io::copy(self.file(), to).map(drop);
        signals::remove(self.file.path());
        copied
    }
}

/// Removes all of them, without taking any memory: for the end of the process.
pub(super) fn remove_all() {
    signals::remove_all();
}

/// Without the name of the temporary file, which nobody asked for.
fn plainly(error: io::Error) -> io::Error {
    let text = error.to_string();
    let plain = text.split_once(" at path ").map_or(&*text, |(plain, _)| plain);
    io::Error::new(error.kind(), plain)
}

/// Signals that end the process take temporary files with them.
#[cfg(unix)]
mod signals {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, Once, PoisonError};
    use tempfile::NamedTempFile;

    static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

    /// From now on, files that were added are removed before a signal ends the process.
    pub(super) fn clean_up() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&one| !is_ignored(one));
            // Without it the signals do what they always do.
            let Ok(mut signals) = Signals::new(wanted) else { return };
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    for file in FILES.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
                        let _ = std::fs::remove_file(file);
                    }
                    let _ = emulate_default_handler(signal);
                }
            });
        });
    }

    /// Whether who started the process had it ignore a signal (`nohup`), which has to stay so.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }

    /// Creates a file that a signal removes, at any moment from its creation on.
    pub(super) fn create(
        create: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<NamedTempFile> {
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let file = create()?;
        files.push(file.path().to_owned());
        Ok(file)
    }

    /// What another thread is creating just now is left behind.
    pub(super) fn remove_all() {
        if let Ok(mut files) = FILES.try_lock() {
            for file in files.drain(..) {
                let _ = std::fs::remove_file(&file);
                // Nothing may be given back to memory either.
                std::mem::forget(file);
            }
        }
    }

    pub(super) fn remove(file: &Path) {
        FILES.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other != file);
    }
}

/// Elsewhere nothing is known to do about it.
#[cfg(not(unix))]
mod signals {
    use std::io;
    use std::path::Path;
    use tempfile::NamedTempFile;

    pub(super) fn clean_up() {}
    pub(super) fn create(
        create: impl FnOnce() -> io::Result<NamedTempFile>,
    ) -> io::Result<NamedTempFile> {
        create()
    }
    pub(super) fn remove(_: &Path) {}
    pub(super) fn remove_all() {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_process_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let entries = || std::fs::read_dir(folder.path()).unwrap().count();
        let _unfinished = Unfinished::beside(&folder.path().join("out.json")).unwrap();
        assert_eq!(entries(), 1);
        remove_all();
        assert_eq!(entries(), 0);
    }
}
