//! Profiles written by hand, whole and cut.

use super::*;
use crate::profile::{Input, InputFormat, Keep, Profile, TypeId};

fn read(text: &str) -> Profile {
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = builder.input(Input::new("v", "v.txt", InputFormat::Debug2));
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut reader = ValueReader::new(head(first.as_bytes()).unwrap(), input, &mut builder);
    for (line, number) in rest.lines().zip(2..) {
        assert_eq!(reader.line(line.as_bytes(), number, &mut builder), Used::Took, "{line}");
    }
    reader.finish(true, &mut builder);
    builder.finish()
}

fn values(profile: &Profile) -> Vec<Vec<i64>> {
    profile.samples().map(|(id, _)| profile.values(id).to_vec()).collect()
}

const FRAME: &str = "#\t0x9\tmain.f+0x1\t/a.go:3\n\n";

#[test]
fn cycles_become_time() {
    let text = format!("--- contention:\ncycles/second=2000000000\n3000 2 @ 0xa\n{FRAME}");
    let profile = read(&text);
    assert_eq!(values(&profile), [[2, 1500]]);
    assert_eq!(profile.value_name(), (&b"delay"[..], &b"nanoseconds"[..]));
    assert_eq!(profile.inputs[0].format, InputFormat::ContentionDebug1);
    assert!(profile.inputs[0].complete());
}

#[test]
fn a_number_of_the_head_that_a_terminal_broke_is_joined() {
    let whole =
        format!("--- mutex:\ncycles/second=2000000000\nsampling period=1\n3000 2 @ 0xa\n{FRAME}");
    for at in 27..whole.find("\nsampling").unwrap() {
        let (before, after) = whole.split_at(at);
        assert_eq!(values(&read(&format!("{before}\n{after}"))), [[2, 1500]], "{before}");
    }
    // What is left of a record isn't.
    for line in ["\nsampling", "3000 2"] {
        let odd = read(&whole.replacen(line, &format!("\n19632\n{}", line.trim_start()), 1));
        assert_eq!(values(&odd), [[2, 1500]], "{line}");
        assert!(!odd.inputs[0].complete(), "{line}");
    }
}

/// What sends logs again starts anywhere in the text.
#[test]
fn contentions_that_stand_twice_are_told() {
    let head = "--- mutex:\ncycles/second=1000000000\nsampling period=1\n";
    let records = format!("300 2 @ 0xa\n{FRAME}200 2 @ 0xa\n{FRAME}200 1 @ 0xa\n{FRAME}");
    let whole = read(&format!("{head}{records}"));
    assert!(whole.inputs[0].complete());
    assert_eq!(whole.samples.len(), 3);
    for from in [0, records.find("200").unwrap(), records.rfind("200").unwrap()] {
        let repeated = read(&format!("{head}{records}{}", &records[from..]));
        assert_eq!(repeated.inputs[0].warnings[0].kind, WarningKind::Partial, "{from}");
    }
}

/// Go prints all functions of these, those of the runtime, too.
#[test]
fn a_contention_record_without_the_line_of_its_first_address_is_cut() {
    let lines = ["#\t0x9\tsync.(*Mutex).Unlock+0x1\t/m.go:3\n", "#\t0x13\tmain.f+0x1\t/a.go:3\n"];
    let head = "--- mutex:\ncycles/second=1000000000\nsampling period=1\n100 1 @ 0xa 0x14\n";
    let inlined = "#\t0x9\tsync.inlined+0x1\t/m.go:9\n";
    for (frames, is_cut) in [
        (lines.concat(), false),
        ([inlined, &lines.concat()].concat(), false),
        (lines[1].to_owned(), true),
        ([lines[1], "#\t0x13\tmain.g+0x1\t/a.go:4\n"].concat(), true),
    ] {
        let profile = read(&format!("{head}{frames}\n"));
        assert_eq!(profile.inputs[0].complete(), !is_cut, "{frames}");
    }
}

