//! `stackgazer stacksize`

use super::args::{OutputArgs, Sort};
use super::emit::{check_writable, emit, emit_screenful};
use super::examples;
use super::exit::Exit;
use super::screen::screen;
use crate::binary::Binary;
use crate::error::{Error, ErrorKind, Result};
use crate::output::{Output, frame_sizes as output};
use crate::pipeline::{Inputs, Loaded};
use crate::source;
use crate::symbols::{open, readable};
use crate::view::frame_sizes::{FrameSizes, profile};
use crate::view::symbols::About;
use clap::Args;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// What it writes; the first one is the default.
const OFFERED: [Output; 3] = [Output::Table, Output::Json, Output::Csv];

const EXAMPLES: &str = "  stackgazer stacksize --functions ./server -n 20
  stackgazer stacksize --functions ./server -o csv --to frames.csv
  stackgazer diff old-server new-server";

/// Arguments of `stacksize`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub struct StacksizeArgs {
    /// The Go program; it may be stripped
    #[arg(value_name = "BINARY")]
    binary: PathBuf,

    /// Tell how much of a stack a call of each function of the binary takes
    #[arg(long, required = true)]
    functions: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Runs `stacksize`.
pub(super) fn run(args: &StacksizeArgs) -> Result<Exit> {
    functions(&args.binary, &args.output)
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
    let write = |out: &mut dyn Write| output::write(format, &view, &screen, out);
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
