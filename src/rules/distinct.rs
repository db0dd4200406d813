//! Telling equal names apart: a setting of the default rules, `name.distinct`.
//!
//! Stacks of one category that got the same name get a further frame in front (`Store.Send →
//! Replica.lock → mutex`), or the line of a frame behind (`Replica.lock → mutex (replica.go:12)`).

use super::name::{Step, put_in_front};
use super::namer::Namer;
use crate::profile::{Profile, StackId, StrId};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// How many further frames are tried in front of a name, and how many lines behind it.
const FURTHER: usize = 6;

/// A stack that shares its name.
struct Twin {
    stack: StackId,
    /// The last frame that the name tells of.
    taken: usize,
}

/// Changes names so that stacks of one category differ in theirs, as far as six frames and lines
/// can tell them apart.
pub(super) fn tell_apart(namer: &mut Namer<'_>, profile: &Profile, stacks: &[StackId]) {
    let mut used: HashSet<(StrId, StrId), FixedState> = HashSet::default();
    let mut groups: HashMap<(StrId, StrId), Vec<StackId>, FixedState> = HashMap::default();
    for stack in stacks {
        let name = namer.names.stacks[stack.index()];
        used.insert(name);
        groups.entry(name).or_default().push(*stack);
    }
    // In the order of the stacks: which name is free may depend on which came before.
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, group)| group.len() > 1).collect();
    groups.sort_by_key(|(_, group)| group.iter().map(|stack| stack.index()).min());
    for ((name, category), group) in groups {
        let mut twins: Vec<Twin> = group
            .into_iter()
            .map(|stack| Twin { stack, taken: last_told(namer, profile, stack) })
            .collect();
        for round in 0..FURTHER * 2 {
            let candidates: Vec<Option<StrId>> = twins
                .iter()
                .map(|twin| match round.checked_sub(FURTHER) {
                    None => further_frame(namer, profile, twin, name, round),
                    Some(nth) => line(namer, profile, twin, name, nth),
                })
                .collect();
            let mut counts: HashMap<StrId, usize, FixedState> = HashMap::default();
            for candidate in candidates.iter().flatten() {
                *counts.entry(*candidate).or_default() += 1;
            }
            let mut candidates = candidates.into_iter();
            twins.retain(|twin| match candidates.next().flatten() {
                Some(text) if counts[&text] == 1 && used.insert((text, category)) => {
                    namer.names.stacks[twin.stack.index()].0 = text;
                    false
                }
                _ => true,
            });
            if twins.len() < 2 {
                break;
            }
        }
    }
}

/// The outermost frame that the name of a stack tells of.
fn last_told(namer: &mut Namer<'_>, profile: &Profile, stack: StackId) -> usize {
    let mut last = 0;
    namer.name_with(profile, stack, |at, step| {
        if !matches!(step, Step::Skip(_)) {
            last = at;
        }
    });
    last
}

/// The name with the nth frame further out in front of it. Frames that tell nothing don't count.
fn further_frame(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twin: &Twin,
    name: StrId,
    nth: usize,
) -> Option<StrId> {
    let frames = profile.stack(twin.stack).get(twin.taken + 1..)?;
    let mut seen = 0;
    for frame in frames {
        let func = namer.names.frames[frame.index()].0;
        let Some(text) = namer.further(func) else { continue };
        let mut longer = namer.names.texts.get(name).to_vec();
        let part = namer.names.texts.get(text).to_vec();
        put_in_front(&mut longer, &part);
        if longer == namer.names.texts.get(name) {
            continue;
        }
        if seen == nth {
            return Some(namer.names.texts.intern(&longer));
        }
        seen += 1;
    }
    None
}

/// The name with the place of a frame behind it: first that of the frame taken, then of those
/// further out.
fn line(
    namer: &mut Namer<'_>,
    profile: &Profile,
    twin: &Twin,
    name: StrId,
    nth: usize,
) -> Option<StrId> {
    let frame = *profile.stack(twin.stack).get(twin.taken + nth)?;
    let file = profile.str(profile.frame(frame).file);
    let base = file.rsplit(|b| matches!(b, b'/' | b'\\')).next().unwrap_or(file);
    let mut longer = namer.names.texts.get(name).to_vec();
    longer.extend_from_slice(b" (");
    longer.extend_from_slice(base);
    longer.extend_from_slice(format!(":{})", profile.frame(frame).line).as_bytes());
    Some(namer.names.texts.intern(&longer))
}
