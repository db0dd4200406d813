//! The bytes of goroutines' stacks: exactly, from the registers that `GOTRACEBACK=system` prints or
//! from the memory of the process; else from the addresses of calls and the binary.

use crate::binary::{Arch, Binary, Slide, StackModel};
use crate::profile::{
    CapturedGoroutine, Frame, InputFormat, InputId, Keep, Label, LabelsId, LocationId, NewSample,
    Profile, ProfileBuilder, SampleId, SampleSpec, WarningKind,
};
use std::collections::{BTreeMap, HashMap};

/// The name of the sample type that [`by_frame`] makes, and of the `--value` that requests it.
pub const KIND: &str = "stack";
/// The frame for the bytes of a stack that no call takes.
const FREE: &[u8] = b"[free stack]";

/// The stack of a goroutine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct StackBytes {
    /// Bytes in use, as far as its calls are known.
    pub used: u64,
    /// The least bytes that the runtime can have allocated.
    pub least: u64,
    /// The most bytes that it leaves allocated after enough garbage collections.
    pub most: u64,
    /// The bytes allocated, if known; then `least` and `most` are the same.
    pub allocated: Option<u64>,
    /// Whether calls are missing, so that all of these can be larger.
    pub truncated: bool,
}

impl From<&CapturedGoroutine> for StackBytes {
    fn from(captured: &CapturedGoroutine) -> StackBytes {
        let &CapturedGoroutine { allocated, used, .. } = captured;
        StackBytes {
            used: used.unwrap_or(0),
            least: allocated,
            most: allocated,
            allocated: Some(allocated),
            truncated: used.is_none(),
        }
    }
}

/// The stacks of a profile as it was read: frames that are hidden later still take their bytes.
#[derive(Debug, Default)]
pub struct Stacks {
    of_samples: HashMap<SampleId, StackBytes>,
    /// For processes whose memory was read: the stack of each goroutine, by its position.
    of_goroutines: HashMap<SampleId, Vec<(usize, StackBytes)>>,
    of_calls: HashMap<LocationId, u64>,
}

/// What is known about the stacks of an input.
struct Source<'a> {
    profile: &'a Profile,
    format: InputFormat,
    binary: Option<(&'a Binary, Slide)>,
    model: StackModel,
    /// The most frames that a goroutine profile can have.
    deepest: usize,
}

impl Stacks {
    /// The stacks of a profile's goroutines, given the binary of each input and how far its process was
    /// moved.
    pub fn of(profile: &Profile, binaries: &[Option<(&Binary, Slide)>]) -> Stacks {
        let mut stacks = Stacks::default();
        let sources: Vec<Option<Source<'_>>> = profile
            .inputs()
            .map(|(input, _)| Source::new(profile, input, *binaries.get(input.index())?))
            .collect();
        let mut known = HashMap::new();
        for (id, sample) in profile.samples() {
            let Some(source) = &sources[sample.key.input.index()] else { continue };
            let elided = sample.key.elided.is_some();
            let list = (sample.key.input, profile.location_list(id), elided);
            let stack = *known.entry(list).or_insert_with(|| {
                let locations = profile.sample_locations(id);
                let calls = &mut stacks.of_calls;
                source
                    .by_registers(locations, elided, calls)
                    .or_else(|| source.by_addresses(locations, elided, calls))
            });
            stacks.of_samples.extend(stack.map(|stack| (id, stack)));
        }
        if profile.inputs.iter().any(|input| input.captured.is_some()) {
            for (at, goroutine) in profile.goroutines.iter().enumerate() {
                if let Some(captured) = profile.captured(goroutine) {
                    let of_sample = stacks.of_goroutines.entry(goroutine.sample).or_default();
                    of_sample.push((at, captured.into()));
                }
            }
        }
        stacks
    }

    /// The stacks of `count` goroutines of a sample, and how many goroutines have each; empty if they
    /// aren't known. If the selection isn't by goroutine, `count` is the whole sample.
    pub fn of_selected(
        &self,
        sample: SampleId,
        count: i128,
        goroutines: Option<&[bool]>,
    ) -> Vec<(StackBytes, i128)> {
        let Some(each) = self.of_goroutines.get(&sample) else {
            return self.of_samples.get(&sample).map(|&stack| (stack, count)).into_iter().collect();
        };
        let is_selected = |at: usize| goroutines.is_none_or(|those| those.get(at) == Some(&true));
        let mut alike: BTreeMap<StackBytes, i128> = BTreeMap::new();
        for (_, stack) in each.iter().filter(|(at, _)| is_selected(*at)) {
            *alike.entry(*stack).or_default() += 1;
        }
        alike.into_iter().collect()
    }

