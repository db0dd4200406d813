//! Goroutines that wait for a WaitGroup or errgroup that doesn't come to its end.

use super::{LONG, MANY, notes};
use crate::leak::check::{Check, a_dump, goroutines};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "stuck-group",
    tier: Tier::Shape,
    about: "goroutines stuck in WaitGroup.Wait or errgroup.Group.Wait",
    explanation: "\
Wait returns when every member has called Done. Noted are ten goroutines or more of a process that
wait at one place, or one that has waited for five minutes: a member that is stuck itself, a path
that returns without Done, or an Add too many. The goroutine of main.main is left out, since programs
usually wait there for all that they do. Look for the members by their creator, the function that
waits: `stackgazer filter --created-by FUNCTION`.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let fits = |group: &Group, _: &Member| group.kind == Kind::WaitGroup;
    notes(context, &CHECK, MANY, Some(LONG), fits, |count, called| {
        let wait = if count == 1 { "waits" } else { "wait" };
        format!("{} of {called} {wait} for all members of a group to end", goroutines(count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn a_group_that_does_not_end_is_noted() {
        let found = |minutes, root: &str| {
            let mut stage = Stage::new(1);
            let frames =
                &["sync.(*WaitGroup).Wait", "golang.org/x/sync/errgroup.(*Group).Wait", root];
            stage.at(0).add(G { state: "sync.WaitGroup.Wait", frames, minutes, ..G::default() });
            stage.findings(CHECK.name).len()
        };
        assert_eq!(found(5.0, "kv.RunAll"), 1);
        assert_eq!(found(4.0, "kv.RunAll"), 0);
        assert_eq!(found(5.0, "main.main"), 0);
    }
}
