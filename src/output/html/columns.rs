//! The data of a page: `stackgazer.page/1`, in columns.
//!
//! Strings, frames, label sets and flag sets are listed once; everything else refers to their positions.
//! Goroutines are three columns in the order of their groups; ids and creators are differences to the
//! previous one in the same group, which compress to a few bits each. `page/README.md` describes every
//! field.

use super::Page;
use super::naming::{Naming, Namings};
use crate::output::summary::Linked;
use crate::output::terminal::Paint;
use crate::profile::{FlagsId, FrameId, InputId, LabelsId, Profile, SampleType, StackId};
use crate::rules::{Explainer, Names};
use crate::view::goroutines::export::{Export, Stack};
use crate::view::inputs::{Inputs, Unread};
use crate::view::rows::{Count, Minutes, Origin};
use crate::view::values::quantity::Quantity;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

const SCHEMA: &str = "stackgazer.page/1";

/// The largest whole number up to which JavaScript's numbers are exact.
const LARGEST_EXACT: u64 = (1 << 53) - 1;

/// "None" in columns of positions.
pub(super) const NONE: i64 = -1;

#[derive(Serialize)]
pub(super) struct Columns<'a> {
    schema: &'static str,
    version: &'static str,
    title: &'a str,
    opens: &'static str,
    points: &'a [String],
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    #[serde(skip_serializing_if = "Quantity::is_of_goroutines")]
    value: Quantity,
    /// If a profile measures several things, the values of each by group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<Values>,
    verdict: Vec<VerdictRow<'a>>,
    strings: Vec<String>,
    frames: Frames,
    labels: Vec<Vec<u32>>,
    flags: Vec<Vec<u32>>,
    stacks: Stacks,
    naming: Naming<'a>,
    groups: Groups,
    goroutines: Goroutines,
}

#[derive(Serialize)]
struct Values {
    #[serde(rename = "type")]
    kind: String,
    unit: String,
    by_group: Vec<Count>,
}

#[derive(Serialize)]
struct VerdictRow<'a> {
    label: &'static str,
    tone: &'static str,
    text: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    code: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stacks: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    goroutines: Vec<(usize, String)>,
}

#[derive(Default, Serialize)]
struct Frames {
    func: Vec<u32>,
    file: Vec<u32>,
    line: Vec<i64>,
    module: Vec<i64>,
    /// Where to read the line of source.
    source: Vec<i64>,
}

#[derive(Default, Serialize)]
struct Stacks {
    id: Vec<String>,
    shape: Vec<String>,
    name: Vec<u32>,
    category: Vec<u32>,
    frames: Vec<Vec<u32>>,
    /// How many frames Go left out, by position of the stack; `null` if it doesn't say.
    elided: BTreeMap<usize, Option<u64>>,
}

#[derive(Default, Serialize)]
struct Groups {
    stack: Vec<usize>,
    input: Vec<usize>,
    state: Vec<i64>,
    kind: Vec<u32>,
    flags: Vec<u32>,
    labels: Vec<u32>,
    creator: Vec<i64>,
    count: Vec<Count>,
    /// How many goroutines of the group have a row in [`Goroutines`].
    listed: Vec<usize>,
}

#[derive(Default, Serialize)]
struct Goroutines {
    id: Vec<i64>,
    /// One more than the creator's id; 0 if it isn't known.
    creator: Vec<i64>,
    wait: Vec<Option<Minutes>>,
    /// Ids and creators that are too large for a JavaScript number, by position.
    large_id: BTreeMap<usize, String>,
    large_creator: BTreeMap<usize, String>,
}

