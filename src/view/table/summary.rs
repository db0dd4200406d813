//! The summary: goroutines counted by one or more keys, and a verdict.

mod pivot;
mod rows;

pub use self::pivot::{Pivot, Spread};
use self::rows::Rows;
use super::Order;
use super::key::Key;
use super::part::{self, Selected, count_stacks};
use super::profile_verdict::ProfileVerdict;
use super::row_index::{self, printed};
use crate::error::Result;
use crate::filter::Selection;
use crate::profile::{InputId, Profile, StackId, StrId, WaitRange, lossy};
use crate::rules::Names;
use crate::view::rows::check_cells;
use crate::view::values::options::{ValueOptions, divisor, mean};
use crate::view::values::sample_types::{self, Other};
use std::borrow::Cow;
use std::cmp::Ordering;

/// What to count and how to list it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The keys that make rows.
    pub by: Vec<Key>,
    /// The order of rows.
    pub order: Order,
    /// The largest number of rows.
    pub limit: Option<usize>,
    /// Whether a selecting option is set.
    pub selecting: bool,
    /// How values of frames are counted, cut and written.
    pub value_options: ValueOptions,
    /// By input, whether it is a column of its own; `None` without such columns.
    pub pivot: Option<Vec<bool>>,
}

/// The summary of the inputs.
#[derive(Clone, Debug)]
pub struct Summary {
    /// How many goroutines are selected.
    pub total: i128,
    /// How much of the whole that is, if a selecting option is set.
    pub selected: Option<Selected>,
    /// Distinct stacks.
    pub stacks: usize,
    /// Distinct categories.
    pub categories: usize,
    /// The verdict in place of these counts, if values aren't numbers of goroutines.
    pub profile_verdict: Option<ProfileVerdict>,
    /// Inputs that don't have the sample type that is shown.
    pub others: Vec<Other>,
    /// The keys that make rows.
    pub by: Vec<Key>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Rows that the limit left out.
    pub left_out: usize,
    /// How values of frames are written.
    pub value_options: ValueOptions,
    /// The inputs that are columns of their own, if that was requested.
    pub pivot: Option<Pivot>,
}

impl Summary {
    /// Whether rows are made of frames and have [`Row::flat`] and [`Row::cum`].
    pub fn of_frames(&self) -> bool {
        self.by.iter().any(Key::is_of_frames)
    }

    /// The value that is 100%.
    pub fn whole(&self) -> i128 {
        self.value_options.whole.unwrap_or(self.total)
    }
}

/// The goroutines that have the same keys.
#[derive(Clone, Debug)]
pub struct Row {
    /// A value for every key; `None` if it isn't known or doesn't exist.
    pub keys: Vec<Option<String>>,
    /// How many goroutines.
    pub total: i128,
    /// Goroutines with the key in their leaf frame; only for keys of frames.
    pub flat: i128,
    /// Goroutines with the key in any frame, each counted once; only for keys of frames.
    pub cum: i128,
    /// The sum of [`Row::flat`] of this row and all before it.
    pub sum: i128,
    /// Distinct stacks.
    pub stacks: usize,
    /// States and how many are in each, most first; `None` is a state that isn't known.
    pub states: Vec<(Option<String>, i128)>,
    /// Waits, as far as they are known.
    pub waits: WaitRange,
    /// The name of the most frequent stack, and how many have it.
    pub top: Option<(String, i128)>,
    /// Its counts in the columns of [`Summary::pivot`].
    pub spread: Spread,
    /// Its counts by input, before there are columns; empty unless requested.
    by_input: Vec<(InputId, i128)>,
    /// The largest stack, before its name is made.
    top_stack: Option<(StackId, i128)>,
    /// What `flat` is divided by for its mean.
    flat_divisor: i128,
    /// What `cum` is divided by for its mean.
    cum_divisor: i128,
}

