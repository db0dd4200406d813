//! Checks that commands can compute something from what was read: that it fits in memory, and that it
//! hasn't so many sample types, or values of them, that they would take hours.

use super::{Profile, ProfileBuilder};
use crate::error::{Error, ErrorKind};
use crate::limits::{self, LIMITS, Limits};
use crate::profile::too_many_types;

/// Bytes that a command needs for each item, its share of the tables included: measured with a
/// million of each, for the commands that need most (`name`, `summarize --by state`).
mod needs {
    pub(super) const INPUT: u64 = 1100;
    pub(super) const STACK: u64 = 1000;
    pub(super) const FRAME: u64 = 300;
    pub(super) const SAMPLE: u64 = 500;
    pub(super) const GOROUTINE: u64 = 40;
    /// For each byte of names, labels and lists of frames.
    pub(super) const BYTE: u64 = 4;
}

impl ProfileBuilder {
    /// The error if commands would need more memory for what was read than the process can have:
    /// better than being killed without a message.
    pub fn out_of_room(&self, input: &str) -> Option<Error> {
        self.out_of_room_with(input, 0)
    }

    /// Like [`ProfileBuilder::out_of_room`], if the reader itself needs `bytes` more.
    pub fn out_of_room_with(&self, input: &str, bytes: u64) -> Option<Error> {
        self.out_of(limits::memory(), input, bytes)
    }

    fn out_of(&self, memory: u64, input: &str, extra: u64) -> Option<Error> {
        let advice = "what came before is shown";
        if let Some(what) = too_many_types(self.profile.sample_types.len()) {
            let what = format!("the profiles have {what}");
            return Some(Error::new(ErrorKind::Limit, input, what).advise(advice));
        }
        if let Some(what) = self.too_many_values() {
            return Some(Error::new(ErrorKind::Limit, input, what).advise(advice));
        }
        // The rest is for the program itself, and for tables that are copied as they grow.
        if self.needed().saturating_add(extra) <= memory / 8 * 5 {
            return None;
        }
        let what = format!(
            "its profiles, distinct stacks, names, labels and goroutines need more than the {} MiB of memory \
             that there are (memory)",
            memory >> 20
        );
        let error = Error::new(ErrorKind::Limit, input, what);
        Some(error.advise(format!("{advice}; run it where there is more")))
    }

    /// What is wrong if outputs with a value of each sample type for each sample would be too large.
    fn too_many_values(&self) -> Option<String> {
        let (types, samples) = (self.profile.sample_types.len(), self.profile.samples.len());
        let Limits { sample_values, sample_values_from: average, .. } = LIMITS;
        (types > average && types.saturating_mul(samples) > sample_values).then(|| {
            format!("{samples} samples of {types} sample types have more than {sample_values} values (sample_values)")
        })
    }

    fn needed(&self) -> u64 {
        let Profile { inputs, strings, frames, stacks, labels, flags, samples, goroutines, .. } =
            &self.profile;
        let bytes = strings.0.bytes() + stacks.bytes() + labels.bytes() + flags.bytes();
        let parts = [
            (inputs.len(), needs::INPUT),
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
    use crate::profile::{Input, InputFormat, Keep, SampleSpec};

    #[test]
    fn profiles_need_room_however_little_they_hold() {
        let mut builder = ProfileBuilder::new(Keep::default());
        for _ in 0..2000 {
            builder.input(Input::new("n1", "n1.txt", InputFormat::Debug1));
        }
        assert_eq!(builder.out_of(16 << 20, "dump.txt", 0), None);
        assert!(builder.out_of(1 << 20, "dump.txt", 0).is_some());
    }

    #[test]
    fn many_samples_of_many_types_have_too_many_values() {
        let answer = |types: usize, samples: usize| {
            let mut builder = ProfileBuilder::new(Keep::default());
            let input = builder.input(Input::new("n1", "n1.pb", InputFormat::ProfileDebug0));
            for number in 0..types {
                builder.sample_type(format!("t{number}").as_bytes(), b"count");
            }
            for number in 0..samples {
                let frame = builder.frame(b"main.f", b"main.go", number as i64);
                let stack = builder.stack(&[frame]);
                builder.sample(&SampleSpec::new(input, stack));
            }
            builder.out_of(64 << 30, "n1.pb", 0).map(|error| error.to_string())
        };
        assert_eq!(answer(1000, LIMITS.sample_values / 1000), None);
        let error = answer(1000, LIMITS.sample_values / 1000 + 1).unwrap();
        assert!(
            error.contains("samples of 1000 sample types have more than 4194304 values"),
            "{error}"
        );
        assert!(error.contains("(sample_values)"), "{error}");
        let types = LIMITS.sample_values_from;
        assert_eq!(
            answer(types, LIMITS.sample_values / types + 1),
            None,
            "they are linear in samples"
        );
    }

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
