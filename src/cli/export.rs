//! `stackgazer export`

use super::args::{ArgumentArgs, BaseArgs, Common, GraphArgs, PageArgs};
use super::emit;
use super::exit::Exit;
use super::folder::Folder;
use super::screen::order;
use super::session::Session;
use super::{calls, examples, page};
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::limits::LIMITS;
use crate::output::{self, Output, crash};
use crate::profile::{
    FrameId, Input, InputId, Keep, Label, LabelValue, Profile, SampleKey, WarningKind,
};
use crate::rules::Names;
use crate::verdict::crashes;
use crate::view::goroutines::export::{Export, note_large_sums};
use crate::view::goroutines::limit::first_stacks;
use clap::{Args, Command, FromArgMatches};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

/// The formats of `export`; `filter` offers the same besides those for people.
pub(super) const OFFERED: [Output; 13] = [
    Output::Json,
    Output::Ndjson,
    Output::Csv,
    Output::Text,
    Output::Debug2,
    Output::Folded,
    Output::Pprof,
    Output::Flamegraph,
    Output::Speedscope,
    Output::Callgrind,
    Output::Dot,
    Output::Html,
    Output::Parquet,
];

const EXAMPLES: &str = "  stackgazer export dump.txt | jq '.categories[].name'
  stackgazer export debug.zip -o csv --to goroutines.csv
  stackgazer export debug.zip -o html --to page.html --open
  stackgazer export cpu.pb.gz -o flamegraph --to flames.svg
  stackgazer export new.pb.gz --base old.pb.gz -o flamegraph --to change.svg
  stackgazer export debug.zip -o pprof --to all.pb.gz
  stackgazer export stacks.txt -o parquet --to fleet/date=2026-11-23/node=n1
  stackgazer export incident.log -o debug2 > dump.txt";

/// Arguments of `export`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&OFFERED), after_long_help = examples(EXAMPLES, &OFFERED))]
pub(super) struct ExportArgs {
    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    graph: GraphArgs,

    #[command(flatten)]
    arguments: ArgumentArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    pub(super) common: Common,
}

