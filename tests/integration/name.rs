//! `name`: what each stack is called, and why.

use crate::sandbox::{Sandbox, stackgazer, testdata};

const DUMP: &str = "\
goroutine 7 [sync.Cond.Wait]:
sync.runtime_notifyListWait(0x1, 0x2)
\t/go/src/runtime/sema.go:597 +0x1d
sync.(*Cond).Wait(0x1)
\t/go/src/sync/cond.go:71 +0x1d
ex.org/a/b.(*C).run(0x1)
\t/src/b.go:9 +0x1d
";

#[test]
fn rules_of_flags_name_a_stack() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run([
        "export",
        "-o",
        "json",
        "--no-default-rules",
        "--rule",
        "name.skip=sync.runtime_",
        "--rule",
        "name.fold=s|sync.(*Cond).Wait|condwait|",
        "--rule",
        "name.trim=ex.org/a/",
        "--rule",
        "category.skip=sync.",
        "dump.txt",
    ]);
    let document = crate::document::Document::new(ran.quiet().json());
    let one = document.goroutine("7");
    assert_eq!(one.name, "b.(*C).run → condwait");
    assert_eq!(one.category, "ex.org");
}

#[test]
fn explain_names_the_rule_of_each_frame() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run([
        "name",
        "--explain",
        "--no-default-rules",
        "--rule",
        "name.skip=sync.runtime_",
        "--rule",
        "name.fold=s|sync.(*Cond).Wait|condwait|",
        "dump.txt",
    ]);
    let ran = ran.quiet();
    for part in ["skip", "sync.runtime_notifyListWait", "fold", "condwait", "take"] {
        assert!(ran.text().contains(part), "no {part} in {}", ran.text());
    }
}

#[test]
fn unused_rules_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let ran = sandbox.run([
        "name",
        "--unused",
        "--no-default-rules",
        "--rule",
        "name.skip=sync.runtime_",
        "--rule",
        "name.skip=never.seen",
        "dump.txt",
    ]);
    let ran = ran.code(0);
    assert!(ran.text().contains("never.seen"), "{}", ran.text());
    assert!(!ran.text().contains("\"sync.runtime_\""), "{}", ran.text());
}

#[test]
fn names_of_the_bundle_tell_its_stacks_apart() {
    let bundle = testdata("bundle.zip");
    let ran = stackgazer(["export".as_ref(), "-o".as_ref(), "json".as_ref(), bundle.as_os_str()]);
    let document = crate::document::Document::new(ran.quiet().json());
    let mut names = std::collections::BTreeMap::new();
    for one in &document.goroutines {
        names.entry((&one.category, &one.name)).or_insert_with(std::collections::BTreeSet::new);
        names.get_mut(&(&one.category, &one.name)).expect("a name").insert(&one.stack);
    }
    let shared: Vec<_> = names.iter().filter(|(_, stacks)| stacks.len() > 1).collect();
    assert!(shared.len() * 20 <= names.len(), "{shared:#?}");
    let total = document.count();
    let categories = document.count_by(|one| vec![one.category.clone()]);
    assert!(categories.values().all(|count| count * 2 <= total), "{categories:?}");
}

#[test]
fn documents_follow_their_schema() {
    let validator = crate::schema::validator("name");
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    for arguments in [vec![], vec!["--unused"], vec!["--no-default-rules", "--sort", "name"]] {
        let mut all = vec!["name", bundle, "-o", "json"];
        all.extend(&arguments);
        let document = stackgazer(all).quiet().json();
        crate::schema::assert_valid(&validator, &document, &format!("{arguments:?}"));
    }
}

#[test]
fn limit_shortens_the_list_of_unused_rules() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n");
    let arguments = ["name", "dump.txt", "--unused", "-n", "2"];
    let ran = sandbox.run(arguments).code(0);
    assert_eq!(ran.text().lines().count(), 3, "{}", ran.text());
    assert!(ran.text().contains("\n... and "), "{}", ran.text());
    let document = sandbox.run(arguments.iter().chain(&["-o", "json"])).code(0).json();
    assert_eq!(document["unused"].as_array().map(Vec::len), Some(2));
    assert!(document["more_unused"].as_u64() > Some(0));
}

