//! Lines that look like the header of a goroutine, anywhere in the text: a reader must not skip one
//! silently. And lines that certainly don't belong to the goroutine around them.

use super::crash;
use super::cut_header::{START, after_number, can_be_cut_header, is_cut_header, is_goleak};
use super::foreign::is_time_of_day;
use super::header::Header;
use super::{lines, misspelt, names};
use memchr::memmem::Finder;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Built once: building a searcher costs more than searching a line.
static WORD: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"oroutine "));

/// Bytes of a header whose labels may name goroutines.
const LABELS: usize = 1 << 10;

/// At most this many starts of headers in a line are looked at: each takes a look at the whole line.
const JOINED: usize = 16;

/// How many headers a text seems to contain: `goroutine 7 [select]:` and goleak's `Goroutine 7 in
/// state select, with`, with anything around them.
///
/// `created by main.f in goroutine 7`, a race report's `Goroutine 7 (running) created at:` and
/// prose (`while goroutine 7 [running] does ...`) don't count.
pub(crate) fn count(text: &[u8]) -> u64 {
    let mut found: u64 = 0;
    let mut words = WORD.find_iter(text).peekable();
    while let Some(at) = words.next() {
        let before = at.checked_sub(1).and_then(|at| text.get(at));
        let start = at.saturating_add(WORD.needle().len());
        // The next one ends it, or a line of very many would be looked through for each.
        let end = words.peek().map_or(text.len(), |&next| next.max(start.saturating_add(LABELS)));
        let rest = text.get(start..end.min(text.len())).unwrap_or_default();
        let is = match (before, after_number(rest)) {
            (Some(b'g'), Some(after)) => {
                let front = text.get(..at.saturating_sub(1)).unwrap_or_default();
                is_goroutine(after) || is_cell(after, front) || lacks_end(after, front)
            }
            (Some(b'G'), Some(after)) => is_goleak(after),
            (Some(b'g'), None) => after_hidden_id(rest).is_some_and(is_goroutine),
            _ => false,
        };
        found = found.saturating_add(u64::from(is));
    }
    found
}

/// Where a header begins directly behind the start of another one, a call or a place, as the text between
/// the two is lost: `goroutine 2 [selgoroutine 7 [chan receive]:`; or behind the message of a crash, as
/// `log.Println("panic:", value, string(debug.Stack()))` writes it.
pub(crate) fn joined_header(line: &[u8]) -> Option<usize> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !line.ends_with(b":") {
        return None;
    }
    let mut starts = memchr::memmem::rfind_iter(line, START).take(JOINED).filter(|&at| {
        let (before, header) = line.split_at_checked(at).unwrap_or_default();
        let is_quoted = before.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
        let is_dump = || {
            Header::cut(before).is_some()
                || is_cut_header(before)
                || can_be_cut_header(before)
                || crash::kind_of_crash(before).is_some()
                || crash::http_panic(before).is_some()
                || before.ends_with(b")") && lines::call(before).is_some_and(names::is_certain)
                || before.starts_with(b"\t") && lines::indented_place(before).is_some()
        };
        at > 0 && !is_quoted && Header::is_whole(header) && is_dump()
    });
    starts.next()
}

/// How many places of frames a text has, with anything around them: `/src/main.go:41 +0x1d`, `non-Go function at
/// pc=7f00`. Nothing but a traceback writes them so.
pub(crate) fn places(text: &[u8]) -> u64 {
    let is_place = |&at: &usize| {
        let (before, after) = text.split_at_checked(at).unwrap_or_default();
        let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let file = before.get(..before.len().saturating_sub(digits)).unwrap_or_default();
        // A terminal may have broken the line before the offset, or in the number of the line.
        (digits > 0 && file.ends_with(b":") || file.is_empty()) && starts_hex(after, &OFFSET)
    };
    let places = OFFSET.find_iter(text).filter(is_place).count();
    places.saturating_add(NOT_GO.find_iter(text).count()) as u64
}

/// How many lines of records of a debug=1 text a text has, with anything around them: `30 @ 0x4533fd`,
/// `#\t0x4533fc\tmain.f+0x1d`.
pub(crate) fn records(text: &[u8]) -> u64 {
    // Logs of a kernel have one address behind an `@`; a stack has several.
    let is_record = |&at: &usize| {
        let (before, after) = text.split_at_checked(at).unwrap_or_default();
        let address = after.get(ADDRESSES.needle().len()..).unwrap_or_default();
        let digits = address.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        before.last().is_some_and(|byte| byte.is_ascii_digit() || *byte == b']')
            && digits > 0
            && address.get(digits..).is_some_and(|rest| rest.starts_with(b" 0x"))
    };
    let records = ADDRESSES.find_iter(text).filter(is_record).count() as u64;
    let frames: usize = FRAMES.iter().map(|frame| frame.find_iter(text).count()).sum();
    records.saturating_add(frames as u64)
}

