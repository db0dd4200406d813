//! 64-bit ARM: NEON, which all such machines have.

#![allow(unsafe_code)]

use super::{Kernel, Task, WIDTH};
use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vgetq_lane_u64, vld1q_u8, vpaddq_u8, vreinterpretq_u64_u8,
};

/// Any 64-bit ARM machine.
#[derive(Clone, Copy)]
pub(super) struct Neon;

/// The bit of each of 16 bytes, once eight bytes are added up to one.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl Kernel for Neon {
    #[inline(always)]
    fn compare(self, one: &[u8; WIDTH], other: &[u8; WIDTH]) -> u64 {
        // Zeros, without another intrinsic: no byte is equal.
        let mut equal = [equal_bits(&[0; 16], &[1; 16]); 4];
        let quarters = one.as_chunks::<16>().0.iter().zip(other.as_chunks::<16>().0);
        for (equal, (one, other)) in equal.iter_mut().zip(quarters) {
            *equal = equal_bits(one, other);
        }
        let [first, second, third, fourth] = equal;
        // SAFETY: NEON is part of 64-bit ARM; no memory is read.
        unsafe {
            // Adding neighbouring bytes three times puts the bits of eight bytes into one.
            let pairs = vpaddq_u8(vpaddq_u8(first, second), vpaddq_u8(third, fourth));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(pairs, pairs)))
        }
    }

    #[inline(never)]
    fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

/// For each pair of bytes that are equal, its bit of [`BITS`]; 0 for the others.
#[inline(always)]
fn equal_bits(one: &[u8; 16], other: &[u8; 16]) -> uint8x16_t {
    // SAFETY: NEON is part of 64-bit ARM. 16 bytes are read from each; they need not be aligned.
    unsafe {
        let equal = vceqq_u8(vld1q_u8(one.as_ptr()), vld1q_u8(other.as_ptr()));
        vandq_u8(equal, vld1q_u8(BITS.as_ptr()))
    }
}
