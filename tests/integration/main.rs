//! What the program does, seen from outside; a file for each theme.
//!
//! `corpus` and what is below it needs dumps that aren't in the repository: set STACKGAZER_CORPUS.

mod document;
mod sandbox;

mod agreement;
mod config;
mod containers;
mod corpus;
mod diff;
mod export;
mod filter;
mod fuzz_corpus;
mod inputs;
mod name;
mod prefixes;
mod readers;
mod round_trip;
mod summarize;
mod threads;
mod tree;
mod usage;

#[path = "../layers.rs"]
mod layers;
