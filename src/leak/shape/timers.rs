//! Crowds of sleepers.

use crate::leak::checks::{Check, a_dump, goroutines};
use crate::leak::context::{Context, FindingBuilder, Member};
use crate::leak::finding::{Level, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "timer-storm",
    tier: Tier::Shape,
    about: "a thousand goroutines or more that sleep at one place",
    explanation: "\
time.Sleep in a loop costs a goroutine and a timer each, and all of them wake at their own time. Noted
are 1,000 or more of a process that sleep at one place: retries without a limit, one poller for each
connection, or sleepers whose work is long over. One time.Ticker, or time.AfterFunc, does without
the goroutines. A sleeping goroutine is never a leak that the runtime can prove.",
    needs: a_dump,
    run,
};

const SLEEPERS: i64 = 1000;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let Some(last) = context.last() else { return Vec::new() };
    let mut drafts = Vec::new();
    for (at, group) in context.groups.iter().enumerate() {
        let sleeps = |member: &Member| member.open() && member.point == last;
        if group.kind != Kind::Sleep || group.most(last, sleeps) < SLEEPERS {
            continue;
        }
        let mut draft = context.draft(CHECK.name, Level::Note, CHECK.tier, at, sleeps);
        let all = goroutines(draft.count());
        draft.finding.text = format!("{all} sleep in {}", context.called(group));
        drafts.push(draft);
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn a_thousand_sleepers_are_noted() {
        let found = |count| {
            let mut stage = Stage::new(1);
            stage.at(0).count(count, G { state: "sleep", ..G::default() });
            stage.findings(CHECK.name).len()
        };
        assert_eq!((found(1000), found(999)), (1, 0));
    }
}
