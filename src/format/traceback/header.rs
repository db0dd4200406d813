//! The header of a goroutine: `goroutine 7 gp=0x.. m=nil [select, 5 minutes] {k: v}:`.
//!
//! The grammar is that of `runtime.goroutineheader` in Go 1.19 to 1.27, with the items `"k":"v"`
//! after commas that patched runtimes add. Values can contain any byte, so all scanning takes care
//! of quotes.

use super::damaged::{is_damaged_flag, is_damaged_state};
use crate::format::quoted::unquote;
use crate::profile::{Wait, flag};
use std::borrow::Cow;

/// A header cut in two: the id, which differs for each goroutine, and attributes that many share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Header<'a> {
    /// The goroutine's id.
    pub(crate) id: u64,
    /// The text from the opening bracket to the end of the line; parsed by [`Attributes::parse`].
    pub(crate) attributes: &'a [u8],
}

impl<'a> Header<'a> {
    /// Cuts a line that starts like a header of a goroutine; its attributes can still be invalid.
    pub(crate) fn cut(line: &'a [u8]) -> Option<Header<'a>> {
        let (id, attributes) = attributes_of(line)?;
        let is_escaped = !line.ends_with(b":") && starts_escaped_dump(attributes) == Some(true);
        (!is_escaped).then_some(Header { id, attributes })
    }

    /// Whether a line is a header and nothing else, as Go writes it.
    pub(crate) fn is_whole(line: &[u8]) -> bool {
        let is_closed = |header: Header<'_>| {
            !quotes_are_entities(header.attributes)
                && Attributes::parse(header.attributes).is_some_and(|parsed| parsed.closed)
        };
        line.ends_with(b":") && Header::cut(line).is_some_and(is_closed)
    }
}

/// The id of a line that starts like a header, and the text from its bracket on.
fn attributes_of(line: &[u8]) -> Option<(u64, &[u8])> {
    let rest = line.strip_prefix(b"goroutine ")?;
    let (id, rest) = leading_number(rest)?;
    let rest = rest.strip_prefix(b" ")?;
    let attributes = match rest.first() {
        Some(b'[') => rest,
        // gp=0xc000002380 m=3 mp=0xc000080008 [
        _ if rest.starts_with(b"gp=") => {
            let (fields, state) = rest.split_at_checked(memchr::memchr(b'[', rest)?)?;
            // Behind the backslash of Markdown, the closing bracket has one too.
            if !fields.ends_with(b" ") {
                return None;
            }
            state
        }
        _ => return None,
    };
    Some((id, attributes))
}

/// Whether the lines after a header stand in its own line, escaped; `None` if it isn't whole.
fn starts_escaped_dump(attributes: &[u8]) -> Option<bool> {
    let rest = after_attributes(attributes)?.strip_prefix(b":").unwrap_or_default();
    let starts =
        |end: &&[u8]| rest.get(..end.len()).is_some_and(|start| start.eq_ignore_ascii_case(end));
    Some(ESCAPED_ENDS.iter().any(starts))
}

/// Line ends as loggers escape them; digits can be in either case.
const ESCAPED_ENDS: [&[u8]; 8] =
    [br"\n", br"\r", br"\u000a", br"\u000d", br"\x0a", br"\x0d", b"#012", b"#015"];

/// The text after the state and labels of a header, from its colon on; `None` if they aren't whole.
fn after_attributes(attributes: &[u8]) -> Option<&[u8]> {
    let inner = attributes.strip_prefix(b"[")?;
    let end = find_unquoted(inner, |byte| byte == b']')?;
    let rest = inner.get(end.checked_add(1)?..)?;
    match rest.strip_prefix(b" {") {
        Some(labels) => take_labels(labels, &mut Vec::new()),
        None => Some(rest),
    }
}

/// The text behind the colon of a header, which Go ends there; `None` if the line isn't a header.
pub(crate) fn after_header(line: &[u8]) -> Option<&[u8]> {
    after_attributes(attributes_of(line)?.1)?.strip_prefix(b":")
}

/// Whether the quotes of labels were turned into entities of HTML.
pub(crate) fn quotes_are_entities(attributes: &[u8]) -> bool {
    memchr::memchr(b'&', attributes).is_some()
        && memchr::memchr(b'"', attributes).is_none()
        && [&b"&#34;"[..], b"&quot;", b"&#x22;"]
            .iter()
            .any(|entity| memchr::memmem::find(attributes, entity).is_some())
}

/// The number at the start of `text`, and the text after it.
pub(crate) fn leading_number(text: &[u8]) -> Option<(u64, &[u8])> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at_checked(digits)?;
    let mut value: u64 = 0;
    for digit in number {
        value = value.checked_mul(10)?.checked_add(u64::from(digit.wrapping_sub(b'0')))?;
    }
    (digits > 0).then_some((value, rest))
}

