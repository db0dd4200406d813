//! Runs all checks on all inputs.

use super::allow::{self, AllowList};
use super::check::a_dump;
use super::checks::CHECKS;
use super::context::Context;
use super::coverage;
use super::date::Date;
use super::exceeded;
use super::finding::{Finding, FindingBuilder, Level, Suppression, round};
use super::growth;
use super::options::Options;
use super::unmatched;
use crate::filter::Selection;
use crate::profile::{Crash, CrashKind, Input, InputFormat, InputId, Others, Profile, SampleId};
use crate::rules::Names;
use crate::view::diff::timeline::Timeline;
use crate::view::frames::finder::FrameFinder;
use crate::waits::Waits;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Done {
    /// Its name.
    pub check: &'static str,
    /// Findings that nothing suppresses.
    pub findings: usize,
    /// Why it could not be run on these inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<&'static str>,
}

/// What the checks found.
#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    /// The points in their order, by name.
    pub points: Vec<String>,
    /// Goroutines of all processes at each point. If a point only has goroutineleak profiles, those
    /// of the profiles.
    pub totals: Vec<i64>,
    /// The findings: the worst first, suppressed ones last.
    pub findings: Vec<Finding>,
    /// Every check, in the order of [`CHECKS`].
    pub checks: Vec<Done>,
    /// Findings that the built-in catalogue suppresses, each with the entry that explains it.
    pub explained: Vec<Finding>,
    /// What was requested and doesn't exist, for instance a label that nothing carries: it can be right.
    pub unmatched: Vec<String>,
    /// How many processes there are.
    pub processes: usize,
    /// Why the inputs can't be judged: each makes the exit code 2.
    pub blind: Vec<String>,
    /// What these inputs can't prove.
    pub unproven: Vec<String>,
    /// Findings count from this level on.
    pub fail_on: Level,
    /// Whether there is a baseline; findings that it doesn't cover are new.
    pub has_baseline: bool,
    today: Date,
}

impl Review {
    /// Runs every check that the inputs allow.
    pub fn new(
        profile: &Profile,
        names: &Names,
        selection: &Selection,
        points: &Timeline,
        options: &Options,
    ) -> Review {
        let frames = FrameFinder::new(profile);
        let waits = Waits::of(profile, selection, &frames);
        let context = Context::new(profile, names, &frames, selection, points, options, &waits);
        let mut drafts: Vec<FindingBuilder> = Vec::new();
        let mut checks: Vec<Done> = Vec::new();
        for check in &CHECKS {
            let skipped = (check.needs)(&context);
            if skipped.is_none() {
                drafts.extend((check.run)(&context));
            }
            checks.push(Done { check: check.name, findings: 0, skipped });
        }
        drafts.iter_mut().for_each(|draft| context.describe(draft));
        raise(&mut drafts);
        let found: BTreeSet<(&str, usize)> =
            drafts.iter().filter_map(|one| Some((one.finding.check, one.group?))).collect();
        let done = checks.iter().filter(|one| one.skipped.is_none()).map(|one| one.check);
        coverage::apply(&context, &mut drafts, &done.collect());
        let mut blind = blind(&context);
        blind.extend(unmatched::blind(&context, &drafts));
        let mut findings: Vec<Finding> = drafts.into_iter().map(|draft| draft.finding).collect();
        sort(&mut findings);
        for one in &mut checks {
            let of =
                |finding: &&Finding| finding.check == one.check && finding.suppressed.is_none();
            one.findings = findings.iter().filter(of).count();
        }
        Review {
            points: points.names.clone(),
            totals: totals(&context),
            unmatched: unmatched::notes(&context),
            processes: points.processes.len(),
            blind,
            unproven: unproven(&context).into_iter().map(str::to_owned).collect(),
            explained: explained(context, &checks, &found),
            findings,
            checks,
            fail_on: options.fail_on,
            has_baseline: options.allow.iter().any(AllowList::is_baseline),
            today: options.today,
        }
    }

    /// Whether a finding counts: its level is at least `fail_on`, and nothing covers it.
    pub fn counts(&self, finding: &Finding) -> bool {
        finding.suppressed.is_none() && finding.level >= self.fail_on
    }

    /// Whether no finding counts.
    pub fn passes(&self) -> bool {
        !self.findings.iter().any(|finding| self.counts(finding))
    }

    /// Whether a finding of the growth check counts.
    pub fn grows(&self) -> bool {
        let of_growth = |one: &&Finding| one.check == growth::CHECK.name;
        self.findings.iter().filter(of_growth).any(|one| self.counts(one))
    }

    /// How many findings of a level nothing covers.
    pub fn of_level(&self, level: Level) -> usize {
        let open = self.findings.iter().filter(|finding| finding.suppressed.is_none());
        open.filter(|finding| finding.level == level).count()
    }

    /// Marks the findings that a baseline covers which was just written.
    pub fn accept(&mut self, file: &str) {
        let covered = |one: &&mut Finding| {
            one.suppressed.is_none() && one.function.is_some() && one.kind.is_some()
        };
        for finding in self.findings.iter_mut().filter(covered) {
            finding.suppressed = Some(Suppression {
                source: file.to_owned(),
                reason: "it was just written down".to_owned(),
                baseline: true,
            });
        }
        sort(&mut self.findings);
        self.has_baseline = true;
    }

