//! `stackgazer.waits/1`, and its piles as one object a line.

use super::Graph;
use crate::output::json::{FrameRow, Id, Minutes};
use crate::view::inputs::{Inputs, Text, Unread};
use crate::waits::{Cycle, Pile, Starter, Twice, Waits};
use serde::Serialize;
use std::io::{self, Write};

const SCHEMA: &str = "stackgazer.waits/1";

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    inputs: Inputs<'a>,
    #[serde(flatten)]
    unread: Unread<'a>,
    piles: Vec<PileRow<'a>>,
    cycles: Vec<CycleRow<'a>>,
    locked_twice: Vec<TwiceRow<'a>>,
    starters: Vec<StarterRow<'a>>,
}

#[derive(Serialize)]
struct PileRow<'a> {
    pile: usize,
    input: &'a str,
    lock: Option<String>,
    owner: Option<String>,
    kind: &'static str,
    function: FrameRow<'a>,
    waiting: i64,
    total: i64,
    first: Option<Id>,
    longest_minutes: Option<Minutes>,
    holders: Vec<HolderRow<'a>>,
    more_holders: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Serialize)]
struct HolderRow<'a> {
    id: Option<Id>,
    function: FrameRow<'a>,
    state: Option<Text<'a>>,
    kind: &'static str,
    wait_minutes: Option<Minutes>,
    evidence: &'static str,
    waits_in: Option<usize>,
}

#[derive(Serialize)]
struct CycleRow<'a> {
    input: &'a str,
    certain: bool,
    text: String,
    members: Vec<MemberRow<'a>>,
}

#[derive(Serialize)]
struct MemberRow<'a> {
    id: Id,
    pile: usize,
    lock: String,
    function: FrameRow<'a>,
    frames: Vec<FrameRow<'a>>,
}

#[derive(Serialize)]
struct TwiceRow<'a> {
    input: &'a str,
    id: Id,
    lock: String,
    function: FrameRow<'a>,
    outer: FrameRow<'a>,
    behind_writer: bool,
    text: String,
}

/// One that waits for those that it has started, with a lock that these want.
#[derive(Serialize)]
struct StarterRow<'a> {
    input: &'a str,
    id: Id,
    pile: usize,
    function: FrameRow<'a>,
    kind: &'static str,
    started: usize,
    text: String,
}

/// A row with the name of its sort.
#[derive(Serialize)]
struct Typed<T> {
    r#type: &'static str,
    #[serde(flatten)]
    row: T,
}

/// Writes the document.
pub(super) fn write(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        inputs: Inputs(graph.profile),
        unread: Unread::of(graph.profile),
        piles: graph.piles().map(|(at, pile)| row(graph, at, pile)).collect(),
        cycles: graph.waits.cycles.iter().map(|cycle| cycle_row(graph, cycle)).collect(),
        locked_twice: graph.waits.twice.iter().map(|twice| twice_row(graph, twice)).collect(),
        starters: graph.waits.starters.iter().map(|one| starter_row(graph, one)).collect(),
    };
    serde_json::to_writer(&mut *out, &document)?;
    writeln!(out)
}

/// Writes the piles, and what is seen in them.
pub(super) fn write_rows(graph: &Graph<'_>, out: &mut dyn Write) -> io::Result<()> {
    let waits = graph.waits;
    for (at, pile) in graph.piles() {
        write_row("pile", row(graph, at, pile), out)?;
    }
    for cycle in &waits.cycles {
        write_row("cycle", cycle_row(graph, cycle), out)?;
    }
    for twice in &waits.twice {
        write_row("locked_twice", twice_row(graph, twice), out)?;
    }
    for starter in &waits.starters {
        write_row("starter", starter_row(graph, starter), out)?;
    }
    Ok(())
}

fn write_row(r#type: &'static str, row: impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Typed { r#type, row })?;
    writeln!(out)
}

fn number(count: i128) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn row<'a>(graph: &Graph<'a>, at: usize, pile: &'a Pile) -> PileRow<'a> {
    let Graph { profile, names, waits, .. } = *graph;
    let holders = pile.holders.iter().map(|holder| {
        let key = &profile.sample(holder.sample).key;
        HolderRow {
            id: holder.id.map(Id),
            function: FrameRow::new(profile, names, holder.frame),
            state: key.state.map(|state| Text(profile.str(state))),
            kind: key.kind.name(),
            wait_minutes: holder.wait.and_then(Minutes::of),
            evidence: holder.evidence.name(),
            waits_in: holder.pile,
        }
    });
    PileRow {
        pile: at,
        input: &profile.input(pile.input).name,
        lock: pile.lock.map(|lock| format!("{lock:#x}")),
        owner: pile.owner.map(|owner| format!("{owner:#x}")),
        kind: pile.kind.name(),
        function: FrameRow::new(profile, names, pile.place),
        waiting: number(pile.count),
        total: number(pile.total()),
        first: pile.first.map(Id),
        longest_minutes: pile.longest.and_then(Minutes::of),
        holders: holders.collect(),
        more_holders: pile.more_holders,
        text: waits.sentence(profile, names, at),
    }
}

fn cycle_row<'a>(graph: &Graph<'a>, cycle: &Cycle) -> CycleRow<'a> {
    let Graph { profile, names, .. } = *graph;
    let members = cycle.members.iter().map(|member| MemberRow {
        id: Id(member.id),
        pile: member.pile,
        lock: format!("{:#x}", member.lock),
        function: FrameRow::new(profile, names, member.place),
        frames: profile
            .stack(profile.sample(member.sample).key.stack)
            .iter()
            .map(|&frame| FrameRow::new(profile, names, frame))
            .collect(),
    });
    CycleRow {
        input: &profile.input(cycle.input).name,
        certain: cycle.is_certain,
        text: Waits::circle(profile, names, cycle),
        members: members.collect(),
    }
}

fn twice_row<'a>(graph: &Graph<'a>, twice: &Twice) -> TwiceRow<'a> {
    let Graph { profile, names, .. } = *graph;
    TwiceRow {
        input: &profile.input(twice.input).name,
        id: Id(twice.id),
        lock: format!("{:#x}", twice.lock),
        function: FrameRow::new(profile, names, twice.place),
        outer: FrameRow::new(profile, names, twice.outer),
        behind_writer: twice.behind_writer,
        text: Waits::alone(names, twice),
    }
}

fn starter_row<'a>(graph: &Graph<'a>, starter: &Starter) -> StarterRow<'a> {
    let Graph { profile, names, waits, .. } = *graph;
    StarterRow {
        input: &profile.input(starter.input).name,
        id: Id(starter.id),
        pile: starter.pile,
        function: FrameRow::new(profile, names, starter.frame),
        kind: starter.kind.name(),
        started: starter.started,
        text: waits.starter(names, starter),
    }
}
