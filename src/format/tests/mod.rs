//! Formats against each other.

pub(in crate::format) mod agreement;
