//! Dumps of GOTRACEBACK=system, whose lines are longer than terminals are wide.

use super::*;

/// A text as a terminal of so many columns shows it.
fn wrapped(text: &str, columns: usize) -> String {
    let mut shown = String::new();
    for line in text.lines() {
        let mut column = 0;
        for char in line.chars() {
            let width = if char == '\t' { 8 } else { 1 };
            if column + width > columns {
                shown.push('\n');
                column = 0;
            }
            shown.push(char);
            column += width;
        }
        shown.push('\n');
    }
    shown
}

#[test]
fn addresses_that_go_on_in_the_next_line_are_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/traceback");
    for name in ["go1.21.13.sigquit.txt", "go1.27.3.sigquit.txt", "go1.27.3.crash.txt"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("it is there");
        let expected = described(&parse(&text));
        for columns in 70..120 {
            let text = wrapped(&text, columns);
            assert!(!is_told(&text), "{name}, {columns} columns");
            assert_eq!(described(&parse(&text))[1..], expected[1..], "{name}, {columns} columns");
        }
    }
}

#[test]
fn other_lines_below_a_place_are_no_part_of_its_addresses() {
    let head = "goroutine 1 gp=0xc000002380 m=0 mp=0x57b0a0 [running]:\nmain.f()\n";
    let tail = "main.main()\n\t/src/a.go:9 +0x1d fp=0xc0000a0f98 sp=0xc0000a0f78 pc=0x47af21\n";
    for (place, rest) in [
        ("/src/a.go:3 +0x1d fp=0xc0000a0f78 sp=0xc0000a0f58 pc=0x47", "ag21"),
        ("/src/a.go:3 +0x1d fp=0xc0000a0f78 sp=0xc0000a0f58 pc=0x47", "af21 sp=0xc0000a0f58"),
        ("/src/a.go:3 +0x1d fp=0xc0000a0f78", "sp=0xc0000a0f58"),
        ("/src/a.go:3 +0x1d fp=0xc0000a0f78", "pc=0x47af21"),
        ("/src/a.go:3 +0x1d", "af21"),
        ("/src/a.go:3 +0x1d f", "ad"),
    ] {
        let text = format!("{head}\t{place}\n{rest}\n{tail}");
        assert!(is_told(&text), "{text}");
    }
    // Lines between them are lost.
    let broken = "/src/a.go:9 +0x2d fp=0xc0000a0f98 sp=0xc000\n0a0f78 pc=0x47af21\n";
    let frame = "\t/src/a.go:3 +0x1d fp=0xc0000a0f78 sp=0xc0000a0f58 pc=0x47af21\n";
    for before in [
        &format!("{head}{frame}\t"),
        &format!("{head}{frame}main.g(...)\n\t"),
        &format!("{head}{frame}main.\n\t"),
        &format!("{head}{frame}created by main.g in goroutine 1\n\t"),
        &format!("{head}{frame}main.g()\n\t/src/a.go:3\n\t"),
    ] {
        let text = format!("{before}{broken}{tail}");
        assert!(is_told(&text), "{text}");
    }
    let (wrapped, rest) = tail.split_at(tail.find("0a0f78 pc").unwrap());
    for text in [
        format!("{head} pc=0x47af21\n{tail}"),
        format!("{head}\tpc=0x47af21\n{tail}"),
        format!("{wrapped}\n{rest}{rest}"),
        format!("{wrapped}\n0a0f78 pc=0x"),
    ]
    .map(|text| if text.starts_with(head) { text } else { format!("{head}{frame}{text}") })
    {
        assert!(is_told(&text), "{text}");
    }
    // It ends there.
    for place in ["/src/a.go:3 +0x1d fp=0xc0000a0f78 sp=0xc0000a0f58 p", "/src/a.go:3 +0x1d f"] {
        let text = format!("{head}\t{place}\n{tail}");
        assert!(is_told(&text), "{text}");
    }
}
