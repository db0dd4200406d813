//! The arguments that Go prints between the parentheses of a call: which words of the stack, and how.

use super::Function;

/// A piece of the text between the parentheses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// `{`, the start of a struct, string, slice or array.
    Open,
    /// Its end.
    Close,
    /// `...`: there are more.
    More,
    /// `_`: a value too far up the stack to be described.
    TooFar,
    /// A value: bytes of the stack. `live` is false if the word may have been overwritten; Go then prints a
    /// `?`.
    Value {
        /// The distance from the start of the arguments.
        offset: u8,
        /// The size in bytes: 1, 2, 4 or 8.
        size: u8,
        /// Whether the value is sure to be there.
        live: bool,
    },
}

// `internal/abi/symtab.go` and `funcdata.go`, the same in Go 1.21 to 1.27.
const ARGUMENTS: u32 = 5;
const LIVE: u32 = 6;
const LIVE_INDEX: u32 = 3;
const END: u8 = 0xff;
const OPEN: u8 = 0xfe;
const CLOSE: u8 = 0xfd;
const MORE: u8 = 0xfc;
const TOO_FAR: u8 = 0xfb;
/// `abi.TraceArgsMaxLen`: ten arguments, five deep.
const LONGEST: u64 = 171;

impl Function<'_> {
    /// Its arguments at the instruction `pc`; `None` if the binary doesn't say.
    pub fn arguments(&self, pc: u64) -> Option<Vec<Argument>> {
        let bytes = &self.binary.bytes;
        let start = self.binary.module.inline_trees?;
        let mut at = start.checked_add(self.data(ARGUMENTS)?.into())?;
        let end = at.checked_add(LONGEST)?;
        let live = self.live(pc);
        let mut next = || {
            let [byte]: [u8; 1] = bytes.array(at).filter(|_| at < end)?;
            at = at.saturating_add(1);
            Some(byte)
        };
        let mut arguments = Vec::new();
        // The number of register arguments so far: their places on the stack are only valid once they were
        // saved.
        let mut slot = 0_u8;
        loop {
            arguments.push(match next()? {
                END => return Some(arguments),
                OPEN => Argument::Open,
                CLOSE => Argument::Close,
                MORE => Argument::More,
                TOO_FAR => Argument::TooFar,
                offset => {
                    let size = next()?;
                    let counted = live.as_ref().is_some_and(|live| offset >= live.from);
                    let is_live = !counted || live.as_ref().is_none_or(|live| live.has(slot));
                    slot = slot.wrapping_add(counted.into());
                    Argument::Value { offset, size, live: is_live }
                }
            });
        }
    }

    /// Which of its arguments have been saved at the instruction `pc`.
    fn live(&self, pc: u64) -> Option<Live> {
        let start = self.binary.module.inline_trees?.checked_add(self.data(LIVE)?.into())?;
        let [from] = self.binary.bytes.array(start)?;
        let table = self.table(self.values_offset(LIVE_INDEX)?)?;
        let index = table.at(self.distance(pc)?)?;
        let index = u64::try_from(index).ok().filter(|&index| index > 0);
        let bits = index.and_then(|index| self.binary.bytes.array(start.checked_add(index)?));
        Some(Live { from, bits })
    }
}

/// One bit for each argument from the offset `from` on.
struct Live {
    from: u8,
    /// Ten arguments need no more bits; `None` if all are live.
    bits: Option<[u8; 4]>,
}

impl Live {
    fn has(&self, slot: u8) -> bool {
        let Some(bits) = self.bits else { return true };
        let byte = bits.get(usize::from(slot / 8)).copied().unwrap_or(0);
        byte.checked_shr((slot % 8).into()).unwrap_or(0) & 1 != 0
    }
}
