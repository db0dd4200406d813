//! Notes on values of options that nothing matches: most are typos.

use super::label::{LabelCondition, LabelPredicate, labels_of};
use super::predicate::Predicate;
use crate::error::suggest::{first_notes, instead};
use crate::profile::{Profile, StackId};
use crate::rules::Names;
use std::collections::BTreeSet;

/// The text that was typed for a predicate.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// The option, with its dashes.
    pub(super) option: String,
    /// Its value, without a leading `!`.
    pub(super) text: String,
    /// The position of the predicate in the list.
    pub(super) predicate: usize,
}

/// A note for each value that nothing in a profile has, of each option for the first ones.
pub(super) fn notes(
    named: &[Named],
    predicates: &[Predicate],
    profile: &Profile,
    names: &Names,
) -> Vec<String> {
    if profile.samples.is_empty() {
        return Vec::new();
    }
    let who = if profile.counts_goroutines() { "no goroutine" } else { "nothing" };
    let missing = |one: &Named| {
        let what = what_is_missing(predicates.get(one.predicate)?, &one.text, profile, names)?;
        Some(format!("{} {:?}: {who} {what}", one.option, one.text))
    };
    let of_option = |named: &[Named]| {
        let option = named.first().map_or("", |one| &one.option);
        let mut known = BTreeSet::new();
        let distinct = named.iter().filter(|one| known.insert(&one.text));
        let others = |more| format!("{option}: {more} more match nothing");
        first_notes(distinct.filter_map(missing), |note| note, others)
    };
    // The values of an option stand together.
    named.chunk_by(|one, next| one.option == next.option).flat_map(of_option).collect()
}

/// The text of a note that nothing matches a predicate, with what exists instead; `None` if something
/// matches, or if nobody could say what was meant.
fn what_is_missing(
    predicate: &Predicate,
    typed: &str,
    profile: &Profile,
    names: &Names,
) -> Option<String> {
    let stacks = || profile.samples.iter().map(|sample| sample.key.stack).collect::<BTreeSet<_>>();
    match predicate {
        Predicate::State(pattern) => {
            let states: BTreeSet<&[u8]> = profile
                .samples
                .iter()
                .map(|one| one.key.state.map_or(&b"unknown"[..], |state| profile.str(state)))
                .collect();
            let any = states.iter().any(|state| pattern.is_match(state));
            (!any).then(|| format!("is in this state{}", instead(typed, states)))
        }
        Predicate::Kind(pattern) => {
            let kinds: BTreeSet<&[u8]> =
                profile.samples.iter().map(|one| one.key.kind.name().as_bytes()).collect();
            let any = kinds.iter().any(|kind| pattern.is_match(kind));
            // Kinds are a closed set, so this isn't a typo.
            (!any).then(|| format!("is of this kind{}", instead("", kinds)))
        }
        Predicate::Input(pattern) => {
            let inputs = || profile.inputs.iter().map(|input| input.name.as_bytes());
            let any = inputs().any(|input| pattern.is_match(input));
            (!any).then(|| format!("is of this input{}", instead(typed, inputs())))
        }
        Predicate::Category(pattern) => {
            let category = |stack: StackId| names.category(stack);
            let stacks = stacks();
            let any = stacks.iter().any(|&stack| pattern.is_match(category(stack)));
            let known = || instead(typed, stacks.iter().map(|&stack| category(stack)));
            (!any).then(|| format!("is of this category{}", known()))
        }
        Predicate::Name(pattern) => {
            let stacks = stacks();
            let any = stacks.iter().any(|&stack| pattern.is_match(names.name(profile, stack)));
            let known = || instead(typed, stacks.iter().map(|&stack| names.name(profile, stack)));
            (!any).then(|| format!("has this name{}", known()))
        }
        Predicate::Label(label) => missing_label(label, typed, profile),
        _ => None,
    }
}

/// The text of a note that nothing carries a label that rows are made by.
pub(super) fn no_label(key: &str, profile: &Profile) -> Option<String> {
    let label = LabelPredicate { key: key.into(), value: LabelCondition::Present };
    let what = missing_label(&label, key, profile)?;
    let who = if profile.counts_goroutines() { "no goroutine" } else { "nothing" };
    Some(format!("{who} {what}"))
}

