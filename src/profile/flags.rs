//! Flags: what a goroutine header says besides state and wait.

use super::StrId;

/// A set of flags of one profile, sorted by bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FlagsId(pub(crate) u32);

impl FlagsId {
    /// No flags.
    pub const NONE: FlagsId = FlagsId(0);
}

/// The flags that the program itself looks for; others are kept as the header spells them.
pub mod flag {
    /// The runtime proved the goroutine leaked (Go 1.26 and later).
    pub const LEAKED: &[u8] = b"leaked";
    /// Wired to its thread by `runtime.LockOSThread`.
    pub const LOCKED: &[u8] = b"locked to thread";
    /// Blocked durably inside a synctest bubble (Go 1.25 and later).
    pub const DURABLE: &[u8] = b"durable";
    /// The garbage collector was scanning the stack.
    pub const SCAN: &[u8] = b"scan";
    /// Not a goroutine of the program: goroutine 0 and the like.
    pub const SYSTEM: &[u8] = b"system";
    /// The text of the goroutine was cut.
    pub const TRUNCATED: &[u8] = b"truncated";
    /// `goroutine running on other thread; stack unavailable`.
    pub const UNAVAILABLE: &[u8] = b"unavailable";
    /// Followed by the number of the bubble; Go 1.24 writes `synctest group N`.
    pub const BUBBLE_PREFIX: &[u8] = b"synctest bubble ";

    /// Text that Go writes directly after a state, and its flag.
    const DECORATIONS: [(&[u8], &[u8]); 4] = [
        (b" (leaked)", LEAKED),
        (b" (scan)", SCAN),
        (b" (durable)", DURABLE),
        // The spelling of Go 1.24.
        (b" (synctest)", DURABLE),
    ];

    /// A state without the last of its decorations, and the flag of that decoration.
    pub fn cut_decoration(state: &[u8]) -> Option<(&[u8], &'static [u8])> {
        DECORATIONS.iter().find_map(|(text, flag)| Some((state.strip_suffix(*text)?, *flag)))
    }
}

/// A flag is an interned string.
pub type Flag = StrId;
