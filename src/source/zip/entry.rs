//! An entry of a zip's directory.

use super::number;

/// Entries begin with this.
pub(super) const ENTRY: &[u8] = b"PK\x01\x02";
/// The length of the fixed fields.
pub(super) const ENTRY_LENGTH: usize = 46;

/// The fields of a member in the directory, as written there; none of them is trusted.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::source) struct Entry {
    /// Where the member's own header is, as written: counted from the start of the archive, which
    /// may not be that of the file.
    pub(super) start: u64,
    pub(super) packed: u64,
    pub(super) size: u64,
    pub(super) crc: u32,
    pub(super) method: u16,
    pub(super) encrypted: bool,
    /// Whether another member begins inside of it.
    pub(super) covers_others: bool,
}

/// The lengths of the parts of an entry after the fixed fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lengths {
    pub(super) name: usize,
    pub(super) extra: usize,
    pub(super) comment: usize,
}

impl Lengths {
    pub(super) fn of(header: &[u8]) -> Lengths {
        let [name, extra, comment] = [28, 30, 32].map(|at| number(header, at, 2) as usize);
        Lengths { name, extra, comment }
    }

    /// The sum of the lengths.
    pub(super) fn sum(self) -> usize {
        self.name.saturating_add(self.extra).saturating_add(self.comment)
    }
}

impl Entry {
    /// Reads the fixed fields and, where these are filled with ones, the Zip64 extra field.
    pub(super) fn new(header: &[u8], extra: &[u8]) -> Entry {
        const FULL: u64 = 0xffff_ffff;
        let mut entry = Entry {
            start: number(header, 42, 4),
            packed: number(header, 20, 4),
            size: number(header, 24, 4),
            crc: u32::try_from(number(header, 16, 4)).unwrap_or_default(),
            method: u16::try_from(number(header, 10, 2)).unwrap_or_default(),
            encrypted: number(header, 8, 2) & 1 != 0,
            covers_others: false,
        };
        if let Some(value) = extra_field(extra, 1) {
            // It only has those that don't fit above, in this order.
            let mut at: usize = 0;
            for field in [&mut entry.size, &mut entry.packed, &mut entry.start] {
                if *field == FULL {
                    *field = number(value, at, 8);
                    at = at.saturating_add(8);
                }
            }
        }
        entry
    }
}

/// The first extra field of this kind.
pub(super) fn extra_field(mut fields: &[u8], kind: u64) -> Option<&[u8]> {
    while let Some((head, rest)) = fields.split_at_checked(4) {
        let (value, rest) = rest.split_at_checked(number(head, 2, 2) as usize)?;
        if number(head, 0, 2) == kind {
            return Some(value);
        }
        fields = rest;
    }
    None
}
