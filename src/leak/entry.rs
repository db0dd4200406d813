//! Entries of the catalogue, of allow-lists and of baselines: which goroutines, how many, and why.

use super::date::Date;
use super::pattern::{Functions, NamePattern};
use crate::error::Result;
use crate::limits::LIMITS;
use crate::profile::{FrameId, Kind, Profile, SampleKey};
use crate::rules::{Document, LineNumbers, Names};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// The name of the table that each entry is.
const SECTION: &str = "allow";
/// The keys of an entry.
const KEYS: [&str; 17] = [
    "id",
    "function",
    "top",
    "frame",
    "created_by",
    "label",
    "state",
    "kind",
    "category",
    "name",
    "check",
    "except",
    "max",
    "owner",
    "reason",
    "expires",
    "go",
];

/// Goroutines that are allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) id: String,
    function: Vec<NamePattern>,
    top: Vec<NamePattern>,
    frame: Vec<NamePattern>,
    created_by: Vec<NamePattern>,
    label: Vec<(String, Option<NamePattern>)>,
    state: Vec<NamePattern>,
    kind: Vec<Kind>,
    category: Vec<NamePattern>,
    name: Vec<NamePattern>,
    check: Vec<String>,
    except: Vec<String>,
    /// How many it covers; all if it doesn't say.
    pub(super) max: Option<i64>,
    pub(super) owner: String,
    pub(super) reason: String,
    pub(super) expires: Option<Date>,
    /// The first and the last minor version of Go 1 that it applies to.
    pub(super) go: Option<(u32, u32)>,
    /// Its file and line.
    pub(super) origin: String,
}

impl Entry {
    /// Whether it covers findings of this check.
    pub(super) fn is_for(&self, check: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| name == check);
        (self.check.is_empty() || named(&self.check)) && !named(&self.except)
    }

    /// The blocking user functions that it names, as they are written.
    pub(super) fn functions(&self) -> impl Iterator<Item = String> {
        self.function.iter().map(NamePattern::text)
    }

    /// The names of the only blocking user functions that it can match; `None` if a pattern or the lack
    /// of one matches more.
    pub(super) fn exact_functions(&self) -> Option<Vec<&[u8]>> {
        let names: Option<Vec<&[u8]>> = self.function.iter().map(NamePattern::exact).collect();
        names.filter(|names| !names.is_empty())
    }

    /// The only creator that it can match, if it names one exactly.
    pub(super) fn exact_creator(&self) -> Option<&[u8]> {
        match self.created_by.as_slice() {
            [only] => only.exact(),
            _ => None,
        }
    }

    /// How many patterns are compared with each goroutine that may match it: all but those that are looked up.
    pub(super) fn patterns(&self) -> usize {
        let texts = [&self.top, &self.frame, &self.state, &self.category, &self.name];
        let texts: usize = texts.iter().map(|patterns| patterns.len()).sum();
        let creators = if self.exact_creator().is_some() { 0 } else { self.created_by.len() };
        // One of many functions is found by its name, and compared with all of them.
        let functions = match self.exact_functions().as_deref() {
            Some([_]) => 0,
            // An entry without a function is compared with all.
            _ => self.function.len().max(1),
        };
        texts.saturating_add(creators).saturating_add(functions).saturating_add(self.label.len())
    }

    /// Whether it has a key `label`.
    #[cfg(test)]
    pub(super) fn has_labels(&self) -> bool {
        !self.label.is_empty()
    }

    /// Whether a function matches its keys `function`, `top`, `created_by` and `frame`, in this order; any
    /// function matches a key that it doesn't have.
    pub(super) fn matches_function(
        &self,
        profile: &Profile,
        functions: &Functions<'_>,
        frame: FrameId,
    ) -> [bool; 4] {
        [&self.function, &self.top, &self.created_by, &self.frame].map(|patterns| {
            patterns.is_empty() || patterns.iter().any(|one| functions.matches(one, profile, frame))
        })
    }

    /// Whether goroutines of a sample match.
    pub(super) fn matches(
        &self,
        profile: &Profile,
        names: &Names,
        functions: &Functions<'_>,
        key: &SampleKey,
    ) -> bool {
        let text = |patterns: &[NamePattern], text: Option<&[u8]>| {
            patterns.is_empty()
                || text.is_some_and(|text| patterns.iter().any(|one| one.matches(text)))
        };
        let called = |patterns: &[NamePattern], frame: FrameId| {
            patterns.iter().any(|one| functions.matches(one, profile, frame))
        };
        let function = |patterns: &[NamePattern], find: &dyn Fn() -> Option<FrameId>| {
            patterns.is_empty() || find().is_some_and(|frame| called(patterns, frame))
        };
        let frames = profile.stack(key.stack);
        (self.kind.is_empty() || self.kind.contains(&key.kind))
            && function(&self.function, &|| functions.frames.user(key.stack))
            && function(&self.top, &|| functions.frames.blocking_outside_poller(key.stack))
            && function(&self.created_by, &|| key.creator)
            && text(&self.state, key.state.map(|state| profile.str(state)))
            && text(&self.category, Some(names.category(key.stack)))
            // Last, as names are only made for the stacks that need one.
            && (self.name.is_empty() || text(&self.name, Some(names.name(profile, key.stack))))
            && (self.frame.is_empty() || frames.iter().any(|&frame| called(&self.frame, frame)))
            && (self.label.is_empty()
                || self.label.iter().any(|(label, value)| {
                    has_label(profile, key, label, |text| {
                        value.as_ref().is_none_or(|value| value.matches(text))
                    })
                }))
    }
}

