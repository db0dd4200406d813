//! `-o text`: for chats and issues, in the form that the browser tool copies.
//!
//! ```text
//! # CATEGORY → NAME
//!
//! goroutine 86,256 [select]:
//! goroutine 614 [select, 5m, k=v]:
//! 12 goroutines [chan receive]:
//!
//! net/http.(*persistConn).writeLoop
//!     /usr/local/go/src/net/http/transport.go:2519
//! ```
//! In other profiles a line has the values instead: `8.95 MiB inuse_space · 229 inuse_objects:`. With
//! several inputs the ids start with the input's name, and a stack in several inputs has a line `# INPUT`
//! above the goroutines of each.

mod arguments;

use super::groups::Frames;
use super::quantity::all_values;
use super::terminal::Screen;
use crate::group::Group;
use crate::profile::{InputId, Profile, Wait};
use crate::view::goroutines::arguments::SharedPointers;
use crate::view::goroutines::export::{Export, Stack, StackInput};
use std::cmp::Ordering;
use std::io::{self, Write};

/// Ids per line.
const IDS_PER_LINE: usize = 12;

/// Writes a block for each stack, with a blank line between blocks, without columns. With `shared`, the
/// pointers that several goroutines have as arguments, calls are shown with their arguments.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(
    export: &Export<'_>,
    frames: Frames,
    shared: Option<&SharedPointers>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let order = InputOrder::new(export.profile);
    let mut first = true;
    for category in &export.categories {
        // Some stacks only have values of other types, and in a difference a stack may cancel out.
        for stack in category.stacks.iter().filter(|stack| stack.facts.total != 0) {
            if !std::mem::take(&mut first) {
                out.write_all(b"\n")?;
            }
            out.write_all(b"# ")?;
            write_name(category.name, out)?;
            out.write_all(" → ".as_bytes())?;
            write_name(stack.name, out)?;
            out.write_all(b"\n\n")?;
            match shared {
                Some(shared) => arguments::write(export, &order, stack, shared, frames, out)?,
                None => {
                    write_inputs(export, &order, stack, out)?;
                    write_frames(export, stack, frames, None, out)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes a name, which can't start a line.
fn write_name(name: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let breaks = memchr::memchr2_iter(b'\n', b'\r', name);
    let mut from = 0;
    for at in breaks {
        out.write_all(&name[from..at])?;
        out.write_all(if name[at] == b'\n' { b"\\n" } else { b"\\r" })?;
        from = at + 1;
    }
    out.write_all(&name[from..])
}

fn write_inputs(
    export: &Export<'_>,
    order: &InputOrder,
    stack: &Stack<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let inputs = order.of(export, stack);
    for input in &inputs {
        let name = &export.profile.input(input.input).name;
        if inputs.len() > 1 {
            write_name(format!("# {name}").as_bytes(), out)?;
            out.write_all(b"\n")?;
        }
        let prefix = prefix(export.profile, input.input);
        // Groups that only differ in their creators are next to each other.
        let same =
            |a: &Group, b: &Group| (a.state, a.flags, a.labels) == (b.state, b.flags, b.labels);
        let mut alike: Vec<&[Group]> = export.groups(input).chunk_by(same).collect();
        alike.sort_by_key(|groups| groups.iter().map(|group| group.first).min());
        for groups in alike {
            write_groups(export, groups, &prefix, out)?;
        }
    }
    Ok(())
}

/// What stands in front of ids: the name of their input where there are several.
fn prefix(profile: &Profile, input: InputId) -> String {
    match profile.inputs.len() {
        0 | 1 => String::new(),
        _ => format!("{}.", Screen::PIPE.text(&profile.input(input).name)),
    }
}

/// Writes groups with one state, one set of flags and one set of labels.
fn write_groups(
    export: &Export<'_>,
    groups: &[Group],
    prefix: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(group) = groups.first() else { return Ok(()) };
    if !group.values.is_empty() {
        return write_values(export.profile, groups, out);
    }
    let only_counted: i128 = groups.iter().map(Group::only_counted).sum();
    if only_counted != 0 {
        // Plural even for one, like Go's own `1 minutes`, so one pattern finds all these lines.
        write!(out, "{only_counted} goroutines ")?;
        write_header(export.profile, group, None, out)?;
    }
    let goroutines = groups.iter().flat_map(|group| export.goroutines(group)).copied().collect();
    write_goroutines(export, group, goroutines, prefix, out)
}

/// Writes the goroutines of a group; those with the same wait together.
fn write_goroutines(
    export: &Export<'_>,
    group: &Group,
    mut goroutines: Vec<u32>,
    prefix: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    // An unknown wait counts as no wait.
    let wait = |at: u32| export.goroutine(at).wait.known().unwrap_or(0.0);
    goroutines.sort_by(|&a, &b| {
        let id = |at| (export.goroutine(at).id, at);
        wait(a).total_cmp(&wait(b)).then_with(|| id(a).cmp(&id(b)))
    });
    for same in goroutines.chunk_by(|&a, &b| wait(a) == wait(b)) {
        for line in same.chunks(IDS_PER_LINE) {
            let ids: Vec<String> =
                line.iter().map(|&at| format!("{prefix}{}", export.goroutine(at).id)).collect();
            write!(out, "goroutine {} ", ids.join(","))?;
            write_header(export.profile, group, Some(wait(line[0])), out)?;
        }
    }
    Ok(())
}

/// `8.95 MiB inuse_space · 229 inuse_objects [labels...]:`
fn write_values(profile: &Profile, groups: &[Group], out: &mut dyn Write) -> io::Result<()> {
    let Some(group) = groups.first() else { return Ok(()) };
    let mut sums = vec![0; group.values.len()];
    for group in groups {
        sums.iter_mut().zip(&group.values).for_each(|(sum, value)| *sum += value);
    }
    out.write_all(all_values(profile, &sums).as_bytes())?;
    let labels = profile.labels(group.labels).iter();
    let labels =
        labels.map(|label| [profile.str(label.key), &profile.label_text(label.value)].join(&b'='));
    match labels.collect::<Vec<_>>().join(&b", "[..]) {
        none if none.is_empty() => out.write_all(b":\n"),
        labels => {
            write_name(&[b" [", labels.as_slice(), b"]:"].concat(), out)?;
            out.write_all(b"\n")
        }
    }
}

/// `[state, 5m, flags..., labels...]:`
fn write_header(
    profile: &Profile,
    group: &Group,
    minutes: Option<f32>,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    write_name(group.state.map_or(b"unknown", |state| profile.str(state)), out)?;
    if let Some(minutes) = minutes.filter(|&minutes| Wait::minutes(minutes) != Wait::ZERO) {
        write!(out, ", {minutes}m")?;
    }
    for &flag in profile.flags(group.flags) {
        out.write_all(b", ")?;
        write_name(profile.str(flag), out)?;
    }
    for label in profile.labels(group.labels) {
        out.write_all(b", ")?;
        write_name(profile.str(label.key), out)?;
        out.write_all(b"=")?;
        write_name(&profile.label_text(label.value), out)?;
    }
    out.write_all(b"]:\n")
}

fn write_frames(
    export: &Export<'_>,
    stack: &Stack<'_>,
    style: Frames,
    shown: Option<&arguments::CallArguments<'_>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if style == Frames::None {
        return Ok(());
    }
    out.write_all(b"\n")?;
    let gap = stack.elided.map(|elided| (elided.after as usize, elided.count));
    let frames = export.profile.stack(stack.stack);
    for at in 0..=frames.len() {
        if let Some((after, count)) = gap
            && after.min(frames.len()) == at
        {
            match count {
                Some(count) => writeln!(out, "...{count} frames elided...")?,
                None => out.write_all(b"...additional frames elided...\n")?,
            }
        }
        let Some(&frame) = frames.get(at) else { break };
        if style != Frames::Places {
            write_name(export.names.func(frame), out)?;
            if let Some(shown) = shown
                && let Some(&text) = shown.texts.get(at)
            {
                let text = shown.shared.marked(shown.input, export.profile.str(text));
                write_name(&[b"(", text.as_slice(), b")"].concat(), out)?;
            }
            out.write_all(b"\n")?;
        }
        if style != Frames::Functions {
            out.write_all(b"\t")?;
            write_name(export.names.file(frame), out)?;
            writeln!(out, ":{}", export.profile.frame(frame).line)?;
        }
    }
    Ok(())
}

/// The browser tool's order of inputs: by number if all are named `n1`, `n2`, ..., else by name.
struct InputOrder {
    by_number: bool,
}

impl InputOrder {
    fn new(profile: &Profile) -> InputOrder {
        let numbered = |name: &str| {
            let digits = name.strip_prefix('n').unwrap_or("");
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        InputOrder { by_number: profile.inputs.iter().all(|input| numbered(&input.name)) }
    }

    /// The inputs of a stack.
    fn of<'a>(&self, export: &Export<'_>, stack: &'a Stack<'_>) -> Vec<&'a StackInput> {
        let mut inputs: Vec<&StackInput> = stack.inputs.iter().collect();
        inputs.sort_by(|a, b| self.compare(export.profile, a.input, b.input));
        inputs
    }

    fn compare(&self, profile: &Profile, a: InputId, b: InputId) -> Ordering {
        let (a, b) = (profile.input(a).name.as_bytes(), profile.input(b).name.as_bytes());
        match self.by_number {
            true => crate::group::order::natural(a, b),
            false => a.cmp(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, Maker};
    use super::*;
    use crate::profile::InputFormat;

    fn text(fixture: &Fixture, frames: Frames) -> String {
        let export = Export::new(&fixture.profile, &fixture.names, &fixture.selection);
        let mut out = Vec::new();
        write(&export, frames, None, &mut out).unwrap();
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn goroutines_of_one_wait_share_lines_of_at_most_twelve_ids() {
        let mut maker = Maker::new();
        let input = maker.input("n1", InputFormat::Debug2);
        let stack = maker.stack(&[(b"main.work", b"main.go", 9), (b"main.main", b"main.go", 3)]);
        let mut spec = maker.spec(input, stack, "select");
        spec.labels = maker.labels(&[(b"k", b"v")]);
        maker.goroutine(&spec, 30, Wait::minutes(5.0), None);
        for id in (1..=13).rev() {
            spec.creator = Some(maker.builder.frame(b"main.start", b"main.go", id as i64 % 2));
            maker.goroutine(&spec, id, Wait::ZERO, None);
        }
        let expected = "# main.main → main.work\n\n\
            goroutine 1,2,3,4,5,6,7,8,9,10,11,12 [select, k=v]:\n\
            goroutine 13 [select, k=v]:\n\
            goroutine 30 [select, 5m, k=v]:\n\n\
            main.work\n\tmain.go:9\nmain.main\n\tmain.go:3\n";
        assert_eq!(text(&Fixture::new(maker), Frames::Both), expected);
    }

    #[test]
    fn groups_stand_in_the_order_of_the_input() {
        let mut maker = Maker::new();
        let input = maker.input("n1", InputFormat::Debug2);
        let stack = maker.stack(&[(b"main.work", b"main.go", 9)]);
        for (id, state) in [(1, "select"), (2, "chan receive"), (3, "select")] {
            let spec = maker.spec(input, stack, state);
            maker.goroutine(&spec, id, Wait::ZERO, None);
        }
        let text = text(&Fixture::new(maker), Frames::None);
        assert_eq!(
            text,
            "# main.work → main.work\n\ngoroutine 1,3 [select]:\ngoroutine 2 [chan receive]:\n"
        );
    }

    #[test]
    fn several_inputs_are_told_apart() {
        let mut maker = Maker::new();
        let n10 = maker.input("n10", InputFormat::Debug2);
        let n2 = maker.input("n2", InputFormat::Debug1);
        let both = maker.stack(&[(b"main.both", b"main.go", 9)]);
        let one = maker.stack(&[(b"main.one", b"main.go", 9)]);
        let spec = maker.spec(n10, both, "select");
        maker.goroutine(&spec, 7, Wait::ZERO, None);
        let spec = maker.spec(n10, one, "select");
        maker.goroutine(&spec, 8, Wait::ZERO, None);
        let spec = maker.spec(n2, both, "");
        maker.count(&spec, 12);
        let text = text(&Fixture::new(maker), Frames::Functions);
        for expected in [
            "# n2\n12 goroutines [unknown]:\n# n10\ngoroutine n10.7 [select]:\n\nmain.both\n",
            "\n\ngoroutine n10.8 [select]:\n\nmain.one\n",
        ] {
            assert!(text.contains(expected), "{expected}\n---\n{text}");
        }
    }

    #[test]
    fn gaps_are_shown_where_they_are() {
        let text = text(&Fixture::everything(), Frames::Places);
        assert!(
            text.contains("\tC:/Program Files/app/main.go:7\n...23 frames elided...\n"),
            "{text}"
        );
    }
}
