//! Sources and formats together: arguments in, one profile out. The only part that starts threads.

use crate::error::{Error, Result};
use crate::format::{self, Outcome, ReadOptions};
use crate::profile::{Input, InputFormat, Keep, Profile, ProfileBuilder};
use crate::source::{self, SourceOptions};
use std::ffi::OsString;

/// How to load.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// How arguments are turned into inputs.
    pub source: SourceOptions,
    /// `--input-format`
    pub format: Option<InputFormat>,
    /// `--line-prefix`
    pub line_prefix: Option<regex::bytes::Regex>,
    /// Which columns the command needs.
    pub keep: Keep,
    /// Threads to read with; the result is the same for any number.
    pub threads: usize,
}

/// What was loaded.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Everything that was understood.
    pub profile: Profile,
    /// What could not be read; each makes the exit code 2.
    pub errors: Vec<Error>,
    /// Members that nothing is known of, skipped because nobody named them.
    pub skipped: u64,
}

/// Reads everything that the arguments name.
pub fn load(arguments: &[OsString], options: &LoadOptions) -> Result<Loaded> {
    let expanded = source::expand(arguments, &options.source)?;
    let mut loaded = Loaded { errors: expanded.errors, ..Loaded::default() };
    let mut builder = ProfileBuilder::new(options.keep);
    for unit in &expanded.units {
        let result = unit.visit(&mut |meta, bytes| {
            let mut input = Input::new(&meta.name, &meta.path, InputFormat::Debug2);
            input.point = meta.point;
            input.member.clone_from(&meta.member);
            let mut read = ReadOptions {
                format: options.format,
                line_prefix: options.line_prefix.as_ref(),
                observer: None,
            };
            match format::read(bytes, input, &mut read, &mut builder)? {
                Outcome::Read => {}
                Outcome::Unknown => loaded.skipped += 1,
            }
            Ok(())
        });
        loaded.errors.extend(result.err());
    }
    loaded.profile = builder.finish();
    Ok(loaded)
}