/// Whether goroutines of a sample have a label with a value that matches, including the labels of
/// their input's path; their own label hides one of the path.
pub(super) fn has_label(
    profile: &Profile,
    key: &SampleKey,
    label: &str,
    matches: impl Fn(&[u8]) -> bool,
) -> bool {
    let values = |set| {
        let labels = profile.labels(set).iter();
        labels
            .filter(|one| profile.str(one.key) == label.as_bytes())
            .map(|one| matches(&profile.label_text(one.value)))
            .collect::<Vec<bool>>()
    };
    let own = values(key.labels);
    let values = if own.is_empty() { values(profile.input(key.input).labels) } else { own };
    values.contains(&true)
}

/// Reads a file of `[[allow]]` entries.
pub(super) fn read(document: &Document<'_>, checks: &[&str]) -> Result<Vec<Entry>> {
    let root = document.parse()?;
    let mut entries = Vec::new();
    let mut sections: Vec<_> = root.get_ref().iter().collect();
    sections.sort_by_key(|(key, _)| key.span().start);
    let mut lines = LineNumbers::of(document);
    for (key, value) in sections {
        if key.get_ref().as_ref() != SECTION {
            return Err(document.unknown_key(key, &[SECTION]));
        }
        let Some(list) = value.get_ref().as_array() else {
            let advice = "write [[allow]] above each entry";
            return Err(document.error(value.span(), "entries are a list", Some(advice)));
        };
        for value in list.iter() {
            let line = lines.line(value.span().start);
            entries.push(Reader { document, checks, span: value.span() }.entry(value, line)?);
        }
    }
    Ok(entries)
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    checks: &'d [&'d str],
    span: Range<usize>,
}

