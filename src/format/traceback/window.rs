//! Comparing short texts: which of 64 bytes are equal to 64 others.
//!
//! Lines of goroutines are short, 45 bytes, so a search by a function of its own (`memchr`) costs
//! more to call than to do. What reads goroutines is therefore compiled once for each kind of
//! machine, with the compares of that machine in it; see [`Compare`].

/// Bytes that are looked at together.
pub(super) const WIDTH: usize = 64;

/// A bit for each byte that is the same in both windows; bit 0 is the first byte.
///
/// Implemented by closures, because these are compiled for the same machine as what calls them.
pub(super) trait Compare: Fn(&[u8; WIDTH], &[u8; WIDTH]) -> u64 + Copy {}

impl<F: Fn(&[u8; WIDTH], &[u8; WIDTH]) -> u64 + Copy> Compare for F {}

/// How many positions are written at once, whether they are there or not: asking for each costs wrong
/// guesses of how many there are. A window has 1.3 line ends.
pub(super) const AT_ONCE: usize = 16;

/// Writes the positions of bits, counted from a number on: the lowest ones, if there are more than
/// [`AT_ONCE`]. What is written behind them means nothing.
///
/// Implemented by closures, as [`Compare`].
pub(super) trait Positions: Fn(u64, u32, &mut [u32; AT_ONCE]) + Copy {}

impl<F: Fn(u64, u32, &mut [u32; AT_ONCE]) + Copy> Positions for F {}

/// Something that compares; [`on_this_machine`] runs it.
pub(super) trait Task {
    type Output;
    /// To be marked `inline(always)`, so that it is compiled for the machine.
    fn run(self, compare: impl Compare, positions: impl Positions) -> Self::Output;
}

/// Runs a task with the widest compares that the machine has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(super) fn on_this_machine<T: Task>(task: T) -> T::Output {
    use std::arch::is_x86_feature_detected as has;
    if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt") {
        // The first machines with AVX-512 slow down when it is used; those with VBMI2 don't.
        if has!("avx512f") && has!("avx512bw") && has!("avx512vbmi2") {
            // SAFETY: the only condition is that the machine has what was just asked for.
            return unsafe { with_avx512(task) };
        }
        // SAFETY: the only condition is that the machine has what was just asked for.
        unsafe { with_avx2(task) }
    } else {
        // SAFETY: the only condition is that the machine has SSE2, which is part of x86-64.
        unsafe { with_sse2(task) }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<T: Task>(task: T) -> T::Output {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi32,
        _mm512_loadu_si512, _mm512_maskz_compress_epi8, _mm512_set1_epi32, _mm512_storeu_si512,
    };
    // SAFETY: 64 bytes are read, which a window has; they need not be aligned.
    let load = |window: &[u8; WIDTH]| unsafe { _mm512_loadu_si512(window.as_ptr().cast()) };
    let compare =
        |one: &[u8; WIDTH], other: &[u8; WIDTH]| _mm512_cmpeq_epi8_mask(load(one), load(other));
    let positions = |bits: u64, from: u32, positions: &mut [u32; AT_ONCE]| {
        let set = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(bits, load(&NUMBERS)));
        let from = _mm512_set1_epi32(from.cast_signed());
        let set = _mm512_add_epi32(_mm512_cvtepu8_epi32(set), from);
        // SAFETY: 16 times 4 bytes are written, which there are; they need not be aligned.
        unsafe { _mm512_storeu_si512(positions.as_mut_ptr().cast(), set) }
    };
    task.run(compare, positions)
}

/// The numbers of a window's bytes.
#[cfg(target_arch = "x86_64")]
static NUMBERS: [u8; WIDTH] = numbers();

#[cfg(target_arch = "x86_64")]
const fn numbers() -> [u8; WIDTH] {
    let mut numbers = [0; WIDTH];
    let mut at = 1;
    // Only ever run by the compiler, which would refuse a mistake.
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
    while at < WIDTH {
        numbers[at] = at as u8;
        at += 1;
    }
    numbers
}

/// The positions of bits, one after the other.
#[inline(always)]
fn positions(bits: u64, from: u32, positions: &mut [u32; AT_ONCE]) {
    /// More than these are rare.
    const MOSTLY: usize = 4;
    let mut left = bits;
    let mut write = |positions: &mut [u32]| {
        for position in positions {
            *position = from.wrapping_add(left.trailing_zeros());
            left &= left.wrapping_sub(1);
        }
        left
    };
    let (first, more) = positions.split_at_mut(MOSTLY);
    if write(first) != 0 {
        write(more);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<T: Task>(task: T) -> T::Output {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8};
    task.run(
        |one: &[u8; WIDTH], other: &[u8; WIDTH]| {
            let halves = one.as_chunks::<32>().0.iter().zip(other.as_chunks::<32>().0);
            halves.rev().fold(0, |bits: u64, (one, other)| {
                // SAFETY: 32 bytes are read, which both halves have; they need not be aligned.
                let load = |half: &[u8; 32]| unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
                let equal = _mm256_cmpeq_epi8(load(one), load(other));
                bits << 32 | u64::from(_mm256_movemask_epi8(equal).cast_unsigned())
            })
        },
        positions,
    )
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "sse2")]
fn with_sse2<T: Task>(task: T) -> T::Output {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
    task.run(
        |one: &[u8; WIDTH], other: &[u8; WIDTH]| {
            let quarters = one.as_chunks::<16>().0.iter().zip(other.as_chunks::<16>().0);
            quarters.rev().fold(0, |bits: u64, (one, other)| {
                // SAFETY: 16 bytes are read, which both quarters have; they need not be aligned.
                let load = |quarter: &[u8; 16]| unsafe { _mm_loadu_si128(quarter.as_ptr().cast()) };
                let equal = _mm_cmpeq_epi8(load(one), load(other));
                bits << 16 | u64::from(_mm_movemask_epi8(equal).cast_unsigned())
            })
        },
        positions,
    )
}

