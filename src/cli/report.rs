//! `--report FORMAT[=FILE]`, any number at once.

use super::destination::Destination;
use super::emit::{emit_for_people, emit_to};
use crate::config::root;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::output::escape::Style;
use crate::output::report::{Report, ReportFormat, Workspace};
use crate::textfile;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A report that was requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Request {
    pub(super) format: ReportFormat,
    /// Its destination; stdout if no file is named.
    pub(super) to: Destination,
}

/// Reads `--report`, and fails if a file can't be written, before anything is read.
///
/// `table`: whether the output of the command itself is for people; another document on stdout would
/// spoil it for programs.
pub(super) fn requests(texts: &[impl AsRef<OsStr>], table: bool) -> Result<Vec<Request>> {
    let mut requests: Vec<Request> = Vec::new();
    for text in texts {
        let request = Request::parse(text.as_ref())?;
        request.to.check()?;
        let taken = !table || requests.iter().any(|other| other.to == Destination::Stdout);
        if request.to == Destination::Stdout && taken {
            let name = request.format.name();
            return Err(Error::misuse(
                "--report",
                format!("{name} would be the second document on stdout"),
            )
            .advise(format!("name a file: --report {name}=FILE")));
        }
        requests.push(request);
    }
    Ok(requests)
}

/// Writes every report, even if another one or the answer itself couldn't be written. Returns the first error, of which
/// `answered` is one, and says the others.
pub(super) fn write(requests: &[Request], report: &Report<'_>, answered: Result<()>) -> Result<()> {
    let mut first = answered;
    for request in requests {
        let write = &mut |out: &mut dyn Write| report.write(request.format, out);
        let written = match request.format {
            ReportFormat::Markdown => emit_for_people(&request.to, Style::Text, write),
            _ => emit_to(&request.to, Style::Text, write),
        };
        match (&first, written) {
            (Ok(()), Err(error)) => first = Err(error),
            (Err(_), Err(error)) => super::say_error(&error),
            (_, Ok(())) => {}
        }
    }
    first
}

/// Whether a GitHub runner reads stdout for commands.
pub(super) fn annotates_stdout(requests: &[Request]) -> bool {
    let github = |one: &Request| one.format == ReportFormat::Github;
    requests.iter().any(|one| github(one) && one.to == Destination::Stdout)
}

impl Request {
    /// Whether it is the page.
    pub(super) fn is_page(&self) -> bool {
        self.format == ReportFormat::Html
    }

    fn parse(text: &OsStr) -> Result<Request> {
        let lossy = text.to_string_lossy();
        let (name, file) = match lossy.split_once('=') {
            None => (lossy.as_ref(), None),
            Some((name, file)) => (name, Some(file)),
        };
        let format = ReportFormat::from_name(name)?;
        if file == Some("") {
            let missing = Error::misuse("--report", "no file behind the =");
            return Err(missing.advise(format!("write {name}=FILE")));
        }
        let file = file.map(|file| path_behind(text, name, file));
        Ok(Request { format, to: Destination::of(file.as_deref())? })
    }
}

/// The path after `NAME=`, whatever bytes it has.
#[cfg(unix)]
fn path_behind(text: &OsStr, name: &str, _: &str) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let bytes = text.as_bytes().get(name.len() + 1..).unwrap_or_default();
    PathBuf::from(OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_behind(_: &OsStr, _: &str, file: &str) -> PathBuf {
    PathBuf::from(file)
}

/// The repository of the run.
pub(super) fn workspace() -> Workspace {
    repository().map_or_else(Workspace::default, |root| {
        let (found, unread) = modules(&root);
        for error in unread {
            super::say(format_args!(
                "warning: {error}; files of its modules may be shown without their folder"
            ));
        }
        Workspace::new(&root.to_string_lossy(), found)
    })
}

/// That of the CI job, else the one around the current folder.
fn repository() -> Option<PathBuf> {
    let of_job = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"]
        .into_iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from)
        .find(|path| path.is_dir());
    of_job.or_else(|| Some(root(&std::env::current_dir().ok()?).to_owned()))
}

/// The file that names a Go module.
const MODULE_FILE: &str = "go.mod";

/// The files that tell reports where modules are.
pub(super) fn module_files() -> impl Iterator<Item = PathBuf> {
    repository().into_iter().flat_map(|root| {
        let (found, _) = modules(&root);
        found.into_iter().map(move |(_, folder)| root.join(folder).join(MODULE_FILE))
    })
}

