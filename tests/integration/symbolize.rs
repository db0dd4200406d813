//! `symbolize`: which function, file and line addresses of a binary are.

use crate::binaries::{said, sandbox};
use crate::sandbox::Ran;
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};

fn rows(ran: Ran) -> Vec<Value> {
    let document = ran.quiet().json();
    assert_valid(&validator("symbols"), &document, "symbols");
    document["rows"].as_array().expect("rows").clone()
}

#[test]
fn addresses_are_what_go_prints_of_them() {
    let name = "go1.27-elf";
    let frames = said(name, "frame");
    assert!(frames.len() > 10);
    let arguments = frames.iter().map(|fields| fields[0].as_str());
    let arguments = ["symbolize", "-o", "json", "server"].into_iter().chain(arguments);
    let rows = rows(sandbox(name).run(arguments));
    assert_eq!(rows.len(), frames.len());
    for (row, fields) in rows.iter().zip(&frames) {
        let frame = &row["frames"][0];
        let place = format!("{}:{}", frame["file"].as_str().expect("a file"), frame["line"]);
        assert_eq!((row["address"].as_str(), place), (Some(&*fields[0]), fields[2].clone()));
    }
}

#[test]
fn calls_of_a_panic_are_found_where_the_panic_has_them() {
    let name = "go1.27-elf";
    let sandbox = sandbox(name);
    let calls = said(name, "call");
    assert!(calls.len() > 10);
    for fields in &calls {
        let [function, offset, _, line, pc, _] = fields.as_slice() else { panic!("{fields:?}") };
        let asked = format!("{function}+{offset}");
        let rows = rows(sandbox.run(["symbolize", "-o", "json", "server", &asked]));
        let found = rows.iter().find(|row| row["address"] == pc.as_str()).expect("the address");
        let frames = found["frames"].as_array().expect("frames");
        // What was inlined stands in front of the call that has the offset.
        assert_eq!(frames.last().expect("a frame")["line"].to_string(), *line, "{asked}");
    }
}

#[test]
fn addr2line_is_answered_as_go_does_it() {
    let name = "go1.21-pe";
    let lines = said(name, "line");
    assert!(lines.len() > 10);
    let mut asked: String = lines.iter().map(|fields| format!("{}\n", &fields[0][2..])).collect();
    let mut answers: String =
        lines.iter().map(|fields| format!("{}\n{}\n", fields[1], fields[2])).collect();
    asked.push_str("0\nnonsense\n");
    answers.push_str("?\n?:0\n?\n?:0\n");
    let ran = sandbox(name).pipe(["symbolize", "-o", "addr2line", "server"], asked.as_bytes());
    assert_eq!(ran.quiet().text(), answers);
}

#[test]
fn each_line_is_answered_before_the_next_one_is_read() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let sandbox = sandbox("go1.27-elf");
    let mut child = Command::new(env!("CARGO_BIN_EXE_stackgazer"))
        .args(["symbolize", "-o", "addr2line", "server"])
        .current_dir(sandbox.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stackgazer starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    for _ in 0..3 {
        stdin.write_all(b"594092\n").expect("a question");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("a function");
        stdout.read_line(&mut answer).expect("a place");
        assert_eq!(answer, "main.park\nexample.com/probe/main.go:31\n");
    }
    drop(stdin);
    assert!(child.wait().expect("an end").success());
}

#[test]
fn answers_are_written_as_they_are_made() {
    let sandbox = sandbox("go1.27-elf");
    let asked = 200_000;
    let stdin = "594092\n".repeat(asked);
    for format in ["table", "json", "csv"] {
        let run = ["symbolize", "-o", format, "server"];
        let ran = sandbox.pipe_in(128 << 10, run, stdin.as_bytes()).code(0);
        assert_eq!(ran.text().matches("main.park").count(), asked, "{format}");
    }
}

