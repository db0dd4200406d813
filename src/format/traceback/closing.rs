//! Texts that quote a dump: what closes it behind its last place, and where they were cut.

use super::cut_header::START;
use super::lines::file_and_line;
use crate::format::notice::is_notice;

/// The text after at least one hexadecimal digit.
pub(super) fn after_hex(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if digits > 0 { text.get(digits..) } else { None }
}

/// Whether a text behind the last place of a dump closes what the dump stands in, as a field of a CSV file with
/// the next ones, parentheses or a fence: `",web-1`, `)`, "```". What marks a line that was cut doesn't: `...`, `>`, `$`.
pub(crate) fn is_closing(text: &[u8]) -> bool {
    const STARTS: [&str; 13] = [
        "\"",
        "'",
        "```",
        "]]>",
        "</",
        "{noformat}",
        "{code}",
        "[/code]",
        "”",
        "’",
        "»",
        "」",
        "。",
    ];
    let text = text.trim_ascii_start();
    let signs = text.iter().take_while(|byte| b"\"'`)]}.,;:!?*~|".contains(byte)).count();
    let (signs, rest) = text.split_at_checked(signs).unwrap_or_default();
    let is_mark = memchr::memmem::find(signs, b"..").is_some();
    let is_start = || STARTS.iter().any(|start| text.starts_with(start.as_bytes()));
    let is_alone = || !signs.is_empty() && rest.first().is_none_or(u8::is_ascii_whitespace);
    !is_mark && (is_start() || is_alone()) && !says_more(rest)
}

/// Whether a text behind a closing says that the dump was cut, or holds the start of another header.
fn says_more(text: &[u8]) -> bool {
    let is_header = |at: usize| {
        let digit = text.get(at.saturating_add(START.len()));
        digit.is_some_and(u8::is_ascii_digit)
    };
    // Also as a field: `truncated=true`.
    const TRUNCATED: &[u8] = b"truncated";
    let is_said = |at: usize| {
        let after = text.get(at.saturating_add(TRUNCATED.len())..).unwrap_or_default();
        let signs = after.iter().take_while(|byte| b"\"=: ".contains(byte)).count();
        !after.get(signs..).unwrap_or_default().starts_with(b"false")
    };
    is_notice(text.trim_ascii())
        || memchr::memmem::find_iter(text, TRUNCATED).any(is_said)
        || memchr::memmem::find_iter(text, START).any(is_header)
}

/// The text before the quote that closes a field in which it was cut: `goroutin` of `goroutin",web-1`.
pub(crate) fn before_quote(line: &[u8]) -> &[u8] {
    let quote = line.iter().position(|byte| b"\"'`".contains(byte)).unwrap_or(line.len());
    let (before, rest) = line.split_at_checked(quote).unwrap_or((line, b""));
    let is_glued = before.last().is_some_and(|byte| !byte.is_ascii_whitespace());
    // Prose has quotes and apostrophes, too.
    let is_end = match rest {
        [_] | [_, b',' | b';' | b')' | b']' | b'}' | b'`', ..] => true,
        [b'"', b' ', field @ ..] => field.contains(&b'='),
        _ => false,
    };
    if is_glued && is_end { before } else { line }
}

/// The place before an offset behind which a text is closed: `/src/a.go:4 +0x1d","web 1 is up"`.
pub(super) fn before_closing(text: &[u8]) -> Option<&[u8]> {
    let (place, after) = text.split_at_checked(memchr::memmem::find(text, b" +0x")?)?;
    let (_, rest) = split_addresses(after)?;
    (is_closing(rest) || starts_fields(rest)).then_some(place)
}

/// The offset and the addresses of a place, and whether fields of a record follow, which loggers for consoles write
/// behind a message: ` +0x1d\t{"pid": 77}` (zap), ` +0x1d pid=77 unit=kv` (zerolog, logrus, structlog).
pub(super) fn before_fields(after: &[u8]) -> (&[u8], bool) {
    let Some((addresses, fields)) = split_addresses(after) else { return (after, false) };
    match starts_fields(fields) {
        true => (addresses, true),
        false => (after, false),
    }
}

/// ` +0x1d fp=0x.. sp=0x.. pc=0x..`, and what follows.
fn split_addresses(after: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut rest = after;
    for key in [&b" +0x"[..], b" fp=0x", b" sp=0x", b" pc=0x"] {
        if let Some(digits) = rest.strip_prefix(key) {
            rest = after_hex(digits)?;
        }
    }
    after.split_at_checked(after.len().saturating_sub(rest.len()))
}

fn starts_fields(text: &[u8]) -> bool {
    if !text.starts_with(b" ") && !text.starts_with(b"\t") {
        return false;
    }
    let fields = text.trim_ascii_start();
    // `[kv] pid=77`: structlog writes the name of the logger in front.
    let named = fields.strip_prefix(b"[").and_then(|rest| {
        let end = rest.iter().position(|&byte| byte == b']')?;
        let (name, rest) = rest.split_at_checked(end)?;
        name.first().is_some_and(u8::is_ascii_alphabetic).then_some(rest.get(1..)?)
    });
    // ` (child=kv)`: bunyan.
    let enclosed = fields.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
    let pairs = named.map_or(fields, <[u8]>::trim_ascii_start);
    let pairs = enclosed.unwrap_or(pairs);
    // slog writes `!BADKEY=77`, others `k8s/pod=web-1`.
    let is_of_key = |byte: &u8| byte.is_ascii_graphic() && !b"=\"'`([{".contains(byte);
    let is_pair = || {
        let key = pairs.iter().take_while(|&byte| is_of_key(byte)).count();
        let has_letter = pairs.iter().take(key).any(u8::is_ascii_alphabetic);
        has_letter
            && pairs.get(key) == Some(&b'=')
            && ![&b"fp="[..], b"sp=", b"pc="].iter().any(|key| pairs.starts_with(key))
    };
    let is_json = || match fields {
        [b'{', b'"', .., b'}'] => true,
        // winston, of several values.
        [b'[', first, .., b']'] => first.is_ascii_digit() || b"\"{[".contains(first),
        _ => false,
    };
    (is_json() || is_pair() || is_origin(fields)) && !says_more(fields)
}

