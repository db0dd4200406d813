//! No goroutine is lost: what is read equals what was announced, or stands in the text.

use crate::agreement::export;
use crate::sandbox::{corpus, files_below};
use prost::Message;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The parts of profile.proto that tell how much was counted.
#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

/// The dumps of goroutines in the corpus; heap, block and others have readers of their own.
pub(crate) fn goroutine_dumps() -> Vec<PathBuf> {
    let folder = corpus();
    let mut dumps = files_below(&folder.join("corpus"));
    dumps.retain(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        let text = path.to_string_lossy();
        let other = ["allocs", "block", "cpu", "heap", "mutex", "threadcreate", "VERSION", "race"];
        !text.contains("/cases/")
            && !text.contains("/hostile/")
            && !other.iter().any(|start| name.starts_with(start))
    });
    assert!(dumps.len() > 100, "{} dumps", dumps.len());
    dumps
}

/// The bytes of a file, decompressed.
pub(crate) fn bytes_of(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a dump");
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes;
    }
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut out).expect("gzip");
    out
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_goroutine_of_every_dump_is_counted() {
    let mut wrong = Vec::new();
    for path in goroutine_dumps() {
        let bytes = bytes_of(&path);
        let expected = count(&path, &bytes);
        if expected == 0 {
            continue;
        }
        let document = export(&path);
        if (document.count(), document.total()) != (expected, expected) {
            let found = document.count();
            wrong.push(format!("{}: {found} instead of {expected}", path.display()));
        }
        let inputs = document.inputs().iter().map(|input| input["goroutines"].as_i64());
        if inputs.flatten().sum::<i64>() != expected {
            wrong.push(format!("{}: the inputs don't add up", path.display()));
        }
        // Before Go 1.23 a panic's value may hold what looks like a header: it is said.
        let is_fake = memchr::memmem::find(&bytes, b"\ngoroutine 7 [fake]:\n").is_some()
            && document.warnings() == ["unread-header"];
        if !is_fake && document.inputs().iter().any(|input| input["complete"] != true) {
            wrong.push(format!("{}: {:?}", path.display(), document.warnings()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many goroutines there are: announced by a count profile, summed up in a proto, or headers.
pub(crate) fn count(path: &Path, bytes: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(bytes);
    let first = text.lines().next().unwrap_or_default();
    if path.to_string_lossy().ends_with(".pb.gz") {
        let profile = Profile::decode(bytes).expect("a proto");
        return profile.sample.iter().map(|sample| sample.value[0]).sum();
    }
    if let Some((_, total)) = first.split_once(" profile: total ") {
        return total.parse().expect("a total");
    }
    let text = match first.starts_with('{') {
        true => text.lines().map(json_output).collect(),
        false => text.into_owned(),
    };
    // A value that was panicked with: up to Go 1.22 its lines stood at the margin.
    let text = text.replace("goroutine 7 [fake]:", "");
    // Of Go, indented or behind what a test says of it; and of goleak.
    let go = r"(leaked goroutine: )?goroutine \d+ (gp=0x[0-9a-f]+ m=(nil|\d+ mp=0x[0-9a-f]+) )?\[[^\n]+:$";
    let goleak = r"(\[ ?)+Goroutine \d+ in state ";
    let header = regex::Regex::new(&format!(r"(?m)^\s*({go}|{goleak})")).expect("a pattern");
    if !path.components().any(|part| part.as_os_str() == "goleak") {
        return header.find_iter(&text).count() as i64;
    }
    // Only the first of its list stands behind a bracket; older ones print Go's own header as well.
    let header =
        regex::Regex::new(r"(?m)^[\s\[]*[Gg]oroutine (\d+) (in state |\[)").expect("a pattern");
    let ids = header.captures_iter(&text).map(|found| found[1].to_owned());
    ids.collect::<BTreeSet<String>>().len() as i64
}

/// What an event of `go test -json` printed.
fn json_output(line: &str) -> String {
    let event: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
    event["Output"].as_str().unwrap_or_default().to_owned()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn the_fake_header_is_all_that_looks_like_one() {
    // If another panic value of the corpus looked like a header, the count above would be wrong.
    for path in goroutine_dumps() {
        let bytes = bytes_of(&path);
        let text = String::from_utf8_lossy(&bytes);
        let fakes: Vec<&str> = text.lines().filter(|line| line.contains("fake")).collect();
        let known = |line: &&str| line.trim() == "goroutine 7 [fake]:" || !line.contains('[');
        assert!(fakes.iter().all(known), "{path:?}: {fakes:?}");
    }
}
