//! debug=2 text, panics, SIGQUIT and every other text of goroutines that Go's runtime writes.

pub(crate) mod addresses;
pub(crate) mod cache;
mod calls;
pub(crate) mod closing;
pub(crate) mod crash;
pub(crate) mod cut_header;
mod damaged;
pub(crate) mod foreign;
mod frame_addresses;
pub(crate) mod goroutine;
pub(crate) mod header;
pub(crate) mod lines;
pub(crate) mod lookalike;
pub(crate) mod misspelt;
pub(crate) mod names;
mod number;

pub(crate) mod recovered;
pub(crate) mod rest;
mod status;
