//! The files that a process has mapped: its program and its libraries.

use super::elf::Elf;
use crate::binary::{Binary, Slide};
use crate::live::error::Refusal;
use crate::live::linux::access;
use crate::live::memory::Memory;
use crate::regular_file;
use std::fs::{self, File};
use std::io::Cursor;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The program and libraries of a process.
#[derive(Debug)]
pub(super) struct Modules {
    pid: u32,
    ignore_deleted: bool,
    maps: Maps,
    modules: Vec<Module>,
    notes: Vec<String>,
}

/// The mappings by ascending start.
#[derive(Debug, Default)]
pub(super) struct Maps(Vec<Mapping>);

/// A line of `/proc/PID/maps`.
#[derive(Debug)]
struct Mapping {
    start: u64,
    end: u64,
    is_code: bool,
    /// The position of its module in the list.
    module: Option<usize>,
}

/// A program or library.
#[derive(Debug)]
pub(super) struct Module {
    /// As the system has it.
    path: String,
    inode: u64,
    /// The start of its first mapping.
    pub(super) start: u64,
    /// The end of its last mapping.
    pub(super) end: u64,
    /// A mapping of its code: start, end, offset in the file.
    code: Option<(u64, u64, u64)>,
    state: State,
}

#[derive(Debug)]
enum State {
    New,
    Open(Box<Elf>),
    Unreadable,
}

const VDSO: &str = "[vdso]";
const DELETED: &str = " (deleted)";

impl Modules {
    /// Reads the modules of a process.
    pub(super) fn of(pid: u32, ignore_deleted: bool) -> Result<Modules, Refusal> {
        let maps = fs::read(format!("/proc/{pid}/maps"));
        let maps = maps.map_err(|error| access::unreadable(pid, error))?;
        Ok(Modules::parse(pid, ignore_deleted, &String::from_utf8_lossy(&maps)))
    }

    /// A single module with these bytes as its file, all of it mapped at `start`.
    pub(super) fn of_file(start: u64, file: Vec<u8>) -> Modules {
        let end = start.saturating_add(file.len() as u64);
        let mut all = Modules::parse(0, false, &format!("{start:x}-{end:x} r-xp 0 0:0 1 /file"));
        if let Some(module) = all.modules.first_mut() {
            module.state = match Elf::new(Box::new(Cursor::new(file))) {
                Some(elf) => State::Open(Box::new(elf)),
                None => State::Unreadable,
            };
        }
        all
    }

    pub(super) fn parse(pid: u32, ignore_deleted: bool, maps: &str) -> Modules {
        let mut all = Modules {
            pid,
            ignore_deleted,
            maps: Maps::default(),
            modules: Vec::new(),
            notes: Vec::new(),
        };
        for line in maps.lines() {
            all.add(line);
        }
        all.maps.0.sort_by_key(|mapping| mapping.start);
        all
    }

    /// `00400000-004a2000 r-xp 00001000 fe:01 1234      /usr/bin/shop`.
    fn add(&mut self, line: &str) -> Option<()> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let (start, end) = (hex(start)?, hex(end)?);
        let is_code = fields.next()?.contains('x');
        let offset = hex(fields.next()?)?;
        let inode: u64 = fields.nth(1)?.parse().ok()?;
        let path = fields.next().unwrap_or_default().trim_start();
        let is_file = inode != 0 || path == VDSO;
        let module = is_file.then(|| {
            // A library's mappings are next to each other, or with anonymous ones in between.
            let last = self.modules.len().checked_sub(1);
            let same = last.filter(|&last| {
                let known = self.modules.get(last);
                known.is_some_and(|known| known.inode == inode && known.path == path)
            });
            same.unwrap_or_else(|| {
                let path = path.to_owned();
                self.modules.push(Module {
                    path,
                    inode,
                    start,
                    end,
                    code: None,
                    state: State::New,
                });
                self.modules.len().saturating_sub(1)
            })
        });
        if let Some(module) = module.and_then(|at| self.modules.get_mut(at)) {
            module.end = module.end.max(end);
            if is_code && module.code.is_none() {
                module.code = Some((start, end, offset));
            }
        }
        self.maps.0.push(Mapping { start, end, is_code, module });
        Some(())
    }

    /// The position of the module that has an address.
    pub(super) fn find(&self, address: u64) -> Option<usize> {
        self.maps.mapping(address)?.module
    }

    /// A module and its file, which is opened at the first call.
    pub(super) fn open(&mut self, at: usize) -> Option<(&Module, &Elf)> {
        let (pid, ignore_deleted) = (self.pid, self.ignore_deleted);
        let module = self.modules.get_mut(at)?;
        if matches!(module.state, State::New) {
            module.state = match module.open(pid, ignore_deleted) {
                Ok(elf) => State::Open(Box::new(elf)),
                Err(why) => {
                    self.notes.push(format!("{}: {why}", module.path));
                    State::Unreadable
                }
            };
        }
        let module = self.modules.get(at)?;
        match &module.state {
            State::Open(elf) => Some((module, elf)),
            State::New | State::Unreadable => None,
        }
    }

    /// The module's name: the last part of its path.
    pub(super) fn name(&self, at: usize) -> Option<String> {
        let path = &self.modules.get(at)?.path;
        let path = path.strip_suffix(DELETED).unwrap_or(path);
        Some(path.rsplit('/').next().unwrap_or(path).to_owned())
    }

    /// Reads the code that the kernel maps into each process, which has no file.
    pub(super) fn read_vdso(&mut self, memory: &impl Memory) {
        let Some(module) = self.modules.iter_mut().find(|module| module.path == VDSO) else {
            return;
        };
        let len = module.end.saturating_sub(module.start).min(1 << 20);
        let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
        let read = memory.fill(module.start, &mut bytes);
        module.state = match Elf::new(Box::new(Cursor::new(bytes))) {
            Some(elf) if read => State::Open(Box::new(elf)),
            _ => State::Unreadable,
        };
    }

    /// How far a program was moved, if it is mapped here.
    pub(super) fn slide_of(&self, binary: &Binary) -> Option<Slide> {
        let program = fs::metadata(format!("/proc/{}/exe", self.pid)).ok()?;
        let modules = self.modules.iter().filter(|module| module.inode == program.ino());
        modules
            .filter_map(|module| module.code)
            .find_map(|(start, end, offset)| binary.slide_of_mapping(start, end, offset))
    }

    /// The mappings.
    pub(super) fn maps(&self) -> &Maps {
        &self.maps
    }

    /// Notes something that couldn't be read.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Notes of everything that couldn't be read.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes
    }
}

