//! The report on inputs in every machine-readable document: what was read, and what was lost.

use crate::error::Problem;
use crate::group::order;
use crate::profile::{
    CaptureCounts, Input, InputId, LabelValue, LabelsId, Profile, StackId, StrId, Warning,
    WarningKind, lossy,
};
use crate::view::rows::{Id, Text, without_null};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// The inputs of a profile in natural order; with points, in the order of points, each with the name
/// of its point.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The profile with the inputs.
    pub profile: &'a Profile,
    /// The names of the points, for commands that compare them.
    pub points: Option<Vec<&'a str>>,
}

impl Inputs<'_> {
    /// The inputs in the order in which they are listed.
    pub fn order(&self) -> Vec<InputId> {
        let mut ids = order::inputs(self.profile);
        if self.points.is_some() {
            // The sort is stable: those of one point stay in the order of their names.
            ids.sort_by_key(|&id| self.profile.input(id).point);
        }
        ids
    }
}

impl Serialize for Inputs<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.order().into_iter().map(|id| {
            let input = self.profile.input(id);
            let point = self.points.as_ref().and_then(|points| points.get(input.point));
            row(self.profile, input, point.copied())
        }))
    }
}

/// What the arguments contained that is in no input: errors, oddities of archives, and how many members
/// are in no known format. Every document has these fields at its top, each only if there is something
/// to report.
#[derive(Clone, Debug, Serialize)]
pub struct Unread<'a> {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<ProblemRow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archive_warnings: Vec<ProblemRow<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    skipped_members: u64,
}

impl<'a> Unread<'a> {
    /// The report for this profile.
    pub fn of(profile: &'a Profile) -> Unread<'a> {
        let row = |Problem { error, more }: &'a Problem| ProblemRow {
            path: &error.input,
            text: error.to_string(),
            more: *more,
        };
        Unread {
            failed: profile.unread.failed.iter().map(row).collect(),
            archive_warnings: profile.unread.archives.iter().map(row).collect(),
            skipped_members: profile.unread.skipped,
        }
    }
}

#[derive(Clone, Debug, Serialize)]
struct ProblemRow<'a> {
    path: &'a str,
    text: String,
    #[serde(skip_serializing_if = "is_zero")]
    more: u64,
}

/// A set of labels as an object; a key that occurs more than once has a list of values.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a>(pub &'a Profile, pub LabelsId);

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Labels(profile, id) = *self;
        let text = |value: LabelValue| lossy(&profile.label_text(value));
        let mut object = out.serialize_map(None)?;
        for same in profile.labels(id).chunk_by(|a, b| a.key == b.key) {
            let Some(first) = same.first() else { continue };
            let key = Text(profile.str(first.key));
            match same {
                [only] => object.serialize_entry(&key, &text(only.value))?,
                several => {
                    let values: Vec<String> =
                        several.iter().map(|label| text(label.value)).collect();
                    object.serialize_entry(&key, &values)?;
                }
            }
        }
        object.end()
    }
}

/// Notes, on each input whose text isn't UTF-8, that JSON shows it with U+FFFD.
pub fn note_odd_bytes(profile: &mut Profile) {
    let strings = &profile.strings;
    let odd: Vec<bool> = (0..strings.len())
        .map(|at| std::str::from_utf8(strings.get(StrId(at as u32))).is_err())
        .collect();
    if !odd.contains(&true) {
        return;
    }
    let odd_frames: Vec<bool> =
        profile.frames().iter().map(|f| odd[f.func.index()] || odd[f.file.index()]).collect();
    let odd_stacks: Vec<bool> = (0..profile.stack_count())
        .map(|at| {
            let stack = profile.stack(StackId(at as u32));
            stack.iter().any(|frame| odd_frames[frame.index()])
        })
        .collect();
    let odd_labels = |labels: LabelsId| {
        profile.labels(labels).iter().any(|label| {
            let value = match label.value {
                LabelValue::Text(text) => text,
                LabelValue::Number(_, unit) => unit,
            };
            odd[label.key.index()] || odd[value.index()]
        })
    };
    let mut inputs: Vec<bool> =
        profile.inputs.iter().map(|input| odd_labels(input.labels)).collect();
    for sample in &profile.samples {
        let key = &sample.key;
        inputs[key.input.index()] |= odd_stacks[key.stack.index()]
            || key.state.is_some_and(|state| odd[state.index()])
            || key.creator.is_some_and(|frame| odd_frames[frame.index()])
            || profile.flags(key.flags).iter().any(|flag| odd[flag.index()])
            || odd_labels(key.labels);
    }
    for (&at, ancestors) in &profile.ancestors {
        let Some(goroutine) = profile.held_goroutine(at) else { continue };
        let input = profile.sample(goroutine.sample).key.input;
        inputs[input.index()] |= ancestors.iter().any(|ancestor| {
            odd_stacks[ancestor.stack.index()]
                || ancestor.creator.is_some_and(|frame| odd_frames[frame.index()])
        });
    }
    for (input, odd) in profile.inputs.iter_mut().zip(inputs) {
        if odd {
            let text = "names that aren't UTF-8 are shown with replacement characters";
            input.warn(WarningKind::NotUtf8, None, text);
        }
    }
}

/// One input of the document.
fn row(profile: &Profile, input: &Input, point: Option<&str>) -> Value {
    let seen = &input.seen;
    let crash = input.crash.as_ref().map(|crash| {
        let crash = json!({
            "kind": crash.kind.name(),
            "text": crash.text,
            "goroutine": crash.goroutine.map(Id),
            "running_tests": crash.running_tests,
        });
        without_null(crash, &["goroutine"])
    });
    let warning = |warning: &Warning| {
        // How many more of the kind were left out of the list after this one.
        let more = Some(warning.more).filter(|&more| more > 0);
        let (kind, line, text) = (warning.kind, warning.line, &warning.text);
        let warning = json!({"kind": kind, "line": line, "text": text, "more": more});
        without_null(warning, &["line", "more"])
    };
    let captured = input.captured.as_ref().map(|captured| {
        let CaptureCounts { exact, drifted, broken, unstable, unread, unlabelled } =
            captured.counts;
        json!({
            "exact": exact,
            "drifted": drifted,
            "broken": broken,
            "unstable": unstable,
            "unread": unread,
            "unlabelled": unlabelled,
        })
    });
    let row = json!({
        "name": input.name,
        "path": input.path,
        "point": point,
        "format": input.format.name(),
        "labels": Labels(profile, input.labels),
        "goroutines": input.goroutines,
        "announced": input.announced,
        "complete": input.complete(),
        "race_reports": seen.race_reports,
        "seen": {
            "headers": seen.headers,
            "foreign_lines": seen.foreign_lines,
            "text_lines": seen.text_lines,
            "partial": seen.partial,
            "elided": seen.elided,
            "unavailable": seen.unavailable,
        },
        "captured": captured,
        "crash": crash,
        "warnings": input.warnings.iter().map(warning).collect::<Vec<_>>(),
    });
    without_null(row, &["point", "announced", "captured", "crash"])
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
