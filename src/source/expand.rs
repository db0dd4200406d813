//! Turns arguments into units that can be read independently of each other.

use super::budget::Allowance;
use super::directory::{self, FileState, Found, FoundFile};
use super::extent::Extent;
use super::magic::{Packing, read_head};
use super::origin::{Members, Origin};
use super::pick::{Choice, Chosen};
use super::plan::{Plan, Spot};
use super::spool::spool;
use super::stream::{Failure, Sticky};
use super::unit::Units;
use super::{Expanded, SourceOptions, http, process, tables};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Turns arguments into units. Fails only if the user's own text is wrong; arguments that can't be
/// opened are in [`Expanded::errors`].
///
/// The members of archives that are arguments are units of their own, so they can be read in
/// parallel; an archive found elsewhere is one unit with all its members.
///
/// # Errors
/// If the user's own text is wrong: an address, a name, a process.
pub fn expand(arguments: &[OsString], options: &SourceOptions) -> Result<Expanded> {
    let plan = Arc::new(Plan::compile(options)?);
    if arguments.iter().filter(|&argument| argument == "-").count() > 1 {
        return Err(Error::misuse("-", "stdin can be read only once"));
    }
    // Before anything is opened or shown: an address can hold a password.
    for argument in arguments.iter().map(|argument| argument.to_string_lossy()) {
        if http::is_url(&argument) {
            http::check(&argument)?;
        }
        process::process_number(&argument)?;
    }
    let budget = options.max_bytes.unwrap_or(LIMITS.total_bytes);
    let expanded = Expanded {
        units: Units::new(Arc::clone(&plan)),
        errors: Vec::new(),
        warnings: Vec::new(),
        arguments: Vec::new(),
        spooled: 0,
    };
    let mut expansion = Expansion { plan, spooled: Allowance::new(budget, budget), expanded };
    for (point, argument) in arguments.iter().enumerate() {
        expansion.argument(point, argument);
    }
    expansion.expanded.spooled = expansion.spooled.used();
    Ok(expansion.expanded)
}

struct Expansion {
    plan: Arc<Plan>,
    spooled: Allowance,
    expanded: Expanded,
}

impl Expansion {
    fn argument(&mut self, point: usize, argument: &OsStr) {
        let path = Path::new(argument);
        let written = argument.to_string_lossy();
        let shown = match argument == "-" {
            true => "stdin".to_owned(),
            false => http::shown_argument(argument),
        };
        self.expanded.arguments.push(shown.clone());
        let mut spot = self.plan.argument(point, &shown);
        if argument == "-" {
            return self.stream(spot, Box::new(std::io::stdin()));
        }
        if let Ok(Some(number)) = process::process_number(&written) {
            process::describe(&mut spot.meta, number);
            return self.unit(spot, Origin::Process(number));
        }
        if http::is_url(&written) {
            return self.unit(spot, Origin::Url(written.into_owned()));
        }
        if http::is_other_address(&written) {
            let what = "is an address of a kind that isn't asked";
            let error =
                Error::misuse(shown, what).advise("name one of http:// or https://, or a file");
            return self.fail(&spot, error);
        }
        let opened = fs::metadata(path).and_then(|metadata| match metadata.is_dir() {
            true => Ok(None),
            false => File::open(path).map(Some),
        });
        match opened {
            Err(error) => self.fail(&spot, Error::io(shown, &error)),
            Ok(None) => self.directory(&spot, path),
            Ok(Some(file)) => self.file(spot, path, file),
        }
    }

