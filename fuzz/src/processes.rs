//! Memory of live processes, and stacks of native code.

use super::binaries::{Pieces, headers, with_program};
use stackgazer::binary::{Binary, Slide};
use stackgazer::live::{
    Capture, CaptureMode, CaptureOptions, Memory, NativeCopy, NativeFrame, Piece, Wanted,
    capture_memory, native_calls,
};
use stackgazer::read_at::ReadAt;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// A process of which `testdata/core` has a core file, and whose memory changes while it is read. The first
/// byte tells which one, the second how it is read, and then come [`Change`]s.
pub fn live(data: &[u8]) {
    captured(data);
}

/// What the target [`live`] reads of its input.
pub fn captured(data: &[u8]) -> Option<Capture> {
    let [number, how, changes @ ..] = data else { return None };
    with_program(*number, |path, core| {
        let binary = Binary::open(path).expect("a program");
        let image = Image::new(&binary, core, changes);
        let mode = if how % 2 == 0 { CaptureMode::None } else { CaptureMode::Full };
        let wanted = match how / 2 {
            0 => Wanted::All,
            id => Wanted::Words(id.into()),
        };
        let stop_timeout = Duration::from_secs(60);
        let options = CaptureOptions { mode, stop_timeout, wanted, force: true };
        let environment = b"GODEBUG=tracebacklabels=1";
        let program = (&binary, Slide::default());
        let capture = capture_memory(&image, program, environment, &options, "process").ok()?;
        assert_eq!(headers(&capture.text), capture.captured.goroutines.len());
        Some(capture)
    })
}

/// The memory of a process that a core file has.
struct Image<'a> {
    binary: &'a Binary,
    core: &'a Pieces<'a>,
    /// Address, offset in the core file and size.
    segments: Vec<[u64; 3]>,
    changes: Vec<Change>,
    state: RefCell<State>,
}

/// What has become of it.
#[derive(Default)]
struct State {
    calls: u16,
    has_ended: bool,
    changed: BTreeMap<u64, u8>,
    /// Where something was read: good addresses.
    seen: Vec<u64>,
}

/// A change of what is read by one call: of this piece, from this byte on.
struct Change {
    call: u16,
    piece: usize,
    byte: usize,
    what: u8,
    value: u32,
}

impl Change {
    fn of(bytes: &[u8; 11]) -> Change {
        let [call, piece, byte] =
            [0, 2, 4].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        let value = u32::from_le_bytes([bytes[7], bytes[8], bytes[9], bytes[10]]);
        Change { call, piece: piece.into(), byte: byte.into(), what: bytes[6], value }
    }

    /// Whether it was the last of the process.
    fn ends(&self) -> bool {
        self.what % 8 == 7
    }

    /// Whether the piece isn't there any more.
    fn unmaps(&self) -> bool {
        self.what % 8 == 6
    }

    /// What is read instead, and whether it stays so.
    fn apply(&self, piece: &mut [u8], binary: &Binary, seen: &[u64]) -> bool {
        let at = self.byte % piece.len().max(1);
        let value = u64::from(self.value);
        let words = piece.len() / 8;
        let word = match self.what % 8 {
            0 => value,
            1 => u64::MAX - value,
            2 => seen.get(self.value as usize % seen.len().max(1)).copied().unwrap_or_default(),
            3 => binary.text().start + value,
            4 if words > 0 => {
                let from = at % words * 8;
                let old = piece[from..from + 8].try_into().expect("a word");
                u64::from_le_bytes(old).wrapping_add(value)
            }
            _ => {
                if let Some(byte) = piece.get_mut(at) {
                    *byte = value as u8;
                }
                return self.what & 8 != 0;
            }
        };
        if words > 0 {
            let from = at % words * 8;
            piece[from..from + 8].copy_from_slice(&word.to_le_bytes());
        }
        self.what & 8 != 0
    }
}

