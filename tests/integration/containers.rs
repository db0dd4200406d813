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
    ("zip", "dump.zip", zip),
    ("tar", "dump.tar", tar),
    ("gzip in tar in gzip", "dump.tgz", |text| gzip(&tar_of("dump.txt.gz", &gzip(text)))),
    ("docker in gzip", "docker.log.gz", |text| gzip(&docker(text))),
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
    for (name, file, wrap) in WRAPPINGS {
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
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a member");
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
