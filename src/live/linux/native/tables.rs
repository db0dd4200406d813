//! What unwinding with a module's `.eh_frame` takes. Its instructions and expressions are run anew for each call on a
//! stack, without a limit, so both are looked at before the tables are used.

use framehop::ExplicitModuleSectionInfo;
use gimli::{
    BaseAddresses, CallFrameInstruction, CallFrameInstructionIter, CieOrFde,
    CommonInformationEntry, EhFrame, EndianSlice, LittleEndian, Operation, UnwindExpression,
    UnwindSection,
};
use std::collections::HashMap;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// Instructions that may be read of each byte: functions share common parts, which are counted for each of them.
const SHARED: usize = 64;
/// What may be read in addition.
const SPARE: usize = 1 << 20;

/// What a step up the stack takes, in instructions.
#[derive(Debug, Default)]
pub(super) struct Costs {
    /// By the addresses that functions start at before the module is moved; sorted.
    of_functions: Vec<(u64, usize)>,
}

/// Why tables aren't used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unusable {
    /// An expression may have no end.
    Loops,
    /// Very many functions share a long part.
    TooMuch,
}

impl Unusable {
    pub(super) fn text(self) -> &'static str {
        match self {
            Unusable::Loops => "its unwind tables have expressions with branches, and aren't used",
            Unusable::TooMuch => "its unwind tables take too long, and aren't used",
        }
    }
}

impl Costs {
    /// Looks at the tables of a module.
    pub(super) fn of(sections: &ExplicitModuleSectionInfo<Vec<u8>>) -> Result<Costs, Unusable> {
        let Some(bytes) = &sections.eh_frame else { return Ok(Costs::default()) };
        let start = |range: &Option<std::ops::Range<u64>>| range.as_ref().map_or(0, |it| it.start);
        let bases = BaseAddresses::default()
            .set_eh_frame(start(&sections.eh_frame_svma))
            .set_eh_frame_hdr(start(&sections.eh_frame_hdr_svma))
            .set_text(start(&sections.text_svma))
            .set_got(start(&sections.got_svma));
        let mut section = EhFrame::new(bytes, LittleEndian);
        section.set_address_size(8);
        let mut reading = Reading {
            section,
            bases: &bases,
            left: bytes.len().saturating_mul(SHARED).saturating_add(SPARE),
            common: HashMap::new(),
        };
        let mut of_functions = Vec::new();
        let mut entries = section.entries(&bases);
        // Where the list can't be read, the unwinder ends it, too.
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            let Ok(function) = partial.parse(EhFrame::cie_from_offset) else { continue };
            let common = reading.common(function.cie())?;
            let own = reading.count(function.cie(), function.instructions(&section, &bases))?;
            of_functions.push((function.initial_address(), common.saturating_add(own)));
        }
        of_functions.sort_unstable();
        Ok(Costs { of_functions })
    }

    /// How many instructions a step from this address takes.
    pub(super) fn at(&self, address: u64) -> usize {
        let after = self.of_functions.partition_point(|&(start, _)| start <= address);
        let last = after.checked_sub(1).and_then(|at| self.of_functions.get(at));
        last.map_or(0, |&(_, count)| count).saturating_add(1)
    }
}

struct Reading<'a> {
    section: EhFrame<Bytes<'a>>,
    bases: &'a BaseAddresses,
    /// How many instructions may be read yet.
    left: usize,
    /// The number of instructions of each common part, by its offset.
    common: HashMap<usize, usize>,
}

type Common<'a> = CommonInformationEntry<Bytes<'a>>;

impl<'a> Reading<'a> {
    /// How many instructions a common part has.
    fn common(&mut self, common: &Common<'a>) -> Result<usize, Unusable> {
        if let Some(&known) = self.common.get(&common.offset()) {
            return Ok(known);
        }
        let (section, bases) = (self.section, self.bases);
        let count = self.count(common, common.instructions(&section, bases))?;
        self.common.insert(common.offset(), count);
        Ok(count)
    }

