//! Goroutines by their creators, in every format that `tree` offers.

mod csv;
pub(super) mod dot;
mod json;
mod text;

use super::Output;
use super::numbers::first_of;
use super::terminal::Screen;
use crate::profile::{Goroutine, Profile, SampleKey};
use crate::rules::Names;
use crate::view::goroutines::tree::Tree;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::io::{self, Write};

/// The formats of a tree; the first one is the default.
pub const OFFERED: [Output; 5] =
    [Output::Text, Output::Json, Output::Ndjson, Output::Csv, Output::Dot];

/// This many or more goroutines that look the same, with everything that they created, are drawn as one.
const FOLD: usize = 3;
/// Ids of these that are named; more are counted.
const IDS_SHOWN: usize = 3;

/// A tree with the tables that it refers to.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    profile: &'a Profile,
    names: &'a Names,
    tree: &'a Tree,
    /// See [`Tree::looks`].
    looks: Vec<u32>,
}

impl<'a> Drawing<'a> {
    /// The tree of this profile with these names.
    pub fn new(profile: &'a Profile, names: &'a Names, tree: &'a Tree) -> Drawing<'a> {
        Drawing { profile, names, tree, looks: tree.looks(profile) }
    }

    /// Writes the tree.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::document(self).write(out),
            Output::Ndjson => json::document(self).write_lines(out),
            Output::Csv => csv::write(self, out),
            Output::Dot => dot::write(self, out),
            _ => text::write(self, screen, out),
        }
    }

    fn goroutine(&self, node: u32) -> &'a Goroutine {
        &self.profile.goroutines[self.tree.nodes[node as usize].goroutine as usize]
    }

    fn key(&self, node: u32) -> &'a SampleKey {
        &self.profile.sample(self.goroutine(node).sample).key
    }

    /// Groups these goroutines as they are drawn: those that look the same together, at the position of the
    /// first.
    fn fold(&self, nodes: impl Iterator<Item = u32> + Clone) -> Vec<Vec<u32>> {
        let look = |node: u32| self.looks[node as usize];
        let mut count: HashMap<u32, usize, FixedState> = HashMap::default();
        for node in nodes.clone() {
            *count.entry(look(node)).or_default() += 1;
        }
        let mut folded: Vec<Vec<u32>> = Vec::new();
        let mut place: HashMap<u32, usize, FixedState> = HashMap::default();
        for node in nodes {
            if count[&look(node)] < FOLD {
                folded.push(vec![node]);
                continue;
            }
            let at = *place.entry(look(node)).or_insert(folded.len());
            match folded.get_mut(at) {
                Some(same) => same.push(node),
                None => folded.push(vec![node]),
            }
        }
        folded
    }

    /// The goroutines that all of these created, grouped as they are drawn.
    fn created(&self, nodes: &[u32]) -> Vec<Vec<u32>> {
        self.fold(nodes.iter().flat_map(|&node| self.tree.children(node)).copied())
    }

    /// The text in brackets after the id, as Go writes it.
    fn brackets(&self, nodes: &[u32]) -> String {
        let Some(&first) = nodes.first() else { return String::new() };
        let key = self.key(first);
        let state = key.state.map_or("unknown".into(), |state| lossy(self.profile.str(state)));
        let waits = nodes.iter().filter_map(|&node| self.goroutine(node).wait.known());
        let min = waits.clone().fold(f32::INFINITY, f32::min);
        let max = waits.fold(0.0, f32::max);
        let mut text = state.into_owned();
        if max == 1.0 && min == 1.0 {
            text += ", 1 minute";
        } else if max > 0.0 && min == max {
            text += &format!(", {max} minutes");
        } else if max > 0.0 {
            text += &format!(", {min}-{max} minutes");
        }
        if let [_] = nodes {
            for &flag in self.profile.flags(key.flags) {
                text += ", ";
                text += &lossy(self.profile.str(flag));
            }
        }
        text
    }

    /// Category and name of the stack.
    fn category_and_name(&self, node: u32) -> (Cow<'a, str>, Cow<'a, str>) {
        let stack = self.key(node).stack;
        (lossy(self.names.category(stack)), lossy(self.names.name(self.profile, stack)))
    }

    /// The ids of goroutines drawn as one: `17, 18, 19, and 6 more`.
    fn ids(&self, nodes: &[u32]) -> String {
        first_of(nodes.iter().map(|&node| self.goroutine(node).id.to_string()), IDS_SHOWN)
    }
}

fn lossy(text: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(text)
}
