//! The check of limits: which ones are exceeded.

use super::blocking::{Role, role};
use super::catalogue::go_version;
use super::check::{Check, number, words};
use super::concentration::totals;
use super::context::{Context, Member};
use super::finding::{Fact, FindingBuilder, Level, Tier, round};
use super::leaked;
use super::limit::{Bound, Limit, Scope};
use std::collections::BTreeMap;

pub(super) const CHECK: Check = Check {
    name: "limit",
    tier: Tier::Proof,
    about: "limits that were set: --max-goroutines, --max-growth, --max-leaked, --max-age",
    explanation: "\
--max-goroutines N   goroutines of a process, at every point
--max-growth N|P%    how many more a process may have at the last point than at the first
--max-leaked N       goroutines of a process that the runtime proved leaked
--max-age TIME       how long a goroutine may have been blocked: 30m, 2h, 1d, 90 (minutes)

Each limit holds for each process by itself, and breaking one is an error, whoever's code it is. In
front of the value may stand for which goroutines it holds: category=GLOB:N, name=GLOB:N,
label:KEY:N or label:KEY=GLOB:N. The `[check]` section of stackgazer.toml sets limits too; an option
takes the place of the one there for the same goroutines.

The program's own goroutines (goroutine 0 of crash texts) aren't counted. --max-age leaves out the
goroutine of main.main and what the catalogue explains; ages count from the first garbage collection
after blocking. A limit that the inputs can't break, such as an age where no waits are printed, ends
with 2: a gate that can't fail is no gate.",
    needs: |context| context.options.limits.is_empty().then_some("no limit is set"),
    run,
};

/// The limits that these inputs can't break, whatever they hold, and why.
pub(super) fn blind(context: &Context<'_>) -> Vec<String> {
    let known = || context.profile.samples.iter().any(|sample| sample.waits.known > 0);
    let why = |limit: &Limit| match limit.bound {
        Bound::Growth(_) | Bound::GrowthPercent(_) if context.trend().len() < 2 => {
            Some("needs two points that hold dumps")
        }
        Bound::Growth(_) | Bound::GrowthPercent(_) if followed(context).is_empty() => {
            Some("needs a process that is there at the first and at the last point")
        }
        Bound::Leaked(_) if !could_tell_of_leaks(context) => {
            Some("needs a goroutineleak profile, which Go has from 1.26 on")
        }
        Bound::Age(_) if !known() => Some("needs a format that prints waits (debug=2)"),
        Bound::Goroutines(_) if context.dumps.is_empty() => {
            Some("needs a dump; a goroutineleak profile holds only leaked goroutines")
        }
        _ => None,
    };
    let limits = context.options.limits.iter();
    limits.filter_map(|limit| why(limit).map(|why| format!("{} {why}", limit.origin))).collect()
}

/// The processes that have a dump at the first and at the last point of a trend.
fn followed(context: &Context<'_>) -> Vec<usize> {
    let (Some(&first), Some(&last)) = (context.trend().first(), context.trend().last()) else {
        return Vec::new();
    };
    let (had, has) = (totals(context, first), totals(context, last));
    (0..had.len()).filter(|&at| had[at].is_some() && has[at].is_some()).collect()
}

/// Whether the Go that made the inputs can prove leaks, as far as its version is known.
fn could_tell_of_leaks(context: &Context<'_>) -> bool {
    go_version(context.profile).is_none_or(|minor| minor >= 26)
}

fn run(context: &Context<'_>) -> Vec<FindingBuilder> {
    context.options.limits.iter().filter_map(|limit| broken(context, limit)).collect()
}

/// A limit that is exceeded: in which process, by how much, and the goroutines.
struct Broken<'s> {
    process: usize,
    text: String,
    amount: Fact,
    members: Vec<&'s Member>,
}

