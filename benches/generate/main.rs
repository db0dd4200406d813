//! Writes large dumps, made of the stacks in this repository's `testdata/`.
//!
//! `cargo run --release --example generate -- --form debug2 --bytes 200M --stacks 3000 > dump.txt`
//!
//! The same arguments give the same bytes. See `benches/README.md`.

mod bundle;
mod profile;
mod random;
mod stacks;
mod text;

use clap::{Parser, ValueEnum};
use random::Random;
use stacks::Stacks;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use text::Wrap;

/// Writes large dumps, made of the stacks in testdata/.
#[derive(Parser)]
struct Arguments {
    /// What to write
    #[arg(long, value_enum, default_value_t = Form::Debug2)]
    form: Form,

    /// About how long the debug=2 text of all goroutines is; K, M and G count thousands
    #[arg(long, default_value = "200M", value_parser = bytes)]
    bytes: u64,

    /// So many goroutines instead
    #[arg(long)]
    goroutines: Option<u64>,

    /// Distinct stacks
    #[arg(long, default_value_t = 3000)]
    stacks: usize,

    /// Share of the goroutines that have labels, in percent
    #[arg(long, default_value_t = 5)]
    labelled: u64,

    /// Nodes of a bundle
    #[arg(long, default_value_t = 64)]
    nodes: u64,

    /// Another seed gives other stacks
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Where to write; standard output if not given
    #[arg(long)]
    to: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Text with every goroutine
    Debug2,
    /// Text with every stack and its count
    Debug1,
    /// The same as a gzipped proto
    Pprof,
    /// debug=2 with a timestamp before each line, as `kubectl logs --timestamps` prints it
    Kubectl,
    /// debug=2 in the JSON lines of Docker's log files
    Docker,
    /// A zip with a dump of each node, and other files
    Bundle,
}

/// What is to be generated, whatever its form.
#[derive(Clone, Copy)]
struct Plan {
    /// How many goroutines stand in front of these, so that every stack has had its turn.
    before: u64,
    bytes: u64,
    goroutines: u64,
    labelled: u64,
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let mut random = Random::new(arguments.seed);
    let stacks = Stacks::make(arguments.stacks, &mut random)?;
    let plan = Plan {
        before: 0,
        bytes: if arguments.goroutines.is_some() { u64::MAX } else { arguments.bytes },
        goroutines: arguments.goroutines.unwrap_or(u64::MAX),
        labelled: arguments.labelled,
    };
    let out: Box<dyn Write> = match &arguments.to {
        Some(path) => Box::new(File::create(path)?),
        None => Box::new(io::stdout().lock()),
    };
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let seekable = arguments.to.as_ref();
    match arguments.form {
        Form::Debug2 => text::goroutines(&mut out, &stacks, plan, Wrap::None, &mut random)?,
        Form::Kubectl => text::goroutines(&mut out, &stacks, plan, Wrap::Kubectl, &mut random)?,
        Form::Docker => text::goroutines(&mut out, &stacks, plan, Wrap::Docker, &mut random)?,
        Form::Debug1 => text::counts(&mut out, &profile::count(&stacks, plan, &mut random))?,
        Form::Pprof => {
            profile::write(&mut out, &profile::count(&stacks, plan, &mut random))?;
        }
        Form::Bundle => match seekable {
            Some(_) => bundle::write(&mut out, &stacks, plan, arguments.nodes, &mut random)?,
            None => return Err(io::Error::other("a bundle needs --to FILE")),
        },
    }
    out.flush()
}

fn bytes(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) if text.ends_with('K') => (number, 1_000),
        Some(number) if text.ends_with('M') => (number, 1_000_000),
        Some(number) => (number, 1_000_000_000),
        None => (text, 1),
    };
    number.parse::<u64>().map(|number| number * factor).map_err(|error| error.to_string())
}
