//! Where the bytes stand that cut goroutines into parts: line ends, opening parentheses, blanks.
//!
//! One pass marks 64 bytes at a time, a bit for each; lines and their parts are then found in the
//! bits. On dumps this takes a sixth less time than a search for each byte (`memchr`), because
//! lines are short: 40 bytes, of which every byte is searched two or three times.

/// A block of bytes with a bit for each.
const BLOCK: usize = 64;

/// The marks of one text.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    blocks: Vec<Bits>,
}

/// The marks of one block; bit 0 is its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Bits {
    line_ends: u64,
    opens: u64,
    blanks: u64,
}

impl Marks {
    /// Marks a text, forgetting the one before.
    pub(crate) fn mark(&mut self, text: &[u8]) {
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        self.blocks.clear();
        mark_blocks(blocks, &mut self.blocks);
        if !rest.is_empty() {
            let mut last = [0; BLOCK];
            for (into, &byte) in last.iter_mut().zip(rest) {
                *into = byte;
            }
            mark_blocks(&[last], &mut self.blocks);
        }
    }

    /// The first line end at or behind `from`.
    #[inline]
    pub(crate) fn line_end(&self, from: usize) -> Option<usize> {
        let first = from / BLOCK;
        let mut bits = self.blocks.get(first)?.line_ends & (u64::MAX << (from % BLOCK));
        let mut block = first;
        while bits == 0 {
            block = block.saturating_add(1);
            bits = self.blocks.get(block)?.line_ends;
        }
        Some(block.saturating_mul(BLOCK).saturating_add(bits.trailing_zeros() as usize))
    }

    /// The last opening parenthesis from `start` on and before `end`.
    #[inline]
    pub(crate) fn last_open(&self, start: usize, end: usize) -> Option<usize> {
        self.last(start, end, |bits| bits.opens)
    }

    /// The last blank from `start` on and before `end`.
    #[inline]
    pub(crate) fn last_blank(&self, start: usize, end: usize) -> Option<usize> {
        self.last(start, end, |bits| bits.blanks)
    }

    #[inline]
    fn last(&self, start: usize, end: usize, of: impl Fn(&Bits) -> u64) -> Option<usize> {
        let mut block = end / BLOCK;
        let before = (1_u64 << (end % BLOCK)).wrapping_sub(1);
        let mut bits = self.blocks.get(block).map_or(0, &of) & before;
        while bits == 0 {
            if block <= start / BLOCK {
                return None;
            }
            block = block.saturating_sub(1);
            bits = of(self.blocks.get(block)?);
        }
        let bit = (BLOCK - 1).saturating_sub(bits.leading_zeros() as usize);
        let at = block.saturating_mul(BLOCK).saturating_add(bit);
        (at >= start).then_some(at)
    }
}

/// Marks blocks with the widest compares that the machine has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn mark_blocks(blocks: &[[u8; BLOCK]], into: &mut Vec<Bits>) {
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the only condition is that the machine has AVX2, which was just asked.
        unsafe { avx2(blocks, into) }
    } else {
        // SAFETY: the only condition is that the machine has SSE2, which is part of x86-64.
        unsafe { sse2(blocks, into) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2(blocks: &[[u8; BLOCK]], into: &mut Vec<Bits>) {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi8,
    };
    into.extend(blocks.iter().map(|block| {
        let mut bits = Bits::default();
        for (shift, bytes) in (0..).step_by(32).zip(block.as_chunks::<32>().0) {
            let (words, _) = bytes.as_chunks::<8>();
            let word = |at: usize| words.get(at).map_or(0, |word| i64::from_le_bytes(*word));
            let value = _mm256_set_epi64x(word(3), word(2), word(1), word(0));
            let mask = |byte: u8| {
                let equal = _mm256_cmpeq_epi8(value, _mm256_set1_epi8(byte.cast_signed()));
                u64::from(_mm256_movemask_epi8(equal).cast_unsigned()).wrapping_shl(shift)
            };
            bits.line_ends |= mask(b'\n');
            bits.opens |= mask(b'(');
            bits.blanks |= mask(b' ');
        }
        bits
    }));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn sse2(blocks: &[[u8; BLOCK]], into: &mut Vec<Bits>) {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    into.extend(blocks.iter().map(|block| {
        let mut bits = Bits::default();
        for (shift, bytes) in (0..).step_by(16).zip(block.as_chunks::<16>().0) {
            let value = u128::from_le_bytes(*bytes);
            let value = _mm_set_epi64x((value >> 64) as i64, value as i64);
            let mask = |byte: u8| {
                let equal = _mm_cmpeq_epi8(value, _mm_set1_epi8(byte.cast_signed()));
                u64::from(_mm_movemask_epi8(equal).cast_unsigned()).wrapping_shl(shift)
            };
            bits.line_ends |= mask(b'\n');
            bits.opens |= mask(b'(');
            bits.blanks |= mask(b' ');
        }
        bits
    }));
}

/// Marks blocks byte by byte, which compilers turn into what the machine has.
#[cfg(any(not(target_arch = "x86_64"), test))]
fn plain(blocks: &[[u8; BLOCK]], into: &mut Vec<Bits>) {
    into.extend(blocks.iter().map(|block| {
        let mask = |wanted: u8| {
            let bytes = block.iter().enumerate();
            bytes.fold(0, |bits, (at, &byte)| bits | u64::from(byte == wanted) << at)
        };
        Bits { line_ends: mask(b'\n'), opens: mask(b'('), blanks: mask(b' ') }
    }));
}

#[cfg(not(target_arch = "x86_64"))]
use plain as mark_blocks;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Bytes of which half are marked.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(b'\n'), Just(b'('), Just(b' '), any::<u8>(), Just(b'x')];
        proptest::collection::vec(byte, 0..400)
    }

    proptest! {
        #[test]
        fn blocks_are_marked_as_byte_by_byte(text in text()) {
            let (blocks, _) = text.as_chunks();
            let mut wanted = Vec::new();
            plain(blocks, &mut wanted);
            let mut marked = Vec::new();
            mark_blocks(blocks, &mut marked);
            prop_assert_eq!(&marked, &wanted);
            #[cfg(target_arch = "x86_64")]
            {
                let mut marked = Vec::new();
                #[allow(unsafe_code)]
                // SAFETY: SSE2 is part of x86-64.
                unsafe {
                    sse2(blocks, &mut marked);
                }
                prop_assert_eq!(&marked, &wanted);
            }
        }

        #[test]
        fn positions_are_those_of_a_search(text in text(), start in 0..400_usize, end in 0..400_usize) {
            let mut marks = Marks::default();
            marks.mark(&text);
            let end = end.min(text.len());
            let start = start.min(end);
            let first = text[start..].iter().position(|&byte| byte == b'\n').map(|at| at + start);
            prop_assert_eq!(marks.line_end(start), first);
            let last = |wanted| text[start..end].iter().rposition(|&byte| byte == wanted).map(|at| at + start);
            prop_assert_eq!(marks.last_open(start, end), last(b'('));
            prop_assert_eq!(marks.last_blank(start, end), last(b' '));
        }
    }
}
