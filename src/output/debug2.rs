//! `-o debug2`: a goroutine dump again, in the form of Go 1.27, in the order of the input.
//!
//! Goroutines with ids are written as debug=2 text. Those that an input only counts follow as a
//! debug=1 profile, whose records have two comments more than Go's where they are needed:
//! `# state: "select"` and `# flag: "leaked"`. Reading it back gives the same stacks, counts, ids,
//! states, waits, flags, labels, creators, gaps and ancestors.
//!
//! What a dump can't hold: the names of inputs (a line `input "n1":` stands above each of several,
//! and what is read back is one input where Go's text doesn't tell dumps apart), crashes and
//! warnings, hidden frames, units of labels, waits that are unknown in goroutines that aren't
//! leaked, line breaks in names.

use crate::filter::Selection;
use crate::group::order;
use crate::profile::{
    Ancestor, Elision, FrameId, InputId, LabelsId, Profile, SampleId, SampleKey, StackId, StrId,
    flag,
};
use crate::view::export::saturated;
use std::io::{self, Write};

/// Writes the dump.
pub fn write(profile: &Profile, selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let mut inputs = vec![Members::default(); profile.inputs.len()];
    let mut with_id = vec![0_i64; profile.samples.len()];
    for (at, goroutine) in profile.goroutines.iter().enumerate() {
        if selection.has_goroutine(profile, at) {
            let input = profile.sample(goroutine.sample).key.input;
            inputs[input.index()].goroutines.push(at);
            with_id[goroutine.sample.index()] += 1;
        }
    }
    for (id, sample) in profile.samples() {
        let rest = selection.count(id).saturating_sub(with_id[id.index()]);
        if rest != 0 {
            inputs[sample.key.input.index()].counted.push((id, rest));
        }
    }
    if inputs.iter().all(|members| members.goroutines.is_empty() && members.counted.is_empty()) {
        // Reads as a dump of nothing, which an empty file would not.
        return out.write_all(b"goroutine profile: total 0\n");
    }
    let mut texts: Vec<Option<Text>> = profile.samples.iter().map(|_| None).collect();
    for input in order::inputs(profile) {
        let members = &inputs[input.index()];
        if members.goroutines.is_empty() && members.counted.is_empty() {
            continue;
        }
        if profile.inputs.len() > 1 {
            writeln!(out, "input \"{}\":\n", one_word(&profile.input(input).name))?;
        }
        for &at in &members.goroutines {
            let goroutine = &profile.goroutines[at];
            let text = texts[goroutine.sample.index()]
                .get_or_insert_with(|| Text::new(profile, &profile.sample(goroutine.sample).key));
            text.write(profile, at, out)?;
            for ancestor in profile.ancestors.get(&at).into_iter().flatten() {
                write_ancestor(profile, ancestor, out)?;
            }
            out.write_all(b"\n")?;
        }
        if !members.counted.is_empty() {
            write_counted(profile, input, &members.counted, out)?;
        }
    }
    Ok(())
}

/// What is selected of an input.
#[derive(Clone, Default)]
struct Members {
    /// Positions of goroutines with ids.
    goroutines: Vec<usize>,
    /// How many of a sample have none.
    counted: Vec<(SampleId, i64)>,
}

/// The text of a sample's goroutines, made once.
struct Text {
    /// From the bracket up to the wait.
    state: Vec<u8>,
    /// From the wait to the end of the line.
    rest: Vec<u8>,
    /// The frames.
    body: Vec<u8>,
    /// `created by F`, and the place behind it.
    creator: Option<(Vec<u8>, Vec<u8>)>,
}

impl Text {
    fn new(profile: &Profile, key: &SampleKey) -> Text {
        let mut state = key.state.map_or(Vec::new(), |state| one_line(profile.str(state)));
        let mut rest = Vec::new();
        for decoration in [flag::LEAKED, flag::SCAN, flag::DURABLE] {
            if profile.has_flag(key.flags, decoration) {
                state.extend_from_slice(&[b" (", decoration, b")"].concat());
            }
        }
        for &name in profile.flags(key.flags) {
            let name = profile.str(name);
            let elsewhere = [flag::LEAKED, flag::SCAN, flag::DURABLE, flag::UNAVAILABLE];
            if !elsewhere.contains(&name) {
                rest.extend_from_slice(b", ");
                rest.extend_from_slice(&one_line(name));
            }
        }
        rest.push(b']');
        push_labels(profile, key.labels, &mut rest);
        rest.extend_from_slice(b":\n");
        let mut body = Vec::new();
        if profile.has_flag(key.flags, flag::UNAVAILABLE) {
            body.extend_from_slice(b"\tgoroutine running on other thread; stack unavailable\n");
        }
        push_frames(profile, key.stack, key.elided, &[], &mut body);
        let creator = key.creator.map(|frame| {
            let frame = profile.frame(frame);
            let func = one_line(profile.str(frame.func));
            ([b"created by ", func.as_slice()].concat(), place(profile.str(frame.file), frame.line))
        });
        Text { state, rest, body, creator }
    }

