//! Points in time: what several inputs are to each other.

use clap::{Args, ValueEnum};

/// What several inputs are to each other.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Points in time (each argument is one, inputs inside it are processes)"
)]
pub struct PointArgs {
    /// Order of the points
    #[arg(long, value_name = "ORDER", default_value = "given")]
    pub order: PointOrder,

    /// Take all inputs as processes of one point
    #[arg(long, conflicts_with = "series")]
    pub fleet: bool,

    /// Members of one directory or archive are points
    ///
    /// In natural order of their paths.
    #[arg(long)]
    pub series: bool,
}

/// Order of points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PointOrder {
    /// As the arguments are given.
    Given,
    /// By path, numbers in it by value.
    Name,
    /// By the time that the file was last modified.
    Mtime,
}
