//! Files that are being written: they get their names when they are whole, and are removed if the
//! process ends before.

use super::destination::folder_of;
use super::signals;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use tempfile::{NamedTempFile, PersistError};

/// A temporary file.
pub(super) struct Unfinished {
    file: NamedTempFile,
    beside: bool,
}

impl Unfinished {
    /// In the folder of the file that it will become, so that it only has to be renamed.
    pub(super) fn beside(path: &Path) -> io::Result<Unfinished> {
        signals::clean_up();
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes to set"))]
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // For a new file all that the umask allows; nothing for others if they can't read the old one.
            let mode = if path.exists() { 0o600 } else { 0o666 };
            builder.permissions(std::fs::Permissions::from_mode(mode));
        }
        let file = signals::create(|| builder.tempfile_in(folder_of(path))).map_err(plainly)?;
        Ok(Unfinished { file, beside: true })
    }

    /// In the system's folder for temporary files.
    pub(super) fn anywhere() -> io::Result<Unfinished> {
        signals::clean_up();
        let file = signals::create(NamedTempFile::new).map_err(plainly)?;
        Ok(Unfinished { file, beside: false })
    }

    /// Whether it is in the folder of the file that it will become.
    pub(super) fn is_beside(&self) -> bool {
        self.beside
    }

    /// Where it is until then.
    pub(super) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file to write to.
    pub(super) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Renames it to this file, replacing that. If that fails, it is given back.
    pub(super) fn become_file(self, path: &Path) -> Result<(), (io::Error, Unfinished)> {
        let temporary = self.file.path().to_owned();
        match self.file.persist(path) {
            Ok(_) => {
                signals::remove(&temporary);
                Ok(())
            }
            Err(PersistError { error, file }) => Err((error, Unfinished { file, ..self })),
        }
    }

    /// Writes its content over an existing file. What is longer than that comes first: if the disk is full,
    /// the file stays as it was, and the rest needs no more room.
    pub(super) fn copy_to(mut self, to: &mut File) -> io::Result<()> {
        let (old, new) = (to.metadata()?.len(), self.file().metadata()?.len());
        let shared = old.min(new);
        let copied = match self.copy(shared..new, to) {
            Ok(()) => self.copy(0..shared, to).and_then(|()| to.set_len(new)),
            Err(error) => to.set_len(old).and(Err(error)),
        };
        signals::remove(self.file.path());
        copied
    }

    fn copy(&mut self, bytes: Range<u64>, to: &mut File) -> io::Result<()> {
        self.file().seek(SeekFrom::Start(bytes.start))?;
        to.seek(SeekFrom::Start(bytes.start))?;
        io::copy(&mut self.file().take(bytes.end.saturating_sub(bytes.start)), to).map(drop)
    }
}

/// Removes all of them, without allocating: for the end of the process.
pub(super) fn remove_all() {
    signals::remove_all();
}

/// The error without the name of the temporary file, which means nothing to the user.
fn plainly(error: io::Error) -> io::Error {
    let text = error.to_string();
    let plain = text.split_once(" at path ").map_or(&*text, |(plain, _)| plain);
    io::Error::new(error.kind(), plain)
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
