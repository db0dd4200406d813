//! The texts that matches of a regular expression begin with.
//!
//! Most rules say how a function begins: `^(internal/)?sync\.\(\*Mutex\)`. Comparing a few bytes
//! tells that they don't match, so that most expressions are never compiled.

use std::iter::Peekable;
use std::str::Chars;

/// More texts than these aren't made longer; the built-in rules have 10 at most.
const MOST: usize = 16;
/// Groups within groups within groups.
const DEEPEST: usize = 8;

/// Where matches begin, and with what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Beginnings {
    /// Whether a match only ever stands at the start of the text.
    pub(super) at_start: bool,
    /// Every match begins with one of these.
    pub(super) texts: Vec<String>,
}

impl Beginnings {
    /// `None` where an expression may begin with anything, or doesn't tell without parsing.
    pub(super) fn of(pattern: &str) -> Option<Beginnings> {
        let mut reader = Reader { rest: pattern.chars().peekable(), depth: 0 };
        let (found, alternatives) = reader.alternatives()?;
        let mut texts: Vec<String> = found.into_iter().map(|found| found.text).collect();
        if reader.rest.next().is_some() || texts.iter().any(String::is_empty) {
            return None;
        }
        texts.dedup();
        Some(Beginnings { at_start: alternatives == 1 && pattern.starts_with('^'), texts })
    }
}

/// What a part of an expression begins with.
#[derive(Clone)]
struct Begin {
    text: String,
    /// Whether this is all of the part, so that what follows it comes next.
    is_whole: bool,
}

impl Begin {
    fn nothing(is_whole: bool) -> Begin {
        Begin { text: String::new(), is_whole }
    }
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Reader<'_> {
    /// Up to the end or the bracket that closes a group, and how many alternatives there are.
    fn alternatives(&mut self) -> Option<(Vec<Begin>, usize)> {
        let mut all = self.sequence()?;
        let mut count = 1;
        while self.rest.next_if_eq(&'|').is_some() {
            all.extend(self.sequence()?);
            count += 1;
        }
        Some((all, count))
    }

    fn sequence(&mut self) -> Option<Vec<Begin>> {
        let mut all = vec![Begin::nothing(true)];
        while let Some(c) = self.rest.next_if(|c| !matches!(c, '|' | ')')) {
            let atom = match c {
                '^' | '$' => continue,
                '.' => vec![Begin::nothing(false)],
                '[' => self.class()?,
                '(' => self.group()?,
                '\\' => match self.rest.next()? {
                    c if c.is_ascii_punctuation() => self.literal(c),
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' => vec![Begin::nothing(false)],
                    // Classes and assertions that aren't worth the trouble.
                    _ => return None,
                },
                c => self.literal(c),
            };
            let atom = self.repeated(atom)?;
            append(&mut all, &atom);
        }
        Some(all)
    }

    /// This character and those after it, up to one that means something or is repeated.
    fn literal(&mut self, c: char) -> Vec<Begin> {
        let mut text = String::from(c);
        let mut ahead = self.rest.clone();
        let is_plain = |c: char| !c.is_ascii_punctuation() || c == '/' || c == '_';
        while let Some(c) = ahead.next().filter(|&c| is_plain(c)) {
            if matches!(ahead.peek(), Some('?' | '*' | '+' | '{')) {
                break;
            }
            text.push(c);
            self.rest.next();
        }
        vec![Begin { text, is_whole: true }]
    }

