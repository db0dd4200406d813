//! Files of container runtimes: `TIMESTAMP stdout|stderr TAGS text`, where the tag `P` means that
//! the line continues in the next one of its stream.

use super::timestamp::after_rfc3339;
use super::{Stripped, after_space};

#[inline]
pub(super) fn strip(line: &[u8]) -> Option<Stripped<'_>> {
    let rest = after_rfc3339(line)?.strip_prefix(b" std")?;
    let (stream, rest) = match rest.split_at_checked(3)? {
        (b"out", rest) => (&b"stdout"[..], rest),
        (b"err", rest) => (&b"stderr"[..], rest),
        _ => return None,
    };
    let (tag, rest) = rest.strip_prefix(b" ")?.split_first()?;
    let partial = match tag {
        b'P' => true,
        b'F' => false,
        _ => return None,
    };
    // More tags can follow after colons.
    let rest = match rest.strip_prefix(b":") {
        Some(tags) => {
            let tags = tags.get(..64).unwrap_or(tags).iter().position(|&byte| byte == b' ')?;
            rest.get(tags.saturating_add(1)..)?
        }
        None => rest,
    };
    Some(Stripped { stream, text: after_space(rest)?, partial })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_tell_partial_lines() {
        let full = strip(b"2026-01-02T10:31:41.123456789Z stderr F \tx").unwrap();
        assert_eq!((full.stream, full.text, full.partial), (&b"stderr"[..], &b"\tx"[..], false));
        let part = strip(b"2026-01-02T10:31:41.1+02:00 stdout P x y").unwrap();
        assert_eq!((part.stream, part.text, part.partial), (&b"stdout"[..], &b"x y"[..], true));
        assert_eq!(strip(b"2026-01-02T10:31:41Z stdout F:tag x").unwrap().text, b"x");
        assert_eq!(strip(b"2026-01-02T10:31:41Z stdout F").unwrap().text, b"");
    }

    #[test]
    fn other_lines_are_not_of_a_container_runtime() {
        for line in [
            "",
            "2026-01-02T10:31:41Z F x",
            "2026-01-02T10:31:41Z stdin F x",
            "2026-01-02T10:31:41Z stdout X x",
            "2026-01-02T10:31:41Z stdout Fx",
            "stdout F x",
        ] {
            assert!(strip(line.as_bytes()).is_none(), "{line}");
        }
    }
}
