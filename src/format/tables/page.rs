//! The heads of a column's pages, checked before the `parquet` crate allocates the memory that they
//! declare.

use super::thrift::{I32, STRUCT, Thrift};
use crate::limits::LIMITS;
use crate::read_at::ReadAt;
use std::io;

/// The maximal number of bytes of a page's head: statistics in it hold two values.
const HEAD: usize = 64 << 10;
/// How many bytes are read at first: most heads have 20 to 50.
const FIRST: usize = 256;

/// The sizes that a page declares.
#[derive(Clone, Copy, Default, Debug)]
struct Page {
    unpacked: i64,
    packed: i64,
    dictionary_values: i64,
}

/// The memory for the pages of a column.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Pages {
    /// The unpacked bytes of all of them.
    pub(super) unpacked: u64,
    /// Bytes of memory while the column is read: for the dictionary and the largest page.
    pub(super) held: u64,
}

/// Bytes of memory for a value of a dictionary, besides the text.
const VALUE: u64 = 32;

/// Checks all pages of a column, which are in this range of a file.
pub(super) fn check(file: &dyn ReadAt, start: u64, length: u64) -> Result<Pages, String> {
    let end = start.checked_add(length).filter(|end| *end <= file.length());
    let end = end.ok_or_else(|| "a column ends behind the end of the file".to_owned())?;
    let mut at = start;
    let (mut unpacked_all, mut dictionary, mut largest) = (0_u64, 0_u64, 0_u64);
    while at < end {
        let damaged = || format!("the page at byte {at} is damaged");
        let (page, used) =
            head(file, at, end).map_err(|error| error.to_string())?.ok_or_else(damaged)?;
        let Page { unpacked, packed, dictionary_values } = page;
        let most = LIMITS.table_page;
        if u64::try_from(unpacked).is_ok_and(|bytes| bytes > most) {
            return Err(format!("a page of {unpacked} bytes is larger than {most} (table_page)"));
        }
        // A value takes at least four bytes: eight for numbers, four for the length of a text.
        let fits = dictionary_values <= unpacked / 4;
        let step = u64::try_from(packed).ok().filter(|_| unpacked >= 0 && fits);
        let next = step.and_then(|step| at.checked_add(used)?.checked_add(step));
        let next = next.filter(|next| *next <= end).ok_or_else(damaged)?;
        let [unpacked, packed, values] =
            [unpacked, packed, dictionary_values].map(|number| u64::try_from(number).unwrap_or(0));
        unpacked_all = unpacked_all.saturating_add(unpacked);
        let held = unpacked.saturating_add(packed);
        match values {
            0 => largest = largest.max(held),
            _ => dictionary = held.saturating_add(values.saturating_mul(VALUE)),
        }
        at = next;
    }
    Ok(Pages { unpacked: unpacked_all, held: dictionary.saturating_add(largest) })
}

/// Parses the head of the page at this position; returns it and its length, `None` if it is
/// damaged. A page can be as small as its head, so not more is read than a head can have.
fn head(file: &dyn ReadAt, at: u64, end: u64) -> io::Result<Option<(Page, u64)>> {
    let left = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX).min(HEAD);
    let mut look = FIRST.min(left);
    loop {
        let head = file.bytes_at(at, look)?;
        let mut thrift = Thrift::new(&head);
        if let Some(page) = page(&mut thrift) {
            return Ok(Some((page, head.len().saturating_sub(thrift.left()) as u64)));
        }
        if look == left {
            return Ok(None);
        }
        look = look.saturating_mul(4).min(left);
    }
}