/// Whether a text has a word of those that are looked for in [`plain`], [`count`], [`starts_profile`],
/// [`places`] and [`records`]. Nearly all lines of logs have none; one search for all of them takes a
/// fraction of the time of nine.
pub(crate) fn may_hold_pieces(text: &[u8]) -> bool {
    static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let words =
            r"oroutine|GOROUTINE | profile: total | \+0x|non-Go function at | @ 0x|#\t0x|#\\t0x";
        Regex::new(words).ok()
    });
    ANY.as_ref().is_none_or(|any| any.is_match(text))
}

/// Whether a text has a piece of a dump, of which no header shows that it is one.
pub(crate) fn holds_pieces(text: &[u8]) -> bool {
    if !may_hold_pieces(text) {
        return false;
    }
    let plain = plain(text);
    let text = plain.as_deref().unwrap_or(text);
    places(text) > 0 || records(text) > 0 || count(text) > 0 || starts_profile(text)
}

/// Whether a hexadecimal number follows what was looked for.
fn starts_hex(found: &[u8], word: &Finder<'_>) -> bool {
    found.get(word.needle().len()).is_some_and(u8::is_ascii_hexdigit)
}

static OFFSET: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" +0x"));
static NOT_GO: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(NOT_GO_AT));

/// How Go starts the line of a frame of C that has no symbol.
pub(crate) const NOT_GO_AT: &[u8] = b"non-Go function at pc=";
/// As they are, and in a text that is escaped.
static FRAMES: [LazyLock<Finder<'static>>; 2] =
    [LazyLock::new(|| Finder::new(b"#\t0x")), LazyLock::new(|| Finder::new(br"#\t0x"))];
static ADDRESSES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" @ 0x"));

/// Whether the first line of a profile that counts, of goroutines or threads, stands in this line, with anything around
/// it: `threadcreate profile: total 8`.
pub(crate) fn starts_count(line: &[u8]) -> bool {
    PROFILE.find_iter(line).any(|at| {
        let number = line.get(at.saturating_add(PROFILE.needle().len())..).unwrap_or_default();
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // `cpu profile: total 5 samples` is a sentence.
        let after = number
            .get(digits)
            .is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b" .,".contains(byte));
        digits > 0 && after
    })
}

/// Whether the first line of a profile of goroutines stands in this line, with anything around it.
pub(crate) fn starts_profile(line: &[u8]) -> bool {
    PROFILE.find(line).is_some_and(|at| {
        let (before, after) = line.split_at_checked(at).unwrap_or_default();
        let is_number = after.get(PROFILE.needle().len()).is_some_and(u8::is_ascii_digit);
        is_number && misspelt::ends_nearly_in_goroutine(before)
    })
}

static PROFILE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b" profile: total "));

/// A line that names goroutines in capitals, or in the encoding of an address of the web, as it was before;
/// `None` for other lines.
pub(crate) fn plain(line: &[u8]) -> Option<Vec<u8>> {
    if !ENCODED.iter().any(|word| word.find(line).is_some()) {
        return None;
    }
    let mut plain = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|_| byte == b'%').and_then(|code| u8::from_str_radix(code, 16).ok());
        plain.push(match (code, byte) {
            (Some(code), _) => code,
            (None, b'+') => b' ',
            (None, byte) => byte.to_ascii_lowercase(),
        });
        rest = if code.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    Some(plain)
}

static ENCODED: [LazyLock<Finder<'static>>; 3] = [
    LazyLock::new(|| Finder::new(b"GOROUTINE ")),
    LazyLock::new(|| Finder::new(b"oroutine%20")),
    LazyLock::new(|| Finder::new(b"oroutine+")),
];

/// Whether a line inside a goroutine certainly belongs to something else: a header, the start of a
/// crash, the end of a Markdown fence or of a test's output.
pub(crate) fn ends_goroutine(line: &[u8]) -> bool {
    Header::cut(line).is_some()
        || crash::kind_of_crash(line).is_some()
        || line == b"-----"
        || line.starts_with(b"```")
}

