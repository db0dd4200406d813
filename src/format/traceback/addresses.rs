//! The addresses among the arguments of a goroutine's calls.

use crate::limits::LIMITS;
use crate::profile::{Address, NewAddresses};

/// What the name of a function tells of its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It waits for what its first argument points to.
    Waits,
    /// It waits inside of one that waits, for what stands so many bytes behind the start of that.
    Semaphore(u8),
    /// Another one of the runtime or of `sync`.
    Runtime,
    /// Its first argument is what it was called on.
    Method,
    /// Any other.
    Function,
}

/// Functions that wait for what their first argument points to.
const WAITS: [&[u8]; 16] = [
    b"sync.(*Mutex).Lock",
    b"sync.(*Mutex).lockSlow",
    b"internal/sync.(*Mutex).Lock",
    b"internal/sync.(*Mutex).lockSlow",
    b"sync.(*RWMutex).Lock",
    b"sync.(*RWMutex).RLock",
    b"sync.(*WaitGroup).Wait",
    b"sync.(*Cond).Wait",
    b"runtime.chanrecv",
    b"runtime.chanrecv1",
    b"runtime.chanrecv2",
    b"runtime.chansend",
    b"runtime.chansend1",
    b"runtime.closechan",
    b"runtime.send",
    b"runtime.recv",
];

/// `RLock` is mostly inlined; its semaphore stands behind a Mutex and another one of 4 bytes.
const READERS: (&[u8], u8) = (b"sync.runtime_SemacquireRWMutexR", 12);

impl Role {
    /// That of a function.
    pub(crate) fn of(func: &[u8]) -> Role {
        let is_runtime = [&b"sync."[..], b"internal/sync.", b"runtime."];
        if is_runtime.iter().any(|package| func.starts_with(package)) {
            return match func {
                name if WAITS.contains(&name) => Role::Waits,
                name if name == READERS.0 => Role::Semaphore(READERS.1),
                _ => Role::Runtime,
            };
        }
        match memchr::memmem::find(func, b".(*") {
            Some(_) => Role::Method,
            None => Role::Function,
        }
    }
}

/// The addresses of one goroutine, as its calls come in, leaf first.
#[derive(Debug, Default)]
pub(crate) struct CallAddresses {
    /// What it waits for.
    pub(crate) lock: Address,
    /// Whether it stands in a function that waits.
    pub(crate) waits: bool,
    /// What its calls were given.
    pub(crate) words: Vec<Address>,
    /// Whether functions of a program were among them.
    in_program: bool,
}

impl CallAddresses {
    /// Forgets the goroutine before.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        (self.lock, self.waits, self.in_program) = (Address::NONE, false, false);
    }

    /// Whether anything is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.lock.is_some()
    }

    /// What a builder keeps of it.
    pub(crate) fn told(&self) -> NewAddresses<'_> {
        NewAddresses { waits: self.waits, lock: self.lock, words: &self.words }
    }

    /// Takes the arguments of a call, and what stands behind them.
    pub(crate) fn call(&mut self, role: Role, frame: usize, arguments: &[u8]) {
        let leads = !self.in_program && matches!(role, Role::Waits | Role::Semaphore(_));
        if leads {
            self.waits = true;
            let first = || first_word(arguments);
            self.lock = match role {
                // A sure one takes the place of a guess.
                Role::Waits if !(self.lock.is_some() && self.lock.is_sure()) => first()
                    .and_then(|(word, sure)| Address::new(word, sure, frame))
                    .unwrap_or(self.lock),
                Role::Semaphore(offset) if !self.lock.is_some() => first()
                    .and_then(|(word, _)| {
                        Address::new(word.wrapping_sub(offset.into()), false, frame)
                    })
                    .unwrap_or(self.lock),
                _ => self.lock,
            };
            return;
        }
        let room = LIMITS.addresses.saturating_sub(self.words.len());
        match role {
            Role::Function => {
                self.in_program = true;
                if self.waits {
                    self.take(arguments, frame, room);
                }
            }
            Role::Method => {
                self.in_program = true;
                let each = if self.waits { room } else { room.min(1) };
                self.take(arguments, frame, each);
            }
            // What runs inside of `sync.(*Once).doSlow` holds its lock.
            Role::Waits | Role::Runtime if self.in_program => {
                self.take(arguments, frame, room.min(1));
            }
            Role::Waits | Role::Semaphore(_) | Role::Runtime => {}
        }
    }

    /// Takes so many addresses, of those among the first arguments.
    fn take(&mut self, arguments: &[u8], frame: usize, most: usize) {
        let most = self.words.len().saturating_add(most);
        let mut rest = arguments;
        for _ in 0..EACH {
            if self.words.len() >= most {
                return;
            }
            let Some((word, sure, behind)) = word(rest) else { return };
            self.words.extend(Address::new(word, sure, frame));
            rest = behind.strip_prefix(b", ").unwrap_or_default();
        }
    }
}

