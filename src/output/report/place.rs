//! The location of a finding: in the repository, if any of its frames is.

use super::Report;
use crate::leak::{Finding, SourceLocation};
use crate::view::rows::Origin;

/// A file, and perhaps a line in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    /// The path: below the root of the repository, or as in the dump or on the command line.
    pub(super) path: String,
    /// Whether the path is below the root of the repository.
    pub(super) in_workspace: bool,
    /// The line, if it is known.
    pub(super) line: Option<i64>,
    /// Its module, and the address of its source.
    pub(super) origin: Origin,
}

impl Spot {
    /// The location of a frame.
    pub(super) fn of(report: &Report<'_>, place: &SourceLocation) -> Spot {
        let relative = report.workspace.locate(&place.func, &place.file);
        Spot {
            in_workspace: relative.is_some(),
            path: relative.unwrap_or_else(|| without_dots(&place.file)),
            line: (place.line > 0).then_some(place.line),
            origin: place.origin.clone(),
        }
    }

    /// The path as a URI: characters with a meaning there are escaped.
    pub(super) fn uri(&self) -> String {
        let path = self.path.replace('\\', "/");
        let bytes = path.as_bytes();
        let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.get(1) == Some(&b':')
            && bytes.get(2) == Some(&b'/');
        let mut uri = match path.starts_with('/') {
            true => "file://".to_owned(),
            false if drive => "file:///".to_owned(),
            false => String::new(),
        };
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                byte if byte.is_ascii_alphanumeric() || b"-._~/@+=,".contains(&byte) => {
                    uri.push(char::from(byte));
                }
                b':' if drive && at == 1 => uri.push(':'),
                byte => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri
    }
}

/// A path that a dump has, without `..`: read relative to the repository, it would lead outside.
fn without_dots(path: &str) -> String {
    let is_dots = |part: &str| matches!(part, "." | "..");
    if !path.split(['/', '\\']).any(is_dots) {
        return path.to_owned();
    }
    let parts = path.split(['/', '\\']).filter(|part| !is_dots(part));
    parts.collect::<Vec<_>>().join("/")
}

/// The first frame of a finding in the repository, starting with the function that blocks and ending with
/// the `go` statement.
pub(super) fn first_in_workspace(
    report: &Report<'_>,
    finding: &Finding,
) -> Option<(SourceLocation, Spot)> {
    let first = finding.function.iter().cloned();
    first
        .chain(finding.frames(report.profile))
        .chain(finding.created_by.iter().cloned())
        .map(|place| {
            let spot = Spot::of(report, &place);
            (place, spot)
        })
        .find(|(_, spot)| spot.in_workspace)
}

/// The location of a finding in formats that need one: in the repository, else the function that blocks,
/// else its last input.
pub(super) fn spot(report: &Report<'_>, finding: &Finding) -> Spot {
    if let Some((_, spot)) = first_in_workspace(report, finding) {
        return spot;
    }
    let first = finding.function.clone().or_else(|| finding.frames(report.profile).next());
    match first.or_else(|| finding.created_by.clone()) {
        Some(place) => Spot::of(report, &place),
        None => input(report, finding),
    }
}

/// The file of the input that a finding is about, of the last one that it concerns, or of any.
fn input(report: &Report<'_>, finding: &Finding) -> Spot {
    let inputs = &report.profile.inputs;
    let name = finding.inputs.last();
    let input = finding.input.map(|id| report.profile.input(id));
    let input = input.or_else(|| inputs.iter().find(|input| Some(&input.name) == name));
    let path = input.or(inputs.first()).map_or("-", |input| input.path.as_str());
    // `bundle.zip!nodes/1/stacks.txt` is in the file `bundle.zip`.
    let path = path.split('!').next().unwrap_or(path);
    match report.workspace.relative(path) {
        Some(path) => Spot { path, in_workspace: true, line: Some(1), origin: Origin::default() },
        None => {
            let path = path.strip_prefix("./").unwrap_or(path).to_owned();
            let in_workspace = !path.starts_with(['/', '\\', '.']) && !path.contains(':');
            Spot { path, in_workspace, line: Some(1), origin: Origin::default() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    fn uri(path: &str) -> String {
        let (path, origin) = (path.into(), Origin::default());
        Spot { path, in_workspace: false, line: None, origin }.uri()
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("net/http/server.go"), "net/http/server.go");
        assert_eq!(uri("/usr/local/go/src/a b.go"), "file:///usr/local/go/src/a%20b.go");
        assert_eq!(uri("C:/Users/größe.go"), "file:///C:/Users/gr%C3%B6%C3%9Fe.go");
        assert_eq!(uri("a:b/100%?#.go"), "a%3Ab/100%25%3F%23.go");
        assert_eq!(uri("gopkg.in/x@v1.2.3/x.go"), "gopkg.in/x@v1.2.3/x.go");
    }

    #[test]
    fn no_path_of_a_dump_leads_outside() {
        let sample = Sample::new();
        let report = sample.report();
        let (_, spot) = first_in_workspace(&report, &sample.review.findings[1]).unwrap();
        let path = |file: &str| {
            let place = SourceLocation {
                func: "f".to_owned(),
                file: file.to_owned(),
                line: 1,
                origin: spot.origin.clone(),
            };
            Spot::of(&report, &place).path
        };
        assert_eq!(path("../../etc/passwd"), "etc/passwd");
        assert_eq!(path("/src/../../etc/./x.go"), "/src/etc/x.go");
        assert_eq!(path("C:\\x\\..\\..\\y.go"), "C:/x/y.go");
        assert_eq!(path("net/http/server.go"), "net/http/server.go");
    }

    #[test]
    fn a_finding_is_shown_at_the_nearest_frame_of_the_repository() {
        let sample = Sample::new();
        let report = sample.report();
        // It blocks in a library that the repository calls.
        let (place, spot) = first_in_workspace(&report, &sample.review.findings[1]).unwrap();
        assert_eq!(place.func, "example.com/shop/store.(*Store).Save");
        assert_eq!((spot.path.as_str(), spot.line), ("store/store.go", Some(40)));
    }

    #[test]
    fn what_has_no_frame_is_shown_in_its_input() {
        let sample = Sample::new();
        let mut finding = sample.review.findings[0].clone();
        finding.function = None;
        finding.stack = None;
        finding.created_by = None;
        assert_eq!(spot(&sample.report(), &finding).path, "dumps/after.txt");
    }
}
