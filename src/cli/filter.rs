//! `stackgazer filter`

use super::args::{ArgumentArgs, BaseArgs, Common};
use super::emit::show;
use super::exit::Exit;
use super::export;
use super::screen::order;
use super::session::Session;
use super::{calls, examples};
use crate::error::Result;
use crate::output::groups::Listing;
use crate::output::terminal::Screen;
use crate::output::{Output, crash, groups, markdown};
use crate::verdict::crashes;
use crate::view::goroutines::export::Export;
use clap::Args;
use std::io::Write;

const OFFERED: [Output; 9] = [
    Output::Table,
    Output::Markdown,
    Output::Text,
    Output::Json,
    Output::Ndjson,
    Output::Csv,
    Output::Debug2,
    Output::Folded,
    Output::Pprof,
];

const EXAMPLES: &str = "  stackgazer filter dump.txt --state 'sync.Mutex.Lock'
  stackgazer filter debug.zip -m raft --wait 5+
  stackgazer filter debug.zip --label node=3 --category 'kv/*' --frames func
  stackgazer filter dump.txt --where 'state == \"select\" and not frame =~ \"grpc\"'
  stackgazer filter dump.txt --id 5783 -o json
  stackgazer filter heap.pb.gz --inuse-objects --base before.pb.gz --focus cache";

/// Arguments of `filter`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub(super) struct FilterArgs {
    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    arguments: ArgumentArgs,

    #[command(flatten)]
    common: Common,
}

/// Runs `filter`.
pub(super) fn run(args: &FilterArgs) -> Result<Exit> {
    let common = &args.common;
    let output = Output::pick(common.output.format.as_deref(), &OFFERED)?;
    export::refuse_terminal(common, output)?;
    calls::check_base(output, &args.base)?;
    args.arguments.check(output)?;
    common.value.refuse_mean()?;
    let keep = export::keep(output, args.arguments);
    let mut session = Session::with_base(common, &args.base, keep)?;
    match output {
        Output::Table | Output::Markdown => listing(&session, common, output)?,
        output => export::write(&mut session, common, output, true)?,
    }
    Ok(session.finish())
}

fn listing(session: &Session, common: &Common, output: Output) -> Result<()> {
    let export = Export::new(&session.profile, &session.names, &session.selection);
    let crashes = crashes(&session.profile, &session.names);
    let crashes = crash::lines(&crashes, session.profile.inputs.len(), &common.command_line());
    let write = |screen: &Screen, out: &mut dyn Write| {
        let listing = Listing {
            frames: common.output.frames.into(),
            order: order(common.output.sort),
            limit: common.output.limit,
            own: &if screen.color { session.own.frames(&session.profile) } else { Vec::new() },
        };
        groups::write(&export, &listing, screen, out)
    };
    show(&common.output, output, &mut |screen, out| {
        if output == Output::Table {
            crash::write_above(&crashes, screen, out)?;
            return write(screen, out);
        }
        if !crashes.is_empty() {
            markdown::list(&crashes, out)?;
            writeln!(out)?;
        }
        markdown::block(&mut |out| write(&Screen::PIPE, out), out)
    })
}
