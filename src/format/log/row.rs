//! What a line is for records whose fields stand in lines or columns.

use super::json::Records;

/// The result for a line.
#[derive(Debug)]
pub(super) enum Use {
    Held,
    /// This record is complete; it can lack this line.
    Record(Records<'static>),
    /// The open record has lost its end: what there is of it, and the one that this line is.
    Cut(Records<'static>, Records<'static>),
    /// The line isn't one of a record, and ends the open one; those after it can be.
    Foreign,
    /// There are no records, or no more of them; these are the lines held.
    Over(Vec<u8>),
}
