//! Who calls whom, with values: callers and callees of functions, and the tree of calls.

mod path;
mod peek;
pub mod tags;
pub mod traces;
mod tree;

pub use peek::{Edge, Function, peek};
pub use tree::{Branch, tree};

use crate::view::key::Key;

/// What a frame is called in views: what it has for these keys, as pprof prints it.
pub(super) fn printed(values: &[Option<String>]) -> String {
    let known: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    if known.is_empty() { "<unknown>".to_owned() } else { known.join(" ") }
}

/// The keys that frames are told apart by, where rows were asked for that aren't made of frames.
pub fn keys(by: Option<Vec<Key>>) -> Vec<Key> {
    let mut keys = by.unwrap_or_default();
    keys.retain(Key::is_of_frames);
    if keys.is_empty() { vec![Key::Function] } else { keys }
}
