//! Whether inputs are read again and again.

use clap::Args;

/// Whether inputs are read again and again.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Points in time (each argument is one, inputs inside it are processes)"
)]
pub struct WatchArgs {
    /// Read pid:N or an address up to this many times, until it grows
    ///
    /// Each time is a point. Growth that is proved ends it, and so does Ctrl-C: what was read by then is
    /// judged. Without a number nothing else does.
    #[arg(long, value_name = "N", num_args = 0..=1, value_parser = count,
          conflicts_with_all = ["series", "fleet", "order"])]
    pub watch: Option<Option<u32>>,

    /// The time from one reading to the next: 10s, 5m, 1h [default: 10s]
    #[arg(long, value_name = "TIME", requires = "watch", hide_short_help = true)]
    pub every: Option<String>,
}

fn count(text: &str) -> Result<u32, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "write --watch=20, or --watch alone behind the input".to_owned())
}
