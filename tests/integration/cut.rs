//! Dumps that were cut or damaged anywhere: the goroutines that were found and the losses that are
//! told are together no fewer than the headers.
//!
//! Losses have a number where headers were passed over, or frames that lost theirs, and where the total
//! of a profile differs. They have none where a line was too long or a quoted text has no end: what such
//! a place holds isn't known, so it counts as nothing, and the headers in it have to be told on their own.

use crate::mangled::{complete, dumps, goroutines, read_bytes};
use regex::bytes::Regex;
use stackgazer::profile::{Input, Profile, WarningKind};
use std::io::BufRead;
use std::sync::LazyLock;

/// Damaged texts that are read of each kind. Cases are numbered, so that each run has the same.
const CASES: u64 = 1000;

/// Numbers that follow from another one.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }
}

/// A whole header with something behind it.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^goroutine \d+ (gp=\S+ m=\S+ (mp=\S+ )?)?\[[^\]\n]*\]( \{[^\n]*\})?:\n(\S|\tgoroutine running)")
        .unwrap()
});

/// Headers that a person would count.
fn headers(text: &[u8]) -> i64 {
    let fakes = memchr::memmem::find_iter(text, "goroutine 7 [fake]:\n").count();
    HEADER.find_iter(text).count() as i64 - fakes as i64
}

/// Goroutines of profiles that only count: what they announce, or what they have if that is more.
pub(crate) fn counted(text: &[u8]) -> i64 {
    static TOTAL: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^goroutine(?:leak)? profile: total (\d+)\b").unwrap());
    sum(&TOTAL, text).max(recorded(text))
}

/// Goroutines in the records of profiles that only count.
fn recorded(text: &[u8]) -> i64 {
    static RECORD: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^(\d+) @(?: 0x[0-9a-f]+)+$").unwrap());
    sum(&RECORD, text)
}

fn sum(numbers: &Regex, text: &[u8]) -> i64 {
    let found = numbers.captures_iter(text);
    found.map(|found| String::from_utf8_lossy(&found[1]).parse::<i64>().expect("a count")).sum()
}

/// The losses that a profile tells, without those that have no number.
fn losses(profile: &Profile) -> i64 {
    let mut losses = 0;
    for warning in profile.inputs.iter().flat_map(|input: &Input| &input.warnings) {
        let text = warning.text.as_str();
        let number = text.split(' ').next().and_then(|word| word.parse::<i64>().ok());
        losses += match warning.kind {
            WarningKind::UnreadHeader => number.unwrap_or(1),
            WarningKind::Header => 1 + warning.more as i64,
            WarningKind::Partial if text.contains("without the header") => 1,
            WarningKind::Total => {
                let numbers = text.split(' ').filter_map(|word| word.parse::<i64>().ok());
                let numbers: Vec<i64> = numbers.collect();
                let [announced, found] = numbers[..] else { panic!("two numbers: {text}") };
                (announced - found).max(0)
            }
            _ => 0,
        };
    }
    losses
}

/// Whether a profile tells of fewer goroutines than were seen, found and lost ones together, or has fewer
/// and says that it is whole.
pub(crate) fn is_silent(profile: &Profile, seen: i64) -> bool {
    let found = goroutines(profile);
    found + losses(profile) < seen || found < seen && complete(profile)
}

/// Whether a text shows that what stood between two goroutines is lost: one with two creators, or a
/// first one that goes on below `main.main`.
fn shows_joined(text: &[u8]) -> bool {
    static BORDER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)\n\r?\n|^.?goroutine ").unwrap());
    static CREATOR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^created by [^\n]*\n\t\S+:\d+ \+0x").unwrap());
    static BELOW_MAIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^main\.main\(\)\n\t\S+:\d+ \+0x\w+\n(net|sync|time|io|os)[/.][^ \n]*\(")
            .unwrap()
    });
    BORDER.split(text).skip(1).any(|goroutine| {
        memchr::memmem::find(goroutine, b"originating").is_none()
            && (CREATOR.find_iter(goroutine).count() > 1 || BELOW_MAIN.is_match(goroutine))
    })
}

fn texts() -> Vec<(String, Vec<u8>)> {
    let named = dumps().iter().filter(|(_, text)| text.len() < 50 << 10);
    named.map(|(path, text)| (path.to_string_lossy().into_owned(), text.clone().into())).collect()
}

/// Where each line starts.
fn lines(text: &[u8]) -> Vec<usize> {
    let starts = memchr::memchr_iter(b'\n', text).map(|at| at + 1).filter(|&at| at < text.len());
    std::iter::once(0).chain(starts).collect()
}

