//! A dump gives the same goroutines in whatever it arrives.

use crate::document::{Document, Goroutine};
use crate::sandbox::Sandbox;
use std::io::Write;

const STAMP: &str = "2026-01-02T10:31:41.123456789Z";

/// A way to wrap bytes: its name, the name of the file, and the wrapping itself.
pub(crate) type Wrapping = (&'static str, &'static str, fn(&[u8]) -> Vec<u8>);

/// Everything that text arrives in.
pub(crate) const WRAPPINGS: &[Wrapping] = &[
    ("kubectl logs --timestamps", "kubectl.log", |text| prefixed(text, &format!("{STAMP} "))),
    ("CRI", "cri.log", |text| prefixed(text, &format!("{STAMP} stderr F "))),
    ("CRI in parts", "parts.log", cri_in_parts),
    ("journald", "journald.log", |text| prefixed(text, "Jan 02 10:31:41 node-1 shop[2296]: ")),
    ("docker", "docker.log", docker),
    ("go test -json", "test.json", go_test),
    ("one escaped line", "escaped.log", escaped),
    ("t.Log", "indented.log", |text| prefixed(text, "        ")),
    ("CRLF", "crlf.txt", crlf),
    ("BOM", "bom.txt", |text| [b"\xef\xbb\xbf", text].concat()),
    ("UTF-16", "utf16.txt", utf16),
    ("gzip", "dump.gz", gzip),
    ("zstd", "dump.zst", |text| {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }),
    ("zip", "dump.zip", zip),
    ("tar", "dump.tar", tar),
    ("gzip in tar in gzip", "dump.tgz", |text| gzip(&tar_of("dump.txt.gz", &gzip(text)))),
    ("docker in gzip", "docker.log.gz", |text| gzip(&docker(text))),
    ("swarm", "swarm.log", |text| prefixed(text, "web.1.x2k9@node-1    | ")),
    ("stern", "stern.log", |text| prefixed(text, "web-7d9f8b-x2 app ")),
    ("gh run view --log", "gh.log", |text| {
        prefixed(text, &format!("build\tRun go test\t{STAMP} "))
    }),
    ("Jenkins", "jenkins.log", |text| prefixed(text, "[2026-01-02T10:31:41.123Z] ")),
    ("heroku", "heroku.log", |text| {
        prefixed(text, "2026-01-02T10:31:41.123456+00:00 app[web.1]: ")
    }),
    ("logcat threadtime", "threadtime.log", |text| {
        prefixed(text, "01-02 10:31:41.123  1234  1250 E Go      : ")
    }),
    ("logcat time", "time.log", |text| prefixed(text, "01-02 10:31:41.123 E/Go      ( 1234): ")),
    ("logcat brief", "brief.log", |text| prefixed(text, "E/Go      ( 1234): ")),
    ("terraform", "terraform.log", |text| {
        prefixed(text, "2026-01-02T10:31:41.123Z [DEBUG] provider.x_v1.2_x5: ")
    }),
    ("foreman", "foreman.log", |text| prefixed(text, "10:31:41 web.1  | ")),
    ("logcli", "loki.log", |text| prefixed(text, "2026-01-02T10:31:41Z {app=\"x\"} ")),
    ("diff", "dump.diff", |text| prefixed(text, "+")),
    ("cat -n", "numbered.txt", |text| numbered(text, |line| format!("{line:6}\t"))),
    ("grep -n", "grep.txt", |text| {
        numbered(text, |line| format!("{line}{}", if line == 1 { ':' } else { '-' }))
    }),
    ("Firefox", "console.log", console),
    ("journalctl -r", "newest-first.log", |text| {
        prefixed(&reversed(text), "Jan 02 10:31:41 node-1 shop[2296]: ")
    }),
    ("newest line first", "reversed.txt", reversed),
    ("Google Cloud", "gcp.jsonl", |text| {
        entries(text, |line| {
            serde_json::json!({
                "jsonPayload": {"message": line},
                "resource": {"labels": {"pod_name": "web-1"}},
            })
        })
    }),
    ("gcloud logging read", "gcloud.json", |text| {
        pretty(text, |items| items.into(), |line| serde_json::json!({"textPayload": line, "x": 1}))
    }),
    ("aws logs", "aws.json", |text| {
        let events = |items: Vec<_>| serde_json::json!({"events": items, "next": "f/1"});
        pretty(text, events, |line| serde_json::json!({"timestamp": 1, "message": line}))
    }),
    ("stack beside a message", "zap.jsonl", |text| {
        let stack = String::from_utf8_lossy(text).into_owned();
        format!("{}\n", serde_json::json!({"level": "error", "msg": "died", "stack": stack})).into()
    }),
    ("stack in two fields", "ecs.jsonl", |text| {
        let stack = String::from_utf8_lossy(text).into_owned();
        let record =
            serde_json::json!({"error": {"stack_trace": stack}, "exception.stacktrace": stack});
        format!("{record}\n").into()
    }),
    ("JSON behind a prefix", "fluentd.log", |text| {
        let stack = String::from_utf8_lossy(text).into_owned();
        let record = serde_json::json!({"level": "error", "error": {"stack": stack}});
        format!("2026-01-02T10:31:41+00:00\tapp.web\t{record}\n").into()
    }),
    ("list of lines", "lines.json", |text| {
        let lines = String::from_utf8_lossy(text).into_owned();
        let lines: Vec<&str> = lines.lines().collect();
        format!("{}\n", serde_json::json!({"msg": "died", "stacktrace": lines})).into()
    }),
    ("escaped line without an end", "open.log", |text| {
        let mut line = escaped(text);
        line.pop();
        line
    }),
];

