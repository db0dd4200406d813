//! Diffs of small sketched profiles.

use super::timeline::Layout;
use super::*;
use crate::profile::InputFormat;
use crate::view::fixture::{Fixture, G, all, only};

/// A point of one input: the goroutines in each stack, `function file:line` for each.
type Counted<'a> = &'a [(&'a str, i64)];

fn options(by: &str) -> Options {
    Options {
        by: Key::list(by).unwrap(),
        order: Order::Count,
        limit: None,
        normalize: false,
        min_change: None,
        selecting: false,
    }
}

/// Points that are a file each, in a format that only counts.
fn diff_with(points: &[Counted<'_>], options: &Options) -> Diff {
    let mut fixture = Fixture::new("t0");
    for (at, point) in points.iter().enumerate() {
        let input = if at == 0 { fixture.first() } else { fixture.input(&format!("t{at}")) };
        input.point = at;
        input.format = InputFormat::Debug1;
        for &(frame, count) in *point {
            fixture.count(count, G { frames: &[frame], ..G::default() });
        }
    }
    finish(fixture, points.len(), options)
}

fn finish(fixture: Fixture, points: usize, options: &Options) -> Diff {
    let (mut profile, names) = fixture.done();
    let arguments: Vec<String> = (0..points).map(|at| format!("t{at}")).collect();
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
    Diff::new(&profile, &names, &all(&profile), &points, options).unwrap()
}

fn diff(points: &[Counted<'_>]) -> Diff {
    diff_with(points, &options("function"))
}

/// Rows as `key status counts`, in order.
fn rows(diff: &Diff) -> Vec<String> {
    let row = |row: &Row| {
        let key = row.keys[0].as_deref().unwrap_or("-");
        let counts: Vec<String> = row.counts().map(|count| count.to_string()).collect();
        format!("{key} {} {}", row.status.name(), counts.join(" "))
    };
    diff.rows.iter().map(row).collect()
}

#[test]
fn rows_are_the_union_of_both_points_with_the_largest_change_first() {
    let old: Counted<'_> = &[("a", 5), ("b", 9), ("c", 4), ("d", 1)];
    let new: Counted<'_> = &[("a", 6), ("c", 4), ("d", 0), ("e", 3)];
    let diff = diff(&[old, new]);
    assert_eq!(rows(&diff), ["b gone 9 0", "e new 0 3", "a grown 5 6", "d gone 1 0", "c same 4 4"]);
    assert_eq!((diff.points[0].total, diff.points[1].total, diff.change), (19, 13, -6.0));
}

#[test]
fn functions_that_grew_themselves_stand_before_those_that_call_them() {
    let mut fixture = Fixture::new("t0");
    for (at, counts) in [[5, 5], [8, 30]].into_iter().enumerate() {
        let input = if at == 0 { fixture.first() } else { fixture.input("t1") };
        input.point = at;
        input.format = InputFormat::Debug1;
        for (count, leaf) in counts.into_iter().zip(["main.few", "main.many"]) {
            fixture.count(count, G { frames: &[leaf, "main.main"], ..G::default() });
        }
    }
    let by_function = finish(fixture.clone(), 2, &options("function"));
    assert_eq!(
        rows(&by_function),
        ["main.many grown 5 30", "main.few grown 5 8", "main.main grown 10 38"]
    );
    let by_cum = finish(fixture, 2, &Options { order: Order::Cum, ..options("function") });
    assert_eq!(
        rows(&by_cum),
        ["main.main grown 10 38", "main.many grown 5 30", "main.few grown 5 8"]
    );
}

#[test]
fn of_functions_that_grew_alike_the_deepest_is_named() {
    let mut fixture = Fixture::new("t0");
    for (at, count) in [(0, 5), (1, 30)] {
        let input = if at == 0 { fixture.first() } else { fixture.input("t1") };
        (input.point, input.format) = (at, InputFormat::Debug1);
        let frames: &[&str] = &["main.leaf", "main.run", "main.main"];
        fixture.count(count, G { frames, ..G::default() });
    }
    let (mut profile, names) = fixture.done();
    let arguments = ["t0".to_owned(), "t1".to_owned()];
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
    let selection = all(&profile);
    let diff = Diff::new(&profile, &names, &selection, &points, &options("function")).unwrap();
    let own = Own::of(&profile, &names, &diff.points, &part::selected(&profile, &selection));
    let cum = own.cum.unwrap();
    assert_eq!((cum.function.as_str(), cum.counts, cum.change), ("main.leaf", vec![5, 30], 25.0));
}

#[test]
fn changes_of_rows_add_up_to_that_of_the_total() {
    let old: Counted<'_> = &[("a x.go:1", 5), ("b x.go:1", 9), ("c x.go:1", 4)];
    let new: Counted<'_> = &[("a x.go:1", 6), ("c x.go:1", 1), ("e x.go:1", 30)];
    let diff = diff_with(&[old, new], &options("shape"));
    let sum: f64 = diff.tally.values().map(|tally| tally.change).sum();
    assert_eq!(sum, diff.change);
    assert_eq!(diff.tally[&Status::New], Tally { rows: 1, change: 30.0 });
    assert_eq!(diff.tally[&Status::Shrunk], Tally { rows: 1, change: -3.0 });
}

#[test]
fn shapes_survive_moved_lines_and_renamed_closures_but_ids_don_t() {
    let old: Counted<'_> = &[("main.start.func1 main.go:10", 5)];
    let new: Counted<'_> = &[("main.start.func2.1 main.go:14", 5)];
    let by_shape = diff_with(&[old, new], &options("shape"));
    assert_eq!((by_shape.rows.len(), by_shape.rows[0].status), (1, Status::Same));
    assert_eq!(by_shape.rows[0].stacks, 2);
    assert_eq!(by_shape.rows[0].name, "main.start.func2.1", "as it is called now");
    let by_id = diff_with(&[old, new], &options("id"));
    assert_eq!(by_id.rows.len(), 2);
    assert_eq!(by_id.rows[0].keys[0], Some(by_id.rows[0].stack.to_string()));
}

#[test]
fn what_is_new_has_no_percent_and_what_is_gone_lost_all() {
    let diff = diff(&[&[("gone", 4), ("half", 4)], &[("half", 2), ("new", 3)]]);
    let percents: Vec<Option<f64>> = diff.rows.iter().map(Row::percent).collect();
    assert_eq!(rows(&diff), ["gone gone 4 0", "new new 0 3", "half shrunk 4 2"]);
    assert_eq!(percents, [Some(-100.0), None, Some(-50.0)]);
    let from_nothing = diff_with(&[&[], &[("a", 1)]], &options("name"));
    assert_eq!(from_nothing.percent(), None);
}

#[test]
fn normalizing_compares_shares() {
    let old: Counted<'_> = &[("a", 50), ("b", 50)];
    let new: Counted<'_> = &[("a", 100), ("b", 60), ("c", 40)];
    let diff = diff_with(&[old, new], &Options { normalize: true, ..options("function") });
    assert_eq!(rows(&diff), ["b shrunk 50 60", "c new 0 40", "a same 50 100"]);
    assert_eq!((diff.change, diff.points[1].scale), (0.0, 0.5));
    assert_eq!(diff.rows[0].change, -20.0);
}

#[test]
fn shares_that_stay_the_same_don_t_rise_by_a_rounding_error() {
    let points: Vec<[(&str, i64); 2]> =
        [1, 3, 7, 11, 13].map(|n| [("a", 10 * n), ("b", 20 * n)]).to_vec();
    let points: Vec<Counted<'_>> = points.iter().map(|point| &point[..]).collect();
    let diff = diff_with(&points, &Options { normalize: true, ..options("function") });
    let trends: Vec<usize> = diff.rows.iter().map(|row| row.trend.unwrap().rising_steps).collect();
    assert_eq!(trends, [0, 0]);
    assert_eq!(diff.tally[&Status::Same].rows, 2);
}

#[test]
fn small_changes_are_kept_apart() {
    let old: Counted<'_> = &[("a", 100), ("b", 10), ("c", 0)];
    let new: Counted<'_> = &[("a", 104), ("b", 16), ("c", 1)];
    let min_change =
        |text| Options { min_change: Some(MinChange::parse(text).unwrap()), ..options("function") };
    let by_number = diff_with(&[old, new], &min_change("5"));
    assert_eq!(by_number.below, Tally { rows: 2, change: 5.0 });
    assert!(by_number.has(&[Status::Grown]) && !by_number.has(&[Status::New]));
    let changed: Vec<bool> = by_number.rows.iter().map(Row::changed).collect();
    assert_eq!(
        (rows(&by_number)[0].as_str(), changed),
        ("b grown 10 16", vec![true, false, false])
    );
    let by_share = diff_with(&[old, new], &min_change("5%"));
    assert_eq!(by_share.below, Tally { rows: 1, change: 4.0 });
    assert!(by_share.has(&[Status::New]), "from nothing to something is any percent");
}

#[test]
fn a_series_has_a_count_at_each_point_and_a_trend() {
    let points: [Counted<'_>; 4] = [
        &[("leak", 1), ("pool", 2), ("spike", 3)],
        &[("leak", 2), ("pool", 8), ("spike", 90)],
        &[("leak", 3), ("pool", 8), ("spike", 3)],
        &[("leak", 5), ("pool", 8), ("spike", 3)],
    ];
    let diff = diff(&points);
    assert_eq!(rows(&diff), ["pool grown 2 8 8 8", "leak grown 1 2 3 5", "spike same 3 90 3 3"]);
    let trend = |at: usize| diff.rows[at].trend.unwrap();
    assert!(trend(0).levelled_off && !trend(0).rises);
    assert!(trend(1).rises && !trend(1).levelled_off);
    assert!(diff.rows[2].changed(), "it came back, but it was away");
    assert_eq!(diff.trend.unwrap().rising_steps, 2);
}

#[test]
fn a_spike_is_judged_by_how_far_it_went() {
    let points: [Counted<'_>; 3] = [&[("a", 3)], &[("a", 90)], &[("a", 3)]];
    let above = |text| {
        let min_change = Some(MinChange::parse(text).unwrap());
        let diff = diff_with(&points, &Options { min_change, ..options("function") });
        diff.rows[0].changed()
    };
    assert!(above("87") && !above("88"));
}

#[test]
fn processes_are_compared_one_by_one_where_that_is_asked_for() {
    let mut fixture = Fixture::new("n1");
    let inputs = [("n1", 0, "1/s.txt", 2), ("n2", 0, "2/s.txt", 7), ("n1#2", 1, "1/s.txt", 5)];
    for (at, (name, point, member, count)) in inputs.into_iter().enumerate() {
        let input = if at == 0 { fixture.first() } else { fixture.input(name) };
        (input.point, input.member) = (point, member.to_owned());
        fixture.count(count, G::default());
    }
    let diff = finish(fixture, 2, &options("input"));
    assert_eq!(rows(&diff), ["n2 gone 7 0", "n1 grown 2 5"]);
    let counts = |process: &Process| process.counts.iter().map(|count| Some(count?.0)).collect();
    let counts: Vec<Vec<_>> = diff.processes.iter().map(counts).collect();
    assert_eq!(counts, [[Some(2), Some(5)], [Some(7), None]]);
}

#[test]
fn files_are_one_process_whatever_they_are_called() {
    let diff = diff_with(&[&[("a", 2)], &[("a", 3)]], &options("input"));
    assert_eq!(rows(&diff), ["t0 grown 2 3"]);
}

#[test]
fn states_waits_and_goroutines_that_stay_are_told() {
    let mut fixture = Fixture::new("t0");
    for (id, minutes) in [(1, 1.0), (2, 2.0)] {
        fixture.add(G { id, minutes, ..G::default() });
    }
    fixture.input("t1").point = 1;
    for (id, state, minutes) in [(1, "chan receive", 6.0), (3, "chan receive", 0.0)] {
        fixture.add(G { id, state, minutes, ..G::default() });
    }
    let diff = finish(fixture, 2, &options("shape"));
    let row = &diff.rows[0];
    assert_eq!((row.status, row.persist, diff.persist), (Status::Same, Some(1), Some(1)));
    assert!(row.other_kind && row.changed());
    let (old, new) = (row.cells.first().unwrap(), row.cells.last().unwrap());
    assert_eq!(old.states, [(Some("select".to_owned()), 2)]);
    assert_eq!(new.states, [(Some("chan receive".to_owned()), 2)]);
    assert_eq!(new.waits.range(), Some((0.0, 6.0)));
}

/// The goroutines of a point: the format of its input, and how many are in each state.
type States<'a> = (InputFormat, &'a [(&'a str, i64)]);

fn of_states(points: [States<'_>; 2], by: &str) -> Diff {
    let mut fixture = Fixture::new("t0");
    for (at, (format, states)) in points.into_iter().enumerate() {
        let input = if at == 0 { fixture.first() } else { fixture.input("t1") };
        (input.point, input.format) = (at, format);
        for &(state, count) in states {
            fixture.count(count, G { state, ..G::default() });
        }
    }
    finish(fixture, 2, &options(by))
}

#[test]
fn what_most_goroutines_wait_for_decides_whether_that_is_something_else() {
    use InputFormat::{Debug1, Debug2};
    let cases: [([States<'_>; 2], bool); 5] = [
        (
            [(Debug2, &[("select", 3), ("sleep", 1)]), (Debug2, &[("select", 1), ("sleep", 3)])],
            true,
        ),
        (
            [(Debug2, &[("select", 3), ("sleep", 1)]), (Debug2, &[("select", 3), ("IO wait", 1)])],
            false,
        ),
        ([(Debug1, &[("select", 1)]), (Debug1, &[("sleep", 1)])], true),
        // One of these formats guesses the state from frames, or doesn't tell it.
        ([(Debug2, &[("select", 1)]), (Debug1, &[("sleep", 1)])], false),
        ([(Debug1, &[("select", 1)]), (Debug1, &[("never heard of", 1)])], false),
    ];
    for (points, other_kind) in cases {
        let diff = of_states(points, "shape");
        assert_eq!(diff.rows[0].other_kind, other_kind, "{points:?}");
    }
}

#[test]
fn a_row_is_called_by_the_stack_that_most_are_in_now() {
    let mut fixture = Fixture::new("t0");
    fixture.count(1, G::default());
    fixture.input("t1").point = 1;
    // Two samples have the stack `main.z`, which together are more than those in `main.a`.
    for (count, frame, labels) in
        [(2, "main.z", &[][..]), (3, "main.a", &[]), (2, "main.z", &[("k", "v")])]
    {
        fixture.count(count, G { frames: &[frame], labels, ..G::default() });
    }
    let diff = finish(fixture, 2, &options("state"));
    assert_eq!((diff.rows.len(), diff.rows[0].name.as_str()), (1, "main.z"));
}

#[test]
fn only_where_goroutines_can_be_followed_rows_tell_how_many_stayed() {
    let mut fixture = Fixture::new("t0");
    fixture.add(G::default());
    fixture.input("t1").point = 1;
    fixture.add(G::default());
    let stayed = |by| finish(fixture.clone(), 2, &options(by)).rows[0].persist;
    assert_eq!((stayed("state"), stayed("function")), (Some(1), None));
    assert_eq!(diff_with(&[&[("a", 1)], &[("a", 2)]], &options("state")).rows[0].persist, None);
}

#[test]
fn goroutines_that_stay_count_in_the_row_of_their_wait() {
    let mut fixture = Fixture::new("t0");
    fixture.add(G { id: 1, minutes: 1.0, ..G::default() });
    fixture.input("t1").point = 1;
    fixture.add(G { id: 1, minutes: 6.0, ..G::default() });
    let diff = finish(fixture, 2, &options("wait"));
    let persist: Vec<_> = diff.rows.iter().map(|row| (row.keys[0].clone(), row.persist)).collect();
    assert_eq!(persist, [(Some("1-4".to_owned()), Some(0)), (Some("5-9".to_owned()), Some(1))]);
}

#[test]
fn only_what_is_selected_is_compared() {
    let mut fixture = Fixture::new("t0");
    fixture.add(G { id: 1, ..G::default() }).add(G { id: 2, ..G::default() });
    fixture.input("t1").point = 1;
    fixture.add(G { id: 1, ..G::default() });
    let (mut profile, names) = fixture.done();
    let arguments = ["t0".to_owned(), "t1".to_owned()];
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
    let options = Options { selecting: true, ..options("shape") };
    let diff = Diff::new(&profile, &names, &only(&profile, &[2]), &points, &options).unwrap();
    let totals: Vec<_> = diff.points.iter().map(|point| (point.total, point.whole)).collect();
    assert_eq!(totals, [(1, 2), (0, 1)]);
    assert_eq!(diff.rows[0].status, Status::Gone);
}

#[test]
fn formats_that_tell_less_are_noted() {
    let note = |formats: [InputFormat; 2], by: &str| {
        let mut fixture = Fixture::new("t0");
        fixture.first().format = formats[0];
        fixture.count(1, G::default());
        let input = fixture.input("t1");
        (input.point, input.format) = (1, formats[1]);
        fixture.count(1, G::default());
        finish(fixture, 2, &options(by)).notes.join("\n")
    };
    assert_eq!(note([InputFormat::Debug1, InputFormat::Debug0], "shape"), "");
    let text = note([InputFormat::Debug1, InputFormat::Debug2], "shape");
    assert!(text.contains("t1 tells ids and waits, t0 doesn't"), "{text}");
    let text = note([InputFormat::Debug2, InputFormat::Debug1], "id,state,label:k");
    assert_eq!(text.lines().count(), 4, "{text}");
    let text = note([InputFormat::LeakDebug1, InputFormat::Debug1], "shape");
    assert!(text.starts_with("t0 holds leaked goroutines only"), "{text}");
}

#[test]
fn a_point_without_input_is_noted() {
    let mut fixture = Fixture::new("t0");
    fixture.count(1, G::default());
    let diff = finish(fixture, 2, &options("shape"));
    assert_eq!(diff.notes, ["nothing of t1 could be read"]);
}

#[test]
fn rows_can_be_sorted_by_name_and_wait_and_limited() {
    let mut fixture = Fixture::new("t0");
    fixture.count(1, G { state: "a", ..G::default() });
    fixture.input("t1").point = 1;
    for (id, state, minutes) in [(1, "c", 1.0), (2, "b", 9.0), (3, "c", 0.0), (4, "d", 0.0)] {
        fixture.add(G { id, state, minutes, ..G::default() });
    }
    let (mut profile, names) = fixture.done();
    let arguments = ["t0".to_owned(), "t1".to_owned()];
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
    let sorted = |order, limit| {
        let options = Options { order, limit, ..options("state") };
        let diff = Diff::new(&profile, &names, &all(&profile), &points, &options).unwrap();
        assert_eq!(diff.tally[&Status::New].rows, 3, "of all rows");
        (rows(&diff), diff.left_out)
    };
    let by_name = ["a gone 1 0", "b new 0 1", "c new 0 2", "d new 0 1"];
    assert_eq!(sorted(Order::Name, None).0, by_name);
    let by_wait = ["b new 0 1", "c new 0 2", "d new 0 1", "a gone 1 0"];
    assert_eq!(sorted(Order::Wait, None).0, by_wait, "the unknown last");
    assert_eq!(sorted(Order::Count, Some(1)), (vec!["c new 0 2".to_owned()], 3));
}

#[test]
fn of_rows_that_wait_equally_long_the_larger_at_the_last_point_comes_first() {
    let mut fixture = Fixture::new("t0");
    for (count, state) in [(9, "a"), (1, "d")] {
        fixture.count(count, G { state, ..G::default() });
    }
    fixture.input("t1").point = 1;
    for (id, state) in [(1, "a"), (2, "b"), (3, "b"), (4, "c"), (5, "c"), (6, "c"), (7, "d")] {
        fixture.add(G { id, state, minutes: 5.0, ..G::default() });
    }
    let (mut profile, names) = fixture.done();
    let arguments = ["t0".to_owned(), "t1".to_owned()];
    let points = Timeline::arrange(&mut profile, Layout::Arguments, &arguments);
    let options = Options { order: Order::Wait, ..options("state") };
    let diff = Diff::new(&profile, &names, &all(&profile), &points, &options).unwrap();
    let states = rows(&diff).iter().map(|row| row[..1].to_owned()).collect::<String>();
    assert_eq!(states, "cbad");
}

#[test]
fn counts_beyond_64_bits_stay_whole() {
    let diff = diff(&[&[("a", i64::MAX), ("b", i64::MAX)], &[("a", i64::MAX)]]);
    assert_eq!(diff.points[0].total, 2 * i128::from(i64::MAX));
}
