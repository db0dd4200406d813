//! Dumps wrapped in logs: a file per container; containers are detected.
//!
//! [`detect`] looks at a line outside any dump, either plain or decoded from a container (at most
//! [`LAYERS`] inside each other). The [`Decoder`] that it returns takes that line and all lines
//! after it, and returns the text in them and the stream that each text belongs to. Containers
//! inside a stream's text are detected in the same way, line by line, because only the reader of
//! that stream knows whether it is inside a dump. A line that this reader can't use inside a
//! goroutine is looked at too, for only the next header may have a prefix. Inside the message of a
//! panic nothing is detected, as it can contain anything.
//!
//! | container | file |
//! | --- | --- |
//! | `kubectl logs --timestamps --prefix`, `docker logs -t` | `kubectl` |
//! | files of container runtimes (CRI), partial lines | `cri` |
//! | `journalctl`, syslog | `journal` |
//! | `docker compose logs`, `docker service logs` | `compose` |
//! | jobs of GitLab, partial lines | `gitlab` |
//! | prefixes with a pattern: GitHub's and Jenkins' jobs, heroku, logcat, `grep -n` ... | `prefixes` |
//! | a browser's console | `console` |
//! | JSON in each line: Docker's, the journal's, `go test -json`, anybody's; logfmt | `json` |
//! | JSON spread over lines | `pretty` |
//! | entries of the journal with a line for each field | `entries` |
//! | tables of CSV, with a row of names | `table` |
//! | a whole dump escaped into one line | `escaped` |
//! | each line in quotes | `format/quoted` |
//! | the last line first | `reversed` |
//! | indentation, any other prefix | `guess`, several of them `prefixed` |
//! | colours, quotes, HTML around any of these | `format/bruise` |

mod compose;
mod console;
mod cri;
mod detection;
mod entries;
mod escaped;
mod gitlab;
mod guess;
mod journal;
mod json;
mod keys;
mod kubectl;
mod prefixed;
mod prefixes;
mod pretty;
mod records;
mod reversed;
mod row;
mod rows;
mod shape;
mod table;
mod tail;
#[cfg(test)]
mod tests;
mod timestamp;
mod unescape;
mod words;
mod wraps;

pub(crate) use detection::detect;
use detection::{carries, is_guessed, kind};
pub(crate) use json::holds_text;
pub(crate) use keys::StreamKey;
pub(crate) use reversed::{is_of_goroutine, may_start_reversed};
pub(crate) use shape::{common, numbers_alike};
pub(crate) use words::{names_crash, names_goroutine};
pub(crate) use wraps::{wraps_crash, wraps_dump};

use super::bruise;
use super::quoted::{open_quoted, unquote_line};
pub(crate) use console::is_of_console;
use escaped::Escaped;
use json::{Json, More};
use keys::Keys;
use prefixed::Prefixed;
use prefixes::Row;
use pretty::Pretty;
use reversed::Reversed;
use rows::Rows;
use std::borrow::Cow;
use std::collections::BTreeSet;
use words::{Finder, finder, keyword};

/// The maximal number of containers inside each other: `go test -json` around `t.Log` around
/// `leaked goroutine: `.
pub(crate) const LAYERS: usize = 3;

/// Within this many bytes every prefix ends.
const PREFIX: usize = 1 << 10;
/// How many bytes of a line are held if it has to be complete; Docker's lines have at most 96 KiB,
/// the journal's 48 KiB. The texts of longer lines are taken without knowing the stream.
const RECORD: usize = 1 << 20;

/// Takes the lines of one container and returns the text in them.
#[derive(Debug)]
pub(crate) struct Decoder {
    kind: Kind,
    keys: Keys,
    /// The beginning of a line that comes in parts, until it is long enough.
    held: Vec<u8>,
    rest: Rest,
    /// The stream of the last text.
    last: StreamKey,
    /// Texts of other streams in the last line.
    more: More,
    /// Whether the last line goes on in the next one of its stream.
    is_partial: bool,
    /// Whether a text ended without its closing quote.
    cut: bool,
    /// Whether a text of several lines ended with its line, unquoted.
    ended: bool,
}

