//! The name of each stack, and which rules made it: the document `stackgazer.name/1`.

use crate::filter::Selection;
use crate::group::ids;
use crate::profile::{FrameId, Profile, StackId, WaitRange, lossy};
use crate::rules::{Explainer, List, Names, Rule, RuleSet, Spec};
use crate::view::rows::{Origin, Text};
use crate::view::table::Order;
use crate::view::table::part::selected;
use crate::view::values::quantity::Quantity;
use serde::{Serialize, Serializer};
use std::cmp::Reverse;

/// The selected stacks, with their names.
#[derive(Clone, Debug, Serialize)]
pub struct NameView<'a> {
    /// The quantity of the totals.
    #[serde(rename = "value", skip_serializing_if = "Quantity::is_of_goroutines")]
    pub quantity: Quantity,
    /// Goroutines of all stacks, or their value.
    pub total: i64,
    /// The stacks, in [`Options::order`].
    pub stacks: Stacks<'a>,
    /// How many stacks the limit left out.
    pub more: usize,
    /// Rules without an effect on any of the stacks, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<Vec<RuleRow<'a>>>,
    /// How many of those rules the limit left out.
    #[serde(skip_serializing_if = "is_none")]
    pub more_unused: usize,
}

fn is_none(number: &usize) -> bool {
    *number == 0
}

/// Stacks, each of which is explained when it is written: a frame takes 150 bytes, and a proto of 70 KB can have 16
/// million of them.
#[derive(Clone, Debug)]
pub struct Stacks<'a> {
    profile: &'a Profile,
    names: &'a Names,
    rules: &'a RuleSet,
    totals: Vec<(StackId, i64)>,
}

impl<'a> Stacks<'a> {
    /// The stacks with their explanations.
    pub fn explained(&self) -> impl Iterator<Item = Stack<'a>> {
        let Stacks { profile, names, rules, .. } = *self;
        let mut explainer = Explainer::new(rules, profile);
        let totals = self.totals.iter();
        totals.map(move |&(stack, total)| stack_row(profile, names, &mut explainer, stack, total))
    }

    /// The category, the name and the total of each stack.
    pub fn named(&self) -> impl Iterator<Item = (Text<'a>, Text<'a>, i64)> {
        let Stacks { profile, names, .. } = *self;
        self.totals.iter().map(move |&(stack, total)| {
            (Text(names.category(stack)), Text(names.name(profile, stack)), total)
        })
    }
}

impl Serialize for Stacks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.explained())
    }
}

/// A stack.
#[derive(Clone, Debug, Serialize)]
pub struct Stack<'a> {
    /// Its id: equal stacks have equal ids, everywhere.
    pub id: String,
    /// Its name: what it is doing now.
    pub name: Text<'a>,
    /// The name that it shares with other stacks of its category, if `name.distinct` changed it.
    pub shared_name: Option<String>,
    /// Its category: where it comes from.
    pub category: Text<'a>,
    /// How many of its goroutines are selected, or its value.
    pub total: i64,
    /// Its frames, leaf first, after trimming.
    pub frames: Vec<Frame<'a>>,
    /// Rules that trimmed the functions taken for the name.
    pub trims: Vec<RuleRow<'a>>,
    /// The rule that picked the category; `None` if that is only the start of the function.
    pub category_rule: Option<RuleRow<'a>>,
}

/// A frame, and its role in the name.
#[derive(Clone, Debug, Serialize)]
pub struct Frame<'a> {
    /// The frame as the input has it.
    #[serde(skip)]
    pub frame: FrameId,
    /// Function.
    pub func: Text<'a>,
    /// File.
    pub file: Text<'a>,
    /// Line.
    pub line: i64,
    /// Where its code comes from.
    #[serde(flatten)]
    pub origin: Origin,
    /// `skip`, `fold`, `while`, `take`, `find`; `None` if it wasn't needed.
    pub step: Option<&'static str>,
    /// The rule that decided it.
    pub rule: Option<RuleRow<'a>>,
    /// Whether it decides the category.
    pub category: bool,
}

/// A rule and its list. Each frame of each stack can have one, and a rule a megabyte of text, so it isn't copied.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RuleRow<'a> {
    /// The list: `name.skip`.
    pub list: &'static str,
    /// The rule, which is displayed as TOML.
    #[serde(serialize_with = "displayed")]
    pub rule: &'a Spec,
    /// Where it was written.
    pub from: &'a str,
}

