//! Texts that expressions look at.

use super::set::Set;

/// Which bytes a text is made of.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) struct Contents {
    /// At least these; what isn't ASCII may add others, and what was cut off is still there.
    pub(super) bytes: Set,
    pub(super) is_ascii: bool,
}

impl Contents {
    pub(in crate::rules) fn of(text: &[u8]) -> Contents {
        Contents { bytes: Set::NONE, is_ascii: true }.with(text)
    }

    /// What it is made of after some of it was replaced.
    pub(in crate::rules) fn with(self, text: &[u8]) -> Contents {
        let bytes = text.iter().fold(self.bytes, |set, byte| set | Set::only(*byte));
        Contents { bytes, is_ascii: self.is_ascii && text.is_ascii() }
    }
}

/// A text and what it is made of: most expressions need a byte that isn't there.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) struct Subject<'t> {
    pub(in crate::rules) text: &'t [u8],
    pub(in crate::rules) contents: Contents,
}

impl<'t> From<&'t [u8]> for Subject<'t> {
    fn from(text: &'t [u8]) -> Subject<'t> {
        Subject { text, contents: Contents::of(text) }
    }
}
