//! Exit codes.

use std::process::ExitCode;

/// How a run ended; the codes are part of the contract.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Exit {
    /// Done, and nothing was found that counts.
    Done,
    /// A finding that counts.
    Found,
    /// Wrong usage, or an input that could not be read whole.
    Trouble,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        match exit {
            Exit::Done => ExitCode::from(0),
            Exit::Found => ExitCode::from(1),
            Exit::Trouble => ExitCode::from(2),
        }
    }
}
