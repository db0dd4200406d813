//! Templates of texts that occur again and again: a call and its place, the two halves of a header.
//!
//! Matches are compared byte by byte. The hash only covers the ends of the texts: the comparison
//! checks the rest, and hashing every byte took a tenth of the whole time.

use crate::simd::{Kernel, WIDTH};
use hashbrown::HashTable;
use std::ops::Range;

/// How many templates with one hash are kept. A hostile text can have thousands of them; those
/// beyond this number are never found, so each costs the same.
pub(super) const CROWD: usize = 16;

/// For how many templates there is room at first, and for half as many paths: as in a dump of 1 MB.
/// Growing the tables from nothing took 4 % of its time.
pub(super) const ROOM: usize = 1 << 10;

/// What a template is for; equal texts can be templates of several sorts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    Header,
    /// Prefix up to the parenthesis before the arguments, suffix from the one after them.
    Call,
    /// Prefix up to the number of its goroutine, suffix from the end of the line.
    Creator,
    /// A creator without a goroutine, as before Go 1.21.
    OldCreator,
    /// Only the line.
    Gap,
}

/// The position of a template in the order of insertion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct TemplateId(u32);

impl TemplateId {
    /// How many templates were inserted before this one.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A prefix and a suffix in a text, with their hash.
#[derive(Clone, Debug)]
pub(super) struct Template<'a> {
    sort: Sort,
    /// The text from the start of the prefix, and from that of the suffix.
    prefix: &'a [u8],
    suffix: &'a [u8],
    prefix_length: usize,
    suffix_length: usize,
    hash: u64,
}

impl<'a> Template<'a> {
    #[inline(always)]
    pub(super) fn new(
        sort: Sort,
        text: &'a [u8],
        prefix: Range<usize>,
        suffix: Range<usize>,
    ) -> Option<Template<'a>> {
        let prefix_length = prefix.end.checked_sub(prefix.start)?;
        let suffix_length = suffix.end.checked_sub(suffix.start)?;
        let (prefix, suffix) = (text.get(prefix.start..)?, text.get(suffix.start..)?);
        let hash = hash(sort, prefix.get(..prefix_length)?, suffix.get(..suffix_length)?);
        Some(Template { sort, prefix, suffix, prefix_length, suffix_length, hash })
    }

    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// The lengths of prefix and suffix.
    #[inline(always)]
    pub(super) fn lengths(&self) -> (usize, usize) {
        (self.prefix_length, self.suffix_length)
    }

    pub(super) fn prefix(&self) -> &'a [u8] {
        self.prefix.get(..self.prefix_length).unwrap_or_default()
    }

    pub(super) fn suffix(&self) -> &'a [u8] {
        self.suffix.get(..self.suffix_length).unwrap_or_default()
    }
}

/// The result of looking a template up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    Before(TemplateId),
    Never,
    /// Too many others have its hash for it to be looked up or kept.
    Crowd,
}

/// The prefix and suffix of a template, as kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Texts {
    /// The first bytes of the prefix, and which bytes of the window belong to it.
    prefix_front: [u8; WIDTH],
    prefix_bits: u64,
    /// The first bytes of the suffix, and which bytes of the window belong to it.
    suffix_front: [u8; WIDTH],
    suffix_bits: u64,
    /// Where they start in the bytes of all templates.
    start: u32,
    /// The length of the prefix.
    pub(super) prefix: u16,
    /// The length of the suffix.
    suffix: u16,
    pub(super) sort: Sort,
    /// Where in the suffix the first line of a step ends.
    pub(super) lead: u8,
    /// Whether the suffix ends with its line.
    pub(super) whole: bool,
    /// Whether prefix and suffix fit in a window.
    short: bool,
    /// Whether they are those of a call, short and whole.
    pub(super) plain: bool,
}

