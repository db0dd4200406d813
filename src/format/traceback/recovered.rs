//! Panics that a program recovers from and logs: the panic's value is in the log line above the
//! stack.

/// Parts of words in a message about a panic, without their first letter, which can be of either
/// case: `Observed a panic: boom`, `[Recovery] panic recovered`, `recovered: boom`, `http2: panic
/// serving 127.0.0.1:1: boom`.
const WORDS: [&[u8]; 2] = [b"anic", b"ecover"];

/// How many bytes of a message are kept.
const MESSAGE: usize = 1 << 10;

/// At most this many words before a message are skipped: time stamps, a level, a process.
const BEFORE: usize = 8;

/// The message about a panic in a line of a log, without time stamps and the like before it.
pub(crate) fn message(line: &[u8]) -> Option<&[u8]> {
    if !WORDS.iter().any(|word| memchr::memmem::find(line, word).is_some()) {
        return None;
    }
    let mut text = line.trim_ascii();
    // `E0102 10:31:41.123456       1 runtime.go:79] `
    let head = text.get(..text.len().min(128)).unwrap_or_default();
    if let Some(place) = memchr::memmem::find(head, b".go:")
        && let Some(end) = memchr::memmem::find(head, b"] ")
        && place < end
    {
        text = text.get(end.saturating_add(2)..).unwrap_or_default();
    }
    for _ in 0..BEFORE {
        let word = text.split(|byte| b" \t".contains(byte)).next().unwrap_or_default();
        let is_number = word.iter().any(u8::is_ascii_digit);
        let is_mark = word.iter().all(u8::is_ascii_punctuation);
        if !(is_number || is_mark) || word.iter().any(u8::is_ascii_lowercase) {
            break;
        }
        text = text.get(word.len()..).unwrap_or_default().trim_ascii_start();
    }
    text.get(..text.len().min(MESSAGE)).filter(|text| !text.is_empty())
}

/// Whether a function raises a panic.
pub(crate) fn raises(func: &[u8]) -> bool {
    matches!(func, b"panic" | b"runtime.gopanic")
}

/// Whether a function belongs to the runtime, as those above `panic` in Go's stacks do.
pub(crate) fn is_of_runtime(func: &[u8]) -> bool {
    func.strip_prefix(b"runtime.").is_some_and(|rest| !rest.contains(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_behind_time_stamps() {
        for (line, text) in [
            ("2026/01/02 15:04:05 recovered: boom", "recovered: boom"),
            (
                "E0102 10:31:41.123456       1 runtime.go:79] Observed a panic: \"boom\" (boom)",
                "Observed a panic: \"boom\" (boom)",
            ),
            (
                "2026/01/02 15:04:05 http2: panic serving 127.0.0.1:1: boom",
                "http2: panic serving 127.0.0.1:1: boom",
            ),
            (
                "2026-01-02T15:04:05Z ERROR [Recovery] panic recovered: boom",
                "ERROR [Recovery] panic recovered: boom",
            ),
            ("[GIN] 2026/01/02 - 15:04:05 | Panic: x", "[GIN] 2026/01/02 - 15:04:05 | Panic: x"),
        ] {
            assert_eq!(message(line.as_bytes()), Some(text.as_bytes()), "{line}");
        }
        assert_eq!(message(b"2026/01/02 15:04:05 hello"), None);
    }
}
