//! Modules: which module and version a function belongs to, and where its source can be read.
//!
//! Binaries list their modules ([`Modules`]). Without a binary, paths of files can show them: those
//! in the module cache, and those that `-trimpath` leaves, contain the module and its version.

mod address;
mod path;
mod standard;

pub(crate) use standard::first_element;
pub use standard::{STANDARD_MODULE, is_standard};

use super::function::package;
use super::{FrameId, Profile};
use path::Versioned;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// A module that a program was built from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// Its path, as imports name it.
    pub path: String,
    /// Its version; empty for one that was built from a checkout.
    pub version: String,
    /// The path and the version or revision under which its source is published; `None` if unknown.
    pub origin: Option<(String, String)>,
    /// Whether it has the package `main`: own code.
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
    /// The version of Go, `go1.27.3`; empty if unknown, and `go` for programs of different
    /// versions.
    go: String,
}

/// The module that a function belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner<'a> {
    /// The module that the binary was built from: own code.
    Main(&'a Module),
    /// A dependency of that module.
    Dependency(&'a Module),
    /// Go's standard library, of this version of Go.
    Standard(&'a str),
    /// Not known.
    Unknown,
}

impl Modules {
    /// The modules of a program that was built with this version of Go, and the import path of its
    /// package `main`.
    pub fn new(modules: Vec<Module>, go: &str, main: &str) -> Modules {
        let mains = modules.iter().filter(|module| module.is_main);
        Modules {
            main: mains.map(|module| (module.path.clone(), main.to_owned())).collect(),
            by_path: modules.into_iter().map(|module| (module.path.clone(), module)).collect(),
            go: go.to_owned(),
        }
    }

    /// Adds the modules of another program. A module with different versions in the two is left
    /// without one.
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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_path.len()
    }

    /// The module that has the package `main`, if there is only one.
    pub fn main(&self) -> Option<&Module> {
        let mut paths = self.main.keys();
        paths.next().filter(|_| paths.next().is_none()).and_then(|path| self.by_path.get(path))
    }

    /// The module that the function with this full name belongs to.
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
        // Paths of downloaded modules start with a host, which has a dot. Programs of other build
        // systems don't list their modules.
        let is_path = !first.is_empty() && !first.contains(['.', ':']);
        match !self.go.is_empty() && is_path && (!self.main.is_empty() || is_standard(&package)) {
            true => Owner::Standard(&self.go),
            false => Owner::Unknown,
        }
    }

    /// Whether a function is own code; `None` if unknown.
    pub fn is_own(&self, function: &[u8]) -> Option<bool> {
        match self.owner(function) {
            Owner::Main(_) => Some(true),
            Owner::Dependency(_) | Owner::Standard(_) => Some(false),
            Owner::Unknown => None,
        }
    }

    /// The module of a function in this file, with its version, if known: `std`,
    /// `github.com/acme/dep/v2@v2.3.1`.
    pub fn module_of(&self, function: &[u8], file: &[u8]) -> Option<String> {
        match self.owner(function) {
            Owner::Main(module) | Owner::Dependency(module) => Some(module.to_string()),
            Owner::Standard(_) => Some(String::from_utf8_lossy(STANDARD_MODULE).into_owned()),
            Owner::Unknown => Versioned::of(function, file).map(|found| found.to_string()),
        }
    }

    /// The web address of a line in a function's source, if that is public.
    pub fn source(&self, function: &[u8], file: &[u8], line: i64) -> Option<String> {
        let package = || String::from_utf8(package_of(function).into_owned()).ok();
        match self.owner(function) {
            Owner::Main(module) | Owner::Dependency(module) => {
                let package = package()?;
                let package = match package.as_str() {
                    "main" => self.main.get(&module.path)?,
                    package => package,
                };
                let folder = package.strip_prefix(&module.path)?;
                let file = path::source_path(folder.trim_start_matches('/'), file)?;
                let (path, version) = module.origin.as_ref()?;
                address::source_address(path, version, &file, line)
            }
            Owner::Standard(go) => {
                address::standard_source_address(go, &path::source_path(&package()?, file)?, line)
            }
            Owner::Unknown => {
                let found = Versioned::of(function, file)?;
                address::source_address(&found.path, &found.version, &found.file, line)
            }
        }
    }
}

