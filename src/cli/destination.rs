//! The destination of a path that `--to` or `--report` names, and how it is written.

use super::closed;
use super::replacement::Replacement;
use super::unfinished::Unfinished;
use crate::error::{Error, ErrorKind, Result};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// How many links are followed: as many as on Linux.
const LINKS: usize = 40;

/// Writes the output. Not generic: 85 copies of all that is below were 3 % of the compiled code.
pub(super) type Writing<'a> = &'a mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Where output goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Destination {
    /// This process's own stdout, even if a path like `/dev/stdout` names it.
    Stdout,
    /// This process's own stderr.
    Stderr,
    /// A device, a named pipe, or another descriptor of this process (`>(cmd)` of a shell). It is opened
    /// once, when it is written: a reader of a pipe takes its first end for the last.
    Stream(PathBuf),
    /// A file, or the path of a new one, with all symbolic links resolved.
    File(PathBuf),
}

impl Destination {
    /// The destination of a path; stdout for `None` or `-`.
    pub(super) fn of(path: Option<&Path>) -> Result<Destination> {
        match path {
            None => Ok(Destination::Stdout),
            Some(path) if path == Path::new("-") => Ok(Destination::Stdout),
            Some(path) if path.to_string_lossy().contains("://") => {
                Err(Error::misuse("--to and the like", "name files, not addresses")
                    .advise("write to stdout and pass it on, as in | curl -T - ADDRESS"))
            }
            Some(path) => find(path).map_err(|error| Error::io(path.display().to_string(), &error)),
        }
    }

    /// Fails if it can't be written, before anything is read.
    pub(super) fn check(&self) -> Result<()> {
        match self {
            Destination::Stdout | Destination::Stderr => Ok(()),
            Destination::Stream(path) => {
                may_write(path).map_err(|error| Error::io(path.display().to_string(), &error))
            }
            Destination::File(path) => {
                let shown = path.display().to_string();
                let ends_in_separator =
                    shown.chars().next_back().is_some_and(std::path::is_separator);
                if ends_in_separator || path.is_dir() {
                    return Err(Error::new(ErrorKind::Io, shown, "names a directory")
                        .advise("name a file in it"));
                }
                if path.exists() {
                    // It would be replaced under its name, which `/proc/PID/exe` gives to any program.
                    return match File::options().write(true).open(path) {
                        Ok(_) => Ok(()),
                        Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                            Err(Error::misuse(shown, "is a program that is running"))
                        }
                        Err(error) => Err(Error::io(shown, &error)),
                    };
                }
                Unfinished::beside(path).map(drop).map_err(|error| Error::io(shown, &error))
            }
        }
    }

    /// Runs `write` on it. A file is either written whole or stays as it was.
    pub(super) fn write(&self, write: Writing<'_>) -> Result<()> {
        self.write_shown(&mut |out, _| write(out))
    }

    /// Like [`write`](Destination::write); `write` also gets whether what it writes to is a terminal.
    pub(super) fn write_shown(
        &self,
        write: &mut dyn FnMut(&mut dyn Write, bool) -> io::Result<()>,
    ) -> Result<()> {
        let written = match self {
            Destination::Stdout => closed::check_stdout()
                .and_then(|()| ended_by_reader(write_stream(&mut io::stdout().lock(), write))),
            Destination::Stderr => ended_by_reader(write_stream(&mut io::stderr().lock(), write)),
            Destination::Stream(path) => {
                let written = open_stream(path).and_then(|mut new| write_stream(&mut new, write));
                written.map_err(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => {
                        io::Error::other("its reader left before all was written")
                    }
                    _ => error,
                })
            }
            Destination::File(path) => write_file(path, &mut |out| write(out, false)),
        };
        written.map_err(|error| Error::io(self.name(), &error))
    }

    /// Whether it is a named pipe that has to be opened: its reader takes the end of the first output for the end.
    pub(super) fn is_named_pipe(&self) -> bool {
        #[cfg(unix)]
        if let Destination::Stream(path) = self {
            use std::os::unix::fs::FileTypeExt;
            let is_pipe = path.metadata().is_ok_and(|found| found.file_type().is_fifo());
            return is_pipe && descriptor(path).is_none();
        }
        false
    }

    /// A path that leads to it.
    pub(super) fn path(&self) -> &Path {
        match self {
            Destination::Stdout => Path::new("/dev/stdout"),
            Destination::Stderr => Path::new("/dev/stderr"),
            Destination::Stream(path) | Destination::File(path) => path,
        }
    }

    /// What errors call it.
    pub(super) fn name(&self) -> String {
        match self {
            Destination::Stdout => "stdout".to_owned(),
            Destination::Stderr => "stderr".to_owned(),
            Destination::Stream(path) | Destination::File(path) => path.display().to_string(),
        }
    }
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Follows links one by one: a link to a descriptor of this process is written through the descriptor,
/// since opening its target would start the file anew.
fn find(path: &Path) -> io::Result<Destination> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match descriptor(&path) {
            Some(1) => return Ok(Destination::Stdout),
            Some(2) => return Ok(Destination::Stderr),
            Some(_) => return Ok(Destination::Stream(path)),
            None if is_of_other_process(&path) => return Ok(Destination::Stream(path)),
            None => {}
        }
        let Ok(target) = path.read_link() else {
            let is_stream = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
            return Ok(if is_stream { Destination::Stream(path) } else { Destination::File(path) });
        };
        // The target of a link is relative to the link's folder.
        path = folder_of(&path).join(target);
    }
    Err(io::Error::other("too many symbolic links lead to each other"))
}

