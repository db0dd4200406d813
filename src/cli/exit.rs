//! Exit codes.

use std::process::ExitCode;

/// How a run ended; the codes are part of the contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Exit {
    /// Done, and nothing was found that counts.
    Done = 0,
    /// A finding that counts.
    Found = 1,
    /// Wrong usage, or an input that could not be read whole.
    Trouble = 2,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
