//! The lines of a goroutine's body: calls, places, creators, gaps.

#[cfg(test)]
mod tests;

use super::closing::{before_closing, before_quote, is_closing};
use super::foreign::is_of_log;
use super::frame_addresses::is_start_of_address;
use super::header::leading_number;
use super::names;
use crate::format::notice::before_mark;

/// A place: file and line, and whether the line ended the way Go ends it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileLine<'a> {
    /// The file as written.
    pub(crate) file: &'a [u8],
    /// The line.
    pub(crate) line: i64,
    /// Whether a ` +0x1d` followed: Go writes it for all frames except inlined ones.
    pub(crate) offset: bool,
    /// The text after it: ` +0x1d`, ` +0x1d fp=0xc0 sp=0xc1 pc=0x48c5b1`.
    pub(crate) after: &'a [u8],
}

/// The text before the arguments of a call; `None` if the line isn't a call with parentheses.
///
/// Arguments contain no parentheses, so the last one opens them: `main.(*T).M(0xc0001, {0x1,
/// ...})`.
pub(crate) fn call(line: &[u8]) -> Option<&[u8]> {
    let open = memchr::memrchr(b'(', line.strip_suffix(b")")?)?;
    let (func, arguments) = line.split_at_checked(open)?;
    // A line that another thread wrote into this one.
    let is_joined = memchr::memchr(b'[', arguments).is_some() && holds_header(arguments);
    (!func.is_empty() && !is_joined).then_some(func)
}

/// The function of a call whose arguments break off: `main.f(0xc00001`, `main.f(0x1, {0x…`.
pub(crate) fn open_call(line: &[u8]) -> Option<&[u8]> {
    let (func, arguments) = line.split_at_checked(memchr::memrchr(b'(', line)?)?;
    let arguments = arguments.get(1..)?;
    let is_open = is_of_arguments(arguments)
        || [&b"0x"[..], b"{0x", b"{{0x"].iter().any(|start| arguments.starts_with(start))
            && !arguments.contains(&b')');
    (names::is_certain(func) && is_open).then_some(func)
}

/// The text before the function of a creator whose line has lost its start, the function and the goroutine: `ated by
/// main.f in goroutine 7`.
pub(crate) fn end_of_creator(line: &[u8]) -> Option<(&[u8], &[u8], u64)> {
    let at = memchr::memmem::rfind(line, IN_GOROUTINE)?;
    let (before, id) = line.split_at_checked(at)?;
    let (id, rest) = leading_number(id.strip_prefix(IN_GOROUTINE)?)?;
    let func = before.rsplit(u8::is_ascii_whitespace).next()?;
    let before = before.get(..before.len().saturating_sub(func.len()))?;
    rest.is_empty().then_some((before, func, id))
}

/// Whether a text that should be one name or file holds several lines of a goroutine, whose line ends were
/// lost, a record of a log, or the start of a creator's line.
pub(crate) fn holds_lines(text: &[u8]) -> bool {
    // Nearly no name and file has one of these bytes.
    let holds = |part: &[u8]| {
        memchr::memchr3(b' ', b':', b'+', text).is_some()
            && memchr::memmem::find(text, part).is_some()
    };
    is_start_of_creator(text)
        || text.starts_with(b"{\"")
        || holds(b" +0x")
        || holds(b".go:")
        || holds_header(text)
        || holds(b"created by ")
}

/// Whether a header starts in a text: folders are called `goroutine demo`, too.
fn holds_header(text: &[u8]) -> bool {
    const START: &[u8] = b"goroutine ";
    if memchr::memchr(b' ', text).is_none() {
        return false;
    }
    let start = memchr::memmem::find(text, START);
    let id = start.and_then(|at| text.get(at.saturating_add(START.len())..));
    let after = id.and_then(leading_number);
    after.is_some_and(|(_, after)| after.starts_with(b" [") || after.starts_with(b" gp="))
}

