//! Protos of every kind against `oracle/pprof_top.json`: what `go tool pprof -top` says of each
//! function, for every sample type.

use crate::sandbox::corpus;
use serde_json::Value;
use stackgazer::load::{LoadOptions, load};
use stackgazer::profile::{Profile, TypeId};
use stackgazer::rules::RuleSet;
use stackgazer::view::key::Key;
use stackgazer::view::summary::{Options, Order, Summary, summarize};
use stackgazer::view::verdict::Unread;
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn profile(path: &Path) -> Profile {
    let options = LoadOptions { threads: 1, ..LoadOptions::default() };
    let loaded = load(&[path.into()], &options).expect("no options");
    assert!(loaded.errors.is_empty(), "{:?}", loaded.errors);
    loaded.profile
}

pub(crate) fn by_function(profile: &Profile) -> Summary {
    let names = RuleSet::default().apply(profile);
    let all = stackgazer::filter::Filter::default().select(profile, &names);
    let options = Options {
        by: vec![Key::Function],
        order: Order::Count,
        limit: None,
        selecting: false,
        unread: Unread::default(),
    };
    summarize(profile, &names, &all, &options)
}

/// Flat and cum of each function.
pub(crate) fn rows(summary: &Summary) -> BTreeMap<String, (i128, i128)> {
    let name = |keys: &[Option<String>]| keys[0].clone().unwrap_or_default();
    summary.rows.iter().map(|row| (name(&row.keys), (row.flat, row.cum))).collect()
}

#[test]
fn every_function_has_the_flat_and_cum_that_pprof_shows() {
    let Some(folder) = corpus() else { return };
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
            let found = rows(&summary);
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
    assert!(compared > 400, "{compared}");
}

fn number(value: &Value) -> i128 {
    value.as_f64().expect("a number") as i128
}
