//! `stackgazer stacksize`

use super::args::{Common, OutputArgs, Sort};
use super::emit::{check_writable, emit, emit_screenful};
use super::examples;
use super::exit::Exit;
use super::screen::screen;
use super::session::{Session, parse_bytes};
use crate::binary::Binary;
use crate::error::{Error, ErrorKind, Result};
use crate::output::numbers::counted;
use crate::output::stacksize::{OFFERED, Shown};
use crate::output::{Output, frame_sizes};
use crate::pipeline::{Inputs, Loaded};
use crate::profile::{Input, Keep, Profile};
use crate::source;
use crate::symbols::{open, readable};
use crate::view::frame_sizes::{FrameSizes, profile};
use crate::view::key::Key;
use crate::view::stack_bytes::{self, Stacks};
use crate::view::stacksize::Stacksize;
use crate::view::symbols::About;
use clap::Args;
use std::fs::File;
use std::io::{Read, Write};
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
pub struct StacksizeArgs {
    /// Add up by these keys: those of summarize, or size [default: stack]
    #[arg(long, value_name = "KEY,...", help_heading = "Output")]
    by: Option<String>,

    /// What the runtime says that all stacks take (StackInuse of MemStats), in bytes or with K, M, G;
    /// a heap profile with debug=1 among the inputs tells it too
    #[arg(long, value_name = "N", help_heading = "Stacks")]
    stack_inuse: Option<String>,

    /// Tell how much of a stack a call of each function of the binary takes, which is named instead of
    /// an input
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
            _ => Err(Error::new(ErrorKind::Usage, "--functions", "takes one binary")
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
    if let [_, _, ..] = common.input.binaries.as_slice() {
        return Err(Error::new(ErrorKind::Usage, "--binary", "stacksize takes one binary")
            .advise("run it for the inputs of each"));
    }
    if common.input.force_binary || common.input.resymbolize {
        let what = "can't be used by stacksize, which needs the binary that made the input";
        return Err(Error::new(ErrorKind::Usage, "--force-binary, --resymbolize", what)
            .advise("leave it out"));
    }
    let path = common.input.binaries.first();
    let binary = path.map(|path| open(path)).transpose()?;
    // Its addresses are looked at as the inputs tell them.
    let mut plain = common.clone();
    plain.input.binaries.clear();
    let mut session = Session::start(&plain, Keep { calls: true, ..Keep::default() })?;
    session.note_odd_bytes(format);
    session.note_missing_labels(&by);
    let Session { profile, names, selection, .. } = &session;
    let stacks = stacks(profile, binary.as_ref())?;
    let mut view = Stacksize::new(profile, names, selection, &stacks, by);
    if view.total.goroutines == 0 && view.unknown > 0 {
        return Err(nothing_known());
    }
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
    let screen = screen(&common.output);
    let shown = Shown { profile, view: &view, by_size, stack_inuse };
    let write = |out: &mut dyn Write| shown.write(format, &screen, out);
    match format {
        Output::Table => emit_screenful(&common.output, &screen, write)?,
        _ => emit(&common.output, format, write)?,
    }
    if let (Some(binary), Some(path)) = (&binary, path) {
        readable(binary, path)?;
    }
    Ok(session.report_losses())
}

/// What the goroutines of a profile take.
fn stacks<'a>(profile: &'a Profile, binary: Option<&Binary>) -> Result<Stacks<'a>> {
    Stacks::of(profile, binary).map_err(|(input, wrong)| {
        let input = &profile.input(input).path;
        Error::new(ErrorKind::Damaged, input, format!("isn't of this binary: {wrong}"))
            .advise("pass the program that it was taken from with --binary")
    })
}

/// `--value stack`: bytes of stacks, by the calls that take them.
pub(super) fn in_bytes(loaded: Loaded) -> Result<Loaded> {
    let Loaded { mut profile } = loaded;
    let counts = |input: &Input| input.format.counts_goroutines();
    if profile.find_type(stack_bytes::KIND).is_some() || !profile.inputs.iter().any(counts) {
        return Ok(Loaded { profile });
    }
    let stacks = stacks(&profile, None)?;
    let mut of_bytes = stack_bytes::by_frame(&profile, &stacks);
    if of_bytes.samples.is_empty() && !profile.samples.is_empty() {
        return Err(nothing_known());
    }
    let without = profile.samples().filter(|(id, _)| stacks.get(&profile, *id).is_none());
    let without: i64 = without.map(|(_, sample)| sample.count).sum();
    if without > 0 {
        super::say(format_args!(
            "note: of {} nothing tells the stack",
            counted(without.into(), "goroutine")
        ));
    }
    drop(stacks);
    of_bytes.unread = std::mem::take(&mut profile.unread);
    Ok(Loaded { profile: of_bytes })
}

fn nothing_known() -> Error {
    Error::new(ErrorKind::Usage, "INPUT", "nothing tells what the stacks take").advise(
        "pass the program with --binary to stacksize, or take the dump with GOTRACEBACK=system, which prints registers",
    )
}

/// What a heap profile among the inputs says of all stacks.
fn in_profile(profile: &Profile) -> Option<(u64, String)> {
    profile
        .inputs
        .iter()
        .find_map(|input| Some((input.header.memory.as_ref()?.stack_inuse?, input.name.clone())))
}

/// What the functions of a binary take.
fn functions(path: &Path, to: &OutputArgs) -> Result<Exit> {
    let format = Output::pick(to.format.as_deref(), &OFFERED)?;
    let by_name = match to.sort {
        None | Some(Sort::Count | Sort::Flat) => false,
        Some(Sort::Name) => true,
        Some(Sort::Cum | Sort::Wait) => {
            let what = "functions have a size and a name alone";
            return Err(Error::new(ErrorKind::Usage, "--sort", what).advise("use count or name"));
        }
    };
    check_writable(to, &[path.into()])?;
    let binary = open(path)?;
    let about = About::of(path, &binary, &binary.build_info().unwrap_or_default());
    let view = FrameSizes::new(about, &binary, by_name, to.limit.unwrap_or(usize::MAX));
    let screen = screen(to);
    let write = |out: &mut dyn Write| frame_sizes::write(format, &view, &screen, out);
    match format {
        Output::Table => emit_screenful(to, &screen, write)?,
        _ => emit(to, format, write)?,
    }
    readable(&binary, path)?;
    Ok(Exit::Done)
}

/// Loads what `diff` compares: the functions of binaries, if it is given nothing else.
pub(super) fn load(inputs: Inputs) -> Result<Loaded> {
    let paths: Vec<&Path> = inputs.arguments.iter().map(Path::new).collect();
    if paths.len() < 2 || !paths.iter().all(|path| is_binary(path)) {
        return inputs.load();
    }
    let names = source::argument_names(&inputs.arguments);
    let texts: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let binaries = paths.iter().map(|path| open(path)).collect::<Result<Vec<Binary>>>()?;
    let given = names.iter().zip(&texts).zip(&binaries);
    let profile = profile(given.map(|((name, path), binary)| (&**name, &**path, binary)));
    for (binary, path) in binaries.iter().zip(paths) {
        readable(binary, path)?;
    }
    Ok(Loaded { profile })
}

/// Whether a file starts as binaries do.
fn is_binary(path: &Path) -> bool {
    let mut start = [0; 8];
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut start));
    is_file && read().is_ok() && Binary::is_start(&start)
}
