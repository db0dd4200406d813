//! A whole dump in one line, escaped: `level=info msg="goroutine 1 [running]:\nmain.main()\n..."`,
//! zap's `"stacktrace":"goroutine 1 ..."`, Go's `%q`, rsyslog's `#012`.
//!
//! Such a line can have gigabytes, so it isn't searched for the text with the dump: every text of
//! several lines is handed on, and everything between texts is dropped.

use super::tail::Tail;
use super::unescape::{Style, Unescape, closing_quote};
use super::words::header_word;
use super::{carries, keyword};
use crate::format::bruise;
use crate::format::start::{announces_crash, is_header, starts_dump};
use crate::format::traceback::cut_header::START;
use crate::format::traceback::header::{Attributes, Header, find_unquoted};
use crate::format::traceback::{lines, lookalike, names};
use crate::profile::{Kind, kind_of};
use memchr::memmem::find;

/// How many bytes of a line, or of one text in it, are looked at before a decision is made.
const LOOK: usize = 64 << 10;

/// A longer line isn't judged again with each line that goes on with it.
const JUDGED: usize = 4 << 10;

/// A name can have brackets: `main.(*T).f(0x1`.
const RECEIVERS: usize = 4;

#[derive(Debug)]
pub(super) struct Escaped {
    style: Style,
    unescape: Unescape,
    /// Whether the position is inside a text.
    inside: bool,
    /// Whether this text is handed on.
    shown: bool,
    /// The text until that is decided.
    first: Vec<u8>,
    /// The last byte that was handed on.
    last: Option<u8>,
    /// The end of what was handed on.
    tail: Tail,
    /// Whether a dump broke off in a text with quotes on both sides.
    breaks_off: bool,
    /// Whether the last byte was the quote that closes a text which was handed on.
    is_closed: bool,
    /// How many bytes were fed.
    fed: usize,
    /// The length of the first line, if the text goes on in others.
    width: usize,
}

impl Escaped {
    pub(super) fn new(style: Style) -> Escaped {
        let unescape = Unescape::new(style);
        let inside = style != Style::Quoted;
        let (first, tail) = (Vec::new(), Tail::default());
        let (shown, breaks_off, is_closed) = (false, false, false);
        let (last, fed, width) = (None, 0, 0);
        Escaped {
            style,
            unescape,
            inside,
            shown,
            first,
            last,
            tail,
            breaks_off,
            is_closed,
            fed,
            width,
        }
    }

    /// A decoder for the line, if it holds an escaped dump.
    pub(super) fn of(line: &[u8], layers: usize) -> Option<Escaped> {
        let line = line.get(..LOOK).unwrap_or(line);
        memchr::memchr2(b'\\', b'#', line)?;
        if !is_escaped_outside_labels(line) {
            return None;
        }
        // Whether the dump is in quotes. Labels have quotes too, but not before the first header.
        let before = line.get(..keyword(line)?)?;
        let quoted = open_quote(before) || find(line, b"\"goroutine ").is_some();
        let styles = match quoted {
            true => [Style::Quoted, Style::Bare, Style::Octal],
            false => [Style::Bare, Style::Octal, Style::Quoted],
        };
        let text_as = |style| {
            let (mut trial, mut text) = (Escaped::new(style), Vec::new());
            trial.feed(line, &mut text);
            // A text of one line can be long, because it is escaped itself.
            text.append(&mut trial.first);
            text
        };
        // HTML must not be undone before the text is turned back: an entity for a quote would end the text.
        let ends_early = [&b"&#34;"[..], b"&quot;"].iter().any(|quote| find(line, quote).is_some());
        let lines = |text: &[u8]| {
            // The last line can be cut; if it is everything, the text doesn't have several lines.
            let end = memchr::memrchr(b'\n', text);
            let lines = text.get(..end.unwrap_or(0)).unwrap_or_default();
            lines.split(|&byte| byte == b'\n').any(|line| {
                let holds = || carries(line, layers) || (ends_early && is_bruised_header(line));
                is_header(line) || (keyword(line).is_some() && holds())
            })
        };
        let last = |text: &[u8]| {
            let start = memchr::memrchr(b'\n', text).map_or(0, |end| end.saturating_add(1));
            let last = text.get(start..).unwrap_or_default();
            text != line
                && layers > 0
                && Escaped::of(last.trim_ascii_start(), layers.saturating_sub(1)).is_some()
        };
        let is_it = |style: &Style| {
            let text = text_as(*style);
            lines(&text) || *style == Style::Quoted && last(&text)
        };
        // Text that was escaped twice.
        let twice = || (last(&text_as(Style::Bare))).then_some(Style::Bare);
        styles.into_iter().find(is_it).or_else(twice).map(Escaped::new)
    }

    /// Takes the next part of the line.
    pub(super) fn feed(&mut self, part: &[u8], out: &mut Vec<u8>) {
        self.fed = self.fed.saturating_add(part.len());
        // In steps, so that an undecided text can't grow with the parts.
        for step in part.chunks(LOOK) {
            self.step(step, out);
        }
    }

