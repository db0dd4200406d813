use super::*;
use crate::limits::LIMITS;
use crate::output::fixture::{Fixture, Maker};
use crate::output::ndjson;
use crate::profile::{Ancestor, InputFormat, SampleSpec, StackId, Wait, WarningKind};
use crate::view::goroutines::export::note_large_sums;
use crate::view::inputs::note_odd_bytes;
use serde_json::{Value, json};

fn schema() -> jsonschema::Validator {
    let mut schema = serde_json::from_str(include_str!("../../../schemas/export.json")).unwrap();
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

/// Makes a schema refuse fields that it doesn't name, so every field must be described.
fn close(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut()
        && object.contains_key("properties")
    {
        object.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    match schema {
        Value::Object(object) => object.values_mut().for_each(close),
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

fn document(fixture: &mut Fixture, with_selected: bool) -> Value {
    note_odd_bytes(&mut fixture.profile);
    note_large_sums(&mut fixture.profile);
    let export = Export::new(&fixture.profile, &fixture.names, &fixture.selection);
    let mut out = Vec::new();
    write(&export, with_selected, &[], &mut out).unwrap();
    assert_eq!(out.last(), Some(&b'\n'));
    serde_json::from_slice(&out).unwrap()
}

fn lines(fixture: &mut Fixture, with_selected: bool) -> Vec<Value> {
    note_odd_bytes(&mut fixture.profile);
    let export = Export::new(&fixture.profile, &fixture.names, &fixture.selection);
    let mut out = Vec::new();
    ndjson::write(&export, with_selected, &mut out).unwrap();
    let lines = out.strip_suffix(b"\n").unwrap().split(|&byte| byte == b'\n');
    lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
}

fn check(instance: &Value) {
    let errors: Vec<String> =
        schema().iter_errors(instance).map(|error| format!("{error:?}")).collect();
    assert!(errors.is_empty(), "{instance}\n{errors:?}");
}

#[test]
fn documents_and_lines_follow_the_schema() {
    let empty = || Fixture::new(Maker::new());
    for mut fixture in [Fixture::everything(), empty()] {
        for with_selected in [true, false] {
            check(&document(&mut fixture, with_selected));
            lines(&mut fixture, with_selected).iter().for_each(check);
        }
    }
}

#[test]
fn a_document_holds_the_whole_model() {
    let mut maker = Maker::new();
    let input = maker.input("n1", InputFormat::Debug2);
    let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
    let mut spec = maker.spec(input, stack, "select");
    spec.labels = maker.labels(&[(b"k", b"v")]);
    spec.flags = maker.flags(&[b"locked to thread"]);
    spec.creator = Some(maker.builder.frame(b"main.start", b"main.go", 3));
    maker.goroutine(&spec, 17, Wait::minutes(9.0), Some(1));
    maker.goroutine(&spec, 3, Wait::minutes(2.5), None);
    let mut fixture = Fixture::new(maker);
    let document = document(&mut fixture, false);
    assert_eq!(document["total"], 2);
    assert_eq!(document["states"], json!({"select": 2}));
    assert_eq!(document["sample_types"], json!([{"type": "goroutine", "unit": "count"}]));
    let stack = &document["categories"][0]["stacks"][0];
    assert_eq!(stack["wait_minutes"], json!({"min": 2.5, "max": 9}));
    assert_eq!(stack["frames"][0], json!({"func": "main.work", "file": "main.go", "line": 9}));
    assert_eq!(
        stack["inputs"],
        json!([{"name": "n1", "total": 2, "groups": [{
            "state": "select", "kind": "select", "flags": ["locked to thread"],
            "labels": {"k": "v"}, "count": 2,
            "created_by": {"func": "main.start", "file": "main.go", "line": 3},
            "goroutines": [{"id": "3", "wait_minutes": 2.5},
                           {"id": "17", "wait_minutes": 9, "created_by": "1"}]}]}])
    );
}

#[test]
fn what_is_not_known_is_null_or_absent() {
    let mut maker = Maker::new();
    let input = maker.input("n1", InputFormat::Debug1);
    let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
    let spec = maker.spec(input, stack, "");
    maker.count(&spec, 12);
    let mut fixture = Fixture::new(maker);
    let document = document(&mut fixture, false);
    assert_eq!(document["states"], json!({"unknown": 12}));
    assert_eq!(document["inputs"][0].get("announced"), None);
    let stack = &document["categories"][0]["stacks"][0];
    assert_eq!(stack["wait_minutes"], Value::Null);
    let group = &stack["inputs"][0]["groups"][0];
    assert_eq!((&group["state"], &group["kind"]), (&Value::Null, &json!("unknown")));
    assert_eq!(group.get("goroutines"), None);
    assert_eq!(lines(&mut fixture, false)[2]["count"], 12);
}

#[test]
fn inputs_are_sorted_as_people_count() {
    let document = document(&mut Fixture::everything(), false);
    let names: Vec<&str> = document["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["crash", "n2", "n10"]);
}

#[test]
fn odd_bytes_become_replacement_characters_with_one_warning_for_each_input() {
    let document = document(&mut Fixture::everything(), false);
    assert!(document.to_string().contains("main.na\u{fffd}me"));
    let kinds = |row: &Value| -> Vec<String> {
        let warnings = row["warnings"].as_array().unwrap().iter();
        warnings.map(|warning| warning["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds(&document["inputs"][1]), ["not-utf8"]);
    assert_eq!(kinds(&document["inputs"][2]), ["total"]);
    assert_eq!(document["inputs"][1]["complete"], true);
}

#[test]
fn sums_beyond_64_bits_are_the_largest_number_with_a_warning() {
    let mut maker = Maker::new();
    for name in ["n1", "n2"] {
        let input = maker.input(name, InputFormat::Debug0);
        let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
        let spec = maker.spec(input, stack, "select");
        maker.count(&spec, i64::MAX);
    }
    let mut fixture = Fixture::new(maker);
    let large = document(&mut fixture, false);
    assert_eq!(large["total"], i64::MAX);
    assert_eq!(large["inputs"][0]["warnings"][0]["kind"], "note");
    let mut maker = Maker::new();
    let input = maker.input("n1", InputFormat::Debug0);
    let spec = maker.spec(input, StackId::EMPTY, "select");
    maker.count(&spec, i64::MAX);
    let fits = document(&mut Fixture::new(maker), false);
    assert_eq!((&fits["total"], &fits["inputs"][0]["warnings"]), (&json!(i64::MAX), &json!([])));
}

#[test]
fn odd_bytes_are_noted_wherever_a_document_shows_them() {
    let warned = |fill: &dyn Fn(&mut Maker, &mut SampleSpec)| {
        let mut maker = Maker::new();
        let input = maker.input("n1", InputFormat::Debug2);
        let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
        let mut spec = maker.spec(input, stack, "select");
        fill(&mut maker, &mut spec);
        maker.goroutine(&spec, 1, Wait::ZERO, None);
        let document = document(&mut Fixture::new(maker), false);
        let odd = document.to_string().contains('\u{fffd}');
        let warnings = document["inputs"][0]["warnings"].as_array().unwrap();
        assert_eq!(odd, !warnings.is_empty(), "{document}");
        odd
    };
    let ancestor = |maker: &mut Maker, spec: &SampleSpec, function: &[u8], creator: &[u8]| {
        let stack = maker.stack(&[(function, b"main.go", 3)]);
        let creator = Some(maker.builder.frame(creator, b"main.go", 4));
        let goroutine = maker.goroutine(spec, 2, Wait::ZERO, None);
        maker.builder.ancestor(goroutine, Ancestor { id: 3, stack, creator });
    };
    assert!(!warned(&|_, _| ()));
    assert!(warned(&|maker, spec| spec.labels = maker.labels(&[(b"k\xff", b"v")])));
    assert!(warned(&|maker, spec| spec.labels = maker.labels(&[(b"k", b"v\xff")])));
    assert!(warned(&|maker, spec| ancestor(maker, spec, b"main.o\xff", b"main.start")));
    assert!(warned(&|maker, spec| ancestor(maker, spec, b"main.old", b"main.\xff")));
    assert!(!warned(&|maker, spec| ancestor(maker, spec, b"main.old", b"main.start")));
    // A second sample with odd bytes, and a goroutine behind it whose ancestors have none.
    assert!(warned(&|maker, spec| {
        spec.labels = maker.labels(&[(b"k", b"v\xff")]);
        let other = SampleSpec { state: None, ..*spec };
        ancestor(maker, &other, b"main.old", b"main.start");
    }));
}

#[test]
fn warnings_say_how_many_more_there_were() {
    let mut maker = Maker::new();
    let input = maker.input("n1", InputFormat::Debug2);
    for line in 0..LIMITS.warnings_per_input as u64 + 2 {
        maker.builder.input_mut(input).warn(WarningKind::ForeignLine, Some(line), "skipped");
    }
    let document = document(&mut Fixture::new(maker), false);
    let warnings = document["inputs"][0]["warnings"].as_array().unwrap();
    let (last, others) = warnings.split_last().unwrap();
    assert_eq!(last["more"], 2);
    assert!(others.iter().all(|warning| warning.get("more").is_none()), "{others:?}");
}

#[test]
fn a_selection_says_how_much_of_the_whole_it_is() {
    let mut fixture = Fixture::everything();
    fixture.selection.counts.iter_mut().skip(1).for_each(|count| *count = 0);
    fixture.selection.unknown_wait = 12;
    let document = document(&mut fixture, true);
    assert_eq!(
        document["selected"],
        json!({"goroutines": 2, "of": 17, "stacks": 1, "of_stacks": 3, "unknown_wait": 12})
    );
    assert_eq!(document["total"], 2);
    assert_eq!(document["inputs"].as_array().unwrap().len(), 3);
}

#[test]
fn lines_hold_stacks_once_and_then_every_goroutine() {
    let lines = lines(&mut Fixture::everything(), false);
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(&types[..4], ["inputs", "stack", "stack", "stack"]);
    let rest = &types[4..];
    assert_eq!(rest.iter().filter(|r#type| **r#type == "goroutine").count(), 5);
    assert_eq!(rest.iter().filter(|r#type| **r#type == "group").count(), 1);
    let stacks: Vec<&Value> = lines[1..4].iter().map(|line| &line["id"]).collect();
    assert!(lines[4..].iter().all(|line| stacks.contains(&&line["stack"])));
    let line = lines.iter().find(|line| line["id"] == "17").unwrap();
    assert_eq!(line["wait_minutes"], 9);
    assert_eq!(line["created_by"], "1");
    assert_eq!(line["creator"]["func"], "main.start");
    assert_eq!(line["input"], "n2");
}

#[test]
fn a_key_that_stands_twice_has_a_list_of_values() {
    let lines = lines(&mut Fixture::everything(), false);
    let group = lines.iter().find(|line| line["type"] == "group").unwrap();
    assert_eq!(group["labels"], json!({"empty": "", "k": ["1", "2"]}));
}
