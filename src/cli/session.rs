//! Sessions: every command that reads inputs starts with one.

use super::apart::Reads;
use super::args::{BaseArgs, Common, InputArgs, RuleArgs};
use super::emit::check_writable;
use super::exit::Exit;
use super::folder::Folder;
use super::losses;
use super::progress::ProgressLine;
use crate::config::{Config, Value};
use crate::error::suggest::first_notes;
use crate::error::{Error, Result};
use crate::filter::{Filter, Selection, no_label};
use crate::group::presence::Presence;
use crate::leak::Own;
use crate::live::CorePrograms;
use crate::load::{self, LoadOptions};
use crate::output::Output;
use crate::pipeline::{Hidden, Inputs, Loaded, Pruned, Selecting, StackSizes};
use crate::profile::{InputFormat, Keep, Profile};
use crate::prune::Prune;
use crate::rules::{Names, RuleSet};
use crate::source::{Certificates, HttpOptions, SourceOptions};
use crate::symbols::{self, Programs};
use crate::view::inputs::note_odd_bytes;
use crate::view::stacksize::stack_bytes::{self, Stacks};
use crate::view::table::key::Key;
use crate::view::values::base::Base;
use crate::view::values::options::PercentBase;
use crate::view::values::sample_types;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

/// Everything that a command needs to make its view: the profile, its names, the selection.
#[derive(Debug)]
pub(super) struct Session {
    /// Everything that was read.
    pub(super) profile: Profile,
    /// The compiled rules.
    pub(super) rules: RuleSet,
    /// What own code is.
    pub(super) own: Own,
    /// The names of frames and stacks.
    pub(super) names: Names,
    /// The selected goroutines.
    pub(super) selection: Selection,
    /// The stack sizes of its goroutines, if the columns for that were kept.
    pub(super) stacks: Stacks,
    /// Whether a selecting option is set.
    pub(super) selecting: bool,
    /// The value that is 100%: that of the selected samples, before stacks were pruned.
    pub(super) whole: PercentBase,
    /// The base that is subtracted.
    pub(super) base: Option<Base>,
    /// All its arguments; those of the base come last.
    pub(super) arguments: Vec<OsString>,
    strict: bool,
}

impl Session {
    /// Compiles the user's text first, then reads the inputs, keeping at least these columns.
    pub(super) fn start(common: &Common, keep: Keep) -> Result<Session> {
        Session::with_base(common, &BaseArgs::default(), keep)
    }

    /// Starts with inputs that are subtracted from the others.
    pub(super) fn with_base(common: &Common, base: &BaseArgs, keep: Keep) -> Result<Session> {
        if base.normalize && base.inputs().is_empty() {
            return Err(Error::misuse("--normalize", "there is no base to scale to")
                .advise("name one with --base INPUT"));
        }
        let read = Session::read(common, keep, base, |_| Ok(()), Inputs::load, |_, _| ());
        read.map(|(session, ())| session)
    }

    /// Starts for commands for which the order of arguments matters: `order` can change it, `load` reads
    /// them, and `arrange` gets the profile before anything in it is named or selected.
    pub(super) fn read<T>(
        common: &Common,
        keep: Keep,
        base: &BaseArgs,
        order: impl FnOnce(&mut Vec<OsString>) -> Result<()>,
        load: impl FnOnce(Inputs) -> Result<Loaded>,
        arrange: impl FnOnce(&mut Profile, &[OsString]) -> T,
    ) -> Result<(Session, T)> {
        let plan = Plan::of(common, keep, base, order)?;
        let progress = ProgressLine::on_terminal();
        let mut inputs = plan.inputs.clone();
        inputs.options.progress = progress
            .clone()
            .map(|line| -> Arc<load::OnProgress> { Arc::new(move |progress| line.tell(progress)) });
        let loaded = load(inputs);
        if let Some(line) = progress {
            line.clear();
        }
        let (session, arranged, notes) = plan.session(loaded?, arrange)?;
        say_notes(&notes);
        Ok((session, arranged))
    }