    fn step(&mut self, step: &[u8], out: &mut Vec<u8>) {
        let mut rest = step;
        while !rest.is_empty() {
            // The text breaks off, and another program goes on in the line: `created [GIN] GET "/health"`.
            self.breaks_off |= std::mem::take(&mut self.is_closed) && starts_word(rest);
            if !self.inside {
                let quote = memchr::memchr(b'"', rest);
                let between = rest.get(..quote.unwrap_or(rest.len())).unwrap_or_default();
                // After an unescaped quote inside a text, the rest of that text is between two
                // others.
                if !lookalike::holds_pieces(between) {
                    let Some(quote) = quote else { return };
                    if let Some(message) = crash_before_quote(between) {
                        out.extend([message, b"\n\n"].concat());
                    }
                    rest = rest.get(quote.saturating_add(1)..).unwrap_or_default();
                }
                self.inside = true;
                continue;
            }
            let known = if self.shown { out.len() } else { self.first.len() };
            let after = self.unescape.feed(rest, if self.shown { out } else { &mut self.first });
            if self.shown {
                let new = out.get(known..).unwrap_or_default();
                self.last = new.last().copied().or(self.last);
                self.tail.add(new);
            } else {
                let new = self.first.get(known..).unwrap_or_default();
                if self.first.len() > LOOK || memchr::memchr(b'\n', new).is_some() {
                    self.show(out);
                }
            }
            let Some(after) = after else { return };
            self.breaks_off |= self.shown && (self.tail.breaks_off() || self.tail.lacks_creator());
            self.is_closed = self.close(out);
            rest = after;
        }
    }

    pub(super) fn is_quoted(&self) -> bool {
        self.style == Style::Quoted
    }

    /// Whether a quoted text that is handed on lacks its closing quote so far.
    pub(super) fn is_open(&self) -> bool {
        self.style == Style::Quoted && self.inside && self.shown
    }

    /// Ends a line after which the text may go on.
    pub(super) fn break_line(&mut self) {
        if self.width == 0 {
            self.width = self.fed;
        }
    }

    /// Whether a line is the rest of the text that is open: terminals break long lines, and what is
    /// copied from there stays broken.
    pub(super) fn goes_on_in(&self, line: &[u8]) -> bool {
        // The line may have been broken inside an escape.
        let joined = [self.unescape.cut_escape(), line].concat();
        let quote = closing_quote(&joined).and_then(|at| joined.split_at_checked(at));
        let text = quote.map_or(&*joined, |(text, _)| text);
        let escapes = [&br"\n"[..], br"\t"].iter().any(|escape| find(text, escape).is_some());
        let ends =
            |(_, rest): (&[u8], &[u8])| rest.get(1).is_none_or(|byte| b"},] ".contains(byte));
        let is_text = || line.len() == self.width || quote.map_or(escapes, ends);
        !starts_object(line) && is_text() && !self.is_interrupted(line)
    }

    /// Whether a line of another program broke this one, whose rest follows: writes of more than 4 KiB to a pipe can be
    /// interrupted. What a terminal broke has lines of one width, and mail programs break between words.
    fn is_interrupted(&self, rest: &[u8]) -> bool {
        let last = self.tail.last_line();
        // A backslash starts what was `\t`.
        let starts = [&b"\t"[..], b"\\", START, lines::CREATED_BY];
        let calls = memchr::memchr_iter(b'(', last).filter_map(|at| last.get(..at));
        let is_of_dump = || {
            last.len() <= JUDGED
                && (starts.iter().any(|start| last.starts_with(start))
                    || calls.take(RECEIVERS).any(names::is_certain))
        };
        let holds_time = || last.windows(8).any(is_time_of_day);
        let has_unknown_state = || {
            let state = rest.get(..memchr::memchr(b'\\', rest).unwrap_or(rest.len()));
            let header = [last, state.unwrap_or_default()].concat();
            Header::cut(&header)
                .and_then(|header| Attributes::parse(header.attributes))
                .is_some_and(|it| kind_of(it.state, std::iter::empty()) == Kind::Unknown)
        };
        rest.len() > self.width.saturating_mul(2)
            || is_of_dump() && (holds_time() || has_unknown_state())
    }

    /// Ends the line; returns whether a text was cut there, as it had no closing quote, or a dump inside of quotes.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) -> bool {
        let mut cut = false;
        if self.inside {
            self.unescape.end(if self.shown { out } else { &mut self.first });
            cut = self.close(out) && self.style == Style::Quoted;
        }
        cut |= self.breaks_off;
        *self = Escaped::new(self.style);
        cut
    }

    fn show(&mut self, out: &mut Vec<u8>) {
        self.shown = true;
        self.last = self.first.last().copied();
        self.tail = Tail::of(&self.first);
        out.append(&mut self.first);
    }

    /// Ends a text; returns whether it was handed on. A blank line separates different texts.
    fn close(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.shown && (starts_dump(&self.first) || keyword(&self.first).is_some()) {
            self.show(out);
        }
        if self.shown {
            let ends: &[u8] = match (self.style, self.last) {
                (Style::Quoted, Some(b'\n')) => b"\n",
                (Style::Quoted, _) => b"\n\n",
                // Only the end of the line ends it: it may have been cut there.
                _ => b"",
            };
            out.extend_from_slice(ends);
        }
        self.first.clear();
        self.inside = false;
        self.last = None;
        std::mem::take(&mut self.shown)
    }
}

