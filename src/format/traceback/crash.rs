//! What the runtime says before the goroutines when a process dies.
//!
//! Up to Go 1.22 panic values are printed as they are, so their lines can look like anything; since
//! Go 1.23 further lines are indented by a tab. Inside such a block only an unindented header
//! behind a blank line, followed by what can follow a header, starts a goroutine.

use crate::profile::{Crash, CrashKind};

/// Bytes of a panic value that are kept.
const TEXT_BYTES: usize = 16 << 10;

/// Lines of a block after which it is given up: panic values are shorter, and a `panic: ` in a log
/// must not hide what follows it.
const BLOCK_LINES: u64 = 256;

/// Whether a line says that something died, and what sort of death it is.
pub(crate) fn starts(line: &[u8]) -> Option<CrashKind> {
    if let Some(value) = line.strip_prefix(b"panic: ") {
        return Some(if value.starts_with(b"test timed out after ") {
            CrashKind::Timeout
        } else if value.starts_with(b"deadlock: ") {
            // A synctest bubble in which nothing can run any more.
            CrashKind::Deadlock
        } else {
            CrashKind::Panic
        });
    }
    if let Some(reason) = line.strip_prefix(b"fatal error: ") {
        return Some(if reason.starts_with(b"all goroutines are asleep") {
            CrashKind::Deadlock
        } else {
            CrashKind::Fatal
        });
    }
    signal(line).then_some(CrashKind::Signal)
}

/// `SIGQUIT: quit`
fn signal(line: &[u8]) -> bool {
    let Some(colon) = memchr::memmem::find(line, b": ") else { return false };
    let name = line.get(..colon).unwrap_or_default();
    name.len() > 4
        && name.starts_with(b"SIG")
        && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// The value of `2026/01/02 15:04:05 http: panic serving 127.0.0.1:1: boom`: a handler died, not the
/// process; one goroutine follows without a blank line.
pub(crate) fn http_panic(line: &[u8]) -> Option<&[u8]> {
    let at = memchr::memmem::find(line, b"http: panic serving ")?;
    line.get(at..)
}

/// A crash whose text is coming in.
#[derive(Debug)]
pub(crate) struct CrashBlock {
    kind: CrashKind,
    text: Vec<u8>,
    running_tests: Vec<String>,
    in_tests: bool,
    lines: u64,
    /// Whether the line before was blank.
    after_blank: bool,
    /// A header behind a blank line, until the next line tells whether it is one.
    candidate: Option<(Vec<u8>, u64)>,
}

/// What a block makes of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BlockUse {
    /// It belongs to the message.
    Took,
    /// The block ended: this header (its text and line number) started a goroutine before this
    /// line, or nothing did.
    Ended(Option<(Vec<u8>, u64)>),
}

impl CrashBlock {
    /// Starts with the first line.
    pub(crate) fn new(kind: CrashKind, line: &[u8]) -> CrashBlock {
        CrashBlock {
            kind,
            text: line.iter().copied().take(TEXT_BYTES).collect(),
            running_tests: Vec::new(),
            in_tests: false,
            lines: 0,
            after_blank: false,
            candidate: None,
        }
    }

    /// Takes one line, blank ones too.
    pub(crate) fn line(&mut self, line: &[u8], number: u64) -> BlockUse {
        if let Some((header, at)) = self.candidate.take() {
            if follows_header(line) {
                return BlockUse::Ended(Some((header, at)));
            }
            self.push(&header);
        }
        if self.after_blank && super::header::Header::cut(line).is_some() {
            self.candidate = Some((line.to_vec(), number));
            return BlockUse::Took;
        }
        // Sections of the runtime that come between the message and the goroutines.
        if self.after_blank && line == b"runtime stack:" {
            return BlockUse::Ended(None);
        }
        self.lines = self.lines.saturating_add(1);
        if self.lines > BLOCK_LINES {
            return BlockUse::Ended(None);
        }
        self.after_blank = line.is_empty();
        if self.kind == CrashKind::Timeout && line.trim_ascii() == b"running tests:" {
            self.in_tests = true;
        } else if self.in_tests && line.ends_with(b")") {
            self.running_tests.push(String::from_utf8_lossy(line.trim_ascii()).into_owned());
        } else if !line.starts_with(b"PC=") {
            // `PC=0x403f2e m=0 sigcode=0` says where, which the stack says better.
            self.push(line);
        }
        BlockUse::Took
    }

    fn push(&mut self, line: &[u8]) {
        // Go indents further lines by one tab so that they can't be taken for anything else.
        let line = line.strip_prefix(b"\t").unwrap_or(line);
        let room = TEXT_BYTES.saturating_sub(self.text.len());
        if room > 0 {
            self.text.push(b'\n');
            self.text.extend(line.iter().copied().take(room));
        }
    }

    /// The header that waits for its confirmation, when the input ends there.
    pub(crate) fn candidate(&mut self) -> Option<(Vec<u8>, u64)> {
        self.candidate.take()
    }

    /// What crashed.
    pub(crate) fn crash(&self) -> Crash {
        let text = self.text.trim_ascii();
        let text = match self.kind {
            CrashKind::Panic | CrashKind::Timeout => text.strip_prefix(b"panic: ").unwrap_or(text),
            CrashKind::Fatal | CrashKind::Deadlock => {
                let rest = text.strip_prefix(b"fatal error: ").unwrap_or(text);
                rest.strip_prefix(b"panic: ").unwrap_or(rest)
            }
            CrashKind::Signal => text,
        };
        Crash {
            kind: self.kind,
            text: String::from_utf8_lossy(text).into_owned(),
            goroutine: None,
            running_tests: self.running_tests.clone(),
        }
    }
}

/// Whether a line can stand below a header: a call, a stack that isn't available, noise.
fn follows_header(line: &[u8]) -> bool {
    super::lines::call(line).is_some()
        || line.starts_with(b"\tgoroutine running on other thread")
        || line.starts_with(b"non-Go function")
        || line.starts_with(b"created by ")
        || super::lines::runtime_noise(line)
}
