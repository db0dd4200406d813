//! `stackgazer.tree/1`
//!
//! The goroutines are one flat list, creators first; each has the position of its creator. Creators can be
//! a million deep, and JSON readers give up far earlier.

use super::Drawing;
use crate::group::ids::{self, StackHash};
use crate::output::document::{Document, without_null};
use crate::profile::StackId;
use crate::view::goroutines::tree::Node;
use crate::view::rows::{FrameRow, Id, Minutes, Text};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::Serialize;
use serde_json::json;

const SCHEMA: &str = "stackgazer.tree/1";

#[derive(Serialize)]
struct Row<'a> {
    node: u32,
    parent: Option<u32>,
    depth: u32,
    input: &'a str,
    id: Id,
    target: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cyclic: bool,
    state: Option<Text<'a>>,
    kind: &'static str,
    wait_minutes: Option<Minutes>,
    flags: Vec<Text<'a>>,
    category: Text<'a>,
    name: Text<'a>,
    stack: StackHash,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<CreatorRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ancestors: Vec<Id>,
    created: usize,
}

#[derive(Serialize)]
struct CreatorRow<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(flatten)]
    frame: Option<FrameRow<'a>>,
}

/// The document.
pub(super) fn document<'a>(drawing: &'a Drawing<'_>) -> Document<'a> {
    let Drawing { profile, tree, .. } = *drawing;
    let without_ids = tree.without_ids.iter().map(|&id| profile.input(id).name.as_str());
    let own = json!({
        "total": tree.nodes.len(),
        "selected": tree.targets,
        "trees": tree.roots.len(),
        "left_out": Some(tree.left_out).filter(|&trees| trees > 0),
        "without_ids": without_ids.collect::<Vec<_>>(),
    });
    let mut ids = StackIds::default();
    let rows = tree.nodes.iter().enumerate().map(move |(at, node)| {
        let stack = ids.id(drawing, at as u32);
        row(drawing, at as u32, node, stack)
    });
    let own = without_null(own, &["left_out"]);
    Document::new(SCHEMA, profile, own).list("goroutines", "goroutine", rows)
}

/// The ids of stacks, each computed once.
#[derive(Default)]
pub(super) struct StackIds(HashMap<StackId, StackHash, FixedState>);

impl StackIds {
    pub(super) fn id(&mut self, drawing: &Drawing<'_>, node: u32) -> StackHash {
        let stack = drawing.key(node).stack;
        *self.0.entry(stack).or_insert_with(|| ids::id(drawing.profile, stack))
    }
}

fn row<'a>(drawing: &Drawing<'a>, at: u32, node: &Node, stack: StackHash) -> Row<'a> {
    let (profile, names) = (drawing.profile, drawing.names);
    let (goroutine, key) = (drawing.goroutine(at), drawing.key(at));
    let frame = key.creator.map(|frame| FrameRow::new(profile, names, frame));
    let creator = goroutine.creator();
    let ancestors = profile.ancestors.get(&(node.goroutine as usize));
    Row {
        node: at,
        parent: node.parent,
        depth: node.depth,
        input: &profile.input(key.input).name,
        id: Id(goroutine.id),
        target: node.target,
        cyclic: node.cyclic,
        state: key.state.map(|state| Text(profile.str(state))),
        kind: key.kind.name(),
        wait_minutes: goroutine.wait.known().and_then(Minutes::of),
        flags: profile.flags(key.flags).iter().map(|&flag| Text(profile.str(flag))).collect(),
        category: Text(names.category(key.stack)),
        name: Text(names.name(profile, key.stack)),
        stack,
        created_by: (frame.is_some() || creator.is_some())
            .then(|| CreatorRow { id: creator.map(Id), frame }),
        ancestors: ancestors.into_iter().flatten().map(|ancestor| Id(ancestor.id)).collect(),
        created: node.created,
    }
}
