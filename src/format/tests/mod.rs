//! Formats compared with each other.

pub(in crate::format) mod agreement;
mod sniffing;
