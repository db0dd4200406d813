//! `export -o parquet`, and its folders as inputs.

#![cfg(feature = "parquet")]

use crate::sandbox::{Sandbox, files_below, members, testdata};
use std::ffi::OsStr;
use std::path::Path;

/// What commands are asked, of a folder of tables as of what it was made of.
const ASKED: [&[&str]; 16] = [
    &["summarize"],
    &["summarize", "--by", "state,kind,label:tenant"],
    &["summarize", "--by", "function"],
    &["summarize", "--by", "module"],
    &["summarize", "--by", "creator", "--wait", ">=1m"],
    &["summarize", "-o", "json"],
    &["filter", "--kind", "chan-recv"],
    &["filter", "--id", "1-20"],
    &["check"],
    &["check", "-o", "json"],
    &["tree"],
    &["export"],
    &["export", "-o", "debug2"],
    &["export", "-o", "folded"],
    &["export", "-o", "csv"],
    &["diff"],
];

/// What is said without where it was read.
fn without_paths(text: &str) -> String {
    let path = regex::Regex::new(r#""path":"[^"]*","#).expect("an expression");
    let name = regex::Regex::new(r"\bdump(!\S+?)?\b(:|,|')").expect("an expression");
    name.replace_all(&path.replace_all(text, ""), "dump").into_owned()
}

/// Compares what is said of a file with what is said of its tables.
fn check(path: &Path) {
    let (dumps, tables) = (Sandbox::new(), Sandbox::new());
    dumps.file("dump", std::fs::read(path).expect("a file"));
    let to = tables.path().join("dump");
    let arguments = ["export", "-o", "parquet", "dump", "--to"].map(OsStr::new);
    let written = dumps.run(arguments.into_iter().chain([to.as_os_str()]));
    if dumps.run(["export", "dump"]).json()["inputs"].as_array().is_none_or(Vec::is_empty) {
        return;
    }
    assert_eq!(written.code, dumps.run(["export", "dump"]).code, "{path:?}");
    for asked in ASKED {
        let of_dump = dumps.run(asked.iter().chain(&["dump"]));
        let of_tables = tables.run(asked.iter().chain(&["dump"]));
        let told = without_paths(&String::from_utf8_lossy(&of_tables.stdout));
        let expected = without_paths(&String::from_utf8_lossy(&of_dump.stdout));
        assert_eq!(told, expected, "{asked:?} of {path:?}");
    }
}

#[test]
fn every_command_says_of_tables_what_it_says_of_the_dumps() {
    for path in ["bundle.zip", "leaks/go1.27.3.zip", "traceback/go1.27.3.ancestors.txt"] {
        check(&testdata(path));
    }
    for folder in ["traceback", "count", "profiles", "values", "crashes", "waits", "log"] {
        let files = files_below(&testdata(folder));
        // One of eleven, all of which take three minutes.
        for path in files.iter().step_by(11) {
            check(path);
        }
    }
}

#[test]
fn what_tables_do_not_keep_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("cpu", std::fs::read(testdata("profiles/cpu.1.pb.gz")).expect("a profile"));
    sandbox.run(["export", "-o", "parquet", "cpu", "--to", "tables"]).quiet();
    let asked: [(&[&str], &str); 5] = [
        (&["summarize", "--by", "address"], "--by address"),
        (&["diff", "--by", "function,address", "cpu"], "--by address"),
        (&["export", "-o", "text", "--args"], "--args"),
        (&["stacksize"], "the size of stacks"),
        (&["summarize", "--value", "stack"], "the size of stacks"),
    ];
    for (arguments, named) in asked {
        let ran = sandbox.run(arguments.iter().chain(&["tables"]));
        let kept = if named == "--args" { "arguments of calls" } else { "addresses of code" };
        let said = format!("comes from tables, which don't keep {kept}, and {named} needs them");
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert!(ran.stderr.contains(&said), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn sizes_of_stacks_that_tables_do_keep_are_shown() {
    let sandbox = Sandbox::new();
    let dump = testdata("stacks/after.txt").display().to_string();
    let shown = ["summarize", "--value", "stack", "-o", "csv"];
    sandbox.run(["export", "--value", "stack", "-o", "parquet", &dump, "--to", "tables"]).quiet();
    let of_dump = sandbox.run(shown.iter().chain(&[&*dump])).quiet();
    let of_tables = sandbox.run(shown.iter().chain(&["tables"])).quiet();
    assert_eq!(of_tables.text(), of_dump.text());
}

#[test]
fn tables_of_many_nodes_are_those_of_their_dumps() {
    let sandbox = Sandbox::new();
    for (name, text) in members("bundle.zip") {
        if !name.ends_with("stacks.txt") {
            continue;
        }
        let node = name.split('/').rev().nth(1).expect("a folder").to_owned();
        let dump = format!("dumps/n{node}.txt");
        sandbox.file(&dump, text);
        let to = format!("fleet/date=2026-11-23/node=n{node}");
        let named = format!("--input-name={dump}=n{node}");
        sandbox.run(["export", "-o", "parquet", &named, &dump, "--to", &to]).quiet();
    }
    for by in ["category", "input", "stack", "state", "creator", "label:node"] {
        let of_tables = sandbox.run(["summarize", "--by", by, "-n0", "fleet", "-o", "csv"]).quiet();
        if by == "label:node" {
            assert!(of_tables.text().contains("n2"), "{}", of_tables.text());
            continue;
        }
        let of_dumps = sandbox.run(["summarize", "--by", by, "-n0", "dumps", "-o", "csv"]).quiet();
        assert_eq!(of_tables.text(), of_dumps.text().replace(".txt", ""), "{by}");
    }
    // Names that are there twice are told apart by their folders.
    let [one, other] = ["fleet/date=2026-11-23/node=n1", "fleet/date=2026-11-22/node=n1"];
    sandbox.run(["export", "-o", "parquet", one, "--to", other]).quiet();
    let both = sandbox.run(["summarize", "--by", "input", "fleet", "-o", "csv"]).quiet();
    assert!(both.text().contains("\ndate=2026-11-22/node=n1,"), "{}", both.text());
    std::fs::remove_dir_all(sandbox.path().join("fleet/date=2026-11-22")).expect("a folder");
    let of_part = sandbox.run(["summarize", "fleet", "--label", "node=n2", "-o", "json"]).quiet();
    let of_one = sandbox.run(["summarize", "dumps/n2.txt", "-o", "json"]).quiet();
    assert_eq!(of_part.json()["total"], of_one.json()["total"]);
}

#[test]
fn the_same_input_gives_the_same_bytes_for_any_number_of_threads() {
    let sandbox = Sandbox::new();
    let bundle = testdata("bundle.zip");
    for threads in ["1", "4"] {
        let arguments = ["export", "-o", "parquet", "--threads", threads, "--to", threads];
        sandbox.run(arguments.iter().map(OsStr::new).chain([bundle.as_os_str()])).quiet();
    }
    let files = files_below(&sandbox.path().join("1"));
    assert_eq!(files.len(), 7);
    for path in files {
        let other = sandbox.path().join("4").join(path.file_name().expect("a name"));
        assert!(std::fs::read(&path).ok() == std::fs::read(other).ok(), "{path:?}");
    }
}

#[test]
fn what_is_selected_is_in_the_tables_and_nothing_else() {
    let sandbox = Sandbox::new();
    let bundle = testdata("bundle.zip");
    let bundle = bundle.to_str().expect("a path");
    let longest = ["--wait", ">=5m", "--kind", "mutex"];
    let written = ["export", "-o", "parquet", "--to", "some", bundle];
    sandbox.run(written.iter().chain(&longest)).quiet();
    let of_tables =
        sandbox.run(["summarize", "some", "-o", "csv", "--by", "stack,state,wait"]).quiet();
    let asked = ["summarize", bundle, "-o", "csv", "--by", "stack,state,wait"];
    let of_dumps = sandbox.run(asked.iter().chain(&longest)).quiet();
    assert_eq!(of_tables.text(), of_dumps.text());
}

#[test]
fn a_table_that_is_missing_or_damaged_or_newer_is_told() {
    let sandbox = Sandbox::new();
    let whole = |name: &str| std::fs::read(testdata("tables").join(name)).expect("a table");
    let lay = |other: &str, bytes: Option<Vec<u8>>| {
        for path in files_below(&testdata("tables")) {
            let name = path.file_name().and_then(OsStr::to_str).expect("a name");
            if name.ends_with(".parquet") {
                sandbox.file(format!("tables/{name}"), whole(name));
            }
        }
        match bytes {
            Some(bytes) => drop(sandbox.file(format!("tables/{other}"), bytes)),
            None => {
                std::fs::remove_file(sandbox.path().join("tables").join(other)).expect("a file")
            }
        }
        sandbox.run(["summarize", "tables"]).no_panic()
    };
    let told = lay("groups.parquet", None).code(2);
    assert!(told.stderr.contains("groups.parquet: is missing"), "{}", told.stderr);
    let mut cut = whole("groups.parquet");
    cut.pop();
    let told = lay("groups.parquet", Some(cut)).code(2);
    assert!(told.stderr.contains("isn't a whole Parquet file"), "{}", told.stderr);
    let newer = |bytes: Vec<u8>| {
        let from = b"stackgazer.tables/1";
        let at = bytes.windows(from.len()).position(|part| part == from).expect("a version");
        let mut bytes = bytes;
        bytes[at + from.len() - 1] = b'2';
        bytes
    };
    let told = lay("inputs.parquet", Some(newer(whole("inputs.parquet")))).code(2);
    assert!(told.stderr.contains("holds \"stackgazer.tables/2\""), "{}", told.stderr);
    let told = lay("stacks.parquet", Some(whole("groups.parquet"))).code(2);
    assert!(told.stderr.contains("has no column \"shape\""), "{}", told.stderr);
}

#[test]
fn a_group_of_a_profile_without_its_values_is_damage() {
    let sandbox = Sandbox::new();
    sandbox.file("heap", std::fs::read(testdata("profiles/heap.1.pb.gz")).expect("a file"));
    sandbox.run(["export", "-o", "parquet", "heap", "--to", "tables"]).code(0);
    sandbox.run(["summarize", "tables"]).code(0);
    let of_goroutines = std::fs::read(testdata("tables/values.parquet")).expect("a table");
    sandbox.file("tables/values.parquet", of_goroutines);
    let told = sandbox.run(["summarize", "tables"]).no_panic().code(2);
    assert!(told.stderr.contains("has a group without its 4 values"), "{}", told.stderr);
}

#[test]
fn a_table_of_goroutines_of_another_export_is_damage() {
    let sandbox = Sandbox::new();
    for (folder, count) in [("few", 3), ("many", 5)] {
        let goroutine =
            |id| format!("goroutine {id} [select]:\nmain.main()\n\t/a/main.go:1 +0x1\n\n");
        sandbox.file("dump.txt", (1..=count).map(goroutine).collect::<String>());
        sandbox.run(["export", "-o", "parquet", "dump.txt", "--to", folder]).code(0);
        sandbox.run(["export", "-o", "csv", folder]).code(0);
    }
    let other = |name: &str| std::fs::read(sandbox.path().join(name)).expect("a table");
    let own = other("few/groups.parquet");
    sandbox.file("few/groups.parquet", other("many/groups.parquet"));
    let told = sandbox.run(["summarize", "few"]).no_panic().code(2);
    assert!(told.stderr.contains("has 5 goroutines of an input of 3: one of"), "{}", told.stderr);
    sandbox.file("few/groups.parquet", own);
    sandbox.file("few/goroutines.parquet", other("many/goroutines.parquet"));
    let told = sandbox.run(["export", "-o", "csv", "few"]).no_panic().code(2);
    assert!(told.stderr.contains("has 5 goroutines of a group of 3: it isn't"), "{}", told.stderr);
}

#[test]
fn parquet_needs_a_folder_to_go_to() {
    let sandbox = Sandbox::new();
    let dump =
        sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n\t/a/main.go:1 +0x1\n");
    let told = sandbox.run(["export", "-o", "parquet", "dump.txt"]).code(2);
    assert!(told.stderr.contains("name the folder with --to DIR"), "{}", told.stderr);
    let told = sandbox.run(["export", "-o", "parquet", "dump.txt", "--to", "dump.txt"]).code(2);
    assert!(told.stderr.contains("dump.txt: "), "{}", told.stderr);
    assert!(std::fs::read(dump).expect("a file").starts_with(b"goroutine"), "is as it was");
    let told = sandbox.run(["export", "-o", "parquet", "gone.txt", "--to", "new/tables"]).code(2);
    assert!(told.stderr.contains("gone.txt"), "{}", told.stderr);
    sandbox.run(["export", "-o", "parquet", "dump.txt", "--to", "new/tables"]).quiet();
    let told = sandbox.run(["export", "-o", "parquet", "new/tables", "--to", "new/tables"]).code(2);
    assert!(told.stderr.contains("would write over an input"), "{}", told.stderr);
    let told = sandbox.run(["summarize", "new/tables/groups.parquet"]).code(2);
    assert!(told.stderr.contains("name the folder"), "{}", told.stderr);
}

/// Bytes of every table changed one by one: an error or other rows, never a panic.
#[test]
fn no_changed_byte_of_a_table_makes_the_reader_panic() {
    for path in files_below(&testdata("tables")) {
        let whole = std::fs::read(&path).expect("a table");
        let at = ["inputs", "stacks", "frames", "groups", "goroutines", "values", "addresses"]
            .iter()
            .position(|name| path.file_stem() == Some(OsStr::new(name)))
            .expect("a known table");
        // One of eleven, all of which take a minute: a head, a footer and data are in each.
        for changed in (0..whole.len()).step_by(11) {
            let mut bytes = vec![u8::try_from(at).expect("a few")];
            bytes.extend_from_slice(&whole);
            bytes[1 + changed] ^= if changed % 2 == 0 { 0x7f } else { 0x01 };
            crate::fuzz_corpus::targets::tables(&bytes);
        }
    }
}

/// The crate that unpacks columns panics on it, which is its own business.
#[test]
fn a_table_whose_dictionary_ends_inside_a_length_is_an_error_in_one_line() {
    let sandbox = Sandbox::new();
    for path in files_below(&testdata("tables")) {
        let name = Path::new("t").join(path.file_name().expect("a name"));
        sandbox.file(name, std::fs::read(&path).expect("a table"));
    }
    let case = include_bytes!("../../fuzz/corpus/tables/dictionary-that-ends-inside-a-length");
    sandbox.file("t/frames.parquet", &case[1..]);
    let ran = sandbox.run(["summarize", "t"]).no_panic().code(2);
    ran.says("frames.parquet: is damaged");
}

mod drawn {
    use crate::fuzz_corpus::targets::told::of_tables;
    use proptest::prelude::*;
    use stackgazer::filter::{Filter, Select};
    use stackgazer::load::{LoadOptions, load};
    use stackgazer::output::parquet::{Tables, files};
    use stackgazer::profile::*;
    use stackgazer::rules::RuleSet;

    type Drawn = (u8, u8, u8, u8, i64, Vec<(u64, Option<u64>, Option<u16>)>);

    /// A few goroutines in a few inputs, alike in some ways and not in others.
    fn profile(drawn: &[Drawn]) -> Profile {
        let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
        let mut builder = ProfileBuilder::new(keep);
        let mut inputs = Vec::new();
        for name in ["a.txt", "b\"ü.txt"] {
            let mut input = Input::new(name, name, InputFormat::Debug2);
            input.announced = (name == "a.txt").then_some(7);
            input.labels = builder.text_labels([("node", name)]);
            input.warn(WarningKind::Note, Some(3), "worth knowing");
            inputs.push(builder.input(input));
        }
        for (stack, state, labels, rest, counted, goroutines) in drawn {
            let frames: Vec<FrameId> = (0..stack % 4)
                .map(|at| {
                    let func = format!("example.com/m.f{}", stack / 4 + at);
                    builder.frame(func.as_bytes(), b"/m/m.go", i64::from(at) - 1)
                })
                .collect();
            let full = builder.stack(&frames);
            let shown = builder.stack(&frames[usize::from(*rest % 2 == 0 && frames.len() > 1)..]);
            let states: [&[u8]; 4] = [b"select", b"chan receive", b"sync.Mutex.Lock", b"new one"];
            let mut flags = Vec::new();
            for (bit, flag) in [&b"locked to thread"[..], b"leaked"].iter().enumerate() {
                if rest >> bit & 1 == 1 {
                    flags.push(builder.string(flag));
                }
            }
            let flags = builder.flags(&mut flags);
            let mut set = Vec::new();
            for at in 0..labels % 4 {
                let (key, text) = (builder.string(b"tenant"), builder.string(b"a\n\"b"));
                let (size, unit) = (builder.string(b"bytes"), builder.string(b"bytes"));
                let none = builder.string(b"");
                set.push(match at {
                    0 => Label { key, value: LabelValue::Text(text) },
                    1 => Label { key: size, value: LabelValue::Number(-512, unit) },
                    _ => Label { key, value: LabelValue::Number(4, none) },
                });
            }
            let labels = builder.labels(&mut set);
            let creator = (rest % 3 == 1).then(|| builder.frame(b"main.start", b"/m/main.go", 9));
            let spec = SampleSpec {
                full,
                state: Some(builder.string(states[usize::from(state % 4)])),
                flags,
                labels,
                creator,
                elided: (rest % 5 == 1)
                    .then_some(Elision { after: 1, count: (rest % 2 == 0).then_some(40) }),
                ..SampleSpec::new(inputs[usize::from(state / 4 % 2)], shown)
            };
            let sample = builder.sample(&spec);
            builder.count(sample, *counted);
            for (id, created_by, wait) in goroutines {
                let wait = wait.map_or(Wait::UNKNOWN, |wait| Wait::minutes(f32::from(wait) / 4.0));
                let new = NewGoroutine { id: *id, created_by: *created_by, wait };
                let at = builder.goroutine(sample, &new);
                let word = Address::new(0xc000_0000_1000 + (id & 0xfff), id % 2 == 0, 1);
                let words = [word.expect("an address")];
                let told = NewAddresses { waits: id % 3 == 0, lock: words[0], words: &words };
                builder.addresses(sample, &new, at, &told);
            }
        }
        builder.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn what_is_written_is_read_again(
            drawn in proptest::collection::vec(
                (
                    0..16_u8,
                    any::<u8>(),
                    any::<u8>(),
                    any::<u8>(),
                    1..4_i64,
                    proptest::collection::vec(
                        (1..u64::MAX / 2, proptest::option::of(0..9_u64), proptest::option::of(0..90_u16)),
                        0..4,
                    ),
                ),
                0..12,
            )
        ) {
            let profile = profile(&drawn);
            let names = RuleSet::default().apply(&profile).unwrap();
            let select = Filter::compile(&Select::default()).expect("no filter");
            let selection = select.select(&profile, &names);
            let tables = Tables::new(&profile, &names, &selection);
            let folder = tempfile::tempdir().expect("a folder");
            for file in files() {
                let mut out = std::fs::File::create(folder.path().join(&file)).expect("a file");
                tables.write(&file, &mut out).expect("a table");
            }
            let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
            let options = LoadOptions { keep, threads: 1, ..LoadOptions::default() };
            let loaded = load(&[folder.path().as_os_str().to_owned()], &options).expect("tables");
            prop_assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
            prop_assert_eq!(of_tables(&loaded.profile), of_tables(&profile));
        }
    }
}

#[test]
fn long_names_and_labels_of_tables_are_cut_and_that_is_said() {
    let sandbox = Sandbox::new();
    let name = |len: usize| "f".repeat(len);
    for (func, label, is_cut) in [(9, 9, false), (70_000, 9, true), (9, 70_000, true)] {
        let dump = format!(
            "goroutine 7 [select] {{k: {}}}:\nmain.{}()\n\t/a.go:1\n\n",
            name(label),
            name(func)
        );
        sandbox.file("dump.txt", dump);
        sandbox.run(["export", "-o", "parquet", "dump.txt", "--to", "tables"]).code(0);
        let ran = sandbox.run(["export", "-o", "json", "tables"]);
        let text = ran.stdout.split(|&byte| byte != b'f').map(<[u8]>::len).max();
        assert_eq!(text > Some(8_000), is_cut);
        assert!(text <= Some(8_192), "{text:?}");
        let said = "names or labels are longer than 8192 bytes and were cut (text)";
        assert_eq!(ran.stderr.contains(said), is_cut, "{}", ran.stderr);
        std::fs::remove_dir_all(sandbox.path().join("tables")).expect("the tables");
    }
}
