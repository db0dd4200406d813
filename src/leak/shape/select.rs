//! Goroutines that wait in a select for what nobody does any more.

use super::orphan::{needs, orphans};
use super::{LONG, MANY};
use crate::leak::check::{Check, goroutines, number};
use crate::leak::context::Context;
use crate::leak::finding::{FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "abandoned-select",
    tier: Tier::Shape,
    about: "goroutines that have waited long in a select, and whose creators are gone",
    explanation: "\
A goroutine that waits for its work or for ctx.Done() stays for ever where nobody cancels the context:
a forgotten cancel, a missing `defer cancel()`, context.Background() where the request's own belongs.
Noted are groups of one's own code with ten or more in a process that have been in a select for five
minutes, and whose creators, by the id that Go 1.21 and later print behind `created by`, were several
and have ended.

A dump doesn't show what a select waits for. Sessions that outlive the request which began them look
the same while they are idle, and a select with a ticker in it never waits for long: a series of dumps
tells these.",
    needs,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let found = orphans(context, |group, members| {
        let long: u64 = members.iter().map(|one| one.waits.long).sum();
        group.kind == Kind::Select && group.first_party && long >= MANY.unsigned_abs()
    });
    let of_group = |(at, creators): (usize, usize)| {
        let draft = context
            .finding_of_group(&CHECK, Level::Note, at, |member| context.is_open_at_last(member));
        let text = format!(
            "{} of {} wait in a select, {MANY} or more of them for {LONG} minutes, and what created \
             them is gone",
            goroutines(draft.count()),
            context.name_in_text(&context.groups[at]),
        );
        draft.says(text).fact("creators", number(creators as i64))
    };
    found.into_iter().map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    fn found(minutes: f32, creators_live: bool) -> usize {
        let mut stage = Stage::new(1);
        for id in (100..112).filter(|_| creators_live) {
            stage.at(0).add(G { id, frames: &["kv.serve"], state: "IO wait", ..G::default() });
        }
        for id in 0..12 {
            stage.at(0).add(orphan(id, minutes));
        }
        stage.findings(CHECK.name).len()
    }

    fn orphan(id: u64, minutes: f32) -> G<'static> {
        G { id, by: Some(100 + id), creator: "kv.serve", minutes, ..G::default() }
    }

    #[test]
    fn those_that_have_waited_long_and_lost_their_creators_are_noted() {
        assert_eq!(found(5.0, false), 1);
        assert_eq!(found(4.0, false), 0, "a ticker or a message may have woken them");
        assert_eq!(found(5.0, true), 0);
    }

    #[test]
    fn ten_of_a_group_of_ones_own_must_have_waited_long_in_a_select() {
        let found = |long: u64, with: &dyn Fn(u64, f32) -> G<'static>| {
            let mut stage = Stage::new(1);
            for id in 0..12 {
                stage.at(0).add(with(id, if id < long { 5.0 } else { 4.0 }));
            }
            stage.findings(CHECK.name).len()
        };
        assert_eq!((found(10, &orphan), found(9, &orphan)), (1, 0));
        let receives = |id, minutes| G { state: "chan receive", ..orphan(id, minutes) };
        assert_eq!(found(12, &receives), 0);
        let frames = &["ex.org/x.run /go/pkg/mod/ex.org/x@v1.0.0/x.go:1"];
        let creator = "ex.org/x.New /go/pkg/mod/ex.org/x@v1.0.0/x.go:1";
        let of_a_library = |id, minutes| G { frames, creator, ..orphan(id, minutes) };
        assert_eq!(found(12, &of_a_library), 0);
    }
}
