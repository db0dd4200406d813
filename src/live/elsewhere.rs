//! Other systems than Linux, on which processes can't be read.

use super::{Capture, CaptureOptions};
use crate::error::{Error, ErrorKind, Result};

/// Says that it can't be done.
///
/// # Errors
/// Always.
pub fn capture(_: u32, _: &CaptureOptions, input: &str) -> Result<Capture> {
    Err(Error::new(ErrorKind::Usage, input, "live processes can be read on Linux only")
        .advise("take a dump that the program writes itself (SIGQUIT, /debug/pprof)"))
}

/// Nothing is known of processes.
pub fn program(_: u32) -> Option<String> {
    None
}

/// Nor when they were started.
pub fn started(_: u32) -> Option<u64> {
    None
}
