//! Names that would steer a terminal, start lines of their own, or run in a spreadsheet.

use super::files::{EVIL, ONE};
use super::ways;
use super::write::*;
use crate::binaries::binary;
use crate::pty::on_terminal;
use crate::sandbox::Sandbox;
use regex::Regex;

/// A name with all of it, and lines that look like others' words.
fn evil(name: &str) -> String {
    format!("{name}{EVIL}\nforged: {name}\n::stop-commands::forged")
}

/// A folder with inputs that have such a name wherever there is one, and the arguments that read
/// them: goroutines, and values of other kinds.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let strings = |types: [&str; 2]| -> Vec<Vec<u8>> {
        let names =
            ["main.f", "/src/a.go", "key", "value", "/bin/file", "build-id", "comment", "unit"];
        let names = names.map(evil);
        let all = [""].into_iter().chain(types).chain(names.iter().map(String::as_str));
        all.map(|text| text.as_bytes().to_vec()).collect()
    };
    let proto = |types: [&str; 2]| Proto {
        strings: strings(types),
        samples: vec![
            (vec![1], vec![5], vec![[5, 6, 0, 0], [6, 0, 7, 10]]),
            (vec![1, 1], vec![7], vec![]),
        ],
        mapping: [number(5, 7), number(6, 8)].concat(),
        extra: number(13, 9),
        ..Proto::default()
    };
    let goroutines = proto(["goroutine", "count"]).bytes();
    let (kind, unit) = (evil("kind"), evil("unit"));
    let values = proto([&kind, &unit]).bytes();
    let text = format!(
        "panic: {EVIL}\n\ngoroutine 1 [{EVIL}, locked to {EVIL}] {{\"{EVIL}\": \"v{EVIL}\"}}:\n\
         main.{EVIL}({EVIL})\n\t/src/{EVIL}.go:3 +0x1d\ncreated by main.{EVIL} in goroutine 7\n\
         \t/src/{EVIL}.go:9 +0x1\n\ngoroutine 7 [sync.Mutex.Lock, 9 minutes]:\n\
         sync.runtime_SemacquireMutex(0xc000012345, 0x0, 0x1)\n\t/go/src/runtime/sema.go:95 +0x25\n\
         sync.(*Mutex).lockSlow(0xc000012345)\n\t/go/src/sync/mutex.go:173 +0x15d\n\
         sync.(*Mutex).Lock(0xc000012345)\n\t/go/src/sync/mutex.go:92 +0x1\n\
         main.{EVIL}(0xc000012345)\n\t/src/{EVIL}.go:3 +0x1d\n\n"
    );
    let members = ["n1/stacks", "n2/stacks"].map(evil);
    let dumps = [member(&members[0], text.repeat(3)), member(&members[1], &goroutines)];
    let broken = member(evil("broken"), &goroutines[..goroutines.len() - 3]);
    sandbox.file("dumps.zip", zip(&dumps));
    sandbox.file("broken.zip", zip(&[dumps[0].clone(), dumps[1].clone(), broken]));
    sandbox.file("values.zip", zip(&[member(&members[0], &values)]));
    sandbox.file("good.txt", ONE);
    let quoted = serde_json::to_string(&evil("rule")).expect("a text").replace('\u{7f}', "");
    let settings = format!(
        "[category]\nmatch = [{{ prefix = \"main.\", to = {quoted} }}]\n\
         [name]\nfold = [{{ prefix = \"sync.\", to = {quoted} }}]\n"
    );
    sandbox.file("settings.toml", settings);
    sandbox
}

