//! Finds the binary that made an input.

use super::{Located, Match, Program, Programs};
use crate::binary::{Evidence, Mismatch, Observed, PrintedCall, Slide};
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use crate::profile::{InputFormat, Location, LocationId, MappingId, Profile, is_unsymbolized};
use std::collections::HashMap;

impl Programs {
    /// The binary that made an input. If none did, with `--force-binary` the one that comes closest, and
    /// what doesn't match.
    pub(super) fn choose(
        &self,
        profile: &Profile,
        located: &Located,
    ) -> Result<(Match<'_>, Option<Mismatch>)> {
        let evidence = InputEvidence::new(profile, located);
        let mut best: Option<(Match<'_>, Mismatch)> = None;
        for program in &self.programs {
            let slide = evidence.slide(program);
            let found = Match { program, slide };
            match evidence.check(program, slide) {
                Ok(()) => return Ok((found, None)),
                Err(mismatch) => {
                    if best
                        .as_ref()
                        .is_none_or(|(_, known)| mismatch_share(&mismatch) < mismatch_share(known))
                    {
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
                Err(Error::misuse(path, what).advise(
                    "pass the binary that made it (--binary can be repeated), or --force-binary to use \
                     this one all the same",
                ))
            }
            None => Err(Error::misuse("--binary", "none was given")),
        }
    }
}

/// How large a share of the evidence disagrees, in millionths; another build id is the worst.
fn mismatch_share(mismatch: &Mismatch) -> usize {
    match *mismatch {
        Mismatch::BuildIds { .. } => usize::MAX,
        Mismatch::Frames { disagree, of, .. } | Mismatch::Calls { disagree, of, .. } => {
            disagree.saturating_mul(1_000_000) / of.max(1)
        }
    }
}

/// What an input says about its binary.
struct InputEvidence<'a> {
    profile: &'a Profile,
    evidence: Evidence<'a>,
    mapping: Option<MappingId>,
    stacks: Vec<Vec<u64>>,
    /// Their outermost frames, taken to be `runtime.goexit`, as most are.
    assumed_roots: Vec<Observed<'a>>,
}

impl<'a> InputEvidence<'a> {
    fn new(profile: &'a Profile, located: &Located) -> InputEvidence<'a> {
        let mapping = main_mapping(profile, located);
        let mut found = InputEvidence {
            profile,
            evidence: Evidence::default(),
            mapping,
            stacks: Vec::new(),
            assumed_roots: Vec::new(),
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
        // Names say more than addresses, so those are only used if there are none.
        if !is_text && found.evidence.named.is_empty() {
            // A stack costs more to check than a frame.
            let few = LIMITS.binary_evidence / 10;
            for &sample in located.samples.iter().take(few) {
                // Without the leaf: in a CPU profile that is where the thread was interrupted, not a return
                // address.
                let list = profile.sample_locations(sample).iter().skip(1);
                let addresses = list.map(|&id| profile.location(id));
                let addresses = addresses.filter(|location| is_inside(location, mapping));
                // Profiles have return addresses minus one.
                let returns = addresses.map(|location| location.address.wrapping_add(1));
                let returns: Vec<u64> = returns.collect();
                found.assumed_roots.extend(returns.last().map(|pc| Observed {
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
            _ => program.binary.slide_of_frames(&self.assumed_roots),
        })
    }

    fn check(&self, program: &Program, slide: Slide) -> std::result::Result<(), Mismatch> {
        let stacks = self.stacks.iter().map(Vec::as_slice).collect();
        let evidence = Evidence { stacks, ..self.evidence.clone() };
        program.binary.check(&evidence, slide)
    }
}

/// The return address of a call in a crash; 0 if the text doesn't print it.
fn returns_to(location: &Location) -> u64 {
    match location.address {
        0 => 0,
        address => address.saturating_add(1),
    }
}

/// The mapping that most locations are in: that of the input's binary.
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

/// Whether a location may be in the binary. Go's `threadcreate` profile has 0 and -1 for unknown stacks.
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

/// A call of a traceback, if the text prints its offset in the function.
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
