//! Outputs must not be written over each other, over an input, or over another file that a run reads.

use super::args::InputArgs;
use super::destination::{Destination, folder_of};
use super::session::reading;
use crate::config::{Config, Layer};
use crate::error::{Error, ErrorKind, Result};
use crate::load::{LoadOptions, load};
use crate::source::files_below;
use crate::symbols::is_binary;
use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Whether an existing file is one of those that are read.
type IsIt<'a> = Box<dyn Fn(&Path) -> bool + 'a>;

/// What a run reads.
#[derive(Default)]
pub(super) struct Reads<'a> {
    /// Files, folders and other inputs.
    pub(super) inputs: &'a [OsString],
    /// How inputs are read.
    how: LoadOptions,
    /// Other files: what they are, and which.
    others: Vec<(String, Identity)>,
}

impl<'a> Reads<'a> {
    /// Inputs alone.
    pub(super) fn inputs(inputs: &'a [OsString]) -> Reads<'a> {
        Reads { inputs, ..Reads::default() }
    }

    /// Adds the files of these options and settings, and how inputs are read.
    ///
    /// # Errors
    ///
    /// If an option is wrong.
    pub(super) fn and_files(mut self, input: &InputArgs, config: &Config) -> Result<Reads<'a>> {
        input.binaries.iter().for_each(|path| self.add_file(file_of("--binary"), path));
        input.http_ca.iter().for_each(|path| self.add_file(file_of("--http-ca"), path));
        self.how = reading(input)?;
        Ok(self.and_settings(config))
    }

    /// Adds the files with settings, and those that settings name.
    pub(super) fn and_settings(mut self, config: &Config) -> Reads<'a> {
        for file in &config.files {
            let of = match file.layer {
                Layer::Flag => "--config",
                Layer::Environment => "STACKGAZER_CONFIG",
                Layer::Project => "the project's settings",
                Layer::User => "the user's settings",
            };
            self.add_file(file_of(of), &file.path);
        }
        for (of, key) in [("check.allow", "allow"), ("check.baseline", "baseline")] {
            let paths = config.check.texts(key).iter();
            paths.for_each(|path| self.add_file(file_of(of), Path::new(path)));
        }
        self
    }

    /// Adds a file, with what it is in an error.
    pub(super) fn add_file(&mut self, what: String, path: &Path) {
        self.others.push((what, Identity::of(&named(path.as_os_str()))));
    }

    /// What is read, and whether an existing file is a part of it.
    fn all(&self) -> impl Iterator<Item = (&str, IsIt<'_>)> {
        let stdin = self.inputs.is_empty().then_some(OsStr::new("-"));
        let inputs = self.inputs.iter().map(OsString::as_os_str).chain(stdin);
        let inputs = inputs.map(|input| ("an input", self.is_in(input)));
        let others = self.others.iter().map(|(what, identity)| {
            let is_it: IsIt<'_> = Box::new(move |file| Identity::of(file) == *identity);
            (what.as_str(), is_it)
        });
        inputs.chain(others)
    }

    /// Whether an input is a file, or a folder in which it would be read.
    fn is_in(&self, input: &OsStr) -> IsIt<'_> {
        let input = named(input);
        if !input.is_dir() {
            let identity = input.is_file().then(|| Identity::of(&input));
            return Box::new(move |file| identity == Some(Identity::of(file)));
        }
        let files = OnceCell::new();
        Box::new(move |file| {
            let identified = |file: PathBuf| (Identity::of(&file), file);
            let files: &Vec<_> =
                files.get_or_init(|| files_below(&input).map(identified).collect());
            let identity = Identity::of(file);
            let mut same = files.iter().filter(|(other, _)| *other == identity);
            same.any(|(_, file)| would_be_read(file, &self.how))
        })
    }
}

/// The path of an input or of an option's file; `-` is stdin.
fn named(path: &OsStr) -> PathBuf {
    PathBuf::from(if path == "-" { OsStr::new("/dev/stdin") } else { path })
}

/// What names a baseline that is read.
const BASELINES: [&str; 2] = ["--baseline", "check.baseline"];

