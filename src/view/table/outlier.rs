//! Inputs that differ from their peers: they have more of one name than the others, or less.

use super::part::Parts;
use super::peers::{self, LEAST_PEERS};
use crate::group::order::inputs as order;
use crate::profile::{Profile, StackId, StrId, lossy};
use crate::rules::Names;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::HashSet;

/// An input that has far more, or far fewer, of some goroutines than its peers.
#[derive(Clone, PartialEq, Debug)]
pub struct Outlier {
    /// The input.
    pub input: String,
    /// The name of the stacks; `None` if the input differs in its total.
    pub name: Option<String>,
    /// Their category.
    pub category: Option<String>,
    /// How many the input has.
    pub count: i128,
    /// How many the peers have: least, median, most.
    pub others: (i128, f64, i128),
    /// How many peers there are.
    pub peers: usize,
    /// How many other names it differs in by less.
    pub more: usize,
}

/// Numbers by name and input; missing ones are 0.
#[derive(Default)]
struct Counts<'a> {
    /// The row that a stack counts in.
    row_of: Vec<Option<u32>>,
    rows: Vec<(StrId, &'a [u8])>,
    known: HashMap<(StrId, &'a [u8]), u32, FixedState>,
    numbers: HashMap<(u32, u32), i128, FixedState>,
}

/// The inputs that differ, the farthest first. Empty for fewer than four inputs with a count, and for
/// profiles that don't count goroutines.
pub fn of(profile: &Profile, names: &Names, parts: &Parts<'_>) -> Vec<Outlier> {
    if profile.inputs.len() < LEAST_PEERS || !profile.counts_goroutines() {
        return Vec::new();
    }
    let mut counts = Counts { row_of: vec![None; profile.stack_count()], ..Counts::default() };
    let mut totals = vec![0_i128; profile.inputs.len()];
    for part in parts.iter() {
        let key = &profile.sample(part.sample).key;
        let row = counts.row(names, key.stack);
        *counts.numbers.entry((row, key.input.index() as u32)).or_default() += part.count;
        totals[key.input.index()] += part.count;
    }
    // An input without selected goroutines is no peer.
    let inputs: Vec<usize> =
        order(profile).into_iter().map(|id| id.index()).filter(|&at| totals[at] != 0).collect();
    let totals: Vec<i128> = inputs.iter().map(|&at| totals[at]).collect();
    let least = peers::least_difference(&totals, true);
    let mut found = Vec::new();
    for (name, numbers) in counts.finish(&inputs, least) {
        found.extend(outlying(Some(name), &numbers, least));
    }
    let named = found.len();
    found.extend(outlying(None, &totals, least));
    // The total of an input is only reported if none of its names is.
    let named_inputs: HashSet<usize> = found[..named].iter().map(|found| found.at).collect();
    let mut found: Vec<Outlying<'_>> = found
        .into_iter()
        .filter(|found| found.name.is_some() || !named_inputs.contains(&found.at))
        .collect();
    found.sort_by(|a, b| {
        let farther = b.distance().total_cmp(&a.distance());
        farther.then(a.at.cmp(&b.at)).then_with(|| a.name.cmp(&b.name))
    });
    let mut outliers: Vec<Outlier> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for found in found {
        let input = profile.inputs[inputs[found.at]].name.as_str();
        match known.get(input) {
            Some(&place) => outliers[place].more += 1,
            None => {
                known.insert(input, outliers.len());
                outliers.push(found.into_outlier(input, inputs.len() - 1, names));
            }
        }
    }
    outliers
}

/// The numbers of one name (`None`: the totals) that differ from the others.
fn outlying<'a>(
    name: Option<(StrId, &'a [u8])>,
    numbers: &[i128],
    least: f64,
) -> Vec<Outlying<'a>> {
    let found = peers::outliers(numbers, least);
    let mut sorted = numbers.to_vec();
    if !found.is_empty() {
        sorted.sort_unstable();
    }
    found.into_iter().map(|at| Outlying::new(at, name, numbers[at], &sorted)).collect()
}

impl<'a> Counts<'a> {
    fn row(&mut self, names: &'a Names, stack: StackId) -> u32 {
        if let Some(row) = self.row_of[stack.index()] {
            return row;
        }
        let key = (names.category_id(stack), names.shared_name(stack));
        let next = self.rows.len() as u32;
        let row = *self.known.entry(key).or_insert(next);
        if row == next {
            self.rows.push(key);
        }
        self.row_of[stack.index()] = Some(row);
        row
    }