impl Profile {
    /// The module of a frame: with its version if known, otherwise guessed from the package and the
    /// usual layout of its host; [`STANDARD_MODULE`] for the standard library.
    pub fn module(&self, frame: FrameId) -> Cow<'_, [u8]> {
        let frame = self.frame(frame);
        let (function, file) = (self.str(frame.func), self.str(frame.file));
        match self.modules.module_of(function, file) {
            Some(known) => known.into_bytes().into(),
            None => guessed(package(function)).into(),
        }
    }

    /// Notes modules with a package `main` as own code if only the paths of files show them: the
    /// module of a program that `go install` built is in the module cache too.
    pub fn find_main_modules(&mut self) {
        if !self.modules.main.is_empty() {
            return;
        }
        // A map, as a hostile profile can name very many.
        let mut found: BTreeMap<String, Module> = BTreeMap::new();
        for frame in &self.frames {
            let function = self.strings.get(frame.func);
            if !function.starts_with(b"main.") {
                continue;
            }
            if let Some(Versioned { path, version, .. }) =
                Versioned::of(function, self.strings.get(frame.file))
            {
                let origin = Some((path.clone(), version.clone()));
                let module = Module { path: path.clone(), version, origin, is_main: true };
                found.entry(path).or_insert(module);
            }
        }
        let main = Modules::new(found.into_values().collect(), "", "");
        self.modules.add(&main);
    }
}

/// At most this many elements of a path are tried as a module: the paths on known hosts have three
/// to six.
const ELEMENTS: usize = 16;

/// The prefixes of an import path that can be its module, the shortest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    ends.take(ELEMENTS).map(|end| &path[..end])
}

/// The module of a package, guessed from its path; [`STANDARD_MODULE`] for the standard library.
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
    // From version 2 on the version is part of the path.
    let next = ends.next().unwrap_or(end);
    let is_major = package[end..next].strip_prefix(b"/").is_some_and(address::is_major);
    &package[..if is_major { next } else { end }]
}

/// The import path of a function's package: `a.b/c.d` for `a.b/c%2ed.(*T[x/y.Z]).Run`. Empty for
/// code outside packages, such as `type:.eq.[2]int` and C functions.
pub fn package_of(function: &[u8]) -> Cow<'_, [u8]> {
    if [&b"type:"[..], b"go:", b"type.."].iter().any(|prefix| function.starts_with(prefix)) {
        return Cow::Borrowed(b"");
    }
    unescaped(package(function))
}

/// The path without the escapes, such as `%2e` for a dot, that symbols have in its last element.
fn unescaped(path: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', path).is_none() {
        return path.into();
    }
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&first, after)) = rest.split_first() {
        let byte = (first == b'%').then(|| after.split_at_checked(2)).flatten();
        let byte = byte.and_then(|(digits, rest)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, rest))
        });
        let (byte, after) = byte.unwrap_or((first, after));
        plain.push(byte);
        rest = after;
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
        // Without modules in the binary, a path without a dot can be anybody's.
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
            both.module_of(b"github.com/acme/dep/v2.Get", b""),
            Some("github.com/acme/dep/v2".to_owned())
        );
        assert_eq!(both.source(b"github.com/acme/dep/v2.Get", b"/x/get.go", 1), None);
        assert_eq!(both.is_own(b"example.com/pay.Run"), Some(true));
        assert_eq!(both.is_own(b"example.com/shop.Run"), Some(true));
        // `main` is in either, so the default decides.
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
        // Without a binary the path of the file shows the module.
        let none = Modules::default();
        let file = b"/home/me/go/pkg/mod/github.com/!acme/dep/v2@v2.3.1/pool/pool.go";
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
