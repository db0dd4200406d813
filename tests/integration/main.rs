//! What the program does, seen from outside; a file for each theme.
//!
//! `corpus` and what is below it needs dumps that aren't in the repository: set STACKGAZER_CORPUS.

mod document;
mod sandbox;

mod agreement;
mod containers;
mod corpus;
mod fuzz_corpus;
mod inputs;
mod prefixes;
mod readers;
mod round_trip;
mod threads;
mod usage;

#[path = "../layers.rs"]
mod layers;
