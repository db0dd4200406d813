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
pub(super) const DURATION_NANOS: u32 = 10;
pub(super) const PERIOD_TYPE: u32 = 11;
pub(super) const PERIOD: u32 = 12;
pub(super) const COMMENT: u32 = 13;
pub(super) const DEFAULT_TYPE: u32 = 14;
pub(super) const DOC_URL: u32 = 15;

/// The name of a field of the profile, for people.
pub(super) fn name(number: u32) -> &'static str {
    match number {
        SAMPLE_TYPE => "sample_type",
        SAMPLE => "sample",
        MAPPING => "mapping",
        LOCATION => "location",
        FUNCTION => "function",
        STRING => "string_table",
        DROP_FRAMES => "drop_frames",
        KEEP_FRAMES => "keep_frames",
        TIME_NANOS => "time_nanos",
        DURATION_NANOS => "duration_nanos",
        PERIOD_TYPE => "period_type",
        PERIOD => "period",
        COMMENT => "comment",
        DEFAULT_TYPE => "default_sample_type",
        DOC_URL => "doc_url",
        _ => "an unknown field",
    }
}

/// `ValueType`
pub(super) mod value_type {
    pub(in super::super) const TYPE: u32 = 1;
    pub(in super::super) const UNIT: u32 = 2;
}

/// `Sample`
pub(super) mod sample {
    pub(in super::super) const LOCATION: u32 = 1;
    pub(in super::super) const VALUE: u32 = 2;
    pub(in super::super) const LABEL: u32 = 3;
}

/// `Label`
pub(super) mod label {
    pub(in super::super) const KEY: u32 = 1;
    pub(in super::super) const STR: u32 = 2;
    pub(in super::super) const NUM: u32 = 3;
    pub(in super::super) const UNIT: u32 = 4;
}

/// `Mapping`
pub(super) mod mapping {
    pub(in super::super) const ID: u32 = 1;
    pub(in super::super) const START: u32 = 2;
    pub(in super::super) const LIMIT: u32 = 3;
    pub(in super::super) const OFFSET: u32 = 4;
    pub(in super::super) const FILE: u32 = 5;
    pub(in super::super) const BUILD_ID: u32 = 6;
    pub(in super::super) const HAS_FUNCTIONS: u32 = 7;
    pub(in super::super) const HAS_INLINE_FRAMES: u32 = 10;
}

/// `Location`
pub(super) mod location {
    pub(in super::super) const ID: u32 = 1;
    pub(in super::super) const MAPPING: u32 = 2;
    pub(in super::super) const ADDRESS: u32 = 3;
    pub(in super::super) const LINE: u32 = 4;
    pub(in super::super) const FOLDED: u32 = 5;
}

/// `Line`
pub(super) mod line {
    pub(in super::super) const FUNCTION: u32 = 1;
    pub(in super::super) const LINE: u32 = 2;
    pub(in super::super) const COLUMN: u32 = 3;
}

/// `Function`
pub(super) mod function {
    pub(in super::super) const ID: u32 = 1;
    pub(in super::super) const NAME: u32 = 2;
    pub(in super::super) const SYSTEM_NAME: u32 = 3;
    pub(in super::super) const FILE: u32 = 4;
    pub(in super::super) const START_LINE: u32 = 5;
}
