use super::elf::Elf;
use super::go::Go;
use super::modules::Modules;
use super::symbols::Room;
use super::symbols::Symbols;
use super::unwind::{Pc, Unwinder, Unwound};
use crate::binary::tests::fixture::{hex, open, said};
use crate::binary::{Binary, Slide};
use crate::limits::LIMITS;
use crate::live::linux::stop::Registers;
use crate::live::native::StackEnd;
use crate::live::stack::StackCopy;
use framehop::Unwinder as _;
use proptest::prelude::*;
use std::io::Cursor;

const GO: &str = "go1.27-elf";

fn no_modules() -> Modules {
    Modules::parse(0, false, "")
}

fn go(name: &str) -> Go {
    Go::new(open(name), Slide::default())
}

/// The stack of these Go calls, innermost first.
fn stack_of(binary: &Binary, pcs: &[u64]) -> Vec<u64> {
    let mut words = Vec::new();
    for pair in pcs.windows(2) {
        let size = binary.function(pair[0] - 1).unwrap().stack_size_at(pair[0] - 1).unwrap();
        words.extend(std::iter::repeat_n(0x42, usize::try_from(size).unwrap() / 8));
        words.push(pair[1]);
    }
    words.extend([0; 8]);
    words
}

fn unwind(go: Option<&Go>, modules: &mut Modules, pc: u64, words: &[u64]) -> Unwound {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let stack = StackCopy { start: 0x1000, bytes: &bytes };
    let registers = Registers { pc, sp: 0x1000, fp: 0, lr: 0 };
    Unwinder::new(modules, go).unwind(registers, true, stack, false)
}

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_of_go_are_found_by_its_own_table() {
    let go = go(GO);
    let mut modules = no_modules();
    for fields in said(GO, "stack") {
        let pcs: Vec<u64> = fields[1..].iter().map(|pc| hex(pc)).collect();
        let unwound = unwind(Some(&go), &mut modules, pcs[0], &stack_of(&go.binary, &pcs));
        let found: Vec<u64> = unwound.pcs.iter().map(|pc| pc.address).collect();
        assert_eq!(found, pcs);
        assert_eq!(unwound.end, StackEnd::Whole);
        let symbols = Symbols::find(unwound.pcs.iter().copied(), &mut modules, Some(&go));
        let last = symbols.frames(*unwound.pcs.last().unwrap());
        assert!(last.last().unwrap().function.as_deref().unwrap().starts_with("runtime."));
    }
}

// A program may have as many threads as it likes, each with as deep a stack.
#[test]
fn stacks_without_an_end_are_cut() {
    let mut modules = no_modules();
    // Each frame pointer leads to the next one.
    let words: Vec<u64> = (0..LIMITS.native_frames as u64 * 2 + 64)
        .map(|at| if at % 2 == 0 { 0x1000 + (at + 2) * 8 } else { 0x77_0000 })
        .collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let stack = StackCopy { start: 0x1000, bytes: &bytes };
    let registers = Registers { pc: 0x77_0000, sp: 0x1000, fp: 0x1000, lr: 0 };
    let unwound = Unwinder::new(&mut modules, None).unwind(registers, false, stack, false);
    assert_eq!(unwound.pcs.len(), LIMITS.native_frames);
    assert_eq!(unwound.end, StackEnd::Lost);
}

#[test]
fn stacks_end_where_unwinding_takes_too_many_steps() {
    // Frame pointers, each to the next one, and a return address.
    let frames = (1..=20_u64).flat_map(|at| [0x1000 + at * 16, 0x5000 + at]);
    let bytes: Vec<u8> = frames.flat_map(u64::to_le_bytes).collect();
    let calls = |left: usize| {
        let mut modules = no_modules();
        let mut all = Unwinder::new(&mut modules, None);
        all.left = left;
        let stack = StackCopy { start: 0x1000, bytes: &bytes };
        let registers = Registers { pc: 0x5000, sp: 0x1000, fp: 0x1000, lr: 0 };
        let calls = all.unwind(registers, true, stack, true).pcs.len();
        let again = all.unwind(registers, true, stack, true).pcs.len();
        (calls, again, modules.into_notes())
    };
    assert_eq!(calls(1000), (21, 21, Vec::new()));
    let (calls, again, notes) = calls(10);
    assert_eq!((calls, again), (11, 1));
    assert!(matches!(&*notes, [note] if note.contains("(unwind_steps)")), "{notes:?}");
}

#[test]
fn modules_are_found_by_address_and_have_short_names() {
    let maps = "\
00400000-00401000 r--p 00000000 fe:01 11                       /usr/bin/shop
00401000-00402000 r-xp 00001000 fe:01 11                       /usr/bin/shop
00500000-00600000 rw-p 00000000 00:00 0                        [heap]
7f0000000000-7f0000001000 r-xp 00000000 fe:01 12               /usr/lib/a b/libodd.so (deleted)
7f0000001000-7f0000002000 rw-p 00000000 00:00 0 
7f0000002000-7f0000003000 rw-p 00002000 fe:01 12               /usr/lib/a b/libodd.so (deleted)
7f0000010000-7f0000011000 r-xp 00000000 00:00 0 
7ffc00000000-7ffc00001000 r-xp 00000000 00:00 0                [vdso]
nonsense
-1-2 r-xp
";
    let modules = Modules::parse(0, false, maps);
    let name = |address| modules.find(address).and_then(|at| modules.name(at));
    assert_eq!(name(0x40_1234).as_deref(), Some("shop"));
    assert_eq!(name(0x7f00_0000_0123).as_deref(), Some("libodd.so"));
    assert_eq!(name(0x7f00_0000_2123).as_deref(), Some("libodd.so"));
    assert_eq!(name(0x7ffc_0000_0123).as_deref(), Some("[vdso]"));
    // Code that is generated while the program runs has no file.
    for nowhere in [0, 0x3f_ffff, 0x40_2000, 0x50_0000, 0x7f00_0001_0000, u64::MAX] {
        assert_eq!(name(nowhere), None, "{nowhere:#x}");
    }
    assert_eq!(modules.maps().end(0x40_1234), 0x40_2000);
    assert_eq!(modules.maps().end(0x60_0123), 0x60_1000);
    assert_eq!(modules.maps().address(), Some(0x40_1000));
}

