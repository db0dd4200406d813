//! Starts of headers, behind which a text was cut or another process went on.

use super::closing::before_quote;
use super::foreign::{
    has_pairs, has_time_behind_word, is_date, is_kitchen_time, is_loud, is_of_log, is_time,
    starts_message, starts_message_of_ci, starts_otherwise,
};
use crate::format::notice::before_mark;

/// The start of a header.
pub(crate) const START: &[u8] = b"goroutine ";

/// Whether a line is the start of a header if it stands directly below a goroutine: `goroutine 7`. Elsewhere
/// programs print such lines of their goroutines, as `fmt.Println("Goroutine", i)` of tutorials does.
pub(crate) fn can_be_cut_header(line: &[u8]) -> bool {
    let text = before_mark(line).unwrap_or(line).trim_ascii_end();
    let id = text.strip_prefix(START).or_else(|| text.strip_prefix(b"Goroutine "));
    id.and_then(after_number).is_some_and(<[u8]>::is_empty)
}

/// Whether a line directly below a goroutine is the start of a header with the next program's line glued to it, or what
/// closes the text in a report: `goroutine 1section_end:1773600060:step_script`, `gorouti</failure>`.
pub(crate) fn is_glued_header(line: &[u8]) -> bool {
    let common = START.iter().zip(line).take_while(|(wanted, byte)| wanted == byte).count();
    let (start, rest) = line.split_at_checked(common).unwrap_or_default();
    // No prose goes on so, whatever stands before.
    let closes = |text: &[u8]| {
        text.starts_with(b"</") || text.starts_with(b"]]>") || starts_message_of_ci(text)
    };
    match start.len() {
        0..3 => false,
        // `gorilla`, `goroot`
        3 | 4 => closes(rest) || is_of_log(rest),
        // No word, but `gorouter`.
        5..9 => is_of_log(rest) || rest.first().is_some_and(|byte| !byte.is_ascii_lowercase()),
        // `goroutines`, `goroutinePool: `; `goroutine{"id":7}` can be one, too.
        9 => {
            let is_word = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'{';
            closes(rest)
                || is_loud(rest)
                || has_time_behind_word(rest)
                || !rest.first().is_some_and(is_word) && is_of_log(rest)
        }
        _ => match after_number(rest) {
            None => closes(rest) || is_loud(rest) || has_time_behind_word(rest),
            // Programs write `goroutine 20mins left`, `goroutine 7 error: EOF` and `goroutine 7 12:00:01 done`.
            Some(after) => {
                let text = after.trim_ascii_start();
                // Behind a blank, words with capitals and brackets are prose, too.
                let is_other = |text: &[u8]| match text.first() {
                    Some(byte) if after.len() > text.len() => {
                        let is_other = byte.is_ascii_lowercase() || *byte == b'\x1b';
                        is_other && starts_otherwise(text)
                            || is_loud(text)
                            || text.starts_with(b"{\"")
                    }
                    _ => starts_otherwise(text),
                };
                is_date(rest)
                    || is_kitchen_time(rest)
                    || closes(text)
                    || is_date(text)
                    || starts_message(after)
                    || has_time_behind_word(text)
                    || is_other(text)
            }
        },
    }
}

