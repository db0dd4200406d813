//! Groups that grow from point to point.

use super::check::{Check, number, words};
use super::context::{Context, Group, Member};
use super::counts::Counts;
use super::finding::{Fact, FindingBuilder, Level, Tier, round};
use crate::profile::Kind;
use crate::view::diff::trend::Trend;
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "growth",
    tier: Tier::Growth,
    about: "groups that grow over a series of dumps",
    explanation: "\
Each argument is a point in time; a trend needs three, and five to be an error. A group is what
shares creator, blocking user function and kind of wait. It grows

- as an error, when one's own goroutines are more at every step of five points or more;
- as a warning, when a library's are, or when they don't rise at every step but the Theil-Sen slope
  is above zero with a confidence of 95 percent;
- as a note, when they rise at both or all three steps of three or four points.

Except at every step of five points with goroutines that stay, the rise must be 10 or more and a
fifth of the median: small numbers move by chance. Where goroutines have ids, most of them must be
there at the next point too: a busy server has more goroutines under more load, but new ones. A
group that stopped growing (the last two steps didn't rise) is a pool that has filled up, not a
leak. --skip-first N leaves out points of the warm-up. With several processes each is also looked at
alone, so that one bad instance isn't hidden among many.",
    needs,
    run,
};

/// With at least this many points, a rise at every step is an error.
const POINTS: usize = 5;

