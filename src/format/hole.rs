//! Bytes that stand for a part of a file that is missing.

/// Finds such bytes: NULs after a power cut, or when a log was emptied while its writer kept its position; 0xff where
/// flash memory was erased. Blanks that became single NULs aren't meant, nor an indentation or a line's end that became
/// some, nor values of the journal.
#[derive(Debug, Default)]
pub(super) struct Holes {
    /// How many bytes of a value are still to come.
    value: usize,
    /// Whether the last part ended with the name of a field of the journal.
    is_below_name: bool,
}

impl Holes {
    /// Where the first ones start in the next part of a text.
    pub(super) fn find(&mut self, text: &[u8]) -> Option<usize> {
        let found = self.first(text);
        self.is_below_name = ends_with_name(text);
        found
    }

    fn first(&mut self, text: &[u8]) -> Option<usize> {
        let passed = self.value.min(text.len());
        self.value = self.value.saturating_sub(passed);
        let next = |from: usize| {
            // A search for single bytes takes a quarter of the instructions, and nearly all texts have none.
            let at = memchr::memchr2(0, 0xff, text.get(from..)?)?;
            Some(from.saturating_add(at))
        };
        let mut from = next(passed)?;
        loop {
            let rest = text.get(from..)?;
            let filler = *rest.first()?;
            let length = rest.iter().take_while(|&&byte| byte == filler).count();
            let mut end = from.saturating_add(length);
            let is_inside_or_alone = || {
                let before = from.checked_sub(1).and_then(|at| text.get(at));
                let sides = [before, text.get(end)];
                let ends = sides.map(|side| side.map(|byte| b"\r\n".contains(byte)));
                ends == [Some(true); 2] || ends == [Some(false); 2]
            };
            if length >= HOLE || length >= HOLE_IN_LINE && is_inside_or_alone() {
                let after = after_value(text, from, self.is_below_name);
                let Some(after) = after else { return Some(from) };
                self.value = after.saturating_sub(text.len());
                end = after;
            }
            from = next(end)?;
        }
    }
}

/// Where a value of the journal ends that has a NUL here, in its length of 64 bits: `journalctl -o export` writes it
/// below the name of the field, with the lowest byte first. The name can be the end of the part before.
fn after_value(text: &[u8], nul: usize, is_below_name: bool) -> Option<usize> {
    (0..size_of::<u64>()).find_map(|back| {
        let start = nul.checked_sub(back)?;
        let (before, rest) = text.split_at_checked(start)?;
        let bytes = rest.first_chunk()?;
        let is_first = before.is_empty() && is_below_name && !bytes.contains(&b'\n');
        let length = usize::try_from(u64::from_le_bytes(*bytes)).ok()?;
        let is_it = (is_first || ends_with_name(before)) && (1..VALUE).contains(&length);
        is_it.then(|| start.saturating_add(size_of::<u64>()).saturating_add(length))
    })
}

/// Whether the last line of a text is the name of a field of the journal.
fn ends_with_name(text: &[u8]) -> bool {
    let Some(lines) = text.strip_suffix(b"\n") else { return false };
    let start = memchr::memrchr(b'\n', lines).map_or(0, |end| end.saturating_add(1));
    let name = lines.get(start..).unwrap_or_default();
    !name.is_empty() && name.iter().all(is_of_journal_name)
}

/// Whether a byte can stand in the name of a field of the journal: `_SYSTEMD_UNIT`.
pub(super) fn is_of_journal_name(byte: &u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_'
}

/// Values of the journal are shorter, but for whole core files.
const VALUE: usize = 16 << 20;

/// So many bytes are a hole anywhere.
const HOLE: usize = 16;

/// So many are one inside a line, or instead of one.
const HOLE_IN_LINE: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_value_of_the_journal_is_no_hole() {
        let value = |length: usize, byte: u8| {
            // A line end, behind which a part can start.
            let mut value = vec![byte; length];
            value[length / 2] = b'\n';
            [&b"_PID=7\nCOREDUMP_PROC_AUXV2\n"[..], &length.to_le_bytes(), &value, b"\n_UID=0\n"]
                .concat()
        };
        for length in [1, 6, 10, 255, 256, 2570, 65_536] {
            for byte in [b'x', 0] {
                let text = value(length, byte);
                assert_eq!(Holes::default().find(&text), None, "{length}");
                // Parts end with a line.
                let starts = text.split_inclusive(|&byte| byte == b'\n');
                let starts = starts.scan(0, |sum, line| {
                    *sum += line.len();
                    Some(*sum)
                });
                // A line end in the length itself isn't recognised there.
                for at in starts.filter(|_| length % 256 != 10) {
                    let mut holes = Holes::default();
                    assert_eq!(holes.find(&text[..at]), None, "{length} {at}");
                    assert_eq!(holes.find(&text[at..]), None, "{length} {at}");
                }
            }
            let with_hole = [&value(length, 0)[..], &[0; 20]].concat();
            let found = Holes::default().find(&with_hole);
            assert_eq!(found, Some(with_hole.len() - 20), "{length}");
        }
        for text in ["x\n\0\0\0\0\0\0\0\n", "FAIL\n\0\0\0\0\0\0\0\0\0\0\0\0\0\n", "x\0\0\0\0x\n"] {
            assert!(Holes::default().find(text.as_bytes()).is_some(), "{text:?}");
        }
        for start in ["g", "go", "gor"] {
            let mut holes = Holes::default();
            assert_eq!(holes.find(b"main.main()\n"), None);
            let hole = [start.as_bytes(), &[0; 64]].concat();
            assert_eq!(holes.find(&hole), Some(start.len()), "{start}");
        }
    }
}
