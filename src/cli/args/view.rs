//! What to show instead of a table.

use crate::error::{Error, Result};
use crate::limits::LIMITS;
use clap::Args;
use std::path::PathBuf;

/// What to show instead of a table.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Instead of the table")]
#[group(multiple = false)]
pub struct ViewArgs {
    /// Matching functions, their callers and callees
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    peek: Option<String>,

    /// Every function with who calls it and whom it calls: the tree of go tool pprof
    #[arg(long, alias = "call_graph", alias = "tree")]
    call_graph: bool,

    /// The tree of calls, from the outermost on
    #[arg(long, alias = "call_tree")]
    call_tree: bool,

    /// Every stack with its value and its labels
    #[arg(long)]
    traces: bool,

    /// Every label with the value of those that have it
    #[arg(long)]
    tags: bool,

    /// Source of matching functions, with values by line
    ///
    /// Each line has its own value and that of what it calls: the list of go tool pprof.
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    list: Option<String>,
}

/// Where sources are.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Instead of the table")]
pub struct SourceArgs {
    /// Also look in this folder for the sources of --list, by the ends of their paths; they are looked
    /// for where they were built, in GOROOT and in the module cache anyway
    #[arg(long = "source-root", aliases = ["source-path", "source_path"], value_name = "DIR", requires = "list")]
    pub source_roots: Vec<PathBuf>,
}

/// What to show instead of a table.
#[derive(Debug)]
pub enum CallView {
    /// Functions with callers and callees.
    Peek(regex::Regex),
    /// All functions with callers and callees.
    Graph,
    /// The tree of calls.
    Tree,
    /// Stacks with values.
    Traces,
    /// Labels with values.
    Tags,
    /// Lines of source with values.
    List(regex::Regex),
}

impl ViewArgs {
    /// The requested view.
    ///
    /// # Errors
    /// If a regular expression can't be used.
    pub fn view(&self) -> Result<Option<CallView>> {
        let regex = |option, text: &str| {
            let built = regex::RegexBuilder::new(text).size_limit(LIMITS.regex_bytes).build();
            built.map_err(|error| Error::regex(option, text, &error))
        };
        if let Some(text) = &self.peek {
            return Ok(Some(CallView::Peek(regex("--peek", text)?)));
        }
        if let Some(text) = &self.list {
            return Ok(Some(CallView::List(regex("--list", text)?)));
        }
        let asked = [
            (self.call_graph, CallView::Graph),
            (self.call_tree, CallView::Tree),
            (self.traces, CallView::Traces),
            (self.tags, CallView::Tags),
        ];
        Ok(asked.into_iter().find(|(asked, _)| *asked).map(|(_, view)| view))
    }
}

impl CallView {
    /// The option that requests it.
    pub fn option(&self) -> &'static str {
        match self {
            CallView::Peek(_) => "--peek",
            CallView::Graph => "--call-graph",
            CallView::Tree => "--call-tree",
            CallView::Traces => "--traces",
            CallView::Tags => "--tags",
            CallView::List(_) => "--list",
        }
    }
}