impl Texts {
    /// The bits of bytes in two windows that differ from prefix and suffix.
    #[inline(always)]
    pub(super) fn differing_bytes(
        &self,
        prefix: &[u8; WIDTH],
        suffix: &[u8; WIDTH],
        kernel: impl Kernel,
    ) -> u64 {
        !kernel.compare(prefix, &self.prefix_front) & self.prefix_bits
            | !kernel.compare(suffix, &self.suffix_front) & self.suffix_bits
    }
}

/// The templates seen so far.
#[derive(Debug)]
pub(super) struct Templates {
    /// Positions by hash.
    numbers: HashTable<TemplateId>,
    hashes: Vec<u64>,
    texts: Vec<Texts>,
    /// All bytes of the texts, each suffix right after its prefix.
    bytes: Vec<u8>,
}

impl Default for Templates {
    fn default() -> Templates {
        Templates {
            numbers: HashTable::with_capacity(ROOM),
            hashes: Vec::with_capacity(ROOM),
            texts: Vec::with_capacity(ROOM),
            bytes: Vec::with_capacity(ROOM.saturating_mul(128)),
        }
    }
}

impl Templates {
    /// Looks a template up.
    pub(super) fn find(&self, template: &Template<'_>) -> Seen {
        let mut others: usize = 0;
        let same = |id: &TemplateId| {
            if others >= CROWD || self.hashes.get(id.index()) != Some(&template.hash) {
                return false;
            }
            let same = self.texts(*id).is_some_and(|texts| self.equals(texts, template));
            others = others.saturating_add(usize::from(!same));
            same
        };
        match self.numbers.find(template.hash, same) {
            Some(&id) => Seen::Before(id),
            None if others >= CROWD => Seen::Crowd,
            None => Seen::Never,
        }
    }

    /// The texts of a template.
    #[inline(always)]
    pub(super) fn texts(&self, id: TemplateId) -> Option<&Texts> {
        self.texts.get(id.index())
    }

    /// The texts of all templates.
    #[inline(always)]
    pub(super) fn all(&self) -> &[Texts] {
        &self.texts
    }

    /// The bytes of all texts.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn equals(&self, texts: &Texts, template: &Template<'_>) -> bool {
        let kept = self.bytes.get(texts.start as usize..).unwrap_or_default();
        texts.sort == template.sort
            && (usize::from(texts.prefix), usize::from(texts.suffix)) == template.lengths()
            && kept
                .strip_prefix(template.prefix())
                .is_some_and(|kept| kept.starts_with(template.suffix()))
    }

    /// Whether two texts start with prefix and suffix of a template.
    ///
    /// Also false if one of them is shorter than a window, which is rare: the caller has another
    /// way to find out.
    #[inline(always)]
    pub(super) fn starts_match(
        &self,
        texts: &Texts,
        prefix: &[u8],
        suffix: &[u8],
        kernel: impl Kernel,
    ) -> bool {
        let (Some(prefix_front), Some(suffix_front)) = (prefix.first_chunk(), suffix.first_chunk())
        else {
            return false;
        };
        texts.differing_bytes(prefix_front, suffix_front, kernel) == 0
            && (texts.short || self.rest_matches(texts, prefix, suffix))
    }

    /// Whether two texts match prefix and suffix after their first bytes.
    fn rest_matches(&self, texts: &Texts, prefix: &[u8], suffix: &[u8]) -> bool {
        let kept = self.bytes.get(texts.start as usize..).unwrap_or_default();
        let matches = |text: &[u8], kept: &[u8], length: usize| {
            length <= WIDTH
                || kept.get(WIDTH..length).is_some_and(|kept| text.get(WIDTH..length) == Some(kept))
        };
        matches(prefix, kept, texts.prefix.into())
            && kept
                .get(texts.prefix.into()..)
                .is_some_and(|kept| matches(suffix, kept, texts.suffix.into()))
    }

    /// Whether a template is the one with this id; also false in the case of
    /// [`Templates::starts_match`].
    #[inline(always)]
    pub(super) fn is_at(
        &self,
        id: TemplateId,
        template: &Template<'_>,
        kernel: impl Kernel,
    ) -> bool {
        let Some(texts) = self.texts(id) else { return false };
        texts.sort == template.sort
            && (usize::from(texts.prefix), usize::from(texts.suffix)) == template.lengths()
            && self.starts_match(texts, template.prefix, template.suffix, kernel)
    }

    /// Where the texts of the next template will start.
    pub(super) fn next_start(&self) -> Option<u32> {
        u32::try_from(self.bytes.len()).ok()
    }

    /// Inserts a template that was never seen; `None` if there is no room for more.
    pub(super) fn insert(&mut self, template: &Template<'_>) -> Option<TemplateId> {
        let id = TemplateId(u32::try_from(self.texts.len()).ok()?);
        let (prefix, suffix) = (template.prefix(), template.suffix());
        let lead = memchr::memchr(b'\n', suffix).unwrap_or(0);
        let (prefix_front, prefix_bits) = front(prefix);
        let (suffix_front, suffix_bits) = front(suffix);
        let whole = suffix.ends_with(b"\n");
        let short = prefix.len().max(suffix.len()) <= WIDTH;
        self.texts.push(Texts {
            prefix_front,
            prefix_bits,
            suffix_front,
            suffix_bits,
            start: self.next_start()?,
            prefix: u16::try_from(prefix.len()).ok()?,
            suffix: u16::try_from(suffix.len()).ok()?,
            sort: template.sort,
            lead: u8::try_from(lead).ok()?,
            whole,
            short,
            plain: template.sort == Sort::Call && whole && short,
        });
        self.bytes.extend_from_slice(prefix);
        self.bytes.extend_from_slice(suffix);
        self.hashes.push(template.hash);
        let hashes = &self.hashes;
        let hash_of = |id: &TemplateId| hashes.get(id.index()).copied().unwrap_or_default();
        self.numbers.insert_unique(template.hash, id, hash_of);
        Some(id)
    }
}

