//! Computed results, totally sorted and free of any output format.

pub mod export;
pub mod inputs;