/// The number of the descriptor of this process that a path names: `/dev/stdout`, `/dev/fd/63`,
/// `/proc/self/fd/63`.
fn descriptor(path: &Path) -> Option<u32> {
    let folder = path.parent()?.canonicalize().ok()?;
    let name = path.file_name()?.to_str()?;
    if folder == Path::new("/dev") {
        return match name {
            "stdin" => Some(0),
            "stdout" => Some(1),
            "stderr" => Some(2),
            _ => None,
        };
    }
    let own = PathBuf::from(format!("/proc/{}", std::process::id()));
    let is_own = folder == Path::new("/dev/fd")
        || folder.starts_with(&own) && folder.file_name() == Some(OsStr::new("fd"));
    name.parse().ok().filter(|_| is_own)
}

/// Whether a path names a descriptor of another process, which goes on writing to its file or pipe: `/proc/1234/fd/7`.
fn is_of_other_process(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| folder.starts_with("/proc") && folder.ends_with("fd"))
}

/// Opens an existing file. A descriptor of this process is duplicated, so that it keeps its position in
/// its file: otherwise its owner would overwrite what is written here.
fn open_stream(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(stream) = descriptor(path).and_then(duplicate) {
        return Ok(stream);
    }
    // Appending has no effect on a pipe, and keeps the content of a descriptor's file.
    OpenOptions::new().append(true).open(path)
}

/// `None` on kernels before 5.6, or where a sandbox forbids it.
#[cfg(target_os = "linux")]
fn duplicate(number: u32) -> Option<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};
    let own = pidfd_open(getpid(), PidfdFlags::empty()).ok()?;
    let number = i32::try_from(number).ok()?;
    pidfd_getfd(own, number, PidfdGetfdFlags::empty()).ok().map(File::from)
}

/// Fails if a descriptor isn't open for writing, or if this process opened it itself rather than being given it: then
/// programs that it starts don't get it either. `None` if its flags can't be read.
#[cfg(target_os = "linux")]
fn may_write_descriptor(number: u32) -> Option<io::Result<()>> {
    use rustix::fs::OFlags;
    use rustix::io::Errno;
    // proc_pid_fdinfo(5): the flags are octal.
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).ok()?;
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
    let flags = OFlags::from_bits_retain(u32::from_str_radix(flags.trim(), 8).ok()?);
    let is_for_writing = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
    Some(match () {
        () if flags.contains(OFlags::CLOEXEC) => Err(Errno::NOENT.into()),
        () if !is_for_writing => Err(Errno::BADF.into()),
        () => Ok(()),
    })
}

