//! Formats that show what calls what, and may compare it with a base.

use super::args::Common;
use super::screen::order;
use super::session::{Session, emit, emit_escaped};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Selection;
use crate::output::flamegraph::Picture;
use crate::output::numbers::counted;
use crate::output::{Output, callgrind, dot, folded, speedscope};
use crate::profile::{InputId, SampleId, TypeId};
use crate::source;
use crate::view::calls::Calls;
use crate::view::flame::Flame;
use crate::view::limit::first_stacks;
use std::ffi::OsString;

/// These formats.
pub(super) const KINDS: [Output; 5] =
    [Output::Folded, Output::Flamegraph, Output::Speedscope, Output::Callgrind, Output::Dot];

/// Those that can tell two profiles apart.
const COMPARING: [Output; 2] = [Output::Folded, Output::Flamegraph];

/// The arguments with those of `--base` behind them, and which of them is the first of these.
pub(super) fn with_base(
    common: &Common,
    output: Output,
    base: &[OsString],
) -> Result<Option<(Common, usize)>> {
    if base.is_empty() {
        return Ok(None);
    }
    if !COMPARING.contains(&output) {
        let what = format!("{} can't show a comparison", output.name());
        return Err(Error::new(ErrorKind::Usage, "--base", what)
            .advise("use -o flamegraph or -o folded, or stackgazer diff OLD NEW"));
    }
    let mut common = common.clone();
    if common.input.inputs.is_empty() {
        common.input.inputs.push("-".into());
    }
    let first = common.input.inputs.len();
    common.input.inputs.extend_from_slice(base);
    Ok(Some((common, first)))
}

/// Writes what is selected. Arguments from `base` on are what it is compared with.
pub(super) fn write(
    session: &Session,
    common: &Common,
    output: Output,
    base: Option<usize>,
) -> Result<()> {
    let (profile, names) = (&session.profile, &session.names);
    // Of a graph, the limit is how many functions are drawn.
    let limit = common.output.limit.filter(|_| output != Output::Dot);
    let limited = limit.map(|limit| {
        first_stacks(profile, names, &session.selection, order(common.output.sort), limit)
    });
    let selection = limited.as_ref().unwrap_or(&session.selection);
    if output == Output::Speedscope {
        return write_speedscope(session, common, selection);
    }
    let is_base = |input: InputId| base.is_some_and(|first| profile.input(input).point >= first);
    let calls = Calls::new(profile, names, selection, is_base);
    match output {
        Output::Flamegraph => {
            let flame = Flame::new(&calls, base.is_some());
            let arguments = source::argument_names(&common.input.inputs);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let inputs: Vec<&str> = profile.inputs.iter().map(|one| one.name.as_str()).collect();
            let (new, base) = match base {
                Some(first) => (&arguments[..first], Some(&arguments[first..])),
                None => (&inputs[..], None),
            };
            let picture = Picture::new(profile, &calls, &flame, new, base);
            emit(&common.output, |out| picture.write(out))
        }
        Output::Callgrind => {
            note_left_out(callgrind::negative(&calls), "function", "KCachegrind");
            emit_escaped(&common.output, output, |out| callgrind::write(profile, &calls, out))
        }
        Output::Dot => {
            let nodes = common.output.limit.unwrap_or(dot::NODES);
            emit(&common.output, |out| dot::write(profile, &calls, nodes, out))
        }
        _ => emit_escaped(&common.output, output, |out| folded::write(&calls, base.is_some(), out)),
    }
}

fn write_speedscope(session: &Session, common: &Common, selection: &Selection) -> Result<()> {
    let profile = &session.profile;
    let value = |sample: SampleId, kind: Option<TypeId>| match kind {
        Some(kind) if profile.value_type() != Some(kind) => {
            if selection.has(sample) {
                profile.value(sample, kind)
            } else {
                0
            }
        }
        _ => selection.count(sample),
    };
    let document = speedscope::Document::new(profile, &session.names, &value);
    note_left_out(document.left_out(), "stack", "speedscope");
    emit_escaped(&common.output, Output::Json, |out| document.write(out))
}

fn note_left_out(count: usize, what: &str, who: &str) {
    if count > 0 {
        let left_out = counted(count as i128, what);
        super::say(format_args!("note: {left_out} left out: {who} shows no negative values"));
    }
}