    /// Prints notes on labels in `keys` that nothing carries; fails if inputs can't have a key.
    pub(super) fn check_keys(&self, keys: &[Key]) -> Result<()> {
        let missing = keys.iter().filter_map(|key| {
            let Key::Label(label) = key else { return None };
            let note = no_label(label, &self.profile)?;
            Some(format!("--by {}: {note}", key.name()))
        });
        let others = |more| format!("--by: {more} more labels that nothing carries");
        say_notes(&first_notes(missing, |note| note, others));
        if keys.contains(&Key::Address) {
            refuse_tables(&self.profile, "--by address", "addresses of code")?;
        }
        Ok(())
    }

    /// Warns about what this format can't show as it is.
    pub(super) fn note_odd_bytes(&mut self, format: Output) {
        if matches!(format, Output::Json | Output::Ndjson | Output::Html | Output::Parquet) {
            note_odd_bytes(&mut self.profile);
        }
    }

    /// [`Session::report`] for a command that has nothing left to do. Freeing everything piece by piece
    /// would only delay the end of the process, by a tenth on small dumps.
    pub(super) fn finish(self) -> Exit {
        let exit = self.report();
        std::mem::forget(self);
        exit
    }

    /// Prints to stderr what could not be read, what was lost and what doesn't count; returns the exit
    /// code.
    pub(super) fn report(&self) -> Exit {
        let exit = self.report_losses();
        if let Some(note) = sample_types::note(&self.profile) {
            super::say(format_args!("note: {note}"));
        }
        exit
    }

    /// Prints what could not be read, and returns the exit code; all inputs count, whatever they measure.
    pub(super) fn report_losses(&self) -> Exit {
        losses::report(&self.profile, &self.arguments, self.strict)
    }
}

/// The inputs and options of a session, validated before anything is read.
#[derive(Debug)]
pub(super) struct Plan<'c> {
    common: &'c Common,
    /// The inputs to read, and how.
    pub(super) inputs: Inputs,
    selecting: Selecting,
    prune: Prune,
    rules: RuleSet,
    own: Own,
    programs: Programs,
    keep: Keep,
    sizes: StackSizes,
}

impl<'c> Plan<'c> {
    /// Fails if an option is wrong, or an output can't be written.
    pub(super) fn of(
        common: &'c Common,
        keep: Keep,
        base: &BaseArgs,
        order: impl FnOnce(&mut Vec<OsString>) -> Result<()>,
    ) -> Result<Plan<'c>> {
        let filter = Filter::compile(&common.select.select())?;
        let presence = Presence::compile(&common.select.only_in, &common.select.missing_in)?;
        let prune = Prune::compile(&common.prune.options())?;
        let (config, own) = settings(&common.rules, common.input.strict)?;
        let rules = RuleSet::compile(config.rules.clone())?;
        let InputArgs { binaries, resymbolize, force_binary, .. } = &common.input;
        let options = symbols::Options { resymbolize: *resymbolize, force: *force_binary };
        let programs = Programs::open(binaries, options)?;
        let mut options = load_options(common, keep, &filter, &rules)?;
        let mut arguments = inputs(&common.input.inputs, std::io::stdin().is_terminal())?;
        order(&mut arguments)?;
        let subtracted = base.behind(arguments.len());
        arguments.extend_from_slice(base.inputs());
        let reads = Reads::inputs(&arguments).and_files(&common.input, config)?;
        check_writable(&common.output, &reads)?;
        let sizes = match common.value.value() {
            Some(stack_bytes::KIND) => StackSizes::Counted,
            _ if keep.calls => StackSizes::Measured,
            _ => StackSizes::Ignored,
        };
        options.keep.calls |= sizes != StackSizes::Ignored;
        // From memory, stack sizes are known for each goroutine.
        options.keep.goroutines |= sizes != StackSizes::Ignored;
        let inputs = Inputs { arguments, options };
        let selecting = Selecting { filter, presence, base: subtracted };
        Ok(Plan { common, inputs, selecting, prune, rules, own, programs, keep, sizes })
    }

    /// Names and selects the loaded inputs; `arrange` gets them before. Also returns notes on them.
    pub(super) fn session<T>(
        &self,
        loaded: Loaded,
        arrange: impl FnOnce(&mut Profile, &[OsString]) -> T,
    ) -> Result<(Session, T, Vec<String>)> {
        let Plan { common, selecting, rules, sizes, .. } = self;
        let keeps_all = common.output.format.as_deref() == Some(Output::Pprof.name());
        let hidden = match keeps_all || common.prune.all_frames {
            true => Hidden::Kept,
            false => Hidden::Dropped,
        };
        // A profile of stack sizes already has them.
        let measures = match sizes {
            StackSizes::Ignored => false,
            StackSizes::Measured => true,
            StackSizes::Counted => loaded.profile.find_type(stack_bytes::KIND).is_none(),
        };
        let asked = [
            ("--binary", !common.input.binaries.is_empty(), "addresses of code"),
            ("the size of stacks", measures, "addresses of code"),
            ("--args", self.keep.arguments, "arguments of calls"),
        ];
        for (asked, _, what) in asked.iter().filter(|(_, is_asked, _)| *is_asked) {
            refuse_tables(&loaded.profile, asked, what)?;
        }
        let mut symbolized = loaded.symbolize(&self.programs, hidden, *sizes)?;
        let stacks = std::mem::take(&mut symbolized.stacks);
        let arranged = arrange(&mut symbolized.profile, &self.inputs.arguments);
        symbolized.choose_value(common.value.value())?;
        let shown = symbolized.name(rules)?.select(selecting)?.prune(&self.prune, rules)?;
        let Pruned { profile, names, selection, whole, is_part, mut notes } = shown;
        notes.extend(selecting.filter.unmatched(&profile, &names));
        notes.extend(selection.unknown_wait_note());
        let session = Session {
            profile,
            rules: rules.clone(),
            own: self.own.clone(),
            names,
            selection,
            stacks,
            selecting: is_part,
            whole,
            base: selecting.base,
            arguments: self.inputs.arguments.clone(),
            strict: common.input.strict,
        };
        Ok((session, arranged, notes))
    }
}

