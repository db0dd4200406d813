//! Goroutines on nil channels.

use super::check::{Check, a_dump, goroutines};
use super::context::{Context, Member};
use super::finding::{FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(super) const CHECK: Check = Check {
    name: "nil-channel",
    tier: Tier::Proof,
    about: "goroutines that send to or receive from a nil channel",
    explanation: "\
A send to or a receive from a channel that is nil never ends: nothing can make the channel anything
else for the goroutine that already waits. Go prints `chan receive (nil chan)` or
`chan send (nil chan)`. Any number of them is an error in one's own code.

The goroutine of main.main is left out: a program that blocks there for ever ends otherwise.
Only debug=2 and crash texts print it; in other formats these look like any channel operation. A nil
channel in a case of a select with other cases is ordinary, and shows as `select`.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    forever(context, Kind::NilChan, &CHECK, |count| {
        format!("{} on a nil channel for ever", if count == 1 { "waits" } else { "wait" })
    })
}

/// Errors about groups of a kind of wait that never ends; one goroutine is enough.
pub(super) fn forever(
    context: &Context<'_>,
    kind: Kind,
    check: &Check,
    says: impl Fn(i64) -> String,
) -> Vec<FindingBuilder> {
    let of_kind = |member: &Member| member.is_unexplained();
    let groups = context.groups.iter().enumerate();
    groups
        .filter(|(_, group)| group.kind == kind && group.members.iter().any(of_kind))
        .map(|(at, group)| {
            let mut draft = context.finding_of_group(check, Level::Error, at, of_kind);
            let count = draft.count();
            draft.finding.text =
                format!("{} of {} {}", goroutines(count), context.name_in_text(group), says(count));
            draft
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::{Stage, found};
    use crate::view::fixture::G;

    #[test]
    fn any_number_is_an_error_but_not_in_main() {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { id: 5, state: "chan receive (nil chan)", ..G::default() });
        stage.at(0).add(G { id: 6, state: "chan send (nil chan)", ..G::default() });
        let frames = &["kv.wait", "main.main", "runtime.main"];
        stage.at(0).add(G { id: 1, state: "chan receive (nil chan)", frames, ..G::default() });
        stage.at(0).add(G { id: 8, state: "chan receive", ..G::default() });
        assert_eq!(found(&stage.findings(CHECK.name)), [("main.work", Level::Error, vec![2])]);
    }
}
