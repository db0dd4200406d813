//! `stackgazer diff`

use super::args::{BaseArgs, Common, PageArgs, PointArgs, Sort};
use super::emit::{emit, show};
use super::exit::Exit;
use super::screen::order;
use super::{examples, page, points};
use crate::error::{Error, ErrorKind, Result};
use crate::output::html::Opens;
use crate::output::{Output, diff as output};
use crate::pipeline::Inputs;
use crate::profile::{Input, InputId, Keep, Profile};
use crate::source::shown_argument;
use crate::view::diff::timeline::Timeline;
use crate::view::diff::{Diff, MinChange, Options, Status};
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::values::quantity::Quantity;
use crate::view::values::sample_types;
use clap::Args;
use std::collections::HashSet;

const EXAMPLES: &str = "  stackgazer diff before.txt after.txt
  stackgazer diff monday.zip tuesday.zip --by category
  stackgazer diff monday.zip tuesday.zip --by-input --min-change 10%
  stackgazer diff --series dumps.zip --sort name
  stackgazer diff old.txt new.txt --fail-on new,grown --min-change 5
  stackgazer diff old-server new-server
  stackgazer diff old.txt new.txt -o markdown >> \"$GITHUB_STEP_SUMMARY\"";

/// Arguments of `diff`.
#[derive(Args, Debug)]
#[command(after_help = Output::help(&output::OFFERED), after_long_help = examples(EXAMPLES, &output::OFFERED))]
pub(super) struct DiffArgs {
    /// What rows count: shape, id, name, category, ...
    ///
    /// What has to be the same for two goroutines to be counted together: shape (the stack without
    /// lines and what differs between builds), id, name, category, or any key of summarize
    /// [default: shape; function for profiles that don't count goroutines]
    #[arg(long, value_name = "KEY,...", help_heading = "Comparing")]
    by: Option<String>,

    /// Compare the processes of a bundle one by one
    ///
    /// As the key `input` in front of --by does.
    #[arg(long, help_heading = "Comparing")]
    by_input: bool,

    /// Leave out changes by less than N, or P percent
    ///
    /// N goroutines, or values such as 1.5MB or 20ms; P percent of the old value.
    #[arg(long, value_name = "N|P%", help_heading = "Comparing")]
    min_change: Option<String>,

    /// Exit with code 1 if anything is new, grown, ...
    ///
    /// One of: new, gone, grown, shrunk; changed is any of them. The code is 2 if something was lost in
    /// reading.
    #[arg(long, value_name = "CHANGE,...", help_heading = "Comparing")]
    fail_on: Option<String>,

    /// Show rows that didn't change, too
    #[arg(long, help_heading = "Output")]
    all: bool,

    #[command(flatten)]
    base: BaseArgs,

    #[command(flatten)]
    points: PointArgs,

    #[command(flatten)]
    page: PageArgs,

    #[command(flatten)]
    common: Common,
}

impl DiffArgs {
    /// The arguments of a diff for another command that compares with a base.
    pub(super) fn of_base(
        common: Common,
        base: BaseArgs,
        by: Option<String>,
        points: PointArgs,
        page: PageArgs,
    ) -> DiffArgs {
        DiffArgs {
            by,
            by_input: false,
            min_change: None,
            fail_on: None,
            all: false,
            base,
            points,
            page,
            common,
        }
    }
}

