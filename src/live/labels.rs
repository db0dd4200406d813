//! Labels and bubbles of goroutines; each is read once, as many goroutines share it.

use super::layout::{Goroutine, Layout};
use super::memory::Memory;
use crate::binary::BuildInfo;
use crate::limits::LIMITS;
use crate::profile::quote::{quoted, word};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// The labels and bubbles read so far, by address.
#[derive(Debug)]
pub(super) struct Labels<'a, M> {
    memory: &'a M,
    layout: Layout,
    /// Whether headers have labels.
    shown: bool,
    /// By the address of the set.
    labels: HashMap<u64, String>,
    /// Addresses of sets that can't be read: to find that out, 2 MiB of texts may have been read.
    unread: HashSet<u64>,
    /// The bytes of all texts in `labels`.
    held: usize,
    bubbles: HashMap<u64, Option<u64>>,
}

/// The largest number of label sets, and of bubbles, that are kept.
const MOST_KNOWN: usize = 1 << 10;
/// The size of a `Label`, which is two strings.
const LABEL: usize = 32;

impl<'a, M: Memory> Labels<'a, M> {
    pub(super) fn new(memory: &'a M, layout: Layout, shown: bool) -> Labels<'a, M> {
        let (labels, bubbles) = (HashMap::new(), HashMap::new());
        Labels { memory, layout, shown, labels, unread: HashSet::new(), held: 0, bubbles }
    }

    /// The number of a goroutine's bubble, if it is in one.
    pub(super) fn bubble(&mut self, goroutine: &Goroutine) -> Option<u64> {
        if goroutine.bubble == 0 {
            return None;
        }
        if self.bubbles.len() >= MOST_KNOWN {
            self.bubbles.clear();
        }
        let read = || self.layout.bubble_id(self.memory, goroutine.bubble);
        *self.bubbles.entry(goroutine.bubble).or_insert_with(read)
    }

    /// A goroutine's labels as in its header, empty if Go doesn't print them; `None` if they can't be read,
    /// or are more than [`LIMITS`] allows.
    pub(super) fn of(&mut self, goroutine: &Goroutine) -> Option<&str> {
        if goroutine.labels == 0 || !self.shown {
            return Some("");
        }
        if self.unread.contains(&goroutine.labels) {
            return None;
        }
        if self.labels.len() >= MOST_KNOWN || self.held > LIMITS.live_label_cache {
            self.labels.clear();
            self.held = 0;
        }
        match self.labels.entry(goroutine.labels) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(new) => {
                let set = read(self.memory, &self.layout, goroutine.labels);
                if set.is_none() {
                    self.unread.insert(goroutine.labels);
                }
                let set = new.insert(set?);
                self.held = self.held.saturating_add(set.len());
                Some(set)
            }
        }
    }
}

/// Reads a `label.Set` of `internal/runtime/pprof/label`: a slice of pairs of strings.
pub(super) fn read(memory: &impl Memory, layout: &Layout, set: u64) -> Option<String> {
    let list: [u8; 16] = memory.array(set)?;
    let (words, _) = list.as_chunks();
    let [start, len] = *words.first_chunk()?;
    let (start, len) = (u64::from_le_bytes(start), u64::from_le_bytes(len));
    if len == 0 {
        return Some(String::new());
    }
    let len = usize::try_from(len).ok().filter(|&len| len <= LIMITS.live_labels)?;
    let mut pairs = vec![0; len.checked_mul(LABEL)?];
    memory.fill(start, &mut pairs).then_some(())?;
    let (strings, _) = pairs.as_chunks::<16>();
    // Reads all strings, even after one that is missing: a copy notes them all as missing.
    let texts: Vec<Option<String>> =
        strings.iter().map(|string| text(memory, layout, string)).collect();
    let texts: Option<Vec<String>> = texts.into_iter().collect();
    let pairs: Vec<String> = texts?.chunks_exact(2).map(|pair| pair.join(": ")).collect();
    let start = if layout.minor == 26 { " labels:{" } else { " {" };
    Some(format!("{start}{}}}", pairs.join(", ")))
}

fn text(memory: &impl Memory, layout: &Layout, string: &[u8; 16]) -> Option<String> {
    let (words, _) = string.as_chunks();
    let [start, len] = words.first_chunk()?.map(u64::from_le_bytes);
    let len = usize::try_from(len).ok().filter(|&len| len <= LIMITS.live_label)?;
    let mut bytes = vec![0; len];
    if len > 0 {
        memory.fill(start, &mut bytes).then_some(())?;
    }
    // Go 1.26 quotes all of them.
    Some(if layout.minor > 26 { word(&bytes) } else { quoted(&bytes) })
}

/// Whether a program prints labels in its headers: since Go 1.26 if `GODEBUG=tracebacklabels=1`, which is
/// the default from 1.27 on.
pub(super) fn shown(minor: u32, built: Option<&BuildInfo>, environment: &[u8]) -> bool {
    let mut environment = environment.split(|&byte| byte == 0);
    let own = environment.find_map(|variable| variable.strip_prefix(b"GODEBUG="));
    let own = String::from_utf8_lossy(own.unwrap_or_default());
    let built = built.and_then(|built| built.setting("DefaultGODEBUG")).unwrap_or_default();
    let set = |settings: &str| {
        let last = settings.split(',').rev();
        let mut values = last.filter_map(|setting| setting.strip_prefix("tracebacklabels="));
        values.next().map(|value| value == "1")
    };
    minor >= 26 && set(&own).or_else(|| set(built)).unwrap_or(minor >= 27)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::memory::Piece;
    use std::cell::Cell;

    /// Memory that can't be read, and how often that was tried.
    struct Unreadable(Cell<usize>);

    impl Memory for Unreadable {
        fn read_pieces(&self, _: &[Piece], _: &mut [u8]) -> usize {
            self.0.update(|reads| reads + 1);
            0
        }
    }

    #[test]
    fn sets_that_cannot_be_read_are_tried_once_however_many_there_are() {
        let layout = Layout::newest();
        let memory = Unreadable(Cell::new(0));
        let mut labels = Labels::new(&memory, layout, true);
        let mut goroutine = layout.parse(0, &[0; 512]).unwrap();
        let sets = 2 * MOST_KNOWN;
        for _ in 0..3 {
            for set in 1..=sets {
                goroutine.labels = set as u64 * 8;
                assert_eq!(labels.of(&goroutine), None);
            }
        }
        assert_eq!(memory.0.get(), sets);
    }
}
