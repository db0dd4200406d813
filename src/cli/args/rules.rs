//! Names and categories.

use crate::config::{Config, Places, Request};
use crate::error::Result;
use clap::Args;
use std::path::PathBuf;
use std::sync::OnceLock;

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

    #[arg(skip)]
    loaded: OnceLock<Box<Config>>,
}

impl RuleArgs {
    /// The settings that apply. They are read once, as a pipe can't be read again.
    ///
    /// # Errors
    /// Those of [`Config::load`].
    pub fn settings(&self) -> Result<&Config> {
        if let Some(config) = self.loaded.get() {
            return Ok(config);
        }
        let request = Request {
            file: self.config.clone(),
            no_files: self.no_config,
            no_default_rules: self.no_default_rules,
            rules: self.rules.clone(),
        };
        let config = Config::load(&request, &Places::of_process())?;
        Ok(self.loaded.get_or_init(|| Box::new(config)))
    }
}
