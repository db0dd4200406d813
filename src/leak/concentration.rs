//! Many goroutines at one blocking location.

use super::blocking::waits_for_others;
use super::check::{Check, number, words};
use super::context::{Context, Group, Member};
use super::finding::{Fact, FindingBuilder, Level, Tier, round};
use crate::profile::Kind;

pub(super) const CHECK: Check = Check {
    name: "concentration",
    tier: Tier::Suspicion,
    about: "many goroutines blocked at one place, in a process or against the rest of the fleet",
    explanation: "\
Leaks pile up where they block. So a place is worth a look when in one process of the last point

- 1,000 goroutines or more are blocked there;
- or half of all goroutines are, and 100 or more;
- or ten times as many as in the median process, and 50 or more, where there are three processes or
  more.

Counted are goroutines that wait for others: channels, selects, locks, WaitGroups. Waiting for the
network or for time is left out, and so is what the catalogue explains. A crowd is no proof: it may
be the load of the moment. A series of dumps, or the runtime's goroutineleak profile, tells.",
    needs: super::check::a_dump,
    run,
};

const MANY: i64 = 1000;
const HALF_FROM: i64 = 100;
const OUTLIER_FROM: i64 = 50;
const OUTLIER_TIMES: f64 = 10.0;
const FLEET: usize = 3;

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let Some(last) = context.last() else { return Vec::new() };
    let totals = totals(context, last);
    let fleet = totals.iter().flatten().count();
    let groups = context.groups.iter().enumerate();
    groups.filter_map(|(at, group)| of_group(context, at, group, &totals, fleet)).collect()
}

/// All goroutines of each process at a point; `None` for processes without a dump at it.
pub(super) fn totals(context: &Context<'_>, point: usize) -> Vec<Option<i64>> {
    let mut totals = vec![None; context.points.processes.len()];
    for (id, input) in context.profile.inputs() {
        if input.point == point && !input.format.is_leak_profile() {
            totals[context.points.process(id)].get_or_insert(0);
        }
    }
    for member in context.members().filter(|one| one.point == point && !one.repeated) {
        let total: &mut i64 = totals[member.process].get_or_insert(0);
        *total = total.saturating_add(member.count);
    }
    totals
}

fn of_group(
    context: &Context<'_>,
    at: usize,
    group: &Group,
    totals: &[Option<i64>],
    fleet: usize,
) -> Option<FindingBuilder> {
    if !waits_for_others(group.kind) && group.kind != Kind::Unknown {
        return None;
    }
    let counts = group.of_processes(|member| context.is_open_at_last(member));
    let (&process, &count) = counts.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))?;
    let name = context.points.processes.get(process).map_or("", String::as_str);
    if count < OUTLIER_FROM {
        return None;
    }
    let all = totals.get(process).copied().flatten().unwrap_or(count);
    let has_dump = |process: &usize| totals.get(*process).is_some_and(Option::is_some);
    let of_dumps = counts.iter().filter(|(process, _)| has_dump(process)).map(|(_, &count)| count);
    let median = median(fleet, of_dumps.collect());
    let called = context.name_in_text(group);
    let text = if count >= MANY {
        format!("{count} goroutines of {name} are blocked in {called}")
    } else if count >= HALF_FROM && count.saturating_mul(2) >= all {
        format!("{count} of the {all} goroutines of {name} are blocked in {called}")
    } else if median.is_some_and(|median| count as f64 >= OUTLIER_TIMES * median.max(1.0)) {
        format!(
            "{count} goroutines of {name} are blocked in {called}, ten times the fleet's median or more"
        )
    } else {
        return None;
    };
    let here = |member: &Member| context.is_open_at_last(member);
    let draft = context
        .finding_of_group(&CHECK, Level::Warning, at, here)
        .says(text)
        .fact("process", words(name))
        .fact("most", number(count))
        .fact("share", Fact::Real(round(count as f64 / all.max(1) as f64)));
    Some(match median {
        Some(median) => draft.fact("fleet_median", Fact::Real(median)),
        None => draft,
    })
}