/// [`what_is_missing`] of a label: any label, this one, or this value of it.
fn missing_label(label: &LabelPredicate, typed: &str, profile: &Profile) -> Option<String> {
    let mut samples = profile.samples.iter();
    if samples.any(|sample| label.holds(profile, &sample.key)) {
        return None;
    }
    let all = || profile.samples.iter().flat_map(|sample| labels_of(profile, &sample.key));
    let keys: BTreeSet<&[u8]> = all().map(|one| profile.str(one.key)).collect();
    if keys.is_empty() {
        return Some("carries any label".to_owned());
    }
    if !keys.contains(label.key.as_slice()) {
        let key = String::from_utf8_lossy(&label.key);
        return Some(format!("carries this label{}", instead(&key, keys)));
    }
    let glob = match &label.value {
        LabelCondition::Text(_) => typed.split_once('=').map_or("", |(_, glob)| glob),
        // A number has no near spelling.
        _ => "",
    };
    let of_key = all().filter(|one| profile.str(one.key) == label.key.as_slice());
    let values: BTreeSet<_> = of_key.map(|one| profile.label_text(one.value)).collect();
    Some(format!("has this value of the label{}", instead(glob, values.iter().map(AsRef::as_ref))))
}

#[cfg(test)]
mod tests {
    use crate::filter::{Filter, Select};
    use crate::limits::LIMITS;
    use crate::view::fixture::{Fixture, G};

    fn notes(select: Select) -> Vec<String> {
        let mut fixture = Fixture::new("n1");
        fixture.add(G {
            id: 7,
            state: "chan receive",
            labels: &[("tenant", "acme")],
            ..G::default()
        });
        let (profile, names) = fixture.done();
        Filter::compile(&select).unwrap().unmatched(&profile, &names)
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn what_nothing_has_is_noted_with_the_nearest_that_there_is() {
        for (select, note) in [
            (
                Select { states: texts(&["chan recieve"]), ..Select::default() },
                "--state \"chan recieve\": no goroutine is in this state; did you mean \"chan receive\"?",
            ),
            (
                Select { states: texts(&["!chan receve"]), ..Select::default() },
                "--state \"chan receve\": no goroutine is in this state; did you mean \"chan receive\"?",
            ),
            (
                Select { kinds: texts(&["mutex"]), ..Select::default() },
                "--kind \"mutex\": no goroutine is of this kind; there are \"chan-recv\"",
            ),
            (
                Select { names: texts(&["main.wrok"]), ..Select::default() },
                "--name \"main.wrok\": no goroutine has this name; did you mean \"main.work\"?",
            ),
            (
                Select { labels: texts(&["tennant=acme"]), ..Select::default() },
                "--label \"tennant=acme\": no goroutine carries this label; did you mean \"tenant\"?",
            ),
            (
                Select { labels: texts(&["tenant=akme"]), ..Select::default() },
                "--label \"tenant=akme\": no goroutine has this value of the label; did you mean \"acme\"?",
            ),
            (
                Select { inputs: texts(&["n2"]), ..Select::default() },
                "--input \"n2\": no goroutine is of this input; did you mean \"n1\"?",
            ),
        ] {
            assert_eq!(notes(select), [note]);
        }
    }

    #[test]
    fn many_values_that_nothing_has_are_counted() {
        let all: Vec<String> = (0..15).chain(0..15).map(|at| format!("gone {at}")).collect();
        let notes = notes(Select { states: all.clone(), inputs: all, ..Select::default() });
        assert_eq!(notes.len(), 2 * (LIMITS.notes_alike + 1));
        assert_eq!(notes[LIMITS.notes_alike], "--state: 5 more match nothing");
        assert!(notes.iter().any(|note| note == "--input: 5 more match nothing"), "{notes:?}");
    }

    #[test]
    fn what_something_has_is_not_noted_even_if_the_rest_rejects_it() {
        let states = texts(&["chan receive", "select"]);
        let inputs = texts(&["n?"]);
        let notes = notes(Select { states, inputs, waits: texts(&["5"]), ..Select::default() });
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("--state \"select\""));
    }
}