/// Prints notes on the selection.
pub(super) fn say_notes(notes: &[String]) {
    notes.iter().for_each(|note| super::say(format_args!("note: {note}")));
}

/// Fails if an input comes from tables, which don't keep what is requested.
fn refuse_tables(profile: &Profile, asked: &str, what: &str) -> Result<()> {
    let Some(input) = profile.inputs.iter().find(|input| input.is_from_tables) else {
        return Ok(());
    };
    let text = format!("comes from tables, which don't keep {what}, and {asked} needs them");
    Err(Error::misuse(&input.path, text).advise("name the dump or profile that they were made of"))
}

/// The settings, and what own code is. Warns about parts of a settings file that aren't supported.
fn settings(args: &RuleArgs, strict: bool) -> Result<(&Config, Own)> {
    let config = args.settings()?;
    if strict && let Some(warning) = config.warnings.first() {
        return Err(warning.clone());
    }
    for warning in &config.warnings {
        super::say_warning(warning);
    }
    let own = match config.check.get("own").map(|setting| &setting.value) {
        Some(Value::Texts(patterns)) => Own::compile(patterns)?,
        _ => Own::default(),
    };
    Ok((config, own))
}

/// How inputs are read, whatever a command needs of them.
pub(super) fn reading(input: &InputArgs) -> Result<LoadOptions> {
    let line_prefix = match &input.line_prefix {
        None => None,
        Some(pattern) => Some(
            regex::bytes::RegexBuilder::new(&format!("^(?:{pattern})"))
                .size_limit(crate::limits::LIMITS.regex_bytes)
                .build()
                .map_err(|error| Error::regex("--line-prefix", pattern, &error))?,
        ),
    };
    let format = match input.input_format.as_deref() {
        None => None,
        Some(name) => Some(InputFormat::from_name(name).ok_or_else(|| {
            let known: Vec<&str> = InputFormat::ALL.iter().map(|format| format.name()).collect();
            Error::misuse("--input-format", format!("unknown format {name:?}"))
                .advise(format!("use one of {}", known.join(", ")))
        })?),
    };
    Ok(LoadOptions { format, line_prefix, ..LoadOptions::default() })
}