impl<'a> Columns<'a> {
    pub(super) fn of(page: &'a Page<'a>, verdict: &'a [Linked]) -> Columns<'a> {
        let export = page.export;
        let mut tables = Tables::new(export.profile, export.names);
        let points = || page.points.iter().map(String::as_str).collect();
        let points = (page.points.len() > 1).then(points);
        let inputs = Inputs { profile: export.profile, points };
        let order = inputs.order();
        // With several points the verdict is about the last, whose inputs come last.
        let names = order.iter().map(|&id| export.profile.input(id).name.as_str());
        let named: HashMap<&str, usize> = names.zip(0..).collect();
        let places: HashMap<InputId, usize> = order.into_iter().zip(0..).collect();
        let mut stacks = Stacks::default();
        let mut groups = Groups::default();
        let mut goroutines = Goroutines::default();
        let mut explainer = Explainer::new(page.rules, export.profile);
        let mut namings = Namings::new(&mut explainer);
        let mut positions = HashMap::new();
        let mut values = Values::none(export.profile);
        for category in &export.categories {
            for stack in &category.stacks {
                let at = stacks.id.len();
                positions.insert(stack.stack, at as u32);
                stacks.add(&mut tables, category.name, stack);
                namings.add(stack.stack);
                for input in &stack.inputs {
                    for group in export.groups(input) {
                        let state =
                            group.state.map(|state| tables.string(tables.profile.str(state)));
                        let creator = group.creator.map(|frame| tables.frame(frame));
                        groups.stack.push(at);
                        groups.input.push(places[&input.input]);
                        groups.state.push(state.map_or(NONE, i64::from));
                        groups.kind.push(tables.string(group.kind.name().as_bytes()));
                        groups.flags.push(tables.flag_set(group.flags));
                        groups.labels.push(tables.label_set(group.labels));
                        groups.creator.push(creator.map_or(NONE, i64::from));
                        groups.count.push(Count(group.count));
                        groups.listed.push(export.goroutines(group).len());
                        goroutines.add(export, export.goroutines(group));
                        for (column, &value) in values.iter_mut().zip(&group.values) {
                            column.by_group.push(Count(value));
                        }
                    }
                }
            }
        }
        let row = |line| VerdictRow::of(export, line, &named, &positions);
        let verdict = verdict.iter().map(row);
        Columns {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION"),
            title: page.title,
            opens: page.opens.name(),
            points: page.points,
            inputs,
            unread: Unread::of(export.profile),
            value: Quantity::of(export.profile),
            values,
            verdict: verdict.collect(),
            strings: tables.strings,
            frames: tables.frames,
            labels: tables.labels.rows,
            flags: tables.flags.rows,
            stacks,
            naming: namings.finish(),
            groups,
            goroutines,
        }
    }
}

impl Values {
    /// Empty columns; none if the profile measures one thing.
    fn none(profile: &Profile) -> Vec<Values> {
        let types = profile.sample_types();
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        let column = |of: &SampleType| Values {
            kind: text(of.kind),
            unit: text(of.unit),
            by_group: Vec::new(),
        };
        match profile.counts_goroutines() || types.len() < 2 {
            true => Vec::new(),
            false => types.iter().map(column).collect(),
        }
    }
}

impl<'a> VerdictRow<'a> {
    fn of(
        export: &Export<'_>,
        linked: &'a Linked,
        inputs: &HashMap<&str, usize>,
        positions: &HashMap<StackId, u32>,
    ) -> VerdictRow<'a> {
        let profile = export.profile;
        let stacks = linked.samples.iter().map(|&sample| profile.sample(sample).key.stack);
        let mut stacks: Vec<u32> =
            stacks.filter_map(|stack| positions.get(&stack).copied()).collect();
        stacks.sort_unstable();
        stacks.dedup();
        let goroutines = linked.goroutines.iter();
        VerdictRow {
            label: linked.line.label,
            tone: match linked.line.paint {
                Paint::Plain => "plain",
                Paint::Strong => "strong",
                Paint::Faint => "faint",
                Paint::Name => "name",
                Paint::Notice => "notice",
                Paint::Alarm => "alarm",
            },
            text: &linked.line.text,
            code: linked.line.is_code,
            stacks,
            goroutines: goroutines
                .filter_map(|(input, id)| Some((*inputs.get(input.as_str())?, id.to_string())))
                .collect(),
        }
    }
}

impl Stacks {
    fn add(&mut self, tables: &mut Tables<'_>, category: &[u8], stack: &Stack<'_>) {
        if let Some(elision) = stack.elided {
            self.elided.insert(self.id.len(), elision.count);
        }
        self.id.push(stack.id.to_string());
        self.shape.push(stack.shape.to_string());
        self.name.push(tables.string(stack.name));
        self.category.push(tables.string(category));
        let profile = tables.profile;
        let frames = profile.stack(stack.stack).iter();
        self.frames.push(frames.map(|&frame| tables.frame(frame)).collect());
    }
}