/// The longest states have some 60 bytes: `[chan receive (nil chan) (scan), 1000 minutes, locked to thread`.
const STATE: usize = 64;

/// The text after a word that stands for an id which somebody hid: `N`, `#`, `<id>`, `***`.
fn after_hidden_id(text: &[u8]) -> Option<&[u8]> {
    let (id, after) =
        text.split_at_checked(memchr::memchr(b' ', text.get(..16).unwrap_or(text))?)?;
    let is_word = |pair: &[u8]| pair.iter().all(u8::is_ascii_lowercase);
    let is_hidden = !id.windows(2).any(is_word) || id.starts_with(b"<") || id.starts_with(b"{");
    (!id.is_empty() && is_hidden).then_some(after)
}

/// Whether this is the rest of a header after the id of a goroutine, but for its end: ` [select]` ends the line, or
/// another process goes on in it.
fn lacks_end(after: &[u8], front: &[u8]) -> bool {
    let Some(state) = after.strip_prefix(b" [") else { return false };
    let end = memchr::memchr2(b'[', b']', state.get(..STATE).unwrap_or(state));
    // No state has a bracket: `[chan rec[GIN] 200`.
    match end.filter(|&end| state.get(end) == Some(&b']')) {
        None => ends_prefix(front),
        Some(end) => match state.get(end.saturating_add(1)..).unwrap_or_default() {
            [first, ..] if first.is_ascii_alphanumeric() => true,
            // `[I1201 10:00:00.000000 7 main.go:3] `, `[GIN] 2026/12/01 - 10:00:00`
            rest if !rest.starts_with(b":") && has_time(state.get(..end), rest) => {
                ends_prefix(front)
            }
            rest => {
                let closes = |byte: &u8| byte.is_ascii_whitespace() || b"\"}],".contains(byte);
                rest.iter().all(closes) && ends_prefix(front)
            }
        },
    }
}

/// Whether a time stands in a state, or in what follows it.
fn has_time(state: Option<&[u8]>, rest: &[u8]) -> bool {
    let rest = rest.get(..STATE / 2).unwrap_or(rest);
    [state.unwrap_or_default(), rest].iter().any(|text| text.windows(8).any(is_time_of_day))
}

/// Whether a text ends as the prefixes of logs do, and not in a word of prose: `web-1  | `, `10:31:41Z `, `"msg": "`.
fn ends_prefix(text: &[u8]) -> bool {
    match text.trim_ascii_end() {
        [] => true,
        [.., before, b':' | b'Z'] => before.is_ascii_digit() || *before == b']',
        [.., b':' | b'=' | b',' | b' ', b'"'] => true,
        [.., last] => {
            // No word ends directly in front of another.
            let is_glued = text.last() == Some(last) && !b"\"'`([*".contains(last);
            is_glued || last.is_ascii_digit() || b"|]>}".contains(last)
        }
    }
}

/// Whether this is the rest of a header after the id of a goroutine in a cell of a table, behind which more follow:
/// `10:31, "goroutine 7 [select]:", web`. Prose quotes headers behind a word.
fn is_cell(after: &[u8], front: &[u8]) -> bool {
    let before = front.strip_suffix(b"\"").unwrap_or_default().trim_ascii_end();
    before.last().is_some_and(|byte| b",;|".contains(byte))
        && after.starts_with(b" [")
        && memchr::memmem::find(after.get(..LABELS).unwrap_or(after), b"]:\",").is_some()
}

