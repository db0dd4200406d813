//! Goroutines that never continue: each waits for the next one of a cycle, or for itself.

use crate::filter::Selection;
use crate::profile::{InputId, Profile, SampleId, lossy};
use crate::rules::Names;
use crate::waits::{Pile, Waits};

/// Goroutines that wait for each other, or one that waits for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deadlock {
    /// The input.
    pub input: String,
    /// Their ids.
    pub goroutines: Vec<u64>,
    /// Whether addresses show every link; otherwise `text` says "probably".
    pub is_certain: bool,
    /// `goroutine 7 in kv.(*A).move waits for goroutine 9 in kv.(*B).move, which waits for it`
    pub text: String,
    /// How many wait in all, including those of the cycle.
    pub waiting: i128,
    /// The others that wait for them: `12 more wait behind them in kv.(*A).get, for up to 3 min`.
    pub behind: Option<String>,
    /// Options and their values that select exactly the goroutines of the cycle; empty if none do.
    pub selecting: Vec<String>,
}

impl Deadlock {
    /// All cycles, the certain ones first. `leads_to`: by pile, the cycle that its goroutines wait for
    /// in the end.
    pub(super) fn circles(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        waits: &Waits,
        leads_to: &[Option<usize>],
    ) -> Vec<Deadlock> {
        let mut piles: Vec<Vec<&Pile>> = vec![Vec::new(); waits.cycles.len()];
        for (pile, leads_to) in waits.piles.iter().zip(leads_to) {
            if let Some(circle) = *leads_to {
                piles[circle].push(pile);
            }
        }
        let mut deadlocks = Vec::new();
        for (cycle, piles) in waits.cycles.iter().zip(piles) {
            let guess = if cycle.is_certain { "" } else { "probably: " };
            let text = format!("{guess}{}", Waits::cycle_text(profile, names, cycle));
            let goroutines: Vec<_> =
                cycle.members.iter().map(|member| (member.id, member.sample)).collect();
            let mut one = Deadlock::of(profile, selection, cycle.input, &goroutines, text);
            one.is_certain = cycle.is_certain;
            one.waiting = piles.iter().map(|pile| pile.total()).sum();
            one.behind = behind(names, &piles, one.waiting - cycle.members.len() as i128);
            deadlocks.push(one);
        }
        deadlocks.sort_by_key(|one| !one.is_certain);
        deadlocks
    }

    /// A deadlock that isn't certain.
    pub(super) fn of(
        profile: &Profile,
        selection: &Selection,
        input: InputId,
        goroutines: &[(u64, SampleId)],
        text: String,
    ) -> Deadlock {
        let name = &profile.input(input).name;
        let is_selected = |&(_, sample): &(u64, SampleId)| {
            selection.count(sample) == profile.sample(sample).count
        };
        // Commas separate ids.
        let is_plain = profile.inputs.len() == 1 || !name.contains(',');
        let ids = goroutines.iter().map(|(id, _)| match profile.inputs.len() {
            1 => id.to_string(),
            _ => format!("{name}.{id}"),
        });
        let selecting = match is_plain && goroutines.iter().all(is_selected) {
            true => vec!["--id".to_owned(), ids.collect::<Vec<_>>().join(",")],
            false => Vec::new(),
        };
        Deadlock {
            input: name.clone(),
            goroutines: goroutines.iter().map(|(id, _)| *id).collect(),
            is_certain: false,
            text,
            waiting: goroutines.len() as i128,
            behind: None,
            selecting,
        }
    }
}

/// The text about `count` goroutines that wait in these piles for those of a cycle.
fn behind(names: &Names, piles: &[&Pile], count: i128) -> Option<String> {
    let function = |pile: &&Pile| lossy(names.func(pile.place));
    let most = piles.iter().rev().max_by_key(|pile| pile.total()).filter(|_| count > 0)?;
    let place = function(most);
    let waiting = piles.iter().filter(|pile| pile.total() > 1);
    let is_alone = waiting.clone().all(|pile| function(pile) == place);
    let longest = piles.iter().filter_map(|pile| pile.longest).reduce(f32::max);
    let lasts = match longest {
        Some(minutes) if minutes >= 1.0 => format!(", for up to {minutes} min"),
        _ => String::new(),
    };
    let verb = if count == 1 { "waits" } else { "wait" };
    let most = if is_alone { "" } else { "most of them " };
    let comma = if is_alone { "" } else { "," };
    Some(format!("{count} more {verb} behind them{comma} {most}in {place}{lasts}"))
}