fn broken(context: &Context<'_>, limit: &Limit) -> Option<FindingBuilder> {
    let broken = match limit.bound {
        Bound::Goroutines(most) => too_many(context, limit, most),
        Bound::Leaked(most) => too_many_leaked(context, limit, most),
        Bound::Growth(most) => grown(context, limit, |first, last| {
            let more = last.saturating_sub(first);
            (more > most)
                .then(|| (more as f64, format!("{more} more goroutines, {most} are allowed")))
        }),
        Bound::GrowthPercent(most) => grown(context, limit, |first, last| {
            let percent = 100.0 * last.saturating_sub(first) as f64 / first.max(1) as f64;
            (percent > most)
                .then(|| (percent, format!("{percent:.0} % more goroutines, {most} % are allowed")))
        }),
        Bound::Age(most) => too_old(context, limit, most),
    }?;
    let mut draft = context.finding_of(&CHECK, Level::Error, &broken.members);
    let of = limit.scope.text().map(|text| format!(" of {text}")).unwrap_or_default();
    let process = context.points.processes.get(broken.process).map_or("", String::as_str);
    draft.finding.text = format!("{process} has {}{of}", broken.text);
    // No single stack is to blame.
    if !matches!(limit.bound, Bound::Age(_)) {
        draft.finding.function = None;
        draft.finding.created_by = None;
    }
    draft.samples.clear();
    Some(
        draft
            .fact("limit", words(&limit.origin))
            .fact("process", words(process))
            .fact("amount", broken.amount),
    )
}

/// The selected goroutines that a limit applies to: all but those of the system.
fn counted<'s>(context: &'s Context<'_>, limit: &Limit) -> Vec<&'s Member> {
    let counts = |member: &&Member| {
        !member.repeated
            && context.is_in(member, &limit.scope)
            && role(context.profile, context.key(member)) != Role::System
    };
    context.members().filter(counts).collect()
}

fn of_processes(members: &[&Member]) -> BTreeMap<(usize, usize), i64> {
    let mut sums = BTreeMap::new();
    for member in members {
        *sums.entry((member.point, member.process)).or_default() += member.count;
    }
    sums
}

/// The largest; of equal ones, the first.
fn worst(sums: &BTreeMap<(usize, usize), i64>) -> Option<(usize, i64)> {
    let (place, count) = sums.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)))?;
    Some((place.1, *count))
}

fn too_many<'s>(context: &'s Context<'_>, limit: &Limit, most: i64) -> Option<Broken<'s>> {
    let members = counted(context, limit);
    let (process, count) = worst(&of_processes(&members)).filter(|(_, count)| *count > most)?;
    let text = format!("{count} goroutines, {most} are allowed");
    Some(Broken { process, text, amount: number(count), members })
}

fn too_many_leaked<'s>(context: &'s Context<'_>, limit: &Limit, most: i64) -> Option<Broken<'s>> {
    let is_meant = |one: &&Member| one.leaked && context.is_in(one, &limit.scope);
    let members: Vec<&Member> = context.grouped().filter(is_meant).collect();
    let sums = match limit.scope {
        // Goroutines of a profile next to a marked dump aren't counted twice.
        Scope::All => leaked::of_processes(context),
        _ => of_processes(&members),
    };
    let (process, count) = worst(&sums).filter(|(_, count)| *count > most)?;
    let text = format!("{count} leaked goroutines, {most} are allowed");
    Some(Broken { process, text, amount: number(count), members })
}

fn grown<'s>(
    context: &'s Context<'_>,
    limit: &Limit,
    too_much: impl Fn(i64, i64) -> Option<(f64, String)>,
) -> Option<Broken<'s>> {
    let (first, last) = (*context.trend().first()?, *context.trend().last()?);
    let members = counted(context, limit);
    let sums = of_processes(&members);
    let of = |point, process| sums.get(&(point, process)).copied().unwrap_or(0);
    let mut worst: Option<(f64, usize, String)> = None;
    for process in followed(context) {
        if let Some((amount, text)) = too_much(of(first, process), of(last, process))
            && worst.as_ref().is_none_or(|(most, ..)| amount > *most)
        {
            worst = Some((amount, process, text));
        }
    }
    let (amount, process, text) = worst?;
    Some(Broken { process, text, amount: Fact::Real(round(amount)), members })
}

fn too_old<'s>(context: &'s Context<'_>, limit: &Limit, most: f64) -> Option<Broken<'s>> {
    let last = context.last()?;
    let longest = |member: &Member| member.waits.range().map_or(0.0, |(_, max)| f64::from(max));
    let old: Vec<&Member> = context
        .grouped()
        .filter(|one| {
            one.is_unexplained() && longest(one) > most && context.is_in(one, &limit.scope)
        })
        .collect();
    let at_last = old.iter().copied().filter(|member| member.point == last);
    let oldest = at_last.max_by(|a, b| longest(a).total_cmp(&longest(b)))?;
    let text = format!(
        "a goroutine that has been blocked for {} minutes or more, {most} are allowed",
        longest(oldest)
    );
    let amount = Fact::Real(longest(oldest));
    Some(Broken { process: oldest.process, text, amount, members: old })
}

#[cfg(test)]
mod tests;
