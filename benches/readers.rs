//! How fast each reader is, without starting a process: `cargo bench --bench readers [NAME]`.
//!
//! Each input is read again and again for about a second; the fastest time counts, because noise
//! only ever adds to it.

use stackgazer::format::{ReadOptions, read};
use stackgazer::profile::{Input, InputFormat, Keep, ProfileBuilder};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Inputs as they are in `testdata/`, repeated to be long enough to be measured.
const INPUTS: [(&str, &str); 8] = [
    ("debug2", "traceback/go1.27.3.debug2.txt"),
    ("debug2 with registers", "traceback/go1.27.3.crash.txt"),
    ("debug2 with ancestors", "traceback/go1.25.5.ancestors.txt"),
    ("debug1", "count/go1.27.3.debug1.txt"),
    ("kubectl", "log/kubectl-timestamps.txt"),
    ("docker", "log/docker.jsonl"),
    ("cri", "log/cri.txt"),
    ("proto", "pprof/go1.27.3.debug0.pb.gz"),
];
/// Bytes that a text is repeated to.
const LENGTH: usize = 4 << 20;

fn main() -> std::io::Result<()> {
    // cargo passes `--bench`.
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut out = std::io::stdout().lock();
    for (name, file) in INPUTS {
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let mut bytes = std::fs::read(folder.join(file))?;
        if file.ends_with(".gz") {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked)?;
            bytes = unpacked;
        } else {
            bytes.push(b'\n');
            bytes = bytes.repeat(LENGTH / bytes.len());
        }
        let best = fastest(&bytes);
        let speed = bytes.len() as f64 / best.as_secs_f64() / 1e6;
        let (length, micros) = (bytes.len(), best.as_secs_f64() * 1e6);
        writeln!(out, "{name:24} {length:>9} bytes {micros:>10.1} µs {speed:>8.0} MB/s")?;
    }
    Ok(())
}

/// The shortest time in which the bytes were read.
fn fastest(bytes: &[u8]) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < Duration::from_secs(1) {
        let began = Instant::now();
        let mut builder = ProfileBuilder::new(Keep::default());
        let input = Input::new("bench", "bench", InputFormat::Debug2);
        let outcome = read(&mut { bytes }, input, &mut ReadOptions::default(), &mut builder);
        std::hint::black_box((outcome.is_ok(), builder.finish()));
        best = best.min(began.elapsed());
    }
    best
}
