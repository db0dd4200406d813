//! Memory that is missing or damaged: holes, and lists that don't hold what they should.

use super::{
    HEAP, Image, NAME, ROOM, SIZE, STACKS, STATUS, VARIABLES, address, capture, full, process,
    stacks,
};
use crate::binary::tests::fixture::open;
use crate::live::CaptureCounts;
use crate::live::error::Refusal;
use crate::live::locate;

#[test]
fn the_dead_are_left_out_and_what_is_no_goroutine_too() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    image.put(address(2) + STATUS, &6_u32.to_le_bytes());
    image.put_word(address(3) + 72, 0x42);
    // Lists are found whose first members are goroutines.
    assert!(matches!(capture(&binary, &image), Err(Refusal::Layout(_))));
    image.put_word(address(3) + 72, address(3));
    assert_eq!(capture(&binary, &image).unwrap().captured.counts.exact, stacks().len() as u64 - 1);
}

#[test]
fn zeros_in_place_of_a_goroutine_are_memory_that_is_missing() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    image.put(address(2), &[0; SIZE as usize]);
    let counts = capture(&binary, &image).unwrap().captured.counts;
    assert_eq!((counts.exact, counts.unread), (stacks().len() as u64 - 1, 1));
}

#[test]
fn a_stack_that_ends_before_its_first_call_is_broken() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let high = STACKS + 3 * ROOM;
    image.put(high - 512, &[0; 512]);
    let counts = capture(&binary, &image).unwrap().captured.counts;
    assert_eq!((counts.broken, counts.exact), (1, stacks().len() as u64 - 1));
}

#[test]
fn a_goroutine_that_is_listed_twice_is_read_once() {
    let binary = open(NAME);
    let some = stacks();
    let mut image = process(&binary, &some.iter().cycle().take(20).cloned().collect::<Vec<_>>());
    let (list, header) = (HEAP - 0x8000, VARIABLES[1].start + 32 + 24);
    for (at, number) in (20..60).zip((1..=20).cycle()) {
        // Every other one is a bit off.
        image.put_word(list + at * 8, address(number) + at % 2 * 8);
    }
    image.put_word(header + 8, 60);
    let capture = capture(&binary, &image).unwrap();
    let counts = CaptureCounts { exact: 20, unread: 40, ..CaptureCounts::default() };
    assert_eq!(capture.captured.counts, counts);
}

#[test]
fn goroutines_that_start_while_the_list_is_read_are_no_damage() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let (header, count) = (VARIABLES[1].start + 32 + 24, stacks().len() as u64);
    let list = |image: &Image| {
        let locate::List { addresses, beyond } = locate::addresses(image, header).unwrap();
        (addresses.len() as u64, beyond)
    };
    assert_eq!(list(&image), (count, 0));
    // The length is one more each time it is read.
    image.restless = Some(header + 8);
    image.reads.set(count as u8 - 1);
    assert_eq!(list(&image), (count, 0));
    image.restless = None;
    image.put_word(header + 8, count - 2);
    assert_eq!(list(&image), (count, 2));
    let capture = capture(&binary, &image).unwrap();
    assert_eq!((capture.captured.counts.exact, capture.captured.losses.len()), (count, 1));
    let (_, copied) = full::copied(&binary, &image, full::soon()).unwrap();
    assert_eq!((copied.captured.counts.exact, copied.captured.losses.len()), (count, 1));
}

#[test]
fn a_list_that_says_it_has_more_than_memory_is_refused() {
    let binary = open(NAME);
    let [_, zeros] = VARIABLES;
    let mut image = process(&binary, &stacks());
    for count in [1 << 20, u64::MAX / 8, u64::MAX] {
        image.put_word(zeros.start + 32 + 32, count);
        image.put_word(zeros.start + 32 + 40, count);
        assert!(capture(&binary, &image).is_err(), "{count}");
    }
}
