//! Filters on two small inputs.

mod laws;
mod sample;

use self::sample::profile;
use super::{Filter, Select, Selection};
use crate::error::{Error, Place};
use crate::profile::{
    FlagsId, Input, InputFormat, Keep, NewGoroutine, Profile, ProfileBuilder, SampleSpec, StackId,
    Wait,
};
use crate::rules::RuleSet;

/// The selection as text: `input.id` of goroutines, `N counted` of others, then `N unknown`.
fn shown(profile: &Profile, selection: &Selection) -> String {
    let mut all = Vec::new();
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        if selection.has_goroutine(profile, at) {
            let input = profile.sample(goroutine.sample).key.input;
            all.push(format!("{}.{}", profile.input(input).name, goroutine.id));
        }
    }
    for (id, _) in profile.samples() {
        // Every sample here has a count, so a sample is selected if any of its count is.
        assert_eq!(selection.has(id), selection.count(id) != 0, "{id:?} of {}", all.join(" "));
    }
    let counted: i64 = selection.counts.iter().sum::<i64>() - all.len() as i64;
    if counted != 0 {
        all.push(format!("{counted} counted"));
    }
    if selection.unknown_wait != 0 {
        all.push(format!("{} unknown", selection.unknown_wait));
    }
    all.join(" ")
}

/// A command line: flags with their values.
fn select_of(args: &[(&str, &str)]) -> Select {
    let mut select = Select::default();
    for (flag, value) in args {
        let value = (*value).to_owned();
        match *flag {
            "--query" => select.query = Some(value),
            "--match" => select.matches.push(value),
            "--label" => select.labels.push(value),
            "--wait" => select.waits.push(value),
            "--name" => select.names.push(value),
            "--frame" => select.frames.push(value),
            "--created-by" => select.created_by.push(value),
            "--where" => select.wheres.push(value),
            "--keep" => select.keeps.push(value),
            _ => {
                let list = match *flag {
                    "--state" => &mut select.states,
                    "--kind" => &mut select.kinds,
                    "--input" => &mut select.inputs,
                    "--category" => &mut select.categories,
                    "--id" => &mut select.ids,
                    other => panic!("{other}"),
                };
                list.extend(value.split(',').map(str::to_owned));
            }
        }
    }
    select
}

fn selected(args: &[(&str, &str)]) -> String {
    let (profile, names) = profile();
    let filter = Filter::compile(&select_of(args)).unwrap_or_else(|error| panic!("{error}"));
    shown(&profile, &filter.select(&profile, &names))
}

const ALL: &str = "n1.17 n1.170 n1.18 n1.21 n1.30 Beta.txt.17 7 counted";
/// Group 0.
const ACME: &str = "n1.17 n1.170 n1.18";

