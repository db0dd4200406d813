//! debug=0, debug=1 and debug=2 of one process have to agree; and protos have to be read back.
//!
//! The dumps are in the folder that `STACKGAZER_CORPUS` names; without it these tests are ignored.

use crate::format::debug1::Used;
use crate::format::debug1::count::{self, CountReader};
use crate::format::pprof;
use crate::format::{Outcome, ReadOptions};
use crate::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

pub(in crate::format) fn corpus() -> PathBuf {
    let folder = std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS");
    Path::new(&folder).join("corpus")
}

/// The bytes of a file, unpacked if it is gzipped.
pub(in crate::format) fn bytes(path: &Path) -> Vec<u8> {
    let mut packed = Vec::new();
    File::open(path).unwrap().read_to_end(&mut packed).unwrap();
    if !packed.starts_with(b"\x1f\x8b") {
        return packed;
    }
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn read_count(text: &[u8]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = builder.input(Input::new("x", "x", InputFormat::Debug2));
    let mut lines = text.split(|&byte| byte == b'\n').zip(1..);
    let header = count::header(lines.next().unwrap().0).unwrap();
    let mut reader = CountReader::new(&header, input, &mut builder);
    for (line, number) in lines {
        assert_eq!(reader.line(line, number, &mut builder), Used::Took, "line {number}");
    }
    reader.finish(&mut builder);
    builder.finish()
}

fn read_proto(proto: &[u8]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = Input::new("x", "x", InputFormat::Debug2);
    let read = pprof::read(&mut { proto }, input, &mut ReadOptions::default(), &mut builder);
    assert_eq!(read.unwrap(), Outcome::Read);
    builder.finish()
}

/// Counts of goroutines by frames (`func file:line`) and labels.
fn stacks(profile: &Profile) -> BTreeMap<(Vec<String>, String), i64> {
    let mut counts = BTreeMap::new();
    for sample in &profile.samples {
        let frames = profile.stack(sample.key.stack).iter().map(|&frame| {
            let frame = profile.frame(frame);
            let text = |id| String::from_utf8_lossy(profile.str(id));
            format!("{} {}:{}", text(frame.func), text(frame.file), frame.line)
        });
        let labels: Vec<String> = profile
            .labels(sample.key.labels)
            .iter()
            .map(|label| {
                let key = String::from_utf8_lossy(profile.str(label.key));
                format!("{key}={}", String::from_utf8_lossy(&profile.label_text(label.value)))
            })
            .collect();
        *counts.entry((frames.collect(), labels.join(","))).or_insert(0) += sample.count;
    }
    counts.retain(|_, count| *count != 0);
    counts
}

/// Every folder with dumps of one moment.
fn moments() -> Vec<PathBuf> {
    let corpus = corpus();
    let mut folders = Vec::new();
    for version in std::fs::read_dir(corpus).unwrap() {
        let version = version.unwrap().path();
        if !version.is_dir() {
            continue;
        }
        for folder in std::fs::read_dir(version).unwrap() {
            let folder = folder.unwrap().path();
            if folder.join("goroutine.debug0.pb.gz").exists() {
                folders.push(folder);
            }
        }
    }
    folders.sort();
    assert!(folders.len() >= 40, "{}", folders.len());
    folders
}

fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    [name.to_owned(), format!("{name}.gz")]
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.exists())
}

/// The two captures are milliseconds apart: a spinning goroutine is at another line by then, and
/// finalizers run now and then.
fn stands_still(frames: &[String]) -> bool {
    let moves = |frame: &String| {
        frame.starts_with("main.spin ") || frame.starts_with("runtime.runFinalizers ")
    };
    !frames.iter().any(moves)
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn debug_0_and_debug_1_of_a_process_have_the_same_stacks() {
    let mut bad = Vec::new();
    for folder in moments() {
        for kind in ["goroutine", "goroutineleak"] {
            let Some(text) = file(&folder, &format!("{kind}.debug1.txt")) else { continue };
            let text = read_count(&bytes(&text));
            assert_eq!(text.inputs[0].announced, Some(text.inputs[0].goroutines));
            assert_eq!(text.inputs[0].warnings, []);
            let proto = read_proto(&bytes(&folder.join(format!("{kind}.debug0.pb.gz"))));
            let (mut text, mut proto) = (stacks(&text), stacks(&proto));
            text.retain(|(frames, _), _| stands_still(frames));
            proto.retain(|(frames, _), _| stands_still(frames));
            for (key, count) in text {
                let other = proto.remove(&key).unwrap_or(0);
                if other != count {
                    bad.push(format!("{folder:?} {kind} text {count} proto {other} {key:?}"));
                }
            }
            for (key, count) in proto {
                bad.push(format!("{folder:?} {kind} text 0 proto {count} {key:?}"));
            }
        }
    }
    assert!(bad.is_empty(), "{}\n{}", bad.len(), bad.join("\n"));
}

/// The functions of a stack in a form that debug=2 shares: without frames of the runtime, which it
/// also hides in the middle, and with its own word for a panic.
fn shape<'a>(functions: impl Iterator<Item = &'a str>) -> Vec<String> {
    let visible = |function: &&str| !function.starts_with("runtime.") && *function != "panic";
    functions.filter(visible).map(str::to_owned).collect()
}