/// The first bytes of a text, and a bit for each.
fn front(text: &[u8]) -> ([u8; WIDTH], u64) {
    let mut front = [0; WIDTH];
    let length = text.len().min(WIDTH);
    if let (Some(kept), Some(text)) = (front.get_mut(..length), text.get(..length)) {
        kept.copy_from_slice(text);
    }
    (front, !u64::MAX.unbounded_shl(length as u32))
}

/// Hashes the ends of two texts: there functions of one package differ, and places in one folder.
#[inline(always)]
fn hash(sort: Sort, prefix: &[u8], suffix: &[u8]) -> u64 {
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
    let (prefix_first, prefix_last) = match (prefix.first_chunk(), prefix.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (short(prefix), 0),
    };
    let (suffix_first, suffix_last) = match suffix.last_chunk::<16>() {
        Some(last) => {
            let last = u128::from_le_bytes(*last);
            (last as u64, (last >> 64) as u64)
        }
        None => (short(suffix), 0),
    };
    let lengths = (prefix.len() as u64) << 34 ^ (suffix.len() as u64) << 3 ^ sort as u64;
    let left = prefix_first.wrapping_add(suffix_last.rotate_left(29)) ^ ODD[0];
    let right =
        prefix_last.rotate_left(11).wrapping_add(suffix_first).wrapping_add(lengths) ^ ODD[1];
    fold(left, right)
}

/// Multiplies two numbers and combines both halves of the product.
#[inline(always)]
pub(super) fn fold(prefix: u64, other: u64) -> u64 {
    let product = u128::from(prefix).wrapping_mul(u128::from(other));
    product as u64 ^ (product >> 64) as u64
}

