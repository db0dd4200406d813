//! `-o folded`: `root;...;leaf N`, one line for each stack, sorted by bytes; flame graph tools read it.
//! With a base it is `root;...;leaf OLD NEW`, as they expect for differences.
//!
//! Frames are functions after trimming, so stacks that only differ in places are added up. A `;` in a name
//! becomes `:` and a line break a blank, as the format has no escapes.

use crate::view::calls::{Calls, Stack};
use crate::view::rows::saturated;
use crate::view::values::sums::Sums;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::{self, Write};

/// Writes the lines.
///
/// # Errors
/// The error of writing to `out`.
pub fn write(calls: &Calls<'_>, of_base: bool, out: &mut dyn Write) -> io::Result<()> {
    // Lists of names are held instead of lines: 4,000 stacks of long names, 370 KB packed, had 960 MB of these.
    let mut names = Names::default();
    let mut of_function: HashMap<u32, u32> = HashMap::new();
    let mut sums_of: HashMap<Vec<u32>, Sums> = HashMap::new();
    for Stack { sums, path, .. } in calls.stacks() {
        let path = path.iter().map(|&function| {
            let name = of_function.entry(function);
            *name.or_insert_with(|| names.add(calls.function(function).name))
        });
        *sums_of.entry(path.collect()).or_default() += sums;
    }
    let mut lines: Vec<_> = sums_of.into_iter().collect();
    lines.sort_unstable_by(|(a, _), (b, _)| names.compare(a, b));
    for (path, Sums { value, base, .. }) in lines {
        for (at, &name) in path.iter().enumerate() {
            if at > 0 {
                out.write_all(b";")?;
            }
            out.write_all(names.get(name))?;
        }
        if of_base {
            write!(out, " {}", saturated(base))?;
        }
        writeln!(out, " {}", saturated(value))?;
    }
    Ok(())
}

/// Names of functions as lines show them, each once.
#[derive(Default)]
struct Names {
    all: Vec<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u32>,
}

impl Names {
    /// The number of a name.
    fn add(&mut self, name: &[u8]) -> u32 {
        let shown: Vec<u8> = name
            .iter()
            .map(|byte| match byte {
                b';' => b':',
                b'\n' | b'\r' => b' ',
                byte => *byte,
            })
            .collect();
        *self.numbers.entry(shown).or_insert_with_key(|shown| {
            self.all.push(shown.clone());
            self.all.len().saturating_sub(1) as u32
        })
    }

    fn get(&self, number: u32) -> &[u8] {
        self.all.get(number as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// The order of two lines by bytes.
    fn compare(&self, a: &[u32], b: &[u32]) -> Ordering {
        let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let rest = |path: &[u32]| {
            let first = path.get(shared).map(|&name| self.get(name));
            (first, path.len() > shared.saturating_add(1))
        };
        match (rest(a), rest(b)) {
            ((Some(a), a_goes_on), (Some(b), b_goes_on)) => {
                let ends = |goes_on: bool| goes_on.then_some(b';');
                a.iter()
                    .copied()
                    .chain(ends(a_goes_on))
                    .cmp(b.iter().copied().chain(ends(b_goes_on)))
            }
            ((a, _), (b, _)) => a.is_some().cmp(&b.is_some()),
        }
    }
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
    fn lines_are_in_the_order_of_their_bytes() {
        let stacks =
            ["a", "a;b", "a;b;c", "a!;b", "a!", "a<", "a<;b", "ab", "a;b!", "a;b<;c", "a:b"];
        let counted: Vec<(&str, i64)> = stacks.iter().map(|&stack| (stack, 1)).collect();
        let text = folded(&counted, &[]);
        let lines: Vec<&str> = text.lines().map(|line| line.trim_end_matches(" 1")).collect();
        let mut sorted = stacks.to_vec();
        sorted.sort_unstable();
        assert_eq!(lines, sorted);
    }

    #[test]
    fn the_old_number_stands_in_front_of_the_new_one() {
        assert_eq!(folded(&[("a", 3), ("b", 1)], &[("a", 2), ("c", 4)]), "a 2 3\nb 0 1\nc 4 0\n");
    }
}
