//! Lines that end a container, and texts that lost their ends.

use super::*;

#[test]
fn a_line_of_somebody_else_is_refused_and_the_container_goes_on() {
    let mut decoder = detect(b"2026-01-02T10:31:41Z goroutine 1 [running]:").unwrap();
    let mut out = Vec::new();
    assert_eq!(decoder.decode(b"hello", true, &mut out), Unwrapped::Foreign);
    assert_eq!(decoder.decode(b"2026-01-", false, &mut out), Unwrapped::Held);
    assert_eq!(decoder.decode(b"02 x", true, &mut out), Unwrapped::Foreign);
    assert_eq!(decoder.take_refused(), b"2026-01-02 x");
    assert!(out.is_empty());
    assert_eq!(
        decoder.decode(b"2026-01-02T10:31:41Z x", true, &mut out),
        Unwrapped::Text(StreamKey::ENCLOSING)
    );
    assert_eq!(out, b"x\n");
}

#[test]
fn an_escaped_line_that_lost_its_end_is_told_also_when_it_came_in_parts() {
    let whole: &[u8] =
        br#"{"stack":"goroutine 1 [running]:\nmain.main()\n\t/src/main.go:9 +0x1d\n"}"#;
    let cut = &whole[..whole.len() - 5];
    for (line, is_cut) in [(whole, false), (cut, true)] {
        for parts in 1..4 {
            let mut decoder =
                detect(br#"time="x" msg="goroutine 1 [running]:\nmain.main()\n""#).unwrap();
            let mut out = Vec::new();
            let mut given = line.chunks(line.len().div_ceil(parts)).peekable();
            while let Some(part) = given.next() {
                let unwrapped = decoder.decode(part, given.peek().is_none(), &mut out);
                assert_eq!(unwrapped, Unwrapped::Text(StreamKey::ENCLOSING));
            }
            decoder.finish(&mut out);
            assert_eq!(decoder.take_cut(), is_cut, "{parts} parts");
            assert!(!decoder.take_cut(), "told once");
        }
        let mut decoder =
            detect(br#"time="x" msg="goroutine 1 [running]:\nmain.main()\n""#).unwrap();
        let mut out = Vec::new();
        decoder.decode(line, false, &mut out);
        decoder.finish(&mut out);
        assert_eq!(decoder.take_cut(), is_cut, "the input ends within the line");
    }
}

#[test]
fn the_line_of_a_known_container_is_taken_at_once() {
    for line in [
        "[pod/web/app] goroutine 1 [running]:",
        "[pod/web/app] 2026-01-02T10:31:41Z goroutine 1 [running]:",
        "2026-01-02T10:31:41Z goroutine 1 [running]:",
        "Jan 02 10:31:41 host app[1]: goroutine 1 [running]:",
        "web-1  | goroutine 1 [running]:",
    ] {
        let mut out = Vec::new();
        let unwrapped = detect(line.as_bytes()).unwrap().decode(line.as_bytes(), true, &mut out);
        assert!(matches!(unwrapped, Unwrapped::Text(_)), "{line}");
        assert_eq!(out, b"goroutine 1 [running]:\n", "{line}");
    }
}

#[test]
fn two_texts_that_lost_their_ends_are_no_less_than_one() {
    let mut decoder = detect(br#"{"log":"a\n","stream":"stdout"}"#).unwrap();
    let mut out = Vec::new();
    let cut = br#"{"stack":"goroutine 1 [running]:\nmain.main()\n"#;
    let long = [&cut[..], &[b'x'; RECORD]].concat();
    let mut cut_twice = |decode: &mut dyn FnMut(&mut Decoder)| {
        decode(&mut decoder);
        decode(&mut decoder);
        decoder.take_cut()
    };
    assert!(cut_twice(&mut |decoder| {
        decoder.decode(cut, true, &mut out);
    }));
    assert!(cut_twice(&mut |decoder| {
        decoder.decode(&long, false, &mut out);
        decoder.decode(b"x", true, &mut out);
    }));
    assert!(cut_twice(&mut |decoder| {
        decoder.decode(&long, false, &mut out);
        decoder.finish(&mut out);
    }));
}
