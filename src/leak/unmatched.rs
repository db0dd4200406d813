//! Labels, categories and own code that were requested and don't exist. This can be right, or a typo
//! that lets the gate pass for ever.

use super::catalogue::go_version;
use super::context::Context;
use super::entry::{Entry, has_label};
use super::finding::FindingBuilder;
use super::limit::{Limit, Scope};
use super::pattern::NamePattern;
use crate::error::suggest::{first_notes, instead, nearest};
use crate::group::ids::normal_function;
use crate::profile::{FrameId, InputFormat, LabelsId};
use crate::view::frames::function::{is_standard, package};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Notes on everything that was requested and doesn't exist, and that needn't be a mistake.
pub(super) fn notes(context: &Context<'_>) -> Vec<String> {
    let is_unmatched = |limit: &&Limit| {
        !matches!(limit.scope, Scope::All)
            && !context.members().any(|member| context.is_in(member, &limit.scope))
    };
    let limits = context.options.limits.iter().filter(is_unmatched);
    let of_limit =
        |limit: &Limit| format!("{}: {}", limit.origin, scope_unmatched(context, &limit.scope));
    let others = |more| format!("{more} more limits match nothing");
    let mut notes = first_notes(limits, of_limit, others);
    let labels = context
        .options
        .leak_labels
        .iter()
        .filter(|(label, _)| labels_are_printed(context) && !carried(context, label, |_| true));
    let of_label = |(label, value): &(String, Option<String>)| {
        let value = value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
        format!("--leak-label {label}{value}: {}", label_unmatched(context, label, None))
    };
    let others = |more| format!("{more} more --leak-label match nothing");
    notes.extend(first_notes(labels, of_label, others));
    if has_frames(context) {
        let of_pattern = |pattern: &str| {
            format!("--own {pattern:?} matches no function{}", own_instead(context, pattern))
        };
        let others = |more| format!("{more} more --own match no function");
        let patterns = context.options.own.unmatched(context.profile);
        notes.extend(first_notes(patterns, of_pattern, others));
    }
    for list in &context.options.allow {
        notes.extend(list.name_if_empty().map(|name| format!("{name}: holds no [[allow]] entry")));
    }
    notes
}

/// Why the gate can't fail because something requested doesn't exist.
pub(super) fn blind(context: &Context<'_>, drafts: &[FindingBuilder]) -> Vec<String> {
    let mut blind = Vec::new();
    for (label, value) in &context.options.leak_labels {
        if !labels_are_printed(context) {
            let value = value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
            blind.push(format!(
                "--leak-label {label}{value} needs a format that prints labels: debug=1, or \
                 debug=2 from Go 1.27 on"
            ));
        }
    }
    let own = &context.options.own;
    let softened = drafts.iter().any(|draft| draft.finding.facts.contains_key("third_party"));
    if softened && own.patterns() > 0 && own.unmatched(context.profile).len() == own.patterns() {
        blind.push(
            "--own matches no function, so nothing that was found can be an error".to_owned(),
        );
    }
    let skipped = context.options.skip_first;
    if skipped > 0 && context.trend().is_empty() {
        blind.push(format!("--skip-first {skipped} leaves no point to look at"));
    }
    blind
}

/// The text of a note that a limit holds for no goroutine.
fn scope_unmatched(context: &Context<'_>, scope: &Scope) -> String {
    let stacks: BTreeSet<_> = context.members().map(|member| context.key(member).stack).collect();
    let names = context.names;
    match scope {
        Scope::All => String::new(),
        Scope::Category(glob, _) => {
            let known = stacks.iter().map(|&stack| names.category(stack));
            nothing_has("category", &glob.text(), known)
        }
        Scope::Name(glob, _) => {
            let known = stacks.iter().map(|&stack| names.name(context.profile, stack));
            nothing_has("name", &glob.text(), known)
        }
        Scope::Label(key, value, _) => label_unmatched(context, key, value.as_ref()),
    }
}

/// The text of a note that nothing has this category, name and so on.
fn nothing_has<'a>(what: &str, typed: &str, known: impl IntoIterator<Item = &'a [u8]>) -> String {
    format!("no goroutine has the {what} {typed:?}{}", instead(typed, known))
}

