//! Whatever the format, each function has the flat and cum of `summarize --by function`.

use crate::sandbox::{Sandbox, corpus, files_below, testdata};
use regex::Regex;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Flat and cum.
type Figures = BTreeMap<String, (i64, i64)>;

fn profiles() -> Vec<PathBuf> {
    let is_proto = |path: &PathBuf| path.to_string_lossy().ends_with(".1.pb.gz");
    let mut found: Vec<PathBuf> =
        files_below(&testdata("profiles")).into_iter().filter(is_proto).collect();
    found.push(testdata("bundle.zip"));
    assert!(found.len() > 7, "{found:?}");
    found
}

fn run(arguments: &[&str], input: &Path) -> String {
    let sandbox = Sandbox::new();
    let path = input.display().to_string();
    sandbox.run([arguments, &[&path]].concat()).quiet().text().to_owned()
}

fn summarized(input: &Path) -> Figures {
    let json = run(&["summarize", "--by", "function", "-o", "json"], input);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let number = |row: &Value, name: &str| row[name].as_i64().expect("a number");
    let rows = json["rows"].as_array().expect("rows").iter();
    // In exports, what pprof calls it stands for a name that is not known.
    let name = |row: &Value| row["function"].as_str().unwrap_or("<unknown>").to_owned();
    rows.map(|row| (name(row), (number(row, "flat"), number(row, "cum")))).collect()
}

/// The figures of stacks, root first.
fn of_stacks<'a>(stacks: impl Iterator<Item = (Vec<&'a str>, i64)>) -> Figures {
    let mut figures = Figures::new();
    for (stack, value) in stacks {
        for name in stack.iter().collect::<BTreeSet<_>>() {
            figures.entry((*name).to_owned()).or_default().1 += value;
        }
        figures.entry((*stack.last().expect("a leaf")).to_owned()).or_default().0 += value;
    }
    figures
}

fn folded(text: &str) -> impl Iterator<Item = (Vec<&str>, i64)> {
    text.lines().map(|line| {
        let (stack, value) = line.rsplit_once(' ').expect("a value");
        (stack.split(';').collect(), value.parse().expect("a number"))
    })
}

#[test]
fn folded_lines_have_them() {
    for input in profiles() {
        let text = run(&["export", "-o", "folded"], &input);
        assert_eq!(of_stacks(folded(&text)), summarized(&input), "{input:?}");
    }
}

#[test]
fn speedscope_profiles_have_them() {
    for input in profiles() {
        let text = run(&["export", "-o", "speedscope"], &input);
        let document: Value = serde_json::from_str(&text).expect("JSON");
        let active = document["activeProfileIndex"].as_u64().expect("an index") as usize;
        let profile = &document["profiles"][active];
        let frames = document["shared"]["frames"].as_array().expect("frames");
        let name = |at: &Value| {
            frames[at.as_u64().expect("an index") as usize]["name"].as_str().expect("a name")
        };
        let samples = profile["samples"].as_array().expect("samples").iter();
        let weights = profile["weights"].as_array().expect("weights").iter();
        let stacks = samples.zip(weights).map(|(stack, weight)| {
            let stack = stack.as_array().expect("a stack").iter().map(name).collect();
            (stack, weight.as_i64().expect("a number"))
        });
        assert_eq!(of_stacks(stacks), summarized(&input), "{input:?}");
    }
}

#[test]
fn callgrind_costs_are_them() {
    for input in profiles() {
        let text = run(&["export", "-o", "callgrind"], &input);
        let mut figures = of_callgrind(&text);
        assert_eq!(figures.remove("<all>").map(|(flat, _)| flat), None, "the root costs nothing");
        let mut expected = summarized(&input);
        let text_of_stacks = run(&["export", "-o", "folded"], &input);
        for (name, again) in of_cycles(folded(&text_of_stacks)) {
            expected.get_mut(&name).expect("a function").1 += again;
        }
        assert_eq!(figures, expected, "{input:?}");
        let total: i64 = figures.values().map(|(flat, _)| flat).sum();
        assert!(text.contains(&format!("\nsummary: {total}\n")), "{total}");
    }
}

#[test]
fn only_a_call_from_another_function_counts_again() {
    let stacks =
        [(vec!["a", "b", "a", "b", "a"], 3), (vec!["a", "a", "c"], 4), (vec!["c", "a"], 5)];
    // The root and `b` call `a`.
    assert_eq!(of_cycles(stacks.into_iter()), BTreeMap::from([("a".to_owned(), 3)]));
}

