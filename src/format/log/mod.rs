//! Dumps as they arrive wrapped in logs: a file per container, recognised without being told.
//!
//! [`detect`] looks at a line that stands outside any dump, plain or decoded from a container
//! already (at most [`LAYERS`] inside each other). The [`Decoder`] that it answers takes that line
//! and all that follow, gives the text that they carry, and says which stream each belongs to.
//! What a stream's text is wrapped in itself is found in the same way, line by line, because only
//! the reader of that stream knows whether it stands inside a dump. A line that this reader can't
//! use inside a goroutine is looked at too, for a next header may be the only one that has
//! something in front of it. Inside the text of a panic nothing is looked at: it says what it likes.
//!
//! | container | file |
//! | --- | --- |
//! | `kubectl logs --timestamps --prefix`, `docker logs -t` | `kubectl` |
//! | files of container runtimes (CRI), partial lines | `cri` |
//! | Docker's json-file lines | `docker` |
//! | `journalctl`, syslog | `journal` |
//! | `journalctl -o json` | `journal_json` |
//! | `go test -json` | `gotest` |
//! | `docker compose logs` | `compose` |
//! | JSON lines with a line of text in some field | `json_field` |
//! | a whole dump escaped into one line | `escaped` |
//! | indentation, any other prefix | `guess` |
//! | colours, quotes, HTML around any of these | `format/bruise` |

mod compose;
mod cri;
mod docker;
mod escaped;
mod gotest;
mod guess;
mod journal;
mod journal_json;
mod json;
mod json_field;
mod keys;
mod kubectl;
mod shape;
#[cfg(test)]
mod tests;
mod timestamp;
mod unescape;

pub(crate) use keys::StreamKey;

use super::bruise;
use super::start::starts_dump;
use docker::Docker;
use escaped::Escaped;
use guess::Guess;
use json_field::JsonField;
use keys::Keys;
use memchr::memmem;
use std::sync::LazyLock;

/// Containers inside each other: `go test -json` around `t.Log` around `leaked goroutine: `.
pub(crate) const LAYERS: usize = 3;

/// Bytes within which every prefix ends.
const PREFIX: usize = 1 << 10;
/// Bytes of a line that says nothing before it is whole; Docker's are at most 96 KiB, the
/// journal's 48 KiB. Of longer ones the texts are taken without knowing the stream.
const RECORD: usize = 1 << 20;

/// Takes the lines of one container and gives the text that they carry.
#[derive(Debug)]
pub(crate) struct Decoder {
    kind: Kind,
    keys: Keys,
    /// The beginning of a line that came in parts, until it tells enough.
    held: Vec<u8>,
    rest: Rest,
}

/// What became of a line, or of a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unwrapped {
    /// The text appended to `out` belongs to this stream; a line of it that isn't ended yet goes
    /// on with the stream's next text.
    Text(StreamKey),
    /// Nothing can be said yet; give the next part or line.
    Held,
    /// The line isn't wrapped in this container; others after it may be.
    Foreign,
    /// The container has ended before this line. What was appended to `out`, whole lines, belongs
    /// to the enclosing stream and goes to its reader as it is: it mustn't be detected again.
    /// Then the line is to be looked at as if the container had never been.
    Over,
}

#[derive(Debug)]
enum Kind {
    Prefix(fn(&[u8]) -> Option<Stripped<'_>>),
    /// With the width of the last prefix: lines of one message are aligned below its first.
    Journal(usize, StreamKey),
    Docker(Docker),
    JournalJson,
    GoTest,
    JsonField(JsonField),
    Escaped(Option<Box<Escaped>>),
    Guess(Box<Guess>),
    /// Each line is freed of its bruises.
    Mended,
}

/// What the next part belongs to.
#[derive(Debug, Default)]
enum Rest {
    /// A new line.
    #[default]
    Line,
    /// The text of a line that began in an earlier part; the flag says that it is a partial one.
    Text(StreamKey, bool),
    /// An escaped text that did.
    Escaped(Box<Escaped>),
}

/// A line that a prefix was cut from.
#[derive(Clone, Copy, Debug)]
struct Stripped<'a> {
    /// What tells streams apart; may be empty.
    stream: &'a [u8],
    text: &'a [u8],
    /// Whether the text goes on in the stream's next line.
    partial: bool,
}