#[test]
fn records_with_broken_addresses_are_counted_and_told() {
    for first in ["100 1 @ 0xa 0x", "100 1 @ 0xa0xb", "100 1 @ 0xa100 1 @ 0xb", "100 1 @ 0xzz"] {
        let text =
            format!("--- mutex:\ncycles/second=1000000000\nsampling period=1\n{first}\n{FRAME}");
        let profile = read(&text);
        assert_eq!(values(&profile), [[1, 100]], "{first}");
        assert_eq!(profile.inputs[0].seen.partial, 1, "{first}");
        assert!(!profile.inputs[0].complete(), "{first}");
    }
}

#[test]
fn negative_records_are_damaged_and_take_nothing_from_the_others() {
    let heads = [
        "--- mutex:\ncycles/second=1000000000\nsampling period=1\n",
        "heap profile: 1: 1 [1: 1] @ heap/1\n",
    ];
    for (head, good, bad) in [
        (heads[0], "100 1", "-50 1"),
        (heads[0], "100 1", "50 -1"),
        (heads[1], "1: 1 [1: 1]", "-1: 1 [1: 1]"),
        (heads[1], "1: 1 [1: 1]", "1: 1 [1: -1]"),
        ("threadcreate profile: total 1\n", "1", "-1"),
        ("shop.orders profile: total 1\n", "1", "-1"),
    ] {
        let alone = read(&format!("{head}{good} @ 0xa\n{FRAME}"));
        let both = read(&format!("{head}{good} @ 0xa\n{FRAME}{bad} @ 0xb\n{FRAME}"));
        assert_eq!(values(&both), values(&alone), "{head}{bad}");
        assert_eq!((both.inputs[0].seen.headers, both.inputs[0].seen.partial), (2, 1), "{bad}");
        assert!(!both.inputs[0].complete(), "{bad}");
    }
}

#[test]
fn zeros_are_no_damage() {
    let contention = "--- mutex:\ncycles/second=1000000000\nsampling period=1\n";
    for (head, record) in [
        (contention, "0 1"),
        (contention, "50 0"),
        ("heap profile: 0: 0 [3: 1536] @ heap/2\n", "0: 0 [3: 1536]"),
        ("shop.orders profile: total 0\n", "0"),
    ] {
        let profile = read(&format!("{head}{record} @ 0xa\n{FRAME}"));
        assert_eq!((profile.inputs[0].seen.headers, profile.inputs[0].seen.partial), (1, 0));
        assert!(profile.inputs[0].complete(), "{head}{record}");
    }
}

#[test]
fn first_lines_say_what_is_counted_and_how_it_was_sampled() {
    const OBJECTS: &str = "objects space";
    const ALLOCATED: &str = "alloc_objects alloc_space inuse_objects inuse_space";
    use InputFormat::{ContentionDebug1, HeapDebug1, ProfileDebug1, ThreadDebug1};
    for (line, format, announced, types, period) in [
        ("heap profile: 4: 8 [0: 0] @ heap/1024", HeapDebug1, 4, OBJECTS, "space bytes 512"),
        ("heap profile: 4: 8 [4: 8] @ heapprofile", HeapDebug1, 4, OBJECTS, "space bytes 0"),
        ("heap profile: 4: 8 [5: 8] @ heap_v2/64", HeapDebug1, 4, ALLOCATED, "space bytes 64"),
        ("heap profile: 4: 8 [4: 9] @ heapz_v2/64", HeapDebug1, 4, ALLOCATED, "space bytes 64"),
        ("--- mutex:", ContentionDebug1, 0, "contentions delay", "contentions count 1"),
        ("threadcreate profile: total 9", ThreadDebug1, 9, "threadcreate", "threadcreate count 1"),
        ("hits profile: total 9", ProfileDebug1, 9, "hits", "hits count 1"),
    ] {
        let profile = read(line);
        let input = &profile.inputs[0];
        assert_eq!((input.format, input.announced), (format, Some(announced)), "{line}");
        let text = |id| String::from_utf8_lossy(profile.str(id));
        let name = |id: &TypeId| text(profile.sample_type(*id).kind);
        let names: Vec<_> = input.header.sample_types.iter().map(name).collect();
        assert_eq!(names.join(" "), types, "{line}");
        let SampleType { kind, unit } = input.header.period_type.unwrap();
        let found = format!("{} {} {}", text(kind), text(unit), input.header.period);
        assert_eq!(found, period, "{line}");
    }
}

