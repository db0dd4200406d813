//! Labels of samples: those that describe a goroutine, and the user's own.

use super::key;
use super::message::{Label as ProtoLabel, Message};
use crate::profile::{
    Elision, Flag, FlagsId, FrameId, Label, LabelValue, LabelsId, ProfileBuilder, StrId, Wait, flag,
};

/// What the labels of a sample tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The name of the input, where the proto holds several.
    pub(super) input: Option<StrId>,
    pub(super) state: Option<StrId>,
    pub(super) flags: FlagsId,
    /// The labels that are left.
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

/// Reads the labels of samples.
#[derive(Debug)]
pub(super) struct LabelReader {
    /// The ids of strings of the proto, by position, as far as labels needed them.
    strings: Vec<Option<StrId>>,
    as_shown: bool,
    labels: Vec<Label>,
    flags: Vec<Flag>,
}

impl LabelReader {
    /// With `as_shown` the labels of `export -o pprof` are understood.
    pub(super) fn new(message: &Message<'_>, as_shown: bool) -> LabelReader {
        let strings = vec![None; message.strings.len()];
        LabelReader { strings, as_shown, labels: Vec::new(), flags: Vec::new() }
    }

    /// Reads the labels of one sample, whose goroutines have these flags whatever they say.
    pub(super) fn read(
        &mut self,
        labels: &[ProtoLabel],
        flags: &[Flag],
        message: &Message<'_>,
        builder: &mut ProfileBuilder,
    ) -> Told {
        self.labels.clear();
        self.flags.clear();
        self.flags.extend_from_slice(flags);
        let mut told = Told {
            input: None,
            state: None,
            flags: FlagsId::NONE,
            labels: LabelsId::NONE,
            creator: None,
            elided: None,
            goroutine: None,
        };
        let (mut id, mut created_by, mut wait) = (None, None, Wait::UNKNOWN);
        let (mut creator, mut created_at) = (None, None);
        let mut of_goroutine: Vec<ProtoLabel> = Vec::new();
        for label in labels {
            let key = message.string(label.key);
            let text = message.string(label.text);
            let taken = match key {
                key::GOROUTINE => set(&mut id, whole(label, text).map(Some)),
                key::CREATED_BY_ID => {
                    // Go writes the creator of what the runtime itself created as 0.
                    let creator = whole(label, text)
                        .map(|id| Some(id).filter(|&id| id != 0 || self.as_shown));
                    set(&mut created_by, creator)
                }
                key::WAIT => set(&mut wait, minutes(label, text)),
                key::STATE if self.as_shown => {
                    set(&mut told.state, Some(Some(self.string(label.text, message, builder))))
                }
                key::STATE => {
                    let (state, waited) = self.decorated_state(text, builder);
                    if waited.known().is_some() && wait.known().is_none() {
                        wait = waited;
                    }
                    set(&mut told.state, Some(Some(state)))
                }
                key::FLAG if self.as_shown => {
                    let flag = self.string(label.text, message, builder);
                    self.flags.push(flag);
                    true
                }
                key::CREATED_BY if self.as_shown => set(&mut creator, Some(Some(text))),
                key::CREATED_AT if self.as_shown => set(&mut created_at, place(text).map(Some)),
                key::ELIDED if self.as_shown => set(&mut told.elided, elision(text).map(Some)),
                key::INPUT if self.as_shown => {
                    set(&mut told.input, Some(Some(self.string(label.text, message, builder))))
                }
                _ => false,
            };
            if !taken {
                self.keep(label, message, builder);
            } else if [key::CREATED_BY_ID, key::WAIT].contains(&key) {
                of_goroutine.push(*label);
            }
        }
        told.goroutine = id.map(|id| OneGoroutine { id, created_by, wait });
        if creator.is_some() || created_at.is_some() {
            let (file, line) = created_at.unwrap_or_default();
            told.creator = Some(builder.frame(creator.unwrap_or_default(), file, line));
        }
        if id.is_none() {
            // Nobody to whom they belong.
            of_goroutine.iter().for_each(|label| self.keep(label, message, builder));
        }
        told.labels = builder.labels(&mut self.labels);
        told.flags = builder.flags(&mut self.flags);
        told
    }

    /// All labels of a sample, whatever they tell.
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

    /// Keeps a label of the user.
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

    /// Takes a state apart as it stands in a header: `select (leaked), 3 minutes, locked to thread`.
    fn decorated_state(&mut self, text: &[u8], builder: &mut ProfileBuilder) -> (StrId, Wait) {
        const DECORATIONS: [(&[u8], &[u8]); 4] = [
            (b" (leaked)", flag::LEAKED),
            (b" (scan)", flag::SCAN),
            (b" (durable)", flag::DURABLE),
            // Go 1.24's word for durable.
            (b" (synctest)", flag::DURABLE),
        ];
        let comma = memchr::memchr(b',', text).unwrap_or(text.len());
        let (mut state, rest) = text.split_at_checked(comma).unwrap_or((text, b""));
        while let Some((bare, flag)) =
            DECORATIONS.iter().find_map(|(suffix, flag)| Some((state.strip_suffix(*suffix)?, flag)))
        {
            state = bare;
            self.flags.push(builder.string(flag));
        }
        let mut wait = Wait::UNKNOWN;
        for part in rest.split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
            match part.strip_suffix(b" minutes").and_then(decimal) {
                Some(minutes) => wait = Wait::minutes(minutes),
                None if part.is_empty() => {}
                None => self.flags.push(builder.string(part)),
            }
        }
        (builder.string(state), wait)
    }
}

/// Sets a slot to what was understood; whether it was.
fn set<T>(slot: &mut T, value: Option<T>) -> bool {
    let is_some = value.is_some();
    if let Some(value) = value {
        *slot = value;
    }
    is_some
}

/// The number of a label, as pprof tells it from text; a unit alone is a 0, which encoders leave out.
pub(super) fn number(label: &ProtoLabel) -> Option<i64> {
    match label.number {
        _ if label.text != 0 => None,
        None => (label.unit != 0).then_some(0),
        number => number,
    }
}

/// An id, as a number or in digits; a key alone is a 0.
fn whole(label: &ProtoLabel, text: &[u8]) -> Option<u64> {
    if label.text == 0 {
        return Some(label.number.unwrap_or(0) as u64);
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn minutes(label: &ProtoLabel, text: &[u8]) -> Option<Wait> {
    if label.text == 0 {
        return Some(Wait::minutes(label.number.unwrap_or(0) as f32));
    }
    decimal(text).map(Wait::minutes)
}

fn decimal(text: &[u8]) -> Option<f32> {
    std::str::from_utf8(text).ok()?.parse().ok().filter(|minutes: &f32| !minutes.is_nan())
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