/// `PageHeader`: 2 the unpacked size, 3 the packed size, 7 the number of values of a dictionary.
fn page(thrift: &mut Thrift<'_>) -> Option<Page> {
    let mut page = Page::default();
    thrift.fields(|thrift, field| {
        match field {
            (2, I32) => page.unpacked = thrift.number()?,
            (3, I32) => page.packed = thrift.number()?,
            (7, STRUCT) => thrift.fields(|thrift, field| {
                let is_it = field == (1, I32);
                if is_it {
                    page.dictionary_values = thrift.number()?;
                }
                Some(is_it)
            })?,
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Read};

    struct Memory(Vec<u8>);

    impl ReadAt for Memory {
        fn length(&self) -> u64 {
            self.0.len() as u64
        }

        fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
            (&self.0[at as usize..]).read(buffer)
        }
    }

    fn number(number: i64) -> Vec<u8> {
        let (mut rest, mut bytes) = ((number << 1 ^ number >> 63).cast_unsigned(), Vec::new());
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    }

    /// A dictionary with this many values, which declares these sizes and has ten bytes.
    fn page(unpacked: i64, packed: i64, values: i64) -> Memory {
        let parts =
            [&[0x15, 4, 0x15][..], &number(unpacked), &[0x15], &number(packed), &[0x4c, 0x15]];
        let mut bytes = parts.concat();
        bytes.extend(number(values));
        bytes.extend([0, 0]);
        bytes.extend([7; 10]);
        Memory(bytes)
    }

    #[test]
    fn a_page_that_claims_more_than_it_can_hold_is_refused() {
        let checked = |page: Memory| check(&page, 0, page.length());
        let whole = Pages { unpacked: 100, held: 100 + 10 + 25 * VALUE };
        assert_eq!(checked(page(100, 10, 25)), Ok(whole));
        for wrong in [page(100, 10, 26), page(100, 11, 1), page(-1, 10, 0), page(100, -1, 0)] {
            let told = checked(wrong).unwrap_err();
            assert!(told.contains("the page at byte 0 is damaged"), "{told}");
        }
        assert!(checked(page(64 << 20, 10, 0)).is_ok());
        let told = checked(page((64 << 20) + 1, 10, 1 << 30)).unwrap_err();
        assert!(told.contains("(table_page)"), "{told}");
        assert!(check(&page(100, 10, 25), 0, 1000).is_err(), "behind the end of the file");
    }

    #[test]
    fn a_dictionary_and_the_largest_page_are_held() {
        let pages = [page(100, 10, 25), page(50, 10, 0), page(70, 10, 0), page(60, 10, 0)];
        let all = Memory(pages.map(|page| page.0).concat());
        let held = 100 + 10 + 25 * VALUE + 80;
        assert_eq!(check(&all, 0, all.length()), Ok(Pages { unpacked: 280, held }));
    }

    #[test]
    fn a_head_with_long_statistics_is_read_whole() {
        // A text of 1000 bytes, after the sizes.
        let mut bytes = [0x15, 4, 0x15, 200, 1, 0x15, 20, 0x18, 0xe8, 7].to_vec();
        bytes.extend([b'x'; 1000]);
        bytes.push(0);
        let cut = Memory(bytes.clone());
        assert!(check(&cut, 0, cut.length() - 1).is_err());
        bytes.extend([7; 10]);
        let whole = Memory(bytes);
        assert_eq!(check(&whole, 0, whole.length()), Ok(Pages { unpacked: 100, held: 110 }));
    }

    /// Counts what is read.
    struct Counted(Memory, std::cell::Cell<u64>);

    impl ReadAt for Counted {
        fn length(&self) -> u64 {
            self.0.length()
        }

        fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
            let read = self.0.read_at(buffer, at)?;
            self.1.set(self.1.get() + read as u64);
            Ok(read)
        }
    }

    /// A million of them take 21 MB; if as much was read of each as a head can have, that would be
    /// 64 GB.
    #[test]
    fn of_tiny_pages_little_more_is_read_than_they_have() {
        let one = page(40, 10, 10).0;
        let many: Vec<u8> = one.iter().copied().cycle().take(one.len() * 10_000).collect();
        let all = many.len() as u64;
        let counted = Counted(Memory(many), std::cell::Cell::default());
        check(&counted, 0, all).unwrap();
        let (read, heads) = (counted.1.get(), 10_000);
        assert!(read >= all && read <= heads * FIRST as u64, "{read} bytes of {all}");
    }
}
