//! Reads protos of every kind.

use super::AS_SHOWN;
use super::check::{Fault, Index, check};
use super::field;
use super::incomplete::Incomplete;
use super::kind::Kind;
use super::label::{LabelReader, OneGoroutine, number};
use super::message::Message;
use super::proto::{Sample, ValueType};
use super::stacks::{BothStacks, Stacks};
use super::wire::{Damage, DamageKind};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{Outcome, ReadOptions};
use crate::limits::LIMITS;
use crate::profile::{
    Flag, Header, Input, InputId, NewGoroutine, NewSample, ProfileBuilder, SampleSpec, SampleType,
    StrId, TypeId, WarningKind, flag, too_many_types,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::io::Read;

/// Reads an uncompressed proto into the builder.
pub(crate) fn read(
    bytes: &mut dyn Read,
    input: Input,
    options: &mut ReadOptions<'_>,
    builder: &mut ProfileBuilder,
) -> Result<Outcome> {
    // Tables come in any order, so the whole proto is needed; the buffer grows as bytes arrive.
    let mut proto = Vec::with_capacity(LIMITS.read_buffer);
    let result = bytes.read_to_end(&mut proto);
    result.map_err(|error| Error::io(input.path.clone(), &error))?;
    let message = Message::decode(&proto).map_err(|damage| damage_error(&input.path, damage))?;
    let index = check(&message).map_err(|fault| fault_error(&input.path, fault, &message))?;
    let kind = Kind::of(&message).ok_or_else(|| {
        Error::new(ErrorKind::Unknown, input.path.clone(), "a proto without sample types")
            .advise("give a profile that measures something")
    })?;
    if let Some(what) = too_many_types(message.profile.sample_type.len()) {
        let error = Error::new(ErrorKind::Limit, input.path, format!("has {what}"));
        return Err(error.advise("nothing of it is shown; does it come from Go?"));
    }
    if let Some(observer) = &mut options.observer {
        offer_labels(&message, observer);
    }
    Reader::new(&message, &index, kind, input, builder).read(builder)?;
    Ok(Outcome::Read)
}

/// Calls the observer with each label as `key=value`, until it has seen enough.
fn offer_labels(message: &Message<'_>, observer: &mut dyn FnMut(&[u8]) -> bool) {
    let mut samples = message.read_samples();
    while let Ok(Some(sample)) = samples.read() {
        for label in &sample.label {
            let value = match number(label) {
                Some(number) => number.to_string().into_bytes(),
                None => message.string(label.text).to_vec(),
            };
            if !observer(&[message.string(label.key), b"=", &value].concat()) {
                return;
            }
        }
    }
}

fn fault_error(path: &str, fault: Fault, message: &Message<'_>) -> Error {
    let (what, place) = match fault {
        Fault::Damage(damage) => return damage_error(path, damage),
        Fault::Entry(table, at, what) => (what, message.place(table, at)),
        Fault::NoStrings => ("string_table is empty".to_owned(), Some(message.end())),
    };
    let error = Error::new(ErrorKind::Damaged, path, format!("damaged proto: {what}"))
        .advise("write the profile again");
    match place {
        Some(place) => error.at(Place::Byte(place)),
        None => error,
    }
}

fn damage_error(path: &str, damage: Damage) -> Error {
    let place = match damage.field {
        0 => String::new(),
        number => format!(" in field {}", field::name(number)),
    };
    let kind = match damage.what {
        DamageKind::Long | DamageKind::Many => ErrorKind::Limit,
        _ => ErrorKind::Damaged,
    };
    let (start, advice) = match damage.what {
        DamageKind::Long | DamageKind::Many => {
            ("", "nothing of it is shown; does it come from Go?")
        }
        DamageKind::Truncated => ("", "copy the profile again, it isn't whole"),
        _ => ("damaged proto: ", "write the profile again"),
    };
    Error::new(kind, path, format!("{start}{}{place}", damage.what))
        .at(Place::Byte(damage.at))
        .advise(advice)
}

/// Adds the samples of a checked message.
struct Reader<'a> {
    message: &'a Message<'a>,
    index: &'a Index,
    kind: Kind,
    stacks: Stacks,
    labels: LabelReader,
    /// Flags that all goroutines of this profile have.
    flags: Vec<Flag>,
    inputs: Inputs,
    /// Whether `export -o pprof` wrote it.
    as_shown: bool,
    /// Whether every sample can be written as it was read.
    exact: bool,
}