/// Looks at a line (without its newline, maybe only the first part of a very long one) that stands
/// outside any dump and doesn't start one itself.
///
/// Answers a decoder if the line starts a dump once what wraps it is gone, or if it surely is of a
/// container whatever its text says: then what comes later may be wrapped in more. The decoder
/// hasn't taken the line yet.
pub(crate) fn detect(line: &[u8]) -> Option<Decoder> {
    let found = kind(line, LAYERS);
    if found.as_ref().is_none_or(|kind| matches!(kind, Kind::Guess(_))) && wraps_bruised(line) {
        return Some(Decoder::new(Kind::Mended));
    }
    found.map(Decoder::new)
}

/// Whether a line is wrapped in something that is seen only without colours, quotes and the like.
fn wraps_bruised(line: &[u8]) -> bool {
    let mut mended = Vec::new();
    bruise::mend(line, &mut mended)
        .is_some_and(|mended| mended != line.trim_ascii_end() && kind(mended, LAYERS).is_some())
}

/// Whether a text has the word of headers in it, without which nothing in it wraps a goroutine.
pub(crate) fn names_goroutine(text: &[u8]) -> bool {
    let [word, ..] = &WORDS;
    word.find(text).is_some()
}

/// Whether a line inside a goroutine holds the header of another one in something that wraps it.
///
/// Looked at before the goroutine that is open takes the line for a log line that came between.
pub(crate) fn wraps_goroutine(line: &[u8]) -> bool {
    let [word, ..] = &WORDS;
    // `created by main.f in goroutine 7` has no bracket behind the number.
    let header = word.find_iter(line).find(|&at| {
        let rest = line.get(at.saturating_add(word.needle().len())..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = rest.get(digits..).unwrap_or_default();
        digits > 0 && (rest.starts_with(b" [") || rest.starts_with(b" gp="))
    });
    header.is_some_and(|at| at > 0) && detect(line).is_some()
}

/// Whether a line that may follow the last one of a goroutine says in something that wraps it that
/// something crashed.
pub(crate) fn wraps_crash(line: &[u8]) -> bool {
    keyword(line).is_some_and(|at| at > 0) && detect(line).is_some()
}

/// Whether a text starts a dump, or does so inside at most so many more containers.
fn carries(text: &[u8], layers: usize) -> bool {
    starts_dump(text) || (layers > 0 && kind(text, layers).is_some())
}

/// The outermost container of a line that has at most so many.
fn kind(line: &[u8], layers: usize) -> Option<Kind> {
    let layers = layers.checked_sub(1)?;
    let inside = |stripped: &Stripped<'_>| carries(stripped.text, layers);
    let prefix = |strip: fn(&[u8]) -> Option<Stripped<'_>>| {
        strip(line).is_some().then_some(Kind::Prefix(strip))
    };
    let wrapping = |strip: fn(&[u8]) -> Option<Stripped<'_>>| {
        strip(line).filter(inside).map(|_| Kind::Prefix(strip))
    };
    let known = match line.first()? {
        b'{' if Docker::is(line) => Some(Kind::Docker(Docker::default())),
        b'{' if gotest::is(line) => Some(Kind::GoTest),
        b'{' if journal_json::is(line) => Some(Kind::JournalJson),
        b'{' => JsonField::of(line, layers).map(Kind::JsonField),
        b'[' => wrapping(kubectl::strip_both).or_else(|| wrapping(kubectl::strip_pod)),
        b'0'..=b'9' => prefix(cri::strip)
            .or_else(|| wrapping(kubectl::strip_timestamp))
            .or_else(|| wrapping(journal::strip).map(journal)),
        _ => wrapping(journal::strip).map(journal).or_else(|| wrapping(compose::strip)),
    };
    known
        .or_else(|| Escaped::of(line, layers).map(|escaped| Kind::Escaped(Some(Box::new(escaped)))))
        .or_else(|| Guess::of(line).map(|guess| Kind::Guess(Box::new(guess))))
}

fn journal(_: Kind) -> Kind {
    Kind::Journal(0, StreamKey::ENCLOSING)
}

