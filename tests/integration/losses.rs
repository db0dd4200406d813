//! What could not be read stands in every document, not only on stderr.

use crate::containers::{gzip, zip_of};
use crate::sandbox::Sandbox;
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};

const DUMP: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";

/// A folder with a dump, a file of unknown content, damaged gzip, and a zip inside too many others.
fn incident(sandbox: &Sandbox) {
    sandbox.file("in/dump.txt", DUMP);
    sandbox.file("in/notes.txt", b"nothing of interest\n");
    let gzip = gzip(&DUMP.repeat(40));
    sandbox.file("in/broken.gz", &gzip[..gzip.len() - 12]);
    let mut zip = zip_of(&[("goroutines.txt", DUMP)]);
    for _ in 0..6 {
        zip = zip_of(&[("inner.zip", &zip)]);
    }
    sandbox.file("in/deep.zip", zip);
}

#[track_caller]
fn assert_tells(document: &Value, what: &str) {
    assert_eq!(document["failed"][0]["path"], "in/broken.gz", "{what}: {document}");
    let archives = document["archive_warnings"].as_array().expect(what);
    let text = archives[0]["text"].as_str().expect("a text");
    assert!(text.contains("is left closed"), "{what}: {text}");
    let once = if what == "diff" { 2 } else { 1 };
    assert_eq!(document["skipped_members"], once, "{what}");
}

#[test]
fn every_document_tells_what_is_missing_in_it() {
    let sandbox = Sandbox::new();
    incident(&sandbox);
    for (command, schema) in [
        (&["export"][..], "export"),
        (&["filter"], "export"),
        (&["summarize"], "summary"),
        (&["name"], "name"),
        (&["tree"], "tree"),
        (&["check"], "check"),
        (&["diff", "in"], "diff"),
    ] {
        let arguments = command.iter().chain(&["in", "-o", "json"]);
        let document = sandbox.run(arguments).code(2).json();
        assert_valid(&validator(schema), &document, command[0]);
        assert_tells(&document, command[0]);
    }
    for command in ["export", "filter", "summarize"] {
        let lines = sandbox.run([command, "in", "-o", "ndjson"]).code(2);
        let first: Value = lines.text().lines().next().map(serde_json::from_str).unwrap().unwrap();
        assert_eq!(first["type"], "inputs");
        assert_tells(&first, command);
    }
}

#[test]
fn nothing_is_said_of_losses_when_there_are_none() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let document = sandbox.run(["export", "-o", "json", "dump.txt"]).quiet().json();
    for field in ["failed", "archive_warnings", "skipped_members"] {
        assert!(document.get(field).is_none(), "{field}");
    }
}

#[test]
fn an_archive_that_was_left_closed_makes_the_reading_incomplete() {
    let sandbox = Sandbox::new();
    incident(&sandbox);
    std::fs::remove_file(sandbox.path().join("in/broken.gz")).unwrap();
    let summarize = |more: &[&str]| sandbox.run(["summarize", "in"].iter().chain(more)).code(0);
    let document = summarize(&["-o", "json"]).json();
    assert_eq!(document["verdict"]["complete"], json!(false));
    let text = summarize(&[]).text().to_owned();
    assert!(text.contains("not complete: "), "{text}");
    assert!(text.contains("is left closed"), "{text}");
}

#[test]
fn strict_fails_for_what_was_lost_and_for_nothing_else() {
    let sandbox = Sandbox::new();
    let repeated = [DUMP, DUMP].join(&b'\n');
    let odd = b"goroutine 1 [running]:\nmain.m\xffin()\n\t/src/a.go:3 +0x1d\n";
    for (name, dump) in [("repeated.txt", &repeated[..]), ("odd.txt", odd)] {
        sandbox.file(name, dump);
        // All of it was read, though something about it is odd.
        let ran = sandbox.run(["export", "-o", "json", "--strict", name]).code(0);
        assert!(ran.stderr.contains("warning: "), "{name}: {}", ran.stderr);
    }
    incident(&sandbox);
    std::fs::remove_file(sandbox.path().join("in/broken.gz")).unwrap();
    // What an archive holds beside what was read is lost, though all inputs are whole.
    sandbox.run(["summarize", "in"]).code(0);
    let ran = sandbox.run(["summarize", "--strict", "in"]).code(2);
    assert!(ran.stderr.contains("is left closed"), "{}", ran.stderr);
}

#[test]
fn names_that_are_not_utf8_are_noted_in_every_document() {
    let sandbox = Sandbox::new();
    let dump = b"goroutine 1 [running]:\nmain.m\xffin()\n\t/src/a.go:3 +0x1d\n";
    sandbox.file("dump.txt", dump);
    for command in [
        &["export"][..],
        &["filter"],
        &["summarize"],
        &["name"],
        &["tree"],
        &["diff", "dump.txt"],
        &["check"],
    ] {
        let arguments = command.iter().chain(&["dump.txt", "-o", "json"]);
        let document = sandbox.run(arguments).json();
        let kinds = document["inputs"][0]["warnings"].as_array().expect("warnings");
        assert!(kinds.iter().any(|one| one["kind"] == "not-utf8"), "{command:?}: {document}");
    }
}