/// Whether this is the rest of a header after the id of a goroutine.
fn is_goroutine(after: &[u8]) -> bool {
    let Some(rest) = after.strip_prefix(b" ") else { return false };
    // TeamCity's messages escape brackets so.
    let rest = rest.strip_prefix(b"|").filter(|rest| rest.starts_with(b"[")).unwrap_or(rest);
    let bracket = match rest.first() {
        Some(b'[') => Some(0),
        _ if rest.starts_with(b"gp=") => memchr::memchr(b'[', rest.get(..128).unwrap_or(rest)),
        _ => None,
    };
    let Some(inside) = bracket.and_then(|at| rest.get(at..)) else { return false };
    let inside =
        inside.get(..inside.iter().position(|&byte| byte == b'\n').unwrap_or(inside.len()));
    let inside = inside.unwrap_or_default();
    let ends = [&b"]:"[..], b"}:"].iter().filter_map(|end| memchr::memmem::find(inside, end)).min();
    let Some(end) = ends else {
        // A narrow terminal may have broken the line inside the state.
        return inside.len() < STATE && !inside.contains(&b']');
    };
    // In prose, the text after the header isn't a call, or the header is in backquotes; so is each
    // line if code was pasted line by line.
    let text = inside.get(end.saturating_add(2)..).unwrap_or_default();
    let is_indented = text.starts_with(b"\t") || text.starts_with(b"  ");
    if is_indented || text.first().is_some_and(u8::is_ascii_alphanumeric) {
        // Another line, as the line end is lost, or another column.
        return true;
    }
    let text = text.trim_ascii_start();
    let word = text.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default();
    // The quote and braces at the end are those of a record, behind which another one may follow.
    let ends_record = word.iter().all(|byte| b"\"},".contains(byte)) && word != b"\",";
    let end = word.iter().rposition(|byte| !b"\"},".contains(byte));
    let letters = word.get(..end.map_or(0, |end| end.saturating_add(1))).unwrap_or_default();
    let is_word = letters.iter().all(|byte| byte.is_ascii_alphabetic() || b"`.,;-".contains(byte))
        && !ends_record;
    let is_field = [&b"\",\""[..], b"\", \""].iter().any(|end| text.starts_with(end));
    text.is_empty()
        || is_field
        || text == b"`"
        || !is_word
        || text.starts_with(b"goroutine running on other thread")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_only_found_where_the_search_for_all_words_finds_one(
            words in proptest::collection::vec("(goroutine|gorout1ne|Goroutine|GOROUTINE|[ %+]|20|[0-9]|\\[select\\]:| profile: total |/a.go:|0x4f|@|#|\t|\\\\t| in state x, with f)", 0..8)
        ) {
            let text = words.concat();
            let text = text.as_bytes();
            let found = count(text) + places(text) + records(text);
            let is_found = found > 0 || starts_profile(text) || plain(text).is_some();
            prop_assert!(!is_found || may_hold_pieces(text));
        }
    }

    #[test]
    fn headers_are_seen_wherever_they_stand() {
        for line in [
            "goroutine 1 [running]:",
            "\tgoroutine 7 gp=0xc000002380 m=3 mp=0xc000080008 [select, 2 minutes]:",
            "app | goroutine 7 [select] {k: v}:",
            r#"{"stack":"goroutine 1 [running]:\nmain.main()"}"#,
            "x#012goroutine 1 [running]:#012main.main()",
            "level=error goroutine 1 [running]: main.main() /a.go:3",
            " Goroutine 20 in state chan receive, with main.f on top of the stack:",
            "goroutine 99999999999999999999 [running]:",
            "##teamcity[testStdErr name='T' out='goroutine 1 |[chan receive, 5 minutes|]:|n']",
            // Broken by a narrow terminal.
            "goroutine 12 [chan re",
            "app | `goroutine 7 [running]:`",
            "goroutine 7 [running]: goroutine running on other thread; stack unavailable",
            r#"{"msg":"goroutine 7 [running]:"}"#,
            r#"{"msg":"goroutine 7 [running]:"}user "", group """#,
            r#"{"msg":"goroutine 7 [running]:"}ready"#,
            r#"{"msg":"goroutine 7 [running]:", "t": "1"#,
            r#"{"hits": [{"message": "goroutine 7 [running]:"}}, {"_id": "1"#,
            "web-1  | goroutine 7 [running]",
            "2026-01-02T10:31:41Z goroutine 7 [chan receive, 5 minutes]",
            "[web] goroutine 7 [select]",
            "goroutine 7 [select]",
            "web-1  | goroutine 7 [select]:hello",
            "web-1  | goroutine 7 [select]:    at Foo.bar (x.js:1:2)",
            "12:00\tgoroutine 7 [select]:\tweb",
            r#"{"stack": "goroutine 7 [select]"#,
            r#"{"stack":"goroutine 7 [chan rec10.0.0.1 - - [30/Nov/2026:12:00:00 +0000] "GET / HTTP/1.1" 200"#,
            "Jan 02 10:31:41 node-1 shop[2296]: goroutine 7 [select]",
            "12:goroutine 7 [select]",
            "2026-goroutine 7 [select]",
            "web-1  | goroutine 7 [select]hello",
            r#"stack="goroutine 1 [I1201 10:00:00.000000       7 main.go:3] "ready" pod="a/b""#,
            r#"{"stack":"goroutine 1 [GIN] 2026/12/01 - 10:00:00 | 200 | GET "/health""#,
            r#"10:31, "goroutine 977 [select]:", web"#,
            r#"10:31; "goroutine 977 [select]:", web"#,
            "web.1   | goroutine 7 [IO wait, 3 minutes2026-01-02T10:31:41.123Z\tERROR\tapp/main.go:12\tboom with more words",
        ] {
            assert_eq!(count(line.as_bytes()), 1, "{line}");
        }
        assert_eq!(count(br"goroutine 1 [running]:\nmain.main()\n\ngoroutine 2 [select]:\n"), 2);
    }

    #[test]
    fn frames_and_records_are_seen_wherever_they_stand() {
        for (line, seen) in [
            (r#"web-1  | {"message": "\t/src/a.go:1 +0x1d", "level": "e"}"#, (1, 0)),
            (
                r#"{"event": "main.h()\n\t/c.go:3 +0x1\nmain.g()\n\t/c.go:9 +0x2f\n", "l": "e"}"#,
                (2, 0),
            ),
            ("web:dev: 30 @ 0x4533fd 0x4", (0, 1)),
            ("app | 1: 24 [3: 72] @ 0x4533fd 0x4", (0, 1)),
            ("[ 1.234] mmio 2 @ 0xfe000000 size 4096", (0, 0)),
            ("app | \tasm_amd64.s:1700 +0x1", (1, 0)),
            (" +0x25", (1, 0)),
            ("0 +0x25", (1, 0)),
            ("app | #\t0x4533fc\tmain.f+0x1d\t/src/a.go:1", (0, 1)),
            ("saw a.go:3 + 0x1, a.go: +0x1, b3 +0x1 and a.go:3 +0xyz", (0, 0)),
            ("2 @ home, me@0x1, x @ 0x1, 2 @ 0xy", (0, 0)),
        ] {
            assert_eq!((places(line.as_bytes()), records(line.as_bytes())), seen, "{line}");
        }
    }

    #[test]
    fn first_lines_of_profiles_are_seen_wherever_they_stand() {
        for (line, is) in [
            (r#"{"log"=>"goroutine profile: total 30"}"#, true),
            ("<log>goroutineleak profile: total 1</log>", true),
            ("Goroutine profile: total 30", true),
            ("app | gorout1ne profile: total 30", true),
            ("go routine profile: total 30", true),
            ("gorou\u{ad}tine profile: total 30", true),
            ("app | oroutine profile: total 30", true),
            ("gorout\u{fffd}ne profile: total 30", true),
            ("coroutine profile: total 30", false),
            ("routing profile: total 30", false),
            ("heap profile: total 30", false),
            ("the goroutine profile: total of all", false),
        ] {
            assert_eq!(starts_profile(line.as_bytes()), is, "{line}");
        }
    }

    #[test]
    fn headers_in_capitals_and_in_the_encoding_of_addresses_are_seen() {
        for (line, headers) in [
            ("GOROUTINE 7 [CHAN RECEIVE, 5 MINUTES]:", 1),
            ("goroutine%207%20%5Bselect%5D%3A%0Amain.f()%0A%0Agoroutine%208%20%5Bselect%5D%3A", 2),
            ("x=goroutine+7+%5Bselect%5D%3A%0Amain.f%28%29%0A", 1),
            ("goroutine%", 0),
            ("x=goroutine+%", 0),
        ] {
            let plain = plain(line.as_bytes()).unwrap_or_default();
            assert_eq!(count(&plain), headers, "{line}");
        }
        assert_eq!(plain(b"goroutine 7 [select]:"), None);
    }

    #[test]
    fn prose_and_what_go_says_of_other_goroutines_is_none() {
        for line in [
            "",
            "created by main.main in goroutine 1",
            "Goroutine 7 (running) created at:",
            "[originating from goroutine 1]:",
            "I see goroutine 7 [running] here: it hangs (see below)",
            "it prints `goroutine 7 [running]:` and hangs",
            "it prints \"goroutine 7 [running]:\", and hangs",
            "goroutine 7 [running]: the first one of many",
            "saw goroutine 7 [running] at 10:00:00",
            r#"{"msg":"worker goroutine 7 [queue=a]: started"}"#,
            r#"{"msg":"it is goroutine 7 [running]: main"}"#,
            "goroutine pool is [full]: waiting",
            "Read at 0x00c000018148 by goroutine 9:",
            "goroutine  [running]:",
            "goroutine 7 is [running]:",
            "Goroutine 7 in state running",
            "Goroutine 7 left, with main.f on top of the stack:",
        ] {
            assert_eq!(count(line.as_bytes()), 0, "{line}");
        }
    }
}
