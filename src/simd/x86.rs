//! x86-64: SSE2, which all such machines have, and AVX2, which nearly all have.

#![allow(unsafe_code)]

use super::{Kernel, Task, WIDTH};
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_prefetch,
    _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
};

/// A machine with AVX2; only made by detection.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detected() -> Option<Avx2> {
        let has_bits = has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
        (has!("avx2") && has_bits).then_some(Avx2(()))
    }
}

impl Kernel for Avx2 {
    #[inline(always)]
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64 {
        // No closures: they aren't compiled with AVX2, so its intrinsics would be calls.
        let (one, other) = (one.as_ptr().cast::<__m256i>(), other.as_ptr().cast::<__m256i>());
        // SAFETY: the machine has AVX2, or there would be no `self`. 64 bytes are read from each window,
        // which has as many; they need not be aligned.
        let [low, high] = unsafe {
            let low = _mm256_cmpeq_epi8(_mm256_loadu_si256(one), _mm256_loadu_si256(other));
            let (one, other) = (one.add(1), other.add(1));
            let high = _mm256_cmpeq_epi8(_mm256_loadu_si256(one), _mm256_loadu_si256(other));
            [_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)]
        };
        u64::from(high.cast_unsigned()) << 32 | u64::from(low.cast_unsigned())
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run<T: Task>(kernel: Avx2, task: T) -> T::Output {
            task.run(kernel)
        }
        // rustc 1.95 ignores `inline(never)` on functions with target features; a function that it doesn't
        // know can't be inlined.
        let run = std::hint::black_box(run::<T> as unsafe fn(Self, T) -> T::Output);
        // SAFETY: the machine has all of these, or there would be no `self`.
        unsafe { run(self, task) }
    }
}

#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    // SAFETY: SSE is part of x86-64. A prefetch has no visible effect, so any address is allowed.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Any x86-64 machine.
#[derive(Clone, Copy)]
pub(super) struct Sse2;

impl Kernel for Sse2 {
    #[inline(always)]
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64 {
        let quarters = one.as_chunks::<16>().0.iter().zip(other.as_chunks::<16>().0);
        quarters.rev().fold(0, |bits: u64, (one, other)| {
            // SAFETY: SSE2 is part of x86-64. 16 bytes are read from each quarter, which has as many; they
            // need not be aligned.
            let equal = unsafe {
                let one = _mm_loadu_si128(one.as_ptr().cast());
                let equal = _mm_cmpeq_epi8(one, _mm_loadu_si128(other.as_ptr().cast()));
                _mm_movemask_epi8(equal)
            };
            bits << 16 | u64::from(equal.cast_unsigned())
        })
    }

    #[inline(never)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}
