//! A finding: what a check noticed, with the evidence for it.

use super::counts::Counts;
use crate::profile::{Frame, FrameId, InputId, Profile, SampleId, StackId, lossy};
use crate::view::rows::Origin;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How much a finding matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Note,
    /// Worth a look.
    Warning,
    /// Must not pass.
    Error,
}

impl Level {
    /// All levels, the least severe first.
    pub const ALL: [Level; 3] = [Level::Note, Level::Warning, Level::Error];

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Level> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// The name on the command line, in JSON and in SARIF.
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// How strong the evidence is, strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// The runtime says so, or it can't be otherwise.
    Proof,
    /// The goroutine still exists after all work was over.
    Lifecycle,
    /// It grows or persists from one point to the next.
    Growth,
    /// One dump looks like it.
    Suspicion,
    /// The stack has the shape of a known mistake.
    Shape,
}

impl Tier {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Proof => "proof",
            Tier::Lifecycle => "lifecycle",
            Tier::Growth => "growth",
            Tier::Suspicion => "suspicion",
            Tier::Shape => "shape",
        }
    }

    /// How much evidence of this strength weighs in a score.
    pub(super) fn weight(self) -> f64 {
        match self {
            Tier::Proof => 16.0,
            Tier::Lifecycle => 8.0,
            Tier::Growth => 4.0,
            Tier::Suspicion => 2.0,
            Tier::Shape => 1.0,
        }
    }
}

/// A piece of evidence.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Fact {
    /// A count or an age in minutes.
    Number(i64),
    /// A share, a slope.
    Real(f64),
    /// Anything that is said in words.
    Text(String),
}

/// A place in the source as the dump writes it, untrimmed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct SourceLocation {
    /// Function.
    pub func: String,
    /// File.
    pub file: String,
    /// Line.
    pub line: i64,
    /// Where the function's code comes from.
    #[serde(flatten)]
    pub origin: Origin,
}

impl SourceLocation {
    /// The place of a frame.
    pub fn of(profile: &Profile, frame: FrameId) -> SourceLocation {
        let Frame { func, file, line } = profile.frame(frame);
        let text = |text| lossy(profile.str(text));
        let origin = Origin::of(profile, frame);
        SourceLocation { func: text(func), file: text(file), line, origin }
    }
}

/// Why a finding doesn't count: an allow-list or baseline entry covers it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Suppression {
    /// The file of the entry, or `built-in`.
    pub source: String,
    /// The reason that the entry gives.
    pub reason: String,
    /// Whether the entry is in a baseline: the finding has been known since that was written.
    #[serde(skip)]
    pub baseline: bool,
}

/// What a check noticed about one group of goroutines: same creator, blocking user function and kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// How much it matters.
    pub level: Level,
    /// How strong the evidence is.
    pub tier: Tier,
    /// Higher is worse; orders findings of one level.
    pub score: f64,
    /// Category of its most frequent stack.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// Name of its most frequent stack.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Shape of its most frequent stack: the line-independent fingerprint.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shape: String,
    /// The blocking user function: the innermost frame outside the standard library; if there is none,
    /// the function that the goroutine was started with.
    #[serde(flatten, serialize_with = "as_function_and_place")]
    pub function: Option<SourceLocation>,
    /// The `go` statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<SourceLocation>,
    /// The kind of wait, `None` when they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Goroutines of the group at each point, as `diff` counts them.
    pub counts: Counts,
    /// The goroutines that are the evidence, the most at any point: those that wait for long, for
    /// instance, or that nothing explains. Entries must cover this many.
    pub found: i64,
    /// The names of the inputs that it concerns.
    pub inputs: Vec<String>,
    /// The one that it is about, where it is about no goroutines: of a crash, a race.
    #[serde(skip)]
    pub input: Option<InputId>,
    /// The processes at the last point with any of the goroutines, and how many each has: the most first.
    #[serde(serialize_with = "as_processes")]
    pub processes: Vec<(String, i64)>,
    /// The evidence.
    pub facts: BTreeMap<String, Fact>,
    /// One sentence for people.
    pub text: String,
    /// The entry that covers it, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppression>,
    /// The most frequent stack, if it is about goroutines.
    #[serde(skip)]
    pub stack: Option<StackId>,
}

impl Finding {
    /// The frames of the most frequent stack, leaf first. Each place is made when it is asked for: it takes
    /// 200 bytes and more, and the stacks of 60 findings may have 16 million frames.
    pub fn frames<'a>(
        &self,
        profile: &'a Profile,
    ) -> impl ExactSizeIterator<Item = SourceLocation> + Clone + use<'a> {
        let stack = self.stack.map_or(&[][..], |stack| profile.stack(stack));
        stack.iter().map(|&frame| SourceLocation::of(profile, frame))
    }
}

/// The name of the function as a field of its own, then its place.
fn as_function_and_place<S: Serializer>(
    place: &Option<SourceLocation>,
    out: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = out.serialize_map(None)?;
    if let Some(place) = place {
        fields.serialize_entry("function", &place.func)?;
        fields.serialize_entry("place", place)?;
    }
    fields.end()
}

fn as_processes<S: Serializer>(list: &[(String, i64)], out: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Row<'a> {
        name: &'a str,
        count: i64,
    }
    out.collect_seq(list.iter().map(|(name, count)| Row { name, count: *count }))
}

/// A finding that isn't complete yet, with what allow-lists need to know about it.
#[derive(Clone, Debug)]
pub(super) struct FindingBuilder {
    pub(super) finding: Finding,
    /// The samples it is about.
    pub(super) samples: Vec<SampleId>,
    /// Its position among the groups of the context, if it is about a group.
    pub(super) group: Option<usize>,
}

impl FindingBuilder {
    /// Sets the sentence.
    pub(super) fn says(mut self, text: String) -> FindingBuilder {
        self.finding.text = text;
        self
    }

    /// Adds a fact.
    pub(super) fn fact(mut self, name: &str, fact: Fact) -> FindingBuilder {
        self.finding.facts.insert(name.to_owned(), fact);
        self
    }

    /// How many goroutines it is about: the most at any one point.
    pub(super) fn count(&self) -> i64 {
        self.finding.found
    }
}

/// Rounded to three decimals: the rest is noise.
pub(super) fn round(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