/// A label of a header: key and value, unquoted.
pub(crate) type LabelPair<'a> = (Cow<'a, [u8]>, Cow<'a, [u8]>);

/// The contents of a header besides the id.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attributes<'a> {
    /// The state without decorations; empty if the header was cut before it.
    pub(crate) state: &'a [u8],
    /// How long it has been blocked.
    pub(crate) wait: Wait,
    /// Decorations and everything else between commas.
    pub(crate) flags: Vec<Cow<'a, [u8]>>,
    /// Labels.
    pub(crate) labels: Vec<LabelPair<'a>>,
    /// Whether the header ends as Go ends it; text can follow the colon.
    pub(crate) closed: bool,
    /// The text behind the colon.
    pub(crate) after: &'a [u8],
    /// Whether the state or what follows it can't be what Go prints: a part is lost, or a part of another
    /// header stands in it.
    pub(crate) damaged: bool,
}

impl<'a> Attributes<'a> {
    /// Parses from the opening bracket on; `None` if the text isn't a header.
    pub(crate) fn parse(text: &'a [u8]) -> Option<Attributes<'a>> {
        let inner = text.strip_prefix(b"[")?;
        let Some(end) = find_unquoted(inner, |byte| byte == b']') else {
            let mut attributes = Attributes::parse_inner(whole_items(inner))?;
            attributes.closed = false;
            if attributes.wait == Wait::ZERO {
                attributes.wait = Wait::UNKNOWN;
            }
            return Some(attributes);
        };
        let mut attributes = Attributes::parse_inner(inner.get(..end)?)?;
        let mut rest = inner.get(end.checked_add(1)?..)?;
        if let Some(labels) = rest.strip_prefix(b" {") {
            rest = take_labels(labels, &mut attributes.labels)?;
        }
        attributes.closed = rest.first() == Some(&b':');
        attributes.after = rest.get(1..).unwrap_or_default();
        (attributes.closed || rest.is_empty()).then_some(attributes)
    }

    /// Parses the text between the brackets.
    pub(crate) fn parse_inner(inner: &'a [u8]) -> Option<Attributes<'a>> {
        let mut attributes = Attributes {
            state: b"",
            wait: Wait::ZERO,
            flags: Vec::new(),
            labels: Vec::new(),
            closed: true,
            after: b"",
            damaged: false,
        };
        let mut items = inner;
        // Go 1.26 with GODEBUG=tracebacklabels=1: `[select, 5 minutes labels:{"k": "v"}]`.
        if let Some(at) = memchr::memmem::find(inner, b" labels:{\"") {
            items = inner.get(..at)?;
            take_labels(inner.get(at.checked_add(9)?..)?, &mut attributes.labels)?;
        }
        let mut first = true;
        loop {
            let end = find_unquoted(items, |byte| byte == b',').unwrap_or(items.len());
            let (item, rest) = items.split_at_checked(end)?;
            if first {
                attributes.take_state(item.trim_ascii());
                first = false;
            } else {
                attributes.take_item(item.trim_ascii());
            }
            match rest.split_first() {
                Some((_, rest)) => items = rest,
                None => break,
            }
        }
        let leaked = attributes.flags.iter().any(|flag| flag.as_ref() == flag::LEAKED);
        if leaked && attributes.wait == Wait::ZERO {
            // Go prints no minutes for leaked goroutines: their wait is unknown, not short.
            attributes.wait = Wait::UNKNOWN;
        }
        Some(attributes)
    }

    fn take_state(&mut self, mut state: &'a [u8]) {
        while let Some((bare, flag)) = flag::cut_decoration(state) {
            self.flags.push(flag.into());
            state = bare;
        }
        self.state = state;
        self.damaged |= is_damaged_state(state);
    }

    fn take_item(&mut self, item: &'a [u8]) {
        if item.is_empty() {
            return;
        }
        if let Some(minutes) = minutes(item) {
            self.damaged |= self.wait != Wait::ZERO || minutes > MOST_MINUTES;
            self.wait = Wait::minutes(minutes);
        } else if let Some(group) = item.strip_prefix(b"synctest group ") {
            // Go 1.24's name for a bubble.
            self.flags.push([flag::BUBBLE_PREFIX, group].concat().into());
        } else if let Some(label) = quoted_pair(item) {
            self.labels.push(label);
        } else {
            self.damaged |= is_damaged_flag(item);
            // A quote that isn't closed hides the commas behind it, and outputs list flags with commas between them.
            let flags = item.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
            self.flags.extend(flags.filter(|flag| !flag.is_empty()).map(Into::into));
        }
    }
}

/// The items of a header without its closing bracket. What follows the last comma is cut, unless only the
/// bracket is missing.
fn whole_items(inner: &[u8]) -> &[u8] {
    if let Some(items) = inner.strip_suffix(b":") {
        return items;
    }
    let (mut end, mut rest) = (0_usize, inner);
    while let Some(comma) = find_unquoted(rest, |byte| byte == b',') {
        end = end.saturating_add(comma);
        rest = rest.get(comma.saturating_add(1)..).unwrap_or_default();
    }
    inner.get(..end).unwrap_or_default()
}

/// The longest wait that Go can print: it counts nanoseconds in 63 bits.
const MOST_MINUTES: f32 = 153_722_867.0;

/// The minutes of `5 minutes`, `1 minute`, `2.5 minutes`.
fn minutes(item: &[u8]) -> Option<f32> {
    if !item.first()?.is_ascii_digit() {
        return None;
    }
    let number = item.strip_suffix(b"minutes").or_else(|| item.strip_suffix(b"minute"))?;
    let minutes: f32 = std::str::from_utf8(number.trim_ascii()).ok()?.parse().ok()?;
    minutes.is_finite().then_some(minutes)
}

/// `"k":"v"` between commas.
fn quoted_pair(item: &[u8]) -> Option<LabelPair<'_>> {
    let (key, rest) = unquote(item)?;
    let (value, rest) = unquote(rest.strip_prefix(b":")?.trim_ascii_start())?;
    rest.is_empty().then_some((key, value))
}

/// Parses labels after their opening brace; returns the text after the closing one.
fn take_labels<'a>(mut text: &'a [u8], labels: &mut Vec<LabelPair<'a>>) -> Option<&'a [u8]> {
    loop {
        if let Some(rest) = text.strip_prefix(b"}") {
            return Some(rest);
        }
        let (key, rest) = word(text, b":")?;
        // One blank separates key and value even if the value is empty.
        let rest = rest.strip_prefix(b":")?;
        let (value, rest) = word(rest.strip_prefix(b" ").unwrap_or(rest), b",}")?;
        labels.push((key, value));
        text = rest.strip_prefix(b", ").unwrap_or(rest);
        if !rest.starts_with(b", ") && !rest.starts_with(b"}") {
            return None;
        }
    }
}

/// A quoted word, or a bare one up to one of `ends`; a bare word can be empty.
fn word<'a>(text: &'a [u8], ends: &[u8]) -> Option<(Cow<'a, [u8]>, &'a [u8])> {
    if text.first() == Some(&b'"') {
        return unquote(text);
    }
    let end = text.iter().position(|byte| ends.contains(byte))?;
    let (word, rest) = text.split_at_checked(end)?;
    Some((word.into(), rest))
}