/// The text of a note that no goroutine carries a label, or none with such a value.
fn label_unmatched(context: &Context<'_>, label: &str, value: Option<&NamePattern>) -> String {
    let profile = context.profile;
    let sets = || {
        let mut sets: BTreeSet<LabelsId> =
            context.members().map(|member| context.key(member).labels).collect();
        sets.extend(profile.inputs.iter().map(|input| input.labels));
        sets.into_iter().flat_map(|set| profile.labels(set))
    };
    let keys: BTreeSet<&[u8]> = sets().map(|one| profile.str(one.key)).collect();
    if keys.is_empty() {
        return "no goroutine carries any label".to_owned();
    }
    if !keys.contains(label.as_bytes()) {
        return format!("no goroutine carries the label {label:?}{}", instead(label, keys));
    }
    let typed = value.map(NamePattern::text).unwrap_or_default();
    let values: BTreeSet<Cow<'_, [u8]>> = sets()
        .filter(|one| profile.str(one.key) == label.as_bytes())
        .map(|one| profile.label_text(one.value))
        .collect();
    let values = values.iter().map(Cow::as_ref);
    format!("no goroutine has {typed:?} as its label {label:?}{}", instead(&typed, values))
}

/// The functions that goroutines are blocked in, in the form that baselines have.
pub(super) fn blocking_functions(context: &Context<'_>) -> BTreeSet<String> {
    let frames =
        context.members().filter_map(|one| context.functions.frames.user(context.key(one).stack));
    let frames: BTreeSet<FrameId> = frames.collect();
    let names = frames.into_iter().map(|frame| normal_function(context.profile.func(frame)));
    names.filter_map(|name| String::from_utf8(name).ok()).collect()
}

/// The function that an entry's author probably meant, if no goroutine is blocked in the one it names.
pub(super) fn meant(blocking: &BTreeSet<String>, entry: &Entry) -> String {
    // Each is compared with all functions.
    const COMPARED: usize = 20;
    let mut unknown = entry.functions().filter(|typed| !blocking.contains(typed)).take(COMPARED);
    let near = unknown.find_map(|typed| nearest(&typed, blocking.iter().map(String::as_str)));
    near.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}

fn carried(context: &Context<'_>, label: &str, is: impl Fn(&[u8]) -> bool) -> bool {
    context.members().any(|member| has_label(context.profile, context.key(member), label, &is))
}

/// Whether the inputs could show labels: all but text of a Go version that doesn't print them there.
fn labels_are_printed(context: &Context<'_>) -> bool {
    let profile = context.profile;
    let only_text = profile.inputs.iter().all(|input| input.format == InputFormat::Debug2);
    let too_old = go_version(profile).is_some_and(|minor| minor < 26);
    let labelled = || context.members().any(|one| context.key(one).labels != LabelsId::NONE);
    !(only_text && too_old) || labelled()
}

fn has_frames(context: &Context<'_>) -> bool {
    !context.dumps.is_empty() && !context.profile.frames().is_empty()
}

/// The package that was probably meant by a pattern of own code.
fn own_instead(context: &Context<'_>, pattern: &str) -> String {
    let profile = context.profile;
    let functions = profile.frames().iter().map(|frame| package(profile.str(frame.func)));
    let packages = functions.filter(|package| !package.is_empty() && !is_standard(package));
    let plain: String = pattern.chars().filter(|letter| !"^$\\()*".contains(*letter)).collect();
    instead(plain.trim_end_matches(['/', '.']), packages)
}

#[cfg(test)]
mod tests {
    use crate::leak::fixture::{Stage, allow};
    use crate::leak::{AllowList, Limit, Own};
    use crate::limits::LIMITS;
    use crate::profile::InputFormat;
    use crate::view::fixture::G;

