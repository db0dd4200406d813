//! What the stacks of goroutines take: from the registers that `GOTRACEBACK=system` prints, exactly,
//! or from the addresses of calls and the binary.

use crate::binary::{Arch, Binary, Evidence, Mismatch, Observed, PrintedCall, Slide, StackModel};
use crate::profile::{
    Frame, InputFormat, InputId, Keep, LocationId, NewSample, Profile, ProfileBuilder, Sample,
    SampleId, SampleSpec,
};
use std::collections::HashMap;

/// The sample type of what [`by_frame`] makes, and what asks for it.
pub const KIND: &str = "stack";
/// Locations of an input that are compared with the binary.
const EVIDENCE: usize = 10_000;
/// What stands for the bytes of a stack that no call takes.
const FREE: &[u8] = b"[free stack]";

/// The stack of a goroutine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StackBytes {
    /// In use, as far as its calls are known.
    pub used: u64,
    /// The least that the runtime can have allocated.
    pub least: u64,
    /// The most that it leaves allocated after enough garbage collections.
    pub most: u64,
    /// Whether calls are missing, so that all of these may be more.
    pub truncated: bool,
    /// The bytes of each of its locations.
    pub calls: Vec<u64>,
}

/// The stacks of a profile.
#[derive(Debug, Default)]
pub struct Stacks<'a> {
    known: HashMap<(InputId, &'a [LocationId], bool), Option<StackBytes>>,
}

impl<'a> Stacks<'a> {
    /// What the goroutines of a profile take.
    ///
    /// # Errors
    /// If the binary isn't that of an input: its number, and why.
    pub fn of(
        profile: &'a Profile,
        binary: Option<&Binary>,
    ) -> Result<Stacks<'a>, (InputId, Mismatch)> {
        let mut slides = HashMap::new();
        if let Some(binary) = binary {
            for (input, read) in profile.inputs() {
                if read.format.counts_goroutines() && read.format != InputFormat::Debug2 {
                    let slide = slide(profile, input, binary).map_err(|wrong| (input, wrong))?;
                    slides.insert(input, slide);
                }
            }
        }
        let mut known = HashMap::new();
        let model = binary.and_then(|binary| binary.stack_model().ok());
        // Nothing but the binary tells what it is of.
        let model = model.or_else(|| StackModel::new(Arch::Amd64, "linux", false));
        for (id, sample) in profile.samples() {
            let Some(model) = &model else { break };
            let input = sample.key.input;
            let locations = profile.sample_locations(id);
            if locations.is_empty() || !profile.input(input).format.counts_goroutines() {
                continue;
            }
            known.entry(key(profile, id, sample)).or_insert_with(|| {
                let elided = sample.key.elided.is_some();
                exact(profile, locations, elided, model).or_else(|| {
                    let slide = slides.get(&input).copied().unwrap_or_default();
                    by_address(profile, input, locations, elided, binary?, slide, model)
                })
            });
        }
        Ok(Stacks { known })
    }

    /// The stack of each goroutine of a sample; `None` where nothing tells.
    pub fn get(&self, profile: &'a Profile, id: SampleId) -> Option<&StackBytes> {
        self.known.get(&key(profile, id, profile.sample(id)))?.as_ref()
    }
}

fn key<'a>(
    profile: &'a Profile,
    id: SampleId,
    sample: &Sample,
) -> (InputId, &'a [LocationId], bool) {
    (sample.key.input, profile.sample_locations(id), sample.key.elided.is_some())
}

