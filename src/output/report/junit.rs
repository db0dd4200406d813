//! JUnit XML: a test case for each check, so passing checks are visible.

use super::{Report, title};
use crate::leak::{Done, Finding, SourceLocation};
use crate::output::check::series;
use crate::output::terminal::Screen;
use std::io::{self, Write};

/// Writes a single test suite.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let review = report.review;
    let fails = |check: &&Done| {
        review.findings.iter().any(|one| one.check == check.check && review.counts(one))
    };
    let is_skipped = |check: &&Done| {
        check.skipped.is_some() && !report.open().any(|finding| finding.check == check.check)
    };
    let failures = review.checks.iter().filter(fails).count();
    let skipped = review.checks.iter().filter(is_skipped).count();
    let errors = usize::from(!review.blind.is_empty());
    let tests = review.checks.len() + 1;
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"stackgazer\" tests=\"{tests}\" failures=\"{failures}\" \
         errors=\"{errors}\" time=\"0\">"
    )?;
    writeln!(
        out,
        "  <testsuite name=\"stackgazer check\" tests=\"{tests}\" failures=\"{failures}\" \
         errors=\"{errors}\" skipped=\"{skipped}\" time=\"0\">"
    )?;
    reading(report, out)?;
    for check in &review.checks {
        case(report, check.check, check.skipped, out)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// The test case that fails if an input wasn't read completely.
fn reading(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = report.review.blind.first() else {
        return writeln!(
            out,
            "    <testcase classname=\"stackgazer.check\" name=\"reading\" time=\"0\"/>"
        );
    };
    // Escaped, so each stays on one line.
    let blind: Vec<_> = report.review.blind.iter().map(|why| Screen::PIPE.text(why)).collect();
    writeln!(out, "    <testcase classname=\"stackgazer.check\" name=\"reading\" time=\"0\">")?;
    writeln!(
        out,
        "      <error message=\"{}\" type=\"reading\">{}</error>",
        attribute(first),
        body(&blind.join("\n"))
    )?;
    writeln!(out, "    </testcase>")
}

fn case(
    report: &Report<'_>,
    name: &str,
    skipped: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_check = || report.review.findings.iter().filter(|finding| finding.check == name);
    let failing: Vec<&Finding> =
        of_check().filter(|finding| report.review.counts(finding)).collect();
    let others: Vec<&Finding> =
        of_check().filter(|f| f.suppressed.is_none() && !report.review.counts(f)).collect();
    write!(
        out,
        "    <testcase classname=\"stackgazer.check\" name=\"{}\" time=\"0\"",
        attribute(name)
    )?;
    if failing.is_empty() && others.is_empty() && skipped.is_none() {
        return writeln!(out, "/>");
    }
    writeln!(out, ">")?;
    if let Some(first) = failing.first() {
        let more = match failing.len() - 1 {
            0 => String::new(),
            more => format!(" (+{more} more)"),
        };
        write!(
            out,
            "      <failure message=\"{}\" type=\"{}\">",
            attribute(&format!("{}{more}", report.sentence(first))),
            first.level.name()
        )?;
        texts(report, &failing, out)?;
        writeln!(out, "</failure>")?;
    } else if others.is_empty()
        && let Some(reason) = skipped
    {
        writeln!(out, "      <skipped message=\"{}\"/>", attribute(reason))?;
    }
    if !others.is_empty() {
        write!(out, "      <system-out>")?;
        texts(report, &others, out)?;
        writeln!(out, "</system-out>")?;
    }
    writeln!(out, "    </testcase>")
}

/// Writes findings with their stacks in Go's form.
fn texts(report: &Report<'_>, findings: &[&Finding], out: &mut dyn Write) -> io::Result<()> {
    // Escaped, so a name can't start a line.
    let flat = |text: &str| body(&Screen::PIPE.text(text));
    for finding in findings {
        writeln!(out, "{}: {}", finding.level.name(), flat(&report.sentence(finding)))?;
        writeln!(out, "{}, {} goroutines", flat(&title(finding)), body(&series(&finding.counts)))?;
        for SourceLocation { func, file, line, .. } in finding.frames(report.profile) {
            writeln!(out, "  {}\n    {}:{line}", flat(&func), flat(&file))?;
        }
        if let Some(SourceLocation { func, file, line, .. }) = &finding.created_by {
            writeln!(out, "  created by {}\n    {}:{line}", flat(func), flat(file))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Text between tags, without characters that XML 1.0 can't represent.
fn body(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '\n' | '\t' => safe.push(char),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => {}
            char => safe.push(char),
        }
    }
    safe
}

/// Text in double quotes, where line feeds and tabs would otherwise become blanks.
fn attribute(text: &str) -> String {
    body(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;
    use crate::leak::{CHECKS, Level};

    fn xml(report: &Report<'_>) -> String {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn each_check_is_a_test_case() {
        let sample = Sample::new();
        let xml = xml(&sample.report());
        let tests = CHECKS.len() + 1;
        assert!(xml.contains(&format!("tests=\"{tests}\" failures=\"1\" errors=\"0\"")));
        assert_eq!(xml.matches("<testcase ").count(), tests);
        assert!(xml.contains("name=\"reading\" time=\"0\"/>"));
        assert!(xml.contains("name=\"race\" time=\"0\"/>"), "what passes is seen");
        assert!(
            xml.contains("<failure message=\"9 goroutines, 3 at first\" type=\"error\">error: 9")
        );
        assert!(
            xml.contains("  example.com/shop/queue.Push\n    example.com/shop/queue/queue.go:9")
        );
        assert!(xml.contains("<system-out>warning: 9 goroutines wait"), "a warning doesn't fail");
    }

    #[test]
    fn what_fails_follows_the_threshold() {
        let mut sample = Sample::new();
        sample.review.fail_on = Level::Warning;
        assert!(xml(&sample.report()).contains("failures=\"2\""));
    }

    #[test]
    fn a_check_that_could_not_be_done_is_skipped() {
        let mut sample = Sample::new();
        let persistence = sample.review.checks.iter_mut().find(|one| one.check == "persistence");
        persistence.unwrap().skipped = Some("it needs ids");
        let xml = xml(&sample.report());
        assert!(xml.contains("      <skipped message=\"it needs ids\"/>\n"), "{xml}");
        let skipped = xml.matches("<skipped ").count();
        assert!(xml.contains(&format!(" skipped=\"{skipped}\" ")));
    }

    #[test]
    fn an_input_that_was_not_read_is_an_error() {
        let mut sample = Sample::new();
        sample.review.findings.clear();
        sample.review.blind =
            vec!["a.txt: is empty".to_owned(), "b.txt: \"<\" is no dump".to_owned()];
        let xml = xml(&sample.report());
        assert!(xml.contains("errors=\"1\""));
        assert!(xml.contains(
            "<error message=\"a.txt: is empty\" type=\"reading\">a.txt: is empty\n\
             b.txt: \"&lt;\" is no dump</error>"
        ));
    }

    #[test]
    fn text_is_escaped_and_control_characters_are_left_out() {
        assert_eq!(body("a<b>&\u{1b}[31m\u{0}\r\n\t]]>"), "a&lt;b&gt;&amp;[31m\n\t]]&gt;");
        assert_eq!(attribute("\"a\"\n\tb"), "&quot;a&quot;&#10;&#9;b");
    }
}
