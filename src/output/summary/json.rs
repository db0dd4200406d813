//! `stackgazer.summary/1`

use super::Shown;
use super::profile_json::{OtherObject, ProfileObject};
use super::stuck_json::StuckObject;
use super::verdict::command_of;
use crate::output::crash::CrashObject;
use crate::output::json::{Count, Minutes, Range, SelectedRow};
use crate::profile::LONG_WAIT_MINUTES;
use crate::verdict::Pile;
use crate::view::inputs::{Inputs, Text, Unread};
use crate::view::key::Key;
use crate::view::outlier::Outlier;
use crate::view::summary::{Pivot, Row, Summary};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.summary/1";

/// One document.
pub(super) fn document(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = shown.summary;
    serde_json::to_writer(
        &mut *out,
        &Document {
            head: Head::of(shown),
            verdict: VerdictObject::of(shown),
            rows: summary.rows.iter().map(|row| RowObject { summary, row }).collect(),
        },
    )?;
    writeln!(out)
}

/// One object a line: the inputs, the verdict, the rows.
pub(super) fn lines(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let summary = shown.summary;
    line(out, "inputs", &Head::of(shown))?;
    line(out, "verdict", &VerdictObject::of(shown))?;
    for row in &summary.rows {
        line(out, "row", &RowObject { summary, row })?;
    }
    Ok(())
}

fn line(out: &mut dyn Write, kind: &'static str, object: &impl Serialize) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        object: &'a T,
    }
    serde_json::to_writer(&mut *out, &Line { r#type: kind, object })?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    verdict: VerdictObject<'a>,
    rows: Vec<RowObject<'a>>,
}

#[derive(Serialize)]
struct Head<'a> {
    schema: &'static str,
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    total: Count,
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<SelectedRow>,
    stacks: usize,
    categories: usize,
    states: States<'a>,
    by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<ValueObject<'a>>,
    /// What is 100%.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole: Option<Count>,
    /// The inputs that rows are spread over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pivot: Option<PivotObject<'a>>,
    /// Rows that `--limit` left out.
    left_out: usize,
}

#[derive(Serialize)]
struct PivotObject<'a> {
    key: &'static str,
    columns: Vec<ColumnObject<'a>>,
}

#[derive(Serialize)]
struct ColumnObject<'a> {
    input: &'a str,
    total: Count,
}

impl<'a> PivotObject<'a> {
    fn of(pivot: &'a Pivot) -> PivotObject<'a> {
        let columns = pivot.inputs.iter().zip(&pivot.totals);
        let columns =
            columns.map(|(input, &total)| ColumnObject { input, total: Count(total) }).collect();
        PivotObject { key: "input", columns }
    }
}

#[derive(Serialize)]
struct ValueObject<'a> {
    r#type: Text<'a>,
    unit: Text<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    mean: bool,
}

impl<'a> Head<'a> {
    fn of(shown: &Shown<'a>) -> Head<'a> {
        let Shown { profile, summary, verdict, .. } = *shown;
        Head {
            schema: SCHEMA,
            inputs: Inputs(profile),
            unread: Unread::of(profile),
            total: Count(summary.total),
            selected: summary.selected.as_ref().map(SelectedRow::new),
            stacks: summary.stacks,
            categories: summary.categories,
            states: states(&verdict.activity.states),
            by: summary.by.iter().map(Key::name).collect(),
            whole: summary.of_frames().then(|| Count(divided(summary, summary.whole()))),
            value: (summary.of_frames() || !profile.counts_goroutines()).then(|| {
                let (kind, unit) = profile.value_name();
                ValueObject {
                    r#type: Text(kind),
                    unit: Text(unit),
                    mean: summary.value_options.mean,
                }
            }),
            pivot: summary.pivot.as_ref().map(PivotObject::of),
            left_out: summary.left_out,
        }
    }
}

fn divided(summary: &Summary, value: i128) -> i128 {
    summary.value_options.divided(value)
}

type States<'a> = BTreeMap<&'a str, Count>;

/// States by name; those that aren't known count as `unknown`.
fn states(list: &[(Option<String>, i128)]) -> States<'_> {
    let mut states = States::new();
    for (state, count) in list {
        states.entry(state.as_deref().unwrap_or("unknown")).or_insert(Count(0)).0 += count;
    }
    states
}

