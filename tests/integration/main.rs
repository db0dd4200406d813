//! What the program does, seen from outside; a file for each theme.
//!
//! `corpus` and what is below it needs dumps that aren't in the repository, and is ignored: set
//! STACKGAZER_CORPUS and add `-- --ignored`.

mod document;
#[cfg(target_os = "linux")]
mod pty;
mod sandbox;
mod schema;
mod shapes;

mod agreement;
mod binaries;
mod call_figures;
mod call_outputs;
mod check;
mod ci;
mod completions;
mod config;
mod containers;
mod corpus;
mod crashes;
mod cut;
mod destinations;
mod diff;
mod export;
mod filter;
mod fleet;
mod fuzz_corpus;
mod gate;
mod golden;
mod goleak;
mod groups_output;
mod hostile;
mod http;
mod inputs;
mod kinds;
mod leak_matrix;
mod leaks;
mod list;
#[cfg(target_os = "linux")]
mod live;
mod losses;
mod mangled;
mod modules;
mod name;
#[cfg(all(target_os = "linux", feature = "native"))]
mod native;
mod page;
mod points;
mod pprof;
mod prefixes;
mod readers;
mod readme;
mod reports;
mod round_trip;
mod stacksize;
mod summarize;
mod summary_output;
mod symbolize;
mod symbolized;
mod tables;
#[cfg(target_os = "linux")]
mod terminal;
mod threads;
mod tls;
mod tree;
mod tree_output;
mod usage;
mod values;
mod verdict;
mod waits;
#[cfg(all(unix, feature = "http"))]
mod watch;
mod written_over;

#[path = "../layers.rs"]
mod layers;
