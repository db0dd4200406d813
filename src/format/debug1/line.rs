//! The lines of a record.

use crate::format::traceback::closing::is_closing;
use crate::format::traceback::lines::is_source;
use crate::profile::{FrameId, ProfileBuilder, UNKNOWN, place_of_address};

/// The count of `N @ 0x1 0x2`, `N goroutine in stack:` and `N goroutines in stack:`.
pub(in crate::format) fn record_start(line: &[u8]) -> Option<i64> {
    let blank = memchr::memchr(b' ', line)?;
    let (count, rest) = line.split_at_checked(blank)?;
    let is_start = rest == b" @"
        || rest.starts_with(b" @ ")
        || matches!(rest.trim_ascii_end(), b" goroutine in stack:" | b" goroutines in stack:");
    if is_start { number(count) } else { None }
}

/// Whether a line belongs to a record of any kind of profile: `5876 1 @ 0x4533ff`, `#    0x4533fe
/// main.f+0x1d    /src/a.go:3`.
pub(in crate::format) fn is_of_record(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    match text.first() {
        Some(b'#') => {
            let frame = text.get(1..).unwrap_or_default().trim_ascii_start();
            frame.starts_with(b"0x") && memchr::memmem::find(frame, b"+0x").is_some()
        }
        Some(b'-' | b'0'..=b'9') => {
            let numbers = text.iter().take_while(|byte| b"-0123456789: []".contains(byte)).count();
            text.get(numbers..).is_some_and(|rest| rest.starts_with(b"@ 0x"))
        }
        _ => false,
    }
}

/// The addresses in the first line of a record, leaf first.
pub(in crate::format) fn pcs(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
    let words = line.split(|&byte| byte == b' ').filter(|word| word.starts_with(b"0x"));
    words.map(|word| split_address(word).0)
}

/// Where the first address like this stands in the first line of a record, from this byte on, where a word begins.
pub(in crate::format) fn find_pc(
    line: &[u8],
    from: usize,
    is_it: impl Fn(u64) -> bool,
) -> Option<usize> {
    let mut at = from;
    for word in line.get(from..)?.split(|&byte| byte == b' ') {
        if hex(split_address(word).0).is_some_and(&is_it) {
            return Some(at);
        }
        at = at.saturating_add(word.len()).saturating_add(1);
    }
    None
}

/// Whether the last address is the start of one: no program has code below 64 KiB and above 1 MiB.
fn is_last_cut(addresses: &[u8]) -> bool {
    let mut words = addresses.rsplit(|&byte| byte == b' ');
    let (Some(last), Some(before)) = (words.next(), words.next()) else { return false };
    last.len() <= "0xffff".len() && before.len() >= "0x100000".len() && last.starts_with(b"0x")
}

/// Whether each word after the `@` of a first line is an address. That fails for two lines that
/// became one, and for a cut address, but not for leftovers of HTML and terminals.
pub(in crate::format) fn has_whole_addresses(line: &[u8]) -> bool {
    let Some((_, addresses)) = memchr::memchr(b'@', line).and_then(|at| line.split_at_checked(at))
    else {
        return true;
    };
    if is_last_cut(addresses) {
        return false;
    }
    // Nearly all lines pass this simple test; splitting all into words made texts 10 % slower.
    let after = addresses.get(1..).unwrap_or_default();
    let is_plain = |byte: &u8| matches!(byte, b' ' | b'x' | b'0'..=b'9' | b'a'..=b'f');
    let (second, third) = (after.get(1..).unwrap_or_default(), after.get(2..).unwrap_or_default());
    let triples = after.iter().zip(second).zip(third);
    // A blank and an `x` only in " 0x", with digits behind it.
    let is_regular = |((&first, &second), &third): ((&u8, &u8), &u8)| {
        ((first == b' ') == (third == b'x'))
            & ((first != b' ') | (second == b'0'))
            & ((second != b'x') | (third != b' '))
    };
    if after.starts_with(b" 0x")
        && !after.ends_with(b"x")
        && !second.ends_with(b" ")
        && !matches!(after, [.., b' ', _])
        && after.iter().fold(true, |all, byte| all & is_plain(byte))
        && triples.fold(true, |all, triple| all & is_regular(triple))
    {
        return true;
    }
    let of_text = |byte: &u8| byte.is_ascii_alphanumeric() || b"@/._-:(".contains(byte);
    let mut words = addresses.split(u8::is_ascii_whitespace);
    let is_sign = |word: &[u8]| !word.get(1).is_some_and(of_text);
    words.next().is_some_and(is_sign)
        && words.all(|word| {
            let (address, after) = split_address(word);
            address != b"0x" && !after.first().is_some_and(of_text)
        })
}

