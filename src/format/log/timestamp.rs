//! Timestamps at the start of a line.

/// The maximal number of digits of a fraction of a second; Go, Docker and systemd write at most 9.
const FRACTION: usize = 32;

/// The text after an RFC 3339 timestamp with any fraction, and `Z` or an offset with or without a
/// colon.
#[inline]
pub(super) fn after_rfc3339(line: &[u8]) -> Option<&[u8]> {
    // Nine of ten fractions have nine digits, as zeros at the end are left out.
    after_pattern(line, b"dddd-dd-ddTdd:dd:dd.dddddddddZ").or_else(|| after_any_rfc3339(line))
}

fn after_any_rfc3339(line: &[u8]) -> Option<&[u8]> {
    let rest = after_pattern(line, b"dddd-dd-ddTdd:dd:dd")?;
    let rest = after_fraction(rest);
    match rest.split_first()? {
        (b'Z', rest) => Some(rest),
        (b'+' | b'-', rest) => {
            after_pattern(rest, b"dd:dd").or_else(|| after_pattern(rest, b"dddd"))
        }
        _ => None,
    }
}

/// The text after syslog's `Jan 02 10:31:41`; the day can be padded with a space.
pub(super) fn after_syslog(line: &[u8]) -> Option<&[u8]> {
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let (month, rest) = line.split_at_checked(3)?;
    if !MONTHS.chunks_exact(3).any(|known| known == month) {
        return None;
    }
    let rest =
        after_pattern(rest, b" dd dd:dd:dd").or_else(|| after_pattern(rest, b"  d dd:dd:dd"))?;
    Some(after_fraction(rest))
}

/// The text after a pattern; `d` stands for a digit, all other bytes for themselves.
#[inline]
fn after_pattern<'a, const LENGTH: usize>(
    line: &'a [u8],
    pattern: &[u8; LENGTH],
) -> Option<&'a [u8]> {
    let (head, rest) = line.split_first_chunk::<LENGTH>()?;
    // All bytes are compared without a branch, so the compiler can use vector instructions.
    let others = head.iter().zip(pattern).fold(false, |others, (&byte, &want)| {
        let (least, span) = if want == b'd' { (b'0', 9) } else { (want, 0) };
        others | (byte.wrapping_sub(least) > span)
    });
    (!others).then_some(rest)
}

fn after_fraction(rest: &[u8]) -> &[u8] {
    let Some(fraction) = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b",")) else {
        return rest;
    };
    let digits = fraction.iter().take(FRACTION).take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { rest } else { fraction.get(digits..).unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc3339_with_any_fraction_and_zone_is_a_timestamp() {
        for (line, rest) in [
            ("2026-01-02T10:31:41Z x", " x"),
            ("2026-01-02T10:31:41.1Z x", " x"),
            ("2026-01-02T10:31:41.12345678Z x", " x"),
            ("2026-01-02T10:31:41.123456789Z", ""),
            ("2026-01-02T10:31:41.1234567890Z x", " x"),
            ("2026-01-02T10:31:41.123456789+02:00 x", " x"),
            ("2026-01-02T10:31:41,5-0730 x", " x"),
        ] {
            assert_eq!(after_rfc3339(line.as_bytes()), Some(rest.as_bytes()), "{line}");
        }
        for line in [
            "",
            "2026-01-02T10:31:41",
            "2026-01-02T10:31:41 x",
            "2026-01-02 10:31:41Z x",
            "2026-01-02T10:31:41.Z x",
            "2026-01-02T10:31:4:.123456789Z x",
            "2026-01-02T10:31:41.123456/89Z x",
            "2026-01-02T10:31:41:123456789Z x",
            "2026-01-02T10:31:41+2 x",
            "26-01-02T10:31:41Z x",
        ] {
            assert_eq!(after_rfc3339(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn each_byte_of_a_timestamp_is_looked_at() {
        let timestamp = b"2026-01-02T10:31:41.123456789Z";
        assert_eq!(after_rfc3339(timestamp), Some(&b""[..]));
        for at in 0..timestamp.len() {
            let mut other = *timestamp;
            other[at] = b'/';
            assert_eq!(after_rfc3339(&other), None, "{}", String::from_utf8_lossy(&other));
        }
    }

    #[test]
    fn syslog_has_no_year() {
        assert_eq!(after_syslog(b"Jan 02 10:31:41 h"), Some(&b" h"[..]));
        assert_eq!(after_syslog(b"Dec  2 10:31:41.123456 h"), Some(&b" h"[..]));
        for line in ["", "Jan", "Jat 02 10:31:41 h", "Jan 2 10:31:41 h", "JanFeb 10:31:41"] {
            assert_eq!(after_syslog(line.as_bytes()), None, "{line}");
        }
    }
}
