//! Piles of goroutines at one lock.

use super::{MANY, longest};
use crate::leak::check::{Check, a_dump, goroutines, words};
use crate::leak::context::{Context, Group, Member};
use crate::leak::finding::{FindingBuilder, Level, Tier};
use crate::profile::{InputId, Kind, SampleId, StrId};
use crate::waits::{PilesOf, continues_soon};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::cell::LazyCell;
use std::collections::BTreeMap;

pub(in crate::leak) const CHECK: Check = Check {
    name: "lock-pile-up",
    tier: Tier::Shape,
    about: "many goroutines that wait for one mutex or RWMutex, and who may hold it",
    explanation: "\
Ten goroutines or more of a process that wait for a lock at one place are noted: somebody keeps it,
works long under it, or never unlocks it. Left out are those of which none has waited for a minute
while the one that holds the lock, or one that has just been given it, runs or sleeps: a lock that is
busy, and goes from one to the next.

Go doesn't say who holds a lock. In debug=2 and crash texts the arguments of calls tell what the
waiting goroutines wait for, and what the methods on every stack were called on. Candidates for the
holder are goroutines that don't wait for this lock and stand in a method of it or of what it is a
field of (`by address`); those that stand in a method of what all the waiting ones were given, and
where no addresses are printed, or none fits, those that have got past the same call (`by shape`).
The fact `holders` names up to five. Where there is no candidate, whoever locked has
gone without unlocking, or holds the lock somewhere that no method shows.",
    needs: a_dump,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let Some(last) = context.last() else { return Vec::new() };
    let waits = |member: &Member| context.is_open_at_last(member);
    let is_pile = |group: &Group| {
        let is_lock = matches!(group.kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW);
        is_lock && group.most(waits) >= MANY
    };
    let groups = context.groups.iter().enumerate().filter(|(_, group)| is_pile(group));
    let piles = LazyCell::new(|| context.waits.piles_of_samples());
    let groups: Vec<_> =
        groups.map(|(at, group)| (at, group, largest_pile(&piles, group, last))).collect();
    let passed = passed(context, &groups, last);
    let mut drafts = Vec::new();
    for (at, group, pile) in groups {
        let is_young = longest(group, waits).is_some_and(|minutes| minutes < 1.0);
        let is_passed =
            || calls(context, group, pile, last).any(|(place, _)| passed.contains(&place));
        let moves = || pile.is_some_and(|at| context.waits.changes_hands(context.profile, at));
        if is_young && (is_passed() || moves()) {
            continue;
        }
        let draft = context.finding_of_group(&CHECK, Level::Note, at, waits);
        let (all, called) = (goroutines(draft.count()), context.name_in_text(group));
        let draft = draft.says(format!("{all} of {called} wait for a lock"));
        drafts.push(draft.fact("holders", words(holders(context, pile))));
    }
    drafts
}

/// An input and a function.
type Call = (InputId, StrId);

/// The functions in which the goroutines of a group call a lock, and the function of the pile that
/// they wait for in the end, with the lines of the calls.
fn calls(
    context: &Context<'_>,
    group: &Group,
    pile: Option<usize>,
    last: usize,
) -> impl Iterator<Item = (Call, i64)> {
    let waiting = group.members.iter().filter(move |one| one.point == last);
    let keys = waiting.map(|one| context.key(one)).filter(|key| key.kind == group.kind);
    let own = keys.filter_map(|key| Some((key.input, context.functions.frames.user(key.stack)?)));
    let end = pile.map(|at| &context.waits.piles[context.waits.end_of(at)]);
    own.chain(end.map(|pile| (pile.input, pile.place))).map(|(input, frame)| {
        let frame = context.profile.frame(frame);
        ((input, frame.func), frame.line)
    })
}

