//! The program that wrote a core file.

use super::CorePrograms;
use super::image::CoreFile;
use crate::binary::{Binary, BinaryError, Slide};
use crate::error::{Error, ErrorKind, Result};
use crate::regular_file;
use std::path::{Path, PathBuf};

/// A program, and where its process had it.
pub(super) struct Program {
    pub(super) binary: Binary,
    /// How far it was moved.
    pub(super) slide: Slide,
    pub(super) path: PathBuf,
    /// A note for the user about the choice.
    pub(super) note: Option<String>,
}

/// Whether a file is the program that ran.
enum Same {
    Yes,
    /// The core has nothing to compare with.
    Unknown,
    /// It isn't; why.
    No(String),
}

/// Finds the program among the given files, or by the path in the core.
pub(super) fn find(core: &CoreFile, programs: &CorePrograms, input: &str) -> Result<Program> {
    let paths = match programs.given.as_slice() {
        [] => vec![named(core, input)?],
        given => given.to_vec(),
    };
    let mut wrong = Vec::new();
    for path in paths {
        let binary = open(&path, programs.given.is_empty(), input)?;
        match compare(core, &binary) {
            Same::Yes => return Ok(Program::new(core, binary, path, None)),
            Same::Unknown => {
                let note = format!(
                    "doesn't tell which build of its program wrote it; {} was taken",
                    path.display()
                );
                return Ok(Program::new(core, binary, path, Some(note)));
            }
            Same::No(evidence) => wrong.push((binary, path, evidence)),
        }
    }
    let evidence: Vec<String> = wrong
        .iter()
        .map(|(_, path, why)| format!("{} does not match: {why}", path.display()))
        .collect();
    let evidence = evidence.join("; ");
    match wrong.into_iter().next() {
        Some((binary, path, _)) if programs.force => {
            let note = format!("{evidence}; used by --force-binary");
            Ok(Program::new(core, binary, path, Some(note)))
        }
        _ => Err(Error::new(ErrorKind::Unknown, input, evidence).advise(
            "give the program that wrote the core with --binary, or use this one with --force-binary",
        )),
    }
}

impl Program {
    fn new(core: &CoreFile, binary: Binary, path: PathBuf, note: Option<String>) -> Program {
        let slide = core.notes.entry.map_or(Slide::default(), |entry| binary.slide_of_entry(entry));
        Program { binary, slide, path, note }
    }
}

/// The path of the program in the core: that of the file with its program headers.
fn named(core: &CoreFile, input: &str) -> Result<PathBuf> {
    let path = core.notes.headers.and_then(|headers| core.notes.file_at(headers));
    let path = path.map(|path| String::from_utf8_lossy(path).into_owned());
    path.map(PathBuf::from).ok_or_else(|| {
        Error::new(ErrorKind::Unknown, input, "doesn't tell which program wrote it")
            .advise("give the program with --binary")
    })
}

fn open(path: &Path, is_named: bool, input: &str) -> Result<Binary> {
    // A core can name anything.
    let found = regular_file::open(path).map_err(BinaryError::Io);
    let binary = found.and_then(|file| match file {
        Some(file) => Binary::of_file(file),
        None => Err(BinaryError::Not("isn't a file", "")),
    });
    binary.map_err(|error| match is_named {
        true => {
            let what = format!("its program {} can't be read: {error}", path.display());
            Error::new(ErrorKind::Unknown, input, what)
                .advise("give a copy of the program with --binary")
        }
        false => Error::new(ErrorKind::Unknown, path.display().to_string(), error.to_string()),
    })
}

/// The first page of a program.
const PAGE: usize = 4096;

/// Compares the start of the program in memory with the file: by the linker's build id, else by Go's, and
/// if one side has neither, by the bytes themselves.
fn compare(core: &CoreFile, binary: &Binary) -> Same {
    if binary.arch() != core.arch {
        return Same::No("it is for another processor".to_owned());
    }
    let mut page = vec![0; PAGE];
    let start = core.notes.headers.map(|headers| headers & !(PAGE as u64).wrapping_sub(1));
    let is_there = start.is_some_and(|start| core.fill(start, &mut page));
    if !is_there || !page.starts_with(b"\x7fELF") {
        return Same::Unknown;
    }
    let gnu = note(&page, *b"GNU\0", 3);
    let gnu = gnu.map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let go = note(&page, *b"Go\0\0", 4).map(|id| String::from_utf8_lossy(id).into_owned());
    let ids = [("build id", gnu, binary.gnu_build_id()), ("Go build id", go, binary.go_build_id())];
    for (what, running, of_file) in ids {
        if let (Some(running), Some(of_file)) = (running, of_file) {
            return match running == of_file {
                true => Same::Yes,
                false => Same::No(format!("its {what} is {of_file}, that of the core {running}")),
            };
        }
    }
    match binary.starts_with(&page) {
        true => Same::Yes,
        false => Same::No("its headers aren't those in the core".to_owned()),
    }
}

/// The text of a note with this name and kind, somewhere in a page.
fn note(page: &[u8], name: [u8; 4], kind: u32) -> Option<&[u8]> {
    let (words, _) = page.as_chunks::<4>();
    let at = words.windows(4).position(|words| {
        let [name_size, _, found, found_name] = *words else { return false };
        u32::from_le_bytes(name_size) == 4
            && u32::from_le_bytes(found) == kind
            && found_name == name
    })?;
    let size = u32::from_le_bytes(*words.get(at.checked_add(1)?)?);
    let rest = page.get(at.checked_add(4)?.checked_mul(4)?..)?;
    rest.get(..usize::try_from(size).ok()?)
}
