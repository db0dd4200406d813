//! Which words of a call's stack have pointers, from the tables for the garbage collector (`getStackMap` in
//! `runtime/stkframe.go`, the same in Go 1.21 to 1.27).

use super::Function;

/// A bit for each word, by ascending address: whether the collector follows it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PointerMap {
    bits: Vec<u8>,
    words: u64,
}

/// The collector's information about a call at an instruction.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PointerMaps {
    /// For variables and saved registers: the last word is right below the saved frame pointer, and words
    /// before the first have no pointers.
    pub locals: Option<PointerMap>,
    /// For arguments and results, from the first one on.
    pub arguments: Option<PointerMap>,
}

/// A variable with pointers whose address is taken: the collector follows it if something points to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StackObject {
    /// Its start: relative to the saved frame pointer if negative, else to the first argument.
    pub offset: i32,
    /// Its size in bytes.
    pub size: u32,
}

// `internal/abi/symtab.go`.
const ARGUMENT_MAPS: u32 = 0;
const LOCAL_MAPS: u32 = 1;
const STACK_OBJECTS: u32 = 2;
const MAP_INDEX: u32 = 1;
/// `abi.ArgsSizeUnknown`.
const UNKNOWN: u32 = 0x8000_0000;

impl PointerMap {
    /// The number of words.
    pub fn words(&self) -> u64 {
        self.words
    }

    /// Whether the collector follows this word.
    pub fn has(&self, word: u64) -> bool {
        let byte = usize::try_from(word / 8).ok().and_then(|at| self.bits.get(at));
        byte.is_some_and(|byte| byte.checked_shr((word % 8) as u32).unwrap_or(0) & 1 != 0)
    }
}

impl Function<'_> {
    /// The size of its arguments and results in bytes, including places to save register arguments in;
    /// `None` if it isn't known.
    pub fn argument_bytes(&self) -> Option<u32> {
        Some(self.argument_size()).filter(|&size| size != UNKNOWN)
    }

    /// The pointer maps at a return address, or where a goroutine starts. `most` limits the words of each
    /// map; larger ones aren't read.
    pub fn pointer_maps(&self, pc: u64, most: [u64; 2]) -> PointerMaps {
        let index = self.map_index(pc);
        let map = |which, most| self.pointer_map(which, index?, most);
        let [locals, arguments] = most;
        PointerMaps { locals: map(LOCAL_MAPS, locals), arguments: map(ARGUMENT_MAPS, arguments) }
    }

    /// The variables that the collector finds by their addresses, `most` at most.
    pub fn stack_objects(&self, most: usize) -> Vec<StackObject> {
        let read = |start: u64, at: u64| {
            let row = start.checked_add(8)?.checked_add(at.checked_mul(16)?)?;
            let [offset, size] = self.binary.bytes.words(row)?;
            Some(StackObject { offset: offset.cast_signed(), size })
        };
        let start = self.data_at(STACK_OBJECTS);
        let count = start.and_then(|start| self.binary.bytes.u64(start)).unwrap_or(0);
        let count = count.min(most as u64);
        (0..count).map_while(|at| read(start?, at)).collect()
    }

    /// Which of its maps is valid there.
    fn map_index(&self, pc: u64) -> Option<u64> {
        let into = self.distance(pc)?;
        let table = self.values_offset(MAP_INDEX).and_then(|offset| self.table(offset));
        let at = into.checked_sub(1).and_then(|call| table?.at(call));
        // Without an entry, the map at the function's start is valid.
        u64::try_from(at.filter(|&index| index != -1).unwrap_or(0)).ok()
    }

    /// Reads a `stackmap`: the number of maps, the bits of each, then the maps, each in whole bytes.
    fn pointer_map(&self, which: u32, index: u64, most: u64) -> Option<PointerMap> {
        let bytes = &self.binary.bytes;
        let start = self.data_at(which)?;
        let [count, words] = bytes.words(start)?.map(u64::from);
        if index >= count || words > most {
            return None;
        }
        let size = words.div_ceil(8);
        let at = start.checked_add(8)?.checked_add(index.checked_mul(size)?)?;
        let bits = bytes.range(at..at.checked_add(size)?)?.into_owned();
        Some(PointerMap { bits, words })
    }

    fn data_at(&self, which: u32) -> Option<u64> {
        self.binary.module.inline_trees?.checked_add(self.data(which)?.into())
    }
}

impl super::Binary {
    /// Whether an address, before the program is moved, is that of a variable or constant.
    pub fn has_data(&self, address: u64) -> bool {
        self.module.all_variables.contains(&address) || self.container.offset(address).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::PointerMap;

    #[test]
    fn a_bit_stands_for_a_word_the_lowest_first() {
        let map = PointerMap { bits: vec![0b1000_0010, 1], words: 9 };
        let followed: Vec<u64> = (0..20).filter(|&word| map.has(word)).collect();
        assert_eq!(followed, [1, 7, 8]);
        assert!(!map.has(u64::MAX));
    }
}
