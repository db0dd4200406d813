//! A made-up process of the binary in testdata/binary: goroutines and stacks in the layout of Go 1.27.

mod annotate;
mod damaged;
mod full;
mod names;
mod running;
mod sudog;

use super::capture::Target;
use super::error::Refusal;
use super::layout::{Layout, Status};
use super::locate;
use super::memory::{Memory, Piece};
use super::text::Header;
use crate::binary::tests::fixture::{hex, open, said};
use crate::binary::{Binary, Slide};
use crate::limits::LIMITS;
use crate::live::{Capture, CaptureCounts};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

const NAME: &str = "go1.27-elf";
const HEAP: u64 = 0xc0_0000_0000;
const STACKS: u64 = 0xc0_1000_0000;
const ROOM: u64 = 0x1000;
const SIZE: u64 = 456;
// Go 1.27's, as src/live/layout.rs has them.
const STATUS: u64 = 144;
const SWITCHES: u64 = 191;
const WAITING: u32 = 4;
const REASONS: [(u64, &str); 3] = [(1, "GC assist marking"), (2, "IO wait"), (19, "chan receive")];

/// Where variables are; one of the binary's own sections was cut away.
const VARIABLES: [Range<u64>; 2] = [0x75_b540..0x76_0000, 0x77_0000..0x77_1000];

/// Memory with given bytes.
#[derive(Default, Clone)]
struct Image {
    parts: BTreeMap<u64, Vec<u8>>,
    /// A byte that has another value each time it is read.
    restless: Option<u64>,
    reads: Cell<u8>,
    /// How long a call takes that reads more than `slow_from` pieces.
    delay: Duration,
    slow_from: usize,
    /// The call, counted from 1, from which on the process has ended.
    ends_at: Option<u32>,
    calls: Cell<u32>,
}

impl Image {
    fn put(&mut self, address: u64, bytes: &[u8]) {
        if let Some((&start, part)) = self.parts.range_mut(..=address).next_back() {
            let at = (address - start) as usize;
            if let Some(into) = part.get_mut(at..at + bytes.len()) {
                into.copy_from_slice(bytes);
            }
        }
    }

    fn put_word(&mut self, address: u64, word: u64) {
        self.put(address, &word.to_le_bytes());
    }

    /// Adds a range of memory, full of zeros.
    fn part(&mut self, start: u64, len: u64) {
        self.parts.insert(start, vec![0; len as usize]);
    }
}

impl Memory for Image {
    fn read_pieces(&self, pieces: &[Piece], mut buffer: &mut [u8]) -> usize {
        self.calls.set(self.calls.get() + 1);
        if self.has_ended() {
            return 0;
        }
        if pieces.len() > self.slow_from {
            std::thread::sleep(self.delay);
        }
        for (read, piece) in pieces.iter().enumerate() {
            let part = self.parts.range(..=piece.address).next_back();
            let found = part.and_then(|(start, part)| {
                let at = (piece.address - start) as usize;
                part.get(at..at.checked_add(piece.len)?)
            });
            let (Some(found), into) = (found, buffer.split_off_mut(..piece.len).unwrap()) else {
                return read;
            };
            into.copy_from_slice(found);
            let restless = self.restless.and_then(|byte| byte.checked_sub(piece.address));
            if let Some(byte) = restless.and_then(|at| into.get_mut(at as usize)) {
                *byte = self.reads.get();
                self.reads.set(self.reads.get().wrapping_add(1));
            }
        }
        pieces.len()
    }

    fn has_ended(&self) -> bool {
        self.ends_at.is_some_and(|at| self.calls.get() >= at)
    }
}

/// The address of goroutine N.
fn address(number: u64) -> u64 {
    HEAP + number * 512
}

