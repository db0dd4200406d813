//! Computed results, totally sorted and free of any output format.

pub mod arguments;
pub mod base;
pub mod callers;
pub mod calls;
pub mod config;
pub mod costs;
pub mod diff;
pub mod drawn;
mod equal;
pub mod export;
pub mod figures;
pub mod flame;
pub mod frame_finder;
pub mod function;
pub mod graph;
pub mod inputs;
pub mod key;
mod keyed;
pub mod limit;
mod located;
pub mod measured;
pub mod mixed;
pub mod name;
pub mod outlier;
pub mod part;
pub mod peers;
pub mod points;
pub mod quantity;
#[cfg(test)]
pub(crate) mod sketch;
pub mod summary;
pub mod tree;
