//! A file that takes the place of another once it is whole.

use super::unfinished::Unfinished;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A temporary file that will be renamed to another, keeping mode and owner. If that isn't possible, that
/// file is written over with the whole text: its owner is somebody else, it has several names, its folder
/// accepts no new files, or something is mounted on it.
pub(super) struct Replacement {
    path: PathBuf,
    old: Option<Metadata>,
    new: Unfinished,
}

impl Replacement {
    /// For a file, or the path of a new one.
    pub(super) fn of(path: &Path) -> io::Result<Replacement> {
        let old = path.metadata().ok();
        let new = match Unfinished::beside(path) {
            Err(_) if old.is_some() => Unfinished::anywhere()?,
            beside => beside?,
        };
        Ok(Replacement { path: path.to_owned(), old, new })
    }

    /// The file to write to.
    pub(super) fn file(&mut self) -> &mut File {
        self.new.file()
    }

    /// Puts it in the other's place.
    pub(super) fn finish(self) -> io::Result<()> {
        let Replacement { path, old, mut new } = self;
        let Some(old) = old else { return new.become_file(&path).map_err(|(error, _)| error) };
        if new.is_beside() && has_one_name(&old) && keep_owner(new.file(), &old).is_ok() {
            new.file().set_permissions(old.permissions())?;
            match new.become_file(&path) {
                Ok(()) => return Ok(()),
                Err((_, back)) => new = back,
            }
        }
        new.copy_to(&mut File::options().write(true).create(true).truncate(false).open(path)?)
    }
}

#[cfg(unix)]
fn has_one_name(old: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(old) == 1
}

#[cfg(not(unix))]
fn has_one_name(_: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = new.metadata()?;
    if (own.uid(), own.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    #[test]
    fn nobody_else_reads_what_will_replace_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let mut new = Replacement::of(&file).unwrap();
        assert_eq!(new.file().metadata().unwrap().mode() & 0o777, 0o600);
        new.finish().unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o640);
    }
}
