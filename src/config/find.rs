//! Finds configuration files.

use super::Request;
use crate::error::{Error, Result};
use etcetera::BaseStrategy;
use std::path::{Path, PathBuf};

/// The places where a process looks for settings.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// `STACKGAZER_CONFIG`
    pub environment: Option<PathBuf>,
    /// The folder to start from when looking for the project's file.
    pub folder: Option<PathBuf>,
    /// The folder of the user's configuration: `~/.config`.
    pub user: Option<PathBuf>,
}

impl Places {
    /// The places of this process.
    pub fn of_process() -> Places {
        let variable = std::env::var_os("STACKGAZER_CONFIG").filter(|value| !value.is_empty());
        Places {
            environment: variable.map(PathBuf::from),
            folder: std::env::current_dir().ok(),
            user: etcetera::choose_base_strategy().ok().map(|strategy| strategy.config_dir()),
        }
    }
}

/// Where a file comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// `$XDG_CONFIG_HOME/stackgazer/config.toml`
    User,
    /// `stackgazer.toml` or `.stackgazer.toml` of the project.
    Project,
    /// `STACKGAZER_CONFIG`
    Environment,
    /// `--config`
    Flag,
}

impl Layer {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Layer::User => "user",
            Layer::Project => "project",
            Layer::Environment => "environment",
            Layer::Flag => "flag",
        }
    }
}

/// A file to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigFile {
    /// Where it comes from.
    pub layer: Layer,
    /// Where it is.
    pub path: PathBuf,
    /// The folder of the project that it was found in. It and the files that it names have to be there: who
    /// can change a project must not make a run show other files.
    pub project: Option<PathBuf>,
}

impl ConfigFile {
    /// Its name in messages.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }
}

/// The files to read, the weakest first.
pub(super) fn files(request: &Request, places: &Places) -> Result<Vec<ConfigFile>> {
    if let Some(path) = &request.file {
        if request.no_files {
            return Err(Error::misuse("--no-config", "can't be used with --config"));
        }
        return Ok(vec![ConfigFile { layer: Layer::Flag, path: path.clone(), project: None }]);
    }
    if request.no_files {
        return Ok(Vec::new());
    }
    if let Some(path) = &places.environment {
        return Ok(vec![ConfigFile {
            layer: Layer::Environment,
            path: path.clone(),
            project: None,
        }]);
    }
    let user = places.user.as_ref().map(|folder| folder.join("stackgazer").join("config.toml"));
    let user = user.filter(|path| exists(path));
    let user = user.map(|path| ConfigFile { layer: Layer::User, path, project: None });
    let project = places.folder.as_ref().and_then(|folder| {
        let root = root(folder).to_owned();
        Some(ConfigFile { layer: Layer::Project, path: project(folder)?, project: Some(root) })
    });
    Ok(user.into_iter().chain(project).collect())
}

/// The project's file: the nearest one up to the root of the repository. Outside of repositories only
/// the folder itself is searched, so that a file in `/tmp` has no effect on the folders below.
fn project(folder: &Path) -> Option<PathBuf> {
    let root = root(folder);
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .flat_map(|folder| [folder.join("stackgazer.toml"), folder.join(".stackgazer.toml")])
        .find(|path| exists(path))
}

/// The root of the repository that a folder is in, else the folder.
pub fn root(folder: &Path) -> &Path {
    const REPOSITORIES: [&str; 4] = [".git", ".hg", ".jj", ".svn"];
    let is_root = |folder: &&Path| REPOSITORIES.iter().any(|name| folder.join(name).exists());
    folder.ancestors().find(is_root).unwrap_or(folder)
}

/// Whether the path exists, even as something other than a regular file: reading it will fail, while
/// skipping it would drop settings without a word.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    fn found(request: &Request, places: &Places) -> Vec<(Layer, String)> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let files = files(request, places).unwrap();
        files.iter().map(|found| (found.layer, name(&found.path))).collect()
    }

    #[test]
    fn the_project_is_searched_up_to_the_root_of_the_repository() {
        let home = tempfile::tempdir().unwrap();
        let deep = home.path().join("repo/a/b");
        std::fs::create_dir_all(&deep).unwrap();
        touch(&home.path().join("stackgazer.toml"));
        assert_eq!(project(&deep), None, "no repository: only the folder itself");
        std::fs::create_dir(home.path().join("repo/.hg")).unwrap();
        assert_eq!(project(&deep), None, "outside of the repository");
        let hidden = home.path().join("repo/.stackgazer.toml");
        touch(&hidden);
        assert_eq!(project(&deep), Some(hidden));
        let near = home.path().join("repo/a/stackgazer.toml");
        touch(&near);
        assert_eq!(project(&deep), Some(near));
    }

    #[test]
    fn a_named_file_replaces_those_that_are_found() {
        let home = tempfile::tempdir().unwrap();
        touch(&home.path().join("user/stackgazer/config.toml"));
        touch(&home.path().join("project/stackgazer.toml"));
        let mut places = Places {
            environment: None,
            folder: Some(home.path().join("project")),
            user: Some(home.path().join("user")),
        };
        let both =
            [(Layer::User, "config.toml".into()), (Layer::Project, "stackgazer.toml".into())];
        assert_eq!(found(&Request::default(), &places), both);
        places.environment = Some("env.toml".into());
        let environment = [(Layer::Environment, "env.toml".into())];
        assert_eq!(found(&Request::default(), &places), environment);
        let flag = Request { file: Some("flag.toml".into()), ..Request::default() };
        assert_eq!(found(&flag, &places), [(Layer::Flag, "flag.toml".into())]);
        let none = Request { no_files: true, ..Request::default() };
        assert_eq!(found(&none, &places), []);
    }
}
