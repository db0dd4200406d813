//! Records of JSON that a hole has joined from two: they may be valid, but their fields aren't those of a logger.

use super::record::{Leaf, Records};
use super::{fields, is_of_goroutine};

/// How many fields of a record are compared.
const COMPARED: usize = 32;

/// The names of the fields of the last record.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<String>);

impl Fields {
    /// Takes those of a record. Whether it holds a line of a goroutine, and that in another field than the message, or
    /// has fields twice that the last record had once.
    pub(super) fn are_joined(&mut self, records: &Records<'_>) -> bool {
        let names = || records.leaves.iter().take(COMPARED).map(|leaf| records.path(leaf));
        let Fields(last) = self;
        if records.parents.len() != 1 || last.iter().map(String::as_str).eq(names()) {
            return false;
        }
        let is_text = |name: &str| fields::line(name).is_some();
        let has_line = |leaf: &Leaf<'_>| is_of_goroutine(&leaf.text);
        // Some loggers write fields twice, but then in each record.
        let is_new = |name: &str| {
            let times = |all: &mut dyn Iterator<Item = &str>| all.filter(|of| *of == name).count();
            times(&mut names()) > times(&mut last.iter().map(String::as_str)).max(1)
        };
        let is_elsewhere = last.iter().any(|name| is_text(name)) && !names().any(is_text);
        let is_joined =
            records.leaves.iter().any(has_line) && (is_elsewhere || names().any(is_new));
        if !is_joined {
            *last = names().map(str::to_owned).collect();
        }
        is_joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_goroutines_in_records_with_other_fields_are_told() {
        let mut fields = Fields::default();
        let mut are_joined =
            |json: &str| fields.are_joined(&Records::read(json.as_bytes()).unwrap());
        let whole = r#"{"level":"error","Test":"TestCart","msg":"main.f(0x9)"}"#;
        assert!(!are_joined(whole));
        for joined in [
            r#"{"leveg":"main.f(0x9)"}"#,
            r#"{"level":"error","Test":"Ca","Test":"TestCart","msg":"\t/src/a.go:3 +0x1d"}"#,
            r#"{"level":"error","Test":"TestCart","msg":"main.go:88","msg":"created by main.main in goroutine 1"}"#,
        ] {
            assert!(are_joined(joined), "{joined}");
        }
        for other in [
            r#"{"level":"error","ip":"10.0.0.1"}"#,
            r#"{"level":"error","Test":"TestCart","msg":"main.f(0x9)","stack":"x"}"#,
            r#"{"level":"info","service":"a","service":"b","msg":"ready"}"#,
            r#"{"level":"info","service":"a","service":"b","msg":"main.f(0x9)"}"#,
        ] {
            assert!(!are_joined(other), "{other}");
        }
    }
}
