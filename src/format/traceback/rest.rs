//! Ends of lines of a goroutine or profile, the starts of which are lost.

use super::cut_header::START;
use super::lines::{self, IN_GOROUTINE};
use super::lookalike::places;
use crate::format::goleak::ON_TOP;

/// Whether a text can only be the end of a line: `utine 23 [IO wait]:`, `ait]:`, `, 0x9)`, `:12 +0x1d`,
/// `oroutine 14`, ` 0x4533fd 0x4843ad`, `/store.go:12`.
pub(crate) fn is_rest(text: &[u8]) -> bool {
    is_rest_of_header(text)
        || lines::is_end_of_call(text) && lines::goes_on_with_arguments(text)
        || is_rest_of_offset(text)
        || is_rest_of_creator(text)
        || is_rest_of_record(text)
        || is_number_behind(text, b".go:")
        || is_rest_of_entry(text)
        || !text.contains(&b' ') && is_rest_of_place(text)
}

/// Whether a line is one of a goroutine, or the end of one, that stands outside of what goroutines are wrapped in.
pub(crate) fn is_stray(line: &[u8]) -> bool {
    is_rest(line) || is_rest_of_call(line) || line.starts_with(START) || places(line) > 0
}

/// Whether a text ends as a call does, with the end of its name or all of it before the arguments: `n.f(0x1)`.
pub(crate) fn is_rest_of_call(text: &[u8]) -> bool {
    lines::call(text).is_some_and(|func| {
        let arguments = text.get(func.len().saturating_add(1)..).unwrap_or_default();
        let is_inlined = arguments == b"...)";
        !func.contains(&b' ') && (is_inlined || lines::goes_on_with_arguments(arguments))
    })
}

/// Whether a text ends as the place of an inlined call does: `hop/queue.go:12`.
pub(crate) fn is_rest_of_place(text: &[u8]) -> bool {
    lines::file_and_line(text).is_some_and(|(file, _)| lines::is_source(file))
}

/// `utine 7 [select]:`, `7 [select]:`, `ect]:`, `web-1}:`
pub(crate) fn is_rest_of_header(text: &[u8]) -> bool {
    let (inner, open) = match (text.strip_suffix(b"]:"), text.strip_suffix(b"}:")) {
        (Some(inner), _) => (inner, memchr::memrchr(b'[', inner)),
        (None, Some(inner)) => (inner, memchr::memchr(b'{', inner)),
        (None, None) => return false,
    };
    let Some(before) = open.and_then(|open| inner.get(..open)) else { return true };
    match before.strip_suffix(b" ") {
        Some(id) => {
            let is_state = text.ends_with(b"}:") && id.ends_with(b"]");
            id.is_empty() || is_number_behind(id, START) || is_state || is_rest_of_thread(id)
        }
        None => before.is_empty() && inner.len() > 1,
    }
}

/// `1 gp=0xc0000021c0 m=nil`, `mp=0x577fc0`, `=nil`
fn is_rest_of_thread(text: &[u8]) -> bool {
    let word = text.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let Some(sign) = memchr::memchr(b'=', word) else { return false };
    let (name, value) = word.split_at(sign);
    let is_value = value == b"=nil" || value.strip_prefix(b"=0x").is_some_and(is_hex);
    is_value && [&b"gp"[..], b"mp", b"m"].iter().any(|whole| whole.ends_with(name))
}

/// `:12 +0x1d`, `+0x1d fp=0x1 sp=0x2 pc=0x3`, behind the rest of a place or nothing.
fn is_rest_of_offset(text: &[u8]) -> bool {
    const STARTS: [&[u8]; 4] = [b"+0x", b"fp=0x", b"sp=0x", b"pc=0x"];
    let is_known =
        |word: &[u8]| STARTS.iter().any(|start| word.strip_prefix(*start).is_some_and(is_hex));
    let known = text.rsplit(|byte| *byte == b' ').take_while(|word| is_known(word));
    let length: usize = known.map(|word| word.len().saturating_add(1)).sum();
    let before = text.get(..text.len().saturating_sub(length)).unwrap_or_default();
    length > 0 && (!before.contains(&b' ') || is_rest_of_place(before))
}