/// The position of the first byte outside quotes that `wanted` accepts.
pub(crate) fn find_unquoted(text: &[u8], wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate() {
        if escaped {
            escaped = false;
        } else if quoted {
            match byte {
                b'\\' => escaped = true,
                b'"' => quoted = false,
                _ => {}
            }
        } else if byte == b'"' {
            quoted = true;
        } else if wanted(byte) {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id, state, wait, flags and labels.
    type Parsed = (u64, String, Option<f32>, Vec<String>, Vec<(String, String)>);
    /// A line and its expected contents.
    type Case<'a> = (&'a str, u64, &'a str, Option<f32>, &'a [&'a str], &'a [(&'a str, &'a str)]);

    fn parse(line: &str) -> Parsed {
        let header = Header::cut(line.as_bytes()).expect("looks like a header");
        let attributes = Attributes::parse(header.attributes).expect("is a header");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let labels = attributes.labels.iter().map(|(key, value)| (text(key), text(value)));
        (
            header.id,
            text(attributes.state),
            attributes.wait.known(),
            attributes.flags.iter().map(|flag| text(flag)).collect(),
            labels.collect(),
        )
    }

    fn pairs(labels: &[(&str, &str)]) -> Vec<(String, String)> {
        labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn every_header_form_of_go_is_understood() {
        let cases: [Case<'_>; 18] = [
            ("goroutine 1 [running]:", 1, "running", Some(0.0), &[], &[]),
            ("goroutine 2 [select, 1 minutes]:", 2, "select", Some(1.0), &[], &[]),
            ("goroutine 2 [select, 2.5 minutes]:", 2, "select", Some(2.5), &[], &[]),
            (
                "goroutine 7 gp=0xc000007880 m=3 mp=0xc000080008 [running, locked to thread]:",
                7,
                "running",
                Some(0.0),
                &["locked to thread"],
                &[],
            ),
            (
                "goroutine 7 gp=0x1 m=nil [GC worker (idle)]:",
                7,
                "GC worker (idle)",
                Some(0.0),
                &[],
                &[],
            ),
            (
                "goroutine 8 [chan receive (nil chan) (leaked)]:",
                8,
                "chan receive (nil chan)",
                None,
                &["leaked"],
                &[],
            ),
            (
                "goroutine 8 [sleep (durable), 4 minutes, locked to thread, synctest bubble 12]:",
                8,
                "sleep",
                Some(4.0),
                &["durable", "locked to thread", "synctest bubble 12"],
                &[],
            ),
            (
                "goroutine 8 [chan receive (synctest), synctest group 34]:",
                8,
                "chan receive",
                Some(0.0),
                &["durable", "synctest bubble 34"],
                &[],
            ),
            ("goroutine 5 [runnable (scan)]:", 5, "runnable", Some(0.0), &["scan"], &[]),
            (
                "goroutine 7 [select, 5 minutes labels:{\"node\": \"n1\", \"k\": \"v\"}]:",
                7,
                "select",
                Some(5.0),
                &[],
                &[("node", "n1"), ("k", "v")],
            ),
            (
                "goroutine 7 [chan receive labels:{\"req id\": \"a\\\"b, c: }]\"}]:",
                7,
                "chan receive",
                Some(0.0),
                &[],
                &[("req id", "a\"b, c: }]")],
            ),
            (
                "goroutine 7 [select, 5 minutes] {node: n1, k: v}:",
                7,
                "select",
                Some(5.0),
                &[],
                &[("node", "n1"), ("k", "v")],
            ),
            (
                "goroutine 7 [select] {a: , \"b c\": \"]:\", d: }:",
                7,
                "select",
                Some(0.0),
                &[],
                &[("a", ""), ("b c", "]:"), ("d", "")],
            ),
            ("goroutine 7 [select] {k: \"\\u00df\"}:", 7, "select", Some(0.0), &[], &[("k", "ß")]),
            (
                "goroutine 9 [select, 12 minutes, bubble, \"app\":\"shop, east\"]:",
                9,
                "select",
                Some(12.0),
                &["bubble"],
                &[("app", "shop, east")],
            ),
            ("goroutine 4 [select, 5 hours]:", 4, "select", Some(0.0), &["5 hours"], &[]),
            ("goroutine 25 [running]: trailing", 25, "running", Some(0.0), &[], &[]),
            (
                "goroutine 9007199254740993 [running]:",
                9_007_199_254_740_993,
                "running",
                Some(0.0),
                &[],
                &[],
            ),
        ];
        for (line, id, state, wait, flags, labels) in cases {
            let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
            assert_eq!(parse(line), (id, state.to_owned(), wait, flags, pairs(labels)), "{line}");
        }
    }

    #[test]
    fn text_that_only_looks_like_a_header_is_refused() {
        for line in [
            "goroutine 9 lives",
            "goroutine x [running]:",
            "goroutine 5  [running]:",
            "goroutine 5",
        ] {
            assert_eq!(Header::cut(line.as_bytes()), None, "{line}");
        }
        for attributes in ["[running] and more", "[running] {a b}:", "running]:"] {
            assert_eq!(Attributes::parse(attributes.as_bytes()), None, "{attributes}");
        }
    }

    #[test]
    fn a_whole_header_is_closed_and_its_quotes_are_no_entities() {
        for line in [
            "goroutine 7 [select]:",
            "goroutine 7 [select] {a&b: c}:",
            r#"goroutine 7 [select] {"k": "a&quot;b"}:"#,
        ] {
            assert!(Header::is_whole(line.as_bytes()), "{line}");
        }
        for line in [
            "goroutine 7 [select:",
            "goroutine 7 [select]: main.f()",
            "goroutine 7 [select] {k: &#34;a b&#34;}:",
        ] {
            assert!(!Header::is_whole(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn of_a_header_that_was_cut_only_whole_items_count() {
        for (attributes, state, wait) in [
            ("[sy", "", None),
            ("[select", "", None),
            ("[chan receive, 5 min", "chan receive", None),
            ("[chan receive, 15 minutes, lock", "chan receive", Some(15.0)),
            ("[chan receive, 15 minutes:", "chan receive", Some(15.0)),
        ] {
            let cut = Attributes::parse(attributes.as_bytes()).unwrap();
            let expected = (state.as_bytes(), wait, &[][..], false);
            assert_eq!(
                (cut.state, cut.wait.known(), &cut.flags[..], cut.closed),
                expected,
                "{attributes}"
            );
        }
    }

    #[test]
    fn a_header_that_was_cut_is_told_from_a_whole_one() {
        for attributes in ["[sel", "[select, 5 min", "[select]", "[select labels:{\"a"] {
            let closed =
                Attributes::parse(attributes.as_bytes()).is_some_and(|parsed| parsed.closed);
            assert!(!closed, "{attributes}");
        }
    }
}
