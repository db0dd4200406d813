//! Rules in TOML: sections, lists, and errors that point into the file.

use super::dialect::Dialect;
use super::list::{Fields, LISTS, List, Rule, RuleLists, Spec};
use super::syntax::Fault;
use crate::error::{Error, Result};
use crate::limits::LIMITS;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML file with its name, for errors that point into it.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    /// The name of the file in errors.
    pub name: &'t str,
    /// The text of the file.
    pub text: &'t str,
}

/// Where to add the rules of a list to those that are already in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Put {
    /// Before them: the first rule that matches wins.
    Before,
    After,
    Instead,
}

/// The changes of the rules by one file or the options of the command line.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleChanges {
    lists: Vec<(List, Put, Vec<Rule>)>,
    distinct: Option<bool>,
    dialect: Dialect,
}

impl RuleChanges {
    /// No changes yet; expressions are read in this dialect.
    pub(super) fn written_in(dialect: Dialect) -> RuleChanges {
        RuleChanges { dialect, ..RuleChanges::default() }
    }

    /// Adds a rule before all others of its list.
    pub fn add(&mut self, list: List, rule: Rule) {
        match self.lists.iter_mut().find(|(of, put, _)| *of == list && *put == Put::Before) {
            Some((.., rules)) => rules.push(rule),
            None => self.lists.push((list, Put::Before, vec![rule])),
        }
    }

    /// Whether it sets `name.distinct`.
    pub fn sets_distinct(&self) -> bool {
        self.distinct.is_some()
    }

    /// Applies the changes.
    pub fn apply(self, lists: &mut RuleLists) {
        for (list, put, rules) in self.lists {
            let all = lists.list_mut(list);
            match put {
                Put::Before => drop(all.splice(0..0, rules)),
                Put::After => all.extend(rules),
                Put::Instead => *all = rules,
            }
        }
        lists.distinct = self.distinct.unwrap_or(lists.distinct);
    }

    /// The sections that hold rules.
    pub const SECTIONS: [&'static str; 4] = ["trim", "category", "name", "input"];

    /// Reads one of the [`RuleChanges::SECTIONS`].
    ///
    /// # Errors
    /// If a key or a rule is wrong; points at it.
    pub fn read_section(
        &mut self,
        document: &Document<'_>,
        section: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        let start = format!("{section}.");
        let mut known: Vec<&str> =
            LISTS.iter().filter_map(|(_, key, _)| key.strip_prefix(&start)).collect();
        if section == "name" {
            known.push("distinct");
        }
        for (key, value) in document.table(value, section)? {
            match List::from_key(&format!("{section}.{}", key.get_ref())) {
                Some(list) => self.read_list(document, list, value)?,
                None if section == "name" && key.get_ref() == "distinct" => {
                    self.distinct = Some(value.get_ref().as_bool().ok_or_else(|| {
                        document.error(value.span(), "name.distinct must be true or false", None)
                    })?);
                }
                None => return Err(document.unknown_key(key, &known)),
            }
        }
        Ok(())
    }

    fn read_list(
        &mut self,
        document: &Document<'_>,
        list: List,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<()> {
        if value.get_ref().is_array() {
            let rules = document.rules(list, value, self.dialect)?;
            self.lists.push((list, Put::Before, rules));
            return Ok(());
        }
        if !value.get_ref().is_table() {
            let what = format!("{} must be a list of rules", list.key());
            let advice = "write [...], { before = [...], after = [...] } or { replace = [...] }";
            return Err(document.error(value.span(), &what, Some(advice)));
        }
        for (key, value) in document.table(value, list.key())? {
            let put = match key.get_ref().as_ref() {
                "before" => Put::Before,
                "after" => Put::After,
                "replace" => Put::Instead,
                _ => return Err(document.unknown_key(key, &["before", "after", "replace"])),
            };
            let rules = document.rules(list, value, self.dialect)?;
            // Whatever the order of the keys: `replace` comes first.
            let at = if put == Put::Instead { 0 } else { self.lists.len() };
            self.lists.insert(at, (list, put, rules));
        }
        Ok(())
    }
}

/// Numbers of lines at places that only rise: each byte is looked at once, however many places there
/// are.
#[derive(Debug)]
pub(crate) struct LineNumbers<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
}

impl<'t> LineNumbers<'t> {
    pub(crate) fn of(document: &Document<'t>) -> LineNumbers<'t> {
        LineNumbers { text: document.text.as_bytes(), at: 0, line: 1 }
    }

    /// The line of a byte, counted from 1; that of the last place for one before it.
    pub(crate) fn line(&mut self, byte: usize) -> usize {
        let between = self.text.get(self.at..byte).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', between).count();
        self.at = self.at.max(byte);
        self.line
    }
}

impl<'t> Document<'t> {
    /// The root of the document.
    ///
    /// # Errors
    /// If it isn't TOML; points at the first error.
    pub fn parse(&self) -> Result<Spanned<DeTable<'t>>> {
        DeTable::parse(self.text)
            .map_err(|error| self.error(error.span().unwrap_or(0..0), error.message().trim(), None))
    }

