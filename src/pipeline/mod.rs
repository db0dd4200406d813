//! The stages of every command, from its inputs to what it shows; a type for each.
//!
//! ```text
//! Inputs --load--> Loaded --symbolize--> Symbolized --name--> Named --select--> Selected --prune--> Pruned
//! ```
//!
//! Each stage has one function that leads to the next, so that none can be left out or run twice:
//! values are chosen before anything is counted, and names exist before rules or options need them. What
//! a command has to say about that (an option that matches nothing, for instance) is in the notes of
//! the last stage.
//!
//! ```
//! use stackgazer::filter::{Filter, Select};
//! use stackgazer::load::LoadOptions;
//! use stackgazer::pipeline::{Hidden, Inputs, Selecting, StackSizes};
//! use stackgazer::prune::Prune;
//! use stackgazer::rules::{RuleSet, default_lists};
//! use stackgazer::symbols::Programs;
//!
//! let rules = RuleSet::compile(default_lists())?;
//! let blocked = Select { kinds: vec!["chan-recv".into()], ..Select::default() };
//! let selecting = Selecting { filter: Filter::compile(&blocked)?, ..Selecting::default() };
//! let options = LoadOptions { threads: 1, ..LoadOptions::default() };
//! let shown = Inputs { arguments: vec!["testdata/crashes/go1.27.3.asleep.txt".into()], options }
//!     .load()?
//!     .symbolize(&Programs::default(), Hidden::Dropped, StackSizes::Ignored)?
//!     .name(&rules)?
//!     .select(&selecting)?
//!     .prune(&Prune::default(), &rules)?;
//! let count: i64 = shown.selection.counts.iter().sum();
//! assert_eq!(count, 1, "the main goroutine waits for ever");
//! # Ok::<(), stackgazer::error::Error>(())
//! ```

mod comparable;
mod loaded;
mod named;
mod selected;
mod series;

pub use loaded::{Hidden, Inputs, Loaded, StackSizes, Symbolized};
pub use named::{Named, Selecting};
pub use selected::{Pruned, Selected};
pub use series::Series;