/// Runs `diff`.
pub(super) fn run(args: &DiffArgs) -> Result<Exit> {
    let common = &args.common;
    common.value.refuse_mean()?;
    let by = args.by.as_deref().map(Key::list).transpose()?;
    let format = Output::pick(common.output.format.as_deref(), &output::OFFERED)?;
    let options = Options {
        by: Vec::new(),
        order: Order::Count,
        limit: common.output.limit,
        normalize: args.base.normalize,
        min_change: args.min_change.as_deref().map(MinChange::parse).transpose()?,
        selecting: false,
    };
    let fail_on = args.fail_on.as_deref().map(Status::list).transpose()?.unwrap_or_default();
    args.page.check(format, &common.output)?;
    let is_page = format == Output::Html;
    let gate = is_page.then(|| page::gate(common)).transpose()?;
    let keep = if is_page { page::keep() } else { Keep { goroutines: true, ..Keep::default() } };
    let base = args.base.inputs();
    let (mut session, points) =
        points::start_behind(base, common, &args.points, keep, Inputs::load_comparable)?;
    session.note_odd_bytes(format);
    session.check_keys(by.as_deref().unwrap_or_default())?;
    if points.len() < 2 {
        // Errors in reading may be the reason.
        session.report();
        let only = common
            .input
            .inputs
            .first()
            .or(base.first())
            .map_or("stdin".into(), |one| shown_argument(one));
        return Err(too_few(&only, &args.points));
    }
    let points_of = |input| session.profile.input(input).point;
    sample_types::check(&session.profile, &points_of)?;
    let quantity = Quantity::of(&session.profile);
    let mut by = by.unwrap_or_else(|| match quantity.is_of_goroutines() {
        true => vec![Key::Shape],
        // Profiles are compared by function, as in go tool pprof -diff_base.
        false => vec![Key::Function],
    });
    if args.by_input && !by.contains(&Key::Input) {
        by.insert(0, Key::Input);
    }
    let options = Options {
        by,
        selecting: session.selecting,
        order: match common.output.sort {
            // Where goroutines are parked says little; what led there says more.
            None | Some(Sort::Count) if quantity.is_of_goroutines() => Order::Cum,
            sort => order(sort),
        },
        min_change: options.min_change.map(|least| least.of(&quantity)).transpose()?,
        ..options
    };
    let contents = is_page
        .then(|| page::Contents::new(&mut session, points.clone(), &args.page))
        .transpose()?;
    let diff = Diff::new(&session.profile, &session.names, &session.selection, &points, &options)?;
    match (&contents, &gate) {
        (Some(contents), Some(gate)) => emit(&common.output, format, &mut |out| {
            contents.write(&session, Opens::Changes(&diff), gate, out)
        })?,
        _ => show(&common.output, format, &mut |screen, out| {
            output::write(format, (&session.profile, &session.names), &diff, args.all, screen, out)
        })?,
    }
    let mut exit = session.report();
    if !matches!(format, Output::Table | Output::Markdown) {
        // The other formats contain the notes.
        diff.notes.iter().for_each(|note| super::say(format_args!("note: {note}")));
    }
    if !fail_on.is_empty() {
        for error in not_compared(&session.profile, &points) {
            super::say_error(&error);
            exit = Exit::Trouble;
        }
        if diff.has(&fail_on) {
            exit = exit.max(Exit::Found);
        }
    }
    page::open(&args.page, &common.output)?;
    Ok(exit)
}

fn too_few(only: &str, points: &PointArgs) -> Error {
    let error = Error::misuse(only, "there is nothing to compare it with");
    match (points.fleet, points.series) {
        (true, _) => error.advise("leave --fleet out: it makes one point of all inputs"),
        (_, true) => error.advise("give a directory or an archive with two dumps or more"),
        _ => error.advise(
            "name two files, directories or archives, or give --series to compare the members of one",
        ),
    }
}

/// Why a comparison that finds nothing doesn't pass.
fn not_compared(profile: &Profile, points: &Timeline) -> Vec<Error> {
    let mut errors = empty(profile, points);
    let is_whole = profile.unread.archives.is_empty() && profile.inputs.iter().all(Input::complete);
    if !is_whole {
        let what = "not everything was read, and what is missing may have changed";
        errors.push(Error::new(ErrorKind::Damaged, "--fail-on", what));
    }
    errors
}

/// Points without anything to find: only a leak profile can be without goroutines.
fn empty(profile: &Profile, points: &Timeline) -> Vec<Error> {
    let quantity = Quantity::of(profile);
    let with_samples: HashSet<InputId> =
        profile.samples.iter().map(|sample| sample.key.input).collect();
    let holds_any = |(id, input): &(InputId, &Input)| match &quantity {
        Quantity::Goroutines => input.goroutines != 0 || input.format.is_leak_profile(),
        Quantity::Values { .. } => with_samples.contains(id),
    };
    // A point without inputs could not be read, which was reported.
    let is_empty =
        |inputs: &[(InputId, &Input)]| !inputs.is_empty() && !inputs.iter().any(holds_any);
    let what = match &quantity {
        Quantity::Goroutines => "holds no goroutine".to_owned(),
        Quantity::Values { kind, .. } => format!("holds no {kind}"),
    };
    let inputs = points.inputs(profile);
    let empty = points.names.iter().zip(inputs).filter(|(_, inputs)| is_empty(inputs));
    empty
        .map(|(name, _)| {
            Error::new(ErrorKind::Damaged, name, &what)
                .advise("a comparison with nothing can't be passed")
        })
        .collect()
}
