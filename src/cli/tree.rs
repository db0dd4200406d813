//! `stackgazer tree`

use super::args::Common;
use super::emit::show;
use super::examples;
use super::exit::Exit;
use super::screen::order;
use super::session::Session;
use crate::error::Result;
use crate::output::Output;
use crate::output::tree::{Drawing, OFFERED};
use crate::output::waits::{Graph, OFFERED as OFFERED_OF_WAITS};
use crate::profile::Keep;
use crate::view::frames::finder::FrameFinder;
use crate::view::goroutines::tree::{Extent, Tree};
use crate::waits::Waits;
use clap::Args;

const EXAMPLES: &str = "  stackgazer tree dump.txt
  stackgazer tree dump.txt --id 5783
  stackgazer tree debug.zip --state 'sync.Mutex.Lock' --wait 5+
  stackgazer tree dump.txt --waits
  stackgazer tree dump.txt -m flush -o dot | dot -Tsvg > tree.svg";

/// Arguments of `tree`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub(super) struct TreeArgs {
    /// Show whole trees
    ///
    /// Including everything else that the creators of the selected goroutines created.
    #[arg(long, help_heading = "Output")]
    whole: bool,

    /// Show who waits for whom instead: each lock with those that wait for it, and who may hold it
    #[arg(long = "waits", conflicts_with = "whole", help_heading = "Output")]
    for_whom: bool,

    #[command(flatten)]
    common: Common,
}

/// Runs `tree`.
pub(super) fn run(args: &TreeArgs) -> Result<Exit> {
    let common = &args.common;
    common.value.refuse_mean()?;
    if args.for_whom {
        return waits(common);
    }
    let format = Output::pick(common.output.format.as_deref(), &OFFERED)?;
    let mut session = Session::start(common, Keep { goroutines: true, ..Keep::default() })?;
    Tree::check_goroutines(&session.profile)?;
    session.note_odd_bytes(format);
    let Session { profile, names, selection, .. } = &session;
    let extent = match (session.selecting, args.whole) {
        (false, _) => Extent::Everything,
        (true, false) => Extent::Lines,
        (true, true) => Extent::Trees,
    };
    let output = &common.output;
    let order = output.sort.map(|sort| order(Some(sort)));
    let tree = Tree::new(profile, names, selection, extent);
    let tree = tree.arrange(profile, names, order, output.limit);
    let drawing = Drawing::new(profile, names, &tree);
    show(&common.output, format, &mut |screen, out| drawing.write(format, screen, out))?;
    let exit = session.report();
    tree.check(profile)?;
    Ok(exit)
}

/// Shows who waits for whom.
fn waits(common: &Common) -> Result<Exit> {
    let format = Output::pick(common.output.format.as_deref(), &OFFERED_OF_WAITS)?;
    let keep = Keep { creators: true, addresses: true, ..Keep::default() };
    let mut session = Session::start(common, keep)?;
    session.note_odd_bytes(format);
    let Session { profile, names, selection, .. } = &session;
    let waits = Waits::of(profile, selection, &FrameFinder::new(profile));
    let graph = Graph::new(profile, names, &waits, common.output.limit);
    show(&common.output, format, &mut |screen, out| graph.write(format, screen, out))?;
    if waits.piles.is_empty() {
        super::say("note: no goroutine waits for a lock");
    } else if profile.addresses.is_empty() {
        super::say(
            "note: these inputs print no arguments, so that holders are only guessed by the shape of stacks",
        );
    }
    Ok(session.report())
}
