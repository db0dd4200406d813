//! Why points can't be compared in every respect.

use super::timeline::Timeline;
use crate::profile::{InputFormat, Profile};
use crate::view::table::key::Key;
use std::collections::BTreeSet;

/// Whether all inputs are of formats that print the same states: only texts distinguish nil channels
/// from others, and for a profile the state is guessed from frames.
pub(super) fn same_states(profile: &Profile) -> bool {
    let mut texts = profile.inputs.iter().map(|input| input.format == InputFormat::Debug2);
    texts.next().is_none_or(|first| texts.all(|text| text == first))
}

/// One sentence for everything that only some of the points can show.
pub(super) fn of(profile: &Profile, points: &Timeline, by: &[Key]) -> Vec<String> {
    let inputs = points.inputs(profile);
    let formats: Vec<BTreeSet<InputFormat>> =
        inputs.iter().map(|all| all.iter().map(|(_, input)| input.format).collect()).collect();
    let with_inputs = || formats.iter().enumerate().filter(|(_, formats)| !formats.is_empty());
    // The first two points that differ in whether any of their inputs has a property.
    let differ = |has: &dyn Fn(InputFormat) -> bool| -> Option<(&str, &str)> {
        let any = |formats: &BTreeSet<InputFormat>| formats.iter().any(|&format| has(format));
        let (with, _) = with_inputs().find(|(_, formats)| any(formats))?;
        let (without, _) = with_inputs().find(|(_, formats)| !any(formats))?;
        Some((&points.names[with], &points.names[without]))
    };
    let unread = formats.iter().zip(&points.names).filter(|(formats, _)| formats.is_empty());
    let mut notes: Vec<String> =
        unread.map(|(_, name)| format!("nothing of {name} could be read")).collect();
    if let Some((leaks, all)) = differ(&InputFormat::is_leak_profile) {
        notes.push(format!("{leaks} holds leaked goroutines only, {all} holds all of them"));
    }
    let text = |format| format == InputFormat::Debug2;
    let Some((text, counted)) = differ(&text) else { return notes };
    notes
        .push(format!("{text} tells ids and waits, {counted} doesn't, so neither can be compared"));
    if by.iter().any(|key| matches!(key, Key::Stack | Key::Id | Key::Line)) {
        notes.push(format!(
            "{text} and {counted} write some stacks differently; shapes are the same in both"
        ));
    }
    if by.contains(&Key::State) {
        notes.push(format!("{counted} doesn't tell all states; kinds and shapes can be compared"));
    }
    if by.iter().any(|key| matches!(key, Key::Label(_))) {
        notes.push(format!("{text} may lack labels: Go writes them there only when told to"));
    }
    notes
}
