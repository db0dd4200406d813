//! Systems other than Linux: processes can't be read.

use super::{Capture, CaptureOptions};
use crate::error::{Error, Result};

/// Always fails: this system isn't supported.
///
/// # Errors
/// Always.
pub fn capture(_: u32, _: &CaptureOptions, input: &str) -> Result<Capture> {
    Err(Error::misuse(input, "live processes can be read on Linux only")
        .advise("take a dump that the program writes itself (SIGQUIT, /debug/pprof)"))
}

/// Always `None`.
pub fn program(_: u32) -> Option<String> {
    None
}

/// Always `None`.
pub fn started(_: u32) -> Option<u64> {
    None
}