#[test]
fn lines_of_the_head_are_those_between_the_first_line_and_the_first_record() {
    for (text, expected) in [
        ("--- mutex:\nsampling period=5\n", Used::Took),
        ("--- mutex:\n100 3 @ 0xa\nsampling period=5\n", Used::Foreign),
        ("--- mutex:\n100 3 @ 0xa\n#\t0x9\tmain.f+0x1\t/a.go:3\n```\n", Used::Took),
        ("heap profile: 0: 0 [0: 0] @ heap/2\nsampling period=5\n", Used::NotMine),
    ] {
        let mut builder = ProfileBuilder::new(Keep::default());
        let input = builder.input(Input::new("v", "v.txt", InputFormat::Debug2));
        let (first, rest) = text.split_once('\n').unwrap();
        let mut reader = ValueReader::new(head(first.as_bytes()).unwrap(), input, &mut builder);
        let used = rest.lines().map(|line| reader.line(line.as_bytes(), 2, &mut builder));
        assert_eq!(used.last(), Some(expected), "{text}");
    }
}

#[test]
fn cycles_without_the_length_of_a_cycle_are_noted() {
    let some = format!("100 3 @ 0xa\n{FRAME}");
    for (text, notes) in [
        (format!("--- contentionz 1 ---\n{some}"), 1),
        (format!("--- contention:\ncycles/second=0\n{some}"), 1),
        (format!("--- contention:\ncycles/second=1000000000\n{some}"), 0),
        ("--- mutex:\ncycles/second=1000000000\nsampling period=1\n".to_owned(), 0),
    ] {
        let profile = read(&text);
        let input = &profile.inputs[0];
        assert_eq!(input.warnings.len(), notes, "{text}");
        assert!(input.warnings.iter().all(|warning| warning.kind == WarningKind::Note));
        assert_eq!(input.header.period, 1, "{text}");
    }
}

#[test]
fn lines_that_go_always_writes_above_the_records_are_told_if_they_are_lost() {
    let record = format!("100 3 @ 0xa\n{FRAME}");
    for (head, lost) in [
        ("--- contention:\n", "cycles/second"),
        ("--- mutex:\n", "cycles/second"),
        ("--- mutex:\nsampling period=5\n", "cycles/second"),
        ("--- mutex:\ncycles/second=1000000000\n", "sampling period"),
    ] {
        let profile = read(&format!("{head}{record}"));
        let input = &profile.inputs[0];
        let [warning] = &input.warnings[..] else { panic!("{head}: {:?}", input.warnings) };
        assert!(warning.kind.means_loss() && warning.text.contains(lost), "{head}{warning:?}");
        assert!(!input.complete(), "{head}");
    }
}

#[test]
fn texts_of_cpp_programs_are_read_as_those_of_go() {
    let heap = read(
        "heap profile:   1:  512 [  1:  512] @ growthz\n     1:    512 [     1:    512] @ 0xa 0xb\n\n",
    );
    assert_eq!(values(&heap), [[1, 512]]);
    assert!(heap.inputs[0].complete());
    let text = "--- contentionz 1 ---\ncycles/second = 2000000000\nsampling period = 100\n\
                ms since reset = 1000\ndiscarded samples = 0\n      300000    5 @ 0xa 0xb\n\n";
    let contention = read(text);
    assert_eq!(values(&contention), [[500, 15_000_000]]);
    assert!(contention.inputs[0].complete());
}

#[test]
fn what_was_sampled_counts_for_the_rest_unless_go_did_that_already() {
    let text = |count: i64| {
        format!(
            "--- mutex:\ncycles/second=1000000000\nsampling period=5\n100 {count} @ 0xa\n{FRAME}"
        )
    };
    assert_eq!(values(&read(&text(3))), [[15, 500]]);
    assert_eq!(read(&text(3)).inputs[0].header.period, 5);
    assert_eq!(values(&read(&text(10))), [[10, 100]]);
}

