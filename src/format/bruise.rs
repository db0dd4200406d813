//! Repairs lines that were altered on their way: by colours, quoting, entities of HTML, or blanks
//! that a browser or an editor put in place of tabs. Only a line that shows such damage is
//! repaired, so other lines cost next to nothing.

use crate::format::log::names_goroutine;
use crate::format::start::{is_header, starts_dump};
use crate::format::traceback::header::Header;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Elements of HTML found around lines of text; all but `br` are removed.
const ELEMENTS: [&[u8]; 16] = [
    b"br", b"p", b"pre", b"code", b"div", b"span", b"td", b"tr", b"li", b"b", b"i", b"em",
    b"strong", b"font", b"samp", b"tt",
];

/// Within this many bytes an element of HTML has to end.
const ELEMENT: usize = 256;

/// Entities by name.
const ENTITIES: [(&[u8], u8); 7] = [
    (b"lt;", b'<'),
    (b"gt;", b'>'),
    (b"amp;", b'&'),
    (b"quot;", b'"'),
    (b"apos;", b'\''),
    (b"nbsp;", b' '),
    (b"Tab;", b'\t'),
];

/// Escape sequences of terminals whose escape byte was written as text.
const WRITTEN_ESCAPES: [&[u8]; 5] = [b"^[", b"\\u001b", b"\\x1b", b"\\033", b"\\e"];

/// The line as it was originally written, in `mended`, if it shows damage; that can be several
/// lines.
///
/// A complete header or line of quoted values is left alone, as those can contain anything.
pub(crate) fn mend<'m>(line: &[u8], mended: &'m mut Vec<u8>) -> Option<&'m [u8]> {
    if !may_be_damaged(line) || Header::is_whole(line) {
        return None;
    }
    mended.clear();
    let mut rest = unquoted(line);
    let mut blanks = 0_usize;
    loop {
        let plain = rest.iter().position(|&byte| is_special(byte)).unwrap_or(rest.len());
        let (before, special) = rest.split_at_checked(plain)?;
        mended.extend_from_slice(before);
        // Counted on, as a line can have very many blanks that stand for others.
        let more = mended.iter().skip(blanks).take_while(|byte| b" \t".contains(byte)).count();
        blanks = blanks.saturating_add(more);
        let at_start = blanks == mended.len();
        rest = match special.first() {
            Some(byte) => mend_special(*byte, special, at_start, mended),
            None => break,
        };
    }
    without_lost_escapes(mended);
    let blanks = mended.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    mended.truncate(mended.len().saturating_sub(blanks));
    let quotes = quotes_around(mended);
    mended.truncate(mended.len().saturating_sub(quotes));
    mended.drain(..quotes);
    mended.drain(..fence(mended));
    if let Some(at) = lost_star(mended) {
        if mended.get(at) == Some(&b'_') {
            mended.remove(at);
        }
        mended.insert(at, b'*');
    }
    (mended != line).then_some(mended)
}

/// Splits a mended line before its last line, if it holds a dump with at least two lines behind a header and neither a
/// line end nor a tag ends the last of them: HTML or characters of Unicode ended the others, so no other line goes on
/// with it.
pub(crate) fn open_end<'m>(line: &[u8], mended: &'m [u8]) -> Option<(&'m [u8], &'m [u8])> {
    let (before, last) = mended.split_at_checked(memchr::memrchr(b'\n', mended)?)?;
    let end = line.trim_ascii_end().last()?;
    if last.last() != Some(end) || *end == b'>' {
        return None;
    }
    let mut lines = before.split(|&byte| byte == b'\n');
    let has_header = lines.any(|line| names_goroutine(line) || is_header(line));
    (has_header && lines.next().is_some()).then_some((before, last.get(1..)?))
}

/// How many backquotes of Markdown stand on each side of a line of code.
fn quotes_around(line: &[u8]) -> usize {
    let is_quote = |byte: &&u8| **byte == b'`';
    let before = line.iter().take_while(is_quote).count();
    let after = line.iter().rev().take_while(is_quote).count();
    if after == before && before < line.len() { before } else { 0 }
}

/// How many backquotes of Markdown stand before the first line of a dump: a fence without a line of its
/// own, or the start of code whose end is elsewhere.
fn fence(line: &[u8]) -> usize {
    let quotes = line.iter().take_while(|&&byte| byte == b'`').count();
    let inside = line.get(quotes..).unwrap_or_default();
    let is_start = || FIRST_WORDS.iter().any(|word| word.find(inside).is_some());
    let is_fence = quotes > 0 && memchr::memchr(b'`', inside).is_none() && is_start();
    if is_fence { quotes } else { 0 }
}

