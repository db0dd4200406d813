//! Messages of the runtime before the goroutines when a process dies.
//!
//! Up to Go 1.22 panic values are printed unchanged, so their lines can look like anything; since
//! Go 1.23 further lines are indented by a tab. Inside such a block a header starts a goroutine if
//! a call and its place follow it, or if it comes after a blank line and a call follows. After a
//! tab it belongs to a goroutine in the panic's value: `panic(fmt.Sprintf("%v
//! %s", r, debug.Stack()))`.

mod message;
mod stacks;

use super::header::Header;
use super::{lines, lookalike, names};
use crate::format::start::is_of_signal;
use crate::profile::{Crash, CrashKind};
use memchr::memmem::Finder;
use message::Message;
use stacks::MessageStacks;
use std::sync::LazyLock;

/// A block with more lines is given up: panic values are shorter, and a `panic: ` in a log must not
/// hide the text after it.
const BLOCK_LINES: u64 = 256;

/// How many blank lines can come between a header, its call and its place: some tools double line
/// ends.
const BLANKS: usize = 4;

/// The kind of crash that a line announces.
pub(crate) fn kind_of_crash(line: &[u8]) -> Option<CrashKind> {
    if let Some(rest) = line.strip_prefix(b"panic:") {
        let Some(value) = rest.strip_prefix(b" ") else {
            // The value can start with a line end.
            return rest.is_empty().then_some(CrashKind::Panic);
        };
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
        // `all goroutines are asleep - deadlock!`, `no goroutines (main called runtime.Goexit) - deadlock!`
        return Some(if reason.trim_ascii_end().ends_with(b" - deadlock!") {
            CrashKind::Deadlock
        } else {
            CrashKind::Fatal
        });
    }
    (signal(line) || is_exception(line)).then_some(CrashKind::Signal)
}

/// `Exception 0xc0000005 0x1 0x18 0x7ff6c0de`: what Windows has instead of signals.
pub(crate) fn is_exception(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"Exception 0x") else { return false };
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit);
    let mut words = rest.trim_ascii_end().split(|&byte| byte == b' ');
    words.next().is_some_and(is_number)
        && words.all(|word| word.strip_prefix(b"0x").is_some_and(is_number))
}

/// `SIGQUIT: quit`
fn signal(line: &[u8]) -> bool {
    let Some(name) = line.strip_prefix(b"SIG") else { return false };
    let is_of_name = |byte: &&u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    let length = name.iter().take_while(is_of_name).count();
    length > 1 && name.get(length..).is_some_and(|after| after.starts_with(b": "))
}

/// Built once: building a searcher costs more than searching a line.
static SERVING: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b": panic serving "));

/// The value of `2026/01/02 15:04:05 http: panic serving 127.0.0.1:1: boom`: a handler died, not
/// the process; one goroutine follows without a blank line.
///
/// After a quote it is a text in the record of a log, which has to be unwrapped first.
pub(crate) fn http_panic(line: &[u8]) -> Option<&[u8]> {
    let before = line.get(..SERVING.find(line)?)?;
    let server = [&b"http"[..], b"http2"].into_iter().find(|server| before.ends_with(server))?;
    let is_quoted = memchr::memchr(b'"', before).is_some();
    line.get(before.len().saturating_sub(server.len())..).filter(|_| !is_quoted)
}

/// Whether a line says that a handler died, however it is wrapped.
pub(crate) fn names_http_panic(line: &[u8]) -> bool {
    SERVING.find(line).is_some()
}

/// The limit in `runtime: goroutine stack exceeds 1000000000-byte limit`, which comes before the
/// fatal error.
pub(crate) fn stack_limit(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"runtime: ").filter(|text| text.starts_with(b"goroutine stack exceeds "))
}

/// Whether a line can only be a further one of a crash's message: `PC=0x403f2e m=0 sigcode=0`, the line below that in a
/// program with C, or below what is left of the first one `\tpanic: third`.
pub(crate) fn is_further(line: &[u8], number: u64) -> bool {
    number <= 2 && line.starts_with(b"\tpanic: ")
        || is_of_signal(line)
        || line == b"signal arrived during cgo execution"
}

/// A crash while its text is read.
#[derive(Debug)]
pub(crate) struct CrashBlock {
    message: Message,
    /// A message that starts after the first one, as far as nothing but what belongs to it has come
    /// since, and the lines before it.
    last: Option<(Message, u64)>,
    lines: u64,
    /// Whether the last line was blank.
    after_blank: bool,
    /// Whether Windows prints the crash, with the stack of its goroutine without a header.
    is_exception: bool,
    candidate: Option<Candidate>,
    /// The line of a header that lacks its colon, below a blank line, which became a part of the message.
    cut_header: Option<u64>,
    /// Lines of the message that look like those of goroutines.
    pub(crate) stacks: MessageStacks,
}