/// The functions of these groups in which a goroutine that continues is on the line of the lock call or
/// after it: it has just been given the lock.
fn passed(
    context: &Context<'_>,
    groups: &[(usize, &Group, Option<usize>)],
    last: usize,
) -> HashSet<Call, FixedState> {
    let mut lines: HashMap<Call, i64, FixedState> = HashMap::default();
    let calls = groups.iter().flat_map(|(_, group, pile)| calls(context, group, *pile, last));
    for (call, line) in calls {
        lines.entry(call).and_modify(|least| *least = line.min(*least)).or_insert(line);
    }
    let runners = context.members().filter(|one| continues_soon(context.profile, one.sample));
    let keys = runners.map(|one| context.key(one));
    keys.flat_map(|key| context.profile.stack(key.stack).iter().map(|frame| (key.input, *frame)))
        .map(|(input, frame)| (input, context.profile.frame(frame)))
        .filter(|(input, frame)| {
            lines.get(&(*input, frame.func)).is_some_and(|&line| frame.line >= line)
        })
        .map(|(input, frame)| (input, frame.func))
        .collect()
}

/// The pile that most goroutines of a group wait in, as a position among the piles.
fn largest_pile(piles: &PilesOf, group: &Group, last: usize) -> Option<usize> {
    let waiting = group.members.iter().filter(|one| one.point == last);
    let mut waiting: Vec<SampleId> = waiting.map(|one| one.sample).collect();
    waiting.sort_unstable();
    waiting.dedup();
    let mut counts: BTreeMap<usize, i128> = BTreeMap::new();
    for &(pile, count) in waiting.iter().filter_map(|sample| piles.get(sample)).flatten() {
        *counts.entry(pile).or_default() += count;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(pile, _)| pile)
}

