//! Reads Go goroutine dumps and profiles and says what thousands of goroutines are doing.
//!
//! ```text
//! source -> format -> profile -> rules -> filter -> group -> view -> leak -> verdict -> output
//!  bytes    what it    one model   names,   which     same      format-  evidence what to bytes out
//!  in       says       of samples  category samples   stacks    free     of bugs  know
//! ```

pub mod binary;
pub mod cli;
pub mod config;
pub mod error;
pub mod filter;
pub mod format;
pub mod group;
pub mod leak;
pub mod limits;
pub mod live;
pub mod load;
pub mod output;
pub mod pipeline;
pub mod profile;
pub mod prune;
pub mod read_at;
pub mod regular_file;
pub mod rules;
mod simd;
pub mod source;
pub mod symbols;
pub mod textfile;
pub mod verdict;
pub mod view;
pub mod waits;