/// Whether something is escaped apart from the labels of the line's first header: those are quoted,
/// and can hold what looks like a dump.
fn is_escaped_outside_labels(line: &[u8]) -> bool {
    let header = header_word()
        .find_iter(line)
        .filter_map(|at| line.split_at_checked(at))
        .find(|(_, rest)| Header::cut(rest).is_some());
    match header {
        Some((before, header)) => {
            find_unquoted(header, |byte| byte == b'\\' || byte == b'#').is_some()
                || before.ends_with(br"\n")
                || before.ends_with(b"#012")
        }
        None => true,
    }
}

/// Whether a line is a header inside elements of HTML or the like.
fn is_bruised_header(line: &[u8]) -> bool {
    let mut mended = Vec::new();
    bruise::mend(line, &mut mended).is_some_and(|mended| {
        mended.split(|&byte| byte == b'\n').any(|line| is_header(line.trim_ascii_start()))
    })
}

/// The message of a crash in front of a quoted stack: `panic: boom` of `10:00:00 panic: boom stack="`.
fn crash_before_quote(text: &[u8]) -> Option<&[u8]> {
    let message = text.get(keyword(text)?..).filter(|message| announces_crash(message))?;
    let name = message.strip_suffix(b"=").and_then(|name| memchr::memrchr(b' ', name));
    Some(message.get(..name.unwrap_or(message.len()))?.trim_ascii_end())
}

/// Whether a text directly behind a closing quote shows that the quote opens a word of another line: `"GET / HTTP/1.1"`, and
/// `"\x16\x03\x01"` where nginx was spoken to in TLS.
fn starts_word(text: &[u8]) -> bool {
    let is_of_word = |byte: &u8| {
        byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"/_-*([{$@~#%?".contains(byte)
    };
    text.first().is_some_and(is_of_word) || text.starts_with(b"\\x")
}

/// Whether a text is a time: `10:31:41`.
fn is_time_of_day(text: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at % 3 {
        2 => *byte == b':',
        _ => byte.is_ascii_digit(),
    };
    text.iter().enumerate().all(fits)
}

/// Whether a line is the start of an object of JSON, with its first key. Arguments of calls stand in braces, too.
fn starts_object(line: &[u8]) -> bool {
    let inside = line.trim_ascii_start().strip_prefix(b"{");
    inside.is_some_and(|inside| inside.trim_ascii_start().starts_with(b"\""))
}

/// Whether a quoted text is open at the end of the bytes.
fn open_quote(mut bytes: &[u8]) -> bool {
    let mut open = false;
    while let Some(end) = closing_quote(bytes) {
        open = !open;
        bytes = bytes.get(end.saturating_add(1)..).unwrap_or_default();
    }
    open
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            text(line).unwrap(),
            "dump:\ngoroutine 1 [select] {\"k\": \"v\"}:\nmain.f()\n\n"
        );
    }

    #[test]
    fn the_panic_beside_a_trace_is_kept() {
        let line = r#"{"msg":"panic: boom","stack":"goroutine 1 [running]:\nmain.main()\n"}"#;
        assert_eq!(text(line).unwrap(), "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\n");
    }

    #[test]
    fn an_entity_for_a_quote_ends_no_text() {
        let line =
            r#"msg="<b>goroutine 1 [running] {k: &#34;v w&#34;}:</b>\n<b>main.f()</b>\n" n="1""#;
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
            (r#"{"stack":"goroutine 1 [running]:\nmain.main()\n","tail":"ab"#, false),
            (r#"stack="goroutine 1 [running]:\nmain.main()\n" x=y"#, false),
            // Another program's line goes on in it.
            (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n[GIN] 200 | GET "/health""#, true),
            (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n200 "GET / HTTP/1.1" 3ms"#, true),
            (r#"{"stack":"goroutine 1 [running]:\nmain.f(){"level":"info"}"#, true),
            (r#"{"stack":"goroutine 1 [running]:\nmain.f()\n"\x16\x03\x01" 400 0 "-""#, true),
            (r#"{"stack":"goroutine 1 [running]:\nmain.f()\nno file "*.go""#, true),
            (r"goroutine 1 [running]:\nmain.main()\n\t/a.g", false),
        ] {
            let mut escaped = Escaped::of(line.as_bytes(), 2).unwrap();
            let mut out = Vec::new();
            escaped.feed(line.as_bytes(), &mut out);
            assert_eq!(escaped.end(&mut out), cut, "{line}");
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
}
