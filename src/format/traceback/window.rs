//! Searching short texts: which of the next 64 bytes are equal to one.
//!
//! Lines of goroutines are short, 45 bytes, so a search by a function of its own (`memchr`) costs
//! more to call than to do. What reads goroutines is therefore compiled once for each kind of
//! machine, with the compares of that machine in it; see [`Search`].

/// Bytes that are looked at together.
pub(super) const WIDTH: usize = 64;

/// A bit for each byte of a window that is equal to the one wanted; bit 0 is the first byte.
///
/// Implemented by closures, because these are compiled for the same machine as what calls them.
pub(super) trait Search: Fn(&[u8; WIDTH], u8) -> u64 + Copy {}

impl<F: Fn(&[u8; WIDTH], u8) -> u64 + Copy> Search for F {}

/// Something that searches; [`on_this_machine`] runs it.
pub(super) trait Task {
    type Output;
    /// To be marked `inline(always)`, so that it is compiled for the machine.
    fn run(self, search: impl Search) -> Self::Output;
}

/// Runs a task with the widest compares that the machine has.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
pub(super) fn on_this_machine<T: Task>(task: T) -> T::Output {
    use std::arch::is_x86_feature_detected as has;
    if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt") {
        // SAFETY: the only condition is that the machine has what was just asked for.
        unsafe { with_avx2(task) }
    } else {
        // SAFETY: the only condition is that the machine has SSE2, which is part of x86-64.
        unsafe { with_sse2(task) }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<T: Task>(task: T) -> T::Output {
    use std::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
    };
    task.run(|window: &[u8; WIDTH], wanted: u8| {
        let (halves, _) = window.as_chunks::<32>();
        halves.iter().rev().fold(0, |bits: u64, half| {
            // SAFETY: 32 bytes are read, which `half` has; they need not be aligned.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
            let equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(wanted.cast_signed()));
            bits << 32 | u64::from(_mm256_movemask_epi8(equal).cast_unsigned())
        })
    })
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[target_feature(enable = "sse2")]
fn with_sse2<T: Task>(task: T) -> T::Output {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    task.run(|window: &[u8; WIDTH], wanted: u8| {
        let (quarters, _) = window.as_chunks::<16>();
        quarters.iter().rev().fold(0, |bits: u64, quarter| {
            // SAFETY: 16 bytes are read, which `quarter` has; they need not be aligned.
            let bytes = unsafe { _mm_loadu_si128(quarter.as_ptr().cast()) };
            let equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted.cast_signed()));
            bits << 16 | u64::from(_mm_movemask_epi8(equal).cast_unsigned())
        })
    })
}

/// Searches byte by byte, which compilers turn into what the machine has.
#[cfg(any(not(target_arch = "x86_64"), test))]
fn plainly<T: Task>(task: T) -> T::Output {
    task.run(|window: &[u8; WIDTH], wanted: u8| {
        let bytes = window.iter().enumerate();
        bytes.fold(0, |bits, (at, &byte)| bits | u64::from(byte == wanted) << at)
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) use plainly as on_this_machine;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Copy)]
    struct Find<'a>(&'a [u8; WIDTH], u8);

    impl Task for Find<'_> {
        type Output = u64;
        #[inline(always)]
        fn run(self, search: impl Search) -> u64 {
            search(self.0, self.1)
        }
    }

    proptest! {
        #[test]
        fn all_machines_find_the_same(
            window in proptest::collection::vec(prop_oneof![Just(b'('), any::<u8>()], WIDTH),
            wanted in prop_oneof![Just(b'('), any::<u8>()],
        ) {
            let find = Find(window.first_chunk().expect("that many bytes"), wanted);
            let found = plainly(find);
            for (at, &byte) in window.iter().enumerate() {
                prop_assert_eq!(found >> at & 1 == 1, byte == wanted);
            }
            prop_assert_eq!(on_this_machine(find), found);
            #[cfg(target_arch = "x86_64")]
            {
                #[allow(unsafe_code)]
                // SAFETY: SSE2 is part of x86-64.
                let sse2 = unsafe { with_sse2(find) };
                prop_assert_eq!(sse2, found);
            }
        }
    }
}
