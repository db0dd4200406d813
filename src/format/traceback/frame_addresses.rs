//! The addresses behind the places of frames, which GOTRACEBACK=system prints.

use super::closing::{after_hex, before_fields, is_closing};

/// What the text after a place has: ` +0x1d fp=0xc000041fc8 sp=0xc000041fa8 pc=0x48c5b1`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Addresses {
    /// Whether it isn't whole, as in ` +0x1]d`, ` +0x fp=0xc0`, ` +0x1d fp=0xc000100fe0`.
    pub(crate) are_damaged: bool,
    /// Whether a text follows that closes what the dump stands in: it is the last place.
    pub(crate) are_closed: bool,
    has_offset: bool,
    pub(in crate::format::traceback) has_fp: bool,
    has_sp: bool,
    has_pc: bool,
}

impl Addresses {
    /// Reads the text after a place.
    pub(crate) fn read(after: &[u8]) -> Addresses {
        let mut found = Addresses::default();
        let mut is_doubled = false;
        let (after, fields) = before_fields(after);
        for word in after.split(|&byte| byte == b' ') {
            let digits = match word {
                [b'+', b'0', b'x', digits @ ..] => {
                    found.has_offset = true;
                    digits
                }
                [b'f', b'p', b'=', b'0', b'x', digits @ ..] => {
                    is_doubled |= std::mem::replace(&mut found.has_fp, true);
                    digits
                }
                [b's', b'p', b'=', b'0', b'x', digits @ ..] => {
                    is_doubled |= std::mem::replace(&mut found.has_sp, true);
                    digits
                }
                [b'p', b'c', b'=', b'0', b'x', digits @ ..] => {
                    is_doubled |= std::mem::replace(&mut found.has_pc, true);
                    digits
                }
                _ if is_start_of_address(word) => b"",
                _ => continue,
            };
            let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
            if !is_number || found.are_closed {
                found.take_odd(digits);
            }
        }
        found.are_closed |= fields;
        // A hole can join two places.
        found.are_damaged |= is_doubled || found.has_fp && !found.has_sp;
        found
    }

    /// Whether all are there that GOTRACEBACK=system prints.
    pub(in crate::format::traceback) fn are_whole(self) -> bool {
        self.has_fp && self.has_sp && self.has_pc && !self.are_damaged && !self.are_closed
    }

    /// Takes what stands for a number: it is damaged unless it ends a quoted text, behind which nothing stands.
    #[cold]
    fn take_odd(&mut self, digits: &[u8]) {
        match after_hex(digits) {
            Some(after) if !self.are_closed && is_closing(after) => {
                // Each line can stand in backticks.
                self.are_closed = after.iter().any(|&byte| byte != b'`');
            }
            _ => self.are_damaged = true,
        }
    }
}

/// Whether the places of a goroutine's frames have `fp=`, `sp=` and `pc=`: all with an offset have them, or none. Those of
/// C have a `pc=` alone, and no offset.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pcs {
    are_found: bool,
    are_missing: bool,
}

impl Pcs {
    /// Notes the addresses of a place.
    pub(crate) fn note(&mut self, place: Addresses) {
        let Addresses { has_offset, has_fp, has_pc, .. } = place;
        self.are_found |= has_fp && has_pc;
        self.are_missing |= has_fp && !has_pc || has_offset && !has_fp;
    }

    /// Whether some places have lost theirs.
    pub(crate) fn are_lost(self) -> bool {
        self.are_found && self.are_missing
    }
}

/// Whether a word is the start of an address behind a place, as a narrow terminal breaks the line: `sp=0xc00012f00 pc`.
pub(super) fn is_start_of_address(word: &[u8]) -> bool {
    [b"fp=0", b"sp=0", b"pc=0"].iter().any(|whole| !word.is_empty() && whole.starts_with(word))
}