/// `goroutine 17 in kv.(*Store).flush (by address)`: who may hold the lock of a pile.
fn holders(context: &Context<'_>, pile: Option<usize>) -> String {
    let Some(pile) = pile.map(|at| &context.waits.piles[at]) else {
        return "unknown: these formats don't tell".to_owned();
    };
    let Some(first) = pile.holders.first() else {
        return match context.profile.addresses.is_empty() {
            true => "unknown: these formats don't tell".to_owned(),
            false => "no candidate".to_owned(),
        };
    };
    let shown = pile.holders.iter().map(|holder| {
        let function = String::from_utf8_lossy(context.names.func(holder.frame));
        match holder.id {
            Some(id) => format!("goroutine {id} in {function}"),
            None => {
                format!("{} in {function}", goroutines(context.profile.sample(holder.sample).count))
            }
        }
    });
    let more = match pile.more_holders {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let shown: Vec<String> = shown.collect();
    format!("{}{more} ({})", shown.join(", "), first.evidence.name())
}

#[cfg(test)]
mod tests {
    use crate::leak::Fact;
    use crate::leak::tests::review_of;

    const HOLDER: &str = "goroutine 7 [IO wait]:\nnet.Read(0x1)\n\t/s/time.go:1 +0x1\nmain.(*Store).flush(0xc000010000)\n\t/s/main.go:9 +0x1\n\n";
    const BYSTANDER: &str = "goroutine 8 [IO wait]:\nnet.Read(0x1)\n\t/s/time.go:1 +0x1\nmain.(*Store).flush(0xc000077000)\n\t/s/main.go:9 +0x1\n\n";

    /// The finding for a dump in which ten wait for the lock of 0xc000010000, at its offset 8.
    fn holders(others: &str) -> Option<String> {
        holders_after(others, "")
    }

    fn holders_after(others: &str, minutes: &str) -> Option<String> {
        let mut text = others.to_owned();
        for id in 10..20 {
            text += &format!(
                "goroutine {id} [sync.Mutex.Lock{minutes}]:\nsync.(*Mutex).Lock(0xc000010008)\n\t/s/mutex.go:1 +0x1\nmain.(*Store).get(0xc000010000, 0x{id})\n\t/s/main.go:5 +0x1\nmain.(*Server).run(0xc000099000)\n\t/s/main.go:7 +0x1\n\n"
            );
        }
        let review = review_of(&text);
        let finding = review.findings.into_iter().find(|one| one.check == super::CHECK.name)?;
        match finding.facts.get("holders")? {
            Fact::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    #[test]
    fn the_holder_stands_in_a_method_of_the_same_object() {
        let text = [HOLDER, BYSTANDER].concat();
        assert_eq!(holders(&text).unwrap(), "goroutine 7 in main.(*Store).flush (by address)");
    }

    #[test]
    fn the_nearest_object_tells_more_than_what_all_share() {
        let server = HOLDER
            .replace("goroutine 7", "goroutine 9")
            .replace("(*Store).flush(0xc000010000)", "(*Server).stop(0xc000099000)");
        let text = [HOLDER, &server].concat();
        assert_eq!(holders(&text).unwrap(), "goroutine 7 in main.(*Store).flush (by address)");
        assert_eq!(holders(&server).unwrap(), "goroutine 9 in main.(*Server).stop (by shape)");
    }

    #[test]
    fn without_an_address_that_fits_the_same_function_is_a_hint() {
        let same = HOLDER.replace("flush(0xc000010000)", "get(...)");
        assert_eq!(holders(&same).unwrap(), "goroutine 7 in main.(*Store).get (by shape)");
        assert_eq!(holders(BYSTANDER).unwrap(), "no candidate");
    }

    #[test]
    fn a_lock_that_goes_from_one_to_the_next_is_no_pile_until_somebody_has_waited_a_minute() {
        let runs = HOLDER.replace("IO wait", "runnable");
        let given =
            "goroutine 9 [runnable]:\nmain.(*Store).get(0xc000010000?)\n\t/s/main.go:5 +0x1\n\n";
        let coming = given.replace("main.go:5", "main.go:4");
        for (others, is_pile) in [(runs.as_str(), false), (given, false), (&coming, true)] {
            assert_eq!(holders(others).is_some(), is_pile, "{others}");
        }
        assert!(holders_after(&runs, ", 1 minutes").is_some(), "a minute is long for a lock");
        assert!(holders_after(given, ", 1 minutes").is_some(), "whoever is past the call");
        let text = HOLDER.replace("IO wait", "sleep, 2 minutes");
        assert!(holders(&text).is_some(), "it has slept for long");
    }

    #[test]
    fn a_lock_of_a_library_goes_from_one_to_the_next_where_own_code_is_past_the_call() {
        let waiting = |id| {
            format!(
                "goroutine {id} [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(0xc000010008)\n\t/s/mutex.go:1 +0x1\nlog.(*Logger).output(...)\n\t/s/log.go:3 +0x1\nmain.(*Store).get(0x{id})\n\t/s/main.go:5 +0x1\n\n"
            )
        };
        for (line, is_pile) in [(6, false), (4, true)] {
            let runs = format!(
                "goroutine 9 [runnable]:\nmain.(*Store).get(...)\n\t/s/main.go:{line} +0x1\n\n"
            );
            let review = review_of(&(runs + &(10..20).map(waiting).collect::<String>()));
            let is_found = review.findings.iter().any(|one| one.check == super::CHECK.name);
            assert_eq!(is_found, is_pile, "line {line}");
        }
    }

    #[test]
    fn holders_are_those_of_the_lock_that_most_of_a_group_wait_for() {
        let mut text = String::new();
        let mut id = 10;
        for (method, object, count) in
            [("(*Store).get", 1, 9), ("(*Store).get", 2, 3), ("(*Cache).set", 3, 20)]
        {
            text += &format!(
                "goroutine {object} [IO wait]:\nnet.Read(0x1)\n\t/s/net.go:1 +0x1\nmain.{}flush(0xc0000{object}0000)\n\t/s/main.go:9 +0x1\n\n",
                &method[..method.len() - 3]
            );
            for _ in 0..count {
                text += &format!(
                    "goroutine {id} [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(0xc0000{object}0008)\n\t/s/mutex.go:1 +0x1\nmain.{method}(0xc0000{object}0000)\n\t/s/main.go:5 +0x1\n\n"
                );
                id += 1;
            }
        }
        let mut findings = review_of(&text).findings.into_iter();
        let is_it = |one: &crate::leak::Finding| {
            one.check == super::CHECK.name
                && one.function.as_ref().is_some_and(|place| place.func == "main.(*Store).get")
        };
        let holders = findings.find(is_it).unwrap().facts.remove("holders");
        let holder = "goroutine 1 in main.(*Store).flush (by address)".to_owned();
        assert_eq!(holders, Some(Fact::Text(holder)));
    }
}
