//! `summarize`: a verdict and a table.

use crate::document::{counts, list};
use crate::sandbox::{Sandbox, stackgazer, testdata};
use serde_json::Value;

fn bundle() -> String {
    testdata("bundle.zip").to_str().expect("UTF-8").to_owned()
}

/// What was counted in all three processes of the bundle.
fn expected(key: &str) -> std::collections::BTreeMap<String, i64> {
    let text = std::fs::read_to_string(testdata("bundle.expect.json")).expect("expectations");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let mut all = std::collections::BTreeMap::new();
    for process in json.as_object().expect("an object").values() {
        for (name, count) in counts(&process[key]) {
            *all.entry(name).or_default() += count;
        }
    }
    all
}

fn rows(by: &str) -> Vec<Value> {
    let json = stackgazer(["summarize", "-o", "json", "--by", by, &bundle()]).quiet().json();
    assert_eq!(json["schema"], "stackgazer.summary/1");
    assert_eq!(json["by"], serde_json::json!(by.split(',').collect::<Vec<_>>()));
    list(&json["rows"]).to_vec()
}

#[test]
fn the_verdict_says_how_many_and_how_long() {
    let total: i64 = expected("states").values().sum();
    let text = stackgazer(["summarize", &bundle()]).quiet();
    let first = text.text().lines().next().expect("a line").to_owned();
    assert!(first.contains("3 inputs"), "{first}");
    assert!(first.contains(&total.to_string()), "{first}");
    let all = text.text();
    assert!(all.contains("select"), "{all}");
    assert!(all.contains("7 min"), "the longest wait: {all}");
    assert!(all.contains("nil channel"), "{all}");
    assert!(all.contains("mutex"), "{all}");
}

#[test]
fn rows_by_state_are_what_was_counted() {
    let rows = rows("state");
    let found = rows.iter().map(|row| {
        (
            row["state"].as_str().expect("a state").to_owned(),
            row["total"].as_i64().expect("a total"),
        )
    });
    assert_eq!(found.collect::<std::collections::BTreeMap<_, _>>(), expected("states"));
}

#[test]
fn rows_by_a_label_are_what_was_counted() {
    for row in rows("label:tenant") {
        let Some(tenant) = row["label:tenant"].as_str() else { continue };
        let expected = expected("labels").get(&format!("tenant={tenant}")).copied();
        assert_eq!(row["total"].as_i64(), expected, "{tenant}");
    }
}

#[test]
fn rows_of_every_key_add_up() {
    let total: i64 = expected("states").values().sum();
    for by in [
        "category",
        "name",
        "stack",
        "state",
        "kind",
        "wait",
        "input",
        "label:node",
        "creator",
        "category,state",
        "input,kind,wait",
    ] {
        let rows = rows(by);
        let sum: i64 = rows.iter().filter_map(|row| row["total"].as_i64()).sum();
        assert_eq!(sum, total, "--by {by}");
        for key in by.split(',') {
            assert!(rows.iter().all(|row| row.get(key).is_some()), "--by {by} has no {key}");
        }
    }
}

#[test]
fn functions_have_own_and_cumulative_counts() {
    let total: i64 = expected("states").values().sum();
    let rows = rows("function");
    let flat: i64 = rows.iter().filter_map(|row| row["flat"].as_i64()).sum();
    assert!(flat <= total, "{flat}: a goroutine is in one leaf frame, or has no frame");
    let of = |name: &str| rows.iter().find(|row| row["function"] == name).expect(name);
    let work = of("example.com/shop/store.(*Inventory).Reserve");
    assert!(work["cum"].as_i64() > work["flat"].as_i64(), "{work}");
}

#[test]
fn a_crash_comes_first() {
    for (file, says) in [
        ("traceback/go1.27.3.panic.txt", "order 17 is lost"),
        ("traceback/go1.21.13.mapwrites.txt", "concurrent map writes"),
        ("traceback/go1.25.5.sigquit.txt", "SIGQUIT"),
        ("log/go1.23.9.timeout.jsonl", "TestImport"),
    ] {
        let path = testdata(file);
        let ran = stackgazer(["summarize".as_ref(), path.as_os_str()]).code(0);
        let start: Vec<&str> = ran.text().lines().take(5).collect();
        assert!(start.join("\n").contains(says), "{file}: {start:?}");
    }
}

