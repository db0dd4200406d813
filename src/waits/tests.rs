//! Who waits for whom in small dumps.

use super::*;
use crate::format::{ReadOptions, read};
use crate::profile::{Input, InputFormat, Keep, ProfileBuilder};
use crate::rules::{Names, RuleSet};
use crate::view::fixture::all;

/// A goroutine in some calls of `main`, each with its line; a lock comes with its own frame.
fn goroutine(id: u64, state: &str, calls: &[(&str, u32)]) -> String {
    let lines = calls.iter().map(|(call, line)| {
        let package = if call.starts_with("sync.") { "" } else { "main." };
        format!("{package}{call}\n\t/s/main.go:{line} +0x1\n")
    });
    format!("goroutine {id} [{state}]:\n{}\n", lines.collect::<String>())
}

fn waits_of(text: &str) -> (Profile, Names, Waits) {
    let keep =
        Keep { goroutines: true, creators: false, addresses: true, arguments: false, calls: false };
    let mut builder = ProfileBuilder::new(keep);
    let input = Input::new("n1", "n1", InputFormat::Debug2);
    read(&mut text.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
    let profile = builder.finish();
    let names = RuleSet::default().apply(&profile).unwrap();
    let waits = Waits::of(&profile, &all(&profile), &FrameFinder::new(&profile));
    (profile, names, waits)
}

/// The sentence about the largest pile.
fn largest_sentence(text: &str) -> String {
    let (profile, names, waits) = waits_of(text);
    waits.sentence(&profile, &names, 0).unwrap_or_default()
}

const LOCK: &str = "sync.Mutex.Lock";

fn waiting(ids: std::ops::Range<u64>, lock: &str, calls: &[(&str, u32)]) -> String {
    let call = format!("sync.(*Mutex).Lock({lock})");
    let calls = [&[(call.as_str(), 1)], calls].concat();
    ids.map(|id| goroutine(id, LOCK, &calls)).collect()
}

#[test]
fn a_pile_is_told_with_who_holds_the_lock_and_what_that_waits_for() {
    let pile = waiting(100..140, "0xc000010008", &[("(*Cache).get(0xc000010000, 0x1)", 5)]);
    let fetch = [("(*Cache).fetch(0xc000010000)", 30), ("(*Cache).get(0xc000010000)", 7)];
    let holder = goroutine(20, "IO wait, 3 minutes", &fetch);
    assert_eq!(
        largest_sentence(&[pile.as_str(), &holder].concat()),
        "40 wait for goroutine 20 in main.(*Cache).fetch, which waits 3 min for IO"
    );
    // Without arguments the line decides: it is after that of the call that waits.
    let bare = |text: &str| {
        let lines = text.lines().map(|line| match line.split_once('(') {
            Some(_) if line.ends_with(')') => {
                format!("{}(...)\n", &line[..line.rfind('(').unwrap()])
            }
            _ => format!("{line}\n"),
        });
        lines.collect::<String>()
    };
    assert_eq!(
        largest_sentence(&bare(&[pile.as_str(), &holder].concat())),
        "40 wait, probably for goroutine 20 in main.(*Cache).fetch, which waits 3 min for IO"
    );
    let before = goroutine(20, "IO wait", &[("(*Cache).fetch(...)", 30), ("(*Cache).get(...)", 4)]);
    assert_eq!(largest_sentence(&bare(&[pile, before].concat())), "", "it hasn't come to the lock");
}

#[test]
fn chains_are_followed_to_their_end() {
    let text = [
        waiting(100..115, "0xc000010008", &[("(*Index).len(0xc000010000)", 5)]),
        waiting(
            7..8,
            "0xc000020008",
            &[("(*Log).add(0xc000020000)", 9), ("(*Index).put(0xc000010000)", 6)],
        ),
        waiting(
            8..9,
            "0xc000030000",
            &[("(*Disk).write(0xc000030000)", 19), ("(*Log).add(0xc000020000)", 10)],
        ),
        goroutine(9, "syscall", &[("(*Disk).write(0xc000030000)", 20)]),
    ];
    assert_eq!(
        largest_sentence(&text.concat()),
        "15 wait for goroutine 7 in main.(*Log).add, which waits for goroutine 8 in \
         main.(*Disk).write, which waits for goroutine 9 in main.(*Disk).write, which is in a system \
         call"
    );
}

#[test]
fn locks_of_two_inputs_have_nothing_to_do_with_each_other() {
    let keep =
        Keep { goroutines: true, creators: false, addresses: true, arguments: false, calls: false };
    let mut builder = ProfileBuilder::new(keep);
    for half in crossing().split_inclusive("\n\n") {
        let input = Input::new("n", "n", InputFormat::Debug2);
        read(&mut half.as_bytes(), input, &mut ReadOptions::default(), &mut builder).unwrap();
    }
    let profile = builder.finish();
    let waits = Waits::of(&profile, &all(&profile), &FrameFinder::new(&profile));
    assert_eq!((waits.cycles.len(), waits.piles.len()), (0, 2));
}

fn crossing() -> String {
    [
        waiting(7..8, "0xc000020000", &[("move(0xc000010000, 0xc000020000, 0x1)", 20)]),
        waiting(9..10, "0xc000010000", &[("move(0xc000020000, 0xc000010000, 0x2)", 20)]),
    ]
    .concat()
}

#[test]
fn two_that_wait_for_each_other_are_a_circle() {
    let (profile, names, waits) = waits_of(&crossing());
    assert_eq!(waits.cycles.len(), 1);
    assert!(waits.cycles[0].is_certain);
    assert_eq!(
        Waits::cycle_text(&profile, &names, &waits.cycles[0]),
        "goroutine 7 in main.move waits for goroutine 9 in main.move, which waits for it"
    );
}

#[test]
fn a_circle_needs_addresses_that_go_is_sure_of() {
    for doubt in ["0xc000020000", "0xc000010000"] {
        let text = crossing().replace(doubt, &format!("{doubt}?"));
        assert_eq!(waits_of(&text).2.cycles, [], "{doubt}");
    }
}

#[test]
fn whoever_can_go_on_and_may_hold_one_of_the_locks_ends_a_circle() {
    for other in [
        goroutine(5, "running", &[("(*Account).add(0xc000010000?)", 30)]),
        goroutine(5, "IO wait", &[("(*Account).add(0xc000020000)", 30)]),
        waiting(5..6, "0xc000090000", &[("move(0xc000020000, 0xc000090000, 0x1)", 20)])
            + &goroutine(6, "running", &[("(*Account).add(0xc000090000)", 30)]),
    ] {
        assert_eq!(waits_of(&(crossing() + &other)).2.cycles, [], "{other}");
    }
    let hidden = goroutine(5, "runnable", &[("move(...)", 24)]);
    assert_eq!(waits_of(&(crossing() + &hidden)).2.cycles, [], "it may hold any account");
}

/// The goroutine `main`, which nothing but a whole dump has.
fn main() -> String {
    goroutine(1, "select, 5 minutes", &[("main()", 3)])
}

/// A goroutine that waits for the lock of a queue in `push`, which probably took it, and the sentence
/// about it.
fn relocked() -> (String, &'static str) {
    let trim = [("(*Queue).trim(0xc000010000)", 9), ("(*Queue).push(0xc000010000, 0x1)", 5)];
    let sentence = "goroutine 7 in main.(*Queue).trim waits for a lock that it probably took itself \
                    in main.(*Queue).push, or that was never unlocked";
    (waiting(7..8, "0xc000010008", &trim), sentence)
}

/// The sentences about goroutines that took a lock twice.
fn twice_of(text: &str) -> Vec<String> {
    let (_, names, waits) = waits_of(text);
    waits.twice.iter().map(|twice| Waits::twice_text(&names, twice)).collect()
}

#[test]
fn a_lock_taken_twice_is_told_where_nobody_else_has_it() {
    let (took, sentence) = relocked();
    let text =
        main() + &took + &waiting(20..25, "0xc000010008", &[("(*Queue).trim(0xc000010000)", 9)]);
    assert_eq!(twice_of(&text), [sentence]);
    for (other, calls) in [
        ("it may hold it", ["(*Queue).work(0xc000010000)", "run()"]),
        ("it may hold it, its argument isn't shown", ["(*Queue).work(...)", "run()"]),
        ("it may hold it, its argument isn't sure", ["(*Queue).work(0xc000090000?)", "run()"]),
        ("what a closure may hold isn't shown", ["(*Queue).work.func2(...)", "run()"]),
        (
            "push may hold it before it calls others",
            ["(*Disk).write(0xc000030000)", "(*Queue).push(...)"],
        ),
    ] {
        let other_one = goroutine(30, "IO wait", &calls.map(|call| (call, 50)));
        assert_eq!(twice_of(&(text.clone() + &other_one)), [""; 0], "{other}");
    }
    let queue = goroutine(30, "IO wait", &[("(*Queue).work(0xc000090000)", 50)]);
    assert_eq!(twice_of(&(text + &queue)), [sentence], "that is another queue");
}

#[test]
fn a_part_of_a_dump_does_not_show_who_took_a_lock() {
    let (took, sentence) = relocked();
    assert_eq!(twice_of(&took), [""; 0]);
    let cut = main() + &took + "goroutine 8 [runnable]:\n";
    assert_eq!(twice_of(&cut), [""; 0], "a stack is missing");
    let hidden = goroutine(8, "running", &[])
        .replace("\n\n", "\n\tgoroutine running on other thread; stack unavailable\n\n");
    assert_eq!(twice_of(&(main() + &took + &hidden)), [""; 0], "a stack is unavailable");
    assert_eq!(twice_of(&(main() + &took)), [sentence]);
}

#[test]
fn a_lock_that_was_waited_for_a_moment_may_be_handed_on_by_whoever_goes_on() {
    let (took, sentence) = relocked();
    let dumps = goroutine(2, "running", &[("dump(0x1)", 3)]);
    let works = goroutine(3, "runnable", &[("work(0x1)", 4)]);
    let text = main() + &took + &dumps;
    assert_eq!(twice_of(&text), [sentence], "one writes the dump");
    assert_eq!(twice_of(&(text.clone() + &works)), [""; 0], "it may have the lock");
    let old = (text + &works).replace("sync.Mutex.Lock]", "sync.Mutex.Lock, 3 minutes]");
    assert_eq!(twice_of(&old), [sentence], "nobody has it for so long who goes on");
}

#[test]
fn a_lock_at_the_start_of_a_struct_was_not_taken_because_both_have_one_address() {
    let of = |receiver: &str| {
        let outer = format!("({receiver}).flush(0xc000010000)");
        main() + &waiting(7..8, "0xc000010000", &[("(*Latch).Lock(0xc000010000)", 9), (&outer, 5)])
    };
    assert_eq!(twice_of(&of("*Journal")), [""; 0], "it calls the lock's own method");
    assert_eq!(twice_of(&of("*Latch")).len(), 1);
}

#[test]
fn a_function_that_several_wait_in_does_not_take_their_lock() {
    let in_serve = |ids, calls: &[(&str, u32)]| {
        let serve = ("(*Queue).serve(0xc000010000, 0x1)", 70);
        waiting(ids, "0xc000010008", &[calls, &[serve]].concat())
    };
    let trim = ("(*Queue).trim(0xc000010000)", 9);
    let push = ("(*Queue).push(0xc000010000, 0x1)", 5);
    let three = main() + &in_serve(7..10, &[trim]);
    assert_eq!(twice_of(&three), [""; 0]);
    let (_, sentence) = relocked();
    let one = main() + &in_serve(7..8, &[trim, push]) + &in_serve(8..10, &[trim]);
    assert_eq!(twice_of(&one), [sentence], "only one of them is in push");
    let pop = ("(*Queue).pop(...)", 15);
    assert_eq!(twice_of(&(one + &in_serve(10..11, &[trim, pop]))), [""; 0], "or pop took it");
}

#[test]
fn readers_behind_a_writer_may_have_read_at_once() {
    let lock = |call: &str| format!("sync.(*RWMutex).{call}(0xc000010018)");
    let (rlock, wlock) = (lock("RLock"), lock("Lock"));
    let row =
        [(&rlock[..], 1), ("(*Table).row(0xc000010000)", 9), ("(*Table).sum(0xc000010000)", 5)];
    let readers: String = (7..9).map(|id| goroutine(id, "sync.RWMutex.RLock", &row)).collect();
    let put = [(&wlock[..], 1), ("(*Table).put(0xc000010000)", 19)];
    let writer = |calls: &[(&str, u32)]| goroutine(9, "sync.RWMutex.Lock", calls);
    assert_eq!(twice_of(&(main() + &readers)), [""; 0], "nobody keeps them from reading");
    assert_eq!(
        twice_of(&(main() + &readers + &writer(&put))),
        ["goroutine 7 in main.(*Table).row waits for a lock that it probably took itself in \
          main.(*Table).sum: it reads already, and a writer waits in between"]
    );
    let outer = [&put[..], &[("(*Table).load(0xc000010000)", 30)]].concat();
    assert_eq!(twice_of(&(main() + &readers + &writer(&outer))), [""; 0], "or load took it");
}

#[test]
fn thousands_of_locks_in_one_thing_take_no_time() {
    let text: String = (0..6000_u64)
        .map(|at| {
            let lock = format!("{:#x}", 0xc0_0001_0000_u64 + at % 4000);
            waiting(at..at + 1, &lock, &[("(*Table).get(0xc000010000)", 9)])
        })
        .collect();
    let before = std::time::Instant::now();
    let (_, _, waits) = waits_of(&text);
    assert!(waits.piles.len() > 3000);
    assert!(before.elapsed().as_secs() < 20, "{:?}", before.elapsed());
}

#[test]
fn whoever_is_past_the_call_holds_the_lock_before_all_others_of_the_struct() {
    let stock = |id: u64, state: &str, calls: &[(&str, u32)]| goroutine(id, state, calls);
    let pile = waiting(100..140, "0xc000010000", &[("(*Stock).Take(0xc000010000, 0x1)", 38)]);
    let load = ("(*Stock).load(...)", 43);
    let past = stock(51, "chan receive, 2 minutes", &[load, ("(*Stock).Take(0xc000010000)", 40)]);
    let watch = [("sync.(*Cond).Wait(0xc000010040)", 71), ("(*Stock).watch(0xc000010000)", 49)];
    let watch = stock(49, "sync.Cond.Wait, 2 minutes", &watch);
    let index = [load, ("(*Stock).reindex(0xc000010000)", 56)];
    let index = stock(50, "chan receive, 2 minutes", &index);
    let run = stock(48, "select, 2 minutes", &[("(*Stock).run(0xc000010000)", 70)]);
    let others = [watch.as_str(), &index, &run].concat();
    assert_eq!(
        largest_sentence(&[pile.as_str(), &others, &past].concat()),
        "40 wait for goroutine 51 in main.(*Stock).load, which waits 2 min to receive from a channel"
    );
    assert_eq!(
        largest_sentence(&[pile.as_str(), &others].concat()),
        "40 wait for goroutine 50 in main.(*Stock).load, which waits 2 min to receive from a channel"
    );
    assert_eq!(
        largest_sentence(&[pile.as_str(), &watch].concat()),
        "",
        "it has given its lock back"
    );
    assert!(
        largest_sentence(&[pile.as_str(), &run].concat()).starts_with("40 wait, probably for ")
    );
    let again = past.replace("goroutine 51", "goroutine 52");
    assert_eq!(
        largest_sentence(&[pile.as_str(), &past, &again].concat()),
        "40 wait, probably for one of 2 in main.(*Stock).load, which waits 2 min to receive from a \
         channel"
    );
}

#[test]
fn readers_do_not_keep_readers_out() {
    let lock = "sync.(*RWMutex).RLock(0xc000010000)";
    let calls = [(lock, 1), ("(*Stock).Take(0xc000010000)", 34)];
    let pile: String = (100..140).map(|id| goroutine(id, "sync.RWMutex.RLock", &calls)).collect();
    let reader = goroutine(7, "IO wait", &[("(*Stock).Take(0xc000010000)", 40)]);
    assert_eq!(largest_sentence(&[pile.as_str(), &reader].concat()), "");
    let writer = goroutine(8, "IO wait", &[("(*Stock).reindex(0xc000010000)", 56)]);
    assert_eq!(
        largest_sentence(&[pile.as_str(), &reader, &writer].concat()),
        "40 wait for goroutine 8 in main.(*Stock).reindex, which waits for IO"
    );
}

/// A goroutine that receives from a channel while it holds a lock, and others that want the lock and
/// were given the channel, as GOTRACEBACK=system shows them.
fn feed() -> String {
    let refresh =
        [("(*Feed).refresh(0xc000010000, 0xc000077000)", 9), ("(*Feed).run(0xc000010000)", 5)];
    let refresh = goroutine(7, "chan receive", &refresh).replacen(
        ":\n",
        ":\nruntime.chanrecv1(0xc000077000, 0x0)\n\t/s/chan.go:1 +0x1\n",
        1,
    );
    let publish = [("(*Feed).publish(0xc000010000, 0xc000077000)", 20)];
    refresh + &waiting(8..11, "0xc000010000", &publish)
}

#[test]
fn a_channel_is_a_probable_link_of_a_circle() {
    let (profile, names, waits) = waits_of(&feed());
    assert_eq!(waits.cycles.len(), 1);
    assert!(!waits.cycles[0].is_certain, "others may send");
    assert_eq!(
        Waits::cycle_text(&profile, &names, &waits.cycles[0]),
        "goroutine 7 in main.(*Feed).refresh waits for goroutine 8 in main.(*Feed).publish, which \
         waits for it"
    );
    for other in ["(*Feed).publish(0xc000090000, 0xc000077000)", "(*Feed).publish(...)"] {
        let text = feed() + &goroutine(5, "running", &[(other, 21)]);
        assert_eq!(waits_of(&text).2.cycles, [], "{other} may send");
    }
}

#[test]
fn who_waits_for_what_it_has_started_must_not_hold_the_lock_that_these_want() {
    let drain = goroutine(
        7,
        "sync.WaitGroup.Wait",
        &[("sync.(*WaitGroup).Wait(0xc000010010)", 1), ("(*Pool).drain(0xc000010000)", 5)],
    );
    let by = |text: String, id: u64| {
        let created =
            format!("created by main.(*Pool).drain in goroutine {id}\n\t/s/main.go:4 +0x1\n\n");
        text.replace("\n\n", &format!("\n{created}"))
    };
    let children =
        |by_whom| by(waiting(20..23, "0xc000010000", &[("(*Pool).finish(...)", 9)]), by_whom);
    let (_, names, waits) = waits_of(&(drain.clone() + &children(7)));
    let starter = waits.starters.first().expect("one that waits for its children");
    assert_eq!(
        waits.starter_text(&names, starter),
        "goroutine 7 in main.(*Pool).drain waits for a WaitGroup, and all 3 that it has started wait \
         for the lock that it holds, in main.(*Pool).finish"
    );
    let child = by(goroutine(30, "IO wait", &[("(*Pool).finish(...)", 7)]), 7);
    assert_eq!(waits_of(&(drain.clone() + &children(7) + &child)).2.starters, [], "one may end");
    assert_eq!(waits_of(&(drain + &children(6))).2.starters, [], "others have started them");
}

#[test]
fn a_chain_of_thousands_of_locks_is_gone_along_once() {
    const LINKS: u64 = 20_000;
    let lock = |at: u64| 0xc0_0001_0000_u64 + at * 0x10000;
    let text: String = (0..LINKS)
        .map(|at| {
            let holds = format!("(*Stock).Take({:#x})", lock(at));
            waiting(at + 1..at + 2, &format!("{:#x}", lock(at + 1)), &[(&holds, 9)])
        })
        .collect();
    let (_, _, waits) = waits_of(&text);
    assert_eq!(waits.piles.len() as u64, LINKS);
    let last = waits.piles.iter().position(|pile| pile.lock == Some(lock(LINKS)));
    assert!((0..waits.piles.len()).all(|pile| Some(waits.end_of(pile)) == last));
    assert!(waits.cycles.is_empty());
}
