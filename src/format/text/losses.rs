//! What one input has lost, as far as its text shows it.

use crate::profile::{InputId, WarningKind};

/// A kind of lines that weren't read as what they are, or that show that others are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loss {
    /// They look like headers of goroutines.
    Header,
    /// A crash without the first line of its message.
    Crash,
    /// Frames without the header of their goroutine or profile.
    Frame,
    /// Quoted texts of a log without a closing quote, which may have been longer.
    Quote,
    /// NUL or 0xff bytes stand for missing text.
    Hole,
    /// The first goroutines of lists of goleak without their end.
    List,
    /// Records of a log beside goroutines that can't be read.
    Record,
    /// Lines beside goroutines that say that text was left out.
    Notice,
    /// Last lines of profiles that break off.
    Line,
    /// Lines behind a dump that start something compressed.
    Packed,
    /// Lines that speak of reports of the race detector that aren't in the text.
    Race,
}

impl Loss {
    /// All kinds as they are declared; they are told in this order.
    const ALL: [Loss; 11] = [
        Loss::Header,
        Loss::Crash,
        Loss::Frame,
        Loss::Quote,
        Loss::Hole,
        Loss::List,
        Loss::Record,
        Loss::Notice,
        Loss::Line,
        Loss::Packed,
        Loss::Race,
    ];

    fn told(self, count: u64) -> (WarningKind, String) {
        let (kind, text) = match self {
            Loss::Header if count > 1 => {
                let text = format!(
                    "{count} lines look like headers of goroutines and weren't read as such"
                );
                return (WarningKind::UnreadHeader, text);
            }
            Loss::Header => (
                WarningKind::UnreadHeader,
                "a line looks like the header of a goroutine and wasn't read as one",
            ),
            Loss::Crash => {
                (WarningKind::Truncated, "the message of a crash has lost its first line")
            }
            Loss::Frame => (
                WarningKind::Partial,
                "frames without the header of their goroutine or profile were skipped",
            ),
            Loss::Quote => (
                WarningKind::Truncated,
                "a quoted text or a record breaks off: what follows in it is missing",
            ),
            Loss::Hole => (
                WarningKind::Truncated,
                "NUL or 0xff bytes stand where a part of the text is missing",
            ),
            Loss::List => (
                WarningKind::Truncated,
                "a list of goleak has no closing bracket: goroutines may be missing",
            ),
            Loss::Record => {
                (WarningKind::Truncated, "a record of the log beside goroutines can't be read")
            }
            Loss::Notice => (
                WarningKind::Truncated,
                "a line beside goroutines or records says that text was left out there",
            ),
            Loss::Line => (WarningKind::Truncated, "the last line of the profile breaks off"),
            Loss::Packed => (
                WarningKind::Truncated,
                "something compressed stands behind a dump and wasn't read",
            ),
            Loss::Race => (
                WarningKind::Truncated,
                "a line tells of a data race whose report isn't in the text, or not whole",
            ),
        };
        (kind, text.to_owned())
    }
}

/// How many lines, the number of the first one, and the input at that point.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    count: u64,
    first: u64,
    input: Option<InputId>,
}

/// The lines of each kind.
#[derive(Debug, Default)]
pub(super) struct Losses([Lines; Loss::ALL.len()]);

/// A warning about the lines of one kind.
pub(super) struct ToldLoss {
    pub(super) loss: Loss,
    pub(super) kind: WarningKind,
    pub(super) text: String,
    /// The number of the first line.
    pub(super) line: u64,
    pub(super) input: Option<InputId>,
}

impl Losses {
    pub(super) fn add(&mut self, loss: Loss, count: u64, first: u64, input: Option<InputId>) {
        let Some(lines) = self.0.get_mut(loss as usize) else { return };
        if lines.count == 0 && count > 0 {
            (lines.first, lines.input) = (first, input);
        }
        lines.count = lines.count.saturating_add(count);
    }

    /// The number of lines of all kinds.
    pub(super) fn lines(&self) -> u64 {
        self.0.iter().fold(0, |all, lines| all.saturating_add(lines.count))
    }

    /// The first line of a kind.
    pub(super) fn first(&self, loss: Loss) -> Option<u64> {
        self.0.get(loss as usize).filter(|lines| lines.count > 0).map(|lines| lines.first)
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|lines| lines.count == 0)
    }

    /// A warning for each kind that there is.
    pub(super) fn told(&self) -> Vec<ToldLoss> {
        let found = Loss::ALL.iter().zip(&self.0).filter(|(_, lines)| lines.count > 0);
        let told = found.map(|(&loss, lines)| {
            let (kind, text) = loss.told(lines.count);
            ToldLoss { loss, kind, text, line: lines.first, input: lines.input }
        });
        told.collect()
    }
}
