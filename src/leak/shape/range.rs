//! Receivers that nobody sends to any more: a range over a channel that is never closed.

use super::Chosen;
use super::orphan::{needs, orphans};
use crate::leak::check::{Check, goroutines, number, words};
use crate::leak::context::Context;
use crate::leak::finding::{FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "unclosed-range",
    tier: Tier::Shape,
    about: "goroutines that range over a channel whose maker is gone",
    explanation: "\
`for v := range ch` ends when ch is closed. Where whoever made the channel returns without closing
it, each of its workers waits for ever. Noted are groups with ten or more in a process that are
blocked in a receive and whose creators, by the id that Go 1.21 and later print behind `created by`,
were several and have ended, those of one in ten left out: workers of a program that is still at work
have a creator that is, and those of one creator may be a pool without work.

In protos of Go the runtime's frames tell a range (or a receive with two results) from other
receives: then the fact `receive` says `range`. In text it can't be told.",
    needs,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let ranging = Chosen::of(context.profile, |name| name == b"runtime.chanrecv2");
    let of_group = |(at, creators): (usize, usize)| {
        let group = &context.groups[at];
        let draft = context
            .finding_of_group(&CHECK, Level::Note, at, |member| context.is_open_at_last(member));
        let text = format!(
            "{} of {} wait to receive from a channel, and what created them is gone",
            goroutines(draft.count()),
            context.name_in_text(group),
        );
        let draft = draft.says(text).fact("creators", number(creators as i64));
        match group.members.iter().any(|one| ranging.has(one)) {
            true => draft.fact("receive", words("range")),
            false => draft,
        }
    };
    let found = orphans(context, |group, _| group.kind == Kind::ChanRecv);
    found.into_iter().map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    fn found(creators: u64, creators_live: bool) -> usize {
        let mut stage = Stage::new(1);
        for id in (5..5 + creators).filter(|_| creators_live) {
            stage.at(0).add(G { id, frames: &["kv.serve"], ..G::default() });
        }
        for id in 20..30 {
            stage.at(0).add(G {
                id,
                by: Some(5 + id % creators),
                creator: "kv.serve",
                state: "chan receive",
                ..G::default()
            });
        }
        stage.findings(CHECK.name).len()
    }

    #[test]
    fn workers_whose_creators_are_gone_are_noted() {
        assert_eq!((found(2, false), found(10, false)), (1, 1));
        assert_eq!((found(2, true), found(10, true)), (0, 0));
        assert_eq!(found(1, false), 0, "a pool without work looks the same");
    }
}
