//! The keys of `--by`, which rows are made of.

use crate::error::{Error, Result};

/// A key that goroutines are counted by.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// Category of the stack.
    Category,
    /// Name of the stack.
    Name,
    /// The stack itself, by its id.
    Stack,
    /// The stack itself, under the name that `diff` uses for it.
    Id,
    /// The shape of the stack, which is the same in other builds and Go versions.
    Shape,
    /// State as Go prints it.
    State,
    /// State made comparable across Go versions.
    Kind,
    /// Minutes blocked, in the ranges of [`WAITS`].
    Wait,
    /// Name of the input.
    Input,
    /// Value of a label; the goroutine's own label comes before that of the input's path.
    Label(String),
    /// Function of the `go` statement that created the goroutine.
    Creator,
    /// Package of each frame.
    Package,
    /// Each frame's function.
    Function,
    /// Each frame's file.
    File,
    /// Each frame's place, `file:line`.
    Line,
    /// Each frame's address, if the input has it.
    Address,
    /// Module of each frame.
    Module,
}

/// Every key that is one word, with its help text.
pub const KEYS: [(Key, &str, &str); 16] = [
    (Key::Category, "category", "where the stack comes from"),
    (Key::Name, "name", "what the stack is doing"),
    (Key::Stack, "stack", "the stack itself, by its id"),
    (Key::Id, "id", "the same as stack"),
    (Key::Shape, "shape", "the stack without lines and what else differs between builds"),
    (Key::State, "state", "the state as Go prints it"),
    (Key::Kind, "kind", "the state made comparable across Go versions"),
    (Key::Wait, "wait", "minutes blocked, in ranges"),
    (Key::Input, "input", "the input"),
    (Key::Creator, "creator", "the function that created the goroutine"),
    (Key::Package, "package", "packages of all frames"),
    (Key::Function, "function", "functions of all frames"),
    (Key::File, "file", "files of all frames"),
    (Key::Line, "line", "places of all frames"),
    (Key::Address, "address", "addresses of all frames, in hexadecimal digits"),
    (Key::Module, "module", "modules of all frames"),
];

/// The ranges of [`Key::Wait`] with the minute that each starts at; `--wait` accepts every one.
pub const WAITS: [(u32, &str); 7] = [
    (0, "0"),
    (1, "1-4"),
    (5, "5-9"),
    (10, "10-29"),
    (30, "30-59"),
    (60, "60-1439"),
    (1440, "1440+"),
];

/// The position in [`WAITS`] of the range for these minutes.
pub fn wait_range(minutes: f32) -> usize {
    WAITS.iter().rposition(|(start, _)| *start as f32 <= minutes).unwrap_or(0)
}

impl Key {
    /// The keys in a list with commas.
    ///
    /// # Errors
    /// If one of them isn't known; points at it.
    pub fn list(text: &str) -> Result<Vec<Key>> {
        let mut keys = Vec::new();
        let mut column = 1;
        for word in text.split(',') {
            let key = Key::from_name(word.trim()).ok_or_else(|| unknown(text, column, word))?;
            if keys.contains(&key) {
                let what = format!("{:?} stands twice", word.trim());
                return Err(Error::usage("--by", text, column, what).advise("leave one out"));
            }
            keys.push(key);
            column += word.chars().count() + 1;
        }
        Ok(keys)
    }

    fn from_name(name: &str) -> Option<Key> {
        if let Some(label) = name.strip_prefix("label:") {
            return (!label.is_empty()).then(|| Key::Label(label.to_owned()));
        }
        KEYS.iter().find(|(_, known, _)| *known == name).map(|(key, ..)| key.clone())
    }

    /// The name on the command line, and of the field in JSON.
    pub fn name(&self) -> String {
        match self {
            Key::Label(label) => format!("label:{label}"),
            key => KEYS
                .iter()
                .find(|(known, ..)| known == key)
                .map_or_else(String::new, |(_, name, _)| (*name).to_owned()),
        }
    }

    /// Whether it is a key of frames, so that a goroutine counts in several rows.
    pub fn is_of_frames(&self) -> bool {
        matches!(
            self,
            Key::Package | Key::Function | Key::File | Key::Line | Key::Address | Key::Module
        )
    }

    /// Whether it depends only on the stack that Go's own text shows.
    pub(super) fn is_of_stack(&self) -> bool {
        matches!(self, Key::Category | Key::Name | Key::Stack | Key::Id | Key::Shape)
    }

    /// Whether it is part of the name of a frame in pprof.
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Key::Function | Key::File | Key::Line)
    }

    /// Whether it is the same for all samples that [`super::part::joined`] adds up.
    pub(super) fn is_of_joined(&self) -> bool {
        !matches!(self, Key::Label(_) | Key::Creator | Key::Address | Key::Wait)
    }
}

fn unknown(text: &str, column: usize, word: &str) -> Error {
    let name = word.trim();
    let column = column + word.chars().take_while(|char| char.is_whitespace()).count();
    if name == "label:" || name == "label" {
        return Error::usage("--by", text, column, "the label's key is missing")
            .advise("write label:KEY");
    }
    let error = Error::usage("--by", text, column, format!("unknown key {name:?}"));
    error.advise_one_of(name, KEYS.iter().map(|(_, known, _)| *known).chain(["label:KEY"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    #[test]
    fn lists_hold_keys_and_labels() {
        let keys = Key::list("category, label:tenant,function").unwrap();
        assert_eq!(keys, [Key::Category, Key::Label("tenant".to_owned()), Key::Function]);
        let names: Vec<String> = keys.iter().map(Key::name).collect();
        assert_eq!(names, ["category", "label:tenant", "function"]);
    }

    #[test]
    fn every_key_is_read_back_from_its_name() {
        for (key, name, _) in KEYS {
            assert_eq!(key.name(), name);
            assert_eq!(Key::list(name).unwrap(), [key]);
        }
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let error = Key::list("category,fucntion").unwrap_err();
        assert_eq!(error.place, Some(Place::Column(10)));
        assert_eq!(error.advice.as_deref(), Some("did you mean function?"));
        let error = Key::list("category, zzz").unwrap_err();
        assert_eq!(error.place, Some(Place::Column(11)));
        assert!(error.advice.unwrap().starts_with("use one of category, name"));
        assert_eq!(Key::list("").unwrap_err().place, Some(Place::Column(1)));
        for without_key in ["state,label:", "state,label"] {
            let error = Key::list(without_key).unwrap_err();
            assert_eq!(error.place, Some(Place::Column(7)));
            assert_eq!(error.advice.as_deref(), Some("write label:KEY"), "{without_key}");
        }
        assert_eq!(Key::list("state,kind,state").unwrap_err().place, Some(Place::Column(12)));
    }

    #[test]
    fn waits_fall_into_the_range_that_names_them() {
        for (minutes, range) in [
            (0.0, "0"),
            (0.5, "0"),
            (1.0, "1-4"),
            (4.9, "1-4"),
            (5.0, "5-9"),
            (29.0, "10-29"),
            (59.0, "30-59"),
            (60.0, "60-1439"),
            (1440.0, "1440+"),
            (1e9, "1440+"),
        ] {
            assert_eq!(WAITS[wait_range(minutes)].1, range, "{minutes}");
        }
    }
}
