//! Labels of samples: those that describe a goroutine, and the user's own.

use super::key;
use super::message::Message;
use super::proto::Label as ProtoLabel;
use crate::profile::{
    Elision, Flag, FlagsId, FrameId, Label, LabelValue, LabelsId, ProfileBuilder, StrId, Wait, flag,
};

/// The facts in the labels of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct LabelFacts {
    /// The name of the input, if the proto holds several.
    pub(super) input: Option<StrId>,
    pub(super) state: Option<StrId>,
    pub(super) flags: FlagsId,
    /// The remaining labels.
    pub(super) labels: LabelsId,
    pub(super) creator: Option<FrameId>,
    pub(super) elided: Option<Elision>,
    /// The goroutine, in protos with a sample for each.
    pub(super) goroutine: Option<OneGoroutine>,
}

/// A goroutine that has a sample of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneGoroutine {
    pub(super) id: u64,
    pub(super) created_by: Option<u64>,
    pub(super) wait: Wait,
}

/// The facts in the labels of the current sample so far.
#[derive(Debug, Default)]
struct LabelsSoFar<'a> {
    id: Option<u64>,
    created_by: Option<u64>,
    wait: Option<Wait>,
    /// A wait inside the state, as in headers; a label for the wait takes precedence.
    wait_in_state: Option<Wait>,
    /// Labels that only have a meaning if there is an id.
    of_goroutine: Vec<ProtoLabel>,
    input: Option<StrId>,
    state: Option<StrId>,
    creator: Option<&'a [u8]>,
    created_at: Option<(&'a [u8], i64)>,
    elided: Option<Elision>,
}

/// Reads the labels of samples.
#[derive(Debug)]
pub(super) struct LabelReader {
    /// The ids of the proto's strings in the builder, by position, as far as labels have needed
    /// them.
    strings: Vec<Option<StrId>>,
    as_shown: bool,
    labels: Vec<Label>,
    flags: Vec<Flag>,
}

impl LabelReader {
    /// With `as_shown` the labels of `export -o pprof` are understood too.
    pub(super) fn new(message: &Message<'_>, as_shown: bool) -> LabelReader {
        let strings = vec![None; message.strings.len()];
        LabelReader { strings, as_shown, labels: Vec::new(), flags: Vec::new() }
    }

    /// Reads the labels of one sample, whose goroutines have `flags` in addition.
    pub(super) fn read(
        &mut self,
        labels: &[ProtoLabel],
        flags: &[Flag],
        message: &Message<'_>,
        builder: &mut ProfileBuilder,
    ) -> LabelFacts {
        self.labels.clear();
        self.flags.clear();
        self.flags.extend_from_slice(flags);
        let mut found = LabelsSoFar::default();
        for label in labels {
            if self.take(label, &mut found, message, builder).is_none() {
                self.keep(label, message, builder);
            }
        }
        if found.id.is_none() {
            // Without an id they describe no goroutine.
            found.of_goroutine.iter().for_each(|label| self.keep(label, message, builder));
        }
        let has_creator = found.creator.is_some() || found.created_at.is_some();
        let (file, line) = found.created_at.unwrap_or_default();
        LabelFacts {
            input: found.input,
            state: found.state,
            flags: builder.flags(&mut self.flags),
            labels: builder.labels(&mut self.labels),
            creator: has_creator
                .then(|| builder.frame(found.creator.unwrap_or_default(), file, line)),
            elided: found.elided,
            goroutine: found.id.map(|id| OneGoroutine {
                id,
                // Go writes 0 if the runtime itself was the creator.
                created_by: found.created_by.filter(|&id| id != 0 || self.as_shown),
                wait: found.wait.or(found.wait_in_state).unwrap_or(Wait::UNKNOWN),
            }),
        }
    }