/// By the registers of all its calls.
fn exact(
    profile: &Profile,
    locations: &[LocationId],
    elided: bool,
    model: &StackModel,
) -> Option<StackBytes> {
    let bytes = |&at: &LocationId| u64::from(profile.location(at).bytes);
    if locations.iter().any(|at| bytes(at) == 0) {
        return None;
    }
    let (calls, start): (Vec<LocationId>, Vec<LocationId>) =
        locations.iter().partition(|&&at| function(profile, at) != b"runtime.goexit");
    let mut calls: Vec<u64> = calls.iter().map(bytes).collect();
    let used = calls.iter().fold(model.used(&[]), |sum, bytes| sum.saturating_add(*bytes));
    calls.resize(locations.len(), 0);
    let size = model.size(used, 0);
    let truncated = elided || start.is_empty();
    Some(StackBytes { used, least: size.least, most: size.most, truncated, calls })
}

/// The function that a location is in, with what was inlined there.
fn function(profile: &Profile, at: LocationId) -> &[u8] {
    frame_of(profile, at).map_or(&[], |frame| profile.str(frame.func))
}

fn frame_of(profile: &Profile, at: LocationId) -> Option<Frame> {
    Some(profile.frame(profile.lines(at).last()?.frame))
}

/// By what a binary tells of its calls.
fn by_address(
    profile: &Profile,
    input: InputId,
    locations: &[LocationId],
    elided: bool,
    binary: &Binary,
    slide: Slide,
    model: &StackModel,
) -> Option<StackBytes> {
    let text = profile.input(input).format == InputFormat::Debug2;
    let returns: Option<Vec<u64>> = locations
        .iter()
        .map(|&at| {
            let location = profile.location(at);
            if !text {
                return (location.address != 0).then(|| location.address.saturating_add(1));
            }
            let frame = frame_of(profile, at)?;
            let call = PrintedCall {
                function: profile.str(frame.func),
                offset: location.offset.into(),
                file: profile.str(frame.file),
                line: u32::try_from(frame.line).ok()?,
            };
            // Where several share a name, none is guessed.
            match (location.offset, binary.addresses(&call).as_slice()) {
                (1.., [address]) => Some(*address),
                _ => None,
            }
        })
        .collect();
    let mut returns = returns?;
    let proto = profile.input(input).format.is_proto();
    if proto {
        // Protos leave out where every goroutine starts.
        let start = binary.functions_named(b"runtime.goexit").next()?;
        returns.push(start.entry().wrapping_add(slide.bytes()).wrapping_add(1));
    }
    let found = binary.stack_calls(&returns, slide);
    if found.unknown > 0 {
        return None;
    }
    let used = model.used(&found.calls);
    let size = model.size(used, found.hidden);
    let mut calls = vec![0; locations.len()];
    for call in &found.calls {
        // The last of those that it stands for is the function, the others were inlined into it.
        let at = call.first.saturating_add(call.count.saturating_sub(1));
        if let Some(bytes) = calls.get_mut(at) {
            *bytes = call.bytes;
        }
    }
    // Stacks as deep as the runtime takes them had more calls.
    let frames: usize = locations.iter().map(|&at| profile.lines(at).len().max(1)).sum();
    let is_cut = proto && frames >= deepest(binary);
    // Texts without registers leave out what the runtime itself calls.
    let truncated = elided || found.truncated || is_cut || text;
    Some(StackBytes { used, least: size.least, most: size.most, truncated, calls })
}

/// How many frames goroutine profiles have at most, unless GODEBUG=profstackdepth says otherwise.
fn deepest(binary: &Binary) -> usize {
    let go = binary.build_info().unwrap_or_default().go;
    let minor = go.strip_prefix("go1.").and_then(|rest| {
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u32>().ok()
    });
    if minor.is_some_and(|minor| minor < 23) { 32 } else { 128 }
}

