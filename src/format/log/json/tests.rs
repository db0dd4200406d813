//! Records of logs: their text, and the stream that it belongs to.

use super::super::LAYERS;
use super::*;

/// The texts of lines, each with its stream.
fn decoded(lines: &[&str]) -> Vec<(u32, String)> {
    let (mut json, mut keys, mut texts) = (Json::default(), Keys::default(), Vec::new());
    for line in lines {
        let (mut out, mut more) = (Vec::new(), More::new());
        let key = json.decode(line.as_bytes(), LAYERS, &mut keys, &mut out, &mut more);
        more.push_front((key.expect(line), out));
        let text = |(key, text): (StreamKey, _)| (key.0, String::from_utf8(text).unwrap());
        texts.extend(more.into_iter().map(text));
    }
    texts
}

/// The text of lines that belong to one stream.
fn text(lines: &[&str]) -> String {
    decoded(lines).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn records_in_one_line_are_texts_of_their_streams() {
    for (line, wanted) in [
        (r#"[{"msg":"a"},{"msg":"b"}]"#, &[(0, "a\nb\n")][..]),
        (
            r#"[{"pod":"p","msg":"a"},{"pod":"q","msg":"b"},{"pod":"q","msg":"c"},{"pod":"p","msg":"d"}]"#,
            &[(1, "a\n"), (2, "b\nc\n"), (1, "d\n")],
        ),
        (r#"[{"pod":"p"},{"pod":"q","msg":"b"},{"pod":"r"}]"#, &[(2, "b\n")]),
        (r#"{"pod":"p","x":1}"#, &[(1, "")]),
        (r#"{"pod":"p","events":[{"msg":"a"},{"msg":"b"}]}"#, &[(1, "a\nb\n")]),
        (
            r#"[{"pod":"p","events":[{"msg":"a"},{"app":"x","msg":"b"}]},{"pod":"p","msg":"c"}]"#,
            &[(1, "a\n"), (2, "b\n"), (1, "c\n")],
        ),
    ] {
        let wanted: Vec<(u32, String)> =
            wanted.iter().map(|(key, text)| (*key, (*text).to_owned())).collect();
        assert_eq!(decoded(&[line]), wanted, "{line}");
    }
    let same = r#"{"log":"x\n","stream":"s"}"#;
    let keys: Vec<u32> = ["a: ", "b: ", "", "a: "]
        .iter()
        .flat_map(|prefix| {
            decoded(&[&format!("a: {same}"), &format!("b: {same}"), &format!("{prefix}{same}")])
                [2..]
                .to_vec()
        })
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, [1, 2, 3, 1]);
}

#[test]
fn a_line_ends_with_its_text_or_its_record_unless_that_says_otherwise() {
    for (lines, wanted) in [
        ([r#"{"message":"a\n"}"#, r#"{"message":"b"}"#], "a\nb\n"),
        ([r#"{"_LINE_BREAK":"line-max","MESSAGE":"a"}"#, r#"{"MESSAGE":"b"}"#], "ab\n"),
        ([r#"{"_LINE_BREAK":"eof","MESSAGE":"a"}"#, r#"{"MESSAGE":"b"}"#], "a\nb\n"),
        ([r#"{"logtag":"P","message":"a"}"#, r#"{"logtag":"F","message":"b"}"#], "ab\n"),
        ([r#"{"_p":"P","log":"a"}"#, r#"{"_p":"F","log":"b\n"}"#], "ab\n"),
        ([r#"x {"_p":"P","log":"a"}"#, r#"x {"_p":"F","log":"b\n"}"#], "ab\n"),
        ([r#"{"partial_message":true,"log":"a"}"#, r#"{"log":"b"}"#], "ab\n"),
        ([r#"{"partial_message":"true","log":"a"}"#, r#"{"log":"b"}"#], "ab\n"),
        ([r#"{"partial_message":false,"log":"a"}"#, r#"{"log":"b"}"#], "a\nb\n"),
    ] {
        assert_eq!(text(&lines), wanted, "{lines:?}");
    }
}

#[test]
fn dumps_in_other_fields_come_once_and_apart_from_each_other() {
    let main = r"goroutine 1 [running]:\nmain.main()\n";
    let other = r"goroutine 2 [select]:\nmain.f()\n";
    for (lines, wanted) in [
        // A message that holds what another field has, and one in which it is the first line.
        (&[format!(r#"{{"msg":"x:\n{main}","stack":"{main}"}}"#)][..], "x:\nM"),
        (&[format!(r#"{{"msg":"goroutine 1 [running]:","stack":"{main}"}}"#)], "M"),
        // A crash comes before the goroutines, and a message before its stack.
        (&[format!(r#"{{"msg":"{main}","why":"panic: x"}}"#)], "panic: x\n\nM"),
        (&[r#"{"msg":"failed","why":"panic: x"}"#.into()], "failed\n\npanic: x\n"),
        (&[format!(r#"{{"msg":"{main}","stack":"{other}"}}"#)], "M\nO"),
        (&[format!(r#"{{"msg":"failed","stack":"{main}"}}"#)], "failed\n\nM"),
        // Equal texts.
        (&[r#"{"a":"panic: x","b":"panic: y","c":"panic: x "}"#.into()], "panic: x\n\npanic: y\n"),
        (&[format!(r#"{{"a":"{main}","b":"panic: x"}}"#)], "panic: x\n\nM"),
        // Texts of further records: other dumps, and the rest of one.
        (&[format!(r#"{{"msg":"{main}"}}"#), format!(r#"{{"msg":"{other}"}}"#)], "M\nO"),
        (
            &[format!(r#"{{"msg":"{main}"}}"#), r#"{"msg":"\t/a.go:1\nx"}"#.into()],
            "M\t/a.go:1\nx\n",
        ),
        (
            &[format!(r#"{{"msg":"{main}"}}"#), r#"{"msg":"main.f()\n\tx"}"#.into()],
            "Mmain.f()\n\tx\n",
        ),
        (&[format!(r#"{{"a":"{main}"}}"#), format!(r#"{{"a":"{other}"}}"#)], "M\nO"),
        (&[r#"{"msg":"fine"}"#.into(), format!(r#"{{"msg":"{main}"}}"#)], "fine\nM"),
        // A field that no table has.
        (
            &[
                r#"{"m":"goroutine 1 [running]:","x":"y"}"#.into(),
                r#"{"m":"main.main()","x":"y"}"#.into(),
            ],
            "M",
        ),
    ] {
        let wanted = wanted.replace('M', &main.replace(r"\n", "\n"));
        let wanted = wanted.replace('O', &other.replace(r"\n", "\n"));
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(text(&lines), wanted, "{lines:?}");
    }
}

#[test]
fn the_value_of_a_panic_is_told_with_a_message_that_lacks_it() {
    for (message, value, wanted) in [
        ("Observed a panic", "boom", "Observed a panic: boom\n"),
        ("Observed a panic: boom", "boom", "Observed a panic: boom\n"),
        ("Observed a panic", "", "Observed a panic\n"),
        ("Observed a panic", r"boom\nmore", "Observed a panic\n"),
        (r"Observed a panic\n", "boom", "Observed a panic\n"),
        (r"Observed a panic\nmore", "boom", "Observed a panic\nmore\n"),
        ("failed", "boom", "failed\n"),
    ] {
        let stack = r"goroutine 1 [running]:\nmain.main()\n";
        let line = format!(r#"{{"msg":"{message}","panic":"{value}","stack":"{stack}"}}"#);
        let wanted = format!("{wanted}\ngoroutine 1 [running]:\nmain.main()\n");
        assert_eq!(text(&[&line]), wanted, "{line}");
    }
}

#[test]
fn a_record_of_docker_that_has_lost_its_stream_is_none() {
    let (mut json, mut keys) = (Json::default(), Keys::default());
    let mut take = |line: &str| {
        json.decode(line.as_bytes(), LAYERS, &mut keys, &mut Vec::new(), &mut More::new()).is_some()
    };
    let whole = r#"{"log":"main.f()\n","stream":"stderr","time":"2026-01-02T10:31:41.1Z"}"#;
    let cut = r#"{"log":"main.runT10:31:41.1Z"}"#;
    assert!(take(cut), "shippers write no stream");
    assert!(take(whole));
    assert!(!take(cut));
    assert!(json.is_left_of_record(cut.as_bytes()) && !json.is_left_of_record(whole.as_bytes()));
}

/// `journalctl -o json` writes the fields of each record in another order.
#[test]
fn the_order_of_fields_does_not_tell_streams_apart() {
    let texts = decoded(&[
        r#"{"_PID":"7","_HOSTNAME":"n","MESSAGE":"a"}"#,
        r#"{"_HOSTNAME":"n","MESSAGE":"b","_PID":"7"}"#,
        r#"{"MESSAGE":"c","_HOSTNAME":"n","_PID":"8"}"#,
    ]);
    let keys: Vec<u32> = texts.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
}

#[test]
fn of_opentelemetry_the_body_is_the_text_and_not_attributes() {
    let record = |text: &str| {
        format!(
            r#"{{"resourceLogs":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"web"}}}}]}},"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"1","body":{{"stringValue":"{text}"}}}}]}}]}}]}}"#
        )
    };
    let lines = ["goroutine 1 [running]:", "main.main()"].map(record);
    let texts = decoded(&lines.each_ref().map(String::as_str));
    let texts: Vec<&str> = texts.iter().map(|(_, text)| text.trim_end()).collect();
    assert_eq!(texts, ["goroutine 1 [running]:", "main.main()"]);
}

/// A process that is killed leaves the start of a record, and the next one goes on in the same line.
#[test]
fn a_record_that_was_torn_off_in_front_of_a_whole_one_is_told() {
    let whole =
        r#"10:31:41 ERROR x {"stack": "goroutine 7 [select]:\nmain.a()\n\t/x/a.go:1 +0x1\n"}"#;
    for (line, told) in [
        (whole.to_owned(), false),
        (format!("10:31:40 INFO ready {whole}"), false),
        (format!("{}{whole}", &whole[..whole.len() - 2]), true),
        (format!("{}{whole}", &whole[..50]), true),
    ] {
        let (mut json, mut keys) = (Json::default(), Keys::default());
        let (mut out, mut more) = (Vec::new(), More::new());
        json.decode(line.as_bytes(), LAYERS, &mut keys, &mut out, &mut more);
        assert_eq!(json.take_cut(), told, "{line}");
    }
}

#[test]
fn items_of_a_list_in_lines_of_their_own_are_records_of_one_stream() {
    let lines = [r#"[{"msg":"a"},"#, r#"{"msg":"b"},"#, r#" {"msg":"c"}]"#];
    assert_eq!(text(&lines), "a\nb\nc\n");
    assert_eq!(decoded(&lines).iter().map(|(key, _)| *key).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(text(&["[ {\n  \"msg\" : \"a\"\n}, {\n  \"msg\" : \"b\"\n} ]"]), "a\nb\n");
}
