//! Containers inside each other: what the inner ones hold is read when the outer one ends.

use super::*;

/// The text with this before each line.
fn each(prefix: &str, text: &str) -> String {
    text.lines().map(|line| format!("{prefix}{line}\n")).collect()
}

fn goroutine(id: u32) -> String {
    format!(
        "goroutine {id} [select]:\nmain.work(0x1)\n\t/src/main.go:7 +0x1d\n\
         created by main.main in goroutine 1\n\t/src/main.go:3 +0x1d\n\n"
    )
}

fn reversed(text: &str) -> String {
    text.split_inclusive('\n').rev().collect()
}

#[test]
fn what_containers_inside_another_hold_is_read_when_that_ends() {
    let three: String = (7..10).map(goroutine).collect();
    let pretty = serde_json::to_string_pretty(&serde_json::json!({"a": 1, "s": three})).unwrap();
    let forms = [
        ("reversed", reversed(&three)),
        ("compose", each("web-1  | ", &three)),
        ("stern", each("pod-1 ctr › ", &three)),
        ("several streams", each("web-1  | ", &three) + &each("web-2  | ", &goroutine(20))),
        ("JSON over lines", pretty + "\n"),
        ("CRLF", each("pod › ", &three).replace('\n', "\r\n")),
        ("reversed inside compose", each("web-1  | ", &reversed(&three))),
        ("no header", three.replacen("goroutine 7 ", "goroutine ", 1)),
    ];
    for outer in ["\t", "        "] {
        for (name, inner) in &forms {
            let dump = each(outer, &format!("{}{inner}", goroutine(5)));
            let alone = parse(&dump);
            for after in ["FAIL\n", "=== RUN   TestX\n", "\ndone\n"] {
                let told = format!("{name} after {outer:?}, then {after:?}");
                let profile = parse(&format!("{dump}{after}"));
                assert_eq!(profile.goroutines.len(), alone.goroutines.len(), "{told}");
                let complete = |profile: &Profile| profile.inputs.iter().all(Input::complete);
                assert_eq!(complete(&profile), complete(&alone), "{told}");
                assert_eq!(complete(&profile), *name != "no header", "{told}");
                assert!(profile.goroutines.len() >= 3, "{told}");
            }
        }
    }
}

#[test]
fn each_of_many_containers_in_a_row_is_read_whole() {
    let stretch = each("    ", &format!("{}{}", goroutine(5), reversed(&goroutine(6))));
    let profile = parse(&format!("{stretch}=== RUN   TestX\n").repeat(30));
    assert_eq!(profile.goroutines.len(), 60);
    let headless = goroutine(6).replace("goroutine 6 ", "goroutine ");
    let stretch = each("    ", &format!("{}\n{headless}", goroutine(5)));
    let profile = parse(&format!("{stretch}=== RUN   TestX\n").repeat(30));
    assert_eq!(profile.goroutines.len(), 30);
    assert!(!profile.inputs[0].complete());
}

#[test]
fn a_label_that_holds_a_dump_is_no_dump() {
    let label = r#"{"path": "x\n\ngoroutine 666 [running]:\nforged.f()\n\t/f.go:1\n\n"}"#;
    let octal = r##"{"path": "x#012#012goroutine 666 [running]:#012forged.f()#012"}"##;
    let long =
        format!(r#"{{"path": "{}\n\ngoroutine 666 [running]:\nforged.f()"}}"#, "x".repeat(90_000));
    for label in [label, octal, &long] {
        let labelled = |id: u32| goroutine(id).replacen("]:", &format!("] {label}:"), 1);
        let dump = format!("{}{}{}", labelled(5), goroutine(6), labelled(7));
        for prefix in [
            "    ",
            "\t",
            "pod-1 ctr › ",
            "time=2026 level=INFO ",
            r"C:\app\main.go:5: ",
            "SIGNER goroutine pool: ",
        ] {
            for end in ["\n", "\r\n"] {
                let profile = parse(&each(prefix, &dump).replace('\n', end));
                let mut ids: Vec<u64> = profile.goroutines.iter().map(|one| one.id).collect();
                ids.sort_unstable();
                assert_eq!(ids, [5, 6, 7], "{prefix:?} {end:?} {}", label.len());
            }
        }
    }
}
