//! Parts of a text that are read apart from what stands before them.

use super::*;
use crate::format::{Ahead, TextPart, dump_starts, last_dump_start, read_part};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// A text of which a part is read apart.
struct Apart<'a> {
    text: &'a [u8],
    part: Range<usize>,
    position: Cell<usize>,
    taken: Cell<bool>,
}

impl Read for &Apart<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let at = self.position.get();
        let end = if at < self.part.start { self.part.start } else { self.text.len() };
        let length = (end - at).min(into.len());
        into[..length].copy_from_slice(&self.text[at..at + length]);
        self.position.set(at + length);
        Ok(length)
    }
}

impl Ahead for Apart<'_> {
    fn take(&self, at: u64) -> Option<TextPart> {
        if at != self.part.start as u64 || self.position.get() != self.part.start {
            return None;
        }
        let part = read_apart(&self.text[self.part.clone()])?;
        assert_eq!(part.bytes(), self.part.len() as u64);
        self.position.set(self.part.end);
        self.taken.set(true);
        Some(part)
    }
}

fn read_apart(mut text: &[u8]) -> Option<TextPart> {
    read_part(&mut text, KEEP, &AtomicBool::new(false))
}

/// What a text says whose part is read apart, and whether it could be.
fn parse_apart(text: &str, part: Range<usize>) -> (bool, Profile) {
    let text = text.as_bytes();
    let apart = Apart { text, part, position: Cell::new(0), taken: Cell::new(false) };
    // With a format nothing is read to find it out, so the first read ends where the part starts.
    let format = Some(InputFormat::Debug2);
    let mut options = ReadOptions { ahead: Some(&apart), format, ..ReadOptions::default() };
    let (_, profile) = parse_with(&mut &apart, &mut options);
    (apart.taken.get(), profile)
}

fn goroutine(id: usize) -> String {
    format!(
        "goroutine {id} [select, {id} minutes]:\nmain.work{}(0x1)\n\t/src/a.go:3 +0x1d\n\
         created by main.main in goroutine 1\n\t/src/main.go:{id} +0x1\n\n",
        id % 3
    )
}

/// A goroutine without the place of its frame, which is told with the number of its line.
const DAMAGED: &str = "goroutine 99 [select]:\nmain.damaged(0x1)\n\n";

#[test]
fn what_was_read_apart_counts_as_if_it_had_been_read_in_its_turn() {
    let goroutines: Vec<String> = (1..30).map(goroutine).collect();
    let text = goroutines.concat() + DAMAGED + &goroutine(30);
    let whole = described(&parse(&text));
    let start = |at: usize| goroutines[..at].concat().len();
    for (first, end) in [(10, 11), (10, 20), (15, 29), (28, 29)] {
        let (taken, profile) = parse_apart(&text, start(first)..start(end));
        assert!(taken, "{first}..{end}");
        assert_eq!(described(&profile), whole, "{first}..{end}");
    }
}

/// What has a bearing on what stands around it, or isn't whole.
const ODD: [&str; 8] = [
    DAMAGED,
    "goroutine 1 [running]:\nmain.log()\n2026/01/02 a line of a log\n\t/src/a.go:3 +0x1d\n\n",
    "panic: boom\n\ngoroutine 5 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n",
    "panic: boom\n\ngoroutine 5 [running]:\nnot a goroutine\n\n",
    "fatal error: all goroutines are asleep - deadlock!\n\n",
    "==================\nWARNING: DATA RACE\n\ngoroutine 3 [running]:\n==================\n",
    "goroutine profile: total 2\n2 @ 0x1\n#\t0x1\tmain.f+0x1\t/src/a.go:3\n\n",
    "2026-01-02T10:31:41.123456789Z goroutine 4 [select]:\n\
     2026-01-02T10:31:41.123456789Z main.f()\n\
     2026-01-02T10:31:41.123456789Z \t/src/a.go:3 +0x1d\n\
     2026-01-02T10:31:41.123456789Z \n",
];

#[test]
fn a_part_that_holds_more_than_whole_goroutines_is_left_to_its_turn() {
    let (one, two) = (goroutine(1), goroutine(2));
    assert!(read_apart((one.clone() + &two).as_bytes()).is_some());
    let texts = ODD
        .iter()
        .flat_map(|odd| [(*odd).to_owned() + &two, one.clone() + odd, one.clone() + odd + &two]);
    let read: Vec<String> = texts.filter(|text| read_apart(text.as_bytes()).is_some()).collect();
    assert!(read.is_empty(), "{}", read.join("=====\n"));
    for cut in 1..two.len() {
        let text = one.clone() + &two[..two.len() - cut];
        assert!(read_apart(text.as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn where_a_prefix_is_cut_off_no_part_is_read_apart() {
    let (one, two) = (goroutine(1), goroutine(2));
    let (text, part) = (one.clone() + &two, one.len()..one.len() + two.len());
    let text = text.as_bytes();
    let apart = Apart { text, part, position: Cell::new(0), taken: Cell::new(false) };
    let prefix = regex::bytes::Regex::new("^> ").expect("a valid pattern");
    let (ahead, line_prefix): (Option<&dyn Ahead>, _) = (Some(&apart), Some(&prefix));
    let format = Some(InputFormat::Debug2);
    let mut options = ReadOptions { format, ahead, line_prefix, ..ReadOptions::default() };
    parse_with(&mut &apart, &mut options);
    assert!(!apart.taken.get());
}

#[test]
fn a_part_that_is_cancelled_is_not_read_on() {
    let text = goroutine(1);
    assert!(read_part(&mut text.as_bytes(), KEEP, &AtomicBool::new(true)).is_none());
}

#[test]
fn what_stands_around_a_part_is_read_as_without_it() {
    let (one, two, three) = (goroutine(1), goroutine(2), goroutine(3));
    let harmless = [
        "some text\n",
        "-----\n\n",
        "runtime stack:\nruntime.throw()\n\n",
        "\t/src/a.go:3 +0x1d\nmain.f()\ngoroutine 4 [select]:\n\n",
    ];
    for odd in ODD.into_iter().chain(harmless) {
        for text in [
            one.clone() + odd + &two + &three,
            one.clone() + &two + odd + &three,
            one.clone() + &two + &three + odd,
            odd.to_owned() + &two + &three,
        ] {
            let start = text.find(&two).expect("it is there");
            for end in [text.find(&three).expect("it is there"), text.len()] {
                let (_, profile) = parse_apart(&text, start..end);
                assert_eq!(described(&profile), described(&parse(&text)), "{start}..{end}: {text}");
            }
        }
    }
}

#[test]
fn the_goroutine_that_a_message_waits_for_is_read_in_its_turn() {
    let waiting = "http: panic serving 10.0.0.1:5: boom\n\n";
    let text = waiting.to_owned() + &goroutine(2).replace("select, 2 minutes", "running");
    let (taken, profile) = parse_apart(&text, waiting.len()..text.len());
    assert!(!taken);
    let crash = profile.inputs[0].crash.as_ref().expect("a panic");
    assert_eq!(crash.goroutine, Some(2));
}

#[test]
fn parts_start_at_goroutines_behind_blank_lines() {
    let text = "a\ngoroutine 1 [select]:\n\n\ngoroutine 2 [select]:\n\ngoroutine 3 [select]:\n";
    assert_eq!(dump_starts(text.as_bytes()), text.find("goroutine 2"));
    assert_eq!(last_dump_start(text.as_bytes()), text.find("goroutine 3"));
    assert_eq!(dump_starts(b"goroutine 1 [select]:\n"), None);
    assert_eq!(last_dump_start(b"goroutine 1 [select]:\n"), None);
}