/// `0x1f` and the text directly after it; without `0x` the first part is empty.
fn split_address(word: &[u8]) -> (&[u8], &[u8]) {
    let digits = word.strip_prefix(b"0x").map(|digits| {
        let count = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        count.saturating_add(2)
    });
    word.split_at_checked(digits.unwrap_or(0)).unwrap_or((word, b""))
}

/// A decimal number, with or without a sign; `None` if it needs more than 64 bits.
pub(in crate::format) fn number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// `0x1f`
pub(in crate::format) fn hex(text: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(text.strip_prefix(b"0x")?).ok()?;
    u64::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b'\t' | b' ')
}

/// The address in a frame line as written; empty if there is none.
pub(in crate::format) fn address_text(line: &[u8]) -> &[u8] {
    let text = line.strip_prefix(b"#").unwrap_or(line).trim_ascii_start();
    let end = text.iter().position(is_blank).unwrap_or(text.len());
    text.get(..end).filter(|text| text.starts_with(b"0x")).unwrap_or_default()
}

/// Whether an address is that of the call that returns to a PC, or the PC itself. Mostly they differ in their last digit
/// alone, so that they needn't be parsed.
pub(in crate::format) fn is_call_before(pc: &[u8], address: &[u8]) -> bool {
    let (Some((pc_digit, pc_rest)), Some((digit, rest))) = (pc.split_last(), address.split_last())
    else {
        return false;
    };
    if pc_rest == rest && digit <= pc_digit {
        let before = if *pc_digit == b'a' { b'9' } else { pc_digit.wrapping_sub(1) };
        return digit == pc_digit || *digit == before;
    }
    // The last digit is carried.
    let is_carried = *pc_digit == b'0' && digit.eq_ignore_ascii_case(&b'f');
    is_carried
        && matches!((hex(pc), hex(address)), (Some(pc), Some(at)) if pc.wrapping_sub(at) <= 1)
}

/// The address in a frame line, 0 if there is none, and whether a name follows it.
pub(in crate::format) fn address_and_named(line: &[u8]) -> (u64, bool) {
    let text = line.strip_prefix(b"#").unwrap_or(line).trim_ascii();
    let end = text.iter().position(is_blank).unwrap_or(text.len());
    (text.get(..end).and_then(hex).unwrap_or(0), end < text.len())
}

/// A parsed frame line.
#[derive(PartialEq, Eq, Debug)]
pub(in crate::format) struct ParsedFrame<'a> {
    pub(in crate::format) address: u64,
    /// Whether a name follows the address.
    pub(in crate::format) named: bool,
    pub(in crate::format) func: &'a [u8],
    pub(in crate::format) file: &'a [u8],
    pub(in crate::format) line: i64,
    /// Bytes from the start of the function to the address.
    pub(in crate::format) offset: u64,
    /// Whether a line of a log seems to stand over the end of the file's name.
    pub(in crate::format) overwritten: bool,
}

impl ParsedFrame<'_> {
    /// Whether the same address has another offset here, or the same function another place: then parts of two lines
    /// became one.
    pub(in crate::format) fn contradicts(&self, known: &ParsedFrame<'_>) -> bool {
        // Go prints the offset in the function that others are inlined into: one for each address.
        let is_other_offset = || self.offset != known.offset && self.offset.min(known.offset) > 0;
        // Of a generic function, two instances can be inlined into each other.
        let is_generic = || self.func.contains(&b'[');
        let is_other_place = || self.file != known.file || self.line != known.line && !is_generic();
        let is_contradiction = || is_other_offset() || self.func == known.func && is_other_place();
        // Symbols of C come from the program, which can name one call in several ways.
        let is_of_go = || [self, known].iter().any(|frame| frame.file.ends_with(b".go"));
        // Exported profiles have no addresses.
        let is_at_same = self.address != 0 && self.address == known.address;
        is_at_same && is_of_go() && is_contradiction()
    }

    /// The frame; without a name, its file is its address.
    pub(in crate::format) fn frame(&self, builder: &mut ProfileBuilder) -> FrameId {
        match self.named {
            true => builder.frame(self.func, self.file, self.line),
            false => builder.frame(self.func, &place_of_address(self.address), self.line),
        }
    }
}