/// The bytes of a text of less than 16 bytes; without a loop for more than seven, such as `
/// minutes]:`.
#[inline(always)]
fn short(text: &[u8]) -> u64 {
    match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from_le_bytes(*first).rotate_left(32) ^ u64::from_le_bytes(*last)
        }
        _ => text.iter().fold(0, |bytes: u64, &byte| bytes.rotate_left(8) ^ u64::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Task, on_this_machine};
    use proptest::prelude::*;

    fn template<'a>(sort: Sort, text: &'a [u8], cut: usize) -> Template<'a> {
        Template::new(sort, text, 0..cut, cut..text.len()).expect("inside the text")
    }

    proptest! {
        #[test]
        fn a_pair_is_found_by_its_own_bytes_alone(
            prefix in "[ab]{0,140}", suffix in "[ab]{0,140}", behind in "[ab]{0,80}", at in 0..280_usize,
        ) {
            let text = format!("{prefix}{suffix}{behind}").into_bytes();
            let whole = Template::new(Sort::Call, &text, 0..prefix.len(), prefix.len()..prefix.len() + suffix.len());
            let mut templates = Templates::default();
            let id = templates.insert(whole.as_ref().expect("inside the text")).expect("room");
            let mut other = format!("{prefix}{suffix}").into_bytes();
            prop_assert_eq!(templates.find(&template(Sort::Call, &other, prefix.len())), Seen::Before(id));
            prop_assert_eq!(templates.find(&template(Sort::Creator, &other, prefix.len())), Seen::Never);
            if prefix.len() + suffix.len() > 0 {
                let at = at % other.len();
                other[at] ^= 1;
                prop_assert_eq!(templates.find(&template(Sort::Call, &other, prefix.len())), Seen::Never);
                other[at] ^= 1;
                let moved = (prefix.len() + 1) % (other.len() + 1);
                prop_assert_eq!(templates.find(&template(Sort::Call, &other, moved)), Seen::Never);
            }
        }
    }

    #[derive(Clone, Copy)]
    struct Starting<'a>(&'a Templates, TemplateId, &'a [u8], &'a [u8]);

    impl Task for Starting<'_> {
        type Output = bool;

        #[inline(always)]
        fn run(self, kernel: impl Kernel) -> bool {
            let Starting(templates, id, prefix, suffix) = self;
            templates
                .texts(id)
                .is_some_and(|texts| templates.starts_match(texts, prefix, suffix, kernel))
        }
    }

    proptest! {
        #[test]
        fn texts_start_with_those_of_a_pair_up_to_the_first_byte_that_differs(
            prefix in 0..200_usize, suffix in 0..200_usize, more in 0..100_usize, differs in 0..500_usize,
        ) {
            let text = vec![b'a'; prefix + suffix];
            let mut templates = Templates::default();
            let template = Template::new(Sort::Call, &text, 0..prefix, prefix..prefix + suffix).expect("inside");
            let id = templates.insert(&template).expect("room");
            let mut texts = (vec![b'a'; prefix + more], vec![b'a'; suffix + more]);
            if let Some(byte) = texts.0.iter_mut().chain(&mut texts.1).nth(differs) {
                *byte = b'b';
            }
            let is_same = texts.0[..prefix] == text[..prefix] && texts.1[..suffix] == text[..suffix];
            let has_windows = texts.0.len().min(texts.1.len()) >= WIDTH;
            let starting = Starting(&templates, id, &texts.0, &texts.1);
            prop_assert_eq!(on_this_machine(starting), is_same && has_windows);
        }
    }

    #[test]
    fn pairs_that_crowd_behind_one_hash_are_never_taken_for_each_other() {
        let mut templates = Templates::default();
        let mut kept = 0;
        for number in 0..100 {
            // The hash only covers the ends.
            let text = format!("main.aaaa{number:03}bbbbbbbb|/src/main.go:0000000012");
            let crowded = template(Sort::Call, text.as_bytes(), 20);
            match templates.find(&crowded) {
                Seen::Never => {
                    let id = templates.insert(&crowded).expect("room");
                    assert_eq!(templates.find(&crowded), Seen::Before(id));
                    kept += 1;
                }
                Seen::Crowd => {}
                Seen::Before(_) => panic!("{text} was never seen"),
            }
        }
        assert_eq!(kept, CROWD);
    }
}
