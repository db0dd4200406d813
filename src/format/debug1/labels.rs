//! The labels of a record.

use crate::format::quoted::unquote;
use crate::profile::{Label, LabelValue, LabelsId, ProfileBuilder};

/// Parses the labels of `{"k":"v", "k":"v"}`; those before an error are kept.
pub(super) fn parse_labels(
    text: &[u8],
    builder: &mut ProfileBuilder,
) -> (LabelsId, Result<(), &'static str>) {
    let mut set = Vec::new();
    let mut scan = || -> Option<()> {
        let mut text = text.trim_ascii().strip_prefix(b"{")?.strip_suffix(b"}")?.trim_ascii();
        while !text.is_empty() {
            let (key, rest) = unquote(text)?;
            let (value, rest) =
                unquote(rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start())?;
            let key = builder.string(&key);
            let value = LabelValue::Text(builder.string(&value));
            set.push(Label { key, value });
            let rest = rest.trim_ascii_start();
            text = match rest.strip_prefix(b",") {
                Some(rest) => rest.trim_ascii_start(),
                None if rest.is_empty() => rest,
                None => return None,
            };
        }
        Some(())
    };
    let result = scan().ok_or("labels that aren't written as Go writes them");
    (builder.labels(&mut set), result)
}
