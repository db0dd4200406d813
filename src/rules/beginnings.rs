//! The texts that matches of a regular expression begin with.
//!
//! Most rules say how a function begins: `^(internal/)?sync\.\(\*Mutex\)`. Comparing a few bytes
//! tells whether they match, so that most expressions are never compiled.

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
    pub(super) texts: Vec<Beginning>,
}

/// What a match, or a part of one, begins with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    pub(super) text: String,
    pub(super) rest: Rest,
}

/// What has to stand behind a beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// Nothing: this is a match.
    Anything,
    /// The end of the text.
    End,
    /// That isn't seen here.
    Unknown,
}

impl Beginnings {
    /// `None` where an expression may begin with anything, or doesn't tell without parsing.
    pub(super) fn of(pattern: &str) -> Option<Beginnings> {
        let anchored = pattern.strip_prefix('^');
        let mut reader = Reader { rest: anchored.unwrap_or(pattern).chars().peekable(), depth: 0 };
        let (mut texts, alternatives) = reader.alternatives()?;
        if reader.rest.next().is_some() || texts.iter().any(|found| found.text.is_empty()) {
            return None;
        }
        texts.dedup();
        Some(Beginnings { at_start: anchored.is_some() && alternatives == 1, texts })
    }
}

impl Beginning {
    fn nothing(rest: Rest) -> Beginning {
        Beginning { text: String::new(), rest }
    }
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Reader<'_> {
    /// Up to the end or the bracket that closes a group, and how many alternatives there are.
    fn alternatives(&mut self) -> Option<(Vec<Beginning>, usize)> {
        let mut all = self.sequence()?;
        let mut count = 1;
        while self.rest.next_if_eq(&'|').is_some() {
            all.extend(self.sequence()?);
            count += 1;
        }
        Some((all, count))
    }

    fn sequence(&mut self) -> Option<Vec<Beginning>> {
        let mut all = vec![Beginning::nothing(Rest::Anything)];
        while let Some(c) = self.rest.next_if(|c| !matches!(c, '|' | ')')) {
            let atom = match c {
                // A sign behind a sign, or behind the start.
                '?' | '*' | '+' | '{' => return None,
                '$' => vec![Beginning::nothing(Rest::End)],
                '.' | '^' => vec![Beginning::nothing(Rest::Unknown)],
                '[' => self.class()?,
                '(' => self.group()?,
                '\\' => match self.rest.next()? {
                    c if c.is_ascii_punctuation() => self.literal(c),
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' => vec![Beginning::nothing(Rest::Unknown)],
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
    fn literal(&mut self, c: char) -> Vec<Beginning> {
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
        vec![Beginning { text, rest: Rest::Anything }]
    }

    fn group(&mut self) -> Option<Vec<Beginning>> {
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
    fn class(&mut self) -> Option<Vec<Beginning>> {
        self.rest.next_if_eq(&'^');
        // The first one is a member.
        self.rest.next_if_eq(&']');
        loop {
            match self.rest.next()? {
                '\\' => drop(self.rest.next()?),
                '[' => return None,
                ']' => return Some(vec![Beginning::nothing(Rest::Unknown)]),
                _ => {}
            }
        }
    }

    /// An atom with the sign behind it that says how often it stands there.
    fn repeated(&mut self, mut atom: Vec<Beginning>) -> Option<Vec<Beginning>> {
        let Some(sign) = self.rest.next_if(|c| matches!(c, '?' | '*' | '+' | '{')) else {
            return Some(atom);
        };
        if sign != '?' {
            // It may come again before what follows.
            atom.iter_mut().for_each(|begin| begin.rest = Rest::Unknown);
        }
        match sign {
            '?' | '*' => atom.push(Beginning::nothing(Rest::Anything)),
            '{' => {
                // Perhaps not once.
                atom.push(Beginning::nothing(Rest::Unknown));
                self.rest.find(|c| *c == '}')?;
            }
            _ => {}
        }
        self.rest.next_if_eq(&'?');
        Some(atom)
    }
}

/// Puts a part behind all that comes before it.
fn append(all: &mut Vec<Beginning>, part: &[Beginning]) {
    // Behind the end of the text nothing can stand.
    all.iter_mut().filter(|begin| begin.rest == Rest::End).for_each(|b| b.rest = Rest::Unknown);
    if let [only] = part {
        for begin in all.iter_mut().filter(|begin| begin.rest == Rest::Anything) {
            begin.text.push_str(&only.text);
            begin.rest = only.rest;
        }
        return;
    }
    if all.len() * part.len() > MOST {
        all.iter_mut().for_each(|begin| begin.rest = Rest::Unknown);
        return;
    }
    for begin in std::mem::take(all) {
        if begin.rest != Rest::Anything {
            all.push(begin);
            continue;
        }
        all.extend(part.iter().map(|next| Beginning {
            text: format!("{}{}", begin.text, next.text),
            rest: next.rest,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beginnings, with `...` behind those whose rest isn't known and `$` behind whole texts.
    fn texts(pattern: &str) -> Option<(bool, Vec<String>)> {
        let found = Beginnings::of(pattern)?;
        let shown = found.texts.into_iter().map(|begin| match begin.rest {
            Rest::Anything => begin.text,
            Rest::End => begin.text + "$",
            Rest::Unknown => begin.text + "...",
        });
        Some((found.at_start, shown.collect()))
    }

    #[test]
    fn what_matches_begin_with_is_found() {
        let cases: [(&str, bool, &[&str]); 14] = [
            (
                r"^sync\.\(\*RWMutex\)\.R?Lock$",
                true,
                &["sync.(*RWMutex).RLock$", "sync.(*RWMutex).Lock$"],
            ),
            (r"^(internal/)?sync\.", true, &["internal/sync.", "sync."]),
            (r"^(?:net|io)\.\(\*[pP]ipe", true, &["net.(*...", "io.(*..."]),
            (r"^(send$|do)", true, &["send$", "do"]),
            (r"^(a|b(c|d+)e)f", true, &["af", "bcef", "bd..."]),
            (
                r"(\.(func|gowrap)\d+|-fm)(\.\d+)*",
                false,
                &[".func...", ".gowrap...", "-fm....", "-fm"],
            ),
            (r"\[[^\[\]]*\]", false, &["[...", "[]"]),
            ("^a|b", false, &["a", "b"]),
            ("^a(^b|c$)d", true, &["a...", "ac..."]),
            ("^ab+c", true, &["ab..."]),
            ("^ab*?c", true, &["ab...", "ac"]),
            ("^xab{2}c", true, &["xab...", "xa..."]),
            ("^net/http.x", true, &["net/http..."]),
            (
                "^(a|b)(c|d)(e|f)(g|h)(i|j)k",
                true,
                &[
                    "aceg...", "aceh...", "acfg...", "acfh...", "adeg...", "adeh...", "adfg...",
                    "adfh...", "bceg...", "bceh...", "bcfg...", "bcfh...", "bdeg...", "bdeh...",
                    "bdfg...", "bdfh...",
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
        for pattern in [
            "",
            "^",
            "^{0,2}",
            "a**",
            "a?",
            "a*b?",
            "^[^/]*/x",
            ".a",
            "a|",
            "(?i)a",
            r"\bx",
            "[[:alpha:]]x",
            &deep,
        ] {
            assert_eq!(texts(pattern), None, "{pattern}");
        }
    }
}