/// A process with a goroutine for each of these stacks: return addresses, innermost first.
fn process(binary: &Binary, stacks: &[Vec<u64>]) -> Image {
    let mut image = Image::default();
    let [data, zeros] = VARIABLES;
    for range in [&data, &zeros] {
        image.part(range.start, range.end - range.start);
    }
    // `waitReasonStrings`.
    let texts = HEAP - 0x10000;
    image.part(texts, 0x1000);
    for (at, text) in REASONS {
        let start = texts + at * 32;
        image.put(start, text.as_bytes());
        image.put_word(data.start + 64 + at * 16, start);
        image.put_word(data.start + 64 + at * 16 + 8, text.len() as u64);
    }
    // A slice that points nowhere comes before `allgs`.
    let list = HEAP - 0x8000;
    for (at, word) in [list + 8, 2, 4, list, stacks.len() as u64, 64].into_iter().enumerate() {
        image.put_word(zeros.start + 32 + at as u64 * 8, word);
    }
    image.part(list, 512);
    for (number, stack) in (1..).zip(stacks) {
        let g = address(number);
        let (low, high) = (STACKS + number * ROOM, STACKS + (number + 1) * ROOM);
        image.part(g, SIZE);
        image.part(low, ROOM);
        image.put_word(list + (number - 1) * 8, g);
        let sizes = stack.iter().map(|&pc| {
            // The stack size of the outermost function was cut away.
            let size = binary.function(pc).unwrap().stack_size_at(pc).unwrap_or(0);
            u64::try_from(size).unwrap() + 8
        });
        let sizes: Vec<u64> = sizes.collect();
        let sp = high - 32 - sizes.iter().sum::<u64>();
        let mut fp = sp;
        for (size, caller) in sizes.iter().zip(&stack[1..]) {
            fp += size;
            image.put_word(fp - 8, *caller);
        }
        let start = binary.function(stack[stack.len() - 2]).unwrap().entry();
        for (offset, word) in [
            (0, low),
            (8, high),
            (56, sp),
            (64, stack[0]),
            (72, g),
            (STATUS, WAITING.into()),
            (152, number),
            (168, 1_000_000_000),
            (176, 19),
            (280, 1),
            (288, stack[stack.len() - 2]),
            (304, start),
        ] {
            image.put_word(g + offset, word);
        }
    }
    image
}

fn stacks() -> Vec<Vec<u64>> {
    said(NAME, "stack")
        .iter()
        .map(|fields| fields[1..].iter().map(|pc| hex(pc)).collect())
        .collect()
}

fn capture(binary: &Binary, image: &Image) -> Result<Capture, Refusal> {
    let environment = b"GODEBUG=tracebacklabels=1";
    let target = Target::find_in(image, binary, Slide::default(), &VARIABLES, environment, false)?;
    target.capture(|| 181_000_000_000, |_, _| Ok(Vec::new()))
}

#[test]
fn goroutines_are_printed_as_their_runtime_would() {
    let binary = open(NAME);
    let capture = capture(&binary, &process(&binary, &stacks())).unwrap();
    let text = String::from_utf8(capture.text).unwrap();
    let count = stacks().len() as u64;
    assert_eq!(capture.captured.counts, CaptureCounts { exact: count, ..CaptureCounts::default() });
    let blocks: Vec<&str> = text.trim_end().split("\n\n").collect();
    assert_eq!(blocks.len(), stacks().len());
    for (number, block) in (1..).zip(&blocks) {
        let header = format!("goroutine {number} [chan receive, 3 minutes]:\n");
        assert!(block.starts_with(&header), "{block}");
        // Nothing of the runtime is printed, and all others are in order.
        assert!(!block.contains("runtime.gopark"), "{block}");
    }
    // What Go printed for the same addresses in a crash.
    assert!(blocks[1].contains("\nmain.park("), "{}", blocks[1]);
    assert!(blocks[1].contains("example.com/probe/main.go:31 +0x33\n"), "{}", blocks[1]);
    assert!(blocks[1].contains("created by main.start.func4 in goroutine 1\n"), "{}", blocks[1]);
}

#[test]
fn a_goroutine_that_changes_all_the_time_has_no_stack() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    image.restless = Some(address(2) + SWITCHES);
    let capture = capture(&binary, &image).unwrap();
    let text = String::from_utf8(capture.text).unwrap();
    assert_eq!(capture.captured.counts.unstable, 1);
    let block = text.split("\n\n").nth(1).unwrap();
    assert!(block.starts_with("goroutine 2 [running]:\n\tgoroutine running on other"), "{block}");
    assert!(!block.contains("main.park"), "a stack that may be torn: {block}");
}

#[test]
fn what_took_too_long_to_read_may_be_torn_and_is_not_shown() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    image.delay = Duration::from_millis(3);
    let capture = capture(&binary, &image).unwrap();
    assert_eq!(capture.captured.counts.exact + capture.captured.counts.drifted, 0);
    assert_eq!(capture.captured.counts.unstable, stacks().len() as u64);
}

#[test]
fn where_large_batches_take_too_long_smaller_ones_are_read() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    (image.delay, image.slow_from) = (Duration::from_millis(3), 3);
    let capture = capture(&binary, &image).unwrap();
    assert_eq!(
        capture.captured.counts,
        CaptureCounts { exact: stacks().len() as u64, ..CaptureCounts::default() }
    );
}

#[test]
fn a_process_that_ends_meanwhile_is_an_error_whenever_it_ends() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    capture(&binary, &image).unwrap();
    let calls = image.calls.take();
    assert!(calls > 10, "{calls}");
    for at in 1..=calls {
        (image.ends_at, image.calls) = (Some(at), Cell::default());
        assert!(matches!(capture(&binary, &image), Err(Refusal::Ended)), "call {at} of {calls}");
        assert!(
            image.calls.get() <= at + 20,
            "it was asked {} times after that",
            image.calls.get() - at
        );
    }
}

