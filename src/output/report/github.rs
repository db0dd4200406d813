//! Annotations of a GitHub workflow: commands that the runner finds in the output of a step.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

use super::place::first_in_workspace;
use super::{Report, title};
use crate::leak::{Finding, Level};
use std::io::{self, Write};

/// GitHub shows this many annotations of a level per step, and drops the rest silently.
const SHOWN: usize = 10;

/// Writes annotations, errors first, and of each level as many as GitHub shows.
pub(super) fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (level, command, many) in [
        (Level::Error, "error", "errors"),
        (Level::Warning, "warning", "warnings"),
        (Level::Note, "notice", "notes"),
    ] {
        let mut all: Vec<Annotation> = Vec::new();
        if level == Level::Error {
            all.extend(report.review.blind.iter().map(|why| Annotation::blind(why)));
        }
        let findings = report.open().filter(|finding| finding.level == level);
        all.extend(findings.map(|finding| Annotation::of(report, finding)));
        let more = all.len().saturating_sub(SHOWN);
        all.truncate(SHOWN);
        if more > 0
            && let Some(last) = all.last_mut()
        {
            last.text.push_str(&format!("\n+{more} more {many}"));
        }
        for annotation in all {
            annotation.write(command, out)?;
        }
    }
    Ok(())
}

struct Annotation {
    /// File and line in the repository.
    place: Option<(String, Option<i64>)>,
    title: String,
    text: String,
}

impl Annotation {
    fn blind(text: &str) -> Annotation {
        Annotation { place: None, title: "stackgazer check".into(), text: text.to_owned() }
    }

    fn of(report: &Report<'_>, finding: &Finding) -> Annotation {
        let home = first_in_workspace(report, finding);
        let mut text = report.sentence(finding);
        // The annotated line may only call the function that blocks.
        if let (Some((place, _)), Some(function)) = (&home, &finding.function)
            && place != function
        {
            text.push_str(&format!("\nblocked in {}", function.func));
        }
        if let Some(creator) = &finding.created_by {
            let (func, file, line) = (&creator.func, &creator.file, creator.line);
            text.push_str(&format!("\ncreated by {func} {file}:{line}"));
        }
        Annotation {
            place: home.map(|(_, spot)| (spot.path, spot.line)),
            title: title(finding),
            text,
        }
    }

    fn write(&self, command: &str, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "::{command} ")?;
        if let Some((file, line)) = &self.place {
            write!(out, "file={},", property(file))?;
            if let Some(line) = line {
                write!(out, "line={line},")?;
            }
        }
        writeln!(out, "title={}::{}", property(&self.title), data(&self.text))
    }
}

/// The text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn annotations(report: &Report<'_>) -> Vec<String> {
        let mut bytes = Vec::new();
        write(report, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_finding_is_one_line_with_its_place() {
        let sample = Sample::new();
        let lines = annotations(&sample.report());
        assert_eq!(
            lines[0],
            "::error file=queue/queue.go,line=9,title=growth%3A queue.Push → send::\
             9 goroutines, 3 at first%0Acreated by main.main.func1 example.com/shop/main.go:31"
        );
        assert_eq!(
            lines[1],
            "::warning file=store/store.go,line=40,title=lock-pile-up%3A queue.Push → send::\
             9 goroutines wait for a lock:%0A50%25 of all, see <help> & `docs`%0A\
             blocked in gopkg.in/db.Lock%0Acreated by main.main.func1 example.com/shop/main.go:31"
        );
        assert_eq!(lines.len(), 2, "what is covered is not annotated");
    }

    #[test]
    fn what_separates_is_escaped() {
        assert_eq!(property("a,b:c%d\r\n"), "a%2Cb%3Ac%25d%0D%0A");
        assert_eq!(data("a,b:c%0A\n"), "a,b:c%250A%0A");
    }

    #[test]
    fn no_more_are_written_than_github_shows() {
        let mut sample = Sample::new();
        sample.review.findings = vec![sample.review.findings[0].clone(); 25];
        sample.review.blind.push("x.txt: is empty".to_owned());
        let lines = annotations(&sample.report());
        assert_eq!(lines.len(), 10);
        assert_eq!(lines[0], "::error title=stackgazer check::x.txt: is empty");
        assert!(lines[9].ends_with("%0A+16 more errors"), "{}", lines[9]);
        assert!(!lines[8].contains("more"));
    }
}
