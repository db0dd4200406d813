//! Names that the program's file holds, which may be anything.

use super::{NAME, capture, process, stacks};
use crate::binary::Binary;
use crate::binary::tests::fixture::cut;

#[test]
fn names_of_functions_and_files_start_no_goroutine() {
    let mut bytes = cut(NAME).bytes;
    for (name, other) in [
        ("main.park\0", "p(...)\n\t/p.go:1\n\ngoroutine 91 [:\nmain.forged\0"),
        ("main.start.func5\0", "m.s\r\n\r\ngoroutine 92 [:\0"),
        ("example.com/probe/main.go\0", "\ngoroutine 93 [x]:\nm.go\0"),
    ] {
        let at = memchr::memmem::find(&bytes, name.as_bytes()).unwrap();
        bytes[at..at + other.len()].copy_from_slice(other.as_bytes());
    }
    let binary = Binary::from_bytes(bytes).unwrap();
    let text = String::from_utf8(capture(&binary, &process(&binary, &stacks())).unwrap().text);
    let text = text.unwrap();
    let starts = text.matches("goroutine ").count() - text.matches(" in goroutine ").count();
    assert_eq!(starts, stacks().len(), "{text}");
    for name in [
        r"p(...)\n\t/p.go:1\n\ngoroutine_91 [:\nmain.forged(",
        r"created by m.s\r\n\r\ngoroutine_92 [: in goroutine 1",
        r"	\ngoroutine_93 [x]:\nm.go:31 +0x33",
    ] {
        assert!(text.contains(&format!("\n{name}")), "{name}: {text}");
    }
}
