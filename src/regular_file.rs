//! Files that must be regular ones: those that were found, not named, as a stranger may have put a pipe or a device there,
//! and binaries.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file, if it is a regular one once links are followed: opening a pipe would wait for a writer, and a device may
/// have no end.
///
/// # Errors
///
/// The system's error.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    open_if(path.metadata()?.is_file(), path, false)
}

/// Opens a file, if it is a regular one and no link: what was asked about a path may be replaced by a link to another.
///
/// # Errors
///
/// The system's error.
pub fn open_itself(path: &Path) -> io::Result<Option<File>> {
    open_if(path.symlink_metadata()?.is_file(), path, true)
}

fn open_if(is_file: bool, path: &Path, is_itself: bool) -> io::Result<Option<File>> {
    // Opening a device can do something, such as rewinding a tape.
    if !is_file {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let itself = if is_itself { OFlags::NOFOLLOW } else { OFlags::empty() };
        options.custom_flags((OFlags::NONBLOCK | itself).bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = is_itself;
    // Asked again once it is open: it may have been replaced.
    let file = options.open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_are_opened_and_no_pipe_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink("/dev/zero", path("zero")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success());
        for (name, is_regular) in [("file", true), ("link", true), ("zero", false), ("pipe", false)]
        {
            assert_eq!(open(&path(name)).unwrap().is_some(), is_regular, "{name}");
        }
        assert!(open_itself(&path("file")).unwrap().is_some());
        assert!(open_itself(&path("link")).unwrap().is_none());
        assert!(open_if(true, &path("link"), true).is_err());
        assert!(open(folder.path()).unwrap().is_none());
        assert!(open(&path("gone")).is_err());
    }
}