/// The function of a call with text behind its arguments, such as a log line that another thread
/// wrote: `main.f(0xc00001, 0x2)2026/03/04 done`.
pub(crate) fn call_before_text(line: &[u8]) -> Option<&[u8]> {
    let (mut from, mut open) = (0_usize, None);
    // Arguments hold no parentheses, so each pair is looked at once.
    while let Some(at) = memchr::memchr2(b'(', b')', line.get(from..)?) {
        let at = from.saturating_add(at);
        from = at.saturating_add(1);
        if line.get(at) == Some(&b'(') {
            open = Some(at);
        } else if let Some(open) = open.take()
            && line.get(open.saturating_add(1)..at).is_some_and(is_of_arguments)
        {
            return line.get(..open).filter(|func| names::is_certain(func));
        }
    }
    None
}

/// The text behind a call of this function: `done` of `main.f(0x1)done`.
pub(crate) fn after_call<'l>(line: &'l [u8], func: &[u8]) -> Option<&'l [u8]> {
    let arguments = line.get(func.len()..)?;
    arguments.get(memchr::memchr(b')', arguments)?.saturating_add(1)..)
}

/// The text behind a creator's line: `done` of `created by main.f in goroutine 7done`.
pub(crate) fn after_creator(line: &[u8]) -> Option<&[u8]> {
    let id = line.get(memchr::memmem::find(line, IN_GOROUTINE)?..)?.strip_prefix(IN_GOROUTINE)?;
    leading_number(id).map(|(_, after)| after)
}

/// Whether a line is a call that is cut in its arguments, whatever marks the cut: `main.f(0x1, {0x2, ... (truncated)`.
pub(crate) fn breaks_off_in_arguments(line: &[u8]) -> bool {
    let is_cut = |at: usize| {
        let Some((func, [_, rest @ ..])) = line.split_at_checked(at) else { return false };
        let arguments = rest.split(|byte| !is_of_arguments(&[*byte])).next().unwrap_or_default();
        let has_one = arguments.contains(&b'_') || memchr::memmem::find(arguments, b"0x").is_some();
        has_one && rest.get(arguments.len()) != Some(&b')') && names::is_certain(func)
    };
    memchr::memchr_iter(b'(', line).take(PARENTHESES).any(is_cut)
}

/// Whether a text begins with a call, after blanks.
pub(crate) fn starts_call(text: &[u8]) -> bool {
    !text.is_empty() && call_before_text(text.trim_ascii_start()).is_some()
}

/// Whether a line is a call, whole or cut, behind which the dump's quote is closed: `main.f(0x1)"`, `panic({0x4f",web-1`.
pub(crate) fn is_closed_call(line: &[u8]) -> bool {
    let is_call = |at: usize| {
        let Some((func, [_, rest @ ..])) = line.split_at_checked(at) else { return false };
        let of_arguments = |byte: &&u8| byte.is_ascii_hexdigit() || b"x{}?,. _".contains(byte);
        let arguments = rest.iter().take_while(of_arguments).count();
        let after = rest.get(arguments..).unwrap_or_default();
        let after = after.strip_prefix(b")").unwrap_or(after);
        // `panic("boom")` is source code.
        let is_text = arguments == 0
            && matches!(after, [b'"' | b'\'' | b'`', next, ..] if next.is_ascii_alphanumeric());
        !after.is_empty() && !is_text && is_closing(after) && names::is_certain(func)
    };
    // Those of receivers and types come first.
    memchr::memchr_iter(b'(', line).take(PARENTHESES).any(is_call)
}

/// No name of a function has more of them.
const PARENTHESES: usize = 16;

/// Whether a line is the start of that of a creator, up to its function: `created b`.
pub(crate) fn is_start_of_creator(line: &[u8]) -> bool {
    line.len() > 3 && CREATED_BY.starts_with(line)
}

/// Whether a line is the start of that of a creator with the next line of a log glued to it: `creat[GIN] 2026/`.
pub(crate) fn is_glued_creator(line: &[u8]) -> bool {
    let common = CREATED_BY.iter().zip(line).take_while(|(wanted, byte)| wanted == byte).count();
    common > 3 && line.get(common..).is_some_and(is_of_log)
}