/// Whether a whole line is the start of a header, with or without blanks before it: `goroutine 7 [sel...`, `gorout`,
/// ` Goroutine 7 in st`. A process that is killed while it prints leaves such a line in a log.
pub(crate) fn is_cut_header(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    // goleak writes a bracket before the first one of a list.
    let leak = text.strip_prefix(b"[").unwrap_or(text);
    if leak.first().is_none_or(|byte| !byte.eq_ignore_ascii_case(&b'g')) {
        return false;
    }
    let is_cut_leak = |text: &[u8]| {
        let state = b" in state ";
        let after = text.strip_prefix(b"Goroutine ").and_then(after_number);
        after.is_some_and(|after| {
            let common =
                state.iter().zip(after).take_while(|(wanted, byte)| wanted == byte).count();
            // `Goroutine 8 in st+0x91`
            let is_glued = || after.get(common).is_some_and(|byte| !byte.is_ascii_alphabetic());
            after.len() > 1 && state.starts_with(after)
                || after.starts_with(state) && !is_goleak(after)
                || (b" in st".len()..b" in state".len()).contains(&common) && is_glued()
        })
    };
    if is_cut_leak(before_mark(leak).unwrap_or(leak)) {
        return true;
    }
    let is_marked = before_mark(line).is_some_and(|start| {
        let id = start.strip_prefix(START).and_then(after_number);
        start.len() > 1 && START.starts_with(start.trim_ascii_end())
            || id.is_some_and(|after| after.starts_with(b" [") || starts_gp(after))
    });
    if is_marked {
        return true;
    }
    let common = START.iter().zip(line).take_while(|(wanted, byte)| wanted == byte).count();
    // Shorter words of prose begin with the same letters.
    if common < 4 {
        return false;
    }
    let (start, rest) = line.split_at(common);
    // The text between is lost: `goroutin+0x171`.
    let is_joined = || memchr::memmem::find(rest, b"+0x").is_some();
    let is_cut = match start == START {
        true if rest.is_empty() => true,
        true => after_number(rest).is_some_and(|after| {
            let digits = rest.len().saturating_sub(after.len());
            // Where nothing follows the number, see `can_be_cut_header`.
            starts_gp(after)
                || starts_message(after)
                // Alone they are a time or a date.
                || digits > 2 && has_pairs(after, b':')
                || digits > 4 && (has_pairs(after, b'/') || has_pairs(after, b'-'))
        }),
        // Prose has the whole word.
        false if rest.is_empty() => line != START.trim_ascii_end(),
        false => {
            is_time(rest)
                || start != b"goroutine" && (starts_message(rest) || before_quote(line) == start)
        }
    };
    is_cut || is_joined()
}

/// Whether a line is a header with something else in the place of its end, as another process went on there:
/// `goroutine 7 [running] 10:00:00 ready`.
pub(crate) fn goes_on_in_state(line: &[u8]) -> bool {
    let state = line.strip_prefix(START).and_then(after_number);
    let state = state.and_then(|after| after.strip_prefix(b" ["));
    state.is_some_and(|state| {
        !state.trim_ascii_end().ends_with(b"]") && memchr::memmem::find(state, b"]:").is_none()
    })
}

/// Whether a line below the message of a crash is the start of a header: there, headers come next.
pub(crate) fn is_cut_below_message(line: &[u8]) -> bool {
    is_cut_header(line) || can_be_cut_header(line) || line == START.trim_ascii_end()
}

/// Whether the last line of a text is the start of a header, cut there.
pub(crate) fn is_stump(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(START) else {
        return !line.is_empty() && START.starts_with(line);
    };
    let is_cut = |after: &[u8]| after.is_empty() || after.starts_with(b" [") || starts_gp(after);
    after_number(rest).map_or(rest.is_empty(), is_cut)
}

/// Whether a header breaks off at the start of a quoted field, at the end of the line or in front of another program's
/// text: `ts=2 stack="gorout`, `stack="goroutine 1[GIN] 2026/`.
pub(crate) fn opens_in_quote(line: &[u8]) -> bool {
    let mut quotes = memchr::memmem::find_iter(line, b"\"gor").take(QUOTES);
    quotes.any(|at| {
        let (before, quoted) = line.split_at_checked(at).unwrap_or_default();
        let text = quoted.get(1..).unwrap_or_default();
        let is_field = before.last().is_none_or(|byte| b"=,;:\t [\"".contains(byte));
        let is_prose = before.ends_with(b" ") && text == START.trim_ascii_end();
        is_field && !is_prose && text.len() > 3 && (is_stump(text) || is_glued_in_quote(text))
    })
}

/// So many fields of a line are looked at.
const QUOTES: usize = 16;

/// Whether the text of a quoted field is the start of a header with another program's text glued to it. Messages start with
/// `goroutine 7 ` and the like, too.
fn is_glued_in_quote(text: &[u8]) -> bool {
    let common = START.iter().zip(text).take_while(|(wanted, byte)| wanted == byte).count();
    let rest = text.get(common..).unwrap_or_default();
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'"';
    let is_other = |rest: &[u8]| !rest.starts_with(b"\"") && is_of_log(rest);
    match common {
        4 => is_other(rest),
        5..=8 => !rest.first().is_some_and(is_word) || is_other(rest),
        10 => after_number(rest).is_some_and(is_other),
        _ => false,
    }
}

/// Whether the text after an id is the start of ` gp=0xc000007340 m=nil [`, as GOTRACEBACK=system prints.
fn starts_gp(after: &[u8]) -> bool {
    let is_gp = after.starts_with(b" gp=0x") && !after.contains(&b'[');
    is_gp || !after.is_empty() && b" gp=0x".starts_with(after)
}

