//! Laws that hold for every filter.

use super::*;
use proptest::prelude::*;

/// A comparison at every level, some true of everything and some of nothing.
fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "state == 'select'",
        "kind == 'mutex'",
        "wait >= 5",
        "wait < 9",
        "wait == unknown",
        "id == 17",
        "id > 20",
        "creator == 17",
        "label.tenant",
        "label.node == '1'",
        "frame =~ 'http'",
        "leaf.func == 'main.Work'",
        "leaked",
        "input == 'n1'",
        "count > 1",
        "match '17'",
        "match 'main'",
        "depth == 2",
    ])
}

fn expression() -> impl Strategy<Value = String> {
    comparison().prop_map(str::to_owned).prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
            inner.prop_map(|a| format!("not {a}")),
        ]
    })
}

fn of_where(expression: &str) -> String {
    selected(&[("--where", expression)])
}

fn of_select(select: &Select) -> String {
    let (profile, names) = profile();
    shown(&profile, &Filter::compile(select).unwrap().select(&profile, &names))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn de_morgan(a in expression(), b in expression()) {
        prop_assert_eq!(
            of_where(&format!("not ({a} and {b})")),
            of_where(&format!("not {a} or not {b}"))
        );
        prop_assert_eq!(
            of_where(&format!("not ({a} or {b})")),
            of_where(&format!("not {a} and not {b}"))
        );
        prop_assert_eq!(of_where(&format!("not not {a}")), of_where(&a));
    }

    #[test]
    fn a_filter_its_negation_and_what_is_unknown_are_everything(a in expression()) {
        let (profile, names) = profile();
        let select = |text: &str| {
            let filter = Filter::compile(&select_of(&[("--where", text)])).unwrap();
            filter.select(&profile, &names)
        };
        let (yes, no) = (select(&a), select(&format!("not ({a})")));
        prop_assert_eq!(yes.unknown_wait, no.unknown_wait);
        let counted = |selection: &Selection| selection.counts.iter().sum::<i64>();
        prop_assert_eq!(counted(&yes) + counted(&no) + yes.unknown_wait, 13);
        for at in 0..profile.goroutines.len() {
            prop_assert!(!(yes.has_goroutine(&profile, at) && no.has_goroutine(&profile, at)));
        }
        // Counts agree with the goroutines one by one.
        for (id, sample) in profile.samples().filter(|(_, s)| s.waits.known > 0) {
            let rows = (0..profile.goroutines.len())
                .filter(|&at| profile.goroutines[at].sample == id)
                .filter(|&at| yes.has_goroutine(&profile, at))
                .count();
            prop_assert_eq!(yes.count(id), rows as i64, "{:?}", sample.key);
        }
    }

    #[test]
    fn keeping_is_a_union(a in expression(), b in expression()) {
        prop_assert_eq!(
            selected(&[("--where", &a), ("--keep", &b)]),
            of_where(&format!("({a}) or ({b})"))
        );
    }

    #[test]
    fn the_order_of_values_does_not_matter(
        mut states in prop::collection::vec("!?(select|chan receive|unknown|nothing)", 0..4),
        mut waits in prop::collection::vec("!?(0|5[+]|>9|<3|2-10)", 0..3),
        mut labels in prop::collection::vec("!?(node(=1)?|tenant(=a[*])?)", 0..4),
    ) {
        let make = |states: &[String], waits: &[String], labels: &[String]| Select {
            states: states.to_vec(),
            waits: waits.to_vec(),
            labels: labels.to_vec(),
            ..Select::default()
        };
        let before = of_select(&make(&states, &waits, &labels));
        states.reverse();
        waits.reverse();
        labels.reverse();
        prop_assert_eq!(before, of_select(&make(&states, &waits, &labels)));
    }

    #[test]
    fn states_of_one_flag_are_a_union(
        states in prop::collection::vec("select|chan receive|unknown|nothing", 1..4),
    ) {
        let each: Vec<String> = states.iter().map(|state| format!("state == '{state}'")).collect();
        prop_assert_eq!(selected(&[("--state", &states.join(","))]), of_where(&each.join(" or ")));
    }

    #[test]
    fn nothing_typed_makes_it_panic(text in "\\PC{0,20}", tail in "[-+<>=!~()\\[\\]\"'a-z0-9. ,\\\\]{0,20}") {
        for text in [&text, &tail, &format!("{text}{tail}"), &format!("state {tail}")] {
            for flag in ["--match", "--query", "--state", "--kind", "--wait", "--label", "--input",
                "--category", "--name", "--frame", "--created-by", "--id", "--where", "--keep"]
            {
                if let Err(error) = Filter::compile(&select_of(&[(flag, text)])) {
                    let Some(Place::Column(column)) = error.place else {
                        return Err(TestCaseError::fail(format!("{error}")));
                    };
                    prop_assert!((1..=text.chars().count() + 1).contains(&column), "{}", error);
                }
            }
        }
    }
}
