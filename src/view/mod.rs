//! Computed results, sorted by total orders and free of any output format.
//!
//! A folder for each kind of result; `values`, `frames` and `rows` are used by all of them.

pub mod calls;
pub mod config;
pub mod diff;
#[cfg(test)]
pub(crate) mod fixture;
pub mod frames;
pub mod goroutines;
pub mod inputs;
pub mod rows;
pub mod stacksize;
pub mod symbols;
pub mod table;
pub mod values;
