//! What the arguments held that became part of no input.

use crate::error::{Problem, Problems};

/// What was given up before it became part of a profile.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unread {
    /// What could not be read whole, and why.
    pub failed: Problems,
    /// What is odd about archives, and archives that were left closed.
    pub archives: Problems,
    /// Members of archives and directories that nothing is known of.
    pub skipped: u64,
}

impl Unread {
    /// Whether nothing that looks like a dump was given up. Members of unknown content are none.
    pub fn complete(&self) -> bool {
        self.failed.is_empty() && self.archives.is_empty()
    }

    /// Everything that was given up, but for the members that nothing is known of.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.failed.iter().chain(&self.archives)
    }
}
