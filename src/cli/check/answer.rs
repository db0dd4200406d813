//! The output of the checks: the answer, a baseline, reports, the exit code.

use super::CheckArgs;
use super::settings::options;
use crate::cli::apart::{Reads, check_apart, file_of};
use crate::cli::destination::Destination;
use crate::cli::emit::{emit, emit_to, show};
use crate::cli::exit::Exit;
use crate::cli::secrets::hide_secrets;
use crate::cli::session::Session;
use crate::cli::{page, report, say, say_error};
use crate::error::{Error, ErrorKind, Result};
use crate::leak::{Options, Review};
use crate::limits::LIMITS;
use crate::output::escape::Style;
use crate::output::html::Opens;
use crate::output::report::{NoCommands, Report, ReportFormat};
use crate::output::{Output, check as output};
use crate::profile::Keep;
use crate::view::diff::timeline::Timeline;
use std::io::Write;
use std::path::Path;

/// The options of the checks and the outputs, validated before anything is read.
pub(super) struct Gate<'a> {
    args: &'a CheckArgs,
    format: Output,
    /// The options of the checks.
    options: Options,
    reports: Vec<report::Request>,
    /// The baseline to write.
    baseline: Option<(&'a Path, Destination)>,
    /// Whether the answer or a report is the page.
    has_page: bool,
}

