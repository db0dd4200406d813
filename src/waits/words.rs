//! Chains and cycles as sentences.

use super::holder::{Evidence, Holder};
use super::{Cycle, Member, Pile, Starter, Twice, Waits, is_lock};
use crate::profile::{FrameId, Kind, Profile, lossy};
use crate::rules::Names;

/// How many links of a chain are named; hardly any has more.
const LINKS: usize = 5;

/// How many goroutines of a circle a sentence names.
const TOLD: usize = 50;

impl Waits {
    /// What the goroutines of a pile wait for: `40 wait for goroutine 20 in cache.fetch, which waits
    /// 3 min for IO`. `None` if no possible holder is known.
    pub fn sentence(&self, profile: &Profile, names: &Names, pile: usize) -> Option<String> {
        let (is_guess, holder) = self.holder_of(profile, names, pile)?;
        let count = self.piles[pile].count.max(1);
        let verb = if count == 1 { "waits" } else { "wait" };
        let guess = if is_guess { ", probably" } else { "" };
        Some(format!("{count} {verb}{guess} for {holder}"))
    }

    /// Who holds the locks of these piles: `held by goroutine 20 in cache.fetch, which waits 3 min for
    /// IO`. `None` if no possible holder is known.
    pub fn held(&self, profile: &Profile, names: &Names, piles: &[usize]) -> Option<String> {
        let guess = |is_guess: bool| if is_guess { "probably " } else { "" };
        let &[largest, ref others @ ..] = piles else { return None };
        if others.is_empty() {
            let (is_guess, holder) = self.holder_of(profile, names, largest)?;
            return Some(format!("{}held by {holder}", guess(is_guess)));
        }
        let count = piles.len();
        if let Some((place, kind)) = self.same_place(profile, names, piles) {
            let holders = || piles.iter().flat_map(|&at| &self.piles[at].holders);
            let is_guess = holders().any(|holder| holder.evidence == Evidence::Shape);
            let wait = holders().filter_map(|holder| holder.wait).reduce(f32::max);
            let doing = doing(kind, wait, "up to ");
            let guess = guess(is_guess);
            return Some(format!("{count} locks, each {guess}held by one in {place}, {doing}"));
        }
        let sentence = self.sentence(profile, names, largest)?;
        let input = match piles.iter().all(|&at| self.piles[at].input == self.piles[largest].input)
        {
            true => String::new(),
            false => format!("on {} ", profile.input(self.piles[largest].input).name),
        };
        Some(format!("{count} locks: {input}{sentence}"))
    }

    /// Where the holder is and its kind, if these are the same for all of these piles.
    fn same_place(
        &self,
        profile: &Profile,
        names: &Names,
        piles: &[usize],
    ) -> Option<(String, Kind)> {
        let mut same = None;
        for &at in piles {
            let [holder] = self.piles[at].holders.as_slice() else { return None };
            let kind = profile.sample(holder.sample).key.kind;
            let place = (function(names, holder.frame), kind);
            if is_lock(kind) || same.get_or_insert_with(|| place.clone()) != &place {
                return None;
            }
        }
        same
    }

    /// The holder of a pile and what it does, and whether this is a guess.
    fn holder_of(&self, profile: &Profile, names: &Names, pile: usize) -> Option<(bool, String)> {
        let mut holder = self.piles[pile].holders.first()?;
        let is_guess = holder.evidence == Evidence::Shape;
        let mut text = String::new();
        let mut seen = vec![pile];
        let mut at = pile;
        loop {
            text.push_str(&called(profile, names, &self.piles[at]));
            let kind = profile.sample(holder.sample).key.kind;
            if !self.piles[at].holders_are_alike(profile) {
                return Some((is_guess, text));
            }
            let Some(next) = holder.pile.filter(|_| is_lock(kind)) else {
                text.push_str(&format!(", {}", doing(kind, holder.wait, "")));
                return Some((is_guess, text));
            };
            let with = match self.piles[next].total() - 1 {
                0 => String::new(),
                1 => " with another one".to_owned(),
                others => format!(" with {others} others"),
            };
            text.push_str(&format!(", which waits{}{with}", minutes(holder.wait, "")));
            if seen.contains(&next) || seen.len() >= LINKS {
                text.push_str(if seen.contains(&next) { " in a circle" } else { " and so on" });
                return Some((is_guess, text));
            }
            seen.push(next);
            let Some(behind) = self.piles[next].holders.first() else {
                text.push_str(" for a lock that nobody is seen to hold");
                return Some((is_guess, text));
            };
            let guess = if behind.evidence == Evidence::Shape { ", probably" } else { "" };
            text.push_str(&format!("{guess} for "));
            (at, holder) = (next, behind);
        }
    }

