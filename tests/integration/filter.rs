//! `filter`, and selecting on every command.

use crate::document::{Document, Goroutine};
use crate::sandbox::{Sandbox, stackgazer, testdata};

const DUMP: &str = "\
goroutine 1 [running]:
main.main()
\t/src/main.go:3 +0x1d

goroutine 17 [select, 5 minutes, locked to thread] {tenant: acme, zone: eu}:
shop/store.(*DB).Flush(0xc000012345)
\t/src/store/db.go:40 +0x1d
shop/api.Serve(...)
\t/src/api/api.go:9
created by main.start in goroutine 1
\t/src/main.go:12 +0x45

goroutine 18 [chan receive, 90 minutes] {tenant: globex}:
shop/queue.Work()
\t/src/queue/work.go:7 +0x1d
created by main.start in goroutine 1
\t/src/main.go:12 +0x45

goroutine 19 [chan receive (leaked)]:
shop/queue.Work()
\t/src/queue/work.go:7 +0x1d
created by shop/queue.New in goroutine 17
\t/src/queue/new.go:2 +0x45
";

/// The ids of the goroutines of [`DUMP`] that these flags select.
fn selected(flags: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let arguments = [&["filter", "-o", "json"], flags, &["dump.txt"]].concat();
    let document = Document::new(sandbox.run(arguments).code(0).json());
    if !flags.is_empty() {
        let selected = &document.json["selected"]["goroutines"];
        assert_eq!(selected.as_i64(), Some(document.count()), "{flags:?}");
    }
    let mut ids: Vec<String> = document.goroutines.into_iter().filter_map(|one| one.id).collect();
    ids.sort();
    ids
}

#[test]
fn flags_select() {
    for (flags, ids) in [
        (&[][..], &["1", "17", "18", "19"][..]),
        (&["--match", "FLUSH"], &["17"]),
        (&["--match", "api.go:9"], &["17"]),
        (&["--match", "tenant=acme"], &["17"]),
        (&["--match", "locked to"], &["17"]),
        (&["--match", "state=running"], &["1"]),
        (&["--match", "19"], &["19"]),
        (&["--match", "!queue"], &["1", "17"]),
        (&["--match", "store", "--match", "main.main"], &["1", "17"]),
        (&["--query", "work wait:>5"], &["18"]),
        (&["--state", "select,running"], &["1", "17"]),
        (&["--state", "!chan receive"], &["1", "17"]),
        (&["--state", "no such state"], &[]),
        (&["--kind", "chan-recv"], &["18", "19"]),
        (&["--wait", "5"], &["17"]),
        (&["--wait", "5+"], &["17", "18"]),
        (&["--wait", ">5"], &["18"]),
        (&["--wait", "<5"], &["1"]),
        (&["--wait", "1h+"], &["18"]),
        (&["--wait", "2-10"], &["17"]),
        (&["--label", "tenant"], &["17", "18"]),
        (&["--label", "tenant=*b*"], &["18"]),
        (&["--label", "tenant=acme", "--label", "tenant=globex"], &["17", "18"]),
        (&["--label", "tenant", "--label", "zone=eu"], &["17"]),
        (&["--label", "!tenant"], &["1", "19"]),
        (&["--frame", r"Flush .*db\.go:4\d$"], &["17"]),
        (&["--created-by", "^shop/queue"], &["19"]),
        (&["--id", "1,18"], &["1", "18"]),
        (&["--state", "chan receive", "--label", "tenant"], &["18"]),
        (&["--where", "state == \"select\" or wait > 10"], &["17", "18"]),
        (&["--where", "label.tenant =~ \"^a\" and not frame =~ \"grpc\""], &["17"]),
        (&["--match", "zzz", "--keep", "id == 1"], &["1"]),
    ] {
        assert_eq!(selected(flags), ids, "{flags:?}");
    }
}

#[test]
fn goroutines_dropped_only_for_an_unknown_wait_are_told() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["filter", "--wait", "5+", "dump.txt"]).code(0);
    assert!(ran.stderr.contains('1'), "the leaked goroutine: {:?}", ran.stderr);
}

#[test]
fn ids_and_inputs_are_told_apart_when_there_are_several() {
    let sandbox = Sandbox::new();
    sandbox.file("a.txt", DUMP);
    sandbox.file("b.txt", DUMP);
    let ran = |flags: &[&str]| {
        let arguments = [&["filter", "-o", "json"], flags, &["a.txt", "b.txt"]].concat();
        Document::new(sandbox.run(arguments).code(0).json())
    };
    assert_eq!(ran(&["--id", "b.txt.17"]).count(), 1);
    assert_eq!(ran(&["--input", "a.*"]).count(), 4);
    assert_eq!(ran(&["--input", "!a.txt"]).count(), 4);
    assert_eq!(ran(&["--match", "a.txt.1"]).count(), 4, "as printed, with the input's name");
}

