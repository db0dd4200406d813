//! All goroutines at one moment.

use super::{HEAP, Image, NAME, ROOM, STACKS, VARIABLES, address, capture, process, stacks};
use crate::binary::tests::fixture::open;
use crate::binary::{Binary, Slide};
use crate::live::capture::Target;
use crate::live::copied::CopiedMemory;
use crate::live::error::Refusal;
use crate::live::memory::{Memory, Piece};
use crate::live::{Capture, CaptureCounts};
use std::time::{Duration, Instant};

pub(super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn target<'a>(binary: &'a Binary, image: &'a Image) -> Result<Target<'a, Image>, Refusal> {
    let environment = b"GODEBUG=tracebacklabels=1";
    let slide = Slide::default();
    Target::find_in(image, binary, slide, &VARIABLES, environment, false)
}

/// Copies all goroutines, and captures them from the copy.
pub(super) fn copied(
    binary: &Binary,
    image: &Image,
    until: Instant,
) -> Result<(CopiedMemory, Capture), Refusal> {
    let target = target(binary, image)?;
    let (mut copy, sudogs) = target.prepare()?;
    target.copy(&mut copy, sudogs, until)?;
    let now = || 181_000_000_000;
    let capture = target.in_copy(&copy).capture(now, |_, _| Ok(Vec::new()))?;
    Ok((copy, capture))
}

/// Gives a goroutine a bubble, labels and a thread.
fn tell_more(image: &mut Image, number: u64) {
    let (set, bubble, m) = (HEAP - 0x30000, HEAP - 0x28000, HEAP - 0x20000);
    image.part(set, 0x1000);
    image.put(set + 64, b"job");
    image.put(set + 80, b"mail");
    for (at, word) in [set + 16, 1, set + 64, 3, set + 80, 4].into_iter().enumerate() {
        image.put_word(set + at as u64 * 8, word);
    }
    image.part(bubble, 128);
    image.put_word(bubble + 72, 5);
    image.part(m, 1024);
    let g = address(number);
    // Offsets of Go 1.27.
    for (at, word) in [(g + 48, m), (g + 352, set), (g + 392, bubble), (m + 64, 4711), (m + 184, g)]
    {
        image.put_word(at, word);
    }
}

#[test]
fn a_copy_tells_all_that_the_process_itself_told() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    tell_more(&mut image, 2);
    let direct = capture(&binary, &image).unwrap();
    let text = String::from_utf8_lossy(&direct.text).into_owned();
    assert!(
        text.contains("goroutine 2 [chan receive, 3 minutes, synctest bubble 5] {job: mail}:\n")
    );
    let (_, capture) = copied(&binary, &image, soon()).unwrap();
    assert_eq!(String::from_utf8_lossy(&capture.text), text);
    assert_eq!(
        (capture.captured.counts, capture.captured),
        (direct.captured.counts, direct.captured)
    );
    let threads = capture_threads(&binary, &image);
    assert_eq!(threads, [(2, Some(4711))]);
}

fn capture_threads(binary: &Binary, image: &Image) -> Vec<(u64, Option<u64>)> {
    let (_, capture) = copied(binary, image, soon()).unwrap();
    let told = capture.captured.goroutines.into_iter();
    told.filter(|it| it.thread.is_some()).map(|it| (it.id, it.thread)).collect()
}

#[test]
fn what_takes_longer_than_it_may_stand_still_is_no_capture() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    assert!(matches!(copied(&binary, &image, Instant::now()), Err(Refusal::TooSlow)));
    image.delay = Duration::from_millis(20);
    let soon = Instant::now() + Duration::from_millis(70);
    assert!(matches!(copied(&binary, &image, soon), Err(Refusal::TooSlow)));
}

#[test]
fn goroutines_that_have_come_since_room_was_made_are_copied_too() {
    let binary = open(NAME);
    let all = stacks();
    let image = process(&binary, &all[..1]);
    let (mut copy, sudogs) = target(&binary, &image).unwrap().prepare().unwrap();
    let image = process(&binary, &all);
    let later = target(&binary, &image).unwrap();
    later.copy(&mut copy, sudogs, soon()).unwrap();
    let capture = later.in_copy(&copy).capture(|| 0, |_, _| Ok(Vec::new())).unwrap();
    assert_eq!(capture.captured.counts.exact, all.len() as u64);
}

#[test]
fn what_cannot_be_copied_of_one_takes_nothing_from_the_others() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    // The stacks are next to each other, and are read as one.
    image.parts.remove(&(STACKS + 2 * ROOM));
    tell_more(&mut image, 3);
    image.put_word(HEAP - 0x30000, 1 << 40);
    let (_, capture) = copied(&binary, &image, soon()).unwrap();
    let count = stacks().len() as u64;
    let lacks =
        CaptureCounts { exact: count - 1, unstable: 1, unlabelled: 1, ..CaptureCounts::default() };
    assert_eq!(capture.captured.counts, lacks);
    let text = String::from_utf8(capture.text).unwrap();
    let block = text.split("\n\n").nth(1).unwrap();
    assert!(block.starts_with("goroutine 2 [chan receive, 3 minutes]:\ncreated by"), "{block}");
}

#[test]
fn a_copy_has_what_was_read_and_nothing_else() {
    let mut image = Image::default();
    for (start, len) in [(1000, 100), (1100, 50), (9000, 10), (20_000, 8)] {
        image.part(start, len);
    }
    image.put_word(20_000, 77);
    let piece = |address, len| Piece { address, len };
    let mut copy = CopiedMemory::with_room(0).unwrap();
    let pieces = vec![
        piece(20_000, 8),
        piece(1000, 100),
        piece(1050, 20),
        // Unreadable, and close to readable memory.
        piece(1160, 8),
        piece(9000, 0),
        piece(u64::MAX - 3, 8),
    ];
    copy.add(&image, pieces, soon()).unwrap();
    assert_eq!(copy.word(20_000), Some(77));
    for (address, is_there) in
        [(1000, true), (1092, true), (1093, false), (1160, false), (9000, false), (u64::MAX, false)]
    {
        assert_eq!(copy.word(address).is_some(), is_there, "{address}");
    }
    // Missing pieces are copied, and what these point to.
    image.put_word(1100, 1120);
    copy.add_missing(&image, soon(), |copy| {
        copy.word(1100).and_then(|next| copy.word(next));
    })
    .unwrap();
    assert_eq!((copy.word(1100), copy.word(1120)), (Some(1120), Some(0)));
}

#[test]
fn more_than_there_may_be_is_not_copied() {
    assert!(matches!(CopiedMemory::with_room(1 << 40), Err(Refusal::TooLarge(_))));
    let mut copy = CopiedMemory::with_room(0).unwrap();
    let all = vec![Piece { address: 8, len: 1 << 40 }];
    let refused = copy.add(&Image::default(), all, soon());
    assert!(matches!(refused, Err(Refusal::TooLarge(_))));
}