/// Lines that may start a goroutine, until the next lines decide.
#[derive(Debug)]
struct Candidate {
    /// The lines as read, each with its number.
    lines: Vec<(Vec<u8>, u64)>,
    /// What has to follow.
    wants: Wants,
    after_blank: bool,
    /// The tab that Go puts before the lines of a panic's value, or the blanks that it became.
    indent: Vec<u8>,
    blanks: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wants {
    Call,
    FileLine,
}

/// How a block uses a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BlockUse {
    /// The line belongs to the message.
    Took,
    /// The block ended before the line.
    Ended(Ending),
}

/// How a block ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The lines that started a goroutine before the current one, with their numbers.
    pub(crate) lines: Vec<(Vec<u8>, u64)>,
    /// Their indentation, which the rest of that goroutine has too if it is part of the message.
    pub(crate) indent: Vec<u8>,
    /// Whether they have no header.
    pub(crate) headless: bool,
}

impl CrashBlock {
    /// Starts with the first line.
    pub(crate) fn new(kind: CrashKind, line: &[u8], number: u64) -> CrashBlock {
        CrashBlock {
            message: Message::new(kind, line),
            last: None,
            lines: 0,
            after_blank: false,
            is_exception: is_exception(line),
            candidate: None,
            cut_header: None,
            stacks: MessageStacks::of_first_line(line, number),
        }
    }

    /// Takes one line, which can be blank.
    pub(crate) fn line(&mut self, line: &[u8], number: u64) -> BlockUse {
        if let Some(ending) = self.confirm(line, number) {
            return BlockUse::Ended(ending);
        }
        if self.candidate.is_some() {
            return BlockUse::Took;
        }
        if self.is_recovered_error()
            && !line.is_empty()
            && !line.trim_ascii_start().starts_with(b"panic: ")
        {
            return BlockUse::Ended(Ending::default());
        }
        if let Some(candidate) = self.start(line, number) {
            self.candidate = Some(candidate);
            return BlockUse::Took;
        }
        if self.needs_goroutine() && (lookalike::ends_goroutine(line) || http_panic(line).is_some())
        {
            // A word above a crash that was pasted, or above a fence around one.
            return BlockUse::Ended(Ending::default());
        }
        // Sections of the runtime that come between the message and the goroutines.
        if line == b"runtime stack:" {
            return BlockUse::Ended(Ending::default());
        }
        self.lines = self.lines.saturating_add(1);
        if self.lines > BLOCK_LINES {
            return BlockUse::Ended(Ending::default());
        }
        self.after_blank = line.is_empty();
        if !line.starts_with(b"PC=") {
            // `PC=0x403f2e m=0 sigcode=0` is the place, which the stack shows better.
            self.push(line, number);
        }
        BlockUse::Took
    }

    /// Whether everything so far is `panic: boom [recovered]`. Go itself continues with the panic
    /// that was raised after it; alone it is the text of an error, which is logged below the stack.
    pub(crate) fn is_recovered_error(&self) -> bool {
        self.message.is_recovered_error()
    }

    /// Whether the first line is no more than `panic:`, which only the stack below the message
    /// tells from a word in a text.
    pub(crate) fn needs_goroutine(&self) -> bool {
        self.message.has_no_value()
    }

    /// Whether a line goes on with what may be its first goroutine.
    pub(crate) fn awaits(&self, line: &[u8]) -> bool {
        // Not one of another service: `[web] at handler (/app/server.js:88:11)`.
        let is_call = || lines::call(line).is_none_or(names::is_plausible);
        self.candidate.is_some()
            && (follows_header(line) && is_call() || lines::indented_place(line).is_some())
    }

    /// The line of a header that lacks its colon and isn't followed by a call, as lines that were cut at a width have
    /// it; once.
    pub(crate) fn take_cut_header(&mut self) -> Option<u64> {
        self.cut_header.take()
    }

    /// How many lines it has taken.
    pub(crate) fn lines(&self) -> u64 {
        self.lines.saturating_add(1)
    }

    /// The goroutine that a line may start.
    fn start(&self, line: &[u8], number: u64) -> Option<Candidate> {
        let inside = line.trim_ascii_start();
        let indent = line.get(..line.len().saturating_sub(inside.len())).unwrap_or_default();
        let wants = if Header::cut(inside).is_some() {
            Wants::Call
        } else if self.is_exception && lines::call(line).is_some_and(names::is_certain) {
            Wants::FileLine
        } else {
            return None;
        };
        let after_blank = self.after_blank;
        let lines = vec![(line.to_vec(), number)];
        Some(Candidate { lines, wants, after_blank, indent: indent.to_vec(), blanks: 0 })
    }

