//! Computed results, totally sorted and free of any output format.

pub mod ids;
pub mod inputs;
