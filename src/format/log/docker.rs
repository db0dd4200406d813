//! Docker's json-file lines and what log shippers make of them:
//! `{"log":"text\n","stream":"stderr","time":"..."}`, keys in any order.

use super::json::{Fields, fields};
use super::keys::{Keys, StreamKey};
use super::unescape::{Style, Unescape, unescape};
use super::{Finder, finder};

/// Most lines are told apart by this alone.
static KEY: Finder = finder(|| memchr::memmem::Finder::new(br#""log""#));

/// Docker cuts lines into pieces of this many bytes; all but the last come without a line end.
const PIECE: usize = 16 << 10;

/// Docker's own lines tell whether a line ends; shippers' (fluent-bit's) don't, each is one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum LineEnds {
    #[default]
    Unseen,
    Written,
    Missing,
}

#[derive(Debug, Default)]
pub(super) struct Docker {
    line_ends: LineEnds,
    /// What stood behind the text of the last line, up to the end of its stream, and which that was:
    /// mostly it stands there again.
    last: Option<(Box<[u8]>, StreamKey)>,
}

/// Bytes that are kept of what stands behind a text.
const BEHIND: usize = 256;

impl Docker {
    /// Whether a line, or the first part of one, is surely Docker's.
    pub(super) fn is(line: &[u8]) -> bool {
        let Some(fields) = KEY.find(line).and_then(|_| fields(line)) else { return false };
        let (mut log, mut other) = (false, false);
        for (key, value) in fields {
            match key {
                b"log" => {
                    log = value.text().is_some();
                    // Its end and what follows it may be in the next part.
                    other |= log && line.len() > PIECE;
                }
                b"stream" | b"time" => other = true,
                _ => {}
            }
        }
        log && other
    }

    pub(super) fn decode(
        &mut self,
        line: &[u8],
        keys: &mut Keys,
        out: &mut Vec<u8>,
    ) -> Option<StreamKey> {
        let before = out.len();
        // Docker itself writes the text first, so that one pass is enough.
        let key = match line.strip_prefix(b"{\"log\":\"") {
            Some(text) => {
                let mut unescape = Unescape::new(Style::Quoted);
                match unescape.feed(text, out) {
                    Some(behind) => self.stream_behind(behind, keys),
                    None => {
                        unescape.end(out);
                        StreamKey::ENCLOSING
                    }
                }
            }
            None => {
                let log = fields(line)?.find(|(key, _)| *key == b"log")?.1;
                unescape(log.text()?, out);
                let stream = fields(line)?.find(|(key, _)| *key == b"stream");
                let stream = stream.and_then(|(_, stream)| stream.text());
                keys.key(stream.unwrap_or_default())
            }
        };
        if out.ends_with(b"\n") && out.len() > before {
            self.line_ends = LineEnds::Written;
        } else {
            if self.line_ends == LineEnds::Unseen {
                self.line_ends = LineEnds::Missing;
            }
            if self.line_ends == LineEnds::Missing && out.len().saturating_sub(before) < PIECE {
                out.push(b'\n');
            }
        }
        Some(key)
    }

    /// The stream of a line, which is told behind its text.
    fn stream_behind(&mut self, behind: &[u8], keys: &mut Keys) -> StreamKey {
        if let Some((last, key)) = &self.last
            && behind.starts_with(last)
        {
            return *key;
        }
        let mut fields = Fields::new(behind);
        let stream = fields.find(|(key, _)| *key == b"stream");
        let Some(stream) = stream.and_then(|(_, stream)| stream.text()) else {
            return StreamKey::ENCLOSING;
        };
        let key = keys.key(stream);
        let told = behind.strip_suffix(fields.rest()).unwrap_or(behind);
        // A name that isn't closed may go on in another line.
        if !fields.rest().is_empty() && told.len() <= BEHIND {
            self.last = Some((told.into(), key));
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[&str]) -> (String, Vec<u32>) {
        let (mut docker, mut keys, mut out) = (Docker::default(), Keys::default(), Vec::new());
        let mut decode =
            |line: &&str| docker.decode(line.as_bytes(), &mut keys, &mut out).unwrap().0;
        let streams = lines.iter().map(&mut decode).collect();
        (String::from_utf8(out).unwrap(), streams)
    }

    #[test]
    fn keys_come_in_any_order_and_pieces_join() {
        let (text, streams) = all(&[
            r#"{"log":"a\n","stream":"stderr","time":"2026-01-02T10:31:41Z"}"#,
            r#"{"time": "2026-01-02T10:31:41Z", "stream": "stdout", "attrs": {"log": "x"}, "log": "\tb"}"#,
            r#"{"stream":"stdout","log":"c\n"}"#,
        ]);
        assert_eq!(text, "a\n\tbc\n");
        assert_eq!(streams, [1, 2, 2]);
    }

    #[test]
    fn the_stream_is_that_of_each_line() {
        let (text, streams) = all(&[
            r#"{"log":"a\n","stream":"stderr","time":"2026-01-02T10:31:41Z"}"#,
            r#"{"log":"b\n","stream":"stderr2","time":"2026-01-02T10:31:41Z"}"#,
            r#"{"log":"c\n","stream":"stderr","time":"2026-01-02T10:31:42Z"}"#,
            r#"{"log":"d\n","stream":"stdout","time":"2026-01-02T10:31:42Z"}"#,
            r#"{"log":"e\n","attrs":{"stream":"x"},"stream":"stdout"}"#,
            r#"{"log":"f\n","attrs":{"stream":"y"},"stream":"stderr"}"#,
            r#"{"log":"g\n","stream":"std"#,
            r#"{"log":"h\n","stream":"std\""#,
            r#"{"log":"i\n","stream":"std\"","time":"x"}"#,
            r#"{"log":"j\n","stream":"std\"y","time":"x"}"#,
        ]);
        assert_eq!(text, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
        assert_eq!(streams, [1, 2, 1, 3, 3, 1, 4, 5, 5, 6]);
    }

    #[test]
    fn lines_of_shippers_without_line_ends_are_lines() {
        let (text, _) =
            all(&[r#"{"log":"a","stream":"stderr"}"#, r#"{"log":"","stream":"stderr"}"#]);
        assert_eq!(text, "a\n\n");
    }

    #[test]
    fn only_log_with_stream_or_time_is_dockers() {
        assert!(Docker::is(br#"{"log":"","stream":"stderr"}"#));
        assert!(Docker::is(br#" {"time":"x","log":"y"}"#));
        assert!(!Docker::is(br#"{"log":"x"}"#));
        assert!(!Docker::is(br#"{"log":{"stream":"x"},"time":"y"}"#));
        assert!(!Docker::is(br#"{"msg":"x","time":"y"}"#));
        assert!(!Docker::is(b"goroutine 1 [running]:"));
        let cut = format!(r#"{{"log":"{}"#, "x".repeat(20_000));
        assert!(Docker::is(cut.as_bytes()));
    }
}
