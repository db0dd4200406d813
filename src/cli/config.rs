//! `stackgazer config`

use super::apart::Reads;
use super::args::{OutputArgs, RuleArgs};
use super::emit::{check_writable, emit};
use super::exit::Exit;
use super::screen::screen;
use crate::config;
use crate::error::{Error, Result};
use crate::output::{Output, config as output};
use crate::rules::RuleSet;
use crate::textfile;
use crate::view::config::ConfigView;
use clap::{Args, Subcommand};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Shown after the options of `config --help`.
const EXAMPLES: &str = "\
Examples:
  stackgazer config show
  stackgazer config show --rule name.skip=runtime. -o json | jq '.lists[] | select(.key == \"name.skip\")'
  stackgazer config import settings.json --to stackgazer.toml";

/// Arguments of `config`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ConfigArgs {
    /// What to do.
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Show the settings in effect, and where each comes from
    Show {
        #[command(flatten)]
        rules: RuleArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Turn settings of the browser tool into TOML that means the same
    Import {
        /// Settings in JSON, `-` for stdin
        #[arg(value_name = "SETTINGS")]
        settings: PathBuf,
        /// Exit with 2 if the browser tool leaves something out or misreads it
        #[arg(long)]
        strict: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// Runs `config`.
pub(super) fn run(args: &ConfigArgs) -> Result<Exit> {
    match &args.command {
        ConfigCommand::Show { rules, output } => show(rules, output),
        ConfigCommand::Import { settings, strict, output } => import(settings, *strict, output),
    }
}

fn show(rules: &RuleArgs, args: &OutputArgs) -> Result<Exit> {
    let format = Output::pick(args.format.as_deref(), &output::OFFERED)?;
    let config = rules.settings()?;
    check_writable(args, &Reads::default().and_settings(config))?;
    // What can't be used is an error here too, not only when something is read.
    RuleSet::compile(config.rules.clone())?;
    super::check::gate(&config.check)?;
    let view = ConfigView::new(config);
    let screen = screen(args);
    let write = &mut |out: &mut dyn Write| output::write(format, &view, &screen, out);
    emit(args, format, write)?;
    say_warnings(&config.warnings);
    Ok(Exit::Done)
}

fn import(path: &Path, strict: bool, args: &OutputArgs) -> Result<Exit> {
    let name = path.display().to_string();
    check_writable(args, &Reads::inputs(&[path.into()]))?;
    let text = textfile::named(path)?;
    let (toml, warnings) = config::import(&name, &text)?;
    if strict && let Some(warning) = warnings.first() {
        return Err(warning.clone());
    }
    emit(args, Output::Text, &mut |out| out.write_all(toml.as_bytes()))?;
    say_warnings(&warnings);
    Ok(Exit::Done)
}

fn say_warnings(warnings: &[Error]) {
    for warning in warnings {
        super::say_warning(warning);
    }
}
