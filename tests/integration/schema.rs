//! The JSON Schemas of the repository.

use serde_json::Value;
use std::path::Path;

/// The validator of `schemas/NAME.json`; what is shared stands in `schemas/export.json`.
pub(crate) fn validator(name: &str) -> jsonschema::Validator {
    let shared = read("export");
    // Definitions of both files come to stand in one, so that nothing has to be fetched.
    let own = read(name).to_string().replace("export.json#/$defs/", "#/$defs/shared-");
    let mut schema: Value = serde_json::from_str(&own).expect("a schema");
    let shared = shared["$defs"].to_string().replace("#/$defs/", "#/$defs/shared-");
    let shared: Value = serde_json::from_str(&shared).expect("definitions");
    for (key, definition) in shared.as_object().expect("definitions") {
        schema["$defs"][format!("shared-{key}")] = definition.clone();
    }
    jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
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
