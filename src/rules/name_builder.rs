//! Builds a name from parts, each put in front of the others.

use super::template::{CUT, append};
use crate::limits::LIMITS;

/// The separator between the parts of a name.
const JOINER: &[u8] = " → ".as_bytes();

/// A text that grows at its front. It is kept at the end of `bytes`, so adding a part takes time by the
/// length of the part, however long the text is.
#[derive(Clone, Debug, Default)]
pub(super) struct NameBuilder {
    bytes: Vec<u8>,
    start: usize,
    is_full: bool,
}

impl NameBuilder {
    /// The text so far.
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Starts a new text, in the same memory.
    pub(super) fn clear(&mut self) {
        self.start = self.bytes.len();
        self.is_full = false;
    }

    /// Puts a part in front of the text, unless the text already starts with it; `…` in place of all
    /// that would make it too long.
    pub(super) fn prepend(&mut self, part: &[u8]) {
        if self.text().is_empty() {
            let mut short = Vec::new();
            let part = match part.len() > LIMITS.name {
                true => {
                    append(&mut short, part);
                    &short
                }
                false => part,
            };
            self.push(part);
        } else if !self.text().starts_with(part) && !self.is_full {
            self.is_full = self.text().len().saturating_add(part.len()) > LIMITS.name;
            self.push(JOINER);
            self.push(if self.is_full { CUT } else { part });
        }
    }

    fn push(&mut self, text: &[u8]) {
        if self.start < text.len() {
            let more = self.bytes.len().max(text.len()).max(64);
            self.bytes.splice(0..0, std::iter::repeat_n(0, more));
            self.start += more;
        }
        let end = self.start;
        self.start -= text.len();
        self.bytes[self.start..end].copy_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_stand_in_front_and_are_not_repeated() {
        let mut name = NameBuilder::default();
        for part in ["", "read", "net.Read", "net", "", "main.serve"] {
            name.prepend(part.as_bytes());
        }
        assert_eq!(name.text(), "main.serve → net.Read → read".as_bytes());
        name.clear();
        assert_eq!(name.text(), b"");
        let long = "x".repeat(1000);
        name.prepend(long.as_bytes());
        name.prepend(b"y");
        assert_eq!(name.text(), format!("y → {long}").as_bytes());
    }

    #[test]
    fn a_name_that_grows_too_long_says_that_its_start_is_missing() {
        let mut name = NameBuilder::default();
        for letter in ["x", "y"].iter().cycle().take(100) {
            name.prepend(letter.repeat(1000).as_bytes());
        }
        assert!(name.text().starts_with("… → ".as_bytes()), "{}", name.text().len());
        assert!(name.text().len() < LIMITS.name + 10, "{}", name.text().len());
        name.clear();
        name.prepend(b"x");
        name.prepend(b"y");
        assert_eq!(name.text(), "y → x".as_bytes(), "the next name starts anew");
        name.clear();
        name.prepend(&vec![b'x'; 2 * LIMITS.name]);
        assert_eq!(name.text(), ["x".repeat(LIMITS.name).as_bytes(), CUT].concat());
    }
}
