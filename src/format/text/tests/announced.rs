//! What a text itself says of what it lacks: fields of its records, counts of races.

use super::*;

#[test]
fn what_a_record_says_of_a_cut_of_its_text_is_told() {
    let dump = DUMP.trim_end();
    let place = dump.rfind("\ncreated by").map_or(dump, |end| &dump[..end]);
    for (field, is_told) in [
        (r#""log":{"flags":["multiline","truncated"]}"#, true),
        (r#""log.flags":["truncated"]"#, true),
        (r#""multiline_truncated":true"#, true),
        (r#""multiline_truncated":"true""#, true),
        (r#""truncated":true"#, true),
        (r#""tags":["multiline","multiline_codec_max_lines_reached"]"#, true),
        (r#""ddtags":"env:prod,truncated:multiline""#, true),
        (r#""log":{"flags":["multiline"]}"#, false),
        (r#""truncated":false"#, false),
        (r#""http":{"request":{"body":{"truncated":true}}},"db":{"truncated":true}"#, false),
        (r#""tags":["untruncated"],"body_truncated":true"#, false),
    ] {
        for text in [dump, place] {
            let text = serde_json::Value::from(text);
            for record in [
                format!("{{\"message\":{text},{field}}}\n"),
                format!("{{{field},\"message\":{text}}}\n"),
                format!("{{{field},\"stack\":{text}}}\n{{\"message\":\"next\"}}\n"),
            ] {
                let profile = parse(&record);
                assert_eq!(profile.goroutines.len(), 3, "{record}");
                assert_eq!(profile.inputs[0].complete(), !is_told, "{record}");
            }
        }
    }
    // One of a program's own texts.
    let record = r#"{"message":"a\nb","multiline_truncated":true}"#;
    let lines = DUMP.lines().map(|line| format!("{}\n", serde_json::json!({"message": line})));
    let text = format!("{record}\n{}", lines.collect::<String>());
    assert!(parse(&text).inputs[0].complete(), "{text}");
}

#[test]
fn races_whose_reports_are_not_in_the_text_are_told() {
    let report = "==================\nWARNING: DATA RACE\nRead at 0x00c000018148 by goroutine 9:\n  main.f()\n\
                  \x20     /src/main.go:12 +0x9c\n==================\n";
    let test =
        "--- FAIL: TestX (0.01s)\n    testing.go:1490: race detected during execution of test\n";
    for (text, is_told) in [
        (format!("{DUMP}\nFound 2 data race(s)\nexit status 66\n"), true),
        (format!("{DUMP}\n{report}Found 2 data race(s)\n"), true),
        (format!("{DUMP}\n{report}{report}Found 2 data race(s)\n"), false),
        (format!("Found 1 data race(s)\n\n{DUMP}"), true),
        (format!("{DUMP}\n\x1b[31mFound 1 data race(s)\x1b[0m\n"), true),
        (format!("{DUMP}\n{test}"), true),
        (format!("{report}{test}\n{DUMP}"), false),
        (format!("{DUMP}\n==================\nWARNING: DATA R"), true),
        (format!("{DUMP}\n==================\nWARNING: DATA R...\n"), true),
    ] {
        for text in [text.clone(), text.lines().map(|line| format!("web-1  | {line}\n")).collect()]
        {
            let profile = parse(&text);
            assert_eq!(profile.goroutines.len(), 3, "{text}");
            assert_eq!(profile.inputs[0].complete(), !is_told, "{text}");
        }
    }
}
