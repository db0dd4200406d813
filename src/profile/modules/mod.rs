//! Modules: whose code a function is, which version of it, and where its source is to be read.
//!
//! Binaries tell their modules ([`Modules`]). Without one the paths of files do: those of the module cache,
//! and those that `-trimpath` leaves, have the module and its version in them.

mod address;
mod path;

use super::function::package;
use super::{FrameId, Profile};
use path::Versioned;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

/// First path elements of the standard library's packages, of `cmd` and of what it vendors.
const STANDARD: [&str; 46] = [
    "archive",
    "bufio",
    "builtin",
    "bytes",
    "cmd",
    "cmp",
    "compress",
    "container",
    "context",
    "crypto",
    "database",
    "debug",
    "embed",
    "encoding",
    "errors",
    "expvar",
    "flag",
    "fmt",
    "go",
    "hash",
    "html",
    "image",
    "index",
    "internal",
    "io",
    "iter",
    "log",
    "maps",
    "math",
    "mime",
    "net",
    "os",
    "path",
    "plugin",
    "reflect",
    "regexp",
    "runtime",
    "slices",
    "sort",
    "strconv",
    "strings",
    "structs",
    "sync",
    "syscall",
    "testing",
    "text",
];
const STANDARD_TOO: [&str; 7] = ["time", "unicode", "unique", "unsafe", "uuid", "vendor", "weak"];

/// The name of the module that the standard library counts as.
pub const STANDARD_MODULE: &[u8] = b"std";

/// Whether a package belongs to the standard library; `main` and everything unknown don't.
pub fn is_standard(package: &[u8]) -> bool {
    let first = first_element(package);
    STANDARD.iter().chain(&STANDARD_TOO).any(|name| name.as_bytes() == first)
}

/// The first element of a path.
pub(crate) fn first_element(package: &[u8]) -> &[u8] {
    package.split(|&byte| byte == b'/').next().unwrap_or_default()
}

/// A module that a program was built from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Its path, as imports name it.
    pub path: String,
    /// Its version; empty for one that was built from a checkout.
    pub version: String,
    /// The path and the version or revision under which its source is kept; `None` where that isn't known.
    pub origin: Option<(String, String)>,
    /// Whether it has the package `main`: the user's own code.
    pub is_main: bool,
}

/// As `go.mod` names it: `github.com/acme/dep/v2@v2.3.1`, without `@` where it has no version.
impl fmt::Display for Module {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path)?;
        match self.version.as_str() {
            "" => Ok(()),
            version => write!(out, "@{version}"),
        }
    }
}

/// The modules of programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Modules {
    by_path: HashMap<String, Module>,
    /// The import path of the package `main`, by the path of its module.
    main: HashMap<String, String>,
    /// The version of Go, `go1.27.3`; empty where it isn't known, or isn't one.
    go: String,
}