/// Parses `#`, tab, `0xADDR`, tab, `FUNC+0xOFF`, tabs, `FILE:LINE`; only `0xADDR` if there is no
/// symbol.
pub(in crate::format) fn parse_frame(line: &[u8]) -> Option<ParsedFrame<'_>> {
    let text = line.strip_prefix(b"#")?.trim_ascii();
    let (start, rest) =
        text.split_at_checked(text.iter().position(is_blank).unwrap_or(text.len()))?;
    let address = hex(start)?;
    let rest = rest.trim_ascii_start();
    if rest.is_empty() {
        let (func, file) = (UNKNOWN, b"".as_slice());
        let (line, offset, overwritten) = (0, 0, false);
        return Some(ParsedFrame { address, named: false, func, file, line, offset, overwritten });
    }
    let (func, offset, place) = split_func(rest)?;
    // Two lines that became one: no name has an offset, and no file.
    if [func, place].iter().any(|text| memchr::memmem::find(text, b"+0x").is_some()) {
        return None;
    }
    let colon = memchr::memrchr(b':', place)?;
    let (file, line) = place.split_at_checked(colon)?;
    let line = line.strip_prefix(b":")?;
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = line.split_at_checked(digits)?;
    // Of two lines that became one, neither is whole.
    let is_joined = || memchr::memmem::find(after, b" 0x").is_some();
    // The end of klog's prefix, `12345 main.go:88] `; blanks at the end of a line may be lost.
    let has_blank = || memchr::memchr(b' ', rest).is_some();
    let is_of_klog = after.starts_with(b"] ") || after == b"]" && has_blank();
    if is_of_klog || memchr::memchr(b'"', file).is_some() {
        return None;
    }
    let line = number(if is_closing(after) && !is_joined() { digits } else { line })?;
    let overwritten = is_overwritten(file, after);
    Some(ParsedFrame { address, named: true, func, file, line, offset, overwritten })
}

/// Whether a line of a log stands over the end of a file's name: `/srINF started caller=x.go:12`,
/// `/sr2026/03/14 10:00:00 listening on 0.0.0.0:8080`, `/srtick (main.go:12)`.
fn is_overwritten(file: &[u8], after: &[u8]) -> bool {
    // No file has `10:00` in its name, but folders have.
    let name = file.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let after_colon = |at: usize| name.get(at.saturating_add(1));
    if memchr::memchr_iter(b':', name).filter_map(after_colon).any(u8::is_ascii_digit) {
        return true;
    }
    let Some(blank) = memchr::memrchr(b' ', file) else { return false };
    let word = file.get(blank.saturating_add(1)..).unwrap_or_default();
    let dot = memchr::memrchr(b'.', word).and_then(|dot| word.get(dot.saturating_add(1)));
    // Sources can have any ending, but folders have names with blanks rather than files.
    let is_path = memchr::memchr(b'/', word).is_some() && dot.is_some_and(u8::is_ascii_alphabetic);
    // `level=info`, `10:00:00`, `error: x`; `C:/` isn't of a log.
    let key = memchr::memchr2(b'=', b'/', word).and_then(|at| word.get(at));
    let has_colon = || memchr::memmem::find(file, b": ").is_some();
    let last = |byte: u8| memchr::memrchr(byte, file);
    let closes = |open: u8, close: u8| after.first() == Some(&close) && last(open) > last(close);
    !(is_source(file) || is_path)
        || key == Some(&b'=')
        || has_colon()
        || closes(b'(', b')')
        || closes(b'[', b']')
}

/// Splits `FUNC+0xOFF FILE:LINE` at a tab; if tabs became blanks, after the last offset.
fn split_func(text: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    if let Some(tab) = memchr::memchr(b'\t', text) {
        let (func, place) = text.split_at_checked(tab)?;
        let (func, offset) = and_offset(func).unwrap_or((func, 0));
        return Some((func, offset, place.trim_ascii_start()));
    }
    memchr::memrchr_iter(b' ', text).find_map(|blank| {
        let (func, place) = text.split_at_checked(blank)?;
        let (func, offset) = and_offset(func)?;
        Some((func, offset, place.trim_ascii_start()))
    })
}

