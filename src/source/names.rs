//! Short names for inputs.

use super::http::shown_argument;
use crate::error::{Error, Result};
use std::collections::{BTreeSet, HashSet};

/// The last component of a path, with separators of any system; for an address, the host.
pub(super) fn base_name(path: &str) -> &str {
    if let Some(host) = super::http::host(path) {
        return host;
    }
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A valid name: `unknown` instead of an empty one, and an `n` in front of digits only.
pub fn usable(name: &str) -> String {
    if name.is_empty() {
        "unknown".to_owned()
    } else if name.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("n{name}")
    } else {
        name.to_owned()
    }
}

/// Names that distinguish the members of one container: their paths without the first and last
/// components that all of them share. A single member keeps its whole path.
///
/// ```
/// # use stackgazer::source::distinct_names;
/// let names = distinct_names(&["debug/nodes/1/stacks.txt", "debug/nodes/2/stacks.txt"]);
/// assert_eq!(names, ["1", "2"]);
/// ```
pub fn distinct_names(paths: &[&str]) -> Vec<String> {
    let distinct: BTreeSet<&str> = paths.iter().copied().collect();
    if distinct.len() < 2 {
        return paths.iter().map(|path| (*path).to_owned()).collect();
    }
    let Some(first) = distinct.first() else { return Vec::new() };
    let others = || distinct.iter().skip(1);
    let start = others().map(|path| same(components(first), components(path))).min().unwrap_or(0);
    let shortest = distinct.iter().map(|path| components(path).count()).min().unwrap_or(0);
    let end = others().map(|path| same(components(first).rev(), components(path).rev())).min();
    let mut end = end.unwrap_or(0).min(shortest.saturating_sub(start));
    // If the folders alone are distinct, the names of the files aren't needed even if they differ.
    if end == 0 {
        let folders = distinct.iter().map(|path| between(path, start, 1));
        let apart: HashSet<String> = folders.filter(|folder| !folder.is_empty()).collect();
        end = usize::from(apart.len() == distinct.len());
    }
    paths.iter().map(|path| between(path, start, end)).collect()
}

/// The parts of a path. They aren't collected: there can be thousands in each of thousands of paths.
fn components(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    path.split(['/', '!'])
}

/// How many parts two paths share, in this order.
fn same<'a>(a: impl Iterator<Item = &'a str>, b: impl Iterator<Item = &'a str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// The parts of a path without this many first and last ones.
fn between(path: &str, start: usize, end: usize) -> String {
    let components: Vec<&str> = components(path).collect();
    let to = components.len().saturating_sub(end);
    components.get(start..to).unwrap_or_default().join("/")
}

/// Short unique names for arguments: their base names or, if these aren't unique, the parts in
/// which the paths differ.
///
/// ```
/// # use stackgazer::source::argument_names;
/// assert_eq!(argument_names(&["a/old.zip".into(), "-".into()]), ["old.zip", "stdin"]);
/// assert_eq!(argument_names(&["old/debug.zip".into(), "new/debug.zip".into()]), ["old", "new"]);
/// ```
pub fn argument_names(arguments: &[std::ffi::OsString]) -> Vec<String> {
    let paths: Vec<String> = arguments
        .iter()
        .map(|path| if path == "-" { "stdin".to_owned() } else { shown_argument(path) })
        .map(|path| path.trim_end_matches(['/', '\\']).to_owned())
        .collect();
    let bases: Vec<&str> = paths.iter().map(|path| base_name(path)).collect();
    let distinct: BTreeSet<&str> = bases.iter().copied().collect();
    let mut names: Vec<String> = match distinct.len() == bases.len() {
        true => bases.iter().map(|base| usable(base)).collect(),
        false => {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            distinct_names(&paths).iter().map(|name| usable(name)).collect()
        }
    };
    make_unique(&mut names);
    names
}

/// Makes names unique: the second `name` becomes `name#2`.
pub fn make_unique(names: &mut [String]) {
    let given: HashSet<String> = names.iter().cloned().collect();
    let mut used = HashSet::new();
    let mut next = std::collections::HashMap::<String, usize>::new();
    for name in names {
        if used.insert(name.clone()) {
            continue;
        }
        let number = next.entry(name.clone()).or_insert(1);
        loop {
            *number = number.saturating_add(1);
            let numbered = format!("{name}#{number}");
            if !given.contains(&numbered) && used.insert(numbered.clone()) {
                *name = numbered;
                break;
            }
        }
    }
}

/// The names that the user gave: `--input-name PATH=NAME`.
#[derive(Clone, Debug, Default)]
pub struct GivenNames(Vec<GivenName>);

#[derive(Clone, Debug)]
struct GivenName {
    path: String,
    name: String,
}

