//! What goroutines wait for.

use super::*;

// Go 1.27's, as src/live/layout.rs has them.
const FIRST: u64 = 320;
const LISTS: u64 = HEAP - 0x40000;

/// A `sudog` of a goroutine: whether it belongs to a select, the next case, the address of the value or the
/// semaphore, and the channel.
fn put(image: &mut Image, at: u64, of: u64, [is_select, next, element, channel]: [u64; 4]) {
    for (offset, word) in [(0, address(of)), (72, next), (32, element), (96, channel)] {
        image.put_word(at + offset, word);
    }
    image.put(at + 60, &[u8::from(is_select != 0)]);
}

/// The channels that the second goroutine waits for, once `change` has been made: two before.
fn waits_on(change: impl FnOnce(&mut Image)) -> Vec<u64> {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    image.part(LISTS, 0x1000);
    put(&mut image, LISTS, 2, [1, LISTS + 0x80, 0, 0xc000]);
    put(&mut image, LISTS + 0x80, 2, [1, 0, 0, 0xd000]);
    image.put_word(address(2) + FIRST, LISTS);
    change(&mut image);
    let capture = capture(&binary, &image).unwrap();
    let (_, of_copy) = full::copied(&binary, &image, full::soon()).unwrap();
    assert_eq!(of_copy.captured, capture.captured);
    let exact = CaptureCounts { exact: stacks().len() as u64, ..CaptureCounts::default() };
    assert_eq!(capture.captured.counts, exact, "its stack is known all the same");
    let mut told = capture.captured.goroutines.into_iter();
    let waits_on = told.find(|it| it.id == 2).unwrap().waits_on;
    assert!(told.all(|it| it.waits_on.is_empty()));
    waits_on
}

#[test]
fn the_channels_of_all_cases_of_a_select_are_told() {
    assert_eq!(waits_on(|_| {}), [0xc000, 0xd000]);
}

#[test]
fn one_channel_is_told() {
    assert_eq!(waits_on(|image| put(image, LISTS, 2, [0, 0, 0x99, 0xe000])), [0xe000]);
}

#[test]
fn nothing_is_told_by_what_belongs_to_another_goroutine() {
    assert!(waits_on(|image| put(image, LISTS + 0x80, 3, [1, 0, 0, 0xd000])).is_empty());
    assert!(waits_on(|image| put(image, LISTS, 3, [0, 0, 0, 0xd000])).is_empty());
}

#[test]
fn nothing_is_told_by_lists_that_lead_nowhere_or_in_a_circle() {
    assert!(waits_on(|image| put(image, LISTS, 2, [1, 0x1234, 0, 0xc000])).is_empty());
    assert!(waits_on(|image| put(image, LISTS + 0x80, 2, [1, LISTS, 0, 0xd000])).is_empty());
    assert!(waits_on(|image| image.put_word(address(2) + FIRST, 0x1234)).is_empty());
}

#[test]
fn no_channel_is_told_where_there_is_none() {
    assert!(waits_on(|image| put(image, LISTS, 2, [0, 0, 0x99, 0])).is_empty());
}
