use super::*;

fn text(line: &str) -> Option<String> {
    let mut escaped = Escaped::of(line.as_bytes(), 2)?;
    let mut out = Vec::new();
    escaped.feed(line.as_bytes(), &mut out);
    escaped.end(&mut out);
    Some(String::from_utf8(out).unwrap())
}

#[test]
fn only_texts_of_several_lines_are_handed_on() {
    let line = r#"{"level":"error","stacktrace":"goroutine 1 [running]:\nmain.main()\n\t/a.go:1\n","ts":1.5,"x":"y"}"#;
    assert_eq!(text(line).unwrap(), "goroutine 1 [running]:\nmain.main()\n\t/a.go:1\n\n");
    let line = r#"time="x" msg="dump:\ngoroutine 1 [select] {\"k\": \"v\"}:\nmain.f()" n="1""#;
    assert_eq!(text(line).unwrap(), "dump:\ngoroutine 1 [select] {\"k\": \"v\"}:\nmain.f()\n\n");
}

#[test]
fn the_panic_beside_a_trace_is_kept() {
    let line = r#"{"msg":"panic: boom","stack":"goroutine 1 [running]:\nmain.main()\n"}"#;
    assert_eq!(text(line).unwrap(), "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\n");
}

#[test]
fn an_entity_for_a_quote_ends_no_text() {
    let line = r#"msg="<b>goroutine 1 [running] {k: &#34;v w&#34;}:</b>\n<b>main.f()</b>\n" n="1""#;
    assert_eq!(
        text(line).unwrap(),
        "<b>goroutine 1 [running] {k: &#34;v w&#34;}:</b>\n<b>main.f()</b>\n\n"
    );
}

#[test]
fn a_quote_that_was_not_escaped_hides_nothing() {
    let of_goroutines =
        r#"{"stack":"goroutine 1 [running]:\n"\nmain.f()\n\ngoroutine 2 [select]:\n"}"#;
    let of_records = r#"{"stack":"--- mutex:\ncycles/second=1\nsampling period=1\n1"2 @ 0x1 0x2\n\n3 4 @ 0x3 0x4\n"}"#;
    for (line, behind) in
        [(of_goroutines, "\ngoroutine 2 [select]:\n"), (of_records, "\n3 4 @ 0x3 0x4\n")]
    {
        let text = text(line).unwrap();
        assert!(text.contains(behind), "{text}");
    }
}

#[test]
fn text_without_quotes_is_turned_back_too() {
    assert_eq!(
        text(r"goroutine 1 [running]:\nmain.main()\n\t/a.go:1").unwrap(),
        "goroutine 1 [running]:\nmain.main()\n\t/a.go:1"
    );
    assert_eq!(
        text("x#012goroutine 1 [running]:#012main.main()#012").unwrap(),
        "x\ngoroutine 1 [running]:\nmain.main()\n"
    );
}

#[test]
fn what_was_escaped_twice_is_turned_back_once() {
    assert_eq!(
        text(r"goroutine 1 [running]:\\nmain.main()\\n\\t/a.go:1").unwrap(),
        "goroutine 1 [running]:\\nmain.main()\\n\\t/a.go:1\n\n"
    );
}

