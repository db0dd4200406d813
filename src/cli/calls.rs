//! Formats that show calls, and can compare them with a base.

use super::args::{BaseArgs, Common};
use super::emit::emit;
use super::screen::order;
use super::session::Session;
use crate::error::{Error, Result};
use crate::filter::Selection;
use crate::output::flamegraph::{Before, Picture};
use crate::output::numbers::counted;
use crate::output::{Output, callgrind, dot, folded, speedscope};
use crate::profile::{InputId, SampleId, TypeId};
use crate::source;
use crate::view::calls::Calls;
use crate::view::calls::flame::Flame;
use crate::view::goroutines::limit::first_stacks;
use crate::view::values::options::ValueOptions;

/// These formats.
pub(super) const KINDS: [Output; 5] =
    [Output::Folded, Output::Flamegraph, Output::Speedscope, Output::Callgrind, Output::Dot];

/// Formats, these and others, that can't have negative values.
const POSITIVE: [Output; 3] = [Output::Speedscope, Output::Callgrind, Output::Debug2];

/// Fails if there is a base and the format can't show what is less than in it.
pub(super) fn check_base(output: Output, base: &BaseArgs) -> Result<()> {
    if base.inputs().is_empty() || !POSITIVE.contains(&output) {
        return Ok(());
    }
    let what = format!("{} can't show a comparison", output.name());
    Err(Error::misuse("--base", what)
        .advise("use another format, as flamegraph, or stackgazer diff OLD NEW"))
}

/// Writes the selected stacks; if a base was subtracted, together with the base.
pub(super) fn write(
    session: &Session,
    common: &Common,
    value_options: &ValueOptions,
    output: Output,
) -> Result<()> {
    let (profile, names) = (&session.profile, &session.names);
    // For a graph, the limit is how many functions are drawn.
    let limit = common.output.limit.filter(|_| output != Output::Dot);
    let limited = limit.map(|limit| {
        first_stacks(profile, names, &session.selection, order(common.output.sort), limit)
    });
    let selection = limited.as_ref().unwrap_or(&session.selection);
    if output == Output::Speedscope {
        return write_speedscope(session, common, selection);
    }
    // A graph shows only the difference, the others both.
    let two = session.base.filter(|_| output != Output::Dot);
    let is_base = |input: InputId| two.is_some_and(|base| base.has_input(profile, input));
    let whole = session.whole.value(false);
    let value = |sample| {
        let count = selection.count(sample);
        // The base was subtracted: its counts are negative.
        if is_base(profile.sample(sample).key.input) { count.saturating_neg() } else { count }
    };
    let calls = Calls::of(profile, names, is_base, value);
    match output {
        Output::Callgrind => {
            let calls = calls.with_lines(profile);
            let document = callgrind::Document::new(profile, &calls);
            note_left_out(document.left_out(), "line", "KCachegrind");
            emit(&common.output, output, &mut |out| document.write(out))
        }
        Output::Flamegraph => {
            let flame = Flame::new(&calls, two.is_some())?;
            let inputs: Vec<&str> = profile.inputs.iter().map(|one| one.name.as_str()).collect();
            let arguments = source::argument_names(&session.arguments);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let picture = match two.and_then(|base| arguments.split_at_checked(base.from_point)) {
                Some((new, names)) => {
                    let before = Before { names, whole };
                    Picture::new(profile, &calls, &flame, new, Some(before))
                }
                None => Picture::new(profile, &calls, &flame, &inputs, None),
            };
            emit(&common.output, output, &mut |out| picture.write(out))
        }
        Output::Dot => emit(&common.output, output, &mut |out| {
            dot::write(profile, &calls, value_options, whole, out)
        }),
        _ => emit(&common.output, output, &mut |out| folded::write(&calls, two.is_some(), out)),
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
    let mut left_out = 0;
    emit(&common.output, Output::Speedscope, &mut |out| {
        left_out = document.write(out)?;
        Ok(())
    })?;
    note_left_out(left_out, "stack", "speedscope");
    Ok(())
}

fn note_left_out(count: usize, what: &str, who: &str) {
    if count > 0 {
        let left_out = counted(count as i128, what);
        super::say(format_args!("note: {left_out} left out: {who} shows no negative values"));
    }
}
