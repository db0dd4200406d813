//! Dumps that break off inside a value which is closed: `runtime.Stack` fills a buffer of fixed size, and loggers cut
//! what is too long.

use crate::format::traceback::cut_header::START;
use crate::format::traceback::header::leading_number;
use crate::format::traceback::{lines, names};
use memchr::memmem::{find, rfind};

/// A goroutine with more bytes isn't judged.
const KEPT: usize = 64 << 10;

const SEPARATOR: &[u8] = b"\n\n";

/// The end of a value, from its last blank line on, and what stands above that.
#[derive(Debug, Default)]
pub(super) struct Tail {
    text: Vec<u8>,
    /// Whether the bytes of the text are only some of those below the blank line.
    is_long: bool,
    has_blank_line: bool,
    has_offsets: bool,
    has_creators: bool,
}

impl Tail {
    /// The end of a whole value.
    pub(super) fn of(value: &[u8]) -> Tail {
        let mut tail = Tail::default();
        tail.add(value);
        tail
    }

    /// Adds the next part of the value.
    pub(super) fn add(&mut self, part: &[u8]) {
        // A blank line may have started in the part before.
        let from = self.text.len().saturating_sub(1);
        self.text.extend_from_slice(part);
        if let Some(at) = self.text.get(from..).and_then(|new| rfind(new, SEPARATOR)) {
            self.drop_first(from.saturating_add(at));
            self.text.drain(..SEPARATOR.len());
            (self.has_blank_line, self.is_long) = (true, false);
        }
        if self.text.len() > KEPT {
            self.drop_first(self.text.len().saturating_sub(1));
            self.is_long = true;
        }
    }

    /// The last line of the value so far.
    pub(super) fn last_line(&self) -> &[u8] {
        let end = memchr::memrchr(b'\n', &self.text);
        self.text.get(end.map_or(0, |end| end.saturating_add(1))..).unwrap_or_default()
    }

    fn drop_first(&mut self, bytes: usize) {
        let first = self.text.get(..bytes).unwrap_or_default();
        self.has_offsets |= has_offset(first);
        self.has_creators |= find(first, lines::CREATED_BY).is_some();
        self.text.drain(..bytes);
    }

    /// Whether the value ends inside a line: a place without its offset, which only the blank in front of it or other
    /// places show, or the first bytes of a header.
    pub(super) fn breaks_off(&self) -> bool {
        let mut above = self.text.rsplit(|&byte| byte == b'\n').skip(1);
        let last = self.last_line();
        let is_header =
            self.has_blank_line && last == self.text && !last.is_empty() && START.starts_with(last);
        // Calls that are inlined have none.
        let wants_offset = |above: &[u8]| {
            above.starts_with(lines::CREATED_BY)
                || !above.ends_with(b"(...)") && lines::call(above).is_some()
        };
        let mut is_place = || {
            lines::indented_place(last.trim_ascii_end()).is_some_and(|place| !place.offset)
                && above.next().is_some_and(wants_offset)
        };
        let has_offsets = || last.ends_with(b" ") || self.has_offsets || has_offset(&self.text);
        !self.is_long && (is_header || is_place() && has_offsets())
    }

    /// Whether the value ends above the creator of its last goroutine, where others have one.
    pub(super) fn lacks_creator(&self) -> bool {
        let id = self.text.strip_prefix(START).and_then(leading_number);
        let has = |part: &[u8]| find(&self.text, part).is_some();
        let last = || self.text.rsplit(|&byte| byte == b'\n').find_map(lines::call);
        id.is_some_and(|(id, rest)| id > 1 && rest.starts_with(b" "))
            && self.has_creators
            && !self.is_long
            && !has(lines::CREATED_BY)
            && !has(b" frames elided...")
            && last().is_some_and(|func| !names::is_root(func) && !names::is_called_by_c(func))
    }
}

fn has_offset(text: &[u8]) -> bool {
    find(text, b" +0x").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = "goroutine 1 [running]:\nmain.main()\n\t/src/a.go:3 +0x1d\n\ngoroutine 7 [select]:\nmain.f(...)\n\t\
        /src/a.go:7\nmain.g()\n\t/src/a.go:9 +0x1d\ncreated by main.main in goroutine 1\n\t/src/a.go:5 +0x1d";

    #[test]
    fn places_without_their_offset_and_starts_of_headers_break_off() {
        for end in
            ["\n\ng", "\n\ngoroutine ", "\n\ngoroutine 8 [select]:\nmain.f()\n\t/src/a.go:1 "]
        {
            assert!(Tail::of(format!("{WHOLE}{end}").as_bytes()).breaks_off(), "{end}");
        }
        let creator = WHOLE.trim_end_matches(" +0x1d");
        assert!(Tail::of(creator.as_bytes()).breaks_off());
        for whole in
            ["", "\n", "\n\n", "\n\nready", "\n\ngoroutine 8 [select]:\nmain.f(...)\n\t/src/a.go:1"]
        {
            assert!(!Tail::of(format!("{WHOLE}{whole}").as_bytes()).breaks_off(), "{whole}");
        }
        // Other writers print no offsets.
        let other = creator.replace(" +0x1d", "");
        assert!(!Tail::of(other.as_bytes()).breaks_off());
    }

    #[test]
    fn a_last_goroutine_lacks_its_creator_where_others_have_theirs() {
        let more = |frames: &str| format!("{WHOLE}\n\ngoroutine 8 [select]:\n{frames}");
        assert!(Tail::of(more("main.f()\n\t/src/a.go:1 +0x1d\n").as_bytes()).lacks_creator());
        for frames in [
            "",
            "runtime.goexit({})\n\t/src/a.s:1 +0x1\n",
            "_cgoexp_4b6f3d_call(0x7f)\n\t_cgo_gotypes.go:65 +0x25\n",
            "...9 frames elided...\nmain.f()\n\t/a.go:1 +0x1",
        ] {
            assert!(!Tail::of(more(frames).as_bytes()).lacks_creator(), "{frames}");
        }
        assert!(!Tail::of(WHOLE.as_bytes()).lacks_creator());
    }

    #[test]
    fn parts_of_a_value_make_what_it_makes_as_a_whole() {
        let long = format!(
            "{WHOLE}\n\n{}\n\ngoroutine 8 [select]:\nmain.f()\n\t/a.go:1",
            "x".repeat(KEPT + 9)
        );
        for value in [WHOLE, &long, long.rsplit_once("\n\n").unwrap().0] {
            for step in
                [1, 7, 1 << 10, 1 << 17].into_iter().filter(|step| value.len() / step < 10_000)
            {
                let mut tail = Tail::default();
                value.as_bytes().chunks(step).for_each(|part| tail.add(part));
                let whole = Tail::of(value.as_bytes());
                assert_eq!(tail.breaks_off(), whole.breaks_off(), "{step}");
                assert_eq!(tail.lacks_creator(), whole.lacks_creator(), "{step}");
                assert!(tail.text.len() <= KEPT);
            }
        }
    }
}