impl ExportArgs {
    /// The arguments with only these set.
    pub(super) fn of(input: OsString, format: &str, to: Option<&Path>) -> ExportArgs {
        let with = |option: &str, value: &OsStr| {
            [OsStr::new(option), value].into_iter().collect::<OsString>()
        };
        let mut typed = vec!["export".into(), with("--output=", format.as_ref())];
        typed.extend(to.map(|to| with("--to=", to.as_os_str())));
        typed.extend(["--".into(), input]);
        let matches = ExportArgs::augment_args(Command::new("export")).get_matches_from(typed);
        ExportArgs::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Runs `export`.
pub(super) fn run(args: &ExportArgs) -> Result<Exit> {
    let common = &args.common;
    let output = Output::pick(common.output.format.as_deref(), &OFFERED)?;
    refuse_terminal(common, output)?;
    calls::check_base(output, &args.base)?;
    args.graph.check(output)?;
    args.arguments.check(output)?;
    args.page.check(output, &common.output)?;
    common.value.refuse_mean()?;
    if output == Output::Html {
        return match args.base.inputs() {
            [] => page::run(common, &args.page),
            _ => page::run_with_base(common, &args.base, None, &args.page),
        };
    }
    let keep = keep(output, args.arguments);
    let mut session = Session::with_base(common, &args.base, keep)?;
    match calls::KINDS.contains(&output) {
        true => {
            let value_options = args.graph.value_options(common.output.limit);
            calls::write(&session, common, &value_options, output)?;
        }
        false => write(&mut session, common, output, false)?,
    }
    Ok(match output {
        // Speedscope contains all sample types.
        Output::Speedscope => session.report_losses(),
        _ => session.finish(),
    })
}

/// The columns that a format needs.
pub(super) fn keep(output: Output, arguments: ArgumentArgs) -> Keep {
    let ArgumentArgs { arguments } = arguments;
    Keep {
        goroutines: !calls::KINDS.contains(&output),
        creators: false,
        addresses: output == Output::Parquet,
        arguments,
        calls: false,
    }
}

/// Compressed bytes are no use on a terminal.
pub(super) fn refuse_terminal(common: &Common, output: Output) -> Result<()> {
    if output == Output::Pprof && emit::to_terminal(&common.output) {
        let what = "pprof is binary and isn't written to a terminal";
        return Err(Error::misuse("--output", what).advise("write it to a file with --to FILE"));
    }
    Ok(())
}

/// Makes what is written of a selection say what it lacks, for whoever reads it.
fn note_losses(profile: &mut Profile, selection: &Selection, output: Output) {
    let samples = profile.samples().filter(|(id, _)| selection.count(*id) != 0);
    let written: BTreeSet<InputId> = samples.map(|(_, sample)| sample.key.input).collect();
    // Tables have all inputs. What is lost of one that isn't written could have been selected.
    let has_losses = |(id, input): (InputId, &Input)| {
        !input.complete() && (output == Output::Parquet || written.contains(&id))
    };
    let is_told = profile.inputs().any(has_losses);
    let is_lost = !profile.unread.complete() || !profile.inputs.iter().all(Input::complete);
    let first = written.first().map_or(0, |first| first.index());
    if let Some(input) = profile.inputs.get_mut(first).filter(|_| is_lost && !is_told) {
        input.has_failed = true;
    }
    let mut samples = profile.samples().filter(|(id, _)| selection.count(*id) != 0);
    let may_be_long = output != Output::Debug2 && profile.strings.longest() > LIMITS.text;
    let with_long = samples.find(|(_, sample)| may_be_long && has_long_texts(profile, &sample.key));
    let with_long = with_long.map(|(_, sample)| sample.key.input);
    drop(samples);
    if let Some(input) = with_long {
        let text = format!(
            "names or labels are longer than {} bytes (text); whoever reads the {} with stackgazer gets a part of them",
            LIMITS.text,
            output.name()
        );
        profile.inputs[input.index()].warn(WarningKind::Note, None, text);
    }
    if output == Output::Parquet {
        return;
    }
    for input in written {
        let input = &mut profile.inputs[input.index()];
        if input.crash.is_some() {
            let what =
                format!("its crash is left out: {} holds none; json and parquet do", output.name());
            input.warn(WarningKind::Note, None, what);
        }
    }
}

/// Whether a sample has texts that are cut where they are read.
fn has_long_texts(profile: &Profile, key: &SampleKey) -> bool {
    let of_frame = |&frame: &FrameId| [profile.frame(frame).func, profile.frame(frame).file];
    let of_label = |label: &Label| match label.value {
        LabelValue::Text(text) | LabelValue::Number(_, text) => [label.key, text],
    };
    let frames = profile.stack(key.stack).iter().flat_map(of_frame);
    let mut texts = frames.chain(profile.labels(key.labels).iter().flat_map(of_label));
    texts.any(|text| profile.str(text).len() > LIMITS.text)
}

/// Writes the selection in a format that contains all of it.
pub(super) fn write(
    session: &mut Session,
    common: &Common,
    output: Output,
    with_selected: bool,
) -> Result<()> {
    if calls::KINDS.contains(&output) {
        let value_options = GraphArgs::default().value_options(common.output.limit);
        return calls::write(session, common, &value_options, output);
    }
    if output == Output::Debug2 && !session.profile.counts_goroutines() {
        let (kind, _) = session.profile.value_name();
        let what =
            format!("debug2 is for goroutines, and {} was read", String::from_utf8_lossy(kind));
        return Err(Error::misuse("--output", what).advise("write pprof, json or folded"));
    }
    if matches!(output, Output::Json | Output::Ndjson | Output::Parquet) {
        session.note_odd_bytes(output);
        note_large_sums(&mut session.profile);
    }
    if let (Output::Pprof, Some(base)) = (output, session.base) {
        base.label(&mut session.profile);
    }
    let limited = common.output.limit.map(|limit| {
        let Session { profile, names, selection, .. } = &*session;
        first_stacks(profile, names, selection, order(common.output.sort), limit)
    });
    let selection = limited.as_ref().unwrap_or(&session.selection);
    if matches!(output, Output::Debug2 | Output::Pprof | Output::Parquet) {
        note_losses(&mut session.profile, selection, output);
    }
    let (profile, names) = (&session.profile, &session.names);
    if let Some(folder) = Folder::of(&common.output)? {
        return write_tables(&folder, profile, names, selection);
    }
    let crashes = match with_selected {
        true => crashes(profile, names),
        false => Vec::new(),
    };
    let is_difference = session.base.is_some();
    let write = &mut |out: &mut dyn Write| -> io::Result<()> {
        let export = || Export::new(profile, names, selection);
        match output {
            Output::Ndjson => output::ndjson::write(&export(), with_selected, out),
            Output::Csv => output::csv::write(&export(), out),
            Output::Text => {
                let lines = crash::lines(&crashes, profile.inputs.len(), &common.command_line());
                crash::write_as_comment(&lines, out)?;
                let export = export();
                let shared = (!profile.arguments.is_empty()).then_some(&export.shared);
                output::text::write(&export, common.output.frames.into(), shared, out)
            }
            Output::Debug2 => output::debug2::write(profile, selection, out),
            Output::Pprof => output::pprof::write(profile, selection, is_difference, out),
            _ => output::json::write(&export(), with_selected, &crashes, out),
        }
    };
    emit::emit(&common.output, output, write)
}

/// Writes the tables of the selection.
#[cfg(feature = "parquet")]
fn write_tables(
    folder: &Folder,
    profile: &Profile,
    names: &Names,
    selection: &Selection,
) -> Result<()> {
    use output::parquet::{Tables, files};
    let tables = Tables::new(profile, names, selection);
    let files: Vec<String> = files().collect();
    folder.write(files.iter().map(String::as_str), |file, out| tables.write(file, out))
}

/// The error in a build without the feature.
#[cfg(not(feature = "parquet"))]
fn write_tables(_: &Folder, _: &Profile, _: &Names, _: &Selection) -> Result<()> {
    let what = "this build can't write Parquet";
    Err(Error::misuse("--output", what).advise("build it with --features parquet"))
}