/// Fails if this process isn't allowed to write the file. It isn't opened: that alone would change the
/// state of a device or a pipe.
#[cfg(unix)]
fn may_write(path: &Path) -> io::Result<()> {
    // It can be open to a process that may not open its file.
    #[cfg(target_os = "linux")]
    if let Some(answer) = descriptor(path).and_then(may_write_descriptor) {
        return answer;
    }
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> io::Result<()> {
    match path.metadata()?.permissions().readonly() {
        true => Err(io::ErrorKind::PermissionDenied.into()),
        false => Ok(()),
    }
}

fn write_all(out: &mut dyn Write, write: Writing<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    write(&mut out).and_then(|()| out.flush())
}

/// The reader of a standard stream that closed its end has seen enough. That of a pipe with a name would keep a part of
/// what is expected there, and nobody sees its end.
fn ended_by_reader(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn write_stream<T: Write + IsTerminal>(
    out: &mut T,
    write: &mut dyn FnMut(&mut dyn Write, bool) -> io::Result<()>,
) -> io::Result<()> {
    let is_terminal = out.is_terminal();
    write_all(out, &mut |out| write(out, is_terminal))
}

fn write_file(path: &Path, write: Writing<'_>) -> io::Result<()> {
    let mut new = Replacement::of(path)?;
    write_all(new.file(), write)?;
    new.finish()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn write(path: &Path, text: &str) -> Result<()> {
        let to = Destination::of(Some(path))?;
        to.check()?;
        to.write(&mut |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("target", &link).unwrap();
        write(&link, "x").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(folder.path().join("target")).unwrap(), b"x");
        let circle = folder.path().join("circle");
        symlink("circle", &circle).unwrap();
        assert!(write(&circle, "x").is_err());
        assert!(circle.is_symlink());
    }

    #[test]
    fn a_file_keeps_its_mode_and_its_other_names() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("file"), folder.path().join("other"));
        std::fs::write(&file, "a longer text than before").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        write(&file, "new").unwrap();
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o640);
        std::fs::hard_link(&file, &other).unwrap();
        for text in ["newer", "newer and longer", "", "new"] {
            write(&other, text).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        assert_eq!(file.metadata().unwrap().nlink(), 2);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");
    }

    #[test]
    fn names_of_descriptors_are_known_however_they_are_written() {
        for (path, number) in [
            ("/dev/stdout", Some(1)),
            ("/dev/../dev/./stderr", Some(2)),
            ("/dev/fd/63", Some(63)),
            ("/proc/self/fd/1", Some(1)),
            ("/proc/thread-self/fd/7", Some(7)),
            ("/proc/1/fd/1", None),
            ("/dev/null", None),
            ("/tmp/fd/1", None),
        ] {
            if Path::new(path).parent().is_some_and(Path::exists) {
                assert_eq!(descriptor(Path::new(path)), number, "{path}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_descriptor_that_nobody_gave_to_this_process_is_not_there() {
        use std::os::fd::AsRawFd;
        let own = tempfile::tempfile().unwrap();
        for folder in ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"] {
            let path = PathBuf::from(format!("{folder}/{}", own.as_raw_fd()));
            let error = Destination::of(Some(&path)).unwrap().check().unwrap_err();
            assert!(error.what.contains("No such file"), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_descriptor_is_written_to_if_it_is_open_for_writing() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "").unwrap();
        let may_write = |file: &File| {
            rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).unwrap();
            may_write(Path::new(&format!("/dev/fd/{}", file.as_raw_fd()))).is_ok()
        };
        let (read, write) = (File::open(&path), File::options().append(true).open(&path));
        let (reader, writer) = io::pipe().unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o0)).unwrap();
        assert!(!may_write(&read.unwrap()) && may_write(&write.unwrap()));
        assert!(!may_write(&File::from(std::os::fd::OwnedFd::from(reader))));
        assert!(may_write(&File::from(std::os::fd::OwnedFd::from(writer))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_another_process_has_open_is_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        std::fs::write(&file, "old").unwrap();
        let open = File::options().append(true).open(&file).unwrap();
        let mut other = std::process::Command::new("sleep").arg("60").stdout(open).spawn().unwrap();
        write(Path::new(&format!("/proc/{}/fd/1", other.id())), "new").unwrap();
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "oldnew");
    }

    #[test]
    fn what_fails_leaves_a_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "old").unwrap();
        let to = Destination::of(Some(&file)).unwrap();
        let failed = to.write(&mut |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