/// One of these is in the first line of a dump.
static FIRST_WORDS: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| [&b"panic: "[..], b"fatal error: ", b"goroutine ", b"SIG"].map(Finder::new));

/// How syslog writes a tab and some terminals write escapes. Searchers are built once: building
/// one costs more than searching a line.
static WRITTEN: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| [&b"#011"[..], b"^[["].map(Finder::new));

/// Whether a line may be damaged.
pub(crate) fn may_be_damaged(line: &[u8]) -> bool {
    if is_quoted(line) {
        return false;
    }
    let ends_odd =
        line.last().is_some_and(|&byte| byte.is_ascii_whitespace() || b"\0`m".contains(&byte));
    ends_odd
        || line.first().is_some_and(|byte| matches!(byte, b'>' | b'[' | b'`' | b'^' | b'\0' | 0xe3))
        || memchr::memchr3(0x1b, b'&', b'\\', line).is_some()
        || memchr::memchr2(b'<', b'\r', line).is_some()
        || memchr::memchr3(0xc2, 0xe2, 0xef, line).is_some()
        || WRITTEN.iter().any(|written| written.find(line).is_some())
        || lost_star(line).is_some()
}

/// Whether it is a comment of a debug=1 text whose values are quoted: they can contain anything.
fn is_quoted(line: &[u8]) -> bool {
    line.strip_prefix(b"# ").is_some_and(|comment| {
        let has_labels = comment.starts_with(b"labels: {\"") && comment.ends_with(b"}");
        let is_value =
            || [&b"state: \""[..], b"flag: \""].iter().any(|name| comment.starts_with(name));
        has_labels || is_value() && comment.ends_with(b"\"")
    })
}

/// Where the star of a pointer receiver is missing: Markdown takes stars for emphasis, so that
/// `sync.(*Mutex).Lock` becomes `sync.(Mutex).Lock`, or `sync.(_Mutex).Lock`. Go puts no other
/// receiver into parentheses.
fn lost_star(line: &[u8]) -> Option<usize> {
    let start = RECEIVER.find(line)?.saturating_add(RECEIVER.needle().len());
    let receiver = line.get(start..)?;
    let name = receiver.strip_prefix(b"_").unwrap_or(receiver);
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_' || **byte >= 0x80;
    let length = name.iter().take_while(is_of_name).count();
    let after = name.get(length..)?;
    let is_receiver = name.first()?.is_ascii_alphabetic()
        && (after.starts_with(b").") || after.starts_with(b"[...])."));
    let is_call = || {
        let before = line.get(..start).unwrap_or_default();
        let before = before.strip_prefix(b"created by ").unwrap_or(before);
        before.starts_with(b"#\t0x") || !before.iter().any(u8::is_ascii_whitespace)
    };
    (is_receiver && is_call()).then_some(start)
}

static RECEIVER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b".("));

fn is_special(byte: u8) -> bool {
    matches!(byte, 0x1b | 0 | b'&' | b'\\' | b'<' | b'\r' | b'#' | b'^' | 0xc2 | 0xe2 | 0xe3 | 0xef)
}

/// Without the `> ` of quoted mail and issues, at any depth; the blank after it may be lost.
fn unquoted(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let Some(inside) = rest.strip_prefix(b">") {
        rest = inside.strip_prefix(b" ").unwrap_or(inside);
    }
    rest
}

/// Takes what starts with a special byte, for which one other stands or none; answers what follows it.
/// `at_start`: only blanks come before it.
fn mend_special<'l>(byte: u8, text: &'l [u8], at_start: bool, out: &mut Vec<u8>) -> &'l [u8] {
    let found = match byte {
        0 => text.get(1..).map(|rest| (None, rest)),
        0x1b => text.get(1..).map(|rest| (None, after_escape(rest))),
        b'\r' => text.get(1..).map(|rest| (Some(b'\n'), rest)),
        b'&' => entity(text),
        b'<' => element(text),
        b'#' => text.strip_prefix(b"#011").map(|rest| (Some(b'\t'), rest)),
        // As `cat -A` shows it.
        b'^' if at_start && text.starts_with(b"^I") => {
            text.get(2..).map(|rest| (Some(b'\t'), rest))
        }
        b'\\' if at_start && text.starts_with(b"\\t") => {
            text.get(2..).map(|rest| (Some(b'\t'), rest))
        }
        // Markdown's.
        b'\\' if text.get(1).is_some_and(|next| b"*_[](){}".contains(next)) => {
            text.get(2..).map(|rest| (text.get(1).copied(), rest))
        }
        b'\\' | b'^' => WRITTEN_ESCAPES
            .iter()
            .filter_map(|escape| text.strip_prefix(*escape))
            .find(|rest| rest.starts_with(b"["))
            .map(|rest| (None, after_escape(rest))),
        _ => blank(text, at_start),
    };
    if let Some((instead, rest)) = found {
        out.extend(instead);
        return rest;
    }
    out.push(byte);
    text.get(1..).unwrap_or_default()
}

