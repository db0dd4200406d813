//! Names and categories.

use crate::config::Request;
use clap::Args;
use std::path::PathBuf;

/// Which rules name stacks and inputs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    /// Settings: TOML, or the browser tool's JSON
    ///
    /// Replaces the files found in project and user folders [env: STACKGAZER_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Read no settings file
    #[arg(long, conflicts_with = "config")]
    pub no_config: bool,

    /// Leave the built-in rules out
    #[arg(long)]
    pub no_default_rules: bool,

    /// Put a rule first: 'name.skip=runtime.gopark'
    ///
    /// It goes in front of its list.
    #[arg(long = "rule", value_name = "LIST=TEXT")]
    pub rules: Vec<String>,
}

impl RuleArgs {
    /// The options for [`crate::config`].
    pub fn request(&self) -> Request {
        Request {
            file: self.config.clone(),
            no_files: self.no_config,
            no_default_rules: self.no_default_rules,
            rules: self.rules.clone(),
        }
    }
}
