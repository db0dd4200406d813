//! Settings: where they come from, and those of the browser tool.

use crate::document::Document;
use crate::sandbox::Sandbox;

const DUMP: &str = "goroutine 7 [select]:\nex.org/a/b.(*C).run(0x1)\n\t/src/b.go:9 +0x1d\n";

fn name(sandbox: &Sandbox, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let arguments = [&["export", "-o", "json"], arguments, &["dump.txt"]].concat();
    let ran = sandbox.run_with(arguments, b"", environment);
    Document::new(ran.code(0).json()).goroutines[0].name.clone()
}

#[test]
fn project_file_environment_and_flag_win_in_this_order() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let plain = name(&sandbox, &["--no-default-rules"], &[]);
    assert_eq!(plain, "ex.org/a/b.(*C).run");
    sandbox.file("stackgazer.toml", "[name]\ntrim = [\"ex.org/\"]\n");
    assert_eq!(name(&sandbox, &["--no-default-rules"], &[]), "a/b.(*C).run");
    let other = sandbox.file("other.toml", "[name]\ntrim = [\"ex.org/a/\"]\n");
    let other = other.to_str().expect("UTF-8");
    let environment = [("STACKGAZER_CONFIG", other)];
    assert_eq!(name(&sandbox, &["--no-default-rules"], &environment), "b.(*C).run");
    assert_eq!(name(&sandbox, &["--no-default-rules", "--config", other], &[]), "b.(*C).run");
    assert_eq!(name(&sandbox, &["--no-default-rules", "--no-config"], &[]), plain);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let line = "mkfifo pipe; echo '[check]\nmax_goroutines = 0' > pipe & \
                while [ ! -p pipe ]; do sleep 0.01; done; timeout 20 $S $A --config pipe dump.txt";
    for (arguments, code) in [("check", 1), ("summarize -o html", 0), ("summarize", 0)] {
        let status = std::process::Command::new("sh")
            .args(["-c", line])
            .current_dir(sandbox.path())
            .envs([("S", env!("CARGO_BIN_EXE_stackgazer")), ("A", arguments)])
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .status();
        assert_eq!(status.expect("a shell").code(), Some(code), "{arguments}");
        std::fs::remove_file(sandbox.path().join("pipe")).expect("a pipe");
    }
}

#[test]
fn settings_of_the_browser_tool_are_taken_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox.file(
        "settings.json",
        r#"{"nameTrimRules": {"ignoreDefault": true, "custom": ["s|^ex.org/a/b|B|"]}}"#,
    );
    assert_eq!(name(&sandbox, &["--config", "settings.json"], &[]), "B.(*C).run");
}

#[test]
fn what_the_browser_tool_drops_is_dropped_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox.file(
        "settings.json",
        r#"{"nameFoldRules": {"ignoreDefault": true, "custom": ["no form of a fold"]}}"#,
    );
    let arguments = ["export", "-o", "json", "--config", "settings.json", "dump.txt"];
    sandbox.run(arguments).code(0).says("nameFoldRules").says("no form of a fold");
    sandbox.run(arguments.into_iter().chain(["--strict"])).code(2);
}

#[test]
fn import_writes_toml_that_means_the_same() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    sandbox.file(
        "settings.json",
        r#"{"nameTrimRules": {"ignoreDefault": true, "custom": ["ex.org/", "s|b|B|"]}}"#,
    );
    let toml = sandbox.run(["config", "import", "settings.json"]).quiet().stdout;
    sandbox.file("imported.toml", toml);
    let imported = name(&sandbox, &["--config", "imported.toml"], &[]);
    assert_eq!(imported, name(&sandbox, &["--config", "settings.json"], &[]));
    assert_eq!(imported, "a/B.(*C).run");
}

#[test]
fn show_tells_where_values_come_from() {
    let sandbox = Sandbox::new();
    sandbox.file("stackgazer.toml", "[name]\ntrim = [\"ex.org/\"]\n");
    let ran = sandbox.run(["config", "show"]).quiet();
    assert!(ran.text().contains("ex.org/"), "{}", ran.text());
    assert!(ran.text().contains("stackgazer.toml"), "{}", ran.text());
    let json = sandbox.run(["config", "show", "-o", "json"]).quiet().json();
    assert_eq!(json["schema"], "stackgazer.config/1");
}

#[test]
fn unknown_keys_and_bad_rules_are_errors_with_a_place() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    for (toml, says) in [
        ("[name]\ntrimm = []\n", "trim"),
        ("[nam]\ntrim = []\n", "nam"),
        ("[name]\ntrim = [\"s|(|x|\"]\n", "bad.toml"),
        ("[name\n", "bad.toml"),
    ] {
        sandbox.file("bad.toml", toml);
        sandbox.run(["summarize", "--config", "bad.toml", "dump.txt"]).code(2).says(says);
    }
}

#[test]
fn the_document_follows_its_schema() {
    let validator = crate::schema::validator("config");
    let sandbox = Sandbox::new();
    sandbox.file("stackgazer.toml", "[name]\ntrim = [\"ex.org/\"]\ndistinct = false\n");
    let arguments = ["config", "show", "-o", "json", "--rule", "name.skip=x"];
    let document = sandbox.run(arguments).quiet().json();
    crate::schema::assert_valid(&validator, &document, "config");
    assert_eq!(document["files"][0]["layer"], "project");
    let distinct = &document["settings"][0];
    assert_eq!((&distinct["key"], &distinct["value"]), (&"name.distinct".into(), &false.into()));
    assert!(distinct["from"].as_str().is_some_and(|from| from.ends_with("stackgazer.toml")));
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_regular_file_are_refused_not_passed_over() {
    for line in ["mkdir", "ln -s gone", "ln -s /dev/zero"] {
        let sandbox = Sandbox::new();
        sandbox.file("dump.txt", DUMP);
        let mut words = line.split(' ');
        let mut command = std::process::Command::new(words.next().expect("a command"));
        let settings = sandbox.path().join(".stackgazer.toml");
        assert!(command.args(words).arg(settings).status().expect("it starts").success());
        let ran = sandbox.run(["summarize", "dump.txt"]).code(2).says(".stackgazer.toml");
        assert!(ran.stdout.is_empty(), "{line}");
        sandbox.run(["summarize", "--no-config", "dump.txt"]).quiet();
    }
}

#[test]
fn secrets_of_addresses_that_settings_are_taken_for_are_shown_nowhere() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let address = "https://u:SECRET@h/x.toml?token=SECRET";
    sandbox.file("allow.toml", format!("[check]\nallow = [{address:?}]\n"));
    sandbox.file("baseline.toml", format!("[check]\nbaseline = [{address:?}]\n"));
    for config in [address, "allow.toml", "baseline.toml"] {
        let environment = [("STACKGAZER_CONFIG", config)];
        let ran = sandbox.run_with(["check", "dump.txt"], b"", &environment).code(2);
        assert!(ran.stderr.contains("https://h/x.toml"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("SECRET"), "{}", ran.stderr);
    }
}
