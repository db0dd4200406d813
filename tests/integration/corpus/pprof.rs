//! Protos of every kind against `oracle/pprof_top.json`: what `go tool pprof -top` says of each
//! function, for every sample type.

use crate::sandbox::{Sandbox, corpus, files_below, testdata};
use serde_json::Value;
use stackgazer::filter::{Filter, Select};
use stackgazer::load::{LoadOptions, load};
use stackgazer::profile::{Profile, TypeId};
use stackgazer::rules::RuleSet;
use stackgazer::view::table::Order;
use stackgazer::view::table::key::Key;
use stackgazer::view::table::summary::{Options, Summary, summarize};
use stackgazer::view::values::options::ValueOptions;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) fn profile(path: &Path) -> Profile {
    let options = LoadOptions { threads: 1, ..LoadOptions::default() };
    let loaded = load(&[path.into()], &options).expect("no options");
    assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
    loaded.profile
}

pub(crate) fn by_function(profile: &Profile) -> Summary {
    by_function_where(profile, &Select::default())
}

fn by_function_where(profile: &Profile, select: &Select) -> Summary {
    let names = RuleSet::default().apply(profile).unwrap();
    let all = Filter::compile(select).expect("a filter").select(profile, &names);
    let options = Options {
        by: vec![Key::Function],
        order: Order::Count,
        limit: None,
        selecting: false,
        value_options: ValueOptions::default(),
        pivot: None,
    };
    summarize(profile, &names, &all, &options).unwrap()
}

