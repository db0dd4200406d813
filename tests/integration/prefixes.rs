//! Every prefix of a file is read without a panic, whatever is cut.

use crate::sandbox::{files_below, testdata};
use stackgazer::format::{self, ReadOptions};
use stackgazer::profile::{Input, InputFormat, Keep, ProfileBuilder, Sample};
use std::path::Path;

/// Files up to this length are cut at every byte ...
const EVERY_BYTE: usize = 1000;
/// ... and longer ones at about so many places.
const CUTS: usize = 30;

#[test]
fn prefixes_of_all_test_data_are_read() {
    for path in files_below(&testdata("")) {
        let name = path.to_string_lossy();
        // Its counts have no sum in 64 bits.
        let has_sum = !name.ends_with("/hostile/overflow.pb");
        if has_sum
            && !name.contains("/program/")
            && !name.ends_with(".py")
            && !name.ends_with(".sh")
        {
            check_prefixes(&path, CUTS);
        }
    }
}

/// Reads every prefix of a short file, and about `cuts` prefixes of a longer one.
pub(crate) fn check_prefixes(path: &Path, cuts: usize) {
    let bytes = std::fs::read(path).expect("a file");
    // An odd stride falls on every place of a line sooner or later.
    let stride = if bytes.len() <= EVERY_BYTE { 1 } else { (bytes.len() / cuts) | 1 };
    for end in (0..=bytes.len()).step_by(stride) {
        let read = std::panic::catch_unwind(|| read_bytes(&bytes[..end]));
        assert!(read.is_ok(), "{path:?} cut at {end}");
    }
}

/// Reads bytes as an input: what was understood, errors included, must be sound.
pub(crate) fn read_bytes(bytes: &[u8]) {
    let keep = Keep { goroutines: true, addresses: true, ..Keep::default() };
    let mut builder = ProfileBuilder::new(keep);
    let input = Input::new("input", "input", InputFormat::Debug2);
    let mut rest = bytes;
    let _ = format::read(&mut rest, input, &mut ReadOptions::default(), &mut builder);
    let profile = builder.finish();
    let of = |sample: &Sample| profile.input(sample.key.input).format.counts_goroutines();
    let goroutines = profile.samples.iter().filter(|sample| of(sample));
    let counted: i128 = goroutines.map(|sample| i128::from(sample.count)).sum();
    let announced: i128 = profile.inputs.iter().map(|input| i128::from(input.goroutines)).sum();
    assert_eq!(counted, announced, "inputs count their samples");
}