    fn file(&mut self, spot: Spot, path: &Path, file: File) {
        let length = match file.metadata() {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) => 0,
            Err(error) => return self.fail(&spot, Error::io(spot.meta.path.as_str(), &error)),
        };
        // Pipes can only be read once, and files of /proc don't report their length.
        if length == 0 {
            return self.stream(spot, Box::new(file));
        }
        let opened = Extent::of_file(file).and_then(|extent| {
            let packing = Packing::of_extent(&extent)?;
            Ok((extent, packing))
        });
        match opened {
            Err(error) => self.fail(&spot, Error::io(spot.meta.path.as_str(), &error)),
            Ok((extent, packing @ (Packing::Zip | Packing::Tar))) => {
                self.archive(spot, packing, extent);
            }
            // The file is closed here and opened again to be read: there can be thousands of
            // arguments.
            Ok(_) => self.unit(spot, Origin::File(path.to_owned())),
        }
    }

    fn stream(&mut self, spot: Spot, stream: Box<dyn Read + Send>) {
        let mut stream = Sticky::new(stream);
        let mut head = Vec::new();
        // An error is returned again when the stream is read on.
        let _ = read_head(&mut stream, &mut head);
        let packing = Packing::of(&head);
        let mut stream = Cursor::new(head).chain(stream);
        if !matches!(packing, Packing::Zip | Packing::Tar) {
            return self.unit(spot, Origin::Stream(Mutex::new(Some(Box::new(stream)))));
        }
        match spool(&mut stream, Some(&self.spooled)) {
            Err(failure) => self.fail_with(&spot, failure),
            Ok((extent, problem)) => {
                if let Some(failure) = problem {
                    self.fail_with(&spot, failure);
                }
                self.archive(spot, packing, extent);
            }
        }
    }

    fn archive(&mut self, spot: Spot, packing: Packing, extent: Extent) {
        match Members::open(packing, extent) {
            Err(failure) => self.fail_with(&spot, failure),
            Ok((members, problems)) => {
                problems.into_iter().for_each(|problem| self.fail_with(&spot, problem));
                let warnings = self.expanded.units.push_members(spot, members);
                self.expanded.warnings.extend(warnings);
            }
        }
    }

    fn directory(&mut self, spot: &Spot, path: &Path) {
        let Found { files, errors, warnings } = directory::walk(path);
        self.expanded.warnings.extend(warnings);
        for error in errors {
            self.fail(spot, error);
        }
        let paths = |at: usize| files.get(at).map_or("", |file| file.inside.as_str());
        let (Choice { chosen, picked, .. }, warnings) = self.plan.choose(spot, files.len(), paths);
        self.expanded.warnings.extend(warnings);
        for FoundFile { path, inside, state } in picked.iter().filter_map(|&at| files.get(at)) {
            match state {
                FileState::Regular => {}
                FileState::Broken(error) => {
                    self.fail(spot, error.clone());
                    continue;
                }
                FileState::Special => {
                    // Like other files that aren't dumps, it is no error where all are tried.
                    if chosen == Chosen::Picked {
                        self.fail(spot, special(path));
                    }
                    continue;
                }
            }
            let folder = path.parent().filter(|_| path.file_name() == Some(tables::MARK.as_ref()));
            let (from, inside) = match folder {
                Some(folder) => (folder, inside.rsplit_once('/').map_or("", |split| split.0)),
                None => (path.as_path(), inside.as_str()),
            };
            let shown = from.to_string_lossy().into_owned();
            let mut spot = self.plan.inside(spot, shown, inside.to_owned(), chosen);
            if folder.is_none() {
                self.unit(spot, Origin::File(path.clone()));
                continue;
            }
            for (key, value) in tables::partitions(&spot.meta.path) {
                if spot.meta.labels.iter().all(|(known, _)| *known != key) {
                    spot.meta.labels.push((key, value));
                }
            }
            self.unit(spot, Origin::Tables(from.to_owned()));
        }
    }

    fn unit(&mut self, spot: Spot, origin: Origin) {
        self.expanded.units.push(spot, origin);
    }

    fn fail(&mut self, spot: &Spot, error: Error) {
        self.expanded.errors.push((spot.meta.point, error));
    }

    fn fail_with(&mut self, spot: &Spot, failure: Failure) {
        self.fail(spot, failure.error(&spot.meta.path));
    }
}

/// A pipe, a socket or a device that has the name of a dump.
fn special(path: &Path) -> Error {
    let what = "isn't a regular file, and is left alone in a folder";
    let error = Error::new(ErrorKind::Io, path.display().to_string(), what);
    error.advise("name it itself to read it")
}
