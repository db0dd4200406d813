//! Real binaries, cut down to the parts that some tests need, compared with Go's own answers; and the same
//! bytes damaged. testdata/README.md says how they were made.

mod answers;
pub(crate) mod fixture;
mod hostile;
