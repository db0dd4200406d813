//! Dumps as they arrive: bruised in every way that mail, terminals, editors, browsers and log
//! shippers have. Each of our own dumps gives the goroutines and stacks of the clean one, or it is
//! said what was lost.

use crate::sandbox::{files_below, testdata};
use proptest::prelude::*;
use stackgazer::format::{self, ReadOptions};
use stackgazer::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder, WarningKind};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What happens to a text on its way, and its name.
type Mangling = (&'static str, fn(&str) -> String);

/// To add a way: a function and a row here.
const MANGLINGS: &[Mangling] = &[
    ("no blank lines", |text| lines(text, |line| blank(line).then(String::new), "")),
    ("blanks on blank lines", |text| {
        each(text, |line| if line.is_empty() { "  " } else { line }.to_owned())
    }),
    ("a tab on blank lines", |text| {
        each(text, |line| if line.is_empty() { "\t" } else { line }.to_owned())
    }),
    ("blank lines doubled", |text| {
        each(text, |line| if line.is_empty() { "\n" } else { line }.to_owned())
    }),
    ("every line end doubled", |text| each(text, |line| format!("{line}\n"))),
    ("a blank line after each third line", third_line_blank),
    ("trailing blanks", |text| each(text, |line| format!("{line}  "))),
    ("filled up to 100 columns", |text| each(text, |line| format!("{line:<100}"))),
    ("places flush left", |text| each(text, |line| line.trim_start().to_owned())),
    ("places behind #011", |text| tabs(text, "#011")),
    ("places behind no-break blanks", |text| tabs(text, "\u{a0}\u{a0}")),
    ("places behind one blank", |text| tabs(text, " ")),
    ("places behind four blanks", |text| tabs(text, "    ")),
    ("places behind eight blanks", |text| tabs(text, "        ")),
    ("places behind a written tab", |text| tabs(text, "\\t")),
    ("places behind an arrow", |text| tabs(text, "→")),
    ("CRLF", |text| text.replace('\n', "\r\n")),
    ("CRLF in the first half", crlf_in_part),
    ("CR CR LF", |text| text.replace('\n', "\r\r\n")),
    ("lone CR", |text| text.replace('\n', "\r")),
    ("line separators", |text| text.replace('\n', "\u{2028}")),
    ("no last line end", |text| text.trim_end_matches('\n').to_owned()),
    ("quoted", |text| each(text, |line| format!("> {line}"))),
    ("quoted, trimmed", |text| each(text, |line| format!("> {line}").trim_end().to_owned())),
    ("quoted twice", |text| each(text, |line| format!("> > {line}").trim_end().to_owned())),
    ("quoted tightly", |text| each(text, |line| format!(">{line}"))),
    ("red lines", |text| each(text, |line| format!("\x1b[31m{line}\x1b[0m"))),
    ("red from first to last", |text| format!("\x1b[31m{text}\x1b[0m\n")),
    ("colours written out", |text| each(text, |line| format!("^[[31m{line}^[[0m"))),
    ("colours without their first byte", |text| each(text, |line| format!("[31m{line}[0m"))),
    ("erased to the end of the line", |text| each(text, |line| format!("{line}\x1b[K"))),
    ("HTML entities", html),
    ("HTML preformatted", |text| format!("<pre><code>{}</code></pre>\n", html(text))),
    ("HTML line breaks", |text| each(&html(text), |line| format!("{line}<br>"))),
    ("HTML elements", |text| each(&html(text), |line| format!("<span class=\"x\">{line}</span>"))),
    ("HTML in one line", |text| format!("<p>{}</p>\n", html(text).replace('\n', "<br/>"))),
    ("no-width characters", |text| each(text, |line| format!("\u{200b}{line}\u{feff}"))),
    ("a code fence", |text| format!("It crashed:\n```\n{text}```\nAny idea?\n")),
    ("a fold", |text| format!("<details>\n<summary>dump</summary>\n\n{text}\n</details>\n")),
    ("backquotes", |text| {
        each(text, |line| if line.is_empty() { String::new() } else { format!("`{line}`") })
    }),
    ("escaped for Markdown", |text| text.replace('*', "\\*").replace('_', "\\_")),
    ("indented", |text| each(text, |line| format!("    {line}"))),
    ("indented, trimmed", |text| {
        each(text, |line| format!("        {line}").trim_end().to_owned())
    }),
];

/// Ways that lose something: it must be said.
const LOSSY: &[Mangling] = &[
    ("the front cut off", |text| cut(text, 0.2, 1.0)),
    ("the end cut off", |text| cut(text, 0.0, 0.8)),
    ("all in one line", |text| text.replace('\n', " ").replace('\t', "") + "\n"),
];

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

fn lines(text: &str, instead: impl Fn(&str) -> Option<String>, end: &str) -> String {
    text.lines().map(|line| instead(line).unwrap_or_else(|| format!("{line}\n") + end)).collect()
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn tabs(text: &str, instead: &str) -> String {
    each(text, |line| {
        line.strip_prefix('\t').map_or(line.to_owned(), |line| format!("{instead}{line}"))
    })
}

fn third_line_blank(text: &str) -> String {
    let end = |number| if number % 3 == 2 { "\n\n" } else { "\n" };
    text.lines().enumerate().map(|(number, line)| format!("{line}{}", end(number))).collect()
}

fn crlf_in_part(text: &str) -> String {
    let half = text.lines().count() / 2;
    let end = |number| if number < half { "\r\n" } else { "\n" };
    text.lines().enumerate().map(|(number, line)| format!("{line}{}", end(number))).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;")
}

fn cut(text: &str, from: f64, to: f64) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = |part: f64| (lines.len() as f64 * part) as usize;
    // So that a place is the first, and a call the last.
    let mut first = at(from);
    while from > 0.0 && lines[first].trim_start().len() == lines[first].len() {
        first += 1;
    }
    let mut last = at(to);
    while to < 1.0 && !lines[last].ends_with(')') {
        last -= 1;
    }
    let last = if to < 1.0 { last + 1 } else { lines.len() };
    lines[first..last].join("\n") + "\n"
}

fn read(text: &str) -> Profile {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = Input::new("t", "t.txt", InputFormat::Debug2);
    let outcome =
        format::read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder);
    outcome.expect("a slice can't fail");
    builder.finish()
}

