//! Stacks with the shape of known mistakes: one dump shows them, but doesn't prove one.

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

/// With at least this many goroutines in one process, a shape is more than a moment's work.
const MANY: i64 = 10;
/// Minutes after which one goroutine is enough.
const LONG: f32 = 5.0;

/// The longest known wait of these goroutines.
fn longest(group: &Group, counts: impl Fn(&Member) -> bool) -> Option<f32> {
    let members = group.members.iter().filter(|member| counts(member));
    members.filter_map(|member| member.waits.range()).map(|(_, max)| max).reduce(f32::max)
}

/// Some of the functions of a profile; each name is only tested once.
struct Chosen<'a> {
    profile: &'a Profile,
    /// By index of the function's name.
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

    /// Whether one of them is in a goroutine's stack.
    fn has(&self, member: &Member) -> bool {
        let frames = self.profile.stack(self.profile.sample(member.sample).key.full);
        frames.iter().any(|&frame| self.chosen[self.profile.frame(frame).func.index()])
    }
}

/// Notes about groups with at least `many` fitting goroutines in one process at the last point, or
/// with one that has waited for `long` minutes; `says` makes the sentence from their number and name.
fn notes(
    context: &Context<'_>,
    check: &Check,
    many: i64,
    long: Option<f32>,
    fits: impl Fn(&Group, &Member) -> bool,
    says: impl Fn(i64, String) -> String,
) -> Vec<FindingBuilder> {
    let of_group = |(at, group): (usize, &Group)| {
        let here = |member: &Member| context.is_open_at_last(member) && fits(group, member);
        let is_long = || long.is_some_and(|long| longest(group, here) >= Some(long));
        (group.most(here) >= many || is_long()).then(|| {
            let draft = context.finding_of_group(check, Level::Note, at, here);
            let text = says(draft.count(), context.name_in_text(group));
            draft.says(text)
        })
    };
    context.groups.iter().enumerate().filter_map(of_group).collect()
}