#[derive(Serialize)]
struct VerdictObject<'a> {
    crashes: Vec<CrashObject<'a>>,
    longest_wait: Option<LongestObject<'a>>,
    long_waits: Option<LongObject>,
    locks: LocksObject<'a>,
    deadlocks: Vec<&'a str>,
    circles: Vec<CircleObject<'a>>,
    chains: Vec<ChainObject<'a>>,
    leaked: Count,
    leaked_most: Option<PileObject<'a>>,
    nil_channels: Count,
    empty_selects: Count,
    crowd: Option<PileObject<'a>>,
    stuck: Vec<StuckObject<'a>>,
    outliers: Vec<OutlierObject<'a>>,
    race_reports: u64,
    complete: bool,
    losses: Vec<LossObject<'a>>,
    failed: Vec<String>,
    skipped_members: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured: Option<ProfileObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<OtherObject<'a>>,
}

#[derive(Serialize)]
struct OutlierObject<'a> {
    input: &'a str,
    category: Option<&'a str>,
    name: Option<&'a str>,
    goroutines: Count,
    others: OthersObject,
    more: usize,
}

#[derive(Serialize)]
struct OthersObject {
    inputs: usize,
    min: Count,
    median: f64,
    max: Count,
}

impl<'a> OutlierObject<'a> {
    fn of(outlier: &'a Outlier) -> OutlierObject<'a> {
        let (min, median, max) = outlier.others;
        OutlierObject {
            input: &outlier.input,
            category: outlier.category.as_deref(),
            name: outlier.name.as_deref(),
            goroutines: Count(outlier.count),
            others: OthersObject {
                inputs: outlier.peers,
                min: Count(min),
                median,
                max: Count(max),
            },
            more: outlier.more,
        }
    }
}

#[derive(Serialize)]
struct LongestObject<'a> {
    minutes: Option<Minutes>,
    goroutine: String,
    input: &'a str,
}

#[derive(Serialize)]
struct LongObject {
    minutes: Option<Minutes>,
    goroutines: u64,
}

#[derive(Serialize)]
struct LocksObject<'a> {
    mutex: Count,
    rwmutex: Count,
    most: Option<PileObject<'a>>,
}

/// Goroutines that wait for each other, or one that waits for itself.
#[derive(Serialize)]
struct CircleObject<'a> {
    input: &'a str,
    goroutines: Vec<String>,
    certain: bool,
    text: &'a str,
    /// Who waits behind them.
    behind: Option<&'a str>,
    /// A command that shows exactly these goroutines.
    command: Option<String>,
}

#[derive(Serialize)]
struct ChainObject<'a> {
    input: &'a str,
    goroutines: Count,
    text: &'a str,
}

#[derive(Serialize)]
struct PileObject<'a> {
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    goroutines: Count,
}

#[derive(Serialize)]
struct LossObject<'a> {
    input: &'a str,
    text: &'a str,
}

