//! Field numbers of profile.proto.

pub(super) const SAMPLE_TYPE: u32 = 1;
pub(super) const SAMPLE: u32 = 2;
pub(super) const MAPPING: u32 = 3;
pub(super) const LOCATION: u32 = 4;
pub(super) const FUNCTION: u32 = 5;
pub(super) const STRING: u32 = 6;
pub(super) const DROP_FRAMES: u32 = 7;
pub(super) const KEEP_FRAMES: u32 = 8;
pub(super) const TIME_NANOS: u32 = 9;
pub(super) const PERIOD_TYPE: u32 = 11;
pub(super) const PERIOD: u32 = 12;
pub(super) const COMMENT: u32 = 13;
pub(super) const DEFAULT_TYPE: u32 = 14;
pub(super) const DOC_URL: u32 = 15;

/// The field number of the labels in a sample.
pub(super) const LABEL: u32 = 3;

/// The names of the fields, in order of their numbers.
const NAMES: [&str; 15] = [
    "sample_type",
    "sample",
    "mapping",
    "location",
    "function",
    "string_table",
    "drop_frames",
    "keep_frames",
    "time_nanos",
    "duration_nanos",
    "period_type",
    "period",
    "comment",
    "default_sample_type",
    "doc_url",
];

/// The name of a field of the profile, for people.
pub(super) fn name(number: u32) -> &'static str {
    let at = (number as usize).checked_sub(1);
    at.and_then(|at| NAMES.get(at)).copied().unwrap_or("an unknown field")
}
