//! Chains and circles in words.

use super::holder::{Evidence, Holder};
use super::{Cycle, Twice, Waits, is_lock};
use crate::profile::{FrameId, Kind, Profile};
use crate::rules::Names;

/// Links of a chain that are told; hardly any has more.
const LINKS: usize = 5;

impl Waits {
    /// What the goroutines of a pile wait for: `40 wait for goroutine 20 in cache.fetch, which waits
    /// 3 min for IO`. `None` where nobody is known who may hold it.
    pub fn sentence(&self, profile: &Profile, names: &Names, pile: usize) -> Option<String> {
        let first = &self.piles[pile];
        let mut holder = first.holders.first()?;
        let count = first.count.max(1);
        let mut text = format!("{count} {}", if count == 1 { "waits" } else { "wait" });
        let mut seen = vec![pile];
        let mut at = pile;
        loop {
            let more = self.piles[at].holders.len() - 1 + self.piles[at].more_holders;
            let guess = if holder.evidence == Evidence::Shape { ", probably" } else { "" };
            text.push_str(&format!("{guess} for {}", called(profile, names, holder, more)));
            let kind = profile.sample(holder.sample).key.kind;
            let Some(next) = holder.pile.filter(|_| is_lock(kind)) else {
                text.push_str(&format!(", {}", doing(kind, holder.wait)));
                return Some(text);
            };
            let with = match self.piles[next].total() - 1 {
                0 => String::new(),
                1 => " with another one".to_owned(),
                others => format!(" with {others} others"),
            };
            text.push_str(&format!(", which waits{}{with}", minutes(holder.wait)));
            if seen.contains(&next) || seen.len() >= LINKS {
                text.push_str(if seen.contains(&next) { " in a circle" } else { " and so on" });
                return Some(text);
            }
            seen.push(next);
            match self.piles[next].holders.first() {
                Some(behind) => (at, holder) = (next, behind),
                None => {
                    text.push_str(" for a lock that nobody is seen to hold");
                    return Some(text);
                }
            }
        }
    }

    /// `goroutine 7 in kv.(*A).move waits for goroutine 9 in kv.(*B).move, which waits for it`
    pub fn circle(names: &Names, cycle: &Cycle) -> String {
        let one = |at: usize| {
            let member = &cycle.members[at % cycle.members.len()];
            format!("goroutine {} in {}", member.id, function(names, member.place))
        };
        let mut text = format!("{} waits for {}", one(0), one(1));
        for at in 2..cycle.members.len() {
            text.push_str(&format!(", which waits for {}", one(at)));
        }
        let first = cycle.members.first().map_or(0, |member| member.id);
        text + &match cycle.members.len() {
            2 => ", which waits for it".to_owned(),
            _ => format!(", which waits for goroutine {first}"),
        }
    }

    /// `goroutine 7 in kv.(*Store).get waits for a lock that it probably holds itself, since
    /// kv.(*Store).flush`
    pub fn alone(names: &Names, twice: &Twice) -> String {
        let why = match twice.behind_writer {
            true => ": it reads already, and a writer waits in between",
            false => "",
        };
        format!(
            "goroutine {} in {} waits for a lock that it probably took itself in {}{why}",
            twice.id,
            function(names, twice.place),
            function(names, twice.outer),
        )
    }
}

fn function(names: &Names, frame: FrameId) -> String {
    String::from_utf8_lossy(names.func(frame)).into_owned()
}

/// `goroutine 20 in cache.fetch`
fn called(profile: &Profile, names: &Names, holder: &Holder, more: usize) -> String {
    let place = function(names, holder.frame);
    let count = profile.sample(holder.sample).count;
    let one = match holder.id {
        Some(id) => format!("goroutine {id} in {place}"),
        None if count == 1 => format!("the goroutine in {place}"),
        None => format!("one of {count} in {place}"),
    };
    match more {
        0 => one,
        1 => format!("{one} or another one"),
        more => format!("{one} or one of {more} others"),
    }
}

fn minutes(wait: Option<f32>) -> String {
    match wait {
        Some(minutes) if minutes >= 1.0 => format!(" {minutes} min"),
        _ => String::new(),
    }
}

/// What a holder does that doesn't wait for a lock.
fn doing(kind: Kind, wait: Option<f32>) -> String {
    let minutes = minutes(wait);
    match kind {
        Kind::Running | Kind::Runnable => "which runs".to_owned(),
        Kind::Io => format!("which waits{minutes} for IO"),
        Kind::Sleep => format!("which sleeps{minutes}"),
        Kind::Syscall => format!("which is{minutes} in a system call"),
        Kind::ChanSend => format!("which waits{minutes} to send to a channel"),
        Kind::ChanRecv => format!("which waits{minutes} to receive from a channel"),
        Kind::Select => format!("which waits{minutes} in a select"),
        Kind::WaitGroup => format!("which waits{minutes} for a WaitGroup"),
        Kind::Cond => format!("which waits{minutes} for a sync.Cond"),
        Kind::NilChan | Kind::EmptySelect => "which waits for ever".to_owned(),
        Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW => {
            format!("which waits{minutes} for another lock")
        }
        _ => format!("which waits{minutes}"),
    }
}