impl<'a> Gate<'a> {
    /// Fails if the settings are wrong, or an output can't be written.
    pub(super) fn of(args: &'a CheckArgs) -> Result<Gate<'a>> {
        let common = &args.common;
        let format = Output::pick(common.output.format.as_deref(), &output::OFFERED)?;
        let config = common.rules.settings()?;
        let options = options(&args.gate, &config.check)?;
        let table = format == Output::Table || common.output.file().is_some();
        let baseline = match args.gate.write_baseline.as_deref() {
            None => None,
            Some(path) => {
                let to = Destination::of(Some(path))?;
                to.check()?;
                Some((path, to))
            }
        };
        let on_stdout = baseline.as_ref().is_some_and(|(_, to)| *to == Destination::Stdout);
        if on_stdout && !table {
            let what = "the baseline would be the second document on stdout";
            return Err(Error::misuse("--write-baseline", what).advise("name a file"));
        }
        let reports = report::requests(&args.reports, table && !on_stdout)?;
        let to = Destination::of(common.output.file())?;
        let mut outputs = vec![("--to", &to)];
        outputs.extend(baseline.iter().map(|(_, to)| ("--write-baseline", to)));
        outputs.extend(reports.iter().map(|report| ("--report", &report.to)));
        let reads = Reads::inputs(&common.input.inputs);
        let mut reads = reads.and_files(&common.input, config)?;
        let gate = &args.gate;
        gate.allow.iter().for_each(|path| reads.add_file(file_of("--allow"), path));
        gate.baseline.iter().for_each(|path| reads.add_file(file_of("--baseline"), path));
        if !reports.is_empty() {
            let what = "a file that --report may read";
            report::module_files().for_each(|file| reads.add_file(what.to_owned(), &file));
        }
        check_apart(&outputs, &reads)?;
        let has_page = format == Output::Html || reports.iter().any(report::Request::is_page);
        args.page.check_of_report(format, has_page, &common.output)?;
        Ok(Gate { args, format, options, reports, baseline, has_page })
    }

    /// The columns that the answer needs.
    pub(super) fn keep(&self) -> Keep {
        Keep { creators: self.has_page, ..page::keep() }
    }

    /// Runs the checks, and writes the outputs.
    pub(super) fn answer(&self, mut session: Session, points: &Timeline) -> Result<Exit> {
        session.note_odd_bytes(if self.has_page { Output::Html } else { self.format });
        let args = self.args;
        let contents = self
            .has_page
            .then(|| page::Contents::new(&mut session, points.clone(), &args.page))
            .transpose()?;
        let mut review = self.review(&session, points);
        let (note, updated) = match self.write_baseline(&mut review) {
            Ok(note) => (note, Ok(())),
            Err(error) => (None, Err(error)),
        };
        review.unmatched.iter().for_each(|note| say(format_args!("note: {note}")));
        let answered = self.write(&session, &review, contents.as_ref(), note);
        let mut exit = session.report();
        if !review.passes() {
            exit = exit.max(Exit::Found);
        }
        if !review.blind.is_empty() {
            say_blind(&review, &session);
            exit = Exit::Trouble;
        }
        if let (Err(error), Err(_)) = (&answered, &updated) {
            say_error(error);
        }
        updated.and(answered)?;
        page::open(&args.page, &args.common.output)?;
        Ok(exit)
    }

    /// Runs the checks.
    fn review(&self, session: &Session, points: &Timeline) -> Review {
        let Session { profile, names, selection, .. } = session;
        let mut review = Review::new(profile, names, selection, points, &self.options);
        review.blind.extend(profile.unread.problems().map(ToString::to_string));
        hide_secrets(&mut review);
        review
    }

    /// Whether a finding of growth counts.
    pub(super) fn grows(&self, session: &Session, points: &Timeline) -> bool {
        self.review(session, points).grows()
    }

    /// Writes the baseline, if one was requested, and lets what it covers pass. Returns a note on it.
    fn write_baseline(&self, review: &mut Review) -> Result<Option<String>> {
        let Some((path, to)) = &self.baseline else { return Ok(None) };
        if !review.blind.is_empty() {
            let what = "isn't written, since the inputs can't be judged";
            return Err(Error::new(ErrorKind::Damaged, path.display().to_string(), what));
        }
        let text = review.baseline();
        if text.len() as u64 > LIMITS.named_file {
            let (most, length) = (LIMITS.named_file >> 20, text.len() >> 20);
            let what = format!(
                "isn't written: of its {length} MiB only {most} could be read (named_file)"
            );
            let error = Error::new(ErrorKind::Limit, path.display().to_string(), what);
            return Err(error.advise("check fewer inputs at a time, each with its own baseline"));
        }
        emit_to(to, Style::Text, &mut |out| out.write_all(text.as_bytes()))?;
        review.accept(&path.display().to_string());
        Ok(Some(baseline_note(path, &text)))
    }

    /// Writes the answer and the reports. The note on the baseline comes after a table.
    fn write(
        &self,
        session: &Session,
        review: &Review,
        contents: Option<&page::Contents>,
        note: Option<String>,
    ) -> Result<()> {
        let Gate { args, format, options, reports, .. } = self;
        let (format, profile) = (*format, &session.profile);
        let is_list = matches!(format, Output::Json | Output::Ndjson)
            || reports.iter().any(|report| report.format == ReportFormat::Json);
        if is_list {
            check_counts(review)?;
        }
        let to = &args.common.output;
        let shown = output::Shown {
            profile,
            review,
            limit: to.limit,
            suppressed: args.explain_suppressed,
            own: &options.own,
        };
        // Programs that read stdout find nothing there but the document.
        let (in_table, on_stderr) = match format == Output::Table && to.file().is_none() {
            true => (note, None),
            false => (None, note),
        };
        let write_page = |out: &mut dyn Write| match contents {
            Some(contents) => contents.write(session, Opens::Findings(shown), options, out),
            None => Ok(()),
        };
        let answered = match format {
            Output::Table => show(to, format, &mut |screen, out| {
                let write = |out: &mut dyn Write| {
                    shown.write(format, screen, out)?;
                    let note = in_table.as_deref();
                    note.map_or(Ok(()), |note| writeln!(out, "{}", screen.text(note)))
                };
                if !report::annotates_stdout(reports) {
                    return write(out);
                }
                let mut out = NoCommands::new(out);
                write(&mut out)?;
                out.flush()
            }),
            Output::Html => emit(to, format, &mut |out| write_page(out)),
            _ => show(to, format, &mut |screen, out| shown.write(format, screen, out)),
        };
        if let Some(note) = on_stderr {
            say(format_args!("note: {note}"));
        }
        if reports.is_empty() {
            return answered;
        }
        let workspace = report::workspace();
        let page = &write_page;
        let report = Report { profile, review, workspace: &workspace, page };
        report::write(reports, &report, answered)
    }
}

/// Fails if the document, which has the counts of each finding at all points, would have too many.
fn check_counts(review: &Review) -> Result<()> {
    let findings = review.findings.len().saturating_add(review.explained.len());
    let points = review.points.len();
    let most = LIMITS.cells;
    if findings.saturating_mul(points) <= most {
        return Ok(());
    }
    let what =
        format!("{findings} findings at {points} points are more than {most} counts (cells)");
    let advice = "check fewer points at a time, or write csv, sarif or junit";
    Err(Error::new(ErrorKind::Limit, "json", what).advise(advice))
}

/// A note on what `--write-baseline` has written.
fn baseline_note(path: &Path, text: &str) -> String {
    let entries = text.lines().filter(|line| *line == "[[allow]]").count();
    let verb = if entries == 1 { "entry was" } else { "entries were" };
    format!(
        "{entries} {verb} written to {}; --baseline {} lets what they cover pass",
        path.display(),
        path.display()
    )
}

/// Prints why the gate can't pass, unless that was printed when the inputs were read.
fn say_blind(review: &Review, session: &Session) {
    let said = session.profile.unread.problems().count();
    for why in review.blind.iter().take(review.blind.len().saturating_sub(said)) {
        say(why);
    }
}
