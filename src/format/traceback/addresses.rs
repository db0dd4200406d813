//! The addresses among the arguments of a goroutine's calls.

use crate::limits::LIMITS;
use crate::profile::{Address, NewAddresses};

/// What the name of a function says about its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Waits for what its first argument points to.
    Waits,
    /// Waits inside another waiting function, on a semaphore at this offset in bytes from the start
    /// of what that one waits for.
    Semaphore(u8),
    /// Another function of the runtime or of `sync`.
    Runtime,
    /// A method: its first argument is the receiver.
    Method,
    /// Any other function.
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

/// `RLock` is mostly inlined; its semaphore comes after a Mutex and another semaphore of 4 bytes.
const READERS: (&[u8], u8) = (b"sync.runtime_SemacquireRWMutexR", 12);

impl Role {
    /// The role of a function.
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

/// The addresses of one goroutine, collected while its calls are read, leaf first.
#[derive(Debug, Default)]
pub(crate) struct CallAddresses {
    /// What it waits for.
    pub(crate) lock: Address,
    /// Whether it is in a function that waits.
    pub(crate) waits: bool,
    /// Addresses in the arguments of its calls.
    pub(crate) words: Vec<Address>,
    /// Whether there were functions of a program among them.
    in_program: bool,
}

impl CallAddresses {
    /// Forgets the previous goroutine.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        (self.lock, self.waits, self.in_program) = (Address::NONE, false, false);
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.lock.is_some()
    }

    /// The addresses for a builder.
    pub(crate) fn as_new_addresses(&self) -> NewAddresses<'_> {
        NewAddresses { waits: self.waits, lock: self.lock, words: &self.words }
    }

    /// Takes the arguments of a call, and the text after them.
    pub(crate) fn call(&mut self, role: Role, frame: usize, arguments: &[u8]) {
        let leads = !self.in_program && matches!(role, Role::Waits | Role::Semaphore(_));
        if leads {
            self.waits = true;
            let first = || first_word(arguments);
            self.lock = match role {
                // A certain address replaces a guess.
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
            // A function called by `sync.(*Once).doSlow` holds its lock.
            Role::Waits | Role::Runtime if self.in_program => {
                self.take(arguments, frame, room.min(1));
            }
            Role::Waits | Role::Semaphore(_) | Role::Runtime => {}
        }
    }

    /// Takes at most `most` addresses from the first arguments.
    fn take(&mut self, arguments: &[u8], frame: usize, most: usize) {
        let most = self.words.len().saturating_add(most);
        let mut rest = arguments;
        for _ in 0..EACH {
            if self.words.len() >= most {
                return;
            }
            let Some((word, sure, after)) = word(rest) else { return };
            self.words.extend(Address::new(word, sure, frame));
            rest = after.strip_prefix(b", ").unwrap_or_default();
        }
    }
}

/// How many arguments of a call are looked at: its receiver, and three more.
const EACH: usize = 4;

fn first_word(arguments: &[u8]) -> Option<(u64, bool)> {
    word(arguments).map(|(word, sure, _)| (word, sure))
}

/// The word at the start of a text, whether Go was sure of it, and the text after it.
fn word(text: &[u8]) -> Option<(u64, bool, &[u8])> {
    let digits = text.strip_prefix(b"0x")?;
    let mut word: u64 = 0;
    let mut rest = digits;
    while let [byte, after @ ..] = rest {
        let digit = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'f' => byte.wrapping_sub(b'a').wrapping_add(10),
            _ => break,
        };
        word = word << 4 | u64::from(digit);
        rest = after;
    }
    let count = digits.len().wrapping_sub(rest.len());
    if !(1..=16).contains(&count) {
        return None;
    }
    Some(match rest.strip_prefix(b"?") {
        Some(after) => (word, false, after),
        None => (word, true, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lock and the words of calls, each with its frame, and a `?` if it isn't certain.
    fn addresses_of(calls: &[(&str, &str)]) -> (String, Vec<String>) {
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
        let (lock, words) = addresses_of(&[
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
        let (lock, words) = addresses_of(&[
            ("sync.runtime_SemacquireRWMutexR", "0xc00010e7ac?, 0x78?)"),
            ("sync.(*RWMutex).RLock", "...)"),
            ("kv.(*Store).get", "{0xc000100000, 0x3}, 0x1)"),
        ]);
        assert_eq!((lock.as_str(), words.len()), ("c00010e7a0?@0", 0));
    }

    #[test]
    fn of_two_semaphores_the_inner_one_is_waited_for() {
        let (lock, _) = addresses_of(&[
            ("sync.runtime_SemacquireRWMutexR", "0xc00010e7ac?, 0x78?)"),
            ("sync.runtime_SemacquireRWMutexR", "0xc00020e7ac?, 0x78?)"),
        ]);
        assert_eq!(lock, "c00010e7a0?@0");
    }

    #[test]
    fn others_tell_what_their_methods_were_called_on() {
        let (lock, words) = addresses_of(&[
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
            assert_eq!(addresses_of(&[("kv.(*Store).get", arguments)]).1, [""; 0], "{arguments}");
        }
    }
}
