//! What could not be read stands in every document, not only on stderr.

use crate::containers::{gzip, zip_of, zip_packed};
use crate::sandbox::Sandbox;
use crate::schema::{assert_valid, validator};
use serde_json::{Value, json};
use zip::CompressionMethod;

pub(crate) const DUMP: &[u8] = b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";

/// A folder with a dump, a file of unknown content, damaged gzip, and a zip inside too many others.
pub(crate) fn incident(sandbox: &Sandbox) {
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
        (&["tree", "--waits"], "waits"),
        (&["summarize", "--traces"], "calls"),
    ] {
        let arguments = command.iter().chain(&["in", "-o", "json"]);
        let document = sandbox.run(arguments).code(2).json();
        assert_valid(&validator(schema), &document, command[0]);
        assert_tells(&document, command[0]);
    }
    // The size of a stack is told by dumps of all registers alone.
    sandbox.file("in/dump.txt", b"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d fp=0xc00007ff50 sp=0xc00007fe00 pc=0x47a1c3\n");
    let document = sandbox.run(["stacksize", "in", "-o", "json"]).code(2).json();
    assert_valid(&validator("stacksize"), &document, "stacksize");
    assert_tells(&document, "stacksize");
    for command in ["export", "filter", "summarize"] {
        let lines = sandbox.run([command, "in", "-o", "ndjson"]).code(2);
        let first: Value = lines
            .text()
            .lines()
            .next()
            .map(serde_json::from_str)
            .expect("it is there")
            .expect("it is there");
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
    std::fs::remove_file(sandbox.path().join("in/broken.gz")).expect("it is there");
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
    std::fs::remove_file(sandbox.path().join("in/broken.gz")).expect("it is there");
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

/// What is said of a file with this content under `--strict`, where something of it is lost.
#[track_caller]
fn loss(name: &str, bytes: &[u8]) -> String {
    let sandbox = Sandbox::new();
    sandbox.file(name, bytes);
    let ran = sandbox.run(["summarize", "--strict", name]).no_panic();
    assert_eq!(ran.code, Some(2), "{}{}", ran.text(), ran.stderr);
    ran.stderr
}

#[test]
fn a_text_without_its_closing_quote_was_cut() {
    let line = r#"{"level":"error","stack":"goroutine 7 [running]:\nmain.f()\n\t/src/a.go:3 +0x1d\nmain.(*T)"#;
    for cut in [line.to_owned(), format!("{line}\n"), format!("{line}\nmain.g()\n")] {
        let said = loss("app.jsonl", cut.as_bytes());
        assert!(said.contains("a quoted text or a record breaks off"), "{said}");
    }
    // A line that was broken is put together; what is missing is missing from the stack.
    let said = loss("app.jsonl", format!("{line}\n.g()\\n\",\"x\":1}}\n").as_bytes());
    assert!(!said.contains("quoted text") && said.contains("part of this goroutine"), "{said}");
}

#[test]
fn a_frame_is_all_that_is_left_of_what_crashed() {
    let log = "\
    [00] forego | starting web.1 on port 5000
    [00] web.1  | 2026/01/02 10:31:41 http: panic serving [::1]:63130: no such order
    [00] web.1  | p.HandlerFunc.ServeHTTP(0xc20800b220, 0x913cb0, 0xc208094960)
";
    assert!(loss("web.log", log.as_bytes()).contains("without the header"));
    let crash = "panic: boom\n\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    assert!(loss("crash.txt", crash.as_bytes()).contains("without the header"));
}

/// The first lines of a log are looked at as they are, since nothing before a header shows how it is wrapped.
#[test]
fn a_log_that_starts_inside_a_goroutine_or_a_profile_is_said_however_it_is_wrapped() {
    let inside = ["\t/src/a.go:1 +0x1d", "main.g()", "\t/b.go:9 +0x2", ""];
    let records = ["2 @ 0x4533fd 0x40", "#\t0x4533fc\tmain.f+0x1d\t/src/a.go:1", ""];
    let damaged = ["goroutine 3 (select):", "main.h()", "\t/c.go:3 +0x1", ""];
    let whole = ["goroutine 2 [select]:", "main.h()", "\t/c.go:3 +0x1", ""];
    type Wrap = fn(&str) -> String;
    let wraps: [Wrap; 6] = [
        |line| format!("web-1  | {{\"message\": {line:?}, \"level\": \"e\"}}\n"),
        |line| format!("{{\"event\": {line:?}, \"level\": \"e\"}}\n"),
        |line| format!("2026-01-02T10:31:41Z {{\"msg\": {line:?}, \"level\": \"e\"}}\n"),
        |line| format!("web:dev: {line}\n"),
        |line| format!("web-7d9f-abcde app {line}\n"),
        |line| format!("{line}\n"),
    ];
    for wrap in wraps {
        for first in [&inside[..], &records, &damaged] {
            let log: String = first.iter().chain(&whole).map(|line| wrap(line)).collect();
            assert!(loss("app.log", log.as_bytes()).contains(" warning: "), "{log}");
        }
    }
    // Whole dumps in each record.
    for key in ["message", "event", "stack"] {
        for damaged in
            ["goroutine 3 (select):", "GOROUTINE 3 [SELECT]:", "boom", "1 @ 0x4533fd 0x40"]
        {
            for at in 0..3 {
                let mut headers = ["goroutine 1 [select]:", "goroutine 2 [select]:"].to_vec();
                headers.insert(at, damaged);
                let record = |header: &&str| {
                    let stack =
                        "main.h()\\n\\t/c.go:3 +0x1\\ncreated by main.f\\n\\t/c.go:9 +0x2\\n";
                    format!("{{\"{key}\": \"{header}\\n{stack}\", \"l\": 1}}\n")
                };
                let log: String = headers.iter().map(record).collect();
                assert!(loss("app.log", log.as_bytes()).contains(" warning: "), "{log}");
            }
        }
    }
}

#[test]
fn a_header_without_frames_or_with_no_id_is_said() {
    let text = String::from_utf8_lossy(DUMP);
    let empty = format!("goroutine 7 [select]:\n\n{text}");
    assert!(loss("dump.txt", empty.as_bytes()).contains("a part of this goroutine is missing"));
    let beyond =
        format!("{text}\ngoroutine 99999999999999999999 [select]:\nmain.f()\n\t/a.go:1 +0x1\n");
    assert!(loss("dump.txt", beyond.as_bytes()).contains("looks like the header"));
}

/// Of mutex and block profiles nothing is announced, so that no sum tells what is missing.
#[test]
fn records_behind_a_damaged_line_are_said() {
    for name in ["mutex", "block"] {
        let path = crate::sandbox::testdata("values").join(format!("go1.27.3.{name}.debug1.txt"));
        let text = std::fs::read_to_string(path).expect("a profile");
        let lines: Vec<&str> = text.lines().collect();
        for damaged in 1..lines.len().min(8) {
            for instead in ["?", &format!("x{}", lines[damaged])] {
                let mut lines = lines.clone();
                if lines[damaged].is_empty() {
                    continue;
                }
                lines[damaged] = instead;
                let said = loss("profile.txt", format!("{}\n", lines.join("\n")).as_bytes());
                assert!(said.contains("warning"), "{name} {damaged}: {said}");
            }
        }
    }
}

#[test]
fn utf16_that_lost_a_byte_is_read_on_and_said() {
    let units = format!("\u{feff}{}", String::from_utf8_lossy(DUMP));
    let bytes: Vec<u8> = units.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let lost = [&bytes[..30], &bytes[31..]].concat();
    assert!(loss("dump.txt", &lost).contains("characters are missing"));
    let cut = &bytes[..bytes.len() - 1];
    assert!(loss("dump.txt", cut).contains("characters are missing"));
}

#[test]
fn a_member_with_a_wrong_checksum_is_an_error_and_counts_for_nothing() {
    // Of a large one most is read before its checksum is.
    let goroutine = |id| format!("goroutine {id} [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n");
    let large: String = (1..=30_000).map(goroutine).collect();
    assert!(large.len() > 1 << 20);
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        for dump in [DUMP, large.as_bytes()] {
            let mut wrong = zip_packed(&[("goroutines.txt", dump)], method);
            // The checksum stands in front of the sizes, in the member's header and in the directory.
            let sum = wrong[14..18].to_vec();
            let places: Vec<usize> = memchr::memmem::find_iter(&wrong, &sum).collect();
            assert_eq!(places.len(), 2);
            for at in places {
                wrong[at] ^= 1;
            }
            let sandbox = Sandbox::new();
            sandbox.file("in.zip", &wrong);
            let ran = sandbox.run(["summarize", "-o", "json", "in.zip"]).code(2);
            assert!(ran.stderr.contains("checksum"), "{}", ran.stderr);
            let document = ran.json();
            assert_eq!(document["total"], 0, "{method}, {} bytes", dump.len());
            assert_eq!(document["verdict"]["complete"], json!(false));
        }
    }
}

