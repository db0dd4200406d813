//! Shapes of known mistakes: one dump shows them, and proves none.

pub(super) mod gc;
pub(super) mod http;
pub(super) mod locks;
mod orphan;
pub(super) mod range;
pub(super) mod recursion;
pub(super) mod select;
pub(super) mod sender;
pub(super) mod sql;
pub(super) mod threads;
pub(super) mod timers;
pub(super) mod wait_group;

use super::blocking::function;
use super::checks::Check;
use super::finding::Level;
use super::scene::{Draft, Group, Member, Scene};

/// From so many goroutines in one process on, a shape is more than a moment's work.
const MANY: i64 = 10;
/// Minutes after which one goroutine is enough.
const LONG: f32 = 5.0;

/// The longest wait of these goroutines, as far as it is known.
fn longest(group: &Group, counts: impl Fn(&Member) -> bool) -> Option<f32> {
    let members = group.members.iter().filter(|member| counts(member));
    members.filter_map(|member| member.waits.range()).map(|(_, max)| max).reduce(f32::max)
}

/// Whether some frame of a goroutine's stack is this function.
fn has_frame(scene: &Scene<'_>, member: &Member, is: impl Fn(&[u8]) -> bool) -> bool {
    let key = scene.key(member);
    scene.profile.stack(key.full).iter().any(|&frame| is(function(scene.profile, frame)))
}

/// Notes about groups whose goroutines of the last point fit, where they are many in one process or
/// have waited for long; `says` makes the sentence of how many there are.
fn notes(
    scene: &Scene<'_>,
    check: &Check,
    fits: impl Fn(&Group, &Member) -> bool,
    says: impl Fn(&Scene<'_>, &Group, i64) -> String,
) -> Vec<Draft> {
    let Some(last) = scene.last() else { return Vec::new() };
    let mut drafts = Vec::new();
    for (at, group) in scene.groups.iter().enumerate() {
        let here = |member: &Member| member.open() && member.point == last && fits(group, member);
        let count = group.most(last, here);
        let long = longest(group, here).is_some_and(|minutes| minutes >= LONG);
        if count >= MANY || (count > 0 && long) {
            let mut draft = scene.draft(check.name, Level::Note, check.tier, at, here);
            draft.finding.text = says(scene, group, draft.count());
            drafts.push(draft);
        }
    }
    drafts
}