/// A goroutine in a system call of Go 1.27, and its `m`.
fn in_system_call(image: &mut Image, number: u64) -> u64 {
    let (m, g) = (HEAP - 0x20000, address(number));
    image.part(m, 0x400);
    image.put(g + STATUS, &3_u32.to_le_bytes());
    image.put_word(g + 48, m);
    let mut word = [0; 8];
    for (from, to) in [(56, 104), (64, 112)] {
        image.read_pieces(&[Piece { address: g + from, len: 8 }], &mut word);
        image.put(g + to, &word);
    }
    // `m.curg`, `m.oldp`.
    image.put_word(m + 184, g);
    image.put_word(m + 224, HEAP);
    m
}

#[test]
fn a_goroutine_in_a_system_call_is_known_if_it_was_in_no_other_meanwhile() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let m = in_system_call(&mut image, 2);
    let quiet = capture(&binary, &image).unwrap();
    assert_eq!(
        quiet.captured.counts,
        CaptureCounts { exact: stacks().len() as u64, ..CaptureCounts::default() }
    );
    assert!(
        String::from_utf8(quiet.text).unwrap().contains("goroutine 2 [syscall, 3 minutes]:\nmain.")
    );
    // `m.syscalltick`: it keeps returning and making the next call.
    image.restless = Some(m + 788);
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.unstable, 1);
    image.restless = None;
    // Its thread now runs another goroutine.
    image.put_word(m + 184, address(3));
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.unstable, 1);
}

#[test]
fn goroutines_are_found_after_the_first_one_has_left() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    // It ended by `runtime.Goexit`, and a later one has taken its place.
    image.put_word(address(1) + 152, 4711);
    assert!(matches!(capture(&binary, &image), Err(Refusal::Layout(_))), "any slice may be it");
    // `runtime.allgptr`.
    image.put_word(VARIABLES[1].start + 128, HEAP - 0x8000);
    let text = String::from_utf8(capture(&binary, &image).unwrap().text).unwrap();
    assert!(text.starts_with("goroutine 4711 ["), "{text}");
    image.put(address(1) + STATUS, &6_u32.to_le_bytes());
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.exact, stacks().len() as u64 - 1);
}

#[test]
fn labels_that_are_too_long_are_missed() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let set = HEAP - 0x30000;
    image.part(set, 0x3000);
    for (at, word) in [set + 16, 1, set + 64, 3, set + 64, 5000].into_iter().enumerate() {
        image.put_word(set + at as u64 * 8, word);
    }
    image.put_word(address(2) + 352, set);
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.unlabelled, 1);
    image.put_word(set + 40, 5);
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.unlabelled, 0);
}

#[test]
fn a_stack_that_leads_out_of_the_program_is_never_taken_for_known() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let high = STACKS + 3 * ROOM;
    for address in (high - 200..high).step_by(8) {
        image.put_word(address, 0x1234);
    }
    let capture = capture(&binary, &image).unwrap();
    let text = String::from_utf8(capture.text).unwrap();
    assert_eq!((capture.captured.counts.broken, capture.captured.counts.unstable), (1, 0));
    assert_eq!(text.matches("...additional frames elided...").count(), 1, "{text}");
}

#[test]
fn more_goroutines_of_the_same_code_take_no_more_steps_of_looking_up() {
    let some = stacks();
    let steps = |count| {
        let binary = open(NAME);
        let all: Vec<Vec<u64>> = some.iter().cycle().take(count).cloned().collect();
        let image = process(&binary, &all);
        let before = binary.steps_left();
        assert_eq!(capture(&binary, &image).unwrap().captured.counts.exact, count as u64);
        before - binary.steps_left()
    };
    // The first goroutine's own creator isn't printed, but looked up.
    let once = steps(some.len());
    assert!(once > 100, "{once}");
    assert_eq!(steps(60), once);
}

#[test]
fn versions_are_known_by_their_number_alone() {
    let known = ["go1.21", "go1.21.13", "go1.24.1 X:boringcrypto", "go1.27rc1", "go1.27-devel_abc"];
    for version in known {
        assert!(Layout::of(version).is_some(), "{version}");
    }
    for version in ["go1.20.14", "go1.28", "go1.28.1", "devel go1.28-abc", "go2.1", "", "go1."] {
        assert!(Layout::of(version).is_none(), "{version}");
    }
}

