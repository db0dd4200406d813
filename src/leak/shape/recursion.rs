//! Stacks that are very deep.

use crate::group::ids::normal_function;
use crate::leak::check::{Check, a_dump, number, words};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Level, Tier};
use crate::profile::lossy;
use std::collections::BTreeMap;

pub(in crate::leak) const CHECK: Check = Check {
    name: "runaway-recursion",
    tier: Tier::Shape,
    about: "goroutines whose stacks are so deep that Go left frames out, of few functions",
    explanation: "\
Go prints at most 100 frames of a stack, 50 from either end, and says how many it left out. Noted are
stacks with frames left out in which one function stands 20 times or more: a recursion, which deep
data makes, or which doesn't end. Go 1.21 and later say how many frames are missing; the fact
`frames` is what was printed and what wasn't, together.",
    needs: a_dump,
    run,
};

const TIMES: usize = 20;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let of_group = |(at, group): (usize, &Group)| {
        let deep = |member: &Member| {
            context.is_open_at_last(member) && recursing(context, member).is_some()
        };
        let member = group.members.iter().find(|member| deep(member))?;
        let (name, times) = recursing(context, member)?;
        let key = context.key(member);
        let missing = key.elided.and_then(|elided| elided.count).unwrap_or(0);
        let frames = context.profile.stack(key.stack).len() as i64;
        let frames = frames.saturating_add(i64::try_from(missing).unwrap_or(i64::MAX));
        let called = context.name_in_text(group);
        let text = format!("{name} stands {times} times or more in the stack of {called}");
        let draft = context.finding_of_group(&CHECK, Level::Note, at, deep).says(text);
        Some(draft.fact("frames", number(frames)).fact("function", words(name)))
    };
    context.groups.iter().enumerate().filter_map(of_group).collect()
}

/// The most frequent function of a stack with frames left out, and how often it is printed.
fn recursing(context: &Context<'_>, member: &Member) -> Option<(String, usize)> {
    let key = context.key(member);
    key.elided?;
    let mut times: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    for &frame in context.profile.stack(key.stack) {
        *times.entry(normal_function(context.profile.func(frame))).or_default() += 1;
    }
    let (name, times) = times.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (times >= TIMES).then(|| (lossy(&name), times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::profile::Elision;
    use crate::view::fixture::G;

    fn found(times: usize, elided: bool) -> usize {
        let mut stage = Stage::new(1);
        let frames = vec!["kv.walk kv.go:7"; times];
        let elided = elided.then_some(Elision { after: 50, count: Some(9000) });
        stage.at(0).add_elided(G { frames: &frames, ..G::default() }, elided);
        stage.findings(CHECK.name).len()
    }

    #[test]
    fn deep_stacks_of_one_function_are_noted() {
        assert_eq!((found(20, true), found(19, true), found(90, false)), (1, 0, 0));
    }

    #[test]
    fn what_was_deep_earlier_is_not_noted() {
        let mut stage = Stage::new(2);
        let frames = ["kv.walk kv.go:7"; 30];
        let elided = Some(Elision { after: 50, count: Some(9000) });
        stage.at(0).add_elided(G { frames: &frames, ..G::default() }, elided);
        stage.at(1).add(G { frames: &frames[..1], ..G::default() });
        assert!(stage.findings(CHECK.name).is_empty());
    }
}
