//! Names and categories.

use clap::Args;
use std::path::PathBuf;

/// Which rules name stacks and inputs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    /// Settings: TOML, or the browser tool's JSON; replaces the files found in project and user folders
    #[arg(long, value_name = "FILE", env = "STACKGAZER_CONFIG")]
    pub config: Option<PathBuf>,

    /// Read no settings file
    #[arg(long, conflicts_with = "config")]
    pub no_config: bool,

    /// Leave the built-in rules out
    #[arg(long)]
    pub no_default_rules: bool,

    /// Add a rule to a list, as in 'name.skip=runtime.gopark'
    #[arg(long = "rule", value_name = "LIST=TEXT")]
    pub rules: Vec<String>,
}
