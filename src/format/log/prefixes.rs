//! Prefixes that are recognised by a pattern, with a row for each program that writes them.
//!
//! The groups of a pattern are the name of the stream. A row is only tried if a line mentions
//! goroutines or crashes, so the speed of a pattern hardly matters.

use super::Stripped;
use regex::bytes::Regex;
use std::sync::LazyLock;

/// Within this many bytes of a line its prefix ends.
const PREFIX: usize = 1 << 10;

/// A program that puts a prefix before lines.
#[derive(Debug)]
pub(super) struct Row {
    name: &'static str,
    pattern: LazyLock<Option<Regex>>,
}

/// A timestamp of RFC 3339, or similar.
macro_rules! time {
    () => {
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    };
}

/// The end of a prefix; an empty line may have lost its blank.
macro_rules! end {
    () => {
        r"(?: |\r?$)"
    };
}

macro_rules! rows {
    ($($name:literal: $($pattern:expr),+;)+) => {
        [$({
            const PATTERN: &str = concat!("(?-u)^", $($pattern),+);
            Row { name: $name, pattern: LazyLock::new(|| Regex::new(PATTERN).ok()) }
        }),+]
    };
}

/// The rows; the first one whose prefix is followed by a dump counts.
static ROWS: [Row; 18] = rows! {
    // Its letters and digits change too much to be guessed.
    "multilog t, svlogd -t": r"@[0-9a-f]{24}", end!();
    "gh run view --log": r"([^\t]{1,200})\t([^\t]{0,200})\t(?:\xef\xbb\xbf)?", time!(), end!();
    "heroku logs": time!(), r" (\w{1,30}\[[\w.-]{1,60}\]):", end!();
    "fly logs": time!(), r" (app\[\w{1,40}\]) \w{1,10} \[\w{1,10}\]", end!();
    "cf logs": r" {0,4}", time!(), r" \[([\w./-]{1,60})\] (?:OUT|ERR)", end!();
    "hashicorp/go-hclog": r"(?:", time!(), r"|\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(?:TRACE|DEBUG|INFO|WARN|ERROR)\] {1,2}([\w./@-]{1,100}):", end!();
    "logcli query": time!(), r#" {1,4}(\{(?:\w{1,60}="[^"]{0,200}"(?:, ?)?){0,40}\})"#, end!();
    "timestamper of Jenkins": r"\[", time!(), r"\]", end!();
    "logcat -v threadtime": r"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6} +(\d+) +\d+ [VDIWEFS] ([^:]{0,60}?) *:", end!();
    "logcat -v time": r"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d\.\d{3,6} [VDIWEFS]/([^(]{0,60}?) *\( *(\d+)\):", end!();
    "logcat -v brief": r"[VDIWEFS]/([^(]{0,60}?) *\( *(\d+)\):", end!();
    "logcat -v tag": r"[VDIWEFS]/([\w.]{1,60}) *:", end!();
    "foreman, honcho": r"\d\d:\d\d:\d\d ([\w.-]{1,60}) *\|", end!();
    "syslog of RFC 5424": r"<\d{1,3}>1 \S{1,40} (\S{1,255} \S{1,48} \S{1,128}) \S{1,32} (?:-|\[[^\n]{0,400}?\])(?: (?:\xef\xbb\xbf)?|\r?$)";
    "syslog's priority": r"<\d{1,3}>";
    "grep -Hn": r"([^\s:]{1,200}?\.\w{1,10}?)[:-](?:\d{1,9}[:-])?";
    "grep -n": r"\d{1,9}[:-]";
    // nl gives no numbers to empty lines.
    "cat -n, nl": r"(?: {0,8}\d{1,9}\t| {0,12}\r?$)";
};

/// The row whose prefix is only a number.
const GREP: &str = "grep -n";

/// How many rows, at the end, are of tools whose prefix can be the start of another one: `10:` that
/// of `10:31:41`.
const TOOLS: usize = 3;

/// The rows whose prefix a line has, with the text after it; `log` selects the rows of logs instead
/// of those of tools that print lines.
pub(super) fn rows_with_prefix(
    line: &[u8],
    log: bool,
) -> impl Iterator<Item = (&'static Row, Stripped<'_>)> {
    let (logs, tools) = ROWS.split_at(ROWS.len().saturating_sub(TOOLS));
    let rows = if log { logs } else { tools };
    rows.iter().filter_map(move |row| Some((row, row.strip(line)?)))
}

impl Row {
    pub(super) fn strip<'l>(&self, line: &'l [u8]) -> Option<Stripped<'l>> {
        let head = line.get(..PREFIX).unwrap_or(line);
        let found = self.pattern.as_ref()?.captures(head)?;
        // Groups are adjacent, so the text from the first to the last names the stream.
        let groups = || found.iter().skip(1).flatten();
        let stream = match (groups().next(), groups().last()) {
            (Some(first), Some(last)) => line.get(first.start()..last.end())?,
            _ => b"",
        };
        let text = line.get(found.get(0)?.end()..)?;
        // `2026-01-02` and `10:31:41` are times; records of debug=1 start with numbers, too.
        let is_number = text.first().is_some_and(u8::is_ascii_digit);
        let time = self.name == GREP && is_number && !is_record(text);
        // Nobody searches sources for dumps, but Go's logger with `Lshortfile` starts lines so: `main.go:23: `.
        let is_logger = stream.ends_with(b".go");
        (!time && !is_logger).then_some(Stripped { stream, text, partial: false })
    }
}

