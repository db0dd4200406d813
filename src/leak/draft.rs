//! Builds findings from the goroutines that a check noticed.

use super::check::Check;
use super::context::{Context, Member};
use super::counts::Counts;
use super::finding::{Fact, Finding, FindingBuilder, Level, SourceLocation, Tier, round};
use crate::group::ids;
use crate::group::order::natural;
use crate::profile::modules::STANDARD_MODULE;
use crate::profile::{InputId, SampleId, lossy};
use crate::view::rows::Origin;
use std::collections::{BTreeMap, BTreeSet};

impl Context<'_> {
    /// A finding about a group, with everything but its sentence. `found` picks the goroutines that are
    /// the evidence, for instance the unexplained ones of the last point.
    ///
    /// The counts are those of the whole group at every point, as in `diff`: the evidence at one point
    /// doesn't show how many there were before.
    pub(super) fn finding_of_group(
        &self,
        check: &Check,
        level: Level,
        at: usize,
        found: impl Fn(&Member) -> bool,
    ) -> FindingBuilder {
        let group = &self.groups[at];
        let members: Vec<&Member> = group.members.iter().filter(|one| found(one)).collect();
        // A finding in third-party code is a warning at most.
        let level = if group.first_party { level } else { level.min(Level::Warning) };
        let mut draft = self.finding_of(check, level, &members);
        draft.group = Some(at);
        draft.finding.counts = group.counts(self.points.len(), |one| !one.repeated);
        draft.finding.kind = Some(group.kind.name().to_owned());
        if !group.first_party {
            draft.finding.facts.insert("third_party".to_owned(), Fact::Text("yes".to_owned()));
        }
        draft
    }

    /// A finding about these goroutines.
    pub(super) fn finding_of(
        &self,
        check: &Check,
        level: Level,
        members: &[&Member],
    ) -> FindingBuilder {
        let counts = self.counts(members);
        let mut samples: Vec<SampleId> = members.iter().map(|member| member.sample).collect();
        samples.sort_unstable();
        let most = self.most_frequent(members);
        let place = |frame| SourceLocation::of(self.profile, frame);
        let finding = Finding {
            check: check.name,
            level,
            tier: check.tier,
            score: self.score(check.tier, members, &counts),
            category: String::new(),
            name: String::new(),
            shape: String::new(),
            function: most.and_then(|key| self.functions.frames.user(key.stack)).map(place),
            created_by: most.and_then(|key| key.creator).map(place),
            kind: None,
            found: counts.most(),
            counts,
            inputs: self.inputs_of(members),
            input: None,
            processes: self.processes_of(members),
            facts: BTreeMap::new(),
            text: String::new(),
            suppressed: None,
            stack: most.map(|key| key.stack),
        };
        FindingBuilder { finding, samples, group: None }
    }

    /// Adds the name, category and shape of the finding's stack, and the module that is to blame
    /// if that isn't the reader's own.
    pub(super) fn describe(&self, draft: &mut FindingBuilder) {
        let finding = &mut draft.finding;
        let Some(stack) = finding.stack else { return };
        finding.category = lossy(self.names.category(stack));
        finding.name = lossy(self.names.name(self.profile, stack));
        finding.shape = ids::shape(self.profile, stack).to_string();
        // The leak has to be fixed in another module than the reader's: name it.
        if let Some(frame) = self.functions.frames.user(stack)
            && !self.own[frame.index()]
            && let Some(module) = Origin::of(self.profile, frame).module
            && module.as_bytes() != STANDARD_MODULE
        {
            finding.text.push_str(&format!("; leaks come from {module}"));
        }
    }

    /// The names of the inputs that these goroutines are in.
    fn inputs_of(&self, members: &[&Member]) -> Vec<String> {
        let inputs: BTreeSet<InputId> =
            members.iter().map(|member| self.key(member).input).collect();
        let names: BTreeSet<&str> =
            inputs.iter().map(|&input| self.profile.input(input).name.as_str()).collect();
        let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
        names
    }

    /// How many of these goroutines each process has at the last point with any, the largest first.
    fn processes_of(&self, members: &[&Member]) -> Vec<(String, i64)> {
        let Some(last) = members.iter().map(|member| member.point).max() else { return Vec::new() };
        let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
        for member in members.iter().filter(|member| member.point == last) {
            *sums.entry(member.process).or_default() += member.count;
        }
        let name = |process: usize| self.points.processes.get(process).cloned().unwrap_or_default();
        // Processes are in natural order, and the sort is stable.
        let mut sums: Vec<(usize, i64)> = sums.into_iter().collect();
        sums.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        sums.into_iter().map(|(process, count)| (name(process), count)).collect()
    }

    fn counts(&self, members: &[&Member]) -> Counts {
        Counts::sum(self.points.len(), members.iter().map(|member| (member.point, member.count)))
    }

    /// The weight of the evidence, times log2(1 + the number of goroutines at the last point with any;
    /// over several processes the root mean square, so that one bad process isn't averaged away), times
    /// the share of the points that have any.
    fn score(&self, tier: Tier, members: &[&Member], counts: &Counts) -> f64 {
        let last = counts.with_any().next_back().unwrap_or(0);
        let mut of_processes: BTreeMap<usize, i64> = BTreeMap::new();
        for member in members.iter().filter(|member| member.point == last) {
            *of_processes.entry(member.process).or_default() += member.count;
        }
        let squares: f64 = of_processes.values().map(|count| (*count as f64).powi(2)).sum();
        let count = (squares / of_processes.len().max(1) as f64).sqrt();
        let share = counts.with_any().count() as f64 / counts.points().max(1) as f64;
        round(tier.weight() * libm::log2(1.0 + count) * share)
    }
}

