//! What the fuzz targets call; the tests replay `fuzz/corpus/` and `testdata/` through the same
//! functions.

mod binaries;
mod processes;
pub mod told;
mod writers;
mod xml;

pub use binaries::{binary, core};
pub use processes::{calls, captured, live, native};
pub use writers::{formed, written};

use stackgazer::config::{Config, Places, Request};
use stackgazer::filter::{Filter, Select};
use stackgazer::format::{self, ReadOptions};
use stackgazer::load::{self, LoadOptions, Loaded};
use stackgazer::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder};
use stackgazer::rules::{RuleSet, Settings, to_toml};
use stackgazer::source::SourceOptions;
use std::ffi::OsString;
use std::path::PathBuf;

/// A name, and what reads bytes under it.
pub type Target = (&'static str, fn(&[u8]));

/// The targets: each reader of text or bytes that others write, and what is written of them.
pub const TARGETS: &[Target] = &[
    ("traceback", traceback),
    ("count", count),
    ("values", values),
    ("pprof", pprof),
    ("log", log),
    ("source", source),
    ("rules", rules),
    ("config", config),
    ("settings", settings),
    ("filter", filter),
    ("written", written),
    ("formed", formed),
    ("binary", binary),
    ("core", core),
    ("live", live),
    ("native", native),
    ("tables", tables),
];

/// debug=2 and crash texts.
pub fn traceback(data: &[u8]) {
    read(data, Some(InputFormat::Debug2));
}

/// debug=1 texts.
pub fn count(data: &[u8]) {
    read(data, Some(InputFormat::Debug1));
    read(data, Some(InputFormat::LeakDebug1));
}

/// debug=1 texts of other profiles: heap, contention, threads, what programs count themselves.
pub fn values(data: &[u8]) {
    for format in [
        InputFormat::HeapDebug1,
        InputFormat::ContentionDebug1,
        InputFormat::ThreadDebug1,
        InputFormat::ProfileDebug1,
    ] {
        read(data, Some(format));
    }
}

/// Protos.
pub fn pprof(data: &[u8]) {
    read(data, Some(InputFormat::Debug0));
}

/// Whatever comes: containers of logs, and the sniffing of formats.
pub fn log(data: &[u8]) {
    read(data, None);
}

/// Archives and compressed files, and what is in them.
pub fn source(data: &[u8]) {
    let (_folder, path) = file_of("input", data);
    let arguments = [path.into_os_string()];
    for members in [Vec::new(), vec!["**".to_owned()]] {
        let source =
            SourceOptions { members, max_bytes: Some(64 << 20), ..SourceOptions::default() };
        let options = LoadOptions { source, threads: 1, ..LoadOptions::default() };
        loaded(&arguments, &options);
    }
}

/// A folder of tables of which one is this: the first byte says which.
pub fn tables(data: &[u8]) {
    const WHOLE: [(&str, &[u8]); 7] = [
        ("inputs", include_bytes!("../../testdata/tables/inputs.parquet")),
        ("stacks", include_bytes!("../../testdata/tables/stacks.parquet")),
        ("frames", include_bytes!("../../testdata/tables/frames.parquet")),
        ("groups", include_bytes!("../../testdata/tables/groups.parquet")),
        ("goroutines", include_bytes!("../../testdata/tables/goroutines.parquet")),
        ("values", include_bytes!("../../testdata/tables/values.parquet")),
        ("addresses", include_bytes!("../../testdata/tables/addresses.parquet")),
    ];
    let Some((which, other)) = data.split_first() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (at, (name, whole)) in WHOLE.iter().enumerate() {
        let bytes = if at == usize::from(*which) % WHOLE.len() { other } else { whole };
        let path = folder.path().join(format!("{name}.parquet"));
        std::fs::write(path, bytes).expect("a written file");
    }
    let arguments = [folder.path().as_os_str().to_owned()];
    let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
    let options = LoadOptions { keep, threads: 1, ..LoadOptions::default() };
    RuleSet::default().apply(&loaded(&arguments, &options).profile).expect("no rules");
}

/// What is loaded. A reader's panic is an error of its input to who loads it; here it is a panic again.
fn loaded(arguments: &[OsString], options: &LoadOptions) -> Loaded {
    let loaded = load::load(arguments, options).expect("options that can be used");
    let bug = loaded.errors.iter().find(|problem| problem.error.what.starts_with(load::BUG));
    assert!(bug.is_none(), "{bug:?}");
    loaded
}

/// Rules as they are given on the command line: the list, `=`, the rule.
pub fn rules(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    configured(&Request { no_files: true, rules: vec![text], ..Request::default() });
}

/// A configuration file.
pub fn config(data: &[u8]) {
    let (_folder, path) = file_of("stackgazer.toml", data);
    configured(&Request { file: Some(path), ..Request::default() });
}

/// A settings file of the browser tool; what it says is written as TOML, which must be understood.
pub fn settings(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(settings) = Settings::read("settings.json", &text) {
        let toml = to_toml(&settings.lists);
        let (_folder, path) = file_of("imported.toml", toml.as_bytes());
        let request = Request { file: Some(path), no_default_rules: true, ..Request::default() };
        assert!(Config::load(&request, &Places::default()).is_ok(), "{toml}");
    }
}

/// Names a stack by the rules of a request, if they can be used.
fn configured(request: &Request) {
    let Ok(config) = Config::load(request, &Places::default()) else { return };
    if let Ok(rules) = RuleSet::compile(config.rules) {
        drop(rules.apply(&sample_profile()));
    }
}

/// A file with this content, and the folder that goes away with it.
fn file_of(name: &str, data: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, data).expect("a written file");
    (folder, path)
}

