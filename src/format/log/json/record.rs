//! The texts of a JSON value, parsed by serde_json, each with the path of its field.

use super::fields;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// A field with text.
#[derive(Clone, Debug)]
pub(in crate::format::log) struct Leaf<'a> {
    path: Range<usize>,
    /// The object that it is in: a nested object is part of the outer one, items of lists are
    /// separate.
    pub(super) record: usize,
    pub(in crate::format::log) text: Cow<'a, [u8]>,
}

/// All texts of a value, grouped by record.
#[derive(Debug, Default)]
pub(in crate::format::log) struct Records<'a> {
    paths: String,
    pub(in crate::format::log) leaves: Vec<Leaf<'a>>,
    /// The record that contains each record; `None` for the first.
    pub(super) parents: Vec<Option<usize>>,
}

impl<'a> Records<'a> {
    /// Parses a whole value; `None` if the bytes aren't one.
    pub(in crate::format::log) fn read(json: &'a [u8]) -> Option<Records<'a>> {
        let mut records = Records::of_one();
        let mut bytes = serde_json::Deserializer::from_slice(json);
        let mut path = String::new();
        let at = Cursor { records: &mut records, path: &mut path, record: 0, item: false };
        at.deserialize(&mut bytes).ok()?;
        bytes.end().ok()?;
        records.leaves.sort_by_key(|leaf| leaf.record);
        Some(records)
    }

    /// One record without texts.
    pub(in crate::format::log) fn of_one() -> Records<'a> {
        Records { parents: vec![None], ..Records::default() }
    }

    /// The path of a field, its parts joined with dots.
    pub(in crate::format::log) fn path(&self, leaf: &Leaf<'_>) -> &str {
        self.paths.get(leaf.path.clone()).unwrap_or_default()
    }

    /// Adds the text of a field.
    pub(in crate::format::log) fn add(&mut self, path: &str, record: usize, text: Cow<'a, [u8]>) {
        let start = self.paths.len();
        self.paths.push_str(path);
        self.leaves.push(Leaf { path: start..self.paths.len(), record, text });
    }

    /// Adds a record inside this one.
    fn inside(&mut self, parent: usize) -> usize {
        self.parents.push(Some(parent));
        self.parents.len().saturating_sub(1)
    }
}

/// The position in the value.
struct Cursor<'r, 'a> {
    records: &'r mut Records<'a>,
    path: &'r mut String,
    record: usize,
    /// Whether it is an item of a list: then its text is returned instead of added.
    item: bool,
}

/// An item of a list.
enum Item<'a> {
    Text(Cow<'a, [u8]>),
    Number(u64),
    Other,
}

impl<'a> DeserializeSeed<'a> for Cursor<'_, 'a> {
    type Value = Item<'a>;

    fn deserialize<D: serde::Deserializer<'a>>(self, bytes: D) -> Result<Item<'a>, D::Error> {
        bytes.deserialize_any(self)
    }
}

impl<'a> Cursor<'_, 'a> {
    fn text(self, text: Cow<'a, [u8]>) -> Item<'a> {
        if self.item {
            return Item::Text(text);
        }
        self.records.add(self.path, self.record, text);
        Item::Other
    }

    /// A number counts as text if it identifies a process.
    fn number(self, number: impl fmt::Display) -> Item<'a> {
        if fields::is_stream(self.path) {
            self.records.add(self.path, self.record, number.to_string().into_bytes().into());
        }
        Item::Other
    }
}