impl GivenNames {
    /// Parses the option's values, splitting at the last `=`, as paths contain one more often than
    /// names do: `goroutine?debug=2`.
    ///
    /// # Errors
    /// If the `=` is missing, or either side of it is empty.
    pub fn parse(options: &[String]) -> Result<GivenNames> {
        let parse = |text: &String| match text.rsplit_once('=') {
            Some((path, name)) if !path.is_empty() && !name.is_empty() => {
                let path = shown_argument(path.as_ref());
                Ok(GivenName { path, name: name.to_owned() })
            }
            _ => Err(Error::usage("--input-name", text, 1, "isn't PATH=NAME")
                .advise("give a path as it is shown, `=` and a name")),
        };
        options.iter().map(parse).collect::<Result<_>>().map(GivenNames)
    }

    /// The name given to the input with this path, either its whole path or that inside its
    /// argument.
    pub fn name_of(&self, path: &str, member: &str) -> Option<(usize, &str)> {
        let same = |given: &GivenName| {
            let plain = given.path.strip_prefix("./").unwrap_or(&given.path);
            plain == path.strip_prefix("./").unwrap_or(path)
                || (!member.is_empty() && plain == member)
                || (given.path == "-" && path == "stdin")
        };
        let at = self.0.iter().position(same)?;
        self.0.get(at).map(|given| (at, given.name.as_str()))
    }

    /// An error for each name whose position isn't in `used`.
    pub fn unused(&self, used: &BTreeSet<usize>) -> Vec<Error> {
        let unused = self.0.iter().enumerate().filter(|(at, _)| !used.contains(at));
        unused
            .map(|(_, given)| {
                let what = format!("no input is at {:?}", given.path);
                // Without the name, which is a part of the address if none was given.
                Error::misuse("--input-name", what)
                    .advise("give a path as it is shown, BUNDLE!MEMBER inside archives")
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_that_all_share_are_left_out() {
        let cases: &[(&[&str], &[&str])] = &[
            (&["d/nodes/1/stacks.txt", "d/nodes/2/stacks.txt"], &["1", "2"]),
            (&["d/nodes/10/stacks.txt", "d/nodes/11/stacks.txt"], &["10", "11"]),
            (&["d/7/stacks.txt"], &["d/7/stacks.txt"]),
            (&["stacks.txt", "sub/stacks.txt"], &["", "sub"]),
            (&["debug/README", "debug/nodes/1/other.txt"], &["README", "nodes/1/other.txt"]),
            (&["x/a.txt", "x/b.txt"], &["a.txt", "b.txt"]),
            (&["1/stacks.txt", "2/goroutines.txt"], &["1", "2"]),
            (&["1/a.txt", "1/b.txt", "2/a.txt"], &["1/a.txt", "1/b.txt", "2/a.txt"]),
            (&["n1.zip!stacks.txt", "n2.zip!stacks.txt"], &["n1.zip", "n2.zip"]),
            (&["a/b/a", "a/a"], &["b", ""]),
            (&["a.txt", "a.txt"], &["a.txt", "a.txt"]),
        ];
        for (paths, names) in cases {
            assert_eq!(&distinct_names(paths), names, "{paths:?}");
        }
    }

    #[test]
    fn digits_get_a_letter_and_nothing_a_name() {
        assert_eq!(usable("123"), "n123");
        assert_eq!(usable("007"), "n007");
        assert_eq!(usable("n1"), "n1");
        assert_eq!(usable("1.txt"), "1.txt");
        assert_eq!(usable(""), "unknown");
    }

    #[test]
    fn equal_names_are_numbered_around_names_that_are_taken() {
        let mut names = ["a", "b", "a", "a#2", "a"].map(str::to_owned);
        make_unique(&mut names);
        assert_eq!(names, ["a", "b", "a#3", "a#2", "a#4"]);
    }

    #[test]
    fn base_names_of_both_worlds() {
        assert_eq!(base_name("/var/log/a.txt"), "a.txt");
        assert_eq!(base_name(r"C:\dumps\a.txt"), "a.txt");
        assert_eq!(base_name("dir/"), "dir");
        assert_eq!(base_name("http://db1:6060/debug/pprof/goroutine?debug=2"), "db1:6060");
    }

    #[test]
    fn given_names_are_found_by_whole_path_or_member() {
        let names = GivenNames::parse(&["b.zip!n/goroutine?debug=2=web".to_owned()]).unwrap();
        let member = "n/goroutine?debug=2";
        assert_eq!(names.name_of("b.zip!n/goroutine?debug=2", member), Some((0, "web")));
        assert_eq!(names.name_of("other", "other"), None);
        assert_eq!(names.unused(&BTreeSet::new()).len(), 1);
        assert!(GivenNames::parse(&["name".to_owned()]).is_err());
        assert!(GivenNames::parse(&["path=".to_owned()]).is_err());
    }
}