    /// The numbers of each name, by input, if any input has enough of the name to differ in it.
    fn finish(
        self,
        inputs: &[usize],
        least: f64,
    ) -> impl Iterator<Item = ((StrId, &'a [u8]), Vec<i128>)> {
        let mut place = vec![None; inputs.iter().max().map_or(0, |last| last + 1)];
        for (at, &input) in inputs.iter().enumerate() {
            place[input] = Some(at);
        }
        let mut by_row: Vec<Vec<(usize, i128)>> = vec![Vec::new(); self.rows.len()];
        for ((row, input), number) in self.numbers {
            by_row[row as usize].extend(place[input as usize].map(|at| (at, number)));
        }
        let width = inputs.len();
        let rows = self.rows.into_iter().zip(by_row);
        let enough = move |numbers: &[(usize, i128)]| {
            numbers.iter().any(|(_, number)| *number as f64 >= least)
        };
        rows.filter(move |(_, numbers)| enough(numbers)).map(move |(name, known)| {
            let mut numbers = vec![0; width];
            known.into_iter().for_each(|(at, number)| numbers[at] = number);
            (name, numbers)
        })
    }
}

/// A number that differs.
struct Outlying<'a> {
    at: usize,
    name: Option<(StrId, &'a [u8])>,
    count: i128,
    others: (i128, f64, i128),
}

impl<'a> Outlying<'a> {
    /// `sorted`: the numbers of all inputs, with its own among them.
    fn new(
        at: usize,
        name: Option<(StrId, &'a [u8])>,
        count: i128,
        sorted: &[i128],
    ) -> Outlying<'a> {
        let own = sorted.partition_point(|&number| number < count);
        let other = |place: usize| sorted[place + usize::from(place >= own)];
        let last = sorted.len() - 2;
        let median = f64::midpoint(other(last / 2) as f64, other(last.div_ceil(2)) as f64);
        Outlying { at, name, count, others: (other(0), median, other(last)) }
    }

    fn distance(&self) -> f64 {
        (self.count as f64 - self.others.1).abs()
    }

    fn into_outlier(self, input: &str, peers: usize, names: &Names) -> Outlier {
        Outlier {
            input: input.to_owned(),
            name: self.name.map(|(_, name)| lossy(name)),
            category: self.name.map(|(category, _)| lossy(names.text(category))),
            count: self.count,
            others: self.others,
            peers,
            more: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all};
    use crate::view::table::part;
    use proptest::prelude::*;

    fn found(fixture: Fixture) -> Vec<Outlier> {
        let (profile, names) = fixture.done();
        of(&profile, &names, &part::selected(&profile, &all(&profile)))
    }

    /// A fleet: for each input, how many goroutines are in each of some functions.
    fn fleet(numbers: &[Vec<i64>]) -> Fixture {
        let mut fixture = Fixture::new("n1");
        for (input, numbers) in numbers.iter().enumerate() {
            if input > 0 {
                fixture.input(&format!("n{}", input + 1));
            }
            for (function, &count) in numbers.iter().enumerate().filter(|(_, count)| **count > 0) {
                let frame = format!("main.work{function} main.go:{}", function + 1);
                fixture.count(count, G { frames: &[&frame], ..G::default() });
            }
        }
        fixture
    }

    #[test]
    fn the_input_where_goroutines_pile_up_is_told_with_what_its_peers_have() {
        let mut numbers = vec![vec![100, 20, 3]; 6];
        numbers[2][1] = 540;
        let found = found(fleet(&numbers));
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.input.as_str(), only.count), ("n3", 540));
        assert_eq!((only.others, only.peers, only.more), ((20, 20.0, 20), 5, 0));
        assert!(only.name.as_deref().is_some_and(|name| name.contains("work1")), "{only:?}");
    }

    #[test]
    fn an_input_without_what_all_others_have_is_told() {
        let mut numbers = vec![vec![100, 200]; 5];
        numbers[4][1] = 0;
        let found = found(fleet(&numbers));
        assert_eq!((found[0].input.as_str(), found[0].count), ("n5", 0));
    }

