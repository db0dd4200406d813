//! The counts that `check` gives for each point are those of `diff` for the same goroutines.

use crate::sandbox::Sandbox;
use proptest::prelude::*;
use serde_json::Value;
use std::fmt::Write;

/// What the goroutines of a group do: state, and the frames above their own function.
const DOING: [(&str, &[&str]); 8] = [
    ("chan receive", &[]),
    ("chan send", &[]),
    ("select", &[]),
    ("sync.Mutex.Lock", &["sync.(*Mutex).Lock"]),
    ("IO wait", &["internal/poll.(*FD).Read"]),
    ("sync.WaitGroup.Wait", &["sync.(*WaitGroup).Wait"]),
    ("select", &["net/http.(*persistConn).roundTrip", "net/http.(*Client).Do"]),
    ("chan receive", &["database/sql.(*DB).conn"]),
];

/// Functions that goroutines are blocked in: own code, a library's, and what the catalogue explains.
const FUNCTIONS: [(&str, &str); 5] = [
    ("main.work", "/home/me/main.go"),
    ("main.(*pool).run", "/home/me/pool.go"),
    ("ex.org/lib.Run", "/go/pkg/mod/ex.org/lib@v1.0.0/run.go"),
    ("net/http.(*persistConn).writeLoop", "/usr/local/go/src/net/http/transport.go"),
    ("database/sql.(*DB).connectionOpener", "/usr/local/go/src/database/sql/sql.go"),
];

/// Goroutines that share function, creator and doing, at each point.
#[derive(Clone, Debug)]
struct Drawn {
    function: usize,
    creator: usize,
    doing: usize,
    /// Also some that are about to run, which count as what the others do.
    runnable: usize,
    leaked: bool,
    minutes: u32,
    counts: Vec<usize>,
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let count = prop_oneof![3 => 0..5_usize, 3 => 8..60_usize, 1 => 1000..1040_usize];
    let group = (
        0..FUNCTIONS.len(),
        0..2_usize,
        0..DOING.len(),
        0..3_usize,
        proptest::bool::weighted(0.2),
        prop_oneof![Just(0), Just(4), Just(7), Just(45), Just(2000)],
        prop::collection::vec(count, 6),
    );
    (2..6_usize, prop::collection::vec(group, 1..7)).prop_map(|(points, groups)| {
        groups
            .into_iter()
            .map(|(function, creator, doing, runnable, leaked, minutes, mut counts)| {
                counts.truncate(points);
                Drawn { function, creator, doing, runnable, leaked, minutes, counts }
            })
            .collect()
    })
}

/// The dump of a point. Ids go on from point to point, so that most goroutines stay.
fn text(groups: &[Drawn], point: usize) -> String {
    let mut text =
        "goroutine 1 [select, 9 minutes]:\nmain.main()\n\t/home/me/main.go:9 +0x1\n\n".to_owned();
    for (at, group) in groups.iter().enumerate() {
        let (function, file) = FUNCTIONS[group.function];
        let (state, above) = DOING[group.doing];
        for nth in 0..group.counts[point] {
            let id = 100 + 2000 * at + nth;
            let passing = nth < group.runnable;
            let minutes = group.minutes + point as u32;
            let leaked = if group.leaked && nth % 3 == 0 { " (leaked)" } else { "" };
            let state = match (passing, minutes) {
                (true, _) => "runnable".to_owned(),
                (_, 0) => format!("{state}{leaked}"),
                _ if !leaked.is_empty() => format!("{state}{leaked}"),
                _ => format!("{state}, {minutes} minutes"),
            };
            // Writing to a String can't fail.
            let _ = writeln!(text, "goroutine {id} [{state}]:");
            for frame in above {
                let _ = writeln!(text, "{frame}(...)\n\t/usr/local/go/src/x/x.go:7 +0x1");
            }
            let _ = writeln!(text, "{function}()\n\t{file}:{} +0x1", 10 + nth % 3);
            let creator = ["main.start", "main.(*pool).grow"][group.creator];
            let _ = writeln!(text, "created by {creator} in goroutine 1\n\t{file}:3 +0x1\n");
        }
    }
    text
}