#[test]
fn lines_and_rows_say_what_the_document_says() {
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("UTF-8");
    let run = |more: &[&str], format: &str| {
        stackgazer([&["name", bundle, "-o", format], more].concat()).quiet()
    };
    for more in [&[][..], &["--unused"], &["-n", "2"]] {
        let lines = run(more, "ndjson");
        let types = [("stack", "stack"), ("rule", "rule")];
        crate::schema::assert_lines("name", lines.text(), &types, &["stacks", "unused"]);
        let document = run(more, "json").json();
        let stacks = document["stacks"].as_array().expect("stacks");
        let rules = document["unused"].as_array().map_or(0, Vec::len);
        assert_eq!(lines.text().lines().count(), 1 + stacks.len() + rules);
    }
    let rows = run(&[], "csv");
    let document = run(&[], "json").json();
    let mut rows = csv::Reader::from_reader(rows.stdout.as_slice());
    assert_eq!(rows.headers().expect("headers").iter().next(), Some("id"));
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    let stacks = document["stacks"].as_array().expect("stacks");
    assert_eq!(rows.len(), stacks.len());
    for (row, stack) in rows.iter().zip(stacks) {
        assert_eq!(&row[0], stack["id"]);
        assert_eq!(&row[2], stack["name"]);
        assert_eq!(row[4], stack["total"].to_string());
    }
    assert!(run(&["--unused"], "csv").text().starts_with("list,rule,from\n"));
}

#[test]
fn stacks_that_have_waited_longest_come_first_when_asked_for() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, minutes: u32, func: &str| {
        format!("goroutine {id} [select, {minutes} minutes]:\n{func}()\n\t/src/a.go:3 +0x1d\n\n")
    };
    let short = goroutine(1, 2, "aa.short") + &goroutine(2, 2, "aa.short");
    sandbox.file("dump.txt", short + &goroutine(3, 9, "zz.long"));
    let first_row = |order: &str| {
        let ran = sandbox.run(["name", "dump.txt", "--sort", order]);
        ran.quiet().text().lines().nth(1).unwrap_or_default().to_owned()
    };
    assert!(first_row("wait").contains("zz.long"), "{}", first_row("wait"));
    assert!(first_row("count").contains("aa.short"), "{}", first_row("count"));
}

#[test]
fn stacks_that_wait_equally_long_are_in_one_order_in_every_command() {
    let sandbox = Sandbox::new();
    let goroutine = |id: u32, minutes: u32, name: &str| {
        format!("goroutine {id} [select, {minutes} minutes]:\nm.{name}()\n\t/src/a.go:3 +0x1d\n\n")
    };
    let functions = ["short", "a", "b", "b", "c", "long"];
    let minutes = [0, 5, 5, 5, 5, 9];
    let dump = functions.iter().zip(minutes).zip(1..);
    let dump: String = dump.map(|((name, minutes), id)| goroutine(id, minutes, name)).collect();
    // Those of `c` that are left out below have waited the longest.
    sandbox.file("in/dump.txt", dump + &goroutine(9, 99, "c"));
    // Whose waits aren't known.
    let count = "goroutine profile: total 7\n7 @ 0x1\n#\t0x1\tm.unknown+0x1\t/src/a.go:3\n\n";
    sandbox.file("in/count.txt", count);
    sandbox.file("old.txt", goroutine(1, 0, "old"));
    for command in [
        &["name", "in"][..],
        &["filter", "in"],
        &["summarize", "--by", "function", "in"],
        &["diff", "--by", "function", "old.txt", "in"],
    ] {
        let more = ["--sort", "wait", "--where", "id != 9", "--frames", "none"];
        let ran = sandbox.run(command.iter().chain(&more)).no_panic();
        let words = ran.text().split(|char: char| !char.is_alphanumeric() && char != '.');
        let mut order: Vec<&str> = words.filter_map(|word| word.strip_prefix("m.")).collect();
        order.retain(|name| *name != "old");
        assert_eq!(order, ["long", "b", "a", "c", "short", "unknown"], "{}", ran.text());
    }
}

#[test]
fn a_long_rule_is_held_once_for_all_frames_that_it_matches() {
    let sandbox = Sandbox::new();
    let stack = |id| format!("goroutine {id} [select]:\nmain.f{id}()\n\t/a.go:{id}\n\n");
    sandbox.file("dump.txt", (1..=2000).map(stack).collect::<String>());
    // With a copy for each frame these are 400 MB.
    let to = "x".repeat(200_000);
    sandbox.file("long.toml", format!("[name]\nfold = [{{ prefix = 'main.', to = '{to}' }}]\n"));
    for more in [&["-o", "csv"][..], &["--explain", "-n", "1"], &["--unused"]] {
        let way =
            ["name", "--config", "long.toml", "dump.txt"].into_iter().chain(more.iter().copied());
        let ran = sandbox.run_in(200 << 10, way).code(0).no_panic();
        assert!(!ran.stdout.is_empty());
    }
}
