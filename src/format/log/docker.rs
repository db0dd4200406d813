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
}

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
        let stream = match line.strip_prefix(b"{\"log\":\"") {
            Some(text) => {
                let mut unescape = Unescape::new(Style::Quoted);
                match unescape.feed(text, out) {
                    Some(behind) => Fields::new(behind).find(|(key, _)| *key == b"stream"),
                    None => {
                        unescape.end(out);
                        None
                    }
                }
            }
            None => {
                let log = fields(line)?.find(|(key, _)| *key == b"log")?.1;
                unescape(log.text()?, out);
                fields(line)?.find(|(key, _)| *key == b"stream")
            }
        };
        let stream = stream.and_then(|(_, stream)| stream.text());
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
        Some(keys.key(stream.unwrap_or_default()))
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
