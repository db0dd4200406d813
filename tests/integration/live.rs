//! `pid:N` and `capture`: what is said where there is nothing to read, and core files. Real Go processes
//! are for tests/go/live.py, which needs toolchains.

use crate::sandbox::{Sandbox, stackgazer, testdata};
use crate::schema::{assert_valid, validator};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

/// A process that ends with the test.
struct Running(Child);

impl Running {
    fn sleep() -> Running {
        let sleep = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn();
        Running(sleep.expect("sleep runs"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing can be done about one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn what_is_no_number_is_refused_before_anything_is_read() {
    for input in ["pid:", "pid:shop", "pid:-1", "pid:0", "pid:99999999999"] {
        let ran = stackgazer(["summarize", "missing.txt", input]).code(2);
        let said = ran.stderr.clone();
        ran.says("isn't the number of a process; write it as pid:1234");
        assert!(!said.contains("missing.txt"), "{said}");
    }
}

#[test]
fn a_process_that_is_not_there_is_told() {
    // More than the kernel gives out.
    for arguments in [["summarize", "pid:2147483646"], ["capture", "2147483646"]] {
        stackgazer(arguments).code(2).says("pid:2147483646: no such process\n");
    }
    // No command is needed, as of a file.
    stackgazer(["pid:2147483646"]).code(2).says("pid:2147483646: no such process\n");
}

#[test]
fn a_process_that_is_not_one_of_go_is_told_and_goes_on_running() {
    let mut sleep = Running::sleep();
    let input = format!("pid:{}", sleep.0.id());
    stackgazer(["export", &input]).code(2).says("isn't a Go program");
    stackgazer(["capture", &sleep.0.id().to_string()]).code(2).says("isn't a Go program");
    assert!(sleep.0.try_wait().expect("a child").is_none());
}

#[test]
fn nothing_is_written_where_nothing_could_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("dump.txt");
    let file = file.to_str().expect("a path");
    std::fs::write(file, "what was there").expect("a file");
    stackgazer(["capture", "2147483646", "--to", file]).code(2);
    assert_eq!(std::fs::read_to_string(file).expect("a file"), "what was there");
    stackgazer(["capture", "2147483646", "--to", folder.path().to_str().expect("a path")])
        .code(2)
        .says("names a directory");
}

/// The core file of testdata/core and its program.
pub(crate) fn core_and_program(sandbox: &Sandbox) -> [String; 2] {
    ["core", "program"].map(|name| {
        let packed = File::open(testdata("core").join(format!("go1.27.{name}.cut.gz")));
        let mut pieces = Vec::new();
        GzDecoder::new(packed.expect("a file")).read_to_end(&mut pieces).expect("pieces");
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("4 bytes")) as usize;
        let mut bytes = vec![0; number(&pieces[..4])];
        let mut rest = &pieces[8..];
        while !rest.is_empty() {
            let (start, len) = (number(&rest[..4]), number(&rest[4..8]));
            bytes[start..start + len].copy_from_slice(&rest[8..8 + len]);
            rest = &rest[8 + len..];
        }
        sandbox.file(name, bytes).to_str().expect("a path").to_owned()
    })
}

#[test]
fn a_core_file_is_an_input_like_a_dump() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let ran = sandbox.run(["summarize", &core, "--binary", &program]).code(0);
    assert!(ran.text().contains("chan receive"), "{}", ran.text());
    assert!(ran.text().contains("waiting  not told by what was read"), "{}", ran.text());
    let captured = sandbox.run(["capture", "--core", &core, "--binary", &program]).code(0);
    let said = std::fs::read_to_string(testdata("core/go1.27.txt")).expect("a dump");
    let mut its: Vec<&str> = said.trim_end().split("\n\n").collect();
    let mut ours: Vec<&str> = captured.text().trim_end().split("\n\n").collect();
    for list in [&mut its, &mut ours] {
        list.retain(|block| !block.starts_with("goroutine 1 "));
        list.sort_unstable();
    }
    assert_eq!(ours, its);
    // What it names isn't there.
    sandbox.run(["summarize", &core]).code(2).says("give a copy of the program with --binary");
}

#[test]
fn the_words_of_a_stack_in_a_core_file_are_told_one_by_one() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let run = |more: &[&str]| {
        let arguments = ["capture", "--core", &core, "--binary", &program, "--annotate"];
        sandbox.run(arguments.iter().chain(more))
    };
    let dump = std::fs::read_to_string(testdata("core/go1.27.txt")).expect("a dump");
    let block = dump.split("\n\n").find(|block| block.contains("[chan receive"));
    let (header, calls) = block.and_then(|block| block.split_once(":\n")).expect("a goroutine");
    let id = header.split(' ').nth(1).expect("a number");
    let told = run(&[id, "-o", "json"]).code(0).json();
    assert_valid(&validator("annotate"), &told, "a core");
    assert_eq!(told["header"], header);
    assert_eq!(told["goroutine"].to_string(), id);
    let list = |key: &str| told[key].as_array().expect(key).clone();
    let (frames, words) = (list("frames"), list("words"));
    let shown = |name: &str| calls.contains(&format!("{name}("));
    let outermost =
        |frame: &Value| frame["calls"].as_array().and_then(|calls| calls.last().cloned());
    let names: Vec<Value> = frames.iter().filter_map(outermost).collect();
    assert!(names.iter().any(|call| shown(call["func"].as_str().expect("a name"))), "{names:?}");
    let returns: Vec<&Value> =
        words.iter().filter(|word| word["what"] == "return_address").collect();
    for (at, pair) in frames.windows(2).enumerate() {
        assert_eq!((&returns[at]["frame"], &returns[at]["value"]), (&at.into(), &pair[1]["pc"]));
    }
    let table = run(&[id]).code(0);
    let (first, rest) = table.text().split_once('\n').expect("lines");
    assert_eq!(first, header);
    assert_eq!(rest.lines().count(), words.len() + 3);
    assert!(rest.contains("  saved frame pointer\n"), "{rest}");
    run(&["4711"]).code(2).says("has no goroutine 4711");
    run(&["0"]).code(2).says("--annotate");
    run(&[id, "-o", "folded"]).code(2).says("use one of table, json");
    run(&[id, "--native"]).code(2).says("cannot be used with");
}