#[test]
fn this_program_can_be_read() {
    let program = std::fs::File::open(std::env::current_exe().unwrap()).unwrap();
    let elf = Elf::new(Box::new(program)).unwrap();
    let mut named = 0_usize;
    elf.functions(|function| named += usize::from((function.name)().is_some()));
    assert!(named > 1000, "{named}");
    assert_eq!(elf.section(".nowhere", 1 << 20), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whatever is on a stack, unwinding ends.
    #[test]
    fn hostile_stacks_are_unwound_to_an_end(
        words in prop::collection::vec((any::<u64>(), 0..6_u8), 0..200),
        pc in any::<u64>(),
    ) {
        let go = go(GO);
        let text = go.binary.text();
        let len = text.end - text.start;
        let words: Vec<u64> = words.into_iter().map(|(word, kind)| match kind {
            0 => word,
            1 => 0x1000 + word % 2048,
            2 => 0,
            _ => text.start + word % len,
        }).collect();
        for pc in [pc, text.start + pc % len] {
            let unwound = unwind(Some(&go), &mut no_modules(), pc, &words);
            prop_assert!(unwound.pcs.len() <= words.len() + 2);
            let symbols = Symbols::find(unwound.pcs.iter().copied(), &mut no_modules(), Some(&go));
            for pc in &unwound.pcs {
                prop_assert!(!symbols.frames(*pc).is_empty());
            }
        }
    }

    /// Whatever is in a library's file, reading it ends.
    #[test]
    fn hostile_files_are_read_to_an_end(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
    ) {
        let mut bytes = small_elf();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(elf) = Elf::new(Box::new(Cursor::new(bytes))) {
            let mut named = 0;
            elf.functions(|function| named += usize::from((function.name)().is_some()));
            let addresses = [0, 0x1000, 0x1008, u64::MAX];
            let _ = super::lines::lines(&addresses, &elf, &mut Room::default());
            for name in [".eh_frame", ".eh_frame_hdr", ".debug_info", ".symtab"] {
                let _ = (elf.section(name, 1 << 20), elf.address_range(name));
            }
            let _ = (elf.build_id(), elf.bias(0x1000, 0));
            let mut unwinder = framehop::UnwinderNative::new();
            let sections = super::unwind::sections(&elf);
            let range = 0..u64::MAX / 2;
            unwinder.add_module(framehop::Module::new(String::new(), range, 0, sections));
            let mut modules = no_modules();
            for pc in 0x40_010c..0x40_0120 {
                let mut all = Unwinder::with(&mut modules, unwinder.clone());
                let stack = StackCopy { start: 0x1000, bytes: &[0x1; 256] };
                let registers = Registers { pc, sp: 0x1000, fp: 0x1008, lr: 0 };
                all.unwind(registers, false, stack, false);
            }
        }
    }
}

/// An ELF file with symbols and lines of one function: `cc -g -c`, without what isn't needed.
fn small_elf() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/native/small.elf")).unwrap()
}

#[test]
fn an_address_has_its_function_and_its_line() {
    let elf = Elf::new(Box::new(Cursor::new(small_elf()))).unwrap();
    let mut functions = Vec::new();
    elf.functions(|function| {
        functions.push((function.start, (function.name)().unwrap_or_default().to_vec()));
    });
    let adds = functions.iter().find(|(_, name)| name == b"adds").expect("adds").0;
    let lines = super::lines::lines(&[adds], &elf, &mut Room::default()).unwrap();
    let call = &lines[&adds][0];
    assert_eq!((call.function.as_deref(), call.line), (Some("adds"), 1));
    assert!(call.file.as_deref().unwrap().ends_with("small.c"));
}

#[test]
fn names_end_where_they_are_long_enough() {
    let pc = Pc { address: 5, is_return: true };
    assert_eq!(pc.within(), 4);
    for (name, shown) in [
        ("read@@GLIBC_2.2.5", "read"),
        ("_ZN4shop4cart8checkoutEv", "shop::cart::checkout()"),
        ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ("@", "@"),
        ("plain", "plain"),
    ] {
        assert_eq!(super::symbols::demangled(name), shown);
    }
    // 200 bytes that stand for a name larger than memory.
    let mut bomb = "_Z1fIiE".to_owned();
    bomb.push_str(&"S_S_".repeat(50));
    let mut pairs = "_Z1f".to_owned();
    for _ in 0..30 {
        pairs.push_str("St4pairI");
    }
    pairs.push_str(&"iiE".repeat(30));
    for name in [bomb, pairs, "x".repeat(1 << 20)] {
        assert!(super::symbols::demangled(&name).len() <= 4 << 10);
    }
}
