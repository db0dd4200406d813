//! Computed results, totally sorted and free of any output format.
//!
//! A folder for each sort of result; `values`, `frames`, `rows` are what all of them are made of.

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
