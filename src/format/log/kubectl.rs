//! `kubectl logs --timestamps --prefix`: `[pod/NAME/CONTAINER] 2026-01-02T10:31:41.1Z text`, and
//! each part on its own. `docker logs -t` and GitHub's job logs have the same timestamps.

use super::timestamp::after_rfc3339;
use super::{Stripped, after_space, cri};

/// The maximal number of bytes of a pod's name; Kubernetes allows 253 for the pod and 63 for the
/// container.
const NAME: usize = 400;

/// `[pod/NAME/CONTAINER] text`
pub(super) fn strip_pod(line: &[u8]) -> Option<Stripped<'_>> {
    let rest = line.strip_prefix(b"[pod/")?;
    let end = memchr::memchr(b']', rest.get(..NAME).unwrap_or(rest))?;
    let (stream, rest) = rest.split_at_checked(end)?;
    if !stream.contains(&b'/') || stream.contains(&b' ') {
        return None;
    }
    Some(Stripped { stream, text: after_space(rest.get(1..)?)?, partial: false })
}

/// `2026-01-02T10:31:41.1Z text`
#[inline]
pub(super) fn strip_timestamp(line: &[u8]) -> Option<Stripped<'_>> {
    let text = after_space(after_rfc3339(line)?)?;
    // A container runtime's line has more than a timestamp.
    if text.starts_with(b"std") && cri::strip(line).is_some() {
        return None;
    }
    Some(Stripped { stream: b"", text, partial: false })
}

/// `[pod/NAME/CONTAINER] 2026-01-02T10:31:41.1Z text`
pub(super) fn strip_both(line: &[u8]) -> Option<Stripped<'_>> {
    let Stripped { stream, text, .. } = strip_pod(line)?;
    Some(Stripped { stream, ..strip_timestamp(text)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_streams() {
        let stripped = strip_pod(b"[pod/web-1/app] \tx").unwrap();
        assert_eq!((stripped.stream, stripped.text), (&b"web-1/app"[..], &b"\tx"[..]));
        let stripped = strip_both(b"[pod/web-1/app] 2026-01-02T10:31:41.1Z x").unwrap();
        assert_eq!((stripped.stream, stripped.text), (&b"web-1/app"[..], &b"x"[..]));
        assert!(strip_both(b"[pod/web-1/app] x").is_none());
    }

    #[test]
    fn empty_lines_may_have_lost_their_space() {
        assert_eq!(strip_timestamp(b"2026-01-02T10:31:41Z").unwrap().text, b"");
        assert_eq!(strip_timestamp(b"2026-01-02T10:31:41Z\r").unwrap().text, b"\r");
        assert_eq!(strip_pod(b"[pod/web-1/app]").unwrap().text, b"");
    }

    #[test]
    fn other_lines_are_not_kubectls() {
        for line in ["", "[pod/x] y", "[pod/a b/c] x", "[pods/a/c] x", "[pod/a/c]x", "[pod/a/c"] {
            assert!(strip_pod(line.as_bytes()).is_none(), "{line}");
        }
        assert!(strip_timestamp(b"2026-01-02T10:31:41Zx").is_none());
        assert!(strip_timestamp(b"2026-01-02T10:31:41Z stderr F x").is_none());
        assert_eq!(strip_timestamp(b"2026-01-02T10:31:41Z stderr x").unwrap().text, b"stderr x");
    }
}
