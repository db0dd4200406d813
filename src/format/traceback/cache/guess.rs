//! Paths by a hash of their places; whatever stands there is no more than a guess.

use super::templates::fold;

/// How many places there are for guesses at first.
const PLACES: usize = 1 << 7;

/// How many guesses stand in one place, so that few push each other out.
const WAYS: usize = 8;

/// How many places there are at most: 16 MB.
const MOST_PLACES: usize = 1 << 18;

/// No path.
const NONE: u32 = u32::MAX;

/// The paths that were seen last with some hashes, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    hashes: [u32; WAYS],
    paths: [u32; WAYS],
}

impl Bucket {
    const EMPTY: Bucket = Bucket { hashes: [0; WAYS], paths: [NONE; WAYS] };
}

/// The paths that were seen last.
#[derive(Debug)]
pub(super) struct Guesses {
    places: Vec<Bucket>,
    /// How many paths stand there.
    held: usize,
}

impl Default for Guesses {
    fn default() -> Guesses {
        Guesses { places: vec![Bucket::EMPTY; PLACES], held: 0 }
    }
}

impl Guesses {
    #[inline(always)]
    fn place(&self, hash: u32) -> usize {
        hash as usize & self.places.len().wrapping_sub(1)
    }

    /// The path that was last seen for a hash.
    #[inline(always)]
    pub(super) fn get(&self, hash: u32) -> Option<u32> {
        let Bucket { hashes, paths } = self.places.get(self.place(hash))?;
        // All bits are set in those that don't match, and in none: asking each costs wrong guesses.
        let ways = hashes.iter().zip(paths);
        let path = ways.fold(NONE, |found, (&other, &path)| {
            found & (path | u32::from(other != hash).wrapping_neg())
        });
        (path != NONE).then_some(path)
    }

    /// Keeps a path.
    pub(super) fn keep(&mut self, hash: u32, path: u32) {
        if self.held >= self.places.len().saturating_mul(WAYS / 2)
            && self.places.len() < MOST_PLACES
        {
            let more = vec![Bucket::EMPTY; self.places.len().saturating_mul(2)];
            let before = std::mem::replace(&mut self.places, more);
            self.held = 0;
            for Bucket { hashes, paths } in before {
                // The oldest first.
                let ways = hashes.into_iter().zip(paths).rev();
                ways.filter(|&(_, path)| path != NONE)
                    .for_each(|(hash, path)| self.put(hash, path));
            }
        }
        self.put(hash, path);
    }

    fn put(&mut self, hash: u32, path: u32) {
        let place = self.place(hash);
        let Some(Bucket { hashes, paths }) = self.places.get_mut(place) else { return };
        // In place of the one of this hash, of none, or of the oldest, which is the last.
        let gives_way = |(&other, &path): (&u32, &u32)| other == hash || path == NONE;
        let way = hashes.iter().zip(&*paths).position(gives_way).unwrap_or(WAYS - 1);
        let (Some(newer_hashes), Some(newer_paths)) =
            (hashes.get_mut(..=way), paths.get_mut(..=way))
        else {
            return;
        };
        newer_hashes.rotate_right(1);
        newer_paths.rotate_right(1);
        if let (Some(first), Some(first_path)) = (newer_hashes.first_mut(), newer_paths.first_mut())
        {
            self.held = self.held.saturating_add(usize::from(*first_path == NONE));
            (*first, *first_path) = (hash, path);
        }
    }
}

/// A hash of the places of a goroutine: of their ends, which have the number of the line of code and
/// the offset of the call. `None` where frames were elided, or there are none.
#[inline(always)]
pub(super) fn hash_of_places(text: &[u8], ends: &[u16]) -> Option<u32> {
    // Behind the header each step has two lines, and behind the last stands the blank one.
    let [_, steps @ .., _] = ends else { return None };
    let (steps, []) = steps.as_chunks::<2>() else { return None };
    let mut hash: u64 = 0;
    for &[_, end] in steps {
        // Turned before the next is added, so that none waits for the product before it.
        hash = hash.rotate_left(21) ^ hash_of_place(text, end as usize)?;
    }
    Some((hash >> 32) as u32)
}

/// A hash of the place whose line ends here.
#[inline(always)]
pub(super) fn hash_of_place(text: &[u8], end: usize) -> Option<u64> {
    let tail = u128::from_le_bytes(*text.get(..end)?.last_chunk()?);
    Some(fold(tail as u64 ^ 0x9e37_79b9_7f4a_7c15, (tail >> 64) as u64 ^ 0xd6e8_feb8_6659_fd93))
}
