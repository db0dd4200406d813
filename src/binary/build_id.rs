//! The ids that distinguish builds: the linker's (GNU), which profiles of Go 1.24 and newer have, and Go's
//! own, which no profile has.

use super::Binary;
use super::bytes::Bytes;
use std::ops::Range;

/// The longest section of notes that is read, in bytes; a program has two or three of 100 bytes.
const NOTES: u64 = 64 << 10;
/// Go's id is before the first function, if not in a note. This many bytes of code are searched.
const CODE: u64 = 64 << 10;
const QUOTE: &[u8] = b"\xff Go build ID: \"";
const UNQUOTE: &[u8] = b"\"\n \xff";

impl Binary {
    /// The linker's build id (GNU) as hexadecimal digits, which is how pprof writes it.
    pub fn gnu_build_id(&self) -> Option<String> {
        // It is compared with that of each input, of which there may be millions.
        let id = self.gnu_build_id.get_or_init(|| {
            let id = self.note(b"GNU\0", 3)?;
            Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
        });
        id.clone()
    }

    /// Go's build id, as `go tool buildid` prints it.
    pub fn go_build_id(&self) -> Option<String> {
        let id = self.note(b"Go\0\0", 4).or_else(|| {
            let code = self.container.segments.iter().filter(|segment| segment.executable);
            code.map(|segment| segment.offset).find_map(|at| {
                let end = at.checked_add(CODE)?;
                let start = self.bytes.find(at..end, QUOTE).next()?;
                let start = start.checked_add(QUOTE.len() as u64)?;
                let id_end = self.bytes.find(start..end, UNQUOTE).next()?;
                Some(self.bytes.range(start..id_end)?.into_owned())
            })
        })?;
        String::from_utf8(id).ok()
    }

    fn note(&self, name: &[u8; 4], kind: u32) -> Option<Vec<u8>> {
        let mut notes = self.container.notes.iter();
        notes.find_map(|range| note(&self.bytes, range.clone(), name, kind))
    }
}

/// The text of a note with this name of four bytes. A note has the sizes of name and text, the kind, the
/// name and the text, each padded to a multiple of four.
fn note(bytes: &Bytes, range: Range<u64>, name: &[u8; 4], kind: u32) -> Option<Vec<u8>> {
    let end = range.end.min(range.start.checked_add(NOTES)?);
    let mut at = range.start;
    while at < end {
        let [name_size, size, found] = bytes.words(at)?;
        let text = at.checked_add(12)?.checked_add(u64::from(name_size).next_multiple_of(4))?;
        let next = text.checked_add(u64::from(size).next_multiple_of(4))?;
        let found_name: Option<[u8; 4]> = bytes.array(at.checked_add(12)?);
        if found == kind && name_size == 4 && found_name.as_ref() == Some(name) && next <= end {
            return Some(bytes.range(text..text.checked_add(size.into())?)?.into_owned());
        }
        at = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_found_behind_others() {
        let mut notes = Vec::new();
        for (kind, name, text) in
            [(5_u32, *b"GNU\0", &b"odd"[..]), (4, *b"Go\0\0", b"a/b"), (3, *b"GNU\0", b"id!")]
        {
            for word in [4, text.len() as u32, kind] {
                notes.extend(word.to_le_bytes());
            }
            notes.extend(name);
            notes.extend(text);
            notes.push(0);
        }
        let len = notes.len() as u64;
        let bytes = Bytes::from_memory(notes);
        let text = |name, kind, end| note(&bytes, 0..end, name, kind);
        assert_eq!(text(b"Go\0\0", 4, len).as_deref(), Some(&b"a/b"[..]));
        assert_eq!(text(b"GNU\0", 3, len).as_deref(), Some(&b"id!"[..]));
        assert_eq!(text(b"GNU\0", 3, len - 4), None, "cut");
        assert_eq!(text(b"GNU\0", 4, len), None);
    }
}