/// A line that seems to be wrapped and isn't is text: it must not be looked at for ever.
#[test]
fn lines_that_their_container_refuses_end() {
    for line in [
        "{\"log\":\"goroutine 1 [running]:\\n",
        "{\n\"stack\": goroutine 1 [running]:",
        "\t/src/a.go:3 +0x1d",
        "[\"goroutine 1 [running]:\"",
        "    goroutine 1 [running]:\n\tmain.main()",
        "<p>goroutine 1 [running]:<br>        goroutine 2 [running]:",
    ] {
        for times in [1, 3] {
            let sandbox = Sandbox::new();
            sandbox.file("odd.log", format!("{line}\n").repeat(times));
            sandbox.run(["summarize", "odd.log"]).no_panic();
        }
    }
}

#[test]
fn calls_without_a_header_are_told_with_their_line_and_what_to_do() {
    let sandbox = Sandbox::new();
    let calls =
        "main.pay(0x1)\n\t/src/shop/pay.go:9 +0x1d\nmain.main()\n\t/src/shop/main.go:5 +0x2f\n";
    sandbox.file("calls.txt", format!("It hangs:\n{calls}"));
    for options in [&[][..], &["--input-format", "goroutine-debug2"]] {
        let error = "calls.txt: has frames without the header of their goroutine or profile \
            (line 3); copy the text from a line like `goroutine 1 [running]:` or \
            `goroutine profile: total 9` on";
        let arguments = ["summarize", "calls.txt"].iter().chain(options);
        sandbox.run(arguments).code(2).says(error);
    }
}