impl<'a> Reader<'a> {
    fn new(
        message: &'a Message<'a>,
        index: &'a Index,
        kind: Kind,
        mut input: Input,
        builder: &mut ProfileBuilder,
    ) -> Reader<'a> {
        let as_shown = message.profile.comment.iter().any(|&text| message.string(text) == AS_SHOWN);
        input.format = kind.format;
        input.header = header(message, kind, builder);
        let leaked = kind.format.is_leak_profile();
        Reader {
            message,
            index,
            kind,
            stacks: Stacks::new(message, index, kind.format, as_shown, builder),
            labels: LabelReader::new(message, as_shown),
            flags: leaked.then(|| builder.string(flag::LEAKED)).into_iter().collect(),
            inputs: Inputs { template: input, known: HashMap::default() },
            as_shown,
            exact: !as_shown,
        }
    }

    fn read(mut self, builder: &mut ProfileBuilder) -> Result<()> {
        let result = self.samples(builder);
        if self.message.samples == 0 {
            self.inputs.find(None, builder);
        }
        let odd = self.message.strings.iter().any(|string| std::str::from_utf8(string).is_err());
        let incomplete = Incomplete::of(self.message);
        for &input in self.inputs.known.values() {
            let input = builder.input_mut(input);
            incomplete.warn(input, self.inputs.known.len() == 1);
            input.header.exact = self.exact;
            if odd {
                input.warn(WarningKind::NotUtf8, None, "names that aren't UTF-8");
            }
            if self.message.has_cut {
                let text = format!(
                    "names or labels are longer than {} bytes and were cut (text)",
                    LIMITS.text
                );
                input.warn(WarningKind::LongLine, None, text);
            }
        }
        result
    }

    fn samples(&mut self, builder: &mut ProfileBuilder) -> Result<()> {
        let message = self.message;
        let comments = message.profile.comment.iter().map(|&text| message.string(text).len());
        self.stacks.take_texts(comments).map_err(|what| self.too_many(what))?;
        let mut samples = self.message.read_samples();
        // Damaged bytes were found when they were checked.
        while let Ok(Some(sample)) = samples.read() {
            let labels = sample.label.iter().flat_map(|label| [label.key, label.text, label.unit]);
            let lengths = labels.map(|text| message.string(text).len());
            let bytes = self.stacks.take_labels(lengths).map_err(|what| self.too_many(what))?;
            let known = builder.profile().labels_count();
            match self.kind.format.counts_goroutines() {
                true => self.goroutines(sample, builder)?,
                false => self.sample(sample, builder)?,
            }
            if builder.profile().labels_count() > known {
                self.stacks.take_new_labels(bytes).map_err(|what| self.too_many(what))?;
            }
            if let Some(error) = builder.out_of_room(&self.inputs.template.path) {
                return Err(error);
            }
        }
        Ok(())
    }

    fn stacks_of(&mut self, sample: &Sample, builder: &mut ProfileBuilder) -> Result<BothStacks> {
        let stacks = self.stacks.make(&sample.location_id, self.index, builder);
        stacks.map_err(|what| self.too_many(what))
    }

    fn too_many(&self, what: String) -> Error {
        Error::new(ErrorKind::Limit, &self.inputs.template.path, what)
            .advise("samples before that place are shown; does it come from Go?")
    }

    /// Adds a sample of a profile that counts something else.
    fn sample(&mut self, sample: &Sample, builder: &mut ProfileBuilder) -> Result<()> {
        let stacks = self.stacks_of(sample, builder)?;
        let labels = self.labels.all(&sample.label, self.message, builder);
        let input = self.inputs.find(None, builder);
        let seen = &mut builder.input_mut(input).seen;
        seen.headers = seen.headers.saturating_add(1);
        builder.add_sample(&NewSample {
            spec: SampleSpec { full: stacks.full, labels, ..SampleSpec::new(input, stacks.shown) },
            values: &sample.value,
            locations: stacks.locations,
            labels,
        });
        Ok(())
    }

    /// Adds a sample of a profile that counts goroutines.
    fn goroutines(&mut self, sample: &Sample, builder: &mut ProfileBuilder) -> Result<()> {
        let message = self.message;
        let count = sample.value.get(self.kind.default).copied().unwrap_or(0);
        let BothStacks { full, shown, locations, .. } = self.stacks_of(sample, builder)?;
        let facts = self.labels.read(&sample.label, &self.flags, message, builder);
        let input = self.inputs.find(facts.input, builder);
        let seen = &mut builder.input_mut(input).seen;
        seen.headers = seen.headers.saturating_add(1);
        if facts.elided.is_some() {
            seen.elided = seen.elided.saturating_add(count.unsigned_abs());
        }
        let spec = SampleSpec {
            input,
            stack: shown,
            full,
            state: facts.state,
            flags: facts.flags,
            labels: facts.labels,
            creator: facts.creator,
            elided: facts.elided,
        };
        match facts.goroutine {
            Some(OneGoroutine { id: goroutine, created_by, wait }) if count == 1 => {
                self.exact = false;
                let id = builder.sample(&spec);
                builder.goroutine(id, &NewGoroutine { id: goroutine, created_by, wait });
            }
            Some(OneGoroutine { id: goroutine, .. }) => {
                self.exact = false;
                let text = format!("goroutine {goroutine} is counted {count} times");
                builder.input_mut(input).warn(WarningKind::Note, None, text);
                let id = builder.sample(&spec);
                builder.count(id, count);
            }
            None if self.as_shown => {
                let id = builder.sample(&spec);
                builder.count(id, count);
            }
            None => {
                let labels = self.labels.all(&sample.label, message, builder);
                let values = &sample.value;
                builder.add_sample(&NewSample { spec, values, locations, labels });
            }
        }
        Ok(())
    }
}

