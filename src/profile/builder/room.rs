//! What was read must fit in memory together with what commands make of it.

use super::{Profile, ProfileBuilder};
use crate::error::{Error, ErrorKind};
use crate::limits;

/// Bytes that a command needs for each of a thing, its share of the tables included: measured with a
/// million of each, of the commands that need much (`name`, `summarize --by state`).
mod needs {
    pub(super) const STACK: u64 = 1000;
    pub(super) const FRAME: u64 = 300;
    pub(super) const SAMPLE: u64 = 500;
    pub(super) const GOROUTINE: u64 = 40;
    /// For each byte of names, labels and lists of frames.
    pub(super) const BYTE: u64 = 4;
}

impl ProfileBuilder {
    /// What there is to say where commands would need more memory for what was read than the process
    /// may have: better that than its end without a word.
    pub fn out_of_room(&self, input: &str) -> Option<Error> {
        self.out_of_room_beside(input, 0)
    }

    /// What there is to say where there is no room beside so many bytes that the reader itself needs.
    pub fn out_of_room_beside(&self, input: &str, bytes: u64) -> Option<Error> {
        self.out_of(limits::memory(), input, bytes)
    }

    fn out_of(&self, memory: u64, input: &str, beside: u64) -> Option<Error> {
        // The rest is for the program itself, and for tables that grow by being copied.
        if self.needed().saturating_add(beside) <= memory / 8 * 5 {
            return None;
        }
        let what = format!(
            "its distinct stacks, names, labels and goroutines need more than the {} MiB of memory \
             that there are (memory)",
            memory >> 20
        );
        let error = Error::new(ErrorKind::Limit, input, what);
        Some(error.advise("what came before is shown; run it where there is more"))
    }

    fn needed(&self) -> u64 {
        let Profile { strings, frames, stacks, labels, flags, samples, goroutines, .. } =
            &self.profile;
        let bytes = strings.0.bytes() + stacks.bytes() + labels.bytes() + flags.bytes();
        let parts = [
            (stacks.len(), needs::STACK),
            (frames.len(), needs::FRAME),
            (samples.len(), needs::SAMPLE),
            (goroutines.len(), needs::GOROUTINE),
            (bytes, needs::BYTE),
        ];
        parts.iter().fold(0, |sum, &(count, each)| {
            u64::saturating_add(sum, (count as u64).saturating_mul(each))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Keep;

    #[test]
    fn distinct_names_need_room_and_the_limit_is_named() {
        let mut builder = ProfileBuilder::new(Keep::default());
        assert_eq!(builder.out_of(1 << 20, "dump.txt", 0), None);
        for name in 0..2000 {
            let frame = builder.frame(format!("main.f{name}").as_bytes(), b"main.go", 1);
            builder.stack(&[frame]);
        }
        assert_eq!(builder.out_of(16 << 20, "dump.txt", 0), None);
        let error = builder.out_of(1 << 20, "dump.txt", 0).unwrap();
        assert_eq!(error.kind, ErrorKind::Limit);
        assert!(error.to_string().contains("more than the 1 MiB of memory"), "{error}");
    }
}