/// Whether a line is the start of `[originating from goroutine 1]:`, with or without a mark of a cut.
pub(crate) fn is_start_of_ancestor(line: &[u8]) -> bool {
    const START: &[u8] = b"[originating from goroutine ";
    if !line.starts_with(b"[or") {
        return false;
    }
    let text = before_mark(line).unwrap_or(line).trim_ascii_end();
    let is_whole = |id: &[u8]| leading_number(id).is_some_and(|(_, rest)| rest.starts_with(b"]:"));
    START.starts_with(text) || text.strip_prefix(START).is_some_and(|id| !is_whole(id))
}

/// Whether a line can be the start of a function's name or of `created by`, where a text was cut:
/// `example.org/shop.(*T`, `runtime.gop`, `create`; also inside a quoted field: `runtime.gop",web-1`.
pub(crate) fn is_cut_name(line: &[u8]) -> bool {
    let is_cut = |text: &[u8]| is_start_of_creator(text) || names::is_start(text);
    is_cut(line) || is_cut(before_quote(line))
}

/// Whether a line can be the rest of the arguments of a call: `0, 0x1, ...)`, `)`.
pub(crate) fn goes_on_with_arguments(line: &[u8]) -> bool {
    is_of_arguments(line.strip_suffix(b")").unwrap_or(line))
}

fn is_of_arguments(text: &[u8]) -> bool {
    text.iter().all(|byte| byte.is_ascii_hexdigit() || b"x, {}.?_".contains(byte))
}

/// Whether a parenthesis is closed that the line doesn't open: it is the end of a call.
pub(crate) fn is_end_of_call(line: &[u8]) -> bool {
    memchr::memchr2(b'(', b')', line).is_some_and(|at| line.get(at) == Some(&b')'))
}

/// Whether a line ends in a call with arguments as Go writes them, with anything before it: `web |
/// main.f(0xc000012345, {0x1, 0x2?})`.
pub(crate) fn ends_in_call(line: &[u8]) -> bool {
    let Some((func, name)) = name_of_call(line) else { return false };
    let arguments = line.get(func.len()..).unwrap_or_default();
    names::is_certain(name) && (arguments.starts_with(b"(0x") || arguments.starts_with(b"({0x"))
}

/// Whether a line can't be a name, although a place follows it: it is the end of a call, holds several lines
/// or has text before its call, such as a prefix.
pub(crate) fn is_damaged_name(line: &[u8]) -> bool {
    is_end_of_call(line) || holds_lines(line) || has_text_before_call(line)
}

/// Whether a call has text before its name: `web | main.f()`. Calls of C++ have blanks, and no dots.
fn has_text_before_call(line: &[u8]) -> bool {
    name_of_call(line).is_some_and(|(func, name)| {
        name.len() < func.len() && names::is_certain(name) && !names::is_plausible(func)
    })
}

/// The text before the arguments of a call, and its last word.
fn name_of_call(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let func = call(line)?;
    Some((func, func.rsplit(u8::is_ascii_whitespace).next()?))
}

/// A place without the offset and addresses of its frame.
pub(crate) struct Bare<'a> {
    pub(crate) place: &'a [u8],
    /// See [`FileLine::offset`].
    pub(crate) offset: bool,
    /// Whether addresses followed, which GOTRACEBACK=system prints and which differ for each
    /// goroutine.
    pub(crate) addresses: bool,
}