impl<'a> RuleRow<'a> {
    /// A rule as it is shown.
    pub fn new((list, rule): (List, &'a Rule)) -> RuleRow<'a> {
        RuleRow { list: list.key(), rule: &rule.spec, from: &rule.origin }
    }
}

fn displayed<S: Serializer>(rule: &&Spec, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(rule)
}

/// What to show.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// In which order.
    pub order: Order,
    /// The largest number of stacks.
    pub limit: Option<usize>,
    /// Whether to list the rules without an effect on any selected stack.
    pub unused: bool,
}

impl<'a> NameView<'a> {
    /// The view of the selected stacks.
    pub fn new(
        profile: &'a Profile,
        names: &'a Names,
        rules: &'a RuleSet,
        selection: &Selection,
        options: Options,
    ) -> NameView<'a> {
        let mut counts = vec![0_i64; profile.stack_count()];
        for (id, sample) in profile.samples() {
            let at = sample.key.stack.index();
            counts[at] = counts[at].saturating_add(selection.count(id));
        }
        let stacks = (0..profile.stack_count()).map(|at| StackId(at as u32));
        // A difference can be 0.
        let mut stacks: Vec<(StackId, i64)> = stacks
            .map(|stack| (stack, counts[stack.index()]))
            .filter(|(_, count)| *count != 0)
            .collect();
        stacks.sort_by_cached_key(|(stack, count)| {
            let size = match options.order {
                Order::Count | Order::Cum | Order::Wait => count.unsigned_abs(),
                Order::Name => 0,
            };
            (
                Reverse(size),
                names.category(*stack),
                names.name(profile, *stack),
                ids::id(profile, *stack).hex(),
            )
        });
        if options.order == Order::Wait {
            let mut waits = vec![WaitRange::default(); profile.stack_count()];
            for part in selected(profile, selection).iter() {
                waits[profile.sample(part.sample).key.stack.index()].merge(&part.waits);
            }
            // Those that wait equally long stay as they are sorted.
            stacks.sort_by(|(a, _), (b, _)| waits[a.index()].longest_first(&waits[b.index()]));
        }
        let total = stacks.iter().fold(0, |sum: i64, (_, count)| sum.saturating_add(*count));
        let limit = options.limit.unwrap_or(usize::MAX);
        let more = stacks.len().saturating_sub(limit);
        let mut unused: Option<Vec<RuleRow<'a>>> = options.unused.then(|| {
            let mut explainer = Explainer::new(rules, profile);
            for (stack, _) in &stacks {
                explainer.explain(*stack);
            }
            explainer.unused().into_iter().map(RuleRow::new).collect()
        });
        stacks.truncate(limit);
        let stacks = Stacks { profile, names, rules, totals: stacks };
        let more_unused = unused.as_ref().map_or(0, |rules| rules.len().saturating_sub(limit));
        if let Some(rules) = &mut unused {
            rules.truncate(limit);
        }
        NameView { quantity: Quantity::of(profile), total, stacks, more, unused, more_unused }
    }
}

fn stack_row<'a>(
    profile: &'a Profile,
    names: &'a Names,
    explainer: &mut Explainer<'a>,
    stack: StackId,
    total: i64,
) -> Stack<'a> {
    let explained = explainer.explain(stack);
    let frames = profile.stack(stack).iter().zip(&explained.frames).enumerate();
    Stack {
        id: lossy(&ids::id(profile, stack).hex()),
        name: Text(names.name(profile, stack)),
        shared_name: (explained.name != names.name(profile, stack)).then(|| lossy(&explained.name)),
        category: Text(names.category(stack)),
        total,
        frames: frames
            .map(|(at, (frame, role))| Frame {
                frame: *frame,
                func: Text(names.func(*frame)),
                file: Text(names.file(*frame)),
                line: profile.frame(*frame).line,
                origin: Origin::of(profile, *frame),
                step: role.step,
                rule: role.rule.map(RuleRow::new),
                category: explained.category_frame == Some(at),
            })
            .collect(),
        trims: explained.trims.iter().map(|rule| RuleRow::new((List::NameTrim, *rule))).collect(),
        category_rule: explained.category_rule.map(|r| RuleRow::new((List::CategoryMatch, r))),
    }
}