    /// `goroutine 7 in kv.(*A).move waits for goroutine 9 in kv.(*B).move, which waits for it`. If all
    /// wait in one function, its callers are named too.
    pub fn cycle_text(profile: &Profile, names: &Names, cycle: &Cycle) -> String {
        let first = cycle.members.first().map(|member| names.func(member.place));
        let is_one = cycle.members.iter().all(|one| Some(names.func(one.place)) == first);
        let one = |at: usize| {
            let member = &cycle.members[at % cycle.members.len()];
            let caller = caller(profile, member).filter(|_| is_one);
            let from =
                caller.map_or(String::new(), |it| format!(" (from {})", function(names, it)));
            format!("goroutine {} in {}{from}", member.id, function(names, member.place))
        };
        let mut text = format!("{} waits for {}", one(0), one(1));
        let count = cycle.members.len();
        for at in 2..count.min(TOLD) {
            text.push_str(&format!(", which waits for {}", one(at)));
        }
        let first = cycle.members.first().map_or(0, |member| member.id);
        text + &match (count, count.saturating_sub(TOLD)) {
            (2, _) => ", which waits for it".to_owned(),
            (_, 0) => format!(", which waits for goroutine {first}"),
            (_, more) => format!(
                ", and so on over {more} more, the last of which waits for goroutine {first}"
            ),
        }
    }

    /// `goroutine 7 in kv.(*Pool).Drain waits for a WaitGroup, and all 6 that it has started wait for
    /// the lock that it holds, in kv.(*Pool).finish`
    pub fn starter_text(&self, names: &Names, starter: &Starter) -> String {
        let waits = match starter.kind {
            Kind::WaitGroup => "for a WaitGroup",
            _ => "to receive from a channel",
        };
        let started = match starter.started {
            1 => "the one that it has started waits".to_owned(),
            started => format!("all {started} that it has started wait"),
        };
        format!(
            "goroutine {} in {} waits {waits}, and {started} for the lock that it holds, in {}",
            starter.id,
            function(names, starter.frame),
            function(names, self.piles[starter.pile].place),
        )
    }

    /// `goroutine 7 in kv.(*Store).get waits for a lock that it probably took itself in
    /// kv.(*Store).flush, or that was never unlocked`
    pub fn twice_text(names: &Names, twice: &Twice) -> String {
        let why = match twice.behind_writer {
            true => ": it reads already, and a writer waits in between",
            false => ", or that was never unlocked",
        };
        format!(
            "goroutine {} in {} waits for a lock that it probably took itself in {}{why}",
            twice.id,
            function(names, twice.place),
            function(names, twice.outer),
        )
    }
}

/// The caller of the function that a goroutine waits in.
fn caller(profile: &Profile, member: &Member) -> Option<FrameId> {
    let stack = profile.stack(profile.sample(member.sample).key.stack);
    let at = stack.iter().position(|&frame| frame == member.place)?;
    stack.get(at + 1).copied()
}

fn function(names: &Names, frame: FrameId) -> String {
    lossy(names.func(frame))
}

impl Pile {
    /// How many goroutines may hold it.
    fn may_hold(&self, profile: &Profile) -> i64 {
        let count = |holder: &Holder| match holder.id {
            Some(_) => 1,
            None => profile.sample(holder.sample).count,
        };
        let more = i64::try_from(self.more_holders).unwrap_or(i64::MAX);
        self.holders.iter().map(count).sum::<i64>().saturating_add(more)
    }

    /// Whether all goroutines that may hold it wait for the same.
    pub fn holders_are_alike(&self, profile: &Profile) -> bool {
        let does = |holder: &Holder| (profile.sample(holder.sample).key.kind, holder.pile);
        let mut all = self.holders.iter().map(does);
        let first = all.next();
        self.more_holders == 0 && all.all(|one| Some(one) == first)
    }
}

/// `goroutine 20 in cache.fetch`, or `one of 3 in cache.fetch` if nothing shows which.
fn called(profile: &Profile, names: &Names, pile: &Pile) -> String {
    let Some(holder) = pile.holders.first() else { return String::new() };
    let place = function(names, holder.frame);
    match (pile.may_hold(profile), holder.id) {
        (..=1, Some(id)) => format!("goroutine {id} in {place}"),
        (..=1, None) => format!("the goroutine in {place}"),
        (many, _) => {
            let is_here = |one: &Holder| function(names, one.frame) == place;
            match pile.more_holders == 0 && pile.holders.iter().all(is_here) {
                true => format!("one of {many} in {place}"),
                false => format!("one of {many} goroutines"),
            }
        }
    }
}

fn minutes(wait: Option<f32>, up_to: &str) -> String {
    match wait {
        Some(minutes) if minutes >= 1.0 => format!(" {up_to}{minutes} min"),
        _ => String::new(),
    }
}

/// The activity of a holder that doesn't wait for a lock.
fn doing(kind: Kind, wait: Option<f32>, up_to: &str) -> String {
    let minutes = minutes(wait, up_to);
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