    /// How many instructions there are, with those in expressions.
    fn count(
        &mut self,
        common: &Common<'a>,
        mut instructions: CallFrameInstructionIter<'_, Bytes<'a>>,
    ) -> Result<usize, Unusable> {
        let mut count = 0_usize;
        while let Ok(Some(instruction)) = instructions.next() {
            let expression = match instruction {
                CallFrameInstruction::DefCfaExpression { expression }
                | CallFrameInstruction::Expression { expression, .. }
                | CallFrameInstruction::ValExpression { expression, .. } => {
                    self.operations(common, &expression)?
                }
                _ => 0,
            };
            count = count.saturating_add(expression).saturating_add(1);
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                return Err(Unusable::TooMuch);
            }
        }
        Ok(count)
    }

    /// How many operations an expression has; compilers write none with branches.
    fn operations(
        &mut self,
        common: &Common<'a>,
        expression: &UnwindExpression<usize>,
    ) -> Result<usize, Unusable> {
        let Ok(expression) = expression.get(&self.section) else { return Ok(0) };
        let mut operations = expression.operations(common.encoding());
        let mut count = 0_usize;
        while let Ok(Some(operation)) = operations.next() {
            if matches!(operation, Operation::Bra { .. } | Operation::Skip { .. }) {
                return Err(Unusable::Loops);
            }
            count = count.saturating_add(1);
        }
        self.left = self.left.saturating_sub(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: u8 = 0;
    const DEF_CFA_EXPRESSION: u8 = 0x0f;
    const SKIP: u8 = 0x2f;
    const BREG7: u8 = 0x77;
    const IMPLICIT_VALUE: u8 = 0x9e;

    /// Tables with these common parts, and functions that have one of them each and instructions of their own.
    fn tables(common: &[&[u8]], functions: &[(usize, &[u8])]) -> Result<Costs, Unusable> {
        let mut bytes = Vec::new();
        let entry = |bytes: &mut Vec<u8>, parts: &[&[u8]]| {
            let at = bytes.len();
            let parts = parts.concat();
            bytes.extend((parts.len() as u32).to_le_bytes());
            bytes.extend(parts);
            at
        };
        // Version 1, without augmentation; factors and the register of the return address.
        let head = [0, 0, 0, 0, 1, 0, 1, 0x78, 16];
        let places: Vec<usize> =
            common.iter().map(|own| entry(&mut bytes, &[&head, own])).collect();
        for (number, (of, own)) in functions.iter().enumerate() {
            let back = (bytes.len() + 4 - places[*of]) as u32;
            let start = 0x1000 * (number as u64 + 1);
            let range = [start, 0x800].map(u64::to_le_bytes).concat();
            entry(&mut bytes, &[&back.to_le_bytes(), &range, own]);
        }
        Costs::of(&ExplicitModuleSectionInfo {
            eh_frame_svma: Some(0x10..0x10 + bytes.len() as u64),
            eh_frame: Some(bytes),
            ..ExplicitModuleSectionInfo::default()
        })
    }

    #[test]
    fn a_step_takes_the_instructions_of_the_function_and_of_its_common_part() {
        let long = [NOP; 100];
        let costs = tables(&[&long, &[]], &[(0, &long), (1, &long), (1, &[])]).unwrap();
        let at = [0x0fff, 0x1000, 0x17ff, 0x1900, 0x2000, 0x3000].map(|address| costs.at(address));
        assert_eq!(at, [1, 201, 201, 201, 101, 1]);
    }

    #[test]
    fn expressions_are_counted_and_have_no_branches() {
        let plain = [&[DEF_CFA_EXPRESSION, 100][..], &[BREG7, 8].repeat(50)].concat();
        assert_eq!(tables(&[&[]], &[(0, &plain)]).unwrap().at(0x1000), 52);
        // An endless loop.
        let endless = [DEF_CFA_EXPRESSION, 3, SKIP, 0xfd, 0xff];
        assert_eq!(tables(&[&[]], &[(0, &endless)]).unwrap_err(), Unusable::Loops);
        assert_eq!(tables(&[&endless], &[(0, &[])]).unwrap_err(), Unusable::Loops);
    }

    #[test]
    fn a_common_part_is_read_once() {
        let long = vec![NOP; 1 << 20];
        let functions = vec![(0, &[][..]); 1000];
        assert_eq!(tables(&[&long], &functions).unwrap().at(0x5000), (1 << 20) + 1);
    }

    #[test]
    fn common_parts_that_lie_in_each_other_are_refused() {
        const PARTS: usize = 300;
        let len = PARTS * 17 + (64 << 10);
        let mut bytes = Vec::new();
        for part in 0..PARTS {
            bytes.extend(((len - part * 17 - 4) as u32).to_le_bytes());
            bytes.extend([0, 0, 0, 0, 1, 0, 1, 0x78, 16]);
            // The next one is a value in an expression of this one.
            let next = [DEF_CFA_EXPRESSION, 15, IMPLICIT_VALUE, 13];
            bytes.extend(if part + 1 < PARTS { next } else { [NOP; 4] });
        }
        bytes.resize(len, NOP);
        let mut functions = |count: usize| {
            bytes.truncate(len);
            for part in 0..count {
                bytes.extend(20_u32.to_le_bytes());
                bytes.extend(((bytes.len() - part * 17) as u32).to_le_bytes());
                bytes.extend([0x1000 * part as u64, 0x800].map(u64::to_le_bytes).concat());
            }
            Costs::of(&ExplicitModuleSectionInfo {
                eh_frame: Some(bytes.clone()),
                ..ExplicitModuleSectionInfo::default()
            })
        };
        assert!(functions(50).unwrap().at(0x5000) > 64 << 10);
        assert_eq!(functions(PARTS).unwrap_err(), Unusable::TooMuch);
    }
}
