//! Which module a function is of.

use super::build_info::{BuildInfo, Module};
use crate::profile::function::package;
use std::borrow::Cow;
use std::collections::HashMap;

/// The modules of a binary by their paths.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    by_path: HashMap<String, Module>,
    main: String,
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
    /// The modules that a binary tells of.
    pub fn new(info: &BuildInfo) -> Modules {
        let mut by_path: HashMap<String, Module> = HashMap::new();
        by_path.extend(info.dependencies.iter().map(|one| (one.path.clone(), one.clone())));
        let main = match &info.main {
            Some(main) => {
                by_path.insert(main.path.clone(), main.clone());
                main.path.clone()
            }
            None => String::new(),
        };
        Modules { by_path, main, go: info.go.clone() }
    }

    /// Whose code the function with this full name is.
    pub fn owner(&self, function: &[u8]) -> Owner<'_> {
        let package = package_of(function);
        if &*package == b"main" {
            return self.by_path.get(&self.main).map_or(Owner::Unknown, Owner::Main);
        }
        let Ok(package) = std::str::from_utf8(&package) else {
            return Owner::Unknown;
        };
        // The module is the longest part of the path that there is a module of.
        let mut path = package;
        loop {
            if let Some(module) = self.by_path.get(path) {
                let main = module.path == self.main;
                return if main { Owner::Main(module) } else { Owner::Dependency(module) };
            }
            match path.rsplit_once('/') {
                Some((shorter, _)) => path = shorter,
                None => break,
            }
        }
        // Paths of modules that are fetched start with a host, which has a dot.
        let standard = !path.is_empty() && !path.contains(['.', ':']) && !self.go.is_empty();
        if standard { Owner::Standard(&self.go) } else { Owner::Unknown }
    }
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

    #[test]
    fn the_longest_module_path_owns_a_function() {
        let module = |path: &str| Module { path: path.to_owned(), ..Module::default() };
        let info = BuildInfo {
            go: "go1.27.3".to_owned(),
            main: Some(module("shop")),
            dependencies: vec![module("github.com/acme/dep"), module("github.com/acme/dep/v2")],
            ..BuildInfo::default()
        };
        let modules = Modules::new(&info);
        let owner = |name: &str| match modules.owner(name.as_bytes()) {
            Owner::Main(module) => format!("own {}", module.path),
            Owner::Dependency(module) => module.path.clone(),
            Owner::Standard(go) => format!("std {go}"),
            Owner::Unknown => "?".to_owned(),
        };
        assert_eq!(owner("main.main.func1"), "own shop");
        assert_eq!(owner("shop/api.(*Server).Run"), "own shop");
        assert_eq!(owner("github.com/acme/dep/v2/pool.Get"), "github.com/acme/dep/v2");
        assert_eq!(owner("github.com/acme/dep/v3.Get"), "github.com/acme/dep");
        assert_eq!(owner("github.com/acme/depth.Get"), "?");
        assert_eq!(owner("net/http.Get"), "std go1.27.3");
        assert_eq!(owner("x_cgo_init"), "?");
    }
}
