//! What the names of functions say, and the frames of a stack that say most.

pub mod finder;
pub mod function;