impl Maps {
    /// An address that can be read.
    pub(super) fn address(&self) -> Option<u64> {
        self.0.iter().find(|mapping| mapping.is_code).map(|mapping| mapping.start)
    }

    fn mapping(&self, address: u64) -> Option<&Mapping> {
        let after = self.0.partition_point(|mapping| mapping.start <= address);
        self.0.get(after.checked_sub(1)?).filter(|mapping| address < mapping.end)
    }

    /// The end of the mapping that has an address; of unknown (new) memory, the end of its page.
    pub(super) fn end(&self, address: u64) -> u64 {
        let page = (address | 0xfff).saturating_add(1);
        self.mapping(address).map_or(page, |mapping| mapping.end)
    }
}

impl Module {
    fn open(&self, pid: u32, ignore_deleted: bool) -> Result<Elf, String> {
        let file = self.file(pid, ignore_deleted)?;
        Elf::new(Box::new(file)).ok_or_else(|| "isn't an ELF file of this system".to_owned())
    }

    /// The mapped file, even if it was deleted or is in another container.
    fn file(&self, pid: u32, ignore_deleted: bool) -> Result<File, String> {
        let proc = PathBuf::from(format!("/proc/{pid}"));
        if let Some((start, end, _)) = self.code
            && let Ok(file) = File::open(proc.join(format!("map_files/{start:x}-{end:x}")))
        {
            return Ok(file);
        }
        let is_same = |file: &File| file.metadata().is_ok_and(|found| found.ino() == self.inode);
        if let Some(file) = File::open(proc.join("exe")).ok().filter(is_same) {
            return Ok(file);
        }
        let (path, is_deleted) = match self.path.strip_suffix(DELETED) {
            Some(path) => (path, true),
            None => (&*self.path, false),
        };
        if is_deleted && !ignore_deleted {
            return Err("was deleted; --ignore-deleted takes what is there now".to_owned());
        }
        let path = Path::new(path).strip_prefix("/").map_err(|_| "has no file".to_owned())?;
        let found = regular_file::open(&proc.join("root").join(path));
        let file = found.map_err(|error| error.to_string())?;
        let file = file.ok_or_else(|| "isn't a regular file by now".to_owned())?;
        match ignore_deleted || is_same(&file) {
            true => Ok(file),
            false => Err("is another file by now".to_owned()),
        }
    }

    /// How far it was moved.
    pub(super) fn bias(&self, elf: &Elf) -> Option<u64> {
        match self.code {
            Some((start, _, offset)) => elf.bias(start, offset),
            None => None,
        }
    }
}

impl Modules {
    /// Opens the separate file with symbols and lines for a build id.
    pub(super) fn debug_file(&self, build_id: &[u8]) -> Option<Elf> {
        let hex: String = build_id.iter().map(|byte| format!("{byte:02x}")).collect();
        let (first, rest) = hex.split_at_checked(2).filter(|(_, rest)| !rest.is_empty())?;
        let path = format!("usr/lib/debug/.build-id/{first}/{rest}.debug");
        let roots = [PathBuf::from(format!("/proc/{}/root", self.pid)), PathBuf::from("/")];
        let found = |root: &PathBuf| regular_file::open(&root.join(&path)).ok().flatten();
        roots.iter().filter_map(found).find_map(|file| Elf::new(Box::new(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_in_the_place_of_a_mapped_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("lib.so");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for ignore_deleted in [false, true] {
            let line = format!("1000-2000 r-xp 00000000 fe:01 1 {}", pipe.display());
            let modules = Modules::parse(std::process::id(), ignore_deleted, &line);
            let module = modules.modules.first().unwrap();
            let refusal = module.file(modules.pid, ignore_deleted).unwrap_err();
            assert_eq!(refusal, "isn't a regular file by now");
        }
    }
}
