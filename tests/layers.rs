//! The layers of the crate: which layer may know which other layer. Reads `src/` and fails on an arrow
//! that isn't in the table of ARCHITECTURE.md, and on files of a folder that know each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every layer and the layers that it may know: the table of folders in ARCHITECTURE.md.
fn may_know() -> Vec<(String, Vec<String>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).expect("ARCHITECTURE.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| layer |")).skip(2);
    let rows = table.map_while(|line| line.strip_prefix("| `")).map(|row| {
        let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
        let [layer, _, known] = cells[..] else { panic!("three cells: {row}") };
        let known = known.split(", ").filter(|layer| *layer != "-").map(str::to_owned);
        (layer.trim_end_matches('`').to_owned(), known.collect())
    });
    rows.chain(["main", "lib"].map(|name| (name.to_owned(), Vec::new()))).collect()
}

#[test]
fn no_layer_knows_one_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layers = may_know();
    let mut wrong = Vec::new();
    for path in rust_files(&src) {
        let below = path.strip_prefix(&src).expect("below src");
        let layer = layer_of(below);
        let allowed = layers.iter().find(|(name, _)| *name == layer).map(|(_, known)| known);
        let Some(allowed) = allowed else {
            wrong.push(format!("{}: {layer} has no place in the layers", below.display()));
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("a source file");
        for (known, line) in layers_known(&text) {
            if known != layer && !allowed.contains(&known) {
                wrong.push(format!("{}:{line}: {layer} may not know {known}", below.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_layer_may_know_it_knows() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut used = BTreeSet::new();
    for path in rust_files(&src) {
        let layer = layer_of(path.strip_prefix(&src).expect("below src"));
        let text = std::fs::read_to_string(&path).expect("a source file");
        used.extend(layers_known(&text).into_iter().map(|(known, _)| (layer.clone(), known)));
    }
    let allowed = may_know().into_iter();
    let allowed =
        allowed.flat_map(|(layer, known)| known.into_iter().map(move |it| (layer.clone(), it)));
    let unused: Vec<(String, String)> = allowed.filter(|arrow| !used.contains(arrow)).collect();
    assert!(unused.is_empty(), "allowed, and nobody does it: {unused:?}");
}

/// Folders with files or folders that know each other in circles.
const WITH_CIRCLES: [&str; 14] = [
    "cli",
    "format",
    "format/debug1/values",
    "format/traceback",
    "live",
    "live/core_file",
    "live/linux/native",
    "output",
    "output/diff",
    "output/html",
    "rules",
    "source",
    "source/zip",
    "waits",
];

#[test]
fn files_of_a_folder_know_each_other_in_one_direction() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for path in rust_files(&src) {
        let below = path.strip_prefix(&src).expect("below src").with_extension("");
        let mut module: Vec<String> =
            below.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| last == "mod");
        let text = std::fs::read_to_string(&path).expect("a source file");
        for known in modules_known(&module, &text) {
            let shared = module.iter().zip(&known).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(shared), known.get(shared)) {
                let files = folders.entry(module[..shared].join("/")).or_default();
                files.entry(from.clone()).or_default().insert(to.clone());
            }
        }
    }
    for (folder, mut files) in folders {
        // What is left knows, or leads to, something that knows it.
        while let Some(free) =
            files.iter().find(|(_, known)| known.iter().all(|known| !files.contains_key(known)))
        {
            let free = free.0.clone();
            files.remove(&free);
        }
        let may = WITH_CIRCLES.contains(&folder.as_str());
        assert_eq!(!files.is_empty(), may, "{folder}: circles among {:?}", files.keys());
    }
}

#[test]
fn modules_are_found_behind_every_start_of_a_path() {
    let module = ["leak", "shape", "sender"].map(str::to_owned);
    let text =
        "use super::range;\nuse super::super::check::Check;\nuse crate::view::{table, calls};\n";
    let known: Vec<String> =
        modules_known(&module, text).iter().map(|known| known.join("/")).collect();
    assert_eq!(known, ["view/table", "view/calls", "leak/shape/range", "leak/check/Check"]);
}

#[test]
fn threads_clap_and_unsafe_code_stay_where_they_belong() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let owners = [
        ("unsafe ", &["cli/memory.rs", "simd/arm.rs", "simd/x86.rs"][..]),
        ("unsafe(", &["cli/closed.rs"]),
        ("clap::", &["cli"]),
        ("rayon::", &["load"]),
        // Those in `cli` wait for signals, and for what signals end.
        ("thread::spawn", &["load", "cli/signals.rs", "cli/pace.rs"]),
        ("thread::scope", &["load", "live/linux/stop.rs"]),
    ];
    for (word, owners) in owners {
        for path in rust_files(&src) {
            let below = path.strip_prefix(&src).expect("below src");
            let text = std::fs::read_to_string(&path).expect("a source file");
            let used = code(&text).iter().any(|(_, line)| line.contains(word));
            let may =
                owners.iter().any(|&owner| layer_of(below) == owner || below == Path::new(owner));
            assert!(!used || may, "{}: {word} is for {owners:?}", below.display());
        }
    }
}

#[test]
fn paths_in_every_spelling_are_found() {
    let text = "use crate::rules::Names;\nuse crate::{error, view::Row};\nuse super::format;\n\
                fn f() -> crate::load::Loaded {}\n// crate::leak\n\
                use crate::{\n    cli,\n    output::{A, B},\n};\n\
                #[cfg(test)]\nmod tests;\nuse crate::waits;\n\
                #[cfg(test)]\nmod tests {\n    use crate::config;\n}\n";
    let known: Vec<String> = layers_known(text).into_iter().map(|(layer, _)| layer).collect();
    assert_eq!(known, ["rules", "error", "view", "load", "cli", "output", "waits"]);
}

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_test(&path) {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Whether a file, or its folder, holds nothing but tests: these may know everything.
fn is_test(path: &Path) -> bool {
    path.iter()
        .any(|name| ["tests", "tests.rs", "test.rs", "fixture.rs"].iter().any(|test| name == *test))
}

/// The layer a file belongs to: its folder, or its own name.
fn layer_of(below_src: &Path) -> String {
    let first = below_src.iter().next().expect("a name").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The lines of code with their numbers: without comments and without what only tests have, an item
/// behind `#[cfg(test)]`.
fn code(text: &str) -> Vec<(usize, &str)> {
    let mut code = Vec::new();
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line)).peekable();
    while let Some((number, line)) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            code.push((number, line.split("//").next().unwrap_or_default()));
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        // An item ends with `;`, or with a `}` as far to the left as it starts.
        for (_, line) in lines.by_ref() {
            let is_outermost = line.len() - line.trim_start().len() == indent;
            let is_attribute = line.trim_start().starts_with('#');
            if is_outermost && !is_attribute && line.ends_with([';', '}']) {
                break;
            }
        }
    }
    code
}

