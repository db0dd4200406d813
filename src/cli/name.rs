//! `stackgazer name`

use super::args::{BaseArgs, Common};
use super::emit::show;
use super::examples;
use super::exit::Exit;
use super::screen::order;
use super::session::Session;
use crate::error::Result;
use crate::output::{Output, name as output};
use crate::profile::Keep;
use crate::view::goroutines::name::{NameView, Options};
use clap::Args;

const EXAMPLES: &str = "  stackgazer name dump.txt
  stackgazer name --explain --match mutex dump.txt
  stackgazer name --rule 'name.fold=s|db.(*Pool).Get|pool|' dump.txt
  stackgazer name --unused --config stackgazer.toml dump.txt";

/// Arguments of `name`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&output::OFFERED), after_long_help = examples(EXAMPLES, &output::OFFERED))]
pub(super) struct NameArgs {
    /// Show which rule matched which frame
    #[arg(long, help_heading = "Output")]
    explain: bool,

    /// List the rules that did nothing to any stack
    #[arg(long, conflicts_with = "explain", help_heading = "Output")]
    unused: bool,

    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    common: Common,
}

/// Runs `name`.
pub(super) fn run(args: &NameArgs) -> Result<Exit> {
    let common = &args.common;
    let format = Output::pick(common.output.format.as_deref(), &output::OFFERED)?;
    common.value.refuse_mean()?;
    let mut session = Session::with_base(common, &args.base, Keep::default())?;
    session.note_odd_bytes(format);
    let order = order(common.output.sort);
    let (profile, names, selection) = (&session.profile, &session.names, &session.selection);
    let options = Options { order, limit: common.output.limit, unused: args.unused };
    let view = NameView::new(profile, names, &session.rules, selection, options);
    show(&common.output, format, &mut |screen, out| {
        let own = if screen.color { session.own.frames(profile) } else { Vec::new() };
        output::write(format, profile, &view, args.explain, &own, screen, out)
    })?;
    Ok(session.finish())
}