#[test]
fn every_flag_selects_what_its_row_says() {
    for (args, expected) in [
        (&[][..], ALL),
        (&[("--state", "select")], "n1.17 n1.170 n1.18 Beta.txt.17"),
        (&[("--state", "select,sync.Mutex.Lock")], "n1.17 n1.170 n1.18 n1.21 Beta.txt.17"),
        (&[("--state", "!select")], "n1.21 n1.30 7 counted"),
        (&[("--state", "!select,!chan receive")], "n1.21 7 counted"),
        (&[("--state", "unknown")], "7 counted"),
        (&[("--state", "Select")], ""),
        (&[("--state", "of the future")], ""),
        (&[("--state", "")], ""),
        (&[("--kind", "select")], "n1.17 n1.170 n1.18 Beta.txt.17"),
        (&[("--kind", "!select,!mutex")], "n1.30 7 counted"),
        (&[("--wait", "5")], "n1.18 n1.21 8 unknown"),
        (&[("--wait", "5-5")], "n1.18 n1.21 8 unknown"),
        (&[("--wait", "5+")], "n1.17 n1.18 n1.21 Beta.txt.17 8 unknown"),
        (&[("--wait", ">5")], "n1.17 Beta.txt.17 8 unknown"),
        (&[("--wait", "<5")], "n1.170 8 unknown"),
        (&[("--wait", "1h")], "Beta.txt.17 8 unknown"),
        (&[("--wait", "0"), ("--wait", "6-10")], "n1.17 n1.170 8 unknown"),
        (&[("--wait", "!5")], "n1.17 n1.170 Beta.txt.17 8 unknown"),
        (&[("--wait", "5"), ("--state", "chan receive")], "1 unknown"),
        (&[("--label", "tenant")], "n1.17 n1.170 n1.18 Beta.txt.17"),
        (&[("--label", "tenant=*")], "n1.17 n1.170 n1.18 Beta.txt.17"),
        (&[("--label", "tenant=acme*")], ACME),
        (&[("--label", "tenant=acme")], ""),
        (
            &[("--label", "tenant=acme*"), ("--label", "tenant=zen")],
            "n1.17 n1.170 n1.18 Beta.txt.17",
        ),
        (&[("--label", "tenant=acme*"), ("--label", "shard=13")], ""),
        (&[("--label", "!tenant")], "n1.21 n1.30 7 counted"),
        (&[("--label", "!tenant=zen"), ("--label", "tenant")], ACME),
        // The path of n1 has the label node=1; one goroutine has a node of its own.
        (&[("--label", "node=1")], "n1.17 n1.170 n1.18 n1.30"),
        (&[("--label", "node")], "n1.17 n1.170 n1.18 n1.21 n1.30"),
        (&[("--label", "node=own")], "n1.21"),
        (&[("--input", "n*")], "n1.17 n1.170 n1.18 n1.21 n1.30"),
        (&[("--input", "!n1")], "Beta.txt.17 7 counted"),
        (&[("--input", "beta.txt")], ""),
        (&[("--frame", r"^main\.Work main\.go:9$")], "n1.17 n1.170 n1.18 n1.30 Beta.txt.17"),
        (&[("--frame", "kv/store|idle")], "n1.21 7 counted"),
        (&[("--frame", "^main.idle$")], "7 counted"),
        (
            &[("--frame", "http"), ("--frame", "Mutex")],
            "n1.17 n1.170 n1.18 n1.21 n1.30 Beta.txt.17",
        ),
        (&[("--frame", "!http")], "n1.21 7 counted"),
        (&[("--created-by", r"Serve net/http/server\.go:3285$")], ACME),
        (&[("--created-by", "!Serve")], "n1.21 n1.30 Beta.txt.17 7 counted"),
        (&[("--id", "17")], "n1.17 Beta.txt.17"),
        (&[("--id", "Beta.txt.17,18")], "n1.18 Beta.txt.17"),
        (&[("--id", "n2.17")], ""),
        (&[("--id", "!17,!18")], "n1.170 n1.21 n1.30 7 counted"),
        (&[("--state", "select"), ("--id", "17"), ("--input", "n1")], "n1.17"),
    ] {
        assert_eq!(selected(args), expected, "{args:?}");
    }
}

#[test]
fn text_is_searched_in_stacks_labels_and_ids() {
    for (text, expected) in [
        ("", ALL),
        ("MAIN.work Main.GO:9", "n1.17 n1.170 n1.18 n1.30 Beta.txt.17"),
        // Frames are joined by a blank.
        ("mutex.go:90 example.org", "n1.21"),
        ("tenant=ACME", ACME),
        ("locked to", "n1.21"),
        ("state=select", "n1.17 n1.170 n1.18 Beta.txt.17"),
        ("state=chan", "n1.30"),
        ("leaked", "n1.30"),
        ("node=1", "n1.17 n1.170 n1.18 n1.30"),
        ("n1.17", "n1.17 n1.170"),
        (".17", "n1.17 n1.170 Beta.txt.17"),
        ("beta.TXT", "Beta.txt.17"),
        ("!http", "n1.21 7 counted"),
        (r"\!http", ""),
        ("9", "n1.17 n1.170 n1.18 n1.21 n1.30 Beta.txt.17"),
        ("nowhere", ""),
    ] {
        assert_eq!(selected(&[("--match", text)]), expected, "{text}");
    }
    assert_eq!(selected(&[("--match", "idle"), ("--match", "zen")]), "Beta.txt.17 7 counted");
    assert_eq!(selected(&[("--match", "idle"), ("--match", "!idle")]), "");
}

#[test]
fn where_some_of_a_group_are_only_counted_ids_are_found_of_the_others() {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = builder.input(Input::new("gamma", "gamma.txt", InputFormat::Debug2));
    let sample = builder.sample(&SampleSpec::new(input, StackId::EMPTY));
    builder.goroutine(sample, &NewGoroutine { id: 5, created_by: None, wait: Wait::UNKNOWN });
    builder.count(sample, 3);
    // Ids are printed with the input's name if there are several inputs.
    builder.input(Input::new("delta", "delta.txt", InputFormat::Debug2));
    let profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    for (text, expected) in [("gamma", "gamma.5"), ("!gamma", "3 counted")] {
        let filter = Filter::compile(&select_of(&[("--match", text)])).unwrap();
        assert_eq!(shown(&profile, &filter.select(&profile, &names)), expected, "{text}");
    }
}