    fn stage() -> Stage {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { labels: &[("tenant", "acme")], ..G::default() });
        stage
    }

    #[test]
    fn limits_for_nothing_are_noted_with_what_was_meant() {
        for (text, note) in [
            (
                "label:tennant:5",
                "no goroutine carries the label \"tennant\"; did you mean \"tenant\"?",
            ),
            (
                "label:tenant=akme:5",
                "no goroutine has \"akme\" as its label \"tenant\"; did you mean \"acme\"?",
            ),
            ("category=zebra:5", "no goroutine has the category \"zebra\""),
        ] {
            let mut stage = stage();
            stage.options.limits =
                vec![Limit::read("max-goroutines", "--max-goroutines", text).unwrap()];
            let notes = stage.review().unmatched;
            assert!(notes.len() == 1 && notes[0].contains(note), "{notes:?}");
        }
        let mut stage = stage();
        let fits = Limit::read("max-goroutines", "--max-goroutines", "label:tenant=ac*:5").unwrap();
        stage.options.limits = vec![fits];
        assert!(stage.review().unmatched.is_empty());
    }

    #[test]
    fn leak_labels_that_nothing_carries_are_noted_and_gone_values_are_not() {
        let notes = |key: &str, value: &str| {
            let mut stage = stage();
            stage.options.leak_labels = vec![(key.to_owned(), Some(value.to_owned()))];
            stage.review().unmatched
        };
        assert_eq!(
            notes("tennant", "x"),
            [
                "--leak-label tennant=x: no goroutine carries the label \"tennant\"; did you mean \"tenant\"?"
            ]
        );
        assert!(notes("tenant", "gone").is_empty());
    }

    #[test]
    fn labels_that_this_go_does_not_print_make_the_gate_blind() {
        let blind = |version: &str| {
            let mut stage = Stage::new(1);
            let park = format!("runtime.gopark /opt/go{version}/src/runtime/proc.go:1");
            let frames = &[park.as_str(), "main.work main.go:1"];
            stage.at(0).add(G { frames, ..G::default() });
            stage.options.leak_labels = vec![("test".to_owned(), None)];
            stage.review().blind
        };
        assert!(blind("1.25.9")[0].contains("debug=1"), "{:?}", blind("1.25.9"));
        assert!(blind("1.26.1").is_empty(), "it can, with a setting");
    }

    #[test]
    fn own_code_that_is_nowhere_makes_the_gate_blind_once_it_would_matter() {
        let mut stage = stage();
        stage.options.own = Own::compile(&["^exmaple".to_owned()]).unwrap();
        let review = stage.review();
        assert!(review.blind.is_empty(), "{:?}", review.blind);
        assert_eq!(
            review.unmatched,
            ["--own \"^exmaple\" matches no function; there are \"main\""]
        );
        stage.options.at_end = true;
        assert!(stage.review().blind[0].contains("--own matches no function"));
        stage.options.own = Own::compile(&["^exmaple".to_owned(), "^mian".to_owned()]).unwrap();
        assert!(stage.review().blind[0].contains("--own matches no function"));
        stage.options.own = Own::compile(&["^exmaple".to_owned(), "^main".to_owned()]).unwrap();
        assert!(stage.review().blind.is_empty());
    }

    #[test]
    fn very_many_patterns_of_own_code_that_is_nowhere_are_counted() {
        let mut stage = stage();
        let patterns: Vec<String> =
            (0..LIMITS.notes_alike + 90).map(|at| format!("^nowhere{at}$")).collect();
        stage.options.own = Own::compile(&patterns).unwrap();
        let notes = stage.review().unmatched;
        assert_eq!(notes.len(), LIMITS.notes_alike + 1);
        assert_eq!(notes.last().unwrap(), "90 more --own match no function");
    }

    #[test]
    fn own_code_that_is_nowhere_is_noted_with_the_package_that_was_meant() {
        let notes = |pattern: &str, format: InputFormat| {
            let mut stage = Stage::new(1);
            let frames = &["net.(*conn).Read", "ex.org/kw.(*Store).get", "main.run"];
            stage.at(0).count(3, G { frames, ..G::default() });
            stage.at(0).current().format = format;
            stage.options.own = Own::compile(&[pattern.to_owned()]).unwrap();
            stage.review().unmatched
        };
        assert_eq!(
            notes(r"^(ex\.org/kv)\.", InputFormat::Debug2),
            [r#"--own "^(ex\\.org/kv)\\." matches no function; did you mean "ex.org/kw"?"#]
        );
        assert_eq!(
            notes("^zebra", InputFormat::Debug2),
            [r#"--own "^zebra" matches no function; there are "ex.org/kw", "main""#]
        );
        let leaks = notes("^zebra", InputFormat::LeakDebug1);
        assert!(leaks.is_empty(), "it holds only what leaked: {leaks:?}");
    }

    #[test]
    fn a_warm_up_without_an_end_makes_the_gate_blind() {
        let mut stage = stage();
        stage.options.skip_first = 1;
        assert_eq!(stage.review().blind, ["--skip-first 1 leaves no point to look at"]);
    }

    #[test]
    fn an_allow_list_without_entries_is_noted() {
        let mut stage = stage();
        stage.options.allow = vec![allow("# nothing\n")];
        assert_eq!(stage.review().unmatched, ["a.toml: holds no [[allow]] entry"]);
        stage.options.allow = vec![AllowList::read("b.toml", "", &[], true).unwrap()];
        assert!(stage.review().unmatched.is_empty(), "nothing was found when it was written");
    }

    #[test]
    fn entries_that_are_nearly_right_say_what_they_meant() {
        let mut stage = stage();
        stage.options.at_end = true;
        let text = "[[allow]]\nfunction = 'main.wrok'\n";
        stage.options.allow = vec![allow(text)];
        let unused = stage.findings("unused-entry").remove(0);
        assert!(unused.text.ends_with("did you mean \"main.work\"?"), "{}", unused.text);
    }
}
