//! Goroutines that the runtime itself proved leaked.

use super::check::{Check, goroutines, nothing, words};
use super::context::{Context, Group, Member};
use super::finding::{FindingBuilder, Level, Tier};
use super::limit::{Bound, Scope};
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "leaked",
    tier: Tier::Proof,
    about: "goroutines that the runtime proved leaked",
    explanation: "\
Go 1.26 and later can prove that a goroutine will never go on: the collector finds that the channel,
mutex, WaitGroup or condition it waits for is reachable from no goroutine that could still act on it.
Such goroutines are marked `(leaked)` in debug=2 text that was taken through
/debug/pprof/goroutineleak (and in later dumps of the process), and they are all that debug=0 and
debug=1 of that profile hold. Go 1.26 needs GOEXPERIMENT=goroutineleakprofile; 1.27 always has it.

One is enough: a proof needs no threshold. How long they have been there isn't known, since the
runtime prints no wait for them. `--max-leaked N` lets N of a process pass, as warnings.

What it can't see: goroutines blocked on something that a global or a live goroutine still reaches,
and loops, sleeps and timers. growth, leftover and leak labels find those. Where a goroutineleak
profile must be among the inputs, say --require-leak-profile, else its absence would pass.",
    needs: nothing,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let chosen = choose(context);
    let counts =
        |member: &Member| member.leaked && chosen[&place(context, member)] == member.repeated;
    let tolerated = is_tolerated(context);
    let of_group = |(at, group): (usize, &Group)| {
        if !group.members.iter().any(counts) {
            return None;
        }
        let level = if tolerated { Level::Warning } else { Level::Error };
        let draft = context.finding_of_group(&CHECK, level, at, counts);
        let draft = draft.count_only(context, counts);
        let count = draft.count();
        let text = format!(
            "the runtime proved {} leaked in {}: what {} for is out of reach of all others",
            goroutines(count),
            context.name_in_text(group),
            if count == 1 { "it waits" } else { "they wait" },
        );
        let mut draft = draft.fact("age", words("unknown: the runtime prints no wait for them"));
        draft.finding.text = text;
        Some(draft)
    };
    context.groups.iter().enumerate().filter_map(of_group).collect()
}

/// A point, and the folder in which the dump and the leak profile of a process are.
type Where<'a> = (usize, &'a str);

fn place<'a>(context: &Context<'a>, member: &Member) -> Where<'a> {
    let path = &context.profile.input(context.key(member).input).member;
    (member.point, path.rsplit_once('/').map_or("", |(folder, _)| folder))
}

/// Whether the leak profile counts if there is also a dump with marks in its folder: the one with more
/// leaks does. Counting both would count the leaks twice.
fn choose<'a>(context: &Context<'a>) -> BTreeMap<Where<'a>, bool> {
    let mut sums: BTreeMap<Where<'a>, (i64, i64)> = BTreeMap::new();
    for member in context.grouped().filter(|member| member.leaked) {
        let (marked, profiled) = sums.entry(place(context, member)).or_default();
        *(if member.repeated { profiled } else { marked }) += member.count;
    }
    sums.into_iter().map(|(at, (marked, profiled))| (at, profiled > marked)).collect()
}

/// How many goroutines the runtime proved leaked at each point and process.
pub(super) fn of_processes(context: &Context<'_>) -> BTreeMap<(usize, usize), i64> {
    let chosen = choose(context);
    let mut sums = BTreeMap::new();
    for member in context.grouped() {
        if member.leaked && chosen[&place(context, member)] == member.repeated {
            *sums.entry((member.point, member.process)).or_default() += member.count;
        }
    }
    sums
}

/// Whether the number of leaks that the runtime proved is within a limit for all goroutines.
fn is_tolerated(context: &Context<'_>) -> bool {
    let limits = context.options.limits.iter().filter(|limit| matches!(limit.scope, Scope::All));
    let most = limits.filter_map(|limit| match limit.bound {
        Bound::Leaked(most) => Some(most),
        _ => None,
    });
    let Some(most) = most.min() else { return false };
    of_processes(context).values().all(|count| *count <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::{Stage, found};
    use crate::profile::InputFormat;
    use crate::view::fixture::G;

    fn leak() -> G<'static> {
        G { id: 7, state: "chan send", flags: &["leaked"], minutes: -1.0, ..G::default() }
    }

    #[test]
    fn one_mark_is_enough() {
        let mut stage = Stage::new(1);
        stage.at(0).add(leak());
        stage.at(0).add(G { id: 8, state: "chan send", ..G::default() });
        let findings = stage.findings(CHECK.name);
        assert_eq!(found(&findings), [("main.work", Level::Error, vec![1])]);
        assert!(
            findings[0].text.contains("1 goroutine leaked in main.work"),
            "{}",
            findings[0].text
        );
    }

    #[test]
    fn third_party_leaks_are_warnings() {
        let mut stage = Stage::new(1);
        let frames = &["ex.org/x.run /go/pkg/mod/ex.org/x@v1.0.0/x.go:1"];
        stage.at(0).add(G { frames, ..leak() });
        let findings = stage.findings(CHECK.name);
        assert_eq!(found(&findings), [("ex.org/x.run", Level::Warning, vec![1])]);
    }

    #[test]
    fn a_leak_profile_beside_a_marked_dump_is_not_counted_twice() {
        let mut stage = Stage::new(1);
        stage.at(0).add(leak());
        stage.process(0, "leaks").current().format = InputFormat::LeakDebug1;
        stage.process(0, "leaks").count(1, leak());
        let findings = stage.findings(CHECK.name);
        assert_eq!(found(&findings), [("main.work", Level::Error, vec![1])]);
        assert_eq!(findings[0].inputs, ["n1"], "the dump says more of them");
    }

    #[test]
    fn in_each_folder_the_one_with_more_leaks_counts() {
        let mut stage = Stage::new(0);
        for (folder, marked, profiled) in [("n1", 1, 2), ("n2", 5, 3)] {
            stage.process(0, &format!("{folder}/dump")).count(marked, leak());
            let profile = stage.process(0, &format!("{folder}/leaks"));
            profile.count(profiled, leak()).current().format = InputFormat::LeakDebug1;
        }
        let findings = stage.findings(CHECK.name);
        assert_eq!(found(&findings), [("main.work", Level::Error, vec![7])]);
        assert_eq!(findings[0].inputs, ["n1/leaks", "n2/dump"]);
    }

    #[test]
    fn a_leak_profile_alone_is_proof_and_empty_ones_are_fine() {
        let mut stage = Stage::new(1);
        stage.at(0).current().format = InputFormat::LeakDebug0;
        assert!(stage.findings(CHECK.name).is_empty());
        stage.at(0).count(20, G { state: "chan send", ..G::default() });
        assert_eq!(found(&stage.findings(CHECK.name)), [("main.work", Level::Error, vec![20])]);
    }
}