/// What puts lines into another order, or breaks them.
const REARRANGED: &[Wrapping] = &[
    ("journalctl -r without tabs", "blanks.log", |text| {
        let text = String::from_utf8_lossy(&reversed(text)).replace('\t', "        ");
        prefixed(text.as_bytes(), "Jan 02 10:31:41 node-1 shop[2296]: ")
    }),
    ("newest record first", "newest.jsonl", |text| {
        json_lines(&reversed(text), |line| serde_json::json!({"time": 1, "message": line}))
    }),
    ("newest record first, spread over lines", "newest.json", |text| {
        let line = |line| serde_json::json!({"textPayload": line, "x": 1});
        pretty(&reversed(text), |items| items.into(), line)
    }),
    ("newest row first", "newest.csv", |text| {
        let rows = entries(&reversed(text), |line| line);
        [b"time,message\n", &*prefixed(&rows, "\"2026-01-02 10:31:41\",")].concat()
    }),
    ("broken by a terminal", "broken.log", |text| {
        let pieces: Vec<Vec<u8>> = escaped(text).chunks(120).map(<[u8]>::to_vec).collect();
        pieces.join(&b'\n')
    }),
];

const DUMP: &str = "\
goroutine 1 [running]:
main.work(0xc000012345, 0x0)
\t/src/app/main.go:40 +0x1d
main.main()
\t/src/app/main.go:9 +0x1d

