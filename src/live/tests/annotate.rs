//! The words of a stack.

use super::{Image, NAME, ROOM, STACKS, SWITCHES, VARIABLES, address, process, stacks};
use crate::binary::tests::fixture::open;
use crate::binary::{Binary, Slide};
use crate::limits::LIMITS;
use crate::live::capture::Target;
use crate::live::error::Refusal;
use crate::live::{Capture, Certainty, StackWords, Target as Leads, Wanted, What};

pub(super) fn annotate(binary: &Binary, image: &Image, id: u64) -> Result<Capture, Refusal> {
    let slide = Slide::default();
    let target = Target::find_in(image, binary, slide, &VARIABLES, b"", false)?;
    Target { wanted: Wanted::Words(id), ..target }.capture(|| 0, |_, _| Ok(Vec::new()))
}

fn words(binary: &Binary, image: &Image, id: u64) -> StackWords {
    annotate(binary, image, id).unwrap().words.unwrap()
}

fn values(told: &StackWords, what: What) -> Vec<u64> {
    told.words.iter().filter(|word| word.what == what).map(|word| word.value).collect()
}

#[test]
fn each_call_returns_to_the_next_one_and_every_word_is_there_once() {
    let binary = open(NAME);
    let image = process(&binary, &stacks());
    for (id, stack) in (1..).zip(stacks()) {
        let told = words(&binary, &image, id);
        assert_eq!((told.goroutine, told.certainty, told.left_out), (id, Certainty::Exact, 0));
        // The outermost call isn't Go code: how much stack it takes isn't known.
        let pcs: Vec<u64> = told.frames.iter().map(|frame| frame.pc).collect();
        assert_eq!(pcs, stack[..stack.len() - 1]);
        assert_eq!(values(&told, What::ReturnAddress), stack[1..]);
        let last = told.words.last().unwrap();
        assert_eq!((last.address, last.frame), (told.high - 8, None));
        for pair in told.words.windows(2) {
            assert_eq!(pair[0].address + 8, pair[1].address);
            assert!(pair[1].frame.is_none() || pair[0].frame <= pair[1].frame);
        }
    }
}

#[test]
fn frame_pointers_lead_to_calls_further_out_or_are_no_frame_pointers() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let told = words(&binary, &image, 2);
    let saved: Vec<u64> = told
        .words
        .iter()
        .filter(|word| word.what == What::FramePointer)
        .map(|word| word.address)
        .collect();
    assert!(saved.len() > 1, "{saved:?}");
    image.put_word(saved[0], saved[1]);
    assert_eq!(values(&words(&binary, &image, 2), What::FramePointer)[0], saved[1]);
    for wrong in [saved[0], saved[0] - 8, 7, STACKS] {
        image.put_word(saved[0], wrong);
        let told = words(&binary, &image, 2);
        assert_eq!(values(&told, What::FramePointer).len(), saved.len() - 1, "{wrong:#x}");
    }
}

#[test]
fn values_that_are_addresses_of_the_stack_or_of_the_program_are_told() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let told = words(&binary, &image, 2);
    let plain = told.words.iter().find(|word| word.target.is_none() && word.frame == Some(0));
    let place = plain.unwrap().address;
    let target = |image: &Image| {
        let told = words(&binary, image, 2);
        told.words.into_iter().find(|word| word.address == place).unwrap().target
    };
    image.put_word(place, told.high - 8);
    assert_eq!(target(&image), Some(Leads::Stack));
    image.put_word(place, told.frames[1].pc);
    let function = &told.frames[1].calls.last().unwrap().function;
    assert!(matches!(target(&image), Some(Leads::Code(name, 1..)) if name == *function));
    image.put_word(place, binary.variables()[0].start);
    assert_eq!(target(&image), Some(Leads::Data));
    image.put_word(place, 0x42);
    assert_eq!(target(&image), None);
}

#[test]
fn a_goroutine_that_is_not_there_or_runs_is_an_error() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    assert!(matches!(annotate(&binary, &image, 4711), Err(Refusal::NoGoroutine(4711))));
    image.restless = Some(address(2) + SWITCHES);
    assert!(matches!(annotate(&binary, &image, 2), Err(Refusal::NoStack(2))));
    assert_eq!(words(&binary, &image, 3).certainty, Certainty::Exact);
}

#[test]
fn a_stack_that_leads_out_of_the_program_is_told_up_to_there() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let high = STACKS + 3 * ROOM;
    for address in (high - 200..high).step_by(8) {
        image.put_word(address, 0x1234);
    }
    let told = words(&binary, &image, 2);
    assert_eq!(told.certainty, Certainty::Broken);
    assert_eq!(values(&told, What::ReturnAddress).len(), told.frames.len() - 1);
}

#[test]
fn words_of_a_huge_stack_are_told_up_to_a_limit() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks());
    let more = LIMITS.live_words as u64 + 100;
    let (low, high) = (STACKS - 8 * (more + 1), STACKS);
    image.part(low, high - low);
    for (offset, word) in [(0, low), (8, high), (56, high - 8 * more)] {
        image.put_word(address(2) + offset, word);
    }
    let told = words(&binary, &image, 2);
    assert_eq!((told.words.len(), told.left_out), (LIMITS.live_words, 100));
}