/// Expressions and queries.
pub fn filter(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let profile = sample_profile();
    let names = RuleSet::default().apply(&profile).expect("no rules");
    for select in [
        Select { wheres: vec![text.clone()], ..Select::default() },
        Select { query: Some(text.clone()), ..Select::default() },
        Select { waits: vec![text.clone()], ..Select::default() },
        Select { labels: vec![text.clone()], ids: vec![text], ..Select::default() },
    ] {
        if let Ok(filter) = Filter::compile(&select) {
            filter.select(&profile, &names);
        }
    }
}

/// Reads bytes whole, then byte by byte: both must understand the same.
fn read(data: &[u8], format: Option<InputFormat>) {
    let whole = profile(&mut &data[..], format);
    let pieces = profile(&mut OneByte(data), format);
    assert_eq!(whole.samples.len(), pieces.samples.len());
    let count = |profile: &Profile| -> i128 {
        profile.samples.iter().map(|sample| i128::from(sample.count)).sum()
    };
    assert_eq!(count(&whole), count(&pieces));
    RuleSet::default().apply(&whole).expect("no rules");
}

fn profile(mut bytes: &mut dyn std::io::Read, format: Option<InputFormat>) -> Profile {
    let mut builder =
        ProfileBuilder::new(Keep { goroutines: true, addresses: true, ..Keep::default() });
    let input = Input::new("input", "input", format.unwrap_or(InputFormat::Debug2));
    let mut options = ReadOptions { format, ..ReadOptions::default() };
    // What can't be understood is an error, which is fine; a panic isn't.
    let _ = format::read(&mut bytes, input, &mut options, &mut builder);
    builder.finish()
}

fn sample_profile() -> Profile {
    let text =
        b"goroutine 1 [select, 5 minutes, locked to thread]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    profile(&mut &text[..], Some(InputFormat::Debug2))
}

/// Gives its bytes one at a time.
struct OneByte<'a>(&'a [u8]);

impl std::io::Read for OneByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match (self.0.split_first(), buffer.first_mut()) {
            (Some((&byte, rest)), Some(slot)) => {
                *slot = byte;
                self.0 = rest;
                Ok(1)
            }
            _ => Ok(0),
        }
    }
}
