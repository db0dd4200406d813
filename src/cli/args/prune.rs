//! Which stacks, and how much of each.

use crate::prune::PruneOptions;
use clap::Args;

/// Which stacks, and how much of each: the options of `go tool pprof`, which mean what they mean
/// there.
///
/// They are understood with `_` for `-` too.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Pruning stacks, as go tool pprof does (REGEX: function or file)")]
pub struct PruneArgs {
    /// Only samples with a frame that matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub focus: Option<String>,

    /// No samples with a frame that matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub ignore: Option<String>,

    /// Leave out frames that match
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub hide: Option<String>,

    /// Leave out frames that don't match
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub show: Option<String>,

    /// Leave out what is above the outermost frame that matches, and samples without one
    #[arg(long, alias = "show_from", value_name = "REGEX", allow_hyphen_values = true)]
    pub show_from: Option<String>,

    /// Leave out what is below the innermost frame that matches; a method's name is only looked at
    /// up to its bracket
    #[arg(long, alias = "prune_from", value_name = "REGEX", allow_hyphen_values = true)]
    pub prune_from: Option<String>,

    /// Only samples with a label that matches; numbers in a range, as in 'bytes=32kb:1mb'
    ///
    /// Without KEY every REGEX must match some `KEY:VALUE`, with it one of them must match a value.
    /// Ranges: 32kb, :64kb, 4mb:, 12kb:64mb.
    #[arg(long, value_name = "[KEY=]REGEX,...|RANGE", allow_hyphen_values = true)]
    pub tagfocus: Option<String>,

    /// No samples with a label that matches
    #[arg(long, value_name = "[KEY=]REGEX,...|RANGE", allow_hyphen_values = true)]
    pub tagignore: Option<String>,

    /// Leave out labels whose key doesn't match
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub tagshow: Option<String>,

    /// Leave out labels whose key matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub taghide: Option<String>,

    /// Add the values of these labels as frames above all others
    #[arg(long, value_name = "KEY,...")]
    pub tagroot: Option<String>,

    /// Add the values of these labels as frames below all others
    #[arg(long, value_name = "KEY,...")]
    pub tagleaf: Option<String>,

    /// Leave out functions that were inlined into their callers
    #[arg(long, alias = "no-inlines", alias = "no_inlines")]
    pub noinlines: bool,

    /// Keep the frames that a proto itself asks to be left out (its drop_frames); pprof protos that
    /// are written have them in any case
    #[arg(long, alias = "all_frames")]
    pub all_frames: bool,
}

impl PruneArgs {
    /// Whether stacks stay as they are.
    pub fn is_empty(&self) -> bool {
        *self == PruneArgs::default()
    }

    /// The options for [`crate::prune`].
    pub fn options(&self) -> PruneOptions {
        PruneOptions {
            focus: self.focus.clone(),
            ignore: self.ignore.clone(),
            hide: self.hide.clone(),
            show: self.show.clone(),
            show_from: self.show_from.clone(),
            prune_from: self.prune_from.clone(),
            tag_focus: self.tagfocus.clone(),
            tag_ignore: self.tagignore.clone(),
            tag_show: self.tagshow.clone(),
            tag_hide: self.taghide.clone(),
            tag_root: self.tagroot.clone(),
            tag_leaf: self.tagleaf.clone(),
            no_inlines: self.noinlines,
        }
    }
}
