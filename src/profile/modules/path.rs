//! Modules from the paths of files.

use super::{package_of, prefixes};
use std::fmt;

/// A module with a version, and a file in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Versioned {
    pub(super) path: String,
    pub(super) version: String,
    /// The file's path inside the module.
    pub(super) file: String,
}

impl fmt::Display for Versioned {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.path, self.version)
    }
}

/// Where the module cache is below GOPATH.
const CACHE: &str = "/pkg/mod/";
/// The module as which Go itself is downloaded.
const TOOLCHAIN: &str = "golang.org/toolchain";

impl Versioned {
    /// The module of a function in this file:
    /// `/home/me/go/pkg/mod/github.com/!acme/dep@v1.2.3/dep.go`, or what `-trimpath` leaves of it.
    pub(super) fn of(function: &[u8], file: &[u8]) -> Option<Versioned> {
        let mut ats = memchr::memchr_iter(b'@', file);
        let at = ats.find(|at| file.get(at + 1) == Some(&b'v'))?;
        let (before, rest) = (&file[..at], &file[at + 1..]);
        let before = std::str::from_utf8(before).ok()?.replace('\\', "/");
        let rest = std::str::from_utf8(rest).ok()?.replace('\\', "/");
        let (version, file) = rest.split_once('/')?;
        let package = package_of(function);
        let package = std::str::from_utf8(&package).ok()?;
        let path = match package {
            // Its import path isn't known.
            "main" => match before.rsplit_once(CACHE) {
                Some((_, path)) => unescaped(path),
                None if before.starts_with('/') || before.contains(':') => return None,
                None => unescaped(&before),
            },
            package => {
                // The cache can be in any folder: the module is the prefix of the import path with
                // which the path of the file ends before `@`.
                let is_module = |path: &&str| ends_with(&before, &escaped(path));
                prefixes(package).filter(is_module).last()?.to_owned()
            }
        };
        let is_module = path.contains('.') && path != TOOLCHAIN;
        is_module.then(|| Versioned { path, version: version.to_owned(), file: file.to_owned() })
    }
}

/// Whether a path ends with these elements.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The path as in the module cache, which must work on disks that don't distinguish `a` and `A`.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for letter in path.chars() {
        if letter.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(letter.to_ascii_lowercase());
    }
    escaped
}

fn unescaped(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut letters = path.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '!' => plain.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            letter => plain.push(letter),
        }
    }
    plain
}

/// The path of a source file inside its module, or below `src` of Go, for a link. `folder` is what the import
/// path of its package has behind the module's. `None` for files that the compiler or cgo made.
pub(super) fn source_path(folder: &str, file: &[u8]) -> Option<String> {
    let file = std::str::from_utf8(file).ok()?;
    let name = file.rsplit(['/', '\\']).next()?;
    let is_source = [".go", ".s"].iter().any(|end| name.ends_with(end));
    // Functions of external tests are in package `pool_test`, their files in folder `pool`.
    let folder = match name.ends_with("_test.go") {
        true => folder.strip_suffix("_test").unwrap_or(folder),
        false => folder,
    };
    let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    (is_source && !name.starts_with("_cgo_")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_cache_and_trimpath_tell_modules_with_their_versions() {
        for (function, file, expected) in [
            (
                "go.etcd.io/raft/v3.F",
                "/go/pkg/mod/go.etcd.io/raft/v3@v3.5.0/raft.go",
                "go.etcd.io/raft/v3@v3.5.0 raft.go",
            ),
            (
                "cloud.google.com/go/storage/internal.F",
                "cloud.google.com/go/storage@v1.0.0/internal/x.go",
                "cloud.google.com/go/storage@v1.0.0 internal/x.go",
            ),
            (
                "github.com/Azure/sdk/x.F",
                "C:\\cache\\github.com\\!azure\\sdk@v1.0.0\\x\\f.go",
                "github.com/Azure/sdk@v1.0.0 x/f.go",
            ),
            (
                "gopkg.in/yaml%2ev3.Unmarshal",
                "/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/yaml.go",
                "gopkg.in/yaml.v3@v3.0.1 yaml.go",
            ),
            (
                "main.main",
                "/home/me/go/pkg/mod/github.com/!acme/tool@v1.2.3/cmd/tool/main.go",
                "github.com/Acme/tool@v1.2.3 cmd/tool/main.go",
            ),
            ("main.main", "ex.org/tool@v1.2.3/main.go", "ex.org/tool@v1.2.3 main.go"),
            ("main.main", "/home/me/tool@v2/main.go", ""),
            ("ex.org/kv.F", "/home/me/kv/kv.go", ""),
            ("ex.org/kv.F", "/home/me/kv@v1.0.0/kv.go", ""),
            (
                "runtime.gopark",
                "/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.24.0.linux-amd64/src/runtime/proc.go",
                "",
            ),
            (
                "main.main",
                "/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.24.0.linux-amd64/src/cmd/go/main.go",
                "",
            ),
        ] {
            let found = Versioned::of(function.as_bytes(), file.as_bytes());
            let text = found.map_or(String::new(), |found| format!("{found} {}", found.file));
            assert_eq!(text, expected, "{function} {file}");
        }
    }

    #[test]
    fn files_lie_in_the_folders_of_their_packages() {
        assert_eq!(source_path("pool", b"/x/pool.go").as_deref(), Some("pool/pool.go"));
        assert_eq!(source_path("", b"C:\\x\\pool.go").as_deref(), Some("pool.go"));
        assert_eq!(source_path("pool_test", b"pool_test.go").as_deref(), Some("pool/pool_test.go"));
        assert_eq!(source_path("pool", b"<autogenerated>"), None);
        assert_eq!(source_path("pool", b"_cgo_gotypes.go"), None);
    }
}
