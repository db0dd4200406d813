//! Tables: the selected goroutines or values, counted by the keys of `--by`.

pub mod key;
mod located;
pub mod outlier;
pub mod part;
pub mod peers;
pub mod profile_verdict;
pub(in crate::view) mod row_index;
pub mod summary;

/// Order of rows; rows that are equal in it are ordered by the keys, so that it is total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Most goroutines first; rows of frames by the size of their flat value.
    Count,
    /// Rows of frames by their cumulative value, others like [`Order::Count`].
    Cum,
    /// By the keys.
    Name,
    /// Longest wait first.
    Wait,
}
