//! Goroutines that have lost the lines of their creator: Go prints them for all but the first goroutine and
//! those of the runtime.

use crate::format::traceback::lines;
use crate::profile::{InputFormat, InputId, ProfileBuilder, Sample, WarningKind, flag};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Warns of goroutines without a creator in inputs in which others have one, among the samples from this
/// position on.
pub(super) fn warn_of_missing(first_sample: usize, builder: &mut ProfileBuilder) {
    let profile = builder.profile();
    let samples = || profile.samples().skip(first_sample);
    let knows: HashSet<InputId> = samples()
        .filter(|(_, sample)| sample.key.creator.is_some())
        .map(|(_, sample)| sample.key.input)
        .collect();
    let lacks_creator = |sample: &Sample| {
        let key = &sample.key;
        let is_told = [flag::TRUNCATED, flag::SYSTEM, flag::UNAVAILABLE];
        let last =
            profile.stack(key.stack).last().map(|&frame| profile.str(profile.frame(frame).func));
        key.creator.is_none()
            && knows.contains(&key.input)
            && profile.input(key.input).format == InputFormat::Debug2
            && !is_told.iter().any(|told| profile.has_flag(key.flags, told))
            && last.is_some_and(|func| !lines::ends_without_creator(func))
    };
    let lacking: HashMap<_, _> = samples()
        .filter(|(_, sample)| lacks_creator(sample))
        .map(|(id, sample)| (id, sample.key.input))
        .collect();
    if lacking.is_empty() {
        return;
    }
    let mut counts = BTreeMap::<InputId, u64>::new();
    for goroutine in &profile.goroutines {
        // What was written from other profiles can name a creator without its function.
        if let Some(&input) = lacking.get(&goroutine.sample)
            && goroutine.id > 1
            && goroutine.creator().is_none()
        {
            let count = counts.entry(input).or_default();
            *count = count.saturating_add(1);
        }
    }
    // Where many have none, the text was written so.
    let known = |input: InputId| {
        let with = samples()
            .filter(|(_, sample)| sample.key.input == input && sample.key.creator.is_some());
        with.fold(0_u64, |sum, (_, sample)| sum.saturating_add(sample.count.unsigned_abs()))
    };
    let counts: Vec<_> =
        counts.into_iter().filter(|&(input, count)| count <= known(input) / 2).collect();
    for (input, count) in counts {
        let input = builder.input_mut(input);
        input.seen.partial = input.seen.partial.saturating_add(count);
        let text = match count {
            1 => "a goroutine has no creator, unlike others: the end of its stack is missing"
                .to_owned(),
            count => format!(
                "{count} goroutines have no creator, unlike others: the ends of their stacks are missing"
            ),
        };
        input.warn(WarningKind::Partial, None, text);
    }
}
