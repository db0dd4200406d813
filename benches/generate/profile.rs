//! What debug=1 texts and protos hold: stacks and their counts; and the proto.

use crate::Plan;
use crate::random::Random;
use crate::stacks::{Frame, Stack, Stacks};
use crate::text::{LABELS, address};
use flate2::{Compression, write::GzEncoder};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// About so many bytes of debug=2 text a goroutine takes.
const GOROUTINE: u64 = 1000;

/// Goroutines with the same stack and labels.
pub(crate) struct Counted<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) labels: &'a [(&'a str, &'a str)],
    pub(crate) count: u64,
}

/// Counts the goroutines of a plan, most first, as Go does.
pub(crate) fn count<'a>(stacks: &'a Stacks, plan: Plan, random: &mut Random) -> Vec<Counted<'a>> {
    let goroutines = plan.goroutines.min(plan.bytes / GOROUTINE);
    let mut counts = BTreeMap::<(usize, usize), u64>::new();
    for goroutine in 0..goroutines {
        let stack = random.stack(goroutine, stacks.all.len());
        let labelled = random.percent(plan.labelled);
        let labels = if labelled { 1 + random.below(LABELS.len() as u64) as usize } else { 0 };
        *counts.entry((stack, labels)).or_default() += 1;
    }
    let counted = |((stack, labels), count): ((usize, usize), u64)| Counted {
        stack: &stacks.all[stack],
        labels: if labels == 0 { &[] } else { LABELS[labels - 1] },
        count,
    };
    let mut counted: Vec<_> = counts.into_iter().map(counted).collect();
    counted.sort_by_key(|sample| std::cmp::Reverse(sample.count));
    counted
}

/// Strings, functions and locations of a proto, each once.
#[derive(Default)]
struct Tables {
    strings: HashMap<String, u64>,
    functions: HashMap<(u64, u64), u64>,
    locations: HashMap<(u64, u64), u64>,
    /// Their messages, in the order of their ids.
    written: Vec<u8>,
    order: Vec<String>,
}

impl Tables {
    fn string(&mut self, text: &str) -> u64 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let id = self.order.len() as u64;
        self.strings.insert(text.to_owned(), id);
        self.order.push(text.to_owned());
        id
    }

    fn location(&mut self, frame: &Frame) -> u64 {
        let (name, file) = (self.string(&frame.func), self.string(&frame.file));
        let next = self.functions.len() as u64 + 1;
        let function = *self.functions.entry((name, file)).or_insert(next);
        if function == next {
            message(
                &mut self.written,
                5,
                &fields(&[(1, function), (2, name), (3, name), (4, file)]),
            );
        }
        let next = self.locations.len() as u64 + 1;
        let location = *self.locations.entry((function, frame.line)).or_insert(next);
        if location == next {
            let address = address(&frame.func, frame.line);
            let mut body = fields(&[(1, location), (2, 1), (3, address)]);
            message(&mut body, 4, &fields(&[(1, function), (2, frame.line)]));
            message(&mut self.written, 4, &body);
        }
        location
    }
}

/// Writes what was counted as a gzipped `profile.proto`.
pub(crate) fn write(out: &mut dyn Write, counted: &[Counted<'_>]) -> io::Result<()> {
    let mut tables = Tables::default();
    tables.string("");
    let kind = fields(&[(1, tables.string("goroutine")), (2, tables.string("count"))]);
    let mut bytes = Vec::new();
    message(&mut bytes, 1, &kind);
    for sample in counted {
        let mut locations = Vec::new();
        for frame in &sample.stack.frames {
            varint(&mut locations, tables.location(frame));
        }
        let mut body = Vec::new();
        message(&mut body, 1, &locations);
        let mut count = Vec::new();
        varint(&mut count, sample.count);
        message(&mut body, 2, &count);
        for (key, value) in sample.labels {
            let label = fields(&[(1, tables.string(key)), (2, tables.string(value))]);
            message(&mut body, 3, &label);
        }
        message(&mut bytes, 2, &body);
    }
    let program = tables.string("/usr/bin/shop");
    message(
        &mut bytes,
        3,
        &fields(&[(1, 1), (2, 0x40_0000), (3, 0x300_0000), (5, program), (7, 1)]),
    );
    bytes.extend_from_slice(&tables.written);
    for text in &tables.order {
        message(&mut bytes, 6, text.as_bytes());
    }
    bytes.extend_from_slice(&fields(&[(9, 1_767_349_901_000_000_000)]));
    message(&mut bytes, 11, &kind);
    bytes.extend_from_slice(&fields(&[(12, 1)]));
    let mut packed = GzEncoder::new(out, Compression::fast());
    packed.write_all(&bytes)?;
    packed.finish()?.flush()
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn fields(numbers: &[(u64, u64)]) -> Vec<u8> {
    let mut out = Vec::new();
    for &(field, value) in numbers {
        varint(&mut out, field << 3);
        varint(&mut out, value);
    }
    out
}

fn message(out: &mut Vec<u8>, field: u64, body: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, body.len() as u64);
    out.extend_from_slice(body);
}