/// Cuts ` +0x1d`, ` fp=0x.. sp=0x.. pc=0x..` and ` pc=0x..` off a place.
pub(crate) fn without_offset(text: &[u8]) -> Bare<'_> {
    // Most places only have an offset of at most four digits, which is found without a search for
    // more.
    let digits = text.iter().rev().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let before = text.get(..text.len().saturating_sub(digits)).unwrap_or_default();
    if digits > 0
        && let Some(place) = before.strip_suffix(b" +0x")
    {
        return Bare { place, offset: true, addresses: false };
    }
    let mut rest = text;
    let mut offset = false;
    while let Some(blank) = memchr::memrchr(b' ', rest) {
        let Some((before, word)) = rest.split_at_checked(blank) else { break };
        let word = word.get(1..).unwrap_or_default();
        let known = word.starts_with(b"+0x")
            || word.starts_with(b"fp=0x")
            || word.starts_with(b"sp=0x")
            || word.starts_with(b"pc=0x")
            || rest.len() == text.len() && is_start_of_address(word);
        if !known {
            break;
        }
        // A text can end behind its `x`.
        offset |= word != b"+0x" && word.starts_with(b"+0x") || word.starts_with(b"pc=0x");
        rest = before;
        if word.starts_with(b"+0x") {
            // The offset comes first.
            break;
        }
    }
    let addresses = text.get(rest.len()..).is_some_and(|cut| cut.contains(&b'='));
    Bare { place: rest, offset, addresses }
}

/// Parses a place without its indentation: `/src/a b/main.go:40 +0x1d`.
pub(crate) fn place(text: &[u8]) -> Option<FileLine<'_>> {
    let Bare { place, offset, .. } = without_offset(text);
    let (place, (file, line), offset) = match file_and_line(place) {
        Some(found) => (place, found, offset),
        None => {
            let place = before_closing(text)?;
            (place, file_and_line(place)?, true)
        }
    };
    let after = text.get(place.len()..).unwrap_or_default();
    Some(FileLine { file, line, offset, after })
}

/// The place in a line that may have lost its tab: then it must be one of source code, and no sentence such as `retry at
/// worker.go:12`.
pub(crate) fn indented_place(line: &[u8]) -> Option<FileLine<'_>> {
    let text = line.trim_ascii_start();
    let place = place(text)?;
    let is_path =
        || !place.file.contains(&b' ') || matches!(place.file, [b'/', ..] | [_, b':', ..]);
    let is_alone = || is_source(place.file) && is_path();
    (text.len() < line.len() || place.offset || is_alone()).then_some(place)
}

/// Whether a file is one of source code, or `<autogenerated>`.
pub(crate) fn is_source(file: &[u8]) -> bool {
    const SOURCES: [&[u8]; 12] =
        [b".go", b".s", b".S", b".c", b".cc", b".cpp", b".cxx", b".h", b".m", b".y", b".rs", b">"];
    SOURCES.iter().any(|source| file.ends_with(source))
}

/// Whether a line holds the frame of a stack that isn't a dump: zap's field `stacktrace`, zerolog's list of
/// frames, and errors that print theirs have names without arguments, and places without offsets.
pub(crate) fn is_frame_of_logger(line: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(line, part).is_some();
    if !has(b".go") {
        return false;
    }
    let text = line.trim_ascii();
    let is_place = text.len() < line.len()
        && text.starts_with(b"/")
        && file_and_line(text).is_some_and(|(file, _)| file.ends_with(b".go"));
    is_place || has(br"\n\t/") && has(b".go:") || has(br#""func":"#) && has(br#""source":"#)
}

/// `/src/a b/main.go:40`
pub(crate) fn file_and_line(text: &[u8]) -> Option<(&[u8], i64)> {
    let colon = memchr::memrchr(b':', text)?;
    let (file, line) = text.split_at_checked(colon)?;
    let line = line.get(1..)?;
    let (negative, digits) = match line.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, line),
    };
    let (number, rest) = leading_number(digits)?;
    if !rest.is_empty() || file.is_empty() {
        return None;
    }
    let number = i64::try_from(number).ok()?;
    Some((file, if negative { number.saturating_neg() } else { number }))
}

/// The start of a creator's line.
pub(crate) const CREATED_BY: &[u8] = b"created by ";

/// Stands between the function and the goroutine of a creator.
pub(crate) const IN_GOROUTINE: &[u8] = b" in goroutine ";

