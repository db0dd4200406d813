//! What can't stand in the brackets of a header: a part of it is lost, or a part of another one stands in it.

/// Whether a state can't be one that Go prints: it has bytes or a parenthesis that none has, or the minutes behind a
/// lost comma. It can be empty: a dump that was made of a profile doesn't know it.
pub(super) fn is_damaged_state(state: &[u8]) -> bool {
    // Browsers copy blanks that don't break a line.
    let is_odd = |byte: &u8| {
        byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b" ().?:/_*-".contains(byte)
    };
    let count = |wanted: u8| state.iter().filter(|&&byte| byte == wanted).count();
    state.iter().any(is_odd)
        || memchr::memmem::find(state, "\u{fffd}".as_bytes()).is_some()
        || count(b'(') != count(b')')
        || memchr::memmem::find(state, b" minutes").is_some()
}

/// Whether what follows the state can't be what Go prints. Runtimes that were patched have flags of their own, but none
/// is a number or holds a header.
pub(super) fn is_damaged_flag(flag: &[u8]) -> bool {
    let is_cut = flag.len() > 3 && flag != b"locked" && b"locked to threa".starts_with(flag);
    let digits = flag.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after_digits = flag.get(digits..).unwrap_or_default();
    digits > 0 && (after_digits.is_empty() || after_digits.starts_with(b" "))
        || flag.contains(&b'[')
        || memchr::memmem::find(flag, b"minute").is_some()
        || is_cut
}
