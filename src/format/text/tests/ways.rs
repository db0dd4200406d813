//! The fast way through goroutines, compared with reading line by line.

use super::*;

/// Lines of goroutines, complete and odd, and lines between them.
const LINES: [&str; 56] = [
    "goroutine 7 [select]:\n",
    "goroutine 7 [select, 5 minutes]:\n",
    "goroutine 7 [select, 1234567 minutes]:\n",
    "goroutine 8 [chan receive, 3 minutes, locked to thread] {tenant: \"a, 5 minutes]\"}:\n",
    "goroutine 8 [select labels:{\"k, 2 minutes\": \"v\"}]:\n",
    "goroutine 0 [idle]:\n",
    "goroutine 9 gp=0xc000002380 m=3 mp=0xc000080008 [select, 2 minutes]:\n",
    "goroutine 9 [running]: trailing\n",
    "main.f(0x1, {0x2?, ...})\n",
    "main.(*T[...]).g(...)\n",
    "type:.eq.struct { a int }(0x1)\n",
    "panic: no panic(0x1)\n",
    "panic({0x1, 0x2})\n",
    "0x000000c000012f00:(0x1)\n",
    "goroutine 5 [running](0x1)\n",
    "log line about goroutine 5 [running]: (done)\n",
    "\t/src/a.go:3 +0x1d\n",
    "\t/src/a.go:3\n",
    "\t/src/a b.go:-3 +0x1d\n",
    "\t/src/a.go:3 +0x2 +0x1\n",
    "\t/src/a.go:3 fp=0xc0 sp=0xc1 pc=0x48c5b1\n",
    "\t /src/a.go:3 +0x1\n",
    "\tno place\n",
    "\tpc=0x48c5b1\n",
    "...23 frames elided...\n",
    "...additional frames elided...\n",
    "created by main.start in goroutine 1\n",
    "created by main.start\n",
    "created by \n",
    "[originating from goroutine 1]:\n",
    "some text\n",
    "main.f(0x1)(0x2)\n",
    "main.(0x1)\n",
    "main.f.func1(0x1, 0x2, 0x3, 0x4, 0x5, {0xc000123456?, 0xc000123456?, 0xc000123456?, ...}, 0x1)\n",
    "main.f(goroutine 3 [running]:)\n",
    "github.com/example/shop/internal/verylongpackagename/verylongpackagename/verylongpackagename/store.(*Inventory[...]).Reserve(0x1)\n",
    "github.com/example/shop/internal/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/store.(*Inventory[...]).Reserve(0x1)\n",
    "\t/home/dev/go/github.com/example/shop/internal/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/verylongpackagename/store.(*Inventory[...]).Reserve.go:77 +0x1d\n",
    "\t/src/a.go:3 +0x1d fp=0xc0\n",
    "created by main.start()\n",
    "created by main.start in goroutine 99999999999999999999999\n",
    "created by main.start in goroutine 7 in goroutine 8\n",
    "sync.runtime_SemacquireRWMutexR(0xc00012345c?, 0x0?)\n",
    "sync.(*RWMutex).RLock(...)\n",
    "internal/sync.(*Mutex).lockSlow(0xc000123450)\n",
    "sync.(*Mutex).Lock(...)\n",
    "main.(*Store).get(0xc000123440, {0xc000999000, 0x3}, 0xc000888000?)\n",
    "main.transfer(0xc000123450, 0xc000777000, 0x1, 0xc000666000, 0xc000555000)\n",
    "sync.(*Once).doSlow(0xc000123456?, 0xc000999000)\n",
    "\r\n",
    "\n",
    "\n",
    "main.main()\n",
    "runtime.main()\n",
    "runtime.goexit({})\n",
    "net/http.(*conn).serve(0xc000012345)\n",
];

