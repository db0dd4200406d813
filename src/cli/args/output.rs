//! What comes out.

use crate::output::groups::Frames;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// What comes out.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Format; each command's help lists its own
    #[arg(short = 'o', long = "output", value_name = "FORMAT")]
    pub format: Option<String>,

    /// Write to this file instead of stdout
    ///
    /// `-` is stdout. The file is written whole or not at all. For parquet it is a folder.
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,

    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// Order of rows: count, flat, cum, name, wait
    ///
    /// In a tree, of the goroutines that one created [default: count; tree: by id]
    #[arg(long, value_name = "ORDER")]
    pub sort: Option<Sort>,

    /// At most this many rows, stacks or trees; 0: all
    ///
    /// 0 shows all, even if they don't fit the screen.
    #[arg(short = 'n', long, value_name = "N", value_parser = limit)]
    pub limit: Option<usize>,

    /// How frames are shown
    ///
    /// In tables and text; a tree shows none.
    #[arg(long = "frames", id = "frame-style", value_name = "STYLE", default_value = "columns")]
    pub frames: FrameStyle,
}

impl OutputArgs {
    /// The file to write; `-` is stdout.
    pub fn file(&self) -> Option<&Path> {
        self.to.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR or TERM=dumb is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Order of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Sort {
    /// Most goroutines, or the largest value of its own, first.
    Count,
    /// As count; the name that pprof has for it.
    Flat,
    /// For frames: the largest cumulative value, of their own and of what they call, first.
    Cum,
    /// By name.
    Name,
    /// Longest wait first.
    Wait,
}

/// How frames are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FrameStyle {
    /// Function and place under each other.
    Both,
    /// Function and place side by side.
    Columns,
    /// Functions only.
    Func,
    /// Places only.
    Loc,
    /// No frames.
    None,
}

impl From<FrameStyle> for Frames {
    fn from(style: FrameStyle) -> Frames {
        match style {
            FrameStyle::Both => Frames::Both,
            FrameStyle::Columns => Frames::Columns,
            FrameStyle::Func => Frames::Functions,
            FrameStyle::Loc => Frames::Places,
            FrameStyle::None => Frames::None,
        }
    }
}

/// How many rows to show: 0 means all of them.
fn limit(text: &str) -> Result<usize, std::num::ParseIntError> {
    text.parse().map(|number| if number == 0 { usize::MAX } else { number })
}
