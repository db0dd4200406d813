//! Output of `journalctl`, and syslog files: `Jan 02 10:31:41 HOST UNIT[PID]: text`, with short and
//! ISO timestamps.

use super::timestamp::{after_rfc3339, after_syslog};
use super::{Stripped, after_space};
use crate::format::start::without_cr;

/// The maximal number of bytes between the timestamp and the colon: a host name (253 at most) and a
/// unit.
const TAG: usize = 400;

pub(super) fn strip(line: &[u8]) -> Option<Stripped<'_>> {
    if line.first()?.is_ascii_digit() {
        // Kubernetes' timestamps look the same, so here only a host and a process id are
        // convincing.
        let (stripped, process) = tag(after_rfc3339(line)?)?;
        (process && stripped.stream.contains(&b' ')).then_some(stripped)
    } else {
        let (stripped, process) = tag(after_syslog(line)?)?;
        (process || stripped.stream.contains(&b' ')).then_some(stripped)
    }
}

/// Splits ` HOST UNIT[PID]: text`, where HOST may be missing; returns whether there is a PID.
fn tag(rest: &[u8]) -> Option<(Stripped<'_>, bool)> {
    let rest = rest.strip_prefix(b" ")?;
    let head = rest.get(..TAG).unwrap_or(rest);
    // The space after the colon of an empty line may be lost.
    let ends = |&colon: &usize| {
        let after = rest.get(colon.saturating_add(1)..).unwrap_or_default();
        after.starts_with(b" ") || without_cr(after).is_empty()
    };
    let end = memchr::memchr_iter(b':', head).find(ends)?;
    let (stream, rest) = rest.split_at_checked(end)?;
    let spaces = stream.iter().filter(|&&byte| byte == b' ').count();
    if stream.is_empty() || spaces > 1 || stream.starts_with(b" ") || stream.ends_with(b" ") {
        return None;
    }
    let process = stream.strip_suffix(b"]").is_some_and(|tag| {
        let digits = tag.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0
            && tag.get(..tag.len().saturating_sub(digits)).is_some_and(|tag| tag.ends_with(b"["))
    });
    Some((Stripped { stream, text: after_space(rest.get(1..)?)?, partial: false }, process))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_unit_and_process_are_the_stream() {
        for (line, stream, text) in [
            ("Jan 02 10:31:41 host kubelet[22966]: \tx: y", "host kubelet[22966]", "\tx: y"),
            ("Jan  2 10:31:41 host kernel: x", "host kernel", "x"),
            ("Jan 02 10:31:41.123456 kubelet[22966]: x", "kubelet[22966]", "x"),
            ("Jan 02 10:31:41 host kubelet[22966]:", "host kubelet[22966]", ""),
            ("Jan 02 10:31:41 host kubelet[22966]: ", "host kubelet[22966]", ""),
            ("2026-01-02T10:31:41+0000 host app[1]: x", "host app[1]", "x"),
            ("2026-01-02T10:31:41.123456+00:00 host app[1]: x", "host app[1]", "x"),
        ] {
            let stripped = strip(line.as_bytes()).expect(line);
            assert_eq!(
                (stripped.stream, stripped.text),
                (stream.as_bytes(), text.as_bytes()),
                "{line}"
            );
        }
    }

    #[test]
    fn other_lines_are_not_the_journals() {
        for line in [
            "",
            "Jan 02 10:31:41",
            "Jan 02 10:31:41 panic: boom",
            "Jan 02 10:31:41 a b c: x",
            "2026-01-02T10:31:41Z fatal error: x",
            "2026-01-02T10:31:41Z goroutine 1 [running]:",
            "2026-01-02T10:31:41Z host app[x]: y",
            "2026-01-02T10:31:41Z host app[]: y",
            "2026-01-02T10:31:41Z host app7]: y",
            "Jan 02 10:31:41 host app[1]:x",
        ] {
            assert!(strip(line.as_bytes()).is_none(), "{line}");
        }
    }
}
