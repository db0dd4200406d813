//! Reading protos that count goroutines.

use super::AS_SHOWN;
use super::check::{Index, check};
use super::field;
use super::label::{LabelReader, OneGoroutine, number};
use super::message::{Message, Sample};
use super::stacks::Stacks;
use super::wire::{Damage, DamageKind};
use crate::error::{Error, ErrorKind, Place, Result};
use crate::format::{Outcome, ReadOptions};
use crate::profile::{
    Flag, Input, InputFormat, InputId, NewGoroutine, ProfileBuilder, Receiver, SampleSpec, StrId,
    WarningKind, flag,
};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::io::Read;

/// Reads a proto, not compressed any more, into the builder.
pub(crate) fn read(
    bytes: &mut dyn Read,
    input: Input,
    options: &mut ReadOptions<'_>,
    builder: &mut ProfileBuilder,
) -> Result<Outcome> {
    // The tables stand in any order, so all of it is needed; it grows by what arrives.
    let mut proto = Vec::new();
    let result = bytes.read_to_end(&mut proto);
    result.map_err(|error| Error::io(input.path.clone(), &error))?;
    let message = Message::decode(&proto).map_err(|damage| damage_error(&input.path, damage))?;
    let index = check(&message).map_err(|what| {
        Error::new(ErrorKind::Damaged, input.path.clone(), format!("damaged proto: {what}"))
            .advise("write the profile again")
    })?;
    let (value, format) = goroutine_value(&message).ok_or_else(|| other_kind(&input, &message))?;
    if let Some(observer) = &mut options.observer {
        offer_labels(&message, observer);
    }
    let input = Input { format, ..input };
    Reader::new(&message, &index, value, input, builder).read(builder);
    Ok(Outcome::Read)
}

/// Offers each label as `key=value` to the extraction rules, until they have seen enough.
fn offer_labels(message: &Message<'_>, observer: &mut dyn FnMut(&[u8]) -> bool) {
    for label in &message.labels {
        let value = match number(label) {
            Some(number) => number.to_string().into_bytes(),
            None => message.string(label.text).to_vec(),
        };
        if !observer(&[message.string(label.key), b"=", &value].concat()) {
            return;
        }
    }
}

fn damage_error(path: &str, damage: Damage) -> Error {
    let place = match damage.field {
        0 => String::new(),
        number => format!(" in field {}", field::name(number)),
    };
    let (start, advice) = match damage.what {
        DamageKind::Truncated => ("", "copy the profile again, it isn't whole"),
        _ => ("damaged proto: ", "write the profile again"),
    };
    Error::new(ErrorKind::Damaged, path, format!("{start}{}{place}", damage.what))
        .at(Place::Byte(damage.at))
        .advise(advice)
}

/// The position of the value that counts goroutines.
fn goroutine_value(message: &Message<'_>) -> Option<(usize, InputFormat)> {
    let names: [(&[u8], InputFormat); 4] = [
        (b"goroutine", InputFormat::Debug0),
        (b"goroutines", InputFormat::Debug0),
        (b"goroutineleak", InputFormat::LeakDebug0),
        // Tools that convert dumps; no profile of Go has a type of this name.
        (b"count", InputFormat::Debug0),
    ];
    names.into_iter().find_map(|(name, format)| {
        let mut types = message.sample_types.iter();
        types.position(|kind| message.string(kind.kind) == name).map(|at| (at, format))
    })
}

/// What a proto of another kind is called.
fn other_kind(input: &Input, message: &Message<'_>) -> Error {
    let types: Vec<_> = message
        .sample_types
        .iter()
        .map(|kind| {
            let text = |index| String::from_utf8_lossy(message.string(index));
            format!("{}/{}", text(kind.kind), text(kind.unit))
        })
        .collect();
    let has = |name: &str| types.iter().any(|kind| kind.starts_with(name));
    let name = if has("inuse_") || has("alloc_") {
        "heap"
    } else if has("contentions/") {
        "block or mutex"
    } else if has("cpu/") {
        "CPU"
    } else if has("threadcreate/") {
        "threadcreate"
    } else {
        "unknown"
    };
    let what = match types.as_slice() {
        [] => "a proto without sample types".to_owned(),
        types => format!("a profile of kind {name} ({}), not of goroutines", types.join(", ")),
    };
    Error::new(ErrorKind::Unknown, input.path.clone(), what)
        .advise("give goroutine or goroutineleak profiles")
}

