//! One row for each pile, for spreadsheets.

use super::Graph;
use crate::output::csv::guard;
use std::io::{self, Write};

const HEADER: [&str; 11] = [
    "input",
    "lock",
    "kind",
    "function",
    "waiting",
    "longest_minutes",
    "holder",
    "holder_function",
    "holder_state",
    "holder_minutes",
    "evidence",
];

pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(HEADER)?;
    let text = |minutes: Option<f32>| minutes.map_or(String::new(), |it| it.to_string());
    for (_, pile) in graph.piles() {
        let holder = pile.holders.first();
        let fields = [
            graph.profile.input(pile.input).name.clone(),
            pile.lock.map_or(String::new(), |lock| format!("{lock:#x}")),
            pile.kind.name().to_owned(),
            graph.function(pile.place),
            pile.count.to_string(),
            text(pile.longest),
            holder.and_then(|it| it.id).map_or(String::new(), |id| id.to_string()),
            holder.map_or(String::new(), |it| graph.function(it.frame)),
            holder.map_or(String::new(), |it| graph.state(it.sample)),
            text(holder.and_then(|it| it.wait)),
            holder.map_or(String::new(), |it| it.evidence.name().to_owned()),
        ];
        writer.write_record(fields.iter().map(|field| guard(field.as_bytes())))?;
    }
    writer.flush()
}