#[test]
fn heaps_have_four_values_and_memory_statistics() {
    let text = format!(
        "heap profile: 1: 512 [3: 1536] @ heap/2\n1: 512 [3: 1536] @ 0xa\n{FRAME}\n\
         # runtime.MemStats\n# Sys = 7\n"
    );
    let profile = read(&text);
    assert_eq!(values(&profile), [[3, 1536, 1, 512]]);
    assert_eq!(profile.inputs[0].header.memory.as_ref().unwrap().sys, Some(7));
    assert_eq!((profile.inputs[0].goroutines, profile.samples[0].count), (0, 512));
    assert!(profile.inputs[0].complete());
}

/// Editors and pastes take the last blank line away.
#[test]
fn the_last_record_is_whole_without_the_blank_line_after_it() {
    let text = "shop/carts profile: total 9\n9 @ 0xb 0x1f 0x2f\n#\t0xa\tmain.f+0x1\t/a.go:1\n\
                #\t0x1e\tmain.main+0x2\t/a.go:9";
    assert!(read(text).inputs[0].complete());
    let (cut, _) = text.rsplit_once('#').unwrap();
    assert!(!read(cut).inputs[0].complete());
}

#[test]
fn the_last_record_of_threads_without_a_stack_is_whole_too() {
    let text = "threadcreate profile: total 3\n2 @ 0xb 0x1f 0x2f\n#\t0xa\tmain.f+0x1\t/a.go:1\n\
                #\t0x1e\tmain.main+0x2\t/a.go:9\n\n1 @ \n#\t0x0";
    assert!(read(text).inputs[0].complete());
    let cut = text.replace("0x0", "0x2e");
    assert!(!read(&cut).inputs[0].complete());
}

#[test]
fn cut_texts_are_not_complete() {
    let whole = format!("shop/carts profile: total 7\n7 @ 0xa\n{FRAME}");
    assert!(read(&whole).inputs[0].complete());
    let cut = read("shop/carts profile: total 9\n7 @ 0xa\n#\t0x9\tmai");
    let kinds: Vec<_> = cut.inputs[0].warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::Partial, WarningKind::Total]);
    assert_eq!(cut.samples[0].count, 7);
}

#[test]
fn what_was_allocated_and_freed_is_announced_too() {
    let head = "heap profile: 1: 32 [3: 96] @ heap/32768\n";
    let records = "1: 32 [1: 32] @ 0xa\n#\t0x9\tmain.f+0x1\t/a.go:1\n\n0: 0 [2: 64] @ 0xb\n#\t0xa\tmain.g+0x1\t/a.go:2\n\n";
    let whole = format!("{head}{records}");
    assert!(read(&whole).inputs[0].complete());
    let (kept, _) = whole.split_once("0: 0 [").unwrap();
    let lost = read(kept);
    let texts: Vec<_> = lost.inputs[0].warnings.iter().map(|warning| &*warning.text).collect();
    assert_eq!(
        texts,
        [
            "3 allocated objects are announced and 1 were found",
            "96 allocated bytes are announced and 32 were found"
        ]
    );
}

/// `runtime/pprof` adds one to the bytes that were allocated where nothing was freed yet.
#[test]
fn what_was_allocated_may_be_one_more_than_what_is_in_use() {
    let text = |allocated| {
        format!("heap profile: 1: 64 [1: {allocated}] @ heap/2\n1: 64 [1: 64] @ 0xa\n{FRAME}")
    };
    assert!(read(&text(64)).inputs[0].complete() && read(&text(65)).inputs[0].complete());
    assert!(!read(&text(66)).inputs[0].complete());
    assert!(
        read("heap profile: 0: 0 [0: 1] @ heap/2\n\n# runtime.MemStats\n").inputs[0].complete()
    );
    let freed = format!("heap profile: 1: 64 [2: 129] @ heap/2\n1: 64 [2: 128] @ 0xa\n{FRAME}");
    assert!(!read(&freed).inputs[0].complete());
}

