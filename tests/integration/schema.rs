//! The JSON Schemas of the repository.

use serde_json::Value;
use std::path::Path;

/// How schemas refer to what is shared, which stands in `schemas/export.json`.
const SHARED: &str = "urn:stackgazer:schema:export:1#/$defs/";

/// The validator of `schemas/NAME.json`.
pub(crate) fn validator(name: &str) -> jsonschema::Validator {
    validator_of(&read(name))
}

fn validator_of(schema: &Value) -> jsonschema::Validator {
    let shared = read("export");
    // Definitions of both files come to stand in one, so that nothing has to be fetched.
    let own = schema.to_string().replace(SHARED, "#/$defs/shared-");
    let mut schema: Value = serde_json::from_str(&own).expect("a schema");
    let shared = shared["$defs"].to_string().replace("#/$defs/", "#/$defs/shared-");
    let shared: Value = serde_json::from_str(&shared).expect("definitions");
    for (key, definition) in shared.as_object().expect("definitions") {
        schema["$defs"][format!("shared-{key}")] = definition.clone();
    }
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{error}"))
}

/// Fails with the first places where the document isn't what the schema says.
#[track_caller]
pub(crate) fn assert_valid(validator: &jsonschema::Validator, document: &Value, what: &str) {
    let errors: Vec<String> = validator
        .iter_errors(document)
        .take(3)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{what}: {}", errors.join("\n"));
}

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{name}.json"));
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_schema_has_an_id_that_no_host_has_to_answer_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    for path in crate::sandbox::files_below(&folder) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let schema = read(&name);
        let id = format!("urn:stackgazer:schema:{name}:1");
        assert_eq!(schema["$id"], id.as_str());
        assert_eq!(schema["title"], format!("stackgazer.{name}/1"));
        // Relative references mean nothing next to such an id.
        for reference in schema.to_string().split("\"$ref\":\"").skip(1) {
            let known = reference.starts_with("#/$defs/") || reference.starts_with(SHARED);
            assert!(known, "{name}: {}", &reference[..reference.len().min(60)]);
        }
    }
}

/// The validator of a line of `-o ndjson`: each type has a definition in the schema of the document,
/// the `inputs` line is that without its lists.
#[track_caller]
pub(crate) fn assert_lines(name: &str, text: &str, rows: &[(&str, &str)], lists: &[&str]) {
    let document = read(name);
    let of = |mut schema: Value| {
        schema["$defs"] = document["$defs"].clone();
        schema["$schema"] = document["$schema"].clone();
        validator_of(&schema)
    };
    let mut head = document.clone();
    let required = head["required"].as_array_mut().expect("required");
    required.retain(|field| !lists.iter().any(|list| field == list));
    head.as_object_mut().expect("an object").remove("$id");
    let head = of(head);
    let rows: Vec<(&str, jsonschema::Validator)> =
        rows.iter().map(|(kind, at)| (*kind, of(document["$defs"][at].clone()))).collect();
    for (at, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).expect("a line is an object");
        let kind = line["type"].as_str().expect("a type").to_owned();
        assert_eq!(kind == "inputs", at == 0, "inputs come first: {kind}");
        match at {
            0 => {
                assert!(lists.iter().all(|list| line.get(list).is_none()), "{line}");
                assert_valid(&head, &line, &kind);
            }
            _ => {
                let row = rows.iter().find(|(known, _)| *known == kind).expect("a known type");
                assert_valid(&row.1, &line, &kind);
            }
        }
    }
}
