//! Words of which a text must have one to hold a dump.

use crate::format::start::RACE;
use memchr::memmem;
use std::sync::LazyLock;

/// A searcher that is built once; building one costs more than searching a line.
pub(super) type Finder = LazyLock<memmem::Finder<'static>>;

pub(super) const fn finder(make: fn() -> memmem::Finder<'static>) -> Finder {
    LazyLock::new(make)
}

/// Every start of a dump contains one of these words; the first is that of headers.
static WORDS: [Finder; 9] = [
    finder(|| memmem::Finder::new(b"goroutine ")),
    finder(|| memmem::Finder::new(b"panic: ")),
    finder(|| memmem::Finder::new(b"fatal error: ")),
    finder(|| memmem::Finder::new(b"Goroutine ")),
    finder(|| memmem::Finder::new(b" profile: ")),
    finder(|| memmem::Finder::new(b"--- ")),
    finder(|| memmem::Finder::new(RACE)),
    finder(|| memmem::Finder::new(b"SIG")),
    finder(|| memmem::Finder::new(b"PC=0x")),
];

/// The position of the first of [`WORDS`] in a text.
pub(super) fn keyword(text: &[u8]) -> Option<usize> {
    let mut text = text;
    let mut first = None;
    for word in &WORDS {
        if let Some(at) = word.find(text) {
            first = Some(at);
            // Only an earlier word matters now. It can overlap this one, but no word contains another.
            let end = at.saturating_add(word.needle().len());
            text = text.get(..end).unwrap_or(text);
        }
    }
    first
}

/// Whether a text has a word with which the message of a crash starts.
pub(crate) fn names_crash(text: &[u8]) -> bool {
    let [_, panic, fatal, ..] = &WORDS;
    [panic, fatal].iter().any(|word| word.find(text).is_some())
}

/// The word in headers.
pub(super) fn header_word() -> &'static memmem::Finder<'static> {
    let [word, ..] = &WORDS;
    word
}

/// Words in the first line of a profile of contention or of a heap.
static VALUES: [Finder; 3] = [
    finder(|| memmem::Finder::new(b"--- mutex:")),
    finder(|| memmem::Finder::new(b"--- contention:")),
    finder(|| memmem::Finder::new(b"heap profile: ")),
];

/// Whether a text may hold the first line of a profile of contention or of a heap.
pub(super) fn names_values(text: &[u8]) -> bool {
    VALUES.iter().any(|word| word.find(text).is_some())
}

/// Whether a text contains the word in headers, without which nothing in it wraps a goroutine.
pub(crate) fn names_goroutine(text: &[u8]) -> bool {
    header_word().find(text).is_some()
}
