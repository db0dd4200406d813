//! What may stand behind a text that was handed on. Where anything else does, the record breaks off inside the text, and
//! the quote that seems to close it is one of another program's line: `created [GIN] GET "/health"`.

use crate::format::traceback::cut_header::is_stump;

/// How many bytes in front of a quote are kept: a colon may have blanks around it.
const KEPT: usize = 8;

/// How a record writes its values, as what stands in front of the quote of one shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Record {
    /// `"stack":"..."`
    Json,
    /// `stack="..."`
    Pairs,
    /// `12,"..."`: a row of CSV, also with JSON in it (`""stack"":""..."`), or an array.
    Row,
    /// Anything else: Go's `%q` in a sentence.
    #[default]
    Other,
}

/// Where the position is in a record of which a text was handed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum At {
    /// Behind the quote of the text.
    End,
    /// Behind the comma after it.
    Comma,
    /// In the key of JSON behind that.
    Key,
    /// Behind that key.
    Colon,
    /// Behind a byte that follows the text, and isn't judged without the next one.
    Byte(u8),
    /// Where anything may stand, or no text was handed on.
    #[default]
    Anywhere,
}

/// How deep the position is in the brackets of a line that is JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Depth {
    #[default]
    Start,
    /// Behind the first bracket: a quote or another bracket shows that it is JSON.
    First,
    In(usize),
    NoJson,
}

/// The quotes of a line.
#[derive(Debug, Default)]
pub(super) struct Quotes {
    /// What stands between the last text and the position, or the end of it.
    before: Vec<u8>,
    /// Whether a text stands in front of that.
    follows_text: bool,
    /// The record around the last text.
    record: Record,
    at: At,
    /// Whether a text of a row was handed on.
    is_in_row: bool,
    depth: Depth,
    /// The last byte between texts, but for blanks.
    last: u8,
    /// Whether any text was handed on.
    has_text: bool,
}

impl Quotes {
    /// Takes what stands between two texts, or a part of it; returns whether it shows another program's line.
    pub(super) fn between(&mut self, text: &[u8]) -> bool {
        text.iter().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| self.count(*byte));
        // One more than is kept shows that there was more.
        let first = |bytes: &[u8]| bytes.len().saturating_sub(KEPT.saturating_add(1));
        self.before.extend_from_slice(text.get(first(text)..).unwrap_or(text));
        self.before.drain(..first(&self.before));
        text.iter().any(|byte| self.at != At::Anywhere && self.is_foreign(*byte))
    }

    /// Takes the quote that opens a text; returns whether it shows another program's line.
    pub(super) fn open(&mut self) -> bool {
        self.count(b'"');
        let is_foreign = match self.at {
            // Go's `%q` of a map has a blank between its pairs.
            At::End => self.record != Record::Row && self.before.is_empty(),
            At::Comma => self.record == Record::Pairs,
            At::Colon => true,
            At::Key | At::Byte(_) | At::Anywhere => false,
        };
        let is_key = self.record == Record::Json && self.at == At::Comma;
        self.at = if is_key { At::Key } else { At::Anywhere };
        let before = std::mem::take(&mut self.before);
        self.record = match before.trim_ascii() {
            b":" if before.len() <= KEPT => Record::Json,
            b"" if before.is_empty() && self.follows_text => Record::Row,
            _ => match before.last() {
                Some(b'=') => Record::Pairs,
                Some(b',' | b';') => Record::Row,
                _ => Record::Other,
            },
        };
        is_foreign
    }

    /// Takes the quote that closes a text.
    pub(super) fn close(&mut self, is_handed_on: bool) {
        self.follows_text = true;
        self.has_text |= is_handed_on;
        self.is_in_row |= is_handed_on && self.record == Record::Row;
        self.at = match self.at {
            At::Key => At::Colon,
            _ if is_handed_on => At::End,
            at => at,
        };
    }

    /// Whether it shows that the record breaks off, or another program's line, that the line ends inside this text: rows end
    /// behind a quote, keys hold no blanks, and a header starts there.
    pub(super) fn end_in(&self, text: &[u8]) -> bool {
        let is_start = text.len() > 3 && is_stump(text);
        is_start || self.is_in_row || self.at == At::Key && !text.iter().all(u8::is_ascii_graphic)
    }

    /// Whether the line ends inside the brackets of JSON with a text of it. An item of a list can end the line.
    pub(super) fn is_open(&self) -> bool {
        let is_inside = matches!(self.depth, Depth::In(depth) if depth > 0);
        self.has_text && is_inside && !b",}]".contains(&self.last)
    }

    /// Counts the brackets between texts, which start with a quote.
    fn count(&mut self, byte: u8) {
        self.last = byte;
        self.depth = match (self.depth, byte) {
            (Depth::Start, b'{' | b'[') => Depth::First,
            (Depth::First, b'{' | b'[') => Depth::In(2),
            (Depth::First, b'"') => Depth::In(1),
            (Depth::In(depth), b'{' | b'[') => Depth::In(depth.saturating_add(1)),
            (Depth::In(depth), b'}' | b']') => Depth::In(depth.saturating_sub(1)),
            (depth @ Depth::In(_), _) => depth,
            (Depth::Start | Depth::First | Depth::NoJson, _) => Depth::NoJson,
        };
    }

    /// Takes a byte that is expected to be a certain one; returns whether it is another.
    fn is_foreign(&mut self, byte: u8) -> bool {
        let (record, at) = (self.record, self.at);
        let is_blank = byte.is_ascii_whitespace();
        let stays = match at {
            At::End => record == Record::Json,
            At::Comma => matches!(record, Record::Json | Record::Pairs),
            At::Colon => true,
            At::Key | At::Byte(_) | At::Anywhere => false,
        };
        if is_blank && stays {
            return false;
        }
        self.at = match (at, byte) {
            (At::End, b',') => At::Comma,
            (At::End, b'\\' | b':' | b'.') => At::Byte(byte),
            _ => At::Anywhere,
        };
        match (at, record) {
            // The colour of the line ends there.
            (At::End, _) if byte == b'\x1b' => false,
            (At::End, _) if matches!(self.at, At::Byte(_)) => false,
            (At::End, Record::Json) => !b",}]".contains(&byte),
            (At::End, Record::Pairs) => !is_blank && !b",;}])>|<'`".contains(&byte),
            (At::End, Record::Row) => !is_blank && !b",;]})".contains(&byte),
            (At::End, Record::Other) => starts_word(byte),
            (At::Colon, _) => byte != b':',
            // nginx was spoken to in TLS: `"\x16\x03\x01"`.
            (At::Byte(b'\\'), _) => byte == b'x',
            // `":8080"` and `".go"`, and not `"...": `.
            (At::Byte(_), _) => !is_blank,
            (At::Comma | At::Key | At::Anywhere, _) => false,
        }
    }
}

/// Whether a byte behind a quote shows that this opens a word: `"/health"`.
fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"/_-*([{$@~#%?".contains(&byte)
}
