//! `check`: may this pass?

use crate::sandbox::{Ran, Sandbox};
use serde_json::Value;

/// The goroutine that every program has.
const MAIN: &str = "goroutine 1 [chan receive]:\nmain.main()\n\t/src/main.go:9 +0x1d\n\n";

/// Goroutines of one's own that send to a channel, with these ids.
fn senders(ids: std::ops::Range<u64>) -> String {
    ids.map(|id| {
        format!(
            "goroutine {id} [chan send]:\nmain.send()\n\t/src/main.go:19 +0x1d\n\
             created by main.start in goroutine 1\n\t/src/main.go:15 +0x1d\n\n"
        )
    })
    .collect()
}

fn dump(ids: std::ops::Range<u64>) -> String {
    format!("{MAIN}{}", senders(ids))
}

fn check(sandbox: &Sandbox, arguments: &str) -> Ran {
    let today = if arguments.contains("--today") { "" } else { "--today 2026-11-21 " };
    let line = format!("check {today}{arguments}");
    sandbox.run(line.split_whitespace())
}

/// Check, level and whether something covers it, of each finding.
fn findings(json: &Value) -> Vec<(String, String, bool)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = json["findings"].as_array().expect("findings").iter();
    list.map(|one| (text(&one["check"]), text(&one["level"]), one["suppressed"].is_object()))
        .collect()
}

fn row(check: &str, level: &str, covered: bool) -> (String, String, bool) {
    (check.to_owned(), level.to_owned(), covered)
}

#[test]
fn a_gate_passes_fails_and_refuses() {
    let sandbox = Sandbox::new();
    sandbox.file("fine.txt", dump(5..9));
    sandbox.file("leaked.txt", dump(5..9).replace("[chan send]", "[chan send (leaked)]"));
    sandbox.file("empty.txt", "");
    sandbox.file("none.txt", "goroutine profile: total 0\n");
    sandbox.file("unknown.txt", "hello\n");
    sandbox.file("cut.txt", &dump(5..9)[..dump(5..9).len() - 40]);
    let ran = check(&sandbox, "fine.txt").quiet();
    assert!(ran.text().starts_with("pass: nothing found in 5 goroutines\n"), "{}", ran.text());
    let ran = check(&sandbox, "leaked.txt").code(1);
    assert!(ran.text().starts_with("fail: 1 error in 5 goroutines\n"), "{}", ran.text());
    assert_eq!(ran.stderr, "");
    for refused in ["empty.txt", "none.txt", "unknown.txt", "cut.txt", "missing.txt"] {
        let ran = check(&sandbox, refused).code(2);
        assert!(ran.text().starts_with("fail"), "{refused}: {}", ran.text());
        assert!(ran.stderr.contains(refused), "{refused}: {}", ran.stderr);
        // What can't be judged beats what was found, and is shown with it.
        check(&sandbox, &format!("leaked.txt {refused}")).code(2);
    }
}

#[test]
fn levels_decide_what_counts() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..25));
    check(&sandbox, "dump.txt").code(0);
    check(&sandbox, "--fail-on warning dump.txt").code(0);
    check(&sandbox, "--fail-on note dump.txt").code(1);
    check(&sandbox, "--fail-on notes dump.txt").code(2).says("use error, warning or note");
}

#[test]
fn what_is_left_at_the_end_needs_an_explanation() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..8));
    check(&sandbox, "dump.txt").code(0);
    check(&sandbox, "--at-end dump.txt").code(1);
    sandbox
        .file("allow.toml", "[[allow]]\nfunction = 'main.send'\nmax = 3\nexpires = 2026-12-31\n");
    let ran = check(&sandbox, "--at-end --allow allow.toml dump.txt").quiet();
    assert!(
        ran.text().contains("1 finding suppressed by allow-lists or the baseline"),
        "{}",
        ran.text()
    );
    let json = check(&sandbox, "--at-end --allow allow.toml --today 2027-01-01 -o json dump.txt");
    assert_eq!(
        findings(&json.code(1).json()),
        [row("leftover", "error", false), row("expired-entry", "warning", false)]
    );
    sandbox.file("more.txt", dump(5..9));
    let json = check(&sandbox, "--at-end --allow allow.toml -o json more.txt").code(1).json();
    assert_eq!(json["findings"][0]["facts"]["allowed"], 3);
    sandbox.file("other.toml", "[[allow]]\nfunction = 'main.receive'\n");
    let json = check(&sandbox, "--at-end --allow other.toml -o json dump.txt").code(1).json();
    assert_eq!(
        findings(&json),
        [row("leftover", "error", false), row("unused-entry", "note", false)]
    );
    sandbox.file("wrong.toml", "[[allow]]\nfuncton = 'main.send'\n");
    check(&sandbox, "--allow wrong.toml dump.txt").code(2).says("wrong.toml:2:1").says("function");
}