#[test]
fn every_part_of_a_stack_text_is_found_in_it() {
    let (profile, names) = profile();
    let text = "sync.(*mutex).lock sync/mutex.go:90 example.org/kv.(*store).put kv/store.go:45";
    for start in 0..text.len() {
        for end in start + 1..=text.len().min(start + 24) {
            let text = text[start..end].to_uppercase();
            let filter = Filter::compile(&select_of(&[("--match", &text)])).unwrap();
            assert_eq!(filter.select(&profile, &names).counts[1], 1, "{text:?}");
        }
    }
}

#[test]
fn a_single_input_prints_ids_without_its_name() {
    let (mut profile, _) = profile();
    profile.inputs.truncate(1);
    profile.samples.truncate(3);
    profile.goroutines.truncate(5);
    let names = RuleSet::default().apply(&profile).unwrap();
    let count = |text: &str| {
        let filter = Filter::compile(&select_of(&[("--match", text)])).unwrap();
        filter.select(&profile, &names).counts.iter().sum::<i64>()
    };
    assert_eq!(count("n1"), 0);
    assert_eq!(count("17"), 2);
}

#[test]
fn queries_mean_what_they_mean_in_the_browser_tool() {
    for (query, expected) in [
        ("", ALL),
        ("  ", ALL),
        ("work", "n1.17 n1.170 n1.18 n1.30 Beta.txt.17"),
        ("work wait:>8", "n1.17 Beta.txt.17 1 unknown"),
        ("wait:>8.5 work", "Beta.txt.17 1 unknown"),
        ("wait:<6 wait:>4", "n1.18 n1.21 8 unknown"),
        ("wait:5-9", "n1.17 n1.18 n1.21 8 unknown"),
        ("wait:5-5", "n1.18 n1.21 8 unknown"),
    ] {
        assert_eq!(selected(&[("--query", query)]), expected, "{query}");
    }
}

#[test]
fn expressions_ask_about_everything() {
    for (expression, expected) in [
        (
            "state == \"select\" and wait >= 5 and label.tenant =~ \"^acme\" and not frame =~ \"grpc\"",
            "n1.17 n1.18",
        ),
        ("state in ('select', 'chan receive') and input == 'n1'", "n1.17 n1.170 n1.18 n1.30"),
        ("state not in ('select', 'chan receive')", "n1.21 7 counted"),
        ("state == 'unknown'", "7 counted"),
        ("kind != 'select'", "n1.21 n1.30 7 counted"),
        ("wait > 5", "n1.17 Beta.txt.17 8 unknown"),
        ("not wait <= 5", "n1.17 Beta.txt.17 8 unknown"),
        ("wait == unknown", "n1.30 7 counted"),
        ("wait != unknown and wait < 5", "n1.170"),
        ("wait >= 1h or leaked", "n1.30 Beta.txt.17 7 unknown"),
        ("wait in (300s, 9)", "n1.17 n1.18 n1.21 8 unknown"),
        ("id == 17", "n1.17 Beta.txt.17"),
        ("id == 'n1.17'", "n1.17"),
        ("id in (18, 'Beta.txt.17')", "n1.18 Beta.txt.17"),
        ("id >= 21 and id < 100", "n1.21 n1.30"),
        ("id != 17", "n1.170 n1.18 n1.21 n1.30 7 counted"),
        ("creator == 17", "n1.18 n1.30"),
        ("created_by =~ 'Serve'", ACME),
        ("created_by.package == 'net/http' && created_by.file like '*server.go'", ACME),
        ("label.tenant", "n1.17 n1.170 n1.18 Beta.txt.17"),
        ("label[\"tenant\"] == 'zen'", "Beta.txt.17"),
        ("label.tenant like 'a*'", ACME),
        ("label.tenant != 'zen' and label.tenant", ACME),
        ("label.shard == 12 and label.shard > 11.5 and label.shard < 100", ACME),
        ("label.shard in (11, 12) and label.shard > -1 and not label.tenant > 0", ACME),
        ("label.shard > -20", ACME),
        ("label.node == '1'", "n1.17 n1.170 n1.18 n1.30"),
        ("flag == 'leaked' or locked", "n1.21 n1.30"),
        ("not leaked and !locked", "n1.17 n1.170 n1.18 Beta.txt.17 7 counted"),
        ("func == 'main.Work'", "n1.17 n1.170 n1.18 n1.30 Beta.txt.17"),
        ("leaf.func == 'net/http.(*conn).serve'", ""),
        (
            "root.func contains '(*conn)' and root contains 'server.go:2092'",
            "n1.17 n1.170 n1.18 n1.30 Beta.txt.17",
        ),
        ("root.func == 'main.Work'", ""),
        ("package == 'example.org/kv'", "n1.21"),
        ("frame !~ 'http'", "n1.21 7 counted"),
        ("file == 'kv/store.go'", "n1.21"),
        ("depth == 1", "7 counted"),
        ("depth < 2", "7 counted"),
        ("depth > 1", "n1.17 n1.170 n1.18 n1.21 n1.30 Beta.txt.17"),
        ("depth > 2", ""),
        ("count >= 3", "n1.17 n1.170 n1.18 7 counted"),
        ("count > 2", "n1.17 n1.170 n1.18 7 counted"),
        ("count > 3", "7 counted"),
        ("count < 3", "n1.21 n1.30 Beta.txt.17"),
        ("match 'N1.17'", "n1.17 n1.170"),
        // `not` binds tighter than `and`, `and` tighter than `or`.
        ("locked or leaked and id == 0", "n1.21"),
        ("(locked or leaked) and id != 21", "n1.30"),
        ("not locked and leaked", "n1.30"),
        ("not (locked and leaked) and id == 21", "n1.21"),
    ] {
        assert_eq!(selected(&[("--where", expression)]), expected, "{expression}");
    }
}

