//! The tables of a function that have a value (a file, a line, a size) for each of its PCs: pairs of
//! numbers, the change of the value and the number of instructions with the new one.

use super::bytes::Bytes;

/// The values of one table in the order of the PCs.
#[derive(Debug)]
pub(super) struct Values<'a> {
    bytes: &'a Bytes,
    part: &'a [u8],
    /// The offset of the bytes after `part`.
    next: u64,
    quantum: u32,
    value: i32,
    until: u32,
    first: bool,
    /// Steps that may be taken, and those that were.
    room: u64,
    steps: u64,
}

impl Drop for Values<'_> {
    fn drop(&mut self) {
        self.bytes.count_steps(self.steps);
    }
}

impl<'a> Values<'a> {
    /// The values of the table at an offset in the file.
    pub(super) fn new(bytes: &'a Bytes, at: u64, quantum: u32) -> Values<'a> {
        let part = bytes.part(at);
        let next = at.saturating_add(part.len() as u64);
        let room = bytes.steps_left();
        Values { bytes, part, next, quantum, value: -1, until: 0, first: true, room, steps: 0 }
    }

    /// The value at an offset in the function.
    pub(super) fn at(mut self, pc: u32) -> Option<i32> {
        self.find(|&(_, until)| pc < until).map(|(value, _)| value)
    }

    fn byte(&mut self) -> Option<u8> {
        if self.part.is_empty() {
            self.part = self.bytes.part(self.next);
            self.next = self.next.saturating_add(self.part.len() as u64);
        }
        let (&first, rest) = self.part.split_first()?;
        self.part = rest;
        Some(first)
    }

    /// A number of up to 32 bits, seven per byte, the lowest first.
    #[inline]
    fn number(&mut self) -> Option<u32> {
        match self.part.split_first() {
            // Nearly all have one byte: handling those apart saves a quarter of the instructions of a
            // look-up.
            Some((&byte, rest)) if byte < 0x80 => {
                self.part = rest;
                Some(byte.into())
            }
            _ => self.long_number(),
        }
    }

    fn long_number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.byte()?;
            number |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

impl Iterator for Values<'_> {
    /// A value, and the offset in the function at which it ends.
    type Item = (i32, u32);

    fn next(&mut self) -> Option<(i32, u32)> {
        if self.steps == self.room {
            return None;
        }
        self.steps = self.steps.saturating_add(1);
        let change = self.number()?;
        if change == 0 && !self.first {
            return None;
        }
        self.first = false;
        // Zigzag: the sign is in the lowest bit.
        let change = (change >> 1).cast_signed() ^ (change & 1).cast_signed().wrapping_neg();
        self.value = self.value.wrapping_add(change);
        self.until = self.until.checked_add(self.number()?.checked_mul(self.quantum)?)?;
        Some((self.value, self.until))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bytes: &[u8], quantum: u32) -> Vec<(i32, u32)> {
        let bytes = Bytes::from_memory(bytes.to_vec());
        Values::new(&bytes, 0, quantum).collect()
    }

    #[test]
    fn values_hold_up_to_where_the_next_one_starts() {
        // 0 for one byte, then 8 for 5 bytes; then a table for instructions of 4 bytes.
        assert_eq!(values(&[2, 1, 16, 5, 0], 1), [(0, 1), (8, 6)]);
        assert_eq!(values(&[0, 3, 3, 2, 0, 9, 9], 4), [(-1, 12), (-3, 20)]);
        assert_eq!(values(&[0xd0, 0x0f, 0x81, 0x01, 0], 1), [(999, 129)]);
    }

    #[test]
    fn tables_that_are_cut_or_lead_nowhere_end() {
        assert_eq!(values(&[2, 1, 16], 1), [(0, 1)]);
        assert_eq!(values(&[2, 0xff, 0xff, 0xff, 0xff, 0xff, 1], 1), []);
        assert_eq!(values(&[2, 0xff, 0xff, 0xff, 0xff, 0x0f, 2, 1], 4), [], "beyond 4 GiB");
        assert_eq!(values(&[], 1), []);
    }

    #[test]
    fn look_ups_end_with_the_steps_that_a_binary_may_take_in_all() {
        let bytes = Bytes::from_memory([2, 1].repeat(100));
        bytes.count_steps(bytes.steps_left() - 150);
        assert_eq!(Values::new(&bytes, 0, 1).at(70), Some(70));
        assert_eq!(bytes.steps_left(), 150 - 71);
        assert_eq!(Values::new(&bytes, 0, 1).at(70), Some(70));
        assert!(bytes.failure().is_none());
        assert_eq!(Values::new(&bytes, 0, 1).at(70), None);
        assert!(bytes.failure().unwrap().to_string().contains("(lookup_steps)"));
    }
}