#[test]
fn selecting_works_on_every_command() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    for command in ["summarize", "filter", "name", "tree", "export"] {
        let all = sandbox.run([command, "dump.txt"]).code(0).stdout;
        let some = sandbox.run([command, "--state", "select", "dump.txt"]).code(0).stdout;
        assert!(all != some, "{command} selects nothing");
    }
}

#[test]
fn what_filter_shows_of_the_bundle_is_what_was_counted() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let ran = stackgazer(["filter", "-o", "json", "--state", "sync.Mutex.Lock", bundle]).quiet();
    let document = Document::new(ran.json());
    // 18, 7 and 30 of nodes 1, 2 and 3, by bundle.expect.json.
    assert_eq!(document.count(), 55);
    let reserve = |one: &Goroutine| one.funcs().iter().any(|func| func.ends_with("Reserve"));
    assert!(document.goroutines.iter().all(reserve));
    let ran = stackgazer(["filter", "-o", "json", "--label", "node=2", bundle]).quiet();
    assert_eq!(Document::new(ran.json()).count(), 246);
}

/// Two goroutines of one category whose innermost functions give them the same name.
const NAMESAKES: &str = "\
goroutine 1 [sync.Mutex.Lock]:
ex.org/shop/cart.lock(0x1)
\t/src/cart.go:3 +0x1d
ex.org/shop/cart.first(0x1)
\t/src/cart.go:8 +0x1d

goroutine 2 [sync.Mutex.Lock]:
ex.org/shop/cart.lock(0x1)
\t/src/cart.go:3 +0x1d
ex.org/shop/cart.second(0x1)
\t/src/cart.go:9 +0x1d
";

/// Options that cut stacks give them names anew.
#[test]
fn names_that_were_made_distinct_select_whatever_else_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", NAMESAKES);
    let all = Document::new(sandbox.run(["filter", "-o", "json", "dump.txt"]).quiet().json());
    for (id, function) in [("1", "first"), ("2", "second")] {
        let name = all.goroutine(id).name.as_str();
        assert!(name.contains(function), "{name}");
        for command in ["filter", "export", "summarize", "tree"] {
            for options in [&[][..], &["--show", "."], &["--focus", "cart"]] {
                let arguments = [&[command, "-o", "json", "--name", name], options, &["dump.txt"]];
                let ran = sandbox.run(arguments.concat()).quiet();
                assert_eq!(ran.json()["total"].as_i64(), Some(1), "{command} {options:?}");
            }
        }
    }
}

/// A rule, a glob and the expressions of filters agree on what a character is.
#[test]
fn a_character_is_one_however_many_bytes_it_has() {
    let sandbox = Sandbox::new();
    let packages = (17..).zip(["größe", "grosse", "groß"]);
    let dump: String = packages
        .map(|(id, package)| {
            format!("goroutine {id} [select]:\nshop/{package}.Work()\n\t/src/a.go:7 +0x1d\n\n")
        })
        .collect();
    sandbox.file("dump.txt", &dump);
    let selected = |flags: &[&str]| {
        let arguments = [&["filter", "-o", "json", "--no-default-rules"], flags, &["dump.txt"]];
        let document = Document::new(sandbox.run(arguments.concat()).code(0).json());
        let mut ids: Vec<String> =
            document.goroutines.into_iter().filter_map(|one| one.id).collect();
        ids.sort();
        ids.join(" ")
    };
    for (regex, glob, ids) in [
        ("/gr.ße[.]", "*/gr?ße.*", "17"),
        ("/gr[^a]{2,}e", "*/gr[!a]*e*", "17 18"),
        ("/gr...[.]", "*/gr???.*", "17"),
        ("/gr[^a].[.]", "*/gr[!a]?.*", "19"),
        ("/gr[ä-ü]ße", "*/gr[ä-ü]ße*", "17"),
    ] {
        let rule = format!("category.match={{ regex = '^.*{regex}.*', to = 'found' }}");
        let frame = format!("frame =~ \"{regex}\"");
        for flags in [
            &["--rule", &rule, "--category", "found"][..],
            &["--frame", regex],
            &["--where", &frame],
            &["--name", glob],
        ] {
            assert_eq!(selected(flags), ids, "{flags:?}");
        }
    }
}

#[test]
fn text_shows_frames_ids_and_waits() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run(["filter", "--id", "17", "dump.txt"]).quiet();
    for part in ["shop/store.(*DB).Flush", "db.go:40", "17", "5", "main.start", "acme"] {
        assert!(ran.text().contains(part), "no {part} in {}", ran.text());
    }
    assert!(!ran.text().contains("queue.Work"), "{}", ran.text());
}