/// Arguments of a call that are looked at: its receiver, and three more.
const EACH: usize = 4;

fn first_word(arguments: &[u8]) -> Option<(u64, bool)> {
    word(arguments).map(|(word, sure, _)| (word, sure))
}

/// The word that a text starts with, whether Go was sure of it, and what stands behind it.
fn word(text: &[u8]) -> Option<(u64, bool, &[u8])> {
    let digits = text.strip_prefix(b"0x")?;
    let mut word: u64 = 0;
    let mut rest = digits;
    while let [byte, behind @ ..] = rest {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'f' => byte.wrapping_sub(b'a').wrapping_add(10),
            _ => break,
        };
        word = word << 4 | u64::from(digit);
        rest = behind;
    }
    let count = digits.len().wrapping_sub(rest.len());
    if !(1..=16).contains(&count) {
        return None;
    }
    Some(match rest.strip_prefix(b"?") {
        Some(behind) => (word, false, behind),
        None => (word, true, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lock and the words of calls, each with its frame and a `?` where it isn't sure.
    fn told(calls: &[(&str, &str)]) -> (String, Vec<String>) {
        let mut addresses = CallAddresses::default();
        for (frame, (func, arguments)) in calls.iter().enumerate() {
            addresses.call(Role::of(func.as_bytes()), frame, arguments.as_bytes());
        }
        let text = |address: &Address| {
            let doubt = if address.is_sure() { "" } else { "?" };
            format!("{:x}{doubt}@{}", address.word(), address.frame())
        };
        (text(&addresses.lock), addresses.words.iter().map(text).collect())
    }

    #[test]
    fn a_mutex_is_told_by_the_slow_way_into_it() {
        let (lock, words) = told(&[
            ("internal/sync.runtime_SemacquireMutex", "0x0?, 0x0?, 0x0?)"),
            ("internal/sync.(*Mutex).lockSlow", "0xc000016330)"),
            ("sync.(*Mutex).Lock", "...)"),
            ("kv.transfer", "0xc000016330, 0xc000016340, 0x7)"),
            ("kv.(*Bank).run", "0xc000016000)"),
        ]);
        assert_eq!(lock, "c000016330@1");
        assert_eq!(words, ["c000016330@3", "c000016340@3", "c000016000@4"]);
    }

    #[test]
    fn readers_are_told_by_their_semaphore_and_only_probably() {
        let (lock, words) = told(&[
            ("sync.runtime_SemacquireRWMutexR", "0xc00010e7ac?, 0x78?)"),
            ("sync.(*RWMutex).RLock", "...)"),
            ("kv.(*Store).get", "{0xc000100000, 0x3}, 0x1)"),
        ]);
        assert_eq!((lock.as_str(), words.len()), ("c00010e7a0?@0", 0));
    }

    #[test]
    fn others_tell_what_their_methods_were_called_on() {
        let (lock, words) = told(&[
            ("net.(*conn).Read", "0xc000045188, {0xc000016340, 0x7})"),
            ("kv.fetch", "0xc000016330)"),
            ("sync.(*Once).doSlow", "0xc000016350?, 0xc000016360)"),
        ]);
        assert_eq!(lock, "0@0");
        assert_eq!(words, ["c000045188@0", "c000016350?@2"], "no argument of a plain function");
    }

    #[test]
    fn numbers_gaps_and_stumps_are_no_addresses() {
        for arguments in
            ["...)", "", "0x", "0x)", "_, 0xc000016330)", "0x12345678901234567)", "0x7)"]
        {
            assert_eq!(told(&[("kv.(*Store).get", arguments)]).1, [""; 0], "{arguments}");
        }
    }
}