#[test]
fn headers_say_what_each_version_says() {
    let reasons = ["", "sleep", "select (durable)"].map(str::to_owned);
    let line = |minor: u32, status: u32, reason: u8, bubble, labels: &str| {
        let layout = Layout::of(&format!("go1.{minor}")).unwrap();
        let mut bytes = vec![0; 512];
        let (at, reason_at) = if minor == 24 { (152, 184) } else { (144, 176) };
        bytes[at..at + 4].copy_from_slice(&status.to_le_bytes());
        bytes[at + 8] = 7;
        bytes[reason_at] = reason;
        let it = layout.parse(0, &bytes).unwrap();
        Header { minor, wait_reasons: &reasons, now: 0 }.line(&it, bubble, labels)
    };
    assert_eq!(line(21, 1, 0, None, ""), "goroutine 7 [runnable]:\n");
    assert_eq!(line(21, 4, 0, None, ""), "goroutine 7 [waiting]:\n");
    assert_eq!(line(21, 4, 1, None, ""), "goroutine 7 [sleep]:\n");
    assert_eq!(line(21, 3, 1, None, ""), "goroutine 7 [syscall]:\n");
    assert_eq!(line(24, 4, 1, Some(3), ""), "goroutine 7 [sleep, synctest group 3]:\n");
    assert_eq!(line(25, 4, 1, Some(3), ""), "goroutine 7 [sleep (durable), synctest bubble 3]:\n");
    assert_eq!(line(25, 4, 2, Some(3), ""), "goroutine 7 [select (durable), synctest bubble 3]:\n");
    assert_eq!(line(26, 10, 1, None, ""), "goroutine 7 [sleep (leaked)]:\n");
    let quoted = " labels:{\"a\": \"b\"}";
    assert_eq!(line(26, 4, 1, None, quoted), "goroutine 7 [sleep labels:{\"a\": \"b\"}]:\n");
    assert_eq!(line(27, 4, 1, None, " {a: b}"), "goroutine 7 [sleep] {a: b}:\n");
}

#[test]
fn only_what_stands_still_counts_as_parked() {
    let layout = Layout::of("go1.27").unwrap();
    let status = |status: u32| {
        let mut bytes = vec![0; 512];
        bytes[STATUS as usize..][..4].copy_from_slice(&status.to_le_bytes());
        layout.parse(0, &bytes).unwrap().status
    };
    for parked in [1, 3, 4, 9, 10] {
        assert!(status(parked).is_parked(), "{parked}");
        assert_eq!(status(parked | 0x1000), Status::Busy, "the collector looks at it");
    }
    for other in [0, 2, 6, 8, 11, 5, 77] {
        assert!(!status(other).is_parked(), "{other}");
    }
}

#[test]
fn what_cannot_be_read_is_passed_over() {
    let mut image = Image::default();
    image.part(100, 8);
    image.part(300, 8);
    let mut found = Vec::new();
    locate::each(&image, &[100, 200, 300], 8, |at, _| found.push(at));
    assert_eq!(found, [0, 2]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is in memory, reading it ends, and the result is text.
    #[test]
    fn hostile_memory_is_read_to_an_end(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>(), 0..4_u8), 1..40),
    ) {
        let binary = open(NAME);
        let stacks = stacks();
        let mut image = process(&binary, &stacks);
        for (place, word, kind) in changes {
            // Mostly in goroutines; words that look like addresses of goroutines, stacks, code.
            let of = |len: usize| place.index(len) as u64;
            let address = match kind {
                0 => address(1) + of(stacks.len() * 512) / 8 * 8,
                1 => STACKS + ROOM + of(stacks.len() * ROOM as usize) / 8 * 8,
                2 => VARIABLES[1].start + of(0x100) / 8 * 8,
                _ => address(1 + of(stacks.len())) + of(SIZE as usize) / 8 * 8,
            };
            let word = match word % 5 {
                0 => word,
                1 => STACKS + word % (8 * ROOM),
                2 => HEAP + word % 0x1000,
                3 => binary.text().start + word % 0x1000,
                _ => word % 16,
            };
            image.put_word(address, word);
        }
        if let Ok(capture) = capture(&binary, &image) {
            let counts = capture.captured.counts;
            let headers = capture.text.split(|&byte| byte == b'\n');
            let headers = headers.filter(|line| line.starts_with(b"goroutine ")).count() as u64;
            let known = counts.exact + counts.drifted + counts.broken + counts.unstable;
            prop_assert_eq!(headers, known);
        }
        if let Ok(capture) = annotate::annotate(&binary, &image, 2) {
            let told = capture.words.unwrap();
            prop_assert!(told.words.len() <= LIMITS.live_words);
            prop_assert!(told.frames.len() <= told.words.len() + 1);
        }
        let soon = Instant::now() + Duration::from_secs(60);
        if let Ok((_, capture)) = full::copied(&binary, &image, soon) {
            prop_assert_eq!(capture.captured.counts.drifted, 0);
        }
    }
}
