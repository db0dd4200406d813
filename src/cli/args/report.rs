//! How values of frames are counted and shown.

use crate::error::{Error, Result};
use crate::view::table::Order;
use crate::view::table::key::Key;
use crate::view::values::options::ValueOptions;
use clap::{Args, ValueEnum};

/// How values of frames are counted and shown: the options of `go tool pprof`, understood with `_`
/// for `-` too.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Values of frames, as in go tool pprof")]
pub struct ReportArgs {
    /// What a row is, the same as --by: functions (function), filefunctions (function,file), files
    /// (file), lines (function,line), addresses (address,function,line)
    #[arg(long, value_name = "WHAT", conflicts_with = "by")]
    granularity: Option<Granularity>,

    /// Show at most so many rows of frames; 0 for all
    #[arg(long, visible_alias = "node-count", alias = "node_count", value_name = "N")]
    nodecount: Option<i64>,

    /// Leave out rows whose cumulative value is less than this share of the total, as in 0.005,
    /// the default of go tool pprof
    #[arg(long, visible_alias = "node-fraction", alias = "node_fraction", value_name = "F")]
    nodefraction: Option<f64>,

    /// Leave out calls of --call-graph whose value is less than this share of the total
    #[arg(long, visible_alias = "edge-fraction", alias = "edge_fraction", value_name = "F")]
    edgefraction: Option<f64>,

    /// Divide values by those of the first sample type: bytes per object, time per event
    #[arg(long)]
    mean: bool,

    /// Divide values by this number before they are shown
    #[arg(long, alias = "divide_by", value_name = "N")]
    divide_by: Option<f64>,

    /// Leave out rows whose value is below zero
    #[arg(long, alias = "drop_negative")]
    drop_negative: bool,

    /// Take what is left after pruning as 100%, not everything
    #[arg(long, alias = "relative_percentages")]
    relative_percentages: bool,

    /// Unit of values: ms, MB, ...; minimum: the best one for the smallest value [default: the best
    /// one for each value]
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,

    #[command(flatten)]
    old: OldForms,
}

/// What a row is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Granularity {
    Functions,
    Filefunctions,
    Files,
    Lines,
    Addresses,
}

/// The options by which `go tool pprof` chooses a report.
#[derive(Args, Clone, Debug, Default)]
struct OldForms {
    #[arg(long, alias = "text", hide = true, conflicts_with = "by")]
    top: bool,
    #[arg(long, hide = true, group = "granularities", conflicts_with_all = ["by", "granularity"])]
    functions: bool,
    #[arg(long, hide = true, group = "granularities", conflicts_with_all = ["by", "granularity"])]
    filefunctions: bool,
    #[arg(long, hide = true, group = "granularities", conflicts_with_all = ["by", "granularity"])]
    files: bool,
    #[arg(long, hide = true, group = "granularities", conflicts_with_all = ["by", "granularity"])]
    lines: bool,
    #[arg(long, hide = true, group = "granularities", conflicts_with_all = ["by", "granularity"])]
    addresses: bool,
    #[arg(long, hide = true, conflicts_with = "sort")]
    flat: bool,
    #[arg(long, hide = true, conflicts_with_all = ["sort", "flat"])]
    cum: bool,
}

impl ReportArgs {
    /// The keys that the granularity means.
    pub fn by(&self) -> Option<Vec<Key>> {
        let old = &self.old;
        let options = [
            (old.functions, Granularity::Functions),
            (old.filefunctions, Granularity::Filefunctions),
            (old.files, Granularity::Files),
            (old.lines, Granularity::Lines),
            (old.addresses, Granularity::Addresses),
        ];
        let option = options.iter().find(|(asked, _)| *asked).map(|(_, granularity)| *granularity);
        let top = old.top.then_some(Granularity::Functions);
        Some(match self.granularity.or(option).or(top)? {
            Granularity::Functions => vec![Key::Function],
            Granularity::Filefunctions => vec![Key::Function, Key::File],
            Granularity::Files => vec![Key::File],
            Granularity::Lines => vec![Key::Function, Key::Line],
            Granularity::Addresses => vec![Key::Address, Key::Function, Key::Line],
        })
    }

    /// Whether to sort rows by their cumulative value.
    pub fn by_cum(&self) -> bool {
        self.old.cum
    }

    /// Fails if an option was typed that has no effect on `shown`.
    ///
    /// # Errors
    /// Names the option.
    pub fn check(&self, without_effect: &[&str], shown: &str) -> Result<()> {
        let typed = self.typed();
        match typed.iter().find(|option| without_effect.contains(option)) {
            None => Ok(()),
            Some(option) => Err(Error::misuse(*option, format!("has no effect on {shown}"))),
        }
    }

    /// Fails if an option was typed that only has an effect on rows of frames.
    ///
    /// # Errors
    /// Names the option.
    pub fn check_of_frames(&self, value_options: &ValueOptions, order: Order) -> Result<()> {
        let shown = "a table whose rows aren't frames: add --by function";
        let no_effect = |option| Err(Error::misuse(option, format!("has no effect on {shown}")));
        if value_options.mean {
            return no_effect("--mean");
        }
        if order == Order::Cum {
            return no_effect("--sort cum");
        }
        let of_frames = [
            "--nodefraction",
            "--divide-by",
            "--drop-negative",
            "--relative-percentages",
            "--unit",
        ];
        self.check(&of_frames, shown)
    }

    fn typed(&self) -> Vec<&'static str> {
        let typed = [
            ("--nodecount", self.nodecount.is_some()),
            ("--nodefraction", self.nodefraction.is_some()),
            ("--edgefraction", self.edgefraction.is_some()),
            ("--mean", self.mean),
            ("--divide-by", self.divide_by.is_some()),
            ("--drop-negative", self.drop_negative),
            ("--relative-percentages", self.relative_percentages),
            ("--unit", self.unit.is_some()),
        ];
        typed.into_iter().filter(|(_, typed)| *typed).map(|(option, _)| option).collect()
    }

    /// Whether what is left after pruning is 100%.
    pub fn is_relative(&self) -> bool {
        self.relative_percentages
    }

    /// How values are computed, except what 100% is.
    pub fn value_options(&self, mean: bool) -> ValueOptions {
        ValueOptions {
            whole: None,
            is_difference: false,
            mean: self.mean || mean,
            drop_negative: self.drop_negative,
            node_fraction: self.nodefraction.unwrap_or(0.0),
            edge_fraction: self.edgefraction.unwrap_or(0.0),
            node_count: self.nodecount.and_then(|n| usize::try_from(n).ok()).unwrap_or(0),
            divide_by: self.divide_by.unwrap_or(1.0),
            unit: self.unit.clone(),
        }
    }
}