#[test]
fn the_binary_is_told_with_its_modules() {
    let sandbox = sandbox("go1.27-elf");
    let run =
        ["symbolize", "-o", "json", "server", "0x594092", "0x450946", "0x1", "nobody.home+0x1"];
    let document = sandbox.run(run).quiet().json();
    assert_eq!(document["schema"], "stackgazer.symbols/1");
    assert_eq!(document["binary"]["module"], "example.com/probe");
    assert!(document["binary"]["go"].as_str().expect("a version").starts_with("go1.27"));
    assert_eq!(document["binary"]["build_id"].as_str().expect("an id").len(), 40);
    let rows = &document["rows"];
    let park = json!({"func": "main.park", "file": "example.com/probe/main.go", "line": 31, "module": "example.com/probe"});
    assert_eq!(rows[0]["frames"], json!([park]));
    let module = rows[1]["frames"][0]["module"].as_str().expect("a module");
    assert!(module.starts_with("std@go1.27"), "{module}");
    assert_eq!(rows[2], json!({"asked": "0x1", "address": "0x1", "frames": []}));
    assert_eq!(rows[3], json!({"asked": "nobody.home+0x1", "address": null, "frames": []}));
    let ran = sandbox.run(["symbolize", "server", "0x594092", "0x1", "nobody.home+0x1"]).quiet();
    let table = ran.text();
    for cell in ["0x594092", "main.park", "main.go:31", "? (not Go code)", "? (no such function)"] {
        assert!(table.contains(cell), "{table}");
    }
    let ran = sandbox.run(["symbolize", "-o", "csv", "server", "0x594092", "0x1"]).quiet();
    assert_eq!(
        ran.text(),
        "asked,address,depth,func,file,line,module\n\
         0x594092,0x594092,0,main.park,example.com/probe/main.go,31,example.com/probe\n\
         0x1,0x1,,,,,\n"
    );
}

#[test]
fn inlined_calls_stand_in_front_of_the_function_that_has_their_code() {
    let sandbox = sandbox("go1.27-elf");
    let rows = rows(sandbox.run(["symbolize", "-o", "json", "server", "0x5940e4"]));
    let frames = rows[0]["frames"].as_array().expect("frames");
    let names: Vec<&str> = frames.iter().map(|one| one["func"].as_str().expect("a name")).collect();
    assert_eq!(names, ["main.inner", "main.middle", "main.outer"]);
}

#[test]
fn what_is_no_go_binary_is_refused_with_what_to_do() {
    let sandbox = sandbox("go1.27-elf");
    let whole = std::fs::read(sandbox.path().join("server")).expect("the binary");
    let mut narrow = whole.clone();
    narrow[4] = 1;
    let mut core = whole.clone();
    core[16] = 4;
    sandbox.file("narrow", narrow);
    sandbox.file("core", core);
    sandbox.file("cut", &whole[..64 << 10]);
    sandbox.file("dump.txt", "goroutine 1 [running]:\nmain.main()\n");
    sandbox.file("folder/file", "");
    let pipe = sandbox.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    for (name, says) in [
        ("narrow", "is a 32-bit binary; 32-bit binaries aren't read"),
        ("core", "is a core file, not a binary"),
        ("cut", "is cut off: it has 65536 bytes, and "),
        ("dump.txt", "isn't a binary (ELF, Mach-O or PE); pass the Go program"),
        ("folder", "is a directory; pass the Go program itself"),
        ("pipe", "isn't a regular file; write it to one first"),
        ("missing", "No such file"),
    ] {
        for format in ["table", "json", "csv", "addr2line"] {
            let ran = sandbox.run(["symbolize", "-o", format, name, "0x1"]).no_panic().code(2);
            assert!(ran.stdout.is_empty(), "{name} as {format}");
            let line = ran.stderr.trim_end();
            assert!(line.starts_with(&format!("stackgazer: {name}: ")), "{line}");
            assert!(line.contains(says) && !line.contains('\n'), "{line}");
        }
    }
}

#[test]
fn what_is_no_address_is_an_error_that_names_it() {
    let sandbox = sandbox("go1.27-elf");
    let ran = sandbox.run(["symbolize", "server", "main.run"]).code(2);
    assert_eq!(
        ran.stderr,
        "stackgazer: main.run: is neither an address nor a call; write 0x47a1c3, or main.run+0x1d as panics do\n"
    );
    sandbox.pipe(["symbolize", "server"], b"0x594092\n\nwhat?\n").code(2).says("(line 3)");
    let ran = sandbox.run(["symbolize", "server", "0x1", "--to", "server"]).code(2);
    ran.says("would write over an input");
}