    /// Checks the candidate, if there is one, against a line: the block ends if it is confirmed.
    fn confirm(&mut self, line: &[u8], number: u64) -> Option<Ending> {
        let is_first = self.lines == 0;
        let candidate = self.candidate.as_mut()?;
        if is_first && !candidate.after_blank && candidate.lines.len() == 1 {
            // A value in whose first line a stack begins: Go indents all its lines but that one.
            let tab = line.strip_prefix(b"\t").filter(|_| candidate.indent.is_empty());
            candidate.indent.extend(tab.map(|_| b'\t'));
        }
        let inside = line.strip_prefix(candidate.indent.as_slice()).unwrap_or_default();
        if line.is_empty() && candidate.blanks < BLANKS {
            candidate.blanks = candidate.blanks.saturating_add(1);
            return None;
        }
        let confirmed = match candidate.wants {
            Wants::Call => {
                let header = candidate.lines.first().map(|(line, _)| line.as_slice());
                // Calls can be broken, and `goroutine 0 [idle]:` has no frames if C code aborts: whether a
                // whole header is one is seen when its goroutine ends.
                candidate.after_blank
                    && candidate.indent.is_empty()
                    && (follows_header(inside) || header.is_some_and(Header::is_whole))
            }
            Wants::FileLine => lines::indented_place(inside).is_some(),
        };
        if confirmed {
            let Candidate { mut lines, indent, blanks, .. } = self.candidate.take()?;
            if blanks > 0 && Header::is_whole(inside) {
                // A goroutine without frames has its blank line.
                lines.push((Vec::new(), number.saturating_sub(1)));
            }
            let first = lines.first().map(|(line, _)| line.trim_ascii_start());
            let headless = first.is_some_and(|line| Header::cut(line).is_none());
            return Some(Ending { lines, indent, headless });
        }
        if candidate.wants == Wants::Call && follows_header(inside) {
            candidate.lines.push((line.to_vec(), number));
            if lines::call(inside).is_some() || inside.starts_with(lines::CREATED_BY) {
                candidate.wants = Wants::FileLine;
            }
            return None;
        }
        // It was a part of the message after all.
        let Candidate { lines, indent, after_blank, .. } = self.candidate.take()?;
        if let Some((line, number)) = lines.first()
            && indent.is_empty()
            && after_blank
            && !line.ends_with(b":")
            && Header::is_whole(&[line, &b":"[..]].concat())
        {
            self.cut_header = Some(*number);
        }
        for (line, number) in lines {
            self.push(&line, number);
        }
        None
    }

    fn push(&mut self, line: &[u8], number: u64) {
        self.follow(line);
        if self.message.takes_test(line) {
            return;
        }
        self.stacks.push(line, number);
        self.message.push(line);
    }

    /// Notes a line for a message below the first one.
    fn follow(&mut self, line: &[u8]) {
        let open = self.last.as_ref().map_or(&self.message, |(last, _)| last);
        if open.is_ended_by(line)
            && let Some(kind) = kind_of_crash(line)
        {
            self.last = Some((open.followed_by(kind, line), self.lines));
            return;
        }
        self.last.take_if(|(last, _)| !last.goes_on(line));
        if let Some((last, _)) = &mut self.last
            && !last.takes_test(line)
        {
            last.push(line);
        }
    }

    /// Decides between the first message and one that starts below it, to be called at the end: the one
    /// directly above the goroutines is that of the crash, others are quoted in the text above it.
    /// Returns how many lines aren't a part of the crash.
    pub(crate) fn settle(&mut self) -> u64 {
        let Some((last, before)) = self.last.take() else { return 0 };
        self.message = last;
        self.lines = self.lines.saturating_sub(before);
        before
    }

    /// Ends the input: returns the lines that wait for their confirmation. A header after a blank
    /// line counts as confirmed.
    pub(crate) fn finish(&mut self) -> Ending {
        match self.candidate.take() {
            Some(Candidate { lines, wants: Wants::Call, after_blank: true, indent, .. })
                if indent.is_empty() =>
            {
                Ending { lines, ..Ending::default() }
            }
            Some(Candidate { lines, .. }) => {
                for (line, number) in lines {
                    self.push(&line, number);
                }
                Ending::default()
            }
            None => Ending::default(),
        }
    }

    /// Adds a message from before the first line: `stack overflow (goroutine stack exceeds ...)`.
    pub(crate) fn explain(&mut self, before: &[u8]) {
        self.message.explain(before);
    }

    /// The crash.
    pub(crate) fn crash(&self) -> Crash {
        self.message.crash()
    }
}

/// Whether a line is a header with blanks in front, as in the value of a panic.
pub(crate) fn is_indented_header(line: &[u8]) -> bool {
    let inside = line.trim_ascii_start();
    inside.len() < line.len() && Header::cut(inside).is_some()
}

/// Whether a line can come after a header: a call, a stack that isn't available, noise.
fn follows_header(line: &[u8]) -> bool {
    lines::call(line).is_some()
        || line.trim_ascii_start().starts_with(b"goroutine running on other thread")
        || line.starts_with(b"non-Go function")
        || line.starts_with(b"created by ")
        || lines::runtime_noise(line)
}

#[cfg(test)]
mod tests;
