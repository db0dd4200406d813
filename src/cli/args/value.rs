//! Which sample type.

use crate::error::{Error, Result};
use clap::Args;

/// Which sample type to show, for profiles that have several.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct ValueArgs {
    /// Sample type, where a profile has several
    ///
    /// Its name, with its unit or not, or its number from 0.
    #[arg(long, alias = "sample-index", alias = "sample_index", value_name = "TYPE")]
    pub value: Option<String>,

    #[command(flatten)]
    old: OldNames,
}

/// What `go tool pprof` had before it had `-sample_index`; people still type it.
#[derive(Args, Clone, Debug, Default)]
#[group(multiple = false, conflicts_with = "value")]
struct OldNames {
    #[arg(long, alias = "inuse_space", hide = true)]
    inuse_space: bool,
    #[arg(long, alias = "inuse_objects", hide = true)]
    inuse_objects: bool,
    #[arg(long, alias = "alloc_space", hide = true)]
    alloc_space: bool,
    #[arg(long, alias = "alloc_objects", hide = true)]
    alloc_objects: bool,
    #[arg(long, alias = "total_delay", hide = true)]
    total_delay: bool,
    #[arg(long, hide = true)]
    contentions: bool,
    #[arg(long, alias = "mean_delay", hide = true)]
    mean_delay: bool,
}

impl ValueArgs {
    /// The requested type.
    pub fn value(&self) -> Option<&str> {
        let old = &self.old;
        let names = [
            (old.inuse_space, "inuse_space"),
            (old.inuse_objects, "inuse_objects"),
            (old.alloc_space, "alloc_space"),
            (old.alloc_objects, "alloc_objects"),
            (old.total_delay, "delay"),
            (old.contentions, "contentions"),
            (old.mean_delay, "delay"),
        ];
        let asked = names.iter().find(|(asked, _)| *asked).map(|(_, name)| *name);
        self.value.as_deref().or(asked)
    }

    /// Whether an old name requests the mean.
    pub fn is_mean(&self) -> bool {
        self.old.mean_delay
    }

    /// For commands that only have sums.
    ///
    /// # Errors
    ///
    /// If the mean is requested.
    pub fn refuse_mean(&self) -> Result<()> {
        if !self.is_mean() {
            return Ok(());
        }
        let what = "only summarize divides delays by how many there were";
        Err(Error::misuse("--mean_delay", what)
            .advise("use --total_delay, or stackgazer summarize --mean_delay"))
    }
}