    fn write(&self, profile: &Profile, at: usize, out: &mut dyn Write) -> io::Result<()> {
        let goroutine = &profile.goroutines[at];
        write!(out, "goroutine {} [", goroutine.id)?;
        out.write_all(&self.state)?;
        if let Some(minutes) = goroutine.wait.known().filter(|&minutes| minutes != 0.0) {
            write!(out, ", {minutes} minutes")?;
        }
        out.write_all(&self.rest)?;
        match profile.arguments_of(at) {
            [] => out.write_all(&self.body)?,
            texts => {
                let key = &profile.sample(goroutine.sample).key;
                let mut body = Vec::with_capacity(self.body.len() + 64);
                push_frames(profile, key.stack, key.elided, texts, &mut body);
                out.write_all(&body)?;
            }
        }
        match (&self.creator, goroutine.creator()) {
            (Some((creator, place)), id) => {
                out.write_all(creator)?;
                if let Some(id) = id {
                    write!(out, " in goroutine {id}")?;
                }
                out.write_all(b"\n")?;
                out.write_all(place)
            }
            // Only protos tell who without telling where.
            (None, Some(id)) => writeln!(out, "created by  in goroutine {id}"),
            (None, None) => Ok(()),
        }
    }
}

fn write_ancestor(profile: &Profile, ancestor: &Ancestor, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "[originating from goroutine {}]:", ancestor.id)?;
    let mut text = Vec::new();
    push_frames(profile, ancestor.stack, None, &[], &mut text);
    if let Some(creator) = ancestor.creator {
        let frame = profile.frame(creator);
        text.extend_from_slice(b"created by ");
        text.extend_from_slice(&one_line(profile.str(frame.func)));
        text.push(b'\n');
        text.extend_from_slice(&place(profile.str(frame.file), frame.line));
    }
    out.write_all(&text)
}

/// Writes frames, with what their calls were given as far as that is known.
fn push_frames(
    profile: &Profile,
    stack: StackId,
    gap: Option<Elision>,
    arguments: &[StrId],
    text: &mut Vec<u8>,
) {
    let frames = profile.stack(stack);
    for at in 0..=frames.len() {
        if let Some(gap) = gap
            && frames.len().min(gap.after as usize) == at
        {
            match gap.count {
                Some(count) => {
                    text.extend_from_slice(format!("...{count} frames elided...\n").as_bytes());
                }
                None => text.extend_from_slice(b"...additional frames elided...\n"),
            }
        }
        let Some(&frame) = frames.get(at) else { break };
        let given = arguments.get(at).map_or(&b"..."[..], |&given| profile.str(given));
        push_frame(profile, frame, given, text);
    }
}

fn push_frame(profile: &Profile, frame: FrameId, arguments: &[u8], text: &mut Vec<u8>) {
    let frame = profile.frame(frame);
    let func = one_line(profile.str(frame.func));
    text.extend_from_slice(&func);
    if func.starts_with(b"non-Go function at pc=") {
        // Go has one line for these.
        text.push(b'\n');
        return;
    }
    // What isn't a Go function has no parentheses; blanks would make the line look like text.
    if !func.contains(&b' ') || func.starts_with(b"type:.") {
        text.extend_from_slice(&[b"(", one_line(arguments).as_slice(), b")"].concat());
    }
    text.push(b'\n');
    text.extend_from_slice(&place(profile.str(frame.file), frame.line));
}

/// The line below a function.
fn place(file: &[u8], line: i64) -> Vec<u8> {
    if file.is_empty() {
        // As Go shows frames of C without a symbolizer: an address, which isn't known any more.
        return b"\tpc=0x0\n".to_vec();
    }
    [b"\t", one_line(file).as_slice(), format!(":{line}\n").as_bytes()].concat()
}

