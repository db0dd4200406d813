//! `diff` of real dumps: sums, and shapes over versions of Go.

use crate::document::list;
use crate::sandbox::{corpus, stackgazer};
use serde_json::Value;

fn diff(old: &std::path::Path, new: &std::path::Path, options: &[&str]) -> Value {
    let mut arguments = vec!["diff", "-o", "json"];
    arguments.extend(options);
    arguments.extend([old, new].map(|path| path.to_str().expect("UTF-8")));
    stackgazer(arguments).quiet().json()
}

fn counts(row: &Value) -> (i64, i64) {
    let count = |at: usize| row["counts"][at].as_i64().expect("a count");
    (count(0), count(1))
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn rows_add_up_to_the_totals_by_any_key() {
    let folder = corpus();
    let folder = folder.join("corpus/cockroach");
    let (old, new) = (folder.join("stacks.txt"), folder.join("stacks-2.txt"));
    for by in ["shape", "id", "name", "category", "state", "kind", "wait", "creator"] {
        let document = diff(&old, &new, &["--by", by]);
        assert_eq!(document["totals"], serde_json::json!([1404, 1253]), "{by}");
        let rows = list(&document["rows"]);
        let sum = rows.iter().map(counts).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        assert_eq!(sum, (1404, 1253), "{by}");
        let tallies = document["statuses"].as_object().expect("statuses").values();
        let change: i64 = tallies.map(|tally| tally["change"].as_i64().expect("whole")).sum();
        assert_eq!(change, 1253 - 1404, "{by}");
        let persist: i64 = rows.iter().map(|row| row["persist"].as_i64().expect("ids")).sum();
        assert_eq!(Value::from(persist), document["persist"], "{by}");
    }
}

#[test]
#[ignore = "needs STACKGAZER_CORPUS"]
fn one_way_is_the_opposite_of_the_other() {
    let folder = corpus();
    let folder = folder.join("corpus/cockroach");
    let (old, new) = (folder.join("stacks.txt"), folder.join("stacks-2.txt"));
    let tally = |document: &Value, status: &str| document["statuses"][status]["rows"].clone();
    let (there, back) = (diff(&old, &new, &[]), diff(&new, &old, &[]));
    for (status, opposite) in [("new", "gone"), ("grown", "shrunk"), ("same", "same")] {
        assert_eq!(tally(&there, status), tally(&back, opposite), "{status}");
    }
    assert_eq!(there["persist"], back["persist"]);
}
