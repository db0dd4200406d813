//! Directories: all files below them.

use crate::error::{Error, ErrorKind};
use std::collections::HashSet;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// A file below a directory.
#[derive(Debug)]
pub(super) struct FoundFile {
    /// Its path in the file system.
    pub(super) path: PathBuf,
    /// Its path inside the directory, with `/` between components.
    pub(super) inside: String,
    /// Whether it can be opened.
    pub(super) state: FileState,
}

/// Whether a file can be opened.
#[derive(Debug)]
pub(super) enum FileState {
    /// It is a file.
    Regular,
    /// It is a pipe, a socket or a device, which could block for ever.
    Special,
    /// It is a link to nothing, or in circles.
    Broken(Error),
}

/// What is below a directory.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// All files; a link to a file counts as one.
    pub(super) files: Vec<FoundFile>,
    /// Directories that could not be listed.
    pub(super) errors: Vec<Error>,
    /// Links that aren't followed.
    pub(super) warnings: Vec<Error>,
}

/// Finds all files below a directory. Links to directories are followed after everything else, in the
/// order of their paths, and only to directories that weren't read yet: so nothing counts twice, and
/// circles end.
pub(super) fn walk(root: &Path) -> Found {
    let mut walk = Walk { root: real(root), ..Walk::default() };
    let mut links =
        vec![Folder { real: walk.root.clone(), path: root.into(), inside: String::new() }];
    while !links.is_empty() {
        links.sort_by(|a, b| a.inside.cmp(&b.inside).then_with(|| a.path.cmp(&b.path)));
        for link in std::mem::take(&mut links) {
            walk.below(link, &mut links);
        }
    }
    // The order of a directory's entries is up to the system; the picker sorts them naturally
    // later.
    let mut found = walk.found;
    found.files.sort_by(|a, b| a.inside.cmp(&b.inside).then_with(|| a.path.cmp(&b.path)));
    found.errors.sort_by(|a, b| a.input.cmp(&b.input));
    found.warnings.sort_by(|a, b| a.input.cmp(&b.input));
    found
}

/// The regular files below a directory, those that links lead to included.
pub fn files_below(root: &Path) -> impl Iterator<Item = PathBuf> {
    let files = walk(root).files.into_iter();
    files.filter(|file| matches!(file.state, FileState::Regular)).map(|file| file.path)
}

/// A directory that is to be listed.
struct Folder {
    /// Its path without links, which tells directories apart.
    real: PathBuf,
    path: PathBuf,
    /// Its path inside the root; empty, or with `/` at the end.
    inside: String,
}

#[derive(Default)]
struct Walk {
    /// The path of the root without links.
    root: PathBuf,
    /// The paths, without links, of directories that were listed.
    listed: HashSet<PathBuf>,
    found: Found,
}

impl Walk {
    /// Finds the files below a directory, and the links to directories.
    fn below(&mut self, folder: Folder, links: &mut Vec<Folder>) {
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            if !self.listed.insert(folder.real.clone()) {
                continue;
            }
            let entries = match fs::read_dir(&folder.path) {
                Ok(entries) => entries,
                Err(error) => {
                    self.fail(&folder, &error);
                    continue;
                }
            };
            for entry in entries {
                match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                    Ok((kind, entry)) if kind.is_dir() => folders.push(folder.child(&entry)),
                    Ok((kind, entry)) => self.file(&folder, kind, &entry, links),
                    Err(error) => self.fail(&folder, &error),
                }
            }
        }
    }

    fn file(&mut self, folder: &Folder, kind: FileType, entry: &DirEntry, links: &mut Vec<Folder>) {
        let path = entry.path();
        let target = match kind.is_symlink() {
            true => fs::metadata(&path).map(|metadata| metadata.file_type()),
            false => Ok(kind),
        };
        let state = match target {
            Ok(target) if target.is_dir() => {
                let link = Folder { real: real(&path), ..folder.child(entry) };
                return links.extend(self.followed(folder, link));
            }
            Ok(target) if target.is_file() => FileState::Regular,
            Ok(_) => FileState::Special,
            Err(error) => FileState::Broken(Error::io(path.display().to_string(), &error)),
        };
        self.found.files.push(FoundFile { path, inside: folder.inside_of(entry), state });
    }

    /// A link in a directory to another directory, if it may be followed. One to a directory around it,
    /// such as `/`, would bring in what nobody named.
    fn followed(&mut self, folder: &Folder, link: Folder) -> Option<Folder> {
        if self.listed.contains(&link.real) {
            return None;
        }
        if !folder.real.starts_with(&link.real) && !self.root.starts_with(&link.real) {
            return Some(link);
        }
        let what = "is a link to a folder around it, and isn't followed";
        let warning = Error::new(ErrorKind::Io, link.path.display().to_string(), what);
        self.found.warnings.push(warning.advise("name that folder to read it"));
        None
    }

    fn fail(&mut self, folder: &Folder, error: &io::Error) {
        self.found.errors.push(Error::io(folder.path.display().to_string(), error));
    }
}

impl Folder {
    fn inside_of(&self, entry: &DirEntry) -> String {
        format!("{}{}", self.inside, entry.file_name().to_string_lossy())
    }

    /// A directory in this one.
    fn child(&self, entry: &DirEntry) -> Folder {
        let real = self.real.join(entry.file_name());
        Folder { real, path: entry.path(), inside: self.inside_of(entry) + "/" }
    }
}

/// A path without links.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
