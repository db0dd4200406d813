//! Tests of the lines of a goroutine.

use super::*;

#[test]
fn calls_end_where_their_arguments_begin() {
    let cases: [(&str, Option<&str>); 10] = [
        ("main.f()", Some("main.f")),
        ("main.(*T).M(0xc0001, {{0x1, 0x2?}, ...}, _)", Some("main.(*T).M")),
        ("main.Do[...].func1({0x7f?, 0x0})", Some("main.Do[...].func1")),
        ("github.com/a%2eb/c.(*D).E.func1.2(...)", Some("github.com/a%2eb/c.(*D).E.func1.2")),
        ("main.noargs", None),
        ("main.f(0x1) extra", None),
        ("(0x1)", None),
        ("panic({0x1, 0x2})", Some("panic")),
        ("main.f(0x1goroutine 9 [chan receive]:, 0x2)", None),
        ("main.f(0xgoroutine 9 gp=0xc000002380 m=3 mp=0xc000080008 [select]:1)", None),
    ];
    for (line, func) in cases {
        assert_eq!(call(line.as_bytes()), func.map(str::as_bytes), "{line}");
    }
}

#[test]
fn what_is_left_of_a_call_is_known_by_its_parentheses() {
    for (line, func) in [
        ("main.f(", Some("main.f")),
        ("main.(*T).M(0xc0001, {{0x1, 0x2?}, ...}, _", Some("main.(*T).M")),
        ("main.f(0x1, {0x2, …", Some("main.f")),
        ("main.f({0x1, 0x2>", Some("main.f")),
        ("main.f(0x1)", None),
        ("main.(*T", None),
        ("see main.f(0x1", None),
        ("main.f(list of", None),
    ] {
        assert_eq!(open_call(line.as_bytes()), func.map(str::as_bytes), "{line}");
    }
    for (line, func) in [
        ("main.(*T).f(0xc00001, {0x2?, _})$", Some("main.(*T).f")),
        ("main.f(...)2026/03/04 done (in 3 s)", Some("main.f")),
        ("main.f()\\", Some("main.f")),
        ("main.f and (0x1) more", None),
        ("main.f(list) more", None),
    ] {
        assert_eq!(call_before_text(line.as_bytes()), func.map(str::as_bytes), "{line}");
    }
    for (call, is_whole) in [
        ("main.(*T).f(0x1)", true),
        ("panic({0x4f1a40?, 0x5a2b10?})", true),
        ("main.g()", true),
        ("panic({0x4f", false),
        ("main.(*T).f(", false),
        ("panic(", false),
    ] {
        for closing in ["\"", "'", "```", "\",web-1", "');", "[/code]", "</pre>", "\"}", "` |"] {
            assert!(is_closed_call(format!("{call}{closing}").as_bytes()), "{call}{closing}");
        }
        assert!(!is_closed_call(call.as_bytes()), "{call}");
        assert_eq!(super::call(call.as_bytes()).is_some(), is_whole, "{call}");
    }
    for text in [
        "panic(\"boom\")",
        "main.f(x)",
        "see main.f(0x1)\"",
        "fmt.Println('x')",
        "(0x1)\"",
        "done (3).",
    ] {
        assert!(!is_closed_call(text.as_bytes()), "{text}");
    }
    for name in ["example.org/shop.(*T", "runtime.gop", "example.org/shop/", "shop.(*T)."] {
        assert!(is_cut_name(name.as_bytes()), "{name}");
    }
    for text in ["Done.", "...", "exit status 2", "wait...", "/src/main.go", "main"] {
        assert!(!is_cut_name(text.as_bytes()), "{text}");
    }
    for rest in [")", "0, 0x1, ...)", " 0x2, {0x3?, _}", "1}, 0x"] {
        assert!(goes_on_with_arguments(rest.as_bytes()), "{rest}");
    }
    for text in ["main.f(0x1)", "...23 frames elided...", "\t/a.go:1", "done)"] {
        assert!(!goes_on_with_arguments(text.as_bytes()), "{text}");
    }
    assert!(is_end_of_call(b"0, 0x1)") && is_end_of_call(b"T).M(0x1)"));
    assert!(!is_end_of_call(b"main.(*T).M(0x1)") && !is_end_of_call(b"x_cgo_thread_start"));
}

#[test]
fn several_lines_in_one_are_told_from_names_and_files() {
    for text in [
        "testing/testing.go:2682 +0x345created by time.goFunc\ttime/sleep.go",
        "{\"msg\": \"main.f()\"}",
        "main.f({0x1}) \t/src/a.go:73 +0x31b main.g",
        "created by main.f",
        "created b",
    ] {
        assert!(holds_lines(text.as_bytes()), "{text}");
    }
    for text in ["main.f", "/src/a b/main.go", "C:/go/x.go", "_cgo_gotypes.go", "x_cgo_start"] {
        assert!(!holds_lines(text.as_bytes()), "{text}");
    }
    for line in ["web-1  | main.f(0x1)", "done main.(*T).f()"] {
        assert!(has_text_before_call(line.as_bytes()), "{line}");
    }
    for line in
        ["main.f(0x1)", "operator new(unsigned long)", "type:.eq.struct { x.T }(0x1)", "a b"]
    {
        assert!(!has_text_before_call(line.as_bytes()), "{line}");
    }
    let cut = b"ated by main.f in goroutine 7";
    assert_eq!(end_of_creator(cut), Some((&b"ated by "[..], &b"main.f"[..], 7)));
    assert_eq!(end_of_creator(b"main.f in goroutine 7 again"), None);
}

