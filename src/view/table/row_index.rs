//! The rows that a part of a sample counts in, by its values for the keys of `--by`.

use super::key::{Key, WAITS};
use super::located::{self, Addresses, Located, Value};
use super::part::Part;
use crate::error::{Error, ErrorKind, Result};
use crate::group::ids;
use crate::group::order::natural;
use crate::limits::LIMITS;
use crate::profile::{
    FrameId, LabelsId, Lists, Profile, SampleKey, StackId, StrId, Strings, is_address,
    is_unsymbolized, lossy,
};
use crate::rules::Names;
use crate::view::frames::function::package;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Ordering;

/// What the values of a part depend on, except those of its frames.
#[derive(Clone, Copy)]
enum Follow {
    /// The category of its stack.
    Category,
    /// Its stack.
    Stack,
    /// More than that.
    Part,
}

impl Follow {
    fn of(by: &[Key]) -> Follow {
        let all = |is: fn(&Key) -> bool| by.iter().all(|key| is(key) || key.is_of_frames());
        if all(|key| *key == Key::Category) {
            Follow::Category
        } else if all(Key::is_of_stack) {
            Follow::Stack
        } else {
            Follow::Part
        }
    }
}

/// Rows by their values, numbered as they come.
pub(in crate::view) struct RowIndex<'a> {
    profile: &'a Profile,
    names: &'a Names,
    by: &'a [Key],
    texts: Strings,
    rows: Lists<Value>,
    inputs: Vec<StrId>,
    addresses: Addresses,
    /// The id of a stack: hashing is slow, so ids and shapes are only made once.
    ids: HashMap<StackId, StrId, FixedState>,
    shapes: HashMap<StackId, StrId, FixedState>,
    follow: Follow,
    /// The results of [`RowIndex::shared_values`], by what they depend on.
    known: Vec<Option<u32>>,
    /// By frame: its row, and the values of the sample that it was found with. Samples that follow each
    /// other often differ only in their frames.
    of_frame: Vec<Option<(u32, u32)>>,
    /// Kept to be reused.
    values: Vec<Value>,
}