#[test]
fn a_baseline_lets_pass_what_was_there_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.file("before.txt", dump(5..8));
    sandbox.file("after.txt", dump(5..8).replace("main.go:19", "main.go:21"));
    sandbox.file("more.txt", dump(5..9));
    check(&sandbox, "--at-end --write-baseline base.toml before.txt").quiet();
    check(&sandbox, "--at-end --baseline base.toml before.txt").quiet();
    check(&sandbox, "--at-end --baseline base.toml after.txt").quiet();
    check(&sandbox, "--at-end --baseline base.toml more.txt").code(1);
    sandbox.file("cut.txt", &dump(5..9)[..dump(5..9).len() - 40]);
    check(&sandbox, "--at-end --write-baseline cut.toml cut.txt").code(2).says("isn't written");
    assert!(!sandbox.path().join("cut.toml").exists());
}

#[test]
fn growth_needs_points_and_says_so() {
    let sandbox = Sandbox::new();
    for point in 1..=5 {
        sandbox.file(format!("t{}.txt", point + 7), dump(10..10 + 10 * point));
        sandbox.file(format!("series/t{}.txt", point + 7), dump(10..10 + 10 * point));
    }
    let json = check(&sandbox, "-o json t8.txt t9.txt").code(0).json();
    let growth = json["checks"].as_array().expect("checks").iter();
    let growth = growth.clone().find(|one| one["check"] == "growth").expect("growth");
    assert_eq!(growth["skipped"], "a trend needs three points or more");
    let given = check(&sandbox, "-o json t8.txt t9.txt t10.txt t11.txt t12.txt").code(1).json();
    assert_eq!(given["findings"][0]["check"], "growth");
    assert_eq!(given["findings"][0]["counts"], serde_json::json!([10, 20, 30, 40, 50]));
    let by_name = check(&sandbox, "-o json --order name t12.txt t10.txt t9.txt t11.txt t8.txt");
    assert_eq!(by_name.code(1).json(), given);
    let series = check(&sandbox, "-o json --series series").code(1).json();
    assert_eq!(series["findings"][0]["counts"], given["findings"][0]["counts"]);
    check(&sandbox, "--skip-first 2 t8.txt t9.txt t10.txt t11.txt t12.txt").code(0);
}

#[test]
fn a_fleet_in_any_order_and_any_threads_give_the_same_bytes() {
    let sandbox = Sandbox::new();
    for (name, count) in [("a/s.txt", 3), ("b/s.txt", 80), ("c/s.txt", 4), ("d/s.txt", 2)] {
        sandbox.file(name, dump(10..10 + count));
    }
    for format in ["table", "json"] {
        let run = |rest: &str| {
            let ran = check(&sandbox, &format!("--at-end --fleet -o {format} {rest}"));
            ran.code(1).stdout
        };
        let first = run("a/s.txt b/s.txt c/s.txt d/s.txt");
        assert_eq!(run("d/s.txt b/s.txt a/s.txt c/s.txt"), first);
        assert_eq!(run("-j 1 d/s.txt c/s.txt b/s.txt a/s.txt"), first);
        assert_eq!(run("-j 5 c/s.txt a/s.txt b/s.txt d/s.txt"), first);
    }
    let json = check(&sandbox, "--fleet -o json a/s.txt b/s.txt c/s.txt d/s.txt").code(0).json();
    assert!(findings(&json).contains(&row("concentration", "warning", false)), "{json}");
}

#[test]
fn limits_come_from_flags_and_settings() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..25));
    check(&sandbox, "--max-goroutines 21 dump.txt").code(0);
    let ran = check(&sandbox, "--max-goroutines 20 dump.txt").code(1);
    assert!(ran.text().contains("dump.txt has 21 goroutines, 20 are allowed"), "{}", ran.text());
    check(&sandbox, "--max-goroutines name=main.send:19 --no-default-rules dump.txt").code(1);
    check(&sandbox, "--max-goroutines nam=main.send:19 dump.txt")
        .code(2)
        .says("names no goroutines");
    sandbox.file("stackgazer.toml", "[check]\nmax_goroutines = 20\n");
    check(&sandbox, "dump.txt").code(1);
    check(&sandbox, "--max-goroutines 30 dump.txt").code(0);
    // A flag takes the place of the setting for the same goroutines, and of no other.
    check(&sandbox, "--max-goroutines name=main.send:30 --no-default-rules dump.txt").code(1);
    check(&sandbox, "--max-leaked 0 dump.txt").code(1);
    check(&sandbox, "--no-config dump.txt").code(0);
    sandbox.file("stackgazer.toml", "[check]\nmax_goroutine = 20\n");
    check(&sandbox, "dump.txt").code(2).says("did you mean max_goroutines?");
    sandbox.file("stackgazer.toml", "[check]\nmax_age = \"soon\"\n");
    check(&sandbox, "dump.txt").code(2).says("stackgazer.toml:2");
    sandbox.run(["config", "show"]).code(2).says("stackgazer.toml:2");
}

