//! Completions, loaded by the shells that they are for. A shell that isn't installed is skipped, and
//! that is said.

use crate::sandbox::{Sandbox, stackgazer};
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// What is typed, and what completes it. Every shell must know these.
const SINGLE: [(&str, &str); 9] = [
    ("summarize -o ndj", "ndjson"),
    ("tree -o do", "dot"),
    ("check --report sar", "sarif"),
    ("check --explain growt", "growth"),
    ("check --fail-on not", "note"),
    ("summarize --value inuse_s", "inuse_space"),
    ("filter --input-format goroutine-debug2", "goroutine-debug2"),
    ("filter --frames col", "columns"),
    ("completions zs", "zsh"),
];
const LISTS: [(&str, &str); 5] = [
    ("summarize --by categ", "category"),
    ("summarize --by category,crea", "category,creator"),
    ("filter --kind chan-recv,rwmutex-w", "chan-recv,rwmutex-w"),
    ("filter --state sync.Mutex.Lock,sync.Cond", "sync.Mutex.Lock,sync.Cond.Wait"),
    ("diff --fail-on new,gro", "new,grown"),
];

fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    SINGLE.into_iter().chain(LISTS)
}

/// The script of a shell in a file, and the shell, if it is there.
fn loaded(sandbox: &Sandbox, shell: &str) -> Option<PathBuf> {
    if Command::new(shell).arg("--version").output().is_err() {
        // Past what the test runner keeps to itself of tests that pass.
        let _ = writeln!(std::io::stderr(), "skipped: {shell} isn't there to try its completions");
        return None;
    }
    let script = stackgazer(["completions", shell]).quiet().stdout;
    Some(sandbox.file(format!("_stackgazer.{shell}"), script))
}

fn printed(sandbox: &Sandbox, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(sandbox.path())
        .env("HOME", sandbox.path())
        .env("TERM", "dumb")
        .output()
        .expect("the shell starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.is_empty(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn bash_completes_values() {
    let sandbox = Sandbox::new();
    let Some(script) = loaded(&sandbox, "bash") else { return };
    let complete = |words: &[&str]| {
        let test = "source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
                    _stackgazer stackgazer \"${@: -1}\" \"${@: -2:1}\"; \
                    printf '%s\\n' \"${COMPREPLY[@]}\"";
        let head = ["--norc", "--noprofile", "-c", test, "bash", script.to_str().expect("UTF-8")];
        printed(&sandbox, "bash", &[&head, words].concat())
    };
    for (typed, completed) in cases() {
        let words: Vec<&str> = std::iter::once("stackgazer").chain(typed.split(' ')).collect();
        assert_eq!(complete(&words), format!("{completed}\n"), "{typed}");
    }
    // What has blanks in it arrives as one word, however it was begun.
    for (typed, completed) in [
        ("chan\\ s", "chan\\ send\nchan\\ send\\ \\(nil\\ chan\\)\n"),
        ("'chan s", "chan send\nchan send (nil chan)\n"),
        ("select,chan\\ r", "select,chan\\ receive\nselect,chan\\ receive\\ \\(nil\\ chan\\)\n"),
    ] {
        assert_eq!(complete(&["stackgazer", "filter", "--state", typed]), completed, "{typed}");
    }
}

#[test]
fn fish_completes_values() {
    let sandbox = Sandbox::new();
    let Some(script) = loaded(&sandbox, "fish") else { return };
    for (typed, completed) in cases() {
        let test = format!("source {}; complete -C 'stackgazer {typed}'", script.display());
        let shown = printed(&sandbox, "fish", &["--no-config", "-c", &test]);
        // Behind a tab stands what a value means.
        let offered: Vec<&str> =
            shown.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
        assert_eq!(offered, [completed], "{typed}");
    }
    let test = format!("source {}; complete -C 'stackgazer filter --state chan'", script.display());
    let shown = printed(&sandbox, "fish", &["--no-config", "-c", &test]);
    assert!(shown.contains("chan receive\t"), "{shown}");
}

/// zsh completes only what is typed on a terminal, which its own module makes.
const ZSH: &str = r#"
zmodload zsh/zpty
zpty shell "PS1= zsh -f -i"
zpty -w shell "PS1=; unsetopt zle_bracketed_paste 2>/dev/null; autoload -U compinit; compinit -u -D"
zpty -w shell "stackgazer() { print -r -- \"<\${(j:|:)@}>\" }; source $1; compdef _stackgazer stackgazer; print READY\$((1 + 1))"
while zpty -r shell line; do [[ $line == *READY2* ]] && break; done
zpty -w -n shell "stackgazer $2"$'\t\n'
while zpty -r shell line; do
    if [[ $line == *'<'*'>'* ]]; then print -r -- "${${line#*<}%>*}"; break; fi
done
zpty -d shell
"#;

#[test]
fn zsh_completes_values() {
    let sandbox = Sandbox::new();
    let Some(script) = loaded(&sandbox, "zsh") else { return };
    let script = script.to_str().expect("UTF-8");
    for (typed, completed) in cases() {
        let (before, _) = typed.rsplit_once(' ').expect("two words");
        let expected = format!("{}|{completed}\n", before.replace(' ', "|"));
        let shown = printed(&sandbox, "zsh", &["-f", "-c", ZSH, "zsh", script, typed]);
        assert_eq!(shown, expected, "{typed}");
    }
}

#[test]
fn powershell_has_a_table_of_values() {
    let script = stackgazer(["completions", "powershell"]).quiet();
    let script = script.text();
    for line in [
        "    'summarize --output' = @('table', 'json', 'ndjson', 'csv', 'markdown', 'html')",
        "    'tree -o' = @('text', 'json', 'ndjson', 'csv', 'dot')",
        "    'filter --frames' = @('both', 'columns', 'func', 'loc', 'none')",
        "    'check --fail-on' = @('error', 'warning', 'note')",
        "    'completions completions' = @('bash', 'elvish', 'fish', 'powershell', 'zsh')",
        "    'diff --fail-on' = @('new', 'gone', 'grown', 'shrunk', 'changed')",
    ] {
        assert!(script.lines().any(|one| one == line), "no {line}");
    }
    let parts: Vec<usize> = ["$stackgazerValues = @{", "Register-ArgumentCompleter", "param($word"]
        .iter()
        .map(|part| script.find(part).expect(part))
        .collect();
    assert!(parts.is_sorted(), "the table stands in front of what asks it");
    assert_eq!(script.matches('{').count(), script.matches('}').count());
}