#[test]
fn goroutines_behind_another_profile_are_an_input_of_their_own() {
    let text = "--- mutex:\ngoroutine 7 [select]:\nmain.f()\n\t/a.go:3 +0x1\n";
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = Input::new("v", "v.txt", InputFormat::Debug2);
    let options = &mut crate::format::ReadOptions::default();
    crate::format::read(&mut text.as_bytes(), input, options, &mut builder).unwrap();
    let profile = builder.finish();
    let formats: Vec<_> = profile.inputs.iter().map(|input| input.format).collect();
    assert_eq!(formats, [InputFormat::ContentionDebug1, InputFormat::Debug2]);
    assert_eq!(profile.inputs[1].goroutines, 1);
    assert!(profile.counts_goroutines());
}

#[test]
fn where_in_its_function_a_call_is_stays_known() {
    // Without it, it can't be found out how far a PIE was moved, and its own binary is refused.
    let profile =
        read(&format!("heap profile: 1: 512 [1: 512] @ heap/2\n1: 512 [1: 512] @ 0xa\n{FRAME}"));
    let (sample, _) = profile.samples().next().unwrap();
    let [location] = *profile.sample_locations(sample) else { panic!("one call") };
    assert_eq!((profile.location(location).address, profile.location(location).offset), (9, 1));
}

#[test]
fn a_line_that_grew_together_over_a_hole_is_told() {
    const R: &str = "#\t0x42f1a3\tmain.main+0x1a3\t\t/src/main.go:40\n";
    const M: &str = "#\t0x42e0b2\tmain.serve+0xb2\t\t/src/serve.go:21\n";
    let a = format!("70 1 @ 0x42a011 0x42f1a4\n#\t0x42a010\tmain.a+0x10\t\t/src/a.go:7\n{R}\n");
    let b = format!(
        "60 1 @ 0x42b021 0x42e0b3 0x42f1a4\n#\t0x42b020\tmain.b+0x20\t\t/src/b.go:9\n{M}{R}\n"
    );
    let of_b = "#\t0x42b020\tmain.b+0x20\t\t/src/b.go:9\n";
    let is_told = |records: &str| {
        let text = format!("--- mutex:\ncycles/second=2000000000\nsampling period=1\n{records}");
        !read(&text).inputs[0].complete()
    };
    let later = format!("{a}{b}").replace("0 1 @", "1 1 @");
    assert!(!is_told(&format!("{a}{b}{later}")));
    for (what, spliced) in [
        (
            "a place",
            format!(
                "{b}70 1 @ 0x42a011 0x42f1a4\n#\t0x42a010\tmain.a+0x10\t\t/src/b.go:9\n{M}{R}\n"
            ),
        ),
        (
            "a name",
            format!("70 1 @ 0x42a011 0x42f1a4\n#\t0x42a010\tmain.b+0x20\t\t/src/b.go:9\n{M}{R}\n"),
        ),
        (
            "an address",
            format!("70 1 @ 0x42a011 0x42f1a4\n#\t0x42b020\tmain.b+0x20\t\t/src/b.go:9\n{R}\n"),
        ),
        (
            "the root",
            format!(
                "{b}70 1 @ 0x42a011 0x42f1a4\n#\t0x42a010\tmain.a+0x10\t\t/src/a.go:7\n#\t0x42f1a3\tmain.main+0x1a3\t\t/src/mainrc.go:40\n\n"
            ),
        ),
        (
            "a root's offset",
            format!(
                "{b}70 1 @ 0x42a011 0x42f1a4\n#\t0x42a010\tmain.a+0x10\t\t/src/a.go:7\n#\t0x42f1a3\tmain.maserve+0xb2\t\t/src/serve.go:21\n\n"
            ),
        ),
        ("a first line", format!("{b}70 1 @ 0x42a011 0x42e0b3 0x42f1a4\n{of_b}{M}{R}\n")),
        ("a first line and a place", format!("70 1 @ 0x42a011 0x42/src/a.go:7\n{R}\n")),
        ("a sign and a place", format!("70 1 @rc/a.go:7\n{R}\n")),
        ("numbers and a place", format!("70 rc/a.go:7\n\n{a}")),
        ("a sign", format!("{a}70 1 A 0x42a011 0x42f1a4\n\n{b}")),
        ("numbers", format!("70651 1\n\n{a}")),
    ] {
        assert!(is_told(&spliced), "{what}\n{spliced}");
    }
}
