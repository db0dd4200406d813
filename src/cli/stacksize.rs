//! `stackgazer stacksize`

use super::apart::Reads;
use super::args::{Common, OutputArgs, Sort};
use super::emit::{check_writable, show};
use super::examples;
use super::exit::Exit;
use super::session::{Session, parse_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::output::stacksize::{OFFERED, Shown};
use crate::output::{Output, frame_sizes};
use crate::profile::{Keep, Profile};
use crate::symbols::{open, readable};
use crate::view::stacksize::Stacksize;
use crate::view::stacksize::frame_sizes::FrameSizes;
use crate::view::symbols::About;
use crate::view::table::key::Key;
use clap::Args;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "  stackgazer stacksize crash.txt
  stackgazer stacksize --binary ./server goroutine.pb.gz --by function
  stackgazer stacksize --binary ./server goroutine.pb.gz heap.txt
  stackgazer stacksize --functions ./server -n 20
  stackgazer export crash.txt --value stack -o flamegraph --to stacks.svg
  stackgazer diff old.txt new.txt --value stack";

/// Arguments of `stacksize`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub(super) struct StacksizeArgs {
    /// What rows add up: stack, function, size, ...
    ///
    /// All keys of summarize, or size [default: stack]
    #[arg(long, value_name = "KEY,...", help_heading = "Output")]
    by: Option<String>,

    /// StackInuse of MemStats, to be explained
    ///
    /// In bytes or with K, M, G. A heap profile with debug=1 among the inputs tells it too.
    #[arg(long, value_name = "N", help_heading = "Stacks")]
    stack_inuse: Option<String>,

    /// What a call of each function of a binary takes
    ///
    /// Of the stack. The argument is the binary instead of an input.
    #[arg(long, help_heading = "Stacks",
          conflicts_with_all = ["by", "stack_inuse", "SelectArgs", "PruneArgs", "RuleArgs", "ValueArgs"])]
    functions: bool,

    #[command(flatten)]
    common: Common,
}

/// Runs `stacksize`.
pub(super) fn run(args: &StacksizeArgs) -> Result<Exit> {
    let common = &args.common;
    if args.functions {
        let inputs = common.input.inputs.iter().map(PathBuf::from);
        let paths: Vec<PathBuf> = inputs.chain(common.input.binaries.clone()).collect();
        return match paths.as_slice() {
            [path] => functions(path, &common.output),
            _ => Err(Error::misuse("--functions", "takes one binary")
                .advise("write stackgazer stacksize --functions ./server")),
        };
    }
    let format = Output::pick(common.output.format.as_deref(), &OFFERED)?;
    if let Some(other) = common.value.value() {
        let error = Error::usage("--value", other, 1, "stacksize is about stacks alone");
        return Err(error.advise("leave it out"));
    }
    let by_size = args.by.as_deref() == Some("size");
    let by = match &args.by {
        Some(text) if !by_size => Key::list(text)?,
        _ => vec![Key::Stack],
    };
    let stack_inuse = args.stack_inuse.as_deref();
    let stack_inuse = stack_inuse.map(|text| parse_bytes("--stack-inuse", text)).transpose()?;
    let mut session = Session::start(common, Keep { calls: true, ..Keep::default() })?;
    session.note_odd_bytes(format);
    session.check_keys(&by)?;
    let Session { profile, names, selection, stacks, .. } = &session;
    let mut view = Stacksize::new(profile, names, selection, stacks, by)?;
    view.limit(common.output.limit.unwrap_or(usize::MAX));
    let stack_inuse = match stack_inuse {
        Some(bytes) => Some((bytes, "--stack-inuse".to_owned())),
        None => in_profile(profile),
    };
    if let Some((bytes, source)) = &stack_inuse
        && view.total.least > i128::from(*bytes)
    {
        let what = format!(
            "says that all stacks take {bytes} bytes, but these take {} at least",
            view.total.least
        );
        return Err(Error::new(ErrorKind::Damaged, source.clone(), what)
            .advise("take both from one process at one time"));
    }
    let shown = Shown { profile, view: &view, by_size, stack_inuse };
    show(&common.output, format, &mut |screen, out| shown.write(format, screen, out))?;
    Ok(session.report_losses())
}

/// The size of all stacks that a heap profile among the inputs reports.
fn in_profile(profile: &Profile) -> Option<(u64, String)> {
    profile
        .inputs
        .iter()
        .find_map(|input| Some((input.header.memory.as_ref()?.stack_inuse?, input.name.clone())))
}

/// Shows the stack sizes of a binary's functions.
fn functions(path: &Path, to: &OutputArgs) -> Result<Exit> {
    let format = Output::pick(to.format.as_deref(), &OFFERED)?;
    let by_name = match to.sort {
        None | Some(Sort::Count | Sort::Flat) => false,
        Some(Sort::Name) => true,
        Some(Sort::Cum | Sort::Wait) => {
            let what = "functions have a size and a name alone";
            return Err(Error::misuse("--sort", what).advise("use count or name"));
        }
    };
    check_writable(to, &Reads::inputs(&[path.into()]))?;
    let binary = open(path)?;
    let about = About::of(path, &binary, &binary.build_info().unwrap_or_default());
    let view = FrameSizes::new(about, &binary, by_name, to.limit.unwrap_or(usize::MAX));
    show(to, format, &mut |screen, out| frame_sizes::write(format, &view, screen, out))?;
    readable(&binary, path)?;
    Ok(Exit::Done)
}