/// Whose code a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner<'a> {
    /// The module that the binary was built from: the user's own code.
    Main(&'a Module),
    /// A module that it needs.
    Dependency(&'a Module),
    /// Go's standard library, of this version of Go.
    Standard(&'a str),
    /// It can't be told.
    Unknown,
}

impl Modules {
    /// The modules of a program that was built by this version of Go, and the import path of its package
    /// `main`.
    pub fn new(modules: Vec<Module>, go: &str, main: &str) -> Modules {
        let mains = modules.iter().filter(|module| module.is_main);
        Modules {
            main: mains.map(|module| (module.path.clone(), main.to_owned())).collect(),
            by_path: modules.into_iter().map(|module| (module.path.clone(), module)).collect(),
            go: go.to_owned(),
        }
    }

    /// Adds those of another program. Where both have a module, and other versions of it, none is told.
    pub fn add(&mut self, other: &Modules) {
        for (path, module) in &other.by_path {
            let known = self.by_path.entry(path.clone()).or_insert_with(|| module.clone());
            if known != module {
                known.is_main |= module.is_main;
                known.origin = None;
                if known.version != module.version {
                    known.version = String::new();
                }
            }
        }
        self.main.extend(other.main.clone());
        if self.go != other.go {
            self.go = if self.go.is_empty() { other.go.clone() } else { "go".to_owned() };
        }
    }

    /// The module that has the package `main`, if there is one alone.
    pub fn main(&self) -> Option<&Module> {
        let mut paths = self.main.keys();
        paths.next().filter(|_| paths.next().is_none()).and_then(|path| self.by_path.get(path))
    }

    /// Whose code the function with this full name is.
    pub fn owner(&self, function: &[u8]) -> Owner<'_> {
        if self.by_path.is_empty() && self.go.is_empty() {
            return Owner::Unknown;
        }
        let package = package_of(function);
        if &*package == b"main" {
            return self.main().map_or(Owner::Unknown, Owner::Main);
        }
        let Ok(path) = std::str::from_utf8(&package) else {
            return Owner::Unknown;
        };
        match prefixes(path).filter_map(|path| self.by_path.get(path)).last() {
            Some(module) if module.is_main => return Owner::Main(module),
            Some(module) => return Owner::Dependency(module),
            None => {}
        }
        let first = prefixes(path).next().unwrap_or_default();
        // Paths of modules that are fetched start with a host, which has a dot. Programs of other build
        // systems don't tell their modules.
        let is_path = !first.is_empty() && !first.contains(['.', ':']);
        match !self.go.is_empty() && is_path && (!self.main.is_empty() || is_standard(&package)) {
            true => Owner::Standard(&self.go),
            false => Owner::Unknown,
        }
    }

    /// Whether a function is one's own code; `None` where nothing tells.
    pub fn is_own(&self, function: &[u8]) -> Option<bool> {
        match self.owner(function) {
            Owner::Main(_) => Some(true),
            Owner::Dependency(_) | Owner::Standard(_) => Some(false),
            Owner::Unknown => None,
        }
    }

    /// The module of a function in this file, with its version, if that is known: `std`,
    /// `github.com/acme/dep/v2@v2.3.1`.
    pub fn known(&self, function: &[u8], file: &[u8]) -> Option<String> {
        match self.owner(function) {
            Owner::Main(module) | Owner::Dependency(module) => Some(module.to_string()),
            Owner::Standard(_) => Some(String::from_utf8_lossy(STANDARD_MODULE).into_owned()),
            Owner::Unknown => Versioned::of(function, file).map(|found| found.to_string()),
        }
    }

    /// Where the source of a function in this file is to be read, at this line, if it is kept in public.
    pub fn source(&self, function: &[u8], file: &[u8], line: i64) -> Option<String> {
        let package = package_of(function);
        let package = std::str::from_utf8(&package).ok()?;
        match self.owner(function) {
            Owner::Main(module) | Owner::Dependency(module) => {
                let package = match package {
                    "main" => self.main.get(&module.path)?,
                    package => package,
                };
                let folder = package.strip_prefix(&module.path)?;
                let file = path::below(folder.trim_start_matches('/'), file)?;
                let (path, version) = module.origin.as_ref()?;
                address::of(path, version, &file, line)
            }
            Owner::Standard(go) => address::of_standard(go, &path::below(package, file)?, line),
            Owner::Unknown => {
                let found = Versioned::of(function, file)?;
                address::of(&found.path, &found.version, &found.file, line)
            }
        }
    }
}

impl Profile {
    /// The module of a frame: with its version where that is known, else guessed from the package as hosts
    /// commonly lay them out; [`STANDARD_MODULE`] for the standard library.
    pub fn module(&self, frame: FrameId) -> Cow<'_, [u8]> {
        let frame = self.frame(frame);
        let (function, file) = (self.str(frame.func), self.str(frame.file));
        match self.modules.known(function, file) {
            Some(known) => known.into_bytes().into(),
            None => guessed(package(function)).into(),
        }
    }

    /// Notes as one's own the modules that have a package `main`, where only the paths of files tell them:
    /// a program that `go install` built has its own module in the module cache too.
    pub fn find_main_modules(&mut self) {
        if !self.modules.main.is_empty() {
            return;
        }
        let mut found: Vec<Module> = Vec::new();
        for frame in &self.frames {
            let function = self.strings.get(frame.func);
            if !function.starts_with(b"main.") {
                continue;
            }
            if let Some(Versioned { path, version, .. }) =
                Versioned::of(function, self.strings.get(frame.file))
                && found.iter().all(|known| known.path != path)
            {
                let origin = Some((path.clone(), version.clone()));
                found.push(Module { path, version, origin, is_main: true });
            }
        }
        let main = Modules::new(found, "", "");
        self.modules.add(&main);
    }
}

