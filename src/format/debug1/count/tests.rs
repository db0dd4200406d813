//! Count profiles written by hand, whole and cut.

use super::*;
use crate::format::ReadOptions;
use crate::format::debug1::line::{number, record_start};
use crate::profile::{Input, Keep, Profile, Sample};
use proptest::prelude::*;

/// Reads a profile with any lines; returns how each line was used.
fn read_lines(text: &str) -> (Profile, Vec<Used>) {
    let mut builder = ProfileBuilder::new(Keep::default());
    let input = builder.input(Input::new("c", "c.txt", InputFormat::Debug2));
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let header = header(first.as_bytes()).unwrap();
    let mut reader = CountReader::new(&header, input, &mut builder);
    let used = rest
        .lines()
        .zip(2..)
        .map(|(line, number)| reader.line(line.as_bytes(), number, &mut builder))
        .collect();
    reader.finish(&mut builder);
    (builder.finish(), used)
}

/// Reads the records of a goroutine profile, all of whose lines must belong to it.
fn read(body: &str) -> Profile {
    let total: i64 = body.lines().filter_map(|line| record_start(line.as_bytes())).sum();
    let (profile, used) = read_lines(&format!("goroutine profile: total {total}\n{body}"));
    assert!(used.iter().all(|&used| used == Used::Took), "{used:?}");
    profile
}

fn frames(profile: &Profile, sample: &Sample) -> Vec<String> {
    let stack = profile.stack(sample.key.stack).iter();
    let frame = |&frame| {
        let frame = profile.frame(frame);
        let text = |id| String::from_utf8_lossy(profile.str(id)).into_owned();
        format!("{}|{}|{}", text(frame.func), text(frame.file), frame.line)
    };
    stack.map(frame).collect()
}

/// Count and frames of every sample.
fn records(body: &str) -> Vec<(i64, Vec<String>)> {
    let profile = read(body);
    profile.samples.iter().map(|sample| (sample.count, frames(&profile, sample))).collect()
}

fn record(count: i64, frames: &[&str]) -> (i64, Vec<String>) {
    (count, frames.iter().map(|&frame| frame.to_owned()).collect())
}

