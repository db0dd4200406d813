//! What people see on terminals of several widths: the files in `testdata/terminal` are it.

use crate::pty::on_terminal;
use crate::sandbox::{stackgazer, testdata};

/// Lines of a screen on which all fits.
const TALL: u16 = 2_000;

const COMMANDS: [(&str, &[&str]); 10] = [
    ("summarize", &["summarize", "after.txt"]),
    ("filter", &["filter", "after.txt"]),
    ("name", &["name", "after.txt"]),
    ("explain", &["name", "--explain", "after.txt"]),
    ("peek", &["summarize", "--peek", "ApplyCommands", "after.txt"]),
    ("traces", &["summarize", "--traces", "-m", "replica", "after.txt"]),
    ("call_tree", &["summarize", "--call-tree", "--lines", "after.txt"]),
    ("diff", &["diff", "before.txt", "after.txt"]),
    ("tree", &["tree", "after.txt"]),
    ("check", &["check", "--today", "2026-11-21", "before.txt", "after.txt"]),
];

/// What a command shows on a screen so wide, without colours.
fn shown(arguments: &[&str], size: (u16, u16)) -> String {
    on_terminal(&testdata("terminal"), arguments, size, &[("NO_COLOR", "1")]).0
}

#[test]
fn commands_look_as_they_did() {
    for (name, arguments) in COMMANDS {
        for width in [80, 120, 200] {
            let path = testdata("terminal").join(format!("{name}.{width}.txt"));
            let text = shown(arguments, (width, TALL));
            if std::env::var_os("STACKGAZER_BLESS").is_some() {
                std::fs::write(&path, &text).expect("a file");
            }
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                text == before,
                "{name} on {width} columns isn't what {} holds; STACKGAZER_BLESS=1 writes it, \
                 read it then:\n{text}",
                path.display(),
            );
        }
    }
}

/// Functions of the program, without their packages.
const FUNCTIONS: [&str; 4] =
    ["(*Replica).ApplyCommandsOfTheLogInBatches", "(*scheduler).worker", "Walk", "Evaluate"];

#[test]
fn functions_are_never_shortened() {
    for arguments in [["summarize", "--by", "name"], ["filter", "-n", "0"], ["name", "-n", "0"]] {
        for width in [40, 60, 80, 120] {
            let arguments = [&arguments[..], &["after.txt"]].concat();
            let text = shown(&arguments, (width, TALL));
            for function in FUNCTIONS {
                assert!(text.contains(function), "no {function} on {width} columns:\n{text}");
            }
        }
    }
}

#[test]
fn no_line_is_longer_than_the_screen() {
    for (name, arguments) in COMMANDS {
        for width in [80, 120, 200] {
            let text = shown(arguments, (width, TALL));
            // The first line says what was read, which may be long, and commands are copied whole.
            let is_command = |line: &&str| line.trim_start().starts_with("stackgazer ");
            for line in text.lines().skip(1).filter(|line| !is_command(line)) {
                let columns = line.chars().count();
                assert!(columns <= width.into(), "{name}: {columns} of {width}: {line}");
            }
        }
    }
}

#[test]
fn packages_are_shortened_where_there_is_no_room() {
    let package = "github.com/example-warehouse/warehouse/pkg/storage/";
    let lock = "replication.(*Replica).ApplyCommandsOfTheLogInBatches";
    let narrow = shown(&["filter", "after.txt"], (80, TALL));
    assert!(narrow.contains(&format!("  {lock}  ")) && !narrow.contains(package), "{narrow}");
    let wide = shown(&["filter", "after.txt"], (200, TALL));
    assert!(wide.contains(&format!("  {package}{lock}  ")), "{wide}");
}

#[test]
fn recursion_is_shown_once() {
    let text = shown(&["filter", "-m", "config", "after.txt"], (120, TALL));
    let walks: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("config.Walk  ") && line.contains("tree.go"))
        .collect();
    assert_eq!(walks.len(), 2, "the innermost one stands at another line: {text}");
    assert!(walks[1].ends_with("  x 97"), "{text}");
    assert_eq!(text.matches("config.evaluateReference").count(), 1, "{text}");
    assert!(text.contains("\n  (2 frames x 20)\n"), "{text}");
    // In a pipe too, where nothing else is left out.
    let path = testdata("terminal/after.txt");
    let path = path.to_str().expect("UTF-8");
    let piped = stackgazer(["filter", "-m", "config", path]).quiet();
    assert!(piped.text().contains("  x 97\n") && piped.text().contains("(2 frames x 20)"));
}

#[test]
fn what_does_not_fit_is_counted_on_a_terminal_and_nowhere_else() {
    let all = shown(&["filter", "after.txt"], (80, TALL));
    let cut = shown(&["filter", "after.txt"], (80, 24));
    assert_eq!(cut.lines().count(), 23, "the prompt needs a line: {cut}");
    let left_out = all.lines().count() - 22;
    let last = format!("... {left_out} more lines: -n 0, or | less");
    assert_eq!(cut.lines().last(), Some(last.as_str()));
    assert_eq!(cut.lines().take(22).collect::<Vec<_>>(), all.lines().take(22).collect::<Vec<_>>());
    // Who says how much gets it.
    for more in [["-n", "0"], ["-n", "1000"]] {
        let arguments = [&["filter", "after.txt"][..], &more].concat();
        assert_eq!(shown(&arguments, (80, 24)), all, "{more:?}");
    }
    // Programs get it all.
    let json = shown(&["filter", "after.txt", "-o", "csv"], (80, 24));
    assert!(json.lines().count() > 70, "{json}");
    let path = testdata("terminal/after.txt");
    let piped = stackgazer(["filter", path.to_str().expect("UTF-8")]).quiet();
    assert!(!piped.text().contains("more lines"));
}

#[test]
fn own_code_stands_out_where_there_are_colours() {
    const OWN: &str = "ApplyCommandsOfTheLogInBatches";
    const BOLD: &str = "\u{1b}[1m";
    for (arguments, of_others) in [
        (&["filter"][..], "internal/poll.runtime_pollWait"),
        (&["summarize", "--traces"], "internal/poll.runtime_pollWait"),
        (&["name", "--explain"], "internal/poll.runtime_pollWait"),
    ] {
        let arguments = [arguments, &["after.txt"]].concat();
        let text = on_terminal(&testdata("terminal"), &arguments, (120, TALL), &[]).0;
        let is_bold = |function: &str| {
            let mut frames = text.lines().filter(|line| line.starts_with("  "));
            let found = frames.find(|line| line.contains(function));
            found.unwrap_or_else(|| panic!("{function} in {text}")).contains(BOLD)
        };
        assert!(is_bold(OWN), "{arguments:?}: {text}");
        assert!(!is_bold(of_others), "{arguments:?}: {text}");
    }
    let check = ["check", "--today", "2026-11-21", "before.txt", "after.txt"];
    let text = on_terminal(&testdata("terminal"), &check, (120, TALL), &[]).0;
    let at = text.lines().find(|line| line.starts_with("  at ")).expect("a place");
    assert!(at.starts_with(&format!("  at {BOLD}")), "{text}");
}

#[test]
fn without_inputs_the_short_help_fits_the_screen() {
    for arguments in [&[][..], &["summarize"], &["check"], &["export"]] {
        let (text, code) = on_terminal(&testdata("terminal"), arguments, (80, 24), &[]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("Usage: stackgazer"), "{text}");
        assert!(text.lines().count() < 24, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
