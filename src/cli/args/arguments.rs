//! Arguments of calls.

use crate::error::{Error, Result};
use crate::output::Output;
use clap::Args;

/// Whether arguments of calls are kept.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ArgumentArgs {
    /// Show what calls were given, as debug=2 and crash texts print it; in text and JSON pointers that
    /// several goroutines were given are marked with their number
    #[arg(long = "args", help_heading = "Output")]
    pub arguments: bool,
}

impl ArgumentArgs {
    /// Fails if the format can't show arguments.
    ///
    /// # Errors
    /// If the format can't show arguments.
    pub fn check(self, output: Output) -> Result<()> {
        let shows = matches!(output, Output::Text | Output::Json | Output::Ndjson | Output::Debug2);
        if self.arguments && !shows {
            let what = format!("-o {} can't hold arguments", output.name());
            return Err(Error::misuse("--args", what).advise("use -o text, json, ndjson or debug2"));
        }
        Ok(())
    }
}
