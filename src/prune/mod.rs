//! Pruning: which stacks are shown, and how much of each, by the options of `go tool pprof`.
//!
//! The options have the same meaning and order as there: pseudo frames for labels are added first, so
//! that the other options see them; then samples and frames are picked by name, samples by label, and
//! the rest is cut. If a profile has locations, an option that removes lines of a location removes them
//! from every stack that goes through it. Dumps have none; each of their frames is like a location.
//!
//! Before all of that, [`drop_frames`] removes the frames that a proto itself wants left out.

mod cut;
mod drop;
mod pseudo;
mod site;
mod tag;

pub use drop::drop_frames;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::unit::LabelUnits;
use crate::profile::{Call, Profile, SampleId};
use cut::{Cuts, Step};
use regex::bytes::{Regex, RegexBuilder};
use site::{Pattern, Sites};
use tag::TagFilter;

/// The options as typed; empty texts have no effect.
#[derive(Clone, Debug, Default)]
pub struct PruneOptions {
    /// Only samples with a frame that matches.
    pub focus: Option<String>,
    /// No samples with a frame that matches.
    pub ignore: Option<String>,
    /// No frames that match.
    pub hide: Option<String>,
    /// Only frames that match.
    pub show: Option<String>,
    /// Nothing above the outermost frame that matches.
    pub show_from: Option<String>,
    /// Nothing below the innermost frame that matches.
    pub prune_from: Option<String>,
    /// Only samples with a label that matches.
    pub tag_focus: Option<String>,
    /// No samples with a label that matches.
    pub tag_ignore: Option<String>,
    /// Only labels whose key matches.
    pub tag_show: Option<String>,
    /// No labels whose key matches.
    pub tag_hide: Option<String>,
    /// Keys of labels whose values become frames above all others, the first one outermost.
    pub tag_root: Option<String>,
    /// Keys of labels whose values become frames below all others, the last one innermost.
    pub tag_leaf: Option<String>,
    /// Only the function that others were inlined into.
    pub no_inlines: bool,
}

/// How to prune, compiled.
#[derive(Clone, Debug, Default)]
pub struct Prune {
    steps: Vec<(&'static str, Step)>,
    tag_focus: Option<TagFilter>,
    tag_ignore: Option<TagFilter>,
    tag_show: Option<Regex>,
    tag_hide: Option<Regex>,
    tag_root: Vec<String>,
    tag_leaf: Vec<String>,
}

/// The result of pruning.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    /// By sample: whether it is kept; `None` if all are.
    pub kept: Option<Vec<bool>>,
    /// Notes on options that matched nothing.
    pub notes: Vec<String>,
}

impl Prune {
    /// Compiles the options.
    ///
    /// # Errors
    /// Names the option, and points at what is wrong in its text.
    pub fn compile(asked: &PruneOptions) -> Result<Prune> {
        type MakeStep = fn(Pattern) -> Step;
        let steps: [(&'static str, &Option<String>, MakeStep); 6] = [
            ("--ignore", &asked.ignore, Step::Ignore),
            ("--focus", &asked.focus, Step::Focus),
            ("--hide", &asked.hide, Step::Hide),
            ("--show", &asked.show, Step::Show),
            ("--show-from", &asked.show_from, Step::ShowFrom),
            ("--prune-from", &asked.prune_from, Step::PruneFrom),
        ];
        let mut compiled = Vec::new();
        for (option, text, step) in steps {
            if let Some(regex) = regex(option, text.as_deref())? {
                compiled.push((option, step(Pattern::new(regex))));
            }
        }
        if asked.no_inlines {
            compiled.push(("--noinlines", Step::NoInlines));
        }
        let keys = |text: &Option<String>| -> Vec<String> {
            let keys = text.iter().flat_map(|text| text.split(','));
            keys.filter(|key| !key.is_empty()).map(str::to_owned).collect()
        };
        Ok(Prune {
            steps: compiled,
            tag_focus: TagFilter::compile("--tagfocus", asked.tag_focus.as_deref())?,
            tag_ignore: TagFilter::compile("--tagignore", asked.tag_ignore.as_deref())?,
            tag_show: regex("--tagshow", asked.tag_show.as_deref())?,
            tag_hide: regex("--taghide", asked.tag_hide.as_deref())?,
            tag_root: keys(&asked.tag_root),
            tag_leaf: keys(&asked.tag_leaf),
        })
    }

    /// Whether it leaves everything as it is.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
            && self.tag_focus.is_none()
            && self.tag_ignore.is_none()
            && self.tag_show.is_none()
            && self.tag_hide.is_none()
            && self.tag_root.is_empty()
            && self.tag_leaf.is_empty()
    }

    /// Prunes a profile. Its samples stay in it; the result says which of them are kept.
    ///
    /// # Errors
    /// If labels would add more frames than [`tag_frames`](crate::limits::Limits::tag_frames).
    pub fn apply(&self, profile: &mut Profile) -> Result<Pruned> {
        let mut pruned = Pruned::default();
        if self.is_empty() {
            return Ok(pruned);
        }
        self.check_tag_frames(profile.samples.len())?;
        let mut matched = Matched::default();
        let units = LabelUnits::new(profile);
        let kept_by_tags = self.filter_by_tags(profile, &units, &mut matched);
        self.add_pseudo_frames(profile, &mut matched);
        let mut kept = self.cut(profile, &kept_by_tags, &mut matched);
        self.filter_tags(profile, &mut matched);
        for (kept, by_tags) in kept.iter_mut().zip(kept_by_tags) {
            *kept &= by_tags;
        }
        pruned.notes = matched.notes(profile);
        pruned.kept = Some(kept);
        Ok(pruned)
    }

