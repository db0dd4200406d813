//! The shape of a line's prefix: equal but for its numbers.

/// Digits of one number.
const DIGITS: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Shape(Box<[u8]>);

impl Shape {
    pub(super) fn new(prefix: &[u8]) -> Shape {
        Shape(prefix.into())
    }

    /// What stands behind a prefix of this shape: numbers of any length where it has numbers
    /// (spaces that pad them included), all else the same. A blank at its end may be missing
    /// where the line ends.
    pub(super) fn strip<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (mut prefix, mut rest) = (&*self.0, line);
        while let Some((&byte, behind)) = prefix.split_first() {
            let padded = byte == b' ';
            let number = if padded { prefix.trim_ascii_start() } else { prefix };
            if number.first().is_some_and(u8::is_ascii_digit) {
                let unpadded = if padded { after(rest, |byte| byte == b' ') } else { rest };
                if padded && unpadded.len() == rest.len() {
                    return None;
                }
                prefix = after(number, |byte| byte.is_ascii_digit());
                rest = after(unpadded, |byte| byte.is_ascii_digit());
                if rest.len() == unpadded.len() {
                    return None;
                }
                continue;
            }
            match rest.split_first() {
                Some((&same, next)) if same == byte => {
                    prefix = behind;
                    rest = next;
                }
                None | Some((b'\r', [])) if prefix.trim_ascii().is_empty() => return Some(rest),
                _ => return None,
            }
        }
        Some(rest)
    }
}

fn after(bytes: &[u8], mut all: impl FnMut(u8) -> bool) -> &[u8] {
    let count = bytes.iter().take(DIGITS).take_while(|&&byte| all(byte)).count();
    bytes.get(count..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_differ_and_nothing_else() {
        let shape = Shape::new(b"E0102 10:31:41.12   99 log.go:5] ");
        let strip = |line: &'static str| shape.strip(line.as_bytes());
        assert_eq!(strip("E0102 10:31:42.123456  100 log.go:77] \tx"), Some(&b"\tx"[..]));
        assert_eq!(strip("E0102 10:31:42.1 9 log.go:5]"), Some(&b""[..]));
        assert_eq!(strip("E0102 10:31:42.1 9 log.go:5]\r"), Some(&b"\r"[..]));
        assert_eq!(strip("I0102 10:31:42.1 9 log.go:5] x"), None);
        assert_eq!(strip("E0102 10:31:42. 9 log.go:5] x"), None);
        assert_eq!(strip("E0102 10:31:42.19 log.go:5] x"), None);
        assert_eq!(strip("main.main()"), None);
        assert_eq!(strip(""), None);
    }

    #[test]
    fn the_text_behind_keeps_its_own_indentation() {
        assert_eq!(Shape::new(b"app: ").strip(b"app:   x"), Some(&b"  x"[..]));
        assert_eq!(Shape::new(b"a-7f").strip(b"a-12fx"), Some(&b"x"[..]));
    }
}
