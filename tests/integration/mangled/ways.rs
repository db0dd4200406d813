//! What texts suffer on their way.

/// What happens to a text on its way, and its name.
pub(crate) type Mangling = (&'static str, fn(&str) -> String);

/// To add a way: a function and a row here.
pub(crate) const MANGLINGS: &[Mangling] = &[
    ("no blank lines", |text| lines(text, |line| blank(line).then(String::new), "")),
    ("blanks on blank lines", |text| {
        each(text, |line| if line.is_empty() { "  " } else { line }.to_owned())
    }),
    ("a tab on blank lines", |text| {
        each(text, |line| if line.is_empty() { "\t" } else { line }.to_owned())
    }),
    ("blank lines doubled", |text| {
        each(text, |line| if line.is_empty() { "\n" } else { line }.to_owned())
    }),
    ("every line end doubled", |text| each(text, |line| format!("{line}\n"))),
    ("a blank line after each third line", third_line_blank),
    ("trailing blanks", |text| each(text, |line| format!("{line}  "))),
    ("filled up to 100 columns", |text| each(text, |line| format!("{line:<100}"))),
    ("places flush left", |text| each(text, |line| line.trim_start().to_owned())),
    ("places behind #011", |text| tabs(text, "#011")),
    ("places behind no-break blanks", |text| tabs(text, "\u{a0}\u{a0}")),
    ("places behind one blank", |text| tabs(text, " ")),
    ("places behind four blanks", |text| tabs(text, "    ")),
    ("places behind eight blanks", |text| tabs(text, "        ")),
    ("places behind a written tab", |text| tabs(text, "\\t")),
    ("places behind an arrow", |text| tabs(text, "→")),
    ("CRLF", |text| text.replace('\n', "\r\n")),
    ("CRLF in the first half", crlf_in_part),
    ("CR CR LF", |text| text.replace('\n', "\r\r\n")),
    ("lone CR", |text| text.replace('\n', "\r")),
    ("line separators", |text| text.replace('\n', "\u{2028}")),
    ("no last line end", |text| text.trim_end_matches('\n').to_owned()),
    ("quoted", |text| each(text, |line| format!("> {line}"))),
    ("quoted, trimmed", |text| each(text, |line| format!("> {line}").trim_end().to_owned())),
    ("quoted twice", |text| each(text, |line| format!("> > {line}").trim_end().to_owned())),
    ("quoted tightly", |text| each(text, |line| format!(">{line}"))),
    ("red lines", |text| each(text, |line| format!("\x1b[31m{line}\x1b[0m"))),
    ("red from first to last", |text| format!("\x1b[31m{text}\x1b[0m\n")),
    ("colours written out", |text| each(text, |line| format!("^[[31m{line}^[[0m"))),
    ("colours without their first byte", |text| each(text, |line| format!("[31m{line}[0m"))),
    ("erased to the end of the line", |text| each(text, |line| format!("{line}\x1b[K"))),
    ("HTML entities", html),
    ("HTML preformatted", |text| format!("<pre><code>{}</code></pre>\n", html(text))),
    ("HTML line breaks", |text| each(&html(text), |line| format!("{line}<br>"))),
    ("HTML elements", |text| each(&html(text), |line| format!("<span class=\"x\">{line}</span>"))),
    ("HTML in one line", |text| format!("<p>{}</p>\n", html(text).replace('\n', "<br/>"))),
    ("no-width characters", |text| each(text, |line| format!("\u{200b}{line}\u{feff}"))),
    ("a code fence", |text| format!("It crashed:\n```\n{text}```\nAny idea?\n")),
    ("a fold", |text| format!("<details>\n<summary>dump</summary>\n\n{text}\n</details>\n")),
    ("backquotes", |text| {
        each(text, |line| if line.is_empty() { String::new() } else { format!("`{line}`") })
    }),
    ("escaped for Markdown", |text| text.replace('*', "\\*").replace('_', "\\_")),
    ("indented", |text| each(text, |line| format!("    {line}"))),
    ("indented, trimmed", |text| {
        each(text, |line| format!("        {line}").trim_end().to_owned())
    }),
];

/// Ways that lose something: it must be said.
pub(crate) const LOSSY: &[Mangling] = &[
    ("the front cut off", |text| cut(text, 0.2, 1.0)),
    ("the end cut off", |text| cut(text, 0.0, 0.8)),
    ("all in one line", |text| text.replace('\n', " ").replace('\t', "") + "\n"),
];

fn each(text: &str, change: impl Fn(&str) -> String) -> String {
    text.lines().map(|line| change(line) + "\n").collect()
}

fn lines(text: &str, instead: impl Fn(&str) -> Option<String>, end: &str) -> String {
    text.lines().map(|line| instead(line).unwrap_or_else(|| format!("{line}\n") + end)).collect()
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn tabs(text: &str, instead: &str) -> String {
    each(text, |line| {
        line.strip_prefix('\t').map_or(line.to_owned(), |line| format!("{instead}{line}"))
    })
}

fn third_line_blank(text: &str) -> String {
    let end = |number| if number % 3 == 2 { "\n\n" } else { "\n" };
    text.lines().enumerate().map(|(number, line)| format!("{line}{}", end(number))).collect()
}

fn crlf_in_part(text: &str) -> String {
    let half = text.lines().count() / 2;
    let end = |number| if number < half { "\r\n" } else { "\n" };
    text.lines().enumerate().map(|(number, line)| format!("{line}{}", end(number))).collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;")
}

fn cut(text: &str, from: f64, to: f64) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = |part: f64| (lines.len() as f64 * part) as usize;
    // So that a place is the first, and a call the last.
    let mut first = at(from);
    while from > 0.0 && first < lines.len() && !lines[first].contains(".go:") {
        first += 1;
    }
    let mut last = at(to);
    while to < 1.0 && last > 0 && !lines[last].ends_with(')') {
        last -= 1;
    }
    let last = if to < 1.0 { last + 1 } else { lines.len() };
    lines[first..last].join("\n") + "\n"
}