    /// Whether the stacks of a sample are known.
    pub fn knows(&self, sample: SampleId) -> bool {
        self.of_goroutines.contains_key(&sample) || self.of_samples.contains_key(&sample)
    }

    /// Whether no stack is known.
    pub fn is_empty(&self) -> bool {
        self.of_samples.is_empty() && self.of_goroutines.is_empty()
    }

    /// The bytes of each frame of a sample; inlined frames have none of their own.
    pub(super) fn of_frames(&self, profile: &Profile, sample: SampleId) -> Vec<u64> {
        let mut bytes = Vec::new();
        for at in profile.sample_locations(sample) {
            bytes.resize(bytes.len() + profile.lines(*at).len().max(1) - 1, 0);
            bytes.push(self.of_calls.get(at).copied().unwrap_or(0));
        }
        bytes
    }

    /// Notes, on each input, how many of its goroutines have an unknown stack.
    pub fn note_unknown(&self, profile: &mut Profile) {
        let mut unknown = vec![0_i64; profile.inputs.len()];
        for (id, sample) in profile.samples() {
            if profile.input(sample.key.input).format.counts_goroutines() && !self.knows(id) {
                let of_input = &mut unknown[sample.key.input.index()];
                *of_input = of_input.saturating_add(sample.count);
            }
        }
        for (input, unknown) in profile.inputs.iter_mut().zip(unknown) {
            if unknown > 0 {
                let text = format!("of {unknown} of its goroutines nothing tells the stack");
                input.warn(WarningKind::Note, None, text);
            }
        }
    }
}

impl<'a> Source<'a> {
    fn new(
        profile: &'a Profile,
        input: InputId,
        binary: Option<(&'a Binary, Slide)>,
    ) -> Option<Source<'a>> {
        let format = profile.input(input).format;
        let model = binary.and_then(|(binary, _)| binary.stack_model().ok());
        // Only the binary says what architecture and system it is for.
        let model = model.or_else(|| StackModel::new(Arch::Amd64, "linux", false))?;
        let deepest = binary.map_or(0, |(binary, _)| deepest(binary));
        format.counts_goroutines().then_some(Source { profile, format, binary, model, deepest })
    }

    /// By the registers of all its calls.
    fn by_registers(
        &self,
        locations: &[LocationId],
        elided: bool,
        of_calls: &mut HashMap<LocationId, u64>,
    ) -> Option<StackBytes> {
        let bytes = |&at: &LocationId| u64::from(self.profile.location(at).bytes);
        if locations.is_empty() || locations.iter().any(|at| bytes(at) == 0) {
            return None;
        }
        let is_start = |at: &LocationId| self.function(*at) == b"runtime.goexit";
        let mut used = self.model.used(&[]);
        for at in locations.iter().filter(|at| !is_start(at)) {
            of_calls.insert(*at, bytes(at));
            used = used.saturating_add(bytes(at));
        }
        let size = self.model.size(used, 0);
        let truncated = elided || !locations.iter().any(is_start);
        Some(StackBytes { used, least: size.least, most: size.most, allocated: None, truncated })
    }

    /// The function that a location is in, with what was inlined there.
    fn function(&self, at: LocationId) -> &[u8] {
        let outermost = self.profile.lines(at).last();
        outermost.map_or(&[], |line| self.profile.func(line.frame))
    }

    /// By what a binary says about its calls.
    fn by_addresses(
        &self,
        locations: &[LocationId],
        elided: bool,
        of_calls: &mut HashMap<LocationId, u64>,
    ) -> Option<StackBytes> {
        let (binary, slide) = self.binary.filter(|_| !locations.is_empty())?;
        let addresses = locations.iter().map(|&at| self.profile.location(at).address);
        // If several functions share a name, a crash leaves the address open, and none is guessed.
        let returns = addresses.map(|address| (address != 0).then(|| address.saturating_add(1)));
        let mut returns: Vec<u64> = returns.collect::<Option<_>>()?;
        let proto = self.format.is_proto();
        if proto {
            // Protos leave out the frame that every goroutine starts with.
            let start = binary.functions_named(b"runtime.goexit").next()?;
            returns.push(start.entry().wrapping_add(slide.bytes()).wrapping_add(1));
        }
        let found = binary.stack_calls(&returns, slide);
        if found.unknown > 0 {
            return None;
        }
        let used = self.model.used(&found.calls);
        let size = self.model.size(used, found.hidden);
        for call in &found.calls {
            // The last of these frames is the function, the others were inlined into it.
            let at = call.first.saturating_add(call.count.saturating_sub(1));
            of_calls.extend(locations.get(at).map(|&at| (at, call.bytes)));
        }
        // A stack as deep as the runtime's limit had more calls.
        let frames: usize = locations.iter().map(|&at| self.profile.lines(at).len().max(1)).sum();
        let is_cut = proto && frames >= self.deepest;
        // Texts without registers leave out the calls of the runtime itself.
        let is_text = self.format == InputFormat::Debug2;
        let truncated = elided || found.truncated || is_cut || is_text;
        Some(StackBytes { used, least: size.least, most: size.most, allocated: None, truncated })
    }
}