/// Buildkite writes the time in front of each line, and a bell behind it.
const BUILDKITE: &[u8] = b"_bk;t=";

/// Blanks that aren't ASCII, and characters of no width.
fn blank(text: &[u8], at_start: bool) -> Option<(Option<u8>, &[u8])> {
    let instead = match text {
        [0xc2, 0xa0, ..] => return Some((Some(b' '), text.get(2..)?)),
        // A soft hyphen.
        [0xc2, 0xad, ..] => return Some((None, text.get(2..)?)),
        // Line and paragraph separators.
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => Some(b'\n'),
        [0xe2, 0x80, 0x8b..=0x8f, ..] | [0xe2, 0x81, 0xa0, ..] | [0xef, 0xbb, 0xbf, ..] => None,
        [0xe2, 0x80, 0x80..=0x8a | 0xaf, ..] => Some(b' '),
        // The wide blank of East Asian texts.
        [0xe3, 0x80, 0x80, ..] if at_start => Some(b' '),
        // An arrow, as editors show tabs.
        [0xe2, 0x86, 0x92, ..] if at_start => Some(b'\t'),
        _ => return None,
    };
    Some((instead, text.get(3..)?))
}

/// The text after an escape sequence of a terminal, of which the escape byte is cut off.
fn after_escape(text: &[u8]) -> &[u8] {
    if let Some(time) = text.strip_prefix(BUILDKITE) {
        // Its end may be lost.
        let digits = time.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = time.get(digits..).unwrap_or_default();
        return rest.strip_prefix(b"\x07").unwrap_or(rest);
    }
    let end = match text.first() {
        // Parameters, then a letter.
        Some(b'[') => text
            .iter()
            .skip(1)
            .position(|byte| (0x40..=0x7e).contains(byte))
            .map(|at| at.saturating_add(2)),
        // A text that ends with a bell or `ESC \`.
        Some(b']' | b'_' | b'P') => match memchr::memchr2(0x07, 0x1b, text) {
            Some(at) if text.get(at) == Some(&0x1b) => Some(at.saturating_add(2)),
            Some(at) => Some(at.saturating_add(1)),
            // A damaged one, behind which the text goes on.
            None => Some(1),
        },
        Some(b'(' | b')') => Some(2),
        _ => Some(1),
    };
    text.get(end.unwrap_or(text.len())..).unwrap_or_default()
}

/// Cuts `[31m` off the start and `[0m` off the end, which have lost their escape byte.
fn without_lost_escapes(line: &mut Vec<u8>) {
    let is_code = |code: &[u8]| code.iter().all(|byte| byte.is_ascii_digit() || *byte == b';');
    let mut start = 0_usize;
    while let Some(code) = line.get(start..).and_then(|line| line.strip_prefix(b"["))
        && let Some(end) = memchr::memchr(b'm', code.get(..12).unwrap_or(code))
        && end > 0
        && code.get(..end).is_some_and(is_code)
    {
        start = start.saturating_add(end).saturating_add(2);
    }
    line.drain(..start);
    while let Some(code) = line.strip_suffix(b"m")
        && let Some(start) = memchr::memrchr(b'[', code)
        && code.get(start.saturating_add(1)..).is_some_and(is_code)
    {
        line.truncate(start);
    }
}

/// Whether a text starts with what is read as a part of HTML.
pub(crate) fn starts_with_html(text: &[u8]) -> bool {
    entity(text).is_some() || element(text).is_some()
}

/// `&lt;`, `&#39;`, `&#x27;`
fn entity(text: &[u8]) -> Option<(Option<u8>, &[u8])> {
    let name = text.strip_prefix(b"&")?;
    let known =
        ENTITIES.iter().find_map(|(entity, byte)| Some((*byte, name.strip_prefix(*entity)?)));
    let (byte, rest) = match known {
        Some(known) => known,
        None => {
            let number = name.strip_prefix(b"#")?;
            let end = memchr::memchr(b';', number.get(..8).unwrap_or(number))?;
            let (digits, rest) = number.split_at_checked(end)?;
            let digits = std::str::from_utf8(digits).ok()?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            let byte = if code == 0xa0 { b' ' } else { u8::try_from(code).ok()? };
            (byte, rest.get(1..)?)
        }
    };
    byte.is_ascii().then_some((Some(byte), rest))
}

