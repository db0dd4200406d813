//! Computed results, totally sorted and free of any output format.

pub mod callers;
pub mod calls;
pub mod config;
pub mod diff;
mod equal;
pub mod export;
pub mod figures;
pub mod flame;
pub mod function;
pub mod graph;
pub mod inputs;
pub mod key;
mod keyed;
pub mod limit;
mod located;
pub mod measured;
pub mod name;
pub mod part;
pub mod points;
#[cfg(test)]
pub(crate) mod sketch;
pub mod summary;
pub mod tree;
pub mod verdict;
