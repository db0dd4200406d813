//! What every command writes in every format it offers, byte by byte: the files in `testdata/golden`,
//! each named by the command line that writes it. What goes to stderr stands behind it, and how the command
//! ends, if it isn't with 0. STACKGAZER_BLESS=1 writes them anew; read them then.

use crate::binaries::binary;
use crate::page;
use crate::sandbox::{Ran, Sandbox, member, testdata};
use std::collections::BTreeMap;

/// Command lines, to which `-o FORMAT` is added for every format that they offer.
const EVERY_FORMAT: [&str; 15] = [
    "summarize new.txt",
    "summarize --peek Unlock mutex.pb.gz",
    "summarize mutex.pb.gz",
    "summarize --list Unlock mutex.pb.gz",
    "stacksize panic.txt",
    "stacksize --functions -n 5 server",
    "symbolize server 0x5940e5 main.frame3000+0x7a 0x1",
    "filter deadlock.txt",
    "name new.txt",
    "diff old.txt new.txt",
    "check --today 2026-11-21 deadlock.txt",
    "tree new.txt",
    "tree --waits deadlock.txt",
    "export deadlock.txt",
    CAPTURE,
];

/// Of a core file, as no two live processes are the same.
const CAPTURE: &str = "capture --core core --binary program";

/// Those of `check` with a report behind its table.
const REPORTS: [&str; 7] = ["sarif", "junit", "github", "gitlab", "markdown", "json", "html"];

/// Inputs, and the archives of the test data that they are in.
const INPUTS: [(&str, &str, &str); 3] = [
    ("old.txt", "leaks/go1.27.3.zip", "abandoned-sender/1.txt"),
    ("new.txt", "leaks/go1.27.3.zip", "abandoned-sender/2.txt"),
    ("deadlock.txt", "leaks/stories.zip", "go1.27.3/deadlock.txt"),
];

/// Settings of the browser tool, of which one has no equivalent.
const SETTINGS: &str = r#"{
    "nameTrimRules": {"ignoreDefault": true, "custom": ["ex.org/", "s|b|B|"]},
    "nameFoldRules": {"custom": ["no form of a fold"]}
}"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, archive, of) in INPUTS {
        sandbox.file(name, member(archive, of));
    }
    let profile = std::fs::read(testdata("values/go1.27.3.mutex.debug0.pb.gz")).expect("a file");
    sandbox.file("mutex.pb.gz", profile);
    sandbox.file("server", binary("go1.27-elf"));
    sandbox.file("panic.txt", std::fs::read(testdata("stacks/after.txt")).expect("a file"));
    sandbox.file("settings.json", SETTINGS);
    #[cfg(target_os = "linux")]
    crate::live::core_and_program(&sandbox);
    sandbox
}

fn run(sandbox: &Sandbox, line: &str) -> Ran {
    sandbox.run(line.split(' '))
}

/// Only Linux has processes that are captured.
fn can_run(line: &str) -> bool {
    cfg!(target_os = "linux") || !line.starts_with("capture ")
}

/// The formats that a command offers, as it says when it is asked for another one.
fn formats(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let error = run(sandbox, &format!("{line} -o nonsense")).code(2).stderr;
    let (_, offered) = error.trim_end().split_once("use one of ").expect("formats");
    offered.split(", ").map(str::to_owned).collect()
}

/// What is to be written, by command line. Compressed protos aren't text; `round_trip` reads them back.
/// Pages hold a program of their own; what is in them is for the tests in `page/`, but for what a report
/// holds. Tables are no text either; `tables` reads them back.
fn lines(sandbox: &Sandbox) -> Vec<String> {
    let mut lines = Vec::new();
    for line in EVERY_FORMAT.into_iter().filter(|line| can_run(line)) {
        let formats = formats(sandbox, line);
        let no_text = ["pprof", "html", "parquet"];
        let formats = formats.iter().filter(|format| !no_text.contains(&format.as_str()));
        lines.extend(formats.map(|format| format!("{line} -o {format}")));
    }
    let check = "check --today 2026-11-21 deadlock.txt";
    lines.extend(REPORTS.iter().map(|report| format!("{check} --report {report}")));
    lines.push("config show --no-config".to_owned());
    lines.push("config import settings.json".to_owned());
    lines
}

/// What a run wrote, and how it ended.
fn told(ran: &Ran) -> String {
    let mut text = ran.text().to_owned();
    if let Some(at) = text.find("<!doctype html>") {
        let data = page::data(&text[at..]);
        text.replace_range(at.., &format!("{data:#}\n"));
    }
    if !ran.stderr.is_empty() {
        text.push_str(&format!("# stderr\n{}", ran.stderr));
    }
    match ran.code {
        Some(0) => text,
        code => format!("{text}# exit code {}\n", code.expect("no signal")),
    }
}

#[test]
fn commands_write_what_they_wrote() {
    let (sandbox, folder) = (sandbox(), testdata("golden"));
    let name = |line: &str| format!("{line}.out");
    let written: BTreeMap<String, String> = lines(&sandbox)
        .iter()
        .map(|line| {
            let ran = run(&sandbox, line).no_panic();
            assert!(matches!(ran.code, Some(0 | 1)), "{line}: {}", ran.stderr);
            (name(line), told(&ran))
        })
        .collect();
    if std::env::var_os("STACKGAZER_BLESS").is_some() {
        std::fs::remove_dir_all(&folder).expect("a folder");
        std::fs::create_dir(&folder).expect("a folder");
        for (name, text) in &written {
            std::fs::write(folder.join(name), text).expect("a file");
        }
    }
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        (path.file_name().expect("a name").to_string_lossy().into_owned(), text)
    };
    let files = std::fs::read_dir(&folder).expect("a folder").map(read);
    let golden: BTreeMap<String, String> = files.filter(|(name, _)| can_run(name)).collect();
    let names = |all: &BTreeMap<String, String>| all.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&written), names(&golden), "STACKGAZER_BLESS=1 writes them");
    for (name, text) in &written {
        let lines = text.lines().zip(golden[name].lines()).find(|(new, old)| new != old);
        assert!(
            *text == golden[name],
            "{name} is another, first in {lines:?}; STACKGAZER_BLESS=1 writes it, read it then",
        );
    }
}
