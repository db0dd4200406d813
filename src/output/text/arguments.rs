//! Stacks with the arguments of their calls: a block for each distinct list of arguments.

use super::{Frames, InputOrder, prefix, write_frames, write_groups, write_inputs};
use crate::group::Group;
use crate::profile::InputId;
use crate::view::goroutines::arguments::SharedPointers;
use crate::view::goroutines::export::{Export, Stack, StackInput};
use std::io::{self, Write};

/// The arguments to show.
pub(super) struct CallArguments<'a> {
    pub(super) shared: &'a SharedPointers,
    pub(super) input: InputId,
    /// The arguments of each call, leaf first.
    pub(super) texts: &'a [crate::profile::StrId],
}

/// Writes a stack: its goroutines by the arguments of their calls, each list with the frames.
pub(super) fn write(
    export: &Export<'_>,
    order: &InputOrder,
    stack: &Stack<'_>,
    shared: &SharedPointers,
    frames: Frames,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profile = export.profile;
    let mut first = true;
    let mut is_written = false;
    for input in order.of(export, stack) {
        let mut members: Vec<(u32, usize, u32)> = Vec::new();
        for (at, group) in export.groups(input).iter().enumerate() {
            let goroutines = export.goroutines(group).iter();
            members.extend(goroutines.map(|&one| (profile.argument_list(one as usize), at, one)));
        }
        // In the order of their first goroutine.
        let mut firsts: std::collections::BTreeMap<u32, u64> = Default::default();
        for &(list, _, one) in &members {
            let id = export.goroutine(one).id;
            firsts.entry(list).and_modify(|first| *first = id.min(*first)).or_insert(id);
        }
        members.sort_by_key(|&(list, group, one)| {
            (firsts[&list], list, group, export.goroutine(one).id)
        });
        for same in members.chunk_by(|a, b| a.0 == b.0) {
            if !std::mem::take(&mut first) {
                out.write_all(b"\n")?;
            }
            let prefix = prefix(profile, input.input);
            for of_group in same.chunk_by(|a, b| a.1 == b.1) {
                let group: &Group = &export.groups(input)[of_group[0].1];
                let goroutines: Vec<u32> = of_group.iter().map(|one| one.2).collect();
                super::write_goroutines(export, group, goroutines, &prefix, out)?;
            }
            let texts = profile.arguments.texts(same[0].0);
            let shown = CallArguments { shared, input: input.input, texts };
            write_frames(export, stack, frames, Some(&shown), out)?;
            is_written = true;
        }
    }
    let counted =
        |input: &StackInput| export.groups(input).iter().any(|one| one.only_counted() != 0);
    if !is_written {
        write_inputs(export, order, stack, out)?;
        return write_frames(export, stack, frames, None, out);
    }
    for input in stack.inputs.iter().filter(|input| counted(input)) {
        out.write_all(b"\n")?;
        for group in export.groups(input).iter().filter(|one| one.only_counted() != 0) {
            write_groups(export, std::slice::from_ref(group), "", out)?;
        }
        write_frames(export, stack, frames, None, out)?;
    }
    Ok(())
}
