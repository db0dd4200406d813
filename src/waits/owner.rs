//! The structs that locks are fields of: the receivers of methods.
//!
//! Go prints the address of a Mutex, but often only a `?` for the receiver of the waiting method. If
//! another method of the same type was called on an address right before the lock, that is the owner.

use crate::profile::{FrameId, InputId, Profile, StrId};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// A lock that is a field starts less than this after the start of its struct.
pub(super) const NEAR: u64 = 4 << 10;

/// A type that has methods.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Type(u32);

/// The types of functions; each name is only parsed once.
pub(super) struct Types<'a> {
    profile: &'a Profile,
    known: Vec<Option<Option<Type>>>,
    numbers: HashMap<&'a [u8], Type, FixedState>,
}

impl<'a> Types<'a> {
    pub(super) fn new(profile: &'a Profile) -> Types<'a> {
        let known = vec![None; profile.strings.len()];
        Types { profile, known, numbers: HashMap::default() }
    }

    /// The type of the method that a frame is in.
    pub(super) fn of(&mut self, frame: FrameId) -> Option<Type> {
        let function: StrId = self.profile.frame(frame).func;
        if let Some(known) = self.known[function.index()] {
            return known;
        }
        let next = Type(u32::try_from(self.numbers.len()).unwrap_or(u32::MAX));
        let found = receiver(self.profile.str(function))
            .map(|name| *self.numbers.entry(name).or_insert(next));
        self.known[function.index()] = Some(found);
        found
    }
}

/// `main.(*Queue)` for `main.(*Queue).Push`; `None` for closures, whose arguments are their own.
pub(super) fn receiver(function: &[u8]) -> Option<&[u8]> {
    let open = memchr::memmem::find(function, b".(*")?;
    let close = open + memchr::memchr(b')', &function[open..])?;
    let method = function[close + 1..].strip_prefix(b".")?;
    (!method.is_empty() && !method.contains(&b'.')).then(|| &function[..=close])
}

/// The package and the type that a method belongs to, and the closures in it: `main` and `(*Queue)`
/// for `main.(*Queue).Push.func1`, and for `main.main.(*Queue).Push.func1`, which was inlined into
/// `main.main`. Other functions are a thing of their own.
pub(super) fn thing(function: &[u8]) -> (&[u8], &[u8]) {
    let method = memchr::memmem::find(function, b".(*").and_then(|open| {
        let close = open + memchr::memchr(b')', &function[open..])?;
        Some((open, &function[open + 1..=close]))
    });
    let Some((open, of)) = method else { return (function, b"") };
    let last = memchr::memrchr(b'/', &function[..open]).map_or(0, |slash| slash + 1);
    let end = memchr::memchr(b'.', &function[last..open]).map_or(open, |dot| last + dot);
    (&function[..end], of)
}

/// The receivers of methods, by input and type.
#[derive(Default)]
pub(super) struct Owners {
    /// The pages of [`NEAR`] bytes that an owner of a lock may start in. Other receivers are dropped:
    /// sorting those of all methods took a tenth of the time of a whole run.
    pages: HashSet<(InputId, Type, u64), FixedState>,
    sorted: Vec<(InputId, Type, u64)>,
}

impl Owners {
    /// Ready to collect the owners of these locks.
    pub(super) fn of(locks: impl Iterator<Item = (InputId, Type, u64)>) -> Owners {
        let mut owners = Owners::default();
        for (input, of, lock) in locks {
            let page = lock / NEAR;
            owners.pages.insert((input, of, page));
            owners.pages.insert((input, of, page.saturating_sub(1)));
        }
        owners
    }

    /// Adds an address that a method of this type was called on.
    pub(super) fn add(&mut self, input: InputId, of: Type, address: u64) {
        if self.pages.contains(&(input, of, address / NEAR)) {
            self.sorted.push((input, of, address));
        }
    }

    /// To be called between the last [`Owners::add`] and the first [`Owners::nearest`].
    pub(super) fn sort(&mut self) {
        self.sorted.sort_unstable();
        self.sorted.dedup();
    }

    /// The receiver that starts at a lock or nearest before it.
    pub(super) fn nearest(&self, input: InputId, of: Type, lock: u64) -> Option<u64> {
        let behind = self.sorted.partition_point(|&one| one <= (input, of, lock));
        let &(found, kind, word) = self.sorted.get(behind.checked_sub(1)?)?;
        ((found, kind) == (input, of) && lock - word < NEAR).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_have_types_and_closures_have_none() {
        for (function, name) in [
            ("main.(*Queue).Push", Some("main.(*Queue)")),
            ("a.b/queue.(*Pool[...]).Import", Some("a.b/queue.(*Pool[...])")),
            ("main.(*Queue).Push.func1", None),
            ("main.(*Queue).Push-fm", Some("main.(*Queue)")),
            ("main.push", None),
            ("main.Value.Get", None),
        ] {
            assert_eq!(receiver(function.as_bytes()), name.map(str::as_bytes), "{function}");
        }
    }

    #[test]
    fn methods_and_their_closures_belong_to_a_type() {
        for (function, package, of) in [
            ("a.b/queue.(*Pool[...]).Import", "a.b/queue", "(*Pool[...])"),
            ("a.b/queue.(*Pool[...]).Import.func2.1", "a.b/queue", "(*Pool[...])"),
            ("a.b/queue.run.(*Pool[...]).Import.func2", "a.b/queue", "(*Pool[...])"),
            ("main.push.func1", "main.push.func1", ""),
        ] {
            assert_eq!(thing(function.as_bytes()), (package.as_bytes(), of.as_bytes()));
        }
    }

    #[test]
    fn the_nearest_before_a_lock_is_what_it_is_in() {
        let (here, there) = (InputId(0), InputId(1));
        let (one, other) = (Type(0), Type(1));
        let locks = [0x10040, 0x10020, 0x1001f, 0x0ffff, 0x10020 + NEAR];
        let mut owners = Owners::of(locks.iter().map(|&lock| (here, one, lock)));
        owners.add(here, one, 0x10000);
        owners.add(here, one, 0x10020);
        owners.add(here, other, 0x10030);
        owners.add(there, one, 0x10038);
        owners.sort();
        assert_eq!(owners.nearest(here, one, 0x10040), Some(0x10020));
        assert_eq!(owners.nearest(here, one, 0x10020), Some(0x10020));
        assert_eq!(owners.nearest(here, one, 0x1001f), Some(0x10000));
        assert_eq!(owners.nearest(here, one, 0x0ffff), None);
        assert_eq!(owners.nearest(here, one, 0x10020 + NEAR), None);
    }
}
