//! Compares goroutines with whole paths that were guessed.

use super::Records;
use super::templates::{Sort, TemplateId, Templates, Texts};
use crate::format::traceback::number::short_number;
use crate::simd::{Kernel, Task, WIDTH};

/// A path found in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundPath {
    pub(super) path: u32,
    /// The goroutine of its creator.
    pub(super) creator: Option<u64>,
    /// Whether Go elided frames.
    pub(super) elided: bool,
}

impl Records {
    /// The path of a text, if it is the guessed one.
    #[inline(always)]
    pub(super) fn follow(&self, text: &[u8], path: u32, kernel: impl Kernel) -> Option<FoundPath> {
        let templates = self.paths.templates(path)?;
        let lines = Lines { texts: &self.templates, text };
        let following = Following { lines, ends: self.ends.get(), path: templates };
        let creator = kernel.run(following)?;
        Some(FoundPath { path, creator, elided: false })
    }
}

/// Compares a text with a path: a task of its own, because one function with everything else has
/// too few registers, which made it a third slower.
struct Following<'a> {
    lines: Lines<'a>,
    ends: &'a [u16],
    path: &'a [TemplateId],
}

impl Task for Following<'_> {
    /// The goroutine of the creator, if the text has this path.
    type Output = Option<Option<u64>>;

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> Option<Option<u64>> {
        let Following { lines, ends, path } = self;
        let [before, steps @ .., _, _] = ends else { return None };
        let (steps, [newline]) = steps.as_chunks::<2>() else { return None };
        let (last, calls) = path.split_last()?;
        if steps.len() != calls.len() {
            return None;
        }
        let texts = lines.texts.all();
        let (mut before, mut followed) = (*before, 0_usize);
        for (&[newline, end], &template) in steps.iter().zip(calls) {
            let differing = match texts.get(template.index()) {
                Some(texts) => plain_call(texts, lines.text, before, newline, kernel),
                None => None,
            };
            match differing {
                Some(0) => {}
                Some(_) => return None,
                None => break,
            }
            followed = followed.wrapping_add(1);
            before = end;
        }
        if followed < calls.len() {
            let (steps, calls) = (steps.get(followed..)?, calls.get(followed..)?);
            before = kernel.run(FollowingCalls { lines, before, steps, calls })?;
        }
        lines.step(before, *newline, *last, kernel)?.creator(kernel)
    }
}

/// The bytes that differ from those of a call, if the call is like most calls; `None` if it isn't,
/// which needs [`FollowingCalls`].
///
/// If this called another function, the loop around it would have its values on the stack.
#[inline(always)]
fn plain_call(
    texts: &Texts,
    text: &[u8],
    before: u16,
    newline: u16,
    kernel: impl Kernel,
) -> Option<u64> {
    let start = usize::from(before).wrapping_add(1);
    let arguments = start.wrapping_add(usize::from(texts.prefix));
    let between =
        usize::from(newline).wrapping_sub(usize::from(texts.lead)).wrapping_sub(arguments);
    if between >= WIDTH || !texts.plain {
        return None;
    }
    if text.get(arguments) == Some(&b'.') {
        // An inlined call has another template.
        return Some(1);
    }
    let window = |at: usize| text.get(at..at.wrapping_add(WIDTH))?.first_chunk();
    let (prefix, suffix) = (window(start)?, window(arguments.wrapping_add(between))?);
    let parentheses = kernel.compare(window(arguments)?, &[b'('; WIDTH]);
    Some(texts.differing_bytes(prefix, suffix, kernel) | parentheses & !(u64::MAX << between))
}

/// Compares a text with the calls of a path, of whatever form.
struct FollowingCalls<'a> {
    lines: Lines<'a>,
    before: u16,
    steps: &'a [[u16; 2]],
    calls: &'a [TemplateId],
}

impl Task for FollowingCalls<'_> {
    /// Where the last line of the calls ends.
    type Output = Option<u16>;

    #[inline(always)]
    fn run(self, kernel: impl Kernel) -> Option<u16> {
        let FollowingCalls { lines, mut before, steps, calls } = self;
        for (&[newline, end], &template) in steps.iter().zip(calls) {
            let step = lines.step(before, newline, template, kernel)?;
            if step.sort != Sort::Call || step.has_parenthesis(kernel) {
                return None;
            }
            before = end;
        }
        Some(before)
    }
}

/// The lines of a goroutine, to be compared with templates.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    pub(super) texts: &'a Templates,
    pub(super) text: &'a [u8],
}