impl FindingBuilder {
    /// Counts only a part of the finding's group, one that can be recognised at every point: the
    /// goroutines with a label, for instance.
    pub(super) fn count_only(
        mut self,
        context: &Context<'_>,
        part: impl Fn(&Member) -> bool,
    ) -> FindingBuilder {
        if let Some(group) = self.group.and_then(|at| context.groups.get(at)) {
            self.finding.counts = group.counts(context.points.len(), part);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::leak::Finding;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    fn leak() -> G<'static> {
        G { flags: &["leaked"], ..G::default() }
    }

    fn leaked(stage: &mut Stage) -> Finding {
        stage.findings("leaked").remove(0)
    }

    #[test]
    fn inputs_are_those_with_any_of_the_goroutines() {
        let mut stage = Stage::new(0);
        stage.process(0, "n10").count(3, leak());
        stage.process(0, "n9").count(2, leak());
        stage.process(0, "n8").count(7, G::default());
        let finding = leaked(&mut stage);
        assert_eq!(finding.inputs, ["n9", "n10"]);
        assert_eq!(finding.processes, [("n10".to_owned(), 3), ("n9".to_owned(), 2)]);
    }

    #[test]
    fn the_score_grows_with_the_number_at_the_end_and_the_points_that_have_any() {
        for (counts, score) in
            [(&[1][..], 16.0), (&[3], 32.0), (&[0, 1], 8.0), (&[1, 3], 32.0), (&[3, 0], 16.0)]
        {
            let mut stage = Stage::new(counts.len());
            for (point, &count) in counts.iter().enumerate() {
                stage.at(point).count(count, leak());
            }
            assert_eq!(leaked(&mut stage).score, score, "{counts:?}");
        }
    }

    #[test]
    fn the_stack_that_most_have_is_shown() {
        let mut stage = Stage::new(1);
        for (count, frame) in [(2, "main.f a.go:1"), (5, "main.f a.go:9"), (3, "main.f a.go:5")] {
            stage.at(0).count(count, G { frames: &[frame], ..leak() });
        }
        let finding = leaked(&mut stage);
        assert_eq!((finding.found, finding.function.unwrap().line), (10, 9));
    }
}
