//! The functions of a binary.

use super::Binary;
use super::pclntab::Layout;
use super::values::Values;
use std::borrow::Cow;

/// A function of the binary, with what was inlined into it.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    pub(super) binary: &'a Binary,
    pub(super) index: u32,
    entry: u32,
    end: u32,
    /// The offset of its record in the file.
    record: u64,
    fields: Fields,
}

/// The fields of its record, in the order of the file.
#[derive(Clone, Copy, Debug)]
struct Fields {
    name: u32,
    arguments: u32,
    stack: u32,
    files: u32,
    lines: u32,
    /// The number of other tables of values.
    values: u32,
    unit: u32,
    start_line: u32,
    id: u8,
    flags: u8,
    /// The number of other pieces of data.
    data: u8,
}

/// The table that maps a PC to a call of the inline tree.
const INLINE_INDEX: u32 = 2;
/// The inline tree.
const INLINE_TREE: u32 = 3;
/// `abi.FuncFlagTopFrame` of `internal/abi/symtab.go`, the same in Go 1.21 to 1.27.
const TOP_FRAME: u8 = 1;
/// `abi.FuncFlagSPWrite`.
const WRITES_SP: u8 = 2;
/// A missing file, name or piece of data.
const NONE: u32 = u32::MAX;

impl<'a> Function<'a> {
    /// Reads the function at this position of the list.
    pub(super) fn read(binary: &'a Binary, index: u32) -> Option<Function<'a>> {
        let (bytes, header) = (&binary.bytes, &binary.header);
        if index >= header.count {
            return None;
        }
        let row = header.functions.checked_add(u64::from(index).checked_mul(8)?)?;
        let [entry, record, end] = bytes.words(row)?;
        let record = header.functions.checked_add(record.into())?;
        let [_, name, arguments, _, stack, files, lines, values, unit] = bytes.words(record)?;
        let after = record.checked_add(36)?;
        let (start_line, after) = match header.layout {
            Layout::Go118 => (0, after),
            Layout::Go120 => (bytes.u32(after)?, after.checked_add(4)?),
        };
        let [id, flags, _, data] = bytes.array(after)?;
        let fields = Fields {
            name,
            arguments,
            stack,
            files,
            lines,
            values,
            unit,
            start_line,
            id,
            flags,
            data,
        };
        Some(Function { binary, index, entry, end, record, fields })
    }

    /// Its full name, with type arguments if Go 1.20 or newer built the binary: 1.19 wrote `[...]`.
    pub fn name(&self) -> Cow<'a, [u8]> {
        self.binary.name(self.fields.name).unwrap_or_default()
    }

    /// The address of its first instruction.
    pub fn entry(&self) -> u64 {
        self.binary.module.text.wrapping_add(self.entry.into())
    }

    /// The address after its last instruction and padding.
    pub fn end(&self) -> u64 {
        self.binary.module.text.wrapping_add(self.end.into())
    }

    /// The line of its `func`; 0 if Go 1.19 or older built the binary.
    pub fn start_line(&self) -> u32 {
        self.fields.start_line
    }

    /// The runtime's number for a function that it treats specially; 0 for most. The numbers differ between
    /// versions of Go.
    pub fn id(&self) -> u8 {
        self.fields.id
    }

    /// Whether stacks start with this function.
    pub fn is_top(&self) -> bool {
        self.fields.flags & TOP_FRAME != 0
    }

    /// Whether it changes the stack pointer in ways that the table of stack sizes doesn't have.
    pub fn writes_stack_pointer(&self) -> bool {
        self.fields.flags & WRITES_SP != 0
    }

    /// The most bytes that its calls take on the stack, the return address included; `None` if the binary
    /// doesn't say.
    pub fn frame_bytes(&self) -> Option<u64> {
        let most = self.stack_sizes()?.map(|(size, _)| size).max()?;
        self.binary.frame_bytes(most)
    }

    /// Whether it is one of the 27 functions through which reflection calls, with frames of up to 1 GiB, or
    /// one of those for debuggers: a call only uses the smallest one that suffices.
    pub fn is_call_stub(&self) -> bool {
        is_call_stub(&self.name())
    }

    /// The bytes of stack below the return address, for each range of its code.
    pub(super) fn stack_sizes(&self) -> Option<Values<'a>> {
        self.table(self.fields.stack)
    }

    /// The offset of its table of stack sizes: functions can share one.
    pub(super) fn stack_table(&self) -> u32 {
        self.fields.stack
    }

    /// The bytes of stack below the return address at the instruction `pc`.
    pub fn stack_size_at(&self, pc: u64) -> Option<i32> {
        self.stack_sizes()?.at(self.distance(pc)?)
    }

    /// The offset of an address in the function.
    pub(super) fn distance(&self, pc: u64) -> Option<u32> {
        u32::try_from(pc.checked_sub(self.entry())?).ok()
    }

    /// The file and line of the instruction at an offset in the function; neither for padding.
    pub(super) fn position(&self, pc: u32) -> (Option<Cow<'a, [u8]>>, u32) {
        let value = |table| self.table(table)?.at(pc)?.try_into().ok();
        let line = value(self.fields.lines).unwrap_or_default();
        let file: Option<u32> = value(self.fields.files);
        (file.and_then(|file| self.binary.file(self.fields.unit, file)), line)
    }

    /// The size of its arguments in bytes, as in its record.
    pub(super) fn argument_size(&self) -> u32 {
        self.fields.arguments
    }

    /// Its inline tree.
    pub(super) fn inline_tree(&self) -> Option<InlineTree<'a>> {
        let tree = self.data(INLINE_TREE)?;
        let start = self.binary.module.inline_trees?.checked_add(tree.into())?;
        let indexes = self.values_offset(INLINE_INDEX)?;
        Some(InlineTree { binary: self.binary, start, indexes })
    }

    /// The table at an offset; `None` for 0.
    pub(super) fn table(&self, offset: u32) -> Option<Values<'a>> {
        let at = self.binary.header.values.checked_add(offset.into())?;
        let exists = offset != 0 && at < self.binary.header.end;
        exists.then(|| Values::new(&self.binary.bytes, at, self.binary.header.quantum))
    }

    pub(super) fn values_offset(&self, which: u32) -> Option<u32> {
        let exists = which < self.fields.values;
        self.list_word(which).filter(|&offset| exists && offset != 0)
    }

    pub(super) fn data(&self, which: u32) -> Option<u32> {
        let exists = which < self.fields.data.into();
        self.list_word(self.fields.values.checked_add(which)?).filter(|&at| exists && at != NONE)
    }

    /// A word of the lists that follow the record.
    fn list_word(&self, word: u32) -> Option<u32> {
        let size = if self.binary.header.layout == Layout::Go118 { 40 } else { 44 };
        let into = u64::from(word).checked_mul(4)?.checked_add(size)?;
        self.binary.bytes.u32(self.record.checked_add(into)?)
    }
}