/// A searcher that is made once; making one costs more than searching a line.
type Finder = LazyLock<memmem::Finder<'static>>;

const fn finder(make: fn() -> memmem::Finder<'static>) -> Finder {
    LazyLock::new(make)
}

/// Words of which every start of a dump has one in it; the first is that of headers.
static WORDS: [Finder; 7] = [
    finder(|| memmem::Finder::new(b"goroutine ")),
    finder(|| memmem::Finder::new(b"panic: ")),
    finder(|| memmem::Finder::new(b"fatal error: ")),
    finder(|| memmem::Finder::new(b"Goroutine ")),
    finder(|| memmem::Finder::new(b" profile: total ")),
    finder(|| memmem::Finder::new(b"WARNING: DATA RACE")),
    finder(|| memmem::Finder::new(b"SIG")),
];

/// Where the first of [`WORDS`] stands.
fn keyword(text: &[u8]) -> Option<usize> {
    let mut text = text;
    let mut first = None;
    for word in &WORDS {
        if let Some(at) = word.find(text) {
            first = Some(at);
            // Only an earlier one matters now; the words may overlap.
            let end = at.saturating_add(word.needle().len());
            text = text.get(..end).unwrap_or(text);
        }
    }
    first
}

/// What stands behind the space that ends a prefix; an empty line may have lost it.
#[inline]
fn after_space(rest: &[u8]) -> Option<&[u8]> {
    match rest.split_first() {
        Some((b' ', text)) => Some(text),
        None | Some((b'\r', [])) => Some(rest),
        _ => None,
    }
}

impl Decoder {
    fn new(kind: Kind) -> Decoder {
        Decoder { kind, keys: Keys::default(), held: Vec::new(), rest: Rest::Line }
    }

    /// Takes a line without its newline, or a part of one; `ends` says that the line ends with it.
    /// Appends the text to `out`, with a newline wherever a line of the text ends.
    ///
    /// The rest of a line that was [`Unwrapped::Foreign`] or after which it was over isn't to be
    /// given.
    pub(crate) fn decode(&mut self, part: &[u8], ends: bool, out: &mut Vec<u8>) -> Unwrapped {
        match &mut self.rest {
            Rest::Line => {}
            Rest::Text(key, partial) => {
                let (key, partial) = (*key, *partial);
                out.extend_from_slice(part);
                if ends {
                    end_line(partial, out);
                    self.rest = Rest::Line;
                }
                return Unwrapped::Text(key);
            }
            Rest::Escaped(escaped) => {
                escaped.feed(part, out);
                if ends {
                    escaped.end(out);
                    self.rest = Rest::Line;
                }
                return Unwrapped::Text(StreamKey::ENCLOSING);
            }
        }
        if self.held.is_empty() && (ends || part.len() >= self.needed()) {
            return self.line(part, ends, out);
        }
        self.held.extend_from_slice(part);
        if !ends && self.held.len() < self.needed() {
            return Unwrapped::Held;
        }
        let held = std::mem::take(&mut self.held);
        let unwrapped = self.line(&held, ends, out);
        if matches!(unwrapped, Unwrapped::Foreign | Unwrapped::Over) {
            self.held = held;
        }
        unwrapped
    }

