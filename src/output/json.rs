//! `-o json` of `export` and `filter`: the document `stackgazer.export/1`.
//!
//! Rows are made while they are written, so a million goroutines are never in memory twice.

use super::document::{Document, without_null};
use crate::group::Group;
use crate::profile::{Ancestor, Elision, Flag, Goroutine, Profile, SampleType, StackId};
use crate::verdict::CrashFact;
use crate::view::goroutines::export::{Category, Export, Facts, Stack, StackInput};
use crate::view::inputs::Labels;
use crate::view::rows::{Count, FrameRow, Id, Minutes, Range, Text};
use crate::view::values::quantity::Quantity;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The schema of documents of `export` and `filter`.
pub const SCHEMA: &str = "stackgazer.export/1";

/// Writes the document; `filter` adds how much of the whole is selected.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    export: &Export<'_>,
    with_selected: bool,
    crashes: &[CrashFact],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut head = head(export, with_selected);
    if !crashes.is_empty() {
        head["crashes"] = crashes.iter().map(super::crash::object).collect();
    }
    let categories = export.categories.iter().map(|category| CategoryRow {
        name: Text(category.name),
        facts: FactsRow::new(export.profile, &category.facts),
        stacks: stack_rows(export, category),
    });
    Document::new(SCHEMA, export.profile, head)
        .list("categories", "category", categories)
        .write(out)
}

/// The start of documents, after their inputs.
pub(super) fn head(export: &Export<'_>, with_selected: bool) -> Value {
    let profile = export.profile;
    let quantity = Quantity::of(profile);
    let sample_type = |kind: &SampleType| json!({"type": Text(profile.str(kind.kind)), "unit": Text(profile.str(kind.unit))});
    let head = json!({
        "sample_types": profile.sample_types().iter().map(sample_type).collect::<Vec<_>>(),
        // The sample type of counts and totals, unless they are numbers of goroutines.
        "value": (!quantity.is_of_goroutines()).then_some(quantity),
        "total": Count(export.facts.total),
        "states": states(profile, &export.facts),
        "selected": with_selected.then_some(&export.selected),
    });
    without_null(head, &["value", "selected"])
}

#[derive(Serialize)]
struct CategoryRow<'a, S: Serialize> {
    name: Text<'a>,
    #[serde(flatten)]
    facts: FactsRow<'a>,
    stacks: S,
}

#[derive(Serialize)]
struct FactsRow<'a> {
    total: Count,
    states: BTreeMap<Cow<'a, str>, Count>,
    wait_minutes: Option<Range>,
}

impl<'a> FactsRow<'a> {
    fn new(profile: &'a Profile, facts: &'a Facts) -> FactsRow<'a> {
        FactsRow {
            total: Count(facts.total),
            states: states(profile, facts),
            wait_minutes: Range::of(&facts.waits),
        }
    }
}

fn stack_rows<'a>(export: &'a Export<'a>, category: &'a Category<'a>) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Row<'a, I: Serialize> {
        #[serde(flatten)]
        stack: StackRow<'a>,
        inputs: I,
    }
    Each(category.stacks.iter().map(|stack| Row {
        stack: StackRow::new(export, stack),
        inputs: input_rows(export, stack),
    }))
}

/// A stack without its goroutines.
#[derive(Serialize)]
pub(super) struct StackRow<'a> {
    id: String,
    shape: String,
    name: Text<'a>,
    frames: Vec<FrameRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elided: Option<Option<u64>>,
    #[serde(flatten)]
    facts: FactsRow<'a>,
}

impl<'a> StackRow<'a> {
    pub(super) fn new(export: &'a Export<'a>, stack: &'a Stack<'a>) -> StackRow<'a> {
        StackRow {
            id: stack.id.to_string(),
            shape: stack.shape.to_string(),
            name: Text(stack.name),
            frames: frames(export, stack.stack),
            elided: elided(stack.elided),
            facts: FactsRow::new(export.profile, &stack.facts),
        }
    }
}

fn input_rows<'a>(export: &'a Export<'a>, stack: &'a Stack<'a>) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Row<'a, G: Serialize> {
        name: &'a str,
        total: Count,
        groups: G,
    }
    Each(stack.inputs.iter().map(|input| Row {
        name: &export.profile.input(input.input).name,
        total: Count(input.total),
        groups: group_rows(export, input),
    }))
}

fn group_rows<'a>(export: &'a Export<'a>, input: &'a StackInput) -> impl Serialize + 'a {
    #[derive(Serialize)]
    struct Row<'a, G: Serialize> {
        #[serde(flatten)]
        group: GroupRow<'a>,
        count: Count,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_by: Option<FrameRow<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        elided: Option<Option<u64>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        goroutines: Option<G>,
    }
    Each(export.groups(input).iter().map(|group| {
        let goroutines = export.goroutines(group);
        let rows = Each(goroutines.iter().map(|&at| GoroutineRow::new(export, at)));
        Row {
            group: GroupRow::new(export.profile, group),
            count: Count(group.count),
            created_by: creator(export, group),
            elided: elided(group.elided),
            goroutines: (!goroutines.is_empty()).then_some(rows),
        }
    }))
}

/// The fields that the goroutines of a group share.
#[derive(Serialize)]
pub(super) struct GroupRow<'a> {
    state: Option<Text<'a>>,
    kind: &'static str,
    flags: Vec<Text<'a>>,
    labels: Labels<'a>,
    /// One value for each of the document's sample types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Count>,
}

