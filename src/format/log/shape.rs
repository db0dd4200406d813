//! The shape of a line's prefix: equal but for its numbers.
//!
//! Times and counters differ from line to line; a number in a name (`web-1`, `app[web.2]`,
//! `sshd[811]`) doesn't, and identifies the process.

/// The maximal number of digits of a number.
const DIGITS: usize = 32;

/// A prefix that lines share. Not the shape of a stack.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    prefix: Box<[u8]>,
    /// Which of its bytes are digits that can differ.
    counts: Box<[bool]>,
}

impl Shape {
    pub(super) fn new(prefix: &[u8]) -> Shape {
        let counts = prefix.iter().zip(counting(prefix));
        let counts = counts.map(|(byte, counts)| counts && byte.is_ascii_digit()).collect();
        Shape { prefix: prefix.into(), counts }
    }

    /// Whether a whole text is a prefix of this shape.
    pub(super) fn is_of(&self, prefix: &[u8]) -> bool {
        self.strip(prefix).is_some_and(<[u8]>::is_empty)
    }

    /// Whether prefixes of this shape start with those of another one.
    pub(super) fn starts_with(&self, other: &Shape) -> bool {
        other.strip(&self.prefix).is_some()
    }

    /// The text after a prefix of this shape: it can have numbers of any length where the shape has
    /// numbers (including spaces that pad them), and must be equal otherwise. A blank at its end
    /// can be missing if the line ends there.
    pub(super) fn strip<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (mut at, mut rest) = (0_usize, line);
        while let Some(&byte) = self.prefix.get(at) {
            let padded = byte == b' ';
            let number = if padded { self.skip(at, |byte, _| byte == b' ') } else { at };
            if self.counts.get(number) == Some(&true) {
                let unpadded = if padded { after(rest, |byte| byte == b' ') } else { rest };
                // At the start of a line a longer number can need all of the room.
                if padded && at > 0 && unpadded.len() == rest.len() {
                    return None;
                }
                at = self.skip(number, |_, counts| counts);
                rest = after(unpadded, |byte| byte.is_ascii_digit());
                if rest.len() == unpadded.len() {
                    return None;
                }
                continue;
            }
            match rest.split_first() {
                Some((&same, next)) if same == byte => {
                    at = at.saturating_add(1);
                    rest = next;
                }
                None | Some((b'\r', [])) => {
                    let missing = self.prefix.get(at..).unwrap_or_default();
                    return missing.trim_ascii().is_empty().then_some(rest);
                }
                _ => return None,
            }
        }
        Some(rest)
    }

    /// The position in the prefix after a run of bytes that `all` accepts.
    fn skip(&self, from: usize, mut all: impl FnMut(u8, bool) -> bool) -> usize {
        let bytes = self.prefix.iter().zip(&*self.counts).skip(from);
        from.saturating_add(bytes.take_while(|(byte, counts)| all(**byte, **counts)).count())
    }
}

/// A prefix without its blanks and the numbers that can differ: the name of a stream.
pub(super) fn identity(prefix: &[u8]) -> Vec<u8> {
    let bytes = prefix.iter().zip(counting(prefix));
    bytes.filter(|(byte, counts)| !counts && **byte != b' ').map(|(byte, _)| *byte).collect()
}

/// Which bytes belong to numbers, times and dates that can differ.
fn counting(prefix: &[u8]) -> Vec<bool> {
    let in_word =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_.-@".contains(&byte) || byte >= 0x80;
    let mut counting = vec![false; prefix.len()];
    let mut at = 0_usize;
    while let Some(&byte) = prefix.get(at) {
        if !in_word(byte) {
            at = at.saturating_add(1);
            continue;
        }
        let word = prefix.get(at..).unwrap_or_default();
        let length = word.iter().take_while(|byte| in_word(**byte)).count();
        let word = word.get(..length).unwrap_or(word);
        // `name[7]`
        let before = at.checked_sub(1).and_then(|at| prefix.get(at));
        let named =
            at.checked_sub(2).and_then(|at| prefix.get(at)).is_some_and(|byte| in_word(*byte));
        if is_count(word) && !(before == Some(&b'[') && named) {
            counting.iter_mut().skip(at).take(length).for_each(|counts| *counts = true);
        }
        at = at.saturating_add(length);
    }
    counting
}

/// Whether a word is a time, a date or a number, including klog's `E0102`.
fn is_count(word: &[u8]) -> bool {
    if let [b'I' | b'W' | b'E' | b'F', date @ ..] = word
        && date.len() == 4
        && date.iter().all(u8::is_ascii_digit)
    {
        return true;
    }
    word.first().is_some_and(u8::is_ascii_digit)
        && word.iter().all(|byte| byte.is_ascii_digit() || b".-TZ".contains(byte))
}

/// How many bytes two texts have in common from their start, or from their end if they come in reverse; digits are alike.
pub(crate) fn common<'b>(
    a: impl Iterator<Item = &'b u8>,
    b: impl Iterator<Item = &'b u8>,
) -> usize {
    let alike = |(a, b): &(&u8, &u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
    a.zip(b).take_while(alike).count()
}

/// A text with `0` for each number.
pub(crate) fn numbers_alike(text: &[u8]) -> impl Iterator<Item = u8> {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    (0..text.len()).filter_map(move |at| match is_digit(at) {
        true => (at == 0 || !is_digit(at.saturating_sub(1))).then_some(b'0'),
        false => text.get(at).copied(),
    })
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
        assert_eq!(strip("E0103 10:31:42.1 9 log.go:5] x"), Some(&b"x"[..]));
        assert_eq!(strip("I0102 10:31:42.1 9 log.go:5] x"), None);
        assert_eq!(strip("E0102 10:31:42. 9 log.go:5] x"), None);
        assert_eq!(strip("E0102 10:31:42.19 log.go:5] x"), None);
        assert_eq!(strip("main.main()"), None);
        assert_eq!(strip(""), None);
    }

    #[test]
    fn a_number_may_need_all_the_room_at_the_start_of_a_line() {
        let shape = Shape::new(b"  9 ");
        assert_eq!(shape.strip(b" 99 main.f()"), Some(&b"main.f()"[..]));
        assert_eq!(shape.strip(b"100 main.f()"), Some(&b"main.f()"[..]));
        assert_eq!(Shape::new(b"E  9 ").strip(b"E100 main.f()"), None);
    }

    #[test]
    fn the_text_behind_keeps_its_own_indentation() {
        assert_eq!(Shape::new(b"app: ").strip(b"app:   x"), Some(&b"  x"[..]));
        assert_eq!(Shape::new(b"12-").strip(b"7-x"), Some(&b"x"[..]));
    }

    #[test]
    fn numbers_in_names_tell_streams_apart() {
        for (prefix, other) in [
            ("web-1 app ", "web-2 app "),
            ("10:31:41 web.1 | ", "10:31:41 web.2 | "),
            ("Jan 02 10:31:41 host sshd[811]: ", "Jan 02 10:31:41 host sshd[812]: "),
            ("7d9f-x2 ", "7d9f-x3 "),
            ("À1 ", "À2 "),
            ("E01 ", "E02 "),
        ] {
            assert!(Shape::new(prefix.as_bytes()).strip(other.as_bytes()).is_none(), "{other}");
            assert_ne!(identity(prefix.as_bytes()), identity(other.as_bytes()), "{other}");
        }
        let at = |time: &str| identity(format!("2026-01-02T10:31:{time}Z app: ").as_bytes());
        assert_eq!(at("41"), at("42.5"));
    }
}