#[test]
fn several_expressions_must_all_hold_and_any_keeps() {
    let wheres = [("--where", "id >= 18"), ("--where", "id <= 21")];
    assert_eq!(selected(&wheres), "n1.18 n1.21");
    let kept = [("--id", "18"), ("--keep", "leaked"), ("--keep", "id == 'Beta.txt.17'")];
    assert_eq!(selected(&kept), "n1.18 n1.30 Beta.txt.17");
    // What `--keep` matches isn't dropped, whatever its wait.
    assert_eq!(
        selected(&[("--wait", "5"), ("--keep", "count == 7")]),
        "n1.18 n1.21 7 counted 1 unknown"
    );
    assert_eq!(selected(&[("--keep", "leaked")]), ALL);
}

#[test]
fn what_was_dropped_for_an_unknown_wait_is_told() {
    let note =
        |unknown_wait| Selection { unknown_wait, ..Selection::default() }.unknown_wait_note();
    assert_eq!(note(0), None);
    assert!(note(1).unwrap().starts_with("1 goroutine left out"));
    assert!(note(7).unwrap().starts_with("7 goroutines left out"));
}

#[test]
fn names_and_categories_are_matched_as_rules_made_them() {
    let (profile, names) = profile();
    let escape = |text: &[u8]| globset::escape(std::str::from_utf8(text).unwrap());
    for sample in &profile.samples {
        let stack = sample.key.stack;
        let same = |of: &dyn Fn(crate::profile::StackId) -> Vec<u8>| -> i64 {
            let equal = profile.samples.iter().filter(|s| of(s.key.stack) == of(stack));
            equal.map(|s| s.count).sum()
        };
        for (flag, glob, expected) in [
            (
                "--name",
                escape(names.name(&profile, stack)),
                same(&|s| names.name(&profile, s).to_vec()),
            ),
            ("--category", escape(names.category(stack)), same(&|s| names.category(s).to_vec())),
        ] {
            let filter = Filter::compile(&select_of(&[(flag, &glob)])).unwrap();
            let selection = filter.select(&profile, &names);
            assert_eq!(selection.counts.iter().sum::<i64>(), expected, "{flag} {glob}");
        }
    }
}

#[test]
fn goroutines_are_kept_only_for_ids_and_waits() {
    for (args, needs) in [
        (&[("--state", "select")][..], false),
        (&[("--frame", "x"), ("--label", "k"), ("--where", "depth > 1 and leaked")], false),
        (&[("--match", "x")], true),
        (&[("--wait", "5")], true),
        (&[("--id", "5")], true),
        (&[("--query", "wait:5")], true),
        (&[("--where", "leaked or creator == 1")], true),
        (&[("--state", "select"), ("--keep", "id == 1")], true),
    ] {
        let filter = Filter::compile(&select_of(args)).unwrap();
        assert_eq!(filter.needs_goroutines(), needs, "{args:?}");
        assert!(!filter.is_empty());
    }
    assert!(Filter::compile(&select_of(&[("--query", "")])).unwrap().is_empty());
}

