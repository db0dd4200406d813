//! Labels as JSON: `{"tenant":"4"}`, so that query engines can select one of them.
//!
//! The values of a key that occurs more than once are a list; a number is a number, with a unit an
//! object: `{"bytes":{"number":512,"unit":"bytes"}}`.

use crate::format::kept;
use crate::profile::{Label, LabelValue, LabelsId, Profile, ProfileBuilder};
use serde_json::{Map, Value, json};

/// A set of labels as JSON; an empty text if there are none.
pub fn labels_to_json(profile: &Profile, labels: LabelsId) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let value = |label: &Label| match label.value {
        LabelValue::Text(value) => Value::from(text(profile.str(value))),
        LabelValue::Number(number, unit) => match profile.str(unit) {
            b"" => Value::from(number),
            unit => json!({"number": number, "unit": text(unit)}),
        },
    };
    let mut object = Map::new();
    for same in profile.labels(labels).chunk_by(|a, b| a.key == b.key) {
        let Some(first) = same.first() else { continue };
        let values = match same {
            [only] => value(only),
            several => several.iter().map(value).collect(),
        };
        object.insert(text(profile.str(first.key)), values);
    }
    match object.is_empty() {
        true => String::new(),
        false => Value::Object(object).to_string(),
    }
}

/// Parses a set of labels; `None` if the text isn't one. Of very long keys and values the start is kept;
/// `has_cut` is set then.
pub fn labels_from_json(
    builder: &mut ProfileBuilder,
    text: &str,
    has_cut: &mut bool,
) -> Option<LabelsId> {
    if text.is_empty() {
        return Some(LabelsId::NONE);
    }
    let object: Map<String, Value> = serde_json::from_str(text).ok()?;
    let mut string = |text: &str| {
        let kept = kept(text.as_bytes());
        *has_cut |= kept.len() < text.len();
        builder.string(kept)
    };
    let mut labels = Vec::new();
    for (key, value) in &object {
        let key = string(key);
        let values = match value {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        for value in values {
            let value = match value {
                Value::String(text) => LabelValue::Text(string(text)),
                Value::Object(number) => {
                    let unit = string(number.get("unit")?.as_str()?);
                    LabelValue::Number(number.get("number")?.as_i64()?, unit)
                }
                number => LabelValue::Number(number.as_i64()?, string("")),
            };
            labels.push(Label { key, value });
        }
    }
    Some(builder.labels(&mut labels))
}
