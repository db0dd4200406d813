//! Lines after a blank one.

use super::*;
use crate::profile::{Input, InputFormat};

/// A goroutine after these lines.
fn after(lines: &[&str]) -> OpenGoroutine {
    let mut builder = ProfileBuilder::new(Keep::default());
    builder.input(Input::new("t", "t.txt", InputFormat::Debug2));
    let mut goroutine = OpenGoroutine::default();
    let attributes = Attributes::parse(b"[select]:").unwrap();
    goroutine.start(7, &attributes, 1, &mut builder);
    for (line, number) in lines.iter().zip(2..) {
        assert_eq!(goroutine.line(line.as_bytes(), number, &mut builder), Use::Took, "{line}");
    }
    goroutine
}

#[test]
fn what_certainly_belongs_to_a_goroutine_goes_on_with_it_behind_a_blank_line() {
    const PLACE: &str = "\t/src/a.go:3 +0x1d";
    const CREATOR: &str = "created by main.main in goroutine 1";
    const UNAVAILABLE: &str = "\tgoroutine running on other thread; stack unavailable";
    let call = ["shop.f(0x1)"];
    let frame = ["shop.f(0x1)", PLACE];
    let root = ["main.main()", PLACE];
    let whole = ["shop.f(0x1)", PLACE, CREATOR, PLACE];
    let ancestor = ["shop.f(0x1)", PLACE, CREATOR, PLACE, "[originating from goroutine 1]:"];
    let (yes, maybe, no) = (Some(true), None, Some(false));
    for (lines, next, expected) in [
        (&[][..], UNAVAILABLE, yes),
        (&[], "text", no),
        (&[], "shop.f(0x1)", maybe),
        (&call, PLACE, yes),
        (&call, "/src/a.go:3", yes),
        (&call, "text", no),
        (&frame, PLACE, no),
        (&frame, UNAVAILABLE, no),
        (&frame, "...23 frames elided...", yes),
        (&frame, CREATOR, yes),
        (&frame, "created by main.main", maybe),
        (&frame, "created by hand", maybe),
        (&frame, "shop.g(0x1)", maybe),
        (&frame, "  shop.g(0x1)", no),
        (&frame, "text (in brackets)", no),
        (&root, "shop.g(0x1)", no),
        (&root, "runtime.goexit()", maybe),
        (&whole, "shop.g(0x1)", no),
        (&whole, CREATOR, no),
        (&whole, "...23 frames elided...", no),
        (&whole, "[originating from goroutine 1]:", no),
        (&ancestor, "[originating from goroutine 2]:", yes),
        (&[UNAVAILABLE], CREATOR, yes),
        (&[UNAVAILABLE], "shop.g(0x1)", no),
    ] {
        assert_eq!(after(lines).goes_on(next.as_bytes()), expected, "{lines:?} {next}");
    }
}
