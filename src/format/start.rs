//! The starts of dumps: the first lines that Go writes, as opposed to lines that only look similar.

use super::traceback::crash::http_panic;
use super::{debug1, goleak};
use memchr::memmem;
use std::sync::LazyLock;

/// How far into a line `http: panic serving` is looked for: it comes after the log package's own
/// timestamp, `2009/11/10 23:00:00.000000 file.go:10: `.
const HTTP_PANIC_WITHIN: usize = 96;

/// A header after an escaped line end: the whole crash is in one line, which has to be unwrapped
/// first.
static ESCAPED: [LazyLock<memmem::Finder<'static>>; 5] = [
    LazyLock::new(|| memmem::Finder::new(br"\ngoroutine ")),
    LazyLock::new(|| memmem::Finder::new(b"#012goroutine ")),
    LazyLock::new(|| memmem::Finder::new(br"]:\n")),
    LazyLock::new(|| memmem::Finder::new(br"}:\n")),
    LazyLock::new(|| memmem::Finder::new(b"]:#012")),
];

/// Whether an unwrapped line starts a dump or announces a crash.
///
/// The line comes without its newline; a carriage return at its end is allowed.
pub(crate) fn starts_dump(line: &[u8]) -> bool {
    // The line of a signal may be lost. Anywhere in a line `PC=0x1f m=0` can be of other programs.
    let is_below_signal = || is_of_signal(line) && memmem::find(line, b" sigcode=").is_some();
    is_header(line) || announces_crash(line) || is_below_signal()
}

/// Whether the line is a header: of a goroutine, of a profile or of goleak.
pub(crate) fn is_header(line: &[u8]) -> bool {
    is_goroutine(line)
        || is_profile(line)
        || debug1::starts_values(line)
        || goleak::Entry::cut(line).is_some()
}

/// Whether the line announces a crash, or starts a race report.
pub(crate) fn announces_crash(line: &[u8]) -> bool {
    opens_crash(without_cr(line)) && !is_escaped(line)
}

/// Whether a line that starts like the message of a crash contains all of the crash, with its
/// goroutines.
pub(super) fn is_escaped(line: &[u8]) -> bool {
    ESCAPED.iter().any(|header| header.find(line).is_some())
}

fn opens_crash(line: &[u8]) -> bool {
    match line.first() {
        Some(b'p') => line.starts_with(b"panic: "),
        Some(b'f') => line.starts_with(b"fatal error: "),
        Some(b'r') => line.starts_with(b"runtime: goroutine stack exceeds "),
        Some(b'u') => line.starts_with(b"unexpected fault address "),
        Some(b'S') => is_signal(line),
        Some(b'W') => is_race(line),
        Some(b'h' | b'0'..=b'9') => {
            let head = line.get(..HTTP_PANIC_WITHIN).unwrap_or(line);
            http_panic(head).is_some()
        }
        _ => false,
    }
}

/// The first line of a race report.
pub(super) const RACE: &[u8] = b"WARNING: DATA RACE";

/// Whether the line starts a race report.
pub(super) fn is_race(line: &[u8]) -> bool {
    without_cr(line) == RACE
}

/// Whether the line can be the second one of a dump, after a header: a call, a creator, a count
/// profile's `1 @ 0x4`, a heap's `1: 2 [3: 4] @ 0x4`, the speed of a clock, a race report's access.
pub(super) fn follows_header(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 9] = [
        b"created by ",
        b"non-Go function",
        b"Read at 0x",
        b"Write at 0x",
        b"Atomic ",
        b"[originating from goroutine ",
        b"...",
        b"cycles/second=",
        b"# runtime.MemStats",
    ];
    let line = without_cr(line);
    STARTS.iter().any(|start| line.starts_with(start))
        || line.trim_ascii_start().starts_with(b"goroutine running on other thread")
        || is_call(line)
        || is_count(line)
}

/// `goroutine 7 [select]:`, with everything that Go 1.19 to 1.27 put around the bracket.
fn is_goroutine(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"goroutine ") else { return false };
    let Some(rest) = after_number(rest) else { return false };
    let line_end = without_cr(rest);
    // Labels come after the bracket from Go 1.27 on, and can contain anything.
    (rest.starts_with(b" [") || rest.starts_with(b" gp="))
        && (line_end.ends_with(b"]:") || line_end.ends_with(b"}:"))
}

/// `goroutine profile: total 52`, with any profile name.
fn is_profile(line: &[u8]) -> bool {
    let line = without_cr(line);
    if !line.last().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let Some(name) = line.iter().position(|&byte| !is_name(byte)) else { return false };
    let Some((name, rest)) = line.split_at_checked(name) else { return false };
    !name.is_empty()
        && rest
            .strip_prefix(b" profile: total ")
            .and_then(after_number)
            .is_some_and(<[u8]>::is_empty)
}

/// `SIGQUIT: quit`
fn is_signal(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"SIG") else { return false };
    let name = rest.iter().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    let name = name.count();
    name > 0 && rest.get(name..).is_some_and(|rest| rest.starts_with(b": "))
}

/// `PC=0x403f2e m=0 sigcode=0`, the line below that of a signal; the end may be cut.
pub(super) fn is_of_signal(line: &[u8]) -> bool {
    line.starts_with(b"PC=0x") && line.windows(3).any(|word| word == b" m=")
}

