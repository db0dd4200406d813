//! Real binaries, cut down to what some questions need, against what Go said of them; and the same
//! bytes bruised. testdata/README.md says how they were made.

mod answers;
pub(crate) mod fixture;
mod hostile;