impl Reader<'_, '_> {
    fn entry(&self, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Entry> {
        let document = self.document;
        let mut entry = Entry { origin: format!("{}:{line}", document.name), ..Entry::default() };
        let mut selects = false;
        for (key, value) in document.table(value, SECTION)? {
            let name = key.get_ref().as_ref();
            match name {
                "id" => entry.id = self.text(name, value)?,
                "function" => entry.function = self.patterns(name, value)?,
                "top" => entry.top = self.patterns(name, value)?,
                "frame" => entry.frame = self.patterns(name, value)?,
                "created_by" => entry.created_by = self.patterns(name, value)?,
                "state" => entry.state = self.patterns(name, value)?,
                "category" => entry.category = self.patterns(name, value)?,
                "name" => entry.name = self.patterns(name, value)?,
                "label" => entry.label = self.labels(value)?,
                "kind" => entry.kind = self.kinds(value)?,
                "check" => entry.check = self.check_names(name, value)?,
                "except" => entry.except = self.check_names(name, value)?,
                "max" => entry.max = Some(self.count(value)?),
                "owner" => entry.owner = self.short_text(name, value)?,
                "reason" => entry.reason = self.short_text(name, value)?,
                "expires" => entry.expires = Some(self.date(value)?),
                "go" => entry.go = Some(self.versions(value)?),
                _ => return Err(document.unknown_key(key, &KEYS)),
            }
            let about = ["id", "except", "max", "owner", "reason", "expires", "go"];
            selects |= !about.contains(&name);
        }
        if !selects {
            let advice = "say which: function, frame, created_by, label, state, kind, check, ...";
            let what = "the entry would cover every goroutine";
            return Err(document.error(self.span.clone(), what, Some(advice)));
        }
        Ok(entry)
    }

    fn text(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String> {
        value
            .get_ref()
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.document.error(value.span(), &format!("{key} is a string"), None))
    }

    /// A string that each finding which it covers repeats.
    fn short_text(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String> {
        let text = self.text(key, value)?;
        if text.len() > LIMITS.name {
            let what = format!("{key} is longer than {} bytes (name)", LIMITS.name);
            return Err(self.document.error(value.span(), &what, None));
        }
        Ok(text)
    }

    /// A string, or a list of strings of which any has to match.
    fn texts(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<(String, Range<usize>)>> {
        match value.get_ref().as_array() {
            None => Ok(vec![(self.text(key, value)?, value.span())]),
            Some(list) => {
                list.iter().map(|value| Ok((self.text(key, value)?, value.span()))).collect()
            }
        }
    }

    fn patterns(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<NamePattern>> {
        let texts = self.texts(key, value)?.into_iter();
        texts.map(|(text, span)| self.pattern(&text, span)).collect()
    }

    fn pattern(&self, text: &str, span: Range<usize>) -> Result<NamePattern> {
        NamePattern::read(text).map_err(|what| self.document.error(span, &what, None))
    }

    fn labels(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<(String, Option<NamePattern>)>> {
        let texts = self.texts("label", value)?.into_iter();
        texts
            .map(|(text, span)| match text.split_once('=') {
                None => Ok((text, None)),
                Some((label, value)) => Ok((label.to_owned(), Some(self.pattern(value, span)?))),
            })
            .collect()
    }

    fn kinds(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Kind>> {
        let known = crate::profile::KINDS.map(|(_, name)| name);
        let texts = self.texts("kind", value)?.into_iter();
        texts
            .map(|(text, span)| {
                Kind::from_name(&text)
                    .ok_or_else(|| self.document.unknown(span, "kind", &text, &known))
            })
            .collect()
    }

    fn check_names(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>> {
        let texts = self.texts(key, value)?.into_iter();
        texts
            .map(|(text, span)| match self.checks.contains(&text.as_str()) {
                true => Ok(text),
                false => Err(self.document.unknown(span, "check", &text, self.checks)),
            })
            .collect()
    }

    fn count(&self, value: &Spanned<DeValue<'_>>) -> Result<i64> {
        let number = value.get_ref().as_integer().and_then(|n| n.as_str().parse::<i64>().ok());
        number
            .filter(|number| *number >= 0)
            .ok_or_else(|| self.document.error(value.span(), "max is a number of goroutines", None))
    }

    fn date(&self, value: &Spanned<DeValue<'_>>) -> Result<Date> {
        let text = match value.get_ref() {
            DeValue::Datetime(date) => date.to_string(),
            other => other.as_str().unwrap_or_default().to_owned(),
        };
        Date::read(&text).ok_or_else(|| {
            self.document.error(value.span(), "expires is a day", Some("write 2026-12-31"))
        })
    }

    /// `1.20`, `1.20-1.24`, `1.25+`
    fn versions(&self, value: &Spanned<DeValue<'_>>) -> Result<(u32, u32)> {
        let text = self.text("go", value)?;
        let minor = |version: &str| version.strip_prefix("1.")?.parse::<u32>().ok();
        let range = match (text.strip_suffix('+'), text.split_once('-')) {
            (Some(from), _) => minor(from).map(|from| (from, u32::MAX)),
            (None, Some((from, to))) => minor(from).zip(minor(to)),
            (None, None) => minor(&text).map(|only| (only, only)),
        };
        range.ok_or_else(|| {
            let advice = "write 1.24, 1.20-1.24 or 1.25+";
            self.document.error(value.span(), "go is a range of versions of Go", Some(advice))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::fixture::{Fixture, G};

    fn entries(text: &str) -> Result<Vec<Entry>> {
        read(&Document { name: "a.toml", text }, &["growth", "leaked"])
    }

    fn matches(keys: &str) -> bool {
        let mut fixture = Fixture::new("n1");
        fixture.add(G {
            id: 7,
            state: "chan receive",
            creator: "kv.Start",
            labels: &[("tenant", "acme")],
            frames: &["kv.(*Queue).pop", "kv.run.func2"],
            ..G::default()
        });
        let (profile, names) = fixture.done();
        let entry = entries(&format!("[[allow]]\n{keys}\n")).unwrap().remove(0);
        entry.matches(
            &profile,
            &names,
            &Functions::of(&profile, &crate::view::frames::finder::FrameFinder::new(&profile)),
            &profile.samples[0].key,
        )
    }

    #[test]
    fn every_key_must_match() {
        assert!(matches("function = 'kv.(*Queue).pop'"));
        assert!(!matches("function = 'kv.run.func'"));
        assert!(matches("frame = ['nothing', 'kv.run.func']"));
        assert!(matches("created_by = 'kv.*'\nkind = 'chan-recv'\nstate = 'chan receive'"));
        assert!(!matches("created_by = 'kv.*'\nkind = 'select'"));
        assert!(matches("label = 'tenant'"));
        assert!(matches("label = 'tenant=ac*'"));
        assert!(!matches("label = 'tenant=x*'"));
        assert!(matches("name = 'kv.*'\ncategory = 'kv*'"));
        assert!(!matches("name = 'other'"));
        assert!(!matches("category = 'other'\nlabel = 'tenant'"));
        assert!(matches("function = 'kv.*'\nmax = 0"), "how many it covers is another question");
    }

    #[test]
    fn wrong_keys_point_into_the_file() {
        for (text, says) in [
            ("[[alow]]\n", "did you mean allow?"),
            ("[[allow]]\nfunc = 'a'\n", "a.toml:2:1: unknown key \"func\""),
            ("[[allow]]\nkind = 'chan-rcv'\n", "did you mean chan-recv?"),
            ("[[allow]]\ncheck = 'grwth'\n", "did you mean growth?"),
            ("[[allow]]\nmax = -1\n", "a.toml:2:7: max is a number"),
            ("[[allow]]\nfunction = '/(/'\n", "a.toml:2:12"),
            ("[[allow]]\nexpires = '2026-02-30'\n", "a.toml:2:11: expires is a day"),
            ("[[allow]]\nreason = 'x'\n", "would cover every goroutine"),
            ("[[allow]]\nfunction = 'x'\ngo = '2.0'\n", "write 1.24"),
        ] {
            let error = entries(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn dates_are_read_with_and_without_quotes() {
        let text = "[[allow]]\nfunction = 'x'\nexpires = 2026-12-31\n[[allow]]\nfunction = 'y'\nexpires = '2026-12-31'\n";
        let read = entries(text).unwrap();
        assert_eq!(read[0].expires, Date::read("2026-12-31"));
        assert_eq!(read[1].expires, read[0].expires);
        assert_eq!(read[1].origin, "a.toml:4");
    }
}
