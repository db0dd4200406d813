//! A process, from its files in /proc.

use super::access;
use crate::binary::{Binary, BinaryError, Slide};
use crate::limits::LIMITS;
use crate::live::error::Refusal;
use nix::libc;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A process and its program.
#[derive(Debug)]
pub(super) struct Process {
    /// The program that runs, even if its file was deleted or is in another container.
    pub(super) binary: Binary,
    /// How far it was moved.
    pub(super) slide: Slide,
    pid: u32,
    /// The kernel's auxiliary vector (`auxv`), which has addresses chosen at start; `execve` changes it.
    auxiliary: Vec<u8>,
    /// How far its monotonic clock is ahead of this process' clock, in nanoseconds.
    clock_offset: i64,
}

fn path(pid: u32, file: &str) -> PathBuf {
    Path::new("/proc").join(pid.to_string()).join(file)
}

/// The name of a process' program, without the folder.
pub fn program(pid: u32) -> Option<String> {
    let program = fs::read_link(path(pid, "exe")).ok()?;
    let name = program.file_name()?.to_string_lossy().into_owned();
    Some(name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned())
}

/// The start time of a process, which distinguishes it from earlier ones with the same ID, in the kernel's
/// units: the 22nd field of `stat`, whose second field, in parentheses, may contain anything.
pub fn started(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(path(pid, "stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(19)?.parse().ok()
}

impl Process {
    /// Opens a process' program and reads where it is mapped.
    pub(super) fn open(pid: u32) -> Result<Process, Refusal> {
        let refusal = |error: std::io::Error| match (error.kind(), error.raw_os_error()) {
            (ErrorKind::NotFound, _) if path(pid, "").exists() => Refusal::NoProgram,
            (ErrorKind::NotFound, _) | (_, Some(libc::ESRCH)) => Refusal::Gone,
            (ErrorKind::PermissionDenied, _) => access::refusal(pid),
            _ => Refusal::System(error),
        };
        // This path always opens the file that runs, even if another one has replaced it.
        let program = path(pid, "exe");
        let file = fs::metadata(&program).map_err(refusal)?;
        let binary = Binary::open(&program).map_err(|error| match error {
            BinaryError::Io(error) => refusal(error),
            error => Refusal::Binary(error),
        })?;
        let maps = read(pid, "maps", LIMITS.live_maps).map_err(refusal)?;
        let auxiliary = read(pid, "auxv", LIMITS.live_maps).map_err(refusal)?;
        let slide = slide(&binary, &maps, file.ino()).ok_or(Refusal::Changed)?;
        let own = monotonic_offset(Path::new("/proc/self/timens_offsets"));
        let its = monotonic_offset(&path(pid, "timens_offsets"));
        Ok(Process { binary, slide, pid, auxiliary, clock_offset: its.saturating_sub(own) })
    }

    /// The environment that it was started with.
    pub(super) fn environment(&self) -> Vec<u8> {
        read(self.pid, "environ", LIMITS.live_environment).unwrap_or_default()
    }

    /// Checks that it still runs the program that was opened.
    ///
    /// # Errors
    /// If it has ended, or runs another program.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        match read(self.pid, "auxv", LIMITS.live_maps) {
            Ok(now) if now == self.auxiliary => Ok(()),
            Ok(now) if !now.is_empty() => Err(Refusal::Changed),
            _ => Err(Refusal::Ended),
        }
    }
}

impl Process {
    /// The time by its monotonic clock, in nanoseconds.
    pub(super) fn now(&self) -> i64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let seconds = now.tv_sec.saturating_mul(1_000_000_000);
        seconds.saturating_add(now.tv_nsec).saturating_add(self.clock_offset)
    }
}

/// Reads at most `most` bytes of a file in /proc.
fn read(pid: u32, file: &str, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path(pid, file))?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How far a program was moved, from the lines of `/proc/PID/maps`:
/// `00400000-004a2000 r-xp 00001000 fe:01 1234 /usr/bin/shop`.
fn slide(binary: &Binary, maps: &[u8], inode: u64) -> Option<Slide> {
    maps.split(|&byte| byte == b'\n').find_map(|line| {
        // Paths can contain any bytes; the fields before them are ASCII.
        let line = line.utf8_chunks().next()?.valid();
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let rights = fields.next()?;
        let offset = u64::from_str_radix(fields.next()?, 16).ok()?;
        let found: u64 = fields.nth(1)?.parse().ok()?;
        if found != inode || !rights.contains('x') {
            return None;
        }
        let [start, end] = [start, end].map(|number| u64::from_str_radix(number, 16).ok());
        binary.slide_of_mapping(start?, end?, offset)
    })
}

/// How far the monotonic clock of a time namespace is ahead: `monotonic  SECONDS  NANOSECONDS`.
fn monotonic_offset(path: &Path) -> i64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let offset = text.lines().find_map(|line| {
        let mut fields = line.strip_prefix("monotonic")?.split_ascii_whitespace();
        let seconds: i64 = fields.next()?.parse().ok()?;
        seconds.checked_mul(1_000_000_000)?.checked_add(fields.next()?.parse().ok()?)
    });
    offset.unwrap_or(0)
}