/// What callgrind counts again, by function: a stack counts for each function that calls another,
/// as the format can't tell that it is one stack that comes back.
fn of_cycles<'a>(stacks: impl Iterator<Item = (Vec<&'a str>, i64)>) -> BTreeMap<String, i64> {
    let mut again: BTreeMap<String, i64> = BTreeMap::new();
    for (stack, value) in stacks {
        let callers = std::iter::once("<all>").chain(stack.iter().copied());
        let calls: BTreeSet<(&str, &str)> =
            callers.zip(stack.iter().copied()).filter(|(from, to)| from != to).collect();
        let mut called = BTreeSet::new();
        for (_, to) in calls {
            if !called.insert(to) {
                *again.entry(to.to_owned()).or_default() += value;
            }
        }
    }
    again
}

/// What lines cost themselves, and what calls cost those that are called.
fn of_callgrind(text: &str) -> Figures {
    // Names stand behind their numbers once.
    let name = Regex::new(r"^c?fn=(\(\d+\)) (.+)$").expect("a pattern");
    let names: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| name.captures(line))
        .map(|found| {
            (found.get(1).expect("a number").as_str(), found.get(2).expect("a name").as_str())
        })
        .collect();
    let named = |reference: &str| names[reference.split(' ').next().expect("a number")].to_owned();
    let cost = Regex::new(r"^\d+ (\d+)$").expect("a pattern");
    let mut figures = Figures::new();
    let (mut function, mut callee) = (String::new(), None);
    for line in text.lines() {
        if let Some(reference) = line.strip_prefix("fn=") {
            function = named(reference);
        } else if let Some(reference) = line.strip_prefix("cfn=") {
            callee = Some(named(reference));
        } else if let Some(found) = cost.captures(line) {
            let cost: i64 = found[1].parse().expect("a number");
            match callee.take() {
                Some(callee) => figures.entry(callee).or_default().1 += cost,
                None => figures.entry(function.clone()).or_default().0 += cost,
            }
        }
    }
    figures
}

/// Functions, and calls from one to another with whether they are indirect.
type Drawn = (BTreeSet<String>, BTreeSet<(String, String, bool)>);

fn drawn(dot: &str, node: &str) -> Drawn {
    let node = Regex::new(node).expect("a pattern");
    let edge = Regex::new(r"^ *([Nf]\d+) -> ([Nf]\d+) \[").expect("a pattern");
    let mut names = BTreeMap::new();
    let mut edges = BTreeSet::new();
    for line in dot.lines() {
        if let Some(found) = node.captures(line) {
            names.insert(found[1].to_owned(), found[2].to_owned());
        } else if let Some(found) = edge.captures(line) {
            let dotted = line.contains("style=dotted") || line.contains("style=\"dotted\"");
            edges.insert((names[&found[1]].clone(), names[&found[2]].clone(), dotted));
        }
    }
    (names.into_values().collect(), edges)
}

#[test]
#[ignore = "needs STACKGAZER_PPROF"]
fn graphs_are_those_of_pprof() {
    let pprof = crate::sandbox::pprof();
    let mut inputs = profiles();
    inputs.retain(|path| !path.ends_with("bundle.zip") && !path.ends_with("threadcreate.1.pb.gz"));
    if std::env::var_os("STACKGAZER_CORPUS").is_some() {
        for kind in ["allocs", "block", "goroutine", "heap"] {
            inputs.push(corpus().join(format!("corpus/go1.27.3/dump/{kind}.debug0.pb.gz")));
        }
    }
    for options in [
        &[][..],
        &["nodecount=10"],
        &["nodefraction=0.1"],
        &["edgefraction=0.2"],
        &["focus=main", "nodecount=25", "edgefraction=0.01"],
        &["hide=runtime"],
    ] {
        for input in &inputs {
            // There, labels are boxes too, and count as functions.
            let options = || ["taghide=."].iter().chain(options);
            let sandbox = Sandbox::new();
            let theirs = Command::new(&pprof)
                .args(["-dot", "-symbolize=none"])
                .args(options().map(|option| format!("-{option}")))
                .arg(input)
                .current_dir(sandbox.path())
                .output()
                .expect("pprof runs");
            let theirs = String::from_utf8_lossy(&theirs.stdout).into_owned();
            let mut arguments: Vec<String> = ["export", "-o", "dot"].map(str::to_owned).to_vec();
            arguments.extend(options().map(|option| format!("--{option}")));
            arguments.push(input.display().to_string());
            let ours = sandbox.run(&arguments).code(0);
            let theirs = drawn(&theirs, r#"^(N\d+) \[label=.* tooltip="(.*) \([^()]*\)" color"#);
            let ours = drawn(
                ours.text(),
                r#"^  (f\d+) \[label=.*, tooltip="(.*) \(.* \([\d.]+%\)\)", font"#,
            );
            assert_eq!(ours, theirs, "{arguments:?}");
        }
    }
}
