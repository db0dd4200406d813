//! What may pass.

use clap::Args;
use std::path::PathBuf;

/// What may pass.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Gate (each also stands in the section [check] of stackgazer.toml)")]
pub struct GateArgs {
    /// Fail from this level on: error, warning, note
    ///
    /// Exit with code 1 for findings of this level and above [default: error]
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<String>,

    /// All work was over: what is still there leaked
    ///
    /// Of several points in time, this is said of the last.
    #[arg(long)]
    pub at_end: bool,

    /// Work that carried this label is over: whatever still carries it has leaked
    #[arg(long = "leak-label", value_name = "KEY[=VALUE]")]
    pub leak_labels: Vec<String>,

    /// Own code: functions that match; only own code makes errors, libraries make warnings
    /// [default: the main module; where that isn't known, what isn't of the standard library, the module
    /// cache or vendored]
    #[arg(long, value_name = "REGEX")]
    pub own: Vec<String>,

    /// Goroutines of a process, or of a part
    ///
    /// All of them: 5000; a part: category=rpc:500, name=GLOB:N, label:KEY=GLOB:N.
    #[arg(long, value_name = "[WHICH:]N")]
    pub max_goroutines: Vec<String>,

    /// How many more goroutines a process may have at the last point than at the first
    #[arg(long, value_name = "[WHICH:]N|P%")]
    pub max_growth: Vec<String>,

    /// Goroutines of a process that the runtime proved leaked
    #[arg(long, value_name = "[WHICH:]N")]
    pub max_leaked: Vec<String>,

    /// How long one may be blocked: 30m, 2h, 1d
    ///
    /// Without a unit: minutes.
    #[arg(long, value_name = "[WHICH:]TIME")]
    pub max_age: Vec<String>,

    /// Allow what the entries of this file cover
    ///
    /// --explain unused-entry tells how it is written.
    #[arg(long, value_name = "FILE")]
    pub allow: Vec<PathBuf>,

    /// Allow what was there when this was written
    #[arg(long, value_name = "FILE")]
    pub baseline: Vec<PathBuf>,

    /// Write a baseline of all that is found
    ///
    /// What stands in it passes this time, too.
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Leave out the built-in catalogue of goroutines that belong there
    #[arg(long)]
    pub no_default_allow: bool,

    /// Exit with code 2 unless every point has a goroutineleak profile
    #[arg(long)]
    pub require_leak_profile: bool,

    /// Leave so many points at the beginning out of trends: the warm-up
    #[arg(long, value_name = "N")]
    pub skip_first: Option<u32>,

    /// The day on which entries expire or not [default: today, in UTC]
    #[arg(long, value_name = "DATE")]
    pub today: Option<String>,
}