/// The modules that a module names, with `crate::` or `super::` in front.
fn modules_known(module: &[String], text: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = code(text).into_iter().map(|(_, line)| line).collect();
    let text = lines.join("\n");
    let mut known = Vec::new();
    for start in ["crate::", "super::"] {
        // In `super::super::x` the path begins at the first one.
        let starts = text.match_indices(start).filter(|(at, _)| !text[..*at].ends_with("::"));
        for (at, _) in starts {
            let mut path = if start == "super::" { module.to_vec() } else { Vec::new() };
            let mut rest = &text[at..];
            while let Some((word, after)) = rest.split_once("::")
                && word.chars().all(|c| c.is_alphanumeric() || c == '_')
            {
                match word {
                    "crate" => {}
                    "super" => drop(path.pop()),
                    word => path.push(word.to_owned()),
                }
                rest = after;
            }
            known.extend(first_names(rest).into_iter().map(|name| [&path[..], &[name]].concat()));
        }
    }
    known
}

/// The layers that are named after `crate::`, with the line of each first mention in a row.
fn layers_known(text: &str) -> Vec<(String, usize)> {
    let layers: Vec<String> = may_know().into_iter().map(|(layer, _)| layer).collect();
    let mut joined = String::new();
    let mut starts = BTreeMap::new();
    for (number, line) in code(text) {
        starts.insert(joined.len(), number);
        joined.push_str(line);
        joined.push('\n');
    }
    let mut known = Vec::new();
    for (at, _) in joined.match_indices("crate::") {
        let line = starts.range(..=at).next_back().map_or(0, |(_, &line)| line);
        let path = &joined[at + "crate::".len()..];
        for name in first_names(path) {
            // An item that lib.rs or a macro holds itself isn't a layer.
            if layers.contains(&name) {
                known.push((name, line));
            }
        }
    }
    known
}

/// The first names of a path: one, or those of `{a, b::c}`.
fn first_names(path: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(inside) = path.strip_prefix('{') else {
        return vec![word(path)];
    };
    let (mut names, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                names.push(word(&inside[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(word(&inside[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}