/// The median over the processes that have a dump, if there are enough to be a fleet. Those that have none
/// of the goroutines aren't among the counts: there may be a group and a process for each of thousands of
/// dumps, so that to look at all processes for each group would take their product.
fn median(fleet: usize, mut counts: Vec<i64>) -> Option<f64> {
    counts.sort_unstable();
    let without = fleet.saturating_sub(counts.len());
    let at = |place: usize| place.checked_sub(without).map_or(0, |place| counts[place]) as f64;
    (fleet >= FLEET).then(|| f64::midpoint(at((fleet - 1) / 2), at(fleet / 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    fn found(processes: &[(&str, i64)], others: i64, state: &str) -> Vec<String> {
        let mut stage = Stage::new(0);
        for &(name, count) in processes {
            let fixture = stage.process(0, name);
            fixture.count(count, G { state, ..G::default() });
            fixture.count(others, G { state: "IO wait", frames: &["kv.read"], ..G::default() });
        }
        stage.findings(CHECK.name).into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn a_thousand_at_one_place_are_many() {
        assert_eq!(
            found(&[("n1", 1000)], 5000, "chan send"),
            ["1000 goroutines of n1 are blocked in main.work"]
        );
        assert!(found(&[("n1", 999)], 5000, "chan send").is_empty());
    }

    #[test]
    fn half_of_all_are_many() {
        assert_eq!(found(&[("n1", 100)], 100, "select").len(), 1);
        assert!(found(&[("n1", 100)], 101, "select").is_empty());
        assert!(found(&[("n1", 99)], 1, "select").is_empty());
    }

    #[test]
    fn the_share_is_that_of_the_process() {
        let mut stage = Stage::new(0);
        let fixture = stage.process(0, "n1");
        fixture.count(300, G { state: "select", ..G::default() });
        fixture.count(100, G { state: "IO wait", frames: &["kv.read"], ..G::default() });
        assert_eq!(stage.findings(CHECK.name)[0].facts["share"], Fact::Real(0.75));
    }

    #[test]
    fn one_process_may_be_far_from_the_others() {
        let fleet = [("n1", 5), ("n2", 50), ("n3", 4)];
        let found_ = found(&fleet, 5000, "select");
        assert_eq!(found_.len(), 1);
        assert!(found_[0].contains("50 goroutines of n2"), "{found_:?}");
        assert!(found(&fleet[..2], 5000, "select").is_empty(), "two are no fleet");
        assert!(found(&[("n1", 6), ("n2", 50), ("n3", 6)], 5000, "select").is_empty());
    }

    #[test]
    fn a_process_of_which_there_is_only_a_leak_profile_is_not_in_the_fleet() {
        let mut stage = Stage::new(0);
        for (name, count) in [("n1", 5), ("n2", 50)] {
            let fixture = stage.process(0, name);
            fixture.count(count, G::default());
            fixture.count(5000, G { state: "IO wait", frames: &["kv.read"], ..G::default() });
        }
        stage.process(0, "n3").current().format = crate::profile::InputFormat::LeakDebug1;
        assert!(stage.findings(CHECK.name).is_empty(), "two are no fleet");
    }

    #[test]
    fn the_median_is_over_processes_that_have_a_dump() {
        assert_eq!(median(2, vec![9, 1]), None);
        assert_eq!(median(3, vec![9, 1, 5]), Some(5.0));
        assert_eq!(median(4, vec![9, 1, 4, 7]), Some(5.5));
        assert_eq!(median(3, vec![9, 1]), Some(1.0));
        assert_eq!(median(4, vec![9, 1]), Some(0.5));
        assert_eq!(median(5, vec![9, 1]), Some(0.0));
    }

    #[test]
    fn processes_without_a_dump_are_none_of_the_fleet() {
        let mut stage = Stage::new(0);
        for name in ["n1", "n2"] {
            stage.process(0, name).count(50, G { state: "select", ..G::default() });
        }
        assert!(stage.findings(CHECK.name).is_empty());
        stage.process(0, "n3").count(1, G { state: "IO wait", ..G::default() });
        stage.process(0, "n4").count(1, G { state: "IO wait", ..G::default() });
        stage.process(0, "n5").count(1, G { state: "IO wait", ..G::default() });
        assert_eq!(stage.findings(CHECK.name).len(), 1, "three of five have none");
    }

    #[test]
    fn waiting_for_the_network_is_no_crowd() {
        assert!(found(&[("n1", 5000)], 0, "IO wait").is_empty());
    }
}
