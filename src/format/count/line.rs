//! The lines of a record.

/// The count of `N @ 0x1 0x2`, `N goroutine in stack:` and `N goroutines in stack:`.
pub(in crate::format) fn record_start(line: &[u8]) -> Option<i64> {
    let blank = memchr::memchr(b' ', line)?;
    let (count, rest) = line.split_at_checked(blank)?;
    let is_start = rest == b" @"
        || rest.starts_with(b" @ ")
        || matches!(rest.trim_ascii_end(), b" goroutine in stack:" | b" goroutines in stack:");
    if is_start { number(count) } else { None }
}

/// The addresses of the first line of a record, leaf first.
pub(in crate::format) fn pcs(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(|&byte| byte == b' ').filter(|word| word.starts_with(b"0x"))
}

pub(in crate::format) fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

pub(in crate::format) fn hex(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.strip_prefix(b"0x")?).ok()?;
    u64::from_str_radix(digits, 16).ok()
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b'\t' | b' ')
}

/// The address of a frame line, 0 where there is none, and whether a name follows it.
pub(in crate::format) fn address_and_named(line: &[u8]) -> (u64, bool) {
    let text = line.strip_prefix(b"#").unwrap_or(line).trim_ascii();
    let end = text.iter().position(is_blank).unwrap_or(text.len());
    (text.get(..end).and_then(hex).unwrap_or(0), end < text.len())
}

/// A frame line taken apart.
#[derive(PartialEq, Eq, Debug)]
pub(in crate::format) struct ParsedFrame<'a> {
    pub(in crate::format) func: &'a [u8],
    pub(in crate::format) file: &'a [u8],
    pub(in crate::format) line: i64,
}

/// `#`, tab, `0xADDR`, tab, `FUNC+0xOFF`, tabs, `FILE:LINE`; only `0xADDR` where there is no symbol.
pub(in crate::format) fn parse_frame(line: &[u8]) -> Option<ParsedFrame<'_>> {
    let text = line.strip_prefix(b"#")?.trim_ascii();
    let (start, rest) =
        text.split_at_checked(text.iter().position(is_blank).unwrap_or(text.len()))?;
    hex(start)?;
    let rest = rest.trim_ascii_start();
    if rest.is_empty() {
        return Some(ParsedFrame { func: start, file: b"", line: 0 });
    }
    let (func, place) = split_func(rest)?;
    let colon = memchr::memrchr(b':', place)?;
    let (file, line) = place.split_at_checked(colon)?;
    let line = number(line.strip_prefix(b":")?)?;
    Some(ParsedFrame { func, file, line })
}

/// Splits `FUNC+0xOFF FILE:LINE` at tabs; where they became blanks, after the last offset.
fn split_func(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(tab) = memchr::memchr(b'\t', text) {
        let (func, place) = text.split_at_checked(tab)?;
        return Some((without_offset(func).unwrap_or(func), place.trim_ascii_start()));
    }
    memchr::memrchr_iter(b' ', text).find_map(|blank| {
        let (func, place) = text.split_at_checked(blank)?;
        Some((without_offset(func)?, place.trim_ascii_start()))
    })
}

/// `FUNC` of `FUNC+0xOFF`.
fn without_offset(func: &[u8]) -> Option<&[u8]> {
    let (name, offset) = func.split_at_checked(memchr::memrchr(b'+', func)?)?;
    hex(offset.strip_prefix(b"+")?).map(|_| name)
}