    /// What stands behind the prefix of a line of the enclosing stream; `None` for every other line,
    /// and for those of containers that are more than a prefix.
    #[inline]
    pub(crate) fn cut<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let (Kind::Prefix(strip), Rest::Line) = (&self.kind, &self.rest) else { return None };
        match strip(line)? {
            Stripped { stream: [], text, partial: false } if self.held.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The bytes so far of a line that was refused after it had come in parts; nothing if it was
    /// refused with its first part.
    pub(crate) fn take_refused(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Ends the input: appends what was held back. It belongs to the enclosing stream.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        if let Kind::Guess(guess) = &mut self.kind {
            guess.finish(out);
        }
        if let Rest::Escaped(escaped) = &mut self.rest {
            escaped.end(out);
            self.rest = Rest::Line;
        }
        if !self.held.is_empty() {
            out.append(&mut self.held);
            out.push(b'\n');
        }
    }

    /// Bytes of a line that must be there before it tells enough.
    fn needed(&self) -> usize {
        match &self.kind {
            Kind::Prefix(_) | Kind::Journal(..) => PREFIX,
            Kind::Docker(_) | Kind::JournalJson | Kind::GoTest | Kind::JsonField(_) => RECORD,
            Kind::Escaped(_) => 1,
            Kind::Guess(guess) if guess.undecided() => RECORD,
            Kind::Guess(_) => PREFIX,
            Kind::Mended => RECORD,
        }
    }

    /// Takes the beginning of a line; it is the whole one if it `ends`.
    #[inline]
    fn line(&mut self, line: &[u8], ends: bool, out: &mut Vec<u8>) -> Unwrapped {
        let stripped = match &mut self.kind {
            Kind::Prefix(strip) => strip(line),
            Kind::Journal(width, last) => match journal::strip(line) {
                Some(stripped) => {
                    *width = line.len().saturating_sub(stripped.text.len());
                    *last = self.keys.key(stripped.stream);
                    Some(stripped)
                }
                None => match line.split_at_checked(*width) {
                    Some((blank, text)) if *width > 0 && blank.iter().all(|&byte| byte == b' ') => {
                        let key = *last;
                        return self.text(key, text, false, ends, out);
                    }
                    _ => None,
                },
            },
            Kind::Guess(guess) => match guess.strip(line, out) {
                guess::Stripped::Text(text) => Some(Stripped { stream: b"", text, partial: false }),
                guess::Stripped::Held => return Unwrapped::Held,
                guess::Stripped::Foreign => None,
                guess::Stripped::Over => return Unwrapped::Over,
            },
            Kind::Mended => {
                let mut mended = Vec::new();
                let text = bruise::mend(line, &mut mended).unwrap_or(line);
                return self.text(StreamKey::ENCLOSING, text, false, ends, out);
            }
            Kind::Escaped(escaped) => {
                // One line is all there is to it; the next may be another.
                let Some(escaped) = escaped.take() else { return Unwrapped::Over };
                return self.escaped(escaped, line, ends, out);
            }
            _ => return self.record(line, ends, out),
        };
        match stripped {
            Some(Stripped { stream, text, partial }) => {
                let key = self.keys.key(stream);
                self.text(key, text, partial, ends, out)
            }
            None => Unwrapped::Foreign,
        }
    }

    /// Takes a line that is one JSON object.
    fn record(&mut self, line: &[u8], ends: bool, out: &mut Vec<u8>) -> Unwrapped {
        if json::fields(line).is_none() {
            return Unwrapped::Foreign;
        }
        if !ends {
            return self.escaped(Box::new(Escaped::new(unescape::Style::Quoted)), line, ends, out);
        }
        let key = match &mut self.kind {
            Kind::Docker(docker) => docker.decode(line, &mut self.keys, out),
            Kind::GoTest => gotest::decode(line, &mut self.keys, out),
            Kind::JournalJson => journal_json::decode(line, &mut self.keys, out),
            Kind::JsonField(field) => field.decode(line, out).map(|()| StreamKey::ENCLOSING),
            _ => None,
        };
        key.map_or(Unwrapped::Foreign, Unwrapped::Text)
    }

    #[inline]
    fn text(
        &mut self,
        key: StreamKey,
        text: &[u8],
        partial: bool,
        ends: bool,
        out: &mut Vec<u8>,
    ) -> Unwrapped {
        out.extend_from_slice(text);
        if ends {
            end_line(partial, out);
        } else {
            self.rest = Rest::Text(key, partial);
        }
        Unwrapped::Text(key)
    }

    fn escaped(
        &mut self,
        mut escaped: Box<Escaped>,
        line: &[u8],
        ends: bool,
        out: &mut Vec<u8>,
    ) -> Unwrapped {
        escaped.feed(line, out);
        if ends {
            escaped.end(out);
        } else {
            self.rest = Rest::Escaped(escaped);
        }
        Unwrapped::Text(StreamKey::ENCLOSING)
    }
}

/// Ends a line of text; a partial one goes on, without the carriage return of its container.
fn end_line(partial: bool, out: &mut Vec<u8>) {
    if !partial {
        out.push(b'\n');
    } else if out.ends_with(b"\r") {
        out.pop();
    }
}