#[test]
fn one_goroutine_alone_earns_a_hint() {
    let sandbox = Sandbox::new();
    let text =
        "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\nexit status 2\n";
    sandbox.file("crash.txt", text);
    let ran = sandbox.run(["summarize", "crash.txt"]).code(0);
    assert!(ran.text().contains("GOTRACEBACK=all"), "{}", ran.text());
}

#[test]
fn leaks_marked_by_the_runtime_are_told() {
    let path = testdata("traceback/go1.27.3.leak.debug2.txt");
    let ran = stackgazer(["summarize".as_ref(), path.as_os_str()]).code(0);
    assert!(ran.text().contains("38"), "{}", ran.text());
    assert!(ran.text().contains("leak"), "{}", ran.text());
}

#[test]
fn limit_and_sort_shorten_and_order_the_table() {
    let table = |arguments: &[&str]| {
        let bundle = bundle();
        let all = [&["summarize", "-o", "csv", "--by", "state"], arguments, &[&bundle]].concat();
        stackgazer(all).quiet().text().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = table(&[]);
    assert_eq!(table(&["-n", "2"]).len(), 3, "a header and two rows");
    assert_eq!(table(&["-n", "2"])[..], all[..3]);
    let states = |table: &[String]| {
        let cells = table.iter().skip(1).map(|row| row.split(',').next().unwrap_or_default());
        cells.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut sorted = states(&all);
    sorted.sort_unstable();
    assert_eq!(states(&table(&["--sort", "name"])), sorted);
}

#[test]
fn no_escape_codes_reach_a_pipe_unless_asked_for() {
    let plain = stackgazer(["summarize", &bundle()]).quiet().stdout;
    assert!(!plain.contains(&0x1b));
    let coloured = stackgazer(["summarize", "--color", "always", &bundle()]).quiet().stdout;
    assert!(coloured.contains(&0x1b));
}

#[test]
fn a_category_shows_its_most_frequent_stack_under_the_name_that_every_command_gives_it() {
    let path = testdata("traceback/go1.27.3.crash.txt");
    let path = path.to_str().expect("UTF-8");
    let rows = |arguments: &[&str]| {
        let all = ["summarize", "-o", "json", path].into_iter().chain(arguments.iter().copied());
        list(&stackgazer(all).quiet().json()["rows"]).to_vec()
    };
    let stacks = rows(&["--by", "category,stack,name"]);
    let told_apart = stackgazer(["name", "-o", "json", path]).quiet().json();
    let shared = list(&told_apart["stacks"]).iter().filter(|stack| !stack["shared_name"].is_null());
    let shared: Vec<&Value> = shared.map(|stack| &stack["name"]).collect();
    assert!(!shared.is_empty(), "names that were equal");
    let mut shown = 0;
    for row in rows(&[]) {
        let of_category = || stacks.iter().filter(|stack| stack["category"] == row["category"]);
        let most = of_category().filter_map(|stack| stack["total"].as_i64()).max();
        let top = &row["top_stack"];
        assert_eq!(top["total"].as_i64(), most, "{row}");
        let is_top =
            |stack: &&Value| stack["name"] == top["name"] && stack["total"] == top["total"];
        assert!(of_category().any(|stack| is_top(&stack)), "{row}");
        shown += usize::from(shared.contains(&&top["name"]));
    }
    assert!(shown > 0, "one of them is the most frequent of its category");
    // A filter knows them too, whatever is shown.
    let name = shared[0].as_str().expect("a name");
    let selected = rows(&["--name", name]);
    let expected = stacks.iter().find(|stack| stack["name"] == *shared[0]).expect("a stack");
    assert_eq!(selected.len(), 1, "{name}");
    assert_eq!(selected[0]["total"], expected["total"], "{name}");
    assert_eq!(selected[0]["top_stack"]["name"], name);
}
