//! `-o pprof`: a gzipped proto whose samples are goroutines; see [`crate::format::pprof`] for what
//! its labels hold.

use crate::filter::Selection;
use crate::format::pprof::write_goroutines;
use crate::profile::Profile;
use std::io::{self, Write};

/// Writes the proto.
pub fn write(profile: &Profile, selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let count = |sample| selection.count(sample);
    let selected = |at| selection.has_goroutine(profile, at);
    write_goroutines(profile, &count, &selected, out).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, Maker};
    use super::*;
    use crate::format::{self, ReadOptions};
    use crate::profile::{Input, InputFormat, Keep, ProfileBuilder, Wait};

    #[test]
    fn goroutines_with_ids_and_counted_ones_of_one_sample_are_all_written() {
        let mut maker = Maker::new();
        let input = maker.input("n1", InputFormat::Debug0);
        let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
        let spec = maker.spec(input, stack, "select");
        maker.goroutine(&spec, 7, Wait::minutes(3.0), Some(1));
        maker.count(&spec, 4);
        let fixture = Fixture::new(maker);
        let mut proto = Vec::new();
        write(&fixture.profile, &fixture.selection, &mut proto).unwrap();

        let mut builder = ProfileBuilder::new(Keep { goroutines: true, receivers: false });
        // Sources unpack; formats see what was packed.
        let mut bytes = flate2::read::GzDecoder::new(proto.as_slice());
        let input = Input::new("back", "back.pb.gz", InputFormat::Debug0);
        format::read(&mut bytes, input, &mut ReadOptions::default(), &mut builder).unwrap();
        let back = builder.finish();
        assert_eq!(back.samples.iter().map(|sample| sample.count).sum::<i64>(), 5);
        assert_eq!(back.goroutines.len(), 1);
    }
}
