//! Every recorded answer of the browser tool that concerns rules, where those records are at hand:
//! `STACKGAZER_CORPUS` names the folder that holds `oracle/`.

use crate::profile::lossy;
use crate::rules::dialect::Compiler;
use crate::rules::fixture::profile;
use crate::rules::list::{Fields, List, Rule, RuleLists, Spec};
use crate::rules::{Extractor, Names, RuleSet, Settings};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS")).join("oracle")
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap()
}

fn facts(table: &str) -> Value {
    json(folder().join("facts.json"))[table].take()
}

fn rows(table: &Value) -> &[Value] {
    table.as_array().unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    rows(value).iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn apply(lists: &RuleLists, frames: &Value) -> (String, String) {
    let frames = strings(frames).into_iter().map(|func| (func, "x.go".to_owned(), 1)).collect();
    let (profile, stacks) = profile(&[frames]);
    let names = RuleSet::compile(lists.clone()).unwrap().apply(&profile).unwrap();
    (text(names.name(&profile, stacks[0])), text(names.category(stacks[0])))
}

fn text(bytes: &[u8]) -> String {
    lossy(bytes)
}

/// A rule object of the tables as a rule; `None` for those that can't be used.
fn rule_object(rule: &Value, category: bool) -> Option<(List, Rule)> {
    let field = |key: &str| rule[key].as_str().map(str::to_owned);
    let (list, spec) = if let Some(prefix) = field("skip") {
        let list = if category { List::CategorySkip } else { List::NameSkip };
        (list, Spec::Fields(Fields { prefix: Some(prefix), ..Fields::default() }))
    } else if let Some(text) = field("match") {
        (List::CategoryMatch, Spec::Text(text))
    } else if let Some(text) = field("trim") {
        (List::NameTrim, Spec::Text(text))
    } else {
        let list = if rule["fold"].is_string() { List::NameFold } else { List::NameFind };
        let pattern = field("fold").or(field("find"))?;
        let while_ = match field("while") {
            Some(text) => format!(",{text}"),
            None => String::new(),
        };
        (list, Spec::Text(format!("s|{pattern}{while_}|{}|", field("to")?)))
    };
    Some((list, Rule::new(list, spec, "table").ok()?))
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_and_categories_of_rule_objects() {
    for (table, category) in [("stack_name", false), ("category", true)] {
        let cases = facts(table);
        for case in rows(&cases) {
            let mut lists = RuleLists::default();
            for rule in rows(&case["rules"]) {
                // Rules that can't be used have no effect there; here they are errors.
                if let Some((list, rule)) = rule_object(rule, category) {
                    lists.list_mut(list).push(rule);
                }
            }
            let (name, found) = apply(&lists, &case["frames"]);
            let found = if category { found } else { name };
            if case["note"] == "invalid while falls back to prefix" {
                // `while = "[b"` is an error here, so the fold is missing.
                assert_eq!(found, "q.A");
                continue;
            }
            assert_eq!(found, case["expected"].as_str().unwrap(), "{}", case["note"]);
        }
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_and_categories_of_settings() {
    let table = facts("settings_text");
    for case in rows(&table["cases"]) {
        let mut settings = case["settings"].clone();
        for (_, _, key) in crate::rules::LISTS {
            if settings[key].is_null() {
                settings[key] = serde_json::json!({"ignoreDefault": true});
            }
        }
        let read = Settings::read("s.json", &settings.to_string()).unwrap();
        let (name, category) = apply(&read.lists, &case["frames"]);
        assert_eq!(name, case["expected_name"].as_str().unwrap(), "{}", case["note"]);
        assert_eq!(category, case["expected_category"].as_str().unwrap(), "{}", case["note"]);
        round_trip(&read.lists, &case["note"]);
    }
}

/// The lists as they come back from TOML.
fn round_trip(lists: &RuleLists, what: &Value) -> RuleLists {
    let toml = crate::rules::to_toml(lists);
    let document = crate::rules::Document { name: "round", text: &toml };
    let mut changes = crate::rules::RuleChanges::default();
    for (section, value) in document.parse().unwrap().get_ref() {
        changes.read_section(&document, section.get_ref(), value).unwrap();
    }
    let mut back = crate::rules::default_lists();
    changes.apply(&mut back);
    assert_eq!(back.distinct, lists.distinct);
    for (list, key, _) in crate::rules::LISTS {
        let meanings = |lists: &RuleLists| -> Vec<_> {
            lists.list(list).iter().map(|rule| rule.meaning.clone()).collect()
        };
        assert_eq!(meanings(&back), meanings(lists), "{what} {key}");
    }
    back
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn names_and_categories_of_the_browser_tools_own_rules() {
    let lists = Settings::read("s.json", "{}").unwrap().lists;
    let cases = facts("default_category");
    for case in rows(&cases) {
        assert_eq!(apply(&lists, &case["frames"]).1, case["expected"].as_str().unwrap(), "{case}");
    }
    let cases = facts("default_name");
    for case in rows(&cases) {
        let (name, category) = apply(&lists, &case["frames"]);
        assert_eq!(name, case["expected_name"].as_str().unwrap(), "{case}");
        assert_eq!(category, case["expected_category"].as_str().unwrap(), "{case}");
    }
    let defaults = facts("builtin_defaults");
    for (list, _, key) in crate::rules::LISTS {
        let own: Vec<Spec> = lists.list(list).iter().map(|rule| rule.spec.clone()).collect();
        let expected: Vec<Spec> = strings(&defaults[key]).into_iter().map(Spec::Browser).collect();
        assert_eq!(own, expected, "{key}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn stored_lists_extend_or_replace() {
    let cases = facts("override");
    for case in rows(&cases) {
        let settings = serde_json::json!({"nameSkipRules": case["override"]});
        let lists = Settings::read("s.json", &settings.to_string()).unwrap().lists;
        let specs: Vec<Spec> =
            lists.list(List::NameSkip).iter().map(|rule| rule.spec.clone()).collect();
        let expected = strings(&case["resolved_nameSkipRules"]);
        assert_eq!(specs, expected.into_iter().map(Spec::Browser).collect::<Vec<_>>(), "{case}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn trimmed_frames() {
    let cases = facts("trim_prefixes");
    for case in rows(&cases) {
        let settings = serde_json::json!({
            "functionTrimPrefixes": case["function_prefixes"],
            "fileTrimPrefixes": case["file_prefixes"],
        });
        let lists = Settings::read("s.json", &settings.to_string()).unwrap().lists;
        let frame = |key: &str| case[key].as_str().unwrap().to_owned();
        let (profile, stacks) = profile(&[vec![(frame("func"), frame("file"), 1)]]);
        let names = RuleSet::compile(lists.clone()).unwrap().apply(&profile).unwrap();
        let frame = profile.stack(stacks[0])[0];
        assert_eq!(text(names.func(frame)), case["out_func"].as_str().unwrap(), "{case}");
        assert_eq!(text(names.file(frame)), case["out_file"].as_str().unwrap(), "{case}");
        round_trip(&lists, case);
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn extracted_names() {
    let cases = facts("name_extraction");
    for case in rows(&cases) {
        let mut extractor = Extractor::default();
        let settings = serde_json::json!({"nameExtractionPatterns": case["patterns"]});
        let lists = Settings::read("s.json", &settings.to_string()).unwrap().lists;
        for rule in lists.list(List::InputName) {
            extractor.push(rule, &mut Compiler::default()).unwrap();
        }
        let name = extractor.name(case["line"].as_str().unwrap().as_bytes());
        let expected = match case["name"].as_str() {
            // There is no number: no name, rather than "NaN".
            Some("NaN") => None,
            // Not rounded to a double.
            Some("18446744073709552000") => Some("18446744073709551615"),
            name => name,
        };
        assert_eq!(name.as_deref(), expected, "{case}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn member_patterns_match_what_they_match_there() {
    let cases = facts("zip_patterns");
    for case in rows(&cases) {
        let settings = serde_json::json!({"zipFilePatterns": [case["pattern"]]});
        let lists = Settings::read("s.json", &settings.to_string()).unwrap().lists;
        let rules = RuleSet::compile(lists).unwrap();
        let regex = regex::Regex::new(&rules.member_patterns()[0]).unwrap();
        let matches = regex.is_match(case["path"].as_str().unwrap());
        assert_eq!(matches, case["matches"].as_bool().unwrap(), "{case}");
    }
}

/// One stack of a recorded answer: its id, frames, category and name.
type Answer = (String, Vec<(String, String, i64)>, String, String);

fn answers(file: &Value) -> Vec<Answer> {
    let mut answers = Vec::new();
    for category in rows(&file["categories"]) {
        for stack in rows(&category["stacks"]) {
            let frames = rows(&stack["trace"]).iter().map(|frame| {
                let text = |at: usize| frame[at].as_str().unwrap().to_owned();
                (text(0), text(1), frame[2].as_i64().unwrap())
            });
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let (name, category) = (text(&stack["name"]), text(&category["name"]));
            answers.push((text(&stack["trace_id"]), frames.collect(), category, name));
        }
    }
    answers
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn every_recorded_stack_gets_its_name_and_category() {
    let folder = folder();
    let manifest = json(folder.join("manifest.json"));
    let cases = manifest["cases"].as_array().or(manifest.as_array()).unwrap();
    let full: Vec<(String, Value, Vec<Answer>)> = cases
        .iter()
        .filter(|case| case["kind"] == "full")
        .map(|case| {
            let file = |key: &str| json(folder.join(case[key].as_str().unwrap()));
            (case["case"].to_string(), file("settings"), answers(&file("expected")))
        })
        .collect();
    // Frames before trimming, from the cases whose settings trim nothing.
    let trims = |settings: &Value| {
        ["functionTrimPrefixes", "fileTrimPrefixes"]
            .iter()
            .any(|key| !rows(&settings[key]["custom"]).is_empty())
    };
    let mut untrimmed = BTreeMap::new();
    for (_, settings, answers) in &full {
        if !trims(settings) {
            untrimmed.extend(answers.iter().map(|(id, frames, ..)| (id.clone(), frames.clone())));
        }
    }
    let mut checked = 0;
    for (case, settings, answers) in &full {
        let settings = Settings::read("s.json", &settings.to_string()).unwrap();
        let stacks: Vec<_> = answers.iter().map(|(id, ..)| untrimmed[id].clone()).collect();
        let (profile, ids) = profile(&stacks);
        let check = |lists: &RuleLists| {
            let names: Names = RuleSet::compile(lists.clone()).unwrap().apply(&profile).unwrap();
            for ((_, frames, category, name), stack) in answers.iter().zip(&ids) {
                assert_eq!(&text(names.name(&profile, *stack)), name, "{case}");
                assert_eq!(&text(names.category(*stack)), category, "{case} {name}");
                for ((func, file, _), frame) in frames.iter().zip(profile.stack(*stack)) {
                    assert_eq!(&text(names.func(*frame)), func, "{case}");
                    assert_eq!(&text(names.file(*frame)), file, "{case}");
                }
            }
        };
        check(&settings.lists);
        check(&round_trip(&settings.lists, &Value::from(case.as_str())));
        checked += answers.len();
    }
    assert!(checked > 1000, "{checked} stacks");
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn functions_of_the_standard_library() {
    let cases = facts("is_stdlib");
    for case in rows(&cases) {
        let func = case["func"].as_str().unwrap();
        let found = crate::rules::compile::is_stdlib(func.as_bytes());
        assert_eq!(found, case["expected"].as_bool().unwrap(), "{func}");
    }
}
