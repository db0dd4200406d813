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

    fn worker(id: u64, by: Option<u64>) -> G<'static> {
        G { id, by, creator: "kv.serve", state: "chan receive", ..G::default() }
    }

    /// Ten workers of so many creators, of which some are still there.
    fn stage(creators: u64, alive: u64) -> Stage {
        let mut stage = Stage::new(1);
        for id in 5..5 + alive {
            stage.at(0).add(G { id, frames: &["kv.serve"], ..G::default() });
        }
        for id in 20..30 {
            stage.at(0).add(worker(id, Some(5 + id % creators)));
        }
        stage
    }

    fn found(creators: u64, alive: u64) -> usize {
        stage(creators, alive).findings(CHECK.name).len()
    }

    #[test]
    fn workers_whose_creators_are_gone_are_noted() {
        assert_eq!((found(2, 0), found(10, 0)), (1, 1));
        assert_eq!((found(2, 2), found(10, 10)), (0, 0));
        assert_eq!(found(1, 0), 0, "a pool without work looks the same");
    }

    #[test]
    fn nine_in_ten_must_have_lost_their_creators_and_these_be_several() {
        assert_eq!((found(10, 1), found(10, 2)), (1, 0));
        let mut stage = self::stage(10, 0);
        stage.at(0).add(worker(30, None));
        assert_eq!(stage.findings(CHECK.name).len(), 1, "of ten in eleven");
        stage.at(0).add(worker(31, None));
        assert_eq!(stage.findings(CHECK.name).len(), 0, "of ten in twelve: who knows");
        let mut stage = self::stage(1, 0);
        stage.at(0).add(G { id: 6, frames: &["kv.serve"], ..G::default() });
        stage.at(0).add(worker(30, Some(6)));
        assert_eq!(stage.findings(CHECK.name).len(), 0, "only one creator is gone");
    }

    #[test]
    fn creators_are_looked_for_in_their_own_process() {
        let mut stage = Stage::new(0);
        for name in ["n1", "n2"] {
            for id in [5, 6] {
                stage.process(0, name).add(G { id, frames: &["kv.serve"], ..G::default() });
            }
            for id in 20..30 {
                stage.process(0, name).add(worker(id, Some(5 + id % 2)));
            }
        }
        assert_eq!(stage.findings(CHECK.name).len(), 0, "5 and 6 of both are there");
    }

    #[test]
    fn a_range_is_told_from_other_receives_by_the_frames_of_the_runtime() {
        for (call, receive) in
            [("runtime.chanrecv2", Some(words("range"))), ("runtime.chanrecv1", None)]
        {
            let mut stage = Stage::new(1);
            for id in 20..30 {
                let frames = &["runtime.gopark", call, "main.work"];
                stage.at(0).add(G { frames, ..worker(id, Some(5 + id % 2)) });
            }
            let fact = stage.findings(CHECK.name).remove(0).facts.remove("receive");
            assert_eq!(fact, receive);
        }
    }
}
