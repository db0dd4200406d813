//! Stacks and single goroutines: what each does, its name, who created it.

pub mod arguments;
pub mod export;
pub mod limit;
pub mod name;
pub mod tree;
