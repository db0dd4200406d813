//! Dumps as text: debug=2, what logs make of it, debug=1.

use crate::Plan;
use crate::profile::Counted;
use crate::random::Random;
use crate::stacks::{Stack, Stacks};
use std::io::{self, Write};

/// What a log puts around each line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrap {
    None,
    Kubectl,
    Docker,
}

/// Label sets: pairs of key and value.
pub(crate) const LABELS: [&[(&str, &str)]; 6] = [
    &[("tenant", "acme")],
    &[("tenant", "globex")],
    &[("tenant", "initech"), ("page", "/cart items")],
    &[("batch", "nightly")],
    &[("batch", "hourly"), ("shard", "7")],
    &[("request", "GET /orders")],
];

/// Writes goroutines as debug=2 does; the plan's bytes are those of the text without wrapping.
pub(crate) fn goroutines(
    out: &mut dyn Write,
    stacks: &Stacks,
    plan: Plan,
    wrap: Wrap,
    random: &mut Random,
) -> io::Result<()> {
    let mut text = Vec::new();
    let (mut written, mut goroutine) = (0, 0);
    while written < plan.bytes && goroutine < plan.goroutines {
        let stack = &stacks.all[random.stack(plan.before + goroutine, stacks.all.len())];
        text.clear();
        // Ids leave gaps: most goroutines have ended.
        one(&mut text, stack, goroutine * 3 + 1, plan.labelled, random)?;
        written += text.len() as u64;
        goroutine += 1;
        if wrap == Wrap::None {
            out.write_all(&text)?;
            continue;
        }
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let nanos = random.below(1_000_000_000);
            let line = &line[..line.len() - 1];
            if wrap == Wrap::Kubectl {
                write!(out, "2026-01-02T10:31:41.{nanos:09}Z ")?;
                out.write_all(line)?;
                out.write_all(b"\n")?;
            } else {
                out.write_all(b"{\"log\":\"")?;
                escaped(out, line)?;
                writeln!(
                    out,
                    "\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-02T10:31:41.{nanos:09}Z\"}}"
                )?;
            }
        }
    }
    Ok(())
}

/// As Go's encoding/json writes a string.
fn escaped(out: &mut dyn Write, line: &[u8]) -> io::Result<()> {
    for &byte in line {
        match byte {
            b'"' | b'\\' => out.write_all(&[b'\\', byte])?,
            b'\t' => out.write_all(b"\\t")?,
            b'<' | b'>' | b'&' => write!(out, "\\u{byte:04x}")?,
            _ => out.write_all(&[byte])?,
        }
    }
    Ok(())
}

/// Objects that the calls of one goroutine hand on.
const OBJECTS: usize = 4;

fn one(
    out: &mut Vec<u8>,
    stack: &Stack,
    id: u64,
    labelled: u64,
    random: &mut Random,
) -> io::Result<()> {
    write!(out, "goroutine {id} [{}", stack.state)?;
    if stack.state != "running" && random.percent(70) {
        write!(out, ", {} minutes", 2 + random.below(600))?;
    }
    out.push(b']');
    if random.percent(labelled) {
        let pairs = random.one(&LABELS).iter().map(|(key, value)| {
            let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if plain { format!("{key}: {value}") } else { format!("{key}: \"{value}\"") }
        });
        write!(out, " {{{}}}", pairs.collect::<Vec<_>>().join(", "))?;
    }
    out.extend_from_slice(b":\n");
    // Calls hand on what they got: a goroutine has few objects, and its arguments are mostly these.
    let objects: [u64; OBJECTS] =
        std::array::from_fn(|_| 0xc0_0000_0000 | random.next() >> 8 & 0xfff_fff8);
    for frame in &stack.frames {
        if frame.offset == 0 {
            write!(out, "{}(...)\n\t{}:{}\n", frame.func, frame.file, frame.line)?;
            continue;
        }
        write!(out, "{}(", frame.func)?;
        for word in 0..frame.words {
            let value = random.next();
            let comma = if word > 0 { ", " } else { "" };
            let object = objects[(value >> 8) as usize % OBJECTS];
            match value % 3 {
                0 => write!(out, "{comma}{:#x}", value >> 8 & 0xff)?,
                1 => write!(out, "{comma}{object:#x}")?,
                _ => write!(out, "{comma}{object:#x}?")?,
            }
        }
        write!(out, ")\n\t{}:{} +{:#x}\n", frame.file, frame.line, frame.offset)?;
    }
    if let Some(by) = &stack.created_by {
        let creator = 1 + random.below(1000);
        writeln!(out, "created by {} in goroutine {creator}", by.func)?;
        writeln!(out, "\t{}:{} +{:#x}", by.file, by.line, by.offset)?;
    }
    out.push(b'\n');
    Ok(())
}

/// Writes what was counted as debug=1 does.
pub(crate) fn counts(out: &mut dyn Write, counted: &[Counted<'_>]) -> io::Result<()> {
    let total: u64 = counted.iter().map(|sample| sample.count).sum();
    writeln!(out, "goroutine profile: total {total}")?;
    for sample in counted {
        write!(out, "{} @", sample.count)?;
        let frames = &sample.stack.frames;
        for frame in frames {
            write!(out, " {:#x}", address(&frame.func, frame.line))?;
        }
        out.write_all(b"\n")?;
        if !sample.labels.is_empty() {
            let pairs = sample.labels.iter().map(|(key, value)| format!("{key:?}:{value:?}"));
            writeln!(out, "# labels: {{{}}}", pairs.collect::<Vec<_>>().join(", "))?;
        }
        for frame in frames {
            let address = address(&frame.func, frame.line);
            let (func, offset) = (&frame.func, frame.offset);
            writeln!(out, "#\t{address:#x}\t{func}+{offset:#x}\t{}:{}", frame.file, frame.line)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// An address that is always the same for the same place.
pub(crate) fn address(func: &str, line: u64) -> u64 {
    let hash = func
        .bytes()
        .fold(line, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    0x40_0000 + hash % 0x200_0000
}
