//! Inputs that were read, before anything in them has a name.

use super::Named;
use crate::error::{Error, Result};
use crate::load::{self, LoadOptions};
use crate::profile::{Profile, SampleType, Unread, lossy};
use crate::prune::drop_frames;
use crate::rules::RuleSet;
use crate::symbols::Programs;
use crate::view::stacksize::stack_bytes::{self, Stacks};
use crate::view::values::sample_types;
use std::ffi::OsString;

/// The inputs to read.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Files, folders, archives, addresses; `-` is stdin.
    pub arguments: Vec<OsString>,
    /// How to read them.
    pub options: LoadOptions,
}

impl Inputs {
    /// Reads the inputs.
    ///
    /// # Errors
    ///
    /// If nothing can be read; inputs that can't be read are in [`Profile::unread`].
    pub fn load(self) -> Result<Loaded> {
        let load::Loaded { mut profile, errors, warnings, skipped } =
            load::load(&self.arguments, &self.options)?;
        profile.unread = Unread { failed: errors, archives: warnings, skipped };
        Ok(Loaded { profile })
    }
}

/// The inputs that were read.
#[derive(Debug)]
pub struct Loaded {
    /// Everything that was understood, and notes of what wasn't.
    pub profile: Profile,
}

/// What to do with frames that profiles want left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    /// They are shown all the same.
    Kept,
    /// They are left out, as `go tool pprof` does.
    Dropped,
}

/// What to do with the bytes that the stacks of goroutines take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackSizes {
    /// Nothing.
    Ignored,
    /// They are measured in addition to the profile.
    Measured,
    /// They become the profile: `--value stack`.
    Counted,
}

impl Loaded {
    /// Completes the frames from binaries, and measures stacks while all of their frames are there.
    ///
    /// # Errors
    ///
    /// None of the binaries made an input, or nothing shows how many bytes the stacks take.
    pub fn symbolize(
        mut self,
        programs: &Programs,
        hidden: Hidden,
        sizes: StackSizes,
    ) -> Result<Symbolized> {
        let profile = &mut self.profile;
        let matches = programs.symbolize(profile)?;
        profile.find_main_modules();
        let mut stacks = Stacks::default();
        let is_counted = sizes == StackSizes::Counted
            && profile.find_type(stack_bytes::KIND).is_none()
            && profile.inputs.iter().any(|input| input.format.counts_goroutines());
        if is_counted || sizes == StackSizes::Measured {
            let binaries = matches.iter().map(|of| of.map(|of| (&of.program.binary, of.slide)));
            let binaries: Vec<_> = binaries.collect();
            stacks = Stacks::of(profile, &binaries);
            programs.readable()?;
            if stacks.is_empty() && profile.samples.iter().any(|sample| sample.count > 0) {
                return Err(Error::misuse("INPUT", "nothing tells what the stacks take").advise(
                    "pass the program with --binary, or take the dump with GOTRACEBACK=system, \
                         which prints registers",
                ));
            }
        }
        if is_counted {
            stacks.note_unknown(profile);
            let unread = std::mem::take(&mut profile.unread);
            *profile = stack_bytes::by_frame(profile, &stacks);
            profile.unread = unread;
        }
        if hidden == Hidden::Dropped {
            drop_frames(profile);
        }
        Ok(Symbolized { profile: self.profile, stacks })
    }
}

/// The inputs with all their frames.
#[derive(Debug)]
pub struct Symbolized {
    /// Everything that was understood.
    pub profile: Profile,
    /// How many bytes the stacks of its goroutines take, if that was requested.
    pub stacks: Stacks,
}

impl Symbolized {
    /// Makes the sample type of this name the selected one; without a name, one that all inputs have.
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
        let text = |kind: &SampleType| lossy(profile.str(kind.kind));
        let known: Vec<String> = profile.sample_types().iter().map(text).collect();
        let error = Error::usage("--value", name, 1, "no input has this sample type");
        Err(error.advise_one_of(name, known.iter().map(String::as_str)))
    }

    /// Names every frame and stack.
    ///
    /// # Errors
    /// If the names are too long together.
    pub fn name(self, rules: &RuleSet) -> Result<Named> {
        let names = rules.apply(&self.profile)?;
        Ok(Named { profile: self.profile, names })
    }
}