fn labels(line: &str) -> (Vec<String>, usize) {
    let profile = read(&format!("1 @ 0x1\n# labels: {line}\n#\t0x1\tmain.f+0x1\t/a.go:3\n\n"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let set = profile.labels(profile.samples[0].key.labels).iter().map(|label| {
        let value = text(&profile.label_text(label.value));
        format!("{}={value}", text(profile.str(label.key)))
    });
    (set.collect(), profile.inputs[0].warnings.len())
}

fn kinds(profile: &Profile) -> Vec<WarningKind> {
    profile.inputs[0].warnings.iter().map(|warning| warning.kind).collect()
}

#[test]
fn a_negative_count_is_damaged_and_takes_nothing_from_the_others() {
    let body = "3 @ 0x1\n#\t0x1\tmain.a+0x1\t/a.go:3\n\n-2 @ 0x3\n#\t0x3\tmain.b+0x1\t/a.go:4\n\n";
    let (profile, _) = read_lines(&format!("goroutine profile: total 1\n{body}"));
    let input = &profile.inputs[0];
    assert_eq!((profile.samples.len(), input.goroutines), (1, 3));
    assert_eq!((input.seen.headers, input.seen.partial, input.complete()), (2, 1, false));
}

#[test]
fn headers_are_told_from_text() {
    let name = |line: &str| header(line.as_bytes()).map(|h| (h.name.to_vec(), h.total));
    assert_eq!(name("goroutine profile: total 305"), Some((b"goroutine".to_vec(), 305)));
    assert_eq!(name("goroutine profile: total -2"), Some((b"goroutine".to_vec(), -2)));
    assert_eq!(name("my/own.profile profile: total 1"), Some((b"my/own.profile".to_vec(), 1)));
    let own = "pool:goroutine profile: total 3";
    assert_eq!(name(own), Some((b"pool:goroutine".to_vec(), 3)));
    for text in [
        "a goroutine profile: total 305",
        "goroutine profile: total",
        "goroutine profile: total x",
        " profile: total 3",
        "goroutine profile: 3",
        "node.log:goroutine profile: total 3",
        "logs/x:goroutineleak profile: total 3",
    ] {
        assert_eq!(name(text), None, "{text}");
    }
    let format = |line: &str| header(line.as_bytes()).and_then(|header| header.format());
    assert_eq!(format("goroutine profile: total 1"), Some(InputFormat::Debug1));
    assert_eq!(format("goroutineleak profile: total 1"), Some(InputFormat::LeakDebug1));
    assert_eq!(format("threadcreate profile: total 1"), None);
}

#[test]
fn a_record_without_its_profile_has_a_count_and_whole_addresses() {
    assert!(starts_record(b"12 @ 0x43a2f6 0x44b0e8"));
    for line in ["12 @ 0x43a2f6", "12 @ 0x43a2f6 0x44b0e8 0x", "see 12 @ 0x1 0x2", "12 @ noon"] {
        assert!(!starts_record(line.as_bytes()), "{line}");
    }
}

#[test]
fn other_profiles_are_named() {
    let name = |line: &str| other_profile(line.as_bytes()).map(str::to_owned);
    assert_eq!(name("heap profile: 3: 4 [5: 6] @ fragmentationz").as_deref(), Some("heap"));
    assert_eq!(name("--- threadz 1 ---").as_deref(), Some("thread"));
    assert_eq!(name("goroutine profile: total 1"), None);
    assert_eq!(name("--- FAIL: TestX (0.00s)"), None);
}

#[test]
fn records_have_a_count_and_frames() {
    let body = "3 @ 0x1 0x2\n#\t0x1\tmain.f+0x10\t\t/a.go:3\n#\t0x2\tmain.main+0xAb\t/a.go:9\n\n";
    assert_eq!(records(body), [record(3, &["main.f|/a.go|3", "main.main|/a.go|9"])]);
    for start in ["3 goroutines in stack:", "1 goroutine in stack:"] {
        let count = number(start.get(..1).unwrap().as_bytes()).unwrap();
        let body = format!("{start}\n#\t0x1\tmain.f+0x1\t/a.go:3\n");
        assert_eq!(records(&body), [record(count, &["main.f|/a.go|3"])]);
    }
}

#[test]
fn records_need_no_blank_line_between_them() {
    let body = "1 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n1 @ 0x2\n#\t0x2\tmain.g+0x1\t/a.go:4\n";
    assert_eq!(records(body), [record(1, &["main.f|/a.go|3"]), record(1, &["main.g|/a.go|4"])]);
}

#[test]
fn equal_records_are_one_sample() {
    let body = "2 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n\n3 @ 0x2\n#\t0x2\tmain.f+0x9\t/a.go:3\n\n";
    assert_eq!(records(body), [record(5, &["main.f|/a.go|3"])]);
}

#[test]
fn frames_without_symbol_are_unknown_functions_at_their_address() {
    for address in ["0x1f", "0x1F", "0x001f"] {
        let body = format!("1 @ 0x1\n#\t{address}\n#\t0x2\tmain.g+0x1\t/a.go:4\n\n");
        assert_eq!(records(&body), [record(1, &["<unknown>|0x1f|0", "main.g|/a.go|4"])]);
    }
    assert_eq!(
        records("2 @ 0x1 0x2\n\n1 @\n"),
        [record(2, &["<unknown>|0x1|0", "<unknown>|0x2|0"]), record(1, &[])]
    );
}

#[test]
fn names_and_files_may_hold_blanks_and_digits() {
    let body = "1 @ 0x1\n\
        #\t0x1\tmain.F[go.shape.struct { X int }]+0x1\t/a.go:4\n\
        #\t0x1\tmain.f+0x1\t\t\tC:/Program Files/x.go:3\n\
        #\t0x1\tmain.a+b+0x1\t/a:80/b.go:7\n\
        #\n\n";
    let frames = [
        "main.F[go.shape.struct { X int }]|/a.go|4",
        "main.f|C:/Program Files/x.go|3",
        "main.a+b|/a:80/b.go|7",
    ];
    assert_eq!(records(body), [record(1, &frames)]);
}

#[test]
fn tabs_may_have_become_blanks() {
    let body = "1 @ 0x1\n#    0x1    main.(*T).f+0x1c      C:/Program Files/x.go:3\n\n";
    assert_eq!(records(body), [record(1, &["main.(*T).f|C:/Program Files/x.go|3"])]);
}

#[test]
fn labels_are_in_go_quoting() {
    assert_eq!(labels(r#"{"k":"v", "a":"b=c"}"#), (vec!["a=b=c".into(), "k=v".into()], 0));
    assert_eq!(labels(r#"{"k":"t\tn\u00e9", "x":""}"#), (vec!["k=t\tné".into(), "x=".into()], 0));
    assert_eq!(labels(r#"{"k":"a\x00b"}"#), (vec!["k=a\0b".into()], 0));
    assert_eq!(labels(r#"{"k":"}, \"x\""}"#), (vec![r#"k=}, "x""#.into()], 0));
    assert_eq!(labels("{}"), (vec![], 0));
    // A user's label, not the state of the goroutine.
    assert_eq!(labels(r#"{"state":"x"}"#), (vec!["state=x".into()], 0));
}

#[test]
fn a_line_that_stands_more_often_than_its_address_is_told() {
    let [f, g] = ["#\t0x9\tmain.f+0x1\t/a.go:3\n", "#\t0x13\tmain.g+0x1\t/a.go:9\n"];
    for (addresses, frames, is_whole) in [
        ("0xa 0x14", vec![f, g], true),
        ("0xa 0x14", vec![f, f, g], false),
        ("0xa 0x14", vec![f, g, g], false),
        ("0xa 0xa 0x14", vec![f, f, g], true),
        ("0xa 0xa 0x14", vec![f, f, f, g], false),
        ("0xa 0xa 0x14 0x14", vec![f, f, g, g], true),
        ("0xa 0xa 0x14", vec![f, f, g, g], false),
        // Two inlined calls of other functions.
        ("0xa 0x9 0x14", vec![f, f, g], false),
        ("", vec![f, f, g], true),
    ] {
        let other = "1 @ 0xa\n#\t0x9\tmain.f+0x1\t/a.go:3\n\n";
        let text = format!("{other}1 @ {addresses}\n{}\n", frames.concat());
        let profile = read(&text);
        assert_eq!(profile.inputs[0].complete(), is_whole, "{text}");
    }
}

#[test]
fn bad_labels_are_a_warning_and_what_is_understood_is_kept() {
    assert_eq!(labels(r#"{"k":"v", a:b}"#), (vec!["k=v".into()], 1));
    assert_eq!(labels(r#"{"k":"v" "a":"b"}"#), (vec!["k=v".into()], 1));
    for lost in ["", " ", "{"] {
        assert_eq!(labels(lost), (vec![], 1), "{lost}");
    }
    assert_eq!(labels(r#"{"k":"v""#), (vec![], 1));
    assert_eq!(labels("none"), (vec![], 1));
}

#[test]
fn records_have_the_flags_of_their_lines_and_of_their_profile() {
    let own = "1 @ 0x1\n# flag: \"locked to thread\"\n\n1 @ 0x2\n\n";
    for (name, of_profile) in [("goroutine", 0), ("goroutineleak", 1)] {
        let (profile, _) = read_lines(&format!("{name} profile: total 2\n{own}"));
        let [first, second] = [0, 1].map(|at| profile.samples[at].key.flags);
        assert!(profile.has_flag(first, b"locked to thread"), "{name}");
        assert_eq!(profile.flags(first).len(), of_profile + 1, "{name}");
        assert_eq!(profile.flags(second).len(), of_profile, "{name}");
    }
}

#[test]
fn a_record_of_none_is_whole() {
    let profile = read("0 @ 0x1\n#\t0x1\tmain.f+0x1\t/a.go:3\n\n");
    assert_eq!((profile.inputs[0].seen.headers, profile.inputs[0].goroutines), (1, 0));
    assert!(profile.inputs[0].complete());
}

#[test]
fn states_come_from_the_frames() {
    let body = "1 @ 0x1\n# labels: {\"state\":\"x\"}\n#\t0x1\ttime.Sleep+0x1\t/a.go:3\n\n";
    let profile = read(body);
    assert_eq!(
        profile.samples[0].key.state.map(|state| profile.str(state)),
        Some(b"sleep".as_slice())
    );
}

#[test]
fn a_leak_profile_holds_leaked_goroutines() {
    let (profile, _) = read_lines("goroutineleak profile: total 1\n1 @ 0x1\n\n");
    assert_eq!(profile.inputs[0].format, InputFormat::LeakDebug1);
    assert!(profile.has_flag(profile.samples[0].key.flags, flag::LEAKED));
}

#[test]
fn totals_are_compared() {
    let record = |count: i64| format!("{count} @ 0x1\n#\t0x1\tmain.a+0x1\t/a.go:3\n\n");
    let text = format!("goroutine profile: total 5\n{}{}", record(3), record(1));
    let (profile, _) = read_lines(&text);
    assert_eq!(profile.inputs[0].announced, Some(5));
    assert_eq!(profile.inputs[0].goroutines, 4);
    assert_eq!(profile.inputs[0].seen.headers, 2);
    assert_eq!(kinds(&profile), [WarningKind::Total]);
    assert_eq!(profile.inputs[0].warnings[0].text, "5 goroutines are announced and 4 were found");
}

#[test]
fn other_lines_are_foreign_inside_a_record_and_nobodys_outside() {
    let (profile, used) = read_lines(
        "goroutine profile: total 1\n1 @ 0x1\n12:00:01 log\n#\t0x1\tmain.f+0x1\t/a.go:3\n\nsome text\n7 days\n",
    );
    use Used::{Foreign, NotMine, Took};
    assert_eq!(used, [Took, Foreign, Took, Took, NotMine, NotMine]);
    assert_eq!(frames(&profile, &profile.samples[0]), ["main.f|/a.go|3"]);
}

#[test]
fn of_lines_that_start_like_frames_those_with_an_address_or_nothing_else_are_cut_ones() {
    use Used::{Foreign, Took};
    for (line, expected, cut) in [
        ("#", Took, Some(3)),
        ("# no address", Foreign, None),
        ("#\t0x1\tmain.f+0x10", Took, Some(3)),
    ] {
        // The blank line says that nothing is missing after the last frame.
        let body = format!("2 @ 0x1 0x2\n{line}\n#\t0x2\tmain.main+0xa\t/a.go:9\n\n");
        let (profile, used) = read_lines(&format!("goroutine profile: total 2\n{body}"));
        assert_eq!(used, [Took, expected, Took, Took], "{line}");
        let told = profile.inputs[0].warnings.first().map(|warning| (warning.kind, warning.line));
        assert_eq!(told, cut.map(|line| (WarningKind::Partial, Some(line))), "{line}");
    }
}

const WHOLE: &str = "goroutine profile: total 7\n\
    2 @ 0x487b4a 0x462957 0x69818e 0x48e8e1\n\
    #\t0x69818d\tmain.(*Node).Run+0x10d\t/home/dev/raft.go:33\n\n\
    5 @ 0x487b4a 0x489313 0x492bf3 0x6986a8 0x48e8e1\n\
    # labels: {\"k\":\"v\"}\n\
    #\t0x489312\tsync.runtime_notifyListWait+0x192\t/go/src/runtime/sema.go:617\n\
    #\t0x492bf2\tsync.(*Cond).Wait+0x72\t\t\t/go/src/sync/cond.go:71\n\
    #\t0x6986a7\tmain.(*Replica).WaitCond+0x47\t\t/home/dev/store.go:69\n\n";

#[test]
fn a_whole_profile_has_no_warnings_even_without_its_last_line_ends() {
    for text in [WHOLE, WHOLE.trim_end()] {
        let (profile, _) = read_lines(text);
        assert_eq!(profile.inputs[0].warnings, []);
        assert_eq!(profile.inputs[0].goroutines, 7);
    }
}

#[test]
fn lines_without_addresses_do_not_contradict_each_other() {
    let profile = read(
        "2 @\n#\t0x0\tmain.reserve+0x0\t/src/a.go:38\n\n\
         1 @\n#\t0x0\tmain.reserve+0x0\t/src/a.go:40\n\n",
    );
    assert_eq!(profile.inputs[0].warnings, []);
}

#[test]
fn a_record_that_breaks_off_is_flagged() {
    for cut in
        ["main.(*Replica).WaitCond", "\t\t/home/dev/store.go:69", "#\t0x6986a7", "#\t0x489312"]
    {
        let (text, _) = WHOLE.split_once(cut).unwrap();
        let (profile, _) = read_lines(text);
        assert_eq!(kinds(&profile), [WarningKind::Partial], "{cut}");
        let last = profile.samples.last().unwrap();
        assert!(profile.has_flag(last.key.flags, flag::TRUNCATED), "{cut}");
        assert_eq!(profile.inputs[0].seen.partial, 5, "{cut}");
    }
}

#[test]
fn every_cut_is_noticed_or_loses_nothing_but_digits_of_the_last_line() {
    let first_line = WHOLE.find('\n').unwrap();
    for end in first_line..WHOLE.len() {
        let text = &WHOLE[..end];
        let (profile, used) = read_lines(text);
        let lost = used.iter().any(|&used| used != Used::Took);
        let digits_only = WHOLE[end..].trim_end().len() < 2;
        assert!(lost || digits_only || !profile.inputs[0].complete(), "{text}");
    }
}

proptest! {
    #[test]
    fn no_line_is_a_panic(
        lines in prop::collection::vec(
            prop_oneof![
                "[ -~\t]{0,40}",
                "-?[0-9]{1,20} @( 0x[0-9a-f]{0,18}){0,3}",
                "#[\t ]{0,2}(0x[0-9a-fA-F]{0,18})?[\t ]{0,2}[a-z+0x:. \t]{0,20}(:[0-9]{0,20})?",
                "# labels: [{}\",:\\\\xu0a ]{0,12}",
                "[0-9]{1,3} goroutines in stack:",
            ],
            0..12,
        )
    ) {
        read_lines(&format!("goroutine profile: total 3\n{}", lines.join("\n")));
    }
}

/// Lines of records, complete and odd, and lines between them.
const LINES: [&str; 22] = [
    "1 @ 0x48b985 0x698af6\n",
    "3 @ 0x48b985\n",
    "2: 512 [3: 1536] @ 0x48b985 0x698af6\n",
    "5876 2 @ 0x48b985\n",
    "# labels: {\"tenant\":\"acme\"}\n",
    "# labels: {\"tenant\n",
    "#\t0x48b984\ttime.Sleep+0x164\t/a.go:36\n",
    "#\t0x48b984\ttime.Sleep+0x164\t/a.go:368\n",
    "#\t0x48b984\ttime.Sleep+0x164\t/a.go:36\r\n",
    "#\t0x48b984\tmain.inlined+0x164\t/a.go:9\n",
    "#\t0x698af5\tmain.main+0x15\t/a.go:107\n",
    "#\t0x698af5\tmain.ma\u{f6}n+0x15\t/a.go:107\n",
    "#\t0x698af5\tmain.main+0x15\n",
    "#\t0x698af5\n",
    "#\n",
    "# runtime.MemStats\n",
    "# Alloc = 4197632\n",
    "some text\n",
    "goroutine 7 [select]:\n",
    "goroutine profile: total 3\n",
    "heap profile: 94: 675088 [206: 5854608] @ heap/32768\n",
    "\n",
];

proptest! {
    #[test]
    fn known_frames_are_what_reading_line_by_line_gives(
        first in 0..4_usize,
        lines in proptest::collection::vec(0..LINES.len(), 0..60),
    ) {
        let first = ["--- mutex:\n", "threadcreate profile: total 3\n", LINES[19], LINES[20]][first];
        let text: String = std::iter::once(first).chain(lines.iter().map(|&at| LINES[at])).collect();
        // With an observer, which wants every line, lines are read one by one.
        let mut observer = |_: &[u8]| true;
        let slow = ReadOptions { observer: Some(&mut observer), ..ReadOptions::default() };
        let [fast, slow] = [ReadOptions::default(), slow].map(|mut options| {
            let mut builder = ProfileBuilder::new(Keep::default());
            let input = Input::new("c", "c.txt", InputFormat::Debug2);
            let read = crate::format::read(&mut text.as_bytes(), input, &mut options, &mut builder);
            format!("{:?} {:?}", read, builder.finish())
        });
        prop_assert_eq!(fast, slow);
    }
}

#[test]
fn records_that_have_lost_their_last_or_all_frame_lines_are_cut() {
    let whole = "3 @ 0x11 0x21 0x31 0x41\n#\t0x10\tmain.a+0x1\t\t/a.go:3\n#\t0x20\tmain.b+0x1\t\t/a.go:4\n#\t0x30\tmain.c+0x1\t\t/a.go:5\n\n";
    let partial = |text: &str| read(text).inputs[0].seen.partial;
    assert_eq!(partial(&whole.repeat(2)), 0);
    let (frames, last) = whole.split_at(whole.rfind("#\t").unwrap());
    assert!(last.contains("main.c"));
    let without_last = format!("{frames}\n{whole}");
    assert_eq!(partial(&without_last), 3);
    let (head, _) = whole.split_once('\n').unwrap();
    for text in [format!("{head}\n\n{whole}"), format!("{whole}{head}\n\n")] {
        assert_eq!(partial(&text), 3, "{text}");
    }
    let padded = whole.replacen(" 0x41", " 0x41 0x0 0x0 0x0", 1);
    assert_eq!(partial(&padded), 0);
    // Go prints some in each profile of goroutines.
    assert_eq!(partial(&format!("{head}\n\n").repeat(2)), 6);
}

#[test]
fn frame_lines_have_the_order_of_their_addresses() {
    let line = |address: u64| format!("#\t{address:#x}\tmain.f{address}+0x1\t\t/a.go:{address}\n");
    let record = |addresses: [u64; 4]| {
        let lines: String = addresses.map(line).concat();
        format!("3 @ 0x11 0x21 0x30 0x41 0x51\n{lines}\n")
    };
    let whole = record([0x10, 0x20, 0x2f, 0x40]);
    let partial = |text: &str| read(text).inputs[0].seen.partial;
    assert_eq!(partial(&whole.repeat(2)), 0);
    for addresses in [
        [0x20, 0x10, 0x2f, 0x40],
        [0x10, 0x2f, 0x20, 0x40],
        [0x10, 0x20, 0x40, 0x2f],
        [0x10, 0x10, 0x2f, 0x40],
        [0x10, 0x20, 0x60, 0x40],
    ] {
        // All lines are known from records before.
        let others = "1 @ 0x61\n".to_owned() + &line(0x60) + "\n";
        let text = format!("{whole}{others}{}", record(addresses));
        assert_eq!(partial(&text), 3, "{text}");
    }
}

#[test]
fn two_frame_lines_that_became_one_are_a_cut_record() {
    for gap in ["", " ", "\u{fffd}"] {
        let profile = read(&format!(
            "3 @ 0x4 0x488\n#\t0x4\tmain.f+0x1d\t/src/a.go:2{gap}#\t0x487\tmain.g+0x3\t/src/b.go:9\n"
        ));
        assert_eq!(kinds(&profile), [WarningKind::Partial], "{gap}");
    }
}

#[test]
fn a_frame_line_may_have_lost_its_sign() {
    let body = "3 @ 0x4 0x488\n0x4\tmain.f+0x1d\t\t/src/a.go:2\n0x487\tmain.g+0x3\t/src/b.go:9\n\n";
    assert_eq!(records(body), [record(3, &["main.f|/src/a.go|2", "main.g|/src/b.go|9"])]);
    assert_eq!(
        read_lines("goroutine profile: total 1\n0x4\tmain.f+0x1d\t/src/a.go:2").1,
        [Used::NotMine]
    );
}

#[test]
fn a_name_has_no_number_of_a_line_in_front() {
    for name in ["12:goroutine", "node.log:12:goroutine"] {
        assert!(header(format!("{name} profile: total 2").as_bytes()).is_none(), "{name}");
    }
    for name in ["goroutine", "shard:0:open", "example.org/db:5432", "db:5432:conns", "2fast"] {
        assert!(header(format!("{name} profile: total 2").as_bytes()).is_some(), "{name}");
    }
}