    /// An error that points at a place of the document.
    pub fn error(&self, span: Range<usize>, what: &str, advice: Option<&str>) -> Error {
        let start =
            (0..=span.start.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at));
        let before = &self.text[..start.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let number = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        let error = Error::usage(format!("{}:{number}:{column}", self.name), line, column, what);
        match advice {
            Some(advice) => error.advise(advice),
            None => error,
        }
    }

    /// The error that a key is unknown here.
    pub fn unknown_key(&self, key: &Spanned<impl AsRef<str>>, known: &[&str]) -> Error {
        self.unknown(key.span(), "key", key.get_ref().as_ref(), known)
    }

    /// The error that a name isn't one of the known ones.
    pub fn unknown(&self, span: Range<usize>, what: &str, text: &str, known: &[&str]) -> Error {
        let error = self.error(span, &format!("unknown {what} {text:?}"), None);
        error.advise_one_of(text, known.iter().copied())
    }

    /// The entries of a table, in the order of the document.
    ///
    /// # Errors
    /// If it isn't a table.
    pub fn table<'v, 'd>(
        &self,
        value: &'v Spanned<DeValue<'d>>,
        name: &str,
    ) -> Result<Vec<Entry<'v, 'd>>> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.error(value.span(), &format!("{name} must be a table"), None));
        };
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries)
    }

    /// The rule in a document that is only an inline table.
    ///
    /// # Errors
    /// If it isn't a table, or the rule is wrong; points at the error.
    pub fn inline_rule(&self, list: List) -> Result<Rule> {
        let value = DeValue::parse(self.text).map_err(|error| {
            self.error(error.span().unwrap_or(0..0), error.message().trim(), None)
        })?;
        let rule = self.rule(list, &value, Dialect::Rust)?;
        Ok(Rule { origin: self.name.to_owned(), ..rule })
    }

    fn rules(
        &self,
        list: List,
        value: &Spanned<DeValue<'_>>,
        dialect: Dialect,
    ) -> Result<Vec<Rule>> {
        let Some(values) = value.get_ref().as_array() else {
            let what = format!("{} must be a list of rules", list.key());
            return Err(self.error(value.span(), &what, Some("put it in [ ]")));
        };
        if values.len() > LIMITS.listed_entries {
            let (key, most) = (list.key(), LIMITS.listed_entries);
            let what = format!("{key} lists more than {most} rules (listed_entries)");
            return Err(self.error(value.span(), &what, Some("one rule can stand for many")));
        }
        values.iter().map(|value| self.rule(list, value, dialect)).collect()
    }

    fn rule(&self, list: List, value: &Spanned<DeValue<'_>>, dialect: Dialect) -> Result<Rule> {
        let mut places: Vec<(&'static str, Range<usize>, String)> = Vec::new();
        let spec = match value.get_ref() {
            DeValue::String(text) => Spec::Text(text.to_string()),
            DeValue::Table(_) => self.fields(list, value, &mut places)?,
            _ => {
                let what = format!("a rule of {} must be a string or a table", list.key());
                return Err(self.error(value.span(), &what, None));
            }
        };
        let before = &self.text.as_bytes()[..value.span().start];
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let origin = format!("{}:{line}", self.name);
        Rule::written_in(dialect, list, spec.clone(), origin).map_err(|fault| {
            let (span, text) = match (fault.field, &spec) {
                (Some(field), _) => places
                    .into_iter()
                    .find(|(key, ..)| *key == field)
                    .map_or((value.span(), String::new()), |(_, span, text)| (span, text)),
                (None, Spec::Text(text)) => (value.span(), text.clone()),
                (None, _) => (value.span(), String::new()),
            };
            self.fault(span, &text, &fault)
        })
    }

    fn fields(
        &self,
        list: List,
        value: &Spanned<DeValue<'_>>,
        places: &mut Vec<(&'static str, Range<usize>, String)>,
    ) -> Result<Spec> {
        let mut fields = Fields::default();
        let entries = self.table(value, "a rule")?;
        for (key, value) in &entries {
            let name = key.get_ref().as_ref();
            let text = || match value.get_ref().as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(self.error(value.span(), &format!("{name} must be a string"), None)),
            };
            if name == "browser" {
                if entries.len() > 1 {
                    return Err(self.error(key.span(), "`browser` stands alone", None));
                }
                places.push(("browser", value.span(), text()?));
                return Ok(Spec::Browser(text()?));
            }
            let Some(field) = list.fields().iter().find(|field| **field == name) else {
                return Err(self.unknown_key(key, list.fields()));
            };
            let switch = || match value.get_ref().as_bool() {
                Some(on) => Ok(on),
                None => {
                    Err(self.error(value.span(), &format!("{name} must be true or false"), None))
                }
            };
            match *field {
                "prefix" => fields.prefix = Some(text()?),
                "regex" => fields.regex = Some(text()?),
                "to" => fields.to = Some(text()?),
                "while" => fields.while_ = Some(text()?),
                "all" => fields.all = switch()?,
                "ignore_case" => fields.ignore_case = switch()?,
                "hex" => fields.hex = switch()?,
                _ => {
                    let number = value.get_ref().as_integer().and_then(|n| n.as_str().parse().ok());
                    fields.group = Some(number.ok_or_else(|| {
                        self.error(value.span(), "group is the number of a group", None)
                    })?);
                }
            }
            places.push((field, value.span(), value.get_ref().as_str().unwrap_or_default().into()));
        }
        Ok(Spec::Fields(fields))
    }

    /// A fault inside a string of the document: points at its own column if the string is written without
    /// escapes, else at the start of the string.
    fn fault(&self, span: Range<usize>, text: &str, fault: &Fault) -> Error {
        let raw = self.text.get(span.clone()).unwrap_or_default();
        let quotes = match raw.as_bytes() {
            [a, b, c, ..] if a == b && b == c => 3,
            _ => 1,
        };
        let mut start = span.start;
        if !text.is_empty() && raw.get(quotes..).is_some_and(|inner| inner.starts_with(text)) {
            let bytes: usize = text.chars().take(fault.column - 1).map(char::len_utf8).sum();
            start += quotes + bytes;
        }
        self.error(start..span.end, &fault.what, fault.advice.as_deref())
    }
}

