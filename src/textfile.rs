//! Text files besides the inputs: settings, allow-lists, `go.mod`, source.
//!
//! Some are named by the user, who may name a pipe. Others are found in a repository, which may have a
//! stranger's change: a link to a device or a pipe there must neither fill the memory nor block the run.

use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::regular_file;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of a limit, and how many bytes it allows.
type Limit = (&'static str, u64);

const NAMED: Limit = ("named_file", LIMITS.named_file);

/// The text of a file that the user named; `-` is stdin.
///
/// # Errors
///
/// The system's error, or that the file isn't UTF-8 or is longer than [`LIMITS`]' `named_file`.
pub fn named(path: &Path) -> Result<String> {
    let shown = path.display().to_string();
    let read = |stream: &mut dyn Read| text_of(stream, NAMED, &shown);
    if path == Path::new("-") {
        return read(&mut io::stdin().lock());
    }
    read(&mut File::open(path).map_err(|error| Error::io(&shown, &error))?)
}

/// The text of a file that was found, not named.
///
/// # Errors
///
/// As [`named`] with the limit `found_file`, or that it isn't a regular file.
pub fn found(path: &Path) -> Result<String> {
    regular(path, ("found_file", LIMITS.found_file))
}

/// The text of a file that was found in a project, and its path once links are followed; `None` if that leads outside.
///
/// # Errors
///
/// As [`found`].
pub fn of_project(path: &Path, project: &Path) -> Result<Option<(String, PathBuf)>> {
    let shown = path.display().to_string();
    let real = path.canonicalize().map_err(|error| Error::io(&shown, &error))?;
    if !is_inside(&real, project) {
        return Ok(None);
    }
    let opened = regular_file::open_itself(&real);
    Ok(Some((read(opened, ("found_file", LIMITS.found_file), &shown)?, real)))
}

/// The text of a file that a settings file names.
///
/// # Errors
///
/// As [`named`], or that it isn't a regular file.
pub fn of_settings(path: &Path) -> Result<String> {
    regular(path, NAMED)
}

/// The text of a file of source.
///
/// # Errors
///
/// As [`found`] with the limit `source_file`.
pub fn source(path: &Path) -> Result<String> {
    regular(path, ("source_file", LIMITS.source_file))
}

/// Whether a file is in a folder, once all links are followed. One that isn't there can't be read either.
pub fn is_inside(path: &Path, folder: &Path) -> bool {
    match (path.canonicalize(), folder.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => true,
    }
}

/// An error about the text of a file in a project, which quotes it only if the file is called `*.toml`, once links are
/// followed: a stranger's change can make settings of any file there, such as `.env`.
pub fn quoted(error: Error, path: &Path) -> Error {
    let path = path.canonicalize();
    let is_toml = path.is_ok_and(|path| path.extension().is_some_and(|ending| ending == "toml"));
    Error { source: error.source.filter(|_| is_toml), ..error }
}

fn regular(path: &Path, limit: Limit) -> Result<String> {
    read(regular_file::open(path), limit, &path.display().to_string())
}

fn read(opened: io::Result<Option<File>>, limit: Limit, shown: &str) -> Result<String> {
    match opened.map_err(|error| Error::io(shown, &error))? {
        Some(mut file) => text_of(&mut file, limit, shown),
        None => Err(Error::new(ErrorKind::Io, shown, "isn't a regular file")
            .advise("only what is named on the command line may be a pipe or a device")),
    }
}

fn text_of(stream: &mut dyn Read, (name, limit): Limit, shown: &str) -> Result<String> {
    let mut bytes = Vec::new();
    stream
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| Error::io(shown, &error))?;
    if bytes.len() as u64 > limit {
        let what = format!("is longer than {} MiB ({name})", limit >> 20);
        return Err(Error::new(ErrorKind::Limit, shown, what).advise("is it the right file?"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to() as u64;
        Error::new(ErrorKind::Damaged, shown, "isn't UTF-8 text").at(crate::error::Place::Byte(at))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_is_found_is_read_only_if_it_is_a_small_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("text"), "a = 1").unwrap();
        symlink(path("text"), path("link")).unwrap();
        assert_eq!(found(&path("link")).unwrap(), "a = 1");
        std::fs::write(path("long"), vec![b'a'; LIMITS.found_file as usize + 1]).unwrap();
        assert!(found(&path("long")).unwrap_err().what.contains("longer than 1 MiB"));
        assert!(named(&path("long")).is_ok());
        symlink("/dev/zero", path("zero")).unwrap();
        assert!(found(&path("zero")).unwrap_err().what.contains("regular file"));
        let pipe = path("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(found(&pipe).unwrap_err().what.contains("regular file"));
        assert!(named(Path::new("/dev/zero")).unwrap_err().what.contains("longer than 4 MiB"));
        assert!(found(&path("gone")).is_err() && found(folder.path()).is_err());
    }

    #[test]
    fn text_that_is_none_is_told_by_its_byte() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("latin1");
        std::fs::write(&file, b"a = \"\xe4\"").unwrap();
        assert!(named(&file).unwrap_err().to_string().ends_with("isn't UTF-8 text (at byte 5)"));
    }
}