#[test]
fn limits_that_cannot_be_broken_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..9));
    sandbox.file("count.txt", "goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n");
    check(&sandbox, "--max-growth 10% dump.txt").code(2).says("needs two points");
    check(&sandbox, "--max-growth 10% dump.txt dump.txt").code(0);
    check(&sandbox, "--max-age 1h count.txt").code(2).says("prints waits");
    check(&sandbox, "--max-age 1h dump.txt").code(0);
}

#[test]
fn a_leak_profile_can_be_required_and_may_be_empty() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..9));
    sandbox.file("leaks.txt", "goroutineleak profile: total 0\n");
    check(&sandbox, "dump.txt").code(0);
    check(&sandbox, "--require-leak-profile dump.txt").code(2).says("goroutineleak profile");
    check(&sandbox, "--require-leak-profile leaks.txt").code(0);
}

#[test]
fn settings_of_check_are_shown_with_their_place() {
    let sandbox = Sandbox::new();
    sandbox.file("stackgazer.toml", "[check]\nfail_on = 'note'\nown = ['^ex']\n");
    let ran = sandbox.run(["config", "show"]).quiet();
    let line = ran.text().lines().find(|line| line.starts_with("check.fail_on")).expect("a line");
    assert!(line.contains("stackgazer.toml:2") && line.ends_with("note"), "{line}");
}

#[test]
fn labels_that_should_be_gone_are_found() {
    let sandbox = Sandbox::new();
    let text = "goroutine profile: total 2\n2 @ 0x1\n# labels: {\"test\":\"TestX\"}\n#\t0x1\tmain.f+0x1\t/a.go:3\n";
    sandbox.file("count.txt", text);
    check(&sandbox, "count.txt").code(0);
    check(&sandbox, "--leak-label test=TestX count.txt").code(1);
    check(&sandbox, "--leak-label test count.txt").code(1);
    check(&sandbox, "--leak-label test=TestY count.txt").code(0);
}

#[test]
fn only_own_code_makes_errors() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..9));
    check(&sandbox, "--at-end --own ^main[.]main$ dump.txt").code(0);
    check(&sandbox, "--at-end --own ^main[.]main$ --fail-on warning dump.txt").code(1);
    check(&sandbox, "--at-end --own ^main[.] dump.txt").code(1);
    check(&sandbox, "--own ( dump.txt").code(2).says("--own");
}

#[test]
fn a_selection_that_matches_nothing_passes_with_a_note() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..9));
    check(&sandbox, "--at-end --state sleep dump.txt").code(0).says("note: no goroutine matches");
}

#[test]
fn checks_explain_themselves() {
    let sandbox = Sandbox::new();
    let all = sandbox.run(["check", "--explain"]).quiet();
    for name in ["leaked", "leftover", "growth", "limit", "lock-pile-up", "unused-entry"] {
        assert!(all.text().lines().any(|line| line.starts_with(name)), "{name}: {}", all.text());
        let one = sandbox.run(["check", "--explain", name]).quiet();
        assert!(one.text().starts_with(name) && one.text().lines().count() > 3, "{}", one.text());
    }
    sandbox.run(["check", "--explain", "grwth"]).code(2).says("did you mean growth?");
}