impl Goroutines {
    /// Adds the goroutines of one group.
    fn add(&mut self, export: &Export<'_>, group: &[u32]) {
        let (mut last_id, mut last_creator) = (0, 0);
        for &at in group {
            let goroutine = export.goroutine(at);
            let place = self.wait.len();
            if goroutine.id > LARGEST_EXACT {
                self.large_id.insert(place, goroutine.id.to_string());
                self.id.push(0);
            } else {
                self.id.push(goroutine.id as i64 - last_id);
                last_id = goroutine.id as i64;
            }
            match goroutine.creator() {
                Some(creator) if creator >= LARGEST_EXACT => {
                    self.large_creator.insert(place, creator.to_string());
                    self.creator.push(0);
                }
                creator => {
                    let creator = creator.map_or(0, |creator| creator as i64 + 1);
                    self.creator.push(creator - last_creator);
                    last_creator = creator;
                }
            }
            self.wait.push(goroutine.wait.known().and_then(Minutes::of));
        }
    }
}

/// Strings, frames and sets that are listed once, and their positions.
struct Tables<'a> {
    profile: &'a Profile,
    names: &'a Names,
    strings: Vec<String>,
    string_ids: HashMap<Vec<u8>, u32>,
    frames: Frames,
    frame_ids: HashMap<FrameId, u32>,
    labels: Sets<LabelsId>,
    flags: Sets<FlagsId>,
}

/// Lists of strings, each once.
struct Sets<Id> {
    rows: Vec<Vec<u32>>,
    ids: HashMap<Id, u32>,
}

impl<Id: std::hash::Hash + Eq> Sets<Id> {
    fn new() -> Sets<Id> {
        Sets { rows: Vec::new(), ids: HashMap::new() }
    }

    fn add(&mut self, id: Id, row: Vec<u32>) -> u32 {
        let next = self.rows.len() as u32;
        self.rows.push(row);
        self.ids.insert(id, next);
        next
    }
}

impl<'a> Tables<'a> {
    fn new(profile: &'a Profile, names: &'a Names) -> Tables<'a> {
        Tables {
            profile,
            names,
            strings: Vec::new(),
            string_ids: HashMap::new(),
            frames: Frames::default(),
            frame_ids: HashMap::new(),
            labels: Sets::new(),
            flags: Sets::new(),
        }
    }

    fn string(&mut self, bytes: &[u8]) -> u32 {
        if let Some(&known) = self.string_ids.get(bytes) {
            return known;
        }
        let next = self.strings.len() as u32;
        self.strings.push(String::from_utf8_lossy(bytes).into_owned());
        self.string_ids.insert(bytes.to_vec(), next);
        next
    }

    fn frame(&mut self, frame: FrameId) -> u32 {
        if let Some(&known) = self.frame_ids.get(&frame) {
            return known;
        }
        let next = self.frames.line.len() as u32;
        let (func, file) =
            (self.string(self.names.func(frame)), self.string(self.names.file(frame)));
        self.frames.func.push(func);
        self.frames.file.push(file);
        self.frames.line.push(self.profile.frame(frame).line);
        let Origin { module, source } = Origin::of(self.profile, frame);
        let mut position = |text: Option<String>| match text {
            Some(text) => i64::from(self.string(text.as_bytes())),
            None => NONE,
        };
        let (module, source) = (position(module), position(source));
        self.frames.module.push(module);
        self.frames.source.push(source);
        self.frame_ids.insert(frame, next);
        next
    }

    /// A row is key, value, key, value.
    fn label_set(&mut self, id: LabelsId) -> u32 {
        if let Some(&known) = self.labels.ids.get(&id) {
            return known;
        }
        let profile = self.profile;
        let mut row = Vec::new();
        for label in profile.labels(id) {
            row.push(self.string(profile.str(label.key)));
            row.push(self.string(&profile.label_text(label.value)));
        }
        self.labels.add(id, row)
    }

    fn flag_set(&mut self, id: FlagsId) -> u32 {
        if let Some(&known) = self.flags.ids.get(&id) {
            return known;
        }
        let profile = self.profile;
        let row = profile.flags(id).iter().map(|&flag| self.string(profile.str(flag))).collect();
        self.flags.add(id, row)
    }
}