impl<'a> VerdictObject<'a> {
    fn of(shown: &Shown<'a>) -> VerdictObject<'a> {
        let Shown { summary, verdict, .. } = *shown;
        let activity = &verdict.activity;
        VerdictObject {
            crashes: verdict.crashes.iter().map(CrashObject::of).collect(),
            longest_wait: activity.longest.as_ref().map(|longest| LongestObject {
                minutes: Minutes::of(longest.minutes),
                goroutine: longest.goroutine.to_string(),
                input: &longest.input,
            }),
            long_waits: (activity.known_waits > 0).then_some(LongObject {
                minutes: Minutes::of(LONG_WAIT_MINUTES),
                goroutines: activity.long_waits,
            }),
            locks: LocksObject {
                mutex: Count(activity.mutexes),
                rwmutex: Count(activity.rw_mutexes),
                most: activity.lock_pile.as_ref().map(PileObject::of),
            },
            deadlocks: verdict
                .waits
                .deadlocks
                .iter()
                .filter(|deadlock| deadlock.is_certain)
                .map(|deadlock| deadlock.text.as_str())
                .collect(),
            circles: verdict
                .waits
                .deadlocks
                .iter()
                .map(|deadlock| CircleObject {
                    input: &deadlock.input,
                    goroutines: deadlock.goroutines.iter().map(u64::to_string).collect(),
                    certain: deadlock.is_certain,
                    text: &deadlock.text,
                    behind: deadlock.behind.as_deref(),
                    command: command_of(shown, deadlock),
                })
                .collect(),
            chains: verdict
                .waits
                .chains
                .iter()
                .map(|fact| ChainObject {
                    input: &fact.input,
                    goroutines: Count(fact.count),
                    text: &fact.text,
                })
                .collect(),
            leaked: Count(activity.leaked),
            leaked_most: activity.leak_pile.as_ref().map(PileObject::of),
            nil_channels: Count(activity.nil_channels),
            empty_selects: Count(activity.empty_selects),
            crowd: activity.crowd.as_ref().map(PileObject::of),
            stuck: verdict.stuck.iter().map(|fact| StuckObject::of(fact, shown)).collect(),
            outliers: verdict.outliers.iter().map(OutlierObject::of).collect(),
            race_reports: verdict.races,
            complete: verdict.complete(),
            losses: verdict
                .losses
                .iter()
                .map(|loss| LossObject { input: &loss.input, text: &loss.text })
                .collect(),
            failed: verdict.unread.problems().map(ToString::to_string).collect(),
            skipped_members: verdict.unread.skipped,
            measured: summary.profile_verdict.as_ref().map(ProfileObject::of),
            others: summary.others.iter().map(OtherObject::of).collect(),
        }
    }
}

impl<'a> PileObject<'a> {
    fn of(pile: &'a Pile) -> PileObject<'a> {
        PileObject {
            function: &pile.function,
            input: pile.input.as_deref(),
            goroutines: Count(pile.count),
        }
    }
}

/// What each input has of a row.
struct SpreadObject<'a> {
    pivot: &'a Pivot,
    row: &'a Row,
}

impl Serialize for SpreadObject<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let columns = self.pivot.inputs.iter().enumerate();
        out.collect_map(columns.map(|(at, input)| (input, Count(self.row.spread.cell(at)))))
    }
}

/// A row: a field named after each key, then what was counted.
struct RowObject<'a> {
    summary: &'a Summary,
    row: &'a Row,
}

impl Serialize for RowObject<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let RowObject { summary, row } = self;
        let by = &summary.by;
        let mut object = out.serialize_map(None)?;
        for (key, value) in by.iter().zip(&row.keys) {
            object.serialize_entry(&key.name(), value)?;
        }
        if by.iter().any(Key::is_of_frames) {
            object.serialize_entry("flat", &Count(divided(summary, row.flat)))?;
            object.serialize_entry("cum", &Count(divided(summary, row.cum)))?;
        }
        object.serialize_entry("total", &Count(row.total))?;
        object.serialize_entry("stacks", &row.stacks)?;
        object.serialize_entry("states", &states(&row.states))?;
        object.serialize_entry("wait_minutes", &Range::of(&row.waits))?;
        if let Some((name, total)) = &row.top {
            #[derive(Serialize)]
            struct Top<'a> {
                name: &'a str,
                total: Count,
            }
            object.serialize_entry("top_stack", &Top { name, total: Count(*total) })?;
        }
        if let Some(pivot) = &summary.pivot {
            let odd = row.spread.odd.iter().map(|&at| pivot.inputs[at].as_str());
            object.serialize_entry("median", &row.spread.median)?;
            object.serialize_entry("outliers", &odd.collect::<Vec<_>>())?;
            object.serialize_entry("inputs", &SpreadObject { pivot, row })?;
        }
        object.end()
    }
}