    /// Whether no finding counts, and the inputs could be judged.
    pub fn verdict(&self) -> bool {
        self.passes() && self.blind.is_empty()
    }

    /// The text of a baseline that covers the findings.
    pub fn baseline(&self) -> String {
        allow::baseline(&self.findings, self.today)
    }
}

/// The findings that the checks would have without the catalogue, and don't have with it.
fn explained(
    context: Context<'_>,
    checks: &[Done],
    found: &BTreeSet<(&str, usize)>,
) -> Vec<Finding> {
    let Some((context, places)) = context.without_catalogue() else { return Vec::new() };
    let mut explained = Vec::new();
    let done = CHECKS.iter().zip(checks).filter(|(_, done)| done.skipped.is_none());
    for draft in done.flat_map(|(check, _)| (check.run)(&context)) {
        let Some(group) = draft.group else { continue };
        if found.contains(&(draft.finding.check, places[group])) {
            continue;
        }
        let samples: BTreeSet<_> = draft.samples.iter().collect();
        let mut members = context.groups[group].members.iter();
        let entry = members.find_map(|one| one.entry.filter(|_| samples.contains(&one.sample)));
        let Some(entry) = entry else { continue };
        let mut finding = draft.finding;
        finding.suppressed = Some(Suppression {
            source: format!("built-in {}", entry.id),
            reason: entry.reason.clone(),
            baseline: false,
        });
        explained.push(finding);
    }
    sort(&mut explained);
    explained
}

/// Raises the score of findings about groups that also have the shape of a known mistake.
fn raise(drafts: &mut [FindingBuilder]) {
    let mut shapes: BTreeMap<usize, u32> = BTreeMap::new();
    let is_shape = |draft: &FindingBuilder| draft.finding.tier == super::Tier::Shape;
    for draft in drafts.iter().filter(|draft| is_shape(draft)) {
        if let Some(group) = draft.group {
            *shapes.entry(group).or_default() += 1;
        }
    }
    for draft in drafts.iter_mut().filter(|draft| !is_shape(draft)) {
        let count = draft.group.and_then(|group| shapes.get(&group)).copied().unwrap_or(0);
        draft.finding.score = round(draft.finding.score * (1.0 + 0.25 * f64::from(count)));
    }
}

fn sort(findings: &mut [Finding]) {
    let rank = |finding: &Finding| CHECKS.iter().position(|check| check.name == finding.check);
    findings.sort_by(|a, b| {
        (a.suppressed.is_some().cmp(&b.suppressed.is_some()))
            .then(b.level.cmp(&a.level))
            .then(b.score.total_cmp(&a.score))
            .then(rank(a).cmp(&rank(b)))
            .then_with(|| (&a.function, &a.created_by).cmp(&(&b.function, &b.created_by)))
            .then_with(|| (&a.kind, &a.shape, &a.text).cmp(&(&b.kind, &b.shape, &b.text)))
    });
}

fn totals(context: &Context<'_>) -> Vec<i64> {
    let mut totals = vec![0_i64; context.points.len()];
    let dumps: BTreeSet<usize> = context.dumps.iter().copied().collect();
    for member in context.members().filter(|one| !one.repeated || !dumps.contains(&one.point)) {
        totals[member.point] = totals[member.point].saturating_add(member.count);
    }
    totals
}

/// Why the inputs can't be judged: a gate that can't fail is none.
fn blind(context: &Context<'_>) -> Vec<String> {
    let profile = context.profile;
    let mut reasons = Vec::new();
    let negative = profile.samples.iter().filter(|sample| sample.count < 0);
    let negative: HashSet<InputId> = negative.map(|sample| sample.key.input).collect();
    let judged = profile.inputs.iter().filter(|input| input.goroutines > 0);
    let judged: HashSet<&str> = judged.map(|input| input.path.as_str()).collect();
    let shown = profile.shown_crashes();
    let alone_in = |id: InputId| {
        let shown = shown.get(&id).map(Vec::as_slice).unwrap_or_default();
        crash_alone(profile.input(id), shown, profile)
    };
    // Beside other inputs a log may hold a panic that was recovered, but not beside logs like it.
    let has_others =
        profile.inputs().any(|(id, input)| input.goroutines > 0 && alone_in(id).is_none());
    for id in crate::group::order::inputs(profile) {
        let input = profile.input(id);
        // A log or an issue that shows a crash can quote the message of another one.
        let is_quoted = input.crash.is_some() && judged.contains(input.path.as_str());
        let holds_none = input.goroutines == 0 && !input.format.is_leak_profile() && !is_quoted;
        let may_be_logged = |crash: &&Crash| crash.kind == CrashKind::Recovered && has_others;
        let alone = alone_in(id).filter(|crash| !may_be_logged(crash)).and_then(why_alone);
        let all = [
            (holds_none, "holds no goroutine, so there is nothing to check"),
            (
                negative.contains(&id),
                "has negative counts: it is the difference of two profiles, not one; take it \
                 without ?seconds=",
            ),
            (alone.is_some(), alone.unwrap_or_default()),
            (!input.complete(), "was not read whole"),
        ];
        let own = all.into_iter().filter(|(holds, _)| *holds);
        reasons.extend(own.map(|(_, reason)| (input, reason)));
    }
    let mut blind = folded(&reasons);
    if profile.inputs.is_empty() && profile.unread.problems().next().is_none() {
        blind.push("there is no input that could be read".to_owned());
    }
    if context.options.require_leak_profile {
        let shown = points_with_leaks(context);
        for (name, _) in context.points.names.iter().zip(shown).filter(|(_, shown)| !shown) {
            blind.push(format!("{name}: has no goroutineleak profile, which is required"));
        }
    }
    blind.extend(exceeded::blind(context));
    blind
}

