//! Goroutines that wait for each other in a circle, or for themselves.

use super::check::{Check, a_dump, words};
use super::context::{Context, Member};
use super::finding::{FindingBuilder, Level, Tier};
use crate::profile::{InputId, SampleId, lossy};
use crate::waits::Waits;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeSet;

pub(super) const CHECK: Check = Check {
    name: "deadlock",
    tier: Tier::Proof,
    about: "goroutines that wait for locks which each other, or they themselves, hold",
    explanation: "\
Goroutines of which each waits for a lock that the next one holds never go on: one took A and wants
B, the other took B and wants A. Take locks in one order everywhere, or never call what locks while
holding a lock.

What is waited for, and who may hold it, is told by the arguments of calls, so that debug=2 and crash
texts are needed. An error is only a circle of which every link is sure: Go is sure of both addresses
(no `?`), and nobody else who was given the same lock, or runs in the same functions, can still go on
and unlock it. Of an RWMutex dumps tell what it is a field of, so that a circle is a warning there, and
so it is where one of them waits for a channel or a WaitGroup that the next one was given: others may
send. The same goes for one that waits for a WaitGroup or a channel while it holds the lock that all
goroutines wait for which it has started.

A goroutine that waits for a lock which nobody else was given, in a call inside of a method of the
same thing, probably took it before: sync.Mutex can't be locked twice, and RLock waits for a writer
that waits for the first RLock; or somebody who is gone never unlocked it. That is a warning. It is
given if the dump has all goroutines of its process, nobody else is in methods of that type without
showing of which object, no other one that waits for the lock is in the same outer method, and somebody
has waited for a minute or nobody else can go on. The
facts `stack of goroutine N` name the functions of each, the innermost first.",
    needs: a_dump,
    run,
};

/// How many functions of a stack are named.
const NAMED: usize = 8;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let Some(last) = context.last() else { return Vec::new() };
    let is_here = |input: InputId| context.profile.input(input).point == last;
    let Waits { cycles, twice, starters, .. } = &context.waits;
    if cycles.is_empty() && twice.is_empty() && starters.is_empty() {
        return Vec::new();
    }
    let mut members: Members<'_> = HashMap::default();
    for member in context.members() {
        members.entry(member.sample).or_default().push(member);
    }
    let mut drafts = Vec::new();
    for cycle in cycles.iter().filter(|cycle| is_here(cycle.input)) {
        let level = if cycle.is_certain { Level::Error } else { Level::Warning };
        let goroutines: Vec<_> = cycle.members.iter().map(|one| (one.id, one.sample)).collect();
        let mut draft = finding_of(context, &members, level, last, &goroutines);
        let guess = if cycle.is_certain { "" } else { "probably a deadlock: " };
        draft.finding.text =
            format!("{guess}{}", Waits::cycle_text(context.profile, context.names, cycle));
        let evidence = if cycle.is_certain { "by address" } else { "by shape" };
        drafts.push(draft.fact("evidence", words(evidence)));
    }
    for twice in twice.iter().filter(|twice| is_here(twice.input)) {
        let mut draft =
            finding_of(context, &members, Level::Warning, last, &[(twice.id, twice.sample)]);
        draft.finding.tier = Tier::Shape;
        draft.finding.text = Waits::twice_text(context.names, twice);
        drafts.push(draft.fact("evidence", words("by shape")));
    }
    for starter in starters.iter().filter(|starter| is_here(starter.input)) {
        let goroutine = [(starter.id, starter.sample)];
        let mut draft = finding_of(context, &members, Level::Warning, last, &goroutine);
        draft.finding.tier = Tier::Shape;
        let text = context.waits.starter_text(context.names, starter);
        draft.finding.text = format!("probably a deadlock: {text}");
        drafts.push(draft.fact("evidence", words("by shape")));
    }
    drafts
}

/// The members of each sample, to look them up: there may be thousands of cycles.
type Members<'m> = HashMap<SampleId, Vec<&'m Member>, FixedState>;

/// A finding about these goroutines, with the stack of each.
fn finding_of(
    context: &Context<'_>,
    all: &Members<'_>,
    level: Level,
    point: usize,
    goroutines: &[(u64, SampleId)],
) -> FindingBuilder {
    let samples: BTreeSet<SampleId> = goroutines.iter().map(|(_, sample)| *sample).collect();
    let members: Vec<&Member> =
        samples.iter().filter_map(|sample| all.get(sample)).flatten().copied().collect();
    let mut draft = context.finding_of(&CHECK, level, &members);
    // Others may have the same stack, and only wait for them.
    let count = i64::try_from(goroutines.len()).unwrap_or(i64::MAX);
    draft.finding.counts.set(point, count);
    draft.finding.kind = members.first().map(|one| context.key(one).kind.name().to_owned());
    for (id, sample) in goroutines {
        let stack = context.profile.stack(context.profile.sample(*sample).key.stack);
        let calls = stack.iter().take(NAMED).map(|&frame| lossy(context.profile.func(frame)));
        let more = if stack.len() > NAMED { " < ..." } else { "" };
        let calls = format!("{}{more}", calls.collect::<Vec<_>>().join(" < "));
        draft = draft.fact(&format!("stack of goroutine {id}"), words(calls));
    }
    draft
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::finding::Fact;
    use crate::leak::tests::review_of;

    const CROSS: &str = include_str!("../../testdata/waits/cross.txt");

    #[test]
    fn a_circle_is_an_error_with_both_stacks() {
        let review = review_of(CROSS);
        let finding = review.findings.iter().find(|one| one.check == CHECK.name).unwrap();
        assert_eq!((finding.level, finding.counts.iter().collect()), (Level::Error, vec![2]));
        assert_eq!(
            finding.text,
            "goroutine 20 in main.(*Stock).take waits for goroutine 30 in main.(*Ledger).total, \
             which waits for it"
        );
        let stacks = finding.facts.iter().filter(|(name, _)| name.starts_with("stack of"));
        let stacks: Vec<(&str, &Fact)> = stacks.map(|(name, fact)| (name.as_str(), fact)).collect();
        let expected = "sync.(*Mutex).Lock < main.(*Stock).take < main.(*Ledger).post";
        assert_eq!(stacks[0], ("stack of goroutine 20", &words(expected)));
        assert_eq!(stacks.len(), 2);
        assert!(!review.passes());
    }

    #[test]
    fn of_a_deep_stack_the_innermost_functions_are_named() {
        const LAST: &str = "main.(*Ledger).post(0xc000010000)\n\t/s/main.go:9 +0x1\n";
        for (callers, end) in [(5, " < main.d5"), (6, " < main.d5 < ...")] {
            let call = |at| format!("main.d{at}(...)\n\t/s/main.go:{at} +0x1\n");
            let stack = LAST.to_owned() + &(1..=callers).map(call).collect::<String>();
            let review = review_of(&CROSS.replace(LAST, &stack));
            let finding = review.findings.iter().find(|one| one.check == CHECK.name).unwrap();
            let Fact::Text(calls) = &finding.facts["stack of goroutine 20"] else { panic!() };
            assert!(calls.ends_with(end), "{calls}");
        }
    }

    #[test]
    fn whoever_runs_with_the_lock_ends_the_circle() {
        let runs = "goroutine 40 [runnable]:\nmain.(*Stock).count(0xc000020000?)\n\t/s/main.go:40 +0x1\n\n";
        let review = review_of(&[CROSS, runs].concat());
        assert!(review.findings.iter().all(|one| one.check != CHECK.name), "it will unlock it");
    }
}
