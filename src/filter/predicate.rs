//! Predicates: the single tests that conditions consist of.

use super::frame::{At, FramePart};
use super::id::IdSet;
use super::label::LabelPredicate;
use super::pattern::{Pattern, Patterns};
use super::text::Needle;
use super::truth::Condition;
use super::wait::Interval;

/// One test of a goroutine. The groups of variants differ in how often it is evaluated.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    // Once for each unique stack.
    /// A part of a frame; for [`At::Creator`] once for each group.
    Frame(At, FramePart, Pattern),
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
    /// The state; `unknown` if the input doesn't print it.
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
    /// The minutes waited; undecided if they aren't known.
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

/// The predicates of one filter, collected while its conditions are built.
#[derive(Debug)]
pub(super) struct Predicates {
    pub(super) list: Vec<Predicate>,
    pub(super) patterns: Patterns,
}

impl Predicates {
    pub(super) fn new() -> Predicates {
        Predicates { list: Vec::new(), patterns: Patterns::new() }
    }

    /// Adds a predicate and returns the condition that it holds.
    pub(super) fn add(&mut self, predicate: Predicate) -> Condition {
        self.list.push(predicate);
        Condition::Holds(self.list.len() - 1)
    }

    /// The condition that a text is in the stack, in a label, or in an id.
    pub(super) fn text(&mut self, text: &str) -> Condition {
        let needle = Needle::new(text);
        Condition::Any(vec![
            self.add(Predicate::StackText(needle.clone())),
            self.add(Predicate::LabelText(needle.clone())),
            self.add(Predicate::IdText(needle)),
        ])
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