pub(super) fn needs(context: &Context<'_>) -> Option<&'static str> {
    (context.trend().len() < 3).then_some("a trend needs three points or more")
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let groups = context.groups.iter().enumerate();
    groups.filter_map(|(at, group)| of_group(context, at, group)).collect()
}

/// Whether they are part of a dump. Those that the catalogue explains count too: at another point
/// there may be more than it allows.
fn dumped(member: &Member) -> bool {
    !member.repeated
}

fn of_group(context: &Context<'_>, at: usize, group: &Group) -> Option<FindingBuilder> {
    let stays = !matches!(group.kind, Kind::Running | Kind::Runnable | Kind::Gc | Kind::Runtime);
    if !stays || !group.members.iter().any(|member| member.is_unexplained_for(CHECK.name)) {
        return None;
    }
    let counts = group.counts(context.points.len(), dumped);
    if !may_grow(context, &counts) {
        return None;
    }
    let kept = context.kept(at, context.trend());
    if kept.is_some_and(|kept| kept < 0.5) {
        return None;
    }
    let all = trend(context, &counts);
    let whole = all.and_then(|trend| Some((judge(&trend, kept)?, trend, None)));
    let (level, trend, process) = whole.or_else(|| worst_process(context, group, kept))?;
    let mut draft = context.finding_of_group(&CHECK, level, at, dumped);
    draft.finding.score = round(draft.finding.score * kept.unwrap_or(1.0));
    let steps = match trend.rises {
        true => format!("at each of {} steps", trend.points - 1),
        false => format!("over {} points", trend.points),
    };
    let of = process.map(|process| format!(" of {process}")).unwrap_or_default();
    draft.finding.text = format!(
        "{}{of} grows {steps}: {} more, {} a step",
        context.name_in_text(group),
        trend.rise,
        round(trend.slope),
    );
    draft = draft
        .fact("rise", number(trend.rise as i64))
        .fact("slope", Fact::Real(round(trend.slope)))
        .fact("points", number(trend.points as i64));
    if let Some(kept) = kept {
        draft = draft.fact("kept", Fact::Real(round(kept)));
    }
    if let Some(process) = process {
        draft = draft.fact("process", words(process));
    }
    Some(draft)
}

/// Whether there are goroutines at enough points to grow. At fewer than one in four, most pairs of points have the same
/// count, none; and to look at all points for each of very many groups takes a time that grows with the square.
pub(super) fn may_grow(context: &Context<'_>, counts: &Counts) -> bool {
    counts.with_any().count().saturating_mul(4) >= context.trend().len()
}

fn trend(context: &Context<'_>, counts: &Counts) -> Option<Trend> {
    let counts: Vec<f64> = context.trend().iter().map(|&point| counts.at(point) as f64).collect();
    Trend::of(&counts)
}

/// How bad a series is; `kept` is the share of goroutines that stay from one point to the next.
fn judge(trend: &Trend, kept: Option<f64>) -> Option<Level> {
    let stay = kept.is_some_and(|kept| kept >= 0.9);
    if trend.rises && trend.points >= POINTS {
        return Some(if trend.is_large() || stay { Level::Error } else { Level::Warning });
    }
    if trend.levelled_off || !trend.is_large() {
        return None;
    }
    if trend.points >= POINTS {
        return (trend.slope_at_least > 0.0).then_some(Level::Warning);
    }
    trend.rises.then_some(Level::Note)
}

/// The process with the worst series, if there are several.
fn worst_process<'a>(
    context: &Context<'a>,
    group: &Group,
    kept: Option<f64>,
) -> Option<(Level, Trend, Option<&'a str>)> {
    let processes = &context.points.processes;
    if processes.len() < 2 {
        return None;
    }
    let mut counts: BTreeMap<usize, Vec<(usize, i64)>> = BTreeMap::new();
    for member in group.members.iter().filter(|member| dumped(member)) {
        counts.entry(member.process).or_default().push((member.point, member.count));
    }
    let judged = counts.into_iter().filter_map(|(process, counts)| {
        let trend = trend(context, &Counts::sum(context.points.len(), counts))?;
        Some((judge(&trend, kept)?, trend, Some(processes[process].as_str())))
    });
    judged.max_by(|a, b| a.0.cmp(&b.0).then(a.1.rise.total_cmp(&b.1.rise)).then(b.2.cmp(&a.2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::{Stage, found};
    use crate::profile::InputFormat;
    use crate::view::fixture::G;

    /// A series whose goroutines stay, or are new at each point.
    fn series(counts: &[u64], stay: bool, frames: &[&str]) -> Vec<(String, Level, Vec<i64>)> {
        let mut stage = Stage::new(counts.len());
        for (point, &count) in counts.iter().enumerate() {
            let first = if stay { 10 } else { 10 + 10_000 * point as u64 };
            for id in first..first + count {
                stage.at(point).add(G { id, frames, ..G::default() });
            }
        }
        let findings = stage.findings(CHECK.name);
        let found = found(&findings).into_iter();
        found.map(|(name, level, counts)| (name.to_owned(), level, counts)).collect()
    }

    const OWN: &[&str] = &["main.work main.go:1"];

    fn level(counts: &[u64], stay: bool) -> Option<Level> {
        series(counts, stay, OWN).first().map(|found| found.1)
    }

    #[test]
    fn own_growth_at_every_step_of_five_points_is_an_error() {
        let found = series(&[10, 20, 30, 40, 50], true, OWN);
        assert_eq!(found, [("main.work".to_owned(), Level::Error, vec![10, 20, 30, 40, 50])]);
        assert_eq!(level(&[1, 2, 3, 4, 5], true), Some(Level::Error), "they stay");
    }

    #[test]
    fn growth_of_libraries_is_a_warning() {
        let frames = &["ex.org/x.run /go/pkg/mod/ex.org/x@v1.0.0/x.go:1"];
        assert_eq!(series(&[10, 20, 30, 40, 50], true, frames)[0].1, Level::Warning);
    }

    #[test]
    fn load_is_not_growth() {
        assert_eq!(level(&[10, 20, 30, 40, 50], false), None);
    }

    /// `stay`: how many goroutines of each point are in the next one too.
    fn growth(counts: [u64; 5], stay: [u64; 4]) -> Option<(Level, f64)> {
        let mut stage = Stage::new(counts.len());
        let mut first = 1_000;
        for (point, count) in counts.into_iter().enumerate() {
            for id in first..first + count {
                stage.at(point).add(G { id, frames: OWN, ..G::default() });
            }
            first += count - stay.get(point).copied().unwrap_or(0);
        }
        stage.findings(CHECK.name).first().map(|finding| (finding.level, finding.score))
    }

    #[test]
    fn a_small_group_that_grows_is_an_error_if_nine_in_ten_stay() {
        let level = |stay| growth([1, 2, 3, 4, 5], stay).map(|(level, _)| level);
        assert_eq!(level([1, 2, 3, 3]), Some(Level::Error));
        assert_eq!(level([1, 2, 3, 2]), Some(Level::Warning));
    }

    #[test]
    fn goroutines_of_a_leak_profile_are_not_added_to_those_of_the_dump() {
        let mut stage = Stage::new(5);
        for point in 0..5 {
            stage.at(point).count(10, G::default());
            stage.process(point, "leaks").count(10 * point as i64 + 1, G::default());
            stage.process(point, "leaks").current().format = InputFormat::LeakDebug1;
        }
        assert!(stage.findings(CHECK.name).is_empty());
    }

    #[test]
    fn a_group_of_which_half_stay_grows_and_one_of_which_fewer_do_is_load() {
        let growth = |stay| growth([20, 40, 60, 80, 100], stay);
        let (level, score) = growth([10, 20, 30, 40]).expect("100 of 200");
        assert_eq!(level, Level::Error);
        assert_eq!(growth([10, 20, 30, 39]), None, "99 of 200");
        let (_, all) = growth([20, 40, 60, 80]).expect("all of them");
        assert!((all / score - 2.0).abs() < 0.01, "who stays is twice as sure: {score}, {all}");
    }

    #[test]
    fn a_pool_that_has_filled_up_is_not_growth() {
        assert_eq!(level(&[10, 50, 90, 100, 100, 100], true), None);
    }

    #[test]
    fn fewer_points_say_less() {
        assert_eq!(level(&[10, 20, 30], true), Some(Level::Note));
        assert_eq!(level(&[1, 2, 3], true), None);
        assert_eq!(level(&[10, 500], true), None);
    }

    #[test]
    fn what_is_told_of_growth_is_how_much_over_how_long() {
        let text = |counts: &[u64]| {
            let mut stage = Stage::new(counts.len());
            for (point, &count) in counts.iter().enumerate() {
                stage.at(point).count(count as i64, G::default());
            }
            let finding = stage.findings(CHECK.name).remove(0);
            assert!(!finding.facts.contains_key("kept"), "nothing shows who stays");
            assert!(finding.score > 4.0, "{}", finding.score);
            finding.text
        };
        let steps = text(&[10, 20, 30, 40, 50]);
        assert!(steps.ends_with(" grows at each of 4 steps: 40 more, 10 a step"), "{steps}");
        let points = text(&[10, 20, 28, 41, 39, 60, 71]);
        assert!(points.contains(" grows over 7 points: 61 more, "), "{points}");
    }

    #[test]
    fn a_slope_that_is_certain_is_a_warning() {
        assert_eq!(level(&[10, 20, 28, 41, 39, 60, 71], true), Some(Level::Warning));
        assert_eq!(level(&[10, 30, 12, 29, 11, 31], true), None);
        assert_eq!(level(&[10, 20, 20, 30, 40], true), None, "it may be none at all");
    }

    #[test]
    fn one_bad_process_is_not_hidden_among_many() {
        let mut stage = Stage::new(0);
        for point in 0..5_u64 {
            for (name, count) in [("n1", 200 - 40 * point), ("n2", 10 + 10 * point), ("n3", 5)] {
                let fixture = stage.process(point as usize, name);
                for id in 10..10 + count {
                    fixture.add(G { id, ..G::default() });
                }
            }
        }
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].level, Level::Error);
        assert_eq!(findings[0].facts["process"], words("n2"));
    }

    /// Looking at all goroutines for each process would take minutes.
    #[test]
    fn one_bad_process_is_found_among_very_many() {
        let mut stage = Stage::new(0);
        for point in 0..5 {
            for process in 0..20_000 {
                let count = match process {
                    0 => 100 - 20 * point as i64,
                    1 => 10 + 20 * point as i64,
                    _ => 1,
                };
                stage.process(point, &format!("n{process}")).count(count, G::default());
            }
        }
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].facts["process"], words("n1"));
    }

    #[test]
    fn points_of_the_warm_up_can_be_left_out() {
        let mut stage = Stage::new(5);
        for point in 0..5 {
            for id in 10..20 + 10 * point as u64 {
                stage.at(point).add(G { id, ..G::default() });
            }
        }
        stage.options.skip_first = 1;
        assert_eq!(stage.findings(CHECK.name)[0].level, Level::Note);
        stage.options.skip_first = 3;
        assert!(stage.findings(CHECK.name).is_empty());
    }
}