/// The text behind the tags at the start of a line of XML, if that starts a dump: `<Data>goroutine 1
/// [running]:` in events of Windows, an attribute in reports of tests.
pub(crate) fn behind_tags(line: &[u8]) -> &[u8] {
    if !line.trim_ascii_start().starts_with(b"<") {
        return line;
    }
    let ends = memchr::memchr2_iter(b'>', b'"', line.get(..TAGS).unwrap_or(line));
    let mut texts = ends.filter_map(|end| line.get(end.saturating_add(1)..));
    texts.find(|text| starts_dump(text)).unwrap_or(line)
}

/// Within this many bytes the tags before the text of a record end.
const TAGS: usize = 4 << 10;

/// `<br>` ends a line; other elements around lines mean nothing.
fn element(text: &[u8]) -> Option<(Option<u8>, &[u8])> {
    let inside = text.strip_prefix(b"<")?;
    let closing = inside.strip_prefix(b"/");
    let inside = closing.unwrap_or(inside);
    let name = inside.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (name, after) = inside.split_at_checked(name)?;
    let known = ELEMENTS.iter().any(|element| element.eq_ignore_ascii_case(name));
    if !known || !after.first().is_some_and(|byte| b" >/".contains(byte)) {
        return None;
    }
    let end = memchr::memchr(b'>', after.get(..ELEMENT).unwrap_or(after))?;
    let line_end = name.eq_ignore_ascii_case(b"br").then_some(b'\n');
    Some((line_end, after.get(end.saturating_add(1)..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LIMITS;

    fn mended(line: &str) -> String {
        let mut buffer = Vec::new();
        let mended = mend(line.as_bytes(), &mut buffer).map(<[u8]>::to_vec);
        String::from_utf8(mended.unwrap_or_else(|| line.as_bytes().to_vec())).unwrap()
    }

    #[test]
    fn backslashes_of_markdown_are_taken_out() {
        for (line, whole) in [
            (
                r"goroutine 5 \[chan receive \(nil chan\)\]:",
                "goroutine 5 [chan receive (nil chan)]:",
            ),
            (
                r"goroutine 5 gp=0xc000 m=nil \[select (no cases), 12 minutes\]:",
                "goroutine 5 gp=0xc000 m=nil [select (no cases), 12 minutes]:",
            ),
            (r"main.\(\*T\).f\(0x1, \{0x2\}\)", "main.(*T).f(0x1, {0x2})"),
        ] {
            assert_eq!(mended(line), whole);
        }
    }

    #[test]
    fn stars_that_markdown_took_are_put_back_in_receivers() {
        for (line, whole) in [
            ("sync.(RWMutex).RLock(0x1)", "sync.(*RWMutex).RLock(0x1)"),
            ("sync.(_RWMutex).RLock(0x1)", "sync.(*RWMutex).RLock(0x1)"),
            ("a.org/x.(List[...]).Add(0x1)", "a.org/x.(*List[...]).Add(0x1)"),
            (
                "created by main.(Server).run in goroutine 7",
                "created by main.(*Server).run in goroutine 7",
            ),
            ("#\t0x4\tmain.(T).f+0x1\t/a.go:3", "#\t0x4\tmain.(*T).f+0x1\t/a.go:3"),
        ] {
            let mut buffer = Vec::new();
            let mended = mend(line.as_bytes(), &mut buffer).expect(line);
            assert_eq!(mended, whole.as_bytes(), "{line}");
        }
        for line in
            ["main.(*T).f(0x1)", "see x.(type) and y", "main.f(0x1)", "a call of x.(T).f", "x.(T)"]
        {
            assert_eq!(mend(line.as_bytes(), &mut Vec::new()), None, "{line}");
        }
    }

    #[test]
    fn bruises_are_mended() {
        for (bruised, clean) in [
            ("\x1b[31mmain.main()\x1b[0m", "main.main()"),
            ("\x1b[38;5;196mgoroutine 1 [running]:\x1b[39m\x1b[K", "goroutine 1 [running]:"),
            ("\t\x1b]8;;file:///a.go\x1b\\/a.go:3\x1b]8;;\x1b\\ +0x1d", "\t/a.go:3 +0x1d"),
            ("^[[31mmain.main()^[[0m", "main.main()"),
            ("[31mmain.main()[0m", "main.main()"),
            ("[31mmain.main()", "main.main()"),
            ("main.main()[0m", "main.main()"),
            ("\x1b(Bmain.main()\x1b(B", "main.main()"),
            ("\t\x1b]8;;file:///a.go\x07/a.go:3\x1b]8;;\x07 +0x1d", "\t/a.go:3 +0x1d"),
            ("\x1b_bk;tgoroutine 7 [select]:", "bk;tgoroutine 7 [select]:"),
            ("> # labels: {\"k\":\"v\"}", "# labels: {\"k\":\"v\"}"),
            ("# labels: {\"k\":\"v\"}\x1b[0m", "# labels: {\"k\":\"v\"}"),
            ("\0goroutine 1 [running]:\0", "goroutine 1 [running]:"),
            ("\\u001b[31mmain.main()\\u001b[0m", "main.main()"),
            ("> > \t/a.go:3 +0x1d", "\t/a.go:3 +0x1d"),
            (">>", ""),
            ("#011/a.go:3 +0x1d", "\t/a.go:3 +0x1d"),
            ("\\t/a.go:3 +0x1d", "\t/a.go:3 +0x1d"),
            ("^I/a.go:3 +0x1d", "\t/a.go:3 +0x1d"),
            ("\u{a0}\u{a0}/a.go:3\u{a0}+0x1d \t", "  /a.go:3 +0x1d"),
            ("\u{2003}\u{202f}/a.go:3\u{2009}+0x1d", "  /a.go:3 +0x1d"),
            ("\u{3000}/a.go:3", " /a.go:3"),
            ("\u{feff}goroutine 1 [running]:\u{200b}", "goroutine 1 [running]:"),
            ("ma\u{ad}in.\u{ad}main()", "main.main()"),
            ("→/a.go:3 +0x1d", "\t/a.go:3 +0x1d"),
            ("main.f(&#34;x&#x22;, &lt;nil&gt;)", "main.f(\"x\", <nil>)"),
            ("<pre><code>goroutine 1 [running]:", "goroutine 1 [running]:"),
            ("<span style=\"color:red\">main.f()</span><br/>", "main.f()"),
            ("goroutine 1 [running]:<br>main.main()", "goroutine 1 [running]:\nmain.main()"),
            ("goroutine 1 [running]:\u{2028}main.main()", "goroutine 1 [running]:\nmain.main()"),
            ("goroutine 1 [running]:\u{2029}main.main()", "goroutine 1 [running]:\nmain.main()"),
            ("goroutine 1 [running]:\rmain.main()\r", "goroutine 1 [running]:\nmain.main()"),
            ("main.(\\*T).f()", "main.(*T).f()"),
            ("`main.main()`", "main.main()"),
            ("``main.main()``", "main.main()"),
            ("```panic: boom", "panic: boom"),
            ("`2026/01/02 10:31:41 panic: boom", "2026/01/02 10:31:41 panic: boom"),
            (" \t ", ""),
        ] {
            assert_eq!(mended(bruised), clean, "{bruised:?}");
        }
    }

    #[test]
    fn lines_as_go_writes_them_stay_as_they_are() {
        for line in [
            "goroutine 7 [select] {k: \"&lt;\", r: \"\\u001b[0m\", s: \"> \"}:",
            "main.(*T[...]).f(0xc000012345, {0x1?, ...})",
            "type:.eq.struct { a int }(0x1)",
            "\tC:/Program Files/Go/src/runtime/proc.go:460 +0xce",
            "\t<autogenerated>:1 +0x15",
            "std::vector<int, std::allocator<int> >::push_back",
            "operator&",
            "[originating from goroutine 1]:",
            "a #hashtag & more",
            "main.f({\"a→b\"})",
            "[main] done",
            "```",
            "```text",
            "`panic: boom` is what I see",
        ] {
            assert_eq!(mended(line), line);
        }
    }

    #[test]
    fn the_longest_line_is_mended_in_time_that_grows_with_its_length() {
        let length = LIMITS.line;
        assert_eq!(mended(&format!("{}x", "\\t".repeat(length / 2))).len(), length / 2 + 1);
        assert_eq!(mended(&format!("{}x", "[1m".repeat(length / 3))), "x");
        assert_eq!(mended(&format!("x{}", "[1m".repeat(length / 3))), "x");
    }
}
