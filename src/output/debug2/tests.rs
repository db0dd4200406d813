use super::super::fixture::{Fixture, Maker};
use super::*;
use crate::format::{self, ReadOptions};
use crate::profile::InputFormat;
use crate::profile::{Input, Keep, ProfileBuilder, Wait};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn dump(fixture: &Fixture) -> Vec<u8> {
    let mut out = Vec::new();
    write(&fixture.profile, &fixture.selection, &mut out).unwrap();
    out
}

fn read(text: &[u8]) -> Profile {
    let mut builder = ProfileBuilder::new(Keep { goroutines: true, ..Keep::default() });
    let input = Input::new("back", "back.txt", InputFormat::Debug2);
    let mut bytes = text;
    format::read(&mut bytes, input, &mut ReadOptions::default(), &mut builder).unwrap();
    builder.finish()
}

/// The contents of a dump without its inputs: groups and their goroutines.
fn content(profile: &Profile) -> BTreeMap<String, (i64, Vec<String>)> {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let frame = |id: FrameId| {
        let frame = profile.frame(id);
        format!(
            "{} {}:{}",
            text(profile.str(frame.func)),
            text(profile.str(frame.file)),
            frame.line
        )
    };
    let stack =
        |id: StackId| -> Vec<String> { profile.stack(id).iter().map(|&id| frame(id)).collect() };
    let key = |key: &SampleKey| {
        let labels: Vec<(String, String)> = profile
            .labels(key.labels)
            .iter()
            .map(|label| (text(profile.str(label.key)), text(&profile.label_text(label.value))))
            .collect();
        let flags: Vec<String> =
            profile.flags(key.flags).iter().map(|&flag| text(profile.str(flag))).collect();
        let state = key.state.map(|state| text(profile.str(state)));
        let creator = key.creator.map(frame);
        format!(
            "{:?} {state:?} {} {flags:?} {labels:?} {creator:?} {:?}",
            stack(key.stack),
            key.kind,
            key.elided
        )
    };
    let mut groups: BTreeMap<String, (i64, Vec<String>)> = BTreeMap::new();
    for sample in &profile.samples {
        groups.entry(key(&sample.key)).or_default().0 += sample.count;
    }
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        let ancestors: Vec<_> = profile.ancestors.get(&at).into_iter().flatten().collect();
        let ancestors: Vec<String> = ancestors
            .iter()
            .map(|a| format!("{} {:?} {:?}", a.id, stack(a.stack), a.creator.map(frame)))
            .collect();
        let (id, wait) = (goroutine.id, goroutine.wait.known());
        let row = format!("{id} {wait:?} {:?} {ancestors:?}", goroutine.creator());
        let group = groups.get_mut(&key(&profile.sample(goroutine.sample).key)).unwrap();
        group.1.push(row);
    }
    groups.values_mut().for_each(|group| group.1.sort());
    groups
}

#[test]
fn what_is_read_from_a_dump_is_what_was_written() {
    let fixture = Fixture::everything();
    let back = read(&dump(&fixture));
    assert_eq!(content(&back), content(&fixture.profile));
    let warnings = back.inputs.iter().flat_map(|input| &input.warnings);
    let warnings: Vec<_> = warnings.map(|warning| warning.text.as_str()).collect();
    // One of the inputs was not read whole.
    assert_eq!(warnings, ["a line beside goroutines or records says that text was left out there"]);
}

#[test]
fn headers_are_those_of_go_1_27() {
    let text = String::from_utf8_lossy(&dump(&Fixture::everything())).into_owned();
    for expected in [
        "goroutine 17 [sync.Cond.Wait, 9 minutes] {\"a b\": \"=x, \\\"]:\\n\\u00fc\", tenant: acme}:\n\
         sync.(*Cond).Wait(...)\n\t/go/src/sync/cond.go:71\n\
         main.(*Server).work(...)\n\t/src/main.go:42\n\
         created by main.start in goroutine 1\n\t/src/main.go:9\n\n",
        "goroutine 4 [sync.Cond.Wait, 2.5 minutes] {",
        "[originating from goroutine 1]:\n",
        "goroutine 9007199254740993 [chan receive (nil chan) (leaked), locked to thread, \
         synctest bubble 7]:\n",
        "...23 frames elided...\n",
        "...additional frames elided...\n",
        "goroutine profile: total 12\n12 @\n\
         # labels: {\"empty\":\"\", \"k\":\"1\", \"k\":\"2\"}\n",
        "\tgoroutine running on other thread; stack unavailable\n",
    ] {
        assert!(text.contains(expected), "{expected}\n---\n{text}");
    }
}

