//! Pointers that several goroutines have as arguments.

use crate::filter::Selection;
use crate::profile::{InputId, Profile, StrId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::ops::Range;

/// Lower words are mostly sizes, ids and file descriptors: Go's programs start after 4 MB.
const LEAST: u64 = 1 << 20;

/// How many of the selected goroutines of an input have a pointer as an argument.
#[derive(Clone, Debug, Default)]
pub struct SharedPointers {
    counts: HashMap<(InputId, u64), u64, FixedState>,
}

impl SharedPointers {
    /// Counts the pointers of the selected goroutines; each once for a goroutine.
    pub fn of(profile: &Profile, selection: &Selection) -> SharedPointers {
        let mut shared = SharedPointers::default();
        if profile.arguments.is_empty() {
            return shared;
        }
        // Many goroutines have the same arguments, which are only read once.
        let mut lists: HashMap<(InputId, u32), u64, FixedState> = HashMap::default();
        for (at, goroutine) in profile.goroutines.iter().enumerate() {
            if selection.has_goroutine(profile, at) {
                let input = profile.sample(goroutine.sample).key.input;
                *lists.entry((input, profile.argument_list(at))).or_default() += 1;
            }
        }
        let mut pointers = Vec::new();
        for ((input, list), count) in lists {
            pointers.clear();
            for &text in profile.arguments.texts(list) {
                pointers.extend(words(profile.str(text)).map(|(_, word)| word));
            }
            pointers.sort_unstable();
            pointers.dedup();
            for &word in &pointers {
                *shared.counts.entry((input, word)).or_default() += count;
            }
        }
        shared.counts.retain(|_, count| *count > 1);
        shared
    }

    /// The pointers in these texts that several goroutines of an input have, each once, and how many
    /// goroutines have it.
    pub fn among(&self, profile: &Profile, input: InputId, texts: &[StrId]) -> Vec<(u64, u64)> {
        let of_text = |&text: &StrId| words(profile.str(text)).map(|(_, word)| word);
        let mut found: Vec<(u64, u64)> = texts
            .iter()
            .flat_map(of_text)
            .filter_map(|word| Some((word, *self.counts.get(&(input, word))?)))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Arguments with a mark after each such pointer: `0xc000010000 (40 goroutines), 0x1`.
    pub fn marked(&self, input: InputId, text: &[u8]) -> Vec<u8> {
        let mut marked = Vec::with_capacity(text.len());
        let mut from = 0;
        for (range, word) in words(text) {
            if let Some(count) = self.counts.get(&(input, word)) {
                marked.extend_from_slice(&text[from..range.end]);
                marked.extend_from_slice(format!(" ({count} goroutines)").as_bytes());
                from = range.end;
            }
        }
        marked.extend_from_slice(&text[from..]);
        marked
    }
}

/// The pointers in arguments, and their positions, including a `?` after them.
fn words(text: &[u8]) -> impl Iterator<Item = (Range<usize>, u64)> + '_ {
    memchr::memmem::find_iter(text, b"0x").filter_map(|start| {
        let digits = &text[start + 2..];
        let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let word = std::str::from_utf8(&digits[..count]).ok()?;
        let word = u64::from_str_radix(word, 16).ok()?;
        let doubt = usize::from(digits.get(count) == Some(&b'?'));
        (word >= LEAST).then_some((start..start + 2 + count + doubt, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ReadOptions, read};
    use crate::profile::{Input, InputFormat, Keep, ProfileBuilder};
    use crate::view::fixture::all;

    /// These arguments, with the marks that a dump gives them.
    fn marked_by(text: &str, arguments: &str) -> String {
        let keep = Keep {
            goroutines: true,
            creators: false,
            addresses: false,
            arguments: true,
            calls: false,
        };
        let mut builder = ProfileBuilder::new(keep);
        let input = Input::new("n1", "n1", InputFormat::Debug2);
        read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
        let profile = builder.finish();
        let shared = SharedPointers::of(&profile, &all(&profile));
        String::from_utf8(shared.marked(InputId(0), arguments.as_bytes())).unwrap()
    }

    #[test]
    fn pointers_of_several_goroutines_are_marked_with_their_number() {
        let one = |id, arguments| {
            format!("goroutine {id} [select]:\nmain.f({arguments})\n\t/s/a.go:1 +0x1\n\n")
        };
        let text = [
            one(1, "0xc000010000, 0xc000010000, 0x7"),
            one(2, "{0xc000010000?, 0x7}"),
            one(3, "0xc000010008, 0x7"),
        ];
        let marked = |arguments: &str| marked_by(&text.concat(), arguments);
        assert_eq!(
            marked("{0xc000010000?, 0x7}, 0xc000010008"),
            "{0xc000010000? (2 goroutines), 0x7}, 0xc000010008"
        );
        assert_eq!(marked("..."), "...");
        let sizes = [one(1, "0x100000, 0xfffff"), one(2, "0x100000, 0xfffff")].concat();
        assert_eq!(
            marked_by(&sizes, "0x100000, 0xfffff"),
            "0x100000 (2 goroutines), 0xfffff",
            "less is no pointer"
        );
    }
}
