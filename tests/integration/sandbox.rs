//! Runs the program in an empty directory, with an empty environment.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A directory that is also home, so that no settings of the person who runs the tests are read.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file, and the directories above it.
    pub(crate) fn file(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    /// Runs `stackgazer` with these arguments, nothing on stdin.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Ran {
        self.run_with(arguments, b"", &[])
    }

    /// Runs `stackgazer` with this on stdin.
    pub(crate) fn pipe<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        stdin: &[u8],
    ) -> Ran {
        self.run_with(arguments, stdin, &[])
    }

    /// Runs `stackgazer` with this on stdin and these variables set.
    pub(crate) fn run_with<A: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        stdin: &[u8],
        environment: &[(&str, &str)],
    ) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stackgazer"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path())
            .envs(environment.iter().copied());
        self.finish(command, stdin)
    }

    /// Runs `stackgazer` where it may have half a gigabyte of address space and half a minute of a
    /// processor's time, which only what hangs uses up; nothing on stdin.
    pub(crate) fn run_small<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Ran {
        self.run_in(512 << 10, arguments)
    }

    /// The same with so many kilobytes.
    pub(crate) fn run_in<A: AsRef<OsStr>>(
        &self,
        kilobytes: u32,
        arguments: impl IntoIterator<Item = A>,
    ) -> Ran {
        self.pipe_in(kilobytes, arguments, b"")
    }

    /// The same with this on stdin.
    pub(crate) fn pipe_in<A: AsRef<OsStr>>(
        &self,
        kilobytes: u32,
        arguments: impl IntoIterator<Item = A>,
        stdin: &[u8],
    ) -> Ran {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -t 30; ulimit -v {kilobytes}; exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_stackgazer"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.path());
        self.finish(command, stdin)
    }

    fn finish(&self, mut command: Command, stdin: &[u8]) -> Ran {
        command
            .current_dir(self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let shown = format!("{command:?}");
        let mut child = command.spawn().expect("stackgazer starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        let stdin = stdin.to_vec();
        // A program that doesn't read its stdin closes the pipe; that is no mistake.
        let writer = std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        let output = child.wait_with_output().expect("stackgazer ends");
        writer.join().expect("the pipe was written");
        Ran {
            shown,
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Runs `stackgazer` in a sandbox of its own.
pub(crate) fn stackgazer<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    Sandbox::new().run(arguments)
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    shown: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Ran {
    /// The run ended with this exit code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, Some(code), "{}\nstderr: {}", self.shown, self.stderr);
        self
    }

    /// All went well: exit code 0, and nothing on stderr.
    #[track_caller]
    pub(crate) fn quiet(self) -> Ran {
        let ran = self.code(0);
        assert_eq!(ran.stderr, "", "{}", ran.shown);
        ran
    }

    /// No panic of the program itself.
    #[track_caller]
    pub(crate) fn no_panic(self) -> Ran {
        assert!(!self.stderr.contains("panicked at"), "{}\n{}", self.shown, self.stderr);
        assert!(matches!(self.code, Some(0..=2)), "{} ended with {:?}", self.shown, self.code);
        self
    }

    /// stderr holds this text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "{}\nno {text:?} in: {}", self.shown, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("stdout is UTF-8")
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| {
            let start = String::from_utf8_lossy(&self.stdout[..self.stdout.len().min(300)]);
            panic!("{}\nno JSON: {error}\nstderr: {}\nstdout: {start}", self.shown, self.stderr)
        })
    }
}

/// A file of `testdata/`.
pub(crate) fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// A file of an archive of the test data.
pub(crate) fn member(archive: &str, name: &str) -> Vec<u8> {
    let path = testdata(archive);
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut member = archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut bytes = Vec::new();
    member.read_to_end(&mut bytes).expect("a member");
    bytes
}

/// The names and texts of the members of an archive that are text.
pub(crate) fn members(archive: &str) -> Vec<(String, String)> {
    let file = std::fs::File::open(testdata(archive)).expect("an archive");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut members = Vec::new();
    for at in 0..archive.len() {
        let mut member = archive.by_index(at).expect("a member");
        let mut text = String::new();
        if member.is_file() && member.read_to_string(&mut text).is_ok() {
            members.push((member.name().expect("a name").into_owned(), text));
        }
    }
    members
}

/// The files of a folder, sorted, those of folders inside it included.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}")) {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The folder that STACKGAZER_CORPUS names: dumps and expected answers that are too large to be
/// kept here. Tests that need it are ignored unless they are asked for.
pub(crate) fn corpus() -> PathBuf {
    let path = PathBuf::from(std::env::var_os("STACKGAZER_CORPUS").expect("STACKGAZER_CORPUS"));
    std::fs::canonicalize(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"))
}

/// The pprof program that STACKGAZER_PPROF names; the same goes for tests that need it.
pub(crate) fn pprof() -> std::ffi::OsString {
    std::env::var_os("STACKGAZER_PPROF").expect("STACKGAZER_PPROF")
}