fn load_options(
    common: &Common,
    keep: Keep,
    filter: &Filter,
    rules: &RuleSet,
) -> Result<LoadOptions> {
    let input = &common.input;
    let goroutines = keep.goroutines || filter.needs_goroutines();
    Ok(LoadOptions {
        source: SourceOptions {
            members: input.members.clone(),
            member_patterns: rules.member_patterns().to_vec(),
            input_names: input.input_names.clone(),
            path_labels: input.path_labels.clone(),
            max_bytes: input
                .max_bytes
                .as_deref()
                .map(|text| parse_bytes("--max-bytes", text))
                .transpose()?,
            programs: CorePrograms { given: input.binaries.clone(), force: input.force_binary },
            capture: input.capture,
            http: http_options(input)?,
        },
        keep: Keep { goroutines, calls: keep.calls || !input.binaries.is_empty(), ..keep },
        threads: input.threads.unwrap_or_else(default_threads),
        extract: extract(rules),
        progress: None,
        // Tables are written row by row, unless each goroutine has to be read before.
        spill: match Folder::of(&common.output)? {
            Some(folder) if !filter.needs_goroutines() => Some(folder.nearest().to_owned()),
            _ => None,
        },
        ..reading(input)?
    })
}

/// Seconds of a year: a clock can't be moved on by every `Duration`.
const LONGEST_WAIT: f64 = 31_536_000.0;

/// How to fetch inputs that are addresses.
fn http_options(input: &InputArgs) -> Result<HttpOptions> {
    let timeout = input.http_timeout.as_deref().map(|text| {
        let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
        let valid = seconds.filter(|seconds| *seconds > 0.0);
        valid.map(|seconds| Duration::from_secs_f64(seconds.min(LONGEST_WAIT))).ok_or_else(|| {
            Error::usage("--http-timeout", text, 1, "isn't a number of seconds above 0")
        })
    });
    Ok(HttpOptions {
        headers: input.http_headers.clone(),
        timeout: timeout.transpose()?,
        ca: input.http_ca.clone().map(Certificates::of_file),
        insecure: input.http_insecure,
    })
}

/// The rules that name inputs from their content, if there are any.
fn extract(rules: &RuleSet) -> Option<Arc<load::Extract>> {
    let extractor = rules.extractor().clone();
    if extractor.is_empty() {
        return None;
    }
    Some(Arc::new(move |line| extractor.name(line)))
}

/// The inputs that were named; or stdin, if none was and stdin isn't a terminal.
fn inputs(named: &[OsString], stdin_is_terminal: bool) -> Result<Vec<OsString>> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    if stdin_is_terminal {
        return Err(Error::misuse("INPUT", "nothing to read is named")
            .advise("name files, directories or archives, or pipe a dump to stdin; see --help"));
    }
    Ok(vec!["-".into()])
}

/// Parses a number of bytes, with a letter for a power of 1024 after it: `4096`, `64K`, `2G`, `2GiB`.
pub(super) fn parse_bytes(option: &str, text: &str) -> Result<u64> {
    let trimmed = text.trim_end_matches(['b', 'B']).trim_end_matches(['i', 'I']);
    let (digits, shift) = match trimmed.chars().last() {
        Some('k' | 'K') => (&trimmed[..trimmed.len() - 1], 10),
        Some('m' | 'M') => (&trimmed[..trimmed.len() - 1], 20),
        Some('g' | 'G') => (&trimmed[..trimmed.len() - 1], 30),
        Some('t' | 'T') => (&trimmed[..trimmed.len() - 1], 40),
        _ => (trimmed, 0),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.filter(|_| digits.starts_with(|first: char| first.is_ascii_digit())).ok_or_else(|| {
        Error::usage(option, text, 1, "isn't a number of bytes")
            .advise("write 4096, 64K, 512M or 16G")
    })
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(parse_bytes("--max-bytes", "4096").unwrap(), 4096);
        assert_eq!(parse_bytes("--max-bytes", "64K").unwrap(), 65536);
        assert_eq!(parse_bytes("--max-bytes", "2GiB").unwrap(), 2 << 30);
        for wrong in ["", "K", "-1", "+1", "1.5G", "1X", "99999999999T", "1 G"] {
            assert!(parse_bytes("--max-bytes", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn stdin_is_read_when_it_is_not_a_terminal() {
        assert_eq!(inputs(&[], false).unwrap(), ["-"]);
        assert_eq!(inputs(&[], true).unwrap_err().kind, ErrorKind::Usage);
        assert_eq!(inputs(&["a".into()], true).unwrap(), ["a"]);
    }
}
