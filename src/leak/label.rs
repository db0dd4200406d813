//! Labels that should be gone.

use super::check::{Check, goroutines, words};
use super::context::{Context, Member};
use super::entry::has_label;
use super::finding::{FindingBuilder, Level, Tier};

pub(super) const CHECK: Check = Check {
    name: "leak-label",
    tier: Tier::Lifecycle,
    about: "goroutines that carry a label of work that is over (--leak-label)",
    explanation: "\
Goroutines inherit the labels of the one that starts them. So a test or a job that runs inside
pprof.Do(ctx, pprof.Labels(\"test\", name), ...) marks everything that it starts, and after its end
nothing should carry the label any more: `check --leak-label test=TestX dump.txt`. A key without a
value means every value.

Unlike --at-end this works while other work goes on, as with parallel tests. Labels are printed in
debug=1 and debug=0 of every version of Go, and in debug=2 from Go 1.27 (1.26 with
GODEBUG=tracebacklabels=1). Connections that net/http keeps open inherit labels too: the catalogue
explains them.",
    needs,
    run,
};

fn needs(context: &Context<'_>) -> Option<&'static str> {
    context
        .options
        .leak_labels
        .is_empty()
        .then_some("no --leak-label names one that should be gone")
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let last = context.last().unwrap_or(context.points.len().saturating_sub(1));
    let mut drafts = Vec::new();
    for (label, value) in &context.options.leak_labels {
        let carries = |member: &Member| {
            let wanted = |text: &[u8]| value.as_ref().is_none_or(|value| value.as_bytes() == text);
            (!member.repeated || context.dumps.is_empty())
                && has_label(context.profile, context.key(member), label, wanted)
        };
        let still = |member: &Member| !member.excused && member.point == last && carries(member);
        let shown = match value {
            Some(value) => format!("{label}={value}"),
            None => label.clone(),
        };
        for (at, group) in context.groups.iter().enumerate() {
            if !group.members.iter().any(still) {
                continue;
            }
            let mut draft = context.finding_of_group(&CHECK, Level::Error, at, still);
            draft = draft.count_only(context, carries);
            let count = draft.count();
            draft.finding.text = format!(
                "{} of {} still {} the label {shown}",
                goroutines(count),
                context.name_in_text(group),
                if count == 1 { "carries" } else { "carry" },
            );
            drafts.push(draft.fact("label", words(shown.clone())));
        }
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::{Stage, found};
    use crate::view::fixture::G;

    fn with_label(key: &str, value: Option<&str>) -> Vec<(String, Level, Vec<i64>)> {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { id: 5, labels: &[("test", "TestX")], ..G::default() });
        stage.at(0).add(G { id: 6, labels: &[("test", "TestY")], ..G::default() });
        stage.at(0).add(G { id: 7, ..G::default() });
        stage.options.leak_labels = vec![(key.to_owned(), value.map(str::to_owned))];
        let findings = stage.findings(CHECK.name);
        let found = found(&findings).into_iter();
        found.map(|(name, level, counts)| (name.to_owned(), level, counts)).collect()
    }

    #[test]
    fn whoever_carries_the_label_is_found() {
        let error = |count| vec![("main.work".to_owned(), Level::Error, vec![count])];
        assert_eq!(with_label("test", Some("TestX")), error(1));
        assert_eq!(with_label("test", None), error(2));
        assert_eq!(with_label("test", Some("TestZ")), []);
        assert_eq!(with_label("tests", None), []);
    }

    #[test]
    fn whoever_carried_it_earlier_or_is_known_to_keep_it_is_not() {
        let mut stage = Stage::new(2);
        let labels = &[("test", "TestX")];
        stage.at(0).add(G { id: 5, labels, ..G::default() });
        stage.at(1).add(G { id: 6, ..G::default() });
        let frames = &["net/http.(*persistConn).readLoop"];
        stage.at(1).add(G { id: 7, labels, frames, ..G::default() });
        stage.options.leak_labels = vec![("test".to_owned(), None)];
        assert_eq!(found(&stage.findings(CHECK.name)), []);
        stage.options.catalogue = false;
        let kept = ("net/http.(*persistConn).readLoop", Level::Error, vec![0, 1]);
        assert_eq!(found(&stage.findings(CHECK.name)), [kept]);
    }
}
