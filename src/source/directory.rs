//! Directories: all files below them.

use crate::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A file below a directory.
#[derive(Debug)]
pub(super) struct FoundFile {
    /// Its path in the file system.
    pub(super) path: PathBuf,
    /// Its path inside the directory, with `/` between components.
    pub(super) inside: String,
    /// Why it can't be opened: a link to nothing, or in circles.
    pub(super) broken: Option<Error>,
}

/// Finds all files below a directory, and the directories that could not be listed. Links to files
/// count as files, links to directories aren't followed; anything else (pipes, sockets, devices)
/// could block for ever and is left out.
pub(super) fn walk(root: &Path) -> (Vec<FoundFile>, Vec<Error>) {
    let mut files = Vec::new();
    let mut errors = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let fail = |error: &std::io::Error| Error::io(folder.display().to_string(), error);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                errors.push(fail(&error));
                continue;
            }
        };
        for entry in entries {
            let (entry, kind) = match entry.and_then(|entry| Ok((entry.file_type()?, entry))) {
                Ok((kind, entry)) => (entry, kind),
                Err(error) => {
                    errors.push(fail(&error));
                    continue;
                }
            };
            let path = entry.path();
            let inside = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if kind.is_dir() {
                folders.push((path, format!("{inside}/")));
            } else if kind.is_symlink() {
                match fs::metadata(&path) {
                    Ok(target) if target.is_file() => {
                        files.push(FoundFile { path, inside, broken: None });
                    }
                    Ok(_) => {}
                    Err(error) => {
                        let broken = Some(Error::io(path.display().to_string(), &error));
                        files.push(FoundFile { path, inside, broken });
                    }
                }
            } else if kind.is_file() {
                files.push(FoundFile { path, inside, broken: None });
            }
        }
    }
    // The order of a directory's entries is up to the system; the picker sorts them naturally
    // later.
    files.sort_by(|a, b| a.inside.cmp(&b.inside).then_with(|| a.path.cmp(&b.path)));
    errors.sort_by(|a, b| a.input.cmp(&b.input));
    (files, errors)
}