#[test]
fn in_ci_no_name_among_the_words_of_a_stack_becomes_a_command() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let mut bytes = std::fs::read(&program).expect("the program");
    let (name, command) = (b"main.main.func2\0", b"##[debug..func2\0");
    // The table of symbols has it, too.
    while let Some(at) = memchr::memmem::find(&bytes, name) {
        bytes[at..at + name.len()].copy_from_slice(command);
    }
    std::fs::write(&program, bytes).expect("a program");
    let annotated = |in_ci: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
            .args(["capture", "--core", &core, "--binary", &program, "--annotate", "20"])
            .env_clear()
            .env("GITHUB_ACTIONS", in_ci)
            .output()
            .expect("it ends");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (outside, inside) = (annotated("false"), annotated("true"));
    assert!(outside.contains("##[debug..func2"), "{outside}");
    assert!(inside.contains("[debug..func2") && !inside.contains("##["), "{inside}");
}

#[test]
fn a_capture_has_the_formats_of_an_export() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let capture = |more: &[&str]| {
        sandbox.run(["capture", "--core", &core, "--binary", &program].iter().chain(more))
    };
    for format in ["json", "ndjson", "csv", "folded", "pprof"] {
        let export = sandbox.run(["export", &core, "--binary", &program, "-o", format]).code(0);
        let captured = capture(&["-o", format]).code(0);
        assert_eq!(captured.stdout, export.stdout, "{format}");
    }
    assert_eq!(capture(&["-o", "debug2"]).code(0).stdout, capture(&[]).code(0).stdout);
    let file = sandbox.path().join("-some.csv");
    capture(&["-o", "csv", "--to=-some.csv"]).code(0);
    let written = std::fs::read(file).expect("a file");
    assert_eq!(written, capture(&["-o", "csv"]).code(0).stdout);
    capture(&["-o", "nothing"]).code(2).says("unknown format \"nothing\"; use one of json,");
    capture(&["-o", "json", "--stats"]).code(2).says("--stats: isn't told beside json");
    sandbox.run(["capture", "2147483646", "-o", "json"]).code(2).says("no such process");
}

#[test]
fn one_goroutine_is_captured_alone() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let capture = |more: &[&str]| {
        sandbox.run(["capture", "--core", &core, "--binary", &program].iter().chain(more))
    };
    let all = capture(&[]).code(0);
    let block = all.text().trim_end().split("\n\n").nth(3).expect("some goroutines");
    let id = block.split(' ').nth(1).expect("a number");
    assert_eq!(capture(&["--goroutine", id]).code(0).text().trim_end(), block);
    let document = capture(&["--goroutine", id, "-o", "json"]).code(0).json();
    assert_eq!(document["total"], 1);
    for more in [&[][..], &["-o", "json"]] {
        let arguments = [&["--goroutine", "4711"], more].concat();
        capture(&arguments).code(2).says("has no goroutine 4711; `capture` of it prints all");
    }
    capture(&["--goroutine", id, "--annotate", id]).code(2).says("cannot be used with");
}

