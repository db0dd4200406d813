//! Rules made ready to run.

use super::dialect::Compiler;
use super::pattern::LazyRegex;
use super::syntax::{Fault, Matcher, While};

/// A [`Matcher`], ready to run.
#[derive(Clone, Debug)]
pub(super) enum CompiledMatcher {
    Prefix(Vec<u8>),
    Regex(LazyRegex),
    Either(Vec<u8>, LazyRegex),
}

impl CompiledMatcher {
    pub(super) fn new(
        matcher: &Matcher,
        compiler: &mut Compiler,
    ) -> Result<CompiledMatcher, Fault> {
        Ok(match matcher {
            Matcher::Prefix(prefix) => CompiledMatcher::Prefix(prefix.clone().into()),
            Matcher::Regex { pattern, ignore_case } => {
                CompiledMatcher::Regex(LazyRegex::new(pattern, *ignore_case, compiler)?)
            }
            Matcher::Either { prefix, pattern } => CompiledMatcher::Either(
                prefix.clone().into(),
                LazyRegex::new(pattern, false, compiler)?,
            ),
        })
    }

    pub(super) fn is_match(&self, func: &[u8]) -> bool {
        match self {
            CompiledMatcher::Prefix(prefix) => starts_with(func, prefix),
            CompiledMatcher::Regex(regex) => regex.is_match(func),
            CompiledMatcher::Either(prefix, regex) => {
                starts_with(func, prefix) || regex.is_match(func)
            }
        }
    }
}

/// Whether a text starts with another. Most don't; comparing the last byte first finds that out best,
/// as functions and rules have their starts in common, such as `internal/`.
fn starts_with(text: &[u8], start: &[u8]) -> bool {
    start.last().is_none_or(|last| text.get(start.len() - 1) == Some(last))
        && text.starts_with(start)
}

/// A [`While`], ready to run.
#[derive(Clone, Debug)]
pub(super) enum CompiledWhile {
    Stdlib,
    Matches(Box<CompiledMatcher>),
}

impl CompiledWhile {
    pub(super) fn new(while_: &While, compiler: &mut Compiler) -> Result<CompiledWhile, Fault> {
        Ok(match while_ {
            While::Stdlib => CompiledWhile::Stdlib,
            While::Matches(matcher) => {
                CompiledWhile::Matches(Box::new(CompiledMatcher::new(matcher, compiler)?))
            }
        })
    }

    pub(super) fn is_match(&self, func: &[u8]) -> bool {
        match self {
            CompiledWhile::Stdlib => is_stdlib(func),
            CompiledWhile::Matches(find) => find.is_match(func),
        }
    }
}

/// Whether a function looks like one of the standard library: it has no path at all (unless it is
/// `main...`), or the first element of its path has no dot. Modules without a dot look like it too.
pub(super) fn is_stdlib(func: &[u8]) -> bool {
    match func.iter().position(|b| *b == b'/') {
        None => !func.starts_with(b"main"),
        Some(slash) => !func[..slash].contains(&b'.'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stdlib_is_told_by_the_first_path_element() {
        for func in ["fmt.Fprintf", "net/http.(*conn).serve", "kv/kvserver.(*Store).Send"] {
            assert!(is_stdlib(func.as_bytes()), "{func}");
        }
        for func in ["main.run.func1", "mainframe.Boot", "gopkg.in/yaml.v3.Unmarshal"] {
            assert!(!is_stdlib(func.as_bytes()), "{func}");
        }
    }
}
