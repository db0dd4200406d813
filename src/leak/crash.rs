//! Inputs that are the text of a crash.

use super::check::{Check, nothing, words};
use super::context::Context;
use super::finding::{FindingBuilder, Level, Tier};
use crate::profile::{Crash, CrashKind};

pub(super) const CHECK: Check = Check {
    name: "crash",
    tier: Tier::Shape,
    about: "inputs that are the text of a crash",
    explanation: "\
Panics, fatal errors, test timeouts and SIGQUIT print goroutines too, and are read like any dump. A
note says what ended the process, in which goroutine, and which tests were running, since that is
what the goroutines of the dump were doing then. Of panics that deferred functions raised during
another one the last is named; the fact `crash` has all of them. A stack that shows a crash without
its message is noted, too.

Without GOTRACEBACK=all a panic prints only the goroutine that crashed, as code that recovers one
always does: then `check` ends with 2, because what isn't printed can't be judged.",
    needs: nothing,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let unreported = context.profile.unreported_crashes();
    let mut drafts = Vec::new();
    for id in crate::group::order::inputs(context.profile) {
        let input = context.profile.input(id);
        let shown = unreported.get(&id).and_then(|crashes| crashes.first());
        let Some(crash) = input.crash.as_ref().or(shown) else { continue };
        let mut draft = context.finding_of(&CHECK, Level::Note, &[]);
        (draft.finding.inputs, draft.finding.input) = (vec![input.name.clone()], Some(id));
        let what = match crash.kind {
            CrashKind::Panic => "a panic",
            CrashKind::Recovered => "a panic that was recovered",
            CrashKind::Fatal => "a fatal error",
            CrashKind::Signal => "a signal",
            CrashKind::Timeout => "a test timeout",
            CrashKind::Deadlock => "a deadlock",
        };
        draft.finding.text = match shown {
            Some(_) => format!("{} shows a {}", input.name, crash.text),
            None => {
                format!("{} was printed by {what}: {}", input.name, Crash::raised(&crash.text))
            }
        };
        draft = draft.fact("crash", words(&crash.text)).fact("kind", words(crash.kind.name()));
        if let Some(goroutine) = crash.goroutine {
            draft = draft.fact("goroutine", words(goroutine.to_string()));
        }
        if !crash.running_tests.is_empty() {
            draft = draft.fact("running_tests", words(crash.running_tests.join(", ")));
        }
        drafts.push(draft);
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn a_crash_is_a_note_with_what_it_says() {
        let mut stage = Stage::new(1);
        stage.at(0).add(G::default());
        stage.at(0).input("out.txt").crash = Some(Crash {
            kind: CrashKind::Timeout,
            text: "test timed out after 1s\n\trunning tests: ...".to_owned(),
            goroutine: Some(34),
            sample: None,
            running_tests: vec!["TestX (1s)".to_owned()],
        });
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].level, Level::Note);
        assert_eq!(
            findings[0].text,
            "out.txt was printed by a test timeout: test timed out after 1s"
        );
        assert_eq!(findings[0].facts["running_tests"], words("TestX (1s)"));
    }
}