/// Counts the selected goroutines or values.
///
/// # Errors
/// If a pivot table has more cells than [`cells`](crate::limits::Limits::cells), or the values of the keys are longer
/// than [`key_texts`](crate::limits::Limits::key_texts).
pub fn summarize(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    options: &Options,
) -> Result<Summary> {
    let is_mean = options.value_options.mean;
    let apart = if options.by.contains(&Key::Wait) {
        Some(part::selected_by_wait(profile, selection))
    } else if is_mean {
        // A sample without a value can still count in the divisor of a mean.
        Some(part::selected_with_zeros(profile, selection))
    } else if options.by.iter().all(Key::is_of_joined) {
        None
    } else {
        Some(part::selected(profile, selection))
    };
    let joined = match &apart {
        Some(parts) => part::joined(profile, parts),
        None => Cow::Owned(part::selected_joined(profile, selection)),
    };
    let mut rows = Rows::new(profile, names, &options.by, options.pivot.is_some());
    rows.add(apart.as_ref().unwrap_or(&joined), |part| match is_mean {
        true => divisor(profile, part.sample),
        false => 0,
    });
    let mut rows = rows.finish()?;
    let all = rows.len();
    if options.by.iter().any(Key::is_of_frames) {
        cut(&mut rows, &options.value_options);
    }
    sort(&mut rows, options);
    let most = match options.value_options.node_count {
        0 => usize::MAX,
        count => count,
    };
    rows.truncate(most.min(options.limit.unwrap_or(usize::MAX)));
    let left_out = all - rows.len();
    let mut sum = 0;
    for row in &mut rows {
        row.divide();
        sum += row.flat;
        row.sum = sum;
        row.top = row.top_stack.map(|(stack, count)| (lossy(names.name(profile, stack)), count));
    }
    if let Some(picked) = &options.pivot {
        let columns = picked.iter().filter(|&&is_column| is_column).count();
        check_cells("--pivot", rows.len(), columns)?;
    }
    let pivot = options.pivot.as_ref().map(|picked| {
        let mut by_input = vec![0; profile.inputs.len()];
        for part in joined.iter() {
            by_input[profile.sample(part.sample).key.input.index()] += part.count;
        }
        Pivot::new(profile, picked, &by_input, &mut rows)
    });
    let mut seen = vec![false; profile.stack_count()];
    for part in joined.iter() {
        seen[profile.sample(part.sample).key.stack.index()] = true;
    }
    let stacks = (0..seen.len()).filter(|&at| seen[at]).map(|at| StackId(at as u32));
    let mut categories: Vec<StrId> = stacks.clone().map(|id| names.category_id(id)).collect();
    categories.sort_unstable();
    categories.dedup();
    let stacks = stacks.count();
    let total = joined.iter().map(|part| part.count).sum();
    let selected = options.selecting.then(|| Selected {
        goroutines: total,
        of: profile.samples.iter().map(|sample| i128::from(sample.count)).sum(),
        stacks,
        of_stacks: count_stacks(profile),
        unknown_wait: selection.unknown_wait,
    });
    Ok(Summary {
        total,
        selected,
        stacks,
        categories: categories.len(),
        profile_verdict: ProfileVerdict::of(profile, names, &joined, selection),
        others: sample_types::others(profile),
        by: options.by.clone(),
        rows,
        left_out,
        value_options: options.value_options.clone(),
        pivot,
    })
}

/// Removes rows that are negative or too small, if requested.
fn cut(rows: &mut Vec<Row>, value_options: &ValueOptions) {
    rows.retain(|row| !value_options.drops(row.flat, row.cum));
    let least = value_options.least(rows.iter().map(|row| row.flat).sum());
    rows.retain(|row| row.cum.unsigned_abs() >= least);
}

impl Row {
    /// Turns sums into means.
    fn divide(&mut self) {
        self.flat = mean(self.flat, self.flat_divisor);
        self.cum = mean(self.cum, self.cum_divisor);
    }
}