/// What errors call this process's stderr where no output is sent there.
const MESSAGES: &str = "stderr";

/// What a file is that an option or a setting names.
pub(super) fn file_of(option: &str) -> String {
    format!("the file of {option}")
}

/// Fails if two outputs would be written to one file, or one over a file that is read, whatever names and
/// descriptors lead to it. A baseline may be written over itself.
///
/// # Errors
///
/// Names the two.
pub(super) fn check_apart(outputs: &[(&str, &Destination)], reads: &Reads<'_>) -> Result<()> {
    let named = outputs.iter().map(|&(option, to)| match to {
        Destination::Stdout => ("stdout", to),
        _ => (option, to),
    });
    // Messages may go where the caller sends them.
    let all = named.chain([(MESSAGES, &Destination::Stderr)]);
    // Any number of outputs can share a terminal, or a pipe that this process has open.
    let files = all.filter(|(_, to)| {
        matches!(to, Destination::File(_)) || to.path().is_file() || to.is_named_pipe()
    });
    let files: Vec<_> = files.map(|(option, to)| (option, to, Identity::of(to.path()))).collect();
    let fail = |to: &Destination, what: String| {
        Err(Error::misuse(to.name(), what).advise("name another file"))
    };
    for (at, (option, to, identity)) in files.iter().enumerate() {
        let mut before =
            files.iter().take(at).filter(|(_, other, _)| !(is_std(to) && is_std(other)));
        if let Some((other, first, _)) = before.find(|(.., other)| other == identity) {
            let to = if is_std(to) { first } else { to };
            return fail(to, format!("{other} and {option} would both write it"));
        }
    }
    for (what, is_it) in reads.all() {
        let is_update = |option: &str| {
            option == "--write-baseline" && BASELINES.iter().any(|of| file_of(of) == what)
        };
        let mut existing = files.iter().filter(|(option, to, _)| {
            *option != MESSAGES && to.path().is_file() && !is_update(option)
        });
        if let Some((option, to, _)) = existing.find(|(_, to, _)| is_it(to.path())) {
            return fail(to, format!("{option} would write over {what}"));
        }
    }
    // Nobody wants a result in one, and a core file names programs that are read, too.
    let mut named = files.iter().filter(|(option, ..)| *option != MESSAGES);
    if let Some((option, to, _)) = named.find(|(_, to, _)| is_binary(to.path())) {
        return fail(to, format!("{option} would write over a program or a core file"));
    }
    Ok(())
}

/// Whether it is stdout or stderr, which shells let share a file.
fn is_std(to: &Destination) -> bool {
    matches!(to, Destination::Stdout | Destination::Stderr)
}

/// Whether a file or folder exists below a folder; links are followed.
pub(super) fn is_below(path: &Path, folder: &Path) -> bool {
    let (path, folder) = (path.canonicalize(), folder.canonicalize());
    path.is_ok_and(|path| folder.is_ok_and(|folder| path.starts_with(folder)))
}

/// Whether a file in a folder that is an input holds goroutines or a profile, if damaged ones, or is a table.
/// Others, such as the report of the run before, are skipped when the folder is read.
fn would_be_read(file: &Path, how: &LoadOptions) -> bool {
    let is_damage = |error: &Error| matches!(error.kind, ErrorKind::Damaged | ErrorKind::Limit);
    file.extension().is_some_and(|extension| extension == "parquet")
        || load(&[file.into()], how).is_ok_and(|loaded| {
            !loaded.profile.inputs.is_empty()
                || loaded.errors.iter().any(|one| is_damage(&one.error))
        })
}

/// The identity of a file, to compare paths.
#[derive(PartialEq, Eq, Debug)]
enum Identity {
    #[cfg_attr(not(unix), expect(dead_code, reason = "paths have to do elsewhere"))]
    Inode(u64, u64),
    Path(PathBuf),
}