/// The sum of the rows of a diff that have this function and creator, and a kind that fits.
fn sum(diff: &Value, finding: &Value, kinds: &[&str]) -> Vec<i64> {
    let rows = diff["rows"].as_array().expect("rows").iter().filter(|row| {
        row["function"] == finding["function"]
            && row["creator"] == finding["created_by"]["func"]
            && kinds.contains(&row["kind"].as_str().unwrap_or_default())
    });
    let mut sums = vec![0; diff["points"].as_array().expect("points").len()];
    for row in rows {
        for (sum, count) in sums.iter_mut().zip(row["counts"].as_array().expect("counts")) {
            *sum += count.as_i64().expect("a number");
        }
    }
    sums
}

/// The kinds that a group of this kind holds: where two kinds are blocked at one place, goroutines
/// that are about to run count with the one that has more.
fn kinds<'k>(diff: &Value, finding: &Value, kind: &'k str) -> Vec<&'k str> {
    let rows = diff["rows"].as_array().expect("rows").iter().filter(|row| {
        row["function"] == finding["function"]
            && row["creator"] == finding["created_by"]["func"]
            && row["kind"] != "runnable"
    });
    let all = |row: &Value| -> i64 {
        let counts = row["counts"].as_array().expect("counts");
        counts.iter().map(|count| count.as_i64().expect("a number")).sum()
    };
    let mine = |row: &Value| row["kind"] == kind;
    let rows: Vec<&Value> = rows.collect();
    let total = rows.iter().filter(|row| mine(row)).map(|row| all(row)).max().unwrap_or(0);
    let most = rows.iter().filter(|row| !mine(row)).map(|row| all(row)).max().unwrap_or(-1);
    if total > most { vec![kind, "runnable"] } else { vec![kind] }
}

fn diff(sandbox: &Sandbox, files: &[String], more: &[&str]) -> Value {
    let mut arguments = vec!["diff", "-o", "json", "--by", "function,kind,creator"];
    arguments.extend(more);
    arguments.extend(files.iter().map(String::as_str));
    let ran = sandbox.run(arguments);
    serde_json::from_slice(&ran.stdout).expect("a document")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_of_findings_are_those_of_diff(groups in drawn(), at_end: bool, catalogue: bool) {
        // Kinds with equally many would make the one that passing ones belong to a matter of order.
        let mut places: Vec<_> = groups.iter().map(|one| (one.function, one.creator)).collect();
        places.sort_unstable();
        places.dedup();
        prop_assume!(places.len() == groups.len() || groups.iter().all(|one| one.runnable == 0));
        let sandbox = Sandbox::new();
        let points = groups[0].counts.len();
        let files: Vec<String> = (0..points).map(|point| format!("{point}.txt")).collect();
        for (point, file) in files.iter().enumerate() {
            sandbox.file(file, text(&groups, point));
        }
        let mut arguments = vec!["check", "-o", "json", "--explain-suppressed"];
        arguments.extend(at_end.then_some("--at-end"));
        arguments.extend((!catalogue).then_some("--no-default-allow"));
        arguments.extend(files.iter().map(String::as_str));
        let document: Value = serde_json::from_slice(&sandbox.run(arguments).stdout).expect("JSON");
        let all = diff(&sandbox, &files, &[]);
        let leaked = diff(&sandbox, &files, &["--where", "leaked"]);
        let lists = ["findings", "built_in"].map(|list| document[list].as_array().expect("a list"));
        for finding in lists.into_iter().flatten() {
            let Some(kind) = finding["kind"].as_str() else { continue };
            let kinds = kinds(&all, finding, kind);
            let diff = if finding["check"] == "leaked" { &leaked } else { &all };
            let mut expected = sum(diff, finding, &kinds);
            if finding["check"] == "http-no-timeout" || finding["check"] == "sql-pool" {
                // About those that ask, wherever others of their function are.
                let frame = match finding["check"] == "sql-pool" {
                    true => "^database/sql\\.\\(\\*DB\\)\\.conn ",
                    false => "roundTrip",
                };
                let asking = self::diff(&sandbox, &files, &["--frame", frame]);
                expected = sum(&asking, finding, &kinds);
            }
            let counts: Vec<i64> = serde_json::from_value(finding["counts"].clone()).expect("counts");
            prop_assert_eq!(counts, expected, "{:#}", finding);
            let last = finding["counts"].as_array().expect("counts").iter().filter_map(Value::as_i64).max();
            prop_assert!(finding["found"].as_i64() <= last, "{:#}", finding);
        }
    }
}