#[test]
fn leak_profiles_stay_leak_profiles() {
    let mut maker = Maker::new();
    let input = maker.input("leaks", InputFormat::LeakDebug1);
    let stack = maker.stack(&[(b"main.leak", b"/src/main.go", 5), (b"<unknown>", b"", 0)]);
    let mut spec = maker.spec(input, stack, "select");
    spec.flags = maker.flags(&[flag::LEAKED]);
    maker.count(&spec, 3);
    let fixture = Fixture::new(maker);
    let back = read(&dump(&fixture));
    assert_eq!(content(&back), content(&fixture.profile));
    assert_eq!(back.inputs[0].format, InputFormat::LeakDebug1);
    assert_eq!(back.inputs[0].announced, Some(3));
}

#[test]
fn html_in_names_breaks_no_line() {
    let header = "goroutine 99 [select]:";
    for end in ["<br>", "<BR/>", "&#10;", "&#xA;", "&#13;", "&lt;br&gt;", "<p>"] {
        for blank in [" ", "&#32;", "&nbsp;"] {
            let header = header.replace(' ', blank);
            let forged =
                format!("main.f{end}{end}{header}{end}main.evil(){end}\t/src/evil.go:3{end}x");
            let mut maker = Maker::new();
            let n1 = maker.input("n1", InputFormat::Debug2);
            let stack = maker.stack(&[
                (forged.as_bytes(), b"/src/main.go", 5),
                (end.as_bytes(), end.as_bytes(), 7),
                (b"main.work", forged.as_bytes(), 7),
            ]);
            let spec = maker.spec(n1, stack, &forged);
            maker.goroutine(&spec, 7, Wait::ZERO, None);
            maker.count(&spec, 2);
            let text = dump(&Fixture::new(maker));
            let back = read(&text);
            let frames: Vec<usize> =
                back.samples.iter().map(|sample| back.stack(sample.key.stack).len()).collect();
            assert!(frames.iter().all(|&frames| frames == 3), "{}", text.escape_ascii());
            assert_eq!(back.samples.iter().map(|sample| sample.count).sum::<i64>(), 3);
        }
    }
}

#[test]
fn a_dump_of_nothing_is_a_dump() {
    let text = dump(&Fixture::new(Maker::new()));
    let back = read(&text);
    assert_eq!((back.inputs.len(), back.samples.len()), (1, 0));
    assert!(back.inputs[0].complete());
}

#[test]
fn only_what_is_selected_is_written() {
    let mut fixture = Fixture::everything();
    let mut taken = vec![false; fixture.profile.goroutines.len()];
    taken[0] = true;
    fixture.selection.counts.iter_mut().for_each(|count| *count = 0);
    fixture.selection.counts[0] = 1;
    fixture.selection.goroutines = Some(taken);
    let back = read(&dump(&fixture));
    assert_eq!(back.goroutines.len(), 1);
    assert_eq!(back.goroutines[0].id, 17);
    assert_eq!(back.inputs.len(), 1);
}

#[test]
fn a_creator_may_be_known_by_its_id_alone() {
    let mut maker = Maker::new();
    let input = maker.input("n1", InputFormat::Debug0);
    let stack = maker.stack(&[(b"main.work", b"/src/main.go", 5)]);
    let spec = maker.spec(input, stack, "");
    maker.goroutine(&spec, 7, Wait::minutes(3.0), Some(5));
    let fixture = Fixture::new(maker);
    assert_eq!(content(&read(&dump(&fixture))), content(&fixture.profile));
}