/// Changes that turn a goroutine into nearly the one that was seen before.
const EDITS: [(&str, &str); 12] = [
    ("(0x1", "(0x1)(0x2"),
    ("main.", "mein."),
    ("/src", "/scr"),
    (").Reserve(", ").Reverse("),
    (".go:77", ".go:78"),
    ("\n\t", "\r\n\t"),
    ("goroutine 1\n", "goroutine 01\n"),
    ("goroutine 1\n", "goroutine 1x\n"),
    ("goroutine 1\n", "goroutine \n"),
    ("...)\n", "...\n"),
    (" elided...\n", " elided... \n"),
    ("+0x1d\n", "+0x1d\r\n"),
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1000))]

    #[test]
    fn the_fast_ways_give_what_reading_line_by_line_gives(
        lines in proptest::collection::vec(0..LINES.len() + 60, 0..60),
        step in 1_usize..2000,
        edit in 0..EDITS.len(),
    ) {
        // Mostly whole goroutines, so that the fast ways are taken.
        let whole = |at: usize| {
            let calls = [8, 9, 33, 34, 35, 36, 37, 42, 43, 44, 45, 46, 47, 48, 52, 53, 54, 55];
            let places = [16, 17, 38];
            let call = |at: usize| {
                format!("{}{}", LINES[calls[at % calls.len()]], LINES[places[at % places.len()]])
            };
            let gap = if at.is_multiple_of(7) { LINES[24 + at % 2] } else { "" };
            let creator = if at.is_multiple_of(3) { [LINES[26 + at % 2], LINES[16]].concat() } else { String::new() };
            let blank = if at.is_multiple_of(5) { "" } else { "\n" };
            format!("{}{}{gap}{}{creator}{blank}", LINES[at % 5], call(at), call(at / 2))
        };
        let text: String = lines
            .iter()
            .map(|&at| LINES.get(at).map_or_else(|| whole(at), |line| (*line).to_owned()))
            .collect();
        // Once to learn the paths, once to guess them, once nearly so.
        let (before, after) = EDITS[edit];
        let text = [&text, &text, &text.replace(before, after)].map(String::as_str).concat();
        // With an observer, which wants every line, lines are read one by one.
        let mut observer = |_: &[u8]| true;
        let mut builder = ProfileBuilder::new(KEEP);
        let input = Input::new("t", "t.txt", InputFormat::Debug2);
        let mut options =
            ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
        let outcome = read(&mut text.as_bytes(), input, &mut options, &mut builder).unwrap();
        let slow = (outcome, format!("{:?}", builder.finish()));
        let (outcome, fast) = parse_as(text.as_bytes(), usize::MAX);
        proptest::prop_assert_eq!((outcome, format!("{:?}", fast)), slow);
        let (_, trickled) = parse_as(text.as_bytes(), step);
        proptest::prop_assert_eq!(described(&trickled), described(&fast));
        let addresses = [&trickled, &fast].map(|profile| format!("{:?}", profile.addresses));
        proptest::prop_assert_eq!(&addresses[0], &addresses[1]);
    }
}

#[test]
fn goroutines_that_were_joined_are_told_where_the_text_shows_it() {
    let head = "goroutine 1 [select]:\nmain.main()\n\t/src/a.go:3 +0x1\n";
    let other = "goroutine 9 [select]:\nmain.f()\n\t/src/a.go:9 +0x1\n";
    let frame = "net/http.(*conn).serve(0xc000012345)\n\t/go/src/net/http/server.go:2 +0x1\n";
    let creator = "created by main.serve in goroutine 1\n\t/src/a.go:5 +0x1\n";
    let runtime = "runtime.main()\n\t/go/src/runtime/proc.go:1 +0x1\n";
    let exit = "runtime.goexit({})\n\t/go/src/runtime/asm_amd64.s:1 +0x1\n";
    let ancestor = "[originating from goroutine 1]:\nmain.main()\n\t/src/a.go:3 +0x1\n";
    let joined = [
        [head, frame, creator].concat(),
        [head, creator].concat(),
        [head, runtime, frame, creator].concat(),
        [other, exit, frame, creator].concat(),
        [other, creator, creator].concat(),
    ];
    let whole = [
        [head, runtime, exit].concat(),
        [head, "main.run()\n\t/src/a.go:7 +0x1\n", runtime].concat(),
        [other, exit, creator].concat(),
        [other, frame, creator].concat(),
        [other, creator, ancestor, creator].concat(),
        [other, creator, ancestor, frame].concat(),
    ];
    for (goroutines, complete) in [(&joined[..], false), (&whole, true)] {
        for text in goroutines {
            // Once before it was learnt, and once after.
            let last = "goroutine 99 [select]:\nmain.f()\n\t/src/a.go:9 +0x1\n";
            let text = format!("{text}\n{text}\n{last}{creator}\n");
            for step in [1, 70, usize::MAX] {
                let (_, profile) = parse_as(text.as_bytes(), step);
                assert_eq!(profile.inputs[0].complete(), complete, "{step}\n{text}");
                assert_eq!(profile.goroutines.len(), 3, "{step}\n{text}");
            }
        }
    }
}

