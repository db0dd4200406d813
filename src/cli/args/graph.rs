//! How much of a graph is drawn.

use crate::error::{Error, Result};
use crate::output::Output;
use crate::view::calls::trimmed::Limits;
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
    /// The limits of a drawing; `limit` is that of `-n`.
    pub fn limits(&self, limit: Option<usize>) -> Limits {
        let default = Limits::default();
        Limits {
            nodes: self.nodecount.or(limit).unwrap_or(default.nodes),
            node_share: self.nodefraction.unwrap_or(default.node_share),
            edge_share: self.edgefraction.unwrap_or(default.edge_share),
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
