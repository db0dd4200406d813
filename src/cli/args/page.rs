//! How a page is called and shown.

use super::OutputArgs;
use crate::error::{Error, Result};
use crate::output::Output;
use clap::Args;

/// What only `-o html` has.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct PageArgs {
    /// Title of the page that -o html writes [default: the names of the inputs]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Show the page in the browser once it is written; needs --to
    #[arg(long)]
    pub open: bool,
}

impl PageArgs {
    /// Fails if options of the page have no effect.
    ///
    /// # Errors
    /// If one was typed and no page is written.
    pub fn check(&self, format: Output, output: &OutputArgs) -> Result<()> {
        self.check_of_report(format, format == Output::Html, output)
    }

    /// Fails if options of the page have no effect, for a command that can write a page in addition to its
    /// output in this format.
    ///
    /// # Errors
    /// If one was typed and no page is written.
    pub fn check_of_report(&self, format: Output, page: bool, output: &OutputArgs) -> Result<()> {
        let typed = [
            ("--title", self.title.is_some() && !page),
            ("--open", self.open && format != Output::Html),
        ];
        if let Some((option, _)) = typed.iter().find(|(_, typed)| *typed) {
            let what = format!("has no effect on -o {}", format.name());
            return Err(Error::misuse(*option, what).advise("add -o html"));
        }
        if self.open && output.file().is_none() {
            return Err(Error::misuse("--open", "there is no file to open")
                .advise("name one with --to page.html"));
        }
        Ok(())
    }
}
