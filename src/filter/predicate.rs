//! Predicates: the single questions that conditions are made of, by what they look at.

use super::frame::{At, Part};
use super::id::IdSet;
use super::label::LabelPredicate;
use super::pattern::Pattern;
use super::text::Needle;
use super::wait::Interval;

/// One question about a goroutine. Where it stands in this list says how often it is asked.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    // Once for each unique stack.
    /// A part of a frame; for [`At::Creator`] once for each group.
    Frame(At, Part, Pattern),
    /// Text anywhere in the stack.
    StackText(Needle),
    /// The name of the stack.
    Name(Pattern),
    /// The category of the stack.
    Category(Pattern),
    /// How many frames the stack has.
    Depth(Integers),

    // Once for each group.
    /// Text in a label, a flag or the state.
    LabelText(Needle),
    /// The state; `unknown` where the input doesn't tell.
    State(Pattern),
    /// The name of the kind.
    Kind(Pattern),
    /// The name of the input.
    Input(Pattern),
    /// A label.
    Label(LabelPredicate),
    /// Any flag.
    Flag(Pattern),
    /// How many goroutines the group has.
    Count(Integers),

    // Once for each goroutine, unless all of a group are alike.
    /// Text in the id as printed.
    IdText(Needle),
    /// One of these ids.
    Id(IdSet),
    /// The id as a number.
    IdNumber(Integers),
    /// The id of the creator.
    CreatorId(Integers),
    /// The minutes waited; undecided where they aren't known.
    Wait(Interval),
    /// Whether the wait is known.
    WaitKnown,
}

impl Predicate {
    /// Whether it looks at single goroutines.
    pub(super) fn needs_goroutines(&self) -> bool {
        matches!(
            self,
            Predicate::IdText(_)
                | Predicate::Id(_)
                | Predicate::IdNumber(_)
                | Predicate::CreatorId(_)
                | Predicate::Wait(_)
                | Predicate::WaitKnown
        )
    }
}

/// Whole numbers from one to another, both included; wide enough for every id and count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integers {
    pub(super) from: i128,
    pub(super) to: i128,
}

impl Integers {
    pub(super) fn contains(self, number: impl Into<i128>) -> bool {
        let number = number.into();
        self.from <= number && number <= self.to
    }
}