/// The Go modules in a repository, and the folders that they are in; and why others can't be read.
fn modules(root: &Path) -> (Vec<(String, String)>, Vec<Error>) {
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    let mut folders = vec![(PathBuf::new(), 0)];
    let mut entries = 0;
    while let Some((folder, depth)) = folders.pop() {
        let path = root.join(&folder);
        match module(&path.join(MODULE_FILE)) {
            Ok(Some(module)) => found.push((module, folder.to_string_lossy().into_owned())),
            Ok(None) => {}
            Err(error) => unread.push(error),
        }
        if depth == LIMITS.module_depth {
            continue;
        }
        for entry in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            entries += 1;
            let name = entry.file_name();
            let skipped = name.to_string_lossy().starts_with(['.', '_'])
                || ["vendor", "node_modules", "testdata"].iter().any(|other| name == *other);
            if entries <= LIMITS.module_entries
                && !skipped
                && entry.file_type().is_ok_and(|t| t.is_dir())
            {
                folders.push((folder.join(name), depth + 1));
            }
        }
    }
    if entries > LIMITS.module_entries {
        let what = format!("has more than {} entries (module_entries)", LIMITS.module_entries);
        unread.push(Error::new(ErrorKind::Limit, root.display().to_string(), what));
    }
    (found, unread)
}

/// The module path in a `go.mod`, if there is one.
///
/// # Errors
///
/// If it can't be read, or names no module.
fn module(file: &Path) -> Result<Option<String>> {
    if std::fs::symlink_metadata(file).is_err() {
        return Ok(None);
    }
    let text = textfile::found(file)?;
    let path = text.trim_start_matches('\u{feff}').lines().find_map(|line| {
        let path = line.trim().strip_prefix("module")?.strip_prefix([' ', '\t'])?;
        Some(path.split("//").next().unwrap_or(path).trim().trim_matches(['"', '`']))
    });
    match path.filter(|path| is_module_path(path)) {
        Some(path) => Ok(Some(path.to_owned())),
        None => {
            let shown = file.display().to_string();
            Err(Error::new(ErrorKind::Damaged, shown, "names no module"))
        }
    }
}

/// Whether a text can be the path of a module: <https://go.dev/ref/mod#go-mod-file-ident>.
fn is_module_path(text: &str) -> bool {
    let is_char = |char: char| char.is_ascii_alphanumeric() || "-._~".contains(char);
    text.split('/')
        .all(|part| !part.is_empty() && !matches!(part, "." | "..") && part.chars().all(is_char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_and_a_file() {
        let parse = |text: &str| Request::parse(OsStr::new(text)).unwrap();
        let to = Destination::Stdout;
        assert_eq!(parse("github"), Request { format: ReportFormat::Github, to });
        let to = Destination::File(PathBuf::from("out/a=b.sarif"));
        assert_eq!(parse("sarif=out/a=b.sarif"), Request { format: ReportFormat::Sarif, to });
        for wrong in ["pdf", "pdf=x", "sarif=", "=x", ""] {
            let error = Request::parse(OsStr::new(wrong)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Usage, "{wrong}");
        }
    }

    #[test]
    fn one_report_may_go_to_stdout_behind_a_table() {
        assert_eq!(requests(&["github"], true).unwrap().len(), 1);
        assert_eq!(requests(&["github"], false).unwrap_err().kind, ErrorKind::Usage);
        assert_eq!(requests(&["github", "junit"], true).unwrap_err().kind, ErrorKind::Usage);
        let nowhere = requests(&["sarif=no/such/folder/x"], true).unwrap_err();
        assert_eq!(nowhere.kind, ErrorKind::Io);
    }

    #[test]
    fn folders_that_are_not_searched_are_told() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..=LIMITS.module_entries {
            std::fs::create_dir(root.path().join(format!("d{number}"))).unwrap();
        }
        let (_, unread) = modules(root.path());
        assert!(unread[0].to_string().contains("(module_entries)"), "{unread:?}");
    }

    #[test]
    fn modules_of_a_repository_are_found() {
        let root = tempfile::tempdir().unwrap();
        for (folder, text) in [
            ("", "\u{feff}// A shop.\nmodule example.com/shop // the shop\n\ngo 1.24\n"),
            ("tools/gen", "module\t\"example.com/gen\"\n"),
            ("vendor/x", "module example.com/x\n"),
            ("a/b/c", "module example.com/deep\n"),
            (".cache", "module example.com/hidden\n"),
        ] {
            let folder = root.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("go.mod"), text).unwrap();
        }
        std::fs::create_dir_all(root.path().join("odd/go.mod")).unwrap();
        std::fs::create_dir_all(root.path().join("none")).unwrap();
        std::fs::write(root.path().join("none/go.mod"), "module ../../etc\n").unwrap();
        let (mut found, unread) = modules(root.path());
        found.sort();
        for why in ["isn't a regular file", "none/go.mod: names no module"] {
            assert!(unread.iter().any(|error| error.to_string().contains(why)), "{unread:?}");
        }
        let gen_folder = Path::new("tools").join("gen").to_string_lossy().into_owned();
        assert_eq!(
            found,
            [
                ("example.com/gen".to_owned(), gen_folder),
                ("example.com/shop".to_owned(), String::new())
            ]
        );
    }
}