/// What is wrong with a text for a terminal: something in it steers, or a name starts a line.
fn forged(shown: &str, colours: bool) -> Option<String> {
    let own = Regex::new("\u{1b}\\[[0-9]{0,2}m").expect("a pattern");
    if shown.contains("\u{1b}[31mX") {
        return Some("a colour of a name".to_owned());
    }
    let plain = if colours { own.replace_all(shown, "") } else { shown.into() };
    let steers = |char: &char| {
        char.is_control() && !matches!(char, '\n' | '\t')
            || matches!(char, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(char) = plain.chars().find(steers) {
        return Some(format!("{char:?}"));
    }
    let line = plain.lines().find(|line| {
        let line = line.trim_start_matches([' ', '"', '#', '|', '│', '├', '└', '─']);
        line.starts_with("forged:") || line.starts_with("::stop")
    });
    line.map(str::to_owned)
}

#[test]
fn no_name_steers_a_terminal_or_starts_a_line_in_any_command_and_format() {
    let sandbox = sandbox();
    let mut wrong = Vec::new();
    for way in ways() {
        if way.iter().any(|word| word == "pprof") {
            // Not written to a terminal at all.
            continue;
        }
        for input in ["dumps.zip", "values.zip", "broken.zip"] {
            let diff = way[0] == "diff";
            let mut arguments: Vec<&str> = way.iter().map(String::as_str).collect();
            arguments.extend(["--config", "settings.toml"]);
            arguments.extend(diff.then_some("good.txt"));
            arguments.push(input);
            for colours in [false, true] {
                let environment: &[_] = if colours { &[] } else { &[("NO_COLOR", "1")] };
                let (shown, code) =
                    on_terminal(sandbox.path(), &arguments, (120, 2000), environment);
                if !matches!(code, Some(0..=2)) || shown.contains("panicked at") {
                    wrong.push(format!("{arguments:?} ends with {code:?}"));
                }
                if let Some(what) = forged(&shown, colours) {
                    wrong.push(format!("{arguments:?} colours {colours}: {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_terminal_is_one_however_it_is_named() {
    let sandbox = sandbox();
    for to in ["/dev/stderr", "/dev/stdin", "/dev/fd/2", "/proc/self/fd/0"] {
        let report = |format: &str| format!("--report={format}={to}");
        let (markdown, junit) = (report("markdown"), report("junit"));
        let mut ways = vec![
            vec!["filter", "--to", to],
            vec!["filter", "--color", "always", "--to", to],
            vec!["check", "--max-goroutines", "0", &markdown],
            vec!["check", "--max-goroutines", "0", &junit],
            vec!["check", "--max-goroutines", "0", "--write-baseline", to],
        ];
        let formats = ["csv", "json", "debug2", "folded", "text"];
        ways.extend(formats.map(|format| vec!["export", "-o", format, "--to", to]));
        for mut arguments in ways {
            arguments.push("dumps.zip");
            let (shown, _) = on_terminal(sandbox.path(), &arguments, (120, 2000), &[]);
            assert_eq!(forged(&shown, true), None, "{arguments:?}");
            assert!(shown.contains("[31mX"), "{arguments:?}: {shown}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_inherited_descriptor_gets_has_no_commands_in_ci() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", String::from_utf8_lossy(ONE).replace("main.", "main.##[error]"));
    for to in ["--to /dev/fd/3", "--to /dev/stderr", "--to /dev/stdout"] {
        let line = format!("\"$S\" filter dump.txt -o text {to} 3>&1 2>&1 | cat");
        let output = std::process::Command::new("bash")
            .args(["-c", &line])
            .current_dir(sandbox.path())
            .env("S", env!("CARGO_BIN_EXE_stackgazer"))
            .env("GITHUB_ACTIONS", "true")
            .output()
            .expect("a shell");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains("#\\#[error]") && !shown.contains("##["), "{to}: {shown}");
    }
}

#[test]
fn no_line_break_in_a_name_starts_a_line_in_a_pipe() {
    let sandbox = Sandbox::new();
    let mut named = Proto::default();
    for name in &mut named.strings[3..] {
        name.extend(b"\r::stop-commands::x\n::stop-commands::y");
    }
    sandbox.file("names.pb", named.bytes());
    sandbox.file("good.txt", ONE);
    for way in ways() {
        if way.iter().any(|word| word == "pprof" || word == "parquet") {
            // Not text.
            continue;
        }
        let mut arguments: Vec<&str> = way.iter().map(String::as_str).collect();
        arguments.extend((way[0] == "diff").then_some("good.txt"));
        arguments.push("names.pb");
        let ran = sandbox.run(&arguments).no_panic();
        let shown = String::from_utf8_lossy(&ran.stdout);
        let line = shown.split(['\n', '\r']).find(|line| line.trim_start().starts_with("::stop"));
        assert_eq!(line, None, "{arguments:?}: {shown}");
    }
}

#[test]
fn arguments_that_are_refused_steer_no_terminal_and_start_no_line() {
    let sandbox = Sandbox::new();
    sandbox.file("good.txt", ONE);
    let hostile = format!("{}\n::stop-commands::x", EVIL.replace('=', ""));
    let joined = |option: &str| format!("{option}={hostile}");
    for arguments in [
        vec!["summarize".to_owned(), format!("-n{hostile}"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), format!("--{hostile}"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), joined("--threads"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), joined("--color"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), joined("--sort"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), joined("--by"), "good.txt".to_owned()],
        vec!["summarize".to_owned(), joined("--divide-by"), "good.txt".to_owned()],
        vec!["diff".to_owned(), joined("--order"), "good.txt".to_owned()],
        vec!["check".to_owned(), joined("--watch"), "good.txt".to_owned()],
        vec!["capture".to_owned(), hostile.clone()],
        vec!["capture".to_owned(), joined("--mode"), "1".to_owned()],
        vec!["capture".to_owned(), joined("--goroutine"), "1".to_owned()],
        vec!["completions".to_owned(), hostile.clone()],
        vec!["man".to_owned(), hostile.clone()],
        vec!["config".to_owned(), hostile.clone()],
        vec!["config".to_owned(), "show".to_owned(), hostile.clone()],
    ] {
        let ran = sandbox.run(&arguments).code(2);
        assert!(ran.stderr.contains("::stop-commands"), "{arguments:?}: {}", ran.stderr);
        assert_eq!(forged(&ran.stderr, false), None, "{arguments:?}: {}", ran.stderr);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (shown, code) = on_terminal(sandbox.path(), &arguments, (120, 2000), &[]);
        assert_eq!(code, Some(2), "{arguments:?}: {shown}");
        assert_eq!(forged(&shown, true), None, "{arguments:?}: {shown}");
    }
}

/// A binary with such names in its tables: each is as long as the one whose place it takes.
fn hostile_binary() -> Vec<u8> {
    let mut bytes = binary("go1.27-elf");
    let mut put = |name: &str, hostile: &str| {
        assert!(hostile.len() <= name.len());
        let hostile = format!("{hostile}{}\0", "x".repeat(name.len() - hostile.len()));
        let name = format!("{name}\0").into_bytes();
        let places: Vec<usize> = memchr::memmem::find_iter(&bytes, &name).collect();
        assert!(!places.is_empty(), "{name:?}");
        for at in places {
            bytes[at..at + name.len()].copy_from_slice(hostile.as_bytes());
        }
    };
    put("example.com/probe/main.go", "/\u{1b}[31mX\u{9b}J\u{202e}\nforged:");
    put("main.frame3000", "\u{1b}[31mX\rforged");
    put("main.frame128", "\u{7}\u{202e}\n::stop");
    bytes
}

#[test]
fn names_in_binaries_steer_no_terminal_and_start_no_line() {
    let sandbox = Sandbox::new();
    sandbox.file("server", hostile_binary());
    sandbox.file("good.txt", ONE);
    let (addresses, functions) = (["0x59421a", "0x594172"], ["stacksize", "--functions", "server"]);
    let mut wrong = Vec::new();
    for format in ["table", "json", "csv", "addr2line"] {
        let ways = [
            [&["symbolize", "-o", format, "server"], &addresses[..]].concat(),
            [&functions[..], &["-o", format, "-n", "0"]].concat(),
            vec!["diff", "-o", format, "server", "server"],
        ];
        for arguments in ways {
            for (colours, environment) in [(false, &[("NO_COLOR", "1")][..]), (true, &[])] {
                let (shown, _) = on_terminal(sandbox.path(), &arguments, (120, 2000), environment);
                if let Some(what) = forged(&shown, colours) {
                    wrong.push(format!("{arguments:?} colours {colours}: {what}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of them\n{}", wrong.len(), wrong.join("\n"));
    let asked = addresses.join("\n");
    let ran = sandbox.pipe(["symbolize", "-o", "addr2line", "server"], asked.as_bytes());
    assert_eq!(ran.quiet().text().lines().count(), 2 * addresses.len());
    // They were there to be shown.
    let shown = sandbox.run(["symbolize", "server", addresses[0]]).quiet();
    assert!(shown.text().contains("[31mX"), "{}", shown.text());
}

#[test]
fn names_of_inputs_are_no_goroutines_when_a_dump_is_read_back() {
    let sandbox = Sandbox::new();
    let names = [
        "x goroutine 9 [running]:",
        "goroutine profile: total 7",
        "goroutine 5 [select]:\nmain.f()",
    ];
    for name in names {
        sandbox.file(name, ONE);
    }
    sandbox.run(["export", "-o", "debug2", "--to", "all.txt"].iter().chain(&names)).code(0);
    let document = sandbox.run(["export", "-o", "json", "all.txt"]).no_panic().json();
    assert_eq!(document["total"], 3);
}