/// Elements that paths of modules have at most here: those that hosts lay out have three to six.
const ELEMENTS: usize = 16;

/// What may be the module of an import path, the shortest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.take(ELEMENTS).map(|end| &path[..end])
}

/// The module of a package, guessed from its path; [`STANDARD_MODULE`] for one of the standard library.
fn guessed(package: &[u8]) -> &[u8] {
    if is_standard(package) {
        return STANDARD_MODULE;
    }
    let elements = match first_element(package) {
        b"github.com" | b"gitlab.com" | b"bitbucket.org" => 3,
        b"golang.org" if package.starts_with(b"golang.org/x/") => 3,
        host if host.contains(&b'.') => 2,
        _ => 1,
    };
    let slashes = memchr::memchr_iter(b'/', package).chain([package.len()]);
    let mut ends = slashes.skip(elements - 1);
    let end = ends.next().unwrap_or(package.len());
    // From version 2 on it is part of the path.
    let next = ends.next().unwrap_or(end);
    let is_major = package[end..next].strip_prefix(b"/").is_some_and(address::is_major);
    &package[..if is_major { next } else { end }]
}

/// The import path of a function's package: of `a.b/c%2ed.(*T[x/y.Z]).Run` it is `a.b/c.d`. Empty for
/// code that isn't of a package, as `type:.eq.[2]int` and C functions.
pub fn package_of(function: &[u8]) -> Cow<'_, [u8]> {
    if [&b"type:"[..], b"go:", b"type.."].iter().any(|prefix| function.starts_with(prefix)) {
        return Cow::Borrowed(b"");
    }
    unescaped(package(function))
}