/// The result for a line, or for a part of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unwrapped {
    /// The text appended to `out` belongs to this stream; an unfinished line of it continues in the
    /// stream's next text.
    Text(StreamKey),
    /// Not decided yet: the next part or line is needed.
    Held,
    /// The line isn't wrapped in this container; lines after it can be.
    Foreign,
    /// The container has ended before this line. The whole lines appended to `out` belong to the
    /// enclosing stream and go to its reader directly: they mustn't be checked for containers
    /// again. Then the line is checked as if the container had never been detected.
    Over,
}

#[derive(Debug)]
enum Kind {
    Prefix(fn(&[u8]) -> Option<Stripped<'_>>),
    /// With the width of the last prefix: further lines of a message are aligned below its first.
    Journal(usize),
    Row(&'static Row),
    /// With the streams that have a line without its end.
    Gitlab(BTreeSet<StreamKey>),
    Console,
    Json(Box<Json>),
    /// The streaming reader is for a record that is too long.
    Pretty(Box<Pretty>, Box<Json>, Option<Box<Escaped>>),
    Rows(Box<Rows>, Box<Json>),
    Escaped(Option<Box<Escaped>>),
    /// Each line is a quoted string.
    Quoted,
    Prefixed(Box<Prefixed>),
    Reversed(Box<Reversed>),
    /// Each line is repaired.
    Mended,
}

/// `grep -A` writes it for lines that it leaves out, without a prefix.
const GAP: &[u8] = b"--";

/// What the next part belongs to.
#[derive(Debug, Default)]
enum Rest {
    /// A new line.
    #[default]
    Line,
    /// The text of a line that began in an earlier part; the flag says whether the line is partial.
    Text(StreamKey, bool),
    /// An escaped text that began in an earlier part.
    Escaped(Box<Escaped>),
}

/// A line without its prefix.
#[derive(Clone, Copy, Debug)]
struct Stripped<'a> {
    /// Identifies the stream; can be empty.
    stream: &'a [u8],
    text: &'a [u8],
    /// Whether the text continues in the stream's next line.
    partial: bool,
}

/// The text after the space at the end of a prefix, which an empty line may have lost.
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
        Decoder {
            kind,
            keys: Keys::default(),
            held: Vec::new(),
            rest: Rest::Line,
            last: StreamKey::ENCLOSING,
            more: More::new(),
            is_partial: false,
            cut: false,
            ended: false,
        }
    }

    /// Takes a line without its line end, or a part of one; `ends` says whether it is the last
    /// part. Appends the text to `out`, with a newline after each line of the text.
    ///
    /// If a line is [`Unwrapped::Foreign`] or [`Unwrapped::Over`], the rest of it must not be
    /// passed in.
    pub(crate) fn decode(&mut self, part: &[u8], ends: bool, out: &mut Vec<u8>) -> Unwrapped {
        match std::mem::take(&mut self.rest) {
            Rest::Line => {}
            Rest::Text(key, partial) => return self.text(key, part, partial, ends, out),
            Rest::Escaped(escaped) => return self.escaped(escaped, part, ends, out),
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

    /// Takes the last of the lines above the first one if it holds lines, and those can be some of
    /// them; returns how many.
    pub(crate) fn hold_above(&mut self, lines: &[&[u8]]) -> usize {
        match &mut self.kind {
            Kind::Reversed(reversed) => reversed.hold_above(lines),
            Kind::Prefixed(prefixed) => prefixed.hold_above(lines),
            _ => 0,
        }
    }

    /// Whether each line is wrapped for itself, and this one is. Uses it up.
    pub(crate) fn wraps_alone(mut self, line: &[u8]) -> bool {
        !matches!(self.kind, Kind::Escaped(_) | Kind::Pretty(..) | Kind::Rows(..) | Kind::Mended)
            && matches!(self.decode(line, true, &mut Vec::new()), Unwrapped::Text(_))
    }

    /// The text after the prefix of a whole line of the enclosing stream; `None` for any other line,
    /// and for containers that are more than a prefix.
    #[inline]
    pub(crate) fn cut<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let (Kind::Prefix(strip), Rest::Line) = (&self.kind, &self.rest) else { return None };
        match strip(line)? {
            Stripped { stream: [], text, partial: false } => Some(text),
            _ => None,
        }
    }

    /// Takes the parts so far of a line that was refused after several parts; empty if it was
    /// refused with its first part.
    pub(crate) fn take_refused(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// Whether a message can go on in lines without a prefix: not where its line ends are escaped.
    pub(crate) fn has_messages_of_lines(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Json(_)
                | Kind::Pretty(..)
                | Kind::Rows(..)
                | Kind::Escaped(_)
                | Kind::Quoted
                | Kind::Console
        )
    }

    /// The prefix of a line that it has unwrapped, where the rest of the line is the text.
    pub(crate) fn prefix_of<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let text = match &self.kind {
            Kind::Prefix(strip) => strip(line)?.text,
            Kind::Journal(_) => journal::strip(line)?.text,
            Kind::Row(row) => row.strip(line)?.text,
            Kind::Gitlab(_) => gitlab::strip(line)?.0.text,
            Kind::Prefixed(prefixed) => prefixed.text_of(line)?,
            _ => return None,
        };
        line.get(..line.len().saturating_sub(text.len()))
    }

    /// Whether the text of the last line ends where that does, so that the end of the input may have cut it.
    pub(crate) fn ends_with_line(&self) -> bool {
        match &self.kind {
            Kind::Prefix(_) | Kind::Journal(_) | Kind::Row(_) | Kind::Prefixed(_) => true,
            Kind::Json(json) => json.is_cut_in_text(),
            _ => false,
        }
    }

    /// Whether its prefixes are guessed.
    pub(crate) fn is_guessed(&self) -> bool {
        matches!(self.kind, Kind::Prefixed(_))
    }

    /// Whether the next line decides what the lines so far are.
    pub(crate) fn is_undecided(&self) -> bool {
        matches!(&self.kind, Kind::Prefixed(prefixed) if prefixed.undecided())
    }

    /// Whether it holds lines until the next one.
    pub(crate) fn holds_line(&self) -> bool {
        self.is_undecided() || matches!(&self.kind, Kind::Gitlab(open) if !open.is_empty())
    }

    /// Whether it holds a line of which this one shows that only that line has a prefix.
    pub(crate) fn awaits(&self, line: &[u8]) -> bool {
        matches!(&self.kind, Kind::Prefixed(prefixed) if prefixed.awaits(line))
    }

    /// Whether the last line has texts of other streams.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        !self.more.is_empty()
    }

    /// Appends the next text of another stream in the last line to `out`. All such texts have to be
    /// taken before the next line.
    pub(crate) fn more(&mut self, out: &mut Vec<u8>) -> Option<StreamKey> {
        let (key, mut text) = self.more.pop_front()?;
        out.append(&mut text);
        Some(key)
    }

    /// Ends the lines and records that might have gone on: what there is of them are the next texts of their streams.
    pub(crate) fn end_lines(&mut self) {
        if let Kind::Gitlab(open) = &mut self.kind {
            self.more.extend(std::mem::take(open).into_iter().map(|key| (key, b"\n".to_vec())));
        }
        self.end_rows();
    }

    /// Whether all of its text was in one line, unquoted, the end of which is the end of the text.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the last line is a record that a hole has joined from two or that was cut, or stands below one that has
    /// lost its end.
    pub(crate) fn is_joined(&self) -> bool {
        match &self.kind {
            Kind::Json(json) => json.is_joined(),
            Kind::Rows(rows, _) => rows.has_lost(),
            _ => false,
        }
    }

    /// Ends the input: appends the text held back, which belongs to the enclosing stream.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        match &mut self.kind {
            Kind::Prefixed(prefixed) => prefixed.finish(out),
            Kind::Reversed(reversed) => reversed.finish(out),
            Kind::Escaped(Some(open)) if open.is_open() => self.cut |= open.end(out),
            Kind::Pretty(pretty, _, long) => {
                self.cut |= pretty::open_record(&pretty.take(), long, out) || pretty.is_open();
            }
            Kind::Rows(rows, _) => out.append(&mut rows.take_held()),
            _ => {}
        }
        if let Rest::Escaped(escaped) = &mut self.rest {
            self.cut |= escaped.end(out);
            self.rest = Rest::Line;
        }
        if !self.held.is_empty() {
            out.append(&mut self.held);
            out.push(b'\n');
        }
    }

    /// How many bytes of a line are needed to decode it.
    fn needed(&self) -> usize {
        match &self.kind {
            Kind::Prefix(_) | Kind::Row(_) | Kind::Gitlab(_) | Kind::Journal(..) => PREFIX,
            // The console's place is after the text.
            Kind::Json(_)
            | Kind::Pretty(..)
            | Kind::Rows(..)
            | Kind::Reversed(_)
            | Kind::Console => RECORD,
            Kind::Escaped(_) => 1,
            Kind::Prefixed(_) if self.is_undecided() => RECORD,
            Kind::Prefixed(_) => PREFIX,
            Kind::Mended | Kind::Quoted => RECORD,
        }
    }

    /// Takes the beginning of a line; it is the whole line if it `ends`.
    #[inline]
    fn line(&mut self, line: &[u8], ends: bool, out: &mut Vec<u8>) -> Unwrapped {
        let stripped = match &mut self.kind {
            Kind::Prefix(strip) => strip(line),
            Kind::Journal(width) => match journal::strip(line) {
                Some(stripped) => {
                    *width = line.len().saturating_sub(stripped.text.len());
                    Some(stripped)
                }
                None => match line.split_at_checked(*width) {
                    Some((blank, text)) if blank.iter().all(|&byte| byte == b' ') => {
                        return self.text(self.last, text, false, ends, out);
                    }
                    _ => None,
                },
            },
            Kind::Mended => {
                let mut mended = Vec::new();
                let text = bruise::mend(line, &mut mended).unwrap_or(line);
                self.ended = ends && bruise::open_end(line, text).is_some();
                return self.text(StreamKey::ENCLOSING, text, self.ended, ends, out);
            }
            Kind::Quoted => {
                let text = unquote_line(line).or_else(|| open_quoted(line).map(Cow::Borrowed));
                let Some(text) = text else { return Unwrapped::Foreign };
                return self.text(StreamKey::ENCLOSING, &text, false, ends, out);
            }
            Kind::Row(row) => row.strip(line),
            Kind::Gitlab(open) => gitlab::line(line, open, self.last, &mut self.keys, out),
            Kind::Console => console::strip(line),
            Kind::Prefixed(prefixed) => {
                let stripped = prefixed.strip(line, &mut self.keys, out, &mut self.more);
                return match stripped {
                    (key, Ok(text)) => self.text(key, text, false, ends, out),
                    (_, Err(unwrapped)) => unwrapped,
                };
            }
            Kind::Reversed(reversed) => return reversed.line(line, out),
            Kind::Escaped(escaped) => {
                // It only consists of one line, unless that was broken; the next can be another.
                let taken = escaped.take_if(|text| !text.is_open() || text.goes_on_in(line));
                let Some(escaped) = taken else { return Unwrapped::Over };
                return self.escaped(escaped, line, ends, out);
            }
            Kind::Json(_) | Kind::Pretty(..) if !ends => {
                if let Kind::Pretty(pretty, ..) = &mut self.kind {
                    pretty.pass_over(line.get(..RECORD).unwrap_or(line));
                }
                let escaped = Box::new(Escaped::new(unescape::Style::Quoted));
                return self.escaped(escaped, line, ends, out);
            }
            Kind::Json(json) => {
                return match json.decode(line, LAYERS, &mut self.keys, out, &mut self.more) {
                    Some(key) => {
                        self.last = key;
                        Unwrapped::Text(key)
                    }
                    None if line == GAP => self.text(self.last, line, false, ends, out),
                    None => self.damaged(line, out),
                };
            }
            Kind::Pretty(..) => return self.pretty(line, out),
            Kind::Rows(..) if !ends => {
                self.end_rows();
                return Unwrapped::Over;
            }
            Kind::Rows(..) => return self.rows(line, out),
        };
        match stripped {
            Some(Stripped { stream, text, partial }) => {
                let key = self.keys.key(stream);
                self.text(key, text, partial, ends, out)
            }
            None if line == GAP => self.text(self.last, line, false, ends, out),
            None => {
                // Each line of a job of GitLab may go on, but few do.
                let is_partial = std::mem::take(&mut self.is_partial);
                self.cut |= is_partial && !matches!(self.kind, Kind::Gitlab(_));
                Unwrapped::Foreign
            }
        }
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
        (self.last, self.is_partial) = (key, partial);
        out.extend_from_slice(text);
        if !ends {
            self.rest = Rest::Text(key, partial);
        } else if !partial {
            out.push(b'\n');
        } else if out.ends_with(b"\r") {
            // It goes on, without the carriage return of its container.
            out.pop();
        }
        Unwrapped::Text(key)
    }
}