    /// Fails if labels would add too many frames to so many samples: one for each of their keys.
    fn check_tag_frames(&self, samples: usize) -> Result<()> {
        let (roots, leaves) = (self.tag_root.len(), self.tag_leaf.len());
        let (added, most) = (samples.saturating_mul(roots + leaves), LIMITS.tag_frames);
        if added <= most {
            return Ok(());
        }
        let option = if roots >= leaves { "--tagroot" } else { "--tagleaf" };
        let what = format!(
            "{} keys for {samples} samples add more than {most} frames (tag_frames)",
            roots + leaves
        );
        Err(Error::new(ErrorKind::Limit, option, what).advise("name fewer keys"))
    }

    fn filter_by_tags(
        &self,
        profile: &Profile,
        units: &LabelUnits,
        matched: &mut Matched,
    ) -> Vec<bool> {
        let mut test = |option, filter: &Option<TagFilter>, sample| {
            let filter = filter.as_ref()?;
            let holds = filter.holds(profile, units, sample);
            matched.note(option, holds);
            Some(holds)
        };
        let samples = profile.samples();
        samples
            .map(|(sample, _)| {
                let focused = test("--tagfocus", &self.tag_focus, sample).unwrap_or(true);
                let ignored = test("--tagignore", &self.tag_ignore, sample).unwrap_or(false);
                focused && !ignored
            })
            .collect()
    }

    fn add_pseudo_frames(&self, profile: &mut Profile, matched: &mut Matched) {
        if self.tag_root.is_empty() && self.tag_leaf.is_empty() {
            return;
        }
        let mut pseudo = pseudo::PseudoFrames::default();
        let ids: Vec<SampleId> = profile.samples().map(|(id, _)| id).collect();
        for id in ids {
            let (root, root_set) = pseudo.of(profile, id, &self.tag_root);
            let (leaf, leaf_set) = pseudo.of(profile, id, &self.tag_leaf);
            if !self.tag_root.is_empty() {
                matched.note("--tagroot", root_set);
            }
            if !self.tag_leaf.is_empty() {
                matched.note("--tagleaf", leaf_set);
            }
            let call = |&(frame, _): &(_, _)| Call { frame, shown: Some(frame) };
            let mut calls: Vec<Call> = leaf.iter().map(call).collect();
            calls.extend(profile.calls(id));
            calls.extend(root.iter().map(call));
            let mut locations: Vec<_> = leaf.iter().map(|&(_, location)| location).collect();
            locations.extend_from_slice(profile.sample_locations(id));
            locations.extend(root.iter().map(|&(_, location)| location));
            profile.set_calls(id, &calls, &locations);
        }
    }

    /// Applies the options that match frames; returns which samples are left.
    fn cut(&self, profile: &mut Profile, by_tags: &[bool], matched: &mut Matched) -> Vec<bool> {
        let mut kept = vec![true; by_tags.len()];
        if self.steps.is_empty() {
            return kept;
        }
        let mut sites = Sites::new(profile);
        let cuts = Cuts::new(&self.steps, profile, &mut sites, &|_| true);
        for (option, any) in cuts.matched() {
            matched.note(option, any);
        }
        let ids: Vec<SampleId> = profile.samples().map(|(id, _)| id).collect();
        for id in ids {
            match cuts.of(profile, &sites, id) {
                Some((calls, locations)) => profile.set_calls(id, &calls, &locations),
                None => kept[id.index()] = false,
            }
        }
        cuts.change_locations(profile);
        kept
    }

    fn filter_tags(&self, profile: &mut Profile, matched: &mut Matched) {
        if self.tag_show.is_none() && self.tag_hide.is_none() {
            return;
        }
        let ids: Vec<SampleId> = profile.samples().map(|(id, _)| id).collect();
        for id in ids {
            for label in profile.all_labels(id) {
                let key = profile.str(label.key);
                if let Some(show) = &self.tag_show {
                    matched.note("--tagshow", show.is_match(key));
                }
                if let Some(hide) = &self.tag_hide {
                    matched.note("--taghide", hide.is_match(key));
                }
            }
            profile.retain_labels(id, &|key| {
                self.tag_show.as_ref().is_none_or(|show| show.is_match(key))
                    && !self.tag_hide.as_ref().is_some_and(|hide| hide.is_match(key))
            });
        }
    }
}

/// Whether each option matched anything.
#[derive(Debug, Default)]
struct Matched(Vec<(&'static str, bool)>);

impl Matched {
    fn note(&mut self, option: &'static str, any: bool) {
        match self.0.iter_mut().find(|(known, _)| *known == option) {
            Some((_, matched)) => *matched |= any,
            None => self.0.push((option, any)),
        }
    }

    fn notes(&self, profile: &Profile) -> Vec<String> {
        if profile.samples.is_empty() {
            return Vec::new();
        }
        let unmatched = self.0.iter().filter(|(_, any)| !any);
        unmatched.map(|(option, _)| format!("{option} matches nothing")).collect()
    }
}

fn regex(option: &str, text: Option<&str>) -> Result<Option<Regex>> {
    let text = text.filter(|text| !text.is_empty());
    text.map(|text| pattern(option, text)).transpose()
}

fn pattern(option: &str, text: &str) -> Result<Regex> {
    let built = RegexBuilder::new(text).size_limit(LIMITS.regex_bytes).build();
    built.map_err(|error| Error::regex(option, text, &error))
}

#[cfg(test)]
mod tests;
