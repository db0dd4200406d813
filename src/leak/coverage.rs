//! Which findings the entries of allow-lists and baselines cover, and the checks of the entries
//! themselves.

use super::allow::AllowList;
use super::check::{Check, nothing, number, words};
use super::context::Context;
use super::entry::Entry;
use super::finding::{FindingBuilder, Level, Suppression, Tier};
use super::unmatched;
use crate::profile::SampleId;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// So many entries that match nothing are compared with all functions, to say what they meant; a renamed
/// package leaves thousands.
const SUGGESTIONS: usize = 20;

/// Entries that have expired.
pub(super) const EXPIRED: Check = Check {
    name: "expired-entry",
    tier: Tier::Shape,
    about: "entries of allow-lists and baselines that have expired",
    explanation: "\
An entry with `expires = 2026-12-31` covers goroutines until the end of that day. After it what the
entry covered counts again, and the entry is a warning until somebody removes or renews it. The day
is today's, in UTC; --today sets it, so that a run can be repeated.",
    needs: nothing,
    run: |_| Vec::new(),
};

/// Entries that cover nothing.
pub(super) const UNUSED: Check = Check {
    name: "unused-entry",
    tier: Tier::Shape,
    about: "entries of allow-lists and baselines that match nothing that was found",
    explanation: "\
An entry that matches no finding is no longer needed, or doesn't say what was meant. It is a note.
Take it out, so that the goroutines it once covered can't come back unseen. Entries for checks that
these inputs don't allow (a trend needs three points, say) aren't called unused.

Files of entries are TOML, one [[allow]] for each:

  [[allow]]
  function = \"example.com/kv/queue.(*Pool).run\"   # the blocking user function; * is any text, but (*Pool) is itself
  created_by = \"example.com/kv/queue.New\"
  max = 8                                         # covers so many and no more
  owner = \"storage team\"
  reason = \"workers live as long as the process\"
  expires = 2026-12-31

Further keys: frame (any frame), top (the frame below the runtime's), label (KEY or KEY=VALUE), state,
kind, category, name, check (only what this check finds), except (not what this one finds), go (versions: 1.24, 1.20-1.24, 1.25+),
id. Each may be a list, any of which will do; all keys of an entry must match. /TEXT/ is a regular
expression. --write-baseline FILE writes such a file of all that is found now.",
    needs: nothing,
    run: |_| Vec::new(),
};

/// A function, and a creator.
type Names<'s> = (&'s [u8], Option<&'s [u8]>);

/// The entries that apply (`true` for those of a baseline), and which of them cover a finding.
struct Coverage<'s> {
    entries: Vec<(&'s Entry, bool)>,
    used: BTreeSet<usize>,
    /// The entries that name functions exactly, by each, and by the creator if they name one: those of a baseline, of
    /// which there may be thousands.
    by_names: HashMap<Names<'s>, Vec<usize>, FixedState>,
    /// The others.
    of_patterns: Vec<usize>,
}

/// Marks the findings that entries cover, and adds findings about the entries themselves. `done`: the
/// checks that were run.
pub(super) fn apply(
    context: &Context<'_>,
    drafts: &mut Vec<FindingBuilder>,
    done: &BTreeSet<&'static str>,
) {
    let today = context.options.today;
    let all = context.options.allow.iter().flat_map(AllowList::entries);
    let (entries, expired): (Vec<_>, Vec<_>) =
        all.partition(|(entry, _)| entry.expires.is_none_or(|day| today <= day));
    let mut coverage = Coverage::of(entries);
    coverage.cover(context, drafts);
    let used = std::mem::take(&mut coverage.used);
    let is_unused = |&(at, (entry, _)): &(usize, &(&Entry, bool))| {
        !used.contains(&at) && done.iter().any(|check| entry.is_for(check))
    };
    let unused = coverage.entries.iter().enumerate().filter(is_unused);
    let blocking = LazyCell::new(|| unmatched::blocking_functions(context));
    for (number, (_, (entry, _))) in unused.enumerate() {
        let meant = match number < SUGGESTIONS {
            true => unmatched::meant(&blocking, entry),
            false => String::new(),
        };
        let what = format!("matches nothing that was found{meant}");
        drafts.push(about_entry(context, &UNUSED, Level::Note, entry, what));
    }
    for (entry, _) in expired {
        let Some(day) = entry.expires else { continue };
        let what = format!("expired on {day}");
        drafts.push(about_entry(context, &EXPIRED, Level::Warning, entry, what));
    }
}

fn about_entry(
    context: &Context<'_>,
    check: &Check,
    level: Level,
    entry: &Entry,
    what: String,
) -> FindingBuilder {
    let mut draft = context.finding_of(check, level, &[]);
    draft.finding.text = format!("{}: the entry {what}", entry.origin);
    draft = draft.fact("entry", words(&entry.origin));
    for (name, text) in [("owner", &entry.owner), ("reason", &entry.reason), ("id", &entry.id)] {
        if !text.is_empty() {
            draft = draft.fact(name, words(text));
        }
    }
    draft
}

impl<'s> Coverage<'s> {
    fn of(entries: Vec<(&'s Entry, bool)>) -> Coverage<'s> {
        let mut by_names: HashMap<_, Vec<usize>, FixedState> = HashMap::default();
        let mut of_patterns = Vec::new();
        for (at, (entry, _)) in entries.iter().enumerate() {
            match entry.exact_functions() {
                Some(names) => {
                    let creator = entry.exact_creator();
                    let names = names.into_iter().map(|name| (name, creator));
                    names.for_each(|names| by_names.entry(names).or_default().push(at));
                }
                None => of_patterns.push(at),
            }
        }
        Coverage { entries, used: BTreeSet::new(), by_names, of_patterns }
    }

    /// The first entry that covers the goroutines of a sample, in a finding of a check.
    fn first(&self, context: &Context<'_>, check: &str, sample: SampleId) -> Option<usize> {
        let Context { profile, names, functions, .. } = context;
        let key = &profile.sample(sample).key;
        let covers = |at: &usize| {
            let (entry, _) = self.entries[*at];
            entry.is_for(check) && entry.matches(profile, names, functions, key)
        };
        let names_of = |frame| functions.names(profile, frame);
        let function = functions.frames.user(key.stack).map(names_of);
        let creators = key.creator.map(names_of).into_iter().flatten().map(Some).chain([None]);
        let names = function.into_iter().flatten().flat_map(|name| {
            let creators = creators.clone();
            creators.map(move |creator| (name, creator))
        });
        let exact = names.filter_map(|names| self.by_names.get(&names));
        let firsts =
            exact.chain([&self.of_patterns]).filter_map(|list| list.iter().find(|at| covers(at)));
        firsts.min().copied()
    }

    fn cover(&mut self, context: &Context<'_>, drafts: &mut [FindingBuilder]) {
        let counts: HashMap<SampleId, (usize, i64), FixedState> =
            context.grouped().map(|one| (one.sample, (one.point, one.count))).collect();
        // How many goroutines each entry covers of the findings of each check, at each point.
        let mut sums: BTreeMap<(usize, &str), BTreeMap<usize, i64>> = BTreeMap::new();
        let mut covering: Vec<Option<BTreeSet<usize>>> = Vec::new();
        for draft in drafts.iter() {
            let check = draft.finding.check;
            let found: Vec<Option<usize>> =
                draft.samples.iter().map(|&sample| self.first(context, check, sample)).collect();
            for (sample, entry) in draft.samples.iter().zip(&found) {
                let (Some(entry), Some((point, count))) = (entry, counts.get(sample)) else {
                    continue;
                };
                self.used.insert(*entry);
                *sums.entry((*entry, check)).or_default().entry(*point).or_default() += count;
            }
            // Nothing covers a finding unless each of its samples is covered.
            let whole: Option<BTreeSet<usize>> = found.into_iter().collect();
            covering.push(whole.filter(|entries| !entries.is_empty()));
        }
        for (draft, covering) in drafts.iter_mut().zip(covering) {
            let Some(covering) = covering else { continue };
            let too_much = covering.iter().find_map(|&at| {
                let max = self.entries[at].0.max?;
                let sums = sums.get(&(at, draft.finding.check))?;
                sums.values().any(|sum| *sum > max).then_some((at, max))
            });
            match too_much {
                Some((at, max)) => {
                    let origin = words(&self.entries[at].0.origin);
                    draft.finding.facts.insert("allowed".to_owned(), number(max));
                    draft.finding.facts.insert("allowed_by".to_owned(), origin);
                }
                None => draft.finding.suppressed = self.suppression(&covering),
            }
        }
    }

    fn suppression(&self, covering: &BTreeSet<usize>) -> Option<Suppression> {
        let (entry, baseline) = self.entries[*covering.first()?];
        let reason = match (entry.reason.as_str(), baseline) {
            ("", true) => "it is in the baseline".to_owned(),
            (reason, _) => reason.to_owned(),
        };
        Some(Suppression { source: entry.origin.clone(), reason, baseline })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::allow::{AllowList, baseline};
    use crate::leak::date::Date;
    use crate::leak::fixture::{Stage, allow};
    use crate::view::fixture::G;

    fn stage(text: &str) -> Stage {
        let mut stage = Stage::new(1);
        stage.options.at_end = true;
        for id in 10..15 {
            stage.at(0).add(G { id, creator: "kv.Start", ..G::default() });
        }
        stage.options.allow = vec![allow(text)];
        stage
    }

    fn covered(text: &str) -> Option<Suppression> {
        stage(text).findings("leftover").remove(0).suppressed
    }

    #[test]
    fn an_entry_covers_as_many_as_it_says() {
        let by = covered("[[allow]]\nfunction = 'main.work'\nmax = 5\nreason = 'pool'\n").unwrap();
        assert_eq!((by.source.as_str(), by.reason.as_str()), ("a.toml:1", "pool"));
        let mut stage = stage("[[allow]]\nfunction = 'main.work'\nmax = 4\n");
        let finding = stage.findings("leftover").remove(0);
        assert_eq!(finding.suppressed, None);
        assert_eq!(finding.facts["allowed"], number(4));
        assert!(stage.findings(UNUSED.name).is_empty(), "it matches, if too many");
    }

    #[test]
    fn entries_of_other_checks_do_not_cover_and_are_reported_only_if_they_could() {
        assert_eq!(covered("[[allow]]\nfunction = 'main.work'\ncheck = 'leaked'\n"), None);
        let unused = |text: &str| stage(text).findings(UNUSED.name).len();
        assert_eq!(unused("[[allow]]\nfunction = 'main.work'\ncheck = 'leaked'\n"), 1);
        assert_eq!(unused("[[allow]]\nfunction = 'main.work'\ncheck = 'growth'\n"), 0);
        assert_eq!(unused("[[allow]]\nfunction = 'main.work'\n"), 0);
    }

    #[test]
    fn a_finding_about_an_entry_has_what_the_entry_says_of_itself() {
        let text = "[[allow]]\nfunction = 'main.gone'\nowner = 'storage'\nreason = 'pool'\n";
        let facts = stage(text).findings(UNUSED.name).remove(0).facts;
        let facts: Vec<_> = facts.iter().map(|(name, fact)| (name.as_str(), fact)).collect();
        let (entry, owner, reason) = (words("a.toml:1"), words("storage"), words("pool"));
        assert_eq!(facts, [("entry", &entry), ("owner", &owner), ("reason", &reason)]);
    }

    #[test]
    fn an_entry_that_has_expired_covers_nothing_and_is_a_warning() {
        let text = |day: &str| format!("[[allow]]\nfunction = 'main.work'\nexpires = {day}\n");
        assert!(covered(&text("2026-11-21")).is_some(), "until the end of the day");
        assert_eq!(covered(&text("2026-11-20")), None);
        let findings = stage(&text("2026-11-20")).findings(EXPIRED.name);
        assert_eq!(findings[0].level, Level::Warning);
        assert_eq!(findings[0].text, "a.toml:1: the entry expired on 2026-11-20");
    }

    #[test]
    fn a_baseline_covers_what_it_was_written_of_and_not_more() {
        let mut old = stage("");
        let text = baseline(&old.review().findings, Date::read("2026-11-21").unwrap());
        assert!(text.contains("check = \"leftover\"\nfunction = \"main.work\"\ncreated_by = \"kv.Start\"\nkind = \"select\"\nmax = 5\n"), "{text}");
        assert!(covered(&text).is_some());
        let mut more = stage(&text);
        assert!(!more.review().has_baseline, "it was passed as an allow-list");
        let list = AllowList::read("b.toml", &text, &["leftover"], true).unwrap();
        more.options.allow = vec![list];
        assert!(more.review().has_baseline);
        more.at(0).add(G { id: 99, creator: "kv.Start", ..G::default() });
        assert_eq!(more.findings("leftover").remove(0).suppressed, None);
    }

    #[test]
    fn only_the_first_of_very_many_unused_entries_say_what_they_meant() {
        let text = "[[allow]]\nfunction = 'main.wrok'\n".repeat(SUGGESTIONS + 5);
        let unused = stage(&text).findings("unused-entry");
        let meant = unused.iter().filter(|one| one.text.contains("did you mean")).count();
        assert_eq!((unused.len(), meant), (SUGGESTIONS + 5, SUGGESTIONS));
    }
}