#[test]
fn the_stack_of_a_record_of_a_log_is_told_with_its_line_and_what_to_do() {
    let sandbox = Sandbox::new();
    let record = r#"{"msg":"lost","stacktrace":"main.lose\n\t/srv/shop/main.go:12\nmain.main\n\t/srv/shop/main.go:5"}"#;
    sandbox.file("zap.log", format!("started\n{record}\n"));
    let error = "zap.log: has the stack of an error or of a record of a log, which is no dump (line 2); \
        take a dump of all goroutines: ";
    sandbox.run(["summarize", "zap.log"]).code(2).says(error);
}

#[test]
fn holes_in_a_text_and_profiles_in_unknown_wrappers_are_losses() {
    let sandbox = Sandbox::new();
    let goroutine = |id: usize| {
        format!("goroutine {id} [select]:\nmain.f{id}()\n\t/src/a.go:{id} +0x1d\n\n").into_bytes()
    };
    let profile = "goroutine profile: total 30\n30 @ 0x1 0x2\n#\t0x1\tmain.f+0x1\t/src/a.go:1\n";
    let wrapped: String = profile
        .lines()
        .map(|line| format!("[1] kube.x: [[1.5, {{}}], {{\"log\"=>\"{line}\"}}]\n"))
        .collect();
    sandbox.file("wrapped.txt", [&goroutine(1)[..], wrapped.as_bytes()].concat());
    let ran = sandbox.run(["summarize", "--strict", "wrapped.txt"]).code(2);
    ran.says("looks like the header of a goroutine");
    // Wherever it starts and ends: inside of calls, places and headers, too.
    let dump: Vec<u8> = (1..=30).flat_map(goroutine).collect();
    let hole = |at: usize, length: usize| {
        let mut dump = dump.clone();
        dump[at..at + length].fill(if at.is_multiple_of(2) { 0 } else { 0xff });
        dump
    };
    let logged = |text: &[u8]| -> Vec<u8> {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.flat_map(|line| [&b"2026-01-02T10:31:41Z stderr F "[..], line].concat()).collect()
    };
    for at in 0..60 {
        for length in [64, 200] {
            let text = hole(600 + at, length);
            for (name, text) in [("hole.txt", text.clone()), ("hole.log", logged(&text))] {
                sandbox.file(name, text);
                let ran = sandbox.run(["check", name]).code(2);
                ran.says("NUL or 0xff bytes stand where a part of the text is missing");
            }
        }
    }
}