#[test]
fn a_core_file_that_cannot_be_read_from_anywhere_is_told() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let bytes = std::fs::read(&core).expect("a core");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&bytes[..1 << 20]).expect("in memory");
    let packed = sandbox.file("core.gz", packed.finish().expect("in memory"));
    let packed = packed.to_str().expect("a path");
    let advice = "is a core file that comes compressed or through a pipe; unpack it to a file";
    sandbox.run(["summarize", packed, "--binary", &program]).code(2).says(advice);
    sandbox.pipe(["summarize", "-", "--binary", &program], &bytes[..1 << 20]).code(2).says(advice);
    sandbox.run(["capture", "--core", packed]).code(2).says("isn't a core file");
    sandbox.run(["capture", "--core", &core, "12"]).code(2).says("cannot be used with");
    sandbox.run(["capture"]).code(2).says("PID");
}

#[test]
fn what_memory_tells_of_goroutines_stands_in_documents_and_in_stack_sizes() {
    let sandbox = Sandbox::new();
    let [core, program] = core_and_program(&sandbox);
    let run = |arguments: &[&str]| {
        let arguments = arguments.iter().copied().chain([&*core, "--binary", &*program]);
        sandbox.run(arguments).code(0)
    };
    let document = run(&["export", "-o", "json"]).json();
    assert_valid(&validator("export"), &document, "a core");
    let lines = run(&["export", "-o", "ndjson"]);
    let lines = lines.text().lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let lines: Vec<Value> = lines.filter(|line: &Value| line["type"] == "goroutine").collect();
    let sum = |key: &str| lines.iter().map(|line| line[key].as_u64().expect(key)).sum::<u64>();
    let deepest = lines.iter().max_by_key(|line| line["stack_used"].as_u64()).expect("a line");
    // 151 frames of 40 bytes don't fit into less.
    assert_eq!(deepest["stack_allocated"], 8192);
    let known = &document["inputs"][0]["captured"];
    assert_eq!(known["exact"], lines.len());
    assert!(lines.iter().all(|line| line["known"] == "exact"));
    let in_syscall = lines.iter().find(|line| line["state"] == "syscall").expect("a line");
    assert!(in_syscall["thread"].as_u64().is_some_and(|thread| thread > 1));
    assert!(lines.iter().all(|line| line["wait_minutes"].is_null()));
    let sizes = run(&["stacksize", "-o", "json"]).json();
    assert_valid(&validator("stacksize"), &sizes, "a core");
    let total = &sizes["total"];
    assert_eq!(total["goroutines"], lines.len());
    for (name, key) in [("used", "stack_used"), ("allocated", "stack_allocated")] {
        assert_eq!(total[name], sum(key), "{name}");
    }
    assert_eq!(total["least"], total["allocated"]);
    let some = run(&["stacksize", "-o", "json", "--state", "syscall"]).json();
    let in_syscalls = lines.iter().filter(|line| line["state"] == "syscall").count();
    assert_eq!(some["total"]["goroutines"], in_syscalls);
    assert!(some["total"]["allocated"].as_u64() < total["allocated"].as_u64());
    let table = run(&["stacksize"]);
    assert!(table.text().contains(" allocated\n"), "{}", table.text());
    assert!(table.text().contains("USED  ALLOCATED"), "{}", table.text());
}

#[test]
fn a_series_of_captures_wants_a_folder_and_a_time_with_a_unit() {
    let sandbox = Sandbox::new();
    let file = sandbox.file("dump.txt", "what was there");
    let file = file.to_str().expect("a path");
    let watch = ["capture", "2147483646", "--watch", "3"];
    let run = |more: &[&str]| sandbox.run(watch.iter().chain(more)).code(2);
    run(&[]).says("--to");
    run(&["--to", "-"]).says("has no folder for the captures; name one with --to");
    run(&["--to", file]).says("is no folder");
    run(&["--to", "dumps", "--every", "10"]).says("isn't a time");
    run(&["--to", "dumps", "-o", "json"]).says("cannot be used with");
    run(&["--to", "dumps"]).says("pid:2147483646: no such process");
    assert!(!sandbox.path().join("dumps").exists(), "a folder for nothing");
}
