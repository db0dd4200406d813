//! Inputs: where each came from, what was read of it, what was lost.

use super::{Captured, Crash, Header, InputFormat, LabelsId};
use serde::{Deserialize, Serialize};

/// One process's dump: a file, a member of an archive, or a part of a stream that held several.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Short name, unique in a profile.
    pub name: String,
    /// Whether it was read from tables: then its name is the one that was exported.
    pub is_from_tables: bool,
    /// Where it was read: `bundle.zip!nodes/1/stacks.txt`.
    pub path: String,
    /// Which argument it came from, counted from 0: a point in time for `diff` and `check`.
    pub point: usize,
    /// Its path inside that argument, by which processes are paired across points.
    pub member: String,
    /// The format of its bytes.
    pub format: InputFormat,
    /// Labels from its path: `node=3`.
    pub labels: LabelsId,
    /// Goroutines that the input itself announces (`goroutine profile: total 1404`).
    pub announced: Option<i64>,
    /// Goroutines understood: the sum of its samples; 0 if they count something else.
    pub goroutines: i64,
    /// What the reader saw.
    pub seen: Seen,
    /// What the input says about all its samples together.
    pub header: Header,
    /// The crash, if the text has one.
    pub crash: Option<Crash>,
    /// Later crashes, which didn't end the process: in handlers of HTTP requests.
    pub later_crashes: Vec<Crash>,
    /// Data from the memory of its process, if that was read.
    pub captured: Option<Box<Captured>>,
    /// Problems with it, in the order of the input.
    pub warnings: Vec<Warning>,
    /// Whether reading it ended in an error, which is one of the problems of its profile. An export also marks an
    /// input so if something beside it could not be read.
    pub has_failed: bool,
}

impl Input {
    /// An input from which nothing has been read yet.
    pub fn new(name: &str, path: &str, format: InputFormat) -> Input {
        Input {
            name: name.to_owned(),
            is_from_tables: false,
            path: path.to_owned(),
            point: 0,
            member: String::new(),
            format,
            labels: LabelsId::NONE,
            announced: None,
            goroutines: 0,
            seen: Seen::default(),
            header: Header::default(),
            crash: None,
            later_crashes: Vec::new(),
            captured: None,
            warnings: Vec::new(),
            has_failed: false,
        }
    }

    /// The part of its path that names the argument in which it was found; the whole path if the argument is
    /// the file itself.
    pub fn argument(&self) -> &str {
        self.path.strip_suffix(&self.member).unwrap_or(&self.path)
    }

    /// Whether it is the message of a crash without any goroutine, so that it measures nothing.
    pub fn is_message(&self) -> bool {
        self.crash.is_some() && self.seen.headers == 0
    }

    /// Whether everything that the input holds was understood.
    pub fn complete(&self) -> bool {
        !self.has_failed && self.warnings.iter().all(|warning| !warning.kind.means_loss())
    }

    /// Adds a warning. Beyond [`crate::limits::Limits::warnings_per_input`] of a kind, only the
    /// number in the last warning of that kind grows.
    pub fn warn(&mut self, kind: WarningKind, line: Option<u64>, text: impl Into<String>) {
        let cap = crate::limits::LIMITS.warnings_per_input;
        let same = self.warnings.iter().filter(|w| w.kind == kind).count();
        if same >= cap {
            if let Some(last) = self.warnings.iter_mut().rev().find(|w| w.kind == kind) {
                last.more += 1;
            }
            return;
        }
        self.warnings.push(Warning { kind, line, text: text.into(), more: 0 });
    }
}

/// Counts kept while reading, next to what was understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// Goroutine headers, or records of a count profile.
    pub headers: u64,
    /// Lines inside a goroutine that aren't part of a dump.
    pub foreign_lines: u64,
    /// Lines before, between and after dumps.
    pub text_lines: u64,
    /// Goroutines whose text was cut.
    pub partial: u64,
    /// Goroutines with frames elided by Go.
    pub elided: u64,
    /// Goroutines without a stack (`stack unavailable`).
    pub unavailable: u64,
    /// Race reports.
    pub race_reports: u64,
}

impl Seen {
    /// Adds the counts of another part of the same input.
    pub fn add(&mut self, other: &Seen) {
        let Seen { headers, foreign_lines, text_lines, partial, elided, unavailable, race_reports } =
            *other;
        for (sum, more) in [
            (&mut self.headers, headers),
            (&mut self.foreign_lines, foreign_lines),
            (&mut self.text_lines, text_lines),
            (&mut self.partial, partial),
            (&mut self.elided, elided),
            (&mut self.unavailable, unavailable),
            (&mut self.race_reports, race_reports),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}

/// A problem that a reader noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What kind of problem.
    pub kind: WarningKind,
    /// The line of the input, counted from 1, if it is in one.
    pub line: Option<u64>,
    /// One sentence for people.
    pub text: String,
    /// How many more of this kind were left out of the list after this one.
    pub more: u64,
}

/// Kinds of warnings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// A goroutine whose text was cut, or that lacks a part.
    Partial,
    /// A line inside a goroutine that isn't part of a dump.
    ForeignLine,
    /// The announced total isn't the sum of what was read.
    Total,
    /// The text is exactly as long as net/http/pprof lets it become.
    Truncated,
    /// A line that looks like a goroutine's header and isn't one.
    Header,
    /// Lines that look like headers of goroutines and were read as something else, or not at all.
    UnreadHeader,
    /// Labels that aren't written the way Go writes them.
    Labels,
    /// A goroutine id that occurs twice in one input.
    RepeatedId,
    /// Bytes that aren't UTF-8, shown with replacement characters in JSON.
    NotUtf8,
    /// A line longer than the limit was cut.
    LongLine,
    /// Bytes after the end of a compressed stream or a size that doesn't agree with its container.
    Container,
    /// Nothing is lost, but it is worth knowing.
    Note,
}

impl WarningKind {
    /// Whether the input is incomplete because of it.
    pub fn means_loss(self) -> bool {
        !matches!(self, WarningKind::RepeatedId | WarningKind::NotUtf8 | WarningKind::Note)
    }
}
