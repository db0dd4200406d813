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

use super::check::Check;
use super::context::{Context, Group, Member};
use super::finding::{FindingBuilder, Level};
use crate::profile::Profile;

/// From so many goroutines in one process on, a shape is more than a moment's work.
const MANY: i64 = 10;
/// Minutes after which one goroutine is enough.
const LONG: f32 = 5.0;

/// The longest wait of these goroutines, as far as it is known.
fn longest(group: &Group, counts: impl Fn(&Member) -> bool) -> Option<f32> {
    let members = group.members.iter().filter(|member| counts(member));
    members.filter_map(|member| member.waits.range()).map(|(_, max)| max).reduce(f32::max)
}

/// Some of the functions of a profile, each name looked at once.
struct Chosen<'a> {
    profile: &'a Profile,
    /// By the string that is the name.
    chosen: Vec<bool>,
}

impl<'a> Chosen<'a> {
    fn of(profile: &'a Profile, is_it: impl Fn(&[u8]) -> bool) -> Chosen<'a> {
        let mut chosen = vec![false; profile.strings.len()];
        let mut seen = chosen.clone();
        for frame in profile.frames() {
            let at = frame.func.index();
            if !std::mem::replace(&mut seen[at], true) {
                chosen[at] = is_it(profile.str(frame.func));
            }
        }
        Chosen { profile, chosen }
    }

    /// Whether a goroutine stands in one of them.
    fn has(&self, member: &Member) -> bool {
        let frames = self.profile.stack(self.profile.sample(member.sample).key.full);
        frames.iter().any(|&frame| self.chosen[self.profile.frame(frame).func.index()])
    }
}

/// Notes about groups of whose goroutines of the last point so many fit in one process, or one that has
/// waited for so long; `says` makes the sentence of how many there are and what they are called.
fn notes(
    context: &Context<'_>,
    check: &Check,
    many: i64,
    long: Option<f32>,
    fits: impl Fn(&Group, &Member) -> bool,
    says: impl Fn(i64, String) -> String,
) -> Vec<FindingBuilder> {
    let of_group = |(at, group): (usize, &Group)| {
        let here = |member: &Member| context.is_now(member) && fits(group, member);
        let count = group.most(here);
        let is_long = || long.is_some_and(|long| longest(group, here) >= Some(long));
        (count >= many || count > 0 && is_long()).then(|| {
            let draft = context.draft(check, Level::Note, at, here);
            let text = says(draft.count(), context.called(group));
            draft.says(text)
        })
    };
    context.groups.iter().enumerate().filter_map(of_group).collect()
}
