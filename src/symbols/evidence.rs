//! Which of the binaries made an input.

use super::{Located, Match, Program, Programs};
use crate::binary::{Evidence, Mismatch, Observed, PrintedCall, Slide};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{InputFormat, Location, LocationId, MappingId, Profile, is_unsymbolized};
use std::collections::HashMap;

impl Programs {
    /// The binary that made an input; with `--force-binary` another one, and why it didn't.
    pub(super) fn choose(
        &self,
        profile: &Profile,
        located: &Located,
    ) -> Result<(Match<'_>, Option<Mismatch>)> {
        let of_input = OfInput::new(profile, located);
        let mut best: Option<(Match<'_>, Mismatch)> = None;
        for program in &self.programs {
            let slide = of_input.slide(program);
            let found = Match { program, slide };
            match of_input.check(program, slide) {
                Ok(()) => return Ok((found, None)),
                Err(mismatch) => {
                    if best.as_ref().is_none_or(|(_, known)| share(&mismatch) < share(known)) {
                        best = Some((found, mismatch));
                    }
                }
            }
        }
        let input = profile.input(located.input);
        match best {
            Some((found, mismatch)) if self.options.force => Ok((found, Some(mismatch))),
            Some((found, mismatch)) => {
                let what = format!("does not match {}: {mismatch}", input.path);
                let path = found.program.path.display().to_string();
                Err(Error::new(ErrorKind::Usage, path, what).advise(
                    "pass the binary that made it (--binary can be repeated), or --force-binary to use \
                     this one all the same",
                ))
            }
            None => Err(Error::new(ErrorKind::Usage, "--binary", "none was given")),
        }
    }
}

/// How much disagrees, to find the binary that agrees best: in millionths.
fn share(mismatch: &Mismatch) -> usize {
    match *mismatch {
        Mismatch::BuildIds { .. } => usize::MAX,
        Mismatch::Frames { disagree, of, .. } | Mismatch::Calls { disagree, of, .. } => {
            disagree.saturating_mul(1_000_000) / of.max(1)
        }
    }
}

/// What an input tells of its binary.
struct OfInput<'a> {
    profile: &'a Profile,
    evidence: Evidence<'a>,
    mapping: Option<MappingId>,
    stacks: Vec<Vec<u64>>,
    /// What stands at the start of most of them.
    starts: Vec<Observed<'a>>,
}

impl<'a> OfInput<'a> {
    fn new(profile: &'a Profile, located: &Located) -> OfInput<'a> {
        let mapping = main_mapping(profile, located);
        let mut found = OfInput {
            profile,
            evidence: Evidence::default(),
            mapping,
            stacks: Vec::new(),
            starts: Vec::new(),
        };
        if let Some(mapping) = mapping {
            let id = profile.str(profile.mapping(mapping).build_id);
            found.evidence.build_id = std::str::from_utf8(id).unwrap_or_default();
        }
        let is_text = profile.input(located.input).format == InputFormat::Debug2;
        for &id in located.locations.iter().take(LIMITS.binary_evidence) {
            let location = profile.location(id);
            if is_text {
                let call = printed_call(profile, id);
                found.evidence.printed.extend(call.map(|call| (call, returns_to(location))));
            } else if is_inside(location, mapping) {
                found.evidence.named.extend(observed(profile, id));
            }
        }
        // Whatever has names tells more by them.
        if !is_text && found.evidence.named.is_empty() {
            let few = LIMITS.binary_evidence / 10;
            for &sample in located.samples.iter().take(few) {
                // The innermost one of a CPU profile was interrupted anywhere.
                let list = profile.sample_locations(sample).iter().skip(1);
                let addresses = list.map(|&id| profile.location(id));
                let addresses = addresses.filter(|location| is_inside(location, mapping));
                let returns = addresses.map(|location| location.address.wrapping_add(1));
                let returns: Vec<u64> = returns.collect();
                found.starts.extend(returns.last().map(|pc| Observed {
                    pc: pc.wrapping_sub(1),
                    function: b"runtime.goexit",
                    offset: Some(0),
                    file: b"",
                    line: 0,
                }));
                found.stacks.push(returns);
            }
        }
        found
    }

    fn slide(&self, program: &Program) -> Slide {
        let mapped = self.mapping.and_then(|mapping| {
            let mapping = self.profile.mapping(mapping);
            program.binary.slide_of_mapping(mapping.start, mapping.limit, mapping.offset)
        });
        mapped.unwrap_or_else(|| match &self.evidence {
            Evidence { printed, .. } if !printed.is_empty() => {
                program.binary.slide_of_calls(printed)
            }
            Evidence { named, .. } if !named.is_empty() => program.binary.slide_of_frames(named),
            _ => program.binary.slide_of_frames(&self.starts),
        })
    }

    fn check(&self, program: &Program, slide: Slide) -> std::result::Result<(), Mismatch> {
        let stacks = self.stacks.iter().map(Vec::as_slice).collect();
        let evidence = Evidence { stacks, ..self.evidence.clone() };
        program.binary.check(&evidence, slide)
    }
}

/// The address that a call of a crash returns to, if that is told.
fn returns_to(location: &Location) -> u64 {
    match location.address {
        0 => 0,
        address => address.saturating_add(1),
    }
}

/// The mapping that most locations are in: that of an input's binary.
pub(super) fn main_mapping(profile: &Profile, located: &Located) -> Option<MappingId> {
    let mut counts = HashMap::<MappingId, usize>::new();
    for &location in &located.locations {
        if let Some(mapping) = profile.location(location).mapping {
            let count = counts.entry(mapping).or_default();
            *count = count.saturating_add(1);
        }
    }
    counts.into_iter().max_by_key(|&(id, count)| (count, std::cmp::Reverse(id))).map(|(id, _)| id)
}

/// Whether a location may be one of the binary. Go's `threadcreate` profile has 0 and -1 where no stack is known.
pub(super) fn is_inside(location: &Location, mapping: Option<MappingId>) -> bool {
    let is_known = !matches!(location.address, 0 | u64::MAX);
    is_known && (location.mapping.is_none() || location.mapping == mapping)
}

/// A location's innermost call, if it has a name.
fn observed(profile: &Profile, id: LocationId) -> Option<Observed<'_>> {
    let location = profile.location(id);
    let line = profile.lines(id).first()?;
    let function = profile.function(line.function);
    let name = profile.str(function.name);
    (!name.is_empty() && !is_unsymbolized(name)).then(|| Observed {
        pc: location.address,
        function: name,
        offset: (location.offset > 0).then(|| location.offset.into()),
        file: profile.str(function.file),
        line: u32::try_from(line.line).unwrap_or(0),
    })
}

/// A call of a traceback, if the text tells where in its function it is.
pub(super) fn printed_call(profile: &Profile, id: LocationId) -> Option<PrintedCall<'_>> {
    let location = profile.location(id);
    let line = profile.lines(id).last()?;
    let function = profile.function(line.function);
    (location.offset > 0).then(|| PrintedCall {
        function: profile.str(function.name),
        file: profile.str(function.file),
        line: u32::try_from(line.line).unwrap_or(0),
        offset: location.offset.into(),
    })
}
