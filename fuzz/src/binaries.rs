//! Go binaries and core files.

use flate2::read::GzDecoder;
use stackgazer::binary::{Binary, CallSite, Evidence, Frame, Observed, PrintedCall, Slide};
use stackgazer::live::{CorePrograms, Wanted, capture_core};
use stackgazer::read_at::ReadAt;
use std::io::{self, Read};
use std::path::Path;
use tempfile::NamedTempFile;

/// Bytes of the largest binary that is made of an input; those of `testdata/binary` have 5 MB.
const LARGEST: u64 = 16 << 20;

/// Binaries with zeros for what their readers don't ask for, as `testdata/binary` holds them: most bytes of
/// a whole one would be code, which nobody reads.
pub fn binary(data: &[u8]) {
    let Some(bytes) = of_pieces(data) else { return };
    let Ok(binary) = Binary::from_bytes(bytes) else { return };
    let modules = binary.build_info().unwrap_or_default().modules();
    let _ = (binary.gnu_build_id(), binary.go_build_id(), binary.stack_model());
    for function in binary.functions().step_by(97).take(1000) {
        let name = function.name();
        let _ = modules.owner(&name);
        for pc in [function.entry(), function.end().wrapping_sub(1)] {
            let frames = binary.shown_frames(pc);
            let named: Vec<Observed> = frames.iter().map(|frame| observed(pc, frame)).collect();
            let slide = binary.slide_of_frames(&named);
            let _ = binary.check(&Evidence { named, ..Evidence::default() }, slide);
            let returns = [pc, pc, 0, u64::MAX];
            let _ = binary.stack_calls(&returns, Slide::default());
            let stacks = vec![&returns[..]];
            let _ = binary.check(&Evidence { stacks, ..Evidence::default() }, slide);
            let call = PrintedCall { function: &name, offset: 40, file: b"a.go", line: 1 };
            let _ = binary.addresses(&call);
        }
    }
    let sites = binary.functions().step_by(31).take(300).flat_map(|function| {
        [function.entry(), function.end().wrapping_sub(1)].map(|pc| CallSite { pc, cfa: 1 << 40 })
    });
    let sites: Vec<CallSite> = sites.collect();
    let locals = binary.locals(&sites);
    assert!(locals.of_calls.is_empty() || locals.of_calls.len() == sites.len());
    assert!(binary.frame_sizes().count() <= binary.function_count());
}

thread_local! {
    /// The programs in `testdata/core` and their core files. Of a thread, since what is static is never dropped,
    /// and the files left.
    static PROGRAMS: [(NamedTempFile, Vec<u8>); 3] = {
        let packed: [[&[u8]; 2]; 3] = [
            [
                include_bytes!("../../testdata/core/go1.27.program.cut.gz"),
                include_bytes!("../../testdata/core/go1.27.core.cut.gz"),
            ],
            [
                include_bytes!("../../testdata/core/go1.27-busy.program.cut.gz"),
                include_bytes!("../../testdata/core/go1.27-busy.core.cut.gz"),
            ],
            [
                include_bytes!("../../testdata/core/go1.27-annotate.program.cut.gz"),
                include_bytes!("../../testdata/core/go1.27-annotate.core.cut.gz"),
            ],
        ];
        packed.map(|[program, core]| {
            let file = NamedTempFile::new().expect("a file");
            let program = of_pieces(&unpacked(program)).expect("a program");
            std::fs::write(file.path(), program).expect("a file");
            (file, unpacked(core))
        })
    };
}

fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut unpacked).expect("gzip");
    unpacked
}

/// Gives the path of the program with this number and its core file.
pub(super) fn with_program<T>(number: u8, act: impl FnOnce(&Path, &Pieces) -> T) -> T {
    PROGRAMS.with(|programs| {
        let (file, core) = &programs[usize::from(number) % programs.len()];
        act(file.path(), &Pieces::of(core).expect("a core file"))
    })
}

/// Core files of one of those programs, of which the first byte tells the number, in the same form then: size
/// and pieces. All that is read of a live process is read of their memory, too.
pub fn core(data: &[u8]) {
    let Some((&number, data)) = data.split_first() else { return };
    let Some(core) = Pieces::of(data) else { return };
    with_program(number, |path, _| {
        let programs = CorePrograms { given: vec![path.to_owned()], force: true };
        let Ok(capture) = capture_core(&core, &programs, Wanted::All, "core") else { return };
        let goroutines = capture.captured.goroutines;
        assert_eq!(headers(&capture.text), goroutines.len());
        if let Some(last) = goroutines.last() {
            let _ = capture_core(&core, &programs, Wanted::Words(last.id), "core");
        }
    });
}

/// How many goroutines a text has.
pub(super) fn headers(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').filter(|line| line.starts_with(b"goroutine ")).count()
}

/// A file that is zeros but for these pieces, as they stand in an input.
pub(super) struct Pieces<'a> {
    size: u64,
    pieces: &'a [u8],
}

impl<'a> Pieces<'a> {
    fn of(data: &'a [u8]) -> Option<Pieces<'a>> {
        let (size, pieces) = data.split_first_chunk()?;
        Some(Pieces { size: u64::from_le_bytes(*size), pieces })
    }
}

impl ReadAt for Pieces<'_> {
    fn length(&self) -> u64 {
        self.size
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let left = usize::try_from(self.size.saturating_sub(at)).unwrap_or(usize::MAX);
        let count = buffer.len().min(left);
        let buffer = &mut buffer[..count];
        buffer.fill(0);
        let mut rest = self.pieces;
        while let Some((head, behind)) = rest.split_first_chunk::<8>() {
            let (words, _) = head.as_chunks::<4>();
            let [start, len] = [words[0], words[1]].map(u32::from_le_bytes);
            let (piece, next) = behind.split_at((len as usize).min(behind.len()));
            // What both have.
            let from = at.max(start.into());
            let to = (at + count as u64).min(u64::from(start) + piece.len() as u64);
            if from < to {
                let [into, of] = [at, start.into()].map(|start| (from - start) as usize);
                let len = (to - from) as usize;
                buffer[into..into + len].copy_from_slice(&piece[of..of + len]);
            }
            rest = next;
        }
        Ok(count)
    }
}

/// The binary of this size with these pieces: size in 8 bytes, then offset and size of each piece in 4
/// bytes each, and its bytes.
fn of_pieces(data: &[u8]) -> Option<Vec<u8>> {
    let (size, mut rest) = data.split_first_chunk()?;
    let size = u64::from_le_bytes(*size).min(LARGEST);
    let mut bytes = vec![0; usize::try_from(size).ok()?];
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let (words, _) = head.as_chunks::<4>();
        let [start, len] = *words.first_chunk()?;
        let (start, len) = (u32::from_le_bytes(start) as usize, u32::from_le_bytes(len) as usize);
        let (piece, next) = behind.split_at(len.min(behind.len()));
        let end = start.saturating_add(piece.len());
        if let Some(place) = bytes.get_mut(start..end) {
            place.copy_from_slice(piece);
        }
        rest = next;
    }
    Some(bytes)
}

fn observed<'a>(pc: u64, frame: &'a Frame<'_>) -> Observed<'a> {
    let file = frame.file.as_deref().unwrap_or_default();
    Observed { pc, function: &frame.function, offset: Some(1), file, line: frame.line }
}