/// Goroutines without ids, as debug=1 text.
fn write_counted(
    profile: &Profile,
    input: InputId,
    counted: &[(SampleId, i64)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let total: i128 = counted.iter().map(|(_, count)| i128::from(*count)).sum();
    let leaks = profile.input(input).format.is_leak_profile();
    let name = if leaks { "goroutineleak" } else { "goroutine" };
    writeln!(out, "{name} profile: total {}", saturated(total))?;
    for &(id, count) in counted {
        let key = &profile.sample(id).key;
        writeln!(out, "{count} @")?;
        let labels = profile.labels(key.labels);
        if !labels.is_empty() {
            let pair = |label: &crate::profile::Label| {
                let value = quoted(&profile.label_text(label.value));
                format!("{}:{value}", quoted(profile.str(label.key)))
            };
            let pairs: Vec<String> = labels.iter().map(pair).collect();
            writeln!(out, "# labels: {{{}}}", pairs.join(", "))?;
        }
        if let Some(state) = key.state {
            writeln!(out, "# state: {}", quoted(profile.str(state)))?;
        }
        for &name in profile.flags(key.flags) {
            let name = profile.str(name);
            if !(leaks && name == flag::LEAKED) {
                writeln!(out, "# flag: {}", quoted(name))?;
            }
        }
        for &frame in profile.stack(key.stack) {
            let frame = profile.frame(frame);
            let (func, file) = (profile.str(frame.func), profile.str(frame.file));
            if file.is_empty() && frame.line == 0 && func.starts_with(b"0x") {
                out.write_all(&[b"#\t", func, b"\n"].concat())?;
                continue;
            }
            out.write_all(b"#\t0x0\t")?;
            out.write_all(&one_line(func))?;
            out.write_all(b"+0x0\t")?;
            out.write_all(&one_line(file))?;
            writeln!(out, ":{}", frame.line)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// ` {k: v, "a b": "c d"}`, as Go 1.27 writes labels.
fn push_labels(profile: &Profile, labels: LabelsId, text: &mut Vec<u8>) {
    let labels = profile.labels(labels);
    for (at, label) in labels.iter().enumerate() {
        text.extend_from_slice(if at == 0 { b" {" } else { b", " });
        text.extend_from_slice(word(profile.str(label.key)).as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(word(&profile.label_text(label.value)).as_bytes());
    }
    if !labels.is_empty() {
        text.push(b'}');
    }
}

/// A key or value of a label: quoted where Go 1.27 quotes it.
fn word(text: &[u8]) -> String {
    let bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"./_".contains(byte);
    if text.iter().all(bare) { String::from_utf8_lossy(text).into_owned() } else { quoted(text) }
}

/// Text in quotes, escaped as the runtime does it: ASCII only, odd bytes as `\xNN`.
fn quoted(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                '"' | '\\' => quoted.extend(['\\', char]),
                ' '..='~' => quoted.push(char),
                '\0'..='\x1f' => quoted.push_str(&format!("\\x{:02x}", u32::from(char))),
                '\x7f'..='\u{ffff}' => quoted.push_str(&format!("\\u{:04x}", u32::from(char))),
                _ => quoted.push_str(&format!("\\U{:08x}", u32::from(char))),
            }
        }
        for byte in chunk.invalid() {
            quoted.push_str(&format!("\\x{byte:02x}"));
        }
    }
    quoted.push('"');
    quoted
}

/// A name of an input without what could read as a header, a call or a quoted text in it.
fn one_word(name: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "._-/#!@+~".contains(char);
    name.chars().map(|char| if plain(char) { char } else { '_' }).collect()
}

/// Text that stays on its line.
fn one_line(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }).collect()
}

#[cfg(test)]
mod tests {
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

    /// Everything that a dump holds, whichever input it came from: groups and their goroutines.
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
        let stack = |id: StackId| -> Vec<String> {
            profile.stack(id).iter().map(|&id| frame(id)).collect()
        };
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
        let lost: Vec<_> = back.inputs.iter().flat_map(|input| &input.warnings).collect();
        assert!(lost.is_empty(), "{lost:?}");
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
        let stack = maker.stack(&[(b"main.leak", b"/src/main.go", 5), (b"0x4a7b", b"", 0)]);
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

    /// Bytes of names and values: what the grammar is made of, and some that aren't UTF-8.
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
}
