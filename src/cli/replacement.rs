//! A file that takes the place of another once it is whole.

use super::unfinished::Unfinished;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A temporary file that will be renamed to another, keeping mode and owner. If that isn't possible, that
/// file is written over with the whole text: its owner is somebody else, it has several names or an access control
/// list, its folder accepts no new files, or something is mounted on it.
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
        // A new file can have one from its folder.
        let has_list = has_access_list(&path) || has_access_list(new.path());
        let can_be_replaced = new.is_beside() && has_one_name(&old) && !has_list;
        if can_be_replaced && keep_owner(new.file(), &old).is_ok() {
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

/// Whether a list says who may use a file. Its mode alone would say something else: the bits of the group are then the
/// most that anybody of the list has.
#[cfg(target_os = "linux")]
fn has_access_list(path: &Path) -> bool {
    rustix::fs::getxattr(path, ACCESS_LIST, &mut [0_u8; 0]).is_ok()
}

/// The attribute that holds it: acl(5).
#[cfg(target_os = "linux")]
const ACCESS_LIST: &str = "system.posix_acl_access";

#[cfg(not(target_os = "linux"))]
fn has_access_list(_: &Path) -> bool {
    false
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
    #[cfg(target_os = "linux")]
    #[test]
    fn an_access_control_list_stays() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "old").unwrap();
        // Tags, permissions and ids as in linux/posix_acl_xattr.h: the owner and user 7 read and write, others and the
        // group nothing.
        let entries = [(1_u16, 6_u16, u32::MAX), (2, 6, 7), (4, 0, u32::MAX), (16, 6, u32::MAX)];
        let mut list = 2_u32.to_le_bytes().to_vec();
        for (tag, permissions, id) in entries.into_iter().chain([(32, 0, u32::MAX)]) {
            list.extend(tag.to_le_bytes());
            list.extend(permissions.to_le_bytes());
            list.extend(id.to_le_bytes());
        }
        if setxattr(&file, ACCESS_LIST, &list, XattrFlags::empty()).is_err() {
            // A file system without such lists, as some of containers: there is nothing to keep.
            return;
        }
        let mut new = Replacement::of(&file).unwrap();
        std::io::Write::write_all(new.file(), b"new").unwrap();
        new.finish().unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        let mut kept = [0; 64];
        let length = getxattr(&file, ACCESS_LIST, &mut kept[..]).unwrap();
        assert_eq!(kept[..length], list);
        // The list that new files of the folder get isn't one of a file that was there before.
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "old").unwrap();
        setxattr(folder.path(), "system.posix_acl_default", &list, XattrFlags::empty()).unwrap();
        let mut new = Replacement::of(&plain).unwrap();
        std::io::Write::write_all(new.file(), b"new").unwrap();
        new.finish().unwrap();
        assert_eq!(std::fs::read(&plain).unwrap(), b"new");
        assert!(!has_access_list(&plain));
    }
}