/// The path without the `%2e` that symbols have for dots (and other bytes) in its last element.
fn unescaped(path: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', path).is_none() {
        return path.into();
    }
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, behind)) = rest.split_first() {
        let byte = (first == b'%').then(|| behind.split_at_checked(2)).flatten();
        let byte = byte.and_then(|(digits, rest)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, rest))
        });
        let (byte, behind) = byte.unwrap_or((first, behind));
        plain.push(byte);
        rest = behind;
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_told_from_names() {
        for (name, package) in [
            ("main.main", "main"),
            ("runtime.gopark", "runtime"),
            ("net/http.(*conn).serve", "net/http"),
            ("gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.v3"),
            ("github.com/a/b.Map[go.shape.string,x/y.Z].func1", "github.com/a/b"),
            ("type:.eq.[2]a.b/c", ""),
            ("_cgo_init", ""),
            ("a%2", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(&package_of(name.as_bytes())), package, "{name}");
        }
    }

    fn modules() -> Modules {
        let module = |path: &str, version: &str, is_main| Module {
            path: path.to_owned(),
            version: version.to_owned(),
            origin: (!version.is_empty()).then(|| (path.to_owned(), version.to_owned())),
            is_main,
        };
        let modules = vec![
            module("example.com/shop", "", true),
            module("github.com/acme/dep", "v1.0.0", false),
            module("github.com/acme/dep/v2", "v2.3.1", false),
        ];
        Modules::new(modules, "go1.27.3", "example.com/shop/cmd/shop")
    }

    #[test]
    fn the_longest_module_path_owns_a_function() {
        let modules = modules();
        let owner = |name: &str| match modules.owner(name.as_bytes()) {
            Owner::Main(module) => format!("own {module}"),
            Owner::Dependency(module) => module.to_string(),
            Owner::Standard(go) => format!("std {go}"),
            Owner::Unknown => "?".to_owned(),
        };
        assert_eq!(owner("main.main.func1"), "own example.com/shop");
        assert_eq!(owner("example.com/shop/api.(*Server).Run"), "own example.com/shop");
        assert_eq!(owner("github.com/acme/dep/v2/pool.Get"), "github.com/acme/dep/v2@v2.3.1");
        assert_eq!(owner("github.com/acme/dep/v3.Get"), "github.com/acme/dep@v1.0.0");
        assert_eq!(owner("github.com/acme/depth.Get"), "?");
        assert_eq!(owner("net/http.Get"), "std go1.27.3");
        assert_eq!(owner("x_cgo_init"), "?");
        // A binary that tells no modules: what has no dot may be anybody's.
        let modules = Modules::new(Vec::new(), "go1.27.3", "");
        assert_eq!(modules.owner(b"shop/api.Run"), Owner::Unknown);
        assert_eq!(modules.owner(b"net/http.Get"), Owner::Standard("go1.27.3"));
        assert_eq!(Modules::default().owner(b"net/http.Get"), Owner::Unknown);
    }

    #[test]
    fn of_two_programs_only_what_both_agree_in_is_told() {
        let mut both = modules();
        let dep = Module {
            path: "github.com/acme/dep/v2".to_owned(),
            version: "v2.4.0".to_owned(),
            ..Module::default()
        };
        let other =
            Module { path: "example.com/pay".to_owned(), is_main: true, ..Module::default() };
        both.add(&Modules::new(vec![dep, other], "go1.27.3", "example.com/pay"));
        assert_eq!(
            both.known(b"github.com/acme/dep/v2.Get", b""),
            Some("github.com/acme/dep/v2".to_owned())
        );
        assert_eq!(both.source(b"github.com/acme/dep/v2.Get", b"/x/get.go", 1), None);
        assert_eq!(both.is_own(b"example.com/pay.Run"), Some(true));
        assert_eq!(both.is_own(b"example.com/shop.Run"), Some(true));
        // Of either, so that the default decides.
        assert_eq!(both.is_own(b"main.main"), None);
    }

    #[test]
    fn sources_are_where_their_modules_are_kept() {
        let modules = modules();
        let source =
            |function: &str, file: &str| modules.source(function.as_bytes(), file.as_bytes(), 30);
        let dep = Some("https://github.com/acme/dep/blob/v2.3.1/pool/pool.go#L30".to_owned());
        assert_eq!(source("github.com/acme/dep/v2/pool.Get", "/shop/vendor/x/pool/pool.go"), dep);
        let std = Some(
            "https://github.com/golang/go/blob/go1.27.3/src/net/http/server.go#L30".to_owned(),
        );
        assert_eq!(source("net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go"), std);
        assert_eq!(source("main.main", "/home/ci/shop/cmd/shop/main.go"), None, "not in public");
        assert_eq!(source("github.com/acme/dep/v2/pool.Get", "<autogenerated>"), None);
        // Without a binary the path of the file tells.
        let none = Modules::default();
        let file = b"/root/go/pkg/mod/github.com/!acme/dep/v2@v2.3.1/pool/pool.go";
        let source = none.source(b"github.com/Acme/dep/v2/pool.Get", file, 30);
        let there = "https://github.com/Acme/dep/blob/v2.3.1/pool/pool.go#L30";
        assert_eq!(source.as_deref(), Some(there));
    }

    #[test]
    fn modules_are_guessed_from_the_host_where_nothing_tells() {
        for (package, expected) in [
            ("main", "main"),
            ("golang.org/x/net/http2", "golang.org/x/net"),
            ("google.golang.org/grpc/internal/transport", "google.golang.org/grpc"),
            ("github.com/a/b/c", "github.com/a/b"),
            ("go.etcd.io/raft/v3/quorum", "go.etcd.io/raft/v3"),
            ("github.com/a/b/v2", "github.com/a/b/v2"),
            ("github.com/a/b/vault", "github.com/a/b"),
            ("shop/api", "shop"),
            ("vendor/golang.org/x/net/http2", "std"),
            ("", ""),
        ] {
            assert_eq!(String::from_utf8_lossy(guessed(package.as_bytes())), expected);
        }
    }
}
