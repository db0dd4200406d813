//! Receivers that nobody sends to any more: a range over a channel that is never closed.

use super::{MANY, has_frame};
use crate::leak::checks::{Check, goroutines, words};
use crate::leak::finding::{Level, Tier};
use crate::leak::scene::{Draft, Member, Scene};
use crate::profile::Kind;
use hashbrown::HashSet;

pub(in crate::leak) const CHECK: Check = Check {
    name: "unclosed-range",
    tier: Tier::Shape,
    about: "goroutines that range over a channel whose maker is gone",
    explanation: "\
`for v := range ch` ends when ch is closed. Where whoever made the channel returns without closing
it, each of its workers waits for ever. Noted are groups with ten or more in a process that are
blocked in a receive and whose creators, by the id that Go 1.21 and later print behind `created by`,
have all ended: workers of a program that is still at work have a creator that is.

In protos of Go the runtime's frames tell a range (or a receive with two results) from other
receives: then the fact `receive` says `range`. In text it can't be told.",
    needs,
    run,
};

fn needs(scene: &Scene<'_>) -> Option<&'static str> {
    let ids = scene.profile.goroutines.iter().any(|goroutine| goroutine.creator().is_some());
    (!ids).then_some("the inputs don't tell which goroutine created which")
}

fn run(scene: &Scene<'_>) -> Vec<Draft> {
    let Some(last) = scene.last() else { return Vec::new() };
    let profile = scene.profile;
    let there: HashSet<_> = profile
        .goroutines
        .iter()
        .map(|one| (profile.sample(one.sample).key.input, one.id))
        .collect();
    let orphaned: HashSet<_> = {
        let mut with_creator = HashSet::new();
        let orphans = profile.goroutines.iter().filter(|one| {
            let input = profile.sample(one.sample).key.input;
            let gone = one.creator().is_some_and(|creator| !there.contains(&(input, creator)));
            if !gone {
                with_creator.insert(one.sample);
            }
            gone
        });
        let orphans: HashSet<_> = orphans.map(|one| one.sample).collect();
        orphans.difference(&with_creator).copied().collect()
    };
    let mut drafts = Vec::new();
    for (at, group) in scene.groups.iter().enumerate() {
        let here = |member: &Member| member.open() && member.point == last;
        let all_gone =
            group.members.iter().filter(|one| here(one)).all(|one| orphaned.contains(&one.sample));
        if group.kind != Kind::ChanRecv || !all_gone || group.most(last, here) < MANY {
            continue;
        }
        let mut draft = scene.draft(CHECK.name, Level::Note, CHECK.tier, at, here);
        let count = draft.count();
        draft.finding.text = format!(
            "{} of {} wait to receive from a channel, and what created them is gone",
            goroutines(count),
            scene.called(group),
        );
        let ranges = group
            .members
            .iter()
            .any(|one| has_frame(scene, one, |name| name == b"runtime.chanrecv2"));
        if ranges {
            draft = draft.fact("receive", words("range"));
        }
        drafts.push(draft);
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::sketch::G;

    fn found(creator_lives: bool) -> usize {
        let mut stage = Stage::new(1);
        if creator_lives {
            stage.at(0).add(G { id: 5, frames: &["kv.serve"], ..G::default() });
        }
        for id in 10..20 {
            stage.at(0).add(G {
                id,
                by: Some(5),
                creator: "kv.serve",
                state: "chan receive",
                ..G::default()
            });
        }
        stage.findings(CHECK.name).len()
    }

    #[test]
    fn workers_whose_creator_is_gone_are_noted() {
        assert_eq!(found(false), 1);
        assert_eq!(found(true), 0);
    }
}