#[test]
fn a_member_whose_name_became_that_of_a_folder_is_told() {
    let names = ["n1/stacks.txt", "n2/stacks.txt"];
    let mut zip = zip_of(&names.map(|name| (name, DUMP)));
    // The last one is the one in the directory.
    let at = (0..zip.len())
        .rfind(|&at| zip[at..].starts_with(names[1].as_bytes()))
        .expect("it is there");
    zip[at + names[1].len() - 1] = b'/';
    assert!(loss("in.zip", &zip).contains("n2/stacks.txt"), "{}", loss("in.zip", &zip));
    // The end of the position in the directory, too.
    zip[at - 1..at + 3].fill(0xff);
    let said = loss("in.zip", &zip);
    assert!(said.contains("isn't where the archive says, and isn't read"), "{said}");
}

#[test]
fn a_tar_whose_record_with_a_long_name_is_damaged_is_told() {
    let name = format!("{}/stacks.txt", "d".repeat(110));
    let mut tar = tar::Builder::new(Vec::new());
    let header = |name: &str| {
        let mut header = tar::Header::new_ustar();
        header.set_size(DUMP.len() as u64);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        header
    };
    tar.append(&header("n1/stacks.txt"), DUMP).expect("it is there");
    tar.append_pax_extensions([("path", name.as_bytes())]).expect("it is there");
    tar.append(&header(&name[..100]), DUMP).expect("it is there");
    let mut tar = tar.into_inner().expect("it is there");
    let sandbox = Sandbox::new();
    sandbox.file("in.tar", &tar);
    assert_eq!(sandbox.run(["export", "-o", "json", "in.tar"]).quiet().json()["total"], 2);
    let at = (0..tar.len()).find(|&at| tar[at..].starts_with(b"131 path=")).expect("it is there");
    tar[at + 1] = b'2';
    let said = loss("in.tar", &tar);
    assert!(said.contains("the long name of a member is damaged"), "{said}");
}