fn goroutines(profile: &Profile) -> i64 {
    profile.inputs.iter().map(|input| input.goroutines).sum()
}

/// Each different stack, state and creator.
fn stacks(profile: &Profile) -> BTreeSet<String> {
    let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
    let frame = |id| {
        let frame = profile.frame(id);
        format!("{} {}:{}", text(frame.func), text(frame.file), frame.line)
    };
    let stack = |sample: &stackgazer::profile::Sample| {
        let frames: Vec<String> =
            profile.stack(sample.key.stack).iter().map(|&id| frame(id)).collect();
        let creator = sample.key.creator.map(frame);
        format!("{frames:?} {:?} {creator:?}", sample.key.state.map(text))
    };
    profile.samples.iter().map(stack).collect()
}

fn complete(profile: &Profile) -> bool {
    !profile.inputs.is_empty() && profile.inputs.iter().all(Input::complete)
}

/// Our own dumps, those in containers left out: they have the lines of these.
fn dumps() -> Vec<(PathBuf, String)> {
    let texts = files_below(&testdata("traceback")).into_iter();
    let texts = texts.filter(|path| path.extension().is_some_and(|end| end == "txt"));
    texts.map(|path| (path.clone(), std::fs::read_to_string(path).expect("UTF-8"))).collect()
}

/// A value of a panic with a header in it looks like one again where its tab was lost.
fn tells_of_a_header(path: &std::path::Path) -> bool {
    path.to_string_lossy().ends_with(".panic.txt")
}

