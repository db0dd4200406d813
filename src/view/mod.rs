//! Computed results, totally sorted and free of any output format.

pub mod config;
pub mod export;
pub mod function;
pub mod inputs;
pub mod key;
pub mod limit;
pub mod measured;
pub mod name;
pub mod part;
#[cfg(test)]
pub(crate) mod sketch;
pub mod summary;
pub mod tree;
pub mod verdict;
