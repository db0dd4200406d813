//! Writes goroutines as samples of a proto, so that reading it back gives the same goroutines.
//!
//! ```text
//! write_goroutines(profile: &Profile, count: &dyn Fn(SampleId) -> i64,
//!                  selected: &dyn Fn(usize) -> bool, out: W) -> io::Result<W>
//! ```
//! Kept: stacks as shown, counts, ids, creators, states, waits, flags, labels, elisions, the names
//! of inputs, and whether these were read whole. Not kept: ancestors, hidden frames, labels from paths,
//! announced totals, other warnings and crashes.

use super::incomplete;
use super::proto::Label;
use super::write::{Common, LabelText, LocationId, ProtoWriter, label_texts};
use super::{AS_SHOWN, key};
use crate::profile::{Frame, FrameId, Goroutine, InputId, Profile, Sample, SampleId};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::io::{self, Write};

/// Writes goroutines: a sample for each that has an id, and one for all others of a sample.
///
/// `count` returns how many goroutines of a sample are selected; `selected` whether the one at a
/// position in [`Profile::goroutines`] is, if ids are kept.
///
/// # Errors
/// Errors of writing to `out`.
pub fn write_goroutines<W: Write>(
    profile: &Profile,
    count: &dyn Fn(SampleId) -> i64,
    selected: &dyn Fn(usize) -> bool,
    out: W,
) -> io::Result<W> {
    let mut proto = ProtoWriter::new(out, &[(b"goroutine", b"count")])?;
    proto.comment(AS_SHOWN);
    let mut locations: HashMap<FrameId, LocationId, FixedState> = HashMap::default();
    let mut stack = Vec::new();
    let mut own = Vec::new();
    let keys = OwnKeys::new(&mut proto);
    let goroutines = BySample::of(profile);
    let mut is_written = vec![false; profile.inputs.len()];
    for (id, sample) in profile.samples() {
        let mut left = count(id);
        if let Some(is_written) = is_written.get_mut(sample.key.input.index()) {
            *is_written |= left != 0;
        }
        let mut with_id = None;
        let mut common = |proto: &mut ProtoWriter<W>, value: i64| {
            stack.clear();
            stack.extend(profile.stack(sample.key.stack).iter().map(|&frame| {
                *locations.entry(frame).or_insert_with(|| {
                    let at = profile.frame(frame);
                    proto.location(profile.str(at.func), profile.str(at.file), at.line)
                })
            }));
            let before = shared_labels(profile, sample, proto);
            let after = label_texts(profile, sample.key.labels);
            let after = after.map(|(key, value)| proto.label(key, value)).collect();
            Common::new(&stack, value, before, after)
        };
        for at in goroutines.of_sample(id).filter(|&at| selected(at)) {
            let Some(goroutine) = profile.goroutines.get(at) else { continue };
            let common = match &with_id {
                Some(common) => common,
                None => with_id.insert(common(&mut proto, 1)),
            };
            own.clear();
            keys.add(goroutine, &mut proto, &mut own);
            proto.sample_of(common, &own)?;
            left = left.saturating_sub(1);
        }
        // A sample can have goroutines with ids and others that are only counted.
        if left != 0 {
            let common = common(&mut proto, left);
            proto.sample_of(&common, &[])?;
        }
    }
    let is_written = |input: InputId| is_written.get(input.index()) == Some(&true);
    for comment in incomplete::comments(profile, &is_written) {
        proto.comment(&comment);
    }
    proto.finish()
}

/// Goroutines grouped by sample, in their order: goroutines of different samples are interleaved.
struct BySample {
    /// Where the goroutines of each sample end in `order`; they start where those of the previous
    /// sample end.
    ends: Vec<usize>,
    order: Vec<u32>,
}

impl BySample {
    fn of(profile: &Profile) -> BySample {
        // First the number of goroutines of each sample, then the position for its next goroutine.
        let mut ends = vec![0_usize; profile.samples.len()];
        for one in &profile.goroutines {
            if let Some(count) = ends.get_mut(one.sample.index()) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0_usize;
        for end in &mut ends {
            sum = sum.saturating_add(std::mem::replace(end, sum));
        }
        let mut order = vec![0; profile.goroutines.len()];
        for (at, one) in (0_u32..).zip(&profile.goroutines) {
            let Some(next) = ends.get_mut(one.sample.index()) else { continue };
            if let Some(place) = order.get_mut(*next) {
                *place = at;
            }
            *next = next.saturating_add(1);
        }
        BySample { ends, order }
    }

    /// The positions of a sample's goroutines in [`Profile::goroutines`].
    fn of_sample(&self, sample: SampleId) -> impl Iterator<Item = usize> {
        let end = |at: Option<usize>| at.and_then(|at| self.ends.get(at)).copied();
        let at = sample.index();
        let range = end(at.checked_sub(1)).unwrap_or(0)..end(Some(at)).unwrap_or(0);
        self.order.get(range).unwrap_or_default().iter().map(|&at| at as usize)
    }
}

/// Keys of the labels in which goroutines of a sample differ.
struct OwnKeys {
    wait: i64,
    minutes: i64,
    goroutine: i64,
    created_by: i64,
}

impl OwnKeys {
    fn new<W: Write>(proto: &mut ProtoWriter<W>) -> OwnKeys {
        OwnKeys {
            wait: proto.string(key::WAIT),
            minutes: proto.string(b"minutes"),
            goroutine: proto.string(key::GOROUTINE),
            created_by: proto.string(key::CREATED_BY_ID),
        }
    }

