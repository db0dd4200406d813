//! Goroutines that run.

use super::full::soon;
use super::{
    HEAP, Image, NAME, ROOM, SIZE, STACKS, STATUS, VARIABLES, address, capture, process, stacks,
};
use crate::binary::tests::fixture::open;
use crate::binary::{Arch, Slide};
use crate::live::CaptureCounts;
use crate::live::capture::Target;
use crate::live::code::{Code, Codes};
use crate::live::layout::Layout;
use crate::live::memory::Memory;
use crate::live::running::{self, Running, Thread};
use crate::live::stack::{End, StackCopy, Start, unwind};
use std::rc::Rc;
use std::time::Instant;

#[test]
fn what_a_thread_runs_is_where_its_registers_or_the_runtime_say() {
    let binary = open(NAME);
    let stack = &stacks()[0];
    let mut image = process(&binary, std::slice::from_ref(stack));
    let layout = Layout::of("go1.27.3").unwrap();
    let (g, high) = (address(1), STACKS + 2 * ROOM);
    image.put(g + STATUS, &[2]);
    let noted = image.word(g + 56).unwrap();
    // `m` and `g0`; offsets of Go 1.27.
    let (m, g0) = (HEAP - 0x20000, HEAP - 0x18000);
    image.part(m, 1024);
    image.part(g0, SIZE);
    for (at, word) in
        [(m, g0), (m + 64, 77), (m + 184, g), (g0, 0x7000_0000), (g0 + 8, 0x7001_0000)]
    {
        image.put_word(at, word);
    }
    let vdso = |image: &Image| {
        let mut image = image.clone();
        image.put_word(m + 896, noted - 64);
        image.put_word(m + 904, stack[0]);
        image
    };
    let copied = |image: &Image, sp: u64| {
        let thread = Thread { m, pc: stack[0] + 1, sp, lr: 0 };
        let running = running::copy(image, (&layout, Arch::Amd64), &[thread], Some(soon()));
        let told = running.into_iter().map(|it| {
            assert_eq!((it.goroutine.id, it.stack.len() as u64), (1, high - it.start.sp));
            (it.start.pc, it.start.sp, it.start.is_trap)
        });
        told.collect::<Vec<_>>()
    };
    let on_its_stack = noted - 128;
    assert_eq!(copied(&image, on_its_stack), [(stack[0] + 1, on_its_stack, true)]);
    // On the thread's own stack, and in the kernel's vDSO that Go calls there.
    assert_eq!(copied(&image, 0x7000_8000), [(stack[0], noted, false)]);
    assert_eq!(copied(&vdso(&image), 0x7000_8000), [(stack[0], noted - 64, false)]);
    // On the signal stack: found by the registers that the kernel saved there, and not without them.
    let (for_signals, low, high) = (HEAP - 0x10000, 0x7100_0000, 0x7100_8000);
    for sp in [0x7200_0000, high - 0x3000] {
        assert_eq!(copied(&image, sp), [], "{sp:#x}");
    }
    image.part(for_signals, SIZE);
    image.part(low, high - low);
    for (at, word) in [(m + 72, for_signals), (for_signals, low), (for_signals + 8, high)] {
        image.put_word(at, word);
    }
    assert_eq!(copied(&image, high - 0x3000), []);
    let context = high - 0x2000;
    let at_signal = [(16, low), (32, high - low), (160, on_its_stack), (168, stack[0] + 2)];
    for (at, word) in at_signal {
        image.put_word(context + at, word);
    }
    assert_eq!(copied(&image, high - 0x3000), [(stack[0] + 2, on_its_stack, true)]);
    image.put_word(context + 160, 0x7000_8000);
    assert_eq!(copied(&image, high - 0x3000), [(stack[0], noted, false)]);
    // Unreadable memory of one thread doesn't affect the others.
    let threads = [1, m, 1 << 40].map(|m| Thread { m, pc: stack[0] + 1, sp: on_its_stack, lr: 0 });
    assert_eq!(running::copy(&image, (&layout, Arch::Amd64), &threads, Some(soon())).len(), 1);
    // There is no time for it.
    let threads = [Thread { m, pc: stack[0] + 1, sp: on_its_stack, lr: 0 }];
    assert_eq!(
        running::copy(&image, (&layout, Arch::Amd64), &threads, Some(Instant::now())).len(),
        0
    );
    // It has stopped running meanwhile.
    image.put(g + STATUS, &[4]);
    assert_eq!(copied(&image, on_its_stack), []);
}