/// Whether a text is where a message comes from, as Python's loggers write it: `(MainThread)`, `(Thread-1)`,
/// `[app.py:12]`. A mere word says that something is missing: `(incomplete)`, `(Abridged)`.
fn is_origin(text: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:".contains(byte);
        name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_of_name)
    };
    let is_of_thread = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    match text {
        [b'(', name @ .., b')'] => is_name(name) && name.iter().skip(1).any(is_of_thread),
        [b'[', place @ .., b']'] => {
            is_name(place) && file_and_line(place).is_some_and(|(file, _)| file.ends_with(b".py"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame_addresses::Addresses;
    use super::super::lines::place;
    use super::before_quote;

    #[test]
    fn what_closes_a_quoted_dump_is_no_damage_of_its_last_place() {
        let closings = [
            "\"",
            "'",
            ")",
            "`",
            "```",
            "]]>",
            ".",
            ",",
            ";",
            "\"}",
            "\");",
            "**",
            "]]></failure>",
            "”",
            ") again",
            " | web-1 |",
            "|",
            "!",
            "\",web-1",
            "\",\"web 1 is up\",3",
            "\" level=error",
            "\"\t\"x y\"",
            " \"",
            " |",
            " \")",
            " pid=77 unit=kv",
            "      unit=\"a b\" pid=77",
            "\t{\"pid\": 77}",
            " !BADKEY=77",
            " k8s/pod=web-1 user/id=7",
            " [kv] pid=77",
            " {\"service\":\"a b\",\"pid\":77}",
            " (child=kv, req.id=7)",
            " [1,2]",
            " [{\"pid\":77},\"kv\"]",
            " truncated=false pid=77",
            " {\"truncated\": false}",
            " (MainThread)",
            " (ThreadPoolExecutor-0_0)",
            " [app.py:12]",
        ];
        for offset in [" +0xa5", " +0x1d fp=0xc0 sp=0xb0 pc=0x48c5b1"] {
            for closing in closings {
                let text = format!("/src/a b/main.go:21{offset}{closing}");
                let found = place(text.as_bytes()).unwrap();
                assert_eq!(
                    (found.file, found.line, found.offset),
                    (&b"/src/a b/main.go"[..], 21, true)
                );
                assert!(!Addresses::read(found.after).are_damaged, "{text}");
            }
        }
        for damage in [
            " +0x1...",
            " +0x1[...]",
            " +0x1...\"",
            " +0x1 ...",
            " +0x1>",
            " +0x1d\" [truncated]",
            " +0x1d) ...",
            " +0x1d\", truncated=true",
            " +0x1d]]>[truncated]</failure>",
            " +0x1d\" (12 more lines)",
            " +0x1d\",\"goroutine 9 [se",
            " +0x1$",
            " +0x1\\",
            " +0x1]d",
            " +0x1, fp=0xc0 sp=0xb0",
            " +0x",
            " +0x fp=0xc0 sp=0xb0",
            " +0xg",
            " +0x1d,5x",
            " pc=0x4]1",
            " +0x1dpid=77",
            " +0x1d pid = 77",
            " +0x1d =77",
            " +0x1d [...] pid=77",
            " +0x1d [kv",
            " +0x1d\tpid",
            "\t{\"pid\": 77",
            " +0x1d\t{\"pid\": 7",
            " +0x1d {\"truncated\":true}",
            " +0x1d (12 more)",
            " +0x1d (child=kv",
            " +0x1d (truncated=true)",
            " +0x1d [1",
            " +0x1d [...]",
            " +0x1d [\"truncated\"]",
            " +0x1d (truncated)",
            " +0x1d (Truncated)",
            " +0x1d (snipped)",
            " +0x1d (MainThread",
            " +0x1d (incomplete)",
            " +0x1d (Abridged)",
            " +0x1d [bytes.omitted:12]",
            " +0x1d [app.py",
            " +0x1d [app]",
            " +0x1d log.truncated=true",
            " +0x1d pid=77 goroutine 9 [se",
        ] {
            let text = format!("/src/main.go:21{damage}");
            assert!(
                place(text.as_bytes()).is_none_or(|found| Addresses::read(found.after).are_damaged)
            );
        }
    }

    #[test]
    fn what_a_quoted_field_was_cut_in_stands_before_its_quote() {
        for (line, before) in [
            ("goroutin\",web-1", "goroutin"),
            ("gor'", "gor"),
            ("main.f\" host=web-1", "main.f"),
            ("gor'x'", "gor'x'"),
            ("main.run's deferred call", "main.run's deferred call"),
            ("k8s.io/api\" not found", "k8s.io/api\" not found"),
            ("runtime.go```", "runtime.go"),
            ("msg \"x\"", "msg \"x\""),
            ("plain", "plain"),
            ("", ""),
        ] {
            assert_eq!(before_quote(line.as_bytes()), before.as_bytes(), "{line}");
        }
    }
}
