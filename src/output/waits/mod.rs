//! Goroutines that wait for others, in every format that `tree --waits` offers.

mod dot;
mod json;
mod rows;
mod text;

use super::Output;
use super::terminal::Screen;
use crate::profile::{FrameId, Kind, Profile, SampleId};
use crate::rules::Names;
use crate::waits::{Holder, Pile, Waits};
use std::io::{self, Write};

/// The formats of waits; the first one is the default.
pub const OFFERED: [Output; 5] =
    [Output::Text, Output::Json, Output::Ndjson, Output::Csv, Output::Dot];

/// Piles, holders and cycles, with the tables that they refer to.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    profile: &'a Profile,
    names: &'a Names,
    waits: &'a Waits,
    /// How many piles are shown.
    shown: usize,
}

impl<'a> Graph<'a> {
    /// The graph of this profile with these names; with a limit, only the largest piles are shown.
    pub fn new(
        profile: &'a Profile,
        names: &'a Names,
        waits: &'a Waits,
        limit: Option<usize>,
    ) -> Graph<'a> {
        let asked = waits.piles.iter().filter(|pile| pile.count > 0).count();
        // Piles without selected goroutines are needed if others wait for their members.
        let shown = limit.map_or(waits.piles.len(), |limit| limit.min(asked));
        Graph { profile, names, waits, shown }
    }

    /// Writes the graph.
    ///
    /// # Errors
    /// The error of writing to `out`.
    pub fn write(&self, output: Output, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        match output {
            Output::Json => json::document(self).write(out),
            Output::Ndjson => json::document(self).write_rows(out),
            Output::Csv => rows::write(self, out),
            Output::Dot => dot::write(self, out),
            _ => text::write(self, screen, out),
        }
    }

    fn piles(&self) -> impl Iterator<Item = (usize, &'a Pile)> + use<'a> {
        self.waits.piles.iter().enumerate().take(self.shown)
    }

    fn function(&self, frame: FrameId) -> String {
        String::from_utf8_lossy(self.names.func(frame)).into_owned()
    }

    fn state(&self, sample: SampleId) -> String {
        let state = self.profile.sample(sample).key.state;
        state.map_or("unknown".into(), |state| {
            String::from_utf8_lossy(self.profile.str(state)).into_owned()
        })
    }

    /// The state of most that wait.
    fn state_of(&self, pile: &Pile) -> String {
        let most = pile.samples.iter().max_by_key(|(_, count)| *count);
        most.map_or("unknown".to_owned(), |(sample, _)| self.state(*sample))
    }

    /// `20 [IO wait, 3 minutes] main.(*Cache).fetch`
    fn holder(&self, holder: &Holder) -> String {
        let count = self.profile.sample(holder.sample).count;
        let who = match holder.id {
            Some(id) => id.to_string(),
            None => format!("one of {count}"),
        };
        format!(
            "{who} [{}{}] {}",
            self.state(holder.sample),
            minutes(holder.wait),
            self.function(holder.frame)
        )
    }

    /// `40 × [sync.Mutex.Lock, 3 minutes] main.(*Cache).get, goroutine 101 and others`
    fn waiters(&self, pile: &Pile) -> String {
        let brackets = format!("[{}{}]", self.state_of(pile), minutes(pile.longest));
        let stack = |sample| self.profile.stack(self.profile.sample(sample).key.stack);
        let is_one = pile.samples.iter().all(|(sample, _)| stack(*sample).contains(&pile.place));
        let most = if is_one { "" } else { "most in " };
        let place = format!("{most}{}", self.function(pile.place));
        match (pile.total(), pile.first) {
            (1, Some(id)) => format!("{id} {brackets} {place}"),
            (count, Some(id)) => {
                format!("{count} × {brackets} {place}, goroutine {id} and others")
            }
            (count, None) => format!("{count} × {brackets} {place}"),
        }
    }

    /// The subject of the wait: `0xc000010008`, `a lock in 0xc000010000`, `a lock`, `channel 0xc000010008`.
    fn lock(pile: &Pile) -> String {
        let noun = match pile.kind {
            Kind::ChanRecv | Kind::ChanSend => "channel ",
            Kind::WaitGroup => "WaitGroup ",
            Kind::Cond => "sync.Cond ",
            _ => "",
        };
        match (pile.lock, pile.owner) {
            (Some(lock), _) => format!("{noun}{lock:#x}"),
            (None, Some(owner)) => format!("a lock in {owner:#x}"),
            (None, None) => "a lock".to_owned(),
        }
    }
}

fn minutes(wait: Option<f32>) -> String {
    match wait {
        Some(minutes) if minutes > 0.0 => format!(", {minutes} minutes"),
        _ => String::new(),
    }
}