/// `main.(*T).work(0x1, {0x2, 0x3})`: an opening parenthesis before any space, a closing one last.
fn is_call(line: &[u8]) -> bool {
    let open = memchr::memchr2(b'(', b' ', line);
    line.ends_with(b")")
        && open.is_some_and(|at| at > 0 && line.get(at) == Some(&b'('))
        && line.first().is_some_and(|&byte| !byte.is_ascii_whitespace())
}

/// A count profile's `12 @ 0x43a2f6 0x44`, a heap's `1: 2 [3: 4] @ 0x43a2f6 0x44`.
fn is_count(line: &[u8]) -> bool {
    after_number(line).is_some_and(|rest| {
        let of_heap = || memmem::find(rest, b"] @ 0x").is_some();
        // Go 1.21 writes a record without addresses for threads.
        rest == b" @" || rest.starts_with(b" @ 0x") || rest.starts_with(b": ") && of_heap()
    })
}

/// The text after a decimal number of at most 20 digits, the most that 64 bits need.
fn after_number(bytes: &[u8]) -> Option<&[u8]> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if (1..=20).contains(&digits) { bytes.get(digits..) } else { None }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./-".contains(&byte)
}

/// The line without the carriage return at its end.
pub(super) fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_versions_are_headers() {
        for line in [
            "goroutine 1 [running]:",
            "goroutine 1 [running]:\r",
            "goroutine 18446744073709551615 [select, 12 minutes, locked to thread]:",
            "goroutine 0 gp=0xa96fa0 m=0 mp=0xa97f40 [idle]:",
            "goroutine 7 gp=0x1 m=nil [chan receive (nil chan), 4 minutes]:",
            "goroutine 7 [chan receive labels:{\"req id\": \"a\\\"b, c: }]\"}]:",
            "goroutine 7 [select, synctest bubble 1] {k: v, \"a b\": \"}]:\"}:",
            "goroutine profile: total 52",
            "goroutineleak profile: total 0",
            "my/own.profile profile: total 9",
            "--- mutex:",
            "--- contention:\r",
            "heap profile: 1: 2 [3: 4] @ heap/1048576",
            "[Goroutine 8 in state chan receive, with main.f on top of the stack:",
            "[ [Goroutine 8 in state chan receive, with main.f on top of the stack:",
            " [Goroutine 9 in state select, with main.f on top of the stack:",
            " Goroutine 9 in state select, with main.f on top of the stack:",
        ] {
            assert!(is_header(line.as_bytes()), "{line}");
            assert!(starts_dump(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn crashes_start_a_dump_but_are_no_headers() {
        for line in [
            "panic: boom",
            "panic: test timed out after 10m0s",
            "fatal error: all goroutines are asleep - deadlock!",
            "SIGQUIT: quit",
            "SIGUSR1: user-defined signal 1",
            "runtime: goroutine stack exceeds 1000000000-byte limit",
            "unexpected fault address 0x7f0012345000",
            "WARNING: DATA RACE",
            "http: panic serving 10.0.0.1:99: boom",
            "2009/11/10 23:00:00 http: panic serving [::1]:99: boom",
        ] {
            assert!(starts_dump(line.as_bytes()), "{line}");
            assert!(!is_header(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn look_alikes_start_nothing() {
        for line in [
            "",
            "goroutine 5 did x",
            "goroutine 5 [running] did x",
            "goroutine  5 [running]:",
            "goroutine [running]:",
            "goroutine x [running]:",
            "goroutine 123456789012345678901 [running]:",
            "goroutine 5[running]:",
            "a goroutine 5 [running]:",
            "\tgoroutine 7 [fake]:",
            "the goroutine profile: total 5",
            "goroutine profile: total 5 or so",
            "goroutine profile in prose",
            "--- mutex: held",
            "--- FAIL: TestX (0.00s)",
            "heap profile: written to /tmp/x",
            "goroutine profile: total ",
            " profile: total 5",
            "panic:boom",
            "panicking: boom",
            r"panic: boom\n\ngoroutine 1 [running]:\nmain.main()",
            "panic: boom#012#012goroutine 1 [running]:#012main.main()",
            "fatal error",
            "SIG: x",
            "SIGNAL received: x",
            "WARNING: DATA RACES",
            "[Goroutine 8 is fine",
            "     [Goroutine 9 in state select, with main.f on top of the stack:",
            "Goroutine 7 (running) created at:",
        ] {
            assert!(!starts_dump(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn second_lines_are_calls_creators_and_counts() {
        for line in [
            "main.work(0xc000012345, 0x0)",
            "main.(*Box[...]).Recv(...)",
            "panic({0xa24410?, 0x735ba0?})",
            "runtime.futex()\r",
            "created by main.main in goroutine 1",
            "non-Go function at pc=7f00",
            "\tgoroutine running on other thread; stack unavailable",
            "1 @ 0x43a2f6 0x44",
            "1: 2 [3: 4] @ 0x43a2f6 0x44",
            "cycles/second=1000",
            "Read at 0x00c000018148 by goroutine 9:",
        ] {
            assert!(follows_header(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "done",
            "(x)",
            "the end (almost)",
            "\tmain.work(0x1)",
            "\t/src/a.go:3 +0x1d",
            "1 @ home",
            "1: 2 [3: 4]",
        ] {
            assert!(!follows_header(line.as_bytes()), "{line}");
        }
    }
}
