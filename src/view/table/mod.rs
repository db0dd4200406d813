//! Rows by the keys of `--by`: what is selected, counted by one or more keys.

pub mod key;
mod located;
pub mod outlier;
pub mod part;
pub mod peers;
pub mod profile_verdict;
pub(in crate::view) mod row_index;
pub mod summary;

/// Order of rows; whatever it leaves open is decided by the keys, so that it is total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Most goroutines first; rows of frames by their own value, as far from zero as can be.
    Count,
    /// Rows of frames by their cumulative value, others like [`Order::Count`].
    Cum,
    /// By the keys.
    Name,
    /// Longest wait first.
    Wait,
}
