//! What 64-bit ARM machines have: NEON, all of them.

#![allow(unsafe_code)]

use super::{Kernel, Task, WIDTH};
use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vgetq_lane_u64, vld1q_u8, vpaddq_u8, vreinterpretq_u64_u8,
};

/// Any 64-bit ARM machine.
#[derive(Clone, Copy)]
pub(super) struct Neon;

/// The bit of each byte in the byte that eight of them become.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl Kernel for Neon {
    #[inline(always)]
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64 {
        let mut equal = [bits(&[0; 16], &[1; 16]); 4];
        let quarters = one.as_chunks::<16>().0.iter().zip(other.as_chunks::<16>().0);
        for (equal, (one, other)) in equal.iter_mut().zip(quarters) {
            *equal = bits(one, other);
        }
        let [first, second, third, fourth] = equal;
        // SAFETY: NEON is part of 64-bit ARM; no memory is read.
        unsafe {
            // Neighbours are added three times: then each byte has the bits of eight.
            let pairs = vpaddq_u8(vpaddq_u8(first, second), vpaddq_u8(third, fourth));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
        }
    }

    #[inline(never)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// The bit of each byte that is the same.
#[inline(always)]
fn bits(one: &[u8; 16], other: &[u8; 16]) -> uint8x16_t {
    // SAFETY: NEON is part of 64-bit ARM. 16 bytes are read of each, which need not be aligned.
    unsafe {
        let equal = vceqq_u8(vld1q_u8(one.as_ptr()), vld1q_u8(other.as_ptr()));
        vandq_u8(equal, vld1q_u8(BITS.as_ptr()))
    }
}
