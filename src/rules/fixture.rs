//! Small profiles and rules for tests of names.

use super::{List, Rule, RuleLists, RuleSet, Spec};
use crate::profile::{
    FrameId, Input, InputFormat, Keep, Profile, ProfileBuilder, SampleSpec, StackId,
};

/// A profile of stacks of `(func, file, line)`, and the stacks.
pub(crate) fn profile<T: AsRef<[u8]>>(stacks: &[Vec<(T, T, i64)>]) -> (Profile, Vec<StackId>) {
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = builder.input(Input::new("t", "t", InputFormat::Debug2));
    let mut ids = Vec::new();
    for frames in stacks {
        let frames: Vec<FrameId> = frames
            .iter()
            .map(|(func, file, line)| builder.frame(func.as_ref(), file.as_ref(), *line))
            .collect();
        let stack = builder.stack(&frames);
        let sample = builder.sample(&SampleSpec::new(input, stack));
        builder.count(sample, 1);
        ids.push(stack);
    }
    (builder.finish(), ids)
}

/// Rules that make equal names distinct, with categories of one letter.
pub(crate) fn distinct_rules() -> RuleSet {
    let mut lists = RuleLists::default();
    lists.distinct = true;
    let letter = Rule::new(List::CategoryMatch, Spec::Text("^.".into()), "test").unwrap();
    lists.list_mut(List::CategoryMatch).push(letter);
    RuleSet::compile(lists).unwrap()
}