/// The most frames that goroutine profiles have, unless GODEBUG=profstackdepth says otherwise.
fn deepest(binary: &Binary) -> usize {
    let go = binary.build_info().unwrap_or_default().go;
    let minor = go.strip_prefix("go1.").and_then(|rest| {
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u32>().ok()
    });
    if minor.is_some_and(|minor| minor < 23) { 32 } else { 128 }
}

/// A profile of bytes: each call of a stack is a sample with the bytes that it takes, and the innermost
/// one has `[free stack]` with the bytes that are at least allocated and not in use. So functions,
/// modules, flame graphs and differences work as for any profile.
pub fn by_frame(profile: &Profile, stacks: &Stacks) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let kind = builder.sample_type(KIND.as_bytes(), b"bytes");
    let free = builder.frame(FREE, b"", 0);
    let texts = |labels: LabelsId| -> Vec<(Vec<u8>, Vec<u8>)> {
        let labels = profile.labels(labels).iter();
        let text = |label: &Label| profile.label_text(label.value).into_owned();
        labels.map(|label| (profile.str(label.key).to_vec(), text(label))).collect()
    };
    let inputs: Vec<InputId> = profile
        .inputs
        .iter()
        .map(|read| {
            let mut input = read.clone();
            input.format = InputFormat::ProfileDebug0;
            (input.announced, input.goroutines) = (None, 0);
            (input.crash, input.later_crashes) = (None, Vec::new());
            (input.labels, input.header) = Default::default();
            input.header.sample_types.push(kind);
            input.header.default_type = Some(kind);
            input.labels = builder.text_labels(texts(read.labels));
            builder.input(input)
        })
        .collect();
    for (id, sample) in profile.samples() {
        let each = stacks.of_selected(id, sample.count.into(), None);
        if each.is_empty() {
            continue;
        }
        let frames: Vec<_> = profile
            .stack(sample.key.full)
            .iter()
            .map(|&frame| {
                let Frame { func, file, line } = profile.frame(frame);
                builder.frame(profile.str(func), profile.str(file), line)
            })
            .collect();
        let labels = builder.text_labels(texts(sample.key.labels));
        let input = inputs[sample.key.input.index()];
        let mut add = |frames: &[_], bytes: i128| {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            if bytes != 0 {
                let stack = builder.stack(frames);
                let spec = SampleSpec { labels, ..SampleSpec::new(input, stack) };
                builder.add_sample(&NewSample { spec, values: &[bytes], locations: 0, labels });
            }
        };
        let sum = |of: &dyn Fn(&StackBytes) -> u64| -> i128 {
            each.iter().map(|(stack, count)| i128::from(of(stack)).saturating_mul(*count)).sum()
        };
        let (used, least) = (sum(&|stack| stack.used), sum(&|stack| stack.least));
        let mut in_calls = 0_i128;
        for (at, bytes) in stacks.of_frames(profile, id).into_iter().enumerate() {
            let bytes = i128::from(bytes).saturating_mul(sample.count.into());
            in_calls = in_calls.saturating_add(bytes);
            add(frames.get(at..).unwrap_or_default(), bytes);
        }
        let start = frames.len().saturating_sub(1);
        add(&frames[start..], used.saturating_sub(in_calls).max(0));
        let with_free: Vec<_> = std::iter::once(free).chain(frames.iter().copied()).collect();
        add(&with_free, least.saturating_sub(used).max(0));
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_selected_goroutines_of_a_process_count() {
        let stack = |least| StackBytes { least, ..StackBytes::default() };
        let each = vec![(0, stack(2048)), (1, stack(4096)), (3, stack(2048))];
        let of_goroutines = HashMap::from([(SampleId(0), each)]);
        let stacks = Stacks { of_goroutines, ..Stacks::default() };
        let of = |selected: Option<&[bool]>| {
            let found = stacks.of_selected(SampleId(0), 3, selected).into_iter();
            found.map(|(stack, count)| (stack.least, count)).collect::<Vec<_>>()
        };
        assert_eq!(of(None), [(2048, 2), (4096, 1)]);
        assert_eq!(of(Some(&[true, false, true, true])), [(2048, 2)]);
        assert_eq!(of(Some(&[false, true])), [(4096, 1)]);
    }
}
