//! What was read, before anything of it has a name.

use super::Named;
use crate::error::suggest::nearest;
use crate::error::{Error, Result};
use crate::load::{self, LoadOptions};
use crate::profile::{Profile, SampleType, Unread};
use crate::prune::drop_frames;
use crate::rules::RuleSet;
use crate::symbols::Programs;
use crate::view::sample_types;
use std::ffi::OsString;

/// What is to be read.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Files, folders, archives, addresses; `-` is stdin.
    pub arguments: Vec<OsString>,
    /// How to read them.
    pub options: LoadOptions,
}

impl Inputs {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// What can't be read at all; a part that can't be read is in [`Profile::unread`].
    pub fn load(self) -> Result<Loaded> {
        let load::Loaded { mut profile, errors, warnings, skipped } =
            load::load(&self.arguments, &self.options)?;
        profile.unread = Unread { failed: errors, archives: warnings, skipped };
        Ok(Loaded { profile })
    }
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// Everything that was understood, and what wasn't.
    pub profile: Profile,
}

/// Frames that profiles ask to be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// They are shown all the same.
    Kept,
    /// They are left out, as `go tool pprof` does.
    Dropped,
}

impl Loaded {
    /// Completes the frames, with what binaries tell of them.
    ///
    /// # Errors
    ///
    /// None of the binaries made an input.
    pub fn symbolize(mut self, programs: &Programs, hidden: Hidden) -> Result<Symbolized> {
        programs.symbolize(&mut self.profile)?;
        if hidden == Hidden::Dropped {
            drop_frames(&mut self.profile);
        }
        Ok(Symbolized { profile: self.profile })
    }
}

/// What was read, with all its frames.
#[derive(Debug)]
pub struct Symbolized {
    /// Everything that was understood.
    pub profile: Profile,
}

impl Symbolized {
    /// Makes the sample type of this name the one that counts; without a name one that all inputs
    /// have.
    ///
    /// # Errors
    ///
    /// No input has it.
    pub fn choose_value(&mut self, name: Option<&str>) -> Result<()> {
        let profile = &mut self.profile;
        let Some(name) = name else {
            sample_types::choose_shared(profile);
            return Ok(());
        };
        if profile.inputs.is_empty() {
            return Ok(());
        }
        if let Some(asked) = profile.find_type(name) {
            profile.use_value(asked);
            return Ok(());
        }
        let text = |kind: &SampleType| String::from_utf8_lossy(profile.str(kind.kind)).into_owned();
        let known: Vec<String> = profile.sample_types().iter().map(text).collect();
        let error = Error::usage("--value", name, 1, "no input has this sample type");
        Err(match nearest(name, known.iter().map(String::as_str)) {
            Some(known) => error.advise(format!("did you mean {known}?")),
            None => error.advise(format!("use one of {}", known.join(", "))),
        })
    }

    /// Names every frame and stack.
    pub fn name(self, rules: &RuleSet) -> Named {
        let names = rules.namer(&self.profile);
        Named { profile: self.profile, names }
    }
}
