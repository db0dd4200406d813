//! `docker compose logs`: `NAME-1  | text`, names padded to one width; `docker service logs`:
//! `NAME.1.ID@HOST    | text`.

use super::{Stripped, after_space};

/// The maximal number of bytes of a service's name with its padding.
const NAME: usize = 200;

pub(super) fn strip(line: &[u8]) -> Option<Stripped<'_>> {
    let head = line.get(..NAME).unwrap_or(line);
    let bar = memchr::memchr(b'|', head)?;
    let (padded, rest) = line.split_at_checked(bar)?;
    let stream = padded.trim_ascii_end();
    let named = stream.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-@".contains(byte));
    if !named || stream.is_empty() || !padded.ends_with(b" ") {
        return None;
    }
    Some(Stripped { stream, text: after_space(rest.get(1..)?)?, partial: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_streams() {
        let stripped = strip(b"web-1     | \tx | y").unwrap();
        assert_eq!((stripped.stream, stripped.text), (&b"web-1"[..], &b"\tx | y"[..]));
        assert_eq!(strip(b"web_1 |").unwrap().text, b"");
    }

    #[test]
    fn other_lines_are_not_of_compose() {
        for line in ["", "| x", "a b | x", "web-1| x", "web-1 |x", "x/y | z"] {
            assert!(strip(line.as_bytes()).is_none(), "{line}");
        }
    }
}
