//! Details of calls in tracebacks besides function and place: `+0x1d fp=0xc0 sp=0xc1 pc=0x48c5b1`.

use crate::format::debug1::line::hex;
use crate::profile::{FrameId, LocationId, NewCall, ProfileBuilder};

/// The details of a call after its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct CallDetails {
    /// Bytes from the start of its function to the return address; 0 if not printed.
    offset: u32,
    /// The return address, which GOTRACEBACK=system prints; 0 if not printed.
    pc: u64,
    /// The bytes of stack that it takes, from `sp` to `fp`.
    bytes: u32,
    /// Whether it has no address of its own, as it was inlined into the call below.
    inlined: bool,
}

impl CallDetails {
    /// Parses ` +0x1d fp=0xc0 sp=0xc1 pc=0x48c5b1`.
    pub(super) fn read(text: &[u8], inlined: bool) -> CallDetails {
        let mut details = CallDetails { inlined, ..CallDetails::default() };
        let (mut fp, mut sp) = (0_u64, 0_u64);
        for word in text.split(|&byte| byte == b' ') {
            let number = |name: &[u8]| word.strip_prefix(name).and_then(hex);
            if let Some(offset) = number(b"+") {
                details.offset = u32::try_from(offset).unwrap_or(0);
            }
            details.pc = number(b"pc=").unwrap_or(details.pc);
            fp = number(b"fp=").unwrap_or(fp);
            sp = number(b"sp=").unwrap_or(sp);
        }
        let bytes = fp.checked_sub(sp).and_then(|bytes| u32::try_from(bytes).ok());
        details.bytes = bytes.unwrap_or(0);
        details
    }
}

/// The list of locations of a goroutine's calls, leaf first: one for each call that takes stack,
/// with the calls inlined into it. It is the empty list if no details are kept.
pub(super) fn locations(
    frames: &[FrameId],
    calls: &[CallDetails],
    builder: &mut ProfileBuilder,
) -> u32 {
    if calls.is_empty() {
        return 0;
    }
    let mut list: Vec<LocationId> = Vec::new();
    let mut inlined = Vec::new();
    for (at, &frame) in frames.iter().enumerate() {
        let details = calls.get(at).copied().unwrap_or_default();
        inlined.push(frame);
        if details.inlined && at.saturating_add(1) < frames.len() {
            continue;
        }
        list.push(builder.call(NewCall {
            frames: std::mem::take(&mut inlined),
            address: details.pc.saturating_sub(1),
            offset: details.offset,
            bytes: details.bytes,
        }));
    }
    builder.locations(&list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_tell_the_bytes_of_a_call() {
        let details =
            CallDetails::read(b" +0x1d fp=0xc000041fc8 sp=0xc000041fa8 pc=0x48c5b1", false);
        assert_eq!(
            details,
            CallDetails { offset: 0x1d, pc: 0x48_c5b1, bytes: 0x20, inlined: false }
        );
        assert_eq!(
            CallDetails::read(b" +0x1d", false),
            CallDetails { offset: 0x1d, ..CallDetails::default() }
        );
        assert_eq!(CallDetails::read(b" fp=0x1 sp=0x2 +0x", false), CallDetails::default());
    }
}
