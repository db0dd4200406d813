//! Output of a WebAssembly program in a browser's console: Firefox appends the place that wrote a
//! line, `goroutine 1 [running]: wasm_exec.js:41:14`.

use super::Stripped;

/// Whether a browser's console wrote the line: the place after the text could pass for a part of
/// it, as Go's own headers can have text after their colon.
pub(crate) fn is_of_console(line: &[u8]) -> bool {
    strip(line).is_some()
}

pub(super) fn strip(line: &[u8]) -> Option<Stripped<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A cheap test first, as many lines are checked.
    if !line.last().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let blank = memchr::memrchr(b' ', line)?;
    let (text, place) = line.split_at_checked(blank)?;
    let mut parts = place.get(1..)?.split(|&byte| byte == b':');
    let script = parts.next()?.strip_suffix(b".js")?;
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let numbers = parts.clone().count();
    if !script.starts_with(b"wasm_exec") || !(1..=2).contains(&numbers) || !parts.all(is_number) {
        return None;
    }
    // Firefox shows this for an empty line.
    let text = if text == b"<empty string>" { b"" } else { text };
    Some(Stripped { stream: b"", text, partial: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_that_wrote_a_line_is_cut_off() {
        let text = |line: &'static str| strip(line.as_bytes()).map(|stripped| stripped.text);
        assert_eq!(text("main.main() wasm_exec.js:41:14"), Some(&b"main.main()"[..]));
        assert_eq!(text("\t/src/a.go:3 +0x1 wasm_exec.js:41"), Some(&b"\t/src/a.go:3 +0x1"[..]));
        assert_eq!(text("<empty string> wasm_exec.js:41:14\r"), Some(&b""[..]));
        assert_eq!(text(" wasm_exec.js:41:14"), Some(&b""[..]));
        for line in [
            "main.main()",
            "x main.js:41:14",
            "x wasm_exec.js",
            "x wasm_exec.js:a",
            "x wasm_exec.js:a1",
            "x wasm_exec.js::1",
            "",
        ] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
