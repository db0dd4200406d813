//! Trimming of frames: the starts of functions and files are cut before everything else.

use super::compile::CompiledMatcher;
use super::dialect::Compiler;
use super::list::Rule;
use super::syntax::{Fault, Meaning};

/// The rules of `trim.func` or `trim.file`, ready to run.
#[derive(Clone, Debug, Default)]
pub(super) struct TrimRules(Vec<Cut>);

#[derive(Clone, Debug)]
struct Cut {
    find: CompiledMatcher,
    from_start: bool,
}

impl TrimRules {
    pub(super) fn push(&mut self, rule: &Rule, compiler: &mut Compiler) -> Result<(), Fault> {
        if let Meaning::Cut { matcher, from_start } = &rule.meaning {
            self.0.push(Cut {
                find: CompiledMatcher::new(matcher, compiler)?,
                from_start: *from_start,
            });
        }
        Ok(())
    }

    /// The rest of a text; every rule is applied once, in order. Calls `took` for each rule that cut
    /// something.
    pub(super) fn apply<'t>(&self, text: &'t [u8], mut took: impl FnMut(usize)) -> &'t [u8] {
        let mut rest = text;
        for (at, cut) in self.0.iter().enumerate() {
            let length = match &cut.find {
                CompiledMatcher::Prefix(prefix) => rest.starts_with(prefix).then_some(prefix.len()),
                CompiledMatcher::Regex(regex) | CompiledMatcher::Either(_, regex) => {
                    let found = regex.find(rest);
                    found
                        .filter(|found| cut.from_start || found.start == 0)
                        .map(|found| found.len())
                }
            };
            if let Some(length) = length.filter(|length| *length > 0) {
                took(at);
                rest = &rest[length..];
            }
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::list::{List, Spec};

    fn apply(specs: &[Spec], text: &str) -> String {
        let mut cuts = TrimRules::default();
        for spec in specs {
            let rule = Rule::new(List::TrimFunc, spec.clone(), "test").unwrap();
            cuts.push(&rule, &mut Compiler::default()).unwrap();
        }
        String::from_utf8(cuts.apply(text.as_bytes(), |_| {}).to_vec()).unwrap()
    }

    fn own(text: &str) -> Spec {
        Spec::Text(text.into())
    }

    fn browser(text: &str) -> Spec {
        Spec::Browser(text.into())
    }

    #[test]
    fn rules_cut_at_the_start_one_after_the_other() {
        assert_eq!(apply(&[own("ex.org/"), own("m/")], "ex.org/m/a.F"), "a.F");
        assert_eq!(apply(&[own("m/"), own("ex.org/")], "ex.org/m/a.F"), "m/a.F");
        assert_eq!(apply(&[own("ex.org")], "exXorg/a"), "/a");
        assert_eq!(apply(&[own("a.F")], "a.F"), "");
    }

    #[test]
    fn alternatives_hold_at_the_start_only_unless_read_as_the_browser_tool_does() {
        assert_eq!(apply(&[own("a|b")], "cb.F"), "cb.F");
        assert_eq!(apply(&[own("a|cb")], "cb.F"), ".F");
        assert_eq!(apply(&[browser("a|b")], "cb.F"), "b.F");
        assert_eq!(apply(&[browser("[bad(")], "[bad(x"), "x", "no expression: literal");
    }
}
