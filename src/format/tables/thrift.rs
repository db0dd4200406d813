//! The part of Thrift's compact protocol that Parquet files use, skipped through before the
//! `parquet` crate reads it: the crate allocates lists as large as the file declares.

/// The maximal depth of structs, lists and maps; a footer has eight.
const DEPTH: usize = 16;

/// The bytes still to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thrift<'b> {
    bytes: &'b [u8],
}

/// The type of a field.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
pub(super) const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;

impl<'b> Thrift<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Thrift<'b> {
        Thrift { bytes }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Calls `take` with the number and type of each field of a struct. A field for which `take` returns
    /// `Some(false)` is skipped. `None` if the struct is cut or damaged.
    pub(super) fn fields(
        &mut self,
        mut take: impl FnMut(&mut Self, (i64, u8)) -> Option<bool>,
    ) -> Option<()> {
        let mut last = 0;
        while let Some((number, kind)) = self.field(last)? {
            last = number;
            if !take(self, (number, kind))? {
                self.skip_value(kind)?;
            }
        }
        Some(())
    }

    /// The number and the type of the next field of a struct, `Some(None)` after the last one.
    fn field(&mut self, last: i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        let number = match head >> 4 {
            0 => self.number()?,
            step => last.checked_add(i64::from(step))?,
        };
        Some(Some((number, head & 15)))
    }

    /// An integer.
    pub(super) fn number(&mut self) -> Option<i64> {
        let folded = self.unsigned()?;
        let half = i64::try_from(folded >> 1).ok()?;
        Some(if folded & 1 == 0 { half } else { !half })
    }

    /// The type and the number of a list's items, each of which takes at least a byte.
    pub(super) fn list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let length = match head >> 4 {
            15 => usize::try_from(self.unsigned()?).ok()?,
            short => usize::from(short),
        };
        (length <= self.left()).then_some((head & 15, length))
    }

    /// Skips a value of this type; `None` if it is cut, declares more than there is or is too deep.
    pub(super) fn skip_value(&mut self, kind: u8) -> Option<()> {
        self.skip(kind, DEPTH)
    }

    // It calls itself at most `DEPTH` times.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.byte().map(drop),
            I16 | I32 | I64 => self.unsigned().map(drop),
            DOUBLE => self.take(8),
            BINARY => {
                let length = self.unsigned()?;
                self.take(usize::try_from(length).ok()?)
            }
            LIST | SET => {
                let (kind, length) = self.list()?;
                self.skip_items(&[kind], length, depth)
            }
            MAP => {
                let length = usize::try_from(self.unsigned()?).ok()?;
                if length == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                self.skip_items(&[kinds >> 4, kinds & 15], length, depth)
            }
            STRUCT => self.fields(|thrift, (_, kind)| thrift.skip(kind, depth).map(|()| true)),
            _ => None,
        }
    }

    fn skip_items(&mut self, kinds: &[u8], length: usize, depth: usize) -> Option<()> {
        // Each takes a byte at least, so that ends where the bytes do.
        for _ in 0..length {
            for &kind in kinds {
                match kind {
                    TRUE | FALSE => self.byte().map(drop)?,
                    kind => self.skip(kind, depth)?,
                }
            }
        }
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn take(&mut self, length: usize) -> Option<()> {
        self.bytes = self.bytes.get(length..)?;
        Some(())
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_are_walked_to_their_end() {
        // {1: 5, 2: "ab", 3: [1, 2], 4: {}, 20: true}
        let bytes = [0x15, 10, 0x18, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0x1c, 0, 0x01, 40, 0, 99];
        let mut thrift = Thrift::new(&bytes);
        assert_eq!(thrift.skip_value(STRUCT), Some(()));
        assert_eq!(thrift.left(), 1);
        for cut in 0..bytes.len() - 1 {
            assert_eq!(Thrift::new(&bytes[..cut]).skip_value(STRUCT), None, "{cut}");
        }
    }

    #[test]
    fn values_of_all_types_are_skipped() {
        for (kind, value) in [
            (BYTE, &[7][..]),
            (I16, &[0x81, 1]),
            (DOUBLE, &[1, 2, 3, 4, 5, 6, 7, 8]),
            (LIST, &[0x25, 2, 4]),
            (LIST, &[0x21, 1, 2]),
            (SET, &[0x18, 2, b'a', b'b']),
            (MAP, &[0]),
            // {1: "a", 2: "b"}
            (MAP, &[2, 0x58, 2, 1, b'a', 4, 1, b'b']),
            (MAP, &[1, 0x5c, 2, 0]),
        ] {
            let mut thrift = Thrift::new(value);
            assert_eq!((thrift.skip_value(kind), thrift.left()), (Some(()), 0), "{value:?}");
            let cut = &value[..value.len() - 1];
            assert_eq!(Thrift::new(cut).skip_value(kind), None, "{cut:?}");
            let more = [value, &[9]].concat();
            let mut thrift = Thrift::new(&more);
            assert_eq!((thrift.skip_value(kind), thrift.left()), (Some(()), 1), "{more:?}");
        }
    }

    #[test]
    fn lists_that_declare_more_than_there_is_and_depth_without_end_are_refused() {
        // A list of 2^28 structs in a few bytes.
        let bytes = [0x19, 0xfc, 0x80, 0x80, 0x80, 0x80, 1, 0, 0, 0];
        assert_eq!(Thrift::new(&bytes).skip_value(STRUCT), None);
        assert_eq!(Thrift::new(&[0x1c; 100]).skip_value(STRUCT), None);
    }
}
