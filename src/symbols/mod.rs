//! Go binaries given with profiles: which binary made an input, and what its addresses are.

mod apply;
mod evidence;
mod room;
mod tables;

use crate::binary::{Binary, BinaryError, Slide};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::LIMITS;
use crate::profile::{InputId, LocationId, Profile, SampleId, WarningKind};
use crate::regular_file;
use room::Room;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use tables::Tables;

/// Options for the use of binaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Whether names that inputs have are replaced.
    pub resymbolize: bool,
    /// Whether a binary is used even if it didn't make the input.
    pub force: bool,
}

/// The binaries that were given.
#[derive(Debug, Default)]
pub struct Programs {
    programs: Vec<Program>,
    options: Options,
}

/// A binary and its path.
#[derive(Debug)]
pub struct Program {
    /// The path as it was given.
    pub path: PathBuf,
    /// The binary.
    pub binary: Binary,
}

/// The binary that an input is symbolized with.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The program.
    pub program: &'a Program,
    /// How far the process was moved.
    pub slide: Slide,
}

/// The samples of an input that have locations.
struct Located {
    input: InputId,
    /// All of them: with thousands of inputs, to look for them in the whole profile takes minutes.
    all: Vec<SampleId>,
    /// One sample for each list of locations.
    samples: Vec<SampleId>,
    locations: Vec<LocationId>,
}

impl Programs {
    /// Opens binaries.
    ///
    /// # Errors
    ///
    /// If a file can't be read, or isn't a Go binary of a known kind.
    pub fn open(paths: &[PathBuf], options: Options) -> Result<Programs> {
        let open = |path: &PathBuf| {
            let binary = open(path)?;
            Ok(Program { path: path.clone(), binary })
        };
        Ok(Programs { programs: paths.iter().map(open).collect::<Result<_>>()?, options })
    }

    /// Completes the frames of each input from the binary that made it, and returns that binary; `None` for
    /// inputs without addresses.
    ///
    /// # Errors
    ///
    /// If none of the binaries made one of the inputs: with names in some inputs only, one stack would
    /// count as two. Or if a binary can't be read, or has too many inlined calls at the addresses of the inputs. Or if
    /// their modules are too many.
    pub fn symbolize(&self, profile: &mut Profile) -> Result<Vec<Option<Match<'_>>>> {
        let mut matches = vec![None; profile.inputs.len()];
        if self.programs.is_empty() {
            return Ok(matches);
        }
        let mut tables = Tables::new(profile);
        let (mut errors, mut used) = (Vec::new(), HashSet::new());
        let inputs = Located::of_all(profile);
        let mut room = Room::new(profile, &inputs);
        for located in inputs {
            if located.locations.is_empty() {
                let text = "has no addresses that a binary could explain";
                let input = &mut profile.inputs[located.input.index()];
                input.warn(WarningKind::Note, None, text);
                continue;
            }
            let (found, mismatch) = match self.choose(profile, &located) {
                Ok(chosen) => chosen,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            if let Some(mismatch) = mismatch {
                let path = found.program.path.display();
                let text = format!("{path} is used by --force-binary; {mismatch}");
                let input = &mut profile.inputs[located.input.index()];
                input.warn(WarningKind::Note, None, text);
            }
            apply::apply(profile, (&mut tables, &mut room), &located, found, self.options)
                .map_err(|none| {
                    let path = found.program.path.display().to_string();
                    none.error(&profile.input(located.input).path, &path)
                })?;
            matches[located.input.index()] = Some(found);
            // To add 20,000 modules for each of 2,000 inputs took a minute.
            if used.insert(&found.program.path) {
                let info = found.program.binary.build_info().unwrap_or_default();
                profile.modules.add(&info.modules());
                if profile.modules.len() > LIMITS.binary_modules {
                    return Err(too_many_modules(&found.program.path));
                }
            }
        }
        if let Some(first) = errors.first() {
            let more = errors.len() - 1;
            let advice = first.advice.iter().cloned();
            let more = (more > 0).then(|| format!("{more} more of the inputs match none either"));
            let advice: Vec<String> = advice.chain(more).collect();
            return Err(first.clone().advise(advice.join("; ")));
        }
        self.readable()?;
        Ok(matches)
    }

    /// The programs.
    pub fn iter(&self) -> impl Iterator<Item = &Program> {
        self.programs.iter()
    }

    /// Fails if a part of a binary couldn't be read.
    ///
    /// # Errors
    ///
    /// The system's error.
    pub fn readable(&self) -> Result<()> {
        self.programs.iter().try_for_each(|Program { path, binary }| readable(binary, path))
    }
}

impl Located {
    fn of_all(profile: &Profile) -> Vec<Located> {
        let new = |(input, _)| {
            let (all, samples, locations) = Default::default();
            Located { input, all, samples, locations }
        };
        let mut all: Vec<Located> = profile.inputs().map(new).collect();
        let (mut lists, mut locations) = (HashSet::new(), HashSet::new());
        for (id, sample) in profile.samples() {
            let input = sample.key.input;
            let of_input = &mut all[input.index()];
            if profile.sample_locations(id).is_empty() {
                continue;
            }
            of_input.all.push(id);
            if !lists.insert((input, profile.location_list(id))) {
                continue;
            }
            of_input.samples.push(id);
            let new = profile.sample_locations(id).iter();
            of_input.locations.extend(new.filter(|&&location| locations.insert((input, location))));
        }
        all
    }
}

/// Whether a file starts like a binary; core files do.
pub fn is_binary(path: &Path) -> bool {
    Binary::is_start(&start_of(path))
}

/// Whether a file starts like a binary that isn't a core file.
pub fn is_program(path: &Path) -> bool {
    let start = start_of(path);
    Binary::is_start(&start) && !Binary::is_core(&start)
}

/// The first bytes of a file, as many as tell what it is; none if it isn't a regular one.
fn start_of(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    if let Ok(Some(file)) = regular_file::open(path) {
        // What can't be read is no binary.
        let _ = file.take(18).read_to_end(&mut start);
    }
    start
}

/// Opens a binary.
///
/// # Errors
///
/// If it can't be read, or isn't a Go binary of a known kind.
pub fn open(path: &Path) -> Result<Binary> {
    Binary::open(path).map_err(|error| unusable(path, &error))
}

/// Fails if a part of a binary couldn't be read.
///
/// # Errors
///
/// The system's error.
pub fn readable(binary: &Binary, path: &Path) -> Result<()> {
    match binary.read_error() {
        Some(error) => Err(Error::io(path.display().to_string(), error)),
        None => Ok(()),
    }
}

/// The error for a binary whose modules are too many with those of the binaries before it.
fn too_many_modules(path: &Path) -> Error {
    let most = LIMITS.binary_modules;
    let what = format!("with this binary there are more than {most} modules (binary_modules)");
    Error::new(ErrorKind::Limit, path.display().to_string(), what)
        .advise("leave out one of --binary")
}

/// Why a file can't be used as a binary.
fn unusable(path: &Path, error: &BinaryError) -> Error {
    let kind = match error {
        BinaryError::Io(_) => ErrorKind::Io,
        BinaryError::Damaged(_) | BinaryError::CutOff { .. } => ErrorKind::Damaged,
        BinaryError::Not(..)
        | BinaryError::Unknown
        | BinaryError::NotGo
        | BinaryError::Version(_) => ErrorKind::Unknown,
    };
    let unusable = Error::new(kind, path.display().to_string(), error.to_string());
    match error.advice() {
        Some(advice) => unusable.advise(advice),
        None => unusable,
    }
}
