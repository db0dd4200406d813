//! What README.md shows is what the program prints.

use std::path::Path;
use std::process::Command;

#[test]
fn examples_print_what_is_shown() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let mut examples = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("\n```").next().expect("an end");
        let (command, shown) = block.split_once('\n').expect("a command and what it prints");
        let arguments = command.strip_prefix("$ stackgazer ").expect("a prompt");
        let output = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
            .args(arguments.split(' '))
            .current_dir(root)
            .env_clear()
            .output()
            .expect("stackgazer starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        assert_eq!(shown.lines().collect::<Vec<_>>(), printed, "{command}");
        examples += 1;
    }
    assert!(examples >= 2);
}

#[test]
fn the_first_command_is_the_one_that_builds_and_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let command = readme.split("```sh\n").nth(1).and_then(|block| block.lines().next());
    assert_eq!(command, Some("cargo run --release -- summarize testdata/bundle.zip"));
}

/// The number in a cell of the table of limits: `16 MiB`, `600 s`, `65,536`.
fn number(cell: &str) -> u64 {
    let (digits, unit) = cell.split_once(' ').unwrap_or((cell, ""));
    let shift = ["", "KiB", "MiB", "GiB"].iter().position(|known| *known == unit).unwrap_or(0) * 10;
    digits.replace(',', "").parse::<u64>().unwrap_or_else(|error| panic!("{cell}: {error}"))
        << shift
}

#[test]
fn every_limit_stands_in_the_table_with_its_number() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let section = readme.split("\n## ").find(|section| section.starts_with("Limits\n"));
    let rows = section.expect("a section").lines().filter_map(|line| line.strip_prefix("| `"));
    let mut told: Vec<(String, u64)> = rows
        .map(|row| {
            let (name, rest) = row.split_once("` | ").expect("a name");
            (name.to_owned(), number(rest.split(" | ").next().expect("a number")))
        })
        .collect();
    // How fast it reads, and what Go does.
    let no_limits = ["read_buffer", "first_reads", "first_reads_until", "go_dump_cut"];
    let shown = format!("{:?}", stackgazer::limits::LIMITS);
    let fields = shown.trim_start_matches("Limits { ").trim_end_matches(" }").split(", ");
    let mut limits: Vec<(String, u64)> = fields
        .map(|field| field.split_once(": ").expect("a name and a number"))
        .filter(|(name, _)| !no_limits.contains(name))
        .map(|(name, value)| (name.to_owned(), number(value.trim_end_matches('s'))))
        .collect();
    told.sort();
    limits.sort();
    assert_eq!(told, limits);
}
