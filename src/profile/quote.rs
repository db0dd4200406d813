//! Text in quotes, as the runtime of Go prints it.

use std::fmt::Write;

/// A key or value of a label: quoted where Go 1.27 quotes it (`tracebackStringNeedsQuoting`).
pub fn word(text: &[u8]) -> String {
    let bare = |byte: &u8| byte.is_ascii_alphanumeric() || b"./_".contains(byte);
    if text.iter().all(bare) { String::from_utf8_lossy(text).into_owned() } else { quoted(text) }
}

/// `printquoted` of `runtime/print.go`: ASCII only, odd bytes as `\xNN`.
pub fn quoted(text: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            // Writing to a String can't fail.
            let _ = match char {
                '\n' => write!(quoted, "\\n"),
                '\r' => write!(quoted, "\\r"),
                '\t' => write!(quoted, "\\t"),
                '"' | '\\' => write!(quoted, "\\{char}"),
                ' '..='~' => write!(quoted, "{char}"),
                '\0'..='\x1f' => write!(quoted, "\\x{:02x}", u32::from(char)),
                '\x7f'..='\u{ffff}' => write!(quoted, "\\u{:04x}", u32::from(char)),
                _ => write!(quoted, "\\U{:08x}", u32::from(char)),
            };
        }
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('"');
    quoted
}
