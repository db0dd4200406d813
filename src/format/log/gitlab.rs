//! Jobs of GitLab with timestamps: `TIMESTAMP 01O text`, where a `+` in place of the blank says that
//! the line continues the one before it, as the runner sends what has come so far.

use super::keys::Keys;
use super::timestamp::after_rfc3339;
use super::{GAP, StreamKey, Stripped};
use std::collections::BTreeSet;

/// A line, and whether it continues the one before it in its stream. Whether a line goes on shows only in
/// the next one, so each line is partial.
pub(super) fn strip(line: &[u8]) -> Option<(Stripped<'_>, bool)> {
    let rest = after_rfc3339(line)?.strip_prefix(b" ")?;
    let (stream, rest) = rest.split_at_checked(3)?;
    let is_stream =
        matches!(stream, [a, b, b'O' | b'E'] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit());
    let (text, continues) = match rest.split_first() {
        Some((b' ', text)) => (text, false),
        Some((b'+', text)) => (text, true),
        None | Some((b'\r', [])) => (rest, false),
        _ => return None,
    };
    is_stream.then_some((Stripped { stream, text, partial: true }, continues))
}

/// The text of a line, once the one before it in its stream is ended in `out` if it doesn't go on. `open` are the
/// streams whose last line isn't ended, and `last` is the stream of the line before.
pub(super) fn line<'a>(
    line: &'a [u8],
    open: &mut BTreeSet<StreamKey>,
    last: StreamKey,
    keys: &mut Keys,
    out: &mut Vec<u8>,
) -> Option<Stripped<'a>> {
    if line == GAP && open.remove(&last) {
        out.push(b'\n');
    }
    let (stripped, continues) = strip(line)?;
    if !open.insert(keys.key(stripped.stream)) && !continues {
        out.push(b'\n');
    }
    Some(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plus_continues_the_line_before() {
        for (line, stream, text, continues) in [
            ("2026-01-02T10:31:41.123456Z 01O \tx", "01O", "\tx", false),
            ("2026-01-02T10:31:41.123456Z 0aE+ x", "0aE", " x", true),
            ("2026-01-02T10:31:41.123456Z 00O", "00O", "", false),
        ] {
            let (stripped, is) = strip(line.as_bytes()).expect(line);
            assert_eq!((stripped.stream, stripped.text), (stream.as_bytes(), text.as_bytes()));
            assert_eq!(is, continues, "{line}");
        }
        for line in ["", "01O x", "2026-01-02T10:31:41Z 0gO x", "2026-01-02T10:31:41Z 01Ox"] {
            assert!(strip(line.as_bytes()).is_none(), "{line}");
        }
    }
}
