//! `stackgazer tree`

use super::args::Common;
use super::examples;
use super::exit::Exit;
use super::screen::screen;
use super::session::{Session, emit};
use crate::error::Result;
use crate::output::Output;
use crate::output::tree::{Drawing, OFFERED};
use crate::profile::Keep;
use crate::view::tree::Tree;
use clap::Args;

const EXAMPLES: &str = "  stackgazer tree dump.txt
  stackgazer tree dump.txt --id 5783
  stackgazer tree debug.zip --state 'sync.Mutex.Lock' --wait 5+
  stackgazer tree dump.txt -m flush -o dot | dot -Tsvg > tree.svg";

/// Arguments of `tree`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub struct TreeArgs {
    #[command(flatten)]
    common: Common,
}

/// Runs `tree`.
pub(super) fn run(args: &TreeArgs) -> Result<Exit> {
    let common = &args.common;
    let format = Output::pick(common.output.format.as_deref(), &OFFERED)?;
    let session = Session::start(common, Keep { goroutines: true, receivers: false })?;
    let Session { profile, names, selection, .. } = &session;
    let tree = Tree::new(profile, names, selection, session.selecting);
    let screen = screen(&common.output);
    let drawing = Drawing::new(profile, names, &tree);
    emit(&common.output, |out| drawing.write(format, &screen, out))?;
    let exit = session.report();
    tree.check(profile)?;
    Ok(exit)
}
