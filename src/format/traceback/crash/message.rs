//! The message of a crash: a panic with its value, an error of the runtime, a signal.

use crate::profile::{Crash, CrashKind};

/// How many bytes of a panic value are kept.
const TEXT_BYTES: usize = 16 << 10;

/// Comes after the value of a panic that was recovered.
const RECOVERED: &[u8] = b" [recovered]";

/// What the runtime says about a crash.
#[derive(Debug)]
pub(super) struct Message {
    kind: CrashKind,
    text: Vec<u8>,
    running_tests: Vec<String>,
    in_tests: bool,
}

impl Message {
    /// Starts with the first line.
    pub(super) fn new(kind: CrashKind, line: &[u8]) -> Message {
        let text = line.iter().copied().take(TEXT_BYTES).collect();
        Message { kind, text, running_tests: Vec::new(), in_tests: false }
    }

    /// Takes a line if it says which tests were running.
    pub(super) fn takes_test(&mut self, line: &[u8]) -> bool {
        if self.kind == CrashKind::Timeout && line.trim_ascii() == b"running tests:" {
            self.in_tests = true;
            return true;
        }
        let is_test = self.in_tests && is_test(line);
        if is_test {
            self.running_tests.push(String::from_utf8_lossy(line.trim_ascii()).into_owned());
        }
        is_test
    }

    /// Takes any other line.
    pub(super) fn push(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\t").unwrap_or(line);
        // The runtime's own messages have no paragraphs; what comes after one is text around a crash
        // that was pasted. A value that somebody raised can have them.
        let ended = self.text.ends_with(b"\n")
            && matches!(self.kind, CrashKind::Fatal | CrashKind::Signal | CrashKind::Deadlock)
            && !line.starts_with(b"[signal ");
        let room = TEXT_BYTES.saturating_sub(self.text.len());
        if !ended {
            self.text.push(b'\n');
            self.text.extend(line.iter().copied().take(room));
        }
    }

    /// Whether a line after it is certainly a part of it, and no text around it.
    pub(super) fn goes_on(&self, line: &[u8]) -> bool {
        line.is_empty()
            || line.starts_with(b"\t")
            || line.starts_with(b"  ")
            || line.starts_with(b"[signal ")
            || starts_message(line)
            || self.kind == CrashKind::Timeout && line == b"running tests:"
            || self.in_tests && is_test(line)
    }

    /// Whether another message starts in a line after it.
    pub(super) fn is_ended_by(&self, line: &[u8]) -> bool {
        if !starts_message(line) {
            return false;
        }
        // Go puts a tab before a panic that was raised during another one; it may be lost.
        // `fatal error: panic during malloc` is about the panic above it.
        let last = self.text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let is_quoted = last.contains(&b'`');
        let is_during = !is_quoted && [last, line].iter().all(|line| line.starts_with(b"panic: "));
        !is_during
            && !self.text.trim_ascii_end().ends_with(RECOVERED)
            && !line.starts_with(b"fatal error: panic ")
    }

    /// The message that starts in a line after it. An error directly above is that of another thread,
    /// which may be the cause.
    pub(super) fn followed_by(&self, kind: CrashKind, line: &[u8]) -> Message {
        let mut next = Message::new(kind, line);
        let last = self.text.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        if last.starts_with(b"fatal error: ") && last != line {
            next.text.extend([b" (after ", last, b")"].concat());
        }
        next
    }

    /// Adds a message from before the first line.
    pub(super) fn explain(&mut self, before: &[u8]) {
        self.text.extend([b" (", before, b")"].concat());
    }

    /// Whether it is `panic: boom [recovered]` so far.
    pub(super) fn is_recovered_error(&self) -> bool {
        let text = self.text.trim_ascii_end();
        self.kind == CrashKind::Panic
            && text.ends_with(RECOVERED)
            && memchr::memchr(b'\n', text).is_none()
    }

    /// Whether its first line is no more than `panic:`.
    pub(super) fn has_no_value(&self) -> bool {
        let value = self.text.strip_prefix(b"panic:");
        value.is_some_and(|rest| matches!(rest, [] | [b'\n', ..]))
    }

    /// The crash.
    pub(super) fn crash(&self) -> Crash {
        let text = self.text.trim_ascii();
        let text = match self.kind {
            CrashKind::Panic | CrashKind::Recovered | CrashKind::Timeout => {
                text.strip_prefix(b"panic:").unwrap_or(text).trim_ascii_start()
            }
            CrashKind::Fatal | CrashKind::Deadlock => {
                let rest = text.strip_prefix(b"fatal error: ").unwrap_or(text);
                rest.strip_prefix(b"panic: ").unwrap_or(rest)
            }
            // Pasted from `[signal SIGSEGV: segmentation violation code=0x1]` on.
            CrashKind::Signal if !text.contains(&b'[') => text.strip_suffix(b"]").unwrap_or(text),
            CrashKind::Signal => text,
        };
        Crash {
            kind: self.kind,
            text: String::from_utf8_lossy(text).into_owned(),
            goroutine: None,
            sample: None,
            running_tests: self.running_tests.clone(),
        }
    }
}

/// Whether a line starts the message of a panic or of an error, without a tab before it.
fn starts_message(line: &[u8]) -> bool {
    line.starts_with(b"panic: ") || line.starts_with(b"fatal error: ")
}

/// A line below `running tests:`.
fn is_test(line: &[u8]) -> bool {
    line.ends_with(b")") && memchr::memmem::find(line, b" (").is_some()
}