    /// 25,000 that differ: a look at all numbers for each of them would take minutes.
    #[test]
    fn what_the_others_have_is_found_without_looking_at_all_of_them_again() {
        let numbers: Vec<i128> =
            (0..200_000).map(|at| if at % 8 == 0 { 1000 + at } else { at % 3 }).collect();
        let found = outlying(None, &numbers, 20.0);
        assert_eq!(found.len(), 25_000);
        let others = found.iter().map(|one| (one.count, one.others));
        let expected = numbers.iter().filter(|&&number| number >= 1000).map(|&number| {
            let most = if number == 200_992 { 200_984 } else { 200_992 };
            (number, (0, 1.0, most))
        });
        assert!(others.eq(expected));
    }

    #[test]
    fn four_inputs_are_enough_to_differ_from() {
        let found = found(fleet(&[vec![100, 20], vec![100, 20], vec![100, 540], vec![100, 20]]));
        assert_eq!((found.len(), found[0].input.as_str()), (1, "n3"));
    }

    #[test]
    fn the_farthest_comes_first_and_stands_for_all_that_an_input_differs_in() {
        let mut numbers = vec![vec![100, 850, 10]; 6];
        numbers[0][0] = 900;
        numbers[4][1] = 0;
        numbers[4][2] = 400;
        let found = found(fleet(&numbers));
        let told: Vec<_> = found.iter().map(|one| (&*one.input, one.count, one.more)).collect();
        assert_eq!(told, [("n5", 0, 1), ("n1", 900, 0)], "850 less, 800 more");
    }

    #[test]
    fn little_more_of_everything_is_told_by_the_total() {
        let mut numbers = vec![vec![1; 100]; 5];
        numbers[1] = vec![19; 100];
        let found = found(fleet(&numbers));
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((only.input.as_str(), only.name.as_deref()), ("n2", None));
        assert_eq!((only.count, only.others), (1900, (100, 100.0, 100)));
    }

    #[test]
    fn of_large_inputs_a_fiftieth_has_to_differ() {
        let at_third = |count| {
            let mut numbers = vec![vec![2500, 0]; 5];
            numbers[2][1] = count;
            found(fleet(&numbers)).into_iter().map(|found| found.input).collect::<Vec<_>>()
        };
        assert_eq!((at_third(49), at_third(50)), (vec![], vec!["n3".to_owned()]));
    }

    #[test]
    fn inputs_that_hold_nothing_are_no_peers() {
        assert_eq!(found(fleet(&[vec![0], vec![0], vec![0], vec![500]])), []);
        assert_eq!(found(fleet(&[vec![1], vec![1], vec![500]])), []);
    }

    /// Poisson's distribution, by the sum of waits between events.
    fn poisson(mean: f64, random: &mut impl FnMut() -> f64) -> i64 {
        let (mut count, mut left) = (0, mean);
        loop {
            left += random().max(1e-12).ln();
            if left < 0.0 {
                return count;
            }
            count += 1;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Each node has its own load, each number varies by chance, and one leader has work of its own.
        /// A false alarm would make people stop reading the line.
        #[test]
        fn healthy_fleets_are_silent_and_a_planted_outlier_is_found(
            nodes in 4..40_usize, seed in any::<u64>(), odd in any::<prop::sample::Index>(),
        ) {
            let mut state = seed | 1;
            let mut random = || {
                // xorshift64
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let load: Vec<f64> = (0..nodes).map(|_| {
                // The sum of twelve is nearly normal.
                let normal = (0..12).map(|_| random()).sum::<f64>() - 6.0;
                (0.2 * normal).exp()
            }).collect();
            let usual: Vec<f64> = (0..20).map(|_| (random() * 6.0).exp()).collect();
            let mut numbers: Vec<Vec<i64>> = load.iter()
                .map(|load| usual.iter().map(|usual| poisson(usual * load, &mut random)).collect())
                .collect();
            let leader = odd.index(nodes);
            for (node, numbers) in numbers.iter_mut().enumerate() {
                numbers.push(if node == leader { 15 } else { 0 });
                numbers.push(0);
            }
            prop_assert_eq!(found(fleet(&numbers)), []);
            let planted = 100 + usual.iter().sum::<f64>() as i64 / 10;
            *numbers[leader].last_mut().unwrap() = planted;
            let outliers = found(fleet(&numbers));
            prop_assert_eq!(outliers.len(), 1);
            prop_assert_eq!(&outliers[0].input, &format!("n{}", leader + 1));
            prop_assert_eq!(outliers[0].count, i128::from(planted));
        }
    }
}