impl std::fmt::Debug for Function<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} at {:#x}", String::from_utf8_lossy(&self.name()), self.entry())
    }
}

/// See [`Function::is_call_stub`].
fn is_call_stub(name: &[u8]) -> bool {
    let size = name
        .strip_prefix(b"runtime.call")
        .or_else(|| name.strip_prefix(b"runtime.debugCall"))
        .or_else(|| name.strip_prefix(b"debugCall"));
    size.is_some_and(|size| !size.is_empty() && size.iter().all(u8::is_ascii_digit))
}

/// The calls that the compiler replaced by the code of the called function.
pub(super) struct InlineTree<'a> {
    binary: &'a Binary,
    /// The offset of its rows in the file.
    pub(super) start: u64,
    /// The table from PCs to calls of the tree.
    pub(super) indexes: u32,
}

/// A call that was inlined.
#[derive(Clone, Copy, Debug)]
pub(super) struct InlinedCall {
    pub(super) name: u32,
    /// The line of the called function's `func`; 0 if the binary doesn't say.
    pub(super) start_line: u32,
    /// The offset in the function of an instruction with the position of the call.
    pub(super) caller: u32,
    pub(super) id: u8,
}

impl InlineTree<'_> {
    /// A call of the tree.
    pub(super) fn call(&self, index: u32) -> Option<InlinedCall> {
        let bytes = &self.binary.bytes;
        let row = |size| self.start.checked_add(u64::from(index).checked_mul(size)?);
        if self.binary.header.layout == Layout::Go118 {
            let [head, _file, _line, name, caller] = bytes.words(row(20)?)?;
            let [_, _, id, _] = head.to_le_bytes();
            return Some(InlinedCall { name, caller, id, start_line: 0 });
        }
        let [head, name, caller, start_line] = bytes.words(row(16)?)?;
        let [id, ..] = head.to_le_bytes();
        Some(InlinedCall { name, caller, id, start_line })
    }

    /// The call that the instruction at an offset in the function belongs to.
    pub(super) fn index(&self, pc: u32) -> Option<u32> {
        let at = self.binary.header.values.checked_add(self.indexes.into())?;
        let values = Values::new(&self.binary.bytes, at, self.binary.header.quantum);
        values.at(pc)?.try_into().ok()
    }
}

impl Binary {
    /// The name at an offset in the list of names.
    pub(super) fn name(&self, offset: u32) -> Option<Cow<'_, [u8]>> {
        let at = self.header.names.checked_add(offset.into())?;
        (at < self.header.end).then(|| self.bytes.text(at))?
    }

    /// A file of a compilation unit.
    fn file(&self, unit: u32, file: u32) -> Option<Cow<'_, [u8]>> {
        let row = u64::from(unit).checked_add(file.into())?.checked_mul(4)?;
        let offset = self.bytes.u32(self.header.units.checked_add(row)?)?;
        let at = self.header.files.checked_add(offset.into())?;
        (offset != NONE && at < self.header.end).then(|| self.bytes.text(at))?
    }

    /// The function at an address, before the program is moved.
    pub fn function(&self, pc: u64) -> Option<Function<'_>> {
        if pc >= self.module.end {
            return None;
        }
        let offset = u32::try_from(pc.checked_sub(self.module.text)?).ok()?;
        let entry = |index: u32| {
            let row = u64::from(index).checked_mul(8)?;
            self.bytes.u32(self.header.functions.checked_add(row)?)
        };
        // Finds the first function that starts after it.
        let (mut low, mut high) = (0, self.header.count);
        while low < high {
            let middle = low.midpoint(high);
            if entry(middle)? <= offset { low = middle.checked_add(1)? } else { high = middle }
        }
        let function = Function::read(self, low.checked_sub(1)?)?;
        (offset < function.end).then_some(function)
    }

    /// All functions, in the order of their addresses.
    pub fn functions(&self) -> impl Iterator<Item = Function<'_>> {
        (0..self.header.count).filter_map(|index| Function::read(self, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stubs_with_a_size_are_stubs() {
        for name in
            ["runtime.call16", "runtime.call1073741824", "debugCall32", "runtime.debugCall64"]
        {
            assert!(is_call_stub(name.as_bytes()), "{name}");
        }
        for name in ["runtime.call", "runtime.callers", "runtime.call16x", "main.call16"] {
            assert!(!is_call_stub(name.as_bytes()), "{name}");
        }
    }
}