/// Compares byte by byte, which compilers turn into what the machine has.
#[cfg(any(not(target_arch = "x86_64"), test))]
fn plainly<T: Task>(task: T) -> T::Output {
    task.run(
        |one: &[u8; WIDTH], other: &[u8; WIDTH]| {
            let bytes = one.iter().zip(other).enumerate();
            bytes.fold(0, |bits, (at, (one, other))| bits | u64::from(one == other) << at)
        },
        positions,
    )
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use plainly as on_this_machine;

/// For each length, which bytes of two windows are looked at.
static MASKS: [[u64; 2]; 2 * WIDTH + 1] = masks();

const fn masks() -> [[u64; 2]; 2 * WIDTH + 1] {
    let mut masks = [[0; 2]; 2 * WIDTH + 1];
    let mut length = 1;
    // Only ever run by the compiler, which would refuse a mistake.
    #[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]
    while length < masks.len() {
        masks[length] = masks[length - 1];
        masks[length][(length - 1) / WIDTH] |= 1 << ((length - 1) % WIDTH);
        length += 1;
    }
    masks
}

/// Whether both texts start with the same bytes. They go on behind them, so that two windows can be
/// compared whatever the length is: a loop over the bytes costs wrong guesses of how long it is.
#[inline(always)]
pub(super) fn starts_alike(kept: &[u8], text: &[u8], length: usize, compare: impl Compare) -> bool {
    let (Some(kept_start), Some(text_start)) =
        (kept.first_chunk::<{ 2 * WIDTH }>(), text.first_chunk::<{ 2 * WIDTH }>())
    else {
        return kept.get(..length) == text.get(..length);
    };
    let ([kept_one, kept_two], [text_one, text_two]) =
        (kept_start.as_chunks().0, text_start.as_chunks().0)
    else {
        return false;
    };
    let Some([one, two]) = MASKS.get(length) else {
        return kept.get(..length) == text.get(..length);
    };
    !compare(kept_one, text_one) & one | !compare(kept_two, text_two) & two == 0
}

/// The line end at or behind `from`.
#[inline(always)]
pub(super) fn line_end(text: &[u8], from: usize, compare: impl Compare) -> Option<usize> {
    let mut at = from;
    while let Some(window) = text.get(at..)?.first_chunk::<WIDTH>() {
        let ends = compare(window, &[b'\n'; WIDTH]);
        if ends != 0 {
            return Some(at.wrapping_add(ends.trailing_zeros() as usize));
        }
        at = at.wrapping_add(WIDTH);
    }
    at.checked_add(memchr::memchr(b'\n', text.get(at..)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy)]
    struct Find<'a>(&'a [u8; WIDTH], &'a [u8; WIDTH]);

    impl Task for Find<'_> {
        type Output = (u64, Vec<u32>);
        #[inline(always)]
        fn run(self, compare: impl Compare, positions: impl Positions) -> (u64, Vec<u32>) {
            let found = compare(self.0, self.1);
            let mut all = [0; AT_ONCE];
            positions(found, 1000, &mut all);
            (found, all.into_iter().take(found.count_ones() as usize).collect())
        }
    }

    #[derive(Clone, Copy)]
    struct StartsAlike<'a>(&'a [u8], &'a [u8], usize);

    impl Task for StartsAlike<'_> {
        type Output = bool;
        #[inline(always)]
        fn run(self, compare: impl Compare, _: impl Positions) -> bool {
            starts_alike(self.0, self.1, self.2, compare)
        }
    }

    fn window() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![Just(b'('), any::<u8>()], WIDTH)
    }

    proptest! {
        #[test]
        fn all_machines_find_the_same(one in window(), other in window()) {
            let chunk = |text: &[u8]| *text.first_chunk().expect("that many bytes");
            let (one, other) = (chunk(&one), chunk(&other));
            let find = Find(&one, &other);
            let found = plainly(find);
            let same: Vec<u32> = (0..WIDTH as u32)
                .filter(|&at| one[at as usize] == other[at as usize])
                .collect();
            prop_assert_eq!(found.0, same.iter().fold(0, |bits, at| bits | 1 << at));
            let positions: Vec<u32> = same.iter().take(AT_ONCE).map(|at| 1000 + at).collect();
            prop_assert_eq!(&found.1, &positions);
            prop_assert_eq!(&on_this_machine(find), &found);
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            {
                // SAFETY: SSE2 is part of x86-64.
                prop_assert_eq!(&unsafe { with_sse2(find) }, &found);
                if std::arch::is_x86_feature_detected!("avx512vbmi2") {
                    // on_this_machine has run the version of the machines that follow.
                    // SAFETY: all of them have it.
                    prop_assert_eq!(&unsafe { with_avx2(find) }, &found);
                }
            }
        }

        #[test]
        fn texts_start_alike_up_to_the_first_byte_that_differs(
            length in 0..300_usize, differs in 0..400_usize, more in 0..200_usize,
        ) {
            let kept = vec![b'a'; length + more];
            let mut text = kept.clone();
            if let Some(byte) = text.get_mut(differs) {
                *byte = b'b';
            }
            let alike = differs >= length;
            prop_assert_eq!(on_this_machine(StartsAlike(&kept, &text, length)), alike);
            prop_assert_eq!(plainly(StartsAlike(&kept, &text, length)), alike);
        }
    }
}
