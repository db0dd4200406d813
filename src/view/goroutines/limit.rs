//! `--limit` for documents: the first stacks of an order, as a selection.

use super::export::Export;
use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::table::Order;

/// The part of a selection that is in the first `limit` stacks.
pub fn first_stacks(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    order: Order,
    limit: usize,
) -> Selection {
    let export = Export::new(profile, names, selection);
    let mut kept = vec![false; profile.stack_count()];
    for (_, stack) in export.stacks(order).into_iter().take(limit) {
        kept[stack.stack.index()] = true;
    }
    let mut first = selection.clone();
    let mut samples = vec![false; profile.samples.len()];
    for ((id, sample), count) in profile.samples().zip(&mut first.counts) {
        let kept = kept[sample.key.stack.index()];
        samples[id.index()] = kept && selection.has(id);
        if !kept {
            *count = 0;
        }
    }
    first.samples = Some(samples);
    if let Some(selected) = &mut first.goroutines {
        for (goroutine, selected) in profile.goroutines.iter().zip(selected) {
            *selected &= kept[profile.sample(goroutine.sample).key.stack.index()];
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{
        Input, InputFormat, Keep, NewGoroutine, ProfileBuilder, SampleSpec, Wait,
    };
    use crate::rules::RuleSet;

    /// Three goroutines in `a`, two in `b` of which one waits long, one in `c`.
    fn profile() -> Profile {
        let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
        let input = builder.input(Input::new("n1", "n1.txt", InputFormat::Debug2));
        let mut id = 0;
        for (name, waits) in [("a", &[0.0, 0.0, 1.0][..]), ("b", &[0.0, 9.0]), ("c", &[5.0])] {
            let frame = builder.frame(name.as_bytes(), b"x.go", 1);
            let stack = builder.stack(&[frame]);
            let sample = builder.sample(&SampleSpec::new(input, stack));
            for &wait in waits {
                id += 1;
                let wait = Wait::minutes(wait);
                let new = NewGoroutine { id, created_by: None, wait };
                builder.goroutine(sample, &new);
            }
        }
        builder.finish()
    }

    fn counts(order: Order, limit: usize) -> Vec<i64> {
        let profile = profile();
        let names = RuleSet::default().apply(&profile).unwrap();
        let all = Selection {
            counts: vec![3, 2, 1],
            goroutines: Some(vec![true; 6]),
            unknown_wait: 0,
            samples: None,
        };
        let first = first_stacks(&profile, &names, &all, order, limit);
        let selected = first.goroutines.unwrap().iter().filter(|selected| **selected).count();
        assert_eq!(selected as i64, first.counts.iter().sum::<i64>());
        first.counts
    }

    #[test]
    fn the_order_decides_which_stacks_are_first() {
        assert_eq!(counts(Order::Count, 1), [3, 0, 0]);
        assert_eq!(counts(Order::Wait, 2), [0, 2, 1]);
        assert_eq!(counts(Order::Count, 9), [3, 2, 1]);
        assert_eq!(counts(Order::Name, 0), [0, 0, 0]);
    }
}
