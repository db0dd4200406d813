//! What was lost while reading, as it is told on stderr.

use super::exit::Exit;
use crate::error::{Error, ErrorKind};
use crate::output::numbers::thousands;
use crate::profile::{Profile, Unread, WarningKind};
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;

/// Prints what could not be read and what was lost, and returns the exit code. `arguments` are those that
/// were read.
pub(super) fn report(profile: &Profile, arguments: &[OsString], strict: bool) -> Exit {
    let mut exit = Exit::Done;
    let arguments = Arguments::new(arguments);
    let Unread { failed, archives, .. } = &profile.unread;
    for (problems, say) in
        [(failed, super::say_error as fn(&Error)), (archives, super::say_warning)]
    {
        let messages = problems.iter().enumerate().map(|(of, problem)| Message {
            of,
            path: &problem.error.input,
            kind: Kind::Error(problem.error.kind, problem.error.advice.as_deref()),
            text: &problem.error.what,
            more: problem.more,
        });
        for (problem, more) in problems.iter().zip(folded(messages, &arguments)) {
            let Some(more) = more else { continue };
            let mut error = problem.error.clone();
            if more > 0 {
                let advice = error.advice.map_or(String::new(), |advice| advice + "; ");
                error.advice = Some(format!("{advice}{} more like it", thousands(more.into())));
            }
            say(&error);
        }
    }
    if !failed.is_empty() || strict && !archives.is_empty() {
        exit = Exit::Trouble;
    }
    let inputs = profile.inputs.iter().enumerate();
    let warnings =
        inputs.flat_map(|(of, input)| input.warnings.iter().map(move |one| (of, input, one)));
    let messages = warnings.clone().map(|(of, input, warning)| Message {
        of,
        path: &input.path,
        kind: Kind::Warning(warning.kind),
        text: &warning.text,
        more: warning.more,
    });
    for ((_, input, warning), more) in warnings.zip(folded(messages, &arguments)) {
        if strict && warning.kind.means_loss() {
            exit = Exit::Trouble;
        }
        let Some(more) = more else { continue };
        let line = warning.line.map_or(String::new(), |line| format!(" (line {line})"));
        let more = match more {
            0 => String::new(),
            more => format!("; {} more like it", thousands(more.into())),
        };
        super::say(format_args!("{}: warning: {}{line}{more}", input.path, warning.text));
    }
    exit
}

/// An error or a warning.
#[derive(Clone, Copy)]
struct Message<'m> {
    /// The number of the input that it is about.
    of: usize,
    path: &'m str,
    kind: Kind<'m>,
    text: &'m str,
    /// How many more like it were only counted.
    more: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind<'m> {
    /// With what to do about it.
    Error(ErrorKind, Option<&'m str>),
    Warning(WarningKind),
}

/// Up to this many inputs of one argument get the same message one by one.
const ALIKE: u64 = 3;

/// Up to this many arguments get the same message one by one. Each was named, perhaps by a `*` of the shell.
const ARGUMENTS_ALIKE: usize = 20;

/// For each message how many more like it there are, or `None` if an earlier one counts it: where more than
/// [`ALIKE`] inputs in one folder, archive or file have the same message, or more than [`ARGUMENTS_ALIKE`]
/// arguments, only the first of them is printed.
fn folded<'m>(
    messages: impl Iterator<Item = Message<'m>>,
    arguments: &Arguments,
) -> Vec<Option<u64>> {
    #[derive(Default)]
    struct Alike {
        inputs: u64,
        last: Option<usize>,
        messages: u64,
    }
    let messages: Vec<_> =
        messages.map(|one| (one, arguments.of(one.path), without_numbers(one.text))).collect();
    let mut places = HashMap::<_, HashSet<&str>>::new();
    for (one, argument, text) in &messages {
        places.entry((one.kind, text)).or_default().insert(*argument);
    }
    let keys = messages.iter().map(|(one, argument, text)| {
        let are_many = places.get(&(one.kind, text)).is_some_and(|all| all.len() > ARGUMENTS_ALIKE);
        (if are_many { "" } else { argument }, one.kind, text)
    });
    let keys: Vec<_> = keys.collect();
    let mut counts = HashMap::<_, Alike>::new();
    for ((one, ..), key) in messages.iter().zip(&keys) {
        let count = counts.entry(key).or_default();
        count.inputs += u64::from(count.last.replace(one.of) != Some(one.of));
        count.messages += 1 + one.more;
    }
    let shown = messages.iter().zip(&keys).map(|((one, ..), key)| {
        let count = counts.get_mut(key).filter(|count| count.inputs > ALIKE);
        match count.map(|count| std::mem::take(&mut count.messages)) {
            None => Some(one.more),
            Some(all) => all.checked_sub(1),
        }
    });
    shown.collect()
}

/// The arguments of a run.
struct Arguments(HashSet<String>);

impl Arguments {
    fn new(arguments: &[OsString]) -> Arguments {
        let names = arguments.iter().map(|one| one.to_string_lossy());
        Arguments(names.map(|name| name.trim_end_matches('/').to_owned()).collect())
    }

    /// The argument in which an input was found: a folder, an archive, or the file itself.
    fn of<'p>(&self, path: &'p str) -> &'p str {
        let ends = path.match_indices(['/', '!']).map(|(end, _)| end);
        let mut found = ends.map(|end| &path[..end]).filter(|part| self.0.contains(*part));
        found.next().unwrap_or(path)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(paths: &[&str], arguments: &[&str]) -> Vec<Option<u64>> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let messages = paths.iter().enumerate().map(|(of, path)| Message {
            of,
            path,
            kind: Kind::Error(ErrorKind::Damaged, None),
            text: ["byte 9 is wrong", "byte 1,000 is wrong"][of % 2],
            more: 0,
        });
        folded(messages, &Arguments::new(&arguments))
    }

    #[test]
    fn the_same_message_of_many_inputs_of_an_argument_is_told_once() {
        let rest = [None; 4];
        let in_folder = ["d/a", "d/b", "d/e/c", "d/f.zip!d", "d/g"];
        assert_eq!(shown(&in_folder, &["d/"]), [&[Some(4)], &rest[..]].concat());
        let in_archive = ["a.zip!1", "a.zip!2", "a.zip!3", "a.zip!b.zip!4", "a.zip!5"];
        assert_eq!(shown(&in_archive, &["a.zip"]), [&[Some(4)], &rest[..]].concat());
        assert_eq!(shown(&["log"; 5], &["log"]), [&[Some(4)], &rest[..]].concat());
    }

    #[test]
    fn few_inputs_and_those_that_are_arguments_are_named_one_by_one() {
        assert_eq!(shown(&["d/a", "d/b", "d/c"], &["d"]), [Some(0); 3]);
        let files = ["d/a", "d/b", "d/c", "d/d", "d/e"];
        assert_eq!(shown(&files, &files), [Some(0); 5]);
        let folders = ["x/1", "x/2", "y/1", "y/2"];
        assert_eq!(shown(&folders, &["x", "y"]), [Some(0); 4]);
    }

    #[test]
    fn the_same_message_of_very_many_arguments_is_told_once() {
        let files: Vec<String> = (0..21).map(|at| format!("d/{at}")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(shown(&files, &files), [&[Some(20)], &[None; 20][..]].concat());
        assert_eq!(shown(&files[1..], &files), [Some(0); 20]);
    }
}