impl<'a> RowIndex<'a> {
    pub(in crate::view) fn new(
        profile: &'a Profile,
        names: &'a Names,
        by: &'a [Key],
    ) -> RowIndex<'a> {
        let mut texts = Strings::default();
        let inputs = profile.inputs.iter().map(|input| texts.intern(input.name.as_bytes()));
        RowIndex {
            profile,
            names,
            by,
            inputs: inputs.collect(),
            addresses: Addresses::new(profile, by),
            texts,
            rows: Lists::default(),
            ids: HashMap::default(),
            shapes: HashMap::default(),
            follow: Follow::of(by),
            known: Vec::new(),
            of_frame: vec![None; profile.frames().len()],
            values: Vec::new(),
        }
    }

    /// Sets other names for the inputs, one for each.
    pub(in crate::view) fn call_inputs<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.inputs = names.map(|name| self.texts.intern(name.as_bytes())).collect();
    }

    /// The values of a part that don't depend on its frames: the row that it counts in, or the values that
    /// the rows of its frames have in common.
    pub(in crate::view) fn shared_values(&mut self, part: &Part) -> u32 {
        let key = &self.profile.sample(part.sample).key;
        let from = match self.follow {
            Follow::Category => Some(self.names.category_id(key.stack).index()),
            Follow::Stack => Some(key.stack.index()),
            Follow::Part => None,
        };
        if let Some(&Some(known)) = from.and_then(|from| self.known.get(from)) {
            return known;
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.extend(self.by.iter().map(|by| self.value_of_sample(by, key, part)));
        let shared = self.rows.intern(&values);
        self.values = values;
        if let Some(from) = from {
            if self.known.len() <= from {
                self.known.resize(from + 1, None);
            }
            self.known[from] = Some(shared);
        }
        shared
    }

    /// Calls `row` with each row that a part counts in, and whether that is the row of the leaf frame.
    /// Only keys of frames have more than one row, and the same row can come several times.
    pub(in crate::view) fn rows_of(&mut self, part: &Part, row: impl FnMut(usize, bool)) {
        let shared = self.shared_values(part);
        self.rows_from(shared, part, row);
    }

    /// Calls `row` with each row of a part whose [`RowIndex::shared_values`] are known.
    pub(in crate::view) fn rows_from(
        &mut self,
        shared: u32,
        part: &Part,
        mut row: impl FnMut(usize, bool),
    ) {
        if !self.by.iter().any(Key::is_of_frames) {
            row(shared as usize, false);
            return;
        }
        let key = &self.profile.sample(part.sample).key;
        let stack = self.profile.stack(key.full);
        let by_address = self.addresses.are_shown();
        // Only the address depends on more than the frame.
        let places = match by_address {
            true => located::of_frames(self.profile, part.sample),
            false => Vec::new(),
        };
        for (at, &frame) in stack.iter().enumerate() {
            let place = places.get(at).copied();
            let known = match (place, self.of_frame[frame.index()]) {
                (None, Some((with, row))) if with == shared => row,
                (None, _) => {
                    let row = self.row_of_frame(shared, frame, None);
                    self.of_frame[frame.index()] = Some((shared, row));
                    row
                }
                (place, _) => self.row_of_frame(shared, frame, place),
            };
            row(known as usize, at == 0);
        }
    }

    fn row_of_frame(&mut self, shared: u32, frame: FrameId, place: Option<Located>) -> u32 {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.extend_from_slice(self.rows.get(shared));
        for (value, by) in values.iter_mut().zip(self.by).filter(|(_, by)| by.is_of_frames()) {
            *value = match place {
                Some(place) if !matches!(by, Key::Package | Key::Module) => {
                    place.value(self.profile, &mut self.texts, by, &self.addresses)
                }
                _ => value_of_frame(self.profile, &mut self.texts, by, frame),
            };
        }
        // A function without a name is shown by its file, and without a file by its address.
        let func = self.profile.func(frame);
        if is_unsymbolized(func) {
            let names = || self.by.iter().enumerate().filter(|(_, by)| by.is_name());
            let first = names().next().map(|(at, _)| at);
            if let Some(at) = first.filter(|_| names().all(|(at, _)| values[at].is_none())) {
                values[at] = Some(self.texts.intern(func));
            }
        }
        let row = self.rows.intern(&values);
        self.values = values;
        row
    }

    /// Checks that the values of all rows aren't too long together: each row gets its own copy of them.
    ///
    /// # Errors
    /// If they have more bytes than [`key_texts`](crate::limits::Limits::key_texts).
    pub(in crate::view) fn check_texts(&self) -> Result<()> {
        let rows = (0..self.rows.len() as u32).map(|row| self.rows.get(row));
        let length = |value: &Value| value.map_or(0, |value| self.texts.get(value).len());
        let bytes: usize = rows.flatten().map(length).sum();
        let most = LIMITS.key_texts;
        if bytes <= most {
            return Ok(());
        }
        let what = format!(
            "the values of {} rows have more than {most} bytes (key_texts)",
            self.rows.len()
        );
        let advice = "select less, or count by fewer keys or by keys with fewer values";
        Err(Error::new(ErrorKind::Limit, "--by", what).advise(advice))
    }

    /// How many rows there are.
    pub(in crate::view) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The values of a row, one for each key.
    pub(in crate::view) fn values(&self, row: usize) -> Vec<Option<String>> {
        let values = self.rows.get(row as u32).iter();
        let text = |value: StrId| lossy(self.texts.get(value));
        values.map(|value| value.map(text)).collect()
    }

    fn value_of_sample(&mut self, by: &Key, key: &SampleKey, part: &Part) -> Value {
        let (profile, names) = (self.profile, self.names);
        let text = match by {
            Key::Category => names.category(key.stack),
            Key::Name => names.name(profile, key.stack),
            Key::State => profile.str(key.state?),
            Key::Kind => key.kind.name().as_bytes(),
            Key::Wait => WAITS[part.range?].1.as_bytes(),
            Key::Input => return Some(self.inputs[key.input.index()]),
            Key::Creator => profile.func(key.creator?),
            Key::Label(label) => {
                let of_path = profile.input(key.input).labels;
                let value = label_value(profile, key.labels, label)
                    .or_else(|| label_value(profile, of_path, label))?;
                return Some(self.texts.intern(&value));
            }
            Key::Stack | Key::Id => {
                let texts = &mut self.texts;
                let id = self.ids.entry(key.stack);
                return Some(*id.or_insert_with(|| {
                    texts.intern(ids::id(profile, key.stack).to_string().as_bytes())
                }));
            }
            Key::Shape => {
                let texts = &mut self.texts;
                let shape = self.shapes.entry(key.stack);
                return Some(*shape.or_insert_with(|| {
                    texts.intern(ids::shape(profile, key.stack).to_string().as_bytes())
                }));
            }
            Key::Package | Key::Function | Key::File | Key::Line | Key::Address | Key::Module => {
                return None;
            }
        };
        Some(self.texts.intern(text))
    }
}

