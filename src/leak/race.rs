//! Reports of the race detector.

use super::check::{Check, nothing};
use super::context::Context;
use super::finding::{FindingBuilder, Level, Tier};

pub(super) const CHECK: Check = Check {
    name: "race",
    tier: Tier::Proof,
    about: "reports of the race detector in the text of an input",
    explanation: "\
A text that holds a dump may also hold `WARNING: DATA RACE` reports, as logs of tests with -race do.
The race detector reports only what happened, so each is an error. The reports are counted; read
them in the input itself. Their goroutines are descriptions of the past and aren't counted as
goroutines of the dump.",
    needs: nothing,
    run,
};

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let mut drafts = Vec::new();
    for id in crate::group::order::inputs(context.profile) {
        let input = context.profile.input(id);
        let reports = i64::try_from(input.seen.race_reports).unwrap_or(i64::MAX);
        if reports == 0 {
            continue;
        }
        let mut draft = context.finding_of(&CHECK, Level::Error, &[]);
        draft.finding.score = CHECK.tier.weight() * libm::log2(1.0 + reports as f64);
        (draft.finding.inputs, draft.finding.input) = (vec![input.name.clone()], Some(id));
        draft.finding.text = match reports {
            1 => format!("{} holds a report of the race detector", input.name),
            _ => format!("{} holds {reports} reports of the race detector", input.name),
        };
        drafts.push(draft.fact("reports", super::check::number(reports)));
    }
    drafts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    #[test]
    fn reports_are_findings_of_their_input() {
        let mut stage = Stage::new(1);
        stage.at(0).add(G::default());
        assert!(stage.findings(CHECK.name).is_empty());
        stage.at(0).input("test.log").seen.race_reports = 2;
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].level, findings[0].inputs.as_slice()),
            (Level::Error, &["test.log".to_owned()][..])
        );
        assert_eq!(findings[0].text, "test.log holds 2 reports of the race detector");
        let one = stage.at(0).input("one.log");
        one.seen.race_reports = 1;
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[0].inputs, ["test.log"], "more of them come first");
        assert_eq!(findings[1].text, "one.log holds a report of the race detector");
        assert_eq!(findings[1].score, CHECK.tier.weight());
    }
}
