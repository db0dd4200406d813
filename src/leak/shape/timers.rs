//! Crowds of sleepers.

use super::notes;
use crate::leak::check::{Check, a_dump, goroutines};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Tier};
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
    let sleeps = |group: &Group, _: &Member| group.kind == Kind::Sleep;
    notes(context, &CHECK, SLEEPERS, None, sleeps, |count, called| {
        format!("{} sleep in {called}", goroutines(count))
    })
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
