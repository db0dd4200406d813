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
#[cfg(test)]
pub(crate) mod fixture;
pub mod flame;
pub mod frame_finder;
pub mod frame_sizes;
pub mod function;
pub mod graph;
pub mod inputs;
pub mod key;
pub mod limit;
mod located;
pub mod name;
pub mod outlier;
pub mod part;
pub mod peers;
pub mod profile_verdict;
pub mod quantity;
mod row_index;
pub mod sample_types;
pub mod stack_bytes;
pub mod stacksize;
pub mod summary;
pub mod symbols;
pub mod timeline;
pub mod tree;
pub mod value_options;
