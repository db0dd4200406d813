//! Values of samples: which type counts, what is subtracted, what is 100%.

pub mod base;
pub(in crate::view) mod equal;
pub mod options;
pub mod quantity;
pub mod sample_types;
pub mod sums;