    fn group(&mut self) -> Option<Vec<Begin>> {
        if self.rest.next_if_eq(&'?').is_some() {
            // Anything else are flags and names.
            self.rest.next_if_eq(&':')?;
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let (all, _) = self.alternatives()?;
        self.depth -= 1;
        self.rest.next_if_eq(&')')?;
        Some(all)
    }

    /// A class may be anything. One with a bracket inside isn't worth the trouble.
    fn class(&mut self) -> Option<Vec<Begin>> {
        self.rest.next_if_eq(&'^');
        // The first one is a member.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                '\\' => drop(self.rest.next()?),
                '[' => return None,
                ']' => return Some(vec![Begin::nothing(false)]),
                _ => {}
            }
        }
    }

    /// An atom with the sign behind it that says how often it stands there.
    fn repeated(&mut self, mut atom: Vec<Begin>) -> Option<Vec<Begin>> {
        let Some(sign) = self.rest.next_if(|c| matches!(c, '?' | '*' | '+' | '{')) else {
            return Some(atom);
        };
        if sign != '?' {
            // It may come again before what follows.
            atom.iter_mut().for_each(|begin| begin.is_whole = false);
        }
        match sign {
            '?' | '*' => atom.push(Begin::nothing(true)),
            '{' => {
                // Perhaps not once.
                atom.push(Begin::nothing(false));
                self.rest.find(|c| *c == '}')?;
            }
            _ => {}
        }
        self.rest.next_if_eq(&'?');
        Some(atom)
    }
}

/// Puts a part behind all that comes before it.
fn append(all: &mut Vec<Begin>, part: &[Begin]) {
    if let [only] = part {
        for begin in all.iter_mut().filter(|begin| begin.is_whole) {
            begin.text.push_str(&only.text);
            begin.is_whole = only.is_whole;
        }
        return;
    }
    if all.len() * part.len() > MOST {
        all.iter_mut().for_each(|begin| begin.is_whole = false);
        return;
    }
    let before = std::mem::take(all);
    for begin in before {
        if !begin.is_whole {
            all.push(begin);
            continue;
        }
        all.extend(part.iter().map(|next| Begin {
            text: format!("{}{}", begin.text, next.text),
            is_whole: next.is_whole,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Option<(bool, Vec<String>)> {
        Beginnings::of(pattern).map(|found| (found.at_start, found.texts))
    }

    #[test]
    fn what_matches_begin_with_is_found() {
        let cases: [(&str, bool, &[&str]); 12] = [
            (
                r"^sync\.\(\*RWMutex\)\.R?Lock$",
                true,
                &["sync.(*RWMutex).RLock", "sync.(*RWMutex).Lock"],
            ),
            (r"^(internal/)?sync\.", true, &["internal/sync.", "sync."]),
            (r"^(?:net|io)\.\(\*[pP]ipe", true, &["net.(*", "io.(*"]),
            (r"^(a|b(c|d+)e)f", true, &["af", "bcef", "bd"]),
            (
                r"(\.(func|gowrap)\d+|-range\d+|-fm)(\.\d+)*",
                false,
                &[".func", ".gowrap", "-range", "-fm"],
            ),
            (r"\[[^\[\]]*\]", false, &["["]),
            ("^a|b", false, &["a", "b"]),
            ("^ab+c", true, &["ab"]),
            ("^ab*?c", true, &["ab", "ac"]),
            ("^xab{2}c", true, &["xab", "xa"]),
            ("^net/http.x", true, &["net/http"]),
            (
                "^(a|b)(c|d)(e|f)(g|h)(i|j)k",
                true,
                &[
                    "aceg", "aceh", "acfg", "acfh", "adeg", "adeh", "adfg", "adfh", "bceg", "bceh",
                    "bcfg", "bcfh", "bdeg", "bdeh", "bdfg", "bdfh",
                ],
            ),
        ];
        for (pattern, at_start, expected) in cases {
            let expected = expected.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(texts(pattern), Some((at_start, expected)), "{pattern}");
        }
    }

    #[test]
    fn what_may_begin_with_anything_tells_nothing() {
        let deep = format!("^{}a{}", "(".repeat(20), ")".repeat(20));
        for pattern in
            ["", "^", "a?", "a*b?", "^[^/]*/x", ".a", "a|", "(?i)a", r"\bx", "[[:alpha:]]x", &deep]
        {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }
}
