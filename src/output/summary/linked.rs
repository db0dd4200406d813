//! The lines of the verdict with the samples and goroutines that they are about, for readers that can
//! follow links.

use super::short::Short;
use super::verdict::deadlock_text;
use super::{Shown, stuck, verdict};
use crate::output::line::Line;
use crate::profile::SampleId;
use crate::verdict::Deadlock;

/// A line of the verdict, and what it is about.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The line.
    pub line: Line,
    /// The samples that the line counts.
    pub samples: Vec<SampleId>,
    /// The goroutines that the line names: input and id.
    pub goroutines: Vec<(String, u64)>,
}

/// The lines of the verdict; crashes come first.
pub fn linked_lines(shown: &Shown<'_>) -> Vec<Linked> {
    let Shown { profile, verdict, .. } = *shown;
    let short = Short::new(profile);
    let inputs = profile.inputs.len();
    let about = |line: &Line| {
        let mut samples = Vec::new();
        for fact in &verdict.stuck {
            if line.text == short.sentence(&stuck::sentence(fact, inputs)) {
                samples.extend_from_slice(&fact.samples);
            }
        }
        let mut goroutines = Vec::new();
        if line.label == "deadlock" {
            let is_it = |one: &&Deadlock| line.text == deadlock_text(one, &short, inputs);
            for deadlock in verdict.waits.deadlocks.iter().filter(is_it) {
                let ids = deadlock.goroutines.iter();
                goroutines.extend(ids.map(|&id| (deadlock.input.clone(), id)));
            }
        }
        if line.label == "waiting" {
            // Without a wait of a minute, these are just the first of many that have begun to wait.
            let longest = verdict.activity.longest.iter().filter(|one| one.minutes >= 1.0);
            goroutines.extend(longest.map(|one| (one.input.clone(), one.goroutine)));
        }
        if line.label == "crash" {
            let of = |crash: &&crate::verdict::CrashFact| {
                inputs == 1 || line.text.starts_with(&format!("{}: ", crash.input))
            };
            let crash = verdict.crashes.iter().find(of);
            goroutines.extend(crash.and_then(|crash| Some((crash.input.clone(), crash.stack_of?))));
        }
        (samples, goroutines)
    };
    let lines = verdict::lines(shown).into_iter();
    lines
        .map(|line| {
            let (samples, goroutines) = about(&line);
            Linked { line, samples, goroutines }
        })
        .collect()
}
