//! Folders that `--to` names, for outputs of several files.

use super::apart::{Reads, check_apart, is_below};
use super::args::OutputArgs;
use super::destination::Destination;
use super::replacement::Replacement;
use super::unfinished::Unfinished;
use crate::error::{Error, ErrorKind, Result};
use crate::output::Output;
use crate::source::TableFolder;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// An existing folder, or the path of a new one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder that the output goes to; `None` if the format has one file.
    pub(super) fn of(output: &OutputArgs) -> Result<Option<Folder>> {
        if output.format.as_deref() != Some(Output::Parquet.name()) {
            return Ok(None);
        }
        match output.file() {
            Some(folder) => Destination::of(Some(folder)).map(|_| Some(Folder(folder.to_owned()))),
            None => {
                let what = "parquet is a folder of tables";
                Err(Error::misuse("--output", what).advise("name the folder with --to DIR"))
            }
        }
    }

    /// Fails if it can't be written or is an input, before anything is read.
    pub(super) fn check(&self, reads: &Reads<'_>) -> Result<()> {
        let Folder(folder) = self;
        // Tables in a folder that is an input are a part of it.
        let has_tables = TableFolder::is_at(folder);
        let is_it =
            |input: &Path| is_below(folder, input) && (has_tables || is_below(input, folder));
        if reads.inputs.iter().any(|input| is_it(Path::new(input))) {
            let what = "--to would write over an input";
            return Err(
                Error::misuse(folder.display().to_string(), what).advise("name another folder")
            );
        }
        check_apart(&self.tables().iter().map(|to| ("--to", to)).collect::<Vec<_>>(), reads)?;
        let nearest = self.nearest();
        if !nearest.is_dir() {
            return Err(Error::new(ErrorKind::Io, nearest.display().to_string(), "isn't a folder")
                .advise("name a folder, or none that is there"));
        }
        let probe = Unfinished::beside(&nearest.join("probe")).map(drop);
        probe.map_err(|error| Error::io(nearest.display().to_string(), &error))
    }

    /// The tables that are there already.
    fn tables(&self) -> Vec<Destination> {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let tables = paths.filter(|path| path.extension().is_some_and(|name| name == "parquet"));
        tables.filter_map(|path| Destination::of(Some(&path)).ok()).collect()
    }

    /// The folder itself, or the nearest existing one above it, where new ones are made.
    pub(super) fn nearest(&self) -> &Path {
        let Folder(folder) = self;
        let mut nearest = folder.as_path();
        while !nearest.exists() {
            nearest = super::destination::folder_of(nearest);
        }
        nearest
    }

    /// Writes files with these names. No file gets its name before all are whole; the first one, by which
    /// the folder is recognised, gets its name last.
    #[cfg_attr(
        not(any(test, feature = "parquet")),
        expect(dead_code, reason = "nothing else goes there")
    )]
    pub(super) fn write<'n>(
        &self,
        names: impl Iterator<Item = &'n str>,
        mut write: impl FnMut(&str, &mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<()> {
        let Folder(folder) = self;
        let fail = |path: &Path, error: &io::Error| Error::io(path.display().to_string(), error);
        fs::create_dir_all(folder).map_err(|error| fail(folder, &error))?;
        let names: Vec<&str> = names.collect();
        let targets = names.iter().map(|name| target(&folder.join(name)));
        let mut written = Vec::new();
        for (name, path) in names.iter().zip(targets.collect::<Result<Vec<_>>>()?) {
            let mut file = Replacement::of(&path).map_err(|error| fail(&path, &error))?;
            let mut out = BufWriter::with_capacity(1 << 16, file.file());
            write(name, &mut out)
                .and_then(|()| out.flush())
                .map_err(|error| fail(&path, &error))?;
            drop(out);
            written.push((path, file));
        }
        // Emptied, not removed: it may have other names, or stand in a folder that takes no new files.
        if let Some((first, _)) = written.first()
            && let Err(error) = File::options().write(true).truncate(true).open(first)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(fail(first, &error));
        }
        for (path, file) in written.into_iter().rev() {
            file.finish().map_err(|error| fail(&path, &error))?;
        }
        Ok(())
    }
}

/// The file that is written under a name: the target if it is a link.
fn target(path: &Path) -> Result<PathBuf> {
    match Destination::of(Some(path))? {
        Destination::File(file) if !file.is_dir() => Ok(file),
        _ => {
            let shown = path.display().to_string();
            Err(Error::new(ErrorKind::Io, shown, "isn't a file; tables are files")
                .advise("name another folder"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_leaves_files_as_they_were_and_nothing_beside_them() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder(place.path().join("a/b"));
        let names = ["first", "second", "third"];
        let fill = |text: &'static str, fails: &'static str| {
            folder.write(names.into_iter(), |name, out| {
                out.write_all(text.as_bytes())?;
                if name == fails { Err(io::Error::other("no more")) } else { Ok(()) }
            })
        };
        assert!(fill("old", "third").is_err());
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "there is no half of it");
        fill("old", "").unwrap();
        assert!(fill("new", "second").is_err());
        for name in names {
            assert_eq!(fs::read(folder.0.join(name)).unwrap(), b"old", "{name}");
        }
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3);
        fill("new", "").unwrap();
        assert_eq!(fs::read(folder.0.join("third")).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_are_replaced_keep_their_modes_and_links() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let place = tempfile::tempdir().unwrap();
        let folder = Folder(place.path().join("tables"));
        let path = |name: &str| folder.0.join(name);
        let fill = || folder.write(["first", "second"].into_iter(), |_, out| out.write_all(b"new"));
        fs::create_dir(&folder.0).unwrap();
        for (target, link) in [("a", "first"), ("b", "second")] {
            fs::write(place.path().join(target), "old").unwrap();
            let private = fs::Permissions::from_mode(0o600);
            fs::set_permissions(place.path().join(target), private).unwrap();
            symlink(place.path().join(target), path(link)).unwrap();
            fs::hard_link(place.path().join(target), place.path().join(format!("{target}2")))
                .unwrap();
        }
        fill().unwrap();
        for (target, link) in [("a", "first"), ("b", "second")] {
            assert_eq!(fs::read(place.path().join(format!("{target}2"))).unwrap(), b"new");
            let target = place.path().join(target);
            assert_eq!(fs::read(&target).unwrap(), b"new");
            assert_eq!(target.metadata().unwrap().mode() & 0o777, 0o600);
            assert!(path(link).is_symlink());
        }
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_leaves_all_others_as_they_were() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder(place.path().to_owned());
        for name in ["first", "third"] {
            fs::write(place.path().join(name), "old").unwrap();
        }
        fs::create_dir(place.path().join("second")).unwrap();
        let names = ["first", "second", "third"].into_iter();
        let error = folder.write(names, |_, out| out.write_all(b"new")).unwrap_err();
        assert!(error.to_string().contains("isn't a file"), "{error}");
        for name in ["first", "third"] {
            assert_eq!(fs::read(place.path().join(name)).unwrap(), b"old");
        }
    }
}