/// The function and goroutine of `created by F in goroutine N`; Go before 1.21 prints no goroutine.
pub(crate) fn created_by(line: &[u8]) -> Option<(&[u8], Option<u64>)> {
    let rest = line.strip_prefix(CREATED_BY)?;
    let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if let Some((before, number)) = rest.split_at_checked(rest.len().saturating_sub(digits))
        && let Some(func) = before.strip_suffix(IN_GOROUTINE)
        && let Some((id, _)) = leading_number(number)
    {
        return Some((func, Some(id)));
    }
    // Text behind the id would make a name of its own for each goroutine.
    if let Some(at) = memchr::memmem::find(rest, IN_GOROUTINE)
        && let Some((func, after)) = rest.split_at_checked(at)
        && let Some((id, _)) = after.strip_prefix(IN_GOROUTINE).and_then(leading_number)
    {
        return Some((func, Some(id)));
    }
    // Other writers put empty parentheses after the function.
    Some((rest.strip_suffix(b"()").unwrap_or(rest), None))
}

/// A creator whose line was cut inside ` in goroutine N`, without that part.
pub(crate) fn without_stump(func: &[u8]) -> &[u8] {
    match memchr::memchr(b' ', func) {
        Some(blank) => func.get(..blank).unwrap_or(func),
        None => func,
    }
}

/// The number of frames of `...23 frames elided...`; `Some(None)` for Go up to 1.20, which prints
/// `...additional frames elided...`.
pub(crate) fn elided(line: &[u8]) -> Option<Option<u64>> {
    let inner = line.strip_prefix(b"...")?.strip_suffix(b" frames elided...")?;
    if inner == b"additional" {
        return Some(None);
    }
    match leading_number(inner) {
        Some((count, [])) => Some(Some(count)),
        _ => None,
    }
}

/// The goroutine of `[originating from goroutine 1]:`.
pub(crate) fn originating(line: &[u8]) -> Option<u64> {
    let rest = line.strip_prefix(b"[originating from goroutine ")?;
    match leading_number(rest) {
        Some((id, b"]:")) => Some(id),
        _ => None,
    }
}

/// Diagnostics of the runtime that can come between frames and don't affect the stack.
pub(crate) fn runtime_noise(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 3] = [b"runtime: ", b"stack: frame={", b"[signal "];
    if STARTS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    if is_hex_ruler(line) || is_register(line) {
        return true;
    }
    // A hex dump of the stack: `0x000000c000012f00:  0x0000000000000000  <main.f+0x1d>`.
    line.strip_prefix(b"0x").is_some_and(|rest| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        digits >= 8 && rest.get(digits) == Some(&b':')
    })
}

/// The ruler that Go 1.27 prints above the memory of a stack, with blanks before and between, and
/// the marks below lines in which a word is an address of code: `^ <main.f+0x1d>`.
fn is_hex_ruler(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    if let Some(mark) = text.strip_prefix(b"^ ") {
        return line.len() > text.len() && (mark.ends_with(b">") || !mark.contains(&b' '));
    }
    let text = match text.strip_suffix(b"0123456789abcdef") {
        Some(columns) => columns,
        None => return is_memory(text),
    };
    text.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b' ')
}

/// `rip    0x47a5a1`, `cs     0x33`: registers, which a crash prints after its goroutines.
fn is_register(line: &[u8]) -> bool {
    let Some(value) = memchr::memmem::find(line, b" 0x") else { return false };
    let Some((name, value)) = line.split_at_checked(value) else { return false };
    let is_name = |name: &[u8]| {
        (1..=9).contains(&name.len())
            && name.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    is_name(name.trim_ascii_end())
        && value.get(3..).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

/// A line of memory: `000000c000012f00: 0000000000000000 000000c000012f38  ........8/......`.
fn is_memory(text: &[u8]) -> bool {
    let digits = text.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    matches!(digits, 8 | 16) && text.get(digits..).is_some_and(|rest| rest.starts_with(b": "))
}