/// The text after a number of any length: more than 64 bits can't be an id, but may have been one.
pub(super) fn after_number(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 { text.get(digits..) } else { None }
}

/// Whether this is the rest of goleak's header after the id.
pub(super) fn is_goleak(after: &[u8]) -> bool {
    after.starts_with(b" in state ") && memchr::memmem::find(after, b", with ").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_of_a_header_at_the_end_of_a_text_is_a_stump() {
        for line in [
            "g",
            "gorou",
            "goroutine ",
            "goroutine 7",
            "goroutine 7 [sel",
            "goroutine 7 g",
            "goroutine 7 gp=0xc0",
        ] {
            assert!(is_stump(line.as_bytes()), "{line}");
        }
        for line in ["", "good bye", "goroutine pool", "goroutine 7 did x"] {
            assert!(!is_stump(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn a_header_that_starts_in_a_quoted_field_can_be_cut() {
        for line in [
            "1,\"goro",
            "1,\"goroutine",
            "ts=2 stack=\"goroutine ",
            "\"goroutine 1",
            "{\"a\": \"goroutine 7 [sel",
            "2,b,\"{\"\"stack\"\": \"\"goroutine 7 [select, 3 minutes]",
            "stack=\"gorou10.0.0.1 - - [01/Dec/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200",
            "stack=\"goroI1201 10:00:00.000000       7 main.go:3] \"ready\" pod=\"a/b\"",
            "stack=\"goroutine 1[GIN] 2026/12/01 - 10:00:00 | 200 | GET \"/health\"",
        ] {
            assert!(opens_in_quote(line.as_bytes()), "{line}");
        }
        for line in [
            "1,\"gor",
            "the \"goroutine",
            "he said\"goroutine 1",
            "a=\"goroutine pool",
            "a=\"goro\" b=1",
            "a=\"gorou\"",
            "a=\"gorouter is up\"",
            "a=\"goroutine 7\"",
            "a=\"goroutine 7 {\\\"a\\\":1}\"",
            "x",
        ] {
            assert!(!opens_in_quote(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn what_programs_print_of_their_goroutines_is_the_start_of_a_header_only_below_a_dump() {
        for line in [
            "goroutine 7",
            "goroutine 1…",
            "Goroutine 16 ",
            "goroutine 1 <snip>",
            "goroutine 18[...]",
            "Goroutine 3",
            "Goroutine 3...",
        ] {
            assert!(can_be_cut_header(line.as_bytes()), "{line}");
            assert!(!is_cut_header(line.as_bytes()), "{line}");
        }
        for line in
            ["go", "goroutines", "goroutine 7 did x", "goroutine 7:", "Goroutine", "goroutine 1st"]
        {
            assert!(!can_be_cut_header(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn the_line_of_another_program_behind_the_start_of_a_header_shows_a_cut() {
        for line in [
            "gorsection_end:1773600060:step_script",
            "goroutine::endgroup::",
            "goroutine ##[error]Process completed with exit code 2.",
            "goroutine 1Build step 'Execute shell' marked build as failure",
            "goroutine 18[Container] 2026/03/14 10:01:00 Command did not exit successfully",
            "goroutine 18script returned exit code 137",
            "goroutine 18 section_end:1773600060:step_script",
            "goroutine 18Stopping shop",
            "goroutine 18*** Test killed with quit: ran too long (11m0s).",
            "gorou--- FAIL: TestX (0.00s)",
            "gor{\"level\":\"info\"}",
            "goroutine</failure>",
            "gor2026/03/14 10:00:00 started",
            "goroutine 1 ]]></failure>",
            "gorDec  1 10:00:00 host app: ready",
            "gorolevel=info msg=ready",
            "gor10.0.0.1 - - [01/Dec/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200",
            "goroutin--- PASS: TestX (0.00s)",
            "gorouti::1 - - [01/Dec/2026:10:00:00 +0000]",
            "gor3:04PM INF ready",
            "goroutine 10:00AM INF ready",
            "goroutine Dec  1 10:00:00 host app[3]: ready",
            "goroutine [GIN] 2026/12/01 - 10:00:00 | 200",
            "goroutine 8 I1201 10:00:00.000000       1 main.go:3] ready",
            "gor\"GET / HTTP/1.1\" 200",
            "goroutineINFO[0001] ready",
            "goroutineGET /health",
            "goroutineDec  1 10:00:00 host app[3]: ready",
            "goroutine FAIL\tshop/cart\t0.3s",
            "goroutine === RUN   TestX",
            "goroutine 8 GET /health 200",
            "goroutine 8 INFO[0001] ready",
            "goroutine 8 {\"a\":1}",
            "goroutine 8 === RUN   TestX",
            "goroutine[GIN] 2026/12/01 - 10:00:00",
            "goroutine 2026/12/01 10:00:00 ready",
            "goroutine 7[GIN] 2026/12/01 - 10:00:00",
            "goroutine 7Dec  1 10:00:00 host app: ready",
            "goroutine 7GET /health",
            "goroutine 7 time=2026-12-01T10:00:00Z",
            "goroutine 7 \x1b[32mINFO\x1b[0m ready",
        ] {
            assert!(is_glued_header(line.as_bytes()), "{line}");
        }
        for line in [
            "goroutine error: context canceled",
            "goroutine 7 error: EOF",
            "goroutine Killed",
            "goroutine {\"id\":7}",
            "goroutine{\"id\":7}",
            "goroutine 20mins left",
            "goroutine 8192bytes",
            "goroutine 7 12:00:01 done",
            "gorilla",
            "gorouter is up",
            "goroutine pool",
            "goroutines",
            "goroutineCount=12",
            "goroutineID: 7",
            "goroutine ID 7",
            "goroutinePool: started",
            "goroutine 1st",
            "goroutine 7 did x",
            "goroutine 7 DONE",
            "goroutine 7 panic: boom",
            "goroutine [main] up",
            "goroutine 3: done",
            "goroutine 7 i=3",
            "goroutine 7 {1 2}",
            "goroutine 100ms",
            "g",
        ] {
            assert!(!is_glued_header(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn the_start_of_a_header_is_seen_on_a_line_of_its_own() {
        for line in [
            "goro",
            "goroutine ",
            "goroutine 7 ",
            "goroutine 7:95 +0x9b",
            "goroutin+0x171",
            " Goroutine 7 in st",
            "go…",
            "gorou[...]",
            "goroutine ...",
            "goroutine 18 [sel...",
            "goroutine 18 gp=0xc0...",
            "goroutine 16  ...",
            "gorou2026/03/14 10:00:00 started",
            "gorou2026-03-14T10:00:00Z started",
            "gorou10:00:00 started",
            "goroutin\",web-1",
            "gorouKilled",
            "goroutiexit status 2",
            "goroutine 18{\"level\":\"info\"}",
            "goroutine 182026-03-14T10:00:00Z",
            "goroutine 1810:00:00.000 started",
            "goroutine 18Killed",
            "goroutine 18^C",
            "goroutine 18I0314 10:00:00.000000       1 main.go:3] started",
            "goroutine 1$ ls",
            "goroutine 1$",
            "goroutine 1%",
            "gorousignal: killed",
            "goroutine 18exit status 2",
            "[Goroutine 10 in state chan recei",
            "Goroutine 10 in state chan recei...",
        ] {
            assert!(is_cut_header(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "go",
            "gor",
            "goroutine",
            "goroutine 7 did x",
            "goroutine 7 waits...",
            "goroutine 3: waiting for jobs...",
            "goroutine 10:30",
            "goroutine 1st",
            "goroutine 100ms",
            "goroutine 18sec elapsed",
            "gorou: x",
            "goroutin) x",
            "goroutine 18Items left",
            "goroutine 18E1234567",
            "goroutine 18E",
            "Goroutine 7 ",
            "g...",
            "goroutine 7abc: done",
            "goroutine 12:30:45 started",
            "goroutine 2026-03-14 started",
            "goroutine {\"id\":7}",
            "goroutine{\"id\":7}",
            "goroutineCount=12",
            "goroutineID: 7",
            "goroutine ID 7",
            "goroutinePool: started",
            "goroutine Pool",
            "goroutines are left",
            "gorouter is up",
            "gorountine 5 is done",
            "goroot",
            "gorod",
            "going on...",
            "Goroutine 7 (running) created at:",
        ] {
            assert!(!is_cut_header(line.as_bytes()), "{line}");
        }
        assert!(!is_cut_header(b" Goroutine 7 in state select, with main.f on top of the stack:"));
        for text in
            ["Goroutine 7 in stage 3", "Goroutine 7 in state: idle", "Goroutine 7 in state=idle"]
        {
            assert!(!is_cut_header(text.as_bytes()), "{text}");
        }
    }
}