impl<'a> Lines<'a> {
    /// The step after the line that ends at `before`, if it is that of the template; its first line
    /// ends at `newline`.
    #[inline(always)]
    pub(super) fn step(
        &self,
        before: u16,
        newline: u16,
        template: TemplateId,
        kernel: impl Kernel,
    ) -> Option<Step<'a>> {
        let text = self.text;
        let texts = self.texts.texts(template)?;
        let start = (before as usize).wrapping_add(1);
        let end = (newline as usize).wrapping_sub(usize::from(texts.lead));
        let after = start.wrapping_add(usize::from(texts.prefix));
        let matches = self.texts.starts_match(texts, text.get(start..)?, text.get(end..)?, kernel);
        if !matches || !texts.whole {
            return None;
        }
        Some(Step { sort: texts.sort, text: text.get(after..)?, between: end.checked_sub(after)? })
    }
}

/// A step whose lines match a template.
pub(super) struct Step<'a> {
    pub(super) sort: Sort,
    /// The text from the end of the template's prefix.
    text: &'a [u8],
    /// The number of bytes between its prefix and its suffix.
    between: usize,
}

impl Step<'_> {
    /// Whether the arguments of a call contain a parenthesis, or are those of an inlined one, which has another template.
    #[inline(always)]
    fn has_parenthesis(&self, kernel: impl Kernel) -> bool {
        if self.text.first() == Some(&b'.') {
            return true;
        }
        match self.text.first_chunk() {
            Some(window) if self.between < WIDTH => {
                kernel.compare(window, &[b'('; WIDTH]) & !(u64::MAX << self.between) != 0
            }
            _ => {
                let between = self.text.get(..self.between);
                between.is_none_or(|text| memchr::memchr(b'(', text).is_some())
            }
        }
    }

    /// The goroutine of the creator, if there is one; `None` if the text between prefix and suffix
    /// isn't what the sort of step has there.
    #[inline(always)]
    pub(super) fn creator(&self, kernel: impl Kernel) -> Option<Option<u64>> {
        match self.sort {
            Sort::Creator => {
                let (id, rest) = short_number(self.text)?;
                let digits = self.text.len().wrapping_sub(rest.len());
                (digits == self.between).then_some(Some(id))
            }
            Sort::Call => (!self.has_parenthesis(kernel)).then_some(None),
            Sort::OldCreator => (self.between == 0).then_some(None),
            Sort::Header | Sort::Gap => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Input, InputFormat, InputId, Keep, ProfileBuilder};
    use crate::simd::on_this_machine;

    fn empty() -> (Records, ProfileBuilder, InputId) {
        let mut builder = ProfileBuilder::new(Keep::default());
        let input = builder.input(Input::new("t", "t.txt", InputFormat::Debug2));
        let mut records = Records::default();
        records.rebind(builder.generation());
        (records, builder, input)
    }

    /// Checks whether a goroutine has a path.
    struct Asking<'a>(&'a mut Records, &'a [u8], u32);

    impl Task for Asking<'_> {
        type Output = Option<Option<u64>>;

        #[inline(always)]
        fn run(self, kernel: impl Kernel) -> Option<Option<u64>> {
            let Asking(records, text, path) = self;
            assert!(records.ends.find(text, kernel).is_whole, "a whole goroutine");
            records.follow(text, path, kernel).map(|found| found.creator)
        }
    }

    /// Goroutines with different paths; the second one of each pair differs from the first in text
    /// that paths leave out.
    const GOROUTINES: [[&str; 2]; 11] = [
        ["main.f(0x1)\n\t/a.go:3 +0x1d\n", "main.f(0x2?, {...})\n\t/a.go:3 +0x1d\n"],
        ["main.f(0x1)\n\t/a.go:34 +0x1d\n", "main.f()\n\t/a.go:34 +0x1d\n"],
        ["main.(*T).f(0x1)\n\t/a.go:3 +0x1d\n", "main.(*T).f(0x2)\n\t/a.go:3 +0x1d\n"],
        ["main.f.func1(0x1)\n\t/a.go:3 +0x1d\n", "main.f.func1(0x2)\n\t/a.go:3 +0x1d\n"],
        [
            "main.f(0x1)\n\t/a.go:3 +0x1d\nmain.f(0x1)\n\t/a.go:3 +0x1d\n",
            "main.f(0x2)\n\t/a.go:3 +0x1d\nmain.f(0x3)\n\t/a.go:3 +0x1d\n",
        ],
        [
            "main.f(0x1)\n\t/a.go:3 +0x1d\ncreated by main.g in goroutine 1\n\t/a.go:3 +0x1d\n",
            "main.f(0x1)\n\t/a.go:3 +0x1d\ncreated by main.g in goroutine 12\n\t/a.go:3 +0x1d\n",
        ],
        [
            "main.f(0x1)\n\t/a.go:3 +0x1d\ncreated by main.g\n\t/a.go:3 +0x1d\n",
            "main.f()\n\t/a.go:3 +0x1d\ncreated by main.g\n\t/a.go:3 +0x1d\n",
        ],
        [
            "main.f(0x1)\n\t/a.go:3 +0x1d\ncreated by main.gg\n\t/a.go:3 +0x1d\n",
            "main.f()\n\t/a.go:3 +0x1d\ncreated by main.gg\n\t/a.go:3 +0x1d\n",
        ],
        ["main.f(0x1)\r\n\t/a.go:3 +0x1d\n", "main.f(0x2)\r\n\t/a.go:3 +0x1d\n"],
        ["main.f(0x1)\n\t/a.go:3 +0x1d\r\n", "main.f(0x2)\n\t/a.go:3 +0x1d\r\n"],
        ["main.f(...)\n\t/a.go:3\n", "main.f(...)\n\t/a.go:3\n"],
    ];

    #[test]
    fn a_goroutine_follows_its_own_path_alone() {
        let (mut records, mut builder, input) = empty();
        // With more text after it than any comparison looks at.
        let text = |lines: &str| {
            format!("goroutine 7 [select]:\n{lines}\ngoroutine 8 [select]:\n{}", " ".repeat(100))
        };
        for (at, [first, _]) in GOROUTINES.iter().enumerate() {
            assert_eq!(records.read(text(first).as_bytes(), 0, input, &mut builder).count, 1);
            assert_eq!(records.stacks.len(), at + 1, "each has a path of its own: {first}");
        }
        for (own, both) in GOROUTINES.iter().enumerate() {
            for (lines, path) in both.iter().flat_map(|&lines| (0..11).map(move |at| (lines, at))) {
                let text = text(lines);
                let asking = Asking(&mut records, text.as_bytes(), path);
                assert_eq!(on_this_machine(asking).is_some(), own == path as usize, "{lines}");
            }
        }
    }

    #[test]
    fn calls_like_most_and_longer_ones_follow_each_other_in_any_order() {
        let long = "l".repeat(100);
        let many = vec!["0x1"; 20].join(", ");
        let calls = [
            ["main.f", "0x1", "/a.go:3 +0x1d"],
            [&format!("main.{long}"), "0x1", &format!("/{long}/b.go:3 +0x1d")],
            ["main.h", &many, "/c.go:3 +0x1d"],
        ];
        let text = |order: &[usize], at: usize, from: &str, to: &str| {
            let line = |&call: &usize| {
                let [func, arguments, place] = calls[call];
                let lines = format!("{func}({arguments})\n\t{place}\n");
                if call == at { lines.replacen(from, to, 1) } else { lines }
            };
            let lines: String = order.iter().map(line).collect();
            let made = "created by main.m in goroutine 1\n\t/m.go:1 +0x1d\n";
            format!("goroutine 7 [select]:\n{lines}{made}\n{}", " ".repeat(200)).into_bytes()
        };
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let (mut records, mut builder, input) = empty();
            assert_eq!(records.read(&text(&order, 0, "", ""), 0, input, &mut builder).count, 1);
            for at in 0..3 {
                for (from, to, follows) in [
                    ("0x1", "0x22", true),
                    ("0x1", "0x1)(0x1", false),
                    ("main.", "mait.", false),
                    (".go:3 ", ".go:4 ", false),
                    (".go:3 ", ".go:34 ", false),
                ] {
                    let text = text(&order, at, from, to);
                    let followed = on_this_machine(Asking(&mut records, &text, 0)).is_some();
                    assert_eq!(followed, follows, "{order:?}, call {at}: {to} for {from}");
                }
            }
        }
    }

    #[test]
    fn a_creator_with_text_behind_its_goroutine_is_left_to_the_careful_reader() {
        let (mut records, mut builder, input) = empty();
        for after in ["x", "$", " 7 x", " x7", "^M"] {
            let text = format!(
                "goroutine 7 [select]:\nmain.f()\n\t/a.go:3 +0x1d\ncreated by main.g in goroutine 1{after}\n\
                 \t/a.go:3 +0x1d\n\ngoroutine 8 [select]:\n"
            );
            let read = records.read(text.as_bytes(), 0, input, &mut builder);
            assert_eq!(read.count, 0, "{after}");
        }
    }

    #[test]
    fn what_a_path_leaves_out_after_a_place_is_never_guessed() {
        let (mut records, mut builder, input) = empty();
        let text = |place: &str| {
            let more = format!("goroutine 8 [select]:\n{}", " ".repeat(100));
            format!(
                "goroutine 7 [select]:\nmain.f()\n\t{place} fp=0xc0 sp=0xc1 pc=0xc2000\n\n{more}"
            )
        };
        assert_eq!(records.read(text("/a.go:3").as_bytes(), 0, input, &mut builder).count, 1);
        for place in ["/a.go:3", "/a.go:34"] {
            let followed = on_this_machine(Asking(&mut records, text(place).as_bytes(), 0));
            assert_eq!(followed, None, "{place}");
        }
    }
}