#[test]
fn minutes_that_do_not_decide_about_the_wait_are_not_cut_out() {
    // Of two waits that differ one is damage, unless the first one is none.
    let each = |minutes: u32| {
        format!("goroutine 8 [select, {minutes} minutes, 6 minutes]:\nmain.f()\n\t/a.go:1 +0x1\n\n")
    };
    let profile = parse(&each(0).repeat(3));
    let waits: Vec<_> = profile.goroutines.iter().map(|goroutine| goroutine.wait.known()).collect();
    assert_eq!(waits, [Some(6.0); 3], "{:?}", profile.goroutines);
    // What was learned of the first ones isn't taken for one that is damaged.
    let profile = parse(&[0, 0, 3].map(each).concat());
    let damaged = parse(&each(3));
    assert_eq!(profile.goroutines[2].wait, damaged.goroutines[0].wait);
    assert_eq!(profile.inputs[0].complete(), damaged.inputs[0].complete());
}

#[test]
fn a_goroutine_without_its_creator_that_a_log_interrupts_is_cut() {
    let frame = "main.f()\n\t/src/a.go:9 +0x1\n";
    let creator = "created by main.main in goroutine 1\n\t/src/a.go:3 +0x1\n";
    let logged = "{\"msg\":\"goroutine 99 [select]:\\nmain.g()\\n\\t/src/a.go:5 +0x1\\ncreated by main.f\\n\\t/src/a.go:3 +0x1\"}\n";
    for (id, behind, complete) in
        [(2, "", false), (7, "", false), (7, creator, true), (1, "", true)]
    {
        let text = format!("goroutine {id} [select]:\n{frame}{behind}{logged}");
        let profile = parse(&text);
        assert_eq!(profile.goroutines.len(), 2, "{text}");
        assert_eq!(profile.inputs[0].complete(), complete, "{text}{:?}", profile.inputs[0]);
    }
}

#[test]
fn what_looks_like_a_call_and_ends_a_goroutine_does_so_however_the_text_comes() {
    for line in ["```a/main.f()", "panic: main.f()", "fatal error: main.f()"] {
        let text = format!(
            "goroutine 1 [running]:\n{line}\n\t/src/a.go:3 +0x1d\n%more\n\n\
             goroutine 1 [running]:\n{line}\n\t/src/a.go:3 +0x1d\n\n\
             goroutine 7 [select]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\n"
        );
        let whole = understood(text.as_bytes(), usize::MAX);
        for step in [1, 7, 40] {
            assert_eq!(understood(text.as_bytes(), step), whole, "{line}, {step} bytes at a time");
        }
    }
}

#[test]
fn equal_stacks_stay_equal_with_text_behind_their_lines() {
    let dump: String = (1..=30)
        .map(|id| {
            format!(
                "goroutine {id} [select]:\nmain.(*T).work(0xc00{id}, {{0x{id}, 0x2?}})\n\t/src/a.go:7 +0x1d\n\
                 main.inlined(...)\n\t/src/a.go:9\ncreated by main.main in goroutine {id}0\n\t/src/a.go:3 +0x1d\n\n"
            )
        })
        .collect();
    let counted = "goroutine profile: total 9\n9 @ 0x43e08e 0x40a1c5\n# labels: {\"k\":\"v\"}\n\
        #\t0x40a1c4\tmain.f+0x44\t/src/a.go:9\n\n";
    for text in [&dump, counted] {
        let plain = parse(text);
        let stacks = |profile: &Profile| {
            assert!(profile.inputs.iter().all(Input::complete));
            let samples = profile.samples.iter().map(|sample| {
                let names = profile.stack(sample.key.full).iter();
                let names: Vec<_> =
                    names.map(|&id| profile.str(profile.frame(id).func).to_vec()).collect();
                let creator =
                    sample.key.creator.map(|id| profile.str(profile.frame(id).func).to_vec());
                (names, creator, sample.count, profile.labels(sample.key.labels).len())
            });
            samples.collect::<Vec<_>>()
        };
        for mark in ["^M", "\\", "$", "\u{ac}", ",", ";", "\"", r"\n\", r#"\n" +"#, " |"] {
            for blank_lines in [true, false] {
                let marked = |line: &str| match blank_lines || !line.is_empty() {
                    true => format!("{line}{mark}\n"),
                    false => "\n".to_owned(),
                };
                let marked: String = text.lines().map(marked).collect();
                assert_eq!(stacks(&parse(&marked)), stacks(&plain), "{mark}, {blank_lines}");
                // After them the lines end as usual again.
                let both = parse(&format!("{marked}{text}"));
                assert_eq!(
                    both.inputs.iter().map(|input| input.seen.headers).sum::<u64>(),
                    2 * plain.inputs.iter().map(|input| input.seen.headers).sum::<u64>(),
                    "{mark}"
                );
            }
        }
    }
    // In the lines of calls and creators alone, whatever stands there.
    for after in ["^M", "2026/03/04 10:00:00 done (in 3 s)"] {
        let text: String = dump
            .lines()
            .map(|line| match line.starts_with("main.(") || line.starts_with("created") {
                true => format!("{line}{after}\n"),
                false => format!("{line}\n"),
            })
            .collect();
        assert_eq!(parse(&text).samples.len(), 1, "{after}");
    }
}