    /// Takes a label that describes a goroutine; `None` if it is the user's own.
    fn take<'a>(
        &mut self,
        label: &ProtoLabel,
        found: &mut LabelsSoFar<'a>,
        message: &Message<'a>,
        builder: &mut ProfileBuilder,
    ) -> Option<()> {
        let text = message.string(label.text);
        match message.string(label.key) {
            key::GOROUTINE => found.id = Some(whole(label, text)?),
            key::CREATED_BY_ID => {
                found.created_by = Some(whole(label, text)?);
                found.of_goroutine.push(*label);
            }
            key::WAIT => {
                found.wait = Some(minutes(label, text)?);
                found.of_goroutine.push(*label);
            }
            key::STATE if !self.as_shown => self.decorated_state(text, found, builder),
            _ if !self.as_shown => return None,
            key::STATE => found.state = Some(self.string(label.text, message, builder)),
            key::FLAG => {
                let flag = self.string(label.text, message, builder);
                self.flags.push(flag);
            }
            key::CREATED_BY => found.creator = Some(text),
            key::CREATED_AT => found.created_at = Some(place(text)?),
            key::ELIDED => found.elided = Some(elision(text)?),
            key::INPUT => found.input = Some(self.string(label.text, message, builder)),
            _ => return None,
        }
        Some(())
    }

    /// The set of all labels of a sample, whatever they mean.
    pub(super) fn all(
        &mut self,
        labels: &[ProtoLabel],
        message: &Message<'_>,
        builder: &mut ProfileBuilder,
    ) -> LabelsId {
        if labels.is_empty() {
            return LabelsId::NONE;
        }
        self.labels.clear();
        labels.iter().for_each(|label| self.keep(label, message, builder));
        builder.labels(&mut self.labels)
    }

    /// Keeps a label as the user's own.
    fn keep(&mut self, label: &ProtoLabel, message: &Message<'_>, builder: &mut ProfileBuilder) {
        let key = self.string(label.key, message, builder);
        let value = match number(label) {
            Some(number) => LabelValue::Number(number, self.string(label.unit, message, builder)),
            None => LabelValue::Text(self.string(label.text, message, builder)),
        };
        self.labels.push(Label { key, value });
    }

    fn string(&mut self, index: i64, message: &Message<'_>, builder: &mut ProfileBuilder) -> StrId {
        let at = usize::try_from(index).unwrap_or(0);
        match self.strings.get_mut(at) {
            Some(Some(known)) => *known,
            Some(unknown) => {
                let id = builder.string(message.string(index));
                *unknown = Some(id);
                id
            }
            None => StrId::EMPTY,
        }
    }

    /// Parses a state as in a header: `select (leaked), 3 minutes, locked to thread`.
    fn decorated_state(
        &mut self,
        text: &[u8],
        found: &mut LabelsSoFar<'_>,
        builder: &mut ProfileBuilder,
    ) {
        let mut parts = text.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        let mut state = parts.next().unwrap_or_default();
        while let Some((bare, flag)) = flag::cut_decoration(state) {
            state = bare;
            self.flags.push(builder.string(flag));
        }
        found.state = Some(builder.string(state));
        for part in parts.filter(|part| !part.is_empty()) {
            match part.strip_suffix(b" minutes").and_then(decimal) {
                Some(minutes) => found.wait_in_state = Some(Wait::minutes(minutes)),
                None => self.flags.push(builder.string(part)),
            }
        }
    }
}

/// The number of a label, by pprof's rule; a unit alone means 0, which encoders leave out.
pub(super) fn number(label: &ProtoLabel) -> Option<i64> {
    match label.number {
        _ if label.text != 0 => None,
        None => (label.unit != 0).then_some(0),
        number => number,
    }
}

/// An id, as a number or as digits; a key alone means 0.
fn whole(label: &ProtoLabel, text: &[u8]) -> Option<u64> {
    if label.text == 0 {
        return Some(label.number.unwrap_or(0) as u64);
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn minutes(label: &ProtoLabel, text: &[u8]) -> Option<Wait> {
    if label.text == 0 {
        let minutes = label.number.unwrap_or(0);
        return (minutes >= 0).then(|| Wait::minutes(minutes as f32));
    }
    decimal(text).map(Wait::minutes)
}

fn decimal(text: &[u8]) -> Option<f32> {
    let minutes: f32 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (minutes.is_finite() && minutes.is_sign_positive()).then_some(minutes)
}

/// `FILE:LINE`
fn place(text: &[u8]) -> Option<(&[u8], i64)> {
    let (file, line) = text.split_at_checked(memchr::memrchr(b':', text)?)?;
    Some((file, std::str::from_utf8(line.strip_prefix(b":")?).ok()?.parse().ok()?))
}

/// `AFTER/COUNT` or `AFTER/`.
fn elision(text: &[u8]) -> Option<Elision> {
    let (after, count) = std::str::from_utf8(text).ok()?.split_once('/')?;
    let count = if count.is_empty() { None } else { Some(count.parse().ok()?) };
    Some(Elision { after: after.parse().ok()?, count })
}