fn sort(rows: &mut [Row], options: &Options) {
    let by_keys = |a: &Row, b: &Row| row_index::by_keys(&options.by, &a.keys, &b.keys);
    // A histogram of waits reads best along its axis.
    let order = match options.order {
        Order::Count if options.by == [Key::Wait] => Order::Name,
        order => order,
    };
    let of_frames = options.by.iter().any(Key::is_of_frames);
    let size = |row: &Row| match order {
        Order::Cum => row.cum.unsigned_abs(),
        _ => row.flat.unsigned_abs(),
    };
    if of_frames && matches!(order, Order::Count | Order::Cum) {
        // In the order of pprof, so that both cut the same rows.
        rows.sort_by(by_keys);
        rows.sort_by_cached_key(|row| {
            (std::cmp::Reverse(size(row)), printed(&options.by, &row.keys))
        });
        return;
    }
    rows.sort_by(|a, b| {
        let first = match order {
            Order::Count | Order::Cum => b.total.cmp(&a.total),
            Order::Name => Ordering::Equal,
            Order::Wait => a.waits.longest_first(&b.waits).then(b.total.cmp(&a.total)),
        };
        first.then_with(|| by_keys(a, b))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G, all, only};

    fn options(by: &str) -> Options {
        Options {
            by: Key::list(by).unwrap(),
            order: Order::Count,
            limit: None,
            selecting: false,
            value_options: ValueOptions::default(),
            pivot: None,
        }
    }

    /// Keys and totals of each row, `-` for unknown values.
    fn rows(summary: &Summary) -> Vec<(String, i128)> {
        let keys = |row: &Row| {
            let keys: Vec<&str> =
                row.keys.iter().map(|key| key.as_deref().unwrap_or("-")).collect();
            keys.join("|")
        };
        summary.rows.iter().map(|row| (keys(row), row.total)).collect()
    }

    fn by(fixture: Fixture, keys: &str) -> Vec<(String, i128)> {
        let (profile, names) = fixture.done();
        rows(&summarize(&profile, &names, &all(&profile), &options(keys)).unwrap())
    }

    fn expect(rows: &[(&str, i128)]) -> Vec<(String, i128)> {
        rows.iter().map(|(keys, total)| ((*keys).to_owned(), *total)).collect()
    }

    #[test]
    fn rows_have_the_most_first_and_equal_ones_by_key() {
        let mut fixture = Fixture::new("n1");
        for (id, state) in [(1, "sleep"), (2, "select"), (3, "IO wait"), (4, "select")] {
            fixture.add(G { id, state, ..G::default() });
        }
        assert_eq!(by(fixture, "state"), expect(&[("select", 2), ("IO wait", 1), ("sleep", 1)]));
    }

    #[test]
    fn several_keys_make_a_row_for_each_combination() {
        let mut fixture = Fixture::new("n10");
        fixture.add(G { id: 1, ..G::default() });
        fixture.input("n2");
        fixture.add(G { id: 1, ..G::default() }).add(G { id: 2, state: "sleep", ..G::default() });
        let expected = expect(&[("n2|select", 1), ("n2|sleep", 1), ("n10|select", 1)]);
        assert_eq!(by(fixture, "input,state"), expected);
    }

    #[test]
    fn a_goroutines_own_label_wins_over_that_of_its_path() {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 1, labels: &[("tenant", "acme")], ..G::default() });
        fixture.add(G { id: 2, ..G::default() });
        assert_eq!(by(fixture, "label:tenant"), expect(&[("acme", 1), ("-", 1)]));
    }

    #[test]
    fn a_function_that_calls_itself_counts_a_goroutine_once() {
        let mut fixture = Fixture::new("n1");
        fixture.add(G { id: 1, frames: &["main.walk", "main.walk", "main.main"], ..G::default() });
        fixture.add(G { id: 2, frames: &["main.read", "main.walk", "main.main"], ..G::default() });
        let (profile, names) = fixture.done();
        let summary = summarize(&profile, &names, &all(&profile), &options("function")).unwrap();
        let values: Vec<_> = summary
            .rows
            .iter()
            .map(|row| (row.keys[0].as_deref().unwrap(), row.flat, row.sum, row.cum))
            .collect();
        let expected = [("main.read", 1, 1, 1), ("main.walk", 1, 2, 2), ("main.main", 0, 2, 2)];
        assert_eq!(values, expected, "the third is that of all rows so far");
        assert!(summary.of_frames());
    }

    #[test]
    fn frames_can_be_counted_by_package_file_and_place() {
        let frames: &[&str] = &["net/http.(*T).Do http.go:5", "github.com/a/b/c.F c/f.go:7"];
        let fixture = || {
            let mut fixture = Fixture::new("n1");
            fixture.add(G { frames, ..G::default() });
            fixture
        };
        assert_eq!(by(fixture(), "package"), expect(&[("net/http", 1), ("github.com/a/b/c", 1)]));
        assert_eq!(by(fixture(), "module"), expect(&[("std", 1), ("github.com/a/b", 1)]));
        assert_eq!(by(fixture(), "line"), expect(&[("http.go:5", 1), ("c/f.go:7", 1)]));
        let expected = expect(&[("select|http.go", 1), ("select|c/f.go", 1)]);
        assert_eq!(by(fixture(), "state,file"), expected);
        // The same frames in another state are another row.
        let mut fixture = fixture();
        fixture.add(G { id: 2, state: "sleep", frames: &frames[..1], ..G::default() });
        let expected = [("select|http.go", 1), ("sleep|http.go", 1), ("select|c/f.go", 1)];
        assert_eq!(by(fixture, "state,file"), expect(&expected));
    }

    #[test]
    fn frames_without_a_name_have_their_file_or_what_is_known_of_them() {
        let mut fixture = Fixture::new("n1");
        for (id, frame) in [(1, "<unknown> f.c:3"), (2, "[kernel]"), (3, "<unknown> 0x4533fe:0")] {
            fixture.add(G { id, frames: &[frame], ..G::default() });
        }
        let by = |keys| by(fixture.clone(), keys);
        let places = [("<unknown>|-", 1), ("[kernel]|-", 1), ("-|f.c:3", 1)];
        assert_eq!(by("function,line"), expect(&places));
        let functions = [("select|<unknown>", 2), ("select|[kernel]", 1)];
        assert_eq!(by("state,function"), expect(&functions));
        assert_eq!(by("package"), expect(&[("-", 3)]));
    }

    #[test]
    fn a_pivot_has_the_columns_that_differ_most_first() {
        let mut fixture = Fixture::new("n1");
        for input in 1..=6 {
            if input > 1 {
                fixture.input(&format!("n{input}"));
            }
            let numbers = [
                ("a", if input == 2 { 3000 } else { 500 }),
                ("b", if input == 5 { 0 } else { 2800 }),
            ];
            for (state, count) in numbers.into_iter().filter(|(_, count)| *count > 0) {
                fixture.count(count, G { state, ..G::default() });
            }
        }
        let (profile, names) = fixture.done();
        let options = Options { pivot: Some(vec![true; 6]), ..options("state") };
        let pivot = summarize(&profile, &names, &all(&profile), &options).unwrap().pivot.unwrap();
        assert_eq!(pivot.odd, [4, 1], "2800 less, 2500 more");
        assert_eq!((pivot.shown(6), pivot.shown(5)), ((0..6).collect(), vec![1, 4]));
    }

    #[test]
    fn waits_are_listed_in_their_order_with_the_unknown_last() {
        let mut fixture = Fixture::new("n1");
        for (id, minutes) in [(1, 70.0), (2, 0.0), (3, 5.0), (4, -1.0), (5, 9.0), (6, 10.0)] {
            fixture.add(G { id, minutes, ..G::default() });
        }
        let expected = expect(&[("0", 1), ("5-9", 2), ("10-29", 1), ("60-1439", 1), ("-", 1)]);
        assert_eq!(by(fixture, "wait"), expected);
    }

    #[test]
    fn only_what_is_selected_counts_and_waits() {
        let mut fixture = Fixture::new("n1");
        for (id, minutes) in [(1, 3.0), (2, 8.0), (3, 20.0)] {
            fixture.add(G { id, minutes, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let selecting = Options { selecting: true, ..options("state") };
        let summary = summarize(&profile, &names, &only(&profile, &[1, 2]), &selecting).unwrap();
        assert_eq!((summary.total, summary.stacks), (2, 1));
        let selected = summary.selected.unwrap();
        assert_eq!((selected.goroutines, selected.of), (2, 3));
        assert_eq!(summary.rows[0].waits.range(), Some((3.0, 8.0)));
    }

    #[test]
    fn the_limit_keeps_the_first_rows_and_counts_the_others() {
        let mut fixture = Fixture::new("n1");
        for (id, state) in [(1, "a"), (2, "b"), (3, "b"), (4, "c")] {
            fixture.add(G { id, state, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let limited = Options { limit: Some(1), ..options("state") };
        let summary = summarize(&profile, &names, &all(&profile), &limited).unwrap();
        assert_eq!(rows(&summary), expect(&[("b", 2)]));
        assert_eq!(summary.left_out, 2);
    }

    #[test]
    fn rows_can_be_sorted_by_name_and_by_wait() {
        let mut fixture = Fixture::new("n1");
        let waits = [("b", 1.0), ("b", 1.0), ("a", 9.0), ("c", -1.0), ("d", 0.0)];
        for (id, (state, minutes)) in (1..).zip(waits) {
            fixture.add(G { id, state, minutes, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let sorted = |order| {
            let options = Options { order, ..options("state") };
            let summary = summarize(&profile, &names, &all(&profile), &options).unwrap();
            rows(&summary).into_iter().map(|(keys, _)| keys).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(sorted(Order::Count), "b a c d");
        assert_eq!(sorted(Order::Name), "a b c d");
        assert_eq!(sorted(Order::Wait), "a b d c", "the unknown last");
    }

    #[test]
    fn of_rows_that_wait_equally_long_the_larger_comes_first() {
        let mut fixture = Fixture::new("n1");
        let goroutines =
            [(1, "a", 5.0), (2, "b", 5.0), (3, "b", 2.0), (4, "c", 5.0), (5, "d", 9.0)];
        for (id, state, minutes) in goroutines {
            fixture.add(G { id, state, minutes, ..G::default() });
        }
        let (profile, names) = fixture.done();
        let options = Options { order: Order::Wait, ..options("state") };
        let summary = summarize(&profile, &names, &all(&profile), &options).unwrap();
        assert_eq!(rows(&summary), expect(&[("d", 1), ("b", 2), ("a", 1), ("c", 1)]));
    }

    #[test]
    fn counts_beyond_64_bits_are_summed_whole() {
        let mut fixture = Fixture::new("n1");
        fixture.count(i64::MAX, G::default());
        fixture.count(i64::MAX, G { state: "sleep", ..G::default() });
        let total = 2 * i128::from(i64::MAX);
        assert_eq!(by(fixture, "input"), expect(&[("n1", total)]));
    }
}