/// Headers, flags, places and creators of all forms.
const DUMP: &str = "goroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n\n\
    goroutine 2 gp=0xc000002380 m=0 mp=0x57f0a0 [sync.Mutex.Lock, 3 minutes, locked to thread]:\n\
    main.(*T[...]).f(0x1, {0x2, 0x3?})\n\t/a b/b.go:33 +0x1d fp=0xc000041fc8 sp=0xc000041fa8 pc=0x48c5b1\n\
    ...additional frames elided...\ncreated by main.g in goroutine 12\n\t/c.go:9 +0x2a\n\n\
    goroutine 8 [chan send (synctest), leaked] {a: \"b\"}:\nmain.k(...)\n\t/a.go:5\nmain.l()\n\t/a.go:8 +0x1\n\
    created by main.g\n\t/c.go:9 +0x2a\n\n\
    goroutine 9 [select (no cases)]:\nmain.l()\n\t/a.go:8 +0x1\n\n";

/// What stands in place of some bytes of it.
const DAMAGES: [&str; 12] =
    ["", "]", "x", "0", " ", "\n", "[", "(", ":", "\r\n", "\t", "goroutine 1 ["];

/// Everything that is understood of a text, and what is told about it. That it is a dump is known: to find that
/// out, its first bytes would be read in one piece.
fn understood(text: &[u8], step: usize) -> (Vec<String>, Vec<Warning>) {
    let mut options = ReadOptions { format: Some(InputFormat::Debug2), ..ReadOptions::default() };
    let (_, profile) = parse_with(&mut Trickle(text, step), &mut options);
    let warnings = profile.inputs.iter().flat_map(|input| input.warnings.clone()).collect();
    (described(&profile), warnings)
}

#[test]
fn whatever_is_damaged_is_understood_alike_in_one_piece_and_byte_by_byte() {
    // What was read before is known to the reader of records.
    let known = "goroutine 101 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n\n";
    for at in 0..DUMP.len() {
        for damage in DAMAGES {
            for lost in [1, 7] {
                let (before, _) = DUMP.split_at(at);
                let (_, after) = DUMP.split_at((at + lost).min(DUMP.len()));
                let text = [known, before, damage, after].concat();
                let [whole, bytes] = [usize::MAX, 1].map(|step| understood(text.as_bytes(), step));
                assert_eq!(whole, bytes, "{text}");
            }
        }
    }
}

#[test]
fn an_offset_that_is_no_number_and_the_end_of_a_name_are_told_by_both() {
    let good = "goroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n\n";
    let damaged = |from: &str, to: &str| good.replace(from, to).replace(" 1 ", " 2 ");
    for other in [
        damaged("+0x1d", "+0x]d"),
        damaged("+0x1d", "+0x1]d"),
        damaged("+0x1d", "+0x fp=0xc000041fc8 sp=0xc000041fa8 pc=0x48c5b1"),
        damaged("main()\n\t/a.go", "T[...]).f(0x1)\n\t/a.s"),
    ] {
        let text = format!("{good}{other}");
        for step in [usize::MAX, 1] {
            let (_, warnings) = understood(text.as_bytes(), step);
            assert_eq!(warnings.len(), 1, "{step}: {text}");
            assert!(warnings[0].kind.means_loss(), "{step}: {text}");
        }
    }
}

#[test]
fn a_header_among_the_flags_of_another_is_found_by_both() {
    let text = "goroutine 1 [..., leaked;\u{10}goroutine 1 [running]:\nmain.main()\n\t/a.go:3 +0x1d\n\n\
                goroutine 7 [select]:\nmain.f(0x1)\n\t/a.go:4 +0x1d\n";
    let [whole, bytes] = [usize::MAX, 1].map(|step| parse_as(text.as_bytes(), step).1);
    assert_eq!(described(&whole), described(&bytes));
    assert_eq!(whole.goroutines.len(), 3);
}
