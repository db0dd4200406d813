//! Views as bytes: one file per format, all listed in [`OUTPUTS`].

pub mod annotate;
pub mod callers;
pub mod callgrind;
pub mod check;
mod columns;
pub mod command;
pub mod config;
pub mod crash;
pub mod csv;
pub mod debug2;
pub mod diff;
mod document;
pub mod dot;
pub mod escape;
pub mod fit;
#[cfg(test)]
mod fixture;
pub mod flamegraph;
pub mod folded;
pub mod frame_sizes;
pub mod groups;
pub mod html;
pub mod json;
pub mod line;
pub mod markdown;
pub mod measure;
pub mod name;
pub mod native;
pub mod ndjson;
pub mod numbers;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pprof;
pub mod quantity;
pub mod repeats;
pub mod report;
pub mod screenful;
mod side_by_side;
pub mod speedscope;
pub mod stacksize;
pub mod summary;
pub mod symbols;
pub mod table;
pub mod terminal;
pub mod text;
pub mod tree;
pub mod waits;

use crate::error::{Error, Result};

/// The formats that commands write; each command offers some of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// Aligned columns for people.
    Table,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// RFC 4180.
    Csv,
    /// For issues and chats.
    Markdown,
    /// Plain text.
    Text,
    /// A graph for Graphviz.
    Dot,
    /// A goroutine dump again.
    Debug2,
    /// Stacks for flame graphs.
    Folded,
    /// A gzipped `profile.proto`.
    Pprof,
    /// A picture of all stacks.
    Flamegraph,
    /// JSON for speedscope.
    Speedscope,
    /// A profile for KCachegrind.
    Callgrind,
    /// The output of `go tool addr2line`.
    Addr2line,
    /// A single page for a browser.
    Html,
    /// A folder of tables, for engines that read many of them.
    Parquet,
}

/// Every output with its name and its description in help texts.
pub const OUTPUTS: [(Output, &str, &str); 16] = [
    (Output::Table, "table", "aligned columns for people"),
    (Output::Json, "json", "one JSON document, with a schema"),
    (Output::Ndjson, "ndjson", "one JSON object a line"),
    (Output::Csv, "csv", "a header row, then comma-separated values"),
    (Output::Markdown, "markdown", "for issues and chats"),
    (Output::Text, "text", "plain text"),
    (Output::Dot, "dot", "a graph for Graphviz"),
    (Output::Debug2, "debug2", "a goroutine dump again, as Go writes it"),
    (Output::Folded, "folded", "stacks on one line each, for flame graphs"),
    (Output::Pprof, "pprof", "a gzipped profile.proto, for go tool pprof"),
    (Output::Flamegraph, "flamegraph", "an SVG of all stacks, to be searched in a browser"),
    (Output::Speedscope, "speedscope", "JSON for speedscope.app"),
    (Output::Callgrind, "callgrind", "costs and calls of functions, for KCachegrind"),
    (Output::Addr2line, "addr2line", "function and place on a line each, as go tool addr2line"),
    (Output::Html, "html", "one page to look at in a browser, with no server and no network"),
    (
        Output::Parquet,
        "parquet",
        "a folder of tables for DuckDB, Spark and others, and for stackgazer itself",
    ),
];

impl Output {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        OUTPUTS.iter().find(|(output, ..)| *output == self).map_or("", |(_, name, _)| name)
    }

    /// The description of a command's outputs in its help; the first one is the default.
    pub fn help(offered: &[Output]) -> String {
        let mut text = String::from("Formats of --output:");
        for (at, output) in offered.iter().enumerate() {
            let about = OUTPUTS.iter().find(|row| row.0 == *output).map_or("", |row| row.2);
            let default = if at == 0 { " [default]" } else { "" };
            text.push_str(&format!("\n  {:<9} {about}{default}", output.name()));
        }
        text
    }

    /// The requested output, if the command offers it; without a request, the first one.
    ///
    /// # Errors
    /// If it isn't offered; the error lists what is.
    pub fn pick(asked: Option<&str>, offered: &[Output]) -> Result<Output> {
        let Some(asked) = asked else { return Ok(offered[0]) };
        offered.iter().copied().find(|output| output.name() == asked).ok_or_else(|| {
            let names: Vec<&str> = offered.iter().map(|output| output.name()).collect();
            let what = match OUTPUTS.iter().any(|(_, name, _)| *name == asked) {
                true => format!("this command doesn't write {asked}"),
                false => format!("unknown format {asked:?}"),
            };
            Error::misuse("--output", what).advise(format!("use one of {}", names.join(", ")))
        })
    }
}
