//! What was lost while reading, as it is told on stderr.

use super::exit::Exit;
use crate::error::{Error, Problem};
use crate::output::numbers::{counted, thousands};
use crate::profile::{Input, Profile, Unread, Warning, WarningKind};
use std::collections::HashMap;

/// Prints what could not be read and what was lost, and returns the exit code.
pub(super) fn report(profile: &Profile, strict: bool) -> Exit {
    let mut exit = Exit::Done;
    let Unread { failed, archives, .. } = &profile.unread;
    failed.folded(MEMBERS).iter().map(with_count).for_each(|error| super::say_error(&error));
    archives.folded(MEMBERS).iter().map(with_count).for_each(|error| super::say_warning(&error));
    if !failed.is_empty() || strict && !archives.is_empty() {
        exit = Exit::Trouble;
    }
    for (path, warning, more) in folded(&profile.inputs) {
        let line = warning.line.map_or(String::new(), |line| format!(" (line {line})"));
        let more = match more {
            0 => String::new(),
            more => format!("; {} more like it", thousands(more.into())),
        };
        super::say(format_args!("{path}: warning: {}{line}{more}", warning.text));
        if strict && warning.kind.means_loss() {
            exit = Exit::Trouble;
        }
    }
    exit
}

/// The warnings of all inputs: path, warning, and how many more like it there are. Where more than
/// [`MEMBERS`] dumps of one file or archive warn alike, only the first of them does.
fn folded(inputs: &[Input]) -> Vec<(&str, &Warning, u64)> {
    fn alike<'i>(input: &'i Input, warning: &'i Warning) -> (&'i str, WarningKind, String) {
        let file = input.path.split_once('!').map_or(input.path.as_str(), |(archive, _)| archive);
        (file, warning.kind, without_numbers(&warning.text))
    }
    #[derive(Default)]
    struct Alike {
        dumps: u64,
        last: Option<usize>,
        warnings: u64,
    }
    let all = || {
        let inputs = inputs.iter().enumerate();
        inputs.flat_map(|(at, input)| input.warnings.iter().map(move |one| (at, input, one)))
    };
    let mut counts = HashMap::<_, Alike>::new();
    for (at, input, warning) in all() {
        let count = counts.entry(alike(input, warning)).or_default();
        count.dumps += u64::from(count.last.replace(at) != Some(at));
        count.warnings += 1 + warning.more;
    }
    all()
        .filter_map(|(_, input, warning)| {
            let count =
                counts.get_mut(&alike(input, warning)).filter(|count| count.dumps > MEMBERS);
            let more = match count.map(|count| std::mem::take(&mut count.warnings)) {
                None => warning.more,
                Some(warnings) => warnings.checked_sub(1)?,
            };
            Some((input.path.as_str(), warning, more))
        })
        .collect()
}

/// A text with each number replaced: `9 goroutines are announced and 8 were found` is like any other such text.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if out.ends_with('0') => {}
            '0'..='9' => out.push('0'),
            ',' if out.ends_with('0') => {}
            _ => out.push(c),
        }
    }
    out
}

/// How many members of one archive, or dumps of one file, get the same message one by one.
const MEMBERS: u64 = 3;

/// The error, with the number of others like it.
fn with_count(problem: &Problem) -> Error {
    let more = match problem.more {
        0 => return problem.error.clone(),
        more if problem.is_of_member() => {
            format!("the same goes for {}", counted(more.into(), "more member"))
        }
        more => format!("{} more like it", thousands(more.into())),
    };
    let advice = problem.error.advice.iter().cloned().chain([more]);
    problem.error.clone().advise(advice.collect::<Vec<_>>().join("; "))
}