/// Bytes of names and values: those of the grammar, and some that aren't UTF-8.
fn odd_text() -> impl Strategy<Value = Vec<u8>> {
    let alphabet: &[u8] = b"ab.0/ _-:=,;[](){}\"'\\\t\n\r\x00\x7f\xc3\xbc\xff@#";
    prop::collection::vec(prop::sample::select(alphabet), 0..12)
}

proptest! {
    #[test]
    fn labels_of_any_bytes_come_back(labels in prop::collection::vec((odd_text(), odd_text()), 0..4)) {
        let mut maker = Maker::new();
        let n1 = maker.input("n1", InputFormat::Debug2);
        let n2 = maker.input("n2", InputFormat::Debug1);
        let stack = maker.stack(&[(b"main.work", b"/src/main.go", 5)]);
        let pairs: Vec<(&[u8], &[u8])> =
            labels.iter().map(|(key, value)| (key.as_slice(), value.as_slice())).collect();
        let set = maker.labels(&pairs);
        let spec = maker.spec(n1, stack, "select");
        maker.goroutine(&crate::profile::SampleSpec { labels: set, ..spec }, 7, Wait::ZERO, None);
        let spec = maker.spec(n2, stack, "chan send");
        maker.count(&crate::profile::SampleSpec { labels: set, ..spec }, 2);
        let fixture = Fixture::new(maker);
        let text = dump(&fixture);
        prop_assert_eq!(
            content(&read(&text)), content(&fixture.profile), "{}", text.escape_ascii()
        );
    }

    #[test]
    fn waits_ids_and_lines_come_back(
        id in 1_u64.., creator in 0_u64..u64::MAX, wait in 0_u32..100_000, line in 0_i64..,
    ) {
        let mut maker = Maker::new();
        let n1 = maker.input("n1", InputFormat::Debug2);
        let stack = maker.stack(&[(b"main.work", b"/src/main.go", line)]);
        let mut spec = maker.spec(n1, stack, "select");
        spec.creator = Some(maker.builder.frame(b"main.start", b"/src/main.go", line));
        maker.goroutine(&spec, id, Wait::minutes(wait as f32 / 8.0), Some(creator));
        let fixture = Fixture::new(maker);
        prop_assert_eq!(content(&read(&dump(&fixture))), content(&fixture.profile));
    }
}

/// Names of functions, files and states that don't look like names.
fn odd_name() -> impl Strategy<Value = String> {
    let pieces = [
        "main.f",
        "a.go",
        "\t",
        "\n",
        "\r",
        "\0",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{2028}",
        "\u{a0}",
        "\u{200b}",
        "\\n",
        "\\t",
        "<br>",
        "&#10;",
        "&lt;",
        "^[[0m",
        "goroutine 7 [select]:",
        "created by ",
        "main.main()",
        "/a.go:3 +0x1",
        " ",
        ":",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "@ 0x1",
        "# labels: {",
        "...",
        "panic: ",
        "exit status 2",
        "goroutine profile: total 3",
        "--- ",
        "ü",
        "`",
        "|",
        "> ",
        "{\"a\":",
        "-----",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..5)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn names_make_no_goroutines_and_hide_none_without_a_word(
        func in odd_name(), file in odd_name(), state in odd_name(), has_ids in any::<bool>(),
    ) {
        let mut maker = Maker::new();
        let n1 = maker.input("n1", InputFormat::Debug2);
        let odd = maker.stack(&[(func.as_bytes(), file.as_bytes(), 5)]);
        let plain = maker.stack(&[(b"main.work", b"/src/main.go", 7)]);
        for (id, stack) in [(7, plain), (8, odd), (9, plain), (10, odd), (11, plain)] {
            let spec = maker.spec(n1, stack, &format!("select{state}"));
            if has_ids {
                maker.goroutine(&spec, id, Wait::ZERO, None);
            } else {
                maker.count(&spec, 2);
            }
        }
        let text = dump(&Fixture::new(maker));
        let back = read(&text);
        let count: i64 = back.samples.iter().map(|sample| sample.count).sum();
        let written = if has_ids { 5 } else { 10 };
        let is_told = back.inputs.iter().any(|input| !input.complete());
        prop_assert!(count == written || count < written && is_told, "{}: {}", count, text.escape_ascii());
    }
}