#[test]
fn a_stack_that_runs_out_of_all_bounds_is_copied_whole() {
    let binary = open(NAME);
    let mut image = process(&binary, &stacks()[..1]);
    let (g, m, g0, low, size) = (address(1), HEAP - 0x20000, HEAP - 0x18000, 1 << 32, 3 << 20);
    for (start, len) in [(m, 1024), (g0, SIZE), (low, size)] {
        image.part(start, len);
    }
    for (at, word) in [(g, low), (g + 8, low + size), (m, g0), (m + 184, g)] {
        image.put_word(at, word);
    }
    image.put(g + STATUS, &[2]);
    let layout = Layout::of("go1.27.3").unwrap();
    let threads = [Thread { m, pc: stacks()[0][0], sp: low + 64, lr: 0 }];
    let running = running::copy(&image, (&layout, Arch::Amd64), &threads, Some(soon()));
    assert_eq!(running[0].stack.len() as u64, size - 64);
}

#[test]
fn goroutines_that_run_have_the_stack_that_was_copied_while_they_stood_still() {
    let binary = open(NAME);
    let stack = &stacks()[0];
    let mut image = process(&binary, std::slice::from_ref(stack));
    let parked = capture(&binary, &image).unwrap();
    image.put(address(1) + STATUS, &[2]);
    image.put_word(address(1) + 48, HEAP - 0x20000);
    let environment = b"GODEBUG=tracebacklabels=1";
    let target = Target::find_in(&image, &binary, Slide::default(), &VARIABLES, environment, false);
    let target = target.unwrap();
    let stood = |layout: &Layout, threads: &[u64]| {
        assert_eq!(threads, [HEAP - 0x20000]);
        let mut bytes = vec![0; layout.size];
        assert!(image.fill(address(1), &mut bytes));
        let goroutine = layout.parse(address(1), &bytes).unwrap();
        let start = goroutine.start();
        let mut stack = vec![0; (goroutine.high - start.sp) as usize];
        assert!(image.fill(start.sp, &mut stack));
        Ok(vec![Running { goroutine, start, stack }])
    };
    let capture = target.capture(|| 181_000_000_000, stood).unwrap();
    let calls = |text: &[u8]| {
        let text = String::from_utf8_lossy(text).into_owned();
        text.split_once('\n').expect("a header").1.to_owned()
    };
    assert!(capture.text.starts_with(b"goroutine 1 [running"));
    assert_eq!(calls(&capture.text), calls(&parked.text));
    assert_eq!(capture.captured.counts, CaptureCounts { exact: 1, ..CaptureCounts::default() });
    // No thread was stopped: it has no stack.
    let capture = target.capture(|| 181_000_000_000, |_, _| Ok(Vec::new())).unwrap();
    assert!(calls(&capture.text).contains("stack unavailable"));
}

#[test]
fn a_goroutine_that_was_interrupted_while_it_left_its_stack_has_none() {
    let binary = open(NAME);
    let mut codes = Codes::new(&binary, Slide::default(), 27);
    // The small binary has no function like runtime.systemstack, which switches stacks, or its first callee.
    let (pc, caller) = (0x1000, 0x2032_u64);
    for (at, is_trap, is_last) in [(pc, true, false), (pc, false, false), (caller, false, true)] {
        let code = Code {
            is_top: false,
            is_last,
            frame: Some(0),
            is_injected: false,
            calls: Vec::new(),
            arguments: Vec::new(),
        };
        codes.known.remember((at, is_trap), Some(Rc::new(code)), 0);
    }
    let mut bytes = vec![0; 64];
    bytes[..8].copy_from_slice(&caller.to_le_bytes());
    let mut end = |is_trap| {
        let start = Start { pc, sp: STACKS, lr: 0, is_syscall: false, is_trap };
        let stack = StackCopy { start: STACKS, bytes: &bytes };
        unwind(&mut codes, binary.arch(), stack, start, |_| {})
    };
    assert_eq!(end(true), End::Broken);
    // For a goroutine that the runtime has parked there, Go's own traceback ends here.
    assert_eq!(end(false), End::Whole);
}
