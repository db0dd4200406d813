//! Guesses paths by a hash of their places; what is stored here is only a guess.

use super::templates::fold;

/// How many buckets there are at first.
const FIRST_BUCKETS: usize = 1 << 7;

/// How many guesses share a bucket, so that few replace each other.
const WAYS: usize = 8;

/// The largest number of buckets: 16 MB.
const MAX_BUCKETS: usize = 1 << 18;

/// No path.
const NONE: u32 = u32::MAX;

/// The last paths seen with some hashes, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    hashes: [u32; WAYS],
    paths: [u32; WAYS],
}

impl Bucket {
    const EMPTY: Bucket = Bucket { hashes: [0; WAYS], paths: [NONE; WAYS] };
}

/// The last paths seen.
#[derive(Debug)]
pub(super) struct Guesses {
    buckets: Vec<Bucket>,
    /// How many paths are stored.
    held: usize,
}

impl Default for Guesses {
    fn default() -> Guesses {
        Guesses { buckets: vec![Bucket::EMPTY; FIRST_BUCKETS], held: 0 }
    }
}

impl Guesses {
    #[inline(always)]
    fn bucket_of(&self, hash: u32) -> usize {
        hash as usize & self.buckets.len().wrapping_sub(1)
    }

    /// The last path seen with a hash.
    #[inline(always)]
    pub(super) fn get(&self, hash: u32) -> Option<u32> {
        let Bucket { hashes, paths } = self.buckets.get(self.bucket_of(hash))?;
        // Without branches: all bits are set for entries that don't match; a test of each would be
        // mispredicted.
        let ways = hashes.iter().zip(paths);
        let path = ways.fold(NONE, |found, (&other, &path)| {
            found & (path | u32::from(other != hash).wrapping_neg())
        });
        (path != NONE).then_some(path)
    }

    /// Stores a path.
    pub(super) fn keep(&mut self, hash: u32, path: u32) {
        if self.held >= self.buckets.len().saturating_mul(WAYS / 2)
            && self.buckets.len() < MAX_BUCKETS
        {
            let more = vec![Bucket::EMPTY; self.buckets.len().saturating_mul(2)];
            let before = std::mem::replace(&mut self.buckets, more);
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
        let at = self.bucket_of(hash);
        let Some(Bucket { hashes, paths }) = self.buckets.get_mut(at) else { return };
        // Replaces the entry with this hash, an empty one, or else the oldest, which is the last.
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

/// A hash of the places of a goroutine: of the ends of their lines, which have the line number and
/// the offset of the call. `None` if frames were elided, or there are none.
#[inline(always)]
pub(super) fn hash_of_places(text: &[u8], ends: &[u16]) -> Option<u32> {
    // After the header each step has two lines; the blank line comes last.
    let [_, steps @ .., _] = ends else { return None };
    let (steps, []) = steps.as_chunks::<2>() else { return None };
    let mut hash: u64 = 0;
    for &[_, end] in steps {
        // Rotated before the next hash is added, so that none waits for the product before it.
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
