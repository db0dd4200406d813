//! Markdown tables and lists, as GitHub, GitLab and chats render them.

use super::line::Line;
use super::table::{Column, Content};
use std::io::{self, Write};

/// Writes the lines of a verdict as a list.
///
/// # Errors
/// The error of writing to `out`.
pub fn list(lines: &[Line], out: &mut dyn Write) -> io::Result<()> {
    for line in lines {
        match line.label {
            _ if line.is_code => writeln!(out, "  {}", code(line.text.trim_start()))?,
            "" => writeln!(out, "  {}", plain(&line.text))?,
            label => writeln!(out, "- {label}: {}", plain(&line.text))?,
        }
    }
    Ok(())
}

/// Writes what `write` writes as a block of code, whatever is in it. It runs twice, first to find out how long
/// the fence must be: so nothing is kept in memory.
///
/// # Errors
/// The error of `write`, or of writing to `out`.
pub fn block(
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut runs = LongestRun::default();
    write(&mut runs)?;
    let fence = "`".repeat(runs.longest.max(2) + 1);
    writeln!(out, "{fence}")?;
    write(out)?;
    writeln!(out, "{fence}")
}

/// Writes the head of a table.
///
/// # Errors
/// The error of writing to `out`.
pub fn head<'a>(
    columns: impl Iterator<Item = &'a Column> + Clone,
    out: &mut dyn Write,
) -> io::Result<()> {
    row(columns.clone().map(|column| plain(&column.heading)), out)?;
    let lean = |column: &Column| if column.content == Content::Number { "---:" } else { "---" };
    row(columns.map(|column| lean(column).to_owned()), out)
}

/// Writes one row of cells made by [`plain`] or [`code`].
///
/// # Errors
/// The error of writing to `out`.
pub fn row(cells: impl IntoIterator<Item = String>, out: &mut dyn Write) -> io::Result<()> {
    for cell in cells {
        write!(out, "| {cell} ")?;
    }
    writeln!(out, "|")
}

/// Escapes text for an element of HTML in Markdown, where `@all` would call people, too.
pub fn html(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace(['\n', '\r'], " ").replace('@', "&#64;")
}

/// Escapes text for Markdown: `(*T)` doesn't start italics, `<b>` isn't HTML.
pub fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' | '\r' => safe.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '#' => {
                safe.push('\\');
                safe.push(char);
            }
            '&' => safe.push_str("&amp;"),
            '@' => safe.push_str("&#64;"),
            char => safe.push(char),
        }
    }
    safe
}

/// Text as code; a bar is escaped, since it would end the cell even there.
pub fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    if text.is_empty() {
        return text;
    }
    match longest_run(&text) {
        0 => format!("`{text}`"),
        longest => {
            let fence = "`".repeat(longest + 1);
            format!("{fence} {text} {fence}")
        }
    }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    let mut runs = LongestRun::default();
    runs.add(text.as_bytes());
    runs.longest
}

/// Looks for the longest run of backticks in all that is written to it; a fence must be longer.
#[derive(Debug, Default)]
struct LongestRun {
    longest: usize,
    current: usize,
}

impl LongestRun {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.current = if byte == b'`' { self.current + 1 } else { 0 };
            self.longest = self.longest.max(self.current);
        }
    }
}

impl Write for LongestRun {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names() {
        assert_eq!(plain("kv.(*Replica).lock_all"), r"kv.(\*Replica).lock\_all");
        assert_eq!(plain("a<script>|b\nc"), r"a\<script\>\|b c");
        assert_eq!(plain("ping @all"), "ping &#64;all");
        assert_eq!(html("<b>&\n@all"), "&lt;b&gt;&amp; &#64;all");
    }

    #[test]
    fn code_ends_where_it_should() {
        assert_eq!(code("main.(*T).M"), "`main.(*T).M`");
        assert_eq!(code("a|b"), r"`a\|b`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(code(""), "");
    }

    #[test]
    fn no_text_ends_its_block() {
        let mut out = Vec::new();
        // A run that is written in two parts is one run.
        let text = |out: &mut dyn Write| {
            ["a\n``", "``\nb\n"].iter().try_for_each(|part| write!(out, "{part}"))
        };
        block(&mut |out| text(out), &mut out).unwrap();
        assert_eq!(out, b"`````\na\n````\nb\n`````\n");
    }

    #[test]
    fn rows_end_with_a_bar() {
        let mut out = Vec::new();
        row(["a".to_owned(), String::new()], &mut out).unwrap();
        assert_eq!(out, b"| a |  |\n");
    }
}
