//! The modules that a binary was built from.

use super::build_info::{self, BuildInfo};
use crate::profile::modules::{Module, Modules};

impl BuildInfo {
    /// Its modules, to which functions are assigned.
    pub fn modules(&self) -> Modules {
        let main = self.main.iter().map(|main| Module {
            // Go 1.24 and newer make a version from the commit.
            origin: match version(main) {
                "" => self.revision().map(|revision| (main.path.clone(), revision.to_owned())),
                version => Some((main.path.clone(), version.to_owned())),
            },
            is_main: true,
            ..module(main)
        });
        let modules = self.dependencies.iter().map(module).chain(main);
        Modules::new(modules.collect(), &self.go, &self.path)
    }

    /// The commit that it was built from, if the checkout had no changes.
    fn revision(&self) -> Option<&str> {
        let is_clean = self.setting("vcs.modified") == Some("false");
        self.setting("vcs.revision").filter(|_| is_clean)
    }
}

fn module(from: &build_info::Module) -> Module {
    let origin = from.replaced_by.as_deref().unwrap_or(from);
    let origin = (origin.path.clone(), version(origin).to_owned());
    Module {
        path: from.path.clone(),
        version: version(from).to_owned(),
        // A module that a folder replaces has no public source.
        origin: (!origin.1.is_empty()).then_some(origin),
        is_main: false,
    }
}

/// The version; empty for a module built from a checkout, which some versions of Go call `(devel)`.
fn version(module: &build_info::Module) -> &str {
    match module.version.as_str() {
        "(devel)" => "",
        version => version,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use build_info::Module as Listed;

    #[test]
    fn replaced_modules_keep_their_name_and_are_read_elsewhere() {
        let listed = |path: &str, version: &str| Listed {
            path: path.to_owned(),
            version: version.to_owned(),
            ..Listed::default()
        };
        let by =
            |other: Listed, listed: Listed| Listed { replaced_by: Some(Box::new(other)), ..listed };
        let setting = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let revision = "0123456789abcdef0123456789abcdef01234567";
        let info = BuildInfo {
            go: "go1.27.3".to_owned(),
            path: "github.com/me/shop/cmd/shop".to_owned(),
            main: Some(listed("github.com/me/shop", "(devel)")),
            dependencies: vec![
                listed("github.com/acme/dep", "v1.0.0"),
                by(listed("github.com/fork/net", "v0.1.0"), listed("golang.org/x/net", "v0.33.0")),
                by(listed("../log", ""), listed("github.com/acme/log", "v1.1.0")),
            ],
            settings: vec![setting("vcs.revision", revision), setting("vcs.modified", "false")],
        };
        let modules = info.modules();
        let source = |function: &str| modules.source(function.as_bytes(), b"/x/a.go", 1);
        let address = |text: &str| Some(format!("https://github.com/{text}"));
        assert_eq!(source("github.com/acme/dep.F"), address("acme/dep/blob/v1.0.0/a.go#L1"));
        assert_eq!(
            source("golang.org/x/net/http2.F"),
            address("fork/net/blob/v0.1.0/http2/a.go#L1")
        );
        assert_eq!(source("github.com/acme/log.F"), None);
        let main = format!("me/shop/blob/{revision}/cmd/shop/a.go#L1");
        assert_eq!(source("main.main"), address(&main));
        assert_eq!(
            modules.module_of(b"golang.org/x/net/http2.F", b""),
            Some("golang.org/x/net@v0.33.0".into())
        );
        assert_eq!(modules.module_of(b"main.main", b""), Some("github.com/me/shop".into()));
        let dirty = BuildInfo { settings: vec![setting("vcs.revision", revision)], ..info };
        assert_eq!(dirty.modules().source(b"main.main", b"/x/a.go", 1), None);
    }
}
