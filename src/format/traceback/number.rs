//! Numbers with few digits: ids of goroutines, minutes.

use super::header::leading_number;

/// Like [`leading_number`], without a test of each digit if the number has at most seven of them
/// and text follows.
#[inline(always)]
pub(super) fn short_number(text: &[u8]) -> Option<(u64, &[u8])> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let Some(word) = text.first_chunk() else { return leading_number(text) };
    let values = u64::from_le_bytes(*word) ^ ONES.wrapping_mul(0x30);
    // The highest bit of each byte that isn't a digit; bytes after the first such one can be wrong.
    let others = (values.wrapping_add(ONES.wrapping_mul(0x76)) | values) & ONES.wrapping_mul(0x80);
    let digits = others.trailing_zeros() as usize / 8;
    if digits == 0 || digits == word.len() {
        return leading_number(text);
    }
    // Zeros before the first digit change nothing. Neighbours are combined to 2, 4, then 8 digits.
    let values = values << (64_usize.wrapping_sub(digits.wrapping_mul(8)));
    let pairs = values.wrapping_mul(10).wrapping_add(values >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_ffff_0000_ffff;
    let all = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xffff_ffff;
    Some((all, text.get(digits..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn short_numbers_are_those_read_digit_by_digit(text in "[0-9]{0,22}[^0-9]{0,9}") {
            prop_assert_eq!(short_number(text.as_bytes()), leading_number(text.as_bytes()));
        }

        #[test]
        fn any_bytes_are_read_alike(text in proptest::collection::vec(any::<u8>(), 0..20)) {
            prop_assert_eq!(short_number(&text), leading_number(&text));
        }
    }
}