goroutine 7 [chan receive (leaked), locked to thread] {node: n1, \"req id\": \"a\\\"b, c: }]\"}:
main.(*Box[...]).Recv(0xc000, {{0x1, 0x2?}, ...}, _, {})
\tC:/Program Files/Go/src/box.go:460 +0xce
...23 frames elided...
main.g(...)
\t/src/a.go:9
created by main.main in goroutine 1
\t/src/app/main.go:12 +0x45
";

#[test]
fn every_container_gives_the_same_goroutines() {
    let plain = read("plain.txt", DUMP.as_bytes());
    assert_eq!(plain.len(), 2);
    let mut wrong = Vec::new();
    for (name, file, wrap) in WRAPPINGS.iter().chain(REARRANGED) {
        if read(file, &wrap(DUMP.as_bytes())) != plain {
            wrong.push(*name);
        }
    }
    assert!(wrong.is_empty(), "other goroutines in {wrong:?}");
}

#[test]
fn a_line_prefix_that_nothing_explains_is_cut_when_told() {
    let sandbox = Sandbox::new();
    let wrapped = prefixed(DUMP.as_bytes(), "<4> shop-7 | ");
    sandbox.file("odd.log", wrapped);
    let ran = sandbox.run(["export", "-o", "json", "--line-prefix", r"<\d> \S+ \| ", "odd.log"]);
    assert_eq!(bare(&Document::new(ran.quiet().json())), read("plain.txt", DUMP.as_bytes()));
}

/// Two processes of which one line each comes in turns: what was printed for each is read apart.
#[test]
fn processes_in_one_log_never_mix() {
    type Prefix = fn(bool) -> String;
    let prefixes: [(&str, Prefix); 9] = [
        ("compose", |one| format!("web-{}  | ", 1 + u8::from(one))),
        ("swarm", |one| format!("web.{}.x2k9@node    | ", 1 + u8::from(one))),
        ("stern", |one| format!("web-7d9f8b-{} app ", if one { "x2k9z" } else { "p4m1q" })),
        ("gh", |one| format!("{}\tRun tests\t{STAMP} ", if one { "linux" } else { "windows" })),
        ("heroku", |one| format!("2026-01-02T10:31:41+00:00 app[web.{}]: ", 1 + u8::from(one))),
        ("logcat", |one| format!("E/Go      ( {}): ", 1234 + u32::from(one))),
        ("terraform", |one| format!("{STAMP} [DEBUG] provider.{}: ", if one { "a" } else { "b" })),
        ("foreman", |one| format!("10:31:41 web.{} | ", 1 + u8::from(one))),
        ("Jenkins", |one| {
            format!("[2026-01-02T10:31:41.1Z] [{}] ", if one { "unit" } else { "lint" })
        }),
    ];
    let other = DUMP.replace("goroutine ", "goroutine 1").replace("main.work", "main.rest");
    let mut wanted = read("plain.txt", DUMP.as_bytes());
    wanted.extend(read("plain.txt", other.as_bytes()));
    let by_id = |mut found: Vec<Goroutine>| {
        found.sort_by_key(|one| one.id.clone());
        found
    };
    let wanted = by_id(wanted);
    assert_eq!(wanted.len(), 4);
    let mut wrong = Vec::new();
    for (name, prefix) in prefixes {
        let mut log = Vec::new();
        for (line, rest) in lines(DUMP.as_bytes()).into_iter().zip(lines(other.as_bytes())) {
            log.extend([prefix(true).as_bytes(), line, b"\n"].concat());
            log.extend([prefix(false).as_bytes(), rest, b"\n"].concat());
        }
        if by_id(read("two.log", &log)) != wanted {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "goroutines of two processes were mixed in {wrong:?}");
}

/// Go up to 1.22 writes `running tests:` flush left below the message.
#[test]
fn a_timeout_behind_a_guessed_prefix_keeps_message_and_running_tests() {
    let crash = "panic: test timed out after 2s\nrunning tests:\n\tTestImport (2s)\n\n";
    for prefix in ["", "web-1 app ", "        ", "<shop> ", "E/Go      ( 1234): "] {
        let log = prefixed(format!("{crash}{DUMP}").as_bytes(), prefix);
        let sandbox = Sandbox::new();
        sandbox.file("timeout.log", log);
        let document = sandbox.run(["export", "-o", "json", "timeout.log"]).json();
        let crash = &document["inputs"][0]["crash"];
        assert_eq!(crash["kind"], "timeout", "{prefix:?}: {crash}");
        assert_eq!(crash["running_tests"][0], "TestImport (2s)", "{prefix:?}: {crash}");
        assert_eq!(document["total"], 2, "{prefix:?}");
    }
}

/// The goroutines of a file with this content, without what its name makes of them.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Vec<Goroutine> {
    let sandbox = Sandbox::new();
    sandbox.file(name, bytes);
    let ran = sandbox.run(["export", "-o", "json", name]);
    if ran.code != Some(0) {
        return Vec::new();
    }
    bare(&Document::new(ran.json()))
}

fn bare(document: &Document) -> Vec<Goroutine> {
    let rename = |one: &Goroutine| Goroutine { input: String::new(), ..one.clone() };
    document.goroutines.iter().map(rename).collect()
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

pub(crate) fn prefixed(text: &[u8], prefix: &str) -> Vec<u8> {
    lines(text).iter().flat_map(|line| [prefix.as_bytes(), line, b"\n"].concat()).collect()
}

fn cri_in_parts(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines(text) {
        let (last, parts) = match line.chunks(16).collect::<Vec<_>>().split_last() {
            Some((last, parts)) => (last.to_vec(), parts.to_vec()),
            None => (Vec::new(), Vec::new()),
        };
        for part in parts {
            out.extend([STAMP.as_bytes(), b" stderr P ", part, b"\n"].concat());
        }
        out.extend([STAMP.as_bytes(), b" stderr F ", &last, b"\n"].concat());
    }
    out
}

fn json_text(bytes: &[u8]) -> serde_json::Value {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Each line with something in front of it that its number makes, counted from 1.
fn numbered(text: &[u8], before: impl Fn(usize) -> String) -> Vec<u8> {
    let numbered = lines(text).into_iter().enumerate();
    numbered.flat_map(|(at, line)| [before(at + 1).as_bytes(), line, b"\n"].concat()).collect()
}

fn reversed(text: &[u8]) -> Vec<u8> {
    lines(text).iter().rev().flat_map(|line| [line, &b"\n"[..]].concat()).collect()
}

fn console(text: &[u8]) -> Vec<u8> {
    let shown =
        |line: &&[u8]| if line.is_empty() { b"<empty string>".to_vec() } else { line.to_vec() };
    lines(text)
        .iter()
        .flat_map(|line| [&shown(line)[..], b" wasm_exec.js:41:14\n"].concat())
        .collect()
}

/// A JSON record for each line, without its line end.
fn entries(text: &[u8], entry: impl Fn(serde_json::Value) -> serde_json::Value) -> Vec<u8> {
    let line = |line: &&[u8]| format!("{}\n", entry(json_text(line)));
    lines(text).iter().map(line).collect::<String>().into_bytes()
}

/// The same as one document over many lines.
fn pretty(
    text: &[u8],
    document: impl Fn(Vec<serde_json::Value>) -> serde_json::Value,
    entry: impl Fn(serde_json::Value) -> serde_json::Value,
) -> Vec<u8> {
    let entries = lines(text).iter().map(|line| entry(json_text(line))).collect();
    let text = serde_json::to_string_pretty(&document(entries)).expect("JSON");
    format!("{text}\n").into_bytes()
}

fn json_lines(text: &[u8], event: impl Fn(serde_json::Value) -> serde_json::Value) -> Vec<u8> {
    let line = |line: &&[u8]| format!("{}\n", event(json_text(&[line, &b"\n"[..]].concat())));
    lines(text).iter().map(line).collect::<String>().into_bytes()
}

fn docker(text: &[u8]) -> Vec<u8> {
    json_lines(text, |line| serde_json::json!({"log": line, "stream": "stderr", "time": STAMP}))
}

fn go_test(text: &[u8]) -> Vec<u8> {
    json_lines(
        text,
        |line| serde_json::json!({"Time": STAMP, "Action": "output", "Package": "p", "Test": "T", "Output": line}),
    )
}

fn escaped(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text).replace('\\', "\\\\").replace('"', "\\\"");
    let text = text.replace('\t', "\\t").replace('\r', "\\r").replace('\n', "\\n");
    format!("time=\"{STAMP}\" level=info msg=\"=== BEGIN goroutine stack dump ===\\n{text}\"\n")
        .into()
}

fn crlf(text: &[u8]) -> Vec<u8> {
    // A text that has them already keeps them as they are.
    let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
    text.replace('\n', "\r\n").into_bytes()
}

fn utf16(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("compressed");
    out.finish().expect("compressed")
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    zip_of(&[("dump.txt", bytes)])
}

pub(crate) fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    zip_packed(members, zip::CompressionMethod::Deflated)
}

pub(crate) fn zip_packed(members: &[(&str, &[u8])], method: zip::CompressionMethod) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members {
        zip.start_file(*name, options).expect("a member");
        zip.write_all(bytes).expect("a member");
    }
    zip.finish().expect("an archive").into_inner()
}

fn tar(bytes: &[u8]) -> Vec<u8> {
    tar_of("dump.txt", bytes)
}

pub(crate) fn tar_of(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    tar.append_data(&mut header, name, bytes).expect("a member");
    tar.into_inner().expect("an archive")
}
