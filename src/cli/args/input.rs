//! Inputs and how to read them.

use crate::live::CaptureOptions;
use crate::source::with_scheme;
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use std::ffi::OsString;
use std::path::PathBuf;

/// Inputs and how to read them.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Files, directories, archives (zip, tar), [http://]HOST:PORT/debug/pprof/..., pid:N for a live process, `-` for stdin; stdin when none is given and it is a pipe
    #[arg(value_name = "INPUT", help_heading = None::<&str>, value_parser = input_parser())]
    pub inputs: Vec<OsString>,

    /// Read the members of directories and archives that match this glob instead of the well-known names
    #[arg(long = "member", value_name = "GLOB")]
    pub members: Vec<String>,

    /// Name an input
    #[arg(long = "input-name", value_name = "PATH=NAME")]
    pub input_names: Vec<String>,

    /// Make labels from the named groups of this regular expression, matched against input paths
    #[arg(long = "path-label", value_name = "REGEX")]
    pub path_labels: Vec<String>,

    /// Format of the inputs, undetected: goroutine-debug2, goroutine-debug1, goroutine-debug0, ...
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<String>,

    /// Cut what this regular expression matches at the start of each line
    #[arg(long, value_name = "REGEX")]
    pub line_prefix: Option<String>,

    /// Give up after unpacking this many bytes in all (K, M, G for powers of 1024) [default: 16G]
    #[arg(long, value_name = "N")]
    pub max_bytes: Option<String>,

    /// The Go program that made the inputs
    ///
    /// Stripped or not. It gives names to bare addresses, and knows the modules.
    #[arg(long = "binary", value_name = "FILE")]
    pub binaries: Vec<PathBuf>,

    /// Replace the names that inputs have by those of --binary
    #[arg(long, requires = "binaries")]
    pub resymbolize: bool,

    /// Use --binary even if it isn't the one that made the input
    #[arg(long, requires = "binaries")]
    pub force_binary: bool,

    /// Send this header with requests to http://...
    #[arg(long = "http-header", value_name = "NAME:VALUE")]
    pub http_headers: Vec<String>,

    /// Give up on a server that is silent for this long, in addition to the `seconds` of the query
    /// [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub http_timeout: Option<String>,

    /// Trust the certificates in this file (PEM) instead of the usual ones
    #[arg(long, value_name = "FILE")]
    pub http_ca: Option<PathBuf>,

    /// Trust any certificate
    #[arg(long)]
    pub http_insecure: bool,

    /// Exit with 2 if anything was lost or dropped with a warning
    #[arg(long)]
    pub strict: bool,

    /// Threads to read with [default: one for each core]
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,

    /// How processes are captured; only `capture` has options for it.
    #[arg(skip)]
    pub capture: CaptureOptions,
}

/// Parses a path or an address as it is typed.
pub(super) fn input_parser() -> impl TypedValueParser<Value = OsString> {
    OsStringValueParser::new().map(with_scheme)
}