#[test]
fn calls_behind_a_prefix_are_told_from_sentences() {
    for line in ["web | main.f(0xc000012345, {0x1, 0x2?})", "main.f({0xc000012345, 0x1})"] {
        assert!(ends_in_call(line.as_bytes()), "{line}");
    }
    for line in ["web | main.f()", "see main.f(x)", "the address (0x1)", "main.f(0x1) again"] {
        assert!(!ends_in_call(line.as_bytes()), "{line}");
    }
}

#[test]
fn places_without_indentation_are_those_of_source_code() {
    for line in [
        "\t/notes.txt:5",
        " C:5",
        "/src/a.go:5",
        "/src/a:5 +0x1d",
        "/my app/a.go:5",
        "C:/my app/a.go:5",
    ] {
        assert!(indented_place(line.as_bytes()).is_some(), "{line}");
    }
    for line in ["/notes.txt:5", "\tnotes.txt", "text", "retry at worker.go:12", "db-0 app a.go:1"]
    {
        assert!(indented_place(line.as_bytes()).is_none(), "{line}");
    }
}

#[test]
fn what_the_runtime_prints_of_memory_means_nothing_for_a_stack() {
    for line in [
        "0x000000c000012f00:  0x0000000000000000  <main.f+0x1d>",
        "  7 6 5 4 3 2 1 0  f e d c b a 9 8 0123456789abcdef",
        "              ^ <main.f+0x1d>",
        "              ^ main.f",
        "rip    0x47a5a1",
        "0xc0012f00:  0x00000000  <main.f+0x1d>",
        "000000c000012f00: 0000000000000000 000000c000012f38  ........8/......",
        "c0012f00: 00000000 c0012f38  ....8/..",
    ] {
        assert!(runtime_noise(line.as_bytes()), "{line}");
    }
    for line in [
        "0x000000c000012f00 is an address",
        "0x12f00: short",
        "see x 0123456789abcdef",
        "^ <main.f+0x1d>",
        "  ^ here it is",
        "main.f(0x47a5a1)",
        "Found  0x47a5a1",
        "instruction  0x47a5a1",
        "rip    0x47a5a1 again",
        "12345678 items",
        "123456: 00000000",
    ] {
        assert!(!runtime_noise(line.as_bytes()), "{line}");
    }
}

#[test]
fn places_keep_blanks_colons_and_drives_of_file_names() {
    type Case<'a> = (&'a str, Option<(&'a str, i64, bool)>);
    let cases: [Case<'_>; 10] = [
        ("/a/b.go:12 +0x1d", Some(("/a/b.go", 12, true))),
        ("/a/b.go:12", Some(("/a/b.go", 12, false))),
        ("/a/b.go:12 +0x1 fp=0xc0 sp=0xc1 pc=0x48c5b1", Some(("/a/b.go", 12, true))),
        ("/c/x.c:12 pc=0x48c5b1", Some(("/c/x.c", 12, true))),
        (
            "C:/Program Files/Go/src/runtime/proc.go:460 +0xce",
            Some(("C:/Program Files/Go/src/runtime/proc.go", 460, true)),
        ),
        ("/a/b.go:12 +0x", Some(("/a/b.go", 12, false))),
        ("/a:80/b.go:12 +0x1", Some(("/a:80/b.go", 12, true))),
        ("<autogenerated>:1 +0x15", Some(("<autogenerated>", 1, true))),
        ("no line here", None),
        (":5", None),
    ];
    for (text, expected) in cases {
        let found = place(text.as_bytes());
        let found = found.map(|place| (place.file, place.line, place.offset));
        let expected = expected.map(|(file, line, offset)| (file.as_bytes(), line, offset));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn the_start_of_a_creator_shows_in_front_of_a_line_of_a_log() {
    for line in [
        "creaDec  1 10:00:00 h",
        "created b[GIN] 2026",
        "created by2026/12/01 10:00:00",
        "creat{\"a\":1}",
    ] {
        assert!(is_glued_creator(line.as_bytes()), "{line}");
    }
    for line in ["created 5 users", "creating", "created by main.f", "cre2026/12/01", "create"] {
        assert!(!is_glued_creator(line.as_bytes()), "{line}");
    }
}

#[test]
fn creators_are_read_with_and_without_their_goroutine() {
    let cases: [(&str, &str, Option<u64>); 5] = [
        ("created by main.start in goroutine 17", "main.start", Some(17)),
        ("created by main.start in goroutine 17$", "main.start", Some(17)),
        ("created by main.start", "main.start", None),
        ("created by main.start()", "main.start", None),
        ("created by a/b.(*T).Go.func1 in goroutine 0", "a/b.(*T).Go.func1", Some(0)),
    ];
    for (line, func, id) in cases {
        assert_eq!(created_by(line.as_bytes()), Some((func.as_bytes(), id)), "{line}");
    }
    for cut in ["main.start", "main.start in gor", "main.start "] {
        assert_eq!(without_stump(cut.as_bytes()), b"main.start", "{cut}");
    }
}

#[test]
fn gaps_tell_how_many_frames_are_missing_where_go_says_so() {
    assert_eq!(elided(b"...23 frames elided..."), Some(Some(23)));
    assert_eq!(elided(b"...additional frames elided..."), Some(None));
    assert_eq!(elided(b"...some frames elided..."), None);
}
