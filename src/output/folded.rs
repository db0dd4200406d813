//! `-o folded`: `root;...;leaf N`, one line for each stack, sorted by bytes; what flame graph
//! tools read.
//!
//! Frames are functions after trimming, so stacks that differ only in places are added up. A `;`
//! in a name becomes `:` and a line break a blank, as the format has no escapes.

use crate::filter::Selection;
use crate::profile::Profile;
use crate::rules::Names;
use crate::view::export::saturated;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What stands for a stack without frames.
const NO_FRAMES: &[u8] = b"<no frames>";

/// Writes the lines.
pub fn write(
    profile: &Profile,
    names: &Names,
    selection: &Selection,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut stacks = vec![0_i128; profile.stack_count()];
    for (id, sample) in profile.samples() {
        stacks[sample.key.stack.index()] += i128::from(selection.count(id));
    }
    let mut lines: BTreeMap<Vec<u8>, i128> = BTreeMap::new();
    for (stack, count) in profile.stacks().zip(stacks) {
        if count == 0 {
            continue;
        }
        let mut line = Vec::new();
        for &frame in profile.stack(stack).iter().rev() {
            if !line.is_empty() {
                line.push(b';');
            }
            line.extend(names.func(frame).iter().map(|byte| match byte {
                b';' => b':',
                b'\n' | b'\r' => b' ',
                byte => *byte,
            }));
        }
        if line.is_empty() {
            line.extend_from_slice(NO_FRAMES);
        }
        *lines.entry(line).or_default() += count;
    }
    for (line, count) in lines {
        out.write_all(&line)?;
        writeln!(out, " {}", saturated(count))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, Maker};
    use super::*;
    use crate::profile::{InputFormat, StackId};

    #[test]
    fn a_line_goes_from_the_root_to_the_leaf_and_ends_in_the_sum() {
        let mut maker = Maker::new();
        let input = maker.input("n1", InputFormat::Debug1);
        for (line, count) in [(7, 3), (8, 4)] {
            let stack =
                maker.stack(&[(b"main.b;1\n2", b"main.go", line), (b"main.a", b"main.go", 2)]);
            let spec = maker.spec(input, stack, "");
            maker.count(&spec, count);
        }
        let spec = maker.spec(input, StackId::EMPTY, "");
        maker.count(&spec, 1);
        let fixture = Fixture::new(maker);
        let mut out = Vec::new();
        write(&fixture.profile, &fixture.names, &fixture.selection, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "<no frames> 1\nmain.a;main.b:1 2 7\n");
    }
}