/// A key and its value.
pub type Entry<'v, 'd> = (&'v Spanned<toml::de::DeString<'d>>, &'v Spanned<DeValue<'d>>);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<RuleLists> {
        let document = Document { name: "t.toml", text };
        let mut changes = RuleChanges::default();
        for (key, value) in document.parse()?.get_ref() {
            changes.read_section(&document, key.get_ref(), value)?;
        }
        let mut lists = RuleLists::default();
        let old = Rule::new(List::NameSkip, Spec::Text("old".into()), "built-in").unwrap();
        lists.list_mut(List::NameSkip).push(old);
        changes.apply(&mut lists);
        Ok(lists)
    }

    fn skips(text: &str) -> Vec<String> {
        read(text).unwrap().list(List::NameSkip).iter().map(|rule| rule.spec.to_string()).collect()
    }

    #[test]
    fn lists_add_or_replace() {
        assert_eq!(skips("[name]\nskip = ['new']"), [r#""new""#, r#""old""#]);
        assert_eq!(skips("[name]\nskip = { after = ['new'] }"), [r#""old""#, r#""new""#]);
        assert_eq!(
            skips("[name]\nskip = { after = ['z'], replace = ['new'], before = ['a'] }"),
            [r#""a""#, r#""new""#, r#""z""#]
        );
        assert_eq!(skips("[name]\nskip = { replace = [] }"), [""; 0]);
    }

    #[test]
    fn rules_know_where_they_were_written() {
        let lists = read("[name]\nskip = [\n  'new',\n]\n").unwrap();
        assert_eq!(lists.list(List::NameSkip)[0].origin, "t.toml:3");
    }

    #[test]
    fn errors_point_into_the_file() {
        let error = read("[name]\nfold = ['s|a[|A|']\n").unwrap_err().to_string();
        assert!(error.starts_with("t.toml:2:13: the bracket is never closed"), "{error}");
        assert!(error.ends_with("  fold = ['s|a[|A|']\n              ^"), "{error}");
        let error = read("[name]\nfold = [{ regex = 'ab(?=c)', to = 'x' }]\n").unwrap_err();
        assert!(error.to_string().starts_with("t.toml:2:22: look-ahead"), "{error}");
        let error = read("[name]\nfold = [{ prefix = 'ab' }]\n").unwrap_err();
        assert!(error.to_string().starts_with("t.toml:2:9: the rule needs a `to`"), "{error}");
        let error = read("[name]\nskip = 'x'\n").unwrap_err();
        assert!(error.to_string().starts_with("t.toml:2:8: name.skip must be a list"), "{error}");
        let error = read("[name\n").unwrap_err();
        assert!(error.to_string().starts_with("t.toml:1:6: "), "{error}");
    }

    #[test]
    fn unknown_keys_are_told_what_was_meant() {
        let error = read("[name]\nskips = []\n").unwrap_err().to_string();
        assert!(error.contains("did you mean skip?"), "{error}");
        let error = read("[name]\nfold = [{ prefix = 'a', too = 'x' }]\n").unwrap_err().to_string();
        assert!(error.contains("did you mean to?"), "{error}");
        let error = read("[name]\nskip = [{ while = 'a' }]\n").unwrap_err().to_string();
        assert!(error.contains("use one of prefix, regex"), "{error}");
    }

    #[test]
    fn lines_are_numbered_as_places_rise() {
        let mut lines = LineNumbers::of(&Document { name: "t.toml", text: "a\nb\n\nc" });
        let found = [0, 1, 2, 2, 5, 100].map(|byte| lines.line(byte));
        assert_eq!(found, [1, 1, 2, 2, 4, 4]);
    }
}