#[test]
fn a_quoted_text_without_its_closing_quote_was_cut() {
    for (line, cut) in [
        (r#"{"stack":"goroutine 1 [running]:\nmain.main()\n\t/a.g"#, true),
        (r#"{"stack":"goroutine 1 [running]:\nmain.main()\n\t/a.go:1"}"#, false),
        (r#"{"stack":"goroutine 1 [running]:\nmain.main()\n","tail":"ab"#, true),
        (r#"stack="goroutine 1 [running]:\nmain.main()\n" x=y"#, false),
        (r#"stack="goroutine 1 [running]:\nmain.main()\n" other="gorout"#, true),
        (r#"stack="goroutine 1 [running]:\nmain.main()\n" other="go"#, false),
        (r#"[web] {x stack="goroutine 1 [running]:\nmain.main()\n""#, false),
        // An item of a list that goes on in the next line.
        (r#"[{"stack":"goroutine 1 [running]:\nmain.main()\n"}"#, false),
        (r#"[{"stack":"goroutine 1 [running]:\nmain.main()\n"},"#, false),
        (r#"[{"stack":"goroutine 1 [running]:\nmain.main()\n"},{"id":2,"stack":"goro"#, true),
        (r#"{"items": [ "goroutine 1 [running]:\nmain.main()\n", "g"#, true),
        (r#"{"items": [ "goroutine 1 [running]:\nmain.main()\n" "#, true),
        // Another program's line goes on in it.
        (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n[GIN] 200 | GET "/health""#, true),
        (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n200 "GET / HTTP/1.1" 3ms"#, true),
        (r#"{"stack":"goroutine 1 [running]:\nmain.f(){"level":"info"}"#, true),
        (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n"\x16\x03\x01" 400 0 "-""#, true),
        (r"goroutine 1 [running]:\nmain.main()\n\t/a.g", false),
    ] {
        let mut escaped = Escaped::of(line.as_bytes(), 2).unwrap();
        let mut out = Vec::new();
        escaped.feed(line.as_bytes(), &mut out);
        assert_eq!(escaped.end(&mut out), cut, "{line}");
    }
}

#[test]
fn another_programs_quote_is_none_that_closes_a_value_of_the_record() {
    let dump = r"goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n";
    let cut = |line: &str, step: usize| {
        let mut escaped = Escaped::of(line.as_bytes(), 2).unwrap();
        let mut out = Vec::new();
        line.as_bytes().chunks(step).for_each(|part| escaped.feed(part, &mut out));
        escaped.end(&mut out)
    };
    let is_cut = |line: &str| {
        let whole = cut(line, usize::MAX);
        assert!([1, 7].iter().all(|step| cut(line, *step) == whole), "{line}");
        whole
    };
    // The last ones are what could be the record's own quotes.
    for (start, end, own) in [
        (r#"{"stack":""#, r#""}"#, &[][..]),
        (r#"{"a": "x", "stack" : ""#, "\" ,\t\"ts\": 1.5}", &[]),
        (r#"level=error stack=""#, r#"" n=1"#, &["=\" "]),
        (r#"{app="a",stack=""#, r#"",b="c"}"#, &["=\" "]),
        (r#"10:31:41 main.go:23: stack: ""#, r#"" of 3"#, &["=\" ", "\","]),
        (r#"2026-01-02,""#, r#"",web"#, &["=\" ", "\"\"", "\","]),
        (r#"2026-01-02,"{""stack"": """#, r#"""}",web"#, &["=\" ", "\"\"", "\","]),
    ] {
        assert!(!is_cut(&format!("{start}{dump}{end}")), "{start}");
        for other in [
            r#"GET "/health" 200"#,
            r#"msg="" user=bob"#,
            r#"parsing "": invalid"#,
            r#"listen ":8080""#,
            r#"ext ".go""#,
            r#"split "," "#,
            r#"split ", " by"#,
            r#"{"level":"info"}"#,
            r#""\x16\x03" 400 0 "-""#,
            r#"msg=" ready""#,
        ] {
            let is_own = own.iter().any(|quote| other.contains(quote));
            let line = format!("{start}{dump}{other}");
            assert!(is_cut(&line) || is_own, "{line}");
            // The rest of the record may follow in the line.
            let line = format!("{line}{dump}{end}");
            assert!(is_cut(&line) || is_own, "{line}");
        }
    }
    // A row doesn't end inside its quotes.
    for other in [r#"msg="" user=bob"#, r#"msg=" ready""#, r#"split ",""#] {
        assert!(is_cut(&format!("2026-01-02,\"{dump}{other}")), "{other}");
    }
    // What a record or list lost behind the dump can be another one.
    for end in [r#"","ti"#, r#"","tail":"a b"#] {
        assert!(is_cut(&format!(r#"{{"stack":"{dump}{end}"#)), "{end}");
    }
    for whole in [
        format!(r#"dump: "{dump}", done"#),
        format!(r#"reading "{dump}": invalid"#),
        format!(r#"<td>stack="{dump}"</td>"#),
        format!(r#"stack="{dump}"\nnext"#),
        format!(r#"[3,"{dump}",{{"a":"b"}}]"#),
        format!(r#"{{"stack":"{dump}"}} and "more""#),
        format!(r#""{dump}" and more"#),
        format!(r#"{{"a" : "b", "stack" : "{dump}" , "c" : "d e"}}"#),
        format!("\tError:\t\"{dump}\" does not contain \"x\""),
        format!("10:31:41\tERROR\t\"{dump}\": dropped"),
        format!("level=error stack=\"{dump}\"\x1b[0m"),
        format!("2026,\"{dump}\"\x1b[0m"),
        format!(r#"map["n":"5" "stack":"{dump}" "z":""]"#),
        format!(r#"stderr="{dump}": exit status 2"#),
        format!(r#""worker": "{dump}": exit status 2"#),
        format!(r#"err="{dump}"."#),
        format!(r#"1,"{dump}" ,x"#),
        format!(r#"1,"{dump}"  "#),
        format!(r#"{{a="b", stack="{dump}", c="d"}}"#),
    ] {
        assert!(!is_cut(&whole), "{whole}");
    }
}

#[test]
fn the_rest_of_a_broken_line_is_told_from_other_lines() {
    let open = |line: &str| {
        let mut escaped = Escaped::of(line.as_bytes(), 2).unwrap();
        escaped.feed(line.as_bytes(), &mut Vec::new());
        escaped.break_line();
        assert!(escaped.is_open());
        escaped
    };
    let escaped = open(r#"{"stack":"goroutine 1 [running]:\nmain.main(0x"#);
    for line in [
        r"main.f()\n\t/a.go:1 +0x1d\nmain.main()\n\t/a.g",
        r#"o:7 +0x1d"}"#,
        r#"t/a.go:7 +0x1d\n" route=/x"#,
        r#"a.go:7","ts":1.5}"#,
        r"{0x2, 0x3})\n\t/src/a.go:7 +0x1d",
        r#" {0x2, 0x3})\n\t/src/a.go:7 +0x1d"}"#,
        &"0".repeat(escaped.width),
    ] {
        assert!(escaped.goes_on_in(line.as_bytes()), "{line}");
    }
    for line in [
        "",
        "main.f()",
        r#"{"msg":"goroutine 1 [running]:\nmain.main()\n"}"#,
        r#" { "msg":"a\nb"}"#,
        r#"time="2026-01-02T10:31:41Z" msg="a\nb""#,
        r#"he said "no" to it"#,
    ] {
        assert!(!escaped.goes_on_in(line.as_bytes()), "{line}");
    }
    let escaped = open(r#"{"stack":"goroutine 1 [running]:\nmain.f({\"#);
    assert!(escaped.goes_on_in(br#""x\"})\n\t/a.go:1 +0x1"#));
}

#[test]
fn the_rest_of_a_line_that_another_program_interrupted_is_none_of_a_broken_line() {
    let goes_on = |start: &str, rest: &str| {
        let line = format!(r#"{{"stack":"goroutine 1 [running]:\nmain.main()\n{start}"#);
        let mut escaped = Escaped::of(line.as_bytes(), 2).unwrap();
        escaped.feed(line.as_bytes(), &mut Vec::new());
        escaped.break_line();
        escaped.goes_on_in(rest.as_bytes())
    };
    let end = r#"\nmain.f()\n\t/src/a.go:7 +0x1d"}"#;
    for (start, rest) in [
        (r"\t/src/a", "pp.go:3 +0x1d"),
        (r"\t/Program Files/a", "pp.go:3 +0x1d"),
        ("main.f(0x1, ", "0x2)"),
        ("goroutine 7 [chan re", "ceive, 5 minutes]:"),
        ("created by ma", "in.g in goroutine 1"),
        ("main.f(", "0x1, 0x2)"),
        ("main.(*T).f(", "0x1, 0x2)"),
        ("\\", "t/src/app.go:3 +0x1d"),
        ("10:31:41 dump of al", "l goroutines"),
    ] {
        let rest = format!("{rest}{end}");
        assert!(goes_on(start, &rest), "{start}");
        let start_of_dump = !start.starts_with("10");
        let other = format!("{start}2026/01/02 10:31:41 GET /health 200");
        assert_eq!(goes_on(&other, &rest), !start_of_dump, "{other}");
    }
    assert!(!goes_on("goroutine 7 [chan reINFO ready", &format!("ceive]:{end}")));
    // A write of which 4 KiB came before the other program's.
    assert!(!goes_on(r"\t/src/aready", &format!("pp.go:3 +0x1d{}", end.repeat(9))));
}

#[test]
fn lines_without_a_dump_are_left_alone() {
    for line in [
        r#"msg="a\nb""#,
        r#"msg="goroutine 1 did\nx""#,
        r#"msg="panic: boom""#,
        r"C:\new\goroutine 1",
        "goroutine 1 [running]:",
        r#"> goroutine 1 [running] {"k": "x\ngoroutine 6 [running]:\nmain.f()\n"}:"#,
        r#"> goroutine 1 [running labels:{"k": "x\ngoroutine 6 [running]:\nmain.f()\n"}]:"#,
        r##"> goroutine 1 [running] {"k": "x#012goroutine 6 [running]:#012main.f()#012"}:"##,
    ] {
        assert_eq!(text(line), None, "{line}");
    }
}

#[test]
fn a_long_text_streams_in_bounded_memory() {
    let frame = r"main.f(0x1)\n\t/src/a.go:3 +0x1d\n";
    let mut escaped = Escaped::new(Style::Quoted);
    let (mut out, mut total) = (Vec::new(), 0);
    escaped.feed(br#"msg="goroutine 1 [running]:\n"#, &mut out);
    for _ in 0..100_000 {
        escaped.feed(frame.as_bytes(), &mut out);
        total += out.len();
        out.clear();
    }
    escaped.end(&mut out);
    assert_eq!(total, 23 + 100_000 * (frame.len() - 3));
    assert!(out.capacity() < 4096 && escaped.first.capacity() < 4096);
    // Also one of a single line.
    escaped.feed(b"msg=\"", &mut out);
    let mut total = 0;
    for _ in 0..100 {
        escaped.feed(&[b'x'; 10_000], &mut out);
        assert!(escaped.first.len() <= LOOK + 10_000, "{}", escaped.first.len());
        total += out.len();
        out.clear();
    }
    assert!(total > 1_000_000 - LOOK - 10_000, "{total}");
}