/// The crash of an input, if it has no goroutines but those that printed themselves as they crashed or
/// recovered a panic. A profile has all goroutines of its process.
fn crash_alone<'c>(input: &'c Input, shown: &'c [Crash], profile: &Profile) -> Option<&'c Crash> {
    let crashes = || input.crash.iter().chain(&input.later_crashes).chain(shown);
    let samples: HashSet<SampleId> = crashes().filter_map(|crash| crash.sample).collect();
    let counts: i64 = samples.iter().map(|&sample| profile.sample(sample).count).sum();
    let is_all = input.format == InputFormat::Debug2 && counts > 0 && counts == input.goroutines;
    let is_one = input.crash.is_some() && input.goroutines == 1;
    crashes().next().filter(|_| is_all || is_one)
}

/// Why a crash that shows its own goroutine isn't a dump of all; `None` if there was no other one.
fn why_alone(crash: &Crash) -> Option<&'static str> {
    match crash.others() {
        Others::OnRequest => {
            Some("the crash printed only the goroutine it happened in; set GOTRACEBACK=all")
        }
        Others::Never => Some("a panic that was recovered shows only the goroutine it happened in"),
        Others::Always if crash.kind == CrashKind::Deadlock => None,
        Others::Always => Some("Go prints all goroutines of such a crash, and one is there"),
    }
}

/// Up to this many inputs of one argument are named with the same reason; of more, only the first.
const ALIKE: u64 = 3;

/// A line for each input with what is wrong; a log can contain ten thousand crashes.
fn folded(reasons: &[(&Input, &str)]) -> Vec<String> {
    let mut counts: HashMap<(&str, &str), u64> = HashMap::new();
    for (input, reason) in reasons {
        *counts.entry((input.argument(), reason)).or_default() += 1;
    }
    let lines = reasons.iter().filter_map(|(input, reason)| {
        let count = counts.get_mut(&(input.argument(), *reason))?;
        let more = match *count {
            0 => return None,
            1..=ALIKE => String::new(),
            // The line of the first one counts the rest.
            many => {
                *count = 0;
                format!("; {} more like it", many - 1)
            }
        };
        Some(format!("{}: {reason}{more}", input.path))
    });
    lines.collect()
}

/// Whether each point has a goroutineleak profile, or a dump with goroutines that the runtime marked
/// leaked.
fn points_with_leaks(context: &Context<'_>) -> Vec<bool> {
    let mut shown = vec![false; context.points.len()];
    let profiles = context.profile.inputs.iter().filter(|input| input.format.is_leak_profile());
    let leaked = context.grouped().filter(|member| member.leaked);
    for point in profiles.map(|input| input.point).chain(leaked.map(|member| member.point)) {
        shown[point] = true;
    }
    shown
}

/// What inputs of these formats can't show, whatever they hold; nothing if none could be read.
fn unproven(context: &Context<'_>) -> Vec<&'static str> {
    if context.profile.inputs.is_empty() {
        return Vec::new();
    }
    if a_dump(context).is_some() {
        return vec![
            "goroutineleak profiles hold only what the runtime proved leaked: other leaks aren't \
             seen",
        ];
    }
    let mut notes = Vec::new();
    let last = context.points.inputs(context.profile).pop().unwrap_or_default();
    if totals(context).last() == Some(&0) && last.iter().any(|(_, input)| input.goroutines > 0) {
        notes.push("no goroutine of the last point is selected");
    }
    // Somebody who passes one dump doesn't want a trend.
    if context.points.len() > 1 && context.trend().len() < 3 {
        notes.push("two points are no trend: three tell growth, five prove it");
    }
    let waits = || context.profile.samples.iter().filter(|sample| sample.waits.known > 0);
    if waits().next().is_none() {
        notes.push("ages aren't known: these formats print no waits");
    } else if waits().all(|sample| sample.waits.max == 0.0) {
        notes.push(
            "no wait is printed: nothing has been blocked for a minute, or no garbage collection \
             has run since",
        );
    }
    if context.profile.inputs.iter().any(|input| input.format != InputFormat::Debug2) {
        notes.push("nil channels, creators and single goroutines are told by debug=2 text only");
    }
    notes
}

#[cfg(test)]
mod tests;