    fn add<W: Write>(
        &self,
        goroutine: &Goroutine,
        proto: &mut ProtoWriter<W>,
        labels: &mut Vec<Label>,
    ) {
        let number = |key, number, unit| Label { key, text: 0, number: Some(number), unit };
        let wait = goroutine.wait.known().map(|wait| (wait, whole_minutes(wait)));
        if let Some((wait, None)) = wait {
            let text = proto.string(wait.to_string().as_bytes());
            labels.push(Label { key: self.wait, text, ..Label::default() });
        }
        // Ids are 64 bits without a sign; they come back unchanged from the signed field.
        labels.push(number(self.goroutine, goroutine.id as i64, 0));
        if let Some(creator) = goroutine.creator() {
            labels.push(number(self.created_by, creator as i64, 0));
        }
        if let Some((_, Some(minutes))) = wait {
            // With a unit pprof shows a 0 too.
            labels.push(number(self.wait, minutes, self.minutes));
        }
    }
}

/// The wait as a whole number that is read back unchanged; `None` if there is none.
fn whole_minutes(wait: f32) -> Option<i64> {
    let minutes = wait as i64;
    // A negative zero would lose its sign.
    (minutes as f32 == wait && !(wait == 0.0 && wait.is_sign_negative())).then_some(minutes)
}

/// Labels for what the goroutines of a sample have in common.
fn shared_labels<W: Write>(
    profile: &Profile,
    sample: &Sample,
    proto: &mut ProtoWriter<W>,
) -> Vec<Label> {
    let key = &sample.key;
    let mut labels = Vec::new();
    let mut text = |key, value: &[u8]| labels.push(proto.label(key, LabelText::Text(value)));
    if profile.inputs.len() > 1 {
        text(key::INPUT, profile.input(key.input).name.as_bytes());
    }
    if let Some(state) = key.state {
        text(key::STATE, profile.str(state));
    }
    for &flag in profile.flags(key.flags) {
        text(key::FLAG, profile.str(flag));
    }
    if let Some(creator) = key.creator {
        let Frame { func, file, line } = profile.frame(creator);
        text(key::CREATED_BY, profile.str(func));
        text(key::CREATED_AT, &[profile.str(file), b":", line.to_string().as_bytes()].concat());
    }
    if let Some(elided) = key.elided {
        let count = elided.count.map_or(String::new(), |count| count.to_string());
        text(key::ELIDED, format!("{}/{count}", elided.after).as_bytes());
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::pprof::read;
    use crate::format::{Outcome, ReadOptions};
    use crate::profile::{
        Elision, Input, InputFormat, InputId, Keep, Label, LabelValue, NewGoroutine,
        ProfileBuilder, SampleSpec, Wait,
    };
    use proptest::prelude::*;
    use std::io::Read;

    const KEEP: Keep = Keep {
        goroutines: true,
        creators: false,
        addresses: false,
        arguments: false,
        calls: false,
    };

    fn unpacked(gzipped: &[u8]) -> Vec<u8> {
        let mut proto = Vec::new();
        flate2::read::GzDecoder::new(gzipped).read_to_end(&mut proto).unwrap();
        proto
    }

    fn write_all(profile: &Profile) -> Vec<u8> {
        let count = |sample: SampleId| profile.sample(sample).count;
        write_goroutines(profile, &count, &|_| true, Vec::new()).unwrap()
    }

    fn read_back(proto: &[u8]) -> crate::error::Result<Profile> {
        let mut builder = ProfileBuilder::new(KEEP);
        let input = Input::new("back", "back", InputFormat::Debug2);
        let outcome = read(&mut { proto }, input, &mut ReadOptions::default(), &mut builder)?;
        assert_eq!(outcome, Outcome::Read);
        Ok(builder.finish())
    }

    /// The data that must survive, as sorted texts: one for each goroutine, one for each count-only
    /// sample.
    ///
    /// The name of a single input is that of the file, so `names` says whether names count.
    fn facts(profile: &Profile, names: bool) -> Vec<String> {
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        let frame = |id| {
            let frame = profile.frame(id);
            (text(frame.func), text(frame.file), frame.line)
        };
        let describe = |sample: &Sample| {
            let key = &sample.key;
            let name = if names { &profile.input(key.input).name } else { "" };
            let stack: Vec<_> = profile.stack(key.stack).iter().map(|&id| frame(id)).collect();
            let flags: Vec<_> = profile.flags(key.flags).iter().map(|&flag| text(flag)).collect();
            let labels: Vec<_> = profile
                .labels(key.labels)
                .iter()
                .map(|label| match label.value {
                    LabelValue::Text(value) => (text(label.key), text(value), None),
                    LabelValue::Number(number, unit) => (text(label.key), text(unit), Some(number)),
                })
                .collect();
            let creator = key.creator.map(frame);
            let (state, elided) = (key.state.map(text), key.elided);
            format!("{name:?} {stack:?} {state:?} {flags:?} {labels:?} {creator:?} {elided:?}")
        };
        let mut facts: Vec<String> = Vec::new();
        let mut has_ids = vec![false; profile.samples.len()];
        for goroutine in &profile.goroutines {
            has_ids[goroutine.sample.index()] = true;
            let (id, creator, wait) = (goroutine.id, goroutine.creator(), goroutine.wait.known());
            let of = describe(profile.sample(goroutine.sample));
            facts.push(format!("{of} {id} {creator:?} {wait:?}"));
        }
        for (id, sample) in profile.samples() {
            if !has_ids[id.index()] && sample.count != 0 {
                facts.push(format!("{} x{}", describe(sample), sample.count));
            }
        }
        facts.sort();
        facts
    }

    /// A sample chosen by random numbers.
    #[derive(Clone, Debug)]
    struct Random {
        input: usize,
        stack: Vec<(usize, usize, i64)>,
        state: Option<usize>,
        flags: Vec<usize>,
        labels: Vec<(usize, usize, Option<i64>)>,
        creator: Option<(usize, usize, i64)>,
        elided: Option<(u32, Option<u64>)>,
        count: i64,
        goroutines: Vec<(u64, Option<u64>, Option<f32>)>,
    }

    /// Texts that are hard to distinguish or to parse.
    const TEXTS: [&[u8]; 10] = [
        b"main.main",
        b"",
        b"<unknown>",
        b"runtime.gopark",
        b"runtime.goexit",
        b"gen.F[go.shape.int]",
        b"a b:7",
        b"C:/Program Files/x.go",
        b"tab\there",
        b"not utf-8 \xff",
    ];
    const STATES: [&[u8]; 4] = [b"select", b"chan receive (nil chan)", b"odd, state (leaked)", b""];

    fn random() -> impl Strategy<Value = Random> {
        let text = 0..TEXTS.len();
        let line = prop_oneof![Just(0), 0..9i64, any::<i64>()];
        let frame = (text.clone(), text.clone(), line);
        let wait = prop_oneof![Just(0.0f32), (0..500i32).prop_map(|n| n as f32), 0.0..500.0f32];
        let id = prop_oneof![0..9u64, 0..u64::MAX];
        let number = proptest::option::of(prop_oneof![Just(0), any::<i64>()]);
        let goroutine = (id.clone(), proptest::option::of(id), proptest::option::of(wait));
        (
            0..3usize,
            prop::collection::vec(frame.clone(), 0..4),
            proptest::option::of(0..STATES.len()),
            prop::collection::vec(text.clone(), 0..3),
            prop::collection::vec((text.clone(), text, number), 0..4),
            proptest::option::of(frame),
            proptest::option::of((any::<u32>(), proptest::option::of(any::<u64>()))),
            -3..9i64,
            prop::collection::vec(goroutine, 0..4),
        )
            .prop_map(
                |(input, stack, state, flags, labels, creator, elided, count, goroutines)| Random {
                    input,
                    stack,
                    state,
                    flags,
                    labels,
                    creator,
                    elided,
                    count,
                    goroutines,
                },
            )
    }

    fn build(randoms: &[Random], inputs: usize) -> Profile {
        let mut builder = ProfileBuilder::new(KEEP);
        let inputs: Vec<InputId> = (0..inputs)
            .map(|at| builder.input(Input::new(&format!("n{at}"), "x", InputFormat::Debug2)))
            .collect();
        for random in randoms {
            let make = |builder: &mut ProfileBuilder, (func, file, line): (usize, usize, i64)| {
                builder.frame(TEXTS[func], TEXTS[file], line)
            };
            let frames: Vec<FrameId> =
                random.stack.iter().map(|&frame| make(&mut builder, frame)).collect();
            let stack = builder.stack(&frames);
            let mut flags = random.flags.iter().map(|&flag| builder.string(TEXTS[flag])).collect();
            let mut labels: Vec<Label> = Vec::new();
            for &(key, text, number) in &random.labels {
                let (key, text) = (builder.string(TEXTS[key]), builder.string(TEXTS[text]));
                let value = match number {
                    Some(number) => LabelValue::Number(number, text),
                    None => LabelValue::Text(text),
                };
                labels.push(Label { key, value });
            }
            let creator = random.creator.map(|frame| make(&mut builder, frame));
            let elided = random.elided.map(|(after, count)| Elision { after, count });
            let state = random.state.map(|state| builder.string(STATES[state]));
            let spec = SampleSpec {
                input: inputs[random.input % inputs.len()],
                stack,
                full: stack,
                state,
                flags: builder.flags(&mut flags),
                labels: builder.labels(&mut labels),
                creator,
                elided,
            };
            let sample = builder.sample(&spec);
            if random.goroutines.is_empty() {
                builder.count(sample, random.count);
            }
            for &(id, created_by, wait) in &random.goroutines {
                let wait = wait.map_or(Wait::UNKNOWN, Wait::minutes);
                builder.goroutine(sample, &NewGoroutine { id, created_by, wait });
            }
        }
        builder.finish()
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            randoms in prop::collection::vec(random(), 0..8),
            inputs in 1..4usize,
        ) {
            // A sample with ids and one without must not be joined.
            let mut randoms = randoms;
            let with_ids = randoms.iter().any(|random| !random.goroutines.is_empty());
            randoms.retain(|random| random.goroutines.is_empty() != with_ids);
            let profile = build(&randoms, inputs);
            let proto = unpacked(&write_all(&profile));
            let back = read_back(&proto).unwrap();
            let names = profile.inputs.len() > 1;
            prop_assert_eq!(facts(&back, names), facts(&profile, names));
        }

        #[test]
        fn a_cut_proto_is_an_error_or_less_but_no_panic(
            randoms in prop::collection::vec(random(), 1..4),
            cut in any::<prop::sample::Index>(),
        ) {
            let proto = unpacked(&write_all(&build(&randoms, 1)));
            let _ = read_back(&proto[..cut.index(proto.len())]);
        }

        #[test]
        fn a_changed_byte_is_no_panic(
            randoms in prop::collection::vec(random(), 1..4),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let mut proto = unpacked(&write_all(&build(&randoms, 2)));
            let at = at.index(proto.len());
            proto[at] = byte;
            let _ = read_back(&proto);
        }
    }

    #[test]
    fn the_same_profile_gives_the_same_bytes() {
        let random = Random {
            input: 0,
            stack: vec![(0, 7, 9), (2, 1, 0)],
            state: Some(0),
            flags: vec![8],
            labels: vec![(6, 8, None), (6, 1, Some(0))],
            creator: Some((5, 7, 12)),
            elided: Some((50, None)),
            count: 0,
            goroutines: vec![(7, Some(1), Some(0.0)), (8, None, Some(2.5))],
        };
        let profile = build(&[random], 1);
        let gzipped = write_all(&profile);
        assert_eq!(gzipped, write_all(&profile));
        // No time stamp in the gzip header.
        assert_eq!(gzipped[4..8], [0; 4]);
        let back = read_back(&unpacked(&gzipped)).unwrap();
        assert_eq!(facts(&back, false), facts(&profile, false));
        // The name of a single input isn't written: its file has another by now.
        assert_eq!((back.inputs[0].name.as_str(), back.inputs[0].header.period), ("back", 1));
    }

    #[test]
    fn waits_are_numbers_unless_that_would_change_them() {
        for (wait, expected) in
            [(0.0, Some(0)), (3.0, Some(3)), (-0.0, None), (2.5, None), (f32::MAX, None)]
        {
            assert_eq!(whole_minutes(wait), expected, "{wait}");
        }
    }

    #[test]
    fn only_what_is_selected_is_written() {
        let one = |goroutines| Random {
            input: 0,
            stack: vec![(0, 7, 9)],
            state: Some(0),
            flags: vec![],
            labels: vec![],
            creator: None,
            elided: None,
            count: 5,
            goroutines,
        };
        let two = build(&[one(vec![(7, None, None), (8, None, None)])], 1);
        let bytes = write_goroutines(&two, &|_| 1, &|at| at == 1, Vec::new()).unwrap();
        let back = read_back(&unpacked(&bytes)).unwrap();
        assert_eq!(back.goroutines.iter().map(|g| g.id).collect::<Vec<_>>(), [8]);
        let counted = build(&[one(vec![])], 1);
        let bytes = write_goroutines(&counted, &|_| 3, &|_| true, Vec::new()).unwrap();
        assert_eq!(read_back(&unpacked(&bytes)).unwrap().samples[0].count, 3);
    }
}
