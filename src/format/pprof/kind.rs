//! The kind of a proto: its format and its default value.

use super::message::Message;
use crate::profile::InputFormat;

/// What the sample types of a proto show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind {
    pub(super) format: InputFormat,
    /// The position of the value that is shown by default.
    pub(super) default: usize,
}

impl Kind {
    /// The kind of a message; `None` if it measures nothing.
    pub(super) fn of(message: &Message<'_>) -> Option<Kind> {
        let named = |name: &[u8]| {
            message.profile.sample_type.iter().position(|kind| message.string(kind.kind) == name)
        };
        let goroutines: [(&[u8], InputFormat); 3] = [
            (b"goroutine", InputFormat::Debug0),
            (b"goroutines", InputFormat::Debug0),
            (b"goroutineleak", InputFormat::LeakDebug0),
        ];
        for (name, format) in goroutines {
            if let Some(default) = named(name) {
                return Some(Kind { format, default });
            }
        }
        // From tools that convert dumps; no profile of Go has a type with this name.
        if let [only] = message.profile.sample_type.as_slice()
            && message.string(only.kind) == b"count"
        {
            return Some(Kind { format: InputFormat::Debug0, default: 0 });
        }
        // As in pprof.
        let last = message.profile.sample_type.len().checked_sub(1)?;
        let default = match message.string(message.profile.default_sample_type) {
            b"" => last,
            name => named(name).unwrap_or(last),
        };
        let has = |name: &[u8]| named(name).is_some();
        let format = if has(b"inuse_space") || has(b"alloc_space") {
            InputFormat::HeapDebug0
        } else if has(b"contentions") {
            InputFormat::ContentionDebug0
        } else if has(b"threadcreate") {
            InputFormat::ThreadDebug0
        } else if has(b"cpu") {
            InputFormat::CpuDebug0
        } else {
            InputFormat::ProfileDebug0
        };
        Some(Kind { format, default })
    }
}
