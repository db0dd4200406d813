//! What lines of other programs begin with, where one is glued to the start of a line of a dump.

use super::cut_header::after_number;

/// Whether a text that is glued to the start of a line begins as lines of logs do.
pub(super) fn is_of_log(text: &[u8]) -> bool {
    let is_address = |after: &[u8]| matches!(after, [b'.', digit, ..] if digit.is_ascii_digit());
    is_time(text)
        || is_kitchen_time(text)
        || starts_message(text)
        || starts_otherwise(text)
        || after_number(text).is_some_and(is_address)
}

/// Whether a text begins as no prose does: `[GIN] 2026/`, `Dec  1`, `GET /`, `level=info`, a colour.
pub(super) fn starts_otherwise(text: &[u8]) -> bool {
    let capitals = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let starts = [&b"time="[..], b"ts=", b"level=", b"msg="];
    match text.first() {
        Some(byte) if byte.is_ascii_uppercase() => capitals > 2,
        Some(byte) if byte.is_ascii_lowercase() => starts.iter().any(|key| text.starts_with(key)),
        Some(byte) => b"[{<\"\x1b".contains(byte),
        None => false,
    }
}

/// How far into a line of a log its time stands: `Dec  1 10:00:00`, `[GIN] 2026/12/01 - 10:00:00`.
const STAMP: usize = 32;

/// Whether a text begins with a word and has a time soon behind it: `I1201 10:00:00.000000`.
pub(super) fn has_time_behind_word(text: &[u8]) -> bool {
    !text.first().is_some_and(u8::is_ascii_digit)
        && text.get(..STAMP).unwrap_or(text).windows(8).any(is_time_of_day)
}

/// Whether a text begins with a word in capitals as lines of logs do, and messages don't: `INFO[0001]`, `GET /`,
/// `FAIL\tshop`; or with what `go test` writes.
pub(super) fn is_loud(text: &[u8]) -> bool {
    let capitals = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let rest = text.get(capitals..).unwrap_or_default();
    let ends = [&b"["[..], b"\t", b" /"];
    capitals > 2 && ends.iter().any(|end| rest.starts_with(end))
        || text.starts_with(b"=== ")
        || text.starts_with(b"--- ")
}

/// Whether a text begins with a time as zerolog and charm write it: `10:00AM INF `.
pub(super) fn is_kitchen_time(text: &[u8]) -> bool {
    let minutes = after_number(text).and_then(|after| after.strip_prefix(b":"));
    matches!(minutes, Some([a, b, b'A' | b'P', b'M', b' ', ..]) if a.is_ascii_digit() && b.is_ascii_digit())
}

/// Whether a text is what shells, `kubectl`, loggers and Go write where a process or stream has ended.
pub(crate) fn starts_message(text: &[u8]) -> bool {
    const MESSAGES: [&[u8]; 26] = [
        b"Killed",
        b"Terminated",
        b"Aborted",
        b"Segmentation fault",
        b"Broken pipe",
        b"Connection to ",
        b"Session terminated",
        b"Write failed",
        b"Error: ",
        b"ERROR: ",
        b"error: ",
        b"FAIL",
        b"--- FAIL",
        b"=== RUN ",
        b"*** Test killed with ",
        b"exit status ",
        b"signal: ",
        b"command terminated ",
        b"client_loop: ",
        b"panic: ",
        b"fatal error: ",
        b"make: ",
        b"make[",
        b"tee: ",
        b"{\"",
        b"$ ",
    ];
    let is_glog = || {
        let date = text.get(1..5).unwrap_or_default();
        date.len() == 4 && date.iter().all(u8::is_ascii_digit) && text.get(5) == Some(&b' ')
    };
    match text {
        [b'^', key, ..] => key.is_ascii_uppercase(),
        [b'I' | b'W' | b'E' | b'F', ..] if is_glog() => true,
        // Prompts.
        [b'$' | b'%' | b'#'] => true,
        _ => MESSAGES.iter().any(|message| text.starts_with(message)) || starts_message_of_ci(text),
    }
}

/// Whether a text is what GitLab, GitHub, Azure, Jenkins and CodeBuild write where a step has ended.
pub(super) fn starts_message_of_ci(text: &[u8]) -> bool {
    const MESSAGES: [&[u8]; 6] = [
        b"section_end:",
        b"##[",
        b"::endgroup::",
        b"Build step ",
        b"script returned exit code ",
        b"[Container] ",
    ];
    MESSAGES.iter().any(|message| text.starts_with(message))
}

/// Whether a text begins with a time or a date: `10:00:00`, `2026/03/14`.
pub(super) fn is_time(text: &[u8]) -> bool {
    let after = after_number(text).unwrap_or_default();
    [b':', b'/', b'-'].iter().any(|&separator| has_pairs(after, separator))
}

/// Whether a text begins with a date: `2026/03/14`. Programs print times behind a number.
pub(super) fn is_date(text: &[u8]) -> bool {
    let after = after_number(text).unwrap_or_default();
    text.len().saturating_sub(after.len()) == 4
        && (has_pairs(after, b'/') || has_pairs(after, b'-'))
}

/// Whether a text begins with two pairs of digits behind this byte each: `/03/14`, `:00:00`.
pub(super) fn has_pairs(text: &[u8], separator: u8) -> bool {
    matches!(text, [first, a, b, second, c, d, ..] if [*first, *second] == [separator; 2]
        && [a, b, c, d].iter().all(|byte| byte.is_ascii_digit()))
}

/// Whether a text is a time: `10:31:41`.
pub(in crate::format) fn is_time_of_day(text: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at % 3 {
        2 => *byte == b':',
        _ => byte.is_ascii_digit(),
    };
    text.iter().enumerate().all(fits)
}