#[test]
fn a_tar_whose_entry_with_a_long_name_has_lost_its_end_is_told() {
    let name = format!("{}/stacks.txt", "d".repeat(110));
    let mut tar = tar::Builder::new(Vec::new());
    for name in ["n1/stacks.txt", &name] {
        let mut header = tar::Header::new_gnu();
        header.set_size(DUMP.len() as u64);
        tar.append_data(&mut header, name, DUMP).expect("it is there");
    }
    let tar = tar.into_inner().expect("it is there");
    let sandbox = Sandbox::new();
    sandbox.file("in.tar", &tar);
    assert_eq!(sandbox.run(["export", "-o", "json", "in.tar"]).quiet().json()["total"], 2);
    let find =
        |name: &[u8]| tar.windows(name.len()).position(|at| at == name).expect("it is there");
    let (start, end) = (find(&[b'd'; 110]), find(b"d/stacks.txt") + b"d/stacks.txt".len());
    for from in [start, start + 50, end - 1] {
        let mut tar = tar.clone();
        tar[from..end].fill(0);
        let said = loss("in.tar", &tar);
        assert!(said.contains("the long name of a member is damaged"), "{said}");
    }
}

#[test]
fn what_stands_behind_a_compressed_profile_or_compressed_behind_a_dump_is_told() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", DUMP);
    let proto = sandbox.run(["export", "-o", "pprof", "dump.txt"]).code(0).stdout;
    sandbox.file("two", [proto.as_slice(), &proto].concat());
    sandbox.run(["summarize", "--strict", "two"]).code(0);
    let junk = "bytes after the end of the gzip stream are ignored";
    for (before, after, told) in [
        (proto.as_slice(), DUMP, junk),
        (&[proto.as_slice(), &proto].concat(), b"\x28\xb5\x2f\xfdx", junk),
        (&proto, b"\x1f\x8bx", "the gzip stream is cut"),
        (DUMP, &gzip(DUMP), "something compressed stands behind a dump"),
        (DUMP, b"\n\x28\xb5\x2f\xfdx", "something compressed stands behind a dump"),
    ] {
        let said = loss("in", &[before, after].concat());
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn what_ends_in_its_first_goroutine_is_told_beside_other_dumps() {
    for (text, is_told) in [
        ("{\"time\":1,\"msg\":\"goroutine 1 [select]:", true),
        ("{\"log\":\"goroutine 1 [runn", true),
        ("level=error stack=\"goroutine 1 [runn", true),
        ("at,text\n1,\"goroutine 1 [select]:\nmain.ma", true),
        ("app: shop\nstack: |\n  goroutine 1 [select]:\n  main.ma", true),
        ("<system-out>goroutine 1 [select]:\nmain.ma", true),
        ("{\n  \"stack\": \"goroutine 1 [select]:\\nmain.f()\\n\\t/a.go:1 +0x1d\\n\"\n", true),
        ("A dump starts with `goroutine 1 [running]:`.\n\nRead on.\n\nThe end.\n", false),
        ("worker on goroutine 1 stopped\n", false),
        ("func f() {\n\twant(\"goroutine 1 [running]:\")\n}\n", false),
    ] {
        let sandbox = Sandbox::new();
        let dump = "goroutine 7 [select]:\nmain.f(0x1)\n\t/src/a.go:3 +0x1d\n";
        sandbox.file("dumps/web.txt", dump);
        sandbox.file("dumps/pod-a.log", text);
        for arguments in [&["check", "dumps"][..], &["summarize", "--strict", "dumps"]] {
            let ran = sandbox.run(arguments).no_panic();
            assert_eq!(ran.code, Some(if is_told { 2 } else { 0 }), "{text}\n{}", ran.stderr);
            assert_eq!(ran.stderr.contains("pod-a.log"), is_told, "{text}\n{}", ran.stderr);
        }
    }
}

#[test]
fn equal_losses_are_summed_up_in_the_verdict() {
    let sandbox = Sandbox::new();
    let cut = |at: u32| format!("goroutine {at} [running]:\nmain.f(0x1)\n\n");
    let text: String = (1..=6).map(cut).collect();
    sandbox.file("cut.txt", text + "goroutine 9 [select]:\nmain.g()\n\t/a.go:1 +0x1\n");
    let ran = sandbox.run(["summarize", "cut.txt"]);
    let told = "\n  reading  not complete: a part of this goroutine is missing (6 times)\n";
    assert!(ran.text().contains(told), "{}", ran.text());
}
