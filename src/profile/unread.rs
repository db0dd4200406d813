//! The parts of the arguments that became part of no input.

use crate::error::{Problem, Problems};

/// What was skipped or failed before it became part of a profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unread {
    /// Inputs that could not be read completely, and why.
    pub failed: Problems,
    /// Oddities of archives, and archives that weren't opened.
    pub archives: Problems,
    /// Members of archives and directories in no known format.
    pub skipped: u64,
}

impl Unread {
    /// Whether everything that looks like a dump was read. Members in no known format don't count.
    pub fn complete(&self) -> bool {
        self.failed.is_empty() && self.archives.is_empty()
    }

    /// All problems; members in no known format aren't.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.failed.iter().chain(&self.archives)
    }
}