/// Flat and cum of each function.
pub(crate) fn rows(summary: &Summary) -> BTreeMap<String, (i128, i128)> {
    let name = |keys: &[Option<String>]| keys[0].clone().unwrap_or_else(|| "<unknown>".to_owned());
    summary.rows.iter().map(|row| (name(&row.keys), (row.flat, row.cum))).collect()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_function_has_the_flat_and_cum_that_pprof_shows() {
    let folder = corpus();
    let oracle = std::fs::read(folder.join("oracle/pprof_top.json")).expect("the oracle");
    let oracle: Value = serde_json::from_slice(&oracle).expect("JSON");
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (file, types) in oracle.as_object().expect("files") {
        let mut profile = profile(&folder.join("corpus").join(file));
        for (name, answer) in types.as_object().expect("types") {
            let (kind, _) = name.split_once('/').expect("type and unit");
            let of: TypeId = profile.find_type(name).unwrap_or_else(|| panic!("{file} {name}"));
            profile.use_value(of);
            assert_eq!(profile.value_name().0, kind.as_bytes());
            let summary = by_function(&profile);
            let total = number(&answer["total"]);
            if summary.total != total {
                wrong.push(format!("{file} {name}: total {} for {total}", summary.total));
            }
            let expected: BTreeMap<String, (i128, i128)> = answer["rows"]
                .as_array()
                .expect("rows")
                .iter()
                .map(|row| {
                    let name = row[0].as_str().expect("a name");
                    let name = name.strip_suffix(" (inline)").unwrap_or(name);
                    let name = name.strip_suffix(" (partial-inline)").unwrap_or(name);
                    (name.to_owned(), (number(&row[1]), number(&row[2])))
                })
                .collect();
            let mut found = rows(&summary);
            // Shares that pprof prints as 5.4e-05% are too small for the oracle.
            found.retain(|name, row| expected.contains_key(name) || row.1 * 1_000_000 > total);
            if found != expected {
                let differs = |name: &&String| found.get(*name) != expected.get(*name);
                let names: Vec<_> = found.keys().chain(expected.keys()).filter(differs).collect();
                let first = names.first().map(|name| (name, found.get(*name), expected.get(*name)));
                wrong.push(format!("{file} {name}: {} functions differ: {first:?}", names.len()));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(compared, 49);
}

/// Every proto that Go wrote.
fn protos() -> Vec<PathBuf> {
    let folder = corpus();
    let mut found = Vec::new();
    let mut folders = vec![folder.join("corpus")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "hostile" {
                folders.push(path);
            } else if name.ends_with(".pb.gz") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 250, "{}", found.len());
    found
}

/// Flat and cum of each function, as `go tool pprof -top` shows them.
fn top(pprof: &OsStr, path: &Path, kind: &str, unit: &str) -> BTreeMap<String, (i128, i128)> {
    let folder = Sandbox::new();
    let ran = std::process::Command::new(pprof)
        .args(["-top", "-nodecount=1000000", "-nodefraction=0", "-sample_index", kind])
        .args(["-unit", unit])
        .arg(path)
        .current_dir(folder.path())
        .output()
        .expect("pprof runs");
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let rows = text.lines().skip_while(|line| !line.trim_start().starts_with("flat ")).skip(1);
    let value = |text: &str| text.trim_end_matches(char::is_alphabetic).parse().expect("a number");
    rows.map(|row| {
        let mut words = row.split_whitespace();
        let flat = value(words.next().expect("flat"));
        let cum = value(words.nth(2).expect("cum"));
        let name = words.skip(1).collect::<Vec<_>>().join(" ");
        let name = name.trim_end_matches(" (inline)").trim_end_matches(" (partial-inline)");
        (name.replace("()", ""), (flat, cum))
    })
    .collect()
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS and STACKGAZER_PPROF"]
fn every_function_of_every_proto_has_the_flat_and_cum_that_pprof_shows() {
    let pprof = crate::sandbox::pprof();
    let mut wrong = Vec::new();
    for path in protos() {
        let mut profile = profile(&path);
        for at in 0..profile.sample_types().len() {
            let of = profile.find_type(&at.to_string()).expect("a type");
            profile.use_value(of);
            let (kind, unit) = profile.value_name();
            let text = |text| String::from_utf8_lossy(text).into_owned();
            let expected = top(&pprof, &path, &text(kind), &text(unit));
            // pprof takes names for those of C++ and removes what it takes for arguments.
            let found: BTreeMap<String, (i128, i128)> = rows(&by_function(&profile))
                .into_iter()
                .map(|(name, row)| (name.replace("()", ""), row))
                .collect();
            if found != expected {
                let first = expected.iter().find(|(name, row)| found.get(*name) != Some(*row));
                wrong.push(format!("{} {}: {first:?}", path.display(), text(kind)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What `go tool pprof -raw` says of a proto, or why it can't be read.
fn raw(pprof: &OsStr, path: &Path) -> String {
    try_raw(pprof, path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn try_raw(pprof: &OsStr, path: &Path) -> Result<String, String> {
    let folder = Sandbox::new();
    let ran = std::process::Command::new(pprof)
        .args(["-raw".as_ref(), path])
        .current_dir(folder.path())
        .output()
        .expect("pprof runs");
    match ran.status.success() {
        true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS and STACKGAZER_PPROF"]
fn every_proto_comes_out_as_it_went_in() {
    let pprof = crate::sandbox::pprof();
    let folder = Sandbox::new();
    let mut wrong = Vec::new();
    let ours = files_below(&testdata("protos"));
    let ours = ours.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "gz"));
    for path in protos().into_iter().chain(ours) {
        let profile = profile(&path);
        let names = RuleSet::default().apply(&profile).unwrap();
        let all = Filter::default().select(&profile, &names);
        let mut written = Vec::new();
        stackgazer::output::pprof::write(&profile, &all, false, &mut written).expect("a buffer");
        let (before, after) = (raw(&pprof, &path), raw(&pprof, &folder.file("out.pb.gz", written)));
        if before != after {
            let differs = before.lines().zip(after.lines()).find(|(before, after)| before != after);
            wrong.push(format!("{}: {differs:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The texts of one process and their protos: `heap.debug1.txt`, `heap.debug0.pb.gz`.
fn pairs() -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for proto in protos() {
        let name = proto.file_name().expect("a name").to_string_lossy().into_owned();
        let Some(kind) = name.strip_suffix(".debug0.pb.gz") else { continue };
        if kind.starts_with("goroutine") {
            continue;
        }
        for name in [format!("{kind}.debug1.txt"), format!("{kind}.debug1.txt.gz")] {
            let text = proto.with_file_name(name);
            if text.exists() {
                found.push((text, proto.clone()));
            }
        }
    }
    found
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS and STACKGAZER_PPROF"]
fn texts_have_the_values_that_pprof_reads() {
    let pprof = crate::sandbox::pprof();
    let mut wrong = Vec::new();
    for (text, _) in pairs() {
        let profile = profile(&text);
        let found: Vec<Vec<i64>> =
            profile.samples().map(|(id, _)| profile.values(id).to_vec()).collect();
        // It refuses threads without a stack.
        let Ok(raw) = try_raw(&pprof, &text) else { continue };
        let lines = raw.lines().skip_while(|line| *line != "Samples:").skip(2);
        let lines = lines.take_while(|line| *line != "Locations");
        let values = lines.filter(|line| !line.starts_with("          ") || line.contains(": "));
        let expected: Vec<Vec<i64>> = values
            .filter(|line| !line.trim_start().starts_with("bytes:"))
            .map(|line| {
                let values = line.split_once(':').expect("values").0.split_whitespace();
                values.map(|value| value.parse().expect("a number")).collect()
            })
            .collect();
        if found != expected {
            let first = found.iter().zip(&expected).find(|(a, b)| a != b);
            wrong.push(format!("{}: {first:?} {}", text.display(), found.len()));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn text_and_proto_of_one_process_agree() {
    // What wrote the profiles ran between them.
    let wheres = vec![r#"not frame =~ "dumpAll|runtime/pprof""#.to_owned()];
    let select = Select { wheres, ..Select::default() };
    let (mut compared, mut equal) = (0, 0);
    for (text, proto) in pairs() {
        let (mut text_profile, mut proto_profile) = (profile(&text), profile(&proto));
        for at in 0..proto_profile.sample_types().len() {
            let of = |profile: &mut Profile| {
                let of = profile.find_type(&at.to_string()).expect("a type");
                profile.use_value(of);
                let summary = by_function_where(profile, &select);
                (summary.total, rows(&summary))
            };
            let ((one, rows_one), (zero, rows_zero)) =
                (of(&mut text_profile), of(&mut proto_profile));
            let both = |name: &&String| rows_zero.contains_key(*name);
            let differ = rows_one.keys().filter(both);
            let differ = differ.filter(|name| rows_one[*name].1 != rows_zero[*name].1).count();
            // Others of its goroutines went on too, which shows in a few of about a hundred functions.
            assert!(differ <= 6, "{} {at}: {differ} of {}", text.display(), rows_one.len());
            compared += 1;
            equal += usize::from(one == zero && differ == 0);
        }
    }
    assert!(equal * 4 >= compared * 3, "{equal} of {compared}");
}

fn number(value: &Value) -> i128 {
    value.as_f64().expect("a number") as i128
}