impl<'a> GroupRow<'a> {
    pub(super) fn new(profile: &'a Profile, group: &Group) -> GroupRow<'a> {
        let text = |flag: &Flag| Text(profile.str(*flag));
        GroupRow {
            state: group.state.map(|state| Text(profile.str(state))),
            kind: group.kind.name(),
            flags: profile.flags(group.flags).iter().map(text).collect(),
            labels: Labels(profile, group.labels),
            values: group.values.iter().map(|&value| Count(value)).collect(),
        }
    }
}

/// The creator of a group's goroutines.
pub(super) fn creator<'a>(export: &'a Export<'_>, group: &Group) -> Option<FrameRow<'a>> {
    group.creator.map(|frame| FrameRow::new(export.profile, export.names, frame))
}

/// How many frames Go left out: absent, a number, or null if Go prints none.
pub(super) fn elided(elision: Option<Elision>) -> Option<Option<u64>> {
    elision.map(|elision| elision.count)
}

#[derive(Serialize)]
struct GoroutineRow<'a> {
    id: Id,
    wait_minutes: Option<Minutes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ancestors: Option<Vec<AncestorRow<'a>>>,
    #[serde(flatten)]
    captured: Option<CapturedRow>,
    #[serde(flatten)]
    arguments: Option<ArgumentRow<'a>>,
}

/// Facts about a goroutine from the memory of its process.
#[derive(Serialize)]
pub(super) struct CapturedRow {
    known: &'static str,
    stack_allocated: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_used: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits_on: Vec<String>,
}

impl CapturedRow {
    /// `None` if the goroutine was read from text.
    pub(super) fn new(export: &Export<'_>, at: u32) -> Option<CapturedRow> {
        let captured = export.profile.captured(export.goroutine(at))?;
        Some(CapturedRow {
            known: captured.certainty.name(),
            stack_allocated: captured.allocated,
            stack_used: captured.used,
            thread: captured.thread,
            // In milliseconds, which is precise enough.
            blocked_seconds: captured.blocked.map(|blocked| (blocked / 1_000_000) as f64 / 1000.0),
            waits_on: captured.waits_on.iter().map(|address| format!("{address:#x}")).collect(),
        })
    }
}

/// The arguments of a goroutine's calls.
#[derive(Serialize)]
pub(super) struct ArgumentRow<'a> {
    /// By frame, leaf first.
    arguments: Vec<Text<'a>>,
    /// Pointers that several goroutines of the input have as arguments, and how many.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    shared: BTreeMap<String, u64>,
}

impl<'a> ArgumentRow<'a> {
    /// `None` if arguments weren't kept.
    pub(super) fn new(export: &'a Export<'_>, at: u32) -> Option<ArgumentRow<'a>> {
        let profile = export.profile;
        let texts = Some(profile.arguments_of(at as usize)).filter(|texts| !texts.is_empty())?;
        let input = profile.sample(export.goroutine(at).sample).key.input;
        let shared = export.shared.among(profile, input, texts);
        Some(ArgumentRow {
            arguments: texts.iter().map(|&text| Text(profile.str(text))).collect(),
            shared: shared.into_iter().map(|(word, count)| (format!("{word:#x}"), count)).collect(),
        })
    }
}

impl<'a> GoroutineRow<'a> {
    fn new(export: &'a Export<'a>, at: u32) -> GoroutineRow<'a> {
        let goroutine: &Goroutine = export.goroutine(at);
        GoroutineRow {
            id: Id(goroutine.id),
            wait_minutes: goroutine.wait.known().and_then(Minutes::of),
            created_by: goroutine.creator().map(Id),
            ancestors: ancestors(export, at),
            captured: CapturedRow::new(export, at),
            arguments: ArgumentRow::new(export, at),
        }
    }
}

/// The ancestors of the goroutine at this position, nearest first.
pub(super) fn ancestors<'a>(export: &'a Export<'_>, at: u32) -> Option<Vec<AncestorRow<'a>>> {
    let row = |ancestor: &Ancestor| AncestorRow {
        id: Id(ancestor.id),
        created_by: ancestor
            .creator
            .map(|frame| FrameRow::new(export.profile, export.names, frame)),
        frames: frames(export, ancestor.stack),
    };
    let ancestors = export.profile.ancestors.get(&(at as usize))?;
    Some(ancestors.iter().map(row).collect())
}

#[derive(Serialize)]
pub(super) struct AncestorRow<'a> {
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_by: Option<FrameRow<'a>>,
    frames: Vec<FrameRow<'a>>,
}

/// The frames of a stack, leaf first.
fn frames<'a>(export: &'a Export<'_>, stack: StackId) -> Vec<FrameRow<'a>> {
    let frames = export.profile.stack(stack).iter();
    frames.map(|&frame| FrameRow::new(export.profile, export.names, frame)).collect()
}

/// A list that is made while it is written.
struct Each<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.clone())
    }
}

/// Goroutines by state; `unknown` for those without a known state.
fn states<'a>(profile: &'a Profile, facts: &Facts) -> BTreeMap<Cow<'a, str>, Count> {
    let mut counts = BTreeMap::new();
    for (state, count) in &facts.states {
        let name = state.map_or(b"unknown".as_slice(), |state| profile.str(state));
        counts.entry(String::from_utf8_lossy(name)).or_insert(Count(0)).0 += count;
    }
    counts
}

#[cfg(test)]
mod tests;