/// How far a process was moved, if it ran this binary.
fn slide(profile: &Profile, input: InputId, binary: &Binary) -> Result<Slide, Mismatch> {
    let mut seen = std::collections::HashSet::new();
    let of_input = profile.samples().filter(|(_, sample)| sample.key.input == input);
    let locations = of_input.flat_map(|(id, _)| profile.sample_locations(id));
    let locations: Vec<LocationId> =
        locations.filter(|at| seen.insert(**at)).take(EVIDENCE).copied().collect();
    let named = locations.iter().filter_map(|&at| {
        let location = profile.location(at);
        let frame = profile.frame(profile.lines(at).first()?.frame);
        Some(Observed {
            pc: location.address,
            function: profile.str(frame.func),
            offset: (location.offset > 0).then_some(location.offset.into()),
            file: profile.str(frame.file),
            line: u32::try_from(frame.line).ok()?,
        })
    });
    let named: Vec<Observed<'_>> = named.filter(|frame| frame.pc != 0).collect();
    let mapping = locations.iter().find_map(|&at| profile.location(at).mapping);
    let mapping = mapping.and_then(|id| profile.mappings().get(id.index()));
    let by_mapping = mapping.and_then(|it| binary.slide_of_mapping(it.start, it.limit, it.offset));
    let slide = by_mapping.unwrap_or_else(|| binary.slide_of_frames(&named));
    let build_id =
        mapping.map_or("", |it| std::str::from_utf8(profile.str(it.build_id)).unwrap_or(""));
    binary.check(&Evidence { build_id, named, stacks: Vec::new() }, slide)?;
    Ok(slide)
}

/// A profile of bytes: each call of a stack is a sample with what it takes, and `[free stack]` in the
/// innermost one with what is allocated at least and not in use. So functions, modules, flame graphs
/// and differences of them are those of any profile.
pub fn by_frame(profile: &Profile, stacks: &Stacks<'_>) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let kind = builder.sample_type(KIND.as_bytes(), b"bytes");
    let free = builder.frame(FREE, b"", 0);
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
            let labels = profile.labels(read.labels).iter();
            let texts: Vec<(Vec<u8>, Vec<u8>)> = labels
                .map(|label| {
                    (profile.str(label.key).to_vec(), profile.label_text(label.value).into_owned())
                })
                .collect();
            input.labels = builder.text_labels(texts);
            builder.input(input)
        })
        .collect();
    for (id, sample) in profile.samples() {
        let Some(stack) = stacks.get(profile, id) else { continue };
        let frames: Vec<_> = profile
            .stack(sample.key.full)
            .iter()
            .map(|&frame| {
                let Frame { func, file, line } = profile.frame(frame);
                builder.frame(profile.str(func), profile.str(file), line)
            })
            .collect();
        let labels = profile.labels(sample.key.labels).iter();
        let labels: Vec<(Vec<u8>, Vec<u8>)> = labels
            .map(|label| {
                (profile.str(label.key).to_vec(), profile.label_text(label.value).into_owned())
            })
            .collect();
        let labels = builder.text_labels(labels);
        let input = inputs[sample.key.input.index()];
        let mut add = |frames: &[_], bytes: u64| {
            let bytes = i128::from(bytes).saturating_mul(sample.count.into());
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            if bytes != 0 {
                let stack = builder.stack(frames);
                let spec = SampleSpec { labels, ..SampleSpec::new(input, stack) };
                builder.add_sample(&NewSample { spec, values: &[bytes], locations: 0, labels });
            }
        };
        let mut rest = &frames[..];
        let in_calls: u64 = stack.calls.iter().sum();
        for (&at, &bytes) in profile.sample_locations(id).iter().zip(&stack.calls) {
            let lines = profile.lines(at).len().max(1);
            // What was inlined takes nothing of its own.
            let inlined = lines.saturating_sub(1).min(rest.len());
            add(&rest[inlined..], bytes);
            rest = rest.get(lines..).unwrap_or_default();
        }
        let start = frames.len().saturating_sub(1);
        add(&frames[start..], stack.used.saturating_sub(in_calls));
        let with_free: Vec<_> = std::iter::once(free).chain(frames.iter().copied()).collect();
        add(&with_free, stack.least.saturating_sub(stack.used));
    }
    builder.finish()
}