impl Identity {
    fn of(path: &Path) -> Identity {
        #[cfg(unix)]
        if let Ok(metadata) = path.metadata() {
            use std::os::unix::fs::MetadataExt;
            return Identity::Inode(metadata.dev(), metadata.ino());
        }
        if let Ok(path) = path.canonicalize() {
            return Identity::Path(path);
        }
        let folder = folder_of(path).canonicalize().unwrap_or_else(|_| folder_of(path).to_owned());
        Identity::Path(folder.join(path.file_name().unwrap_or_default()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn one_file_has_one_writer_and_is_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        std::fs::write(name("dump"), "").unwrap();
        symlink("dump", name("link")).unwrap();
        let to = |path: &str| Destination::of(Some(&name(path))).unwrap();
        let dump = [name("dump").into_os_string()];
        let apart = |outputs: &[(&str, &Destination)], inputs: &[OsString]| {
            check_apart(outputs, &Reads::inputs(inputs)).map_err(|error| error.to_string())
        };
        let error = apart(&[("--to", &to("link"))], &dump).unwrap_err();
        assert!(error.contains("--to would write over an input"), "{error}");
        let error = apart(&[("--to", &to("new")), ("--report", &to("./new"))], &dump).unwrap_err();
        assert!(error.contains("--to and --report would both write it"), "{error}");
        let null = Destination::of(Some(Path::new("/dev/null"))).unwrap();
        assert_eq!(apart(&[("--to", &null), ("--report", &null)], &dump), Ok(()));
        // The reader of a named pipe is gone after the first.
        let made = std::process::Command::new("mkfifo").arg(name("pipe")).status().unwrap();
        assert!(made.success());
        let error =
            apart(&[("--to", &to("pipe")), ("--report", &to("./pipe"))], &dump).unwrap_err();
        assert!(error.contains("--to and --report would both write it"), "{error}");
        assert_eq!(apart(&[("--to", &to("a")), ("--report", &to("b"))], &dump), Ok(()));
    }

    #[test]
    fn what_a_folder_would_be_read_for_is_an_input_and_what_lies_beside_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        std::fs::write(name("goroutine.txt"), "goroutine 1 [running]:\nmain.main()\n\t/x.go:1\n")
            .unwrap();
        std::fs::write(name("report.txt"), "a report of the last run\n").unwrap();
        std::fs::write(name("frames.parquet"), "PAR1").unwrap();
        std::fs::write(name("cut.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
        let inputs = [folder.path().into()];
        let answer = |file: &str| {
            let to = Destination::of(Some(&name(file))).unwrap();
            check_apart(&[("--to", &to)], &Reads::inputs(&inputs)).is_ok()
        };
        assert!(!answer("goroutine.txt") && !answer("frames.parquet") && !answer("cut.gz"));
        assert!(answer("report.txt") && answer("new.txt"));
    }

    #[test]
    fn a_program_is_no_place_for_a_result() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server");
        let to = Destination::of(Some(&file)).unwrap();
        let answer = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            check_apart(&[("--to", &to)], &Reads::default()).map_err(|error| error.to_string())
        };
        for start in
            [&b"\x7fELF\x02\x01\x01\0"[..], b"\xcf\xfa\xed\xfe\x07\0\0\x01", b"MZ\x90\0\x03\0\0\0"]
        {
            let error = answer(start).unwrap_err();
            assert!(error.contains("--to would write over a program"), "{error}");
        }
        assert_eq!(answer(b"ELF is a format"), Ok(()));
        assert_eq!(answer(b""), Ok(()));
    }

    #[test]
    fn files_of_options_are_not_written_over_but_a_baseline_by_itself() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("b.toml");
        std::fs::write(&file, "").unwrap();
        let to = Destination::of(Some(&file)).unwrap();
        let answer = |option: &str, of: &'static str| {
            let mut reads = Reads::default();
            reads.add_file(file_of(of), &file);
            check_apart(&[(option, &to)], &reads).map_err(|error| error.to_string())
        };
        let error = answer("--report", "--baseline").unwrap_err();
        assert!(error.contains("--report would write over the file of --baseline"), "{error}");
        assert!(answer("--write-baseline", "--allow").is_err());
        assert_eq!(answer("--write-baseline", "--baseline"), Ok(()));
    }
}