/// `FUNC` and `0xOFF` of `FUNC+0xOFF`.
fn and_offset(func: &[u8]) -> Option<(&[u8], u64)> {
    let (name, offset) = func.split_at_checked(memchr::memrchr(b'+', func)?)?;
    Some((name, hex(offset.strip_prefix(b"+")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(text in "[-+]?[0-9]{0,20}|[-+ 0-9a]{0,4}") {
            prop_assert_eq!(number(text.as_bytes()), text.parse().ok());
        }

        #[test]
        fn addresses_are_those_of_the_standard_library(digits in "[0-9a-fA-F]{0,18}|[0-9a-g ]{0,4}") {
            let expected = u64::from_str_radix(&digits, 16).ok();
            prop_assert_eq!(hex(format!("0x{digits}").as_bytes()), expected);
        }

        #[test]
        fn the_address_of_a_call_is_that_of_its_return_or_the_one_before(pc in 1..0x2000_u64, to in 0..4_u64) {
            let address = (pc + 1).saturating_sub(to);
            let [pc_text, text] = [pc, address].map(|number| format!("{number:#x}"));
            let expected = pc.wrapping_sub(address) <= 1;
            prop_assert_eq!(is_call_before(pc_text.as_bytes(), text.as_bytes()), expected);
        }
    }

    #[test]
    fn addresses_that_broke_off_or_grew_together_are_told() {
        for whole in
            ["1 @", "1 @ ", "1 @ 0x1", "1 @ 0x1 0xab\r", "1 @ 0x1 0x2<br>", "1 @  0x1  0x2", "no"]
        {
            assert!(has_whole_addresses(whole.as_bytes()), "{whole}");
        }
        for broken in [
            "1 @ 0x",
            "1 @ 0x 0x1",
            "1 @ 0x10x2",
            "1 @ 0x1 2",
            "1 @ 0xg",
            "1 @ 0x1g",
            "1 @ 0x11 @ 0x2",
            "121727502 1 @c/net/http/transport.go:2261",
            "9 2 @ 0x43a2c5 0x64/local/go/src/sync/cond.go:71",
            "1 @ 12",
            "93329946 3 @ 0x4eecb3 0x4",
            "40582628 3 @ 0x467765 0x4bc",
        ] {
            assert!(!has_whole_addresses(broken.as_bytes()), "{broken}");
        }
    }

    #[test]
    fn what_closes_a_quoted_profile_is_no_damage_of_its_last_line() {
        for (closing, line) in [
            ("", Some(33)),
            ("\",web-1", Some(33)),
            ("```", Some(33)),
            (",x", None),
            ("\",\"4 1 @ 0x1 0x2\"", None),
            ("a", None),
        ] {
            let text = format!("#\t0x4533fe\tmain.f+0x1d\t/src/a.go:33{closing}");
            assert_eq!(parse_frame(text.as_bytes()).map(|frame| frame.line), line, "{text}");
        }
    }

    #[test]
    fn a_line_of_a_log_over_the_end_of_a_place_is_damage() {
        for log in [
            "E0314 10:00:00.000000       1 run.go:74] x",
            "I0314 10:00:00.000000 x.go:12] tick",
            "time=\"2026-03-14T10:00:00Z\" msg=x file=\"/src/x.go:12\"",
            "{\"file\":\"/src/x.go:12\"}",
            "level=info caller=\"x.go:12",
            "2026/03/14 10:00:00 http server listening on 0.0.0.0:8080",
            "listening on localhost:8080",
            "level=INFO msg=started addr=:8080",
            "INF started caller=x.go:12",
            "tick (main.go:12)",
            "[info] [source/server/server.cc:12]",
            "E0314 10:00:00.000000       1 run.go:74] ",
        ] {
            let text = format!("#\t0x4533fe\tmain.f+0x1d\t/src/{log}");
            let frame = parse_frame(text.as_bytes());
            assert!(frame.is_none_or(|frame| frame.overwritten), "{text}");
        }
        for file in [
            "/Users/Ann Lee/go/src/a.go",
            "C:/Program Files (x86)/Go/src/runtime/asm_386.s",
            "/home/a/my app (copy) [old]/list.templ",
            "/Users/Ann Lee/views/page.qtpl",
            "D:/a b/c=d.go",
            "//?/C:/Program Files/x.go",
            "<autogenerated>",
            "_cgo_gotypes.go",
        ] {
            let text = format!("#\t0x4533fe\tmain.f+0x1d\t{file}:12");
            let frame = parse_frame(text.as_bytes());
            let file = Some((file.as_bytes(), false));
            assert_eq!(frame.map(|frame| (frame.file, frame.overwritten)), file, "{text}");
        }
    }

    #[test]
    fn lines_of_records_are_told_from_text() {
        for line in [
            "2 @ 0x1",
            "5876 1 @ 0x4533ff",
            "  -1: -512 [3: 1536] @ 0x485696 0x48537b",
            "#\t0x4533fe\tmain.f+0x1d\t/src/a.go:3",
            " #    0x4533fe    main.f+0x1d    /src/a.go:3",
        ] {
            assert!(is_of_record(line.as_bytes()), "{line}");
        }
        for line in [
            "",
            "2 @ home",
            "2026-01-02 @ noon",
            "# 0x4533fe is where it fails",
            "# see main.f+0x1d",
            "main.f+0x1d @ 0x1",
        ] {
            assert!(!is_of_record(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn numbers_end_with_their_64_bits() {
        for text in ["9223372036854775807", "-9223372036854775808"] {
            assert_eq!(
                number(text.as_bytes()).map(|number| number.to_string()).as_deref(),
                Some(text)
            );
        }
        assert_eq!(number(b"9223372036854775808"), None);
        assert_eq!(number(b"-9223372036854775809"), None);
        assert_eq!(hex(b"0xffffffffffffffff"), Some(u64::MAX));
        assert_eq!(hex(b"0x10000000000000000"), None);
    }
}
