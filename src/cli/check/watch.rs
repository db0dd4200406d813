//! `check --watch`: a process is read again and again until its growth is proved, or the series ends.

use super::CheckArgs;
use super::answer::Gate;
use crate::cli::args::BaseArgs;
use crate::cli::exit::Exit;
use crate::cli::pace::{self, Pace};
use crate::cli::say;
use crate::cli::session;
use crate::error::{Error, ErrorKind, Result};
use crate::live;
use crate::output::numbers::counted;
use crate::pipeline::Series;
use crate::source;
use crate::view::diff::timeline::{Layout, Timeline};
use std::ffi::OsString;

/// A trend needs this many points.
const POINTS: usize = 3;
/// A long series is only judged again once it has grown by more than one in this many points, so that
/// all judging costs at most this many times what reading the points costs.
const JUDGED: usize = 16;

/// Reads the input at most `count` times, and judges the points.
pub(super) fn run(args: &CheckArgs, gate: &Gate<'_>, count: Option<u32>) -> Result<Exit> {
    let base = BaseArgs::default();
    let reading =
        session::Plan::of(&args.common, gate.keep(), &base, |arguments| is_live(arguments))?;
    let named = reading.inputs.arguments.first().map(|input| input.to_string_lossy());
    let process = named.map_or(Ok(None), |named| source::process_number(&named))?;
    let started = process.map(live::started);
    let mut series = Series::new(reading.inputs.options.keep);
    let mut names = Vec::new();
    let mut judged = 0;
    let mut is_interrupted = false;
    let mut pace = Pace::of(args.watch.every.as_deref())?;
    let judge = |series: &Series, names: &[String]| {
        let mut names = names.to_vec();
        source::make_unique(&mut names);
        reading.session(series.loaded(), |profile, _| {
            Timeline::arrange(profile, Layout::Arguments, &names)
        })
    };
    let is_whole = |read: usize| count.is_some_and(|count| read >= count as usize);
    let proved = loop {
        if is_whole(series.len()) {
            break None;
        }
        let Some(time) = pace.next() else { break None };
        // Another process may have got the number of a process that has ended.
        if !series.is_empty() && process.map(live::started) != started {
            series.end(Error::new(ErrorKind::Io, input(&reading), "has ended"));
            break None;
        }
        let inputs = reading.inputs.clone();
        let Some(loaded) = pace.unless_it_ends(|| inputs.load())? else {
            is_interrupted = true;
            break None;
        };
        if !series.add(loaded?) {
            break None;
        }
        names.push(pace::name(time));
        if names.len() >= POINTS && names.len() > judged + judged / JUDGED {
            judged = names.len();
            let (session, points, notes) = judge(&series, &names)?;
            if gate.grows(&session, &points) {
                break Some((session, points, notes));
            }
        }
    };
    drop(pace);
    if is_interrupted && series.is_empty() {
        let what = "nothing was read before it was interrupted";
        return Err(Error::new(ErrorKind::Io, input(&reading), what));
    }
    let times = counted(series.len() as i128, "capture");
    let of = match count {
        Some(count) if !is_whole(series.len()) => format!("{times} of {count}"),
        _ => times,
    };
    let why = match proved {
        Some(_) => ": growth is proved",
        None if is_interrupted => "; another was interrupted while it was read, and isn't judged",
        None => "",
    };
    let (session, points, notes) = proved.map_or_else(|| judge(&series, &names), Ok)?;
    session::say_notes(&notes);
    say(format_args!("note: {of}{why}"));
    gate.answer(session, &points)
}

fn input(reading: &session::Plan<'_>) -> String {
    let names = source::argument_names(&reading.inputs.arguments);
    names.into_iter().next().unwrap_or_default()
}

/// Fails unless there is one input, which can differ each time it is read.
fn is_live(arguments: &[OsString]) -> Result<()> {
    let fail = |what: String| {
        let error = Error::misuse("--watch", what);
        Err(error.advise("name a process (pid:1234) or an address"))
    };
    let [argument] = arguments else {
        return fail(format!("takes one input, not {}", arguments.len()));
    };
    let written = argument.to_string_lossy();
    match source::is_process(&written) || source::is_url(&written) {
        true => Ok(()),
        false => fail(format!("{written} stays as it is")),
    }
}
