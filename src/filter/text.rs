//! `--match`: text in the stack, in a label, or in a goroutine id, whatever its case.

use super::frame::write_frame;
use super::label::labels_of;
use crate::profile::{FrameId, Profile, SampleKey, StackId};
use crate::rules::Names;
use bstr::ByteSlice;
use memchr::memmem::Finder;

/// Text to search for, in lower case.
#[derive(Clone, Debug)]
pub(super) struct Needle(Finder<'static>);

/// Appends the lower-case form; bytes that aren't UTF-8 stay as they are.
fn push_lower(text: &[u8], into: &mut Vec<u8>) {
    if text.is_ascii() {
        into.extend(text.iter().map(u8::to_ascii_lowercase));
    } else {
        text.to_lowercase_into(into);
    }
}

impl Needle {
    pub(super) fn new(text: &str) -> Needle {
        let mut lower = Vec::with_capacity(text.len());
        push_lower(text.as_bytes(), &mut lower);
        Needle(Finder::new(&lower).into_owned())
    }

    fn is_in(&self, lower: &[u8]) -> bool {
        self.0.find(lower).is_some()
    }

    /// Whether it can be found across the border between two frames, which a blank joins.
    pub(super) fn may_span_frames(&self) -> bool {
        let needle = self.0.needle();
        needle.is_empty() || needle.contains(&b' ')
    }

    /// Whether a label (`k=v`), a flag or the state (`state=...`) of the group contains it.
    pub(super) fn is_in_labels(
        &self,
        profile: &Profile,
        key: &SampleKey,
        buffer: &mut Vec<u8>,
    ) -> bool {
        let mut found = |prefix: &[u8], separator: &[u8], text: &[u8]| {
            buffer.clear();
            push_lower(prefix, buffer);
            buffer.extend_from_slice(separator);
            push_lower(text, buffer);
            self.is_in(buffer)
        };
        key.state.is_some_and(|state| found(b"state", b"=", profile.str(state)))
            || profile.flags(key.flags).iter().any(|&flag| found(b"", b"", profile.str(flag)))
            || labels_of(profile, key)
                .any(|label| found(profile.str(label.key), b"=", &profile.label_text(label.value)))
    }

    /// Which ids of an input it is found in; the ids are printed with this prefix (`n1.`).
    pub(super) fn in_ids(&self, prefix: &str) -> InIds {
        let mut lower = Vec::new();
        push_lower(prefix.as_bytes(), &mut lower);
        if self.is_in(&lower) {
            return InIds::All;
        }
        // After the prefix there are only digits.
        let needle = self.0.needle();
        let head = needle.trim_end_with(|c| c.is_ascii_digit());
        let digits = &needle[head.len()..];
        if digits.is_empty() {
            InIds::None
        } else if head.is_empty() {
            InIds::Containing(digits.to_vec())
        } else if lower.ends_with(head) {
            InIds::StartingWith(digits.to_vec())
        } else {
            InIds::None
        }
    }
}

/// Which goroutine ids of one input a text is found in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum InIds {
    None,
    All,
    Containing(Vec<u8>),
    StartingWith(Vec<u8>),
}

impl InIds {
    pub(super) fn holds(&self, id: u64) -> bool {
        let mut buffer = [0; 20];
        let digits = write_digits(id, &mut buffer);
        match self {
            InIds::None => false,
            InIds::All => true,
            InIds::Containing(part) => digits.contains_str(part),
            InIds::StartingWith(part) => digits.starts_with(part),
        }
    }
}

/// A number in decimal; 20 digits are enough for 64 bits.
fn write_digits(mut number: u64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut start = buffer.len();
    loop {
        start -= 1;
        buffer[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &buffer[start..];
        }
    }
}

/// Stacks as text to search in: `func file:line` of every frame after trimming, joined by blanks, in
/// lower case. Each frame is converted once.
#[derive(Debug, Default)]
pub(super) struct StackTexts {
    /// By frame; empty until the first text is searched for.
    frames: Vec<Option<Box<[u8]>>>,
    text: Vec<u8>,
    buffer: Vec<u8>,
}

impl StackTexts {
    /// Whether the text of the whole stack contains it.
    pub(super) fn stack_contains(
        &mut self,
        needle: &Needle,
        profile: &Profile,
        names: &Names,
        stack: StackId,
    ) -> bool {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        for (at, &frame) in profile.stack(stack).iter().enumerate() {
            if at > 0 {
                text.push(b' ');
            }
            text.extend_from_slice(self.frame(profile, names, frame));
        }
        self.text = text;
        needle.is_in(&self.text)
    }

    /// Whether the text of one frame contains it.
    pub(super) fn frame_contains(
        &mut self,
        needle: &Needle,
        profile: &Profile,
        names: &Names,
        frame: FrameId,
    ) -> bool {
        needle.is_in(self.frame(profile, names, frame))
    }

    fn frame(&mut self, profile: &Profile, names: &Names, frame: FrameId) -> &[u8] {
        self.frames.resize(profile.frames().len(), None);
        self.frames[frame.index()].get_or_insert_with(|| {
            self.buffer.clear();
            write_frame(profile, names, frame, &mut self.buffer);
            let mut lower = Vec::with_capacity(self.buffer.len());
            push_lower(&self.buffer, &mut lower);
            lower.into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_searched_as_printed() {
        for (text, prefix, expected) in [
            ("17", "", InIds::Containing(b"17".to_vec())),
            ("n1", "", InIds::None),
            ("17", "n1.", InIds::Containing(b"17".to_vec())),
            ("n1.17", "n1.", InIds::StartingWith(b"17".to_vec())),
            ("1.17", "n1.", InIds::StartingWith(b"17".to_vec())),
            (".17", "n1.", InIds::StartingWith(b"17".to_vec())),
            ("2.17", "n1.", InIds::None),
            ("n1", "n1.", InIds::All),
            ("n1.", "n1.", InIds::All),
            ("NodeA", "nodea.txt.", InIds::All),
            ("nodea", "NodeA.txt.", InIds::All),
            ("17x", "n1.", InIds::None),
            ("", "", InIds::All),
        ] {
            assert_eq!(Needle::new(text).in_ids(prefix), expected, "{text} in {prefix}");
        }
    }

    #[test]
    fn digits_at_the_start_or_anywhere_in_an_id() {
        assert!(InIds::Containing(b"17".to_vec()).holds(2170));
        assert!(!InIds::Containing(b"17".to_vec()).holds(107));
        assert!(InIds::StartingWith(b"17".to_vec()).holds(170));
        assert!(!InIds::StartingWith(b"17".to_vec()).holds(217));
        assert!(InIds::StartingWith(b"18446744073709551615".to_vec()).holds(u64::MAX));
        assert!(InIds::Containing(b"0".to_vec()).holds(0));
    }

    #[test]
    fn lower_case_goes_beyond_ascii_and_keeps_other_bytes() {
        let mut lower = Vec::new();
        push_lower("ÄÖÜ\u{130}".as_bytes(), &mut lower);
        push_lower(b"A\xffB\xc3", &mut lower);
        assert_eq!(lower, ["äöüi\u{307}".as_bytes(), b"a\xffb\xc3"].concat());
    }
}
