//! Go binaries.

use stackgazer::binary::{Binary, Evidence, Frame, Observed, PrintedCall, Slide};

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
    assert!(binary.frame_sizes().count() <= binary.function_count());
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
