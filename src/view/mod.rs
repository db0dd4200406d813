//! Computed results, totally sorted and free of any output format.

pub mod function;
pub mod ids;
pub mod inputs;
pub mod key;
pub mod part;
pub mod summary;
pub mod verdict;