/// Printed states by shape, with counts; stacks with frames left out by Go are skipped.
fn printed_states(dump: &str) -> BTreeMap<Vec<String>, BTreeMap<String, i64>> {
    let mut states: BTreeMap<Vec<String>, BTreeMap<String, i64>> = BTreeMap::new();
    for record in dump.split("\n\n").filter(|record| !record.contains(" frames elided...")) {
        let mut lines = record.lines();
        let header = lines.next().unwrap();
        let Some(start) = header.find('[') else { continue };
        let state = header[start + 1..].split([',', ']']).next().unwrap();
        let state = state.split(" labels:").next().unwrap().replace(" (leaked)", "");
        let functions = lines
            .filter(|line| !line.starts_with('\t') && !line.starts_with("created by "))
            .map(|line| &line[..line.rfind('(').unwrap_or(line.len())]);
        *states.entry(shape(functions)).or_default().entry(state).or_default() += 1;
    }
    states
}

/// States found from frames, in the same form; `None` is `?`.
fn told_states(profile: &Profile) -> BTreeMap<Vec<String>, BTreeMap<String, i64>> {
    let mut states: BTreeMap<Vec<String>, BTreeMap<String, i64>> = BTreeMap::new();
    for sample in &profile.samples {
        let text = |id| std::str::from_utf8(profile.str(id)).unwrap();
        let frames = profile.stack(sample.key.stack);
        let shape = shape(frames.iter().map(|&frame| text(profile.frame(frame).func)));
        let state = sample.key.state.map_or("?", text).to_owned();
        *states.entry(shape).or_default().entry(state).or_default() += sample.count;
    }
    states
}

/// Why a state from frames can differ from the printed one.
fn explained(version: &str, told: &str, printed: &str, from_text: bool) -> bool {
    match (told, printed) {
        // Code that is running or runnable.
        ("?", "running" | "runnable") => true,
        // Blocking on a nil channel is in the same functions, on another line.
        ("chan receive", "chan receive (nil chan)") | ("chan send", "chan send (nil chan)") => true,
        // Go 1.19 printed one word for all semaphores.
        ("sync.Mutex.Lock", "semacquire") => version == "go1.19.8",
        // debug=1 hides the runtime frames that would show it.
        ("?", "chan receive" | "chan send" | "select" | "select (no cases)") => from_text,
        ("?", "chan receive (nil chan)" | "chan send (nil chan)" | "coroutine") => from_text,
        _ => false,
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_goroutine_of_another_program_is_counted() {
    let corpus = corpus();
    let text = read_count(&bytes(&corpus.join("cockroach/stacks_with_labels.txt")));
    assert_eq!(text.inputs[0].goroutines, 1402);
    assert_eq!(text.inputs[0].warnings, []);
    let proto = read_proto(&bytes(&corpus.join("cockroach/goroutines.pb.gz")));
    assert_eq!(proto.inputs[0].goroutines, 849);
    let unknown = proto.samples.iter().filter(|sample| sample.key.state.is_none());
    // All except running ones wait for something.
    let unknown: i64 = unknown.map(|sample| sample.count).sum();
    assert!(unknown < 9, "{unknown}");
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn states_told_from_frames_are_those_that_debug_2_prints() {
    let mut bad = Vec::new();
    let mut compared = 0;
    for folder in moments() {
        let version = folder.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let Some(dump) = file(&folder, "goroutine.debug2.txt") else { continue };
        let printed = printed_states(&String::from_utf8(bytes(&dump)).unwrap());
        let text = read_count(&bytes(&file(&folder, "goroutine.debug1.txt").unwrap()));
        let proto = read_proto(&bytes(&folder.join("goroutine.debug0.pb.gz")));
        for (profile, from_text) in [(text, true), (proto, false)] {
            for (shape, told) in told_states(&profile) {
                // Other depth limits, and goroutines that moved.
                let Some(printed) = printed.get(&shape) else { continue };
                for state in told.keys() {
                    compared += 1;
                    let fits = |other: &String| {
                        state == other || explained(version, state, other, from_text)
                    };
                    if !printed.keys().any(fits) {
                        bad.push(format!("{folder:?} {from_text} {state} {printed:?} {shape:?}"));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}\n{}", bad.len(), bad.join("\n"));
    assert!(compared == 0 || compared > 5000, "{compared}");
}

/// The sum that Go's `pprof -top` finds; its path is in `STACKGAZER_PPROF`.
fn pprof_total(proto: &[u8]) -> Option<i64> {
    use std::io::Write;
    let pprof = std::env::var_os("STACKGAZER_PPROF")?;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(proto).unwrap();
    let run = std::process::Command::new(pprof).arg("-raw").arg(file.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let samples = String::from_utf8(run.stdout).unwrap();
    let samples = samples.split("goroutine/count\n").nth(1)?.split("Locations").next()?.to_owned();
    let values =
        samples.lines().filter_map(|line| line.split_once(':')?.0.trim().parse::<i64>().ok());
    Some(values.sum())
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn a_profile_written_and_read_again_is_the_same() {
    for folder in moments() {
        for kind in ["goroutine", "goroutineleak"] {
            let proto = folder.join(format!("{kind}.debug0.pb.gz"));
            let Some(text) = file(&folder, &format!("{kind}.debug1.txt")) else { continue };
            for profile in [read_proto(&bytes(&proto)), read_count(&bytes(&text))] {
                let count = |sample| profile.sample(sample).count;
                let written = pprof::write_goroutines(&profile, &count, &|_| true, Vec::new());
                let (written, mut unpacked) = (written.unwrap(), Vec::new());
                flate2::read::GzDecoder::new(written.as_slice())
                    .read_to_end(&mut unpacked)
                    .unwrap();
                let back = read_proto(&unpacked);
                assert_eq!(stacks(&back), stacks(&profile), "{folder:?} {kind}");
                assert_eq!(told_states(&back), told_states(&profile), "{folder:?} {kind}");
                if let Some(total) = pprof_total(&written) {
                    assert_eq!(total, profile.inputs[0].goroutines, "{folder:?} {kind}");
                }
            }
        }
    }
}