/// The proto's header.
fn header(message: &Message<'_>, kind: Kind, builder: &mut ProfileBuilder) -> Header {
    let profile = &message.profile;
    let sample_types: Vec<TypeId> = profile
        .sample_type
        .iter()
        .map(|kind| builder.sample_type(message.string(kind.kind), message.string(kind.unit)))
        .collect();
    let mut text = |index| builder.string(message.string(index));
    let period_type = |ValueType { kind, unit }| SampleType { kind: text(kind), unit: text(unit) };
    Header {
        default_type: sample_types.get(kind.default).copied(),
        sample_types,
        period_type: profile.period_type.map(period_type),
        period: profile.period,
        time_nanos: profile.time_nanos,
        duration_nanos: profile.duration_nanos,
        default_name: text(profile.default_sample_type),
        comments: profile.comment.iter().map(|&comment| text(comment)).collect(),
        doc_url: text(profile.doc_url),
        drop_frames: text(profile.drop_frames),
        keep_frames: text(profile.keep_frames),
        exact: false,
        memory: None,
    }
}

/// The inputs of one proto: one that `export -o pprof` wrote can hold several.
struct Inputs {
    template: Input,
    known: HashMap<Option<StrId>, InputId, FixedState>,
}

impl Inputs {
    /// The input with this name, added when it first occurs; `None` is the proto itself.
    fn find(&mut self, name: Option<StrId>, builder: &mut ProfileBuilder) -> InputId {
        if let Some(&known) = self.known.get(&name) {
            return known;
        }
        let mut input = self.template.clone();
        if let Some(name) = name {
            input.name = String::from_utf8_lossy(builder.str(name)).into_owned();
        }
        let id = builder.input(input);
        self.known.insert(name, id);
        id
    }
}
