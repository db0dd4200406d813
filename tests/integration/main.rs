//! What the program does, seen from outside; a file for each theme.
//!
//! `corpus` and what is below it needs dumps that aren't in the repository: set STACKGAZER_CORPUS.

mod document;
mod sandbox;
mod schema;

mod agreement;
mod call_outputs;
mod config;
mod containers;
mod corpus;
mod diff;
mod export;
mod filter;
mod fuzz_corpus;
mod groups_output;
mod http;
mod inputs;
mod name;
mod prefixes;
mod readers;
mod readme;
mod round_trip;
mod summarize;
mod summary_output;
mod threads;
mod tree;
mod tree_output;
mod usage;

#[path = "../layers.rs"]
mod layers;
