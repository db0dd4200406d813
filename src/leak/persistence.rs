//! Goroutines that stay where they are while their group gains more.

use super::blocking::waits_for_others;
use super::check::{Check, goroutines, number, words};
use super::context::{Context, Group, Member};
use super::finding::{FindingBuilder, Level, Tier};
use super::growth;
use crate::view::diff::trend::Trend;

pub(super) const CHECK: Check = Check {
    name: "persistence",
    tier: Tier::Growth,
    about: "the same goroutines are blocked at every point, and more have joined them",
    explanation: "\
Go never uses the id of a goroutine twice in a process. So in dumps that print ids (debug=2 and crash
texts) it can be told whether the same goroutines are still blocked at the same place at each of
three points or more. Workers are, too; so they count only where their group has gained members
and hasn't levelled off.

A warning needs dumps that are ten minutes apart, told by the waits that Go prints, which count from
the first garbage collection after blocking. Closer ones, or ones that print no waits, are a note,
and only where the group gained 10 or more and a fifth.",
    needs,
    run,
};

/// Minutes that the points must span for a warning.
const SPAN: f32 = 10.0;

fn needs(context: &Context<'_>) -> Option<&'static str> {
    let ids = !context.profile.goroutines.is_empty();
    growth::needs(context).or((!ids).then_some("the inputs print no ids of goroutines"))
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let groups = context.groups.iter().enumerate();
    groups.filter_map(|(at, group)| of_group(context, at, group)).collect()
}

fn of_group(context: &Context<'_>, at: usize, group: &Group) -> Option<FindingBuilder> {
    let points = context.trend();
    if !waits_for_others(group.kind) || !group.members.iter().any(Member::is_unexplained) {
        return None;
    }
    let counts = group.counts(context.points.len(), |member| !member.repeated);
    if !growth::may_grow(context, &counts) {
        return None;
    }
    let stayed = context.count_staying(at, points) as i64;
    let series: Vec<f64> = points.iter().map(|&point| counts.at(point) as f64).collect();
    let trend = Trend::of(&series)?;
    let span = span(group, points);
    let long = span.is_some_and(|span| span >= SPAN);
    if stayed == 0 || trend.rise <= 0.0 || trend.levelled_off || !(long || trend.is_large()) {
        return None;
    }
    let level = if long { Level::Warning } else { Level::Note };
    let counts = |member: &Member| !member.repeated;
    let mut draft = context.finding_of_group(&CHECK, level, at, counts);
    draft.finding.text = format!(
        "{} of {} {} blocked at all {} points, and {} more joined",
        goroutines(stayed),
        context.name_in_text(group),
        if stayed == 1 { "is" } else { "are" },
        points.len(),
        trend.rise,
    );
    let span = match span {
        Some(minutes) => format!("{minutes} minutes or more"),
        None => "unknown: no wait is printed".to_owned(),
    };
    Some(draft.fact("stayed", number(stayed)).fact("span", words(span)))
}

/// The minutes between first and last point, as far as the longest waits show.
fn span(group: &Group, points: &[usize]) -> Option<f32> {
    let longest = |point: Option<&usize>| {
        let at = group.members.iter().filter(|one| Some(&one.point) == point && !one.repeated);
        at.filter_map(|one| one.waits.range()).map(|(_, max)| max).reduce(f32::max)
    };
    let (first, last) = (longest(points.first())?, longest(points.last())?);
    (last > first).then_some(last - first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    /// Ten goroutines stay; `more` join at each point; points are `minutes` apart.
    fn stage(more: u64, minutes: f32) -> Stage {
        stage_of("select", more, minutes)
    }

    fn stage_of(state: &str, more: u64, minutes: f32) -> Stage {
        let mut stage = Stage::new(3);
        for point in 0..3_u8 {
            let wait = 3.0 + f32::from(point) * minutes;
            for id in 10..20 + more * u64::from(point) {
                stage.at(usize::from(point)).add(G { id, state, minutes: wait, ..G::default() });
            }
        }
        stage
    }

    fn level(more: u64, minutes: f32) -> Option<Level> {
        stage(more, minutes).findings(CHECK.name).first().map(|finding| finding.level)
    }

    #[test]
    fn who_stays_while_more_join_is_found() {
        assert_eq!(level(1, 6.0), Some(Level::Warning));
        let findings = stage(1, 6.0).findings(CHECK.name);
        assert_eq!(findings[0].facts["stayed"], number(10));
        assert_eq!(findings[0].facts["span"], words("12 minutes or more"));
        let text = &findings[0].text;
        assert!(text.ends_with(" are blocked at all 3 points, and 2 more joined"), "{text}");
    }

    #[test]
    fn workers_that_only_stay_are_not() {
        assert_eq!(level(0, 6.0), None);
    }

    #[test]
    fn connections_that_stay_while_more_join_are_not() {
        assert!(stage_of("IO wait", 10, 6.0).findings(CHECK.name).is_empty());
    }

    #[test]
    fn points_close_to_each_other_say_less() {
        assert_eq!(level(1, 1.0), None);
        assert_eq!(level(10, 1.0), Some(Level::Note));
        assert_eq!(level(10, 0.0), Some(Level::Note));
        assert_eq!(level(1, 5.0), Some(Level::Warning), "ten minutes");
        let unknown = words("unknown: no wait is printed");
        assert_eq!(stage(10, 0.0).findings(CHECK.name)[0].facts["span"], unknown);
    }
}
