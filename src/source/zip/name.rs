//! Names of members of a zip archive.

use super::entry::extra_field;
use super::number;
use std::borrow::Cow;
use std::sync::LazyLock;

/// The upper half of code page 437, the encoding of names that aren't UTF-8.
static CP437: LazyLock<Vec<char>> = LazyLock::new(|| UPPER.chars().collect());
const UPPER: &str = "\
    ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The kind of extra field that holds a name as UTF-8.
const UNICODE_PATH: u64 = 0x7075;

/// A member's name as a path. Valid UTF-8 is taken as UTF-8, as many writers don't set its flag.
pub(super) fn path<'n>(name: &'n [u8], extra: &'n [u8]) -> Cow<'n, str> {
    let unicode = match name.is_ascii() {
        true => None,
        false => unicode(name, extra),
    };
    let path = match std::str::from_utf8(unicode.unwrap_or(name)) {
        Ok(name) => Cow::Borrowed(name),
        Err(_) => Cow::Owned(name.iter().map(|&byte| char_of(byte)).collect()),
    };
    // Old .NET wrote backslashes between folders.
    match path.contains('\\') && !path.contains('/') {
        true => Cow::Owned(path.replace('\\', "/")),
        false => path,
    }
}

/// The name from the field that Info-ZIP adds; it is only used if the checksum in it is that of the
/// name.
fn unicode<'n>(name: &[u8], extra: &'n [u8]) -> Option<&'n [u8]> {
    let (head, unicode) = extra_field(extra, UNICODE_PATH)?.split_at_checked(5)?;
    let fits = head.starts_with(&[1]) && number(head, 1, 4) == u64::from(crc32fast::hash(name));
    fits.then_some(unicode)
}

fn char_of(byte: u8) -> char {
    match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(upper) => {
            CP437.get(usize::from(upper)).copied().unwrap_or(char::REPLACEMENT_CHARACTER)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf_8_or_of_the_code_page() {
        assert_eq!(CP437.len(), 128);
        let path = |name| super::path(name, b"");
        assert_eq!(path("gör/ä.txt".as_bytes()), "gör/ä.txt");
        assert_eq!(path(b"g\x94r/\x84.txt"), "gör/ä.txt");
        assert_eq!(path(b"\x80\xb0\xe1\xff"), "Ç░ß\u{a0}");
    }

    #[test]
    fn backslashes_stand_between_folders_where_nothing_else_does() {
        let path = |name| super::path(name, b"");
        assert_eq!(path(br"a\b.txt"), "a/b.txt");
        assert_eq!(path(br"a/b\c.txt"), r"a/b\c.txt");
    }

    #[test]
    fn a_name_may_stand_beside_as_utf_8() {
        let extra = |crc: u32| {
            let head = [0x75, 0x70, 9, 0, 1].into_iter().chain(crc.to_le_bytes());
            head.chain("ö".bytes()).chain(*b".t").collect::<Vec<u8>>()
        };
        assert_eq!(path(b"\x81.t", &extra(crc32fast::hash(b"\x81.t"))), "ö.t");
        assert_eq!(path(b"\x81.t", &extra(0)), "ü.t");
    }
}