/// A blank line ends a goroutine whose creator was read: ancestors behind it are not its own.
fn loses_ancestors(name: &str, path: &std::path::Path) -> bool {
    (name.contains("doubled") || name.contains("third line"))
        && path.to_string_lossy().ends_with(".ancestors.txt")
}

#[test]
fn a_bruised_dump_gives_the_goroutines_and_stacks_of_the_clean_one() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (path, text) in dumps() {
        let clean = read(&text);
        for (name, mangle) in MANGLINGS {
            let bruised = read(&mangle(&text));
            compared += 1;
            let what = format!("{name}: {}", path.file_name().unwrap().to_string_lossy());
            if goroutines(&bruised) != goroutines(&clean) {
                wrong.push(format!("{what}: {} of {}", goroutines(&bruised), goroutines(&clean)));
            } else if stacks(&bruised) != stacks(&clean) {
                wrong.push(format!("{what}: other stacks"));
            } else if complete(&bruised) != complete(&clean)
                && !tells_of_a_header(&path)
                && !loses_ancestors(name, &path)
            {
                let warnings: Vec<_> = bruised.inputs.iter().flat_map(|i| &i.warnings).collect();
                wrong.push(format!("{what}: {warnings:?}"));
            } else if bruised
                .inputs
                .iter()
                .map(|i| i.crash.as_ref().map(|c| c.kind))
                .ne(clean.inputs.iter().map(|i| i.crash.as_ref().map(|c| c.kind)))
            {
                wrong.push(format!("{what}: another crash"));
            }
        }
    }
    assert!(compared > 1000, "{compared}");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_a_cut_dump_has_lost_is_said() {
    let mut silent = Vec::new();
    for (path, text) in dumps() {
        let whole = goroutines(&read(&text));
        for (name, mangle) in LOSSY {
            let bruised = read(&mangle(&text));
            if complete(&bruised) && goroutines(&bruised) > 0 && whole > 0 {
                silent.push(format!("{name}: {path:?}"));
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// Headers that a text has behind whatever stands in front of them, as a person would count them.
fn headers(text: &str) -> usize {
    let header =
        regex::Regex::new(r"goroutine \d+ (gp=\S+ m=\S+ (mp=\S+ )?)?\[[^\]\n]*\]( \{[^\n]*\})?:\s")
            .unwrap();
    // The one in the value of a panic is none.
    header.find_iter(&(text.replace("[fake]", "") + "\n")).count()
}

fn told(profile: &Profile) -> bool {
    let warnings = profile.inputs.iter().flat_map(|input| &input.warnings);
    warnings.into_iter().any(|warning| {
        matches!(
            warning.kind,
            WarningKind::UnreadHeader
                | WarningKind::Header
                | WarningKind::Partial
                | WarningKind::LongLine
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_goroutine_is_lost_without_a_word(
        dump in 0..dumps().len(),
        first in 0..MANGLINGS.len(),
        second in 0..MANGLINGS.len(),
        lossy in proptest::option::of(0..LOSSY.len()),
        noise in proptest::option::of("[ -~]{0,40}"),
        at in 0_usize..400,
    ) {
        let (path, mut text) = dumps().swap_remove(dump);
        let [(first_name, first), (second_name, second)] = [MANGLINGS[first], MANGLINGS[second]];
        if let Some(noise) = noise {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.insert(at % lines.len(), &noise);
            text = lines.join("\n") + "\n";
        }
        if let Some(lossy) = lossy {
            text = LOSSY[lossy].1(&text);
        }
        let seen = headers(&text);
        let profile = read(&second(&first(&text)));
        let found = goroutines(&profile) as usize;
        prop_assert!(
            found >= seen || profile.inputs.is_empty() || told(&profile),
            "{first_name}, {second_name}: {found} of {seen} in {path:?}, {lossy:?}"
        );
    }
}