#[test]
fn whole_groups_need_no_list_of_goroutines() {
    let (profile, names) = profile();
    let list = |args: &[(&str, &str)]| {
        let filter = Filter::compile(&select_of(args)).unwrap();
        filter.select(&profile, &names).goroutines
    };
    assert_eq!(list(&[("--wait", "0+")]), None);
    assert_eq!(list(&[("--match", "http")]), None);
    assert!(list(&[("--wait", "5+")]).is_some());
}

#[test]
fn errors_point_at_the_column() {
    let error = |args: &[(&str, &str)]| -> Error {
        Filter::compile(&select_of(args)).expect_err("an error")
    };
    for (flag, value, column) in [
        ("--kind", "slect", 1),
        ("--kind", "!slect", 2),
        ("--state", "!", 1),
        ("--wait", "!5x", 2),
        ("--label", "=x", 1),
        ("--label", "!=x", 2),
        ("--label", "k={x", 3),
        ("--input", "[", 1),
        ("--category", "{a", 1),
        ("--name", "!{a", 2),
        ("--frame", "ab(", 3),
        ("--created-by", "!ab(", 4),
        ("--id", "n1.x", 4),
        ("--query", "a b", 3),
        ("--where", "x", 1),
        ("--keep", "leaked x", 8),
    ] {
        let error = error(&[(flag, value)]);
        assert_eq!(error.place, Some(Place::Column(column)), "{flag} {value}: {error}");
        assert_eq!((&*error.input, error.source.as_deref()), (flag, Some(value)));
    }
    let text = error(&[("--kind", "slect")]).to_string();
    assert!(text.starts_with("--kind: unknown kind `slect` (column 1); did you mean select?"));
    for (flag, value, says) in [
        ("--input", "{a,b", "write each alternative alone"),
        ("--wait", "5-", "a number is missing"),
        ("--wait", "5-x", "`x` is not a number of minutes"),
        ("--where", "wait > unknown", "compared with a number of minutes"),
        ("--where", "leaked | locked", "write `or`"),
    ] {
        let text = error(&[(flag, value)]).to_string();
        assert!(text.contains(says), "{flag} {value}: {text}");
    }
    assert!(!error(&[("--name", "{a")]).to_string().contains("write each alternative alone"));
    assert!(!error(&[("--input", "[")]).to_string().contains("write each alternative alone"));
}

#[test]
fn a_group_of_none_is_selected_whole_and_has_no_id_that_matches() {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    for name in ["a", "b"] {
        let input = builder.input(Input::new(name, name, InputFormat::Debug1));
        let frame = builder.frame(b"main.f", b"f.go", 1);
        let stack = builder.stack(&[frame]);
        builder.sample(&SampleSpec {
            input,
            stack,
            full: stack,
            state: None,
            flags: FlagsId::NONE,
            labels: crate::profile::LabelsId::NONE,
            creator: None,
            elided: None,
        });
    }
    let profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    // Every id of b would match: `b.17`.
    let filter = Filter::compile(&select_of(&[("--where", "match 'b.'")])).unwrap();
    assert_eq!(filter.select(&profile, &names).samples, Some(vec![false, false]));
    let filter = Filter::compile(&select_of(&[("--input", "b")])).unwrap();
    assert_eq!(filter.select(&profile, &names).samples, Some(vec![false, true]));
}

#[test]
fn stacks_of_only_counted_groups_and_listed_goroutines_mix() {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = builder.input(Input::new("a", "a", InputFormat::Debug2));
    let frame = builder.frame(b"main.f", b"f.go", 1);
    let stack = builder.stack(&[frame]);
    let spec = SampleSpec {
        input,
        stack,
        full: stack,
        state: None,
        flags: FlagsId::NONE,
        labels: crate::profile::LabelsId::NONE,
        creator: None,
        elided: None,
    };
    let sample = builder.sample(&spec);
    for id in 1..=3 {
        let wait = Wait::minutes(id as f32);
        let new = NewGoroutine { id, created_by: None, wait };
        builder.goroutine(sample, &new);
    }
    builder.count(sample, 4);
    let profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    for (expression, expected) in [
        ("wait >= 2", "a.2 a.3 4 unknown"),
        ("wait >= 1", "a.1 a.2 a.3 4 unknown"),
        ("wait != unknown", "a.1 a.2 a.3"),
        ("wait == unknown", "4 counted"),
        ("id != 2", "a.1 a.3 4 counted"),
        ("match '3'", "a.3"),
        ("creator == 18446744073709551615", ""),
    ] {
        let filter = Filter::compile(&select_of(&[("--where", expression)])).unwrap();
        let selection = filter.select(&profile, &names);
        assert_eq!(shown(&profile, &selection), expected, "{expression}");
    }
}