/// Whether a text ends as the line of a creator does: `ed by main.f in goroutine 14`, `n goroutine 14`, ` 14`, `14`.
pub(crate) fn is_rest_of_creator(text: &[u8]) -> bool {
    let is_rest = |(before, _, _): (&[u8], &[u8], u64)| lines::CREATED_BY.ends_with(before);
    lines::end_of_creator(text).is_some_and(is_rest) || is_number_behind(text, IN_GOROUTINE)
}

/// Whether a text is a number behind the end of these words, or behind nothing.
fn is_number_behind(text: &[u8], words: &[u8]) -> bool {
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let before = text.get(..text.len().saturating_sub(digits)).unwrap_or_default();
    digits > 0 && words.ends_with(before)
}

/// The addresses of a record: ` 0x4533fd 0x4843ad`.
fn is_rest_of_record(text: &[u8]) -> bool {
    let mut words = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_address = |word: &[u8]| word.strip_prefix(b"0x").is_some_and(is_hex);
    words.next().is_some_and(is_address) && words.all(is_address)
}

/// The first line of an entry of goleak: `ate select, with main.f on top of the stack:`, `tack:`.
fn is_rest_of_entry(text: &[u8]) -> bool {
    text.ends_with(ON_TOP) || text.len() > 2 && ON_TOP.ends_with(text)
}

fn is_hex(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_lines_are_told_from_other_text() {
        for text in [
            "goroutine 23 [IO wait]:",
            "utine 23 [IO wait]:",
            "23 [IO wait, 5 minutes]:",
            " [select]:",
            "ait]:",
            "tech}:",
            "0000021c0 m=nil [sleep]:",
            "1 gp=0xc0000021c0 m=0 mp=0x577fc0 [idle]:",
            "p=0xc000002 [idle]:",
            "=nil [sleep]:",
            "7 [select] {node: tech}:",
            ", 0x9)",
            "{...}, 0x1?)",
            ")",
            "hop/queue.go:1 +0x1",
            ":1 +0x1 fp=0x1 sp=0x2 pc=0x3",
            " +0x1",
            "+0x1d",
            "+0x1d fp=0x1 sp=0x2 pc=0x3",
            "main.f in goroutine 14",
            "by main.f in goroutine 14",
            "oroutine 14",
            "nn Lee/a.go:12 +0x1d fp=0x1 sp=0x2 pc=0x3",
            "14",
            " 0x4533fd 0x4843ad",
            "#\t0x4533fd\tmain.f+0x1d\t/src/a.go:12",
            ".go:351",
            "ate select, with main.f on top of the stack:",
            "tack:",
        ] {
            assert!(is_rest(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "ready",
            "started (pid 7)",
            "done (7)",
            "[INFO]: ready",
            "app [1]:",
            "pid=7 [idle]:",
            "m=7s [idle]:",
            "[pod/db-0/db] goroutine 8 [select]:",
            "[pod/db-0/db] [INFO]:",
            "kernel: [12.5]: x",
            "worker 14",
            "worker stuck in goroutine 7",
            "read at pc=0x4012",
            "see main.go:12 for 0x12",
            "at main.go:12",
            "map[a:1]: 3",
            "read 0x12",
        ] {
            assert!(!is_rest(text.as_bytes()), "{text}");
        }
        for text in ["n.f(0x1)", "f(...)", "f()", "(*T).M({0x1, 0x2?})"] {
            assert!(is_rest_of_call(text.as_bytes()), "{text}");
        }
        for text in ["log.Println(\"x\")", "took f(x) long", "f(0x1) failed", "(7) (8)"] {
            assert!(!is_rest_of_call(text.as_bytes()), "{text}");
        }
    }
}