impl<'a> Image<'a> {
    fn new(binary: &'a Binary, core: &'a Pieces<'a>, changes: &[u8]) -> Image<'a> {
        let (changes, _) = changes.as_chunks();
        let changes = changes.iter().map(Change::of).collect();
        // Of `Elf64_Ehdr` and `Elf64_Phdr`.
        let mut header = [0; 64];
        let _ = core.read_at(&mut header, 0);
        let count = u16::from_le_bytes([header[56], header[57]]);
        let segments = (64_u64..).step_by(56).take(count.into()).map(|at| {
            let mut header = [0; 56];
            let _ = core.read_at(&mut header, at);
            let (words, _) = header.as_chunks();
            [words[2], words[1], words[4]].map(u64::from_le_bytes)
        });
        let segments = segments.collect();
        Image { binary, core, segments, changes, state: RefCell::default() }
    }

    /// Fills the buffer from one stretch of memory after the other.
    fn read(&self, mut address: u64, mut into: &mut [u8]) -> bool {
        while !into.is_empty() {
            let found = self.segments.iter().find_map(|[start, offset, size]| {
                let at = address.checked_sub(*start).filter(|at| at < size)?;
                Some((offset + at, usize::try_from(size - at).unwrap_or(usize::MAX)))
            });
            let count = match found {
                Some((offset, left)) => {
                    let len = left.min(into.len());
                    self.core.read_at(&mut into[..len], offset).unwrap_or(0)
                }
                // Code and what else can't change is in the file of the program.
                None => {
                    let len = into.len().min(4096 - (address % 4096) as usize);
                    self.binary.read_memory(address, &mut into[..len])
                }
            };
            if count == 0 {
                return false;
            }
            (into, address) = (&mut into[count..], address.saturating_add(count as u64));
        }
        true
    }
}

impl Memory for Image<'_> {
    fn read_pieces(&self, pieces: &[Piece], mut buffer: &mut [u8]) -> usize {
        let mut state = self.state.borrow_mut();
        let State { calls, has_ended, changed, seen } = &mut *state;
        *calls = calls.saturating_add(1);
        let now: Vec<&Change> = self.changes.iter().filter(|it| it.call == *calls).collect();
        *has_ended |= now.iter().any(|change| change.ends());
        if *has_ended {
            return 0;
        }
        for (read, piece) in pieces.iter().enumerate() {
            let Some(into) = buffer.split_off_mut(..piece.len) else { return read };
            if !self.read(piece.address, into) {
                return read;
            }
            let end = piece.address.saturating_add(piece.len as u64);
            for (address, byte) in changed.range(piece.address..end) {
                into[(address - piece.address) as usize] = *byte;
            }
            for change in now.iter().filter(|change| change.piece % pieces.len() == read) {
                if change.unmaps() {
                    return read;
                }
                let before = into.to_vec();
                if change.apply(into, self.binary, seen) {
                    let bytes = (piece.address..).zip(before.iter().zip(&*into));
                    let other = bytes.filter(|(_, (before, after))| before != after);
                    changed.extend(other.map(|(address, (_, after))| (address, *after)));
                }
            }
            if seen.len() < 1000 {
                seen.push(piece.address);
            }
        }
        pieces.len()
    }

    fn has_ended(&self) -> bool {
        self.state.borrow().has_ended
    }
}

/// A stack of native code: the first byte tells of which program of Go parts may be, the next four words are
/// the registers, then comes how many bytes of stack there are, these, and the file of the code.
pub fn native(data: &[u8]) {
    calls(data);
}

/// What the target [`native`] reads of its input.
pub fn calls(data: &[u8]) -> Option<Vec<NativeFrame>> {
    let (&number, data) = data.split_first()?;
    let (registers, data) = data.split_first_chunk::<32>()?;
    let (len, data) = data.split_first_chunk::<2>()?;
    let (stack, file) = data.split_at(data.len().min(u16::from_le_bytes(*len).into()));
    let (words, _) = registers.as_chunks();
    let registers = [words[0], words[1], words[2], words[3]].map(u64::from_le_bytes);
    let frames = with_program(number, |path, core| {
        let open = || Binary::open(path).expect("a program");
        let binary = open();
        let memory = &Image::new(&binary, core, &[]);
        let program = (number >= 128).then(|| (open(), Slide::default()));
        let (file, stack) = (file.to_vec(), stack.to_vec());
        let copy = NativeCopy { file, start: 0x40_0000, program, memory, registers, stack };
        native_calls(copy).0
    });
    let names = frames.iter().filter_map(|frame| frame.function.as_ref());
    assert!(names.map(String::len).all(|len| len <= 8 << 10));
    Some(frames)
}