const BORDER_LOST: &str = "bytes lost with the border of two goroutines";

/// The name of what happened, and the text then.
fn damage(text: &[u8], numbers: &mut Numbers) -> (&'static str, Vec<u8>) {
    let starts = lines(text);
    let at = numbers.below(text.len());
    let number = numbers.below(starts.len());
    let line = |number: usize| {
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        starts[number]..end
    };
    let this = line(number);
    match numbers.below(7) {
        0 => ("a line lost", [&text[..this.start], &text[this.end..]].concat()),
        1 => ("a line doubled", [&text[..this.end], &text[this.start..]].concat()),
        2 => {
            let byte = [b' ' + numbers.below(95) as u8];
            ("a byte changed", [&text[..at], &byte, &text[at + 1..]].concat())
        }
        3 => ("a byte lost", [&text[..at], &text[at + 1..]].concat()),
        4 => {
            let noise = b"2026/01/02 10:31:41 GET /cart 200\n";
            ("a line of somebody else", [&text[..this.start], noise, &text[this.start..]].concat())
        }
        5 => {
            let end = (at + numbers.below(600)).min(text.len());
            let before = &text[at.saturating_sub(2)..end];
            let name = match memchr::memmem::find(before, b"\n\n") {
                // Where two goroutines are joined so that nothing shows it, they are one.
                Some(_) => BORDER_LOST,
                None => "bytes lost",
            };
            (name, [&text[..at], &text[end..]].concat())
        }
        _ => {
            let next = line((number + 1).min(starts.len() - 1));
            let rest = &text[next.end.max(this.end)..];
            let (this, next) = (&text[this.clone()], &text[next]);
            let swapped = if this == next { this.to_vec() } else { [next, this].concat() };
            ("two lines swapped", [&text[..starts[number]], &swapped, rest].concat())
        }
    }
}