/// Whether a text has nothing but numbers before the addresses of a record: `3 @ 0x46d5a1`, `1: 96 [2: 192] @ 0x46d5a1`.
fn is_record(text: &[u8]) -> bool {
    let numbers = memchr::memmem::find(text, b" @").and_then(|at| text.get(..at));
    let is_of_number = |byte: &u8| byte.is_ascii_digit() || b" :[]".contains(byte);
    numbers.is_some_and(|numbers| numbers.iter().all(is_of_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_knows_its_lines() {
        for (name, line, stream) in [
            (
                "gh run view --log",
                "build\tRun tests\t2026-01-02T10:31:41.1234567Z \tx",
                "build\tRun tests",
            ),
            ("heroku logs", "2026-01-02T10:31:41.123456+00:00 app[web.1]: \tx", "app[web.1]"),
            ("fly logs", "2026-01-02T10:31:41Z app[3d8d9] ord [info] \tx", "app[3d8d9]"),
            (
                "cf logs",
                "   2026-01-02T10:31:41.12+0000 [APP/PROC/WEB/0] ERR \tx",
                "APP/PROC/WEB/0",
            ),
            (
                "hashicorp/go-hclog",
                "2026-01-02T10:31:41.123Z [DEBUG] provider.x_v1.2: \tx",
                "provider.x_v1.2",
            ),
            ("hashicorp/go-hclog", "2026/01/02 10:31:41 [WARN]  plugin: \tx", "plugin"),
            ("logcli query", "2026-01-02T10:31:41Z {app=\"x\"} \tx", "{app=\"x\"}"),
            ("timestamper of Jenkins", "[2026-01-02T10:31:41.123Z] \tx", ""),
            ("multilog t, svlogd -t", "@400000006b0cd902363bd3c4 \tx", ""),
            (
                "logcat -v threadtime",
                "01-02 10:31:41.123  1234  1250 E Go      : \tx",
                "1234  1250 E Go",
            ),
            ("logcat -v time", "01-02 10:31:41.123 E/Go      ( 1234): \tx", "Go      ( 1234"),
            ("logcat -v brief", "E/Go      ( 1234): \tx", "Go      ( 1234"),
            ("logcat -v tag", "E/GoLog: \tx", "GoLog"),
            ("foreman, honcho", "10:31:41 web.1  | \tx", "web.1"),
            (
                "syslog of RFC 5424",
                "<34>1 2026-01-02T10:31:41.003Z host app 812 ID47 - \tx",
                "host app 812",
            ),
            ("syslog's priority", "<34>\tx", ""),
            ("grep -Hn", "logs/node-1.log:12:\tx", "logs/node-1.log"),
            ("grep -Hn", "node.log-13-\tx", "node.log"),
            ("grep -Hn", "node.log-\tx", "node.log"),
            ("grep -n", "12:\tx", ""),
            ("cat -n, nl", "    12\t\tx", ""),
        ] {
            let mut rows =
                [true, false].into_iter().flat_map(|log| rows_with_prefix(line.as_bytes(), log));
            let mut rows = rows.by_ref().filter(|(row, _)| row.name == name);
            let (_, stripped) = rows.next().unwrap_or_else(|| panic!("{name}: {line}"));
            assert_eq!(String::from_utf8_lossy(stripped.stream), stream, "{name}");
            assert_eq!(String::from_utf8_lossy(stripped.text), "\tx", "{name}");
            let empty = line.strip_suffix("\tx").unwrap().trim_end().as_bytes();
            assert!(
                name.starts_with("gh")
                    || name.contains("-n")
                    || name.contains("-Hn")
                    || rows_with_prefix(empty, true).next().is_some(),
                "{name}"
            );
        }
        assert!(ROWS.iter().all(|row| row.pattern.is_some()));
    }

    #[test]
    fn lines_of_dumps_have_no_prefix() {
        for line in [
            "goroutine 1 [running]:",
            "main.main()",
            "\t/src/a.go:1 +0x1d",
            "created by x in goroutine 1",
        ] {
            let found = rows_with_prefix(line.as_bytes(), true).next().is_some();
            assert!(!found, "{line}");
        }
    }

    #[test]
    fn the_place_of_a_call_of_a_logger_is_no_file_that_grep_searched() {
        for line in ["main.go:23: goroutine 1 [running]:", "/src/main.go:7: ready"] {
            assert!(rows_with_prefix(line.as_bytes(), false).next().is_none(), "{line}");
        }
    }
}
