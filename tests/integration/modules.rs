//! Modules: whose code goroutines are in, by paths and by binaries.

use crate::binaries::{said, sandbox};
use crate::sandbox::{Sandbox, testdata};
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};

const DEP: &str = "github.com/acme/dep/v2@v2.3.1";
const SOURCE: &str = "https://github.com/acme/dep/blob/v2.3.1/pool/pool.go#L6";

/// A sandbox with the dump of a program that leaks, in which these texts are replaced.
fn dump(changes: &[(&str, &str)]) -> Sandbox {
    let mut text = std::fs::read_to_string(testdata("modules/goroutine.txt")).expect("a dump");
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let sandbox = Sandbox::new();
    sandbox.file("goroutine.txt", text);
    sandbox
}

/// The modules of a dump, each with its goroutines.
fn modules(sandbox: &Sandbox, more: &[&str]) -> Vec<(String, u64)> {
    let run = ["summarize", "--by", "module", "-o", "json", "goroutine.txt"];
    let document = sandbox.run(run.iter().chain(more)).quiet().json();
    let rows = document["rows"].as_array().expect("rows").iter();
    let mut rows: Vec<(String, u64)> = rows
        .map(|row| {
            let name = row["module"].as_str().expect("a module").to_owned();
            (name, row["cum"].as_u64().expect("a number"))
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn paths_tell_modules_with_their_versions() {
    let rows = |changes: &[(&str, &str)]| modules(&dump(changes), &[]);
    let plain = rows(&[]);
    assert!(plain.contains(&(DEP.to_owned(), 3)), "{plain:?}");
    assert!(plain.contains(&("example.com/shop".to_owned(), 1)), "{plain:?}");
    // As without -trimpath, on Windows, and with the module vendored, which leaves the version out.
    for (cache, name) in [
        ("/root/go/pkg/mod/github.com/acme/dep/v2@v2.3.1/", DEP),
        ("C:\\cache\\github.com\\acme\\dep\\v2@v2.3.1\\", DEP),
        ("/src/shop/vendor/github.com/acme/dep/v2/", "github.com/acme/dep/v2"),
    ] {
        let found = rows(&[("github.com/acme/dep/v2@v2.3.1/", cache)]);
        assert!(found.contains(&(name.to_owned(), 3)), "{cache}: {found:?}");
    }
}

#[test]
fn goroutines_are_selected_by_module() {
    for (pattern, count) in [("github.com/acme/*", 3), ("*@v2.3.1", 3), ("example.com/*", 1)] {
        let selected = format!("module like \"{pattern}\"");
        let run = ["summarize", "-o", "json", "--where", &selected, "goroutine.txt"];
        let document = dump(&[]).run(run).quiet().json();
        assert_eq!(document["total"], count, "{pattern}");
    }
    let run =
        ["summarize", "-o", "json", "--where", "created_by.module == 'main'", "goroutine.txt"];
    assert_eq!(dump(&[]).run(run).quiet().json()["total"], 1);
}

fn check(sandbox: &Sandbox, more: &[&str]) -> Value {
    let run = ["check", "--at-end", "-o", "json", "goroutine.txt"];
    let document = sandbox.run(run.iter().chain(more)).code(1).json();
    assert_valid(&validator("check"), &document, "check");
    document
}

/// The finding of a check about a function.
fn finding<'a>(document: &'a Value, function: &str) -> &'a Value {
    let findings = document["findings"].as_array().expect("findings");
    let is_it = |one: &&Value| one["check"] == "leftover" && one["function"] == function;
    findings.iter().find(is_it).expect("a finding")
}

#[test]
fn findings_say_which_module_they_come_from() {
    let document = check(&dump(&[]), &[]);
    let leak = finding(&document, "github.com/acme/dep/v2/pool.run");
    assert_eq!(leak["level"], "warning");
    let text = leak["text"].as_str().expect("a text");
    assert!(text.ends_with("; leaks come from github.com/acme/dep/v2@v2.3.1"), "{text}");
    assert_eq!((&leak["place"]["module"], &leak["place"]["source"]), (&json!(DEP), &json!(SOURCE)));
    assert_eq!(leak["frames"][0]["source"], SOURCE);
    let own = finding(&document, "example.com/shop/queue.Wait");
    assert_eq!((&own["level"], &own["place"].get("source")), (&json!("error"), &None));
    assert!(!own["text"].as_str().expect("a text").contains("come from"), "{own}");
}

/// `go install example.com/shop/cmd/shop@v1.0.0` builds the program itself in the module cache.
#[test]
fn the_module_of_the_main_package_is_own_code_wherever_it_lies() {
    let installed = [
        ("example.com/shop/cmd/shop/main.go", "example.com/shop@v1.0.0/cmd/shop/main.go"),
        ("example.com/shop/queue/queue.go", "example.com/shop@v1.0.0/queue/queue.go"),
    ];
    let sandbox = dump(&installed);
    let document = check(&sandbox, &[]);
    assert_eq!(finding(&document, "example.com/shop/queue.Wait")["level"], "error");
    assert_eq!(finding(&document, "github.com/acme/dep/v2/pool.run")["level"], "warning");
    assert!(modules(&sandbox, &[]).contains(&("example.com/shop@v1.0.0".to_owned(), 2)));
    // `--own` overrules it.
    let document = check(&sandbox, &["--own", "^github.com/acme/"]);
    assert_eq!(finding(&document, "example.com/shop/queue.Wait")["level"], "warning");
    assert_eq!(finding(&document, "github.com/acme/dep/v2/pool.run")["level"], "error");
}

#[test]
fn sources_are_linked_where_they_are_kept_in_public() {
    let sandbox = dump(&[]);
    let report = |format: &str| {
        let to = format!("{format}=report");
        sandbox.run(["check", "--at-end", "goroutine.txt", "--report", &to]).code(1);
        std::fs::read_to_string(sandbox.path().join("report")).expect("a report")
    };
    let log: Value = serde_json::from_str(&report("sarif")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let of_dep = |one: &&Value| one.to_string().contains("pool.run are still there");
    let result = results.iter().find(of_dep).expect("a result");
    let markdown = result["message"]["markdown"].as_str().expect("a message");
    assert!(markdown.ends_with(&format!(" ([source]({SOURCE}))")), "{markdown}");
    let location = &result["locations"][0];
    assert_eq!(location["properties"], json!({"module": DEP, "source": SOURCE}));
    // Services refuse locations that aren't files.
    let uri = &location["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "github.com/acme/dep/v2@v2.3.1/pool/pool.go");
    let markdown = report("markdown");
    let cell = format!("| [`github.com/acme/dep/v2@v2.3.1/pool/pool.go:6`]({SOURCE}) |");
    assert!(markdown.contains(&cell), "{markdown}");
}

#[test]
fn a_binary_tells_the_modules_of_its_functions() {
    let sandbox = sandbox("go1.27-elf");
    let mut text = String::new();
    for fields in said("go1.27-elf", "frame") {
        let [pc, function, place] = fields.as_slice() else { panic!("{fields:?}") };
        let next = u64::from_str_radix(&pc[2..], 16).expect("hex") + 1;
        text.push_str(&format!("1 @ {next:#x}\n#\t{pc}\t{function}\t{place}\n\n"));
    }
    let total = said("go1.27-elf", "frame").len();
    sandbox.file("goroutine.txt", format!("goroutine profile: total {total}\n{text}"));
    let named = modules(&sandbox, &["--binary", "server"]);
    let names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["example.com/probe", "std"]);
    let run = ["export", "-o", "json", "--binary", "server", "goroutine.txt"];
    let document = sandbox.run(run).quiet().json();
    assert_valid(&validator("export"), &document, "export");
    let text = document.to_string();
    for told in [
        r#""module":"example.com/probe""#,
        r#""source":"https://github.com/golang/go/blob/go1.27.3/src/sort/slice.go#L29""#,
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
}
