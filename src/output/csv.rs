//! `-o csv` of `export` and `filter`: a row per goroutine, or per group where the input only counts.
//!
//! RFC 4180 with LF. Labels stand as `k=v` with `; ` between them, those of the input's path
//! included: there is no other place for them. Text that a spreadsheet would run as a formula gets
//! a `'` in front.

use crate::group::Group;
use crate::profile::{Goroutine, InputId, LabelsId, Profile};
use crate::view::export::{Category, Export, Stack, saturated};
use std::borrow::Cow;
use std::io::{self, Write};

/// The columns; later versions only add to them.
pub const COLUMNS: [&str; 14] = [
    "input",
    "goroutine",
    "count",
    "category",
    "name",
    "state",
    "kind",
    "wait_minutes",
    "flags",
    "labels",
    "created_by",
    "created_by_func",
    "stack",
    "shape",
];

/// Writes header and rows.
pub fn write(export: &Export<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut rows =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    rows.write_record(COLUMNS)?;
    for category in &export.categories {
        for stack in &category.stacks {
            for input in &stack.inputs {
                for group in export.groups(input) {
                    write_group(export, category, stack, group, &mut rows)?;
                }
            }
        }
    }
    rows.flush()
}

fn write_group<W: Write>(
    export: &Export<'_>,
    category: &Category<'_>,
    stack: &Stack<'_>,
    group: &Group,
    rows: &mut csv::Writer<W>,
) -> io::Result<()> {
    let profile = export.profile;
    let input = guard(profile.input(group.input).name.as_bytes());
    let (category, name) = (guard(category.name), guard(stack.name));
    let state = guard(group.state.map_or(b"", |state| profile.str(state)));
    let flags: Vec<&[u8]> =
        profile.flags(group.flags).iter().map(|&flag| profile.str(flag)).collect();
    let flags = flags.join(&b"; "[..]);
    let labels = label_text(profile, group.input, group.labels);
    let (flags, labels) = (guard(&flags), guard(&labels));
    let creator = guard(group.creator.map_or(b"", |creator| export.names.func(creator)));
    let (id, shape) = (stack.id.hex(), stack.shape.hex());
    let mut row = |count: i128, goroutine: Option<&Goroutine>| {
        let wait = goroutine.and_then(|goroutine| goroutine.wait.known());
        let text = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        rows.write_record([
            &*input,
            text(goroutine.map(|goroutine| goroutine.id)).as_bytes(),
            saturated(count).to_string().as_bytes(),
            &*category,
            &*name,
            &*state,
            group.kind.name().as_bytes(),
            wait.map_or(String::new(), |minutes| minutes.to_string()).as_bytes(),
            &*flags,
            &*labels,
            text(goroutine.and_then(Goroutine::creator)).as_bytes(),
            &*creator,
            &id,
            &shape,
        ])
    };
    if group.only_counted() != 0 {
        row(group.only_counted(), None)?;
    }
    for &at in export.goroutines(group) {
        row(1, Some(export.goroutine(at)))?;
    }
    Ok(())
}

/// The labels of a goroutine and of its input's path, of which its own ones win.
fn label_text(profile: &Profile, input: InputId, labels: LabelsId) -> Vec<u8> {
    let own = profile.labels(labels);
    let path = profile.labels(profile.input(input).labels).iter();
    let path = path.filter(|label| own.iter().all(|other| other.key != label.key));
    let mut all: Vec<_> = own.iter().chain(path).collect();
    all.sort_by_key(|label| profile.str(label.key));
    let mut text = Vec::new();
    for label in all {
        if !text.is_empty() {
            text.extend_from_slice(b"; ");
        }
        text.extend_from_slice(profile.str(label.key));
        text.push(b'=');
        text.extend_from_slice(&profile.label_text(label.value));
    }
    text
}

/// A text cell that no spreadsheet takes for a formula.
pub(super) fn guard(text: &[u8]) -> Cow<'_, [u8]> {
    match text.first() {
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r') => [b"'", text].concat().into(),
        _ => text.into(),
    }
}
