//! Decoding of lines that aren't one record each: JSON that is damaged or spread over lines, and
//! texts that were escaped into one line.

use super::escaped::Escaped;
use super::keys::StreamKey;
use super::{Decoder, Kind, LAYERS, Rest, Unwrapped, json, pretty, reversed, unescape};
use crate::format::quoted::unquote_line;
use crate::format::start::starts_dump;
use memchr::memmem;

/// Whether a line is a quoted string that starts a dump.
pub(super) fn is_quoted_start(line: &[u8]) -> bool {
    unquote_line(line).is_some_and(|text| starts_dump(&text) || reversed::is_place(&text))
}

impl Decoder {
    /// Takes a line that isn't JSON between lines that are: if it is a cut or damaged record with a
    /// dump in it, its texts are taken.
    pub(super) fn damaged(&mut self, line: &[u8], out: &mut Vec<u8>) -> Unwrapped {
        let object = line.trim_ascii_start().starts_with(b"{");
        let Some(escaped) = Escaped::of(line, LAYERS).filter(|_| object) else {
            return Unwrapped::Foreign;
        };
        self.cut |= matches!(&self.kind, Kind::Json(json) if json.is_joined_in(line));
        self.escaped(Box::new(escaped), line, true, out)
    }

    /// Whether a text that was returned since the last call has lost its end.
    pub(crate) fn take_cut(&mut self) -> bool {
        let is_cut = match &mut self.kind {
            Kind::Json(json) | Kind::Pretty(_, json, _) | Kind::Rows(_, json) => json.take_cut(),
            _ => false,
        };
        std::mem::take(&mut self.cut) | is_cut
    }

    /// Whether a line that it refused is a record of it that is damaged.
    pub(crate) fn is_damaged_record(&self, line: &[u8]) -> bool {
        let json = match &self.kind {
            Kind::Json(json) => json,
            Kind::Rows(rows, _) => return rows.is_damaged(line),
            _ => return false,
        };
        let text = line.trim_ascii();
        let is_end = || {
            text.ends_with(b"\"}") || text.ends_with(b"}") && memmem::find(text, b"\":").is_some()
        };
        let behind = text.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        let is_start = behind.is_some_and(|rest| rest.starts_with(b"\""));
        let is_one = is_start || json.starts_in(text) || is_end();
        is_one && !json::holds_whole(text) || json.is_left_of_record(text)
    }

    /// How many lines are held until the input ends.
    pub(crate) fn held_lines(&self) -> usize {
        match &self.kind {
            Kind::Reversed(reversed) => reversed.lines,
            Kind::Escaped(Some(open)) => usize::from(open.is_open()),
            _ => 0,
        }
    }

    /// Takes a line of JSON that is spread over lines.
    pub(super) fn pretty(&mut self, line: &[u8], out: &mut Vec<u8>) -> Unwrapped {
        let Kind::Pretty(pretty, json, long) = &mut self.kind else { return Unwrapped::Over };
        match pretty.line(line) {
            pretty::Use::Held => return Unwrapped::Held,
            pretty::Use::Record(record) => {
                let item = pretty::item(&record);
                match json.decode(item, LAYERS, &mut self.keys, out, &mut self.more) {
                    Some(key) => return Unwrapped::Text(key),
                    None => out.extend_from_slice(&record),
                }
            }
            pretty::Use::Plain(lines) => out.extend_from_slice(&lines),
            pretty::Use::Part(text, ends) => {
                let quoted = || Box::new(Escaped::new(unescape::Style::Quoted));
                long.get_or_insert_with(quoted).feed(&text, out);
                if ends && let Some(mut escaped) = long.take() {
                    self.cut |= escaped.end(out);
                }
            }
            pretty::Use::Over(lines) => {
                self.cut |= pretty::open_record(&lines, long, out);
                return Unwrapped::Over;
            }
        }
        Unwrapped::Text(StreamKey::ENCLOSING)
    }

    /// Takes a line, or a part of one, of an escaped text.
    pub(super) fn escaped(
        &mut self,
        mut escaped: Box<Escaped>,
        line: &[u8],
        ends: bool,
        out: &mut Vec<u8>,
    ) -> Unwrapped {
        escaped.feed(line, out);
        match &mut self.kind {
            _ if !ends => self.rest = Rest::Escaped(escaped),
            // The line may have been broken.
            Kind::Escaped(open) if escaped.is_open() => {
                escaped.break_line();
                *open = Some(escaped);
            }
            kind => {
                self.ended = matches!(kind, Kind::Escaped(_)) && !escaped.is_quoted();
                self.cut |= escaped.end(out);
            }
        }
        Unwrapped::Text(StreamKey::ENCLOSING)
    }
}