/// The name of frames with these values, as pprof prints it.
pub(in crate::view) fn printed(by: &[Key], values: &[Option<String>]) -> String {
    let mut known: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    let is_told = by.iter().zip(values).any(|(key, value)| *key != Key::Address && value.is_some());
    if !is_told {
        known.push("<unknown>");
    }
    known.join(" ")
}

fn value_of_frame(profile: &Profile, texts: &mut Strings, by: &Key, id: FrameId) -> Value {
    let frame = profile.frame(id);
    let (func, file) = (profile.str(frame.func), profile.str(frame.file));
    let module;
    let text = match by {
        Key::Package | Key::Module | Key::Function if is_unsymbolized(func) => b"",
        // With the key `address`, tables show addresses there.
        Key::File | Key::Line if is_address(func, file) => b"",
        Key::Package => package(func),
        Key::Module => {
            module = profile.module(id);
            &module
        }
        Key::Function => func,
        Key::File => file,
        // Some tools only know a number and no file.
        Key::Line => return located::text(texts, file, frame.line, 0),
        _ => b"",
    };
    (!text.is_empty()).then(|| texts.intern(text))
}

fn label_value<'a>(
    profile: &'a Profile,
    labels: LabelsId,
    key: &str,
) -> Option<std::borrow::Cow<'a, [u8]>> {
    let found =
        profile.labels(labels).iter().find(|label| profile.str(label.key) == key.as_bytes());
    found.map(|label| profile.label_text(label.value))
}

/// Compares rows by their values for these keys.
pub(in crate::view) fn by_keys(by: &[Key], a: &[Option<String>], b: &[Option<String>]) -> Ordering {
    let pairs = by.iter().zip(a.iter().zip(b));
    pairs
        .map(|(key, (a, b))| compare(key, a, b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Compares two values of a key; unknown values come last.
fn compare(key: &Key, a: &Option<String>, b: &Option<String>) -> Ordering {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none().cmp(&b.is_none()) };
    let position = |text: &str| WAITS.iter().position(|(_, range)| *range == text);
    match key {
        Key::Wait => position(a).cmp(&position(b)),
        Key::Input | Key::Label(_) | Key::Line => natural(a.as_bytes(), b.as_bytes()),
        _ => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_is_known_of_is_called_so_behind_its_address() {
        let name = |by: &str, values: &[Option<&str>]| {
            let values: Vec<_> = values.iter().map(|value| value.map(str::to_owned)).collect();
            printed(&Key::list(by).unwrap(), &values)
        };
        assert_eq!(name("function,line", &[Some("main.f"), Some("f.go:3")]), "main.f f.go:3");
        assert_eq!(name("function,line", &[None, Some("f.go:3")]), "f.go:3");
        assert_eq!(name("package", &[None]), "<unknown>");
        assert_eq!(name("address,package", &[Some("00401000"), None]), "00401000 <unknown>");
        assert_eq!(name("address,package", &[Some("00401000"), Some("main")]), "00401000 main");
    }
}
