//! The streams of a log: texts that belong together.

use hashbrown::HashMap;

/// The stream of a log that a text belongs to: interleaved streams are read separately.
///
/// A small number, counted from 0 in order of appearance, so that it can be an index.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct StreamKey(pub(crate) u32);

impl StreamKey {
    /// For containers without streams: the text belongs to the stream of the wrapped lines
    /// themselves, and goes to the same reader.
    pub(crate) const ENCLOSING: StreamKey = StreamKey(0);
}

/// At most this many streams of one container are distinguished; later ones share one more stream.
/// A run of 10,000 tests hardly prints from more than a few at a time.
const MAX_STREAMS: u32 = 1024;

/// How many bytes of a stream's name are looked at.
const NAME: usize = 1024;

/// Assigns a key to each name of a stream.
#[derive(Debug, Default)]
pub(super) struct Keys {
    known: HashMap<Box<[u8]>, StreamKey>,
    last: Option<(Box<[u8]>, StreamKey)>,
}

impl Keys {
    /// The key of a name; [`StreamKey::ENCLOSING`] for an empty name.
    pub(super) fn key(&mut self, name: &[u8]) -> StreamKey {
        if name.is_empty() {
            return StreamKey::ENCLOSING;
        }
        let name = name.get(..NAME).unwrap_or(name);
        // Lines of one stream come in runs.
        if let Some((last, key)) = &self.last
            && **last == *name
        {
            return *key;
        }
        let next = u32::try_from(self.known.len()).unwrap_or(MAX_STREAMS).saturating_add(1);
        let key = match self.known.get(name) {
            Some(key) => *key,
            None if next > MAX_STREAMS => return StreamKey(MAX_STREAMS.saturating_add(1)),
            None => {
                self.known.insert(name.into(), StreamKey(next));
                StreamKey(next)
            }
        };
        self.last = Some((name.into(), key));
        key
    }

    /// The key of a name with several parts.
    pub(super) fn joined(&mut self, pieces: &[&[u8]]) -> StreamKey {
        let mut joined = Vec::new();
        for piece in pieces {
            joined.extend_from_slice(piece.get(..NAME / 4).unwrap_or(piece));
            // Not a byte of UTF-8, so parts can't run into each other.
            joined.push(0xff);
        }
        let nameless = pieces.iter().all(|piece| piece.is_empty());
        if nameless { StreamKey::ENCLOSING } else { self.key(&joined) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_have_equal_keys_in_order_of_appearance() {
        let mut keys = Keys::default();
        assert_eq!(keys.key(b""), StreamKey::ENCLOSING);
        assert_eq!(keys.key(b"a"), StreamKey(1));
        assert_eq!(keys.key(b"b"), StreamKey(2));
        assert_eq!(keys.key(b"a"), StreamKey(1));
        assert_eq!(keys.joined(&[b"a", b"b"]), StreamKey(3));
        assert_eq!(keys.joined(&[b"ab", b""]), StreamKey(4));
        assert_eq!(keys.joined(&[b"", b""]), StreamKey::ENCLOSING);
        let long = [b'a'; 2 * NAME];
        assert_ne!(keys.joined(&[&long, b"a"]), keys.joined(&[&long, b"b"]));
    }

    #[test]
    fn the_number_of_streams_is_bounded() {
        let mut keys = Keys::default();
        let found: Vec<u32> = (0..3000).map(|name: u32| keys.key(&name.to_be_bytes()).0).collect();
        assert_eq!(found[1023], 1024);
        assert!(found[1024..].iter().all(|key| *key == 1025));
        assert_eq!(keys.known.len(), 1024);
        assert_eq!(keys.key(&7u32.to_be_bytes()), StreamKey(8));
    }
}