impl<'a> Visitor<'a> for Cursor<'_, 'a> {
    type Value = Item<'a>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'a str) -> Result<Item<'a>, E> {
        Ok(self.text(text.as_bytes().into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Item<'a>, E> {
        Ok(self.text(text.as_bytes().to_vec().into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Item<'a>, E> {
        Ok(if self.item { Item::Number(number) } else { self.number(number) })
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Item<'a>, E> {
        Ok(self.number(number))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Item<'a>, E> {
        Ok(Item::Other)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Item<'a>, E> {
        // `partial_message`: true or "true".
        Ok(if value && !self.item { self.text(b"true".as_slice().into()) } else { Item::Other })
    }

    fn visit_unit<E: Error>(self) -> Result<Item<'a>, E> {
        Ok(Item::Other)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Item<'a>, A::Error> {
        let Cursor { records, path, record, item } = self;
        let record = if item { records.inside(record) } else { record };
        let parent = path.len();
        while map.next_key_seed(Key(path))?.is_some() {
            map.next_value_seed(Cursor { records, path, record, item: false })?;
            path.truncate(parent);
        }
        Ok(Item::Other)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Item<'a>, A::Error> {
        let Cursor { records, path, record, item } = self;
        let record = if item { records.inside(record) } else { record };
        let (mut texts, mut bytes) = (Vec::<Cow<'a, [u8]>>::new(), Vec::new());
        let is_message = *path == "MESSAGE";
        loop {
            let place = Cursor { records, path, record, item: true };
            match list.next_element_seed(place)? {
                Some(Item::Text(text)) => texts.push(text),
                Some(Item::Number(number)) => bytes.extend(u8::try_from(number)),
                Some(_) => {}
                None => break,
            }
        }
        if is_message && texts.is_empty() {
            // The journal writes messages with control characters as bytes.
            records.add(path, record, bytes.into());
        } else if let [time, line, ..] = &mut *texts
            && item
            && time.iter().all(u8::is_ascii_digit)
        {
            // Loki's `["1767349901000000000","line"]`
            records.add(path, record, std::mem::take(line));
        } else if let [text] = &mut *texts {
            records.add(path, record, std::mem::take(text));
        } else if !texts.is_empty() {
            records.add(path, record, joined(&texts).into());
        }
        Ok(Item::Other)
    }
}

/// How many bytes of a path, and of one key in it, are kept; those of the tables are shorter.
const PATH: usize = 256;
const KEY: usize = 64;

/// Appends a key to a path.
struct Key<'p>(&'p mut String);

impl<'a> DeserializeSeed<'a> for Key<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'a>>(self, bytes: D) -> Result<(), D::Error> {
        bytes.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        let Key(path) = self;
        if !path.is_empty() {
            path.push('.');
        }
        // So that many short fields in a long path don't take more memory than the line.
        if path.len() < PATH {
            path.extend(key.chars().take(KEY));
        }
        Ok(())
    }
}

/// The lines of a list as one text.
fn joined(lines: &[Cow<'_, [u8]>]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.push(b'\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(json: &str) -> Option<Vec<(usize, String, String)>> {
        let records = Records::read(json.as_bytes())?;
        let text = |leaf: &Leaf<'_>| String::from_utf8_lossy(&leaf.text).into_owned();
        let all = records.leaves.iter();
        Some(all.map(|leaf| (leaf.record, records.path(leaf).to_owned(), text(leaf))).collect())
    }

    fn texts(json: &str) -> String {
        let all = all(json).expect(json);
        all.iter().map(|(record, path, text)| format!("{record} {path}={text:?}\n")).collect()
    }

    #[test]
    fn nested_objects_are_one_record_and_items_of_lists_their_own() {
        assert_eq!(
            texts(
                r#"{"a":{"b":"x","c":{"d":"y\n"}},"n":1,"pid":7,"l":[{"m":"1"},{"m":"2"}],"z":"w"}"#
            ),
            "0 a.b=\"x\"\n0 a.c.d=\"y\\n\"\n0 pid=\"7\"\n0 z=\"w\"\n1 l.m=\"1\"\n2 l.m=\"2\"\n"
        );
    }

    #[test]
    fn lists_of_lines_bytes_and_pairs_are_texts() {
        assert_eq!(texts(r#"{"s":["a","b\n","c"]}"#), "0 s=\"a\\nb\\nc\\n\"\n");
        assert_eq!(texts(r#"{"MESSAGE":[9, 47,255]}"#), "0 MESSAGE=\"\\t/\u{fffd}\"\n");
        assert_eq!(
            texts(r#"{"values":[["17","x"],["18","y"]]}"#),
            "1 values=\"x\"\n2 values=\"y\"\n"
        );
        assert_eq!(texts(r#"["x","y"]"#), "0 =\"x\\ny\\n\"\n");
        assert_eq!(texts(r#"{"numbers":[1,2,300]}"#), "");
        assert_eq!(texts(r#"{"yes":true,"no":false,"list":[true]}"#), "0 yes=\"true\"\n");
    }

    #[test]
    fn what_is_no_whole_value_has_no_texts() {
        for json in ["", "{", "{\"a\":\"b", "{\"a\":1}x", "{1:2}", "goroutine 1 [running]:"] {
            assert_eq!(all(json), None, "{json}");
        }
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(all(&deep), None);
    }
}
