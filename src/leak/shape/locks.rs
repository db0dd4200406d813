//! Piles of goroutines at one lock.

use super::MANY;
use crate::leak::checks::{Check, a_dump, goroutines};
use crate::leak::finding::{Level, Tier};
use crate::leak::scene::{Draft, Member, Scene};
use crate::profile::Kind;

pub(in crate::leak) const CHECK: Check = Check {
    name: "lock-pile-up",
    tier: Tier::Shape,
    about: "many goroutines that wait for one mutex or RWMutex, and who may hold it",
    explanation: "\
Ten goroutines or more of a process that wait for a lock at one place are noted: somebody keeps it,
works long under it, or never unlocks it.",
    needs: a_dump,
    run,
};

fn run(scene: &Scene<'_>) -> Vec<Draft> {
    let Some(last) = scene.last() else { return Vec::new() };
    let mut drafts = Vec::new();
    for (at, group) in scene.groups.iter().enumerate() {
        let waits = |member: &Member| member.open() && member.point == last;
        let lock = matches!(group.kind, Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW);
        if !lock || group.most(last, waits) < MANY {
            continue;
        }
        let mut draft = scene.draft(CHECK.name, Level::Note, CHECK.tier, at, waits);
        draft.finding.text =
            format!("{} of {} wait for a lock", goroutines(draft.count()), scene.called(group));
        drafts.push(draft);
    }
    drafts
}
