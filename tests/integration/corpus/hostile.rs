//! Hostile inputs, each with the answer that it must get.

use crate::document::Document;
use crate::sandbox::{Sandbox, corpus};

/// A file that make.py writes; the exit code; goroutines that are read all the same; what the
/// message must say.
type Answer = (&'static str, i32, i64, &'static str);

const ANSWERS: &[Answer] = &[
    ("overlap.zip", 2, 50, "overlap"),
    ("hugedecl.zip", 0, 50, ""),
    ("badcrc.zip", 2, 0, "a.txt"),
    ("trunc.zip", 2, 0, "trunc.zip"),
    ("paths.zip", 0, 4, ""),
    ("dupnames.zip", 2, -1, "2 members"),
    ("nested.zip", 0, 1, ""),
    ("prefix.zip", 0, 50, ""),
    ("empty.zip", 2, 0, "empty.zip"),
    ("namediff.zip", 0, 50, ""),
    ("count.zip", 2, -1, "count.zip"),
    ("many.zip", 2, 0, "many.zip"),
    ("trunc.gz", 2, -1, "trunc.gz"),
    ("concat.gz", 0, 2, ""),
    ("trail.gz", 0, 1, "trail.gz"),
    ("badcrc.gz", 2, 0, "checksum"),
    ("ok.pb", 0, 5, ""),
    ("ok.pb.gz", 0, 5, ""),
    ("loc_missing.pb", 2, 0, "location 9"),
    ("fn_missing.pb", 2, 0, "function 77"),
    ("str_oob.pb", 2, 0, "99"),
    ("str_neg.pb", 2, 0, "-1"),
    ("map_missing.pb", 0, 5, ""),
    ("loc0.pb", 2, 0, "0"),
    ("duploc.pb", 2, 0, "1"),
    ("hugeid.pb", 0, 5, ""),
    ("nvals.pb", 2, 0, "values"),
    ("notypes.pb", 2, 0, "types"),
    ("neg.pb", 0, -5, ""),
    ("overflow.pb", -1, i64::MAX, ""),
    ("minint.pb", 0, i64::MIN, ""),
    ("st0.pb", 2, 0, "string"),
    ("nost.pb", 2, 0, "string"),
    ("badutf8.pb", 0, 5, ""),
    ("esc.pb", 0, 5, ""),
    ("trunc.pb", 2, -1, "trunc.pb"),
    ("lenover.pb", 2, -1, "byte"),
    ("group.pb", 2, -1, "group"),
    ("badvarint.pb", 2, 0, "badvarint.pb"),
    ("empty.pb", 2, 0, "empty.pb"),
    ("concat.pb", 2, -1, "concatenated"),
    ("unknownfield.pb", 0, 5, ""),
    ("concatgz.pb.gz", 0, 10, ""),
    ("deep.pb", 0, 5, ""),
    ("manylabels.pb", 0, 1, ""),
    ("zeroline.pb", 0, 5, ""),
    ("recursive.pb", 0, 5, ""),
    ("negline.pb", 0, 5, ""),
];

/// Where a number of goroutines can't be held to: -1 in [`ANSWERS`], but for `neg.pb`.
fn counts(name: &str, expected: i64) -> bool {
    expected >= 0 || matches!(name, "neg.pb" | "minint.pb")
}

fn made() -> Option<Sandbox> {
    let script = corpus()?.join("corpus/hostile/make.py");
    let sandbox = Sandbox::new();
    let made = std::process::Command::new("python3")
        .arg(script)
        .current_dir(sandbox.path())
        .stderr(std::process::Stdio::null())
        .status();
    made.ok().filter(|status| status.success()).map(|_| sandbox)
}

#[test]
fn every_hostile_input_gets_its_answer() {
    let Some(sandbox) = made() else { return };
    let mut wrong = Vec::new();
    for &(name, code, goroutines, says) in ANSWERS {
        let ran = sandbox.run(["export", "-o", "json", name]).no_panic();
        if code >= 0 && ran.code != Some(code) {
            wrong.push(format!("{name}: code {:?}, expected {code}: {}", ran.code, ran.stderr));
        }
        if !ran.stderr.contains(says) {
            wrong.push(format!("{name}: doesn't say {says:?}: {}", ran.stderr));
        }
        if goroutines != 0 && counts(name, goroutines) {
            let total = serde_json::from_slice::<serde_json::Value>(&ran.stdout)
                .map(|json| json["total"].as_i64());
            if total.ok().flatten() != Some(goroutines) && name != "overflow.pb" {
                wrong.push(format!("{name}: not {goroutines} goroutines: {}", ran.stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn bombs_are_stopped_by_the_budget() {
    let Some(sandbox) = made() else { return };
    for name in ["bomb.zip", "bomb.gz"] {
        sandbox.run(["summarize", "--max-bytes", "64M", name]).no_panic().code(2).says(name);
        sandbox.run(["summarize", name]).no_panic().code(2).says(name);
    }
}

#[test]
fn a_huge_sum_is_no_negative_number() {
    let Some(sandbox) = made() else { return };
    let ran = sandbox.run(["summarize", "overflow.pb"]).no_panic();
    assert!(!ran.text().contains("-2 "), "{}", ran.text());
}

#[test]
fn hostile_inputs_do_not_take_good_ones_down() {
    let Some(sandbox) = made() else { return };
    sandbox.file("good.txt", "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n");
    for &(name, code, ..) in ANSWERS {
        let ran = sandbox.run(["export", "-o", "json", name, "good.txt"]).no_panic();
        if code >= 0 {
            assert_eq!(ran.code, Some(code), "{name}: {}", ran.stderr);
        }
        let document = Document::new(ran.json());
        let good = document.inputs().iter().find(|input| input["name"] == "good.txt");
        assert_eq!(good.expect("the good input")["goroutines"], 1, "{name}");
    }
}

#[test]
fn control_characters_of_names_never_reach_messages() {
    let Some(sandbox) = made() else { return };
    let ran =
        sandbox.run(["summarize", "--strict", "paths.zip", "esc.pb", "dupnames.zip"]).no_panic();
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
}

#[test]
fn formulas_are_guarded_in_csv() {
    let Some(sandbox) = made() else { return };
    let ran = sandbox.run(["export", "-o", "csv", "esc.pb"]).no_panic();
    for line in ran.text().lines() {
        assert!(!line.split(',').any(|cell| cell.starts_with("=cmd")), "{line}");
    }
}
