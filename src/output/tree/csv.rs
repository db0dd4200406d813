//! A row for each goroutine, creators first.

use super::Drawing;
use super::json::StackIds;
use crate::output::csv::{guard, io_error, rows};
use std::io::{self, Write};

/// The columns; later versions only add to them. `parent` is the `node` of the creator.
const COLUMNS: [&str; 14] = [
    "node",
    "parent",
    "depth",
    "input",
    "goroutine",
    "target",
    "state",
    "kind",
    "wait_minutes",
    "category",
    "name",
    "created_by",
    "created_by_func",
    "stack",
];

/// Writes header and rows.
pub(super) fn write(drawing: &Drawing<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (profile, names) = (drawing.profile, drawing.names);
    let mut rows = rows(out);
    rows.write_record(COLUMNS).map_err(io_error)?;
    let mut ids = StackIds::default();
    let number = |number: Option<String>| number.unwrap_or_default().into_bytes();
    for (at, node) in drawing.tree.nodes.iter().enumerate() {
        let (goroutine, key) = (drawing.goroutine(at as u32), drawing.key(at as u32));
        let text = |text: &[u8]| guard(text).into_owned();
        rows.write_record([
            at.to_string().into_bytes(),
            number(node.parent.map(|parent| parent.to_string())),
            node.depth.to_string().into_bytes(),
            text(profile.input(key.input).name.as_bytes()),
            goroutine.id.to_string().into_bytes(),
            node.target.to_string().into_bytes(),
            text(key.state.map_or(b"", |state| profile.str(state))),
            key.kind.name().as_bytes().to_vec(),
            number(goroutine.wait.known().map(|minutes| minutes.to_string())),
            text(names.category(key.stack)),
            text(names.name(key.stack)),
            number(goroutine.creator().map(|creator| creator.to_string())),
            text(key.creator.map_or(b"", |frame| names.func(frame))),
            ids.id(drawing, at as u32).to_string().into_bytes(),
        ])
        .map_err(io_error)?;
    }
    rows.flush()
}
