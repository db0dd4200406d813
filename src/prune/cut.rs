//! What is left of each site and of each stack.

use super::site::{Pattern, Site, Sites};
use crate::profile::{Call, InputId, Line, LocationId, Profile, SampleId};

/// An option that matches frames.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Ignore(Pattern),
    Focus(Pattern),
    Hide(Pattern),
    Show(Pattern),
    ShowFrom(Pattern),
    PruneFrom(Pattern),
    NoInlines,
    /// Frames that match the first pattern and not the second.
    Drop(Pattern, Option<Pattern>),
}

/// The effect of the options on a site.
#[derive(Clone, Debug, Default)]
struct Cut {
    ignored: bool,
    focused: bool,
    hidden: bool,
    show_from: bool,
    prune_from: bool,
    dropped: bool,
    dropped_below: bool,
    /// Positions of the lines that are left; `None` if all are.
    lines: Option<Vec<usize>>,
}

/// The effect of the options on every site.
#[derive(Debug)]
pub(super) struct Cuts {
    cuts: Vec<Cut>,
    matched: Vec<(&'static str, bool)>,
    /// Whether samples without any frame are dropped, as pprof does for options that match names.
    by_name: bool,
    focus: bool,
    show_from: bool,
    prune_from: bool,
    drop: bool,
}

impl Cuts {
    /// Applies the steps to the sites that samples of these inputs go through.
    pub(super) fn new(
        steps: &[(&'static str, Step)],
        profile: &Profile,
        sites: &mut Sites,
        wanted: &dyn Fn(InputId) -> bool,
    ) -> Cuts {
        let has = |wanted: fn(&Step) -> bool| steps.iter().any(|(_, step)| wanted(step));
        let mut cuts = Cuts {
            cuts: vec![Cut::default(); sites.len()],
            matched: Vec::new(),
            by_name: has(|step| {
                matches!(step, Step::Ignore(_) | Step::Focus(_) | Step::Hide(_) | Step::Show(_))
            }),
            focus: has(|step| matches!(step, Step::Focus(_))),
            show_from: has(|step| matches!(step, Step::ShowFrom(_))),
            prune_from: has(|step| matches!(step, Step::PruneFrom(_))),
            drop: has(|step| matches!(step, Step::Drop(..))),
        };
        let used = used(profile, sites, wanted);
        let all: Vec<Site> = sites.all().filter(|site| used[sites.index(*site)]).collect();
        for (option, step) in steps {
            let mut step = step.clone();
            let mut any = matches!(step, Step::NoInlines);
            for site in &all {
                let cut = &mut cuts.cuts[sites.index(*site)];
                any |= step.apply(profile, sites, site, cut);
            }
            cuts.matched.push((option, any));
        }
        cuts
    }

    /// Each option, and whether anything matched it.
    pub(super) fn matched(&self) -> impl Iterator<Item = (&'static str, bool)> + '_ {
        self.matched.iter().copied()
    }

    /// What is left of a sample's stack: its calls, and its locations if it has any.
    pub(super) fn of(
        &self,
        profile: &Profile,
        sites: &Sites,
        sample: SampleId,
    ) -> Option<(Vec<Call>, Vec<LocationId>)> {
        let mut stack = stack(profile, sites, sample);
        let cut = |site: &Site| &self.cuts[sites.index(*site)];
        if self.by_name {
            let ignored = stack.iter().any(|(site, _)| cut(site).ignored);
            let focused = stack.iter().any(|(site, _)| !self.focus || cut(site).focused);
            if ignored || !focused {
                return None;
            }
            stack.retain(|(site, _)| !cut(site).hidden);
            if stack.is_empty() {
                return None;
            }
        }
        if self.show_from {
            let outermost = stack.iter().rposition(|(site, _)| cut(site).show_from)?;
            stack.truncate(outermost + 1);
        }
        if self.prune_from {
            let innermost = stack.iter().position(|(site, _)| cut(site).prune_from);
            stack.drain(..innermost.unwrap_or(0));
        }
        if self.drop {
            // Not above the outermost frame that isn't dropped: something has to be left.
            let kept = |cut: &Cut| !cut.dropped && !cut.dropped_below;
            let outermost = stack.iter().rposition(|(site, _)| kept(cut(site))).unwrap_or(0);
            let below = stack[..outermost].iter().rposition(|(site, _)| !kept(cut(site)));
            if let Some(at) = below {
                stack.drain(..at + usize::from(cut(&stack[at].0).dropped));
            }
        }
        let locations = stack.iter().filter_map(|(site, _)| match site {
            Site::Location(location) => Some(*location),
            Site::Frame(_) => None,
        });
        let locations = locations.collect();
        let calls = stack.into_iter().flat_map(|(site, calls)| match &cut(&site).lines {
            // A location without lines is a call of its address.
            Some(lines) if !lines.is_empty() => {
                lines.iter().filter_map(|&at| calls.get(at).copied()).collect()
            }
            _ => calls,
        });
        Some((calls.collect(), locations))
    }

    /// Removes the lines that were cut from the locations themselves.
    pub(super) fn change_locations(&self, profile: &mut Profile) {
        let locations: Vec<LocationId> = profile.locations().map(|(id, _)| id).collect();
        for (location, cut) in locations.into_iter().zip(&self.cuts) {
            if let Some(kept) = &cut.lines {
                let lines = profile.lines(location);
                let lines: Vec<Line> = kept.iter().map(|&at| lines[at]).collect();
                profile.set_lines(location, &lines);
            }
        }
    }
}

/// The sites that any sample of these inputs goes through.
fn used(profile: &Profile, sites: &Sites, wanted: &dyn Fn(InputId) -> bool) -> Vec<bool> {
    let mut used = vec![false; sites.len()];
    for (id, sample) in profile.samples().filter(|(_, sample)| wanted(sample.key.input)) {
        match profile.sample_locations(id) {
            [] => {
                let frames = profile.stack(sample.key.full).iter();
                frames.for_each(|&frame| used[sites.index(Site::Frame(frame))] = true);
            }
            locations => {
                let locations = locations.iter();
                locations.for_each(|&at| used[sites.index(Site::Location(at))] = true);
            }
        }
    }
    used
}

/// The sites of a sample, leaf first, each with its calls.
fn stack(profile: &Profile, sites: &Sites, sample: SampleId) -> Vec<(Site, Vec<Call>)> {
    let mut calls = profile.calls(sample).into_iter();
    match profile.sample_locations(sample) {
        [] => calls.map(|call| (Site::Frame(call.frame), vec![call])).collect(),
        locations => locations
            .iter()
            .map(|&location| {
                let site = Site::Location(location);
                let count = sites.lines(&site).len().max(1);
                (site, calls.by_ref().take(count).collect())
            })
            .collect(),
    }
}

impl Step {
    /// Applies this option to a site; returns whether it matches.
    fn apply(&mut self, profile: &Profile, sites: &Sites, site: &Site, cut: &mut Cut) -> bool {
        let frames = sites.lines(site);
        let mapping = sites.mapping(*site);
        let left = cut.lines.clone().unwrap_or_else(|| (0..frames.len()).collect());
        match self {
            Step::Ignore(pattern) => {
                cut.ignored = pattern.matches_mapping(profile, mapping)
                    || frames.iter().any(|&frame| pattern.matches_frame(profile, frame));
                cut.ignored
            }
            Step::Focus(pattern) => {
                cut.focused = pattern.matches_mapping(profile, mapping)
                    || frames.iter().any(|&frame| pattern.matches_frame(profile, frame));
                cut.focused
            }
            Step::Hide(pattern) => {
                let all = pattern.matches_mapping(profile, mapping);
                let kept: Vec<usize> = left
                    .iter()
                    .copied()
                    .filter(|&at| !all && !pattern.matches_frame(profile, frames[at]))
                    .collect();
                let any = all || kept.len() < left.len();
                if any {
                    cut.hidden |= kept.is_empty();
                    cut.lines = Some(kept);
                }
                any
            }
            Step::Show(pattern) => {
                let all = pattern.matches_mapping(profile, mapping);
                let kept: Vec<usize> = left
                    .iter()
                    .copied()
                    .filter(|&at| all || pattern.matches_frame(profile, frames[at]))
                    .collect();
                let any = !kept.is_empty();
                cut.hidden |= kept.is_empty();
                if kept.len() < left.len() {
                    cut.lines = Some(kept);
                }
                any
            }
            Step::ShowFrom(pattern) => {
                if pattern.matches_mapping(profile, mapping) {
                    cut.show_from = true;
                    return true;
                }
                let outermost =
                    left.iter().rposition(|&at| pattern.matches_frame(profile, frames[at]));
                let Some(outermost) = outermost else { return false };
                cut.show_from = true;
                if outermost + 1 < left.len() {
                    cut.lines = Some(left[..=outermost].to_vec());
                }
                true
            }
            Step::PruneFrom(pattern) => {
                let mut lines = left.iter();
                let innermost =
                    lines.position(|&at| pattern.matches_simplified(profile, frames[at]));
                let Some(innermost) = innermost else { return false };
                cut.prune_from = true;
                if innermost > 0 {
                    cut.lines = Some(left[innermost..].to_vec());
                }
                true
            }
            Step::Drop(drop, keep) => {
                let mut is_dropped = |&at: &usize| {
                    drop.matches_simplified(profile, frames[at])
                        && !keep
                            .as_mut()
                            .is_some_and(|keep| keep.matches_simplified(profile, frames[at]))
                };
                let mut lines = left.iter();
                let Some(outermost) = lines.rposition(&mut is_dropped) else { return false };
                cut.dropped = outermost + 1 == left.len();
                cut.dropped_below = !cut.dropped;
                if cut.dropped_below {
                    cut.lines = Some(left[outermost + 1..].to_vec());
                }
                true
            }
            Step::NoInlines => {
                if let [.., outermost] = left[..]
                    && left.len() > 1
                {
                    cut.lines = Some(vec![outermost]);
                }
                true
            }
        }
    }
}
