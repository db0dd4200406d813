//! A row for each goroutine, creators first.

use super::Drawing;
use super::json::StackIds;
use crate::output::csv::{Columns, maybe, number, text};
use std::cell::RefCell;
use std::io::{self, Write};

/// Writes header and rows; later versions only add columns. `parent` is the `node` of the creator.
pub(super) fn write(drawing: &Drawing<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Drawing { profile, names, tree, .. } = *drawing;
    let ids = RefCell::new(StackIds::default());
    let node = |at: u32| &tree.nodes[at as usize];
    let (key, goroutine) = (|at| drawing.key(at), |at| drawing.goroutine(at));
    let mut columns: Columns<'_, u32> = Columns::default();
    columns.add("node", number);
    columns.add("parent", move |at| maybe(node(at).parent));
    columns.add("depth", move |at| number(node(at).depth));
    columns.add("input", move |at| text(&profile.input(key(at).input).name));
    columns.add("goroutine", move |at| number(goroutine(at).id));
    columns.add("target", move |at| number(node(at).target));
    columns.add("state", move |at| text(key(at).state.map_or(&b""[..], |id| profile.str(id))));
    columns.add("kind", move |at| text(key(at).kind.name()));
    columns.add("wait_minutes", move |at| maybe(goroutine(at).wait.known()));
    columns.add("category", move |at| text(names.category(key(at).stack)));
    columns.add("name", move |at| text(names.name(profile, key(at).stack)));
    columns.add("created_by", move |at| maybe(goroutine(at).creator()));
    columns.add("created_by_func", move |at| {
        text(key(at).creator.map_or(&b""[..], |frame| names.func(frame)))
    });
    columns.add("stack", |at| number(ids.borrow_mut().id(drawing, at)));
    columns.write(0..tree.nodes.len() as u32, out)
}