/// Makes samples of a checked message.
struct Reader<'a> {
    message: &'a Message<'a>,
    index: &'a Index,
    /// Which value of each sample counts goroutines.
    value: usize,
    stacks: Stacks,
    labels: LabelReader,
    /// What all goroutines of this profile are.
    flags: Vec<Flag>,
    inputs: Inputs,
}

impl<'a> Reader<'a> {
    fn new(
        message: &'a Message<'a>,
        index: &'a Index,
        value: usize,
        input: Input,
        builder: &mut ProfileBuilder,
    ) -> Reader<'a> {
        let as_shown = message.comments.iter().any(|&text| message.string(text) == AS_SHOWN);
        let leaked = input.format == InputFormat::LeakDebug0;
        Reader {
            message,
            index,
            value,
            stacks: Stacks::new(message, as_shown),
            labels: LabelReader::new(message, as_shown),
            flags: leaked.then(|| builder.string(flag::LEAKED)).into_iter().collect(),
            inputs: Inputs { template: input, known: HashMap::default() },
        }
    }

    fn read(mut self, builder: &mut ProfileBuilder) {
        for sample in &self.message.samples {
            self.sample(sample, builder);
        }
        if self.message.samples.is_empty() {
            self.inputs.find(None, builder);
        }
        if self.message.strings.iter().any(|string| std::str::from_utf8(string).is_err()) {
            for &input in self.inputs.known.values() {
                builder.input_mut(input).warn(
                    WarningKind::NotUtf8,
                    None,
                    "names that aren't UTF-8",
                );
            }
        }
    }

    fn sample(&mut self, sample: &Sample, builder: &mut ProfileBuilder) {
        let message = self.message;
        let values = message.values.get(sample.values.clone()).unwrap_or_default();
        let count = values.get(self.value).copied().unwrap_or(0);
        let ids = message.stacks.get(sample.stack.clone()).unwrap_or_default();
        let stacks = self.stacks.make(ids, message, self.index, builder);
        let labels = message.labels.get(sample.labels.clone()).unwrap_or_default();
        let told = self.labels.read(labels, &self.flags, message, builder);
        let input = self.inputs.find(told.input, builder);
        let seen = &mut builder.input_mut(input).seen;
        seen.headers = seen.headers.saturating_add(1);
        if told.elided.is_some() {
            seen.elided = seen.elided.saturating_add(count.unsigned_abs());
        }
        let id = builder.sample(&SampleSpec {
            input,
            stack: stacks.shown,
            full: stacks.full,
            state: told.state,
            flags: told.flags,
            labels: told.labels,
            creator: told.creator,
            elided: told.elided,
        });
        match told.goroutine {
            Some(OneGoroutine { id: goroutine, created_by, wait }) if count == 1 => {
                let receiver = Receiver::NONE;
                builder.goroutine(id, &NewGoroutine { id: goroutine, created_by, wait, receiver });
            }
            Some(OneGoroutine { id: goroutine, .. }) => {
                let text = format!("goroutine {goroutine} is counted {count} times");
                builder.input_mut(input).warn(WarningKind::Note, None, text);
                builder.count(id, count);
            }
            None => builder.count(id, count),
        }
    }
}

/// The inputs of one proto: what `export -o pprof` writes may hold several.
struct Inputs {
    template: Input,
    known: HashMap<Option<StrId>, InputId, FixedState>,
}

impl Inputs {
    /// The input of this name, made when it comes up first; `None` is the proto itself.
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
