//! Who created whom, in every format that `tree` offers.

mod dot;
mod json;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::profile::{Goroutine, Profile, SampleKey, StackId, StrId};
use crate::rules::Names;
use crate::view::tree::Tree;
use std::io::{self, Write};

/// The formats of a tree; the first one is the default.
pub const OFFERED: [Output; 3] = [Output::Text, Output::Json, Output::Dot];

/// From so many on, goroutines that do the same and created nobody are drawn as one.
const FOLD: usize = 3;
/// Ids named of those; more are counted.
const IDS_SHOWN: usize = 3;

/// A tree with the tables that it refers to.
#[derive(Clone, Copy, Debug)]
pub struct Drawing<'a> {
    /// The tables.
    pub profile: &'a Profile,
    /// Names and categories.
    pub names: &'a Names,
    /// The tree.
    pub tree: &'a Tree,
}

impl<'a> Drawing<'a> {
    /// Writes the tree.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::write(self, out),
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

    /// What goroutines must share to be drawn as one.
    fn looks(&self, node: u32) -> (StackId, Option<StrId>) {
        (self.key(node).stack, self.key(node).state)
    }

    /// These goroutines as they are drawn: those that do the same together, where the first one
    /// stands.
    fn fold(&self, nodes: &[u32]) -> Vec<Vec<u32>> {
        use hashbrown::HashMap;
        let alone = |node: u32| {
            let found = &self.tree.nodes[node as usize];
            found.target || found.cyclic || !self.tree.children(node).is_empty()
        };
        let mut count: HashMap<_, usize> = HashMap::new();
        for &node in nodes.iter().filter(|&&node| !alone(node)) {
            *count.entry(self.looks(node)).or_default() += 1;
        }
        let mut folded: Vec<Vec<u32>> = Vec::new();
        let mut place: HashMap<_, usize> = HashMap::new();
        for &node in nodes {
            let looks = self.looks(node);
            if alone(node) || count[&looks] < FOLD {
                folded.push(vec![node]);
                continue;
            }
            let at = *place.entry(looks).or_insert(folded.len());
            match folded.get_mut(at) {
                Some(same) => same.push(node),
                None => folded.push(vec![node]),
            }
        }
        folded
    }

    /// What stands in the brackets behind the id, as Go writes it.
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
    fn doing(&self, node: u32) -> (std::borrow::Cow<'a, str>, std::borrow::Cow<'a, str>) {
        let stack = self.key(node).stack;
        (lossy(self.names.category(stack)), lossy(self.names.name(stack)))
    }

    /// The ids of goroutines drawn as one: `17, 18, 19, and 6 more`.
    fn ids(&self, nodes: &[u32]) -> String {
        let shown = nodes.iter().take(IDS_SHOWN).map(|&node| self.goroutine(node).id.to_string());
        let mut text = shown.collect::<Vec<_>>().join(", ");
        if let more @ 1.. = nodes.len().saturating_sub(IDS_SHOWN) {
            text += &format!(", and {more} more");
        }
        text
    }
}

fn lossy(text: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(text)
}
