//! Binaries where otherwise dumps and profiles are compared.

use super::{Inputs, Loaded};
use crate::error::Result;
use crate::source;
use crate::symbols::{Options, Programs, is_program};
use crate::view::stacksize::frame_sizes::profile;
use std::path::PathBuf;

impl Inputs {
    /// Reads the inputs of a comparison. If all of them are binaries, their samples are the stack sizes
    /// of their functions.
    ///
    /// # Errors
    ///
    /// If nothing can be read.
    pub fn load_comparable(self) -> Result<Loaded> {
        let paths: Vec<PathBuf> = self.arguments.iter().map(PathBuf::from).collect();
        if paths.len() < 2 || !paths.iter().all(|path| is_program(path)) {
            return self.load();
        }
        let names = source::argument_names(&self.arguments);
        let texts: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let programs = Programs::open(&paths, Options::default())?;
        let binaries = programs.iter().map(|program| &program.binary);
        let given = names.iter().zip(&texts).zip(binaries);
        let profile = profile(given.map(|((name, path), binary)| (&**name, &**path, binary)))?;
        programs.readable()?;
        Ok(Loaded { profile })
    }
}
