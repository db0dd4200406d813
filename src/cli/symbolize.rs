//! `stackgazer symbolize`

use super::apart::Reads;
use super::args::{Color, FrameStyle, OutputArgs};
use super::emit::{check_writable, emit};
use super::examples;
use super::exit::Exit;
use super::screen::screen;
use crate::error::{Error, Place, Result};
use crate::limits::LIMITS;
use crate::output::{Output, symbols as output};
use crate::symbols::{open, readable};
use crate::view::symbols::{About, Answers, Query, Symbolizer, Symbols};
use clap::Args;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, StdinLock, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "  stackgazer symbolize ./server 0x47a1c3 47b2f0
  stackgazer symbolize ./server 'main.(*Pool).Get+0x1d'
  stackgazer symbolize -o addr2line ./server < addresses.txt";

/// Arguments of `symbolize`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&output::OFFERED), after_long_help = examples(EXAMPLES, &output::OFFERED))]
pub(super) struct SymbolizeArgs {
    /// The Go program; it may be stripped
    #[arg(value_name = "BINARY")]
    binary: PathBuf,

    /// Hexadecimal, or as panics print calls: main.run+0x1d
    ///
    /// Without any, lines of stdin.
    #[arg(value_name = "ADDRESS", allow_hyphen_values = false)]
    addresses: Vec<String>,

    /// Format; --help lists them
    #[arg(short = 'o', long = "output", value_name = "FORMAT", help_heading = "Output")]
    format: Option<String>,

    /// Write to this file instead of stdout
    ///
    /// `-` is stdout. The file is written whole or not at all.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    to: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    color: Color,
}

/// Runs `symbolize`.
pub(super) fn run(args: &SymbolizeArgs) -> Result<Exit> {
    let format = Output::pick(args.format.as_deref(), &output::OFFERED)?;
    let to = OutputArgs {
        format: args.format.clone(),
        to: args.to.clone(),
        color: args.color,
        sort: None,
        limit: None,
        frames: FrameStyle::Columns,
    };
    let stdin = args.addresses.is_empty().then(|| OsString::from("-"));
    let reads: Vec<_> = stdin.into_iter().chain([args.binary.clone().into()]).collect();
    check_writable(&to, &Reads::inputs(&reads))?;
    let binary = open(&args.binary)?;
    let info = binary.build_info().unwrap_or_default();
    let modules = info.modules();
    let symbolizer = Symbolizer::new(&binary, &modules);
    if format == Output::Addr2line {
        emit(&to, format, &mut |out| converse(&symbolizer, &args.addresses, out))?;
    } else {
        let mut all_asked = Vec::new();
        let (mut questions, mut at) = (Questions::new(&args.addresses), 0);
        while let Some(text) = questions.next().map_err(|error| Error::io("stdin", &error))? {
            at += 1;
            if text.is_empty() {
                continue;
            }
            let asked = Query::read(&text).ok_or_else(|| not_an_address(args, &text, at))?;
            all_asked.push((text.into_owned(), asked));
        }
        let about = About::of(&args.binary, &binary, &info);
        let view = Symbols::new(about, Answers { symbolizer: &symbolizer, asked: all_asked });
        let screen = screen(&to);
        emit(&to, format, &mut |out| output::write(format, &view, &screen, out))?;
    }
    readable(&binary, &args.binary)?;
    Ok(Exit::Done)
}

/// The arguments, or the lines of stdin one by one.
enum Questions<'a> {
    Typed(std::slice::Iter<'a, String>),
    Lines { stdin: BufReader<StdinLock<'static>>, line: Vec<u8> },
}

impl<'a> Questions<'a> {
    fn new(typed: &'a [String]) -> Questions<'a> {
        match typed {
            [] => Questions::Lines { stdin: BufReader::new(io::stdin().lock()), line: Vec::new() },
            typed => Questions::Typed(typed.iter()),
        }
    }

    /// The next question without blanks around it; only the start of a line that is too long to be an
    /// address.
    fn next(&mut self) -> io::Result<Option<Cow<'_, str>>> {
        match self {
            Questions::Typed(typed) => Ok(typed.next().map(|text| text.trim().into())),
            Questions::Lines { stdin, line } => {
                line.clear();
                let read = stdin.by_ref().take(LIMITS.line as u64).read_until(b'\n', line)?;
                Ok((read > 0).then(|| String::from_utf8_lossy(line.trim_ascii())))
            }
        }
    }

    /// Whether the next question can only be read after this one is answered.
    fn must_wait(&self) -> bool {
        matches!(self, Questions::Lines { stdin, .. } if !stdin.buffer().contains(&b'\n'))
    }
}

/// Answers each line before it waits for the next one, as the other side may wait for the answer; what
/// can't be parsed is nowhere.
fn converse(symbolizer: &Symbolizer<'_>, typed: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut questions = Questions::new(typed);
    while let Some(text) = questions.next()? {
        let row = Query::read(&text).and_then(|asked| match asked {
            Query::Address(address) => Some(address),
            Query::Call(..) => {
                let rows = symbolizer.rows("", &asked);
                Some(rows.first()?.address?.0.saturating_sub(1))
            }
        });
        output::addr2line(row.and_then(|address| symbolizer.place(address)).as_ref(), out)?;
        if questions.must_wait() {
            out.flush()?;
        }
    }
    Ok(())
}

fn not_an_address(args: &SymbolizeArgs, text: &str, line: u64) -> Error {
    let what = "is neither an address nor a call";
    let error = if args.addresses.is_empty() {
        let shown: String = text.chars().take(100).collect();
        Error::misuse("stdin", format!("{shown:?} {what}")).at(Place::Line(line))
    } else {
        Error::misuse(text, what)
    };
    error.advise("write 0x47a1c3, or main.run+0x1d as panics do")
}