#[test]
fn lines_and_rows_say_what_the_document_says() {
    let sandbox = Sandbox::new();
    sandbox.file("old.txt", dump(5..9));
    sandbox.file("new.txt", dump(5..30).replace("[chan send]", "[chan send (nil chan)]"));
    let run = |format: &str| check(&sandbox, &format!("old.txt new.txt -o {format}")).code(1);
    let (lines, document) = (run("ndjson"), run("json").json());
    crate::schema::assert_lines("check", lines.text(), &[("finding", "finding")], &["findings"]);
    let findings = document["findings"].as_array().expect("findings");
    assert_eq!(lines.text().lines().count(), 1 + findings.len());
    let rows = run("csv");
    let mut rows = csv::Reader::from_reader(rows.stdout.as_slice());
    let rows: Vec<csv::StringRecord> = rows.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), findings.len());
    for (row, finding) in rows.iter().zip(findings) {
        assert_eq!((&row[0], &row[1]), (text(&finding["check"]), text(&finding["level"])));
        assert_eq!(&row[2], text(&finding["tier"]));
        assert_eq!(&row[15], text(&finding["text"]));
        assert_eq!(row[13], finding["counts"][1].to_string());
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[test]
fn writing_a_baseline_is_told() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", dump(5..9));
    let ran = check(&sandbox, "--at-end --write-baseline base.toml dump.txt").quiet();
    let written = std::fs::read_to_string(sandbox.path().join("base.toml")).expect("a baseline");
    assert_eq!(written.matches("[[allow]]").count(), 1);
    assert!(ran.text().contains("1 entry was written to base.toml"), "{}", ran.text());
    // What programs read stays what it was.
    let ran = check(&sandbox, "--at-end --write-baseline base.toml dump.txt -o json").code(0);
    ran.says("1 entry was written to base.toml").json();
    let second = "would be the second document on stdout";
    for more in ["-o json", "-o csv", "--report junit"] {
        let ran = check(&sandbox, &format!("--at-end --write-baseline - dump.txt {more}"));
        assert_eq!(ran.code(2).says(second).text(), "");
    }
}

#[test]
fn a_selection_that_leaves_nothing_of_the_last_point_is_told() {
    let sandbox = Sandbox::new();
    sandbox.file("one.txt", MAIN);
    sandbox.file("two.txt", MAIN.replace("main.main", "main.other"));
    for format in ["table", "json"] {
        let told = |frame: &str| {
            let ran = check(&sandbox, &format!("--frame {frame} one.txt two.txt -o {format}"));
            ran.no_panic().text().contains("no goroutine of the last point is selected")
        };
        assert!(told("main.main"), "{format}");
        assert!(!told("main"), "{format}");
    }
}

#[test]
fn one_dump_asks_for_no_trend() {
    let sandbox = Sandbox::new();
    sandbox.file("one.txt", MAIN);
    sandbox.file("two.txt", MAIN);
    let one = check(&sandbox, "one.txt").quiet();
    assert!(!one.text().contains("trend"), "{}", one.text());
    let two = check(&sandbox, "one.txt two.txt").quiet();
    assert!(two.text().contains("two points are no trend"), "{}", two.text());
}

/// A stranger's change could name a file with secrets, and read the log of the run.
#[test]
fn errors_quote_files_that_settings_name_only_if_they_are_toml() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", MAIN);
    for (file, is_quoted) in [("allow.toml", true), (".env", false)] {
        sandbox.file(file, "[[allow]]\nTOKEN = 'hush'\n");
        sandbox.file("stackgazer.toml", format!("check.allow = [{file:?}]\n"));
        let ran = check(&sandbox, "dump.txt").code(2).says(&format!("{file}:2:1: "));
        assert_eq!(ran.stderr.contains("hush"), is_quoted, "{}", ran.stderr);
    }
}

#[test]
fn files_that_settings_name_are_read_once_and_have_a_limit_together() {
    let sandbox = Sandbox::new();
    sandbox.file("dump.txt", MAIN);
    let comment = "#".repeat(3 << 20);
    sandbox.file("a.toml", &comment);
    sandbox.file("b.toml", &comment);
    let names = |names: String| sandbox.file("stackgazer.toml", format!("check.allow=[{names}]"));
    names("'a.toml','./a.toml',".repeat(500));
    check(&sandbox, "dump.txt").code(0);
    names("'a.toml','b.toml'".to_owned());
    check(&sandbox, "dump.txt").code(2).says("at most 4 MiB together (listed_bytes)");
    for (key, entry) in [("own", "'main',"), ("leak_label", "'k=v',"), ("max_age", "'main:1h',")] {
        sandbox.file("stackgazer.toml", format!("check.{key}=[{}]", entry.repeat(1001)));
        let ran = sandbox.run_small(["check", "--at-end", "dump.txt"]);
        ran.code(2).says(&format!("check.{key} lists more than 1000 entries (listed_entries)"));
    }
    sandbox.file("stackgazer.toml", format!("check.own=[{}]", "'\\pL{3}N',".repeat(900)));
    let ran = sandbox.run_small(["check", "--at-end", "dump.txt"]);
    ran.code(2).says("bytes together (regex_bytes_total)");
    names("'a.toml',".repeat(1001));
    check(&sandbox, "dump.txt")
        .code(2)
        .says("check.allow lists more than 1000 entries (listed_entries)");
}
