//! One row for each pile, for spreadsheets.

use super::Graph;
use crate::output::csv::{Columns, maybe, number, text};
use crate::waits::{Holder, Pile};
use std::io::{self, Write};

pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut columns: Columns<'_, &Pile> = Columns::default();
    columns.add("input", |pile| text(&graph.profile.input(pile.input).name));
    columns.add("lock", |pile| maybe(pile.lock.map(|lock| format!("{lock:#x}"))));
    columns.add("kind", |pile| text(pile.kind.name()));
    columns.add("function", |pile| text(graph.function(pile.place)));
    columns.add("waiting", |pile| number(pile.count));
    columns.add("longest_minutes", |pile| maybe(pile.longest));
    columns.add("holder", |pile| maybe(pile.holder().and_then(|holder| holder.id)));
    let of = |pile: &Pile, what: &dyn Fn(&Holder) -> String| {
        text(pile.holder().map_or(String::new(), what))
    };
    columns.add("holder_function", move |pile| of(pile, &|one| graph.function(one.frame)));
    columns.add("holder_state", move |pile| of(pile, &|one| graph.state(one.sample)));
    columns.add("holder_minutes", |pile| maybe(pile.holder().and_then(|holder| holder.wait)));
    columns.add("evidence", move |pile| of(pile, &|one| one.evidence.name().to_owned()));
    columns.write(graph.piles().map(|(_, pile)| pile), out)
}
