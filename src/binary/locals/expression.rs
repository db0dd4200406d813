//! Where a variable is, as an expression of DWARF says it.

use super::Bytes;
use gimli::{EvaluationResult, Expression, Location, Unit};

/// Steps of one expression: the compiler's have a few for each part.
const MOST_STEPS: usize = 1000;

/// How many steps of an expression count as one more look.
const STEPS: usize = 8;

/// How many steps an expression may take. The compiler's have no loops, and each step has a byte at least.
pub(super) fn most_steps(expression: Expression<Bytes<'_>>) -> usize {
    expression.0.len().min(MOST_STEPS)
}

/// As how many looks so many steps count.
pub(super) fn looks(steps: usize) -> usize {
    (steps / STEPS).saturating_add(1)
}

/// A part of a variable in memory.
pub(super) struct Part {
    /// Its address.
    pub(super) address: u64,
    /// `None` for all bytes of the variable.
    pub(super) bytes: Option<u64>,
    /// How many bytes of the variable are before it.
    pub(super) offset: u64,
}

/// The parts of a variable that are in memory. The frame base of Go's functions is the canonical frame
/// address.
pub(super) fn in_memory(
    unit: &Unit<Bytes<'_>>,
    expression: Expression<Bytes<'_>>,
    steps: usize,
    cfa: u64,
) -> Vec<Part> {
    let mut evaluation = expression.evaluation(unit.encoding());
    evaluation.set_max_iterations(u32::try_from(steps).unwrap_or(u32::MAX));
    let mut state = evaluation.evaluate();
    while let Ok(needed) = state {
        state = match needed {
            EvaluationResult::Complete => {
                let mut offset = 0_u64;
                let parts = evaluation.result().into_iter().filter_map(|piece| {
                    let bytes = piece.size_in_bits.map(|bits| bits / 8);
                    let start = offset;
                    offset = offset.saturating_add(bytes.unwrap_or(0));
                    match piece.location {
                        Location::Address { address } => {
                            Some(Part { address, bytes, offset: start })
                        }
                        _ => None,
                    }
                });
                return parts.collect();
            }
            EvaluationResult::RequiresFrameBase => evaluation.resume_with_frame_base(cfa),
            EvaluationResult::RequiresCallFrameCfa => evaluation.resume_with_call_frame_cfa(cfa),
            // It needs more than the stack.
            _ => break,
        };
    }
    Vec::new()
}
