//! Notes of a core file: the kernel's data about the process and its threads.

use super::image::{Bytes, half, word};
use crate::limits::LIMITS;
use std::collections::BTreeMap;

/// The notes that are used.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// The process ID.
    pub(super) pid: Option<u32>,
    /// The address at which the program starts.
    pub(super) entry: Option<u64>,
    /// The address of its program headers.
    pub(super) headers: Option<u64>,
    /// The address of the random bytes from the kernel, below arguments and environment.
    pub(super) random: Option<u64>,
    /// The address of the program's name, above arguments and environment.
    pub(super) program_name: Option<u64>,
    /// The registers of its threads, by thread ID.
    pub(super) threads: BTreeMap<u64, Registers>,
    /// The note that lists the mapped files.
    files: Vec<u8>,
}

/// The registers of a thread that unwinding starts with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Registers {
    pub(super) pc: u64,
    pub(super) sp: u64,
    /// The link register; 0 on amd64, which has none.
    pub(super) lr: u64,
}

impl Registers {
    /// Reads a `struct elf_prstatus`: registers in ascending order after 112 bytes (`pr_reg`). Its size
    /// shows the processor.
    pub(super) fn of(status: &[u8]) -> Option<Registers> {
        let register = |at: usize| word(status, at.checked_mul(8)?.checked_add(112)?);
        match status.len() {
            336 => Some(Registers { pc: register(16)?, sp: register(19)?, lr: 0 }),
            392 => Some(Registers { pc: register(32)?, sp: register(31)?, lr: register(30)? }),
            _ => None,
        }
    }
}

// `include/uapi/linux/elf.h`; the last one spells "FILE".
const PRSTATUS: u32 = 1;
const PRPSINFO: u32 = 3;
const AUXV: u32 = 6;
const FILE: u32 = 0x4649_4c45;
/// `pr_pid` of `struct elf_prstatus`.
const THREAD: usize = 32;
/// `pr_pid` of `struct elf_prpsinfo`.
const PID: usize = 24;
// `include/uapi/linux/auxvec.h`.
const AT_PHDR: u64 = 3;
const AT_ENTRY: u64 = 9;
const AT_RANDOM: u64 = 25;
const AT_EXECFN: u64 = 31;
/// Bytes of a note before its name.
const HEADER: u64 = 12;
/// The largest note that is read, except the list of files.
const SMALL: u64 = 4096;

impl Notes {
    /// Reads the notes in these parts (offset and size) of the file.
    pub(super) fn read(file: &Bytes, parts: &[(u64, u64)]) -> Notes {
        let mut notes = Notes::default();
        let mut left = LIMITS.core_notes;
        for &(start, size) in parts {
            let (mut at, end) = (start, start.saturating_add(size));
            while at < end && left > 0 {
                left = left.saturating_sub(1);
                let Some(header) = file.array::<{ HEADER as usize }>(at) else { break };
                let [name, size, kind] = [0, 4, 8].map(|at| half(&header, at).unwrap_or_default());
                let text = u64::from(name).next_multiple_of(4).saturating_add(HEADER);
                let text = at.saturating_add(text);
                let next = text.saturating_add(u64::from(size).next_multiple_of(4));
                if next > end {
                    break;
                }
                notes.take(file, kind, text, size.into());
                at = next;
            }
        }
        notes
    }

    fn take(&mut self, file: &Bytes, kind: u32, at: u64, size: u64) {
        let most = if kind == FILE { LIMITS.core_files } else { SMALL };
        let wanted = matches!(kind, PRSTATUS | PRPSINFO | AUXV | FILE) && size <= most;
        let Some(size) = usize::try_from(size).ok().filter(|_| wanted) else { return };
        let mut text = vec![0; size];
        if !file.fill(at, &mut text) {
            return;
        }
        match kind {
            PRSTATUS => {
                let number = half(&text, THREAD).map(u64::from);
                self.threads.extend(number.zip(Registers::of(&text)));
            }
            PRPSINFO => self.pid = half(&text, PID),
            FILE => self.files = text,
            _ => {
                let (pairs, _) = text.as_chunks::<16>();
                for pair in pairs {
                    let into = match word(pair, 0) {
                        Some(AT_PHDR) => &mut self.headers,
                        Some(AT_ENTRY) => &mut self.entry,
                        Some(AT_RANDOM) => &mut self.random,
                        Some(AT_EXECFN) => &mut self.program_name,
                        _ => continue,
                    };
                    *into = word(pair, 8);
                }
            }
        }
    }

    /// The path of the file that is mapped at an address. The note has a count, the page size, the start,
    /// end and offset in pages of each mapping, then their paths.
    pub(super) fn file_at(&self, address: u64) -> Option<&[u8]> {
        let count = usize::try_from(word(&self.files, 0)?).ok()?;
        let (list, paths) = self.files.get(16..)?.split_at_checked(count.checked_mul(24)?)?;
        let (mappings, _) = list.as_chunks::<24>();
        let holds = |mapping: &[u8; 24]| {
            word(mapping, 0).is_some_and(|start| start <= address)
                && word(mapping, 8).is_some_and(|end| address < end)
        };
        let at = mappings.iter().position(holds)?;
        paths.split(|&byte| byte == 0).nth(at).filter(|path| !path.is_empty())
    }
}
