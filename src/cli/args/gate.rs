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

    /// All work was done: what is still there has leaked
    ///
    /// With several points in time, this is about the last.
    #[arg(long)]
    pub at_end: bool,

    /// Work with this label is done: whatever still has the label has leaked
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

    /// Limit: goroutines of a process that the runtime proved to leak
    #[arg(long, value_name = "[WHICH:]N")]
    pub max_leaked: Vec<String>,

    /// How long one may be blocked: 30m, 2h, 1d
    ///
    /// Without a unit: minutes.
    #[arg(long, value_name = "[WHICH:]TIME")]
    pub max_age: Vec<String>,

    /// Allow findings that this file covers
    ///
    /// --explain unused-entry tells how it is written.
    #[arg(long, value_name = "FILE")]
    pub allow: Vec<PathBuf>,

    /// Allow the findings that this baseline lists
    #[arg(long, value_name = "FILE")]
    pub baseline: Vec<PathBuf>,

    /// Write a baseline of all findings
    ///
    /// What it contains passes this time, too.
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,

    /// Don't use the built-in catalogue of expected goroutines
    #[arg(long)]
    pub no_default_allow: bool,

    /// Exit with code 2 unless every point has a goroutineleak profile
    #[arg(long)]
    pub require_leak_profile: bool,

    /// Leave this many points at the start out of trends: the warm-up
    #[arg(long, value_name = "N")]
    pub skip_first: Option<u32>,

    /// The date that expiry dates are compared with [default: today, in UTC]
    #[arg(long, value_name = "DATE")]
    pub today: Option<String>,
}
