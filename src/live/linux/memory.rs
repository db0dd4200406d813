//! The memory of a process.

use crate::live::error::Refusal;
use crate::live::memory::{Memory, PIECES, Piece};
use crate::live::native::Reader;
use nix::errno::Errno;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::fs::File;
use std::io::IoSliceMut;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The memory of a process, read while it runs.
#[derive(Debug)]
pub(super) struct ProcessMemory {
    pid: Pid,
    reader: Reader,
    /// `/proc/PID/mem`, if calls that read several pieces aren't allowed, as in some containers.
    file: OnceLock<Option<File>>,
    has_ended: AtomicBool,
}

impl ProcessMemory {
    /// The memory of a process; `known` is an address that can be read.
    ///
    /// # Errors
    /// If it may not be read.
    pub(super) fn open(pid: Pid, known: u64, reader: Reader) -> Result<ProcessMemory, Refusal> {
        let memory = ProcessMemory { pid, reader, file: OnceLock::new(), has_ended: false.into() };
        if reader == Reader::ProcMem {
            let file = File::open(memory.path()).map_err(|_| Refusal::Memory)?;
            memory.file.get_or_init(|| Some(file));
        }
        let mut probe = [0; 1];
        match memory.try_read(&[Piece { address: known, len: 1 }], &mut probe) {
            Ok(1) => Ok(memory),
            Ok(_) | Err(Errno::EFAULT) => Err(Refusal::Changed),
            Err(Errno::ESRCH) => Err(Refusal::Gone),
            Err(Errno::EPERM | Errno::EACCES) => Err(Refusal::Memory),
            Err(error) => Err(Refusal::System(error.into())),
        }
    }

    fn path(&self) -> String {
        format!("/proc/{}/mem", self.pid)
    }

    /// Reads pieces with one call; returns how many bytes were read.
    fn try_read(&self, pieces: &[Piece], buffer: &mut [u8]) -> Result<usize, Errno> {
        if let Some(file) = self.file.get() {
            return file.as_ref().ok_or(Errno::EPERM).map(|file| read_file(file, pieces, buffer));
        }
        let remote: Option<Vec<RemoteIoVec>> = (pieces.iter())
            .map(|piece| Some(RemoteIoVec { base: piece.address.try_into().ok()?, len: piece.len }))
            .collect();
        let remote = remote.ok_or(Errno::EFAULT)?;
        match process_vm_readv(self.pid, &mut [IoSliceMut::new(buffer)], &remote) {
            // The errors that seccomp returns for calls that it blocks.
            Err(refused @ (Errno::ENOSYS | Errno::EPERM)) if self.reader == Reader::Auto => {
                let open = || File::open(self.path()).ok();
                let file = self.file.get_or_init(open).as_ref().ok_or(refused)?;
                Ok(read_file(file, pieces, buffer))
            }
            Err(Errno::ESRCH) => {
                self.has_ended.store(true, Ordering::Relaxed);
                Err(Errno::ESRCH)
            }
            read => read,
        }
    }
}

impl Memory for ProcessMemory {
    fn read_pieces(&self, pieces: &[Piece], buffer: &mut [u8]) -> usize {
        let mut whole = 0;
        for part in pieces.chunks(PIECES) {
            let before = pieces.get(..whole).unwrap_or_default().iter();
            let start = before.fold(0, |sum: usize, piece| sum.saturating_add(piece.len));
            let Some(buffer) = buffer.get_mut(start..) else { break };
            let mut left = self.try_read(part, buffer).unwrap_or(0);
            for piece in part {
                let Some(rest) = left.checked_sub(piece.len) else { return whole };
                left = rest;
                whole = whole.saturating_add(1);
            }
        }
        whole
    }

    fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

/// Reads pieces from a file, one by one; returns how many bytes were read.
fn read_file(file: &File, pieces: &[Piece], buffer: &mut [u8]) -> usize {
    let mut read = 0_usize;
    for piece in pieces {
        let end = read.saturating_add(piece.len);
        let Some(into) = buffer.get_mut(read..end) else { break };
        if file.read_exact_at(into, piece.address).is_err() {
            break;
        }
        read = end;
    }
    read
}
