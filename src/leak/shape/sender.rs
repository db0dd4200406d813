//! Senders that nobody receives from any more.

use super::{LONG, MANY, notes};
use crate::leak::check::{Check, a_dump, goroutines};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "stranded-sender",
    tier: Tier::Shape,
    about: "goroutines stuck in a send to a channel",
    explanation: "\
A send on an unbuffered channel ends only when somebody receives. Where the receiver has returned
early, given up at a timeout, or takes only the first of several answers, the sender stays for ever.
A buffer of the size of the number of senders, or a select with ctx.Done(), is what it usually lacks.

Noted are groups with ten senders or more in a process, or with one that has been blocked for five
minutes. A dump doesn't show who would receive: slow receivers look the same.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let fits = |group: &Group, _: &Member| group.kind == Kind::ChanSend;
    notes(context, &CHECK, MANY, Some(LONG), fits, |count, called| {
        let what = if count == 1 { "it sends" } else { "they send" };
        format!("{} of {called} can't get rid of what {what} to a channel", goroutines(count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn many_senders_or_an_old_one_are_noted() {
        let count = |count: u64, minutes: f32| {
            let mut stage = Stage::new(1);
            for id in 10..10 + count {
                stage.at(0).add(G { id, state: "chan send", minutes, ..G::default() });
            }
            stage.findings(CHECK.name).len()
        };
        assert_eq!((count(9, 0.0), count(10, 0.0), count(1, 5.0)), (0, 1, 1));
    }
}