#[test]
fn of_a_damaged_dump_no_goroutine_is_lost_without_a_word() {
    let texts = texts();
    let mut silent = Vec::new();
    for case in 0..CASES {
        let mut numbers = Numbers(case);
        let (name, text) = &texts[numbers.below(texts.len())];
        let (what, damaged) = damage(text, &mut numbers);
        let profile = read_bytes(&damaged);
        let (found, seen) = (goroutines(&profile), headers(&damaged));
        let all = seen + counted(&damaged);
        if is_silent(&profile, all) {
            silent.push(format!("case {case}, {what}: {found} of {all} in {name}"));
        }
        // A header that is no longer one has frames behind it, which miss it.
        let missing = found < headers(text).min(seen + 1) && what != BORDER_LOST;
        if (missing || shows_joined(&damaged)) && complete(&profile) {
            silent.push(format!("case {case}, {what}: {found} and no word in {name}"));
        }
    }
    assert!(silent.is_empty(), "{} of {CASES}:\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn of_a_dump_cut_anywhere_no_goroutine_is_lost_without_a_word() {
    let texts = texts();
    let mut silent = Vec::new();
    for case in 0..CASES {
        let mut numbers = Numbers(1 << 32 | case);
        let (name, text) = &texts[numbers.below(texts.len())];
        let (from, to) = (numbers.below(text.len()), numbers.below(text.len()));
        let (what, cut, in_front) = match case % 3 {
            0 => ("front", text[from..].to_vec(), true),
            1 => ("end", text[..to].to_vec(), false),
            _ => {
                let (from, to) = (from.min(to), from.max(to));
                ("middle", [&text[..from], &text[to..]].concat(), false)
            }
        };
        let profile = read_bytes(&cut);
        let (found, seen) = (goroutines(&profile), headers(&cut));
        // Frames in front of the first header are of a goroutine that is cut.
        let first = HEADER.find(&cut).map_or(cut.len(), |header| header.start());
        // Those of the runtime's own stack have no header anywhere.
        let first = memchr::memmem::find(&cut, b"runtime stack:").map_or(first, |at| first.min(at));
        let frames = |text: &[u8]| memchr::memmem::find(text, b".go:").is_some();
        let all = seen + counted(&cut);
        if is_silent(&profile, all) {
            silent.push(format!("case {case}, {what} {from} {to}: {found} of {all} in {name}"));
        }
        let piece = in_front && headers(text) > 0 && frames(&cut[..first]) && HEADER.is_match(&cut);
        if (piece || shows_joined(&cut)) && complete(&profile) {
            silent.push(format!("case {case}, {what} {from} {to}: {found} and no word in {name}"));
        }
    }
    assert!(silent.is_empty(), "{} of {CASES}:\n{}", silent.len(), silent.join("\n"));
}

/// What stands in front of each line of a log as CRI keeps it.
const STAMP: &str = "2026-01-02T10:31:41.123456789Z stderr F ";

const LAST_FIRST: &str = "the last line first";

/// A text as logs keep it, by how.
fn logged(text: &[u8], way: usize) -> (&'static str, Vec<u8>) {
    let lines = text.lines().map_while(Result::ok);
    match way {
        0 => {
            let lines: Vec<String> = lines.map(|line| line + "\n").collect();
            (LAST_FIRST, lines.into_iter().rev().collect::<String>().into())
        }
        1 => {
            let stamp = |line| format!("{STAMP}{line}\n");
            ("as CRI keeps it", lines.map(stamp).collect::<String>().into())
        }
        2 => {
            let record = |line| {
                let log = serde_json::json!({"log": format!("{line}\n"), "stream": "stderr"});
                format!("{log}\n")
            };
            ("as Docker keeps it", lines.map(record).collect::<String>().into())
        }
        _ => {
            let stack = String::from_utf8_lossy(text);
            let record = serde_json::json!({"level": "error", "stack": stack});
            ("in one record", format!("{record}\n").into())
        }
    }
}

#[test]
fn of_a_damaged_log_no_goroutine_is_lost_without_a_word() {
    let texts = texts();
    let mut silent = Vec::new();
    for case in 0..CASES {
        let mut numbers = Numbers(2 << 32 | case);
        let (name, text) = &texts[numbers.below(texts.len())];
        let (what, damaged) = damage(text, &mut numbers);
        let (way, log) = logged(&damaged, numbers.below(3));
        let profile = read_bytes(&log);
        let (found, seen) = (goroutines(&profile), headers(&damaged));
        // Where the first line comes last it is told that it wasn't read, and not what it announces.
        let counted = if way == LAST_FIRST { recorded(&damaged) } else { counted(&damaged) };
        let all = seen + counted;
        if is_silent(&profile, all) {
            silent.push(format!("case {case}, {what}, {way}: {found} of {all} in {name}"));
        }
        let missing = found < headers(text).min(seen + 1) && what != BORDER_LOST;
        let last = damaged.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
        // What is left of the last header is a word.
        let is_word = matches!(last, Some(b"g" | b"go" | b"gor" | b"goroutine" | b" Go"));
        // Programs print that, too, where no goroutine stands above.
        let id = last.and_then(|last| last.strip_prefix(b"goroutine "));
        let is_number = id.is_some_and(|id| id.iter().all(u8::is_ascii_digit));
        let is_word = is_word || is_number && way == LAST_FIRST;
        if missing && !is_word && complete(&profile) {
            silent.push(format!("case {case}, {what}, {way}: {found} and no word in {name}"));
        }
    }
    assert!(silent.is_empty(), "{} of {CASES}:\n{}", silent.len(), silent.join("\n"));
}

/// The text in a log that was damaged: that of its whole lines, or of all that is left of one record.
fn text_of(log: &[u8], way: usize) -> Vec<u8> {
    let text = |line: &[u8]| match way {
        1 => Some([line.strip_prefix(STAMP.as_bytes())?, b"\n"].concat()),
        2 => {
            let record: serde_json::Value = serde_json::from_slice(line).ok()?;
            Some(record["log"].as_str()?.as_bytes().to_vec())
        }
        _ => {
            let line = String::from_utf8_lossy(line).replace("\"stack\":\"", "\n");
            Some(line.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").into_bytes())
        }
    };
    log.split(|&byte| byte == b'\n').filter_map(text).flatten().collect()
}

/// Quotes and records that lost their end have a loss without a number.
#[test]
fn of_a_log_that_is_damaged_itself_no_goroutine_is_lost_without_a_word() {
    let texts = texts();
    let mut silent = Vec::new();
    for case in 0..CASES {
        let mut numbers = Numbers(3 << 32 | case);
        let (name, text) = &texts[numbers.below(texts.len())];
        let number = 1 + numbers.below(3);
        let (way, log) = logged(text, number);
        let (what, damaged) = damage(&log, &mut numbers);
        let left = text_of(&damaged, number);
        let profile = read_bytes(&damaged);
        let (found, all) = (goroutines(&profile), headers(&left) + counted(&left));
        if is_silent(&profile, all) {
            silent.push(format!("case {case}, {what}, {way}: {found} of {all} in {name}"));
        }
    }
    assert!(silent.is_empty(), "{} of {CASES}:\n{}", silent.len(), silent.join("\n"));
}
