//! Where output goes: to stdout, or to a file that is whole or isn't there.

use super::args::OutputArgs;
use crate::error::{Error, ErrorKind, Result};
use crate::output::Output;
use crate::output::escape::{Escape, Style};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Whether stdout is a terminal and nothing sends the output elsewhere.
pub(super) fn to_terminal(output: &OutputArgs) -> bool {
    output.file().is_none() && std::io::stdout().is_terminal()
}

/// Fails if `--to` can't be written, before anything is read.
pub(super) fn check_writable(output: &OutputArgs) -> Result<()> {
    output.file().map_or(Ok(()), check_file)
}

/// Fails if a file can't be written.
pub(super) fn check_file(path: &Path) -> Result<()> {
    let shown = path.display().to_string();
    if path.is_dir() {
        return Err(Error::new(ErrorKind::Io, shown, "is a directory").advise("name a file in it"));
    }
    Target::open(path).map(|_| ()).map_err(|error| Error::io(shown, &error))
}

/// What `--to` names.
enum Target {
    /// A temporary file in the same folder, so that renaming it is all that is left to do.
    File(tempfile::NamedTempFile, PathBuf),
    /// A device or a pipe, which must not be replaced by a file.
    Device(std::fs::File),
}

impl Target {
    fn open(path: &Path) -> std::io::Result<Target> {
        let path = behind_links(path)?;
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(Target::Device(std::fs::OpenOptions::new().write(true).open(path)?));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file: all that the umask allows.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(told_plainly)?;
        Ok(Target::File(file, path))
    }

    fn write(
        self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        match self {
            Target::Device(mut file) => write_all(&mut file, write),
            Target::File(mut file, path) => {
                write_all(&mut file, write)?;
                file.persist(path).map(|_| ()).map_err(|error| error.error)
            }
        }
    }
}

/// The file behind symbolic links, whether it exists yet or not: it is written, the links stay.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        let Ok(target) = path.read_link() else { return Ok(path) };
        // What a link says is meant from where it stands.
        path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
    }
    Err(std::io::Error::other("too many symbolic links lead to each other"))
}

/// Without the name of the temporary file, which nobody asked for.
fn told_plainly(error: std::io::Error) -> std::io::Error {
    let text = error.to_string();
    let plain = text.split_once(" at path ").map_or(&*text, |(plain, _)| plain);
    std::io::Error::new(error.kind(), plain)
}

fn write_all(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, out);
    write(&mut out).and_then(|()| out.flush())
}

/// Runs `write` on stdout.
pub(super) fn emit_stdout(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    match write_all(&mut std::io::stdout().lock(), write) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("stdout", &error))
        }
        // A reader that closed the pipe has seen enough.
        _ => Ok(()),
    }
}

/// Runs `write` on stdout, or on a temporary file that becomes `--to` when all went well.
pub(super) fn emit(
    output: &OutputArgs,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    match output.file() {
        None => emit_stdout(write),
        Some(path) => emit_file(path, write),
    }
}

/// Runs `write` on a temporary file that becomes this one when all went well.
pub(super) fn emit_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    Target::open(path)
        .and_then(|target| target.write(write))
        .map_err(|error| Error::io(path.display().to_string(), &error))
}

/// Like [`emit`], for formats that know no screen: on a terminal, whatever could steer it is written
/// out.
pub(super) fn emit_escaped(
    output: &OutputArgs,
    format: Output,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    if !to_terminal(output) {
        return emit(output, write);
    }
    let style = match format {
        Output::Json | Output::Ndjson => Style::Json,
        _ => Style::Text,
    };
    emit(output, |out| {
        let mut out = Escape::new(out, style);
        write(&mut out)?;
        out.flush()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_file_that_is_not_there_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("target", &link).unwrap();
        emit_file(&link, |out| out.write_all(b"x")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(folder.path().join("target")).unwrap(), b"x");
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        assert!(emit_file(&circle, |_| Ok(())).is_err());
        assert!(circle.is_symlink());
    }
}
