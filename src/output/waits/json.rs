//! `stackgazer.waits/1`

use super::Graph;
use crate::group::ids;
use crate::output::document::{Document, without_null};
use crate::profile::{FrameId, SampleId};
use crate::view::rows::saturated;
use crate::view::rows::{FrameRow, Id, Minutes, Text};
use crate::waits::{Cycle, Holder, Member, Pile, Starter, Twice, Waits};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SCHEMA: &str = "stackgazer.waits/1";

/// The document.
pub(super) fn document<'a>(graph: &'a Graph<'_>) -> Document<'a> {
    let Waits { cycles, twice, starters, .. } = graph.waits;
    Document::new(SCHEMA, graph.profile, json!({}))
        .list("piles", "pile", graph.piles().map(|(at, one)| pile(graph, at, one)))
        .list("cycles", "cycle", cycles.iter().map(|one| cycle(graph, one)))
        .list("locked_twice", "locked_twice", twice.iter().map(|one| locked_twice(graph, one)))
        .list("starters", "starter", starters.iter().map(|one| starter(graph, one)))
}

fn hex(address: u64) -> String {
    format!("{address:#x}")
}

impl<'a> Graph<'a> {
    fn frame(&self, frame: FrameId) -> FrameRow<'a> {
        FrameRow::new(self.profile, self.names, frame)
    }

    /// The id of a sample's stack.
    fn stack(&self, sample: SampleId) -> String {
        ids::id(self.profile, self.profile.sample(sample).key.stack).to_string()
    }

    /// The ids of the stacks of all that wait in a pile.
    fn stacks(&self, pile: &Pile) -> BTreeSet<String> {
        pile.samples.iter().map(|(sample, _)| self.stack(*sample)).collect()
    }
}

fn pile(graph: &Graph<'_>, at: usize, pile: &Pile) -> Value {
    let Graph { profile, names, waits, .. } = *graph;
    let holder = |holder: &Holder| {
        let key = &profile.sample(holder.sample).key;
        json!({
            "id": holder.id.map(Id),
            "function": graph.frame(holder.frame),
            "state": key.state.map(|state| Text(profile.str(state))),
            "kind": key.kind.name(),
            "wait_minutes": holder.wait.and_then(Minutes::of),
            "stack": graph.stack(holder.sample),
            "evidence": holder.evidence.name(),
            "waits_in": holder.pile,
        })
    };
    let row = json!({
        "pile": at,
        "input": profile.input(pile.input).name,
        "lock": pile.lock.map(hex),
        "owner": pile.owner.map(hex),
        "kind": pile.kind.name(),
        "function": graph.frame(pile.place),
        "waiting": saturated(pile.count),
        "total": saturated(pile.total()),
        "first": pile.first.map(Id),
        "stacks": graph.stacks(pile),
        "longest_minutes": pile.longest.and_then(Minutes::of),
        "holders": pile.holders.iter().map(holder).collect::<Vec<_>>(),
        "more_holders": pile.more_holders,
        "text": waits.sentence(profile, names, at),
    });
    without_null(row, &["text"])
}

/// A circle, which can have all goroutines of a process: they are written one by one.
#[derive(Serialize)]
struct CycleRow<'a> {
    input: &'a str,
    certain: bool,
    text: String,
    members: Members<'a>,
}

struct Members<'a>(&'a Graph<'a>, &'a [Member]);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let Members(graph, members) = *self;
        out.collect_seq(members.iter().map(|one| member(graph, one)))
    }
}

fn cycle<'a>(graph: &'a Graph<'_>, cycle: &'a Cycle) -> CycleRow<'a> {
    let Graph { profile, names, .. } = *graph;
    CycleRow {
        input: &profile.input(cycle.input).name,
        certain: cycle.is_certain,
        text: Waits::cycle_text(profile, names, cycle),
        members: Members(graph, &cycle.members),
    }
}

fn member(graph: &Graph<'_>, member: &Member) -> Value {
    let frames = graph.profile.stack(graph.profile.sample(member.sample).key.stack).iter();
    json!({
        "id": Id(member.id),
        "pile": member.pile,
        "lock": hex(member.lock),
        "function": graph.frame(member.place),
        "frames": frames.map(|&frame| graph.frame(frame)).collect::<Vec<_>>(),
    })
}

fn locked_twice(graph: &Graph<'_>, twice: &Twice) -> Value {
    json!({
        "input": graph.profile.input(twice.input).name,
        "id": Id(twice.id),
        "lock": hex(twice.lock),
        "function": graph.frame(twice.place),
        "outer": graph.frame(twice.outer),
        "behind_writer": twice.behind_writer,
        "text": Waits::twice_text(graph.names, twice),
    })
}

/// A goroutine that waits for goroutines that it started, while it holds a lock that they want.
fn starter(graph: &Graph<'_>, starter: &Starter) -> Value {
    json!({
        "input": graph.profile.input(starter.input).name,
        "id": Id(starter.id),
        "pile": starter.pile,
        "function": graph.frame(starter.frame),
        "kind": starter.kind.name(),
        "started": starter.started,
        "text": graph.waits.starter_text(graph.names, starter),
    })
}
