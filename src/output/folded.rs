//! `-o folded`: `root;...;leaf N`, one line for each stack, sorted by bytes; flame graph tools read it.
//! With a base it is `root;...;leaf OLD NEW`, as they expect for differences.
//!
//! Frames are functions after trimming, so stacks that only differ in places are added up. A `;` in a name
//! becomes `:` and a line break a blank, as the format has no escapes.

use crate::view::calls::{Calls, Stack};
use crate::view::rows::saturated;
use crate::view::values::sums::Sums;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the lines.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(calls: &Calls<'_>, of_base: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut lines: BTreeMap<Vec<u8>, Sums> = BTreeMap::new();
    for Stack { sums, path, .. } in calls.stacks() {
        let mut line = Vec::new();
        for &function in path {
            if !line.is_empty() {
                line.push(b';');
            }
            line.extend(calls.function(function).name.iter().map(|byte| match byte {
                b';' => b':',
                b'\n' | b'\r' => b' ',
                byte => *byte,
            }));
        }
        *lines.entry(line).or_default() += sums;
    }
    for (line, Sums { value, base, .. }) in lines {
        out.write_all(&line)?;
        if of_base {
            write!(out, " {}", saturated(base))?;
        }
        writeln!(out, " {}", saturated(value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::calls::tests::{calls, fixture};

    fn folded(new: &[(&str, i64)], base: &[(&str, i64)]) -> String {
        let fixture = fixture(new, base);
        let mut out = Vec::new();
        write(&calls(&fixture), !base.is_empty(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_goes_from_the_root_to_the_leaf_and_ends_in_the_sum() {
        let text = folded(&[("main.a;main.b", 3), ("main.a;main.b", 4), ("", 1)], &[]);
        assert_eq!(text, "<no frames> 1\nmain.a;main.b 7\n");
    }

    #[test]
    fn names_cannot_end_a_frame_or_a_line() {
        let mut fixture = crate::view::fixture::Fixture::new("n1");
        let odd = "main.b;1\n2";
        let frames = &[odd, "main.a"];
        fixture.add(crate::view::fixture::G { frames, ..Default::default() });
        let fixture = fixture.done();
        let mut out = Vec::new();
        write(&calls(&fixture), false, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "main.a;main.b:1 2 1\n");
    }

    #[test]
    fn the_old_number_stands_in_front_of_the_new_one() {
        assert_eq!(folded(&[("a", 3), ("b", 1)], &[("a", 2), ("c", 4)]), "a 2 3\nb 0 1\nc 4 0\n");
    }
}
