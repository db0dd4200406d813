//! `-o debug2`: writes a goroutine dump in the form of Go 1.27, in the order of the input.
//!
//! Goroutines with ids are written as debug=2 text. Those that an input only counts follow as a debug=1
//! profile, whose records have two more comments than Go's if they are needed:
//! `# state: "select"` and `# flag: "leaked"`. Reading it back yields the same stacks, counts, ids, states,
//! waits, flags, labels, creators, gaps and ancestors.
//!
//! Not written: the names of inputs (each of several has a line `input "n1":` before it, but reading back
//! yields one input unless Go's text separates the dumps), crashes, warnings (but a line says that something
//! was lost), hidden frames, units of labels, that a wait is unknown (unless the goroutine is leaked), and line breaks in names.

#[cfg(test)]
mod tests;

use crate::filter::Selection;
use crate::format::bruise::starts_with_html;
use crate::group::order;
use crate::profile::quote::{quoted, word};
use crate::profile::{
    Ancestor, Elision, FrameId, InputId, LabelsId, Profile, SampleId, SampleKey, StackId, StrId,
    UNKNOWN, flag, is_address,
};
use crate::view::rows::saturated;
use bstr::ByteSlice;
use std::io::{self, Write};

/// Stands below the goroutines of an input that was not read whole: reading it back tells that, too.
const NOTICE: &[u8] = b"[the dump was truncated or damaged]\n\n";

/// Writes the dump.
///
/// # Errors
/// The error of writing to `out`.
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
        // Reads as a dump without goroutines, unlike an empty file.
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
        if !profile.input(input).complete() {
            out.write_all(NOTICE)?;
        }
    }
    Ok(())
}

/// The selected part of an input.
#[derive(Clone, Default)]
struct Members {
    /// Positions of goroutines with ids.
    goroutines: Vec<usize>,
    /// Samples, and how many of their goroutines have no ids.
    counted: Vec<(SampleId, i64)>,
}

/// The text of a sample's goroutines, made once.
struct Text {
    /// From the bracket to the wait.
    state: Vec<u8>,
    /// From the wait to the end of the line.
    rest: Vec<u8>,
    /// The frames.
    body: Vec<u8>,
    /// `created by F`, and the line after it.
    creator_lines: Option<(Vec<u8>, Vec<u8>)>,
}

impl Text {
    fn new(profile: &Profile, key: &SampleKey) -> Text {
        let mut state = key.state.map_or(Vec::new(), |state| in_header(profile.str(state)));
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
                rest.extend_from_slice(&in_header(name));
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
        let creator_lines = key.creator.map(|frame| {
            let frame = profile.frame(frame);
            let func = name(profile.str(frame.func));
            ([b"created by ", func.as_slice()].concat(), place(profile.str(frame.file), frame.line))
        });
        Text { state, rest, body, creator_lines }
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
            // `body` has `...` in place of arguments, which differ between goroutines.
            texts => {
                let key = &profile.sample(goroutine.sample).key;
                let mut body = Vec::with_capacity(self.body.len() + 64);
                push_frames(profile, key.stack, key.elided, texts, &mut body);
                out.write_all(&body)?;
            }
        }
        match (&self.creator_lines, goroutine.creator()) {
            (Some((creator, place)), id) => {
                out.write_all(creator)?;
                if let Some(id) = id {
                    write!(out, " in goroutine {id}")?;
                }
                out.write_all(b"\n")?;
                out.write_all(place)
            }
            // Only protos have the creator's id without its function: an empty name, which reads back.
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

/// Writes frames, with their arguments as far as those are known.
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
    let func = name(profile.str(frame.func));
    text.extend_from_slice(&func);
    if func.starts_with(b"non-Go function at pc=") {
        // Go prints a single line for these.
        text.push(b'\n');
        return;
    }
    // Names of non-Go functions have no parentheses; blanks would make the line look like text.
    if !func.contains(&b' ') || func.starts_with(b"type:.") {
        text.extend_from_slice(&[b"(", one_line(arguments).as_slice(), b")"].concat());
    }
    text.push(b'\n');
    text.extend_from_slice(&place(profile.str(frame.file), frame.line));
}

/// The name of a function. Names of C++ can have blanks; in others, blanks could make it read as another
/// line, even as a header.
fn name(func: &[u8]) -> Vec<u8> {
    let func = one_line(func);
    if func.trim_ascii().is_empty() {
        return UNKNOWN.to_vec();
    }
    let may_hold =
        [&b"type:."[..], b"non-Go function at pc="].iter().any(|start| func.starts_with(start));
    match may_hold || is_cpp(&func) {
        true => func,
        false => func.into_iter().map(|byte| if byte == b' ' { b'_' } else { byte }).collect(),
    }
}

/// `std::vector<int, std::allocator<int> >::push_back(int const&)`
fn is_cpp(func: &[u8]) -> bool {
    let word = func.split(|&byte| byte == b' ').next().unwrap_or_default();
    word.contains_str("::") || word.contains(&b'<')
}

/// The line below a function.
fn place(file: &[u8], line: i64) -> Vec<u8> {
    let file = one_line(file);
    if file.trim_ascii().is_empty() {
        // As Go prints frames of C without a symbolizer: an address, which isn't known here.
        return b"\tpc=0x0\n".to_vec();
    }
    [b"\t", file.as_slice(), format!(":{line}\n").as_bytes()].concat()
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
            if frame.line == 0 && func == UNKNOWN && (file.is_empty() || is_address(func, file)) {
                let address = if file.is_empty() { b"0x0" } else { file };
                out.write_all(&[b"#\t", address, b"\n"].concat())?;
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

/// The name of an input, without characters that could make it read as a header, a call or a quoted text.
fn one_word(name: &str) -> String {
    let plain = |char: char| char.is_alphanumeric() || "._-/#!@+~".contains(char);
    name.chars().map(|char| if plain(char) { char } else { '_' }).collect()
}

/// A state or a flag, without characters that would end it in a header.
fn in_header(text: &[u8]) -> Vec<u8> {
    let ends = |byte: &u8| b",[]{}:\"".contains(byte);
    one_line(text).into_iter().map(|byte| if ends(&byte) { b'_' } else { byte }).collect()
}

/// Text on one line, in its column: each line break, invisible character or terminal colour that a reader
/// may interpret becomes a blank.
pub(super) fn one_line(text: &[u8]) -> Vec<u8> {
    let is_odd = |char: char| {
        let is_invisible = matches!(char, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
        char.is_control() || char.is_whitespace() || is_invisible
    };
    let mut line = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        let plain = chunk.valid().replace(is_odd, " ");
        line.extend_from_slice(plain.as_bytes());
        line.extend_from_slice(chunk.invalid());
    }
    for at in memchr::memchr2_iter(b'<', b'&', &line.clone()) {
        // A line break or a blank as HTML is no different; `<` and `&` in names of C++ and Rust are kept.
        if line.get(at..).is_some_and(starts_with_html) {
            line[at] = b'_';
        }
    }
    // The start of a header isn't left as two words, whatever a log does with the text before it.
    line.replace("oroutine ", "oroutine_")
}
