//! Labels of goroutines and samples.

use super::StrId;

/// A value of a label: text, or a number with a unit (protos only).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LabelValue {
    /// Text, as bytes of the input.
    Text(StrId),
    /// A number and its unit, which may be empty.
    Number(i64, StrId),
}

/// One label: key and value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The key.
    pub key: StrId,
    /// The value.
    pub value: LabelValue,
}

impl Label {
    /// Whether its text is empty; `go tool pprof` ignores such labels.
    pub fn is_empty(&self) -> bool {
        self.value == LabelValue::Text(StrId::EMPTY)
    }
}

/// A set of labels of one profile, sorted by key (bytes), equal keys in the order of the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct LabelsId(pub(crate) u32);

impl LabelsId {
    /// No labels.
    pub const NONE: LabelsId = LabelsId(0);
}
