//! Options of `go tool pprof` that are typed out of habit, and what to type instead.
//!
//! Most of them work, with two dashes. The others are answered here, so that nobody has to guess from a
//! message about an unexpected argument.

use super::command::program;
use crate::error::Error;
use std::ffi::OsString;

/// Options that no command has under this name, and what to use instead.
const ANSWERS: [(&[&str], &str, &str); 18] = [
    (&["top", "text"], "is an option of summarize", "type stackgazer summarize --top FILE"),
    (&["tree"], "is an option of summarize", "type stackgazer summarize --call-graph FILE"),
    (&["peek", "traces", "tags", "list"], "is an option of summarize", "type stackgazer summarize"),
    (
        &["http", "no_browser"],
        "no pages are served",
        "type stackgazer export FILE -o flamegraph --to flames.svg, and open that in a browser",
    ),
    (
        &["web", "svg", "png", "gif", "pdf", "ps", "eps", "gv", "evince"],
        "pictures are made by export",
        "type stackgazer export FILE -o flamegraph --to flames.svg, or \
         stackgazer export FILE -o dot | dot -Tsvg > calls.svg",
    ),
    (&["weblist"], "no pages are served", "type stackgazer summarize --list REGEX FILE"),
    (
        &["disasm"],
        "instructions aren't read",
        "the values of each address are there: type \
         stackgazer summarize --addresses --show REGEX FILE",
    ),
    (&["raw"], "is written by export", "type stackgazer export FILE -o json"),
    (
        &["proto", "topproto"],
        "is written by export",
        "type stackgazer export FILE -o pprof --to OUT",
    ),
    (&["dot"], "is written by export", "type stackgazer export FILE -o dot"),
    (
        &["callgrind", "kcachegrind"],
        "is written by export",
        "type stackgazer export FILE -o callgrind --to OUT",
    ),
    (&["output"], "is called --to here", "type --to FILE"),
    (
        &["seconds"],
        "is part of the address",
        "type stackgazer summarize 'http://HOST/debug/pprof/profile?seconds=10'",
    ),
    (&["timeout"], "is called --http-timeout here", "type --http-timeout SECONDS"),
    (
        &["symbolize", "tools", "buildid", "trim_path", "intel_syntax"],
        "programs and their sources aren't read: a profile is shown with the names that it holds",
        "leave it out",
    ),
    (&["comments", "add_comment"], "comments aren't shown", "leave it out"),
    (
        &["trim", "compact_labels", "showcolumns"],
        "there is nothing that it would change",
        "leave it out; --nodefraction and --nodecount leave out small rows",
    ),
    (
        &["diff_base", "base", "normalize"],
        "is an option of summarize, filter, name and export",
        "type stackgazer diff OLD NEW, or stackgazer summarize --base OLD NEW",
    ),
];

/// Options that accept anything as their value, even what looks like an option.
const BEFORE_ANYTHING: [&str; 6] = ["-m", "--match", "--query", "--wait", "--peek", "--list"];

/// The error for an option of `go tool pprof` with one dash, before the parser misreads it: `-mean`
/// would be a search for `ean`.
pub(super) fn one_dash(arguments: &[OsString]) -> Option<Error> {
    let mut typed = options(arguments)
        .filter(|(typed, name)| !typed.starts_with("--") && name.len() > 1)
        .peekable();
    // Describing the command takes longer than everything else here.
    typed.peek()?;
    let command = command(arguments);
    typed.find_map(|(typed, name)| {
        // In pprof -output is the file, here it is the format.
        if !knows(&command, name) || name == "output" {
            return answer(typed, name);
        }
        let error = Error::misuse(typed, "options have two dashes here");
        Some(error.advise(format!("type -{typed}")))
    })
}

/// The error with what to type instead of an option that was refused.
pub(super) fn instead(arguments: &[OsString]) -> Option<Error> {
    let command = command(arguments);
    options(arguments)
        .filter(|(_, name)| !knows(&command, name))
        .find_map(|(typed, name)| answer(typed, name))
}

fn answer(typed: &str, name: &str) -> Option<Error> {
    let (_, what, advice) = ANSWERS.iter().find(|(names, ..)| names.contains(&name))?;
    let option = typed.split('=').next().unwrap_or(typed);
    Some(Error::misuse(option, *what).advise(*advice))
}

/// The options that were typed, each as it is and by its name alone.
fn options(arguments: &[OsString]) -> impl Iterator<Item = (&str, &str)> {
    let texts = arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
    let before = std::iter::once("").chain(texts.clone());
    before.zip(texts).skip(1).take_while(|(_, typed)| *typed != "--").filter_map(
        |(before, typed)| {
            let name = typed.strip_prefix("--").or_else(|| typed.strip_prefix('-'))?;
            let name = name.split('=').next().unwrap_or(name);
            (!name.is_empty() && !BEFORE_ANYTHING.contains(&before)).then_some((typed, name))
        },
    )
}

/// The command that was typed, or else the program.
fn command(arguments: &[OsString]) -> clap::Command {
    let program = program();
    let typed = arguments.get(1).and_then(|name| name.to_str());
    typed.and_then(|name| program.find_subcommand(name)).cloned().unwrap_or(program)
}

/// Whether a command has an option of this name.
fn knows(command: &clap::Command, name: &str) -> bool {
    command.get_arguments().any(|argument| {
        argument.get_long() == Some(name)
            || argument.get_all_aliases().is_some_and(|aliases| aliases.contains(&name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn options_of_pprof_with_one_dash_are_answered() {
        for (line, expected) in [
            ("stackgazer summarize -top cpu.pb.gz", "type --top"),
            ("stackgazer summarize -mean_delay mutex.pb.gz", "type --mean_delay"),
            ("stackgazer summarize -mean heap.pb.gz", "type --mean"),
            ("stackgazer summarize -focus=main cpu.pb.gz", "type --focus=main"),
            ("stackgazer export -output=x -proto cpu.pb.gz", "type --to FILE"),
            ("stackgazer -http=:8080 cpu.pb.gz", "-o flamegraph"),
            ("stackgazer -top cpu.pb.gz", "stackgazer summarize --top"),
            ("stackgazer summarize -list main.work cpu.pb.gz", "type --list"),
            ("stackgazer export -list main.work cpu.pb.gz", "is an option of summarize"),
        ] {
            let error = one_dash(&typed(line)).expect(line).to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn what_is_no_option_of_pprof_is_left_to_the_parser() {
        for line in [
            "stackgazer summarize dump.txt -n 20 -o json",
            "stackgazer summarize -n20 -ojson -j4 dump.txt",
            "stackgazer summarize -m -top dump.txt",
            "stackgazer summarize -- -top",
            "stackgazer summarize - --top",
        ] {
            assert!(one_dash(&typed(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn every_answer_is_about_something_that_its_command_lacks() {
        let program = program();
        let summarize = program.find_subcommand("summarize").expect("a command");
        for (names, ..) in ANSWERS {
            for name in names {
                let of_summarize = ["top", "text", "tree", "peek", "traces", "tags", "list"];
                let of_base = ["diff_base", "base", "normalize", "output"];
                let known = of_summarize.contains(name) || of_base.contains(name);
                assert_eq!(knows(summarize, name), known, "{name}");
            }
        }
    }
}
