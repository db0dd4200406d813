//! How much of a graph is drawn.

use crate::error::{Error, Result};
use crate::output::Output;
use crate::view::values::options::ValueOptions;
use clap::Args;

/// How much of a graph is drawn: the options of `go tool pprof`.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Drawing with -o dot, as go tool pprof does")]
pub struct GraphArgs {
    /// Draw at most this many functions, the most important ones; 0 for all [default: 80]
    #[arg(long, visible_alias = "node-count", alias = "node_count", value_name = "N")]
    nodecount: Option<usize>,

    /// Leave out functions through which less than this share passes [default: 0.005]
    #[arg(long, visible_alias = "node-fraction", alias = "node_fraction", value_name = "F")]
    nodefraction: Option<f64>,

    /// Leave out calls through which less than this share passes [default: 0.001]
    #[arg(long, visible_alias = "edge-fraction", alias = "edge_fraction", value_name = "F")]
    edgefraction: Option<f64>,
}

impl GraphArgs {
    /// How much is drawn, by default as much as by `go tool pprof`; `limit` is that of `-n`.
    pub fn value_options(&self, limit: Option<usize>) -> ValueOptions {
        ValueOptions {
            node_count: self.nodecount.or(limit).unwrap_or(80),
            node_fraction: self.nodefraction.unwrap_or(0.005),
            edge_fraction: self.edgefraction.unwrap_or(0.001),
            ..ValueOptions::default()
        }
    }

    /// Fails if the limits have no effect on the format.
    ///
    /// # Errors
    /// If a limit was typed that has no effect on the format.
    pub fn check(&self, output: Output) -> Result<()> {
        let asked = [
            ("--nodecount", self.nodecount.is_some()),
            ("--nodefraction", self.nodefraction.is_some()),
            ("--edgefraction", self.edgefraction.is_some()),
        ];
        match asked.iter().find(|(_, is_asked)| *is_asked && output != Output::Dot) {
            None => Ok(()),
            Some((option, _)) => {
                let what = format!("{} draws no graph", output.name());
                Err(Error::misuse(*option, what).advise("use -o dot"))
            }
        }
    }
}
