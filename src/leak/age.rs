//! Goroutines that have been blocked for long.

use super::check::{Check, a_dump, number, words};
use super::context::{Context, Group, Member};
use super::finding::{Fact, FindingBuilder, Level, Tier};
use crate::profile::Kind;

pub(super) const CHECK: Check = Check {
    name: "age",
    tier: Tier::Suspicion,
    about: "goroutines blocked for half an hour or more",
    explanation: "\
Goroutines of the last point that have been blocked for 30 minutes or more in a channel, a select, a
lock, a WaitGroup or a condition are a note; in a send or a lock for a day or more, a warning. Waiting
to receive is what workers do, and says little by itself; whoever sends or locks for a day isn't
going to.

Go counts whole minutes from the first garbage collection after blocking, so a goroutine is at least
as old as its wait. A dump without any wait proves nothing: the process may be young, or no collection
has run. Goroutines that the runtime marked leaked have no age at all, and formats that only count
(debug=0, debug=1) print none. `--max-age` makes an error of what is older.",
    needs,
    run,
};

const LONG: f32 = 30.0;
const DAY: f32 = 1440.0;

fn needs(context: &Context<'_>) -> Option<&'static str> {
    let known = context.profile.samples.iter().any(|sample| sample.waits.known > 0);
    a_dump(context).or((!known).then_some("the inputs print no waits"))
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    let groups = context.groups.iter().enumerate();
    groups.filter_map(|(at, group)| of_group(context, at, group)).collect()
}

fn of_group(context: &Context<'_>, at: usize, group: &Group) -> Option<FindingBuilder> {
    let sends_or_locks =
        matches!(group.kind, Kind::ChanSend | Kind::Mutex | Kind::RwMutexR | Kind::RwMutexW);
    let waits = matches!(
        group.kind,
        Kind::ChanRecv | Kind::Select | Kind::WaitGroup | Kind::Cond | Kind::Sema
    );
    if !sends_or_locks && !waits {
        return None;
    }
    let old = |member: &Member| {
        let longest = member.waits.range().map_or(0.0, |(_, max)| max);
        context.is_open_at_last(member) && longest >= LONG
    };
    let longest = group.members.iter().filter(|one| old(one)).map(|one| one.waits.max);
    let longest = longest.reduce(f32::max)?;
    let oldest = group
        .members
        .iter()
        .filter(|one| old(one) && one.waits.max == longest)
        .map(|one| (&context.profile.input(context.key(one).input).name, one.waits.longest))
        .min()?;
    let level = if sends_or_locks && longest >= DAY { Level::Warning } else { Level::Note };
    let minutes = match longest.fract() == 0.0 {
        true => number(longest as i64),
        false => Fact::Real(f64::from(longest)),
    };
    let text = format!(
        "{} has been blocked for {longest} minutes or more, counted from the first garbage \
         collection after blocking",
        context.name_in_text(group),
    );
    let draft =
        context.finding_of_group(&CHECK, level, at, old).says(text).fact("minutes", minutes);
    let draft = draft.fact("goroutine", words(oldest.1.to_string()));
    Some(draft.fact("process", words(oldest.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::fixture::Stage;
    use crate::view::fixture::G;

    fn level(state: &str, minutes: f32) -> Option<Level> {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { id: 5, state, minutes, ..G::default() });
        stage.findings(CHECK.name).first().map(|finding| finding.level)
    }

    #[test]
    fn senders_and_lockers_of_a_day_are_worse_than_receivers() {
        assert_eq!(level("chan send", 29.0), None);
        assert_eq!(level("chan send", 30.0), Some(Level::Note));
        assert_eq!(level("chan send", 1440.0), Some(Level::Warning));
        assert_eq!(level("sync.Mutex.Lock", 1440.0), Some(Level::Warning));
        assert_eq!(level("chan receive", 14400.0), Some(Level::Note));
        assert_eq!(level("IO wait", 14400.0), None);
    }

    #[test]
    fn an_unknown_age_is_not_taken_for_young_or_old() {
        assert_eq!(level("chan send", -1.0), None);
    }

    #[test]
    fn the_oldest_is_named() {
        let mut stage = Stage::new(1);
        stage.at(0).add(G { id: 5, minutes: 40.0, ..G::default() });
        stage.at(0).add(G { id: 6, minutes: 50.0, ..G::default() });
        let findings = stage.findings(CHECK.name);
        assert_eq!(findings[0].facts["goroutine"], words("6"));
        assert_eq!(findings[0].facts["minutes"], number(50));
        // Its sample isn't that of the others.
        stage.at(0).add(G { id: 9, minutes: 60.0, labels: &[("k", "v")], ..G::default() });
        assert_eq!(stage.findings(CHECK.name)[0].facts["goroutine"], words("9"));
    }
}
