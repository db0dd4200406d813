//! Goroutines that have to help the garbage collector.

use super::MANY;
use crate::leak::check::{Check, a_dump, goroutines, number};
use crate::leak::context::{Context, Member};
use crate::leak::finding::{FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "gc-pressure",
    tier: Tier::Shape,
    about: "many goroutines that help, or wait for, the garbage collector",
    explanation: "\
A goroutine that allocates faster than the collector marks has to help it: Go prints `GC assist
marking`, and `GC assist wait` where there is nothing to help with and it must wait. Noted are ten or
more of a process, wherever they stand: the heap is near GOMEMLIMIT, GOGC is small for what is
allocated, or something leaks memory. The workers of the collector itself don't count.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let assists = |member: &&Member| {
        let key = context.key(member);
        member.is_unexplained() && key.kind == Kind::Gc && key.creator.is_some()
    };
    let members: Vec<&Member> = context.grouped().filter(assists).collect();
    let mut processes = std::collections::BTreeMap::<usize, i64>::new();
    for member in members.iter().filter(|member| context.is_open_at_last(member)) {
        *processes.entry(member.process).or_default() += member.count;
    }
    let most = processes.into_values().max().filter(|count| *count >= MANY);
    let draft = most.map(|most| {
        let text =
            format!("{} of a process wait for the garbage collector or help it", goroutines(most));
        context.finding_of(&CHECK, Level::Note, &members).says(text).fact("most", number(most))
    });
    draft.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn ten_that_help_are_noted_wherever_they_stand() {
        let found = |count: u64, creator| {
            let mut stage = Stage::new(1);
            for id in 10..10 + count {
                let frames = if id % 2 == 0 { &["kv.a"] } else { &["kv.b"] };
                stage.at(0).add(G { id, state: "GC assist wait", creator, frames, ..G::default() });
            }
            stage.findings(CHECK.name).len()
        };
        assert_eq!((found(10, "kv.run"), found(9, "kv.run"), found(10, "")), (1, 0, 0));
    }
}
