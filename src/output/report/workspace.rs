//! Maps source files to a repository: dumps have paths of the machine that built the program, reports have
//! those of the repository.

use crate::view::frames::function::package;

/// A checked-out repository.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Workspace {
    /// Its folder, without a slash at the end; empty if it isn't known.
    root: String,
    /// Its Go modules: the path of each module, and its folder below the root.
    modules: Vec<(String, String)>,
}

impl Workspace {
    /// The repository in this folder, with its modules: the path in `go.mod`, and the folder of `go.mod`
    /// below the root (empty for the root itself).
    ///
    /// ```
    /// use stackgazer::output::report::Workspace;
    /// let modules = vec![("example.com/shop".to_owned(), "backend".to_owned())];
    /// let workspace = Workspace::new("/home/ci/shop", modules);
    /// let queue = Some("backend/queue/queue.go".to_owned());
    /// assert_eq!(workspace.relative("/home/ci/shop/backend/queue/queue.go"), queue);
    /// // As `go build -trimpath` writes it.
    /// assert_eq!(workspace.relative("example.com/shop/queue/queue.go"), queue);
    /// assert_eq!(workspace.relative("/usr/local/go/src/sync/mutex.go"), None);
    /// ```
    pub fn new(root: &str, mut modules: Vec<(String, String)>) -> Workspace {
        let root = root.replace('\\', "/").trim_end_matches('/').to_owned();
        for (_, folder) in &mut modules {
            *folder = folder.replace('\\', "/").trim_matches('/').to_owned();
        }
        // The most specific module comes first.
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        Workspace { root, modules }
    }

    /// The path of a frame's file below the root, with slashes, or `None` if the file isn't there.
    ///
    /// If the program was built in another folder, for instance in a container, the path follows from the
    /// package of the function.
    ///
    /// ```
    /// use stackgazer::output::report::Workspace;
    /// let modules = vec![("example.com/shop".to_owned(), String::new())];
    /// let workspace = Workspace::new("/home/ci/shop", modules);
    /// let push = workspace.locate("example.com/shop/queue.(*Queue).Push", "/build/queue/queue.go");
    /// assert_eq!(push.unwrap(), "queue/queue.go");
    /// ```
    pub fn locate(&self, func: &str, file: &str) -> Option<String> {
        self.relative(file).or_else(|| {
            // A version in the path means another module, or another version of this one.
            if file.contains("@v") {
                return None;
            }
            let package = String::from_utf8_lossy(package(func.as_bytes()));
            let base = file.rsplit(['/', '\\']).next()?;
            self.modules.iter().find_map(|(module, folder)| {
                let rest = match package.strip_prefix(module.as_str())? {
                    "" => "",
                    rest => rest.strip_prefix('/')?,
                };
                let parts = [folder.as_str(), rest, base];
                let path: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                let path = path.join("/");
                inside(&path).then_some(path)
            })
        })
    }

    /// The path of a file below the root, with slashes, or `None` if it isn't there.
    pub fn relative(&self, file: &str) -> Option<String> {
        let file = file.replace('\\', "/");
        if !self.root.is_empty()
            && let Some(rest) = below(&file, &self.root)
        {
            return inside(rest).then(|| rest.to_owned());
        }
        let (rest, folder) = self
            .modules
            .iter()
            .find_map(|(module, folder)| below(&file, module).map(|rest| (rest, folder)))?;
        match (inside(rest), folder.as_str()) {
            (false, _) => None,
            (true, "") => Some(rest.to_owned()),
            (true, folder) => Some(format!("{folder}/{rest}")),
        }
    }
}

/// The part of a path below a folder.
fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Whether a path below a folder stays in it, and isn't in a downloaded module, whose path has its version.
fn inside(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains("@v"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_root_and_of_modules_are_found() {
        let modules = vec![
            ("example.com/shop".into(), String::new()),
            ("example.com/shop/tools".into(), "internal/tools".into()),
        ];
        let workspace = Workspace::new("/src/", modules);
        let relative = |file: &str| workspace.relative(file).unwrap_or_default();
        assert_eq!(relative("/src/main.go"), "main.go");
        assert_eq!(relative("example.com/shop/api/api.go"), "api/api.go");
        assert_eq!(relative("example.com/shop/tools/gen/gen.go"), "internal/tools/gen/gen.go");
    }

    #[test]
    fn files_elsewhere_are_not() {
        let modules = vec![("example.com/shop".into(), String::new())];
        let workspace = Workspace::new("/src", modules);
        for file in [
            "/srcs/main.go",
            "/src",
            "/src/../etc/passwd",
            "/src/.go/pkg/mod/example.com/dep@v1.2.3/dep.go",
            "example.com/shopping/main.go",
            "example.com/shop@v1.0.0/main.go",
            "example.com/shop/../x.go",
            "net/http/server.go",
            "",
        ] {
            assert_eq!(workspace.relative(file), None, "{file}");
        }
    }

    #[test]
    fn packages_of_a_module_are_found_wherever_it_was_built() {
        let workspace = Workspace::new("/src", vec![("example.com/shop".into(), "backend".into())]);
        let locate = |func: &str, file: &str| workspace.locate(func, file);
        assert_eq!(
            locate("example.com/shop/api.Serve[example.com/x/y.T]", "/build/api/api.go").unwrap(),
            "backend/api/api.go"
        );
        assert_eq!(
            locate("example.com/shop.Run.func1", "/build/run.go").unwrap(),
            "backend/run.go"
        );
        assert_eq!(locate("example.com/shopping.Run", "/build/run.go"), None);
        // The package `main` doesn't say which module it is in.
        assert_eq!(locate("main.main", "/build/main.go"), None);
        assert_eq!(locate("example.com/shop/api.F", "/mod/example.com/shop@v1.0.0/api/f.go"), None);
    }

    #[test]
    fn a_workspace_that_is_not_known_has_no_files() {
        assert_eq!(Workspace::default().relative("/main.go"), None);
        assert_eq!(Workspace::default().relative("example.com/main.go"), None);
    }

    #[test]
    fn paths_of_windows_are_paths() {
        let workspace = Workspace::new(r"D:\a\shop", Vec::new());
        assert_eq!(workspace.relative("D:/a/shop/api/api.go").unwrap(), "api/api.go");
    }
}
