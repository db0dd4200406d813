//! Where bytes come from: arguments become inputs, one opened stream of bytes each.

use crate::error::{Error, Result};
use std::ffi::OsString;
use std::io::Read;

/// How arguments are turned into inputs.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// `--member GLOB`: which members of directories and archives to read.
    pub members: Vec<String>,
    /// The browser tool's zip patterns (regular expressions); used where `members` is empty.
    pub member_patterns: Vec<String>,
    /// `--input-name PATH=NAME`
    pub input_names: Vec<String>,
    /// `--path-label REGEX`; named groups become labels.
    pub path_labels: Vec<String>,
    /// `--max-bytes`
    pub max_bytes: Option<u64>,
}

/// What is known of an input before its bytes are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InputMeta {
    /// Its name, unique among all inputs.
    pub name: String,
    /// Where it is, for people: `bundle.zip!nodes/1/stacks.txt`.
    pub path: String,
    /// Labels told by the path.
    pub labels: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether it was named, picked by `--member` or has a well-known name: then unknown content
    /// is an error, otherwise the input is skipped and counted.
    pub picked: bool,
    /// Which argument it came from, counted from 0: a point in time of `diff` and `check`.
    pub point: usize,
    /// Its path inside that argument, which pairs processes across points.
    pub member: String,
}

/// Something that can be read independently of all others: a file, a member of a zip, a whole tar.
#[derive(Debug)]
pub struct Unit {
    meta: InputMeta,
    path: OsString,
}

impl Unit {
    /// Calls `read` with every input of the unit, decompressed.
    pub fn visit(
        &self,
        read: &mut dyn FnMut(&InputMeta, &mut dyn Read) -> Result<()>,
    ) -> Result<()> {
        let mut file = std::fs::File::open(&self.path)
            .map_err(|error| Error::io(self.meta.path.clone(), &error))?;
        read(&self.meta, &mut file)
    }
}

/// All that the arguments name.
#[derive(Debug, Default)]
pub struct Expanded {
    /// What is to be read, in order.
    pub units: Vec<Unit>,
    /// Arguments and members that can't be read.
    pub errors: Vec<Error>,
}

/// Turns arguments into units.
pub fn expand(arguments: &[OsString], options: &SourceOptions) -> Result<Expanded> {
    let _ = options;
    let units = arguments.iter().enumerate().map(|(point, path)| {
        let shown = path.to_string_lossy().into_owned();
        let name = shown.rsplit('/').next().unwrap_or("unknown").to_owned();
        let meta = InputMeta { name, path: shown, picked: true, point, ..InputMeta::default() };
        Unit { meta, path: path.clone() }
    });
    Ok(Expanded { units: units.collect(), errors: Vec::new() })
}
